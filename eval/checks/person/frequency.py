"""How often something is said to have been bought, against all orders that may be meant."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from drr.eval.checks.base import CheckTally, Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.layout import TextLine
from drr.eval.checks.person.history import History, Placed
from drr.eval.checks.person.stretches import counts_in_stretches
from drr.wording.numbers import SPOKEN, number_said
from drr.wording.purchases import PURCHASES, TimesSaid, times

_WINDOW = re.compile(
    r"\b(?:newest|recent|last|latest|visible|among|past|first|since|so far|in all|between)\b", re.I
)
_NEWEST = re.compile(
    rf"\b(?:last|latest|newest|most recent)[\s*_]{{1,3}}(?P<n>\d{{1,3}}|{SPOKEN})[\s*_]{{1,3}}(?:orders|purchases)\b",
    re.I,
)
_IT = re.compile(r"\b(?:it|them|this|that|these|those|one)\b", re.I)
_SHOWS = re.compile(
    r"\b(?:appears?|shows? up|turns? up|features?|figures?|listed|visible|seen|served)\b", re.I
)


class PurchaseFrequencies:
    """Counts in the sentences that speak of purchases."""

    def __init__(self, tally: CheckTally, cast: Cast, history: History) -> None:
        self._tally = tally
        self._body = cast.body
        self._cast = cast
        self._history = history

    def times(self, span: Span, line: TextLine) -> None:
        """`five times`, against the orders of what the sentence, else the line, names."""
        for said in times(self._body[slice(*span)]):
            at = span[0] + said.start
            known = set(self._counts(span, line, at))
            if not known or said.often == 1:
                continue
            if newest := _NEWEST.search(self._body, *span):
                known = set(self._counts(span, line, at, self._newest(newest["n"])))
            window = newest is None and _WINDOW.search(self._body, *span) is not None
            if said.often in known or (window and said.often <= max(known)):
                self._tally.ok()
            elif self._is_of_buying(span, at, said):
                where = (at, span[0] + said.end)
                named = bool(self._cast.within(*span)) or _NEWEST.search(self._body, *span) is not None
                bound = Certainty.SENTENCE if named else Certainty.SCOPE
                self._tally.accuse(
                    "order_times",
                    where,
                    f"said {said.often} times, were {', '.join(map(str, sorted(known)[:4]))}",
                    bound,
                )
            else:
                self._tally.unclear(f"it is not clear what is said to be {said.often} times")

    def _is_of_buying(self, span: Span, at: int, said: TimesSaid) -> bool:
        low, high = self._cast.prose.clause_at(at)
        behind = self._body[span[0] + said.end : span[0] + said.end + 3]
        return (
            PURCHASES.speaks(self._body[low:high])
            or behind[:1] in ",.!"
            or _SHOWS.search(self._body, low, at) is not None
        )

    def _newest(self, count: str) -> list[Placed]:
        """So many of the latest orders."""
        many = int(number_said(count))
        return sorted(self._history.orders, key=lambda one: one.order.order_date, reverse=True)[:many]

    def _counts(
        self, span: Span, line: TextLine, at: int, among: Sequence[Placed] | None = None
    ) -> Iterator[int]:
        """How many orders there are of what the sentence, else the line, names, and in the years it names."""
        if not self._cast.within(*span) and _IT.search(self._body, *span):
            meant = self._cast.meant_at(at, at + 1)
            orders = self._history.of_products(meant.products) if meant.certain else []
            yield from [len(orders)] if orders and among is None else []
            return
        stretch = span if self._cast.within(*span) else (line.start, line.end)
        for place in self._cast.within(*stretch):
            orders = self._history.of_products(place.products)
            makers = [] if place.linked else self._history.of_makers([self._body[place.start : place.end]])
            for every in (orders, makers):
                some = every if among is None else [one for one in every if one in among]
                if some:
                    yield len(some)
                    yield from _by_year(some) if among is None else ()
        years = re.findall(r"\b20\d\d\b", self._body[slice(*span)])
        by_year = dict(_years(self._history.orders))
        yield from (by_year.get(int(year), 0) for year in years)
        if among is None:
            yield from counts_in_stretches(self._cast, self._history, span)


def _years(orders: Sequence[Placed]) -> Iterator[tuple[int, int]]:
    found: dict[int, int] = {}
    for one in orders:
        found[one.day.year] = found.get(one.day.year, 0) + 1
    yield from found.items()


def _by_year(orders: Sequence[Placed]) -> Iterator[int]:
    yield from (count for _, count in _years(orders))
