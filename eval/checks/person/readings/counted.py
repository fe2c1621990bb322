"""Counts of orders beside what they are of (`you have bought the Foldaway four times`, `Soaker hoses lead with 13 orders`): wrong where no way to understand what stands there comes to them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from drr.eval.checks.base import Accusation, Span, Subject
from drr.eval.checks.cast import Cast, cast_of
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.person.history import History, history_of
from drr.eval.checks.person.readings.days import OwnDays
from drr.eval.checks.person.readings.facets import NO_THING, TIMES, Facet, OrderFacets
from drr.eval.checks.person.readings.joined import joined_to
from drr.eval.checks.person.readings.nothing import CountsOfNothing, DaysOfNothing
from drr.eval.checks.person.readings.of_all import PartsOfAll
from drr.eval.checks.person.readings.of_kinds import CountsOfKinds
from drr.eval.checks.person.readings.plainly import PlainlyWrong
from drr.eval.checks.person.readings.said import SaidCount, SaidCounts, count_value
from drr.eval.checks.person.readings.sets import Mask, OrderSets
from drr.eval.checks.person.readings.shares import ToldShares
from drr.eval.checks.person.readings.since import sides_of_days
from drr.eval.checks.person.readings.spans import OwnSpans
from drr.eval.checks.person.readings.states import misread_empty_years, misread_ordinals, misread_states
from drr.eval.checks.person.readings.ties import NEAR_BY, TOKEN, UNDERSTOOD, Tie, Ties
from drr.eval.checks.person.readings.wholes import PartsOfSome
from drr.eval.checks.person.stretches import is_sum_behind_a_colon
from drr.wording.numbers import SPOKEN, WHOLE
from drr.wording.tolerance import same_count

_TOGETHER = re.compile(
    r"\b(?:together|both|combined|between them|altogether|plus|in all|in total|add up|apiece|each|these|those|account)\b",
    re.I,
)
_SUMS = re.compile(
    r"\b(?:together|altogether|combined|all told|in all|in total|in sum|adds? up|makes?|comes? to|sum)\b",
    re.I,
)
_FROM_THEN = re.compile(
    r"\b(?:since|from|until|till|before|after|through|up to|between|to|and|by)\s(?:(?:early|late|mid|back|in|the)[\s-]){0,2}$|\d\s?[-–—]\s?$",
    re.I,
)
_WINDOW = re.compile(
    r"\b(?:last|latest|newest|past|recent|visible|since|within|during|this|these|so far|until|till|up to|before|after|between|from|through|first)\b",
    re.I,
)
_EACH = re.compile(r"\beach\b", re.I)
_OF_SOME = re.compile(
    rf"[\s*_]{{1,3}}(?:times[\s*_]{{1,3}})?(?:out[\s*_]{{1,3}})?of[\s*_]{{1,3}}(?:(?:the|those|these|them|its)[\s*_]{{1,3}})(?P<m>{WHOLE}|{SPOKEN})(?![\w%-]|[.,]\d)",
    re.I,
)
_MADE_IN = re.compile(r"\b(?:in|over|across)[\s*_]{1,3}$", re.I)
"""Before a count: something came together `in four orders`."""
_COUNTS = ("own_count", "own_part", "own_kind")
"""Kinds of statement that are told by the rule of statistics."""
_FACETS, _WAYS = 14, 24
"""What is named near a figure, and how it may be meant, as far as it is cut with each other."""
_FURTHEST = 1200
"""Characters of a paragraph before a sentence in which things are named whose days it may tell."""
_MOST = 200
"""Counts that are read of a report."""
_BEHIND = 160
"""Characters behind a count in which it may be said of what it is."""


def misread_counts(mentions: Mentions) -> Iterator[Accusation]:
    """How many orders the reader has of something, where nothing that is named near it comes to that."""
    return (one for one in _misread(mentions) if one.kind in _COUNTS)


def misread_orders(mentions: Mentions) -> Iterator[Accusation]:
    """How often something was ordered, when, how far apart, which time it was, and in which state orders are."""
    return (one for one in _misread(mentions) if one.kind not in _COUNTS)


def borne_out(mentions: Mentions) -> Sequence[Span]:
    """The counts that are just those of what stands beside them: no other reading of them is wrong."""
    return _read(mentions).borne_out


class _Read(NamedTuple):
    accused: tuple[Accusation, ...] = ()
    borne_out: tuple[Span, ...] = ()


def comes_to_some(mentions: Mentions, at: Span, value: int) -> bool:
    """Whether there are so many orders of anything that is named in the sentence of a count, before it in its line or in the heading above."""
    readings = _readings(mentions)
    return readings is not None and readings.comes_to_some(at, value)


def facets_of(mentions: Mentions) -> OrderFacets | None:
    """What the words of a report may mean of its reader's orders; `None` where these are not known, or not all of them."""
    readings = _readings(mentions)
    return None if readings is None else readings.facets


