"""The rule on orders: day, state and number of an order agree with the record."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from drr.citations.hidden import blank_spans
from drr.env.entities import ORDER_STATUSES, Order
from drr.eval.checks.base import Subject, is_of_own_files, is_own_number
from drr.eval.checks.mentions import Mentions, TextLine, after_bullet
from drr.eval.checks.naming import STOP, TOKEN, fold, full_name
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
from drr.wording.dates import dates
from drr.wording.vocabulary import vocabulary

USER_URL = re.compile(r"user://(?P<user>[\w-]+)(?:/orders/(?P<order>[^/\s)\]>,.;#?*]*[^/\s)\]>,.;#?*_]))?")
_ORDER_ID = re.compile(
    r"(?<![\w.$/-])\d{16}(?![\w-])|\border(?:\s+(?:id|number|no\.?|#))*\s*+(?:[:#]\s*+)?\[?(?P<n>\d{9,20})(?![\d,.]*\d)",
    re.I,
)
_DIGITS, _PAIR = 16, 2  # digits of every order's number; cells of a row: a label and its value
_STATES = {one.casefold(): one for one in ORDER_STATUSES}
DAY_LABELS = word_list(
    "order date|ordered|purchased|purchase date|bought|date ordered|order placed|placed|date placed|date of order|date of purchase"
)
"""Labels that name their day as that of an order. `Date` may be that of another event."""
_BEGIN = {one.partition(" ")[0] for one in DAY_LABELS}
_ORDER_STATE = "order status"
_STATE_LABELS = word_list(f"{_ORDER_STATE}|status|state")
BARE_LABELS = word_list("date|day|when|status|state")
"""Labels that may be of another event."""
_FACTS = DAY_LABELS | BARE_LABELS | {_ORDER_STATE}
"""Labels behind which a day or a state is an order's, or may be."""
_ORDER_WORDS = word_list("order|no|number|id|x") | STOP
_FUNCTION = frozenset(map(fold, vocabulary("shopping")["function_words"]))
_BEHIND = ("", *",;:.)]|·–—-")
"""Marks behind a day whose words say nothing more of it."""
_ENDS = (":", "\uff1a", "-", "\u2013", "\u2014", "\u2026")
"""Marks at the end of a line that introduces others."""


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
    tally = Tally()
    reader = _OrderReader(subject, mentions, tally)
    for line in mentions.lines:
        reader.take(line)
    written, cited = _written_ids(subject), _linked_ids(subject)
    for order_id, span in (*written, *cited):
        order = subject.shop.store.order(order_id)
        if order is None:
            is_sure = span in reader.asserted or (order_id, span) in cited
            is_open = subject.is_asked(subject.report[slice(*span)]) or _may_be_own(subject, order_id)
            # Running text may deny a number (`there is no order 12...`); a record or a citation asserts it.
            holds = False if is_sure and not is_open else None
            tally.compare(span, holds, f"Order: {order_id}", "no such order")
        elif order.user_id == subject.user_id and (order_id, span) in written:
            tally.ok(span)
    linked = {one for one, _ in cited} - {one for one, _ in written}
    nothing: Unknown = "prose" if next(dates(mentions.body, 0, len(mentions.body)), None) else "absent"
    found = tally.check(nothing, linked=len(linked))
    # A day that was seen and not compared may be wrong, so `pass` would say too much.
    if found.status == "pass" and tally.unknown:
        return replace(found, status="unverifiable", remarks=("prose",))
    return found


def records_of(mentions: Mentions) -> Iterator[tuple[int, tuple[str, Span]]]:
    """Yield the lines of each list about one order, and its number. The list names it alone, and all other items are indented or labelled."""
    named = sorted(((one, span) for one, span in order_ids(mentions.subject)), key=lambda one: one[1])
    starts = [span[0] for _, span in named]
    for (kind, indent), run in groupby(mentions.lines, key=lambda one: (one.kind, one.indent)):
        lines = list(run)
        low, high = (bisect_left(starts, one) for one in (lines[0].start, lines[-1].end))
        ids = {order_id for order_id, _ in named[low:high]}
        at = named[low][1][0] if low < len(named) else 0
        are_own = (_label(mentions, one) or one.start <= at < one.end for one in lines)
        if kind == "item" and len(ids) == 1 and (indent or all(are_own)):
            yield from ((line.start, named[low]) for line in lines)


