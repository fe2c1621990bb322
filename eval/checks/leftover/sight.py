"""What each figure of a report is held against: the figures of its sentence and of the stretch around it, and the records of what they name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache

from drr.eval.checks.base import Span
from drr.eval.checks.cast import cast_of
from drr.eval.checks.leftover import pools
from drr.eval.checks.leftover.known import KnownOf
from drr.eval.checks.leftover.pools import Pool
from drr.eval.checks.leftover.said import MONEY, SaidFigure, SaidFigures
from drr.eval.checks.leftover.slips import slips
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.ledger import ledger_of
from drr.eval.checks.residue import is_of_what_is_unseen, residue_of

_ROWS = frozenset({"row", "head_row", "rule_row"})
_SHORT = 1_500
"""Characters of a text that is one stretch."""
_FEW = 3
_TOP = 5.0
_OWN_WORDS = re.compile(r"\b(?:I|my|me|we|our|us|mine|neighbou?rs?|friends?)\b")
"""The writer's own things."""
_QUOTED = re.compile(r"[\"“”]")
_TIMES = re.compile(
    r"\b(?:year|month|week|day|daily|weekly|monthly|yearly|annual|annually|quarter|hour)s?\b", re.I
)
_IN_TIMES = (12.0, 52.0, 365.0, 30.0, 7.0, 24.0, 4.0, 3.0, 2.0)
_BOUGHT = (2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0)
_BESIDE = 60
_SETTLED = 0.7
"""A value of a record that is met by chance once in thirty figures: nobody looks further."""
_LEAST_SLACK = {"money": 0.0, "unit": 0.0, "rating": 0.05, "measure": 0.05}
"""By the fineness of a kind, by which chance is reckoned."""
_TINY = 0.05
"""The strength of a reading that is met by chance."""
TRAITS = (
    "known", "framed", "beside", "near", "around", "far", "dense", "slip_framed", "slip", "slip_near", "elsewise", "odd", "certain",
    "read", "foreign", "hedged", "unsure", "altered", "own_words", "quoted", "again", "loose", "missing",
)  # fmt: skip


