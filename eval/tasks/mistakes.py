"""The task of finding statements that the shop's records contradict. A judge charges statements, then weighs each charge once more."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, inf
from typing import Any, NamedTuple, NotRequired, TypedDict, cast

from drr.env.progress import read_in_time
from drr.env.records.lines import flat
from drr.eval.asking.conversation import Asking, Section, conversation
from drr.eval.asking.forms import ChargeAnswer, ChargeAnswers, StatementAnswer, StatementAnswers
from drr.eval.asking.judge import Examiner, ask_by_id, groups_of
from drr.eval.checks.base import Span, Subject
from drr.eval.checks.mentions import Mentions
from drr.eval.evidence.answers import Answer
from drr.eval.evidence.claims import ReportSentence
from drr.eval.evidence.passages import locate
from drr.eval.tasks.desk import Estimate, JudgingContext, Task, room_for
from drr.eval.tasks.judgements import Judged
from drr.eval.tasks.mistake_records import (
    fitting,
    order_numbers,
    reckoned,
    records_of,
    statements_of,
    unshown_of,
)
from drr.eval.tasks.rules import subject
from drr.llm.failures import ModelFailure
from drr.llm.prompts import Prompts
from drr.study.unit import Outcome, Record, Unit

READ, WEIGHED = "mistakes", "mistakes_weighed"
TOGETHER = 30
"""Statements or charges in one call; the records and the report are sent with each call."""
MOST_CHARGES = 300
_NUMBER = re.compile(r"(?<!\d)\d{9,15}(?!\d)")


class MistakeRow(TypedDict):
    """One mistake: `words` is `report[start:end]`."""

    start: int
    end: int
    words: str
    why: str
    instead: NotRequired[str]
    """The correct wording."""
    defence: str
    """The reading that comes nearest to making the words true."""


class MistakesResult(TypedDict):
    mistakes: list[MistakeRow]
    acquitted: list[MistakeRow]
    """Statements that were charged and then found not to be wrong."""
    statements: int
    unread: int
    unweighed: int
    """Number of charges without a verdict; they count as no mistakes."""
    unshown: int
    """Number of products that the report mentions and no judge was shown."""


class StatementCharge(NamedTuple):
    """Words of the report that a judge charges as false, with the reason."""

    span: Span
    why: str
    instead: str = ""
    sums: tuple[str, ...] = ()


@dataclass(frozen=True)
class Brief:
    """A report with everything that its judges are shown."""

    subject: Subject
    shop_url: str
    about: tuple[str, ...]
    mentions: Mentions
    statements: Mapping[str, ReportSentence]
    records: Sequence[Section]

    @classmethod
    def of(cls, subject: Subject, shop_url: str, about: tuple[str, ...] = ()) -> Brief:
        mentions = Mentions(subject)
        found = statements_of(subject.report, subject.citations)
        statements = {f"s{number}": one for number, one in enumerate(found, 1)}
        return cls(subject, shop_url, about, mentions, statements, records_of(subject, mentions))

    def shown(self, about: Sequence[ReportSentence] = (), room: float = inf) -> list[Section]:
        """Build the prompt sections: question, records and report. Where not all records fit in `room` characters, keep those that these statements need."""
        fits = sum(len(one.text) for one in self.records) <= room
        return [
            Section("question", self.subject.query or "Not known.", "The question:"),
            *(self.records if fits else fitting(self.records, self.lines_of(about), int(room))),
            Section("answer", self.subject.report, "The whole answer:", report=True),
        ]

    def lines_of(self, statements: Iterable[ReportSentence]) -> str:
        return "\n".join(map(self.line_of, statements))

    def met_by(self, charge: StatementCharge) -> list[ReportSentence]:
        """List the statements that overlap the charged words."""
        return [one for one in self.statements.values() if _meet(charge.span, (one.start, one.end))]

    @cached_property
    def orders(self) -> Mapping[str, str]:
        return order_numbers(self.subject)

    def line_of(self, statement: ReportSentence) -> str:
        """Format the statement as one line, followed by the products and orders that its links and ids name."""
        ids = [one.product_id for one in self.mentions.within(statement.start, statement.end)]
        cited = filter(None, map(self.subject.product_id_of, statement.urls))
        numbers = (self.orders.get(number) for number in _NUMBER.findall(statement.text))
        orders = (f"order {number}" for number in numbers if number is not None)
        pointed = ", ".join(dict.fromkeys([*ids, *cited, *orders]))
        return " | ".join(filter(None, (flat(statement.text), pointed)))


_AskingOf = Callable[[Sequence[str], float], Asking[Any]]
"""A function that builds the request about some of the names, with at most so many characters of records."""


async def mistakes_in(brief: Brief, judge: Examiner, prompts: Prompts, room: float = inf) -> MistakesResult:
    """Find the mistakes in a report. `room` is the number of characters for records in one request.

    Raises `ModelFailure` where the judge gives no usable answer at all.
    """

    def read(names: Sequence[str], room: float) -> Asking[StatementAnswers]:
        return reading(brief, names, prompts, room)

    answers: dict[str, StatementAnswer] = await _in_groups(judge, list(brief.statements), room, read)
    every = _charges(brief, answers)
    charges = {f"c{number}": one for number, one in enumerate(every[:MOST_CHARGES], 1)}

    def weigh(names: Sequence[str], room: float) -> Asking[ChargeAnswers]:
        return weighing(brief, {name: charges[name] for name in names}, prompts, room)

    weighed: dict[str, ChargeAnswer] = await _in_groups(judge, list(charges), room, weigh)
    rows = [(_row(brief, charges[name], answers), answers.verdict) for name, answers in weighed.items()]
    return {
        "mistakes": [row for row, verdict in rows if verdict == "wrong"],
        "acquitted": [row for row, verdict in rows if verdict != "wrong"],
        "statements": len(brief.statements),
        "unread": len(brief.statements) - len(answers),
        "unweighed": len(every) - len(weighed),
        "unshown": unshown_of(brief.subject, brief.mentions),
    }


async def _in_groups(judge: Examiner, names: Sequence[str], room: float, asking: _AskingOf) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for group in groups_of(names, TOGETHER):
        found |= await _in_parts(judge, group, room, asking)
    return found


async def _in_parts(judge: Examiner, names: Sequence[str], room: float, asking: _AskingOf) -> dict[str, Any]:
    """Ask about all names, in smaller groups with fewer records where a request is too long for the model."""
    alone = len(names) == 1
    size = _size(asking(names, room))
    if size <= room or alone:
        try:
            return await ask_by_id(judge, names, len(names), lambda some: asking(some, room))
        except ModelFailure as failure:
            if failure.kind != "context_overflow" or (alone and _size(asking(names, size / 2)) == size):
                raise
            room = size / 2
    found: dict[str, Any] = {}
    for part in groups_of(names, ceil(len(names) / 2)):
        found |= await _in_parts(judge, part, room, asking)
    return found


def _size(asking: Asking[Any]) -> int:
    """Count the characters of the records in a request."""
    return sum(len(one.text) for one in asking.sections if one.label == "records")


def reading(
    brief: Brief, names: Sequence[str], prompts: Prompts, room: float = inf
) -> Asking[StatementAnswers]:
    """Build the first request: which statements are false. Each statement is one line, so that none can pose as another."""
    about = [brief.statements[name] for name in names]
    lines = "\n".join(f"{name} | {brief.line_of(one)}" for name, one in zip(names, about, strict=True))
    intro = "Its statements, one a line with its id, and the products that its links and ids lead to:"
    sections = [*brief.shown(about, room), Section("statements", lines, intro)]
    return _asking(brief, StatementAnswers, READ, sections, prompts)


def weighing(
    brief: Brief, charges: Mapping[str, StatementCharge], prompts: Prompts, room: float = inf
) -> Asking[ChargeAnswers]:
    """Build the second request: whether each charge is right."""
    about = [one for charge in charges.values() for one in brief.met_by(charge)]
    sections = [
        Section("charge", _charge_text(brief, one), f"Charge `{name}`:", name)
        for name, one in charges.items()
    ]
    return _asking(brief, ChargeAnswers, WEIGHED, [*brief.shown(about, room), *sections], prompts)


def _asking(
    brief: Brief, form: type[Any], prompt: str, sections: Sequence[Section], prompts: Prompts
) -> Asking[Any]:
    every = tuple(sections)
    messages = conversation(prompts[prompt].fill(shop_url=brief.shop_url), every)
    return Asking(prompt, form, messages, every, brief.about, shop_url=brief.shop_url)


def _charge_text(brief: Brief, charge: StatementCharge) -> str:
    lines = [
        f"Statement: {' '.join(map(brief.line_of, brief.met_by(charge)))}",
        f"Words: {flat(brief.subject.report[slice(*charge.span)])}",
        f"Against them: {charge.why}",
    ]
    if charge.instead:
        lines.append(f"Should be: {charge.instead}")
    return "\n".join([*lines, *(f"Worked out by code: {total}" for total in charge.sums)])


def _charges(brief: Brief, answers: Mapping[str, StatementAnswer]) -> list[StatementCharge]:
    return [
        _own(brief.subject.report, brief.statements[name], answer)
        for name, answer in answers.items()
        if answer.verdict == "false"
    ]


def _own(report: str, statement: ReportSentence, judged: StatementAnswer) -> StatementCharge:
    """Build the charge with the span of the quoted words. Where they are not found, the span is the whole statement."""
    found = locate(judged.words, report[statement.start : statement.end])
    start, end = (0, statement.end - statement.start) if found is None else found
    sums = dict.fromkeys(filter(None, map(reckoned, judged.sums)))
    span = statement.start + start, statement.start + end
    return StatementCharge(span, judged.working, judged.instead, tuple(sums))


def _row(brief: Brief, charge: StatementCharge, judged: ChargeAnswer) -> MistakeRow:
    start, end = charge.span
    row: MistakeRow = {
        "start": start,
        "end": end,
        "words": brief.subject.report[start:end],
        "why": charge.why,
        "defence": judged.defence,
    }
    if charge.instead:
        row["instead"] = charge.instead
    return row


def _meet(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


MISTAKES = "mistakes"
"""Name of the task, and key under which its results are stored."""


class MistakesTask(Task[Answer]):
    """The task with one unit for each report, where there is a shop to compare it with."""

    name = MISTAKES
    version = 2
    subject = "answer"
    metrics = ("mistakes",)

    def versions(self, desk: JudgingContext) -> Mapping[str, str]:
        if desk.protocol.ask(READ) is None:
            return {}
        return {self.name: desk.version(self.version, self.role, READ, WEIGHED)}

    def plan(self, desk: JudgingContext, about: Answer, judged: Judged) -> Iterable[Unit]:
        if desk.shop is None or desk.protocol.ask(READ) is None:
            return
        brief = _brief(desk, about)
        fields = {
            "answer": about.key,
            "prompt": reading(brief, list(brief.statements), desk.prompts).fingerprint,
        }
        yield self.unit(desk, f"mistakes \u00b7 {about.label}", fields, {"answer": about.key})

    async def work(self, desk: JudgingContext, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        answer = desk.answer(spec["answer"])
        brief = await read_in_time(answer.report, lambda: _brief(desk, answer))
        return Outcome({**(await mistakes_in(brief, judge, desk.prompts, room_for(desk.judge.model)))})

    def read(self, record: Record, judged: Judged) -> None:
        if record.done:
            found = judged.others.setdefault(MISTAKES, {})
            found[record.key_fields["answer"]] = record.result
            judged.failed[self.name] += self.lacks(record)

    def lacks(self, record: Record) -> bool:
        return bool(record.result["unread"] or record.result["unweighed"])

    def estimate(self, desk: JudgingContext, unit: Unit) -> Estimate:
        """Estimate with one call for the charges, though one report in four has none."""
        answer = desk.answer(unit.spec["answer"])
        brief = _brief(desk, answer)
        seen = sum(len(one.text) for one in brief.shown())
        calls = 1 + -(-len(brief.statements) // TOGETHER)
        length = len(brief.statements) * 120
        return Estimate(calls * (seen + 4000) + len(answer.report), length + 300, calls)


MISTAKES_TASK = MistakesTask()


def mistakes_of(judged: Judged, answer: str) -> MistakesResult | None:
    """Return the mistakes found in an answer; `None` where none were looked for, or no usable answer came."""
    return cast("MistakesResult | None", judged.others.get(MISTAKES, {}).get(answer))


def _brief(desk: JudgingContext, answer: Answer) -> Brief:
    return Brief.of(subject(answer, desk.shop, desk.shop_url), desk.shop_url, (answer.key,))
