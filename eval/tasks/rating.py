"""The task of grading a report. One call for each dimension, an integer from 0 to 10, the reasons before the number.

The scale is 0-10 because the paper's prompts say so; its text and Table 2 say 1-10.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from drr.eval.asking.conversation import Asking, Section
from drr.eval.asking.forms import PaperRatingAnswer, RatingAnswer
from drr.eval.asking.judge import Examiner
from drr.eval.evidence.answers import Answer
from drr.eval.labels import DIMENSIONS, Dimension
from drr.eval.tasks.base import Estimate
from drr.eval.tasks.desk import Desk
from drr.eval.tasks.grading import DimensionTask, Graded, graded
from drr.eval.tasks.judged import Judged, Verdict
from drr.eval.tasks.protocol import Ask, JudgingProtocol
from drr.eval.tasks.rows import RatingResult
from drr.llm.prompts import Prompts
from drr.study.unit import Outcome, Record, Unit


class RatingTask(DimensionTask[Answer]):
    name = "rating"
    subject = "answer"
    metrics = ("quality",)

    def ask(self, protocol: JudgingProtocol, dimension: Dimension) -> Ask:
        ask = protocol.ask(f"{self.name}/{dimension}", self.name)
        assert ask is not None
        return ask

    def plan(self, desk: Desk, about: Answer, judged: Judged) -> Iterable[Unit]:
        for dimension in DIMENSIONS:
            fields = {
                "answer": about.key,
                "dimension": dimension,
                "prompt": _asking(desk, about, dimension).fingerprint,
            }
            spec = {"answer": about.key, "dimension": dimension}
            yield self.unit(desk, f"{dimension} \u00b7 {about.label}", fields, spec)

    async def work(self, desk: Desk, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        asking = _asking(desk, desk.answer(spec["answer"]), spec["dimension"])
        return Outcome({**await rate(judge, asking)})

    def read(self, record: Record, judged: Judged) -> None:
        fields = record.key_fields
        value = record.result.get("rating") if record.done else None
        verdict = Verdict[int](value, record.result.get("justification"), record.reason)
        judged.ratings.setdefault(fields["answer"], {})[fields["dimension"]] = verdict

    def estimate(self, desk: Desk, unit: Unit) -> Estimate:
        return Estimate(len(desk.answer(unit.spec["answer"]).report) + 3500, 250)

    def values(self, judged: Judged) -> Mapping[tuple[str, str], str | int | None]:
        return {
            (answer, dimension): verdict.value
            for answer, found in judged.ratings.items()
            for dimension, verdict in found.items()
        }


RATING = RatingTask()


def _asking(desk: Desk, answer: Answer, dimension: Dimension) -> Asking[Any]:
    return rating_asking(
        desk.prompts, desk.protocol, dimension, graded(desk, answer), answer.report, about=(answer.key,)
    )


def rating_asking(
    prompts: Prompts,
    protocol: JudgingProtocol,
    dimension: Dimension,
    graded: Graded,
    answer: str,
    *,
    about: tuple[str, ...] = (),
) -> Asking[Any]:
    shown = (Section("answer", answer, "The answer:", report=True),)
    return RATING.asking(prompts, protocol, dimension, graded, shown, about)


async def rate(judge: Examiner, asking: Asking[Any]) -> RatingResult:
    answer = await judge.answer(asking)
    assert isinstance(answer, RatingAnswer | PaperRatingAnswer)
    return {"rating": answer.rating, "justification": answer.justification}
