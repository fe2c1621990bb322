"""What an amount comes to by what stands farther from it: a total with one thing for another, what the reader spent, what any thing in sight costs by
its own size.

So much stands there that a wrong amount meets one of these by chance now and then; a right one that no plain reading makes meets them far more often.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations

from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.said import SaidFigure
from drr.eval.checks.money.figures import Figure

_BACK, _TOTALS, _PRICES, _ADDED, _EVERY, _RATES = 2000, 6, 14, 4, 24, 40
_MOST_TIMES = 12
Reading = tuple[str, list[float]]


class FartherReadings:
    """Of the amounts of one report."""

    def __init__(self, held: HeldAgainst) -> None:
        self._held = held

    def of(self, one: SaidFigure, named: Sequence[float], limits: Sequence[float]) -> Iterator[Reading]:
        """With the costs that its sentence names, and the limits that it may be held against."""
        if one.kind == "unit":
            yield "far_part", self._rates
            yield "far_part_gap", [abs(a - b) for a, b in combinations(self._rates[:_EVERY], 2)]
            return
        yield "far_spent", list(self._held.known.spent)
        before = [each for each in self._before(one) if each.value not in limits]
        totals = [each.value for each in before if each.cue.kind == "total"][-_TOTALS:]
        largest = sorted({each.value for each in before}, reverse=True)[:_TOTALS]
        totals = list(dict.fromkeys([*totals, *largest]))
        put, prices = list(dict.fromkeys(named))[-_ADDED:], self._prices
        swapped = [total - a + b for total in totals for b in put for a in prices if a != b]
        added = [total + side * b for total in totals for b in put for side in (1, -1)]
        yield "far_swap", swapped
        yield "far_added", added
        yield "far_rest", [abs(limit - each) for limit in limits for each in totals]
        yield "far_rest_swap", [abs(limit - each) for limit in limits for each in (*swapped, *added)]
        last = [each.value for each in before][-_EVERY:]
        yield "far_gap", [abs(a - b) for a, b in combinations(dict.fromkeys([*totals, *last[-_TOTALS:]]), 2)]

    def _before(self, one: SaidFigure) -> list[Figure]:
        some = self._held.ledger.within(max(0, one.start - _BACK), one.start)
        return [each for each in some if not each.void and each.cue.kind != "unit" and each.value >= 1]

    @cached_property
    def _prices(self) -> list[float]:
        return list(self._held.known.everything.prices)[:_PRICES]

    @cached_property
    def _rates(self) -> list[float]:
        """What each thing in play costs by each figure of its title."""
        found = []
        for key in sorted(self._held.cast.products)[:_EVERY]:
            known = self._held.known.of((key,))
            found += [price / size for price in known.prices for size in known.sizes if size > 1]
        return list(dict.fromkeys(found))[: 3 * _RATES]
