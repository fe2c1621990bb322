"""Counts of orders that stand beside several parts of a history, in a row of words or in a table: what the others are of their parts, the one that is not is wrong of its own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from drr.env.statistics import UserStatistics
from drr.eval.checks.base import CheckTally, Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.layout import TextLine
from drr.eval.checks.mentions import words
from drr.eval.checks.person.history import History
from drr.wording.numbers import SPOKEN, WHOLE, number_said
from drr.wording.purchases import PURCHASES

_COUNT = re.compile(
    rf"(?<![\w.$,#€£/-])(?P<n>{WHOLE}|{SPOKEN}|a single one|none|nothing)(?![\w%]|[.,/-]\d|['’]|\s?(?:%|percent|years?|months?|weeks?|days?|dollars|stars?|times)\b)",
    re.I,
)
_ALONE = {"a single one": 1, "none": 0, "nothing": 0}
_TO_NAME = re.compile(
    r"[\s*_]{1,3}(?:(?:orders?|purchases?|buys|parcels|again|more|went|go|are|were|is|was|came|come|fell|fall|belong|each|so|far|of|them|to|in|for|from|under|by|during|the|your)[\s*_]{1,3}){0,6}[*_]{0,3}",
    re.I,
)
"""Between a count and the part behind it."""
_FROM_NAME = re.compile(
    r"[*_]{0,3}(?:[\s*_]{0,3}[:(=|–—-][\s*_]{0,3}|[\s*_]{1,3}(?:(?:with|at|has|had|holds|leads|follows?|on|saw|brought)[\s*_]{1,3}))(?:just\s|only\s|a\s)?",
    re.I,
)
"""Between a part and the count behind it."""
_THIS_YEAR = re.compile(r"\b(?P<which>this|last) year\b", re.I)
_COUNT_HEAD = re.compile(r"\b(?:orders?|purchases|parcels|count)\b", re.I)
_NO_COUNT_HEAD = re.compile(
    r"[$%]|\b(?:spend|spent|share|price|average|mean|value|date|last|first|latest)\b", re.I
)
_FIRST = re.compile(
    r"\b(?:the |your |his |her |their )?(?:first|earliest|oldest)(?: (?:one|order|purchase|of (?:them|these|those|all)))?(?:,)?(?: (?:was|came|placed|dates?|dated|goes|going|back|in|on|from|to|of)){0,4} $",
    re.I,
)
_MANY_AGREE = 2
"""Parts whose counts are right, from which on another count beside them is of its part and nothing else."""


class _Counted(NamedTuple):
    """A count beside the name of a part."""

    said: float
    span: Span
    part: str


class HistoryTallies:
    """What one shopper's orders are by category, year and maker, against what a report says in series."""

    def __init__(self, tally: CheckTally, cast: Cast, known: UserStatistics, history: History) -> None:
        self._tally = tally
        self._cast = cast
        self._body = cast.body
        self._known = known
        self._history = history
        self._orders = _orders_by_part(known, history)
        forms = sorted((name_form(name) for name in self._orders), key=len, reverse=True)
        self._name = re.compile(rf"(?<![\w$/-])(?:{'|'.join(forms) or '(?!)'})(?![\w/-])", re.I)

    def compare(self) -> None:
        tables: dict[int, list[TextLine]] = {}
        for line in self._cast.lines:
            if line.kind == "row":
                tables.setdefault(line.table, []).append(line)
            elif line.kind not in ("rule_row", "head_row", "elision"):
                for span in self._cast.prose.sentences(line):
                    self._sentence(span)
        for rows in tables.values():
            self._table(rows)

    # In prose.

    def _sentence(self, span: Span) -> None:
        self._compare(list(self._series(span)), Certainty.CLAUSE)
        if PURCHASES.speaks(self._body[slice(*span)]):
            self._this_year(span)
            self._first(span)

    def _series(self, span: Span) -> Iterator[_Counted]:
        """Counts and names that alternate: `eight went to A, six to B and five to C`, `2015: 15 · 2016: 8`."""
        names = [
            (match.start(), match.end(), plain_name(match[0]))
            for match in self._name.finditer(self._body, *span)
        ]
        if not names:
            return
        counts = [
            one
            for one in _COUNT.finditer(self._body, *span)
            if not any(a <= one.start() < b for a, b, _ in names)
        ]
        for start, end, name in names:
            before = next((one for one in reversed(counts) if one.end() <= start), None)
            behind = next((one for one in counts if one.start() >= end), None)
            if before is not None and _TO_NAME.fullmatch(self._body, before.end(), start):
                yield _Counted(_value(before["n"]), before.span("n"), name)
            elif behind is not None and _FROM_NAME.fullmatch(self._body, end, behind.start()):
                yield _Counted(_value(behind["n"]), behind.span("n"), name)

    def _this_year(self, span: Span) -> None:
        """`three of them this year`, of all orders."""
        if any(one.products for one in self._cast.within(*span)) and not self._speaks_of_all(span):
            return
        for when in _THIS_YEAR.finditer(self._body, *span):
            before = next(
                (one for one in reversed(list(_COUNT.finditer(self._body, span[0], when.start())))), None
            )
            if before is None or not _TO_NAME.fullmatch(self._body, before.end(), when.start()):
                continue
            if any(day.end == before.end() for day in self._cast.prose.days_of_year(*span)):
                continue
            year = self._history.today.year - (when["which"].casefold() == "last")
            known = self._orders.get(str(year), 0)
            if _value(before["n"]) == known:
                self._tally.ok()
            elif self._speaks_of_all(span):
                why = f"said {before['n']} orders in {year}, are {known:,}"
                self._tally.accuse("statistic", before.span("n"), why, Certainty.CLAUSE)

    def _speaks_of_all(self, span: Span) -> bool:
        """Whether the sentence also gives how many orders there are in all."""
        return any(_value(one["n"]) == self._known.orders for one in _COUNT.finditer(self._body, *span))

    def _first(self, span: Span) -> None:
        """`25 orders, the first in May 2003`."""
        if not self._history.whole or not self._history.orders or not self._speaks_of_all(span):
            return
        first = min(one.order.order_date for one in self._history.orders)
        for when in self._cast.prose.dates(*span):
            if _FIRST.search(self._body, max(span[0], when.start - 70), when.start) is None:
                continue
            if when.covers(first):
                self._tally.ok()
            else:
                why = f"said {self._body[when.start : when.end]}, the first order was placed {first[:10]}"
                self._tally.accuse("statistic", (when.start, when.end), why, Certainty.CLAUSE)

    # In tables.

    def _table(self, rows: Sequence[TextLine]) -> None:
        """Rows named by parts of the history, with a column of counts."""
        found: list[_Counted] = []
        for row in rows:
            column = next(
                (
                    at
                    for at, head in enumerate(row.header)
                    if at and _COUNT_HEAD.search(head) and not _NO_COUNT_HEAD.search(head)
                ),
                None,
            )
            if column is None or column >= len(row.cells):
                continue
            name = plain_name(self._body[slice(*row.cells[0])])
            low, high = row.cells[column]
            count = _COUNT.fullmatch(self._body[low:high].strip(" *_"))
            if name in self._orders and count is not None:
                found.append(_Counted(_value(count["n"]), (low, high), name))
        self._compare(found, Certainty.CELL)

    def _compare(self, found: Sequence[_Counted], bound: Certainty) -> None:
        right = [one for one in found if one.said == self._orders[one.part]]
        if len(right) < _MANY_AGREE or len({one.part for one in found}) < len(found):
            return
        for one in found:
            if one in right:
                self._tally.ok()
            elif len(found) - len(right) == 1:
                why = f"said {one.said:,.0f} of {one.part}, are {self._orders[one.part]:,} orders"
                self._tally.accuse("statistic", one.span, why, bound)
            else:
                self._tally.unclear(f"it is not clear of which orders {one.said:,.0f} is said")