def loose_lines(mentions: Mentions) -> Iterator[int]:
    """Yield the starts of lines that may be of the order above or below. In their section, facts stand before the first order."""
    starts = sorted(span[0] for _, span in order_ids(mentions.subject))
    is_named = is_loose = False
    for line in mentions.lines:
        label = (_label(mentions, line) or ("",))[0]
        if line.kind == "heading" or (line.kind == "title" and not label):
            is_named = is_loose = False
        is_named |= bisect_left(starts, line.start) < bisect_left(starts, line.end)
        is_loose |= not is_named and line.kind != "head_row" and _plain(label) in _FACTS
        if is_loose:
            yield line.start


def _label(mentions: Mentions, line: TextLine) -> tuple[str, Segment] | None:
    """Return the label and value of a line, or of a row of two cells."""
    text = mentions.plain
    if len(line.cells) == _PAIR:
        label, value = (segment(text, *cell) for cell in line.cells)
        return label.text, value
    whole = segment(text, after_bullet(text, line), line.end)
    named = mentions.within(line.start, line.end)
    if named and whole.text.endswith(":"):  # a product's link is the value
        return whole.text, Segment(named[0].start, mentions.body[named[0].start : line.end].rstrip())
    return split_label(whole) or _day_behind(mentions, whole, line)


def _day_behind(mentions: Mentions, one: Segment, line: TextLine) -> tuple[str, Segment] | None:
    """Return the label and day of a segment such as `placed on May 3, 2021`."""
    text, first = mentions.plain, one.text.partition(" ")[0].strip("*_").casefold()
    when = next(iter(dates(text, one.start, line.end)), None) if first in _BEGIN else None
    if when is None:
        return None
    # A day with its month's name has one reading, whatever stands in brackets behind it.
    ends = (*_BEHIND, "(") if any(map(str.isalpha, text[when.start : when.end])) else _BEHIND
    if text[when.end : line.end].lstrip(" *_")[:1] not in ends:
        return None
    label = text[one.start : when.start]
    is_day = _plain(label) in DAY_LABELS
    return (label, Segment(when.start, text[when.start : when.end])) if is_day else None


def _ends_of(
    mentions: Mentions, line: TextLine, order: Order | None
) -> Iterator[tuple[Segment, tuple[str, Segment]]]:
    """Yield label and value of what may tell of the order before: days, and the last part."""
    text, every = mentions.plain, list(segments(mentions.plain, line.start, line.end))
    days = dates(text, line.start, line.end)
    right = {one.start for one in days if order and one.covers(order.order_date)}
    for one in every:
        for part in (one, *(split_label(one) or ())[1:]):
            day = _day_behind(mentions, part, line)
            if day and line.kind == "text" and text[day[1].end : line.end].strip(" .*_"):
                day = None  # prose goes on
            is_again = day and right - {day[1].start}  # it was ordered more than once
            if not is_again and (day or one is every[-1]):
                yield part, day or split_label(part) or ("status", part)


