"""What an amount comes to if its words are read in the plainest way: the things named before it together, this one less that one, a limit less what
was said last, a price by the number beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, product

from drr.eval.checks.base import Span
from drr.eval.checks.considered.costs import CostsSaid, WordedCost, together
from drr.eval.checks.grid import column_at
from drr.eval.checks.layout import TextLine
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.said import SaidFigure

EACH = re.compile(
    r"[\s*_]{0,4}(?:each|apiece|a (?!day|week|month|year)\w+|per (?!day|week|month|year)\w+)\b", re.I
)
_BACK, _AHEAD, _LINES, _FEW = 900, 110, 24, 3
Reading = tuple[str, list[float]]


class PlainestReadings:
    """Of the amounts of one report."""

    def __init__(self, held: HeldAgainst, costs: CostsSaid) -> None:
        self._held, self._costs, self._plain = held, costs, held.prose.body

    def of(self, one: SaidFigure, close: Span, limits: Sequence[float]) -> Iterator[Reading]:
        """By name, each with what it comes to."""
        wide = self._held.with_before(close)
        span = (max(0, one.start - _BACK), min(len(self._plain), one.end + _AHEAD))
        costs = self._costs.within(span, one)
        before = [each for each in costs if each.end <= one.start]
        here = [each for each in before if each.start >= close[0]]
        if one.kind == "unit":
            yield from self._parts(one, close, wide, here)
            return
        after = [each for each in costs if one.end <= each.start < max(close[1], one.end)]
        yield from self._sums(one, close, wide, before)
        yield from self._times(one, here or before[-1:], after, wide)
        yield from _gaps(here or before[-_FEW:], before, after)
        yield from self._rests(one, before, here, limits)

    def _sums(
        self, one: SaidFigure, close: Span, wide: Span, before: Sequence[WordedCost]
    ) -> Iterator[Reading]:
        for name, low in (("sum_here", close[0]), ("sum_near", wide[0])):
            some = [each for each in before if each.start >= low]
            yield name, list(together([each for each in some if each.named]))
            yield f"{name}_said", list(together([each for each in some if not each.named]))
        line = self._held.prose.line_at(one.start)
        if line is None:
            return
        here = self._costs.within((line.start, line.end), one)
        yield "sum_line", list(together([each for each in here if each.named]))
        above = self._above(one, line)
        yield "sum_above", [sum(above)] if len(above) > 1 else []
        last = [max(each.costs) for each in before[-_FEW:]]
        yield "sum_last", [a + b for a, b in combinations(last, 2)]
        told = [each for each in before if each.named]
        yield "sum_told", [value for many in (4, 3, 2) for value in together(told[-many:])]

    def _above(self, one: SaidFigure, line: TextLine) -> list[float]:
        """The amounts of its column, or the last one of each item, right above it."""
        lines, at = self._held.cast.lines, self._held.index(line)
        column = column_at(line, one.start) if line.kind == "row" else None
        found: list[float] = []
        for each in reversed(lines[max(0, at - _LINES) : at]):
            if column is not None and each.kind == "row" and column < len(each.cells):
                span = each.cells[column]
            elif column is None and each.kind in ("item", "row"):
                span = (each.start, each.end)
            elif not each.text.strip() or (each.kind in ("rule_row", "head_row") and not found):
                continue
            else:
                break
            amounts = (
                each for each in self._held.ledger.within(*span) if not each.void and each.cue.kind != "unit"
            )
            found += [each.value for each in amounts][-1:]
        return found

    def _times(
        self, one: SaidFigure, here: Sequence[WordedCost], after: Sequence[WordedCost], wide: Span
    ) -> Iterator[Reading]:
        """So many of the thing beside it."""
        counted = [each for each in [*here[-2:], *after[:1]] if each.many > 1]
        yield "times_own", [value for each in counted for value in each.costs]
        counts, nearest = self._costs.counts(wide, one), [*here[-1:], *after[:1]]
        yield "times_near", [many * value for many in counts for each in nearest for value in each.values]
        said = [each for each in nearest if not each.named and EACH.match(self._plain, each.end)]
        yield "times_each", [many * value for many in counts for each in said for value in each.values]

    def _rests(
        self,
        one: SaidFigure,
        before: Sequence[WordedCost],
        here: Sequence[WordedCost],
        limits: Sequence[float],
    ) -> Iterator[Reading]:
        """A limit less what was said last."""
        said = [each for each in before if not each.named and each.values[0] not in limits]
        named = [each for each in before if each.named]
        span = (max(0, one.start - _BACK), one.start)
        totals = [each.value for each in self._held.ledger.within(*span) if each.cue.kind == "total"]
        sums = [*together([each for each in here if each.named])]
        sums += together([each for each in here if not each.named and each.values[0] not in limits])
        ways = {
            "last": _costs_of(said[-1:]),
            "named": _costs_of(named[-1:]),
            "total": totals[-1:],
            "sum": sums,
        }
        for name, values in ways.items():
            yield f"rest_{name}", [abs(limit - value) for limit in limits for value in values]

    def _parts(
        self, one: SaidFigure, close: Span, wide: Span, here: Sequence[WordedCost]
    ) -> Iterator[Reading]:
        """A price by what is in the thing."""
        named, known = self._held.cast.within(*close), self._held.known
        meant = self._held.cast.meant_at(one.start, one.end).products
        ids = {
            "before": sorted(next((p.products for p in reversed(named) if p.end <= one.start), ()))[:_FEW],
            "after": sorted(next((p.products for p in named if p.start >= one.end), ()))[:_FEW],
            "meant": sorted(meant) if len(meant) <= _FEW else [],
        }
        said = [each.value for each in self._held.values(wide, one)[1] if each.value > 1]
        counts = list(dict.fromkeys([*said, *self._costs.counts(wide, one)]))
        last = [value for each in here if not each.named for value in each.values][-1:]
        sizes = list[float]()
        for name, keys in ids.items():
            some = [known.of((key,)) for key in keys if key in known.products]
            yield (
                f"part_{name}",
                [price / size for each in some for price in each.prices for size in each.sizes if size > 1],
            )
            yield (
                f"part_{name}_said",
                [price / size for each in some for price in each.prices for size in counts],
            )
            sizes += [size for each in some for size in each.sizes if size > 1]
        yield "part_last", [price / size for price in last for size in counts]
        yield "part_last_own", [price / size for price in last for size in sizes]


def _gaps(
    here: Sequence[WordedCost], before: Sequence[WordedCost], after: Sequence[WordedCost]
) -> Iterator[Reading]:
    """This less that."""
    behind = [value for each in after[:1] for value in dict.fromkeys((*each.costs, *each.values))]
    ahead = _costs_of([*here[-_FEW:], *before[-1:]])
    yield "gap_after", [abs(a - b) for a, b in product(ahead, behind)]
    yield "gap_first", [abs(a - b) for a, b in product(_costs_of(here[:1]), behind)]
    ways = {
        "two": before,
        "named": [each for each in before if each.named],
        "said": [each for each in before if not each.named],
    }
    for name, some in ways.items():
        two = [each.costs for each in some[-2:]]
        yield f"gap_{name}", [abs(a - b) for a, b in product(*two)] if len(two) > 1 else []


def _costs_of(some: Sequence[WordedCost]) -> list[float]:
    return [value for each in some for value in each.costs]
