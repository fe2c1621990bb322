"""Spans between own orders, parts of the year and of the week, and states: against the orders near them."""

from __future__ import annotations

import calendar
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import combinations, islice

from drr.eval.checks.considered.own_near import OwnNear, OwnPlace, firsts, ways
from drr.eval.checks.considered.own_said import LENGTHS, OwnFigure
from drr.eval.checks.person.readings.sets import Mask
from drr.wording.dates import When

_PAIRED = 40


class OwnLengths:
    """Of one report."""

    def __init__(self, near: OwnNear) -> None:
        self._near, self._sets = near, near.sets
        self._today = near.sets.history.today
        self._gaps: dict[Mask, frozenset[int]] = {}

    def part_signs(self, one: OwnFigure, near: OwnPlace) -> dict[str, float]:
        found: dict[str, float] = {}
        for name, masks in (
            ("sentence", ways(near.things)),
            ("above", ways(near.before)),
            ("all", [self._sets.all]),
        ):
            days = list(self._near.days(masks))
            if days:
                fits = any(
                    (day.weekday() if one.kind == "weekday" else day.month) == int(one.value) for day in days
                )
                found[f"part_{'on' if fits else 'not'}_{name}"] = 1.0
                if one.kind != "weekday" and one.kind != "bare_month":
                    continue
                tally: dict[int, int] = {}
                for day in days:
                    part = day.weekday() if one.kind == "weekday" else day.month
                    tally[part] = tally.get(part, 0) + 1
                found[f"part_most_{name}"] = float(tally.get(int(one.value), 0) == max(tally.values()))
        return found

    def span_signs(
        self, one: OwnFigure, near: OwnPlace, beside: Sequence[OwnFigure], around: Sequence[OwnFigure]
    ) -> dict[str, float]:
        here = [*self._said_days(beside)]
        wide = [*self._said_days(around)]
        first = firsts(near.things)
        before = [each for each in near.things if each.end <= one.start]
        pools: dict[str, set[int]] = {
            "said": {abs((a - b).days) for a, b in combinations(here, 2)},
            "said_around": {abs((a - b).days) for a, b in combinations(wide[:12], 2)},
            "before": set(self._gaps_of(before[-1].ways[0])) if before else set(),
            "named": {gap for mask in first for gap in self._gaps_of(mask)},
            "sentence": {gap for mask in ways(near.things) for gap in self._gaps_of(mask)},
            "above": {gap for mask in ways(near.before) for gap in self._gaps_of(mask)},
            "report": {gap for mask in self._near.everything for gap in self._gaps_of(mask)},
            "steps": self._sets.steps(self._sets.all),
        }
        own = [day for mask in ways(near.things) for day in islice(self._near.days([mask]), _PAIRED)]
        above = [day for mask in firsts(near.before) for day in islice(self._near.days([mask]), _PAIRED)]
        pools["from_said"] = {abs((a - b).days) for a in wide[:12] for b in {*own, *above}}
        pools["across"] = {
            abs((a - b).days) for a, b in combinations(dict.fromkeys([*own, *above][:_PAIRED]), 2)
        }
        pools["to_today"] = {
            (self._today - day).days
            for day in {*own, *above, *wide, *self._sets.days[-1:], *self._sets.days[:1]}
        }
        pools["whole"] = {(self._sets.days[-1] - self._sets.days[0]).days} if self._sets.days else set()
        pools["mean"] = set()
        for mask in (self._sets.all, *firsts(near.things), *firsts(near.before)):
            days = tuple(self._near.days([mask]))
            if len(days) > 1:
                long = (days[-1] - days[0]).days
                pools["mean"] |= {round(long / (len(days) - 1)), round(long / len(days)), long}
        found = {f"span_{one.unit}": 1.0, "span_few": float(one.value <= 3)}
        fitting = set()
        for name, pool in pools.items():
            if not pool:
                continue
            if _spans(one, pool, wide=False):
                found[f"gap_{name}"] = 1.0
            if _spans(one, pool, wide=True):
                fitting.add(name)
                found[f"gap_wide_{name}"] = 1.0
            else:
                found[f"gap_not_{name}"] = 1.0
        found["gap_nothing"] = float(not fitting)
        found["gap_two_said"] = float(len(here) == 2 and "said" not in fitting)
        return found

    def _gaps_of(self, mask: Mask) -> frozenset[int]:
        if mask not in self._gaps:
            self._gaps[mask] = frozenset(self._sets.gaps(mask))
        return self._gaps[mask]

    def _said_days(self, some: Sequence[OwnFigure]) -> Iterator[date]:
        for each in some:
            if isinstance(each.when, When) and each.when.month:
                last = calendar.monthrange(each.when.year, each.when.month)[1]
                if each.when.day is not None and each.when.day > last:
                    continue
                yield date(each.when.year, each.when.month, each.when.day or 15)

    def state_signs(self, one: OwnFigure, near: OwnPlace) -> dict[str, float]:
        state = self._sets.of_state(one.unit)
        found = {
            f"state_{one.unit}": 1.0,
            "state_of_nothing": float(not state),
            "state_of_all": float(state == self._sets.all),
        }
        for name, masks in (
            ("sentence", ways(near.things)),
            ("above", ways(near.before)),
            ("then", ways(near.times)),
        ):
            union = 0
            for mask in masks:
                union |= mask
            if union:
                found[f"state_{'some' if union & state else 'none'}_{name}"] = 1.0
                found[f"state_mixed_{name}"] = float(bool(union & state) and bool(union & ~state))
        return found


def _spans(one: OwnFigure, gaps: Iterable[int], *, wide: bool) -> bool:
    unit = LENGTHS[one.unit]
    days = one.value * unit
    slack = 1.0 if unit == 1 else 0.6 * unit
    if wide:
        slack = max(
            1.0 if unit == 1 and not one.hedged else 3.0,
            (0.98 if unit > 1 else 0.0) * unit,
            0.1 * days if unit > 1 or one.hedged else 0.0,
        )
    elif unit > 7:
        slack += 3
    return any(abs(gap - days) <= slack for gap in gaps)
