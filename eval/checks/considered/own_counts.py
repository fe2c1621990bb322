"""How many orders there are of what stands near a count: by the thing right beside it, by its sentence, by what stands above, by the whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, combinations

from drr.eval.checks.considered.own_near import OwnNear, OwnPlace, firsts, nearest
from drr.eval.checks.considered.own_pools import OwnPools
from drr.eval.checks.considered.own_said import COUNTED, DATED, OwnFigure
from drr.eval.checks.layout import TextLine
from drr.eval.checks.person.readings.facets import Facet
from drr.wording.tolerance import same_count

_FEW, _MANY = 3, 10
_PAGES = (20, 40, 50)
_JOINED = 8
_WIDE = 16
_SIBLINGS, _AGREE, _CLOSE = 10, 2, 12


class OwnCounts:
    """Of one report."""

    def __init__(self, near: OwnNear, pools: OwnPools, lines: Sequence[TextLine]) -> None:
        self._near, self._sets, self._pools, self._lines = near, near.sets, pools, lines
        self._stated: dict[OwnFigure, dict[str, bool]] = {}

    def signs(
        self, one: OwnFigure, near: OwnPlace, beside: Sequence[OwnFigure], around: Sequence[OwnFigure]
    ) -> dict[str, float]:
        value = int(one.value)
        pools = self._pools.of(near)
        before, behind = nearest(one.start, one.end, near)
        found = {
            "few": float(value <= _FEW),
            "middling": float(_FEW < value <= _MANY),
            "many": float(value > _MANY),
        }
        held = {name for name in pools if self._has(one, pools[name])}
        said = self._said(one, beside, around, near)
        found |= {f"fits_{name}": 1.0 for name in held}
        found |= said
        for side, facet in (("before", before), ("behind", behind)):
            found |= self._beside(one, side, facet, near)
        sides = [each for each in (before, behind) if each is not None]
        beside_ways = {size for facet in sides for size in self._near.counted(facet.ways)}
        if self._has(one, beside_ways):
            found["fits_beside"] = 1.0
        if any(_is_joined(one, each, near, self._near) for each in sides):
            found["joined_is"] = 1.0
        for name in ("sentence", "timed", "above", "report"):
            some = pools[name]
            if some and value > max(some):
                found[f"over_{name}"] = 1.0
            if some and name not in held:
                miss = min(abs(value - each) for each in some)
                found[f"miss_{name}"] = min(1.0, miss / 6)
                found[f"miss_by_one_{name}"] = float(miss == 1)
            found[f"dense_{name}"] = min(1.0, sum(each <= 2 * value + 2 for each in some) / (2 * value + 2))
        windows = dict.fromkeys(
            [*_PAGES, *(int(each.value) for each in around if each.kind in COUNTED and each.value > _FEW)]
        )
        found["fits_window"] = float(self._has(one, self._pools.window(near, list(windows)[:_SIBLINGS])))
        found["fits_gap"] = float(
            any(value in self._sets.gaps(mask) for mask in firsts(near.things)[:_JOINED])
        )
        found |= self._of_all(one, near)
        found |= self._siblings(one, near, beside, around)
        own = (
            held & {"sentence", "timed", "joined", "whole", "years", "calendar", "top"}
            or "fits_beside" in found
        )
        wide = held & {"above", "above_timed", "report"}
        found["nothing_own"] = float(not own)
        found["nothing_wide"] = float(not own and not wide)
        found["nothing_said"] = float(
            not own and not wide and not any(said[name] for name in ("fits_said", "fits_days", "fits_list"))
        )
        return found

    def _has(self, one: OwnFigure, some: Iterable[int]) -> bool:
        if one.hedged:
            return any(same_count(one.value, each, hedged=True) for each in some)
        return one.value in {*some}

    def _beside(self, one: OwnFigure, side: str, facet: Facet | None, near: OwnPlace) -> dict[str, float]:
        if facet is None:
            return {f"{side}_nobody": 1.0}
        name = f"{side}_{facet.kind}"
        first = self._near.sizes(facet.ways[0])
        every = self._near.counted(facet.ways)
        gap = one.start - facet.end if side == "before" else facet.start - one.end
        found = {name: 1.0, f"{side}_close": float(gap < 12), f"{side}_far": float(gap > 60)}
        if self._has(one, first):
            state = "is"
        elif self._has(one, every):
            state = "may_be"
        else:
            state = "over" if one.value > max(every) else "under" if one.value < min(every) else "other"
        found |= {f"{side}_{state}": 1.0, f"{name}_{state}": 1.0}
        if gap < 12:
            found[f"{side}_close_{state}"] = 1.0
        if len(first) == 1:
            found[f"{side}_plain_{state}"] = 1.0
        return found

    def _of_all(self, one: OwnFigure, near: OwnPlace) -> dict[str, float]:
        """Against the number of all orders, and those of the time right beside it."""
        whole, value = len(self._sets.orders), int(one.value)
        found = {
            "is_all": float(value == whole),
            "over_all": float(value > whole),
            "near_all": float(value != whole and 0.6 * whole <= value <= 1.7 * whole),
            "page": float(value in _PAGES),
        }
        before = [each for each in near.times if each.kind == "time" and each.end <= one.start][-1:]
        behind = [each for each in near.times if each.kind == "time" and each.start >= one.end][:1]
        things = [*firsts(near.things), *firsts(near.before)][:_JOINED]
        for side, some in (("before", before), ("behind", behind)):
            for each in some:
                gap = one.start - each.end if side == "before" else each.start - one.end
                then = each.ways[0]
                of_all, of_some = self._near.sizes(then), self._near.counted(mask & then for mask in things)
                state = (
                    "all"
                    if value in of_all
                    else "some"
                    if value in of_some
                    else "over"
                    if value > max(of_all)
                    else "none"
                )
                found |= {f"time_{side}_{state}": 1.0, f"time_{side}_{state}_close": float(gap < _CLOSE)}
        return found

    def _siblings(
        self, one: OwnFigure, near: OwnPlace, beside: Sequence[OwnFigure], around: Sequence[OwnFigure]
    ) -> dict[str, float]:
        """Whether the other counts of its sentence, and those around it, are right of what stands beside them on the same side, and this one alone is not."""
        found: dict[str, float] = {}
        own = self._states(one, near)
        for where, some in (("here", beside), ("around", around)):
            counts = [each for each in some if each.kind in COUNTED and each.value > 1][:_SIBLINGS]
            told = [
                states
                for each in counts
                if (at := self._near.at(each.start)) is not None
                for states in (self._states(each, at),)
            ]
            for side in ("before", "behind", "time_before", "time_behind"):
                right = sum(states.get(side) is True for states in told)
                wrong = sum(states.get(side) is False for states in told)
                if not right + wrong or side not in own:
                    continue
                found[f"kin_{where}_{side}"] = right / (right + wrong)
                if own[side] is False and right >= _AGREE and right >= 3 * wrong:
                    found[f"odd_{where}_{side}"] = 1.0
                if own[side] is False and right and not wrong:
                    found[f"odd_all_{where}_{side}"] = 1.0
        return found

    def _states(self, one: OwnFigure, near: OwnPlace) -> dict[str, bool]:
        """On each side, whether it is the number of what is next there."""
        if one not in self._stated:
            before, behind = nearest(one.start, one.end, near)
            found = {}
            for side, facet in (("before", before), ("behind", behind)):
                if facet is not None:
                    found[side] = int(one.value) in self._near.sizes(facet.ways[0])
            times = [each for each in near.times if each.kind == "time"]
            for side, some in (
                ("time_before", [each for each in times if each.end <= one.start][-1:]),
                ("time_behind", [each for each in times if each.start >= one.end][:1]),
            ):
                for each in some:
                    found[side] = int(one.value) in self._near.sizes(each.ways[0])
            self._stated[one] = found
        return self._stated[one]

    # What the text itself comes to.

    def _said(
        self, one: OwnFigure, beside: Sequence[OwnFigure], around: Sequence[OwnFigure], near: OwnPlace
    ) -> dict[str, float]:
        counts = [int(each.value) for each in beside if each.kind in COUNTED]
        wide = [int(each.value) for each in around if each.kind in COUNTED][:_WIDE]
        value = int(one.value)
        sums = {a + b for a, b in combinations(wide, 2)} | {abs(a - b) for a, b in combinations(wide, 2)}
        for at in range(len(wide)):
            sums |= {*accumulate(wide[at:])} - {wide[at]}
        sums |= {sum(counts), sum(wide)} | {a + b + c for a, b, c in combinations(wide[:8], 3)}
        days = [each for each in beside if each.kind in DATED]
        behind = [each for each in days if each.start > one.end]
        listed = self._listed(near)
        return {
            "fits_said": float(value in sums),
            "fits_again": float(value in wide),
            "fits_run": float(value in _runs(one, around)),
            "fits_days": float(value in (len(days), len(behind))),
            "days_listed": float(len(behind) > 1),
            "days_differ": float(len(behind) > 1 and value != len(behind)),
            "days_differ_by_one": float(len(behind) > 1 and abs(value - len(behind)) == 1),
            "fits_list": float(
                value in listed or value in (len(near.things), len({each.ways for each in near.things}))
            ),
            "more_said": float(any(each > value for each in counts)),
            "counts_here": min(1.0, len(counts) / 5),
        }

    def _listed(self, near: OwnPlace) -> set[int]:
        """Items or rows below, and how many lists of them the section has."""
        at = next((index for index, line in enumerate(self._lines) if line.start == near.line.start), 0)
        found, run, kind = set[int](), 0, ""
        for line in self._lines[max(0, at - 20) : at + 30]:
            if line.kind in ("item", "row") and line.kind == kind:
                run += 1
            elif line.kind not in ("rule_row", "head_row"):
                found.add(run)
                run, kind = (1 if line.kind in ("item", "row") else 0), line.kind
        return (found | {run}) - {0}


def _is_joined(one: OwnFigure, facet: Facet, near: OwnPlace, names: OwnNear) -> bool:
    """Whether it is the number of all that a thing is listed with, or may be as the list goes on with what is not understood."""
    joined = names.joined(facet, near)
    sizes = names.counted(joined.together())
    if joined.is_open and one.end <= facet.start and one.value > max(sizes, default=0):
        return True
    return len(joined.parts) > 1 and any(same_count(one.value, each, hedged=one.hedged) for each in sizes)


def _runs(one: OwnFigure, around: Sequence[OwnFigure]) -> set[int]:
    """What the counts right before it come to, each one further back, and those right behind it."""
    counts = [each for each in around if each.kind in COUNTED]
    before = [int(each.value) for each in reversed(counts) if each.end <= one.start][:_WIDE]
    behind = [int(each.value) for each in counts if each.start >= one.end][:_WIDE]
    return {*[*accumulate(before)][1:], *[*accumulate(behind)][1:], *[*accumulate(behind[1:])][1:]}
