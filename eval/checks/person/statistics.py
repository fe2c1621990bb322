"""What the reader has spent and how often the reader has ordered, as said and as counted."""

from __future__ import annotations

import re

from drr.env.statistics import Share, UserStatistics
from drr.eval.checks.base import Check, CheckTally, Subject, unverifiable
from drr.eval.checks.figures import MoneyAmount, amounts, number
from drr.eval.checks.layout import sentences
from drr.eval.checks.mentions import Mentions, words

_COUNT = re.compile(
    r"(?P<near>(?:\b(?:over|more than|about|around|nearly|almost|roughly|some)\s+|~\s?)?)(?<![\w.$,#])(?P<n>\d{1,3}(?:,\d{3})+|\d+)\s+(?:(?:past|previous|total|lifetime|separate|different|earlier|prior|recorded)\s+)*(?:orders|purchases)\b|\b(?:orders|purchases|orders placed|number of orders|total orders)\**\s*(?:placed)?\s*[:|]\s*\**\s*(?P<m>\d[\d,]*)\b",
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


def statistics(subject: Subject, mentions: Mentions) -> Check:
    """Spend, counts and averages of the reader's history, computed again from the orders."""
    if subject.shop is None or subject.user_id is None:
        return unverifiable("no shop and user were given")
    known = subject.shop.store.statistics(subject.user_id)
    if known is None:
        return unverifiable(f"the shop has no user {subject.user_id}")
    tally = CheckTally()
    body = mentions.body
    for start, end in sentences(body):
        sentence = body[start:end]
        cites = any(
            m.url and m.url.startswith("user://")
            for m in subject.citations.markers
            if start <= m.start < end + 4
        )
        if not (_ABOUT_YOU.search(sentence) or cites):
            continue
        shares = _scope(known, sentence)
        _counts(tally, body, start, end, known, shares)
        _money(tally, body, start, end, known, shares, cites)
    return tally.check("the report states no figure of the user's history")


def _scope(known: UserStatistics, sentence: str) -> list[Share]:
    """The years, categories and stores that a sentence names."""
    flat = " " + " ".join(words(sentence)) + " "
    shares = [share for share in known.by_year if f" {share.name} " in flat]
    named_years = set(re.findall(r"\b(?:19|20)\d\d\b", sentence))
    shares += [
        Share(name=year, orders=0, spend=None)
        for year in named_years - {share.name for share in known.by_year}
    ]
    for share in (*known.by_category, *known.favourite_stores):
        name = " ".join(words(share.name.replace("_", " ")))
        plain = " ".join(word for word in name.split() if word != "and")
        if f" {name} " in flat or f" {plain} " in flat.replace(" and ", " "):
            shares.append(share)
    for status, count in known.by_status.items():
        if f" {status.casefold()} " in flat:
            shares.append(Share(name=status, orders=count, spend=None))
    return shares


def _counts(
    tally: CheckTally, body: str, start: int, end: int, known: UserStatistics, shares: list[Share]
) -> None:
    for match in _COUNT.finditer(body, start, end):
        said = number(match["n"] or match["m"])
        if re.search(r"\border\s*#?$", body[max(start, match.start() - 8) : match.start()], re.I):
            continue
        allowed = {known.orders, *(share.orders for share in shares)}
        near = bool((match["near"] or "").strip())
        if said in allowed or (near and any(abs(said - value) <= 0.05 * value + 1 for value in allowed)):
            tally.ok()
        else:
            expected = shares[0].orders if shares else known.orders
            tally.fail(match.span(), f"said {said:,.0f} orders, are {expected:,}")


def _money(
    tally: CheckTally,
    body: str,
    start: int,
    end: int,
    known: UserStatistics,
    shares: list[Share],
    cites: bool,
) -> None:
    sentence = body[start:end]
    for amount in amounts(body, start, end):
        before = body[max(start, amount.start - 60) : amount.start]
        after = body[amount.end : min(end, amount.end + 40)]
        around = before + after
        if _MEDIAN.search(around):
            _match(tally, amount, [known.price_quartiles[1]] if known.price_quartiles else [], "median price")
        elif _MEAN.search(around) and not _NOT_HISTORY.search(around):
            if re.search(r"\border|\bprice|\bitem|\bpurchase|\bspend", sentence, re.I):
                _match(
                    tally, amount, [known.mean_price] if known.mean_price is not None else [], "mean price"
                )
        elif _SPEND.search(around) and not _NOT_HISTORY.search(around):
            values = [share.spend for share in shares if share.spend is not None]
            values += [known.spend] if known.spend is not None else []
            if values or cites:
                _match(tally, amount, values, "spend")


def _match(tally: CheckTally, amount: MoneyAmount, values: list[float], what: str) -> None:
    if not values:
        tally.unclear(f"no {what} is known")
    elif any(
        amount.equals(value) or (amount.approx and abs(amount.value - value) <= 0.05 * value)
        for value in values
    ):
        tally.ok()
    else:
        tally.fail((amount.start, amount.end), f"said {what} ${amount.value:,.2f}, is ${values[0]:,.2f}")
