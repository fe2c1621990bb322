"""What a thing costs by the piece right beside its own price: `[Stoneware, 12 count](...): $11.00, about 92 cents`.

Whose it is is known: the amount before it in its sentence, or in parentheses behind it, is the price of one thing that is named there, and nothing else is
named between the two. The cost must then be what the text says of that thing, or its price, by a number of its title, of its record where that tells the unit,
or of the text beside it. An amount that no word calls a cost per unit is one only where two others of the report are so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations, islice, product
from typing import NamedTuple

from drr.env.entities import Product
from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.in_text.amounts import accused
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.known import numbers_in
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.makers import PlaceNamed
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.money.packs import divisors, parts_of, record_divisors
from drr.eval.checks.residue import residue_of
from drr.wording.money import every_amount
from drr.wording.numbers import DIGITS, SPOKEN, number_said

_NUMBER = re.compile(rf"(?<![\w.,$]){DIGITS}(?!\d)|\b{SPOKEN}\b", re.I)
_HEDGE = re.compile(r"\b(?:over|under|less\sthan|more\sthan)\s?$", re.I)
"""Right before a cost: it is no more than rounded."""
_APART = re.compile(
    r"\b(?:against|versus|vs|than|instead|less|more|cheaper|dearer|extra|saves?|if|between|rather|off|over|under|differences?|margin|left|spare|change|budget|limit|then|would|after)\b|\?",
    re.I,
)
"""Between a price and an amount: it is no cost of the same thing."""
_COMPARED = re.compile(
    r"[\s*_]{0,3}(?:(?:an?|per|each|the|every)\s[a-z-]{1,20}\s|each\s|apiece\s)?(?:less|more|cheaper|dearer|under|over|above|below|off|extra|too|of|in)\b"
    rf"|[\s*_]{{0,3}}(?:(?:an?|per)\s[a-z-]{{1,20}}\s)?and\s(?:about\s|around\s|roughly\s)?(?:[$\d]|(?:{SPOKEN})\b)",
    re.I,
)
"""Behind an amount: it is a difference, or one of two that are told in a row."""
_IN_BRACKETS = re.compile(
    r"(?:\s?(?:an?|per|each|in|for)\s?[^$;,.()]{0,24})?[\s*_]{0,3}\(\s?(?:now\s|at\s)?", re.I
)
"""Between a cost and the price behind it: `12.5 cents a load ($19.99, 160)`."""
_BARE = re.compile(
    r"(?:for\s[a-z0-9.-]{1,12}(?:\sand\sa\shalf)?\s(?=to\s))?[\s*_,;:=≈~)(\]-]{0,6}(?:[-=]>|→)?\s?(?:(?:so|or|about|that\sis|that's|i\.e\.|which\sis|comes\sto|works\sout\sat|makes|is|to|at)\s?){0,2}[\s*_,:(]{0,4}",
    re.I,
)
"""Between a price and an amount that nothing calls a cost."""
_HUNDRED = re.compile(
    r"\b(?:per|an?|each|every|by|of)\s(?:the\s)?(?:hundred|thousand|ten|100|1,?000|10)\b", re.I
)
"""A cost is told of so many together."""
_SO_MANY = re.compile(
    rf"[\s*_]{{0,3}}(?:for|per|an?|each|every|by\sthe)\s(?:the\s)?(?P<n>{DIGITS}|{SPOKEN})\b", re.I
)
"""Behind a cost: of how many it is (`$2.60 for ten pads`)."""
_ITS_OWN = re.compile(
    r"[\s*_]{0,3}(?:(?:an?|per|each|apiece)\s?[a-z-]{0,14}\s?)?(?:[(\[]{1,2}|for\s(?:the\s)?|at\s(?:the\s)?|with\s(?:the\s)?)[\s*_\[]{0,3}",
    re.I,
)
"""Between a cost and the name of what it is of."""
_LOWERED = re.compile(
    r"\b(?:coupons?|codes?|vouchers?|discounts?|cards?|off|deals?|promo\w*|sale)\b|%|\bper\s?cent\b", re.I
)
_PERCENT = re.compile(rf"\b(?P<n>\d{{1,2}}|{SPOKEN})\s?(?:%|percent\b|per\scent\b)", re.I)
_TOGETHER = (0.1, 0.01, 0.001)
_LONG, _BACK, _TITLED, _FEW, _NUMBERS = 70, 1500, 8, 8, 24
"""Characters between a price and its cost, and before it in which a cost of so many together may be announced; numbers of a title and of the text that are multiplied, and all that are read."""
_MOST = 60
"""Costs of a report that are looked into."""
_PENNY = 0.006
_PART = 0.55
"""Of a price is what one of two costs at most."""
_OTHERS = 2
"""So many costs of a report show that an amount right behind a price is one too."""


class CostBeside(NamedTuple):
    """A cost beside the price of one thing."""

    figure: Figure
    is_told: bool
    """Its words call it a cost per unit."""
    is_plain: bool
    """It is the price by a number that stands beside it, in the title or in the record."""
    is_right: bool
    """Or something else that the two may come to."""


class _Place(NamedTuple):
    price: Figure
    between: Span
    named: list[PlaceNamed]
    """Where the things are named that cost it."""
    behind: bool


def wrong_own_costs(mentions: Mentions) -> Iterator[Accusation]:
    """Costs per unit that the price right beside them does not come to."""
    held = sight_of(mentions).held
    found = list(costs_beside(mentions, held))
    plain = sum(one.is_plain for one in found)
    for one in found:
        if not one.is_right and (one.is_told or plain >= _OTHERS):
            told = "said {} per unit, which the price beside it does not come to by what is in it"
            yield accused("own_cost", mentions, one.figure, told)


def costs_beside(mentions: Mentions, held: HeldAgainst) -> Iterator[CostBeside]:
    """Each cost of running text and of lists that stands beside a price."""
    text, known = mentions.plain, {round(one, 2) for one in _prices(held)}
    for figure in islice((one for one in held.ledger.figures if _may_be_one(one)), _MOST):
        line = held.prose.prose_line_at(figure.start)
        if line is None or line.kind == "heading" or round(figure.value, 2) in known:
            continue
        is_told = figure.cue.kind == "unit"
        if not is_told and not re.search(r"\d", text[figure.start : figure.end]):
            continue
        sentence = held.prose.sentence_at(figure.start)
        place = _before(held, figure, sentence, line.start) or _behind(mentions, held, figure, sentence)
        if (
            place is None
            or (place.behind and not is_told and figure.value >= 1)
            or _COMPARED.match(text, figure.end)
        ):
            continue
        if _is_of_the_next(held, figure, place):
            continue
        if _is_beside(text, figure, place) and not _is_of_another(mentions, held, figure):
            beside = _read(mentions, held, figure, place, (line.start, sentence[1]))
            if beside is not None:
                yield beside


def _is_of_the_next(held: HeldAgainst, figure: Figure, place: _Place) -> bool:
    """Whether something else is named right behind a cost, as its own: `$15.99 ([Truebench]), $10.50 ([Rivetworks])`."""
    behind = held.cast.within(figure.end, figure.end + _LONG)[:1]
    own = {key for one in place.named for key in one.products}
    return any(
        not one.products & own and _ITS_OWN.fullmatch(held.prose.body, figure.end, one.start)
        for one in behind
    )


def _prices(held: HeldAgainst) -> list[float]:
    return [one.price for one in held.cast.products.values() if one.price is not None]


def _may_be_one(figure: Figure) -> bool:
    if figure.void or figure.elsewhere:
        return False
    return figure.cue.kind in ("none", "price") or (figure.cue.kind == "unit" and figure.cue.word != "period")


def _is_of_another(mentions: Mentions, held: HeldAgainst, figure: Figure) -> bool:
    clause = held.prose.clause_at(figure.start)
    residue = residue_of(mentions)
    return residue.doubt(clause, ("unreal", "others")) is not None or residue.cites_the_web(clause)


def _costing(held: HeldAgainst, price: Figure, span: Span) -> list[PlaceNamed]:
    """Where a stretch names the things that cost an amount."""
    return [
        one
        for one in held.cast.within(*span)
        if (product := _only(held, one)) is not None
        and product.price is not None
        and abs(product.price - price.value) < _PENNY
    ]


def _only(held: HeldAgainst, place: PlaceNamed) -> Product | None:
    return held.cast.products.get(next(iter(place.products))) if len(place.products) == 1 else None


def _before(held: HeldAgainst, figure: Figure, sentence: Span, start: int) -> _Place | None:
    """The price before it in its sentence: the last amount, or the one before that (`is $13.99, so $10.99 with your coupon, or`)."""
    line = start, max(sentence[1], figure.end)
    for price in held.ledger.within(sentence[0], figure.start)[:-3:-1]:
        named = _costing(held, price, line)
        if price.void or (price.cue.kind == "unit" and not named):
            return None
        if named:
            return _Place(price, (price.end, figure.start), named, behind=False)
    return None


def _behind(mentions: Mentions, held: HeldAgainst, figure: Figure, sentence: Span) -> _Place | None:
    """The price in parentheses right behind it."""
    price = next(iter(held.ledger.within(figure.end, sentence[1])), None)
    if price is None:
        return None
    gap = " ".join(f"{mentions.plain[figure.end : price.start]}|".split())[:-1]
    named = _costing(held, price, sentence) if _IN_BRACKETS.fullmatch(gap) else []
    return _Place(price, (figure.end, price.start), named, behind=True) if named else None


def _is_beside(text: str, figure: Figure, place: _Place) -> bool:
    """Whether nothing between the two shows that they are not of one thing."""
    gap = " ".join(text[slice(*place.between)].split())
    if place.price.value <= figure.value or len(gap) > _LONG or _APART.search(_HEDGE.sub("", gap)):
        return False
    if figure.cue.kind == "unit" or figure.value < 1:
        return True
    return figure.value < _PART * place.price.value and _BARE.fullmatch(f"{gap} ") is not None


def _read(
    mentions: Mentions, held: HeldAgainst, figure: Figure, place: _Place, around: Span
) -> CostBeside | None:
    """What the cost is, where one thing alone can be meant."""
    named = place.named
    if len({one.products for one in named}) > 1:
        last = [one for one in named if one.start < figure.start]
        named = [one for one in named if last and one.products == last[-1].products]
    thing = _only(held, named[0]) if named else None
    if thing is None or any(one.products != named[0].products for one in held.cast.within(*place.between)):
        return None
    first, last_end = min(figure.start, place.price.start), max(figure.end, place.price.end)
    sentence = held.prose.sentence_at(figure.start)
    at = max((one.start for one in named if one.start <= last_end), default=sentence[0])
    others = [one for one in held.cast.within(*around) if one.products != named[0].products]
    if any(at < one.start < first for one in others):
        return None
    low = max(
        around[0],
        min(held.prose.sentence_at(at)[0], sentence[0]),
        *(one.end for one in others if one.end <= min(at, first)),
    )
    high = min([sentence[1], *(one.start for one in others if one.start >= last_end)])
    return _reckoned(mentions, held, figure, thing, place.price, (low, high), others)


def _reckoned(
    mentions: Mentions,
    held: HeldAgainst,
    figure: Figure,
    thing: Product,
    price: Figure,
    span: Span,
    others: list[PlaceNamed],
) -> CostBeside:
    text = mentions.plain
    beside = f"{text[span[0] : figure.start]} ; {text[figure.end : span[1]]}"
    said = [number_said(one[0]) for one in islice(_NUMBER.finditer(beside), _NUMBERS)]
    titled = [value for value, _ in numbers_in(thing.title, _TITLED)]
    plain = {
        *said,
        *titled,
        *divisors(beside, figure.cue.per),
        *record_divisors(thing, figure.cue.per, frozenset()),
    }
    by = plain | {a * b for a, b in combinations(titled, 2)}
    by |= {a * b for a, b in combinations(said[:_FEW], 2)} | {a * b for a, b in product(titled, said[:_FEW])}
    if _HUNDRED.search(text, max(0, figure.start - _BACK), span[1]):
        by |= {one * many for one in by for many in _TOGETHER}
    if match := _SO_MANY.match(text, figure.end):
        by |= {one / number_said(match["n"]) for one in plain if number_said(match["n"])}
    theirs = {one.price for each in others if (one := _only(held, each)) is not None}
    amounts = [one.value for one in held.ledger.within(*span) if one.start != figure.start]
    amounts = [one for one in amounts if one not in theirs and one > figure.value] + [thing.price or 0.0]
    amounts += _lowered(mentions, held, thing.price or 0.0, span[0], figure)
    pad = 0.005 if figure.value >= 1 else 0.0005

    def is_it(values: Iterator[float]) -> bool:
        return any(figure.low - pad <= one <= figure.high + pad for one in values)

    is_plain = is_it(price.value / one for one in plain if one > 1)
    is_right = (
        is_plain
        or is_it(
            part
            for amount in amounts
            for one in by
            if one > 0
            for part in parts_of(amount, one, figure.value)
        )
        or is_it(abs(a - b) for a, b in combinations([0.0, *amounts], 2))
    )
    return CostBeside(figure, figure.cue.kind == "unit", is_plain, is_right)


def _lowered(mentions: Mentions, held: HeldAgainst, price: float, start: int, figure: Figure) -> list[float]:
    """What a price comes to with a coupon or a share taken off, where the words before speak of one."""
    low, high = max(0, start - _BACK), held.prose.sentence_at(figure.start)[1]
    text = f"{mentions.plain[low:high]} ; {mentions.subject.query or ''}"
    if not _LOWERED.search(text):
        return []
    taken = {one.value for one in held.ledger.within(low, high) if one.cue.kind != "unit"}
    taken |= {one.value for one in every_amount(mentions.subject.query or "")}
    taken -= {figure.value, *_prices(held)}
    shares = [number_said(one["n"]) / 100 for one in islice(_PERCENT.finditer(text), _FEW)]
    return [price - one for one in taken if one < price] + [price * (1 - one) for one in shares]