class InSight:
    def __init__(self, mentions: Mentions) -> None:
        self._mentions, self._subject = mentions, mentions.subject
        self._cast = cast_of(mentions.subject, mentions)
        self._prose, self._lines = self._cast.prose, self._cast.lines
        self._ledger = ledger_of(mentions)
        self._residue = residue_of(mentions)
        self._known = KnownOf(mentions.subject, mentions, self._cast)
        names = [(one.start, one.end) for one in mentions.called]
        self.said = SaidFigures(mentions, self._ledger.figures, names, self._prose.sentences)

    # Places.

    def around(self, place: int) -> tuple[Span, Span]:
        """The sentence or row of a place, and the stretch that it is read with."""
        line = self._prose.line_at(place)
        if line is None:
            return (place, place), (place, place)
        is_row = line.kind in _ROWS
        close = (line.start, line.end) if is_row else self._prose.sentence_at(place)
        if len(self._mentions.plain) <= _SHORT:
            return close, (0, len(self._mentions.plain))
        first = last = self._index[line.start]
        while is_row and first and self._lines[first - 1].kind in _ROWS:
            first -= 1
        while is_row and last + 1 < len(self._lines) and self._lines[last + 1].kind in _ROWS:
            last += 1
        low, high = self._lines[max(0, first - 2)].start, self._lines[min(len(self._lines) - 1, last + 1)].end
        return close, (max(low, place - 2 * _SHORT), min(high, place + 2 * _SHORT))

    @cached_property
    def _index(self) -> dict[int, int]:
        return {line.start: index for index, line in enumerate(self._lines)}

    def named(self, span: Span, place: int | None = None) -> tuple[str, ...]:
        """The products that a stretch names; where it names none, those that a place may speak of."""
        found = {key for one in self._cast.within(*span) for key in one.products}
        if not found and place is not None:
            meant = self._cast.meant_at(place, place + 1).products
            found = {*meant} if len(meant) <= _FEW else found
        return tuple(sorted(found & self._known.products.keys()))

    # One figure.

    def traits(self, one: SaidFigure) -> dict[str, float]:
        """What speaks for and against it that it is wrong, each from 0 to 1."""
        close, stretch = self.around(one.start)
        own, near = self.named(close, one.start), self.named(stretch)
        slack = max(one.slack, _LEAST_SLACK.get(one.kind, 0.5))
        traits = dict.fromkeys(TRAITS, 0.0)
        direct = self._direct(one, close, own)
        traits["known"] = self._told(one, direct, slack)
        traits["again"] = self._again(one)
        if traits["known"] > _SETTLED:
            return traits
        framed = self._framed(one, close, own)
        first, second = self._worked(one, close, own), self._worked(one, stretch, near)
        far = self._far(one)
        traits["framed"] = self._told(one, framed, slack)
        traits["beside"], traits["near"] = self._told(one, first[0], slack), self._told(one, first[1], slack)
        traits["around"] = max(self._told(one, second[0], slack), 0.8 * self._told(one, second[1], slack))
        traits["far"] = self._told(one, far, slack)
        every = pools.pool(direct, framed, *first, *second, far)
        top = _TOP if one.kind == "rating" else None
        traits["dense"] = pools.chance(every, one.value, slack, money=one.kind in MONEY, top=top)
        traits["slip_framed"] = self._slip(one, framed)
        traits["slip"] = self._slip(one, pools.pool(direct, first[0]))
        traits["slip_near"] = self._slip(one, pools.pool(first[1], second[0]))
        meant = self._cast.meant_at(one.start, one.end)
        traits["certain"] = float(meant.certain) * (1.0 - traits["known"])
        traits["odd"] = self._odd(one, close, own)
        if one.unit and one.kind in ("count", "measure"):
            beside = self._known.of(own).with_unit(one.unit)
            traits["elsewise"] = float(bool(beside) and not any(one.low <= v <= one.high for v in beside))
        traits |= self._doubts(one, close, own)
        return traits

    def _told(self, one: SaidFigure, values: Pool, slack: float) -> float:
        """How unlikely by chance, if a figure is among some values."""
        if not pools.holds(values, one.low, one.high):
            return 0.0
        top = _TOP if one.kind == "rating" else None
        return max(
            pools.strength(pools.chance(values, one.value, slack, money=one.kind in MONEY, top=top)), _TINY
        )

    def _values(self, span: Span, but: SaidFigure) -> tuple[list[float], list[SaidFigure]]:
        here = [one for one in self.said.within(span) if one.start != but.start]
        return [one.value for one in here if one.kind in MONEY], [
            one for one in here if one.kind not in MONEY
        ]

    def _direct(self, one: SaidFigure, span: Span, ids: tuple[str, ...]) -> Pool:
        """What stands in the record of what the sentence names, and in the question."""
        known, about = self._known.of(ids), self._known
        if one.kind in MONEY:
            return pools.pool(known.prices, about.limits)
        if one.kind == "rating":
            return pools.pool(known.stars, about.asked)
        if one.kind == "ratings":
            return pools.pool(known.raters)
        if one.kind == "orders":
            return pools.pool(about.parts_in(span), known.ordered, about.tallies[:1])
        return pools.pool(
            known.sizes, known.values, known.ordered, about.parts_in(span), about.asked, known.raters
        )

    def _framed(self, one: SaidFigure, span: Span, ids: tuple[str, ...]) -> Pool:
        """What a figure of its kind is, in the frame that the words beside it give: left of a limit, a price by a pack, one rating."""
        known, about, cue = self._known.of(ids), self._known, self.cue(one)
        if one.kind not in MONEY:
            return self._framed_number(one, span, ids)
        money, others = self._values(self._with_before(span), one)
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
        known, about = self._known.of(ids), self._known
        money, others = self._values(span, one)
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

    def _with_before(self, span: Span) -> Span:
        """A sentence with the one before it on its line."""
        line = self._prose.line_at(span[0])
        if line is None or line.kind in _ROWS:
            return span
        before = [one for one in self._prose.sentences(line) if one[0] < span[0]]
        return (before[-1][0], span[1]) if before else span

    def _odd(self, one: SaidFigure, span: Span, ids: tuple[str, ...]) -> float:
        """If the stars, raters or price beside it are those of one thing alone, and it is not that thing's, nor of another with the same."""
        at = {"money": 0, "rating": 1, "ratings": 2}.get(one.kind)
        if at is None:
            return 0.0
        beside = [
            each
            for each in self.said.within(span)
            if each.start != one.start and abs(each.start - one.start) < _BESIDE
        ]
        found = []
        for key in self._known.products:
            known = self._known.of((key,))
            told = (known.prices, known.stars, known.raters)
            shared = [
                each
                for each in beside
                if (other := {"money": 0, "rating": 1, "ratings": 2}.get(each.kind)) is not None
                and other != at
                and (other != 1 or key in ids)
                and any(each.low <= value <= each.high for value in told[other])
            ]
            if shared and told[at]:
                found.append(any(one.low <= value <= one.high for value in told[at]))
        return float(bool(found) and not any(found))

    def _again(self, one: SaidFigure) -> float:
        alike = (each for each in self.said.all if each.start != one.start and each.kind == one.kind)
        return float(any(abs(each.value - one.value) < 1e-6 for each in alike))

    def _worked(self, one: SaidFigure, span: Span, ids: tuple[str, ...]) -> tuple[Pool, Pool]:
        """What the figures of a stretch and of the records of what it names come to, in one step and in two."""
        known, about = self._known.of(ids), self._known
        money, others = self._values(span, one)
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

    def _far(self, one: SaidFigure) -> Pool:
        """What the whole report says, and whatever is known of it and the reader."""
        about, every = self._known, self._known.everything
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

    def _slip(self, one: SaidFigure, values: Pool) -> float:
        """If with one digit put right it is among some values, and how unlikely that is by chance."""
        near = list(slips(one.digits)) if one.digits else []
        if not any(pools.holds(values, value - one.slack, value + one.slack) for value in near):
            return 0.0
        likely = sum(pools.chance(values, value, one.slack, money=False) for value in near if value > 0)
        return max(pools.strength(min(1.0, likely)), _TINY)

    def meant(self, one: SaidFigure) -> float | None:
        """What it is with one slip put right: the first that stands in a record of what its sentence names, or that its sentence comes to."""
        close, _ = self.around(one.start)
        own = self.named(close, one.start)
        near = [value for value in slips(one.digits) if value > 0] if one.digits else []
        for values in (
            self._framed(one, close, own),
            self._direct(one, close, own),
            self._worked(one, close, own)[0],
        ):
            for value in near:
                if pools.holds(values, value - one.slack, value + one.slack):
                    return value
        return None

    def _doubts(self, one: SaidFigure, close: Span, own: tuple[str, ...]) -> dict[str, float]:
        doubt = self._residue.doubt(close)
        unseen = doubt is not None and is_of_what_is_unseen(doubt)
        entry, figure = self._ledger.by_start.get(one.start), self.said.money.get(one.start)
        foreign = self._residue.cites_the_web(close) or (figure is not None and figure.elsewhere)
        plain = self._mentions.plain
        clause = self._prose.clause_at(one.start)
        return {
            "read": float(entry is not None and entry.status == "explained"),
            "foreign": float(foreign),
            "hedged": float(one.hedged),
            "unsure": float(unseen),
            "altered": float(doubt is not None and not unseen),
            "own_words": float(_OWN_WORDS.search(plain, *clause) is not None),
            "quoted": float(len(_QUOTED.findall(plain[close[0] : one.start])) % 2),
            "loose": float(not own),
            "missing": float(self._ledger.play.unpriced or self._cast.names_a_stranger(close)),
        }

    def is_void(self, one: SaidFigure) -> bool:
        figure = self.said.money.get(one.start)
        return figure is not None and figure.void

    def cue(self, one: SaidFigure) -> str:
        """What the words beside an amount make of it."""
        figure = self.said.money.get(one.start)
        return "" if figure is None else figure.cue.kind

    def every(self) -> Iterator[SaidFigure]:
        return (one for one in self.said.all if not self.is_void(one))


@lru_cache(maxsize=4)
def sight_of(mentions: Mentions) -> InSight:
    return InSight(mentions)
