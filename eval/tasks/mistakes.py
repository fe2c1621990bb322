"""The task of finding statements that the shop's records contradict. A judge charges statements, then weighs each charge once more."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, inf
from typing import Any, NamedTuple

from drr.env.progress import read_in_time
from drr.env.records.lines import on_one_line
from drr.eval.asking.conversation import Asking, Section, conversation_with_prefix
from drr.eval.asking.forms import StatementAnswer, StatementAnswers
from drr.eval.asking.judge import Examiner, ask_by_id, groups_of
from drr.eval.checks.base import Subject
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.results import Span
from drr.eval.evidence.answers import Answer
from drr.eval.evidence.claims import ReportSentence
from drr.eval.evidence.passages import locate
from drr.eval.tasks.desk import Estimate, JudgingContext, Task
from drr.eval.tasks.judgements import MISTAKES, Judged, MistakeRow, MistakesResult
from drr.eval.tasks.mistake_records import (
    choose_records,
    compute_sum,
    count_unshown,
    is_unmet,
    look_up_product,
    order_numbers,
    records_of,
    statements_of,
)
from drr.eval.tasks.rules import check_subject
from drr.llm.failures import ModelFailure
from drr.llm.prompts import Prompts
from drr.study.unit import Outcome, Record, Unit

READ, WEIGHED = "mistakes", "mistakes_weighed"
TOGETHER = 60
"""Most statements in one call."""
_NUMBER = re.compile(r"(?<!\d)\d{9,15}(?!\d)")


class StatementCharge(NamedTuple):
    """Words of the report that may be false, with the reason."""

    span: Span
    why: str
    instead: str = ""
    found: tuple[str, ...] = ()
    """Findings of code: sums worked out, products looked up."""


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
            *(self.records if fits else choose_records(self.records, self.lines_of(about), int(room))),
            Section("answer", self.subject.report, "The whole answer:", report=True),
        ]

    def lines_of(self, statements: Iterable[ReportSentence]) -> str:
        return "\n".join(map(self.line_of, statements))

    def met_by(self, charge: StatementCharge) -> list[ReportSentence]:
        """List the statements that overlap the charged words."""
        return [one for one in self.statements.values() if _meet(charge.span, (one.start, one.end))]

    @cached_property
    def orders(self) -> Mapping[str, str]:
        """Map each order number that lost its leading zeros to the whole number."""
        known = order_numbers(self.subject)
        return {short: one.order_id for short, one in known.items() if one.order_id != short}

    def line_of(self, statement: ReportSentence) -> str:
        """Format the statement as one line, followed by the products and orders that its links and ids name."""
        ids = [one.product_id for one in self.mentions.within(statement.start, statement.end)]
        cited = filter(None, map(self.subject.product_id_of, statement.urls))
        numbers = (self.orders.get(number) for number in _NUMBER.findall(statement.text))
        orders = (f"order {number}" for number in numbers if number is not None)
        pointed = ", ".join(dict.fromkeys([*ids, *cited, *orders]))
        return " | ".join(filter(None, (on_one_line(statement.text), pointed)))


async def mistakes_in(brief: Brief, judge: Examiner, prompts: Prompts, room: float = inf) -> MistakesResult:
    """Find the mistakes in a report. `room` is the number of characters for records in one request.

    Raises `ModelFailure` where the judge gives no usable answer at all.
    """
    read = _Reading(brief, judge, prompts)
    for group in groups_of(list(brief.statements), TOGETHER):
        await read.take(group, room)
    await read.weigh()
    rows = [(_row(brief, read.charges[name], one), one.verdict) for name, one in read.weighed.items()]
    return {
        "mistakes": [row for row, verdict in rows if verdict == "false"],
        "acquitted": [row for row, verdict in rows if verdict != "false"],
        "statements": len(brief.statements),
        "unread": len(brief.statements) - len(read.answers),
        "unweighed": len(read.charges) - len(read.weighed),
        "unshown": count_unshown(brief.subject, brief.mentions),
    }


class _Reading:
    """The two readings of a report, some statements at a time. The second is shown what the first saw, and begins as it does."""

    def __init__(self, brief: Brief, judge: Examiner, prompts: Prompts) -> None:
        self._brief, self._judge, self._prompts = brief, judge, prompts
        self.answers: dict[str, StatementAnswer] = {}
        self.charges: dict[str, StatementCharge] = {}
        self.weighed: dict[str, StatementAnswer] = {}
        self._shown: dict[tuple[Section, ...], list[str]] = {}
        """Charges by what their statements were read beside."""

    async def take(self, names: Sequence[str], room: float) -> None:
        """Read these statements. Where a request is too long for the model, smaller groups see fewer records."""
        statements, alone = [self._brief.statements[name] for name in names], len(names) == 1
        shown = self._brief.shown(statements, room)
        size = _size(shown)
        if size <= room or alone:
            try:
                await self._read(names, shown)
            except ModelFailure as failure:
                room = size / 2
                least = alone and _size(self._brief.shown(statements, room)) == size
                if failure.kind != "context_overflow" or least:
                    raise
            else:
                return
        for part in groups_of(names, ceil(len(names) / 2)):
            await self.take(part, room)

    async def _read(self, names: Sequence[str], shown: Sequence[Section]) -> None:
        brief, prompts = self._brief, self._prompts
        read: dict[str, StatementAnswer] = await ask_by_id(
            self._judge, names, len(names), lambda some: first_reading_request(brief, shown, some, prompts)
        )
        self.answers |= read
        charges = {f"c{name[1:]}": one for name in read if (one := _charge(brief, name, read[name]))}
        self.charges |= charges
        self._shown.setdefault(tuple(shown), []).extend(charges)

    async def weigh(self) -> None:
        """Have each charge weighed beside what its statement was read beside."""
        for shown, names in self._shown.items():
            for group in groups_of(names, TOGETHER):
                await self._weigh(group, shown)

    async def _weigh(self, names: Sequence[str], shown: Sequence[Section]) -> None:
        brief, charges = self._brief, {name: self.charges[name] for name in names}
        try:
            self.weighed |= await ask_by_id(
                self._judge, names, len(names),
                lambda some: weighing_request(brief, shown, {name: charges[name] for name in some}, self._prompts),
            )  # fmt: skip
        except ModelFailure as failure:
            about = [one for charge in charges.values() for one in brief.met_by(charge)]
            fewer = brief.shown(about, _size(shown) / 2)
            if failure.kind != "context_overflow" or (len(names) == 1 and _size(fewer) == _size(shown)):
                raise
            for part in groups_of(names, ceil(len(names) / 2)):
                await self._weigh(part, fewer)


def _size(shown: Iterable[Section]) -> int:
    """Count the characters of the records in a request."""
    return sum(len(one.text) for one in shown if one.label == "records")


def first_reading_request(
    brief: Brief, shown: Sequence[Section], names: Sequence[str], prompts: Prompts
) -> Asking[StatementAnswers]:
    """Build the first request: which statements are false. Each statement is one line, so that none can pose as another."""
    lines = "\n".join(f"{name} | {brief.line_of(brief.statements[name])}" for name in names)
    intro = "Statements of it, one a line with its id, and the products that its links and ids lead to:"
    return _asking(brief, shown, [Section("statements", lines, intro)], prompts)


def weighing_request(
    brief: Brief, shown: Sequence[Section], charges: Mapping[str, StatementCharge], prompts: Prompts
) -> Asking[StatementAnswers]:
    """Build the second request: whether each charge is right."""
    sections = [
        Section("charge", _charge_text(brief, one), f"Charge `{name}`:", name)
        for name, one in charges.items()
    ]
    return _asking(brief, shown, sections, prompts, prompts[WEIGHED].text.strip())


def _asking(
    brief: Brief, shown: Sequence[Section], asked: Sequence[Section], prompts: Prompts, last: str = ""
) -> Asking[StatementAnswers]:
    messages = conversation_with_prefix(prompts[READ].fill(shop_url=brief.shop_url), shown, asked, last)
    sections = (*shown, *asked)
    return Asking(READ, StatementAnswers, messages, sections, brief.about, shop_url=brief.shop_url)


def _charge_text(brief: Brief, charge: StatementCharge) -> str:
    met = brief.met_by(charge)
    lines = [f"Statement: {' '.join(map(brief.line_of, met))}"]
    if charge.span not in [(one.start, one.end) for one in met]:
        lines.append(f"Words: {on_one_line(brief.subject.report[slice(*charge.span)])}")
    lines.append(f"Against them: {charge.why}")
    if charge.instead:
        lines.append(f"Should be: {charge.instead}")
    return "\n".join([*lines, *(f"By code: {one}" for one in charge.found)])


def _charge(brief: Brief, name: str, judged: StatementAnswer) -> StatementCharge | None:
    """Build the charge against a statement: by the judge, else by what code found for it. Its span is that of the quoted words, or of the whole statement."""
    statement = brief.statements[name]
    sums = list(dict.fromkeys(filter(None, map(compute_sum, judged.lookups))))
    names = [one for one in judged.lookups if compute_sum(one) is None and one.strip()]
    found = [one.text for one in sums] + [look_up_product(brief.subject, one) for one in names]
    if judged.verdict != "false" and not names:
        unmet = [one for one in sums if is_unmet(one.value, statement.text)]
        if judged.verdict != "true" or not unmet:
            return None
    where = locate(judged.words, brief.subject.report[statement.start : statement.end])
    start, end = (0, statement.end - statement.start) if where is None else where
    span = statement.start + start, statement.start + end
    return StatementCharge(span, judged.working, judged.instead, tuple(found))


def _row(brief: Brief, charge: StatementCharge, judged: StatementAnswer) -> MistakeRow:
    start, end = charge.span
    row: MistakeRow = {
        "start": start,
        "end": end,
        "words": brief.subject.report[start:end],
        "why": charge.why,
        "defence": judged.working,
    }
    if charge.instead:
        row["instead"] = charge.instead
    return row


def _meet(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


class MistakesTask(Task[Answer]):
    """The task with one unit for each report, where there is a shop to compare it with."""

    name = MISTAKES
    version = 3
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
        asking = first_reading_request(brief, brief.shown(), list(brief.statements), desk.prompts)
        fields = {"answer": about.key, "prompt": asking.fingerprint}
        yield self.unit(
            desk, f"mistakes \u00b7 {about.label}", fields, {"answer": about.key, "room": desk.room}
        )

    async def work(self, desk: JudgingContext, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        answer = desk.answer(spec["answer"])
        brief = await read_in_time(answer.report, lambda: _brief(desk, answer))
        return Outcome({**(await mistakes_in(brief, judge, desk.prompts, spec["room"]))})

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
        shown = sum(len(one.text) + 40 for one in brief.shown()) + 3700
        calls = 1 + -(-len(brief.statements) // TOGETHER)
        asked = len(brief.lines_of(brief.statements.values())) + 2500
        tokens = len(brief.statements) * 80 + 300
        begun = (calls - 1) * shown
        return Estimate(calls * shown + asked, tokens, calls, begun=begun, reads=True)


MISTAKES_TASK = MistakesTask()


def _brief(desk: JudgingContext, answer: Answer) -> Brief:
    return Brief.of(check_subject(answer, desk.shop, desk.shop_url), desk.shop_url, (answer.key,))
