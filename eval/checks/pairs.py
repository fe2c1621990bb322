"""Which two products a sentence sets against each other: those that it names, those of its paragraph, or the report's only two."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from drr.eval.checks.base import CheckTally, Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.layout import TextLine
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.ledger import ledger_of
from drr.eval.checks.naming import NamedProduct, things_in
from drr.eval.checks.residue import residue_of
from drr.wording.doubts import DoubtKind

THAN = re.compile(r"\bthan\b", re.I)
THAN_THE_OTHER = re.compile(
    r"\bthan\s(?:(?:the|its|that|this)\s)?(?:other|latter|former|rival|rivals|sibling|sister|alternative|competitor|runner-up|either)\b",
    re.I,
)
_FORMER = re.compile(r"\b(?:former|latter)\b", re.I)
_OF_TWO = re.compile(r"\bof the (?:two|pair)\b", re.I)
COSTS_PER = re.compile(
    r"\b(?:per|by (?:the|volume|weight|area|length|count|number|size)|each|apiece|for the money|an? (?:piece|count|sheet|load|foot|pound|ounce|pack|month|year)|(?P<unit>[a-z]{3,14}) for (?P=unit))\b",
    re.I,
)
"""What is said may be of costs per unit."""
CLOSE = 40
"""Characters of a noun phrase."""


class ProductPairs:
    """The places of a report that name one product, by link, by name or by a noun that only one of them has."""

    def __init__(self, mentions: Mentions, cast: Cast) -> None:
        self.cast = cast
        self.plain = mentions.plain
        self.ledger = ledger_of(mentions)
        self._residue = residue_of(mentions)
        cited = dict.fromkeys(one.product_id for one in self.ledger.play.cited)
        self.cited = [one for one in cited if one in cast.products]
        things = things_in(self.plain, {one: cast.products[one] for one in self.cited})
        single = (
            NamedProduct(next(iter(one.products)), one.start, one.end)
            for one in cast.named
            if len(one.products) == 1 and not one.products & cast.unlinked
        )
        self._places = _apart([*single, *things])
        self._starts = [one.start for one in self._places]

    def within(self, start: int, end: int) -> Sequence[NamedProduct]:
        return self._places[bisect_left(self._starts, start) : bisect_left(self._starts, end)]

    def pair(self, span: Span, line: TextLine) -> tuple[str, str] | None:
        """The two products of the sentence, of its paragraph or of the whole report."""
        if self.cast.names_a_stranger(span):
            return None
        here = _distinct(self.within(*span))
        known = set(self.cast.products)
        if not here and _FORMER.search(self.plain, *span):
            last = _distinct(self.within(line.start, span[0])[-3:])[-2:]
            return (last[0], last[1]) if len(last) == 2 and set(last) <= known else None
        if _OF_TWO.search(self.plain, *span) and len(here) < 2:
            last = _distinct(self.within(line.start, span[0]))[-2:]
            return (last[0], last[1]) if len(last) == 2 and {*last, *here} <= known & set(last) else None
        around = _distinct(self.within(line.start, line.end))
        if _distinct(self.within(line.start, span[1])) != around:
            around = []  # what is named behind a sentence is not what it speaks of
        for some, named in ((here, here), (around, here), (self.cited, [*here, *around])):
            if len(some) == 2 and set(some) <= known and set(named) <= set(some):
                return some[0], some[1]
        return None

    def accuse(
        self, tally: CheckTally, kind: str, where: Span, why: str, span: Span, pair: Sequence[str]
    ) -> None:
        """A comparison is bound to what its sentence names of the two."""
        named = set(_distinct(self.within(*span))) & set(pair)
        bound = (Certainty.INFERRED, Certainty.SENTENCE, Certainty.CLAUSE)[min(len(named), 2)]
        if _OF_TWO.search(self.plain, *span):
            bound = max(bound, Certainty.SENTENCE)  # it is said that they are the two
        tally.accuse(kind, where, why, bound, self._residue.doubt(span, _MINDED))


_MINDED: tuple[DoubtKind, ...] = ("unreal", "owned", "pace", "others")


def _distinct(places: Sequence[NamedProduct]) -> list[str]:
    return list(dict.fromkeys(one.product_id for one in places))


def _apart(places: list[NamedProduct]) -> list[NamedProduct]:
    """Of places that overlap the first and longest."""
    found: list[NamedProduct] = []
    for one in sorted(places, key=lambda one: (one.start, -one.end)):
        if not found or one.start >= found[-1].end:
            found.append(one)
    return found
