"""Whether an amount or a rating is that of what stands nearest to it: the last name before it, the first behind it, one of its sentence or report."""

from __future__ import annotations

from collections.abc import Iterable

from drr.env.entities import Product
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.said import SaidFigure
from drr.wording.tolerance import same_count, same_stars

_NEAR, _ADJOINED = 60, 14


class NearestThings:
    """Of one report."""

    def __init__(self, held: HeldAgainst) -> None:
        self._held, self._cast = held, held.cast

    def signs(self, one: SaidFigure) -> dict[str, float]:
        """Of each place where a thing is named: that it has the figure, or that it has another one."""
        if one.kind not in ("money", "rating", "ratings"):
            return {}
        close, stretch = self._held.around(one.start)
        named = self._cast.within(*close)
        before = [each for each in named if each.end <= one.start]
        after = [each for each in named if each.start >= one.end]
        meant = self._cast.meant_at(one.start, one.end)
        places = {
            "before": before[-1].products if before else frozenset[str](),
            "after": after[0].products if after else frozenset[str](),
            "meant": meant.products,
            "sentence": frozenset(key for each in named for key in each.products),
            "stretch": frozenset(key for each in self._cast.within(*stretch) for key in each.products),
        }
        found: dict[str, float] = {}
        for name, keys in places.items():
            told = self._told(one, keys)
            if told is not None:
                found[f"{'has' if told else 'not'}_{name}"] = 1.0
        if before and one.start - before[-1].end < _NEAR and "not_before" in found:
            found["not_right_before"] = 1.0
        if before and one.start - before[-1].end < _ADJOINED and {"not_before", "has_before"} & found.keys():
            found["not_adjoined" if "not_before" in found else "has_adjoined"] = 1.0
        if meant.certain:
            found["meant_certain"] = 1.0
            found[f"meant_{meant.bound.word}"] = 1.0
            if "not_meant" in found:
                found["not_meant_certain"] = 1.0
        everybody = self._held.known.products.values()
        found["has_anybody"] = float(any(_has(one, each) for each in everybody))
        return found

    def _told(self, one: SaidFigure, keys: Iterable[str]) -> bool | None:
        """`None` where nothing is named, or the record of some says nothing."""
        some = [self._cast.products[key] for key in keys if key in self._cast.products]
        if not some:
            return None
        told = [_has(one, each) for each in some]
        if any(told):
            return True
        return None if any(_value(one, each) is None for each in some) else False


def _value(one: SaidFigure, product: Product) -> float | None:
    if one.kind == "money":
        return product.price
    return product.average_rating if one.kind == "rating" else product.rating_number


def _has(one: SaidFigure, product: Product) -> bool:
    value = _value(one, product)
    if value is None:
        return False
    if one.kind == "money":
        return one.low - 1e-6 <= value <= one.high + 1e-6
    if one.kind == "rating":
        return same_stars(one.value, value)
    return same_count(one.value, value, hedged=one.hedged)
