"""Ranges of prices, `from $10.99 to $23.00`: each end must be the price of something in sight, or of something of that kind in the shop.

Where the text says of how many things the range is, and links just so many with a price, the ends are the least and the greatest of these. Left alone
where it may be of other money, of a change, or of what is not of this shop.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.in_text.amounts import accused, near
from drr.eval.checks.kinds_sold import may_cost
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.makers import linked_by
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.residue import residue_of
from drr.wording.numbers import SPOKEN, number_said

_FROM = re.compile(r"\b(?P<w>from|between)[\s*_]{1,4}(?:as\slittle\sas\s|just\s|only\s)?$", re.I)
_TO = re.compile(
    r"(?:[^$.;:!?\n]{0,60}\s)?(?:to|up\sto|through|via|over|past|all\sthe\sway\s(?:up\s)?to)\s(?:a\s)?[*_]{0,3}",
    re.I,
)
_AND = re.compile(r"[^$.;:!?\n]{0,60}\band\s[*_]{0,3}", re.I)
_DIRECT = re.compile(r"[\s*_]{0,3}(?:[-–—]|to|up\sto)[\s*_]{0,4}", re.I)
_OF_PRICES = re.compile(
    r"\b(?:prices?|priced|costs?|run(?:s|ning)?|rang(?:e|es|ing)|span(?:s|ning)?|listed|lists|sells?|sit|sits|lie|lies|fall|spread|stretch(?:es)?|go|goes|going|are|available)\b",
    re.I,
)
_NO_RANGE = re.compile(
    r"\b(?:drop\w*|fell|falls|c[oa]mes?|went|rise[sn]?|rose|rais\w*|climb\w*|step\w*|jump\w*|increas\w*|reduc\w*|cut|bring\w*|push\w*|mov\w*|switch\w*|chang\w*|upgrad\w*|add\w*|"
    r"coupons?|codes?|vouchers?|discounts?|sales?|off|total\w*|together|sums?|baskets?|bundles?|combin\w*|half|quarters?|middle|quartiles?|usual\w*|typical\w*|customar\w*|mostly|band|"
    r"budget|limit|ceiling|ask\w*|between\sthem|lower|saves?|savings?|differences?|gap|extra|more|less|left|per|each|apiece|if|would|could|might|may|spen[dt]\w*|"
    r"orders?|ordered|bought|buy|purchases?d?|paid|market|elsewhere|online|stores|sites?|guides?|survey|retailers|shipping|delivery|taxe?s?|"
    r"tiers?|brackets?|no|not|nothing|none|neither|never|outside|without|somewhere|year|month|week)\b|\?|%",
    re.I,
)
"""What such words speak of is no range of prices, or none of things in sight."""
_COUNTED = re.compile(
    rf"\b(?:the|these|those|all|our|my|here\sare|there\sare|found)\s(?:the\s)?(?P<n>{SPOKEN}|\d{{1,2}})\b(?![\s-](?:stars?|oz|ounces?|inch|pack|piece|count|ratings?|quart|gallon|pound|foot|feet|liters?|watts?)\b)",
    re.I,
)
_PER = re.compile(r"[\s*_]{0,3}(?:/|an?\s(?!piece\b)[a-z]|each\b|per\b|apiece\b|for\s(?:each|every)\b)", re.I)
_MOST = 12
"""Ranges of a report."""
_NEAR, _LEAD = 90, 40
"""Characters between the ends of a range, and before it in which it begins."""


class _Range(NamedTuple):
    least: Figure
    most: Figure
    sentence: Span

    @property
    def ends(self) -> tuple[Figure, Figure]:
        return self.least, self.most


def wrong_ranges(mentions: Mentions) -> Iterator[Accusation]:
    """Ends of ranges that nothing costs, and ends that are not those of just the things that are linked."""
    held = sight_of(mentions).held
    linked = linked_by(held.cast.named) & held.cast.products.keys()
    some = [held.cast.products[key] for key in sorted(linked)]
    for one in islice(_said(mentions, held), _MOST):
        known = _known(held, one)
        for end in filter(_is_exact, one.ends):
            if not any(map(end.holds, known)) and not may_cost(
                mentions, some, end, mentions.plain[one.sentence[0] : end.start]
            ):
                told = (
                    "said a range with an end at {}, which nothing in sight and nothing of their kind costs"
                )
                yield accused("range_told", mentions, end, told)
        if not held.cast.unlinked:
            yield from _of_group(mentions, [price for each in some if (price := each.price)], one)


def _of_group(mentions: Mentions, prices: Sequence[float], one: _Range) -> Iterator[Accusation]:
    """Against the least and the greatest of just so many things as are linked."""
    match = _COUNTED.search(mentions.plain, one.sentence[0], one.least.start)
    if match is None or not 2 <= len(prices) == number_said(match["n"]):
        return
    for end, value in zip(one.ends, (min(prices), max(prices)), strict=True):
        if _is_exact(end) and not end.holds(value):
            told = (
                f"said a range of {len(prices)} with an end at {{}}; that of those linked is at ${value:,.2f}"
            )
            yield accused("range_told", mentions, end, told)


def _said(mentions: Mentions, held: HeldAgainst) -> Iterator[_Range]:
    text, residue = mentions.plain, residue_of(mentions)
    for least, most in _ends(text, held.ledger.figures):
        if held.prose.prose_line_at(least.start) is None or not 1 <= least.value < most.value:
            continue
        sentence = near(held.prose.sentence_at(least.start), least, most)
        if most.end > sentence[1] or _OF_PRICES.search(text, *sentence) is None:
            continue
        if _NO_RANGE.search(text, *sentence) or any(_PER.match(text, end.end) for end in (least, most)):
            continue
        if residue.doubt(sentence, ("unreal", "conditional", "pace", "charged", "others")):
            continue
        if not residue.cites_the_web(sentence):
            yield _Range(least, most, sentence)


def _ends(text: str, figures: Sequence[Figure]) -> Iterator[tuple[Figure, Figure]]:
    """The first and the last amount of each range: what it passes through (`from $35.99 through $43.99 to $50.99`) is no end of it."""
    end = 0
    for at, (least, most) in enumerate(pairwise(figures)):
        if at < end or not _is_joined(text, least, most):
            continue
        end = at + 1
        while end + 1 < len(figures) and _goes_on(text, figures[end], figures[end + 1]):
            end += 1
        yield least, figures[end]


def _goes_on(text: str, before: Figure, behind: Figure) -> bool:
    """Whether a range goes on from one of its amounts to a greater one."""
    if not before.value < behind.value or behind.start - before.end > _NEAR:
        return False
    return any(form.fullmatch(text, before.end, behind.start) for form in (_DIRECT, _TO))


def _is_joined(text: str, least: Figure, most: Figure) -> bool:
    if most.start - least.end > _NEAR:
        return False
    if _DIRECT.fullmatch(text, least.end, most.start):
        return True
    led = _FROM.search(text, max(0, least.start - _LEAD), least.start)
    if led is None:
        return False
    form = _AND if led["w"].casefold() == "between" else _TO
    return form.fullmatch(text, least.end, most.start) is not None


def _is_exact(end: Figure) -> bool:
    return not end.amount.whole and not end.amount.approx


def _known(held: HeldAgainst, one: _Range) -> set[float]:
    """What is in sight, beside the range itself."""
    said = {each.value for each in held.ledger.figures if each.start not in (one.least.start, one.most.start)}
    return said | {*held.known.siblings.prices, *held.known.spent, *held.known.limits}
