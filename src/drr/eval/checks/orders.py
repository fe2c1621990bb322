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
from drr.eval.checks.order_days import day_in_brackets, is_alone
from drr.eval.checks.results import Check, Span, Tally, Unknown, unverifiable
from drr.eval.checks.values import (
    QUANTITY,
    Segment,
    field_of,
    plain_label,
    segment,
    segments,
    split_label,
    word_list,
)
from drr.wording.dates import TextDate, dates

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
_BARE = word_list("date|day|when|status|state")
"""Labels that may be of another event where something else is told."""
_KNOWN_LABELS = DAY_LABELS | _STATE_LABELS | QUANTITY


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


def records_of(mentions: Mentions) -> Iterator[tuple[int, str]]:
    """Yield the lines of each list that names one order, and whose items are indented or all labelled."""
    named = sorted((span[0], order_id) for order_id, span in order_ids(mentions.subject))
    for (kind, indent), run in groupby(mentions.lines, key=lambda one: (one.kind, one.indent)):
        lines = list(run)
        low, high = (bisect_left(named, (one,)) for one in (lines[0].start, lines[-1].end))
        ids = {order_id for _, order_id in named[low:high]}
        if kind == "item" and len(ids) == 1 and (indent or all(_label(mentions, one) for one in lines)):
            yield from ((line.start, next(iter(ids))) for line in lines)


def _label(mentions: Mentions, line: TextLine) -> tuple[str, Segment] | None:
    """Return the label and value of a line, or of a row of two cells."""
    text = mentions.plain
    if len(line.cells) == _PAIR:
        label, value = (segment(text, *cell) for cell in line.cells)
        return label.text, value
    return split_label(segment(text, after_bullet(text, line), line.end))


class _OrderReader:
    """Reads the lines of a report in order, with the order that the lines above are about."""

    def __init__(self, subject: Subject, mentions: Mentions) -> None:
        self._subject, self._mentions = subject, mentions
        self._named = sorted(order_ids(subject), key=lambda one: one[1])
        self._starts = [span[0] for _, span in self._named]
        self._owner: Order | None = None
        self._opened: TextLine | None = None
        self._indent: int | None = None
        self._last: TextLine | None = None
        self._above: TextLine | None = None
        """The line above, where it may be a title."""
        self._is_sure = False
        """True while no line of the order's may tell of another event."""
        self._of_record = dict(records_of(mentions))

    def _ids_in_line(self, line: TextLine) -> Sequence[tuple[str, Span]]:
        return self._named[bisect_left(self._starts, line.start) : bisect_left(self._starts, line.end)]

    def take(self, tally: Tally, line: TextLine) -> None:
        """Compare a line that names orders, or that belongs to an order above."""
        here, above = self._ids_in_line(line), self._last
        self._last = line
        self._above = (
            above if above and (above.kind in ("heading", "title") or above.text.endswith(":")) else None
        )
        order_id = self._of_record.get(line.start)
        if here:
            orders = self._own_orders(here)
            if order_id is not None:
                self._begin(line, orders)
            _compare_line(tally, self._mentions, line, here, orders)
            self._open(line, here, orders)
        elif order_id is not None:
            orders = self._own_orders([(order_id, (line.start, line.start))])
            self._begin(line, orders)
        elif not self._belongs(line):
            self._owner = self._opened = None
            return
        else:
            orders = [] if self._owner is None else [(self._owner, (line.start, line.start))]
        if len({order.order_id for order, _ in orders}) == 1 and len(orders) == len(here or orders):
            order, number = orders[0]
            _compare_labels(tally, self._mentions, line, order, number, is_sure=bool(here) or self._is_sure)
            self._is_sure = self._is_sure and (bool(here) or self._tells_of(order, line))
        if orders:
            _leave_open(tally, self._mentions.plain, line, [order for order, _ in orders])

    def _begin(self, line: TextLine, orders: Sequence[tuple[Order, Span]]) -> None:
        """Begin a list about an order. It may be of another event where the line above is a title of other words."""
        if orders and (self._opened is None or self._owner != orders[0][0]):
            title, start = self._above, (line.start, line.start)
            self._owner, self._opened = orders[0][0], line
            self._is_sure = title is None or is_alone(
                self._mentions, self._owner, start, (title.start, title.end)
            )

    def _open(
        self, line: TextLine, here: Sequence[tuple[str, Span]], orders: Sequence[tuple[Order, Span]]
    ) -> None:
        """Take the only order of a line as the one that the lines below are about."""
        is_new = self._owner not in [one for one, _ in orders]
        ids = {order_id for order_id, _ in here}
        opens = len(ids) == 1 and orders and (line.kind != "row" or len(line.cells) == _PAIR)
        self._owner, self._opened, self._indent = (orders[0][0], line, None) if opens else (None, None, None)
        is_sure = opens and is_alone(self._mentions, *orders[0], (line.start, line.end))
        self._is_sure = bool(is_sure) and (is_new or self._is_sure)

    def _tells_of(self, order: Order, line: TextLine) -> bool:
        """Tell whether a line only tells of an order: its product, or a value behind one of an order's labels."""
        part, start = _label(self._mentions, line), (line.start, line.start)
        place = (line.start, line.end) if part is None else (part[1].start, part[1].end)
        known = part is not None and _plain(part[0]) in _KNOWN_LABELS
        return known or is_alone(self._mentions, order, start, place)

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
        self._indent = line.indent if self._indent is None else self._indent
        if line.indent != self._indent:
            return False
        if above.kind == "item":
            return line.indent > above.indent
        if above.kind == "row":
            return False
        return _label(self._mentions, line) is not None or (
            above.kind == "heading" and line.kind in ("item", "text")
        )


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


