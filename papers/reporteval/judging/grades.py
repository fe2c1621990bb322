"""The task of grading a report on five sides in one call, 0-4, the reasons before the numbers. The judge sees the question and the report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from drr.eval.asking.conversation import Asking, Section, conversation
from drr.eval.asking.judge import Examiner
from drr.eval.evidence.answers import Answer
from drr.eval.tasks.desk import Desk, Estimate, Task, text_id
from drr.eval.tasks.judged import Judged
from drr.llm.prompts import Prompts
from drr.papers.reporteval.judging.forms import ReportGrades
from drr.papers.reporteval.judging.rows import GRADES, SIDES, ReportGradeRow, report_grades_of
from drr.study.unit import Outcome, Record, Unit


class GradesTask(Task[Answer]):
    name = GRADES
    subject = "answer"
    metrics = ("reporteval",)

    def versions(self, desk: Desk) -> Mapping[str, str]:
        ask = desk.protocol.ask(self.name)
        return {} if ask is None else {self.name: desk.version(self.version, self.role, ask.prompt)}

    def plan(self, desk: Desk, about: Answer, judged: Judged) -> Iterable[Unit]:
        """Plan the units. The key names the texts and not the prompt made of them: that would cost a
        rendering of every report whenever it is looked for."""
        if desk.protocol.ask(self.name) is not None:
            fields = {"answer": about.key, "question": text_id(about.query), "shown": text_id(about.report)}
            yield self.unit(desk, f"grades \u00b7 {about.label}", fields, {"answer": about.key})

    async def work(self, desk: Desk, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        answer = desk.answer(spec["answer"])
        prompt = desk.protocol.asks[self.name].prompt
        asking = grades_asking(desk.prompts, prompt, answer.query, answer.report, (answer.key,))
        said = await judge.answer(asking)
        return Outcome({"grades": {side: getattr(said, side).model_dump() for side in SIDES}})

    def read(self, record: Record, judged: Judged) -> None:
        """All five or none: they are one answer."""
        rows: Mapping[str, ReportGradeRow] = {
            side: ReportGradeRow(grade=None, reason=f"{record.reason}: {record.message}") for side in SIDES
        }
        if record.done:
            rows = record.result["grades"]
        judged.others.setdefault(self.name, {})[record.key_fields["answer"]] = rows

    def estimate(self, desk: Desk, unit: Unit) -> Estimate:
        answer = desk.answer(unit.spec["answer"])
        return Estimate(len(answer.report) + len(answer.query) + 3200, 500)

    def values(self, judged: Judged) -> Mapping[tuple[str, str], str | int | None]:
        return {
            (answer.key, side): row["grade"]
            for answer in judged.answers
            for side, row in (report_grades_of(judged, answer.key) or {}).items()
        }


GRADES_TASK = GradesTask()


def grades_asking(
    prompts: Prompts, prompt: str, question: str, report: str, about: tuple[str, ...] = ()
) -> Asking[ReportGrades]:
    sections = (
        Section("question", question, "The question:"),
        Section("answer", report, "The report:", report=True),
    )
    return Asking(GRADES, ReportGrades, conversation(prompts.fill(prompt), sections), sections, about)
