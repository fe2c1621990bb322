"""Two kinds of judging as a plug-in would bring them: criteria of a question, made before any answer, and marks by these criteria."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from drr.eval.asking.conversation import Asking, Section, conversation
from drr.eval.asking.judge import Examiner
from drr.eval.evidence.answers import Answer
from drr.eval.tasks.desk import Estimate, JudgedQuestion, JudgingContext, Task
from drr.eval.tasks.judgements import Judged
from drr.study.unit import Outcome, Record, Unit
from pydantic import BaseModel


class CriteriaAnswer(BaseModel):
    criteria: list[str]


class MarksAnswer(BaseModel):
    marks: dict[str, int]


class CriteriaTask(Task[JudgedQuestion]):
    name = "toy-criteria"
    subject = "query"

    def versions(self, desk: JudgingContext) -> Mapping[str, str]:
        return {self.name: str(self.version)}

    def plan(self, desk: JudgingContext, about: JudgedQuestion, judged: Judged) -> Iterable[Unit]:
        yield self.unit(
            desk, f"criteria of {about.id}", {"query": about.id}, {"id": about.id, "text": about.query}
        )

    async def work(self, desk: JudgingContext, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        sections = (Section("question", spec["text"]),)
        messages = conversation("Name what a good answer must hold.", sections)
        said = await judge.answer(Asking(self.name, CriteriaAnswer, messages, sections, (spec["id"],)))
        return Outcome({"criteria": said.criteria})

    def read(self, record: Record, judged: Judged) -> None:
        if record.done:
            judged.others.setdefault(self.name, {})[record.key_fields["query"]] = record.result["criteria"]

    def estimate(self, desk: JudgingContext, unit: Unit) -> Estimate:
        return Estimate(len(unit.spec["text"]), 50)

    def guess(self, desk: JudgingContext, about: JudgedQuestion, judged: Judged) -> None:
        judged.others.setdefault(self.name, {}).setdefault(about.id, ["unknown"])


class MarksTask(Task[Answer]):
    name = "toy-marks"
    subject = "answer"
    needs = ("toy-criteria",)

    def versions(self, desk: JudgingContext) -> Mapping[str, str]:
        return {self.name: str(self.version)}

    def plan(self, desk: JudgingContext, about: Answer, judged: Judged) -> Iterable[Unit]:
        criteria = judged.others.get("toy-criteria", {}).get(about.query_id)
        if criteria is not None:
            about_this = {"answer": about.key, "criteria": criteria}
            yield self.unit(desk, f"marks of {about.label}", about_this, about_this)

    async def work(self, desk: JudgingContext, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        sections = (
            *(Section("criterion", criterion) for criterion in spec["criteria"]),
            Section("answer", desk.answer(spec["answer"]).report),
        )
        messages = conversation("Mark the answer by each criterion.", sections)
        said = await judge.answer(Asking(self.name, MarksAnswer, messages, sections, (spec["answer"],)))
        return Outcome({"marks": said.marks})

    def read(self, record: Record, judged: Judged) -> None:
        judged.others.setdefault(self.name, {})[record.key_fields["answer"]] = record.result.get("marks")

    def estimate(self, desk: JudgingContext, unit: Unit) -> Estimate:
        return Estimate(len(desk.answer(unit.spec["answer"]).report), 80)


CRITERIA = CriteriaTask()
MARKS = MarksTask()
