"""The task of grading how deep a report on a task with files goes, 1-10, in one call. The judge sees the question and the report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from drr.eval.asking.judge import Examiner
from drr.eval.evidence.answers import Answer
from drr.eval.tasks.desk import Desk, Estimate, Task, text_id
from drr.eval.tasks.judged import Judged
from drr.papers.dr3.judging.asked import report_asking
from drr.papers.dr3.judging.forms import DepthGrade
from drr.papers.dr3.judging.known import KnownTasks
from drr.papers.dr3.judging.rows import DEPTH, DepthRow, depth_of
from drr.study.unit import Outcome, Record, Unit


class DepthTask(Task[Answer]):
    name = DEPTH
    subject = "answer"
    metrics = ("dr3",)

    def versions(self, desk: Desk) -> Mapping[str, str]:
        ask = desk.protocol.ask(self.name)
        return {} if ask is None else {self.name: desk.version(self.version, self.role, ask.prompt)}

    def plan(self, desk: Desk, about: Answer, judged: Judged) -> Iterable[Unit]:
        if about.query_id in desk.chosen(KnownTasks) and desk.protocol.ask(self.name) is not None:
            fields = {"answer": about.key, "question": text_id(about.query), "shown": text_id(about.report)}
            yield self.unit(desk, f"depth \u00b7 {about.label}", fields, {"answer": about.key})

    async def work(self, desk: Desk, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        answer = desk.answer(spec["answer"])
        said = await judge.answer(report_asking(desk, DEPTH, DepthGrade, answer))
        return Outcome({"depth": said.model_dump()})

    def read(self, record: Record, judged: Judged) -> None:
        row = DepthRow(grade=None, reason=f"{record.reason}: {record.message}")
        if record.done:
            row = record.result["depth"]
        judged.others.setdefault(self.name, {})[record.key_fields["answer"]] = row

    def estimate(self, desk: Desk, unit: Unit) -> Estimate:
        answer = desk.answer(unit.spec["answer"])
        return Estimate(len(answer.report) + len(answer.query) + 1900, 150)

    def values(self, judged: Judged) -> Mapping[tuple[str, str], str | int | None]:
        rows = {answer.key: depth_of(judged, answer.key) for answer in judged.answers}
        return {(key, "depth"): row["grade"] for key, row in rows.items() if row is not None}


DEPTH_TASK = DepthTask()
