"""Whether an amount or a rating is that of what stands nearest to it: the last name before it, the first behind it, one of its sentence or report."""

from __future__ import annotations

from collections.abc import Iterable

from drr.env.entities import Product
from drr.eval.checks.grid import column_at
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.said import SaidFigure
from drr.wording.tolerance import same_count, same_stars

_NEAR, _ADJOINED = 60, 14
_LIST, _BETWEEN = 300, 9


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
        found |= self._of_lines(one)
        everybody = self._held.known.products.values()
        found["has_anybody"] = float(any(_has(one, each) for each in everybody))
        return found

    def _of_lines(self, one: SaidFigure) -> dict[str, float]:
        """Of the first thing that its line names, of who its row or column is of, and, where several of its kind stand in a list, of the one at the same place of the things before them."""
        line = self._held.prose.line_at(one.start)
        if line is None:
            return {}
        cast = self._cast
        named = cast.within(line.start, line.end)
        places: dict[str, Iterable[str]] = {"first": named[0].products if named else ()}
        if line.kind == "row":
            column = column_at(line, one.start)
            owner = cast.row_owner(line) or (None if column is None else cast.column_owner(line, column))
            places["owner"] = (owner,) if owner is not None else ()
        run = self._run(one)
        if len(run) > 1:
            at = next(index for index, each in enumerate(run) if each.start == one.start)
            before = [each.products for each in cast.within(max(0, run[0].start - _LIST), run[0].start)]
            things = list(dict.fromkeys(reversed(before)))[: len(run)][::-1]
            places["list"] = things[at] if len(things) == len(run) else ()
        found: dict[str, float] = {}
        for name, keys in places.items():
            told = self._told(one, keys)
            if told is not None:
                found[f"{'has' if told else 'not'}_{name}"] = 1.0
        return found

    def _run(self, one: SaidFigure) -> list[SaidFigure]:
        """Figures of its kind that stand one after the other with a few characters between them."""
        near = [
            each
            for each in self._held.said.within((max(0, one.start - _LIST), one.end + _LIST))
            if each.kind == one.kind
        ]
        at = next(index for index, each in enumerate(near) if each.start == one.start)
        low = high = at
        while low and near[low].start - near[low - 1].end < _BETWEEN:
            low -= 1
        while high + 1 < len(near) and near[high + 1].start - near[high].end < _BETWEEN:
            high += 1
        return near[low : high + 1]

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
