"""The limits that a verdict may be on: those of the question, and those that the report names."""

from __future__ import annotations

import re

from drr.eval.checks.base import Subject
from drr.eval.checks.money.ledger import MoneyLedger
from drr.wording.limits import thresholds
from drr.wording.money import every_amount
from drr.wording.numbers import SPOKEN, number_said

_MOST_LIMITS = 8
_LEAST = 10
PER = re.compile(
    r"[\s*_]{0,4}(?:(?:(?:or less |at most |max |maximum |tops )?(?:per|an?|each|apiece)|for (?:each|every))\b|/)",
    re.I,
)
_ASKED = re.compile(
    r"\b(?:under|below|within|up to|at most|max(?:imum)?|less than|no more than|spend|budget|limit|cap|ceiling|for|have)\b[\s:=]{1,3}(?:of\s|is\s)?(?P<n>\d{2,5})(?=\s*(?:$|[.,;?!)]|dollars|bucks|for|total|together|altogether|overall|please|and|in all|all in|if)(?!\d))"
    rf"|\b(?:under|below|within|up to|at most|max(?:imum)?|less than|no more than|spend|budget|limit|cap|ceiling)\b[\s:=]{{1,3}}(?:of\s|is\s)?(?P<said>{SPOKEN})(?=\s*(?:$|[.,;:?!)]|total|together|altogether|overall|please|in all|all in))"
    r"|(?<![\w$.,])(?P<tops>\d{2,5})\s(?:tops|max|or less|budget|limit|bucks|dollars)\b",
    re.I,
)
"""In a question, a limit without a sign."""
_OF_THE = re.compile(r"\b(?:of|from) (?:the|your|my|our|that)\s$", re.I)
_SHADE_UNDER = re.compile(
    r"\b(?:shade|hair|touch|bit|whisker|little|just|slightly|fraction|cents?|dollars?|\d)\s(?:under|below|over|above|past)\s[*_]{0,3}$",
    re.I,
)
"""Before an amount: it is no limit but about so much."""


_PRICED_BEFORE = re.compile(
    r"(?:(?P<of>\b(?:the|that|this|my|your|our|his|her|their)\s)|\b(?:paid|costs|charged|was|were|listed\sat|bought\s(?:it|one|them)\s(?:for|at))\s(?:me\s|us\s)?)$",
    re.I,
)
"""Before an amount of a question: it is what something costs or has cost."""
_A_THING = re.compile(
    r"\s(?!(?:budget|limit|cap|ceiling|max(?:imum)?|allowance|gift|card|cash|money|savings|funds?|bonus|rebate|plan|project|kit|basket|order|voucher|credit|coupon|certificate|mark|line|range|threshold|bill|note|refund|i|we|you|he|she|they|that|which|is|was|will|would|has|can|in|for|to|on|of|from|or|and|left|more|less|total|spend(?:ing)?)\b)[a-z]",
    re.I,
)
"""Behind `the $62.99`: a thing that costs it."""
_OF_LIMITS = re.compile(r"\b(?:budget|limit|cap|ceiling|max(?:imum)?|allowance|most)\b", re.I)


def prices_asked(query: str) -> frozenset[float]:
    """Amounts of a question that are prices and limit nothing: `the $62.99 stud finder`, `I paid $62.99`."""
    found = ((one, _PRICED_BEFORE.search(query[: one.start])) for one in every_amount(query))
    return frozenset(
        one.value
        for one, before in found
        if before is not None
        and (
            _A_THING.match(query, one.end)
            if before["of"]
            else not _OF_LIMITS.search(query, 0, before.start())
        )
    )


def limits_told(subject: Subject, ledger: MoneyLedger, plain: str) -> tuple[list[float], list[float]]:
    """What the question and the report set as limits on a cost, and those that are on each of something."""
    query = subject.query or ""
    priced = prices_asked(query)
    amounts = [one for one in every_amount(query) if one.value not in priced]
    each = [one.value for one in amounts if PER.match(query, one.end)]
    found = [one.value for one in amounts if not PER.match(query, one.end)]
    found += limits_without_sign(query)
    demands = subject.demands
    if demands is not None:
        asked = (demands.total_max, demands.item_max, demands.month_max)
        found += [one for one in asked if one is not None and one not in each]
    for one in ledger.figures:
        about = _SHADE_UNDER.search(plain, max(0, one.start - 40), one.start)
        if (
            one.value >= 1
            and not one.void
            and not one.elsewhere
            and not about
            and (one.cue.kind == "limit" or _OF_THE.search(plain, max(0, one.start - 12), one.start))
        ):
            (each if PER.match(plain, one.end) else found).append(one.value)
    return list(dict.fromkeys(found))[:_MOST_LIMITS], list(dict.fromkeys(each))[:_MOST_LIMITS]


def limits_without_sign(query: str) -> list[float]:
    """What a question sets as a limit and writes without a sign: `below 50`."""
    signed = bool(every_amount(query))
    said = (
        match["n"] or match["tops"] or match["said"]
        for match in _ASKED.finditer(query)
        if not (signed and match["said"])
    )
    return [value for value in map(number_said, said) if value >= _LEAST]


def floors_told(subject: Subject, plain: str) -> frozenset[float]:
    """What is to be reached: the least that the question wants spent, and what an offer asks for. What clears or misses it has no cost to keep to."""
    found = {*thresholds(subject.query or ""), *thresholds(plain)}
    demands = subject.demands
    if demands is not None:
        found |= {one for one in (demands.total_min, demands.item_min) if one is not None}
        found -= {one for one in (demands.total_max, demands.item_max, demands.month_max) if one is not None}
    return frozenset(found)
