"""Shares of own orders, and which time of several it was."""

from __future__ import annotations

from collections.abc import Sequence

from drr.eval.checks.considered.own_near import OwnNear, OwnPlace, nearest
from drr.eval.checks.considered.own_pools import OwnPools
from drr.eval.checks.considered.own_said import COUNTED, OwnFigure

_ROUNDED, _FINE = 0.6, 0.06
_ROUND, _HEDGED = 6.0, 2.6


class OwnShares:
    """Of one report."""

    def __init__(self, near: OwnNear, pools: OwnPools) -> None:
        self._near, self._sets, self._pools = near, near.sets, pools

    def share_signs(
        self, one: OwnFigure, near: OwnPlace, around: Sequence[OwnFigure], money: Sequence[float]
    ) -> dict[str, float]:
        slack = (_HEDGED if one.hedged else _ROUNDED) if one.unit != "fraction" else _ROUND
        if one.unit == "decimal":
            slack = _FINE
        pools = self._pools.of(near)
        said = {int(each.value) for each in around if each.kind in COUNTED}
        whole = len(self._sets.orders)
        own = pools["sentence"] | pools["timed"] | pools["years"] | pools["joined"]
        wide = pools["above"] | pools["above_timed"] | pools["report"]
        by = {
            "said": ((a, b) for a in said for b in said),
            "said_own": ((a, b) for a in said for b in {*own, whole}),
            "own": ((a, b) for a in own for b in {*pools["named"], whole}),
            "above": ((a, b) for a in wide | own for b in {*said, *pools["named"], whole}),
            "money": ((a, b) for a in money for b in money),
        }
        found = {}
        for name, pairs in by.items():
            held = any(0 < a <= b and abs(100 * a / b - one.value) <= slack for a, b in pairs)
            found[f"share_{name}"] = float(held)
        found["share_nothing"] = float(not any(found.values()))
        found["share_rest"] = float(
            any(
                0 < a <= b and abs(100 - 100 * a / b - one.value) <= slack
                for a in said
                for b in {*said, whole}
            )
        )
        found[f"share_{one.unit}"] = 1.0
        found["said_some"] = float(len(said) > 1)
        return found

    def nth_signs(self, one: OwnFigure, near: OwnPlace) -> dict[str, float]:
        before, behind = nearest(one.start, one.end, near)
        found: dict[str, float] = {}
        value = int(one.value)
        for side, facet in (("before", before), ("behind", behind)):
            if facet is None:
                found[f"{side}_nobody"] = 1.0
                continue
            every = self._near.counted(facet.ways)
            top = max(every)
            found[f"nth_{side}_is"] = float(value in every)
            found[f"nth_{side}_next"] = float(value - 1 in every)
            found[f"nth_{side}_over"] = float(value > top)
            found[f"nth_{side}_far_over"] = float(value > top + 1)
        wide = self._pools.of(near)
        for name in ("sentence", "above", "report"):
            some = wide[name]
            found[f"nth_over_{name}"] = float(bool(some) and value > max(some) + 1)
            found[f"nth_next_{name}"] = float(value - 1 in some)
        return found