def _misread(mentions: Mentions) -> tuple[Accusation, ...]:
    return _read(mentions).accused


@lru_cache(maxsize=4)
def _read(mentions: Mentions) -> _Read:
    """All of a report, read once for the rules that ask."""
    readings = _readings(mentions)
    return _Read() if readings is None else _Read(tuple(readings.all()), tuple(readings.borne_out))


@lru_cache(maxsize=4)
def _readings(mentions: Mentions) -> CountReadings | None:
    subject = mentions.subject
    if subject.shop is None or subject.user_id is None:
        return None
    history = history_of(mentions)
    assert history is not None
    if not history.whole or not history.orders:
        return None
    return CountReadings(subject, mentions, cast_of(subject, mentions), history)


class CountReadings:
    """Goes through the sentences of one report."""

    def __init__(self, subject: Subject, mentions: Mentions, cast: Cast, history: History) -> None:
        self._cast = cast
        self._body = cast.body
        self._sets = OrderSets(history)
        self.facets = self._facets = OrderFacets(self._sets, cast)
        self._days = OwnDays(self._facets, cast)
        self._spans = OwnSpans(self._facets, cast)
        self._ties = Ties(cast, self._facets)
        self._parts = PartsOfSome(self._facets, cast)
        self._plain = PlainlyWrong(cast)
        self._shares = ToldShares(self._facets, cast)
        self._of_all = PartsOfAll(self._facets, cast)
        self._said = SaidCounts(subject, mentions, cast, len(history.orders))
        self._kinds = CountsOfKinds(self._facets, cast, self._said, subject.query or "")
        self._nothing = CountsOfNothing(subject, cast, self._facets, self._said)
        self._empty_days = DaysOfNothing(cast, self._facets)
        self._read = 0
        self.borne_out: list[Span] = []

    def all(self) -> Iterator[Accusation]:
        yield from self._days.rows(self._cast.lines)
        yield from self._days.items(self._cast.lines)
        above: list[Facet] = []
        last: Span | None = None
        for line in self._cast.lines:
            if line.kind in ("row", "head_row", "rule_row", "elision"):
                continue
            before: list[Facet] = []
            for span in self._cast.prose.sentences(line):
                here = self._facets.in_span(span)
                if self._said.speaks_of_orders(span):
                    yield from self._sentence(span, here, [*before, *above])
                    yield from self._of_all.of_orders(span, here)
                # What leaves one reading comes last, for it outweighs what another reader says at its place.
                yield from self._of_all.sentence(span, here)
                yield from self._plain.sentence(span)
                yield from self._shares.sentence(span, last)
                yield from self._parts.shares_told(span)
                before, last = here, span
            if line.kind in ("heading", "title") or line.text.rstrip().endswith(":"):
                above = self._facets.in_span((line.start, line.end))
        yield from self._kinds.all()

    def _sentence(self, span: Span, here: Sequence[Facet], around: Sequence[Facet]) -> Iterator[Accusation]:
        yield from misread_states(self._sets, self._body, span)
        yield from misread_empty_years(self._facets, self._body, span, here, around)
        yield from misread_ordinals(self._facets, self._body, span, here)
        if self._days.speaks_of_days(span):
            near = [*around, *self._of_line(span)]
            yield from self._days.sentence(span, here, near)
            yield from self._spans.sentence(span, here, near)
        yield from self._parts.sentence(span, [*here, *around, *self._of_line(span)])
        yield from self._nothing.sentence(span, here, around)
        yield from self._empty_days.sentence(span, here, around)
        for said in self._said.within(span):
            tie = self._ties.of(said, span, here, around)
            if tie is not None and self._read < _MOST:
                self._read += 1
                yield from self._judge(said, tie, span, here, around)

    def comes_to_some(self, at: Span, value: int) -> bool:
        line = self._cast.prose.line_at(at[0])
        if line is None:
            return False
        heads = (
            one for one in self._cast.lines if one.kind in ("heading", "title") and one.end <= line.start
        )
        head = max(heads, key=lambda one: one.start, default=None)
        spans = [(max(line.start, at[0] - _FURTHEST), min(line.end, at[1] + _BEHIND))]
        spans += [] if head is None else [(head.start, head.end)]
        near = [one for span in spans for one in (*self._facets.in_span(span), *self._facets.kinds_in(span))]
        near = near[: 2 * _FACETS]
        things = [way for one in near if one.kind not in NO_THING for way in one.ways][:_WAYS]
        times = [way for one in near if one.kind in TIMES for way in one.ways][:_WAYS]
        masks = {*things, *times, *(one & other for one in things for other in times)}
        return any(value in self._sets.sizes(mask) for mask in masks)

    def _of_line(self, span: Span) -> list[Facet]:
        """What its line names before a sentence."""
        line = self._cast.prose.line_at(span[0])
        low = span[0] if line is None else max(line.start, span[0] - _FURTHEST)
        return self._facets.in_span((low, span[0])) if low < span[0] else []

    def _judge(
        self, said: SaidCount, tie: Tie, span: Span, here: Sequence[Facet], around: Sequence[Facet]
    ) -> Iterator[Accusation]:
        sets, facet = self._sets, tie.facet
        ways = facet.ways
        if tie.form == "times" and _EACH.search(self._body, *self._cast.prose.clause_at(said.start)):
            return
        if facet.kind == "time" and not _FROM_THEN.search(
            self._body, max(span[0], facet.start - 24), facet.start
        ):
            ways = ways[:1]
            facet = facet._replace(ways=ways)
        if not ways or said.value in sets.sizes(sets.all) or self._is_of_some(said):
            return
        if tie.form in ("bare", "things") and said.value in sets.titled(ways):
            return  # so many are in a pack
        own = sets.sizes if tie.form in ("things", "bare") else sets.orders_of
        sizes = {size for way in ways[:2] for size in own(way)}
        if facet.kind != "kind" and said.value in sizes:
            self.borne_out.append((said.start, said.end))
        sizes |= {size for mask in self._cut(ways, tie, span, here, around) for size in sets.orders_of(mask)}
        sizes |= _on_a_side(sets, ways, tie, sides_of_days(self._cast, sets, span, said.start), here)
        joined = joined_to(facet, span, here, self._facets, self._cast)
        all_parts = {size for mask in joined.together() for size in own(mask)}
        sizes |= all_parts
        if len(joined.parts) > 1 and said.value in all_parts:
            self.borne_out.append((said.start, said.end))
        if any(same_count(said.value, size, hedged=said.hedged) for size in self._or_the_others(sizes, span)):
            return
        if self._is_a_sum(said):
            return
        if _MADE_IN.search(self._body, max(span[0], said.start - 8), said.start):
            return
        loosest = max((*all_parts, *(size for way in ways for size in own(way))))
        if said.value <= loosest and self._is_restricted(said, facet, span, here):
            return
        if joined.is_open and said.value > loosest:
            return  # `kettles and whatnot`
        low, high = joined.parts[0].start, joined.parts[-1].end
        shown = " ".join(self._body[low:high].split())[:60]
        are = loosest if len(joined.parts) > 1 else sets.orders_of(ways[0]).pop()
        why = f"said {said.value} of {shown!r}, are {are}"
        times = "own_times" if facet.linked or facet.kind == "time" else "own_times_short"
        kind = times if tie.form == "times" else "own_count"
        yield Accusation(kind, (said.start, said.end), why, Certainty.CLAUSE)

    def _cut(
        self, ways: Sequence[Mask], tie: Tie, span: Span, here: Sequence[Facet], around: Sequence[Facet]
    ) -> set[Mask]:
        """Every set of orders that may be meant: what is counted, alone or with anything else that is named near it."""
        others = [one for one in (*here, *around) if one != tie.facet][:_FACETS]
        if tie.facet.kind in NO_THING:
            line = self._cast.prose.line_at(span[0])
            low = max(line.start if line is not None else span[0], span[0] - NEAR_BY)
            others += self._facets.kinds_in((low, span[1]))
        things = list(dict.fromkeys(way for one in others if one.kind not in NO_THING for way in one.ways))
        times = list(dict.fromkeys(way for one in others if one.kind in TIMES for way in one.ways))
        found = set(ways)
        # What is only like a kind is not cut further.
        for way in ways[:1] if tie.facet.kind == "kind" else ways:
            found |= {way & one for one in things[:_WAYS]}
            if _TOGETHER.search(self._body, *span):
                found |= {way | one for one in things[:_WAYS]}
                found.add(
                    way | _union(one.ways[0] for one in (*here, *around) if one.kind == "named" and one.ways)
                )
        first = set(ways[:1]) if tie.facet.kind == "kind" else found
        found |= {mask & one for mask in (first | (found - set(ways))) for one in times[:_WAYS]}
        if any(one.kind == "priced" for one in others):
            found |= {mask & one for mask in found for one in (self._sets.priced, ~self._sets.priced)}
        return found

    def _or_the_others(self, sizes: set[int], span: Span) -> set[int]:
        """With those of all others, where a sentence leaves something out."""
        whole = len(self._sets.orders)
        return sizes | {whole - one for one in sizes} if self._said.leaves_out(span) else sizes

    def _is_of_some(self, said: SaidCount) -> bool:
        """`19 of the 24`: of other than all orders."""
        match = _OF_SOME.match(self._body, said.end)
        if match is None:
            return False
        whole = count_value(match["m"])
        return whole not in self._sets.sizes(self._sets.all)

    def _is_a_sum(self, said: SaidCount) -> bool:
        """`Thirteen were bags, seven cloths; together that is 20 orders`: of the counts right before it, not of one thing."""
        if is_sum_behind_a_colon(
            self._body, self._cast.prose.sentence_at(said.start), said.start, said.value
        ):
            return True
        line = self._cast.prose.line_at(said.start)
        if line is None or not _SUMS.search(self._body, *self._cast.prose.clause_at(said.start)):
            return False
        low = max(line.start, said.start - NEAR_BY)
        counts = [one.value for one in self._said.within((low, said.start)) if not one.times]
        return said.value in [*accumulate(reversed(counts))][1:]

    def _is_restricted(self, said: SaidCount, facet: Facet, span: Span, here: Sequence[Facet]) -> bool:
        """Whether any word of the clause may make it a count of some of them only."""
        clauses = [self._cast.prose.clause_at(at) for at in (said.start, facet.start, facet.end)]
        low = max(span[0], min(facet.start, *(one[0] for one in clauses)))
        high = min(span[1], max(facet.end, *(one[1] for one in clauses)))
        if _WINDOW.search(self._body, low, high):
            return True
        taken = [(one.start, one.end) for one in (*here, facet)] + [(said.start, said.end)]
        return any(
            not (
                match[0][0].isdigit()
                or match[0].casefold() in UNDERSTOOD
                or any(a <= match.start() < b for a, b in taken)
            )
            for match in TOKEN.finditer(self._body, low, high)
        )


def _on_a_side(
    sets: OrderSets, ways: Sequence[Mask], tie: Tie, sides: Iterable[Mask], here: Sequence[Facet]
) -> set[int]:
    """Of what is counted, or of all where that is named in passing only, before or behind a day, or in a time that is said."""
    loose = tie.form == "loose"
    cut = [mask for side in sides for mask in ([side] if loose else [way & side for way in ways])]
    cut += [one.ways[0] for one in here if loose and one.kind in TIMES]
    return {size for mask in cut for size in sets.orders_of(mask)}


def _union(masks: Iterable[Mask]) -> Mask:
    found = 0
    for one in masks:
        found |= one
    return found
