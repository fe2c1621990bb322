"""Rule: spend, counts and averages of the reader's history are those of the orders."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from drr.env.statistics import Share, UserStatistics
from drr.eval.checks.base import Check, CheckTally, Span, Subject, unverifiable
from drr.eval.checks.layout import sentences
from drr.eval.checks.mentions import Mentions, words
from drr.wording.hedges import HEDGES
from drr.wording.money import MoneyAmount, amounts
from drr.wording.numbers import WHOLE, number
from drr.wording.tolerance import about, same_count

_COUNT = re.compile(
    rf"(?P<near>{HEDGES.least}?)(?<![\w.$,#])(?P<n>{WHOLE})\s+(?:(?:past|previous|total|lifetime|separate|different|earlier|prior|recorded)\s+)*(?:orders|purchases)\b|\b(?:orders|purchases|orders placed|number of orders|total orders)\**\s*+(?:placed\s*+)?[:|]\s*+\**\s*+(?P<m>\d[\d,]*)\b",
    re.I,
)
_SPEND = re.compile(r"\bspen[dt]\b|\bspending\b|\bpaid\b|\blifetime value\b", re.I)
_MEAN = re.compile(r"\b(?:average|mean|typical)\b(?! rating| of \d(?:\.\d)? (?:stars|out))", re.I)
_MEDIAN = re.compile(r"\bmedian\b", re.I)
_ABOUT_YOU = re.compile(r"\b(?:you|your|you've|lifetime|order history|purchase history|profile)\b", re.I)
_NOT_HISTORY = re.compile(
    r"\b(?:budget|under|limit|plan|will|would|could|can|to spend|spend(?:ing)? (?:up to|at most|less|under|limit|cap)|if you|keep|stay|recommended)\b",
    re.I,
)


_AN_ORDERS_NUMBER = re.compile(r"\border\s*#?$", re.I)
_OF_ORDERS = re.compile(r"\border|\bprice|\bitem|\bpurchase|\bspend", re.I)


def statistics(subject: Subject, mentions: Mentions) -> Check:
    """Spend, counts and averages of the reader's history, computed again from the orders."""
    if subject.shop is None or subject.user_id is None:
        return unverifiable("no shop and user were given")
    known = subject.shop.store.statistics(subject.user_id)
    if known is None:
        return unverifiable(f"the shop has no user {subject.user_id}")
    tally = CheckTally()
    records = sorted(
        one.start for one in subject.citations.markers if one.url and one.url.startswith("user://")
    )
    for start, end in sentences(mentions.body):
        cites = bisect_left(records, start) < bisect_left(records, end + 4)
        if cites or _ABOUT_YOU.search(mentions.body[start:end]):
            said = _Sentence(mentions.body, (start, end), cites)
            shares = _shares_of(known, said.text)
            _compare_counts(tally, said, known, shares)
            for amount in amounts(said.body, start, end):
                _compare_amount(tally, said, amount, known, shares)
    return tally.check("the report states no figure of the user's history")


class _Sentence(NamedTuple):
    """A sentence about the reader's history."""

    body: str
    span: Span
    cites: bool
    """Whether it cites the reader's records."""

    @property
    def text(self) -> str:
        return self.body[slice(*self.span)]

    def around(self, amount: MoneyAmount) -> str:
        start, end = self.span
        before = self.body[max(start, amount.start - 60) : amount.start]
        return before + self.body[amount.end : min(end, amount.end + 40)]


def _shares_of(known: UserStatistics, sentence: str) -> list[Share]:
    """The years, categories, stores and states of orders that a sentence names."""
    flat = " " + " ".join(words(sentence)) + " "
    without_and = flat.replace(" and ", " ")
    shares = [share for share in known.by_year if f" {share.name} " in flat]
    named_years = set(re.findall(r"\b(?:19|20)\d\d\b", sentence))
    shares += [
        Share(name=year, orders=0, spend=None)
        for year in named_years - {share.name for share in known.by_year}
    ]
    for share in (*known.by_category, *known.favourite_stores):
        name = " ".join(words(share.name.replace("_", " ")))
        plain = " ".join(word for word in name.split() if word != "and")
        if f" {name} " in flat or f" {plain} " in without_and:
            shares.append(share)
    for status, count in known.by_status.items():
        if f" {status.casefold()} " in flat:
            shares.append(Share(name=status, orders=count, spend=None))
    return shares


def _compare_counts(
    tally: CheckTally, said: _Sentence, known: UserStatistics, shares: Sequence[Share]
) -> None:
    """Numbers of orders, against those of all orders and of what the sentence names."""
    allowed = {known.orders, *(share.orders for share in shares)}
    for match in _COUNT.finditer(said.body, *said.span):
        count = number(match["n"] or match["m"])
        if _AN_ORDERS_NUMBER.search(said.body[max(said.span[0], match.start() - 8) : match.start()]):
            continue
        near = bool((match["near"] or "").strip())
        if any(same_count(count, value, hedged=near) for value in allowed):
            tally.ok()
        else:
            expected = shares[0].orders if shares else known.orders
            tally.fail(match.span(), f"said {count:,.0f} orders, are {expected:,}")


def _compare_amount(
    tally: CheckTally, said: _Sentence, amount: MoneyAmount, known: UserStatistics, shares: Sequence[Share]
) -> None:
    """An amount that is said to be the median, the mean or the sum of what was paid."""
    around = said.around(amount)
    if _MEDIAN.search(around):
        _match(tally, amount, [known.price_quartiles[1]] if known.price_quartiles else [], "median price")
    elif _NOT_HISTORY.search(around):
        return
    elif _MEAN.search(around):
        if _OF_ORDERS.search(said.text):
            _match(tally, amount, _known(known.mean_price), "mean price")
    elif _SPEND.search(around):
        spends = _known(*(share.spend for share in shares), known.spend)
        if spends or said.cites:
            _match(tally, amount, spends, "spend")


def _known(*values: float | None) -> list[float]:
    return [value for value in values if value is not None]


def _match(tally: CheckTally, amount: MoneyAmount, values: Sequence[float], what: str) -> None:
    if not values:
        tally.unclear(f"no {what} is known")
    elif any(amount.equals(value) or (amount.approx and about(amount.value, value)) for value in values):
        tally.ok()
    else:
        tally.fail((amount.start, amount.end), f"said {what} ${amount.value:,.2f}, is ${values[0]:,.2f}")
