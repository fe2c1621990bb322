"""By how much one of two has more: `nine inches longer`, `1.5 ounces heavier`, held against what both records measure."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from drr.env.entities import Product
from drr.eval.checks.measures import MeasureSaid, measures_of
from drr.eval.checks.records import record_text

_NEAR = 0.04
"""By how much it may miss: units are turned into one another."""


def much_said(text: str) -> MeasureSaid | None:
    """The measure that a stretch ends with, if it is one of a unit."""
    found = measures_of(text.strip())
    return found[-1] if found and found[-1].unit else None


def is_turned(much: MeasureSaid, sign: int, a: Product, b: Product) -> bool | None:
    """Whether by so much the first has less where it is said to have more, in no measure as said; `None` where none of theirs differ by it."""
    gaps = [
        sign * (x.base - y.base)
        for x, y in product(_of_kind(a, much.kind), _of_kind(b, much.kind))
        if x.kind == y.kind
    ]
    if any(_is_near(gap, much.base) for gap in gaps):
        return False
    return True if any(_is_near(-gap, much.base) for gap in gaps) else None


def _of_kind(one: Product, kind: str) -> Iterable[MeasureSaid]:
    return (each for each in measures_of(record_text(one)) if each.kind == kind)


def _is_near(gap: float, much: float) -> bool:
    return abs(gap - much) <= _NEAR * much
