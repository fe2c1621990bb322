"""Which plain readings make an amount, and which make another one of it.

Each reading is one that a reader would try first (`plainest`), or what stands farther off comes to it (`farther`). A right amount is what one of them makes of it, a wrong one is
so by chance only: the more of those that its words ask for miss it, the less it is what its words say.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from drr.eval.checks.base import Span
from drr.eval.checks.considered.costs import CostsSaid, holds_some
from drr.eval.checks.considered.farther import FartherReadings
from drr.eval.checks.considered.plainest import EACH, PlainestReadings
from drr.eval.checks.considered.tight import missed
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.said import MONEY, SaidFigure
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.mentions import Mentions

_NEXT, _FEW, _SEVERAL, _MOST_TIMES = 110, 3, 8, 12
_CENT, _LEAST = 0.006, 0.5
_ASKED = {
    "total": ("sum", "times"),
    "none": ("sum", "times"),
    "price": ("sum", "times"),
    "rest": ("rest",),
    "gap": ("gap", "rest"),
    "unit": ("part",),
}
"""By what the words beside an amount make of it, the readings that they ask for."""


class WordedSigns:
    """Of the amounts of one report."""

    def __init__(self, held: HeldAgainst) -> None:
        self._held, self._plain, self._costs = held, held.prose.body, CostsSaid(held)
        self._plainest, self._farther = PlainestReadings(held, self._costs), FartherReadings(held)

    def is_made(self, one: SaidFigure) -> bool:
        """Whether a plain reading comes to the amount, whatever its words ask for."""
        if one.kind not in MONEY:
            return False
        close, _ = self._held.around(one.start)
        readings = self._plainest.of(one, close, self._costs.limits(one))
        return any(holds_some(one, values) for _, values in readings)

    def of(self, one: SaidFigure, cue: str) -> dict[str, float]:
        """Of each reading whether it makes the amount or another one, and what those that its words ask for would have it be."""
        if one.kind not in MONEY:
            return {}
        close, _ = self._held.around(one.start)
        wide = self._held.with_before(close)
        limits, counts = self._costs.limits(one), self._costs.counts(wide, one)
        asked = _ASKED.get("unit" if one.kind == "unit" else cue, _ASKED["none"])
        near = self._costs.within((wide[0], close[1]), one)
        named = [value for each in near for value in each.costs]
        found: dict[str, float] = {}
        values: list[float] = []
        told = applied = others = far = 0
        for name, some in (
            *self._plainest.of(one, close, limits),
            *self._farther.of(one, named, limits),
        ):
            if not some:
                continue
            has = holds_some(one, some)
            found[f"{name}_{'has' if has else 'not'}"] = 1.0
            if name.startswith(asked):
                values += some
                told, applied = told + has, applied + 1
            elif name.startswith("far_"):
                far += has
            else:
                others += has
        found |= {
            "worded_has": float(told > 0),
            "worded_none": float(applied > 0 and not told),
            "worded_misses": 0.0 if told else min(1.0, applied / _SEVERAL),
            "worded_share": told / applied if applied else 0.0,
            "worded_other": float(others > 0 and not told),
            "worded_far": float(far > 0 and not (told or others)),
            "worded_nothing": float(not (far or told or others)),
        }
        if not told:
            found |= missed("worded", one, cue, values, anything=others > 0)
        found |= _often(one, [value for each in near for value in each.values], counts)
        return found | self._implied(one, cue, limits, counts, anything=told > 0)

    def _implied(
        self, one: SaidFigure, cue: str, limits: list[float], counts: list[float], *, anything: bool
    ) -> dict[str, float]:
        """Whether it is what it would have to be for what is said behind it."""
        span = (max(0, one.start - _NEXT), one.end + 2 * _NEXT)
        values = list(
            dict.fromkeys(round(each, 4) for each in self._behind(one, span, limits, counts) if each > 0)
        )
        has = holds_some(one, values)
        found = {"implied_has": float(has), "implied_none": float(bool(values) and not has)}
        return found if has else found | missed("implied", one, cue, values, anything=anything)

    def _behind(
        self, one: SaidFigure, span: Span, limits: list[float], counts: list[float]
    ) -> Iterator[float]:
        """That a limit leaves so much, that with what stands before it comes to so much, that each costs so much."""
        figures = [each for each in self._held.ledger.within(*span) if not each.void]
        behind = [each for each in figures if each.start >= one.end][:_FEW]
        ahead = [each.value for each in figures if each.end <= one.start][-_FEW:]
        between = 0.0
        for each in behind:
            if each.cue.kind in ("rest", "gap"):
                for other in (*limits, *ahead):
                    yield from (other - each.value, other + each.value)
            if each.cue.kind in ("total", "none", "price"):
                for back in range(0 if between else 1, len(ahead) + 1):
                    yield each.value - between - sum(ahead[len(ahead) - back :])
            costs_each = each.cue.kind == "unit" or EACH.match(self._plain, each.end) is not None
            yield from (many * each.value if costs_each else each.value / many for many in counts)
            between += each.value if each.cue.kind != "unit" else 0.0


def _often(one: SaidFigure, values: list[float], counts: list[float]) -> dict[str, float]:
    """Whether it is so many times what stands beside it, and whether anything says so many: else it is probably meant to be another number of them."""
    some = [value for value in values if _LEAST < value < one.value - _CENT]
    many = {
        round(one.value / value)
        for value in some
        if abs(one.value - round(one.value / value) * value) < _CENT
    }
    many = {each for each in many if 1 < each <= _MOST_TIMES}
    if not many:
        return {}
    said = bool(many & {*counts})
    return {
        "often_said": float(said),
        "often_unsaid": float(not said),
        "often_otherwise": float(not said and bool(counts)),
    }


@lru_cache(maxsize=4)
def worded_of(mentions: Mentions) -> WordedSigns:
    return WordedSigns(sight_of(mentions).held)
