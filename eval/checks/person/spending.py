"""Amounts that a report gives of the reader's history: what was spent, and the mean, the median and the quartiles of prices."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import mean, median

from drr.env.statistics import Share, UserStatistics
from drr.eval.checks.base import CheckTally, Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.wording.doubts import DOUBTS
from drr.wording.money import MoneyAmount, amounts
from drr.wording.numbers import SPOKEN, WHOLE, number_said
from drr.wording.tolerance import about

_CUES = {
    "median price": re.compile(r"\bmedian\b|\bmiddle\b(?! half)|\bmidpoint\b", re.I),
    "mean price": re.compile(
        r"\b(?:average[sd]?|averaging|mean)\b(?! rating| of \d(?:\.\d)? (?:stars|out))", re.I
    ),
    "quartile": re.compile(
        r"\bquartiles?\b|\bthree[- ]quarters\b|\bthree (?:out )?of four\b|\bhalf of\b|\bmiddle half\b|\bupper end\b",
        re.I,
    ),
    "spend": re.compile(r"\b(?:spen[dt]|spending|paid|lifetime value)\b", re.I),
}
_OF_ORDERS = re.compile(r"\border|\bprice|\bitem|\bpurchase|\bspend|\bbuy|\bbought", re.I)
_YOURS = re.compile(r"\byour(?: own| usual)?\s(?:average |mean )?(?:of )?$", re.I)
_NOT_HISTORY = re.compile(
    r"\b(?:budget|under|limit|plan|will|would|could|can|to spend|spend(?:ing)? (?:up to|at most|less|under|limit|cap)|if you|keep|stay|recommended|"
    r"households?|famil(?:y|ies)|americans?|survey|association|people|shoppers|elsewhere|typical(?:ly)? retail)\b",
    re.I,
)
_ELSEWHERE = re.compile(r"https?://|\[\^?[a-z0-9]{1,3}\](?!\()")


def compare_spending(
    tally: CheckTally,
    cast: Cast,
    span: Span,
    known: UserStatistics,
    shares: Sequence[Share],
    asked: Sequence[float],
    *,
    cites: bool,
) -> None:
    """Each amount of a sentence about the history: by the figure that the words beside it name, else by any that there is."""
    for amount in amounts(cast.body, *span):
        before = cast.body[max(span[0], amount.start - 60) : amount.start]
        behind = cast.body[amount.end : min(span[1], amount.end + 40)]
        what = _what(before, behind)
        if what is None:
            continue
        if what == "mean price" and not (_OF_ORDERS.search(cast.body, *span) or _YOURS.search(before)):
            continue
        values = _values(what, known, shares)
        if _fits(amount, values):
            tally.ok()
        elif any(amount.equals(one) for one in asked):
            continue  # a limit of the question
        elif _NOT_HISTORY.search(before + behind) or (_ELSEWHERE.search(cast.body, *span) and not cites):
            continue
        elif what in _SINGLE and _is_of_some(cast, amount, span, known):
            tally.unclear(f"the {what} ${amount.value:,.2f} is of some things, not of all orders")
        elif not values:
            tally.unclear(f"no {what} is known")
        elif _fits(amount, _all_values(known)) and not (what in _SINGLE and _is_beside(what, before, behind)):
            tally.ok()
        elif _fits(
            amount, [one.price for one in cast.products.values() if one.price is not None]
        ) and not _is_beside(what, before, behind):
            tally.unclear(f"${amount.value:,.2f} may be a price")
        elif what != "spend" or shares or known.spend is not None or cites:
            why = f"said {what} ${amount.value:,.2f}, is ${values[0]:,.2f}"
            bound = Certainty.CLAUSE if _is_beside(what, before, behind) else Certainty.SENTENCE
            told = DOUBTS.doubts(cast.body[slice(*span)])
            doubt = next((told[one] for one in ("conditional", "altered", "charged") if one in told), None)
            doubt = None if doubt is None else f"{doubt!r} may speak of something else"
            tally.accuse("spending", (amount.start, amount.end), why, bound, doubt)


_SINGLE = ("median price", "mean price")
"""Figures of which there is one; beside such a word stands no other."""


_NUMBERED = re.compile(
    rf"\b(?:the|these|those|all|of|your|its|our|my)[\s*_]{{1,3}}(?P<n>{WHOLE}|{SPOKEN})\b(?![.,]\d|[\s*_]{{0,3}}(?:%|percent|years?|months?|weeks?|days?)\b)|\bboth\b",
    re.I,
)
"""So many things of which a mean may be: `the four average $21.99`."""


def _is_of_some(cast: Cast, amount: MoneyAmount, span: Span, known: UserStatistics) -> bool:
    """Whether amounts before it or behind it have this mean, or its clause, with what stands right before, counts what it is of, and these are not all orders, nor all with a price."""
    if amount.start in _of_a_list(cast.body, _from_its_line(cast, span)):
        return True
    _, high = cast.prose.clause_at(amount.start)
    every = (known.orders, known.orders - known.orders_without_price, known.items)
    counted = _NUMBERED.finditer(cast.body, max(span[0], amount.start - _NEAR), min(high, span[1]))
    return any(one["n"] is None or number_said(one["n"]) not in every for one in counted)


def _from_its_line(cast: Cast, span: Span) -> Span:
    """A sentence with what its line says before it."""
    line = cast.prose.line_at(span[0])
    return (span[0] if line is None else max(line.start, span[0] - _BACK)), span[1]


def _of_a_list(body: str, span: Span) -> set[int]:
    """Where amounts stand of which one is the mean, or the median, of those listed right before it or behind it."""
    some = list(amounts(body, *span))[:_MANY]
    found: set[int] = set()
    for at, said in enumerate(some):
        before, behind = some[max(0, at - _LISTED) : at], some[at + 1 : at + 1 + _LISTED]
        runs = [before[-many:] for many in range(2, len(before) + 1)]
        runs += [behind[:many] for many in range(2, len(behind) + 1)]
        for run in runs:
            values = [one.value for one in run]
            if _fits(said, [mean(values), median(values)]):
                found |= {said.start, *(one.start for one in run)}
    return found


_MANY = 40
_LISTED = 12
_BACK, _NEAR = 900, 60
"""Amounts of a list that are looked into."""


def _all_values(known: UserStatistics) -> list[float]:
    shares = (*known.by_category, *known.by_year, *known.favourite_stores)
    return [value for one in _CUES for value in _values(one, known, shares)]


def _what(before: str, behind: str) -> str | None:
    """Which figure the nearest word names."""
    found = [
        (len(before) - match.end(), what) for what, cue in _CUES.items() for match in cue.finditer(before)
    ]
    close = re.split(r"[,;.$]|\bwith\b|\band\b", behind, maxsplit=1)[0]
    found += [(match.start() + 1, what) for what, cue in _CUES.items() if (match := cue.search(close))]
    return min(found)[1] if found else None


def _is_beside(what: str, before: str, behind: str) -> bool:
    """Whether nothing but a few words stands between the word and the amount."""
    match = max(_CUES[what].finditer(before), key=lambda one: one.end(), default=None)
    if match is not None and "$" not in before[match.end() :] and len(before) - match.end() <= 16:
        return True
    close = re.split(r"[,;.$]|\bwith\b|\band\b", behind, maxsplit=1)[0]
    behind_it = _CUES[what].search(close)
    return behind_it is not None and behind_it.start() <= 12


def _values(what: str, known: UserStatistics, shares: Sequence[Share]) -> list[float]:
    quartiles = list(known.price_quartiles or ())
    if what == "median price":
        return quartiles[1:2]
    if what == "quartile":
        return quartiles
    if what == "mean price":
        return [] if known.mean_price is None else [known.mean_price]
    return [one for one in (*(share.spend for share in shares), known.spend) if one is not None]


def _fits(amount: MoneyAmount, values: Sequence[float]) -> bool:
    return any(amount.equals(value) or (amount.approx and about(amount.value, value)) for value in values)
