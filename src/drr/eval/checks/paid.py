"""Finds prices beside an order: they are what was paid then, unless their label says today."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache

from drr.eval.checks.mentions import Mentions, TextLine
from drr.eval.checks.orders import DAY_LABELS, order_ids
from drr.eval.checks.results import Span
from drr.eval.checks.values import plain_label
from drr.wording.dates import dates, days_of_year

_NUMBERED = re.compile(r"\border\b[^\n\d]{0,20}\d", re.I)
_TODAY = re.compile(r"\b(?:today|now|currently|current)\b", re.I)
_TODAY_BEHIND = re.compile(r"[\s*_]{1,3}(?:today|now|currently)\b", re.I)
_LABEL = 40
"""Most characters of a label before its value."""


def was_paid_then(mentions: Mentions, line: Span, value: Span) -> bool:
    """Tell whether a price stands beside an order, so that it may be what was paid then."""
    found = _beside_orders(mentions).get(line[0])
    return found is not None and not _says_today(mentions, found, value)


@lru_cache(maxsize=2)
def _beside_orders(mentions: Mentions) -> dict[int, TextLine]:
    """Return the lines that name an order or a day, and the items below such a line, by their beginnings."""
    numbers = sorted(span[0] for _, span in order_ids(mentions.subject))
    found: dict[int, TextLine] = {}
    below, outer = False, list[tuple[int, bool]]()
    for line in mentions.lines:
        numbered = bisect_left(numbers, line.start) < bisect_left(numbers, line.end)
        own = numbered or _names_order(mentions, line)
        if line.kind == "item":
            while outer and outer[-1][0] >= line.indent:
                outer.pop()
            own = own or below or (bool(outer) and outer[-1][1])
            outer.append((line.indent, own))
        elif not line.is_row:
            below, outer = own, []
        if own:
            found[line.start] = line
    return found


def _names_order(mentions: Mentions, line: TextLine) -> bool:
    text = mentions.plain
    labels = set(map(plain_label, line.header))
    return (
        any(one in DAY_LABELS or "order" in one.split() for one in labels)
        or _NUMBERED.search(text, line.start, line.end) is not None
        or any(one.month for one in dates(text, line.start, line.end))
        or next(iter(days_of_year(text, line.start, line.end)), None) is not None
    )


def _says_today(mentions: Mentions, line: TextLine, value: Span) -> bool:
    """Tell whether a price's label or column says today: `now $95.00`, `$95.00 today`."""
    for label, (low, high) in zip(line.header, line.cells, strict=False):
        if low <= value[0] < high and _TODAY.search(label):
            return True
    before = mentions.plain[max(line.start, value[0] - _LABEL) : value[0]]
    own = re.split(r"[,;|()]", before)[-1]
    return _TODAY.search(own) is not None or _TODAY_BEHIND.match(mentions.plain, value[1]) is not None
