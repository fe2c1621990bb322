"""How what is read generously comes among the findings of a rule."""

from __future__ import annotations

from collections.abc import Iterable

from drr.eval.checks.base import Accusation, CheckTally
from drr.eval.checks.certainty import Certainty


def add_told(tally: CheckTally, found: Iterable[Accusation]) -> None:
    """In the place of what another reader accuses there: that would still be weighed, and this is sure."""
    for one in list(found):
        for other in list(tally.accused):
            if other.span[0] < one.span[1] and one.span[0] < other.span[1] and other.kind != one.kind:
                tally.accused.remove(other)
                tally.failed -= 1
        if one.kind:
            tally.accuse(one.kind, one.span, one.why, one.bound or Certainty.SENTENCE)
