"""Finds prices beside an order: they are what was paid then."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import lru_cache

from drr.eval.checks.mentions import Mentions, TextLine
from drr.eval.checks.orders import BARE_LABELS, DAY_LABELS, order_ids, records_of
from drr.eval.checks.values import plain_label, segment, split_label
from drr.wording.dates import dates, days_of_year

_NUMBERED = re.compile(r"\border\b[^\n\d]{0,20}\d", re.I)
_DAY, _ORDER = 1, 2
"""Two things to which a line may belong: an order of a day, and an order that is named."""


@lru_cache(maxsize=2)
def _of_orders(mentions: Mentions) -> dict[int, int]:
    """Return what each line may belong to, by its beginning: it names an order or a day, or stands below."""
    records = {start for start, _ in records_of(mentions)}
    numbers = sorted(span[0] for _, span in order_ids(mentions.subject))
    found: dict[int, int] = {}
    section, below, outer = 0, 0, list[tuple[int, int]]()
    for line in mentions.lines:
        numbered = bisect_left(numbers, line.start) < bisect_left(numbers, line.end)
        numbered = numbered or _NUMBERED.search(mentions.plain, line.start, line.end) is not None
        own = _ORDER if numbered or line.start in records else _DAY if _names_day(mentions, line) else 0
        if line.kind == "heading" and (numbered or line.level <= section):
            section = line.level if numbered else 0
        if line.kind == "item":
            while outer and outer[-1][0] >= line.indent:
                outer.pop()
            own = max(own, below, outer[-1][1] if outer else 0)
            outer.append((line.indent, own))
        elif line.is_row:
            own = max(own, below if below == _ORDER else 0)
        else:
            is_label = split_label(segment(mentions.body, line.start, line.end)) is not None
            below, outer = max(own, below if is_label else 0), []
            own = below
        found[line.start] = _ORDER if section else own
    return found


def is_of_order(mentions: Mentions, place: int, *, or_of_day: bool = False) -> bool:
    """Tell whether a place is in a line that may belong to an order. Its amounts may be what was paid then."""
    at = bisect_right(mentions.lines, place, key=lambda one: one.start) - 1
    return at >= 0 and _of_orders(mentions)[mentions.lines[at].start] >= (_DAY if or_of_day else _ORDER)


def _names_day(mentions: Mentions, line: TextLine) -> bool:
    """Tell whether a line or its table's heading names a day, or a column of orders."""
    text = mentions.plain
    labels = set(map(plain_label, line.header))
    return (
        any(one in DAY_LABELS | BARE_LABELS or "order" in one.split() for one in labels)
        or any(one.month for one in dates(text, line.start, line.end))
        or next(iter(days_of_year(text, line.start, line.end)), None) is not None
    )
