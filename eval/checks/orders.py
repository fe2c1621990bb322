"""Rules on orders. An order's day, thing, state and number stand as the record has them, and so do labelled figures of all orders."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from drr.env.entities import ORDER_STATUSES, Order
from drr.env.statistics import Share, UserStatistics
from drr.env.text import category_key
from drr.eval.checks.base import Check, Span, Subject, Tally, unverifiable
from drr.eval.checks.mentions import Mentions, TextLine, after_bullet
from drr.eval.checks.naming import full_name, makers, other_of_that_name, similarity, words
from drr.eval.checks.values import Segment, labelled, listed, plain_label, segment, segments
from drr.wording.dates import When, dates, days_of_year
from drr.wording.money import amounts

USER_URL = re.compile(r"user://(?P<user>[\w-]+)(?:/orders/(?P<order>[^/\s)\]>,.;#?*]*[^/\s)\]>,.;#?*_]))?")
_ORDER_ID = re.compile(
    r"(?<![\w.$/-])\d{16}(?![\w-])|\border(?:\s+(?:id|number|no\.?|#))*\s*+(?:[:#]\s*+)?\[?(?P<n>\d{9,20})(?![\d,.]*\d)",
    re.I,
)
_DIGITS = 16
"""Digits of every order's number."""
_STATES = {one.casefold(): one for one in ORDER_STATUSES}
_NOT_YET = listed("refunded|pending|in transit|on its way|still on its way|on the way|not delivered|open")
"""States that no record has."""
_DAY_LABELS = listed(
    "date|order date|ordered|ordered on|day|purchased|purchase date|bought|date ordered|order placed|placed|when"
)
_THING_LABELS = listed("item|product|what|bought|thing|name|product name|item ordered")
_NEAR = 40
"""Characters between an order's number and its day."""
_BETWEEN = re.compile(
    r"[\s*_]*(?:[(,:—–-]|\bof\b|\bfrom\b|\bon\b|\bdated\b|\bplaced\b|\bordered\b|order|[\s#*_])*[\s*_]*", re.I
)
_BACK = re.compile(r"[\s*_]*[(,:—–-]?[\s*_]*(?:order|no\.?|number|id|#|:|[\s*_`\[])*", re.I)


def order_ids(subject: Subject) -> list[tuple[str, Span]]:
    """Return the numbers of orders in a report, with the zeros at the head that are often left out."""
    found = [
        (_whole(subject, match["n"] or match[0]), match.span("n") if match["n"] else match.span())
        for match in _ORDER_ID.finditer(subject.report)
    ]
    for source in subject.citations.sources:
        match = USER_URL.match(source.url)
        if match and match["order"]:
            spans = source.inline_spans or source.list_spans or [(0, 0)]
            found += [(match["order"], span) for span in spans]
    return found


def _whole(subject: Subject, written: str) -> str:
    if len(written) >= _DIGITS or subject.shop is None or subject.shop.store.order(written) is not None:
        return written
    whole = written.zfill(_DIGITS)
    return written if subject.shop.store.order(whole) is None else whole


class _OrdersNamed:
    """The order numbers of a report by place."""

    def __init__(self, subject: Subject) -> None:
        self.all = sorted(order_ids(subject), key=lambda one: one[1])
        self._starts = [span[0] for _, span in self.all]

    def between(self, start: int, end: int) -> list[tuple[str, Span]]:
        return self.all[bisect_left(self._starts, start) : bisect_left(self._starts, end)]


def order_facts(subject: Subject, mentions: Mentions) -> Check:
    """Check that each order that the report names by its number is the reader's, of that day, thing and state."""
    if subject.shop is None:
        return unverifiable("shop")
    if subject.user_id is None:
        return unverifiable("user")
    named = _OrdersNamed(subject)
    tally = Tally()
    for order_id, span in named.all:
        order = subject.shop.store.order(order_id)
        if order is None:
            tally.fail(span, f"Order: {order_id}; record: no such order")
        elif order.user_id == subject.user_id:
            tally.ok()
    for line in mentions.layout.lines:
        if here := named.between(line.start, line.end):
            _compare_line(tally, subject, mentions, line, here)
    return tally.check("prose" if next(dates(mentions.body, 0, len(mentions.body)), None) else "absent")


