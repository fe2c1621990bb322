"""Shares that are taken off an amount or added to it: `10% off`, `should prices fall by a tenth`, `with 8% tax`."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from drr.eval.checks.base import Span
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.stats.intervals import Floats
from drr.wording.numbers import DIGITS, number_said

SHARED = frozenset({"price", "sum", "left_amount", "difference", "gap_told"})
"""Kinds of statements that such an amount may be taken for."""
TAKEN_OFF = re.compile(
    r"\b(?:off|discount\w*|fall\w*|drop\w*|come\sdown|came\sdown|cut|reduc\w*|coupon\w*|codes?|promo\w*|sale|tax\w*|surcharge|markup|tip|fees?|restock\w*|knock\w*|shav\w*|subscri\w*|sav\w+)\b",
    re.I,
)
"""In the sentence of such an amount."""
_FRACTIONS = {
    "tenth": 0.1,
    "eighth": 0.125,
    "sixth": 1 / 6,
    "fifth": 0.2,
    "quarter": 0.25,
    "third": 1 / 3,
    "half": 0.5,
}
_FRACTION = re.compile(rf"\b(?:an?|one|by|the)[\s-]({'|'.join(_FRACTIONS)})\b", re.I)
_PERCENT = re.compile(rf"(?<![\w.,$])(?P<n>{DIGITS})\s?(?:%|percent\b)", re.I)


def shares_said(held: HeldAgainst, span: Span, plain: str, question: str) -> list[float]:
    """Those of a stretch of a text, and of its question."""
    found = [one.value / 100 for one in held.said.within(span) if one.kind == "percent"]
    found += [number_said(match["n"]) / 100 for match in _PERCENT.finditer(question)]
    for each in (plain[slice(*span)], question):
        found += [_FRACTIONS[match[1].casefold()] for match in _FRACTION.finditer(each)]
    return [one for one in dict.fromkeys(found) if 0 < one < 1]


def with_shares(some: Sequence[float], shares: Sequence[float]) -> Floats:
    """What amounts come to less each share, more each share, and each share of them."""
    amounts = np.asarray(some, float)
    parts = [amounts * each for share in shares for each in (1 - share, share, 1 + share)]
    found: Floats = np.concatenate([amounts[:0], *parts])
    return found
