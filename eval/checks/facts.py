"""Rule: what is said to be a product's price is its price."""

from __future__ import annotations

import re

from drr.eval.checks.base import Check, CheckTally, Subject, unverifiable
from drr.eval.checks.layout import TextLine
from drr.eval.checks.mentions import Mention, Mentions
from drr.eval.checks.money.ledger import ledger_of
from drr.wording.money import MoneyAmount, amounts
from drr.wording.numbers import cardinals, number_of

_WORDS_OF_SUMS = "total(?:s|ing)?|subtotal|sum|budget|spend(?:ing)?|spent|sav(?:e|es|ing|ings)|shipping|delivery|tax|coupon|discount|remaining|limit|cap|average|mean|median|quartiles?|comes? to|adds up to|bringing|altogether|combined|leav(?:es|ing)"
# In a product's name such words are capitalised ("Shower Cap"); as a label they stand right before the amount.
_NOT_ITS_PRICE_BEFORE = re.compile(
    rf"\b(?-i:{_WORDS_OF_SUMS})\b[^$.;|*]{{0,24}}$|\b(?:{_WORDS_OF_SUMS})\b[\s:*–—-]*$|\b(?:sub)?total\b[^$.;|*]{{0,24}}$"
    r"|\b(?:off|left|below|under|within|less than|more than|over|above|between|month|phase|of your|range|was|from|cheaper than|beats?|versus|vs\.?|than|another|typically|usually|elsewhere)\s+(?:(?:about|around|the|a|an|your|only|its|\d+)\s+){0,2}$",
    re.I,
)
_ITS_PRICE_BEFORE = re.compile(
    r"\b(?:price[ds]?|costs?|at|for|is|only|just|retails?|sells?|listed|runs?)\W*(?:\w+\W+){0,2}$", re.I
)
_NOT_ITS_PRICE_AFTER = re.compile(
    r"^\s*(?:[-–—]\s?\\?\$|(?:total|subtotal|budget|off\b|in total|altogether|combined|left|remaining|limit|cap|less|more|cheaper|savings?|shipping|to spend|/\s*(?:oz|ounce|lb|pound|count|sheet|foot|ft|month|load|serving|dose|use|cup)|per (?:oz|ounce|lb|pound|count|sheet|foot|month|load|serving|dose|use|cup|year|week)|a month|a year|spending|spend|ceiling|mark))",
    re.I,
)
_PRICE_HEAD = re.compile(r"price|cost|each|unit|\$|amount|usd", re.I)
_TOTAL_HEAD = re.compile(r"total|subtotal|sum|line|extended|amount", re.I)
_MONEY_HEAD_OTHER = re.compile(r"budget|remaining|saving|cumulative|running|shipping|tax|spend|left", re.I)
_QUANTITY = re.compile(
    r"(?<![\w.,])(?P<n>\d{1,2})\s?[x×]\s+(?=[*_\[]{0,3}[A-Z\\$])|(?<![\w.])(?P<u>\d{1,2})\s(?:units? (?:at|of)|@)|(?<![\w.\d ])\s?[x×]\s?(?P<m>\d{1,2})\b(?![\d.]|\s?(?:inch|in\b|feet|ft|cm|mm|\d))"
    rf"|\b(?:qty|quantity)\W{{0,3}}(?P<q>\d{{1,2}})\b|\b(?P<w>{cardinals(2)})\s+(?:of (?:them|these)|units|at|for)\b|\((?:x|×)\s?(?P<p>[2-9])\)",
    re.I,
)


def price(subject: Subject, mentions: Mentions) -> Check:
    """What is said to be a product's price is its price."""
    if subject.shop is None:
        return unverifiable("no shop was given")
    tally = CheckTally()
    compare_prices(tally, mentions)
    return tally.check("no price is said of a product of the shop")


def compare_prices(tally: CheckTally, mentions: Mentions) -> None:
    """Every amount that is said to be a product's price or its cost per unit, against the catalogue."""
    for entry in ledger_of(mentions).entries:
        if entry.about_price:
            entry.enter(tally)


def prices_in(mentions: Mentions, mention: Mention) -> list[MoneyAmount]:
    """The amounts of a mention that are said to be its product's price."""
    row = mention.row
    if row is not None and row.header:
        found = _column_prices(mentions.body, row)
        if found or any(_PRICE_HEAD.search(head) for head in row.header):
            return found
    here = amounts(mentions.body, mention.start, mention.end)
    return [amount for amount in here if _is_its_price(mentions.body, mention, amount)]


def _column_prices(body: str, row: TextLine) -> list[MoneyAmount]:
    """Prices and totals by the heads of their columns."""
    found: list[MoneyAmount] = []
    for (low, high), head in zip(row.cells, row.header, strict=False):
        of_price = _PRICE_HEAD.search(head) or _TOTAL_HEAD.search(head)
        if of_price and not _MONEY_HEAD_OTHER.search(head):
            found += amounts(body, low, high)
    return found


def _is_its_price(body: str, mention: Mention, amount: MoneyAmount) -> bool:
    """No sum, limit or difference by the words around; in a line that does not name the product, labelled as a price."""
    before = body[max(mention.start, amount.start - 40) : amount.start]
    if _NOT_ITS_PRICE_AFTER.match(body[amount.end : amount.end + 24]) or _is_term(body, amount, before):
        return False
    if _NOT_ITS_PRICE_BEFORE.search(before) and not _is_label(before):
        return False
    return mention.own or _ITS_PRICE_BEFORE.search(before) is not None or not before.strip(" -*_|\t")


def _is_term(body: str, amount: MoneyAmount, before: str) -> bool:
    """Of a sum that is written out, all but its first."""
    sign = body[max(0, amount.start - 3) : amount.start].rstrip()
    return sign.endswith(("-", "–", "+", "=")) and _sum_before(before)


def _is_label(before: str) -> bool:
    return re.search(r"\b(?:list|unit|sale|item)?\s*price\W*$", before, re.I) is not None


def _sum_before(before: str) -> bool:
    return re.search(r"\$\s?[\d.,]+\s*[-–+=x×*]\s*$", before) is not None


_PACK_OF = re.compile(r"\b(?:packs?|sets?|box(?:es)?|bags?|cases?) of $", re.I)


def quantity_near(text: str) -> int:
    match = _QUANTITY.search(text)
    if match is None or _PACK_OF.search(text, 0, match.start()):
        return 1
    return number_of(next(filter(None, match.groups()))) or 1
