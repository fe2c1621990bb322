"""What kind of thing a count of own orders is of: `eight of your 18 orders are French presses`, `four are kettles`, `kettles: 4 orders`, `scales follow with five`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Literal, NamedTuple

from drr.eval.checks.base import Span
from drr.eval.checks.layout import TextLine
from drr.eval.checks.naming import folded_words
from drr.eval.checks.person.readings.facets import Facet, OrderFacets
from drr.eval.checks.person.readings.said import GAP, SaidCount
from drr.eval.checks.person.readings.sets import NO_NOUNS, Mask
from drr.wording.numbers import SPOKEN, WHOLE

_COUNT = rf"(?:{WHOLE}|{SPOKEN})"
_ORDERS = r"(?:orders|purchases|parcels)"
_WHOSE = r"(?:all|your|the|these|those|his|her|their|my)"
OF_ALL = (
    rf"(?:out{GAP})?of{GAP}(?:them|these|those|(?:{_WHOSE}{GAP}){{0,3}}(?:{_COUNT}{GAP}?)?(?:{_ORDERS})?)"
)
_SHARE = r"[~≈]?\s?\d{1,3}(?:\.\d{1,2})?\s?(?:%|percent|per\scent)"
_FRACTION = r"(?:(?:a|one|two|three)[\s-](?:half|thirds?|quarters?|fifths?|sixth|eighth|tenth)|half)"
_ASIDE = rf"[\s*_]{{0,3}}[,(–—][\s*_]{{0,3}}(?:(?:or|about|around|roughly|nearly|almost|exactly|some|just|over|under|so|that{GAP}is|i\.e\.),?{GAP}){{0,3}}(?:{_SHARE}|{_FRACTION})[\s*_]{{0,3}}[,)–—]?"
_BE = rf"(?:are|were|was|is|have{GAP}been|went{GAP}to|go{GAP}to)"
_INTO = rf"(?:(?:all|for|of|on){GAP}){{0,2}}(?:(?:the|your|a|an|different|separate){GAP}){{0,2}}[*_]{{0,2}}"
_ARE_SO = re.compile(
    rf"(?:{GAP}{OF_ALL}(?:{_ASIDE})?(?:{GAP}{_BE})?|(?:{GAP}{_ORDERS})?(?:{_ASIDE})?{GAP}{_BE}){GAP}{_INTO}",
    re.I,
)
"""From a count to what it is of: `eight of your 18 orders (44%) are`, `four are`, `eight of them`."""
_ORDERS_OF = re.compile(rf"{GAP}(?:separate{GAP})?{_ORDERS}{GAP}(?:of|for|were|are){GAP}{_INTO}", re.I)
_BETWEEN = re.compile(
    rf"{GAP}(?:(?:different|separate){GAP}|(?P<packs>packs|boxes|bottles|bags|jars|tubs){GAP}of{GAP})?", re.I
)
_ORDERS_BEHIND = re.compile(rf"{GAP}{_ORDERS}\b", re.I)
_BOUGHT = re.compile(
    rf"\b(?:you(?:['’]ve|{GAP}have)?{GAP}(?:already{GAP}|now{GAP}|since{GAP})?(?:bought|ordered|purchased|owned|own|tried|had)|orders{GAP}(?:show|include|hold|contain|list)"
    rf"|(?:history|record|account){GAP}(?:shows|includes|holds|has|contains|lists)){GAP}(?:(?:exactly|just|only|already|a{GAP}total{GAP}of){GAP})?$",
    re.I,
)
"""Right before a count of things that were ordered."""
_NEXT_ONE = re.compile(rf"[\s*_]{{0,3}}(?:,{GAP}(?:and{GAP})?|{GAP}and{GAP}){_COUNT}{GAP}", re.I)
_ONE_BEFORE = re.compile(
    rf"{_COUNT}{GAP}(?:different{GAP})?(?P<k>[a-z][a-z '’-]{{2,40}}),?{GAP}(?:and{GAP})?$", re.I
)
_WITH = re.compile(
    rf"(?:{GAP}(?:follows?|leads?|comes?|came)(?:{GAP}(?:next|first|second|then))?)?,?{GAP}with{GAP}"
    rf"|{GAP}(?:are|were|makes?{GAP}up|account{GAP}for|take{GAP}up|came{GAP}to|come{GAP}to){GAP}"
    rf"|(?:(?!\b(?:rest|others?|else|and|with|without|than|plus|together|combined)\b)[^.;:?!]){{0,40}}:{GAP}",
    re.I,
)
"""From a kind to its count."""
_MORE_THAN_THAT = re.compile(
    r"\b(?:like|such\sas|than|beyond|apart\sfrom|aside\sfrom|except|without|besides|beside|but|not|no|after|around|from|all|with|near|include|including|e\.g\.)\s(?:(?:the|your|all|any|of)\s){0,2}[*_]{0,2}$",
    re.I,
)
"""Before a kind: what is counted is more than that, or something else."""
_IS_ALL = re.compile(
    rf"(?:{GAP}{OF_ALL})?(?:{GAP}{_ORDERS})?(?:{GAP}each)?(?=[\s*_]{{0,3}}(?:$|[.,;:!()–—]|and\b|while\b|but\b))",
    re.I,
)
"""Behind a count: it is of nothing that follows."""
_ENDS = re.compile(
    r"[\s*_]{0,3}(?:$|[.,;:!()\]–—]|(?:in|since|so|over|and|by|with|from|at|on|while|but|out|you|as|all|between|during|alone|plus|here)\b)",
    re.I,
)
"""Behind a kind: its name goes on no further."""
_LABEL = re.compile(r"[\s>#•*_-]{0,8}(?:\d{1,2}[.)]\s)?[*_]{0,2}")
_TO_COUNT = re.compile(r"[*_]{0,2}\s?[.:,–—(-][*_]{0,2}\s{0,2}[*_]{0,2}")
_PAIR_OPENS = re.compile(r"[:,;]\s(?:and\s)?[*_]{0,2}$")
_PAIR = re.compile(rf"[,;]\s(?:and\s)?[a-z][a-z ]{{2,30}}\s{_COUNT}(?=[,.;]|$)", re.I)
_BARE = re.compile(
    r"[\s*_>•-]*(?:(?:yes|well|honestly|often|so\sfar|by\smy\scount|in\sall|exactly|that['’]s|that\sis|it['’]s|it\sis|you\sown|you\shave|you['’]ve\shad|you\shave\shad|(?-i:[A-Z][a-z]{1,12},))[,:]?\s){0,3}[*_]{0,2}",
    re.I,
)
"""Before a count that is the answer to what was asked."""
_OF_THEM = re.compile(
    rf"{GAP}(?:times\b|of{GAP}them\b|(?:out{GAP})?of{GAP}(?:your|all|the){GAP}(?:your{GAP})?{_COUNT}(?:{GAP}{_ORDERS})?)",
    re.I,
)
_WIDER = re.compile(
    r"\b(?:stuff|things?|gear|kinds?|like|such|related|suppl(?:y|ies)|products?|items?|categor(?:y|ies)|goods|everything|anything|etc|all|or|and)\b",
    re.I,
)
"""In a question: it may ask for more than the kind that it names."""
_NO_KINDS = frozenset(
    folded_words(
        "maker brand store shop seller category department kind type thing item product year month day time"
    )
)
"""Words that order things, and are none."""
_LABELLED, _NAMED, _LONGEST = 90, 60, 4

CountedAs = Literal["orders", "things", "packs", "asked"]
"""Orders are counted, things that were ordered, packs of them, or what the question names."""


class KindCounted(NamedTuple):
    kind: Facet
    counted: CountedAs


class KindsCounted:
    """Of one report."""

    def __init__(self, facets: OrderFacets, body: str, query: str) -> None:
        self._facets, self._sets = facets, facets.sets
        self._body, self._query = body, query

    def of(self, said: SaidCount, span: Span, line: TextLine) -> Iterator[KindCounted]:
        """What a count is of: behind it, before it, or in the question."""
        yield from self._behind(said, span)
        yield from self._before(said, span, line)
        if self._is_the_answer(said, span) and len(self._kinds_asked) == 1:
            yield KindCounted(Facet(said.start, said.end, "kind", self._kinds_asked[0]), "asked")

    def _behind(self, said: SaidCount, span: Span) -> Iterator[KindCounted]:
        """`eight of your 18 orders are French presses`, `five kettle orders`, `eight pruners, four raised beds`"""
        for form in (_ARE_SO, _ORDERS_OF):
            if (match := form.match(self._body, said.end, span[1])) is not None:
                kind = self._at(match.end(), span[1])
                if kind is not None and _ENDS.match(self._body, kind.end, span[1]):
                    yield KindCounted(kind, "orders")
        between = _BETWEEN.match(self._body, said.end, span[1])
        kind = None if between is None else self._at(between.end(), span[1])
        if between is None or kind is None:
            return
        if _ORDERS_BEHIND.match(self._body, kind.end, span[1]):
            yield KindCounted(kind, "orders")
        elif _ENDS.match(self._body, kind.end, span[1]) and self._is_listed(said, kind, span):
            yield KindCounted(kind, "packs" if between["packs"] else "things")

    def _before(self, said: SaidCount, span: Span, line: TextLine) -> Iterator[KindCounted]:
        """`Rolling pins. Six orders.`, `kettles: 4`, `scales follow with five`, `label makers 12, glass storage 10`"""
        if _IS_ALL.match(self._body, said.end, span[1]) is None:
            return
        head = _LABEL.match(self._body, line.start, said.start)
        kind = None if head is None else self._at(head.end(), line.end)
        if kind is not None and _TO_COUNT.fullmatch(self._body, kind.end, said.start):
            yield KindCounted(kind, "orders")
            return
        for one in self._facets.kinds_in((max(span[0], said.start - _LABELLED), said.start))[-1:]:
            more = _MORE_THAN_THAT.search(self._body, max(span[0], one.start - 32), one.start)
            if more is not None or not self._is_a_thing(one):
                continue
            if _WITH.fullmatch(self._body, one.end, said.start) or self._is_a_pair(one, said, span):
                yield KindCounted(one, "orders")

    def _is_a_pair(self, kind: Facet, said: SaidCount, span: Span) -> bool:
        """A kind with its number, beside another one."""
        if self._body[kind.end : said.start] != " " or not _PAIR_OPENS.search(
            self._body, span[0], kind.start
        ):
            return False
        before = _PAIR.search(self._body, span[0], kind.start)
        return before is not None or _PAIR.match(self._body, said.end, span[1]) is not None

    def _is_listed(self, said: SaidCount, kind: Facet, span: Span) -> bool:
        """Whether things are counted that were ordered: behind a word that says so, or one kind after the other."""
        low = max(span[0], said.start - _NAMED)
        if _BOUGHT.search(self._body, low, said.start):
            return True
        if ":" not in self._body[span[0] : said.start]:
            return False
        if (after := _NEXT_ONE.match(self._body, kind.end, span[1])) is not None:
            return self._at(after.end(), span[1]) is not None
        before = _ONE_BEFORE.search(self._body, low, said.start)
        return before is not None and self._at(before.start("k"), span[1]) is not None

    def _at(self, start: int, end: int) -> Facet | None:
        kind = self._facets.kind_at(start, end)
        return kind if kind is not None and kind.ways and self._is_a_thing(kind) else None

    def _is_a_thing(self, kind: Facet) -> bool:
        """Whether all that a kind counts is called so: by its last word, or by the titles of all and the last words of most."""
        said = folded_words(self._body[kind.start : kind.end])
        if not said or not kind.ways or set(said) <= _NO_KINDS:
            return False
        if self._facets.is_a_thing(kind):
            return True
        some = kind.ways[0]
        called = some & self._sets.ending(said[-1])
        return not some & ~self._sets.in_titles(said) and 2 * called.bit_count() >= some.bit_count()

    # What was asked.

    def _is_the_answer(self, said: SaidCount, span: Span) -> bool:
        """`How many kits? Seven of your 36 orders`: a count, and nothing in its sentence that it may be of."""
        if _BARE.fullmatch(self._body, span[0], said.start) is None:
            return False
        if not _OF_THEM.match(self._body, said.end, span[1]) or not _IS_ALL.match(
            self._body, said.end, span[1]
        ):
            return False
        colon = self._body.find(":", said.end, span[1])
        here = (span[0], colon if colon >= 0 else span[1])
        return not self._facets.in_span(here) and not self._facets.kinds_in(here)

    @cached_property
    def _kinds_asked(self) -> list[tuple[Mask, ...]]:
        """What the question names, each in all its ways; nothing where it may ask for more than that."""
        if _WIDER.search(self._query):
            return []
        words = folded_words(self._query)
        found: list[tuple[Mask, ...]] = []
        at = 0
        while at < len(words):
            runs = (words[at : at + size] for size in range(_LONGEST, 0, -1))
            some = next((one for one in runs if self._names_a_kind(one)), ())
            if some:
                found.append(self._facets.ways_of_words(some))
            at += max(1, len(some))
        return found

    def _names_a_kind(self, words: tuple[str, ...]) -> bool:
        return bool(
            words
            and words[-1] in self._sets.heads
            and not {*words} & NO_NOUNS
            and self._sets.of_words(words)
            and not self._sets.of_words(words) & ~self._sets.ending(words[-1])
        )
