"""Spans of time between own orders: `eleven days apart`, `fifteen days later`, `nothing for nearly nine years, until`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import combinations, islice

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.person.readings.days import (
    DENIED,
    GLUE,
    LengthSaid,
    day_of,
    length_in_parts,
    length_said,
    things_among,
    union_of,
)
from drr.eval.checks.person.readings.facets import Facet, OrderFacets
from drr.eval.checks.person.readings.sets import Mask
from drr.wording.dates import DayOfYear, When, dates
from drr.wording.numbers import DIGITS, SPOKEN
from drr.wording.purchases import PURCHASES

_SPAN = re.compile(
    rf"(?<![\w.$,/-])(?P<n>{DIGITS}|{SPOKEN})[\s*_-]{{1,3}}(?P<unit>days?|weeks?|months?|years?)[\s*_]{{1,3}}(?P<how>later|apart|afterwards?)\b(?!\s(?:than|from))",
    re.I,
)
_SILENCE = re.compile(
    rf"\b(?:nothing|silence|gap|pause|quiet|break)\b[^.;,\d]{{0,24}}?\b(?:for|of|lasting|lasted)\s(?:(?P<hedge>nearly|almost|about|around|roughly|some|over|more than|just under|just over|well over|a good)\s)?(?P<n>{DIGITS}|{SPOKEN})[\s-](?P<unit>days?|weeks?|months?|years?)\b(?!\s(?:and|or)\b)",
    re.I,
)
_LOOSE = re.compile(
    r"(?:\b(?:about|around|nearly|almost|roughly|some|under|over|than|little|least|close to|half)|[~≈])[\s*_]{0,3}$",
    re.I,
)
_AND_SO = re.compile(
    r"[\s,;:*_()—–-]{1,6}(?:(?:just|only|a mere|exactly|that is|so|which is|merely|some|about)[\s*_]{1,3}){0,2}",
    re.I,
)
_THAT = re.compile(
    r"\b(?:it|them|they|these|this|those|that|(?:the|those|these|both|your|last|first|other) (?:two|pair|orders?|purchases?)|again|one|another)\b",
    re.I,
)
"""For what was named last, or its orders."""
_UNTIL = re.compile(r",?\s(?:until|till|before)\s", re.I)
_FAR = 1500
"""Characters before a sentence in which `the two` may have been named."""
_MOST = 60
"""Orders of which any two are set against each other."""


class OwnSpans:
    """Reads the sentences of one report."""

    def __init__(self, facets: OrderFacets, cast: Cast) -> None:
        self._facets, self._sets = facets, facets.sets
        self._cast = cast
        self._body = cast.body

    def sentence(self, span: Span, here: Sequence[Facet], around: Sequence[Facet]) -> Iterator[Accusation]:
        yield from self._gaps(span, here, around)
        yield from self._silences(span, here, around)

    def _gaps(self, span: Span, here: Sequence[Facet], around: Sequence[Facet]) -> Iterator[Accusation]:
        """`eleven days apart`, `fifteen days later`: between any two orders or days that it may be said of."""
        for match in islice(_SPAN.finditer(self._body, *span), 6):
            if not PURCHASES.speaks(self._body[slice(*span)]) or DENIED.search(self._body, *span):
                continue
            length = self._length(match, span[0])
            if length is None:
                continue
            gaps = self._between_two(match.start(), span)
            if not gaps and self._says_between_what(span, here):
                gaps = self._all_gaps(span, here, around)
            if gaps and not _fits(length, gaps):
                yield self._span(match, length, gaps)

    def _says_between_what(self, span: Span, here: Sequence[Facet]) -> bool:
        """A thing or a day of its sentence, or a word for what was named last; `both items of the plan` stand anywhere."""
        return bool(
            things_among(here)
            or self._facets.kinds_in(span)
            or any(one.month for one in self._cast.prose.dates(*span))
            or self._cast.prose.days_of_year(*span)
            or _THAT.search(self._body, *span)
        )

    def _between_two(self, at: int, span: Span) -> set[int]:
        """`on December 8 and December 13, 2021, five days apart`"""
        whens = [one for one in self._cast.prose.dates(*span) if one.day and one.end <= at]
        found: list[When | DayOfYear] = [
            *whens,
            *(one for one in self._cast.prose.days_of_year(*span) if one.end <= at),
        ]
        found.sort(key=lambda one: one.start)
        if len(found) < 2 or not GLUE.fullmatch(self._body, found[-2].end, found[-1].start):
            return set()
        if not _AND_SO.fullmatch(self._body, found[-1].end, at):
            return set()
        first, last = (
            [
                day_of(year, one.month or 1, one.day or 1)
                for year in ([one.year] if isinstance(one, When) else [each.year for each in whens])
            ]
            for one in found[-2:]
        )
        return {abs((b - a).days) for a in first for b in last if a is not None and b is not None}

    def _all_gaps(self, span: Span, here: Sequence[Facet], around: Sequence[Facet]) -> set[int]:
        things = things_among(here) or things_among(around)
        linked = [
            one
            for one in things
            if "](" in self._body[one.start : one.end] or "://" in self._body[one.start : one.end]
        ]
        masks = {way for one in (linked or things) for way in (one.ways[:1] if linked else one.ways)}
        if not linked:
            masks |= {
                way for one in (*things_among(around), *self._facets.kinds_in(span)) for way in one.ways
            }
            before = things_among(self._facets.in_span((max(0, span[0] - _FAR), span[0])))
            masks.add(union_of(one._replace(ways=one.ways[:1]) for one in before))
        if not masks:
            return set()
        masks.add(union_of(one._replace(ways=one.ways[:1]) for one in (*things, *things_among(around))))
        said = self._said_days(span)
        gaps = {gap for mask in islice(masks, 24) for gap in self._sets.gaps(mask)}
        gaps |= {abs((b - a).days) for a, b in combinations(said, 2)}
        gaps |= self._to_other_kinds(union_of(linked), span) if linked else set()
        for mask in islice(masks, 24):
            gaps |= {abs((day - one).days) for day in self._sets.days_of(mask)[-_MOST:] for one in said}
        return gaps

    def _to_other_kinds(self, linked: Mask, span: Span) -> set[int]:
        """From what a sentence links to the orders of another kind that it names: `after the drill kit of February 21 a multimeter two months later`."""
        here = self._facets.in_span(span)
        names = [(one.start, one.end) for one in here if one.kind == "named"]
        kinds = [*self._facets.kinds_in(span), *(one for one in things_among(here) if one.kind != "named")]
        free = [one for one in kinds if one.ways and not any(a <= one.start < b for a, b in names)]
        others = {one.ways[0] & ~linked for one in free}
        own = self._sets.days_of(linked)[-_MOST:]
        days = [day for mask in others for day in self._sets.days_of(mask)[-_MOST:]]
        return {abs((a - b).days) for a in own for b in days}

    def _said_days(self, span: Span) -> list[date]:
        """The days of a sentence, and of those before it in its line."""
        line = self._cast.prose.line_at(span[0])
        low = max(line.start if line is not None else span[0], span[0] - 400)
        whens = islice(dates(self._body, low, span[1]), 12)
        found = [day_of(one.year, one.month, one.day) for one in whens if one.month and one.day]
        return [one for one in found if one is not None]

    def _silences(self, span: Span, here: Sequence[Facet], around: Sequence[Facet]) -> Iterator[Accusation]:
        """`nothing for nearly nine years, until the pens on 4 February 2014`: from the order before to that one."""
        for match in islice(_SILENCE.finditer(self._body, *span), 4):
            until = _UNTIL.search(self._body, match.end(), min(span[1], match.end() + 24))
            whens = (
                []
                if until is None
                else list(islice(dates(self._body, until.end(), min(span[1], until.end() + 240)), 1))
            )
            if not whens or whens[0].month is None:
                continue
            masks = {self._sets.all} | {way for one in things_among([*here, *around]) for way in one.ways}
            gaps = {gap for mask in islice(masks, 24) for gap in self._sets.steps_to(whens[0], mask)}
            length = length_said(match, near=self._is_near(match))
            if gaps and not _fits(length, gaps):
                yield self._span(match, length, gaps)

    def _length(self, match: re.Match[str], low: int) -> LengthSaid | None:
        """With what stands before it: `four years and about three weeks`."""
        return length_in_parts(self._body, low, match, length_said(match, near=self._is_near(match)))

    def _is_near(self, match: re.Match[str]) -> bool:
        before = self._body[max(0, match.start("n") - 16) : match.start("n")]
        return _LOOSE.search(before) is not None

    def _span(self, match: re.Match[str], length: LengthSaid, gaps: Iterable[int]) -> Accusation:
        nearest = min(gaps, key=lambda gap: abs(gap - length.days))
        alone = abs(length_said(match, near=False).days - length.days) < 1e-6
        shown = f"{match['n']} {match['unit']}" if alone else f"{length.days:.0f} days in all"
        why = f"said {shown}, the nearest are {nearest} days"
        return Accusation("own_gap", (match.start("n"), match.end("unit")), why, Certainty.CLAUSE)


def _fits(length: LengthSaid, gaps: Iterable[int]) -> bool:
    return any(abs(gap - length.days) <= length.slack for gap in gaps)
