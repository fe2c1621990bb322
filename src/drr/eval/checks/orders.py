"""The rule on orders: day, state and number of an order agree with the record."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from drr.env.entities import ORDER_STATUSES, Order
from drr.eval.checks.base import Subject, is_of_own_files, is_own_number
from drr.eval.checks.mentions import Mentions, TextLine, after_bullet
from drr.eval.checks.naming import SAME, full_name, name_words, similarity
from drr.eval.checks.order_days import day_beside, names_product, stands_alone
from drr.eval.checks.results import Check, Span, Tally, Unknown, unverifiable
from drr.eval.checks.values import (
    Segment,
    plain_label,
    segment,
    segments,
    split_label,
    word_list,
)
from drr.wording.dates import TextDate, dates, days_of_year

USER_URL = re.compile(r"user://(?P<user>[\w-]+)(?:/orders/(?P<order>[^/\s)\]>,.;#?*]*[^/\s)\]>,.;#?*_]))?")
_ORDER_ID = re.compile(
    r"(?<![\w.$/-])\d{16}(?![\w-])|\border(?:\s+(?:id|number|no\.?|#))*\s*+(?:[:#]\s*+)?\[?(?P<n>\d{9,20})(?![\d,.]*\d)",
    re.I,
)
_DIGITS, _PAIR = 16, 2  # digits of every order's number; cells of a row: a label and its value
_STATES = {one.casefold(): one for one in ORDER_STATUSES}
_NOT_YET = word_list("refunded|pending|in transit|on its way|still on its way|on the way|not delivered|open")
"""States that a delivered order does not have, and several others may have."""
_STATE = re.compile(rf"\b(?:{'|'.join(_STATES)})\b", re.I)
DAY_LABELS = word_list(
    "date|order date|ordered|ordered on|day|purchased|purchase date|bought|date ordered|order placed|placed|when"
)
_STATE_LABELS = word_list("status|state|order status")


def order_ids(subject: Subject) -> list[tuple[str, Span]]:
    """Return the order numbers in a report, with leading zeros where the report left them out."""
    return [*_written_ids(subject), *_linked_ids(subject)]


def _written_ids(subject: Subject) -> list[tuple[str, Span]]:
    return [
        (_whole_id(subject, match["n"] or match[0]), match.span("n") if match["n"] else match.span())
        for match in _ORDER_ID.finditer(subject.report)
    ]


def _linked_ids(subject: Subject) -> list[tuple[str, Span]]:
    found: list[tuple[str, Span]] = []
    for source in subject.citations.sources:
        match = USER_URL.match(source.url)
        if match and match["order"]:
            spans = source.inline_spans or source.list_spans or [(0, 0)]
            found += [(match["order"], span) for span in spans]
    return found


def _whole_id(subject: Subject, written: str) -> str:
    if len(written) >= _DIGITS or subject.shop is None or subject.shop.store.order(written) is not None:
        return written
    whole = written.zfill(_DIGITS)
    return written if subject.shop.store.order(whole) is None else whole


def _may_be_own(subject: Subject, number: str) -> bool:
    """Tell whether a number may be the shop's own. It is then of another, left out, or of several lines."""
    has_own_form = not (number.isdecimal() and len(number) == _DIGITS)
    return is_of_own_files(subject) and (has_own_form or is_own_number(subject, number) is not False)


def order_facts(subject: Subject, mentions: Mentions) -> Check:
    """Check that each order named by its number is the reader's, of that day and state."""
    if subject.shop is None:
        return unverifiable("shop")
    if subject.user_id is None:
        return unverifiable("user")
    tally, reader = Tally(), _OrderReader(subject, mentions)
    written = _written_ids(subject)
    for order_id, span in order_ids(subject):
        order = subject.shop.store.order(order_id)
        if order is None:
            is_open = subject.is_asked(subject.report[slice(*span)]) or _may_be_own(subject, order_id)
            holds = None if is_open else False
            tally.compare(span, holds, f"Order: {order_id}", "no such order")
        elif order.user_id == subject.user_id and (order_id, span) in written:
            tally.ok(span)
    for line in mentions.lines:
        reader.take(tally, line)
    linked = {one for one, _ in _linked_ids(subject)} - {one for one, _ in written}
    nothing: Unknown = "prose" if next(dates(mentions.body, 0, len(mentions.body)), None) else "absent"
    found = tally.check(nothing, linked=len(linked))
    if found.status == "pass" and tally.unknown:
        return replace(found, status="unverifiable", remarks=("prose",))
    return found


