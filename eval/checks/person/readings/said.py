"""Counts as a report gives them of its reader's orders: the figure, and whether its sentence can speak of anything else."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from drr.eval.checks.base import Span, Subject
from drr.eval.checks.cast import Cast
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.person.claimed import is_claimed
from drr.eval.checks.residue import residue_of
from drr.wording.hedges import HEDGES
from drr.wording.numbers import SPOKEN, number_said

GAP = r"[\s*_]{1,3}"
"""Between words, with the marks of bold and italic ones."""
NO_FIGURE_BEFORE = r"(?<![\w.$,#€£/-])"
"""Before a count: it is no part of an amount, an id or a decimal."""


FEW_DIGITS = r"(?:\d{1,3}(?:,\d{3}){1,2}|\d{1,7})"
"""A count in digits; more of them are the number of an order."""


def counted(group: str) -> str:
    """A count in digits or words, as a part of an expression."""
    return rf"{NO_FIGURE_BEFORE}(?P<{group}>{FEW_DIGITS}|{SPOKEN})(?![\w%-]|[.,/]\d)"


COUNT = re.compile(
    rf"{NO_FIGURE_BEFORE}(?P<n>{FEW_DIGITS}|{SPOKEN}|once|twice)"
    r"(?P<times>[\s*_]{1,4}times\b(?!\s(?:as|more|the|a|that|its|your)\b))?(?![\w%-]|[.,/]\d|['’]|\s?%)",
    re.I,
)
_OFTEN = {"once": 1, "twice": 2}
_INEXACT = re.compile(
    r"\b(?:at least|at most|up to|more than|over|fewer than|less than|under|no more than|not|never|another|others?|last|latest|next|first|past|newest|than|between|within|every|each|per|from|least|most)[\s*_]{1,3}(?:the[\s*_]{1,3})?$",
    re.I,
)
"""Before a count that is a bound, or of some of them only."""
_DEFINITE = re.compile(
    r"\b(?:your|his|her|their|my|our|the|these|those|all|its|[a-z]+['’]s)[\s*_]{1,3}$", re.I
)
"""Before a count of what is known already: `in your 237 orders`."""
_UNREAL = re.compile(r"\b(?:next|one\smore|would|will|could|can|should|might|(?-i:may)|plan)\b", re.I)
"""In a clause: what it counts is not so yet."""
_OF_OTHERS = re.compile(
    r"\b(?:if|average|typically|ratings?|rated|reviews?|reviewers|buyers|people|stars?|market|industry|survey|americans?|worldwide|households|national|retailers?|shoppers|customers|shop (?:has|sells|lists|carries)|"
    r"i (?:looked|compared|considered|checked|found|weighed)|catalogue|in stock|sells|on sale|suggest|recommend|picks?|options|choices|budget|left over)\b|\$\d[\d.,]* for\b|\?",
    re.I,
)
"""In a sentence: it may count something else than orders."""
_YOURS = re.compile(
    r"\b(?:you|your|yours|you['’]ve|history|account|on record|on file|the record|records)\b", re.I
)
_ASKED = re.compile(
    r"\b(?:i|i['’]ve)\s(?:\w{1,12}\s)?(?:bought|ordered|purchased|buy|order)\b|\bmy\s(?:\w{1,12}\s)?(?:orders?|history|purchases|account|record)\b",
    re.I,
)
_LEFT_OUT = re.compile(
    r"\b(?:apart\sfrom|aside\sfrom|other\sthan|except(?:\sfor)?|excluding|besides|without|(?:everything|anything|all|nothing)\sbut|not|the\srest)\b|n['’]t\b",
    re.I,
)
_SO_FAR = 1500
"""Characters before a sentence in which the reader was spoken to."""
_MOST = 20
"""Counts that are read of a sentence."""


class SaidCount(NamedTuple):
    """A count as it is said."""

    value: int
    start: int
    end: int
    hedged: bool
    times: bool
    """How often, not how many."""


class SaidCounts:
    """Reads the sentences of one report."""

    def __init__(self, subject: Subject, mentions: Mentions, cast: Cast, orders: int) -> None:
        self._body = cast.body
        self._cast = cast
        self._residue = residue_of(mentions)
        self._called = subject.user.first_name if subject.user else "you"
        self._asked = _ASKED.search(subject.query or "") is not None
        self._whole = re.compile(
            rf"(?<![\w.,$]){orders:,}\s(?:orders|purchases|parcels)\b|\borders[^.\d\n]{{0,20}}:[\s*_]{{0,4}}{orders:,}(?![\d,])",
            re.I,
        )

    def speaks_of_orders(self, span: Span) -> bool:
        """Whether a sentence can only speak of what the reader did: nothing in it is a condition, another's or of the web."""
        return (
            _OF_OTHERS.search(self._body, *span) is None
            and self._residue.doubt(span, ("conditional", "pace", "unreal")) is None
            and not self._residue.cites_the_web(span)
            and self._is_own(span)
        )

    def _is_own(self, span: Span) -> bool:
        """Whether the reader is spoken to, asked for his orders, or all of them are counted."""
        low = max(0, span[0] - _SO_FAR)
        return (
            self._asked
            or self._body.find(self._called, low, span[1]) >= 0
            or bisect_left(self._yours, low) < bisect_left(self._yours, span[1])
            or self._whole.search(self._body, low, span[1]) is not None
        )

    @cached_property
    def _yours(self) -> list[int]:
        """Where the reader is spoken to."""
        return [match.start() for match in _YOURS.finditer(self._body)]

    def leaves_out(self, span: Span) -> bool:
        """`Everything but the hoses`: what a count is of may be all the others."""
        return _LEFT_OUT.search(self._body, *span) is not None

    def within(self, span: Span) -> Iterator[SaidCount]:
        days = [(one.start, one.end) for one in self._cast.prose.dates(*span)]
        days += [(one.start, one.end) for one in self._cast.prose.days_of_year(*span)]
        found = 0
        for match in COUNT.finditer(self._body, *span):
            value = count_value(match["n"])
            before = self._body[max(span[0], match.start() - 28) : match.start()]
            if value < 2 or (1900 <= value <= 2100 and "," not in match["n"]):
                continue
            if _INEXACT.search(before) or _DEFINITE.search(before):
                continue
            if is_claimed(self._body, span[0], match.start()):
                continue
            if any(low <= match.start("n") < high for low, high in days):
                continue
            if _UNREAL.search(self._body, *self._cast.prose.clause_at(match.start())):
                continue
            often = match["times"] is not None or match["n"].casefold() in _OFTEN
            yield SaidCount(value, *match.span(), HEDGES.before.search(before) is not None, often)
            found += 1
            if found == _MOST:
                return


def count_value(text: str) -> int:
    if text.casefold() in _OFTEN:
        return _OFTEN[text.casefold()]
    return int(number_said(text))
