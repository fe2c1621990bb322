"""The judging tasks that ask a judge about required facts, points of the checklist, and the depth of a report.

Facts and points are sent by id, up to ten in one call, and may be answered in any order. An id left out is asked for once more.
Facts and points are not asked about if the judge is no model.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, cast

from drr.env.json_object import JsonObject
from drr.eval.asking.conversation import Asking, Section, conversation, with_id
from drr.eval.asking.judge import Examiner, ask_by_id, groups_of
from drr.eval.evidence.answers import Answer
from drr.eval.evidence.quotations import locate
from drr.eval.tasks.desk import Estimate, JudgingContext, Task, text_id
from drr.eval.tasks.judgements import Judged
from drr.papers.dr3.judging.forms import DepthGrade, InsightAnswer, InsightAnswers, PointMet, PointsMet
from drr.papers.dr3.judging.rows import DEPTH, FOLLOWING, INSIGHTS, DepthRow, depth_of
from drr.papers.dr3.judging.truths import KnownTask, KnownTasks
from drr.study.unit import Outcome, Record, Unit
from pydantic import BaseModel

TOGETHER = 10
"""Limit on facts or points in one call; the report is sent with each call."""
LEFT_OUT = "the judge left this id out, or said two things of it, also when asked for it alone"


class CheckedThing(NamedTuple):
    """A fact or a point of the checklist that a judge is asked about."""

    id: str
    text: str


class ThingsTask(Task[Answer]):
    subject = "answer"
    metrics = ("dr3",)
    by_rules = False
    word: ClassVar[str]
    """Word for a fact or a point in the request to the judge."""
    field: ClassVar[str]
    """Name of the row's field that holds the verdict, which is `None` if unknown."""
    form: ClassVar[type[BaseModel]]

    @abstractmethod
    def things(self, known: KnownTask) -> list[CheckedThing]:
        """List the facts or points of one task."""

    @abstractmethod
    def verdict(self, judged: Any) -> object:
        """Return the judge's verdict on one fact or point, in the form in which a row keeps it."""

    def plan(self, desk: JudgingContext, about: Answer, judged: Judged) -> Iterable[Unit]:
        known = desk.chosen(KnownTasks).get(about.query_id)
        if known is None or desk.protocol.ask(self.name) is None or desk.judge_of(self.role).rule_written:
            return
        for things in groups_of(self.things(known), TOGETHER):
            names = [one.id for one in things]
            prompt = self._asking(desk, about, things).fingerprint
            fields = {"answer": about.key, "items": names, "prompt": prompt}
            spec = {"answer": about.key, "things": [list(one) for one in things]}
            yield self.unit(desk, f"{self.name} {', '.join(names)} \u00b7 {about.label}", fields, spec)

    def _asking(self, desk: JudgingContext, answer: Answer, things: Iterable[CheckedThing]) -> Asking[Any]:
        lead = f"{self.word.capitalize()} %s:"
        named = (with_id(Section(self.word, one.text, lead), one.id) for one in things)
        return report_asking(desk, self.name, self.form, answer, *named)

    async def work(self, desk: JudgingContext, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        """Ask the judge about each fact or point; raise `ModelFailure` if there is no usable answer at all."""
        answer = desk.answer(spec["answer"])
        named = {id_: CheckedThing(id_, text) for id_, text in spec["things"]}

        def asking(names: Sequence[str]) -> Asking[Any]:
            return self._asking(desk, answer, [named[name] for name in names])

        found = await ask_by_id(judge, list(named), TOGETHER, asking, self.verdict)
        rows: dict[str, JsonObject] = {key: {self.field: None, "reason": LEFT_OUT} for key in named}
        for name, judged in found.items():
            rows[name] = {self.field: self.verdict(judged), "reason": judged.justification}
            span = locate(judged.quote, answer.report) if judged.quote.strip() else None
            if span is not None:
                rows[name]["span"] = [span.start, span.end]
        return Outcome({"said": rows})

    def read(self, record: Record, judged: Judged) -> None:
        if record.done:
            rows = record.result["said"]
            judged.failed[self.name] += self.is_incomplete(record)
        else:
            reason = f"{record.reason}: {record.message}"
            rows = {name: {self.field: None, "reason": reason} for name in record.key_fields["items"]}
        here = judged.others.setdefault(self.name, {}).setdefault(record.key_fields["answer"], {})
        cast("dict[str, object]", here).update(rows)

    def is_incomplete(self, record: Record) -> bool:
        return any(row[self.field] is None for row in record.result["said"].values())

    def estimate(self, desk: JudgingContext, unit: Unit) -> Estimate:
        answer, things = desk.answer(unit.spec["answer"]), unit.spec["things"]
        size = len(answer.report) + len(answer.query) + sum(len(text) + 80 for _, text in things)
        return Estimate(size + 1700, 100 * len(things))

    def values(self, judged: Judged) -> Mapping[tuple[str, str], str | int | None]:
        found = cast("dict[str, dict[str, dict[str, object]]]", judged.others.get(self.name, {}))
        return {
            (answer, name): None if row[self.field] is None else str(row[self.field])
            for answer, rows in found.items()
            for name, row in rows.items()
        }


def report_asking(
    desk: JudgingContext, task: str, form: type[BaseModel], answer: Answer, *things: Section
) -> Asking[Any]:
    """Build the request: the question, the report, and each fact or point under its id."""
    sections = (
        Section("question", answer.query, "The question:"),
        Section("answer", answer.report, "The report:", report=True),
        *things,
    )
    messages = conversation(desk.prompts[desk.protocol.asks[task].prompt].fill(), sections)
    return Asking(task, form, messages, sections, (answer.key,), shop_url=desk.shop_url)


class InsightsTask(ThingsTask):
    name = INSIGHTS
    word = "fact"
    field = "score"
    form = InsightAnswers

    def things(self, known: KnownTask) -> list[CheckedThing]:
        return [CheckedThing(fact.id, fact.text) for fact in known.truth.facts]

    def verdict(self, judged: InsightAnswer) -> float:
        return {"whole": 1.0, "part": 0.5, "none": 0.0}[judged.told]


class FollowingTask(ThingsTask):
    name = FOLLOWING
    word = "point"
    field = "met"
    form = PointsMet

    def things(self, known: KnownTask) -> list[CheckedThing]:
        points = known.truth.checklist
        return [CheckedThing(one.id, one.requirement) for one in points if one.decided_by == "judge"]

    def verdict(self, judged: PointMet) -> bool:
        return judged.met


class DepthTask(Task[Answer]):
    name = DEPTH
    subject = "answer"
    metrics = ("dr3",)

    def plan(self, desk: JudgingContext, about: Answer, judged: Judged) -> Iterable[Unit]:
        if about.query_id in desk.chosen(KnownTasks) and desk.protocol.ask(self.name) is not None:
            fields = {"answer": about.key, "question": text_id(about.query), "shown": text_id(about.report)}
            yield self.unit(desk, f"depth \u00b7 {about.label}", fields, {"answer": about.key})

    async def work(self, desk: JudgingContext, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        judged = await judge.answer(report_asking(desk, DEPTH, DepthGrade, desk.answer(spec["answer"])))
        return Outcome({"depth": judged.model_dump()})

    def read(self, record: Record, judged: Judged) -> None:
        failed = DepthRow(grade=None, reason=f"{record.reason}: {record.message}")
        row = record.result["depth"] if record.done else failed
        judged.others.setdefault(self.name, {})[record.key_fields["answer"]] = row

    def estimate(self, desk: JudgingContext, unit: Unit) -> Estimate:
        answer = desk.answer(unit.spec["answer"])
        return Estimate(len(answer.report) + len(answer.query) + 1900, 150)

    def values(self, judged: Judged) -> Mapping[tuple[str, str], str | int | None]:
        rows = {answer.key: depth_of(judged, answer.key) for answer in judged.answers}
        return {(key, "depth"): row["grade"] for key, row in rows.items() if row is not None}


INSIGHTS_TASK, FOLLOWING_TASK, DEPTH_TASK = InsightsTask(), FollowingTask(), DepthTask()