class _OrderReader:
    """Reads the lines of a report in order, with the order that the lines above are about."""

    def __init__(self, subject: Subject, mentions: Mentions) -> None:
        self._subject, self._mentions = subject, mentions
        self._named = sorted(order_ids(subject), key=lambda one: one[1])
        self._starts = [span[0] for _, span in self._named]
        self._owner: Order | None = None
        self._opened: TextLine | None = None
        self._of_record = dict(self._records())

    def _records(self) -> Iterator[tuple[int, str]]:
        """Yield the lines of each list that names one order, and whose items are indented or all labelled."""
        for (kind, indent), run in groupby(self._mentions.lines, key=lambda one: (one.kind, one.indent)):
            lines = list(run)
            named = {order_id for line in lines for order_id, _ in self._ids_in_line(line)}
            if kind == "item" and len(named) == 1 and (indent or all(map(self._label, lines))):
                yield from ((line.start, next(iter(named))) for line in lines)

    def _ids_in_line(self, line: TextLine) -> Sequence[tuple[str, Span]]:
        return self._named[bisect_left(self._starts, line.start) : bisect_left(self._starts, line.end)]

    def _label(self, line: TextLine) -> bool:
        text = self._mentions.plain
        return split_label(segment(text, after_bullet(text, line), line.end)) is not None

    def take(self, tally: Tally, line: TextLine) -> None:
        """Compare a line that names orders, or that belongs to an order above."""
        here = self._ids_in_line(line)
        if here:
            orders = self._own_orders(here)
            _compare_line(tally, self._mentions, line, here, orders)
            ids = {order_id for order_id, _ in here}
            opens = len(ids) == 1 and orders and (line.kind != "row" or len(line.cells) == _PAIR)
            self._owner, self._opened = (orders[0][0], line) if opens else (None, None)
        elif (order_id := self._of_record.get(line.start)) is not None:
            orders = self._own_orders([(order_id, (line.start, line.start))])
        elif not self._belongs(line):
            self._owner = self._opened = None
            return
        else:
            orders = [] if self._owner is None else [(self._owner, (line.start, line.start))]
        if len({order.order_id for order, _ in orders}) == 1 and len(orders) == len(here or orders):
            _compare_labels(tally, self._mentions, line, orders[0][0])
        if orders:
            _leave_open(tally, self._mentions.plain, line, [order for order, _ in orders])

    def _own_orders(self, here: Sequence[tuple[str, Span]]) -> list[tuple[Order, Span]]:
        assert self._subject.shop is not None
        found = ((self._subject.shop.store.order(order_id), span) for order_id, span in here)
        return [
            (one, span) for one, span in found if one is not None and one.user_id == self._subject.user_id
        ]

    def _belongs(self, line: TextLine) -> bool:
        """Tell whether a line without a number belongs to the order above. Such a line is indented further, or is a label with a value."""
        above = self._opened
        if above is None:
            return False
        if line.kind in ("heading", "row", "head_row", "rule_row"):
            return (line.level > above.level > 0) if line.kind == "heading" else line.table == above.table
        if above.kind == "item":
            return line.indent > above.indent
        if above.kind == "row":
            return False
        return self._label(line) or (above.kind == "heading" and line.kind in ("item", "text"))


def _leave_open(tally: Tally, text: str, line: TextLine, orders: Sequence[Order]) -> None:
    """Enter the days and states of a line that were not compared. They are right where an order of the line has them, else undecided."""
    for one in dates(text, line.start, line.end):
        if one.day and one.start not in tally.read:
            is_known = any(one.covers(order.order_date) for order in orders)
            tally.compare((one.start, one.end), is_known or None, "")
    for match in _STATE.finditer(text, line.start, line.end):
        if match.start() not in tally.read:
            is_known = any(_STATES[match[0].casefold()] == order.order_status for order in orders)
            tally.compare(match.span(), is_known or None, "")


def _compare_labels(tally: Tally, mentions: Mentions, line: TextLine, order: Order) -> None:
    """Compare the value behind a label with an order, in a line or a row of two cells."""
    text = mentions.plain
    if line.kind == "row" and len(line.cells) == _PAIR:
        label, value = (segment(text, *cell) for cell in line.cells)
        parts = [(label.text, value)]
    elif line.is_row:
        return
    else:
        whole = [segment(text, after_bullet(text, line), line.end), *segments(text, line.start, line.end)]
        parts = [found for one in whole if (found := split_label(one)) is not None]
    for name, value in parts:
        if value.start in tally.read:
            continue
        if plain_label(name).removesuffix(" on") in DAY_LABELS:
            when = next((one for one in dates(text, value.start, value.end) if one.day), None)
            if when is not None and when.start == value.start:
                _compare_day(tally, order, when)
            else:
                tally.count_unknown()
        elif plain_label(name) in _STATE_LABELS:
            _compare_state(tally, mentions, order, Segment(value.start, value.text.rstrip(". ")))
            if value.start not in tally.read:
                tally.count_unknown()


