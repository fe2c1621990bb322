"""The task of grading a report: one call for each dimension, an integer from 0 to 10, the reasons before the number.

The scale is 0-10 because the paper's prompts say so; its text and Table 2 say 1-10.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from drr.eval.asking.conversation import Asking, Section, conversation
from drr.eval.asking.forms import PaperRatingAnswer, RatingAnswer
from drr.eval.asking.judge import Examiner
from drr.eval.evidence.answers import Answer
from drr.eval.labels import DIMENSIONS, Dimension
from drr.eval.tasks.base import Estimate, Task
from drr.eval.tasks.desk import Desk
from drr.eval.tasks.grading import TITLES, Graded, criterion_name, graded
from drr.eval.tasks.judged import Judged, Verdict
from drr.eval.tasks.protocol import Ask, JudgingProtocol
from drr.eval.tasks.rows import RatingResult
from drr.llm.prompts import Prompts
from drr.study.unit import Outcome, Record, Unit


class RatingTask(Task[Answer]):
    name = "rating"
    subject = "answer"
    metrics = ("quality",)

    def versions(self, desk: Desk) -> Mapping[str, str]:
        return {
            f"{self.name}/{dimension}": desk.version(
                self.version, self.role, *rating_prompts(desk.protocol, dimension)
            )
            for dimension in DIMENSIONS
        }

    def part(self, fields: Mapping[str, Any]) -> str:
        return f"{self.name}/{fields['dimension']}"

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


def _ask(protocol: JudgingProtocol, dimension: Dimension) -> Ask:
    ask = protocol.ask(f"rating/{dimension}", "rating")
    assert ask is not None
    return ask


def _asking(desk: Desk, answer: Answer, dimension: Dimension) -> Asking[Any]:
    return rating_asking(
        desk.prompts, desk.protocol, dimension, graded(desk, answer), answer.report, about=(answer.key,)
    )


def rating_prompts(protocol: JudgingProtocol, dimension: Dimension) -> tuple[str, str]:
    """The files that say how this dimension is graded."""
    return _ask(protocol, dimension).prompt, criterion_name(dimension)


def rating_asking(
    prompts: Prompts,
    protocol: JudgingProtocol,
    dimension: Dimension,
    graded: Graded,
    answer: str,
    *,
    about: tuple[str, ...] = (),
) -> Asking[Any]:
    ask = _ask(protocol, dimension)
    prompt = prompts[ask.prompt]
    told = {
        "shop_url": graded.shop_url,
        "criterion_name": TITLES[dimension],
        "criterion": prompts[criterion_name(dimension)].text.strip(),
    }
    system = prompt.fill(**{slot: told[slot] for slot in prompt.slots})
    sections = (*graded.sections(), Section("answer", answer, "The answer:"))
    return Asking(
        "rating",
        ask.form,
        conversation(system, sections),
        sections,
        about,
        dimension,
        graded.shop_url,
        bool(graded.profile),
    )


async def rate(judge: Examiner, asking: Asking[Any]) -> RatingResult:
    answer = await judge.answer(asking)
    assert isinstance(answer, RatingAnswer | PaperRatingAnswer)
    return {"rating": answer.rating, "justification": answer.justification}