def _orders_by_part(known: UserStatistics, history: History) -> Mapping[str, int]:
    """By category, year, store and maker; a name that two parts have stands for neither."""
    parts = [(one.name, one.orders) for one in (*known.by_category, *known.by_year, *known.favourite_stores)]
    named = {plain_name(name) for name, _ in parts}
    parts += [(one, len(history.of_makers([one]))) for one in history.makers if plain_name(one) not in named]
    often = Counter(plain_name(name) for name, _ in parts)
    years = [int(one.name) for one in known.by_year]
    gaps = {str(year): 0 for a, b in pairwise(sorted(years)) for year in range(a + 1, b)}
    return gaps | {
        plain_name(name): count for name, count in parts if plain_name(name) and often[plain_name(name)] == 1
    }


def plain_name(name: str) -> str:
    """Without what a name may be written with or without."""
    return " ".join(word for word in words(name.replace("_", " ")) if word != "and")


def name_form(name: str) -> str:
    """A part's words as they may be written: `Patio, Lawn & Garden` for `patio lawn and garden`."""
    parts = [re.sub(r"s$", "['’]?s", re.escape(word)) for word in name.split()]
    return r"(?:[\s,_]{1,3}|\s?(?:,\s)?(?:&|and)\s)".join(parts)


def _value(text: str) -> float:
    if text.casefold() in _ALONE:
        return _ALONE[text.casefold()]
    return number_said(text)