def _compare_line(
    tally: Tally,
    mentions: Mentions,
    line: TextLine,
    named: Sequence[tuple[str, Span]],
    orders: Sequence[tuple[Order, Span]],
) -> None:
    stated = list(dates(mentions.plain, line.start, line.end))
    whens = [one for one in stated if one.day]
    months = [one for one in stated if one.month]
    days = [] if whens else list(days_of_year(mentions.plain, line.start, line.end))
    if len(days) == 1 and len(named) == 1 and len(orders) == 1:
        order, (day,) = orders[0][0], days
        beside = day_beside(mentions.plain, days, orders[0][1], [named[0][1][0]], order) is not None
        is_sure = beside or stands_alone(mentions, line, day, orders[0]) or None
        written = mentions.plain[day.start : day.end]
        why = f"Order {order.order_id}: {written}", order.order_date[:10]
        tally.compare((day.start, day.end), day.covers(order.order_date) or (is_sure and False), *why)
    starts = [span[0] for _, span in named]
    for order, span in orders:
        when = day_beside(mentions.plain, months, span, starts, order)
        if when is not None and when.day:
            _compare_day(tally, order, when)
        elif when is not None:  # `A in May 2020, B in June`: a month between two orders may be either's
            known = any(one.covers(order.order_date) for one in months) or None
            tally.compare((when.start, when.end), known, "")
    if len({order.order_id for order, _ in orders}) != 1 or len(orders) != len(named):
        return
    order = orders[0][0]
    if line.kind == "row":
        _compare_row(tally, mentions, line, orders[0], whens)
    elif line.kind != "text" or len(whens) == 1:
        several = len({one.product_id for one in mentions.within(line.start, line.end)}) > 1
        if len(whens) == 1 and not several and stands_alone(mentions, line, whens[0], orders[0]):
            _compare_day(tally, order, whens[0])
        for one in segments(mentions.plain, line.start, line.end):
            if mentions.plain[one.end : one.end + 1] == "?":
                continue
            _compare_state(tally, mentions, order, one)
            _compare_state(tally, mentions, order, _behind_colon(mentions, one, order, orders[0][1]))
    else:
        _compare_last(tally, mentions, line, named[0][1][0], order)


def _compare_last(tally: Tally, mentions: Mentions, line: TextLine, start: int, order: Order) -> None:
    """Compare the state at the end of a line of text that begins with an order: `Order 63 (sheets): Shipped`."""
    *rest, last = segments(mentions.plain, line.start, line.end)
    between = mentions.plain[rest[-1].end : last.start] if rest else ""
    if _OPENS.fullmatch(mentions.plain, line.start, start) and between.strip(" *_") in ("):", ":"):
        _compare_state(tally, mentions, order, last)


def _behind_colon(mentions: Mentions, one: Segment, order: Order, number: Span) -> Segment:
    """Return what stands behind the order's number or the name of its product: `Order 63: Delivered`, `Copperfold baking sheets: Delivered`."""
    part, product, text = split_label(one), mentions.subject.product(order.product_id), mentions.plain
    name, value = part or ("", Segment(one.end, ""))
    numbered = _OPENS.fullmatch(text, one.start, number[0]) is not None
    numbered = numbered and text[number[1] : value.start].strip(" *_") == ":"
    named = product is not None and len(name_words(name)) > 1 and similarity(name, full_name(product)) >= SAME
    return value if numbered or named else Segment(one.end, "")


def _compare_row(
    tally: Tally, mentions: Mentions, line: TextLine, numbered: tuple[Order, Span], whens: list[TextDate]
) -> None:
    order, number = numbered
    named = next((cell for cell in line.cells if cell[0] <= number[0] < cell[1]), number)
    is_own = all(
        names_product(mentions, order, *one) for one in ((named[0], number[0]), (number[1], named[1]))
    )
    for column, cell in enumerate(line.cells[: len(line.header) if is_own else 0]):
        label, value = plain_label(line.header[column]), segment(mentions.plain, *cell)
        here = [one for one in whens if cell[0] <= one.start < cell[1]]
        if len(here) == 1 and label.removesuffix(" on") in DAY_LABELS:
            _compare_day(tally, order, here[0])
        if label in _STATE_LABELS:
            _compare_state(tally, mentions, order, value)


def _compare_day(tally: Tally, order: Order, when: TextDate) -> None:
    day = f"{when.year:04d}-{when.month:02d}-{when.day:02d}" if when.month and when.day else str(when.year)
    holds = when.covers(order.order_date)
    tally.compare((when.start, when.end), holds, f"Order {order.order_id}: {day}", order.order_date[:10])


def _compare_state(tally: Tally, mentions: Mentions, order: Order, value: Segment) -> None:
    text = value.text.casefold().removeprefix("status:").strip()
    own, state, status = mentions.subject.states.get(text), _STATES.get(text), order.order_status
    if status == "Unknown" or not (own or state or text in _NOT_YET):
        return
    if own or state:
        holds: bool | None = status == state or status in (own or ())
    else:
        holds = False if status == "Delivered" else None
    start = value.start + len(value.text) - len(text)
    why = f"Order {order.order_id}: {state or text}", status
    tally.compare((start, start + len(text)), holds, *why)


_OPENS = re.compile(r"[\s*_>]*(?:order\s)?[\s#*_]*", re.I)
"""Text before an order's number that begins its line."""
