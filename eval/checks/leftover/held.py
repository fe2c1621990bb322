"""What a figure of a report is held against: records, the question, and what the figures of its sentence, of its paragraph and of the report come to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache

from drr.eval.checks.base import Span
from drr.eval.checks.cast import cast_of
from drr.eval.checks.layout import TextLine
from drr.eval.checks.leftover import pools
from drr.eval.checks.leftover.known import KnownOf
from drr.eval.checks.leftover.pools import Pool
from drr.eval.checks.leftover.said import MONEY, SaidFigure, SaidFigures
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.ledger import ledger_of
from drr.eval.checks.money.packs import unit_named

_SHORT = 1_500
"""Characters of a text that is one stretch."""
_FEW = 3
_COUNTED_BY = re.compile(
    r"(?<!\d)(?<!\d\s)\b(?:by|per|each|every)\s(?:(?:the|each|every)\s)?[*_]{0,3}$", re.I
)
"""Before a figure: a cost is counted by so much (`30 by 20 inches` is a size)."""
_BEFORE = 16
_TIMES = re.compile(
    r"\b(?:year|month|week|day|daily|weekly|monthly|yearly|annual|annually|quarter|hour)s?\b", re.I
)
_IN_TIMES = (12.0, 52.0, 365.0, 30.0, 7.0, 24.0, 4.0, 3.0, 2.0)
_BOUGHT = (2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0)


class HeldAgainst:
    """Places of one report, what they name, and what is known of that."""

    def __init__(self, mentions: Mentions) -> None:
        self._mentions, self._subject = mentions, mentions.subject
        self.cast = cast_of(mentions.subject, mentions)
        self.prose, self._lines = self.cast.prose, self.cast.lines
        self.ledger = ledger_of(mentions)
        self.known = KnownOf(mentions.subject, mentions, self.cast)
        names = [(one.start, one.end) for one in mentions.called]
        self.said = SaidFigures(mentions, self.ledger.figures, names, self.prose.sentences)
        few = lru_cache(maxsize=8)
        self.direct, self.framed, self.worked = few(self._direct), few(self._framed), few(self._worked)

    def around(self, place: int) -> tuple[Span, Span]:
        """The sentence or row of a place, and the stretch that it is read with."""
        line = self.prose.line_at(place)
        if line is None:
            return (place, place), (place, place)
        is_row = line.is_row
        close = (line.start, line.end) if is_row else self.prose.sentence_at(place)
        if len(self._mentions.plain) <= _SHORT:
            return close, (0, len(self._mentions.plain))
        first = last = self._index[line.start]
        while is_row and first and self._lines[first - 1].is_row:
            first -= 1
        while is_row and last + 1 < len(self._lines) and self._lines[last + 1].is_row:
            last += 1
        low, high = self._lines[max(0, first - 2)].start, self._lines[min(len(self._lines) - 1, last + 1)].end
        return close, (max(low, place - 2 * _SHORT), min(high, place + 2 * _SHORT))

    @cached_property
    def _index(self) -> dict[int, int]:
        return {line.start: index for index, line in enumerate(self._lines)}

    def index(self, line: TextLine) -> int:
        """Which line of the report it is."""
        return self._index[line.start]

    def named(self, span: Span, place: int | None = None) -> tuple[str, ...]:
        """The products that a stretch names; where it names none, those that a place may speak of."""
        found = {key for one in self.cast.within(*span) for key in one.products}
        if not found and place is not None:
            meant = self.cast.meant_at(place, place + 1).products
            found = {*meant} if len(meant) <= _FEW else found
        return tuple(sorted(found & self.known.products.keys()))

    def values(self, span: Span, but: SaidFigure) -> tuple[list[float], list[SaidFigure]]:
        here = [one for one in self.said.within(span) if one.start != but.start]
        return [one.value for one in here if one.kind in MONEY], [
            one for one in here if one.kind not in MONEY
        ]

    def _direct(self, one: SaidFigure, span: Span, ids: tuple[str, ...]) -> Pool:
        """What stands in the record of what the sentence names, and in the question."""
        known, about = self.known.of(ids), self.known
        if one.kind in MONEY:
            return pools.pool(known.prices, about.limits)
        if one.kind == "rating":
            others = () if self.said.is_rated(one) else known.values  # `the basin is 2.5`
            return pools.pool(known.stars, about.asked, others)
        if one.kind == "ratings":
            return pools.pool(known.raters)
        if one.kind == "orders":
            return pools.pool(about.parts_in(span), known.ordered, about.tallies[:1])
        return pools.pool(
            known.sizes, known.values, known.ordered, about.parts_in(span), about.asked, known.raters
        )

    def _framed(self, one: SaidFigure, span: Span, ids: tuple[str, ...]) -> Pool:
        """What a figure of its kind is, in the frame that the words beside it give: left of a limit, a price by a pack, one rating."""
        known, about, cue = self.known.of(ids), self.known, self.cue(one)
        if one.kind not in MONEY:
            return self._framed_number(one, span, ids)
        money, others = self.values(self.with_before(span), one)
        counts = [*(each.value for each in others), *known.sizes]
        money = [*money, *known.prices]
        if cue == "unit" or one.value < 1:
            times = _IN_TIMES if _TIMES.search(self._mentions.plain, *span) else ()
            return pools.quotients(money, [*counts, *times])
        if cue in ("rest", "gap"):
            return pools.differences([*money, *about.limits])
        if cue == "total":
            return pools.totals(money, counts)
        return pools.pool(known.prices, about.limits)

    def _framed_number(self, one: SaidFigure, span: Span, ids: tuple[str, ...]) -> Pool:
        known, about = self.known.of(ids), self.known
        money, others = self.values(span, one)
        if one.kind == "rating":
            return pools.pool(known.stars)
        if one.kind == "ratings":
            return pools.pool(known.raters)
        if one.kind == "orders":
            return pools.pool(about.parts_in(span), about.tallies[:1])
        if one.kind == "percent":
            plain = [each.value for each in others if each.kind in ("count", "orders", "ratings")]
            return pools.shares([*money, *known.prices], plain, [*about.parts_in(span), *about.tallies[:1]])
        if one.kind == "multiple":
            return pools.parts([*money, *known.prices])
        told = known.with_unit(one.unit) if one.unit else ()
        return pools.pool(told or (*known.sizes, *known.raters, *about.parts_in(span)))

    def with_before(self, span: Span) -> Span:
        """A sentence with the one before it on its line."""
        line = self.prose.line_at(span[0])
        if line is None or line.is_row:
            return span
        before = [one for one in self.prose.sentences(line) if one[0] < span[0]]
        return (before[-1][0], span[1]) if before else span

    def _worked(self, one: SaidFigure, span: Span, ids: tuple[str, ...]) -> tuple[Pool, Pool]:
        """What the figures of a stretch and of the records of what it names come to, in one step and in two."""
        known, about = self.known.of(ids), self.known
        money, others = self.values(span, one)
        plain = [each.value for each in others]
        if one.kind in MONEY:
            money = [*money, *known.prices, *about.limits, *(v for v in plain if round(v, 2) != round(v, 1))]
            times = _IN_TIMES if _TIMES.search(self._mentions.plain, *span) else _BOUGHT[:2]
            counts = [*plain, *known.sizes, *about.asked, *times]
            percents = [each.value for each in others if each.kind == "percent"]
            return pools.money_in_one(money, counts), pools.money_in_two(money, counts, percents)
        if one.kind == "rating":
            stars = [each.value for each in others if each.kind == "rating"]
            return pools.pool(known.stars, known.sizes), pools.gaps(known.stars, stars)
        if one.kind == "ratings":
            raters = [each.value for each in others if each.kind == "ratings"]
            return pools.pool(known.raters), pools.gaps(known.raters, raters)
        if one.kind == "orders":
            told = [each.value for each in others if each.kind in ("orders", "count")]
            return pools.gaps([*about.parts_in(span), *about.tallies[:1]], told), pools.gaps(about.tallies)
        values = [*plain, *known.sizes, *about.asked]
        money = [*money, *known.prices, *about.limits]
        if one.kind == "percent":
            of = pools.shares(money, [*plain, *known.sizes, *about.parts_in(span), *about.tallies[:1]])
            return pools.pool(of, plain), pools.shares([*plain, *known.values])
        if one.kind == "multiple":
            return pools.parts(money), pools.parts(money, [*plain, *known.values])
        return pools.plain_in_one(values), pools.pool(
            pools.plain_in_two(values),
            pools.across(money, [*values, *known.values]),
            pools.gaps(known.values),
        )

    def far(self, one: SaidFigure) -> Pool:
        """What the whole report says, and whatever is known of it and the reader."""
        about, every = self.known, self.known.everything
        if one.kind in MONEY:
            said = [each.value for each in self.said.all if each.start != one.start and each.kind in MONEY]
            prices = [*every.prices, *about.siblings.prices]
            worked = pools.money_in_one(
                [*about.limits, *every.prices, *said, *about.siblings.prices], _BOUGHT
            )
            totals = sorted({*said}, reverse=True)
            return pools.pool(
                worked, said, about.spent, prices, pools.swapped(totals, every.prices, about.limits)
            )
        said = [each.value for each in self.said.all if each.start != one.start and each.kind == one.kind]
        if one.kind == "rating":
            return pools.pool(about.siblings.stars, pools.gaps(every.stars), said)
        if one.kind == "ratings":
            return pools.pool(about.siblings.raters, said)
        if one.kind == "percent":
            return pools.pool(pools.shares(about.tallies, about.spent), every.values, every.sizes)
        if one.kind == "multiple":
            return pools.parts(every.prices)
        if one.kind == "orders":
            return pools.pool(pools.gaps(about.tallies), about.by_two, every.ordered)
        some = (every.values, every.sizes, every.raters, every.ordered, about.by_two, about.of_reader)
        return pools.pool(*some, said, pools.gaps(about.tallies), pools.gaps(every.sizes, every.raters))

    def is_void(self, one: SaidFigure) -> bool:
        figure = self.said.money.get(one.start)
        return figure is not None and figure.void

    def _is_portion(self, one: SaidFigure) -> bool:
        """Whether a cost of its sentence is counted by it: `by 100 mg it is 4.1 cents`."""
        unit = unit_named(one.unit) if one.unit else None
        if unit is None or unit.kind == "count":
            return False
        if _COUNTED_BY.search(self._mentions.plain, max(0, one.start - _BEFORE), one.start) is None:
            return False
        close, _ = self.around(one.start)
        return any(each.kind == "unit" for each in self.said.within(close))

    def cue(self, one: SaidFigure) -> str:
        """What the words beside an amount make of it."""
        figure = self.said.money.get(one.start)
        return "" if figure is None else figure.cue.kind

    def every(self) -> Iterator[SaidFigure]:
        """What says something of a thing, of a cost or of the reader."""
        return (one for one in self.said.all if not (self.is_void(one) or self._is_portion(one)))
