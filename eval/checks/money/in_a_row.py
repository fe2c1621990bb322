"""Marks and links that stand in a row, `[1][2]` or `([one], [two])`: what stands beside them is of all, and no single one's price."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from drr.eval.checks.mentions import ProductReference

_BETWEEN = re.compile(r"[\s,;]{0,3}")
"""Between two marks that stand side by side."""
_MARKS = 4
_LONGEST_LIST = 400
"""Characters of a parenthesis that lists links."""


class InARow:
    def __init__(self, plain: str, named: Sequence[ProductReference]) -> None:
        self._plain, self._named = plain, named
        self._starts = [one.start for one in named]

    def is_one_of_several(self, one: ProductReference | None) -> bool:
        """Whether a mark or a link that leads nothing stands in a row with those of other products."""
        if one is None or one.leads:
            return False
        return self._in_parenthesis(one) or self._beside_another(one)

    def _in_parenthesis(self, one: ProductReference) -> bool:
        if self._plain[max(0, one.start - 1)] != "(":
            return False
        end = self._plain.find(")", one.end, one.start + _LONGEST_LIST)
        inside = self._named[bisect_left(self._starts, one.start) : bisect_left(self._starts, end)]
        return len({each.product_id for each in inside}) > 1

    def _beside_another(self, one: ProductReference) -> bool:
        at = bisect_left(self._starts, one.start)
        beside = self._named[max(0, at - 1) : at + _MARKS]
        others = [each for each in beside if each.product_id != one.product_id and not each.leads]
        between = ((min(each.end, one.end), max(each.start, one.start)) for each in others)
        return any(low >= high or _BETWEEN.fullmatch(self._plain, low, high) for low, high in between)
