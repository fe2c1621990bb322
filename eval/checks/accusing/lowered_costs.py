"""What things cost where something is taken off: their lowered prices in a table, by a share that the question tells too, and what those come to per unit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from drr.env.entities import Product
from drr.eval.checks.cast import cast_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.money.ledger import MoneyLedger, ledger_of
from drr.eval.checks.money.packs import record_divisors
from drr.wording.numbers import SPOKEN, number_said

_LOWERED = re.compile(
    r"\b(?:coupons?|codes?|vouchers?|discount(?:s|ed)?|off|promos?|rebates?|sales?|reduced|lowered|you\spay|net)\b",
    re.I,
)
_TAKEN = re.compile(r"\b(?:sav(?:es?|ings?|ed)|less\sby|taken|value|amount\soff)\b", re.I)
"""In the head of a column of lowered prices, and of one of what is taken off."""
_SHARE = re.compile(rf"(?<![\w.,$])(?P<n>\d{{1,2}}(?:\.\d)?|{SPOKEN})[\s-]?(?:%|percent\b|per\scent\b)", re.I)
_MOST = 60


def of_a_lowered_price(mentions: Mentions, place: int) -> str | None:
    """`With the coupon it costs about $2.90 a gallon`: how a cost per unit comes about from the lowered price that a table tells of the thing that is meant; `None` where it does not."""
    ledger = ledger_of(mentions)
    figure = next((one for one in ledger.within(place, place + 1) if one.cue.kind == "unit"), None)
    if figure is None:
        return None
    meant = cast_of(mentions.subject, mentions).meant_at(figure.start, figure.end)
    for product, price in islice(_lowered(mentions, ledger), _MOST):
        if meant.only not in (None, product.product_id):
            continue
        for many in record_divisors(product, figure.cue.per, frozenset()):
            if figure.holds(price / many):
                return f"${price:,.2f}, the lowered price of {product.product_id}, by {many:g} comes to it"
    return None


def a_lowered_price(mentions: Mentions, place: int) -> str | None:
    """How a cell of lowered prices comes about from the price of its thing by a share that the text or its question says."""
    ledger = ledger_of(mentions)
    figure = next(iter(ledger.within(place, place + 1)), None)
    if figure is None:
        return None
    if (told := _by_its_head(mentions, figure)) is not None:
        return told
    product = _of_lowered(mentions, figure)
    if product is None:
        return None
    for text in (mentions.plain, mentions.subject.query or ""):
        for match in islice(_SHARE.finditer(text), _MOST):
            share = number_said(match["n"]) / 100
            if figure.holds((1 - share) * (product.price or 0.0)):
                return f"it is the price of {product.product_id} less {share:.0%}"
    return None


def _by_its_head(mentions: Mentions, figure: Figure) -> str | None:
    """`With your 10%`, `Incl. 7% tax`: a cell under a head that says a share, and is the price of its row's thing less or more that share."""
    product, label = _of_row(mentions, figure)
    if product is None:
        return None
    for match in islice(_SHARE.finditer(label), _MOST):
        share, price = number_said(match["n"]) / 100, product.price or 0.0
        if figure.holds((1 - share) * price) or figure.holds((1 + share) * price):
            return f"it is the price of {product.product_id} with {share:.0%} taken off or added"
    return None


def _of_row(mentions: Mentions, one: Figure) -> tuple[Product | None, str]:
    """The thing of a cell's row, and the head of its column."""
    if one.column is None:
        return None, ""
    label = mentions.tables.label(one.line, one.column[1], mentions.plain)
    key = mentions.tables.product_of(one.line, one.column[1])
    return mentions.subject.product(key) if key else None, label


def _lowered(mentions: Mentions, ledger: MoneyLedger) -> Iterator[tuple[Product, float]]:
    """Things, and what a cell of their row or column tells that they cost with something taken off."""
    for one in ledger.figures:
        product = _of_lowered(mentions, one)
        if product is not None:
            yield product, one.value


def _of_lowered(mentions: Mentions, one: Figure) -> Product | None:
    """The thing of whose price a cell tells what is left with something taken off."""
    product, label = _of_row(mentions, one)
    if one.void or _LOWERED.search(label) is None or _TAKEN.search(label):
        return None
    return product if product is not None and one.value < (product.price or 0.0) else None
