"""Whether a day is the first or the last of some orders, and a year that with the most, where the words beside it call it so."""

from __future__ import annotations

from drr.eval.checks.considered.own_near import OwnNear
from drr.eval.checks.considered.own_said import OwnFigure, covers
from drr.eval.checks.person.readings.sets import Mask


class OwnEnds:
    """Of one report."""

    def __init__(self, near: OwnNear) -> None:
        self._near, self._sets = near, near.sets
        self._tallies: dict[Mask, dict[int, int]] = {}

    def of_time(self, one: OwnFigure, tiers: dict[str, list[Mask]], words: set[str]) -> dict[str, float]:
        """Whether it is the first or the last of what is near, where the words beside it say so."""
        found: dict[str, float] = {}
        for cue, at in (("first", 0), ("last", -1)):
            if cue not in words:
                continue
            held = False
            for name in ("before_plain", "before", "behind", "sentence", "above", "report"):
                ends = [days[at] for mask in tiers[name] if (days := tuple(self._near.days([mask])))]
                fits = any(covers(one, day) for day in ends)
                held |= fits
                if ends:
                    found[f"{cue}_{'is' if fits else 'not'}_{name}"] = 1.0
            whole = bool(self._sets.days) and covers(one, self._sets.days[at])
            found[f"{cue}_of_all"] = float(whole)
            found[f"{cue}_of_nothing"] = float(not held and not whole)
        return found

    def of_year(
        self, one: OwnFigure, tiers: dict[str, list[Mask]], words: set[str], counts: set[int]
    ) -> dict[str, float]:
        """Whether it is the year with the most, where the words beside it say so."""
        year = int(one.value)
        found = self._told(year, tiers, counts)
        masks = {
            "all": self._sets.all,
            "before": (tiers["before"] or [0])[0],
            "sentence": (tiers["sentence"] or [0])[0],
        }
        for name, mask in masks.items():
            tally = self._tally(mask)
            if not tally:
                continue
            most = max(tally.values())
            is_top = tally.get(year, 0) == most
            if "most" in words:
                found[f"most_{'is' if is_top else 'not'}_{name}"] = 1.0
            if name == "all" and "least" in words:
                found[f"least_{'is' if tally.get(year, 0) == min(tally.values()) else 'not'}"] = 1.0
            if "none" in words:
                found[f"empty_{'is' if not tally.get(year) else 'not'}_{name}"] = 1.0
        return found

    def _told(self, year: int, tiers: dict[str, list[Mask]], counts: set[int]) -> dict[str, float]:
        """Whether a count of its sentence is that of its orders, of all or of what is named."""
        if not counts:
            return {}
        own = self._tally(self._sets.all).get(year, 0)
        some = {
            self._tally(mask).get(year, 0) for name in ("sentence", "above") for mask in tiers[name][:12]
        } - {0}
        found = {
            "year_counted": 1.0,
            "year_count_is": float(own in counts),
            "year_count_of_some": float(bool(some & counts)),
        }
        found["year_count_of_nothing"] = float(own not in counts and not some & counts)
        others = {many for each, many in self._tally(self._sets.all).items() if each != year}
        found["year_count_of_another"] = float(own not in counts and bool(others & counts))
        return found

    def _tally(self, mask: Mask) -> dict[int, int]:
        if mask not in self._tallies:
            found: dict[int, int] = {}
            for day in self._near.days([mask]):
                found[day.year] = found.get(day.year, 0) + 1
            self._tallies[mask] = found
        return self._tallies[mask]
