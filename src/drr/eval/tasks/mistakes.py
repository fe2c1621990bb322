"""The task of finding statements that the shop's records contradict. A judge charges statements, then weighs each charge once more."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import ceil, inf
from typing import Any, NamedTuple

from drr.env.progress import read_in_time
from drr.env.records.lines import on_one_line
from drr.env.shop import money_of
from drr.eval.asking.conversation import Asking, Section, conversation_with_prefix
from drr.eval.asking.forms import StatementAnswer, StatementAnswers
from drr.eval.asking.judge import Examiner, ask_by_id, groups_of
from drr.eval.asking.safety import unmarked, visible_report
from drr.eval.checks.base import Subject
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.naming import maker_words, name_words
from drr.eval.checks.results import Span
from drr.eval.evidence.answers import Answer
from drr.eval.evidence.claims import ReportSentence
from drr.eval.tasks.desk import Estimate, JudgingContext, Task
from drr.eval.tasks.judgements import MISTAKES, Judged, MistakeRow, MistakesResult
from drr.eval.tasks.mistake_records import (
    ProductPlace,
    choose_records,
    compute_sum,
    count_unshown,
    is_unmet,
    look_up_product,
    order_numbers,
    own_records,
    product_places,
    records_of,
    span_of_words,
    spoken_of_in,
    statements_of,
)
from drr.eval.tasks.rules import check_subject
from drr.llm.failures import ModelFailure
from drr.llm.prompts import Prompts
from drr.study.unit import Outcome, Record, Unit

READ, WEIGHED = "mistakes", "mistakes_weighed"
TOGETHER = 100
"""Most statements in one call. A verdict takes 40 to 80 tokens, and all of them must fit in one answer."""
ORDERS = "orders"
"""Word among a judge's look-ups that asks for the order list in the second reading."""
_NUMBER = re.compile(r"(?<!\d)\d{9,15}(?!\d)")


class StatementCharge(NamedTuple):
    """Words of the report that may be false, with the reason."""

    span: Span
    why: str
    instead: str = ""
    found: tuple[str, ...] = ()
    """Findings of code: sums worked out, products looked up."""
    by_orders: bool = False
    """True if the order list is needed: the first reading says so, or no product is spoken of."""
    accuses: bool = True
    """False where only a product was to be looked up, and nobody called the words wrong."""