def _plain(label: str) -> str:
    return plain_label(label).removesuffix(" on")


def _compare_labels(
    tally: Tally, mentions: Mentions, line: TextLine, order: Order, number: Span, *, is_sure: bool
) -> None:
    """Compare the value behind a label with an order, in a line or a row of two cells. A bare `Date` may be that of another event."""
    text = mentions.plain
    if line.kind == "row" and len(line.cells) == _PAIR:
        label, value = (segment(text, *cell) for cell in line.cells)
        parts = [(label.start, label.text, value)]
    elif line.is_row:
        return
    else:
        whole = [segment(text, after_bullet(text, line), line.end), *segments(text, line.start, line.end)]
        parts = [(one.start, *found) for one in whole if (found := split_label(one)) is not None]
    for start, name, value in parts:
        label_ = _plain(name)
        if value.start in tally.read or label_ not in DAY_LABELS | _STATE_LABELS:
            continue
        if label_ in _BARE and not (is_sure and is_alone(mentions, order, number, (line.start, start))):
            tally.count_unknown()
        elif label_ in DAY_LABELS:
            when = next((one for one in dates(text, value.start, value.end) if one.day), None)
            if when is not None and when.start == value.start:
                _compare_day(tally, order, when)
            else:
                tally.count_unknown()
        else:
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
    stated = [one for one in dates(mentions.plain, line.start, line.end) if one.month]
    for order, number in orders:
        when = day_in_brackets(mentions.plain, stated, number)
        low = max((cell[0] for cell in line.cells if cell[0] <= number[0]), default=line.start)
        if when is not None and is_alone(mentions, order, number, (low, number[1])):
            _compare_day(tally, order, when)
    if len({order.order_id for order, _ in orders}) != 1 or len(orders) != len(named):
        return
    order, number = orders[0]
    if line.kind == "row":
        _compare_row(tally, mentions, line, order, number, stated)
        return
    every = list(segments(mentions.plain, line.start, line.end))
    for one in every[-1:] if line.kind == "text" else every:
        part = split_label(one)
        for value in (one, *(part[1:] if part else ())):
            asks = mentions.plain[value.end : value.end + 1] == "?"
            if not asks and is_alone(mentions, order, number, (line.start, value.start)):
                _compare_state(tally, mentions, order, value)


def _compare_row(
    tally: Tally, mentions: Mentions, line: TextLine, order: Order, number: Span, stated: Sequence[TextDate]
) -> None:
    named = next((cell for cell in line.cells if cell[0] <= number[0] < cell[1]), number)
    is_own = is_alone(mentions, order, (named[1], named[1]), named)
    is_sure = all(_tells_of_order(mentions, order, line, column, number) for column in range(len(line.cells)))
    for column, cell in enumerate(line.cells[: len(line.header) if is_own else 0]):
        label, value = plain_label(line.header[column]), segment(mentions.plain, *cell)
        here = [one for one in stated if one.day and cell[0] <= one.start < cell[1]]
        if _plain(label) in _BARE and not is_sure:
            continue
        if len(here) == 1 and _plain(label) in DAY_LABELS:
            _compare_day(tally, order, here[0])
        if label in _STATE_LABELS:
            _compare_state(tally, mentions, order, value)


def _tells_of_order(mentions: Mentions, order: Order, line: TextLine, column: int, number: Span) -> bool:
    """Tell whether a cell is surely of the order: its number, product or pieces, or below a known heading."""
    low, high = line.cells[column]
    heading, text = (line.header[column : column + 1] or [""])[0], mentions.body[low:high].strip(" *_×x")
    if low <= number[0] < high or _plain(heading) in _KNOWN_LABELS or field_of(heading) or text.isdecimal():
        return True
    return any(map(str.isalpha, text)) and is_alone(mentions, order, (high, high), (low, high))


def _compare_day(tally: Tally, order: Order, when: TextDate) -> None:
    parts = (f"{when.year:04d}", *(f"{one:02d}" for one in (when.month, when.day) if one))
    day, holds = "-".join(parts), when.covers(order.order_date)
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
