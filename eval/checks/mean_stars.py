"""Stars that are the mean of several things: `their scores average 4.5 stars`."""

from __future__ import annotations

import re
from statistics import fmean

from drr.eval.checks.base import Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.makers import named_by
from drr.wording.tolerance import same_stars

_MEAN = re.compile(r"\b(?:averag(?:e|es|ed|ing)|means?)\b", re.I)
_OWN = re.compile(
    r"\b(?:ratings|reviews|votes|raters|reviewers|people|buyers)\b[\s,;:(—–-]{1,4}(?:that\s|which\s)?averag",
    re.I,
)
"""`Fifty ratings, averaging 3.9`: what one thing has."""


def is_mean_of_stars(cast: Cast, text: str, value: float, sentence: Span) -> bool:
    """Whether a sentence speaks of a mean, and a figure is that of what it names, or of all that the report names."""
    if _MEAN.search(text, *sentence) is None or _OWN.search(text, *sentence):
        return False
    for keys in (named_by(cast.within(*sentence)) & cast.products.keys(), cast.products.keys()):
        rated = [stars for key in keys if (stars := cast.products[key].average_rating) is not None]
        if len(rated) > 1 and same_stars(value, fmean(rated)):
            return True
    return False
