"""When the orders near a day, a month or a span were placed: those of the thing right beside it, of its sentence, of what stands above, of all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, timedelta

from drr.eval.checks.considered.own_ends import OwnEnds
from drr.eval.checks.considered.own_near import OwnNear, OwnPlace, firsts, ways
from drr.eval.checks.considered.own_said import COUNTED, DATED, LENGTHS, OwnFigure, covers
from drr.eval.checks.person.order_ids import OrdersNamed
from drr.eval.checks.person.readings.sets import Mask
from drr.wording.dates import When

_ID_NEAR = 120
_KIN = 10
_LONGEST = 40 * 366


class OwnTimes:
    """Of one report."""

    def __init__(self, near: OwnNear, named: OrdersNamed, query: str) -> None:
        self._near, self._sets, self._named, self._query = near, near.sets, named, query
        self._today = near.sets.history.today
        self._ends = OwnEnds(near)
        self._stated: dict[OwnFigure, dict[str, bool]] = {}

    def signs(
        self,
        one: OwnFigure,
        near: OwnPlace,
        beside: Sequence[OwnFigure],
        around: Sequence[OwnFigure],
        words: set[str],
    ) -> dict[str, float]:
        before = [each for each in near.things if each.end <= one.start]
        behind = [each for each in near.things if each.start >= one.end]
        tiers: dict[str, list[Mask]] = {
            "before": list(before[-1].ways) if before else [],
            "before_plain": [before[-1].ways[0]] if before else [],
            "behind": list(behind[0].ways) if behind else [],
            "behind_plain": [behind[0].ways[0]] if behind else [],
            "named": [each.ways[0] for each in near.things if each.kind == "named"],
            "sentence": ways(near.things),
            "above": ways(near.before),
            "above_plain": firsts(near.before),
            "report": self._near.everything,
        }
        found: dict[str, float] = {}
        for name, masks in tiers.items():
            if masks:
                fits = self._fits(one, self._near.days(masks))
                found[f"{'on' if fits else 'not_on'}_{name}"] = 1.0
            else:
                found[f"nobody_{name}"] = 1.0
        every = [day for day in self._sets.days if covers(one, day)]
        found |= self._kin(one, beside, around)
        found |= self._lasting(one, tiers, around)
        found["on_none"] = float(not every)
        found["on_some"] = min(1.0, len(every) / 6)
        found |= self._slips(one, tiers)
        found |= self._ends.of_time(one, tiers, words)
        found |= self._others(one, tiers, beside)
        found |= self._cited(one, near)
        found |= self._outside(one)
        if one.kind == "year":
            found |= self._ends.of_year(
                one, tiers, words, {int(each.value) for each in beside if each.kind in COUNTED}
            )
        found["asked_date"] = float(isinstance(one.when, When) and str(one.when.year) in self._query)
        return found

    def _fits(self, one: OwnFigure, days: Iterable[date]) -> bool:
        return any(covers(one, day) for day in days)

    def _slips(self, one: OwnFigure, tiers: dict[str, list[Mask]]) -> dict[str, float]:
        """A day of what is near that is the same but for its year, its month or its day."""
        found: dict[str, float] = {}
        when = one.when
        if not isinstance(when, When) or when.month is None:
            return found
        for name in ("before", "sentence", "above", "report"):
            for day in self._near.days(tiers[name]):
                same = (day.year == when.year, day.month == when.month, when.day in (None, day.day))
                if sum(same) == 2 and (when.day is not None or same[0] != same[1]):
                    which = "year" if not same[0] else "month" if not same[1] else "day"
                    found[f"slip_{which}_{name}"] = 1.0
                    found[f"slip_{name}"] = 1.0
        return found

    def _others(
        self, one: OwnFigure, tiers: dict[str, list[Mask]], beside: Sequence[OwnFigure]
    ) -> dict[str, float]:
        """Whether the other days of its sentence fit what is near, and this one alone does not."""
        dated = [each for each in beside if each.kind in DATED]
        found = {"alone": float(not dated), "dates_here": min(1.0, len(dated) / 5)}
        for name in ("before", "sentence", "above"):
            masks = tiers[name]
            if not masks or not dated:
                continue
            fit = sum(self._fits(each, self._near.days(masks)) for each in dated)
            own = self._fits(one, self._near.days(masks))
            found[f"others_fit_{name}"] = fit / len(dated)
            found[f"odd_one_{name}"] = float(not own and fit == len(dated))
            found[f"none_fits_{name}"] = float(not own and fit == 0)
            if masks and name == "before":
                plain = len(list(self._near.days(masks[:1])))
                found["as_many_days"] = float(plain == len(dated) + 1)
                found["more_days_than_orders"] = float(plain < len(dated) + 1)
        return found

    def _kin(
        self, one: OwnFigure, beside: Sequence[OwnFigure], around: Sequence[OwnFigure]
    ) -> dict[str, float]:
        """Whether the days around it are those of what is next to them on the same side, and this one alone is not."""
        own = self._states(one)
        found: dict[str, float] = {}
        for where, some in (("here", beside), ("around", around)):
            told = [self._states(each) for each in some if each.kind in DATED][:_KIN]
            for side in own:
                right = sum(states.get(side) is True for states in told)
                wrong = sum(states.get(side) is False for states in told)
                if right + wrong:
                    found[f"days_kin_{where}_{side}"] = right / (right + wrong)
                    found[f"days_odd_{where}_{side}"] = float(
                        not own[side] and right > 1 and right >= 3 * wrong
                    )
        return found

    def _states(self, one: OwnFigure) -> dict[str, bool]:
        if one not in self._stated:
            near = self._near.at(one.start)
            found: dict[str, bool] = {}
            if near is not None:
                before = [each for each in near.things if each.end <= one.start][-1:]
                behind = [each for each in near.things if each.start >= one.end][:1]
                above = [each for each in near.before if each.kind == "named"][:1] if not near.things else []
                for side, some in (("before", before), ("behind", behind), ("above", above)):
                    for each in some:
                        found[side] = self._fits(one, self._near.days(each.ways))
            self._stated[one] = found
        return self._stated[one]

    def _lasting(
        self, one: OwnFigure, tiers: dict[str, list[Mask]], around: Sequence[OwnFigure]
    ) -> dict[str, float]:
        """A day some years, months or days behind an order, as something lasts."""
        when = one.when
        if not isinstance(when, When):
            return {}
        spans = [each for each in around if each.kind == "span"][:_KIN]
        days = set(self._near.days([*tiers["sentence"][:12], *tiers["above"][:12], *tiers["report"]]))
        for each in spans:
            length = each.value * LENGTHS[each.unit]
            if length > _LONGEST:
                continue
            for day in days:
                for told in (
                    day + timedelta(days=length - 2),
                    day + timedelta(days=length + 2),
                    day + timedelta(days=length),
                ):
                    if covers(one, told) and not covers(one, day):
                        return {"lasting": 1.0}
        return {}

    def _cited(self, one: OwnFigure, near: OwnPlace) -> dict[str, float]:
        """Whether the order whose number stands beside it was placed then."""
        cited = self._named.between(
            max(near.span[0] - 4, one.start - _ID_NEAR), min(near.span[1] + 4, one.end + _ID_NEAR)
        )
        placed = [each for key, _ in cited if (each := self._sets.history.find(key)) is not None]
        if not placed:
            return {}
        fits = any(covers(one, each.day) for each in placed)
        return {
            f"cited_{'fits' if fits else 'differs'}": 1.0,
            "cited_alone": float(len(placed) == 1 and not fits),
        }

    def _outside(self, one: OwnFigure) -> dict[str, float]:
        if not isinstance(one.when, When) or not self._sets.days:
            return {}
        first, last = self._sets.days[0], self._sets.days[-1]
        told = one.when.year * 12 + (one.when.month or 6)
        now = self._today.year * 12 + self._today.month
        return {
            "ahead": float(told > now),
            "is_today": float(covers(one, self._today)),
            "too_early": float(one.when.year < first.year),
            "is_first": float(covers(one, first)),
            "is_last": float(covers(one, last)),
        }
