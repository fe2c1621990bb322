"""What a price comes down to, `with your 20% coupon it drops to $27.19`: by the shares and amounts that the text takes off, from any price in sight.

Left alone where nothing says by how much, in questions, and of several things together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice, product

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.in_text.amounts import accused, amounts_in_prose, prices_in_sight
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.residue import residue_of
from drr.wording.numbers import SPOKEN, number_said

_LOWERED = re.compile(
    r"\b(?:drop(?:s|ped|ping)?|f[ae]ll(?:s|en|ing)?|c[oa]mes?\sdown|goe?s?\sdown|brings?|brought|reduc(?:es?|ed|ing)|cuts?|lowers?(?:ed)?|knocks?|shrinks?|slips?|sinks?|dips?)\b"
    r"(?P<how>(?:(?!\b(?:and|but|while|or)\b)[^;!?\n]){0,110}?)\bto\s[*_]{0,3}$",
    re.I,
)
"""Between the verb and the new price stand its object, and what it was and is less by."""
_SHARE = re.compile(rf"(?<![\w.,$])(?P<n>\d{{1,2}}(?:\.\d)?|{SPOKEN})[\s-]?(?:%|percent\b|per\scent\b)", re.I)
_TAKEN = re.compile(
    r"\b(?:coupons?|codes?|vouchers?|discounts?|off|promos?|promotions?|rebates?|credits?|cards?|sales?|price\scut|markdown)\b",
    re.I,
)
_TAKEN_BEHIND = re.compile(
    r"[\s*_-]{0,3}(?:[a-z]{2,12}[\s-])?(?:coupons?|codes?|vouchers?|discounts?|off|promos?|rebates?|credits?|gift\scards?|markdown)\b",
    re.I,
)
_BILL = re.compile(rf"\b(?P<n>{SPOKEN}|\d{{1,3}})-dollar\b", re.I)
_BY = re.compile(r"\bby\s(?:about\s)?[*_]{0,3}\$")
_NOT_PRICES = re.compile(
    r"\b(?:stars?|average[sd]?|mean|median|orders?|ratings?|reviews|month(?:ly)?|year(?:ly)?|elsewhere|tax|shipping|delivery|instead|swap\w*|exchange|replac\w*|"
    r"both|(?:two|three|four|five|six)(?!-dollar)|all|each|everything|lot|pair|together|total|bill|sum|basket|stack\w*|another|second|minimum|at\sleast|once|limit|budget|web|sites?|retailers?)\b|\?",
    re.I,
)
_WAS, _WAS_TO = re.compile(r"\bfrom\s[*_]{0,3}$"), re.compile(r"[\s*_]{1,4}to\s(?:about\s)?[*_]{0,3}")
_MOST, _AMOUNTS, _SHARES = 12, 24, 4
"""New prices of a report, amounts that they may come from, and shares that may be taken off."""
_LEAD, _BACK = 140, 300
"""Characters before a new price in which its verb stands, and before its sentence in which it may be said what is taken off."""
_SLACK = 0.006


def wrong_new_prices(mentions: Mentions) -> Iterator[Accusation]:
    """New prices that no price in sight comes down to by any share or amount that is taken off."""
    held, text = sight_of(mentions).held, mentions.plain
    for figure, sentence in islice(_said(mentions, held), _MOST):
        span = _with_before(sentence)
        amounts = _amounts(text, held, figure, sentence[0])
        shares = _once(number_said(match["n"]) / 100 for match in _SHARE.finditer(text, *span))[:_SHARES]
        taken = _taken(text, held, figure, span)
        if not 0 < len(amounts) <= _AMOUNTS or not (shares or taken):
            continue
        ways = islice(product((0.0, *shares), (0.0, *taken)), 1, None)
        lowered = (amount * (1 - share) - less for share, less in ways for amount in amounts)
        if not any(figure.low - _SLACK <= value <= figure.high + _SLACK for value in lowered):
            told = "said to come down to {}, which no price in sight does by what is taken off"
            yield accused("lowered_to", mentions, figure, told)


def _said(mentions: Mentions, held: HeldAgainst) -> Iterator[tuple[Figure, Span]]:
    text, residue = mentions.plain, residue_of(mentions)
    for figure, sentence in amounts_in_prose(held):
        if figure.value < 1 or figure.cue.kind == "unit":
            continue
        led = _LOWERED.search(text, max(sentence[0], figure.start - _LEAD), figure.start)
        if led is None or _NOT_PRICES.search(text, *sentence):
            continue
        is_sized = _BY.search(led["how"]) is not None or _is_sized(text, held, sentence)
        if is_sized and not residue.cites_the_web(sentence):
            yield figure, sentence


def _is_sized(text: str, held: HeldAgainst, sentence: Span) -> bool:
    """Whether it is said how much a coupon, a code or a sale takes off."""
    if _TAKEN.search(text, *sentence) is None:
        return False
    span = _with_before(sentence)
    if _SHARE.search(text, *span) or _BILL.search(text, *span):
        return True
    return any(_TAKEN_BEHIND.match(text, one.end) for one in held.ledger.within(*span))


def _with_before(sentence: Span) -> Span:
    return max(0, sentence[0] - _BACK), sentence[1]


def _amounts(text: str, held: HeldAgainst, but: Figure, start: int) -> list[float]:
    """What it was before, where that is said; else prices in sight, and amounts that are said."""
    last = held.ledger.within(start, but.start)[-1:]
    if last and _WAS.search(text, start, last[0].start) and _WAS_TO.fullmatch(text, last[0].end, but.start):
        return [last[0].value]
    said = [one.value for one in held.ledger.figures if one.start != but.start]
    return _once([*prices_in_sight(held), *said])


def _taken(text: str, held: HeldAgainst, but: Figure, span: Span) -> list[float]:
    """Amounts that may be what is taken off."""
    said = [one.value for one in held.ledger.within(*span) if one.start != but.start]
    return _once([*said, *(number_said(match["n"]) for match in _BILL.finditer(text, *span))])[:_AMOUNTS]


def _once(some: Iterable[float]) -> list[float]:
    return list(dict.fromkeys(some))
