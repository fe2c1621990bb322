"""The parts of a reader's orders that words of a report may mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import cache, cached_property
from itertools import islice
from typing import Literal, NamedTuple

from drr.eval.checks.base import Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.makers import PlaceNamed, makers_of
from drr.eval.checks.naming import fold, folded_words
from drr.eval.checks.person.readings.sets import NO_NOUNS, Mask, OrderSets
from drr.eval.checks.person.tallies import name_form, plain_name
from drr.wording.dates import dates

FacetKind = Literal["named", "kind", "category", "time", "beside", "priced"]
_WORD = re.compile(r"[A-Za-z][A-Za-z'’]{1,24}")
_JOINS = re.compile(r"[\s*_-]{1,3}")
_RUN = 4
"""Words of the name of a kind."""
_BESIDE_YEAR = re.compile(
    r"\bthe (?:year|one) (?P<side>before|after|earlier|later)\b|\b(?:the )?(?P<which>previous|preceding|following|next|that|same) year\b|\b(?P<this>this|last) year\b",
    re.I,
)
"""A year by another one that was said."""
_OFF = {"before": -1, "earlier": -1, "previous": -1, "preceding": -1, "that": 0, "same": 0}
_BEYOND = re.compile(r"\b(?:by|before|after|until|till|prior to|later than)\s(?:\w{1,9}\s){0,2}$", re.I)
"""Before a time: it may be left out of what is counted."""
_NAMED, _WHENS = 40, 8
"""Names and times that are read of a sentence."""
_YEARS = range(1900, 2100)
_SO_FAR = 600
"""Characters in which the year stands that another one is told by."""
_KINDS = 12
"""Kinds that are read of a stretch."""
_PRICED = re.compile(
    r"\b(?:(?:with|carry|carries|have|has|know|knows|show|shows|carrying|having)\s(?:a\s|any\s|no\s)?(?:known\s|current\s|listed\s)?price|priced|known price)s?\b",
    re.I,
)
_UNPRICED = re.compile(
    r"\b(?:no|not|without|unpriced|never|nothing|lack|lacks|missing|unknown|longer|other|rest|cannot)\b|n['’]t\b",
    re.I,
)


TIMES: tuple[FacetKind, ...] = ("time", "beside")
NO_THING: tuple[FacetKind, ...] = (*TIMES, "priced")


class Facet(NamedTuple):
    """A stretch of text that means a part of the orders, in one of several ways."""

    start: int
    end: int
    kind: FacetKind
    ways: tuple[Mask, ...]
    """Every set of orders that may be meant; the first is what the words say."""
    linked: bool = False
    """Named by a link, not by a word that others are called by too."""


class OrderFacets:
    """What the words of a report may mean of one reader's orders."""

    def __init__(self, sets: OrderSets, cast: Cast) -> None:
        self.sets = sets
        self._cast = cast
        self._body = cast.body
        # The readers ask for the same stretches one after the other, and for wider ones around them.
        self._in_span, self._kinds_in = cache(self._all_in), cache(self._every_kind)
        self.named, self._ways_of_kind = cache(self._named), cache(self._ways_of)

    def in_span(self, span: Span) -> list[Facet]:
        """Everything that a stretch names, in order."""
        return list(self._in_span(span))

    def kinds_in(self, span: Span) -> list[Facet]:
        """The names of kinds in a stretch, whatever stands beside them."""
        return list(self._kinds_in(span))

    def _named(self, place: PlaceNamed) -> Facet:
        """By a link or a name: the thing, all things whose titles have the words of the name, and where only a maker is named all of its."""
        text = self._body[place.start : place.end]
        if re.fullmatch(r"\[\^?\w{1,6}\]", text):
            text = ""
        said = [
            one
            for one in folded_words(re.sub(r"\]\(.*|https?://\S+", " ", text, flags=re.S))
            if one in self.sets.title
        ]
        own = self.sets.of_ids(place.products)
        ways = [own, *(self.sets.of_ids([one]) for one in sorted(place.products) if len(place.products) > 1)]
        ways.append(self.sets.in_titles(said))
        if text and (not place.linked or len(said) < 2):
            makers = {
                one
                for key in place.products
                if (product := self._cast.products.get(key))
                for one in makers_of(product)
            }
            for one in (text, *sorted(makers)[:4]):
                ways += [self.sets.of_maker(one), self.sets.store.get(one, 0)]
        return Facet(place.start, place.end, "named", _ways(ways), place.linked)

    def kind_at(self, start: int, end: int) -> Facet | None:
        """The longest run of words from a place on that titles of what was ordered have together."""
        said: list[str] = []
        at, last = start, start
        while len(said) < _RUN and (match := _WORD.match(self._body, at, end)):
            word = fold(match[0])
            if word in NO_NOUNS or not self.sets.of_words([*said, word]):
                break
            said.append(word)
            last = match.end()
            joins = _JOINS.match(self._body, last, end)
            if joins is None:
                break
            at = joins.end()
        return self._kind(said, start, last) if said and said[-1] in self.sets.heads else None

    def is_a_thing(self, facet: Facet) -> bool:
        """Whether words name a category, or end the name of every thing that they count: `seed` of bird seed, not `bird`."""
        text = self._body[facet.start : facet.end]
        said = folded_words(text)
        if plain_name(text) in self.sets.category or not said:
            return True
        return bool(facet.ways) and not facet.ways[0] & ~self.sets.ending(said[-1])

    def kind_before(self, start: int, end: int) -> Facet | None:
        """The longest run of words that ends at a place."""
        said: list[str] = []
        first = end
        text = self._body[max(start, end - 80) : end]
        words = list(_WORD.finditer(text))[-_RUN:]
        for match in reversed(words):
            behind = text[match.end() : first - end + len(text)]
            if behind and not _JOINS.fullmatch(behind):
                break
            word = fold(match[0])
            if word in NO_NOUNS or not self.sets.of_words([word, *said]):
                break
            said.insert(0, word)
            first = end - len(text) + match.start()
        return self._kind(said, first, end) if said and said[-1] in self.sets.heads else None

    def ways_of_words(self, said: tuple[str, ...]) -> tuple[Mask, ...]:
        """Every set of orders that some words may mean as the name of a kind."""
        return self._ways_of_kind(said)

    def _kind(self, said: Sequence[str], start: int, end: int) -> Facet:
        return Facet(start, end, "kind", self._ways_of_kind(tuple(said)))

    def _ways_of(self, said: tuple[str, ...]) -> tuple[Mask, ...]:
        ways = [self.sets.of_words(said)]
        for low in range(len(said)):
            rest = said[low:]
            ways += [
                self.sets.of_words(rest),
                self.sets.in_titles(rest),
                self.sets.on_shelves(rest),
                self.sets.on_roots(rest),
            ]
        for one in (ways[0], self.sets.in_titles(said), self.sets.in_titles(said[-1:])):
            leaves = self.sets.with_leaves(one)
            ways += [
                leaves,
                self.sets.alike(one),
                self.sets.alike(leaves),
                self.sets.with_leaves(self.sets.alike(one)),
            ]
        return _ways(ways)

    def _every_kind(self, span: Span) -> list[Facet]:
        found: list[Facet] = []
        at = span[0]
        while len(found) < _KINDS and (match := _WORD.search(self._body, at, span[1])):
            kind = self.kind_at(match.start(), span[1])
            if kind is not None:
                found.append(kind)
            at = kind.end if kind is not None else match.end()
        return found

    def _category_at(self, start: int, end: int) -> Facet:
        name = plain_name(self._body[start:end])
        ways = [self.sets.category[name]]
        if name in self.sets.roots:
            return Facet(start, end, "category", _ways(ways))
        return Facet(start, end, "kind", _ways([*ways, *self._kind(folded_words(name), start, end).ways]))

    @cached_property
    def _parts(self) -> re.Pattern[str]:
        forms = sorted((name_form(one) for one in self.sets.category), key=len, reverse=True)
        return re.compile(rf"(?<![\w$/-])(?:{'|'.join(forms) or '(?!)'})(?![\w/-])", re.I)

    def _all_in(self, span: Span) -> list[Facet]:
        found = [self.named(one) for one in self._cast.within(*span)[:_NAMED]]
        taken = [(one.start, one.end) for one in found]
        for match in islice(self._parts.finditer(self._body, *span), _NAMED):
            if not _meets(match.span(), taken):
                found.append(self._category_at(*match.span()))
        found += self._times(span)
        for match in islice(_PRICED.finditer(self._body, *span), _WHENS):
            found.append(Facet(*match.span(), "priced", self._priced(match.span(), span)))
        return sorted(found)

    def _priced(self, at: Span, span: Span) -> tuple[Mask, ...]:
        """With a price, without one, or either where a word further on may turn it."""
        low, high = self._cast.prose.clause_at(at[0])
        before = re.split(r"[(),;:]", self._body[max(low, span[0]) : at[0]])[-1]
        unpriced = self.sets.all & ~self.sets.priced
        if _UNPRICED.search(before + self._body[slice(*at)]):
            return (unpriced,)
        turned = _UNPRICED.search(self._body, max(low, span[0]), min(high, span[1]))
        return (self.sets.priced, unpriced) if turned else (self.sets.priced,)

    def _times(self, span: Span) -> Iterator[Facet]:
        """Years, months and days; from then, up to then, before and after, and between the first and the last that are said."""
        whens = [one for one in islice(dates(self._body, *span), _WHENS) if one.year in _YEARS]
        for when in whens:
            then = self.sets.on(when)
            behind = ~((then & -then) - 1) & self.sets.all if then else self._from(when.year, when.month or 1)
            before = ((1 << then.bit_length()) - 1) & self.sets.all if then else self.sets.all & ~behind
            ways = [then, behind, before]
            if _BEYOND.search(self._body, max(span[0], when.start - 24), when.start):
                ways += [self.sets.all & ~behind, self.sets.all & ~before]
            ways += [
                self.sets.between(
                    date(min(when.year, one.year), 1, 1), date(max(when.year, one.year), 12, 31)
                )
                for one in whens
                if one.year != when.year
            ]
            yield Facet(when.start, when.end, "time", tuple(dict.fromkeys(ways)))
        for match in islice(_BESIDE_YEAR.finditer(self._body, *span), _WHENS):
            line = self._cast.prose.line_at(span[0])
            low = max(line.start if line else span[0], match.start() - _SO_FAR)
            said = {one.year for one in self._cast.prose.dates(low, match.start()) if one.year in _YEARS}
            today = self.sets.history.today.year
            if match["this"]:
                years = {today - (match["this"].casefold() == "last")}
            else:
                off = _OFF.get((match["which"] or match["side"]).casefold(), 1)
                years = {one + off for one in (*said, today, today - 1)}
            of_years = [self.sets.between(date(one, 1, 1), date(one, 12, 31)) for one in sorted(years)]
            yield Facet(*match.span(), "beside", tuple(dict.fromkeys(of_years)))

    def _from(self, year: int, month: int) -> Mask:
        return self.sets.between(date(year, min(max(month, 1), 12), 1), date.max)


def _ways(masks: Iterable[Mask]) -> tuple[Mask, ...]:
    return tuple(dict.fromkeys(one for one in masks if one))


def _meets(span: Span, taken: Iterable[Span]) -> bool:
    return any(span[0] < high and low < span[1] for low, high in taken)
