"""The rule on statistics of all orders: labelled figures of the whole history agree with the record."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from drr.env.statistics import Share, UserStatistics
from drr.env.text import category_key
from drr.eval.checks.base import Subject
from drr.eval.checks.mentions import Mentions, TextLine, after_bullet
from drr.eval.checks.results import Check, Tally, unverifiable
from drr.eval.checks.values import Segment, plain_label, segment, split_label, word_list
from drr.wording.dates import dates
from drr.wording.money import amounts


def statistics(subject: Subject, mentions: Mentions) -> Check:
    """Labelled figures of all orders are the record's: `Total orders: 43`, `Lifetime spend: $612.40`, `Last order: 2023-04-11`."""
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
    """Yield each label with its value, from a line or a row of two cells."""
    if line.kind == "row":
        if len(line.cells) == 2:
            label, value = (segment(mentions.body, *cell) for cell in line.cells)
            yield label.text, value
    else:
        found = split_label(segment(mentions.body, after_bullet(mentions.body, line), line.end))
        if found is not None:
            yield found


_ABOVE = 200
"""Characters above a label in which its subject may be named."""
_COUNTS = {
    **dict.fromkeys(("total orders", "orders in all", "number of orders", "orders placed", "orders on record", "all orders", "order count"), "orders"),
    **dict.fromkeys(("total items", "items in all", "items bought", "number of items"), "items"),
}  # fmt: skip
_SPENT = word_list("known spend|total known spend|lifetime spend|spend to date|spent so far")
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
        tally.compare(span, figure == recorded, f"{label.capitalize()}: {figure:,}", f"{recorded:,}")
    elif label in _SPENT:
        found = amounts(value.text)
        if len(found) == 1 and found[0].end == len(value.text) and not found[0].approx:
            holds = None if known.spend is None else found[0].equals(known.spend)
            tally.compare(span, holds, f"{label.capitalize()}: {value.text}", f"${known.spend or 0:,.2f}")
    elif label in _ENDS:
        whens = [one for one in dates(value.text, 0, len(value.text)) if one.day]
        recorded = getattr(known, _ENDS[label])
        if len(whens) == 1 and whens[0].start == 0 and recorded is not None:
            holds = whens[0].covers(recorded)
            tally.compare(span, holds, f"{label.capitalize()}: {value.text[:40]}", recorded[:10])


def _compare_share(tally: Tally, mentions: Mentions, line: TextLine, shares: Sequence[Share]) -> None:
    """Compare a row that begins with a category, a year or a store, under headings about orders or spending."""
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
            why = f"Orders of {share.name}: {figure:,}", f"{share.orders:,}"
            tally.compare(span, figure == share.orders, *why)
        elif label in _SPENT and len(found := amounts(value.text)) == 1 and share.spend is not None:
            why = f"Spend on {share.name}: {value.text}", f"${share.spend:,.2f}"
            tally.compare(span, found[0].approx or found[0].equals(share.spend), *why)
