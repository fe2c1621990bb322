"""Figures that follow from others: a sum, a difference, a product, a share or a ratio of two that a text states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from drr.wording.figures import Number
from drr.wording.tolerance import HEDGED

_MOST = 24
"""Different figures of a text that are combined: of more, something always comes to anything."""
_FACTORS = (2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 10.0, 12.0, 24.0, 30.0, 52.0, 60.0, 100.0, 365.0, 1000.0)
"""Twice, a year's months, an hour's minutes, ...; also their inverse."""


def follows(claimed: Number, stated: Sequence[Number]) -> bool:
    """Whether the figure is what two stated ones come to, or a usual multiple or part of one."""
    values = list(dict.fromkeys(one.value for one in stated))[:_MOST]
    return any(abs(abs(result) - claimed.value) <= _slack(claimed) for result in _results(values))


def _slack(claimed: Number) -> float:
    rounding = 0.5 * 10**-claimed.decimals if claimed.decimals else 1e-6
    share = HEDGED if claimed.hedged else 0.005
    return max(rounding, share * abs(claimed.value) if claimed.decimals or claimed.hedged else rounding)


def _results(values: Sequence[float]) -> Iterator[float]:
    for a, b in permutations(values, 2):
        yield from (a + b, a - b, a * b)
        if b:
            yield from (a / b, 100 * a / b, 100 * (a - b) / b)
    for value in values:
        for factor in _FACTORS:
            yield from (value * factor, value / factor)
        if value < 100:
            yield 100 - value
