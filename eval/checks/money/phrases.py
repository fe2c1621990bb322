"""The words that stand around a sum: totals, limits, charges, phases, and what is not bought."""

from __future__ import annotations

import re

from drr.eval.checks.layout import TextLine
from drr.wording.money import MoneyAmount
from drr.wording.numbers import cardinals, number_of

TOTAL = re.compile(
    r"\b(?:(?:sub|grand[ -]?)?totals?|sum|altogether|all in all|in all|adds? up to|comes? (?:out )?to|come in at|overall cost|combined cost|whole (?:set|plan|order) costs?)\b|总计|合计|小计",
    re.I,
)
OPTIONAL = re.compile(
    r"\b(?:optional|alternative(?:ly)?|instead|or,? if|not included|elsewhere|another option|if you (?:prefer|want|need)|swap|skip(?:ped)?|left out|consider later|upgrade (?:pick|option)|runner[- ]up|backup (?:pick|option))\b",
    re.I,
)
NO_PART = re.compile(
    r"\b(?:budget|remaining|left over|leftover|difference|under budget|savings?|reserve|cushion|buffer|unspent|limit|spare)\b",
    re.I,
)
"""Of a line that holds an amount which is nobody's price."""
LIMITED = re.compile(
    r"\b(?:under|up to|budget|max(?:imum)?|below|within|less than|limit|cap|over|from|spend|saving)\b", re.I
)
"""Before an amount: it is a limit or a beginning."""
_LIMIT_BEFORE = re.compile(
    r"(?:\b(?:under|up to|budget(?: of| is|:)?|max(?:imum)?(?: of)?|below|within|less than|no more than|at most|limit(?: of)?|cap(?: of)?|of your|your|the|over|above|exceed\w*|keep\w*|stay\w*|leav\w+|saves?|saving|remaining:?|left:?|by|than|spare)\s*(?:\*\*|about |around )?)$",
    re.I,
)
LIMIT_AFTER = re.compile(
    r"^\s*(?:budget|limit|cap|ceiling|max|allowance|spending|to spare|remaining|left|under|below|over)\b",
    re.I,
)
_PHASE = re.compile(
    rf"\b(?P<kind>phase|month|stage|step|week|part)\s*#?(?P<n>\d{{1,2}}|{cardinals(1)})\b", re.I
)


def is_limit(body: str, amount: MoneyAmount, line: TextLine) -> bool:
    """Whether the words beside an amount make it a limit, a rest or a difference."""
    before = body[max(line.start, amount.start - 24) : amount.start]
    return (
        _LIMIT_BEFORE.search(before) is not None
        or LIMIT_AFTER.match(body[amount.end : amount.end + 14]) is not None
    )


def phase_of(text: str) -> str | None:
    """`month 2`, of the first phase that a text names."""
    match = _PHASE.search(text)
    if match is None:
        return None
    return f"{match['kind'].casefold()} {number_of(match['n'])}"