def _compare_line(
    tally: Tally, subject: Subject, mentions: Mentions, line: TextLine, named: Sequence[tuple[str, Span]]
) -> None:
    assert subject.shop is not None
    orders = [
        (order, span)
        for order_id, span in named
        if (order := subject.shop.store.order(order_id)) is not None and order.user_id == subject.user_id
    ]
    whens = [one for one in dates(mentions.plain, line.start, line.end) if one.day]
    days = [] if whens else list(days_of_year(mentions.plain, line.start, line.end))
    if len(days) == 1 and len(named) == 1 and len(orders) == 1 and len(line.text) < _SHORT:
        order, (day,) = orders[0][0], days
        written = mentions.plain[day.start : day.end]
        why = f"Order {order.order_id}: {written}; record: {order.order_date[:10]}"
        tally.compare((day.start, day.end), day.covers(order.order_date), why)
    starts = [span[0] for _, span in named]
    for order, span in orders:
        if (when := _day_beside(mentions.plain, whens, span, starts)) is not None:
            _compare_day(tally, order, when)
    if len({order.order_id for order, _ in orders}) != 1 or len(orders) != len(named):
        return
    order = orders[0][0]
    if line.kind == "row":
        _compare_row(tally, subject, mentions, line, order, whens)
        _compare_thing(tally, mentions, line, order, orders[0][1])
    elif line.kind != "text" or (len(whens) == 1 and len(line.text) < _SHORT):
        several = len({one.product_id for one in mentions.within(line.start, line.end)}) > 1
        if len(whens) == 1 and not several:
            low = max(0, line.start - 1, whens[0].start - _NEAR)
            if _DAY_ALONE.search(mentions.plain, low, whens[0].start):
                _compare_day(tally, order, whens[0])
        _compare_thing(tally, mentions, line, order, orders[0][1])
        for one in segments(mentions.plain, line.start, line.end):
            _compare_state(tally, order, one)
            if len(whens) < _SEVERAL and _ORDER_FIRST.match(line.text):
                _compare_name(tally, subject, one, order, line.text)


def _compare_row(
    tally: Tally, subject: Subject, mentions: Mentions, line: TextLine, order: Order, whens: Sequence[When]
) -> None:
    for column, cell in enumerate(line.cells[: len(line.header)]):
        label, value = plain_label(line.header[column]), segment(mentions.plain, *cell)
        here = [one for one in whens if cell[0] <= one.start < cell[1]]
        if len(here) == 1 and (label in _DAY_LABELS or len(whens) == 1):
            _compare_day(tally, order, here[0])
        if label in _THING_LABELS and not mentions.within(*cell):
            _compare_name(tally, subject, value, order, value.text)
        _compare_state(tally, order, value)


def _day_beside(text: str, whens: Sequence[When], span: Span, starts: Sequence[int]) -> When | None:
    """Return the day that stands right beside an order's number: `order 63 (October 13, 2013)`, `2013-10-13 (order 63)`."""
    for one in whens:
        if span[1] <= one.start <= span[1] + _NEAR and _BETWEEN.fullmatch(text, span[1], one.start):
            return one
    following = next((start for start in starts if start > span[0]), None)
    for one in whens:
        if one.end <= span[0] <= one.end + _NEAR and _BACK.fullmatch(text, one.end, span[0]):
            several = following is not None and not any(span[1] <= each.start < following for each in whens)
            return None if several or any(one.end <= each < span[0] for each in starts) else one
    return None


def _compare_day(tally: Tally, order: Order, when: When) -> None:
    day = f"{when.year:04d}-{when.month:02d}-{when.day:02d}" if when.month and when.day else str(when.year)
    holds = when.covers(order.order_date) or order.order_date[:10] == day
    why = f"Order {order.order_id}: {day}; record: {order.order_date[:10]}"
    tally.compare((when.start, when.end), holds, why)


def _compare_state(tally: Tally, order: Order, value: Segment) -> None:
    text = value.text.casefold().removeprefix("status:").strip()
    state = _STATES.get(text) or (text if text in _NOT_YET else None)
    if state is not None:
        span = value.start, value.start + len(value.text)
        why = f"Order {order.order_id}: {state}; record: {order.order_status}"
        tally.compare(span, state == order.order_status, why)


def _compare_thing(tally: Tally, mentions: Mentions, line: TextLine, order: Order, span: Span) -> None:
    """Check that the one thing in a row, or in the sentence of an order's number, was ordered."""
    pointed = {one.product_id: one for one in mentions.within(line.start, line.end)}
    if not pointed:
        pointed = {one.product_id: one for one in mentions.called if line.start <= one.start < line.end}
    if len(pointed) != 1:
        return
    ((product_id, one),) = pointed.items()
    between = mentions.plain[min(one.end, span[1]) : max(one.start, span[0])]
    if line.kind == "row" or (len(between) < _BESIDE and _SENTENCE_END.search(between) is None):
        why = f"Order {order.order_id}: {product_id}; record: {order.product_id}"
        tally.compare((one.start, one.end), product_id == order.product_id, why)


_BESIDE = 80
"""Characters between an order's number and the thing that its sentence points to."""
_ORDER_FIRST = re.compile(
    r"[\s>*_`(+•\d.)-]{0,12}(?:order\b|no\b|#|\d{4}-\d\d-\d\d|\d{9,}|[A-Z][a-z]{2,8}\s\d{1,2},)", re.I
)
"""A line that begins with an order's number or day."""
_SENTENCE_END = re.compile(r"[.!?;]\s")
_DAY_ALONE = re.compile(
    r"(?:^|[,;:()|\n–—-])[\s*_>•+-]*+(?:(?:ordered|bought|placed|purchased|dated|on|of|from|order)\s[\s*_]*+)*$",
    re.I,
)
"""Right before a day: nothing says that it is another's."""


