"""Counts of own orders to which nothing comes, and days on which nothing was ordered: `you have placed 57 orders`.

What such a count is of is not asked. It is wrong where no orders of anything that the report names are so many, in the years that stand near
it, with a price or without, and where it is no sum or difference of other counts that are said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice

from drr.eval.checks.base import Accusation, Span, Subject
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.layout import TextLine
from drr.eval.checks.person.claimed import is_claimed
from drr.eval.checks.person.no_days import ends_of_spans
from drr.eval.checks.person.not_bought import may_be_empty, would_be
from drr.eval.checks.person.readings.days import day_of
from drr.eval.checks.person.readings.facets import NO_THING, TIMES, Facet, OrderFacets
from drr.eval.checks.person.readings.joined import Joined, joined_to
from drr.eval.checks.person.readings.said import COUNT, GAP, SaidCounts, count_value
from drr.eval.checks.person.readings.since import sides_of_days
from drr.wording.dates import When
from drr.wording.hedges import HEDGES
from drr.wording.purchases import PURCHASES
from drr.wording.tolerance import same_count

_ORDERS = re.compile(
    rf"{GAP}(?:(?!of\b|for\b|from\b|in\b|and\b|or\b|on\b|with\b)[a-z-]{{1,14}}{GAP}){{0,2}}(?:orders|purchases|parcels|deliveries)\b",
    re.I,
)
_OF = re.compile(
    rf"{_ORDERS.pattern}{GAP}(?:are{GAP}|were{GAP})?(?:of|for|in|from|under|to){GAP}(?:the{GAP}|your{GAP})?",
    re.I,
)
"""From a count to what it is of."""
_INEXACT = re.compile(
    r"\b(?:at least|at most|up to|more than|over|fewer than|less than|under|than|another|last|latest|next|first|past|newest|recent|between|within|every|each|per|from|least|most)[\s*_]{1,3}(?:the[\s*_]{1,3})?$",
    re.I,
)
_UNREAL = re.compile(r"\b(?:next|would|will|could|can|should|might|(?-i:may)|plan)\b", re.I)
_TOGETHER = re.compile(
    r"\b(?:together|both|combined|between them|plus|make|makes|come to|comes to|add up|adds up)\b", re.I
)
"""In a sentence: it may be a sum over any of what is named."""
_ANOTHER_EVENT = re.compile(
    r"\b(?:deliver\w*|arriv\w*|ship\w*|return(?:s|able)?|until|till|by|before|after|since|from|to|through|between|and|as of|today|now|warranty|expires?|due|review(?:ed|s)?|"
    r"posted|updated|published|released|checked|read|prices?)[\s*_(]{1,3}(?:(?:on|in|the|early|late|mid|about)[\s-]){0,2}$",
    re.I,
)
"""Right before a day: it may be another than that of an order, or bound a time."""
_FRESH = 31
"""Days before today in which a day may be that of the report or its prices."""
_LEAST = 5
"""Smaller counts are those of any few of them."""
_EVERY, _OTHERS, _WAYS = 300, 40, 6
_BELOW = 16
"""Lines: a count stands over the list that it is the sum of."""


class CountsOfNothing:
    """Of one report."""

    def __init__(self, subject: Subject, cast: Cast, facets: OrderFacets, said: SaidCounts) -> None:
        self._said = said
        self._subject, self._cast, self._body = subject, cast, cast.body
        self._facets, self._sets = facets, facets.sets

    def sentence(self, span: Span, here: Sequence[Facet], around: Sequence[Facet]) -> Iterator[Accusation]:
        line = self._cast.prose.line_at(span[0])
        if line is None or not PURCHASES.speaks(self._body[max(line.start, span[0] - 200) : span[1]]):
            return
        if _TOGETHER.search(self._body, *span):
            return
        for match in islice(COUNT.finditer(self._body, *span), 12):
            value = count_value(match["n"])
            if value < _LEAST or not _ORDERS.match(self._body, match.end(), span[1]):
                continue
            if self._is_none(match, value, span):
                continue
            joined = self._joined(match.end(), span, here)
            if joined is not None and (joined.is_open or value in joined.sizes(self._sets)):
                continue
            near = HEDGES.before.search(self._body[max(span[0], match.start() - 28) : match.start()])
            if self._comes_to(value, match.span(), span, line, [*here, *around], hedged=near is not None):
                continue
            why = f"said {match['n']}, which no orders of anything named come to"
            yield Accusation("own_count", match.span(), why, Certainty.CLAUSE)

    def _joined(self, end: int, span: Span, here: Sequence[Facet]) -> Joined | None:
        """What a count of orders is of, where it stands right behind it: `orders of kettles and French presses`."""
        of = _OF.match(self._body, end, span[1])
        if of is None:
            return None
        starts = (one for one in here if one.start == of.end() and one.ways and one.kind not in NO_THING)
        part = next(starts, None) or self._facets.kind_at(of.end(), span[1])
        return None if part is None else joined_to(part, span, here, self._facets, self._cast)

    def _is_none(self, match: re.Match[str], value: int, span: Span) -> bool:
        """A year, a day, a part of a name, a bound, or what is not so."""
        before = self._body[max(span[0], match.start() - 28) : match.start()]
        if (1900 <= value <= 2100 and "," not in match["n"]) or (
            match["n"][0].isdigit() and len(match["n"]) > 8
        ):
            return True
        taken = [(one.start, one.end) for one in self._cast.prose.dates(*span)]
        taken += [(one.start, one.end) for one in self._cast.prose.days_of_year(*span)]
        taken += [(one.start, one.end) for one in self._cast.within(*span)]
        return (
            any(low <= match.start() < high for low, high in taken)
            or _INEXACT.search(before) is not None
            or is_claimed(self._body, span[0], match.start())
            or _UNREAL.search(self._body, *self._cast.prose.clause_at(match.start())) is not None
        )

    # What it may be of.

    def _comes_to(
        self, value: int, at: Span, span: Span, line: TextLine, near: Sequence[Facet], *, hedged: bool
    ) -> bool:
        if value in self._asked or any(same_count(value, one, hedged=hedged) for one in self._of_anything):
            return True
        sizes = self._sizes_near(span, line, near)
        for some in sides_of_days(self._cast, self._sets, span, at[0]):
            sizes |= self._sets.orders_of(some)
        if self._said.leaves_out(span):
            sizes |= {len(self._sets.orders) - one for one in sizes}
        return any(same_count(value, one, hedged=hedged) for one in sizes) or self._is_worked_out(
            value, at, line
        )

    def _sizes_near(self, span: Span, line: TextLine, near: Sequence[Facet]) -> set[int]:
        """Of whatever is named near it, alone and with anything else that is."""
        near = [*near, *self._facets.kinds_in((max(line.start, span[0] - 300), span[1]))][: 2 * _OTHERS]
        things = list(
            dict.fromkeys(way for one in near if one.kind not in NO_THING for way in one.ways[:_WAYS])
        )
        times = list(dict.fromkeys(way for one in near if one.kind in TIMES for way in one.ways))
        some = {*things, *times}
        for one in things[:_OTHERS]:
            some |= {one & other for other in times[:_OTHERS]}
        for same in (things[:_OTHERS], times[:_OTHERS]):
            some |= {one | other for one in same for other in same}
        priced = {
            cut
            for one in (*things, *times, self._sets.all)
            for cut in (one & self._sets.priced, one & ~self._sets.priced)
        }
        sizes = {size for mask in some for size in self._sets.sizes(mask)}
        return sizes | {mask.bit_count() for mask in priced}

    @cached_property
    def _of_anything(self) -> set[int]:
        """How many orders there are of all and of each thing that the report names anywhere."""
        found = set(self._sets.sizes(self._sets.all))
        every = self._facets.in_span((0, len(self._body)))[:_EVERY]
        for line in self._cast.lines:
            every += (
                self._facets.kinds_in((line.start, min(line.end, line.start + 200)))
                if line.kind in ("heading", "title")
                else []
            )
        for way in {way for one in every for way in one.ways[:_WAYS]}:
            found |= self._sets.sizes(way)
        return found

    @cached_property
    def _asked(self) -> set[int]:
        return {count_value(one["n"]) for one in COUNT.finditer(self._subject.query or "")}

    def _is_worked_out(self, value: int, at: Span, line: TextLine) -> bool:
        """A sum or a difference of other counts of its paragraph, of what stands right above or below, or of a column."""
        written = [one for one in self._cast.lines if one.text.strip()]
        above = [one for one in written if one.end <= line.start]
        below = [one for one in written if one.start >= line.end][:_BELOW]
        low = above[-1].start if above else line.start
        high = below[-1].end if below else line.end
        others = [
            count_value(one["n"])
            for one in islice(COUNT.finditer(self._body, low, high), 2 * _OTHERS)
            if one.start() != at[0]
        ]
        others = [one for one in others if not 1900 <= one <= 2100][:_OTHERS]
        whole = len(self._sets.orders)
        known = {*others, whole}
        if value in others or any(value in (abs(a - b), a + b) for a in known for b in known):
            return True
        for start in range(len(others)):
            total = 0
            for one in others[start:]:
                total += one
                if total in (value, whole - value):
                    return True
                if total > whole:
                    break
        return self._is_of_columns(value, above[-_OTHERS:]) or self._is_of_columns(value, below)

    def _is_of_columns(self, value: int, lines: Sequence[TextLine]) -> bool:
        rows = [one for one in lines if one.kind == "row"]
        sums: dict[int, int] = {}
        for row in rows:
            for column, (low, high) in enumerate(row.cells):
                match = COUNT.fullmatch(self._body[low:high].strip(" *_"))
                if match is not None:
                    sums[column] = sums.get(column, 0) + count_value(match["n"])
        return value in sums.values() or any(len(self._sets.orders) - one == value for one in sums.values())


class DaysOfNothing:
    """Days and months on which nothing was ordered, beside what was: `on 14 May 2019`, where no order is of that day."""

    def __init__(self, cast: Cast, facets: OrderFacets) -> None:
        self._cast, self._body = cast, cast.body
        self._facets, self._sets = facets, facets.sets

    def sentence(self, span: Span, here: Sequence[Facet], around: Sequence[Facet]) -> Iterator[Accusation]:
        line = self._cast.prose.line_at(span[0])
        if line is None or not PURCHASES.speaks(self._body[max(line.start, span[0] - 400) : span[1]]):
            return
        named = [one for one in (*here, *around) if one.kind not in NO_THING and one.ways]
        whens = [one for one in islice(self._cast.prose.dates(*span), 12) if one.month is not None]
        if not named or any(self._sets.history.is_ahead(one) for one in whens):
            return
        for when in whens:
            if self._sets.on(when) or self._is_else(when, span, whens):
                continue
            shown = self._body[when.start : when.end]
            why = f"said {shown}, nothing of this user was ordered then"
            yield Accusation("own_day", (when.start, when.end), why, Certainty.CLAUSE)

    def _is_else(self, when: When, span: Span, whens: Sequence[When]) -> bool:
        """The day of another event, or of the report; a month so many years after one that is said is reckoned from it."""
        before = self._body[max(span[0], when.start - 70) : when.start]
        if PURCHASES.is_else(before) or _ANOTHER_EVENT.search(before):
            return True
        if would_be(self._body, span[0], when.start) or when.start in ends_of_spans(self._body, span, whens):
            return True
        if may_be_empty(self._body, self._cast.prose.clause_at(when.start)):
            return True
        day = day_of(when.year, when.month or 1, when.day or 1)
        if day is None or abs((self._sets.history.today - day).days) <= _FRESH or when.year < 1995:
            return True
        return when.day is None and any(
            one.month == when.month and one.year < when.year and one.day is not None for one in whens
        )
