"""Days and years of which a text says that nothing was bought then, or that something would have been: `in 2020 you took a year off`, `another would have been due around May 2020`."""

from __future__ import annotations

import re

from drr.eval.checks.base import Span

_WOULD = re.compile(
    r"\b(?:would|should|could|might|(?-i:may)|if|unless|taking|suppos\w{1,6}|assum\w{1,4}|(?:is|are|be|been|was|were|fall(?:s|en)?|fell|come(?:s)?)\sdue|needs?|had\s(?:the|it|you|that|this|they|your))\b|['’]d\s(?:have|be|need|want|expect|run)\b",
    re.I,
)
"""What a day behind them is of need not have come."""
_DID = re.compile(
    r"(?<!have\s)(?<!['’]ve\s)\b(?:bought|ordered|purchased|reordered|placed|chose|picked up|got|received|came|arrived)\b",
    re.I,
)
"""Of what was indeed bought, also in a sentence of what would be."""
_ABSENT = re.compile(
    r"\b(?:years?\s(?:off|out|away)|off\s(?:years?|season)|(?:took|taken|take|takes|taking|had)\s(?:\w{1,9}\s){0,2}off|(?:sat|sit|sits|sitting)\s(?:\w{1,12}\s){0,3}out|skip(?:ped|s|ping)?|miss(?:ed|es|ing)?|empty|blank|bare|breaks?|paus(?:e|es|ed)|gaps?|quiet|dry|silent|silence|lulls?|hiatus|idle|inactive|absent|absence|zero|free\sof|lacks?|stays?\saway|stayed\saway|dormant|no|not|none|never|nothing|without|neither|nor)\b|n['’]t\b",
    re.I,
)
"""A clause with such a word may say that there was no order."""


def would_be(body: str, low: int, at: int) -> bool:
    """Whether the words of a sentence before a day say what would be, and no word of buying that comes between says that it was."""
    words = list(_WOULD.finditer(body, low, at))
    return bool(words) and _DID.search(body, words[-1].end(), at) is None


def may_be_empty(body: str, clause: Span) -> bool:
    """Whether a clause may say of its days and years that there was no order."""
    return _ABSENT.search(body, *clause) is not None
