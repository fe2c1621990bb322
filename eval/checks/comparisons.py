"""Comparisons of two products in play: which is cheaper, better rated, heavier; certain ones only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from drr.env.entities import Product
from drr.eval.checks.base import CheckTally, Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.differences import Differences
from drr.eval.checks.directions import Directions
from drr.eval.checks.layout import TextLine
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.packs import record_divisors
from drr.eval.checks.naming import NamedProduct, head_noun
from drr.eval.checks.pairs import CLOSE, COSTS_PER, THAN, THAN_THE_OTHER, ProductPairs
from drr.eval.checks.residue import residue_of
from drr.eval.checks.values import value_of
from drr.wording.comparisons import COMPARISONS, ComparisonSaid, Property
from drr.wording.cues import CUES
from drr.wording.numbers import SPOKEN, spoken

_UNREAL = re.compile(
    r"\b(?:if|would|were|could|might|unless|not|never|neither|nor|no|without|hardly|usually|often|typically|tends?|used to|once|elsewhere|online|last year|other (?:shops?|stores?)|until|before)\b|n['’]t\b|\?",
    re.I,
)
"""Of such sentences it is not certain what they hold."""
_SO_MANY = re.compile(
    r"\b(?:two|three|four|five|six|pairs?|both|together|combined|sets? of|bundle)\b(?!\s(?:of the|pick))",
    re.I,
)
"""Before a word of price: it may be said of several of a thing."""
_ALSO = re.compile(r"\b(?:is|are)\b(?:\s(?:also|even|actually|in fact|at the same time))?", re.I)
_IS = re.compile(r"\b(?:is|are|was|goes to|being|remains)\b|[:—–]", re.I)
_REACH = 90
"""Characters behind `than` within which it is named what is compared with."""
_SAID_OF = re.compile(rf"\bof (?:the|these|those|all) (?P<n>{SPOKEN})\b", re.I)
_LEAST = {
    "price": 0.005,
    "stars": 0.051,
    "count": 0.5,
    "weight": 0.02,
    "noise": 0.5,
    "light": 0.5,
    "height": 0.1,
}
"""By how much two values of a property must differ."""


def compare_products(tally: CheckTally, mentions: Mentions, cast: Cast) -> None:
    """Every comparison of the prose whose two products are certain."""
    pairs = ProductPairs(mentions, cast)
    if not cast.products:
        return
    which, differences = _WhichHasMore(tally, pairs), Differences(tally, pairs)
    directions = Directions(tally, cast, pairs.ledger, residue_of(mentions))
    for line in mentions.layout.lines:
        if line.kind in ("row", "head_row", "rule_row", "elision"):
            continue
        for span in cast.prose.sentences(line):
            text = mentions.plain[slice(*span)]
            directions.sentence(span)
            pair = pairs.pair(span, line)
            unreal = _UNREAL.search(text) is not None
            if pair is not None and not unreal:
                differences.sentence(span, text, pair)
            found = [
                said
                for said in COMPARISONS.comparisons(text)
                if not (unreal and _is_unreal(mentions.plain, cast, span, said))
            ]
            for said in found:
                which.compare(said, span, line, text, pair)
            if pair is not None and len(found) == 2:
                which.hold_both(found[0], found[1], span, pair)


def _is_unreal(plain: str, cast: Cast, span: Span, said: ComparisonSaid) -> bool:
    """Whether its own clause, or the one before it, is of what would be."""
    clause = cast.prose.clause_at(span[0] + said.start)
    before = cast.prose.clause_at(max(span[0], clause[0] - 3))
    return "?" in plain[slice(*span)] or any(_UNREAL.search(plain, *one) for one in (before, clause))


class _WhichHasMore:
    def __init__(self, tally: CheckTally, pairs: ProductPairs) -> None:
        self._tally = tally
        self._pairs = pairs
        self._cast = pairs.cast
        self._plain = pairs.plain
        self._cited = pairs.cited

    def compare(
        self, said: ComparisonSaid, span: Span, line: TextLine, text: str, pair: tuple[str, str] | None
    ) -> None:
        if said.of == "price" and _SO_MANY.search(self._plain, span[0], span[0] + said.start):
            return
        subject = self._subject_of(said, span)
        if subject not in self._cast.products:
            return
        if said.best:
            if COMPARISONS.is_of_all(text) or len(self._cited) == 2:
                self._best(said, span, subject, text)
            return
        other = self._other(said, span, subject, pair)
        if other in self._cast.products and other != subject:
            self._hold(said, span, line, subject, [other])

    def hold_both(
        self, first: ComparisonSaid, second: ComparisonSaid, span: Span, pair: tuple[str, str]
    ) -> None:
        """`the cheaper one is also the better rated`: which it is by the first decides the second."""
        if self._pairs.within(*span) or not first.attribute:
            return
        if not _ALSO.search(self._plain, span[0] + first.end, span[0] + second.start):
            return
        a, b = (value_of(first.of, self._cast.products[one]) for one in pair)
        if a is None or b is None or abs(a - b) < _LEAST[first.of]:
            return
        subject, other = pair if (a - b) * first.sign > 0 else (pair[1], pair[0])
        self._hold(second, span, None, subject, [other])

    def _subject_of(self, said: ComparisonSaid, span: Span) -> str | None:
        at, behind = span[0] + said.start, span[0] + said.end
        after = self._pairs.within(behind, span[1])
        if said.attribute and after and after[0].start - behind <= 4:
            return after[0].product_id
        before = [
            one for one in self._pairs.within(span[0], at) if not THAN.search(self._plain, span[0], one.start)
        ]
        if before and self._is_near(before[-1], at):
            return before[-1].product_id
        if after and not THAN.search(self._plain, behind, after[0].start):
            between = self._plain[behind : after[0].start]
            if len(between) < CLOSE and _IS.search(between):
                return after[0].product_id
        if before:
            return before[-1].product_id if len({one.product_id for one in before}) == 1 else None
        if after:
            return None
        meant = self._cast.meant_at(at, behind)
        return meant.only if meant.certain else None

    def _is_near(self, place: NamedProduct, at: int) -> bool:
        """Whether nothing ends a clause between a name and what is said of it."""
        return (
            re.search(r"[;:,]|\s[–—-]\s|\b(?:while|but|whereas|and)\b", self._plain[place.end : at]) is None
        )

    def _other(
        self, said: ComparisonSaid, span: Span, subject: str, pair: tuple[str, str] | None
    ) -> str | None:
        behind = span[0] + said.end
        than = THAN.search(self._plain, behind, span[1])
        if than is not None and than.start() - behind < CLOSE:
            named = self._pairs.within(than.end(), min(span[1], than.end() + _REACH))
            if named:
                between = self._plain[than.end() : named[0].start]
                return named[0].product_id if len(between) < CLOSE else None
            if not THAN_THE_OTHER.match(self._plain, than.start()):
                return None
        if pair is None or subject not in pair:
            return None
        return pair[1] if pair[0] == subject else pair[0]

    def _best(self, said: ComparisonSaid, span: Span, subject: str, text: str) -> None:
        """Of two, of as many as are said, or of all where the report is about one kind of thing: else the group is not known."""
        others = [one for one in self._cited if one != subject]
        kinds = {head_noun(self._cast.products[one].title) for one in self._cited}
        many = _SAID_OF.search(text)
        if many is not None and spoken(many["n"]) != len(self._cited):
            return
        if len(self._cited) > 2 and many is None and len(kinds) > 1:
            return
        line = self._cast.prose.line_at(span[0])
        around = span if line is None else (line.start, line.end)
        each = any(one.cue.kind == "unit" or one.value < 1 for one in self._pairs.ledger.within(*around))
        if subject in self._cited and others and not each and not COSTS_PER.search(self._plain, *span):
            self._hold(said, span, None, subject, others)

    def _hold(
        self, said: ComparisonSaid, span: Span, line: TextLine | None, subject: str, others: Iterable[str]
    ) -> None:
        mine, where = self._cast.products[subject], (span[0] + said.start, span[0] + said.end)
        clause = self._cast.prose.clause_at(where[0])
        for one in others:
            other = self._cast.products[one]
            values = list(self._values(said.of, mine, other, span, clause, line))
            if not values:
                self._tally.unclear(f"a record gives no {_NOUN[said.of]} to compare")
                return
            if all(said.sign * (a - b) < -_LEAST[said.of] for a, b in values):
                a, b = values[0]
                told = f"said {self._plain[slice(*where)]!r} of {subject}: {_NOUN[said.of]} {a:g}, of {one} {b:g}"
                self._pairs.accuse(self._tally, "comparison", where, told, span, (subject, one))
                return
        self._tally.ok()

    def _values(
        self, of: Property, mine: Product, other: Product, span: Span, clause: Span, line: TextLine | None
    ) -> Iterator[tuple[float, float]]:
        """The two values; of a price in a text that also speaks of costs per unit, those as well."""
        a, b = value_of(of, mine), value_of(of, other)
        if a is None or b is None:
            return
        if of != "price":
            yield a, b
            return
        units = CUES.units_in(self._plain[slice(*clause)])
        spoken_of = units or CUES.units_in(self._plain[line.start : line.end] if line else "")
        if not spoken_of and not COSTS_PER.search(self._plain, *span):
            yield a, b
        elif found := [pair for unit in sorted(spoken_of) for pair in _unit_prices(unit, mine, other)]:
            yield from found
            if not units:
                yield a, b


_NOUN = {
    "price": "price",
    "stars": "rating",
    "count": "number of ratings",
    "weight": "weight",
    "noise": "loudness",
    "light": "brightness",
    "height": "height",
}


def _unit_prices(unit: str, mine: Product, other: Product) -> Iterator[tuple[float, float]]:
    none = frozenset[float]()
    for a in record_divisors(mine, unit, none):
        for b in record_divisors(other, unit, none):
            if mine.price is not None and other.price is not None:
                yield mine.price / a, other.price / b
