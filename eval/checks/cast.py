"""Who a figure of the report may speak of: the products in play by link, id, brand and place, and how certain that is."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple
from weakref import WeakKeyDictionary

from drr.citations.addresses import addresses_in
from drr.env.entities import Product
from drr.eval.checks.base import Span, Subject
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.layout import TextLine
from drr.eval.checks.makers import MakersInPlay, PlaceNamed, makers_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.naming import fold, head_noun, things_in
from drr.eval.checks.places_meant import PlacesMeant
from drr.eval.checks.prose import Prose
from drr.eval.checks.referents import Referents
from drr.eval.checks.scopes import ScopesAbove
from drr.eval.checks.strangers import Strangers
from drr.eval.checks.table_owners import TableOwners
from drr.eval.checks.unlinked import UnlinkedNames

_CONTRAST = re.compile(
    r"\b(?:than|against|versus|vs?|compared|rival|rivals|other|others|former|latter|sibling|cousin|both|either|neither|each|respectively|whereas|"
    r"while|one|another|instead|two|three|all|next|first|second|third|last|runner-up|competitor|alternative|alternatives|group|pair|trio|twins?)\b",
    re.I,
)

_LINK = 300
"""Characters of a link in which no sentence ends."""


class Meant(NamedTuple):
    """The products that a stretch of text may speak of."""

    products: frozenset[str]
    certain: bool
    """By its place it is this one product and no other."""
    contrast: bool
    """The clause sets products against each other, or names somebody who is not in play."""
    placed: bool = False
    """By the row or column of a table."""
    bound: Certainty = Certainty.INFERRED

    @property
    def only(self) -> str | None:
        return next(iter(self.products)) if len(self.products) == 1 else None


def _meant(products: frozenset[str], certain: bool, contrast: bool, bound: Certainty) -> Meant:
    return Meant(products, certain, contrast, bound=bound if certain else Certainty.INFERRED)


class Cast:
    """The products in play, and where the report names them."""

    def __init__(self, subject: Subject, mentions: Mentions) -> None:
        self.body = mentions.body
        self.lines = mentions.layout.lines
        self.products: dict[str, Product] = {}
        for product_id in _cited_ids(subject, mentions):
            product = subject.product(product_id)
            if product is not None:
                self.products[product_id] = product
        self._add_history(subject)
        self.ordered = list(subject.ordered.values())
        linked = [
            PlaceNamed(one.start, one.end, frozenset([one.product_id]), True) for one in mentions.references
        ]
        called = [
            PlaceNamed(one.start, one.end, frozenset([one.product_id]), False) for one in mentions.called
        ]
        makers = MakersInPlay(self.products).named(self.body, linked)
        unlinked = UnlinkedNames(subject, self.body, self.products)
        hidden = [(one.start, one.end) for one in (*linked, *called)]
        hidden += [(one.start, one.end) for one in subject.citations.markers]
        makers = unlinked.named(hidden, list(_outside(makers, called)))
        self.named = sorted([*linked, *called, *makers])
        self.unlinked = frozenset(unlinked.found)
        """Named without an address: they may explain a figure, and by them none is accused; `possible`, all that their makers sell."""
        self.possible, self.siblings = unlinked.possible, unlinked.siblings
        self.products |= unlinked.found
        self._named_at = [one.start for one in self.named]
        self.prose = Prose(self.body, self.lines, self._inside_link)
        self.meant_at = cache(self._meant_in_play)
        self._on = cache(self._named_within)
        self._contrasted: dict[Span, bool] = {}
        self._scopes = sorted((one.start, one.end, one.product_id) for one in mentions.mentions)
        self._scopes_at = [start for start, _, _ in self._scopes]
        self._openings = ScopesAbove(self.lines, self.within)
        self.tables = TableOwners(self.lines, self.body, self.within, self._on)
        mentions.tables.learn(self.tables.columns)
        everybody = frozenset[str]().union(*(one.products for one in self.named))
        self.only = everybody if len(everybody) == 1 and not self.unlinked else None
        """The one product that the whole report speaks of."""
        self._things = _things_named(mentions, self.products)
        self._things_at = [one.start for one in self._things]
        linked_to = {key: one for key, one in self.products.items() if key not in self.unlinked}
        self._strangers = Strangers(subject, mentions, linked_to, self._inside_link)
        places = PlacesMeant(
            mentions.plain,
            lambda span: self.within(*span),
            self.things_in,
            self._named_before,
            self._last_told,
            self._strangers,
        )
        self.referents = Referents(mentions.plain, self.prose, places, self._strangers)

    def names_a_stranger(self, span: Span) -> bool:
        return self._strangers.names_one(span)

    def column_owner(self, line: TextLine, column: int) -> str | None:
        owner = self.tables.column_owner(line, column)
        return None if owner in self.unlinked else owner

    def by_columns(self, line: TextLine) -> bool:
        return self.tables.by_columns(line)

    def row_owner(self, line: TextLine) -> str | None:
        owner = self.tables.row_owner(line)
        return None if owner in self.unlinked else owner

    def is_keyed(self, line: TextLine) -> bool:
        return self.tables.is_keyed(line)

    def things_in(self, span: Span) -> list[PlaceNamed]:
        return self._things[bisect_left(self._things_at, span[0]) : bisect_left(self._things_at, span[1])]

    def _named_before(self, sentence: Span) -> list[frozenset[str]]:
        """Who is named before a sentence of a paragraph, the last ones last."""
        line = self.prose.line_at(sentence[0])
        return [] if line is None else [one.products for one in self.within(line.start, sentence[0])[-6:]]

    def _last_told(self, sentence: Span) -> frozenset[str]:
        line = self.prose.line_at(sentence[0])
        return frozenset() if line is None else self._told_before(line, sentence)

    def _add_history(self, subject: Subject) -> None:
        """What the reader ordered of a maker whom the report names is in play too."""
        for product in subject.ordered.values():
            if any(maker in self.body for maker in makers_of(product)):
                self.products.setdefault(product.product_id, product)

    def within(self, start: int, end: int) -> list[PlaceNamed]:
        return self.named[bisect_left(self._named_at, start) : bisect_left(self._named_at, end)]

    def _inside_link(self, low: int, position: int) -> bool:
        return any(
            one.start <= position < one.end
            for one in self.within(max(low, position - _LINK), position + 1)
            if one.linked
        )

    def _meant_in_play(self, position: int, end: int) -> Meant:
        """Who the figure at a place of the text may speak of; nobody who is in play, where something is named without an address."""
        meant = self._meant_at(position, end)
        unlinked = bool(meant.products & self.unlinked) and len(meant.products) < len(self.products)
        return _NOBODY if unlinked or _is_the_readers(self, position) else meant

    def _meant_at(self, position: int, end: int) -> Meant:
        sentence = self.prose.sentence_at(position)
        clause = self.prose.clause_at(position)
        here = self._on(sentence)
        contrast = self._contrasts(clause) or self.names_a_stranger(clause if here else sentence)
        among_others = contrast or self._contrasts(sentence)
        line = self.prose.line_at(position)
        if (referent := self.referents.at(position, end)) is not None:
            bound_by = referent.bound if referent.certain else Certainty.INFERRED
            whom = referent.products or frozenset(self.products)
            alone = len({one.products for one in self.referents.groups(sentence)}) == 1
            return Meant(whom, referent.certain, not (referent.certain or alone), bound=bound_by)
        if not here and self.only is not None and not among_others:
            return Meant(self.only, True, False, bound=Certainty.SCOPE)
        if here:
            if bound := self._bound(position, end, clause):
                return Meant(bound, True, contrast, bound=Certainty.CLAUSE)
            if line is not None and self.within(*sentence)[0].start > position:
                around = self._on((line.start, line.end))
                cited = around == here and len(here) == 1 and not among_others
                return Meant(around, cited, contrast or around != here, bound=_BY_CITATION[cited])
            certain = len(here) == 1 and not among_others
            return _meant(here, certain, contrast, Certainty.SENTENCE)
        if line is not None and (before := self._told_before(line, sentence)):
            alone = line.kind != "text" and self._on((line.start, line.end)) == before
            heading = self._openings.product_over(line)
            stands = _IT.match(self.body, *sentence) is not None or self._is_its_noun(sentence, before)
            if (alone or stands) and before == {heading or next(iter(before))}:
                named = self._on((line.start, position))
                certain = not among_others and (alone or named <= before)
                return _meant(before, certain, contrast, Certainty.SCOPE)
            return Meant(self._on((line.start, line.end)), False, contrast)
        scope, heading = self._scope_at(position), self._openings.product_over(line)
        if heading is not None and heading == (scope or heading):
            return _meant(frozenset([heading]), not among_others, contrast, Certainty.SCOPE)
        if scope is not None and line is not None and line.kind != "text":
            return _meant(frozenset([scope]), not among_others, contrast, Certainty.SCOPE)
        if line is not None and (around := self._on((line.start, line.end))):
            return Meant(around, False, contrast)
        if scope is not None:
            return Meant(frozenset([scope]), False, contrast)
        return Meant(frozenset(self.products), False, True)

    def _bound(self, position: int, end: int, clause: Span) -> frozenset[str] | None:
        """The one product whose name stands before the figure in its clause, or in the same parenthesis behind it."""
        whose = self._on(clause)
        if len(whose) != 1 or _PRONOUN.search(self.body, max(clause[0], position - _LINK), position):
            return None
        first = self.within(*clause)[0].start
        if first < position:
            return whose
        return whose if _OPENS.fullmatch(self.body[end : min(first, end + _LINK)]) else None

    def _named_within(self, span: Span) -> frozenset[str]:
        """All products that are named within a stretch."""
        return frozenset[str]().union(*(one.products for one in self.within(*span)))

    def _contrasts(self, span: Span) -> bool:
        if span not in self._contrasted:
            ends = {one.end for one in self.within(*span)}
            self._contrasted[span] = any(
                not (match[0].casefold() == "one" and {match.start() - 1, match.start() - 3} & ends)
                for match in _CONTRAST.finditer(self.body, *span)
            )
        return self._contrasted[span]

    def _is_its_noun(self, sentence: Span, before: frozenset[str]) -> bool:
        """Whether a sentence begins with the noun of the one product that was spoken of: `The rail is ...`."""
        match = _THE_NOUN.match(self.body, *sentence)
        product = self.products.get(next(iter(before))) if len(before) == 1 else None
        return match is not None and product is not None and fold(match["noun"]) == head_noun(product.title)

    def _told_before(self, line: TextLine, sentence: Span) -> frozenset[str]:
        """Whom the last sentence of the paragraph speaks of that names anybody."""
        found: frozenset[str] = frozenset()
        for one in self.prose.sentences(line):
            if one[0] >= sentence[0]:
                break
            here = self.within(*one)
            if here and _BESIDE_THE_POINT.search(self.body, one[0], here[0].start):
                found = found or self._on((line.start, line.end))
            else:
                found = self._on(one) or found
        return found

    def _scope_at(self, position: int) -> str | None:
        index = bisect_right(self._scopes_at, position) - 1
        for start, end, product_id in reversed(self._scopes[max(0, index - 3) : index + 1]):
            if start <= position < end:
                return product_id
        return None


def _is_the_readers(cast: Cast, position: int) -> bool:
    """Whether a label says it of something of the reader's or the writer's: `My dog's weight: 95 pounds`."""
    sentence = cast.prose.sentence_at(position)
    return _THEIRS.match(cast.body, sentence[0], position) is not None and not cast.within(*sentence)


def names_within(cast: Cast, span: Span) -> list[PlaceNamed]:
    """What a stretch names, and things by their words (`the padded one`) where no name stands."""
    named = cast.within(*span)
    things = (
        one for one in cast.things_in(span) if not any(a.start < one.end and one.start < a.end for a in named)
    )
    return sorted([*named, *things])


def _cited_ids(subject: Subject, mentions: Mentions) -> Iterable[str]:
    found = dict.fromkeys(one.product_id for one in mentions.references)
    for url in (*(source.url for source in subject.citations.sources), *addresses_in(subject.report)):
        product_id = subject.product_id_of(url)
        if product_id:
            found[product_id] = None
    return found


def _things_named(mentions: Mentions, products: Mapping[str, Product]) -> list[PlaceNamed]:
    """`the padded one`, `the glass feeder`: more than a bare noun, which may be any such thing."""
    return [
        PlaceNamed(one.start, one.end, frozenset([one.product_id]), False)
        for one in things_in(mentions.plain, products)
        if len(mentions.plain[one.start : one.end].split()) > _ONE_NOUN or _ONE.match(mentions.plain, one.end)
    ]


def _outside(some: Iterable[PlaceNamed], taken: list[PlaceNamed]) -> Iterable[PlaceNamed]:
    """Those that are not part of a longer name."""
    starts = [one.start for one in taken]
    for one in some:
        at = bisect_right(starts, one.start) - 1
        if at < 0 or taken[at].end <= one.start:
            yield one


_NOBODY = Meant(frozenset(), False, True)
_THEIRS = re.compile(r"[\s*_>•-]{0,8}(?:my|your|our|his|her)\s[^:.;!?\n]{1,40}:[^:;.!?\n]{1,40}$", re.I)
_ONE = re.compile(r"\s(?:one|version|model|option|variant)\b", re.I)
_ONE_NOUN = 2
"""Words of `the feeder`, which may be any feeder."""
_BY_CITATION = {True: Certainty.SENTENCE, False: Certainty.INFERRED}
"""Of what its sentence cites behind it, where the paragraph names nothing else."""
_OPENS = re.compile(r"[\s*_]{0,3}[(\[][^.;]{0,40}")
_IT = re.compile(
    r"[\s*_(]{0,6}(?:(?:and|but|plus|also|still|yet|while)[, ]\s?)?(?:it|its|it['’]s|this|they|their|they['’]re|he|she)\b",
    re.I,
)
"""Of whom the sentence before spoke."""
_BESIDE_THE_POINT = re.compile(
    r"\b(?:than|as|like|unlike|versus|vs\.?|against)\s(?:the\s|your\s)?[*_\[]{0,3}$", re.I
)
"""Before a name: the sentence is not about it."""
_THE_NOUN = re.compile(r"[\s*_(]{0,6}(?:The|This|Its)\s(?P<noun>[a-z]{3,20})\b")
_PRONOUN = re.compile(
    r"\b(?:it|its|they|their|former|latter|rival|other|both|one|this|that|these|those)\b", re.I
)
_casts: WeakKeyDictionary[Mentions, Cast] = WeakKeyDictionary()


def cast_of(subject: Subject, mentions: Mentions) -> Cast:
    """The cast of a report, read once for all rules."""
    if mentions not in _casts:
        _casts[mentions] = Cast(subject, mentions)
    return _casts[mentions]
