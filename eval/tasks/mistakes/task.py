"""The task of finding a report's mistakes on the shop and its shopper: two readings by a judge (`finding`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from drr.env.deadline import read_in_time
from drr.eval.asking.judge import Examiner
from drr.eval.evidence.answers import Answer
from drr.eval.tasks.base import Estimate, Task
from drr.eval.tasks.checked import subject
from drr.eval.tasks.desk import Desk
from drr.eval.tasks.judged import Judged
from drr.eval.tasks.mistakes.finding import (
    READ,
    TOGETHER,
    WEIGHED,
    Brief,
    MistakesResult,
    mistakes_in,
    reading,
)
from drr.study.unit import Outcome, Record, Unit

MISTAKES = "mistakes"
"""The task, and where a judging keeps what it found."""


class MistakesTask(Task[Answer]):
    """One unit a report that has a shop to be held against."""

    name = MISTAKES
    version = 2
    subject = "answer"
    metrics = ("mistakes",)

    def versions(self, desk: Desk) -> Mapping[str, str]:
        if desk.protocol.ask(READ) is None:
            return {}
        return {self.name: desk.version(self.version, self.role, READ, WEIGHED)}

    def plan(self, desk: Desk, about: Answer, judged: Judged) -> Iterable[Unit]:
        if desk.shop is None or desk.protocol.ask(READ) is None:
            return
        brief = _brief(desk, about)
        fields = {
            "answer": about.key,
            "prompt": reading(brief, list(brief.statements), desk.prompts).fingerprint,
        }
        yield self.unit(desk, f"mistakes \u00b7 {about.label}", fields, {"answer": about.key})

    async def work(self, desk: Desk, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        answer = desk.answer(spec["answer"])
        brief = await read_in_time(answer.report, lambda: _brief(desk, answer))
        return Outcome({**(await mistakes_in(brief, judge, desk.prompts))})

    def read(self, record: Record, judged: Judged) -> None:
        if record.done:
            found = judged.others.setdefault(MISTAKES, {})
            found[record.key_fields["answer"]] = record.result
            judged.failed[self.name] += self.lacks(record)

    def lacks(self, record: Record) -> bool:
        return bool(record.result["unread"] or record.result["unweighed"])

    def estimate(self, desk: Desk, unit: Unit) -> Estimate:
        """Three in four reports are charged with something, which is a call more."""
        answer = desk.answer(unit.spec["answer"])
        brief = _brief(desk, answer)
        seen = sum(len(one.text) for one in brief.shown())
        calls = 1 + -(-len(brief.statements) // TOGETHER)
        length = len(brief.statements) * 120
        return Estimate(calls * (seen + 4000) + len(answer.report), length + 300, calls)


MISTAKES_TASK = MistakesTask()


def mistakes_of(judged: Judged, answer: str) -> MistakesResult | None:
    """`None` where nobody looked, or no usable answer came."""
    return cast("MistakesResult | None", judged.others.get(MISTAKES, {}).get(answer))


def _brief(desk: Desk, answer: Answer) -> Brief:
    return Brief.of(subject(answer, desk.shop, desk.shop_url), desk.shop_url, (answer.key,))
