"""What a price comes down to, `drops by $6.80 to $27.19`: by the share or the amount that the text takes off, from any price in sight."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.certainty import Certainty
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
_SHARE = re.compile(rf"(?<![\w.,$])(?P<p>\d{{1,2}}(?:\.\d)?|{SPOKEN})[\s-]?(?:%|percent\b|per\scent\b)", re.I)
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
_BACK, _FAR = 300, 600


def wrong_new_prices(mentions: Mentions) -> Iterator[Accusation]:
    """New prices that no price in sight comes down to by any share or amount that is taken off."""
    held = sight_of(mentions).held
    for figure, sentence in islice(_said(mentions, held), _MOST):
        amounts, shares = (
            _amounts(mentions.plain, held, figure, sentence[0]),
            _shares(mentions.plain, sentence),
        )
        low, high = figure.low - 0.006, figure.high + 0.006
        taken = _taken(mentions.plain, held, figure, sentence)
        if not amounts or len(amounts) > _AMOUNTS or not (shares or taken):
            continue
        values = [amount * (1 - share) for amount in amounts for share in shares]
        values += [amount - less for amount in amounts for less in taken]
        values += [amount * (1 - share) - less for amount in amounts for share in shares for less in taken]
        if not any(low <= value <= high for value in values):
            shown = mentions.plain[figure.start : figure.end].strip()
            why = f"said to come down to {shown}, which no price in sight does by what is taken off"
            yield Accusation("lowered_to", (figure.start, figure.end), why, Certainty.SENTENCE)


def _said(mentions: Mentions, held: HeldAgainst) -> Iterator[tuple[Figure, Span]]:
    text, residue = mentions.plain, residue_of(mentions)
    for figure in held.ledger.figures:
        line = held.prose.line_at(figure.start)
        if line is None or line.cells or figure.value < 1 or figure.cue.kind == "unit":
            continue
        sentence = held.prose.sentence_at(figure.start)
        sentence = max(sentence[0], figure.start - _FAR), min(sentence[1], figure.end + _FAR)
        led = _LOWERED.search(text, max(sentence[0], figure.start - 140), figure.start)
        if led is None or _NOT_PRICES.search(text, *sentence):
            continue
        by = _BY.search(led["how"]) is not None
        if (by or _is_sized(text, held, sentence)) and not residue.cites_the_web(sentence):
            yield figure, sentence


def _is_sized(text: str, held: HeldAgainst, sentence: Span) -> bool:
    """Whether it is said how much a coupon, a code or a sale takes off."""
    low = max(0, sentence[0] - _BACK)
    if _TAKEN.search(text, *sentence) is None:
        return False
    amounts = (one.end for one in held.ledger.within(low, sentence[1]))
    said = _SHARE.search(text, low, sentence[1]) or _BILL.search(text, low, sentence[1])
    return said is not None or any(_TAKEN_BEHIND.match(text, end) for end in amounts)


def _amounts(text: str, held: HeldAgainst, but: Figure, start: int) -> list[float]:
    """What it was before, where that is said; else prices in sight, and amounts that are said."""
    before = held.ledger.within(start, but.start)
    if (
        before
        and _WAS.search(text, start, before[-1].start)
        and _WAS_TO.fullmatch(text, before[-1].end, but.start)
    ):
        return [before[-1].value]
    said = [one.value for one in held.ledger.figures if one.start != but.start]
    prices = [one.price for one in held.cast.products.values() if one.price is not None]
    return list(dict.fromkeys([*prices, *said]))


def _taken(text: str, held: HeldAgainst, but: Figure, sentence: Span) -> list[float]:
    """Amounts that may be what is taken off."""
    low = max(0, sentence[0] - _BACK)
    found = [one.value for one in held.ledger.within(low, sentence[1]) if one.start != but.start]
    found += [number_said(match["n"]) for match in _BILL.finditer(text, low, sentence[1])]
    return list(dict.fromkeys(found))[:_AMOUNTS]


def _shares(text: str, sentence: Span) -> list[float]:
    """What is taken off in parts of a hundred: in its sentence, the question of it before that."""
    found = [
        number_said(match["p"]) for match in _SHARE.finditer(text, max(0, sentence[0] - _BACK), sentence[1])
    ]
    return [one / 100 for one in dict.fromkeys(found)][:_SHARES]