class _OrderReader:
    """Reads the lines of a report in order, with the order that the lines above are about."""

    def __init__(self, subject: Subject, mentions: Mentions, tally: Tally) -> None:
        self._subject, self._mentions, self._tally = subject, mentions, tally
        self._named = sorted(order_ids(subject), key=lambda one: one[1])
        self._starts = [span[0] for _, span in self._named]
        store = None if subject.shop is None else subject.shop.store
        ids = {order_id for order_id, _ in self._named}
        self._orders = {one: store.order(one) if store else None for one in ids}
        self._owner: tuple[str, Span] | None = None
        self._opened: TextLine | None = None
        self._indent: int | None = None
        self._speaker: TextLine | None = None
        """The line above that ends with a colon or a dash: what is below it may be somebody's words, unless it only names the order."""
        self._left: tuple[str, Span] | None = None
        """The order whose record has had a line that may be of another thing: so may be those below."""
        self._is_titled = False
        """True below a line of other words than those of an order: a bare state may be that of what it tells."""
        self._of_record, self._loose = dict(records_of(mentions)), set(loose_lines(mentions))
        self.asserted = set[Span]()
        """Places of numbers of no order, beside which a day or a state of an order is told."""

    def take(self, line: TextLine) -> None:
        """Compare a line that names orders, or that belongs to an order above."""
        here = self._named[bisect_left(self._starts, line.start) : bisect_left(self._starts, line.end)]
        only = here[0] if len({order_id for order_id, _ in here}) == 1 else None
        self._listen(line, only)
        if line.text.lstrip().startswith(">"):  # somebody's words
            self._owner = self._opened = None
            return
        if here:
            self._open(line, only)
        elif line.start in self._of_record:
            self._owner = self._of_record[line.start]
            self._owner = self._owner if self._is_named_alone(self._owner) else None
        elif not self._belongs(line):
            self._owner = self._opened = None
        if only is not None and line.kind == "row":
            self._compare_row(line, only)
        elif only is not None and not line.is_row:
            self._compare_end(line, only)
        if self._owner is not None:
            self._compare_label(line, self._owner)
        self._leave_open(line, here or ([self._owner] if self._owner else []))
        if not (self._is_titled or self._owner or here or line.is_row):
            self._is_titled = not self._is_alone((line.start, line.end), None)

    def _listen(self, line: TextLine, only: tuple[str, Span] | None) -> None:
        """Keep a line that introduces others, up to one that is no item and no part of a record."""
        above, is_end = self._speaker, not line.is_row and line.text.rstrip(" *_").endswith(_ENDS)
        is_beside = above and above.kind == line.kind == "item" and line.indent <= above.indent
        is_of_record = line.is_row or line.kind == "item" or _label(self._mentions, line)
        if is_end or is_beside or not (is_of_record or (only and self._is_named_alone(only))):
            self._speaker = line if is_end else None

    def _introduces(self, line: TextLine, named: tuple[str, Span]) -> bool:
        """Tell whether a line only names the order, or orders: `Here are your orders:`. Another may quote what is below."""
        words = _words(line.text)
        is_of_orders = "order" in words and words <= _ORDER_WORDS | _FUNCTION
        return is_of_orders or self._is_alone((line.start, line.end), named)

    def _open(self, line: TextLine, only: tuple[str, Span] | None) -> None:
        """Take the only order of a line without other words as the one that the lines below are about."""
        is_open = len(line.cells) in (0, _PAIR) and (line.kind == "item" or line.start not in self._loose)
        opens = only and is_open and self._is_named_alone(only)
        self._owner, self._opened, self._indent = (only, line, None) if opens else (None, None, None)

    def _own(self, named: tuple[str, Span]) -> Order | None:
        order = self._orders[named[0]]
        return order if order is not None and order.user_id == self._subject.user_id else None

    def _is_named_alone(self, named: tuple[str, Span]) -> bool:
        """Tell whether an order is named in a line of no other words."""
        lines = self._mentions.lines
        at = bisect_right(lines, named[1][0], key=lambda one: one.start) - 1
        return at >= 0 and self._is_alone((lines[at].start, lines[at].end), named)

    def _is_alone(self, place: Span, named: tuple[str, Span] | None) -> bool:
        """Tell whether a part of a line only names an order and its product. The text of the number's link counts too."""
        mentions, (low, high) = self._mentions, place
        order = self._orders[named[0]] if named else None
        product = order and self._subject.product(order.product_id)
        spans = [(one.start, one.end) for one in mentions.within(low, high)]
        spans += [(one.start, one.end) for one in dates(mentions.plain, low, high) if one.month]
        text = blank_spans(mentions.plain[low:high], [(start - low, end - low) for start, end in spans])
        link = mentions.body[slice(*named[1])] if named and low <= named[1][0] < high else ""
        words = _words(text) | _words(link.partition("](")[0])
        return words <= {*_ORDER_WORDS, *_words(full_name(product) if product else "")}

    def _belongs(self, line: TextLine) -> bool:
        """Tell whether a line without a number belongs to the order above. Such a line is indented further, or is a label with a value."""
        above = self._opened
        if above is None or line.kind == "heading":
            return False
        if line.is_row or above.kind == "row":
            return line.table == above.table
        self._indent = line.indent if self._indent is None else self._indent
        is_below = line.indent == self._indent and (above.kind != "item" or line.indent > above.indent)
        is_label = _label(self._mentions, line) is not None
        return is_below and (is_label or self._is_alone((line.start, line.end), self._owner))

    def _compare_label(self, line: TextLine, named: tuple[str, Span]) -> None:
        """Compare the value behind a label that names a day or a state as the order's."""
        label, value = _label(self._mentions, line) or ("", segment("", 0, 0))
        if named != self._left and (not line.cells or len(line.cells) == _PAIR):
            self._compare(named, _plain(label), value)
            if label and not self._tells_of_order(label, (value.start, value.end), named):
                self._left = named

    def _compare_row(self, line: TextLine, named: tuple[str, Span]) -> None:
        """Compare the days and states of a row that names an order below a heading of orders."""
        cells = list(zip(line.header, line.cells, strict=False))
        heading, cell = next((one for one in cells if one[1][0] <= named[1][0] < one[1][1]), ("", (0, 0)))
        if not {"order"} <= _words(heading) <= _ORDER_WORDS or not self._is_alone(cell, named):
            return
        are_own = [self._tells_of_order(*one, named) for one in cells]
        is_sure, at = not self._is_titled and all(are_own), [one for _, one in cells].index(cell)
        for column, (heading, cell) in enumerate(cells):
            if all(are_own[min(at, column) + 1 : max(at, column)]):  # else it may be of what stands between
                self._compare(
                    named,
                    _plain(heading),
                    segment(self._mentions.plain, *cell),
                    is_sure=is_sure,
                )

    def _tells_of_order(self, heading: str, cell: Span, named: tuple[str, Span]) -> bool:
        """Tell whether a cell is surely of the order. It is its number, product or own day, or below a heading of an order."""
        label, order = _plain(heading), self._orders[named[0]]
        is_number = cell[0] <= named[1][0] < cell[1]
        if is_number or order is None or label in DAY_LABELS | _STATE_LABELS | QUANTITY or field_of(heading):
            return True
        days = list(dates(self._mentions.plain, *cell))
        if not self._is_alone(cell, named):
            return False
        if label in BARE_LABELS:
            return bool(days) and all(one.covers(order.order_date) for one in days)
        products = {one.product_id for one in self._mentions.within(*cell)}
        return not days and (products == {order.product_id} or not self._is_alone(cell, None))

    def _compare_end(self, line: TextLine, named: tuple[str, Span]) -> None:
        """Compare a day in an item, and a state at its end (`Order 63: Shipped`), with the order before."""
        for part, (label, value) in _ends_of(self._mentions, line, self._orders[named[0]]):
            is_behind = named[1][0] < part.start and self._mentions.plain[part.end : part.end + 1] != "?"
            if is_behind and self._is_alone((line.start, part.start), named):
                self._compare(named, _plain(label), value, is_sure=not self._is_titled)

    def _compare(
        self,
        named: tuple[str, Span],
        label: str,
        value: Segment,
        *,
        is_sure: bool = False,
    ) -> None:
        """Compare the whole of a value with an order's day or state. A number of no order is then said to be that of one."""
        if self._speaker and not self._introduces(self._speaker, named):
            return
        order, text = self._orders[named[0]], value.text.rstrip(". ")
        place = value.start, value.start + len(text)
        if label in DAY_LABELS:
            when = next(iter(dates(self._mentions.plain, value.start, value.end)), None)
            if when is not None and when.month and (when.start, when.end) == place:
                day = "-".join(f"{one:02d}" for one in (when.year, when.month, when.day) if one)
                known = order.order_date if order else ""
                self._enter(named, place, day, known[:10], holds=bool(order) and when.covers(known))
        elif label == _ORDER_STATE or (label in _STATE_LABELS and (is_sure or order is None)):
            state = _STATES.get(text.casefold())
            states = {*self._subject.states.get(text.casefold(), ()), *([state] if state else ())}
            known = order.order_status if order else ""
            if states and known != "Unknown":  # such an order contradicts nothing
                self._enter(named, place, state or text.casefold(), known, holds=known in states)

    def _enter(self, named: tuple[str, Span], place: Span, value: str, known: str, *, holds: bool) -> None:
        if self._orders[named[0]] is None:
            self.asserted.add(named[1])
        elif self._own(named) is not None:
            self._tally.compare(place, holds, f"Order {named[0]}: {value}", known)

    def _leave_open(self, line: TextLine, named: Sequence[tuple[str, Span]]) -> None:
        """Enter the days and states of a line that were not compared. A day is right where an order of the line has it. A state stays undecided, as a wrong one would."""
        tally, text = self._tally, self._mentions.plain
        orders = [order for one in named if (order := self._own(one)) is not None]
        if not orders:
            return
        for one in dates(text, line.start, line.end):
            if one.day and one.start not in tally.read:
                is_known = any(one.covers(order.order_date) for order in orders)
                tally.compare((one.start, one.end), is_known or None, "")
        for match in TOKEN.finditer(text, line.start, line.end):
            if match[0].casefold() in _STATES and match.start() not in tally.read:
                tally.compare(match.span(), None, "")
        label, value = _label(self._mentions, line) or ("", segment("", 0, 0))
        if _plain(label) in _FACTS and value.start not in tally.read:
            tally.count_unknown()


def _plain(label: str) -> str:
    """Return a label without marks; an empty one where brackets limit it."""
    return "" if {*"(["} & {*label} else plain_label(label).removesuffix(" on")


def _words(text: str) -> set[str]:
    letters = (one if one.isalnum() else " " for one in text)
    return {fold(word) for word in "".join(letters).split() if not word.isdecimal()}
