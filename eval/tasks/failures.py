"""The task of naming what is wrong with a report. Labels a judge proposes, each with words of the report that show it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from drr.eval.asking.conversation import Asking, Section, conversation
from drr.eval.asking.forms import FailuresAnswer
from drr.eval.asking.judge import Examiner
from drr.eval.evidence.answers import Answer
from drr.eval.evidence.passages import locate
from drr.eval.tasks.base import Estimate, Task
from drr.eval.tasks.desk import Desk
from drr.eval.tasks.grading import graded
from drr.eval.tasks.judged import Judged
from drr.eval.tasks.protocol import Ask
from drr.eval.tasks.rows import FailureRow, FailuresResult
from drr.study.unit import Outcome, Record, Unit


class FailuresTask(Task[Answer]):
    name = "failures"
    subject = "answer"

    def versions(self, desk: Desk) -> Mapping[str, str]:
        ask = desk.protocol.ask(self.name)
        return {} if ask is None else {self.name: desk.version(self.version, self.role, ask.prompt)}

    def plan(self, desk: Desk, about: Answer, judged: Judged) -> Iterable[Unit]:
        ask = desk.protocol.ask(self.name)
        if ask is not None:
            fields = {"answer": about.key, "prompt": _asking(desk, about, ask).fingerprint}
            yield self.unit(desk, f"failures \u00b7 {about.label}", fields, {"answer": about.key})

    async def work(self, desk: Desk, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        answer = desk.answer(spec["answer"])
        said = await judge.answer(_asking(desk, answer, desk.protocol.asks[self.name]))
        assert isinstance(said, FailuresAnswer)
        return Outcome({**_founded(said, answer.report)})

    def read(self, record: Record, judged: Judged) -> None:
        if record.done:
            judged.failures[record.key_fields["answer"]] = record.result["failures"]

    def estimate(self, desk: Desk, unit: Unit) -> Estimate:
        return Estimate(len(desk.answer(unit.spec["answer"]).report) + 3500, 300)


FAILURES = FailuresTask()


def _asking(desk: Desk, answer: Answer, ask: Ask) -> Asking[Any]:
    context = graded(desk, answer)
    sections = (*context.sections(), Section("answer", answer.report, "The answer:", report=True))
    return Asking(
        "failures",
        ask.form,
        conversation(desk.prompts.fill(ask.prompt, shop_url=desk.shop_url), sections),
        sections,
        (answer.key,),
        shop_url=desk.shop_url,
        person_known=bool(context.profile),
    )


def _founded(said: FailuresAnswer, report: str) -> FailuresResult:
    """Words that the report lacks show nothing."""
    found: dict[str, FailureRow] = {}
    unfounded: list[str] = []
    for failure in said.failures:
        span = locate(failure.example, report)
        if span is None:
            unfounded.append(failure.label)
        else:
            found.setdefault(failure.label, {"label": failure.label, "start": span.start, "end": span.end})
    return {"failures": list(found.values()), "unfounded": unfounded}
