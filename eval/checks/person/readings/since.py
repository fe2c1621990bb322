"""Orders on one side of a day that a text names, or in a stretch of time: `dated April 19, 2019 ... Since then there have been seven more orders`, `six orders from 2018 to 2021`."""

from __future__ import annotations

import re

from drr.eval.checks.base import Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.person.readings.sets import Mask, OrderSets
from drr.eval.checks.person.stretches import stretches

_FROM_A_DAY = re.compile(
    r"\b(?:since|after(?:wards?)?|before(?:hand)?|until|till|then|later|earlier|following|follow(?:s|ed)?|previous|previously|prior|subsequent(?:ly)?|preced(?:e|es|ed|ing)|by\sthen|by\sthat\stime|up\sto|counting\s(?:it|from)|more)\b",
    re.I,
)
"""In a sentence: a count may be of the orders on one side of a day."""
_DAYS = 4
"""Days up to a sentence from which it may count."""


def sides_of_days(cast: Cast, sets: OrderSets, span: Span, at: int) -> list[Mask]:
    """All orders in each stretch of time that a sentence says; where it counts from a day, those before and behind each day that its line names up to its end, with it and without."""
    found = in_stretches(cast, sets, span)
    line = cast.prose.line_at(span[0])
    if line is None or not _FROM_A_DAY.search(cast.body, *span):
        return found
    for when in [one for one in cast.prose.dates(line.start, span[1]) if one.start != at][-_DAYS:]:
        then, later = sets.on(when), sets.after(when, sets.all)
        found += [later, later | then, sets.all & ~later, sets.all & ~(later | then)]
    return found


def in_stretches(cast: Cast, sets: OrderSets, span: Span) -> list[Mask]:
    said = stretches(cast.body, span, cast.prose.dates(*span), sets.history.today)
    return list(dict.fromkeys(sets.between(*one) for one in said))
