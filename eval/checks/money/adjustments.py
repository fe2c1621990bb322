"""What a bill adds or takes beside its products: coupons, gift cards, shipping, tax. No product's price, and signed wherever sums are made."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from string import whitespace
from typing import NamedTuple

from drr.eval.checks.layout import TextLine
from drr.eval.checks.mentions import Mentions
from drr.wording.money import MoneyAmount, amounts

_LESS = r"coupons?|discounts?|vouchers?|rebates?|gift (?:cards?|certificates?)|promos?|promotions?|promo code|store credits?|credits?|markdown|(?:you )?(?:save|saved|savings?)|\d{1,2}(?:\.\d{1,2})? ?% off"
_MORE = r"tax|taxes|vat|gst|shipping|delivery|postage|handling|(?:[a-z]+ )?(?:fees?|surcharges?)"
_LABEL = re.compile(
    rf"(?:(?P<less>(?:(?:less|minus)\b.{{0,60}}|(?:(?:estimated|est\.?|loyalty|member|store|new|online|clipped|code) )*(?:{_LESS})))"
    rf"|(?:(?:plus|estimated|est\.?|sales|state|local|standard|flat|express) )*(?:{_MORE})(?: ?(?:and|&|/|,|\+) ?(?:{_MORE}))*)"
    r"(?:\s(?:code|applied|used|charges?|costs?|amount)|\s(?-i:[A-Z]{2,}\d{0,6}|[A-Z0-9]{4,})|\s?\d{1,2}(?:\.\d{1,3})?\s?%|\s?\([^()]{0,40}\)|\s(?:of|on|for|from|at|with|by|to|via)\s.{0,60})*",
    re.I,
)
"""The whole of what stands before an amount, and nothing besides: `Coupon holder` is none."""
_SAVING = re.compile(r"\b(?:save|saved|savings?)\b", re.I)
_MINUS = re.compile(r"[\s*_~]*+(?:[-−–]\s?\\?(?:US)?\$|\\?(?:US)?\$\s?[-−–]\s?)\d[\d.,]*+[\s*_]*+")
_IN_BRACKETS = re.compile(r"[\s*_]*+\(\\?(?:US)?\$\s?\d[\d.,]*+\)[\s*_]*+")
_BROKEN = re.compile(r"(?P<sign>\\?(?:US)?\$)\s?[-−–]\s?(?=\d)")
_MARKS = re.compile(r"<[^<>]*>|[*_`]|^\s*(?:[-+•·‣▪–]|\d{1,3}[.)])\s+")
_NOTHING = re.compile(r"[\s*_]*(?:free|none|waived|included|n/?a|0|[-–—]|)[\s*_]*", re.I)


class Adjustment(NamedTuple):
    """A line of a bill that is of no product."""

    amount: MoneyAmount | None
    """`None` where it is not said in dollars."""
    sign: int
    loose: bool
    """It may be a remark only: a saving is often in the prices already, and a coupon may be one that is not used."""

    @property
    def value(self) -> float:
        return 0.0 if self.amount is None else self.sign * self.amount.value


@lru_cache(maxsize=4)
def adjustments_of(mentions: Mentions) -> Mapping[int, Adjustment]:
    """By line, those of a report; read once for the rules that ask."""
    found = ((index, _read(mentions, line)) for index, line in enumerate(mentions.layout.lines))
    return {index: one for index, one in found if one is not None}


def _read(mentions: Mentions, line: TextLine) -> Adjustment | None:
    if line.kind == "row":
        return _of_row(mentions, line)
    return _of_item(mentions, line) if line.kind in ("item", "title", "text") else None


def _of_row(mentions: Mentions, line: TextLine) -> Adjustment | None:
    cells = [mentions.plain[low:high] for low, high in line.cells]
    labels = [label for one in cells[:3] if re.search(r"[^\W\d_]", label := _bare(one))]
    said = next((match for one in labels if (match := _LABEL.fullmatch(one))), None)
    named = bool(mentions.within(line.start, line.end))
    priced = [
        (text, amount)
        for text, (low, high) in zip(cells, line.cells, strict=True)
        for amount in _amounts(mentions.body, low, high)[-1:]
    ]
    minus = next(((text, one) for text, one in reversed(priced) if _MINUS.fullmatch(text)), None)
    if said is None:
        lone = minus is not None and not named and len(labels) == 1
        return Adjustment(minus[1], -1, False) if lone and minus else None
    if not priced:
        if all(_NOTHING.fullmatch(one) for one in cells[1:]):
            return None
        return Adjustment(None, 1, True)
    text, amount = minus or priced[-1]
    if minus is not None:
        return Adjustment(amount, -1, bool(_SAVING.search(said[0])))
    if said["less"]:
        return Adjustment(amount, -1, not _IN_BRACKETS.fullmatch(text))
    return Adjustment(amount, 1, bool(_IN_BRACKETS.fullmatch(text)))


_LEADS = whitespace + "\u00a0:(=\u2212\u2013\u2014-"
"""Between a label and its amount."""


def _of_item(mentions: Mentions, line: TextLine) -> Adjustment | None:
    here = _amounts(mentions.body, line.start, line.end)
    if len(here) != 1:
        return None
    before, after = mentions.plain[line.start : here[0].start], mentions.plain[here[0].end : line.end]
    said = _LABEL.fullmatch(_bare(before).rstrip(_LEADS))
    if said is None or re.search(r"[^\W\d_]", after):
        return None
    return Adjustment(here[0], -1 if said["less"] else 1, bool(_SAVING.search(said[0])))


def _amounts(body: str, low: int, high: int) -> list[MoneyAmount]:
    """Also those with the minus behind the sign: `$-11.40`."""
    found = amounts(body, low, high)
    if found:
        return found
    mended = _BROKEN.sub(
        lambda match: match[0].replace(match["sign"], " " * len(match["sign"])), body[low:high]
    )
    mended = (
        re.sub(r"[-−–](\s?)(?=\d)", lambda match: "$" + match[1], mended) if mended != body[low:high] else ""
    )
    return [_moved(one, low) for one in amounts(mended)]


def _moved(one: MoneyAmount, by: int) -> MoneyAmount:
    return MoneyAmount(one.value, one.start + by, one.end + by, one.whole, one.approx, one.finer)


def _bare(text: str) -> str:
    return re.sub(r"\s+", " ", _MARKS.sub("", text)).strip(" \t|:")
