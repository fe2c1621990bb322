"""What else a figure may be: the same figure of something else in sight, or what figures in sight come to.

A figure that is simply wrong meets such a reading by chance only, the more often the more figures stand in sight; so a reading counts by how
unlikely it is to be met by chance.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import combinations, islice, product
from math import log10
from typing import NamedTuple

from drr.env.entities import Product
from drr.eval.checks.base import Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.measures import measures
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.records import record_text
from drr.wording.money import every_amount
from drr.wording.numbers import DIGITS, SPOKEN, number, spoken

_NUMBER = re.compile(rf"(?<![\w.,$€£#-])(?P<n>{DIGITS})(?![\d])")
_WORD_NUMBER = re.compile(rf"\b(?P<n>{SPOKEN})\b", re.I)
_MOST = 24
"""Figures of a stretch that are put together."""
_EVERY = 40
"""Prices of a report."""
_SEVERAL = 12
"""Of one thing that somebody buys."""
_LARGEST = 20_000
_WINDOW = 1.5
"""Values up to so many times a figure and down to such a part of it say how dense they lie."""
_DOLLARS = 5.0
_STARS = 5.0
"""No rating lies above."""
_SURE = 3.0
"""A reading that is met by chance once in a thousand figures counts in full."""
_FIGURES_OF_A_RECORD = 30


class AccusedFigure(NamedTuple):
    """The figure that is accused."""

    value: float
    slack: float
    """How far a value may be from it that is the same."""
    place: float
    """So fine are the figures of its kind, by which chance is reckoned: ratings go in tenths."""
    money: bool
    rating: bool
    """A rating or a number of ratings."""
    gap: bool
    """A rest or a difference: its rule has held it against every limit, with the side on which it must be."""
    span: Span


class StretchFigures(NamedTuple):
    """Of a stretch of text."""

    money: Sequence[float]
    plain: Sequence[float]


class Sight:
    """The figures of one report and of the records of what is in play."""

    def __init__(self, mentions: Mentions, cast: Cast) -> None:
        self._body, self._cast = mentions.plain, cast
        self._money = [(one.start, one.end, one.value) for one in every_amount(self._body)]
        self._money_at = [one[0] for one in self._money]
        taken = bytearray(len(self._body))
        for start, end, _ in self._money:
            taken[start:end] = b"\1" * (end - start)
        found = [
            (match.start(), match.end(), number(match["n"]))
            for match in _NUMBER.finditer(self._body)
            if not taken[match.start()]
        ]
        found += [
            (match.start(), match.end(), float(spoken(match["n"])))
            for match in _WORD_NUMBER.finditer(self._body)
            if not taken[match.start()]
        ]
        self._plain = sorted(found)
        self._plain_at = [one[0] for one in self._plain]
        query = mentions.subject.query or ""
        self._limits = list(dict.fromkeys(one.value for one in every_amount(query)))

    def figures(self, span: Span, but: Span) -> StretchFigures:
        """Of a stretch without those of a place within it."""
        return StretchFigures(
            list(_within(self._money, self._money_at, span, but)),
            list(_within(self._plain, self._plain_at, span, but)),
        )

    def said_again(self, said: AccusedFigure) -> float:
        """If the figure stands elsewhere in the report; there are so few ratings that it says nothing of them."""
        pool = [] if said.rating else self._money if said.money else self._plain
        return float(
            any(abs(value - said.value) < 0.005 and not _meets((a, b), said.span) for a, b, value in pool)
        )

    def same(
        self, said: AccusedFigure, sentence: Span, owners: frozenset[str], only: frozenset[str] | None
    ) -> float:
        """How unlikely by chance, if it is a figure of the record of another product than those that it is held to be of; surely, if another figure of that one stands beside it."""
        values: list[float] = []
        beside = self.figures(sentence, said.span)
        mine = [value for key in owners if (one := self._cast.products.get(key)) for value in _told_of(one)]
        beside_it = {
            value for value in (*beside.money, *beside.plain) if value not in mine and value != said.value
        }
        for one in self._others(owners):
            if only is not None and one.product_id not in only:
                continue
            told = _told_of(one)
            if (said.money or said.rating) and said.value in told and beside_it & {*told}:
                return 1.0
            if said.money:
                values += [one.price] if one.price is not None else []
            elif said.rating:
                values += told[-2:]
            else:
                values += self._recorded(one)
        return _strength(said, values)

    def near(
        self, said: AccusedFigure, close: Sequence[Span], stretch: Span, products: Iterable[str]
    ) -> float:
        """If figures of its sentence alone, of its row or of its column come to it, or those of a stretch and of the records of what it names."""
        known = [self._cast.products[key] for key in products if key in self._cast.products]
        recorded = [value for one in known for value in self._recorded(one)]
        here = self.figures(stretch, said.span)
        row = self.figures(close[0], said.span)
        cells = [self.figures(one, said.span) for one in close[1:]]
        column = StretchFigures(
            [v for one in cells for v in one.money], [v for one in cells for v in one.plain]
        )
        if said.money:
            prices = [one.price for one in known if one.price is not None]
            tight = max(
                _strength(said, _worked_money([*one.money, *_decimals(one)], _counts(one.plain)))
                for one in (row, column)
            )
            money = [*here.money, *prices, *self._limits_of(said), *_decimals(here)]
            wide = _worked_money(money, [*_counts(here.plain), *_counts(recorded)])
            return max(tight, _strength(said, wide))
        told = [value for one in known for value in _told_of(one)[-2:]]
        tight = max(_strength(said, _worked_plain(one.plain)) for one in (row, column))
        return max(tight, _strength(said, _worked_plain([*here.plain, *recorded, *told])))

    def own(self, said: AccusedFigure, sentence: Span, owners: frozenset[str]) -> float:
        """If it is worked out from its own thing's figures and the numbers beside it: its cost per unit, several of it, how far it is from a limit."""
        here = self.figures(sentence, said.span)
        known = [self._cast.products[key] for key in sorted(owners) if key in self._cast.products]
        recorded = [value for one in known for value in self._recorded(one)]
        if not said.money:
            return _strength(said, [a * b for a, b in product(recorded, here.plain) if b > 1])
        prices = [one.price for one in known if one.price is not None]
        gaps = [abs(a - b) for a, b in product(prices, [*self._limits_of(said), *here.money])]
        found = [_strength(said, [*_by_counts(prices, counts), *gaps]) for counts in (here.plain, recorded)]
        return max(*found, self.swapped(said, prices))

    def swapped(self, said: AccusedFigure, put: Sequence[float] | None = None) -> float:
        """If an amount of the report comes to it, where the price of one thing (of these) is put for that of another."""
        if not said.money:
            return 0.0
        prices = [one.price for one in self._cast.products.values() if one.price is not None][:_SEVERAL]
        totals = {value for start, end, value in self._money if not _meets((start, end), said.span)} - {
            *prices
        }
        steps = [b - a for a in prices for b in (prices if put is None else put) if a != b]
        swapped = [total + step for total in sorted(totals)[-_SEVERAL:] for step in steps]
        over = [abs(one - limit) for one in swapped for limit in self._limits]
        return max(_strength(said, swapped), _strength(said, over))

    def far(self, said: AccusedFigure) -> float:
        """If prices and amounts of the whole report come to it, with the quantities that are said."""
        if not said.money:
            return 0.0
        limits = self._limits_of(said)
        money = [one.price for one in self._cast.products.values() if one.price is not None]
        money += [value for start, end, value in self._money if not _meets((start, end), said.span)]
        money = list(dict.fromkeys([*limits, *money]))[:_EVERY]
        many = sorted({2.0, *(value for _, _, value in self._plain if value in range(2, _SEVERAL + 1))})
        values = [a + b for a, b in combinations(money, 2)] + [abs(a - b) for a, b in combinations(money, 2)]
        values += [a * b for a, b in product(money, many)]
        values += [abs(limit - a * b) for limit in limits for a, b in product(money, many)]
        return _strength(said, values)

    def _limits_of(self, said: AccusedFigure) -> list[float]:
        return [] if said.gap else self._limits

    def _others(self, owners: frozenset[str]) -> Iterator[Product]:
        known = self._cast.products
        siblings = [one for key in list(known)[:_SEVERAL] for one in self._cast.siblings(known[key])]
        everybody = {one.product_id: one for one in (*siblings, *self._cast.ordered)}
        everybody |= {**self._cast.possible, **known}
        return (one for key, one in everybody.items() if key not in owners)

    @cached_property
    def _records(self) -> dict[str, list[float]]:
        return {}

    def _recorded(self, one: Product) -> list[float]:
        if one.product_id not in self._records:
            text = f"{one.title}\n{record_text(one)}"
            found = dict.fromkeys(said.value for said in measures(text))
            found |= dict.fromkeys(number(match["n"]) for match in _NUMBER.finditer(one.title))
            self._records[one.product_id] = list(islice(found, _FIGURES_OF_A_RECORD))
        return self._records[one.product_id]


