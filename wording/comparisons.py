"""Comparisons as people say them: `cheaper`, `the higher rating`, `more reviews`, `twice the price`, `the best-rated of the three`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from drr.wording.numbers import SPOKEN, number_said
from drr.wording.vocabulary import Wordbook, either, vocabulary

Property = Literal["price", "stars", "count", "weight", "noise", "light", "height"]
_PROPERTIES: tuple[Property, ...] = ("price", "stars", "count", "weight", "noise", "light", "height")
_FACTORS = {
    "twice": 2.0,
    "double": 2.0,
    "half": 0.5,
    "triple": 3.0,
    "thrice": 3.0,
    "a third": 1 / 3,
    "a quarter": 0.25,
    "two thirds": 2 / 3,
    "two-thirds": 2 / 3,
    "three quarters": 0.75,
    "three-quarters": 0.75,
}


_SLIGHT = re.compile(r"(?:just|slightly|an?\s(?:little|bit))\s", re.I)
_NEXT = r"and|but|at(?!\s(?:least|most)\b)|for(?!\sits\b)|costs?|asks?|sells|priced"
"""What no longer is of how much a thing holds."""
_CLAUSE = 72
"""Characters before a multiple in which its verb stands."""


class ComparisonSaid(NamedTuple):
    """That one thing has more (1) or less (-1) of a property than another, or than all others."""

    of: Property
    sign: int
    start: int
    end: int
    best: bool
    """More or less than all others."""


class FactorSaid(NamedTuple):
    """How many times as much of a property the one has as the other."""

    of: Property
    factor: float
    bound: Literal["more", "less", "near", "exact"]
    start: int
    end: int
    thing: str = ""
    """What is counted, where that is no rating."""
    bare: bool = False
    """Of a thing itself, as in `twice the Whitmore`: of its price, where that is spoken of."""
    slight: bool = False
    """`Just over` so many times."""


class SideOf(NamedTuple):
    """What a word says one thing to have more (1) or less (-1) of."""

    sign: int
    of: str
    """`rating`, `money` or `number`."""
    kinds: tuple[str, ...] = ()
    """Of the units that a number may have."""


class SideWords:
    """Words that say on which side of another something is."""

    def __init__(self, words: Wordbook) -> None:
        self.measured: dict[str, SideOf] = {}
        """Of what records measure."""
        for name, group in words.groups.items():
            if kinds := tuple(group.more.get("kinds", ())):
                said = SideOf(1 if name.endswith("_more") else -1, "number", kinds)
                self.measured |= dict.fromkeys(group.words, said)
        self.told = {word: one for word, one in self.measured.items() if one.kinds != ("time",)}
        """Of what figures right beside it tell."""
        for name, of in (("stars", "rating"), ("cost", "money"), ("number", "number")):
            self.told |= dict.fromkeys(words[f"{name}_more"], SideOf(1, of))
            self.told |= dict.fromkeys(words[f"{name}_less"], SideOf(-1, of))
        dear = (*words["cost_more"], *words["cost_most"], *words["worth_less"])
        cheap = (*words["cost_less"], *words["cost_least"], *words["worth_more"])
        self.costs = dict.fromkeys(dear, 1) | dict.fromkeys(cheap, -1)
        """Of what a piece costs: which way."""


class ComparisonReader:
    """Reads one sentence at a time."""

    def __init__(self, words: Wordbook) -> None:
        self._signs: dict[str, tuple[Property, int, bool]] = {}
        for of in _PROPERTIES:
            for ending, sign, best in (
                ("more", 1, False),
                ("less", -1, False),
                ("most", 1, True),
                ("least", -1, True),
            ):
                if f"{of}_{ending}" in words.groups:
                    self._signs |= dict.fromkeys(words[f"{of}_{ending}"], (of, sign, best))
        some = words.either
        stars, counts = words["stars_nouns"], words["count_nouns"]
        self._stars = frozenset(stars)
        self._higher = frozenset(words["higher"])
        self._said = re.compile(
            rf"\b(?:(?P<word>{either(self._signs)})"
            rf"|(?P<degree>{some('higher', 'lower')}|highest|best|lowest|worst)\s(?:average\s|customer\s)?(?P<noun>{either((*stars, *words['price_nouns']))})"
            rf"|(?P<many>more|fewer|most|fewest)\s(?:customer\s|total\s)?(?:{some('count_nouns')}))\b",
            re.I,
        )
        self._count_nouns = counts
        factor = (
            rf"(?P<factor>{some('factors')}|(?P<n>(?<![\d.,$])\d{{1,2}}(?:\.\d{{1,2}})?|{SPOKEN})\stimes)"
        )
        led = rf"(?:(?:{some('more_than', 'less_than', 'nearly')}|so|or|which\sis|that\sis|just|fully|exactly)\s){{0,3}}"
        unit = rf"[\s-]?[a-z]{{1,12}}\.?(?:\s(?!(?:{_NEXT})\b)[a-z]{{1,12}}\.?){{0,2}}"
        self._contents = re.compile(
            rf"\b(?:{some('of_contents')})\b(?:(?:(?!\b(?:{_NEXT})\b)[^,;:.()\n]){{0,30}}"
            rf"|[^,;:.()$\d\n]{{0,16}}\s(?:\d[\d.,]{{0,7}}|{SPOKEN}){unit}\s?[,;:(–—-]\s?{led})$",
            re.I,
        )
        """Of contents where they stand right before it, with how much that is or without."""
        bound = rf"(?:(?P<more>{some('more_than')})|(?P<less>{some('less_than')})|(?P<near>{some('nearly')}))"
        self._factor = re.compile(
            rf"\b(?:{bound}\s)?{factor}\s(?:(?P<price>{some('of_price')})|(?P<count>{some('of_count')})|as\smany\s(?P<thing>[a-z]{{3,20}})|(?P<bare>the(?=\s[*_\[]{{0,3}}(?-i:[A-Z]))))\b(?!\s(?!as\b|of\b|the\b|an?\b|its\b|that\b|than\b|your\b|and\b|but\b|for\b|at\b|here\b|while\b|so\b)[a-z])",
            re.I,
        )

    def comparisons(self, sentence: str) -> Iterator[ComparisonSaid]:
        for match in self._said.finditer(sentence):
            of, sign, best = self._meaning(match)
            yield ComparisonSaid(of, sign, *match.span(), best)

    def _meaning(self, match: re.Match[str]) -> tuple[Property, int, bool]:
        if match["word"]:
            return self._signs[match["word"].casefold()]
        if match["many"]:
            many = match["many"].casefold()
            return "count", 1 if many in ("more", "most") else -1, many in ("most", "fewest")
        degree = match["degree"].casefold()
        of: Property = "stars" if match["noun"].casefold() in self._stars else "price"
        best = degree in ("highest", "best", "lowest", "worst")
        sign = 1 if degree in self._higher or degree in ("highest", "best") else -1
        if of == "price" and degree in ("better", "best", "worse", "worst", "stronger", "weaker"):
            sign = -sign
        return of, sign, best

    def is_of_contents(self, before: str) -> bool:
        """Whether `half as much` behind these words is of what goes into a thing, or what it weighs, and not of what it costs."""
        return self._contents.search(before[-_CLAUSE:]) is not None

    def factors(self, sentence: str) -> Iterator[FactorSaid]:
        for match in self._factor.finditer(sentence):
            as_much = (match["price"] or "").casefold().startswith("as much")
            if as_much and self.is_of_contents(sentence[: match.start()]):
                continue
            value = _FACTORS.get(match["factor"].casefold())
            if value is None:
                many = match["n"]
                value = number_said(many)
            bound: Literal["more", "less", "near", "exact"] = (
                "more" if match["more"] else "less" if match["less"] else "near" if match["near"] else "exact"
            )
            thing = (match["thing"] or "").casefold()
            bare = match["bare"] is not None
            of: Property = "price" if match["price"] or bare else "count"
            slight = _SLIGHT.match(match["more"] or match["less"] or "") is not None
            yield FactorSaid(of, value, bound, *match.span(), thing, bare, slight)


COMPARISONS = ComparisonReader(vocabulary("comparisons"))
SIDES = SideWords(vocabulary("comparisons"))
