"""The task of grading a report beside a reference report on the same question. One call grades both; each order is asked once.

The figure is `target / (target + reference)`, which is 0.5 where the two are equally good. The figure does not depend on how strict a
judge is, and the two orders show how much the place in the prompt alone changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, cast

from drr.eval.asking.conversation import Asking
from drr.eval.asking.forms import RelativeGrade, RelativeGrades, plain_name
from drr.eval.asking.judge import Examiner, ask_by_id
from drr.eval.evidence.answers import Answer
from drr.eval.labels import DIMENSION_TITLES, Dimension
from drr.eval.tasks.desk import Estimate, JudgingContext, Task
from drr.eval.tasks.grading import both_answers, criterion_name, graded_question
from drr.eval.tasks.judgements import (
    GRADED,
    RELATIVE_GRADES,
    Grades,
    GradesRow,
    Judged,
    PromptPlace,
    relative_of,
)
from drr.study.study import Study
from drr.study.unit import Outcome, Record, Unit

_META = "reference"


class RelativeTask(Task[Answer]):
    name = RELATIVE_GRADES
    subject = "answer"
    metrics = ("relative",)

    def versions(self, desk: JudgingContext) -> Mapping[str, str]:
        """Add the name of the reference to the version, so that grades against another reference belong to another judging run."""
        ask = desk.protocol.ask(self.name)
        if ask is None:
            return {}
        own = desk.version(self.version, self.role, ask.prompt, *map(criterion_name, GRADED))
        return {self.name: own if desk.reference is None else f"{own} against {desk.reference}"}

    def plan(self, desk: JudgingContext, about: Answer, judged: Judged) -> Iterable[Unit]:
        reference = reference_of(desk, about)
        if reference is None or desk.protocol.ask(self.name) is None:
            return
        for place in ("first", "second"):
            fields = {
                "answer": about.key,
                "reference": reference.key,
                "place": place,
                "prompt": _asking(desk, about, reference, place, GRADED).fingerprint,
            }
            spec = {"answer": about.key, "reference": reference.key, "place": place}
            label = f"{self.name} \u00b7 {about.label} {place}, beside {reference.label}"
            yield self.unit(desk, label, fields, spec)

    async def work(self, desk: JudgingContext, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        """Ask for the grades by dimension. Dimensions that the judge left out are asked for once more, alone."""
        target, reference, place = desk.answer(spec["answer"]), desk.answer(spec["reference"]), spec["place"]
        names = {plain_name(DIMENSION_TITLES[dimension]): dimension for dimension in GRADED}

        def asking(some: Sequence[str]) -> Asking[RelativeGrades]:
            return _asking(desk, target, reference, place, [names[name] for name in some])

        found = await ask_by_id(judge, list(names), len(names), asking, attrgetter("a", "b"))
        grades = {names[name]: _row(found[name], place) for name in names if name in found}
        return Outcome({"grades": grades})

    def read(self, record: Record, judged: Judged) -> None:
        """Store the grades of one order. A dimension that the judge left out twice has no figure in this order."""
        fields = record.key_fields
        grades = cast("Grades | None", record.result["grades"] if record.done else None)
        judged.failed[self.name] += record.done and self.is_incomplete(record)
        here = judged.others.setdefault(self.name, {}).setdefault(fields["answer"], {})
        cast("dict[PromptPlace, Grades | None]", here)[fields["place"]] = grades

    def is_incomplete(self, record: Record) -> bool:
        return len(record.result["grades"]) < len(GRADED)

    def estimate(self, desk: JudgingContext, unit: Unit) -> Estimate:
        both = sum(len(desk.answer(unit.spec[one]).report) for one in ("answer", "reference"))
        return Estimate(both + 6500, 900)

    def values(self, judged: Judged) -> Mapping[tuple[str, str], str | int | None]:
        return {
            (answer.key, f"{dimension}, shown {place}"): f"{row['target']} to {row['reference']}"
            for answer in judged.answers
            for place, grades in (relative_of(judged, answer.key) or {}).items()
            for dimension, row in (grades or {}).items()
        }


RELATIVE = RelativeTask()


def reference_of(desk: JudgingContext, target: Answer) -> Answer | None:
    """Find the reference report on the same question, of the same trial if possible, else of the first. `None` for the reference itself."""
    if desk.reference is None or target.variant == desk.reference:
        return None
    same = [a for a in desk.answers.values() if a.query_id == target.query_id and a.variant == desk.reference]
    return min(
        same, key=lambda answer: (answer.trial != target.trial, answer.trial, answer.key), default=None
    )


def kept_reference(study: Study) -> str | None:
    """Return the variant that the study's reports are graded against, as last chosen."""
    return study.ledger.meta(_META)


def keep_reference(study: Study, variant: str) -> None:
    if kept_reference(study) != variant:
        study.ledger.set_meta(_META, variant)


def _row(one: RelativeGrade, place: PromptPlace) -> GradesRow:
    target, reference = (one.a, one.b) if place == "first" else (one.b, one.a)
    return {"target": target, "reference": reference, "justification": one.justification}


def _asking(
    desk: JudgingContext,
    target: Answer,
    reference: Answer,
    place: PromptPlace,
    dimensions: Sequence[Dimension],
) -> Asking[RelativeGrades]:
    first, second = (target, reference) if place == "first" else (reference, target)
    criteria = "\n\n".join(
        f"**{DIMENSION_TITLES[one]}**: {desk.prompts[criterion_name(one)].text.strip()}" for one in dimensions
    )
    system = desk.prompts.fill(
        desk.protocol.asks[RELATIVE_GRADES].prompt, shop_url=desk.shop_url, criteria=criteria
    )
    answers = both_answers(first.report, second.report)
    return graded_question(desk, target).asking(
        RELATIVE_GRADES, RelativeGrades, system, answers, (first.key, second.key)
    )
