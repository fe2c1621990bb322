"""Accusations of figures that the last reader of figures finds well explained: they are not made."""

from __future__ import annotations

from drr.eval.checks.accusing.traits import MONEY, RATED
from drr.eval.checks.base import Accusation
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.leftover.weighing import Leftover

VERSION = 1
_READ = MONEY | RATED | {"measure", "anchored"}
"""Counts and days of a history are small whole numbers, which nearly always something comes to."""
EXPLAINED = 0.15
"""The chance of being wrong below which a figure is explained. What it costs and saves stands in `benchmarks/RESULTS.md`."""


def is_explained(one: Accusation, left: Leftover) -> bool:
    """Whether something else in sight comes to an accused figure. It says nothing of one that stands twice and so explains itself, of a rating right
    beside its name, since so few ratings there are that any would be explained, nor of a sum whose own rows stand there."""
    if one.kind not in _READ:
        return False
    bound = one.bound or Certainty.INFERRED
    if (one.kind in RATED and bound >= Certainty.ADJOINED) or left.explains_itself(one.span):
        return False
    if one.kind == "sum" and bound in (Certainty.SCOPE, Certainty.CELL):
        return False
    likely = left.chance(one.span)
    return likely is not None and likely < EXPLAINED
