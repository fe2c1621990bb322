"""What else a count of own orders may be: one said again, what is left of a whole, more than what was named, more than another year has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from drr.eval.checks.considered.own_near import OwnNear
from drr.eval.checks.considered.own_said import COUNTED, OwnFigure

_AGAIN = re.compile(r"\b(?:the|those|these|all|all\sof\sthe|them|its|your)[\s*_]{1,3}$", re.I)
_MORE = re.compile(
    r"[\s*_]{1,3}(?:(?:new|separate|such)\s)?(?:more|others?|further|additional|earlier|previous|later|later\sones|extra|follow\w*|reorders?|repeats?)\b",
    re.I,
)
_DIFFERENCE = re.compile(
    r"[\s*_]{1,3}(?:orders?\s)?(?:(?:more|fewer|less)[\s*_]{1,3}(?:orders?\s)?than|ahead|behind|above|below|up|down|short\sof)\b",
    re.I,
)
_REST = re.compile(
    r"\b(?:rest|remain\w{0,7}|others?|left(?!\s(?:it|them|out|this|that|these|off)\b)|leaves?|leaving|balance|elsewhere)\b",
    re.I,
)
_WIDE, _PARTS = 12, 8
_POOLS = ("named", "sentence", "above")


class OwnMeant:
    """Of one report."""

    def __init__(self, near: OwnNear, plain: str) -> None:
        self._sets, self._plain = near.sets, plain
        years = [day.year for day in self._sets.days]
        self._by_year = {year: years.count(year) for year in years}

    def fits(
        self,
        one: OwnFigure,
        clause: tuple[int, int],
        around: Sequence[OwnFigure],
        pools: Mapping[str, set[int]],
    ) -> bool:
        value = int(one.value)
        before = [int(each.value) for each in around if each.kind in COUNTED and each.end <= one.start][
            -_WIDE:
        ]
        return (
            (value in before and _AGAIN.search(self._plain, max(0, one.start - 16), one.start) is not None)
            or self._is_more(value, one.end, before, pools)
            or self._is_difference(value, one.end)
            or (_REST.search(self._plain, *clause) is not None and value in self._rests(before))
        )

    def _is_more(self, value: int, end: int, before: Iterable[int], pools: Mapping[str, set[int]]) -> bool:
        """`the first was the lamp; seven more have followed`: with what was named, or counted before."""
        if not _MORE.match(self._plain, end):
            return False
        known = {size for name in _POOLS for size in pools.get(name, ())}
        return any(value + each in known for each in {1, *before})

    def _is_difference(self, value: int, end: int) -> bool:
        """`2021 with six orders, four more than 2015`"""
        if not _DIFFERENCE.match(self._plain, end):
            return False
        counts = {0, *self._by_year.values()}
        return any(value + each in counts for each in counts)

    def _rests(self, before: Sequence[int]) -> set[int]:
        """What is left of all orders, or of a count, without those that were counted before."""
        parts = before[-_PARTS:]
        sums = {sum(some) for size in range(1, 5) for some in combinations(parts, size)}
        return {whole - each for whole in (len(self._sets.orders), *before) for each in sums}