@dataclass(frozen=True)
class Brief:
    """A report with everything that its judges are shown."""

    subject: Subject
    shop_url: str
    about: tuple[str, ...]
    statements: Mapping[str, ReportSentence]
    places: Sequence[ProductPlace]
    spoken_of: Sequence[str]
    records: Sequence[Section]

    @classmethod
    def of(cls, subject: Subject, shop_url: str, about: tuple[str, ...] = ()) -> Brief:
        found = statements_of(subject.report, subject.citations)
        statements = {f"s{number}": one for number, one in enumerate(found, 1)}
        places = product_places(subject, Mentions(subject))
        spoken_of = spoken_of_in(subject, places)
        records = records_of(subject, spoken_of)
        return cls(subject, shop_url, about, statements, places, spoken_of, records)

    @cached_property
    def opening(self) -> list[Section]:
        """Build the sections with which all requests begin: the question and the report, its links with their whole addresses."""
        cited = {source.url for source in self.subject.citations.sources}
        report = visible_report(self.subject.report, cited)
        return [
            Section("question", self.subject.query or "Not known.", "The question:"),
            Section("answer", report, "The whole answer:"),
        ]

    def records_for(self, names: Iterable[str], room: float = inf) -> list[Section]:
        """Choose the records for these statements: all, or those that they need where not all fit in `room` characters."""
        return self._within(self.records, [self.statements[name] for name in names], room)

    def records_needed(self, names: Iterable[str], room: float = inf) -> list[Section]:
        """Choose the records that these statements speak of. The first group of statements is read beside all records, later ones are not."""
        about = (self.statements[name] for name in names)
        return self.records_against([StatementCharge((one.start, one.end), "") for one in about], room)

    def records_against(self, charges: Sequence[StatementCharge], room: float = inf) -> list[Section]:
        """Choose the records of the products that the charged words or the reasons speak of, with the orders of these."""
        needed = {name for one in charges for name in self.named_by(one) or self._above(one.span[0])}
        whole = any(one.by_orders for one in charges)
        records = [*own_records(self.subject, None if whole else needed)]
        records += [one for one in self.records if one.about in needed]
        return self._within(records, [one for charge in charges for one in self.met_by(charge)], room)

    def _within(
        self, records: Sequence[Section], about: Sequence[ReportSentence], room: float
    ) -> list[Section]:
        if _size(records) <= room:
            return list(records)
        needed = {name for one in about for name in self.products_of(one)}
        return choose_records(records, self.lines_of(about), needed, int(room))

    def named_by(self, charge: StatementCharge) -> set[str]:
        """Return the products that the charged statements point to, or whose id or maker words or reason have."""
        met = self.met_by(charge)
        text = " ".join([*(one.text for one in met), charge.why, charge.instead])
        words = frozenset(name_words(text))
        made = (one for one in self.subject.products(self.spoken_of) if words & maker_words(one))
        return {
            *(name for one in met for name in self.products_of(one)),
            *(name for name in self.spoken_of if name in text),
            *(one.product_id for one in made),
        }

    def _above(self, start: int) -> set[str]:
        """Return the products of the section above, since a total is of all of them. It begins at a heading above a product."""
        found = set[str]()
        for one in reversed([one for one in self.statements.values() if one.start < start]):
            found.update(self.products_of(one))
            if found and one.kind == "heading":
                break
        return found

    def products_of(self, statement: ReportSentence) -> list[str]:
        """List the products that a statement links, names or gives an order of."""
        first = bisect_left(self.places, (statement.start,))
        here = self.places[first : bisect_left(self.places, (statement.end,))]
        cited = filter(None, map(self.subject.product_id_of, statement.urls))
        return list(dict.fromkeys([*(one.product_id for one in here), *cited]))

    def lines_of(self, statements: Iterable[ReportSentence]) -> str:
        return "\n".join(map(self.line_of, statements))

    def met_by(self, charge: StatementCharge) -> list[ReportSentence]:
        """List the statements that overlap the charged words."""
        start, end = charge.span
        return [one for one in self.statements.values() if start < one.end and one.start < end]

    @cached_property
    def orders(self) -> Mapping[str, str]:
        """Map each order number that lost its leading zeros to the whole number."""
        known = order_numbers(self.subject)
        return {short: one.order_id for short, one in known.items() if one.order_id != short}

    def line_of(self, statement: ReportSentence) -> str:
        """Format the statement as one line, followed by the products and orders that it points to."""
        numbers = (self.orders.get(number) for number in _NUMBER.findall(statement.text))
        own = (
            one for one in self.subject.in_dollars[0].named if statement.start <= one.place[0] < statement.end
        )
        ids = chain(filter(None, numbers), (one.order.order_id for one in own))
        orders = (f"order {number}" for number in ids)
        pointed = ", ".join([*self.products_of(statement), *dict.fromkeys(orders)])
        return " | ".join(filter(None, (on_one_line(statement.text), pointed)))


async def mistakes_in(brief: Brief, judge: Examiner, prompts: Prompts, room: float = inf) -> MistakesResult:
    """Find the mistakes in a report. `room` is the number of characters for records in one request.

    Raises `ModelFailure` where the judge gives no usable answer at all.
    """
    read = _Reading(brief, judge, prompts)
    for number, group in enumerate(groups_of(list(brief.statements), TOGETHER)):
        await read.within(group, room, brief.records_needed if number else brief.records_for, read.read)
    for group in groups_of(list(read.charges), TOGETHER):
        await read.within(group, room, read.records_against, read.weigh)
    rows: dict[str, list[MistakeRow]] = {"false": [], "true": [], "unknown": []}
    for name, one in read.weighed.items():
        if one.verdict != "unknown" or read.charges[name].accuses:
            rows[one.verdict].append(_row(brief, read.charges[name], one))
    return {
        "mistakes": rows["false"],
        "acquitted": rows["true"],
        "open": rows["unknown"],
        "statements": len(brief.statements),
        "unread": len(brief.statements) - len(read.answers),
        "unweighed": len(read.charges) - len(read.weighed),
        "unshown": count_unshown(brief.spoken_of),
    }


