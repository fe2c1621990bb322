"""Whether two readers agree on an accusation: the one that makes it, and the last reader of figures, who looks for every explanation there is.

A figure whose thing stands right beside it, or in its row, is held against a record. One that is bound by less is held against what its own
rule thinks it may be, and `nothing comes to it` is only as sure as that rule knows all that may be meant. The last reader knows more ways and
reads every figure alike, by weights that know of no rule; how sure it has to be hangs on how often a kind was right where it was not.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import NamedTuple

from drr.eval.checks.base import Accusation
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.leftover.weighing import leftover_of
from drr.eval.checks.mentions import Mentions

VERSION = 2


class Agreement(NamedTuple):
    """How sure the last reader has to be that a figure is wrong."""

    least: float
    below: Certainty
    """Of what is bound by less than this; from there on the record speaks."""
    in_scope: float | None = None
    """Of what stands over or under the things that it is of, where it is another chance."""


AGREEMENTS: Mapping[str, Agreement] = {
    "price": Agreement(0.7, Certainty.ADJOINED),
    "stars": Agreement(0.4, Certainty.SENTENCE),
    "unit_cost": Agreement(0.5, Certainty.CELL),
    "sum": Agreement(0.88, Certainty.CELL, in_scope=0.5),
    "rest": Agreement(0.8, Certainty.CELL),
    "difference": Agreement(0.88, Certainty.CELL),
    "rest_told": Agreement(0.25, Certainty.CELL),
    "gap_told": Agreement(0.25, Certainty.CELL),
    "rated_nowhere": Agreement(0.2, Certainty.CELL),
}
"""By kind of statement. What that reader alone says of some cents is no accusation. Chosen on accusations as twelve writers' texts first met them; what each costs and saves stands in `benchmarks/RESULTS.md`."""


_TWO_TOGETHER = " stars from "
"""In the words of an accusation: a rating and how many gave it."""
_LISTED = frozenset({"item", "row", "heading"})


def disagreed(one: Accusation, mentions: Mentions) -> str | None:
    """Why an accusation is not sure enough for the last reader; `None` where it agrees, is not asked, or does not read the figure."""
    if one.kind == "left_unit_cost" and (leftover_of(mentions).value(one.span) or 0.0) < 1:
        return "so many cents are the cost of a part of something, and of what part no other reader says"
    asked = AGREEMENTS.get(one.kind or "")
    if asked is None or (one.bound or Certainty.INFERRED) >= asked.below:
        return None
    scoped = one.bound == Certainty.SCOPE
    if one.kind == "sum" and scoped and of_a_list(one.span[0], mentions):
        return None
    left = leftover_of(mentions)
    if one.kind == "rated_nowhere" and (left.explains_itself(one.span) or _TWO_TOGETHER in one.why):
        return None  # of so few ratings any stands twice, and two together are of one thing
    likely = left.chance(one.span)
    least = asked.in_scope if scoped and asked.in_scope is not None else asked.least
    if likely is None or likely >= least:
        return None
    return f"what else is in sight leaves a chance of {likely:.2f} only, and {least:.2f} is asked for of a figure bound by no name beside it"


def of_a_list(place: int, mentions: Mentions) -> bool:
    """Whether a total stands in a heading, an item or a row, or right beside some: what it is of is then set out, and not told."""
    lines, starts = mentions.layout.lines, mentions.layout.starts
    at = max(bisect_right(starts, place) - 1, 0)
    above = next((one.kind for one in reversed(lines[:at]) if one.text.strip()), "")
    return lines[at].kind in _LISTED or above in ("item", "row")
