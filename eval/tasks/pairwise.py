"""The task of preferring one of two answers to a question, dimension by dimension."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from drr.eval.asking.conversation import Asking, Section
from drr.eval.asking.forms import PaperPreferenceAnswer, PreferenceAnswer
from drr.eval.asking.judge import Examiner
from drr.eval.evidence.answers import Answer
from drr.eval.labels import DIMENSIONS, Dimension, pair_id
from drr.eval.tasks.base import Estimate, Pair, text_id
from drr.eval.tasks.desk import Desk
from drr.eval.tasks.grading import DimensionTask, Graded, graded
from drr.eval.tasks.judged import Judged, Verdict
from drr.eval.tasks.protocol import Ask, JudgingProtocol
from drr.eval.tasks.rows import PreferenceResult
from drr.llm.prompts import Prompts
from drr.study.unit import Outcome, Record, Unit

_PLACE: Mapping[str, Literal["first", "second", "tie"]] = {"A": "first", "B": "second", "tie": "tie"}


class PairwiseTask(DimensionTask[Pair]):
    name = "pairwise"
    subject = "pair"

    def ask(self, protocol: JudgingProtocol, dimension: Dimension) -> Ask:
        return protocol.asks[self.name]

    def plan(self, desk: Desk, about: Pair, judged: Judged) -> Iterable[Unit]:
        for dimension in DIMENSIONS:
            for first, second in _orders(about, dimension, both=desk.protocol.both_orders):
                fields = {
                    "first": first.key,
                    "second": second.key,
                    "dimension": dimension,
                    "prompt": _asking(desk, first, second, dimension).fingerprint,
                }
                spec = {"first": first.key, "second": second.key, "dimension": dimension}
                label = f"{dimension} \u00b7 {first.query_id} \u00b7 {first.variant} then {second.variant} \u00b7 {first.trial}"
                yield self.unit(desk, label, fields, spec)

    async def work(self, desk: Desk, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        first, second = desk.answer(spec["first"]), desk.answer(spec["second"])
        return Outcome({**await prefer(judge, _asking(desk, first, second, spec["dimension"]))})

    def read(self, record: Record, judged: Judged) -> None:
        fields = record.key_fields
        if fields["first"] in judged.by_key and fields["second"] in judged.by_key:
            value = record.result.get("winner") if record.done else None
            verdict = Verdict[str](value, record.result.get("justification"), record.reason)
            judged.pairs[fields["first"], fields["second"], fields["dimension"]] = verdict

    def estimate(self, desk: Desk, unit: Unit) -> Estimate:
        both = sum(len(desk.answer(unit.spec[side]).report) for side in ("first", "second"))
        return Estimate(both + 3500, 250)

    def values(self, judged: Judged) -> Mapping[tuple[str, str], str | int | None]:
        return {
            (f"{first}\0{second}", dimension): verdict.value
            for (first, second, dimension), verdict in judged.pairs.items()
        }


PAIRWISE = PairwiseTask()


def _orders(pair: Pair, dimension: Dimension, *, both: bool) -> list[Pair]:
    """Both, or one drawn by lot."""
    first, second = pair
    if both:
        return [(first, second), (second, first)]
    lot = text_id(f"{pair_id(first.query_id, first.variant, second.variant, first.trial)}\0{dimension}")
    return [(second, first) if int(lot, 16) % 2 else (first, second)]


def _asking(desk: Desk, first: Answer, second: Answer, dimension: Dimension) -> Asking[Any]:
    return comparison_asking(
        desk.prompts,
        desk.protocol,
        dimension,
        graded(desk, first),
        (first.report, second.report),
        about=(first.key, second.key),
    )


def comparison_asking(
    prompts: Prompts,
    protocol: JudgingProtocol,
    dimension: Dimension,
    graded: Graded,
    answers: tuple[str, str],
    *,
    about: tuple[str, ...] = (),
) -> Asking[Any]:
    """The first stands as answer A."""
    first, second = answers
    shown = (
        Section("answer_a", first, "Answer A:", report=True),
        Section("answer_b", second, "Answer B:", report=True),
    )
    return PAIRWISE.asking(prompts, protocol, dimension, graded, shown, about)


async def prefer(judge: Examiner, asking: Asking[Any]) -> PreferenceResult:
    """The winner by its place in the prompt."""
    answer = await judge.answer(asking)
    assert isinstance(answer, PreferenceAnswer | PaperPreferenceAnswer)
    return {"winner": _PLACE[answer.winner], "justification": answer.justification}