class _Reading:
    """The two readings of a report. The first begins with all records, the second is shown those of the charges."""

    def __init__(self, brief: Brief, judge: Examiner, prompts: Prompts) -> None:
        self._brief, self._judge, self._prompts = brief, judge, prompts
        self.answers: dict[str, StatementAnswer] = {}
        self.charges: dict[str, StatementCharge] = {}
        self.weighed: dict[str, StatementAnswer] = {}

    async def within(
        self,
        names: Sequence[str],
        room: float,
        records: Callable[[Sequence[str], float], list[Section]],
        ask: Callable[[Sequence[str], Sequence[Section]], Awaitable[None]],
    ) -> None:
        """Ask about these. Where a request is too long for the model, smaller groups see fewer records."""
        shown, alone = records(names, room), len(names) == 1
        size = _size(shown)
        if size <= room or alone:
            try:
                await ask(names, shown)
            except ModelFailure as failure:
                room = size / 2
                least = alone and _size(records(names, room)) == size
                if failure.kind != "context_overflow" or least:
                    raise
            else:
                return
        for part in groups_of(names, ceil(len(names) / 2)):
            await self.within(part, room, records, ask)

    async def read(self, names: Sequence[str], shown: Sequence[Section]) -> None:
        brief, prompts = self._brief, self._prompts
        read: dict[str, StatementAnswer] = await ask_by_id(
            self._judge, names, len(names), lambda some: first_reading_request(brief, shown, some, prompts)
        )
        self.answers |= read
        self.charges |= {f"c{name[1:]}": one for name in read if (one := _charge(brief, name, read[name]))}

    def records_against(self, names: Sequence[str], room: float) -> list[Section]:
        return self._brief.records_against([self.charges[name] for name in names], room)

    async def weigh(self, names: Sequence[str], shown: Sequence[Section]) -> None:
        brief, charges, prompts = self._brief, self.charges, self._prompts
        self.weighed |= await ask_by_id(
            self._judge, names, len(names),
            lambda some: weighing_request(brief, shown, {name: charges[name] for name in some}, prompts),
        )  # fmt: skip


def _size(records: Iterable[Section]) -> int:
    """Count the characters of the records in a request."""
    return sum(len(one.text) for one in records)


def first_reading_request(
    brief: Brief, shown: Sequence[Section], names: Sequence[str], prompts: Prompts
) -> Asking[StatementAnswers]:
    """Build the first request: which statements are false. Each statement is one line, so that none can pose as another."""
    lines = "\n".join(f"{name} | {brief.line_of(brief.statements[name])}" for name in names)
    intro = (
        "Statements of it, one a line with its id, and the products that its links, ids and names lead to:"
    )
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
    rest = (*shown, *asked)
    system = prompts[READ].fill(shop_url=brief.shop_url)
    messages = conversation_with_prefix(system, brief.opening, rest, last)
    sections = (*brief.opening, *rest)
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
    money = money_of(brief.subject.shop)
    worked = [(one, compute_sum(money.as_dollars(one))) for one in judged.lookups]
    sums = list(dict.fromkeys(known for _, known in worked if known))
    by_orders = ORDERS in map(str.casefold, judged.lookups)
    names = [one for one, known in worked if one.strip() and one.casefold() != ORDERS and known is None]
    found = [one.text for one in sums] + [look_up_product(brief.subject, one) for one in names]
    words = money.as_dollars(statement.text)
    # Code works out sums; a statement called true without the result in it is weighed once more.
    unmet = judged.verdict == "true" and any(is_unmet(one.value, words) for one in sums)
    accuses = judged.verdict == "false" or unmet
    if not accuses and not names:
        return None
    span = span_of_words(judged.words, statement, brief.subject.report)
    charge = StatementCharge(span, judged.working, judged.instead, tuple(found), by_orders, accuses)
    return charge._replace(by_orders=by_orders or not brief.named_by(charge))


def _row(brief: Brief, charge: StatementCharge, judged: StatementAnswer) -> MistakeRow:
    start, end = charge.span
    row: MistakeRow = {
        "start": start,
        "end": end,
        "words": unmarked(brief.subject.report[start:end]),
        "why": charge.why,
        "defence": judged.working,
    }
    if charge.instead:
        row["instead"] = charge.instead
    return row


class MistakesTask(Task[Answer]):
    """The task with one unit for each report, where there is a shop to compare it with."""

    name = MISTAKES
    version = 5
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
        asking = first_reading_request(brief, brief.records, list(brief.statements), desk.prompts)
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
            judged.failed[self.name] += self.is_incomplete(record)

    def is_incomplete(self, record: Record) -> bool:
        return bool(record.result["unread"] or record.result["unweighed"])

    def estimate(self, desk: JudgingContext, unit: Unit) -> Estimate:
        """Estimate with one call for the charges, though one report in four has none."""
        answer = desk.answer(unit.spec["answer"])
        brief = _brief(desk, answer)
        opening = sum(len(one.text) + 40 for one in brief.opening) + 3700
        records = sum(len(one.text) + 40 for one in brief.records)
        asked = len(brief.lines_of(brief.statements.values())) + 2500
        readings = -(-len(brief.statements) // TOGETHER)
        calls, begun = 1 + readings, readings * opening
        tokens = len(brief.statements) * 80 + 300
        characters = calls * opening + readings * records + min(records, _WEIGHED) + asked
        return Estimate(characters, tokens, calls, begun=begun, reads=True)


_WEIGHED = 5000
"""Usual number of characters of the records in a second reading."""
MISTAKES_TASK = MistakesTask()


def _brief(desk: JudgingContext, answer: Answer) -> Brief:
    return Brief.of(check_subject(answer, desk.shop, desk.shop_url), desk.shop_url, (answer.key,))
