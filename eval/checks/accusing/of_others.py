"""Whether what is accused is true of something else in sight: another product's price, ratings or qualities, or those of several together."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from drr.env.entities import Product
from drr.env.shop import SearchRequest
from drr.eval.checks.accusing.reach import ASKED, SELDOM
from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.leftover import pools
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.known import ToldOf, told_of
from drr.eval.checks.leftover.said import MONEY, SaidFigure
from drr.eval.checks.makers import makers_of
from drr.eval.checks.mean_stars import is_mean_of_stars
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.naming import folded_words, head_noun
from drr.eval.checks.records import record_text
from drr.eval.checks.set_against import set_against_of
from drr.wording.numbers import DIGITS, number

_TOGETHER = re.compile(
    r"\b(?:together|total\w*|combined|between them|between the|in all|altogether|all (?:of them|two|three|four|five|six)|sum|add\w*|both)\b",
    re.I,
)
_OTHER = re.compile(
    r"\b(?:others?|another|sibling|cousin|brother|sister|twin|rival|same (?:maker|brand|house|store|make)|version|next|second|one)\b",
    re.I,
)
_AGAINST = re.compile(
    r"\b(?:other|another|sibling|cousin|brother|sister|twin|rival|swaps?|trad(?:es|ing)|gives? up|instead|rather|over|to|than|against|versus|vs|whereas|while|unlike)\b",
    re.I,
)
"""Before a word: it may be of what something is set against."""
_IN_BRACKETS = re.compile(r"\([^()]*\)")
"""A word alone in brackets says which of several is meant."""
_THE = re.compile(r"\bthe\s[*_]{0,3}$", re.I)
_NO_NOUN = re.compile(r"[*_]{0,3}(?:$|[.,;:!?)]|\s(?:one|ones|is|has|was|costs?|and|or|for|at)\b)", re.I)
"""Behind a word that stands for a thing: `$10.99 above the green`."""
_BESIDE = 40
_AND_A_HALF = re.compile(r"(?:\s?stars?)?\s(?:and|&)\s(?:a|one)[\s-]half\b", re.I)
_NO_RATING = re.compile(
    r"\s?(?:¢|cents?\b|%|percent\b|°|dB\b|(?:to\sspare|in\shand|of\s(?:headroom|margin|room))\b)"
)
_POINTED = re.compile(r"\b(?:sibling|cousin|brother|sister|twin|stablemate|namesake)\b", re.I)
_LOW = 2.5
"""So few stars are more probably a difference."""
_COMPARED = re.compile(
    r"\b(?:more|less|fewer|extra|longer|shorter|bigger|smaller|both|together|two|twice|three|four|buys?|apart|difference|instead)\b",
    re.I,
)
_PAIR = re.compile(r"\b(?:two|twice|both|pair|double)\b", re.I)
_SEVERAL = 12
_GAPS = 40
_SUMMED = 10
_TOP = 5.0
_NAME = re.compile(
    r"(?<!^)(?<![\w'’&/.-])(?!(?:The|Your|Our|This|That|These|Its|And|But|For|Both|One|Two|With)\b)[A-Z][a-z]{2,20}(?:\s(?:&\s)?[A-Z][a-z]{2,20}){0,2}(?:['’]s)?(?!\w)"
)
_TO_THAT_ONES = re.compile(
    rf"(?<![\w.,$])(?P<a>{DIGITS})(?:\s(?:ratings|reviews|votes|raters|reviewers|people|buyers|owners))?,?\s(?:to|against|versus|vs\.?|over)\s"
    rf"(?:that|this|the\s(?:other|former|latter|rival))(?:\sone)?['’]s\s(?P<b>{DIGITS})(?![\w%]|[.,]\d)",
    re.I,
)
"""`51 ratings to that one's 15`: the first number is of what its sentence speaks of, the second of what it was set against last."""
_SET_AGAINST = re.compile(
    r"\b(?:instead of|rather than|against|versus|vs\.?|to|from|over|not)\s[*_]{0,3}$", re.I
)
_INCHES = re.compile(r"[*_]{0,3}\sin\s(?!(?:the|all|our|its|their|my|your|this|that|stars?)\b)[a-z]", re.I)
"""Behind a figure: `4.5 in loft`."""
_KINDS = 4
_LOOKED_UP = 24
"""Names of a report whose things are looked up once more."""
_SOLD_BY, _HEAD = 24, 40


class OfOthers:
    """Of one report."""

    def __init__(self, held: HeldAgainst, mentions: Mentions) -> None:
        self._held, self._mentions, self._plain = held, mentions, mentions.plain
        self._looked_up: dict[str, list[Product]] = {}

    def another(self, one: Accusation, figure: SaidFigure) -> str | None:
        """A price or a rating of something that is named without a link, which has another figure of its sentence too; or a price that is no one's, if
        it is that of something else that a maker named sells."""
        close, _ = self._held.around(figure.start)
        near = {round(each.value, 4) for each in self._held.said.within(close) if each.start != figure.start}
        own = [told_of(product) for key, product in self._held.known.products.items() if key in one.why]
        near -= {round(value, 4) for told in own for part in told for value in part}
        for told in (told_of(product) for product in self._unlinked(close)):
            mine = _of_kind(told, figure)
            rest = {round(value, 4) for part in told if part is not mine for value in part}
            if any(figure.low <= value <= figure.high for value in mine) and rest & near:
                return "something that its sentence names without a link has it, and another figure there"
        return (
            (self._sold_else(figure) or self._called(figure))
            if one.kind == "price" and one.bound == Certainty.INFERRED
            else None
        )

    def apart(self, figure: SaidFigure) -> str | None:
        """By how much something that its sentence names by its maker only differs from an amount or a thing in sight."""
        close, stretch = self._held.around(figure.start)
        if all(
            place.linked for place in self._held.cast.within(*close)
        ) and not self._held.cast.names_a_stranger(close):
            return None
        theirs = pools.pool([v for product in self._unlinked(close) for v in told_of(product).prices])
        money = [one.value for one in self._held.said.within(stretch) if one.kind in MONEY]
        here = pools.pool(self._held.known.of(self._held.named(stretch)).prices, money)
        if not len(theirs) or not len(here):
            return None
        gaps = pools.pool(np.abs(theirs[:_GAPS, None] - here[None, :_GAPS]))
        if not pools.holds(gaps, figure.low, figure.high):
            return None
        chance = pools.chance(gaps, figure.value, max(figure.slack, 0.004), money=True)
        return (
            "something that its sentence names by its maker only differs by it" if chance <= ASKED else None
        )

    def _sold_else(self, figure: SaidFigure) -> str | None:
        close, stretch = self._held.around(figure.start)
        for span in dict.fromkeys([close, stretch]):
            values = pools.pool([v for product in self._unlinked(span) for v in told_of(product).prices])
            if pools.holds(values, figure.low, figure.high):
                chance = pools.chance(values, figure.value, max(figure.slack, 0.004), money=True)
                pointed = span == close or _OTHER.search(self._plain, *close) is not None
                if chance <= (ASKED if pointed else SELDOM):
                    return "something else that a maker named sells costs that"
        return None

    def _called(self, figure: SaidFigure) -> str | None:
        """What a name in its sentence that nothing in play has finds in the catalogue, of the kinds that the text speaks of."""
        close, stretch = self._held.around(figure.start)
        products = self._held.cast.products
        kinds = dict.fromkeys(
            head_noun(products[key].title) for key in self._held.named(stretch) if key in products
        )
        for match in _NAME.finditer(self._plain, *close):
            for kind in list(kinds)[:_KINDS]:
                some = self._find(match[0].removesuffix("'s").removesuffix("’s"), kind)
                if any(one.price is not None and figure.low <= one.price <= figure.high for one in some):
                    return "something of that name in the catalogue costs that"
        return None

    def _unlinked(self, span: Span) -> list[Product]:
        """What makers who are named in a stretch sell, of the kinds that it speaks of, without what it links."""
        cast = self._held.cast
        found: dict[str, Product] = {}
        linked = {key for place in cast.within(*span) if place.linked for key in place.products}
        for key in self._held.named(span):
            if (product := cast.products.get(key)) is not None:
                some = (product, *cast.siblings(product), *self._by_maker(product))
                found |= {one.product_id: one for one in some}
        return [one for key, one in found.items() if key not in linked]

    def _by_maker(self, product: Product) -> list[Product]:
        """More of its kind by the makers of a product, also where a record does not say who made it."""
        kind = head_noun(product.title)
        return [one for maker in sorted(makers_of(product)) for one in self._find(maker, kind)]

    def _find(self, name: str, kind: str) -> Sequence[Product]:
        """What the catalogue has whose title begins with a name, of a kind first."""
        shop, query = self._mentions.subject.shop, f"{name} {kind}"
        if query not in self._looked_up and shop is not None and len(self._looked_up) < _LOOKED_UP:
            page = shop.catalog.search(SearchRequest(query=query, limit=_SOLD_BY, search="plain"))
            some = self._mentions.subject.products(page.product_ids)
            self._looked_up[query] = [one for one in some if name in one.title[:_HEAD]]
        return self._looked_up.get(query, ())

    def ratings(self, figure: SaidFigure) -> str | None:
        """Stars and numbers of ratings: so many of several together, by how much two differ, half a star more."""
        close, stretch = self._held.around(figure.start)
        if figure.kind in MONEY or _NO_RATING.match(self._plain, figure.end):
            return "it is no rating"
        if _AND_A_HALF.search(self._plain, figure.start, figure.end + _BESIDE):
            return "it goes on with a half"
        if figure.value <= _LOW and figure.digits:
            stars = [v for key in self._held.named(stretch) for v in self._held.known.of((key,)).stars]
            said = [one.value for one in self._held.said.within(stretch) if one.kind == "rating"]
            gaps = pools.gaps(stars, [one for one in said if one != figure.value])
            if pools.holds(gaps, figure.low, figure.high) and figure.value < min([*stars, _TOP]):
                return "two ratings in sight differ by it"
        if paired := _of_two(self._held, self._plain, figure, close):
            return paired
        if is_mean_of_stars(self._held.cast, self._plain, figure.value, close):
            return "several have it on average"
        if figure.kind == "rating":
            return self._of_a_measure(figure, close) or self._of_a_cousin(figure, close)
        return self._raters(figure, close, stretch)

    def _of_a_measure(self, figure: SaidFigure, close: Span) -> str | None:
        """What no word calls stars, and is set against a measure of its sentence: `6.5 pounds instead of 2.6`."""
        if self._held.said.is_rated(figure):
            return None
        if _INCHES.match(self._plain, figure.end):
            return "it is a measure"
        against = _SET_AGAINST.search(self._plain, max(close[0], figure.start - 20), figure.start)
        before = [one for one in self._held.said.within((close[0], figure.start)) if one.kind not in MONEY]
        is_measure = bool(before) and (before[-1].kind == "measure" or bool(before[-1].unit))
        return "it is set against a measure" if against and is_measure else None

    def _of_a_cousin(self, figure: SaidFigure, close: Span) -> str | None:
        """Stars of what a word points at that nothing links: `its 62-inch cousin has 2.6`."""
        if _POINTED.search(self._plain, close[0], figure.start) is None:
            return None
        stars = pools.pool([v for product in self._unlinked(close) for v in told_of(product).stars])
        held = pools.holds(stars, figure.low, figure.high)
        chance = pools.chance(stars, figure.value, 0.05, money=False, top=_TOP)
        return "something else that a maker named sells is rated so" if held and chance <= ASKED else None

    def _raters(self, figure: SaidFigure, close: Span, stretch: Span) -> str | None:
        most = ASKED if _TOGETHER.search(self._plain, *close) else SELDOM
        for span in dict.fromkeys([close, stretch]):
            raters = [v for key in self._held.named(span) for v in self._held.known.of((key,)).raters]
            chance = _sum_chance(raters, figure) if 1 < len(raters) <= _SUMMED else None
            if chance is not None and chance <= most:
                return "so many have rated several together"
        return None

    def set_against(self, one: Accusation) -> str | None:
        """What a clause says of something that it sets against the thing accused."""
        owners = {key for key in self._held.known.products if key in one.why}
        of_another = set_against_of(self._mentions).is_of_another(one.span, owners)
        return "its clause says it of something else" if owners and of_another else None

    def quality(self, one: Accusation) -> str | None:
        """A word that its sentence says of another, or that is true of something else in sight, where one is set against the other or only that is named."""
        if self.set_against(one) is not None:
            return self.set_against(one)
        if (one.bound or Certainty.INFERRED) >= Certainty.ADJOINED:
            return None
        said = {*folded_words(self._plain[slice(*one.span)])}
        close, stretch = self._held.around(one.span[0])
        known = self._held.known.products
        owners = {key for key in known if key in one.why}
        here = {*self._held.named(close)}
        alone = _IN_BRACKETS.fullmatch(self._plain, one.span[0] - 1, one.span[1] + 1) is not None or (
            _THE.search(self._plain, max(0, one.span[0] - 8), one.span[0]) is not None
            and _NO_NOUN.match(self._plain, one.span[1]) is not None
        )
        against = (
            alone
            or _AGAINST.search(self._plain, max(close[0], one.span[0] - _BESIDE), one.span[0]) is not None
        )
        for key in sorted(known) if alone else self._held.named(stretch):
            meant = against or (key in here and not owners & here)
            if meant and key not in owners and said <= {*folded_words(record_text(known[key]))}:
                return f"it is so of {key}, which stands there too"
        return None


def _of_two(held: HeldAgainst, plain: str, figure: SaidFigure, close: Span) -> str | None:
    """One of two numbers of ratings, the second of what is named last before them, the first of another thing that its sentence calls by its kind."""
    pairs = _TO_THAT_ONES.finditer(plain, *close)
    match = next((one for one in pairs if figure.start in (one.start("a"), one.start("b"))), None)
    before = [] if match is None else held.cast.within(close[0], match.start())
    if match is None or not before:
        return None
    known, words = held.known.products, {*folded_words(plain[close[0] : match.start()])}
    theirs = before[-1].products & known.keys()
    mine = {
        one.rating_number for key, one in known.items() if key not in theirs and head_noun(one.title) in words
    }
    so = number(match["a"]) in mine and number(match["b"]) in {known[key].rating_number for key in theirs}
    return "so many rated the one, and so many the other" if so else None


def _of_kind(told: ToldOf, figure: SaidFigure) -> tuple[float, ...]:
    if figure.kind in MONEY:
        return told.prices
    return told.stars if figure.kind == "rating" else told.raters


def _sum_chance(values: list[float], figure: SaidFigure) -> float | None:
    """How often a number would be what some of these come to by chance; `None` where none do."""
    sums = np.zeros(1)
    for one in values:
        sums = np.concatenate([sums, sums + one])
    found = pools.pool(sums[~np.isin(sums, [0.0, *values])])
    if not pools.holds(found, figure.low, figure.high):
        return None
    return pools.chance(found, figure.value, 0.5, money=False)