def _compare_name(tally: Tally, subject: Subject, value: Segment, order: Order, around: str) -> None:
    """Check that a name in the line of an order is not that of another product of the shop."""
    product = subject.product(order.product_id)
    name = _PLACED.sub("", value.text)
    if product is None or makers(product) & {*words(around)}:
        return
    if sum(word[:1].isupper() and len(word) > 2 for word in name.split()) < _SEVERAL:
        return
    if similarity(name, f"{full_name(product)} {' '.join(product.categories)}") < _ALIKE:
        other = other_of_that_name(subject, name, product)
        why = f"Order {order.order_id}: {name[:60]}; record: {product.title[:60]}"
        tally.compare((value.start, value.end), None if other is None else False, why)


_ALIKE = 0.75
_SEVERAL = 2
_SHORT = 200
_PLACED = re.compile(r"^[`\d\s*_/.-]+|[`\s]+$")


# What all orders come to.


def statistics(subject: Subject, mentions: Mentions) -> Check:
    """Labelled figures of all orders are the record's: `Orders: 43`, `Total spent: $612.40`, `Last order: 2023-04-11`."""
    if subject.shop is None:
        return unverifiable("shop")
    known = None if subject.user_id is None else subject.shop.store.statistics(subject.user_id)
    if known is None:
        return unverifiable("user")
    tally = Tally()
    for line in mentions.layout.lines:
        owned = line.indent > 0 or mentions.within(max(0, line.start - _ABOVE), line.start)
        for label, value in () if owned else _figures_of_all(mentions, line):
            _compare_figure(tally, plain_label(label), value, known)
        if line.kind == "row" and len(line.header) == len(line.cells):
            shares = [*known.by_category, *known.by_year, *known.favourite_stores]
            _compare_share(tally, mentions, line, shares)
    return tally.check("prose")


def _figures_of_all(mentions: Mentions, line: TextLine) -> Iterator[tuple[str, Segment]]:
    """Read a label with its value, or a row of two cells."""
    if line.kind == "row":
        if len(line.cells) == 2:
            label, value = (segment(mentions.body, *cell) for cell in line.cells)
            yield label.text, value
    else:
        found = labelled(segment(mentions.body, after_bullet(mentions.body, line), line.end))
        if found is not None:
            yield found


_ABOVE = 200
"""Characters above a label in which it may have its thing."""
_COUNTS = {
    **dict.fromkeys(("total orders", "orders in all", "number of orders", "orders placed", "orders on record", "all orders", "order count"), "orders"),
    **dict.fromkeys(("total items", "items in all", "items bought", "number of items"), "items"),
}  # fmt: skip
_SPENT = listed("known spend|total known spend|lifetime spend|spend to date|spent so far")
_ENDS = {
    "first order": "first_order",
    "last order": "last_order",
    "most recent order": "last_order",
    "latest order": "last_order",
    "earliest order": "first_order",
}
_WHOLE = re.compile(r"(\d{1,3}(?:,\d{3})+|\d{1,6})(?:\s(?:orders|items))?")


def _compare_figure(tally: Tally, label: str, value: Segment, known: UserStatistics) -> None:
    span = value.start, value.end
    if label in _COUNTS and (match := _WHOLE.fullmatch(value.text)):
        recorded = getattr(known, _COUNTS[label])
        figure = int(match[1].replace(",", ""))
        tally.compare(span, figure == recorded, f"{label.capitalize()}: {figure:,}; record: {recorded:,}")
    elif label in _SPENT:
        found = amounts(value.text)
        if len(found) == 1 and found[0].end == len(value.text) and not found[0].approx:
            holds = None if known.spend is None else found[0].equals(known.spend)
            why = f"{label.capitalize()}: {value.text}; record: ${known.spend or 0:,.2f}"
            tally.compare(span, holds, why)
    elif label in _ENDS:
        whens = [one for one in dates(value.text, 0, len(value.text)) if one.day]
        recorded = getattr(known, _ENDS[label])
        if len(whens) == 1 and whens[0].start == 0 and recorded is not None:
            holds = whens[0].covers(recorded)
            tally.compare(span, holds, f"{label.capitalize()}: {value.text[:40]}; record: {recorded[:10]}")


def _compare_share(tally: Tally, mentions: Mentions, line: TextLine, shares: Sequence[Share]) -> None:
    """Compare a row that begins with a category, a year or a store, under heads that say orders or spend."""
    name = category_key(segment(mentions.body, *line.cells[0]).text)
    if len(set(line.header)) < len(line.header):
        return
    share = next((one for one in shares if category_key(one.name.replace("_", " ")) == name), None)
    if share is None:
        return
    for column, cell in enumerate(line.cells[1:], 1):
        label, value = plain_label(line.header[column]), segment(mentions.body, *cell)
        span = value.start, value.end
        if label == "orders" and (match := _WHOLE.fullmatch(value.text)):
            figure = int(match[1].replace(",", ""))
            why = f"Orders of {share.name}: {figure:,}; record: {share.orders:,}"
            tally.compare(span, figure == share.orders, why)
        elif label in _SPENT and len(found := amounts(value.text)) == 1 and share.spend is not None:
            why = f"Spend on {share.name}: {value.text}; record: ${share.spend:,.2f}"
            tally.compare(span, found[0].approx or found[0].equals(share.spend), why)