def _within(
    pool: Sequence[tuple[int, int, float]], starts: Sequence[int], span: Span, but: Span
) -> Iterator[float]:
    for start, end, value in pool[bisect_left(starts, span[0]) : bisect_left(starts, span[1])]:
        if not _meets((start, end), but):
            yield value


def _told_of(one: Product) -> list[float]:
    """Its price, its rating and how many rated it."""
    told = (one.price, one.average_rating, one.rating_number)
    return [float(value) for value in told if value is not None]


def _meets(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _decimals(here: StretchFigures) -> list[float]:
    """Numbers that are written as money is, without its sign."""
    return [one for one in here.plain if round(one, 2) == one != round(one, 1)][:_SEVERAL]


def _counts(plain: Iterable[float]) -> list[float]:
    return [one for one in plain if 1 < one <= _LARGEST]


def _by_counts(money: Iterable[float], counts: Iterable[float]) -> Iterator[float]:
    for one, many in product(money, _counts(counts)):
        yield one / many
        yield one * many


def _worked_money(some: Iterable[float], counts: Iterable[float]) -> Iterator[float]:
    """What amounts and counts come to: sums and differences of two or three, so many times or parts of one, and what several leave of one."""
    money, counts = list(dict.fromkeys(some))[:_MOST], list(dict.fromkeys(counts))[:_MOST]
    few, some_counts = money[:_SEVERAL], counts[:_SEVERAL]
    yield from (a + b for a, b in combinations(money, 2))
    yield from (abs(a - b) for a, b in combinations(money, 2))
    yield from (a + b + c for a, b, c in combinations(few, 3))
    yield from (abs(a + b - c) for (a, b), c in product(combinations(few, 2), few))
    yield from _by_counts(money, counts)
    yield from (one / (a * b) for one, (a, b) in product(few, combinations(some_counts, 2)))
    yield from (abs(a - b * many) for a, b, many in product(few, few, counts) if many <= _SEVERAL)


def _worked_plain(some: Iterable[float]) -> Iterator[float]:
    plain = list(dict.fromkeys(some))[:_MOST]
    yield from (a + b for a, b in combinations(plain, 2))
    yield from (abs(a - b) for a, b in combinations(plain, 2))
    yield from (a * b for a, b in combinations(plain, 2) if min(a, b) > 1)
    yield from (max(a, b) / min(a, b) for a, b in combinations(plain, 2) if min(a, b) > 1)


def _strength(said: AccusedFigure, values: Iterable[float]) -> float:
    """From 0, where none is the figure, to 1, where it is next to impossible that one is by chance."""
    low, high = said.value / _WINDOW, said.value * _WINDOW
    if said.rating and said.value <= _STARS:
        high = min(high, _STARS)
    close = {round(value, 4) for value in values if low <= value <= high}
    if not any(abs(value - said.value) <= said.slack + 1e-6 for value in close):
        return 0.0
    chance = len(close) * 2 * max(said.place, 1e-5) / max(high - low, 2 * said.place)
    if said.money and said.value >= _DOLLARS:  # who errs in dollars keeps the cents
        alike = sum(abs((value - said.value + 0.5) % 1 - 0.5) <= said.slack for value in close)
        chance = max(chance, alike / (high - low))
    return math.sqrt(min(1.0, max(0.0, -log10(min(1.0, chance))) / _SURE))
