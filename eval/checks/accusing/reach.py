"""Whether amounts in sight come to an accused one in any way that somebody may have taken: baskets with quantities, rates, parts, what is over.

Each way gives a set of values. The one that holds the figure explains it where a figure like it would be there by chance only seldom: of ten
prices some three come to nearly any amount, two things twice each to hardly any. Where words of the sentence ask for a way (`together`,
`half`, `per hundred`), less is asked of chance.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import chain, combinations, islice
from typing import NamedTuple

import numpy as np
from drr.eval.checks.accusing.handed_over import handed_over
from drr.eval.checks.accusing.rows import MOST_BOUGHT, RowsOfAmounts
from drr.eval.checks.accusing.shares import SHARED, TAKEN_OFF, shares_said, with_shares
from drr.eval.checks.base import Span
from drr.eval.checks.grid import column_at
from drr.eval.checks.leftover import pools
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.said import MONEY, SaidFigure
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.records import record_text
from drr.eval.stats.intervals import Floats
from drr.wording.numbers import DIGITS, number

SELDOM = 0.05
"""By chance at most so often: then a way that no word asks for explains."""
ASKED = 0.3
"""The same of one that words ask for."""
_INCHES = 144.0
"""Square inches of a square foot."""
_LARGEST = 10_000.0
_PRICES = 14
"""Of more prices in sight baskets are not tried: they come to anything."""
_QUANTITIES = 6
_COUNTS = 24
_FEW = 6
_CENT = 0.006
_FINEST, _FINE = 0.004, 0.02
_LEAST_LIMIT, _WINDOW, _DOLLARS = 10.0, 1.5, 5.0
_HUNDREDS = {
    100.0: re.compile(r"\b(?:hundred|100)\b", re.I),
    1000.0: re.compile(r"\b(?:thousand|1,?000)\b", re.I),
}
_AREA = re.compile(
    rf"(?<![\w.,])(?P<a>{DIGITS})(?:[\s-]?(?:[\"″'’]|inch(?:es)?|in|ft|feet|foot|cm)\b)?\s?(?:x|×|by)\s?(?P<b>{DIGITS})(?!\d)",
    re.I,
)
_TOGETHER = re.compile(
    r"\b(?:together|total\w*|sum\w*|all|both|combined|altogether|each|come[sn]? to|came to|add(?:s|ed)? up|in all|the lot|between them|apiece|plus|pair|set|basket|order|bill|everything|whole|cost\w*|run you|gives|counting)\b",
    re.I,
)
_AREAL = re.compile(r"\b(?:sq|square|area|surface)\b", re.I)
_PROMOTED = re.compile(
    r"\bfree\b(?!\s(?:shipping|delivery|returns?)\b)|\bhalf[\s-]price\b|\bcoupons?\b|\bpromo\w*|\d\s?%\soff\b",
    re.I,
)
"""Something is taken off that the question or the paragraph tells of once."""
_SAID_ONCE = (*_HUNDREDS.values(), _AREAL, _PROMOTED, TAKEN_OFF)
"""What a paragraph or table says once for all its figures: `per hundred pages`."""
_PART = re.compile(r"\b(?:half|halves|thirds?|quarters?|twice|double|triple|thrice|times)\b", re.I)
_SAVED = re.compile(r"\b(?:sav\w+|spar\w+)\b", re.I)
_MEAN = re.compile(r"\b(?:averag\w*|mean|typical\w*|apiece|on the whole)\b", re.I)
_OVER = re.compile(r"\b(?:over|under|above|below|past|left|spare|short|remain\w*|keep|too much)\b", re.I)
_APART = re.compile(r"\b(?:over|under|above|below|hand|pocket)\b", re.I)
_BACK = re.compile(r"\b(?:back|change|left|leaves?|spare|remain\w*|keep|over)\b", re.I)
_OFF = re.compile(rf"{_OVER.pattern}|{_BACK.pattern}|\b(?:another|extra|more|missing|add)\b", re.I)
_SHARED = re.compile(r"\b(?:each|apiece|split|shar(?:e|ed|ing)|between (?:us|you|them)|a head)\b", re.I)
_BY_THE_PIECE = re.compile(r"\b(?:per|by\sthe)\s[a-z]|\b(?:each|apiece)\b", re.I)
_ADDED = re.compile(
    r"\b(?:add\w*|plus|with|includ\w*|incl|shipp\w*|postage|fees?|tax\w*|wrap\w*|voucher|coupon|off|minus|after|less|discount\w*|extra|deliver\w*|charge\w*|deposit|tip)\b",
    re.I,
)
"""In the sentence of a price: something else is added to it, or taken away."""
_CHANGED = re.compile(
    r"\b(?:would|then|instead|without|drop\w*|swap\w*|choos\w+|skip\w*|replac\w+|switch\w*|trad\w+|lift\w*)\b",
    re.I,
)
_OWN = re.compile(r"\b(?:orders?|ordered|bought|spent|purchase\w*|history|paid|had|replac\w+|again)\b", re.I)
_LIMIT = re.compile(
    r"\b(?:budget|limit|cap|ceiling|allowance|maximum|at most|no more than|up to|within|under|below|stay\w*|have|find)\b",
    re.I,
)
_NEAR = 24
_BASKETS = frozenset({"price", "sum", "left_amount"})
_RATES = frozenset({"price", "sum", "rest", "unit_cost", "left_unit_cost", "left_amount"})
_GAPS = frozenset({"difference", "rest", "gap_told", "left_amount"})
_EACH = frozenset({"unit_cost", "left_unit_cost"})
_LEFT = frozenset({"difference", "rest", "gap_told"})
_RESTS = frozenset({"rest", "rest_told"})
_AMOUNTS = 20
_Way = tuple[str, re.Pattern[str] | None, float]
"""What comes to a figure, the words that ask for it, and how often it would by chance."""


class _InView(NamedTuple):
    """What stands in one stretch around a figure."""

    prices: tuple[float, ...]
    said: tuple[float, ...]
    plain: tuple[float, ...]
    """Numbers that stand there."""
    counts: tuple[float, ...]
    """The same, and those of the titles."""
    areas: tuple[float, ...]
    rates: Floats
    """What its things cost per unit, each by its own figures."""

    @property
    def both(self) -> tuple[float, ...]:
        return tuple(dict.fromkeys([*self.prices, *self.said]))


class AmountsReached:
    """Of the amounts of one report."""

    def __init__(self, held: HeldAgainst, mentions: Mentions) -> None:
        self._held, self._plain = held, mentions.plain
        self._question = mentions.subject.query or ""
        self._tables, self._rows = mentions.tables, RowsOfAmounts(held, mentions.layout)

    def why(self, one: SaidFigure, kind: str, *, firm: bool) -> str | None:
        """What comes to an amount that is accused as such a statement; `None` where nothing does but what would by chance. A `firm` one is bound
        to its thing or its rows by more than a sentence: only several things together, hardly met by chance, are then asked."""
        if one.kind not in MONEY:
            return None
        close, stretch = self._held.around(one.start)
        text = self._said_of(one, close)
        around = f"{text} {self._plain[slice(*stretch)]}"
        spans = dict.fromkeys([close, self._held.with_before(close), stretch])
        firm = firm and not (kind == "sum" and self._is_small(one, stretch))
        ways = (way for span in spans for way in self._ways(one, span, kind, firm=firm))
        for told, words, chance in chain(ways, () if firm else self._far(one, kind)):
            said = around if words in _SAID_ONCE else text
            asked = words is not None and (not firm or words is _ADDED) and words.search(said) is not None
            if chance <= (ASKED if asked else SELDOM):
                return told
        return None

    def _is_small(self, one: SaidFigure, stretch: Span) -> bool:
        """Whether a sum is less than any price around it: then it is none."""
        prices = self._view(stretch, one).prices
        return bool(prices) and one.value < min(prices)

    def _said_of(self, one: SaidFigure, close: Span) -> str:
        """The words that say what a figure is: its sentence; of a cell, with the labels of its row and its column."""
        line = self._held.prose.line_at(one.start)
        column = column_at(line, one.start) if line is not None and line.kind == "row" else None
        text = self._plain[slice(*close)]
        if line is None or column is None:
            return text
        label = self._tables.label(self._held.index(line), column, self._plain)
        return f"{label} {self._plain[slice(*line.cells[0])]} {self._plain[slice(*line.cells[column])]}"

    def _ways(self, one: SaidFigure, span: Span, kind: str, *, firm: bool) -> Iterator[_Way]:
        view = self._view(span, one)
        times = sorted({1, 2, *(int(v) for v in view.plain if v == int(v) and 1 < v <= MOST_BOUGHT)})
        for some in dict.fromkeys([view.prices, view.both]):
            if kind in _BASKETS and 0 < len(some) <= _PRICES:
                chance = basket_chance(some, times[:_QUANTITIES], one)
                if chance is not None:
                    yield "so many of what is in sight come to it", _TOGETHER, chance
            m = np.asarray(some[:_AMOUNTS], float)
            if kind == "price":
                values = np.concatenate([_apart(m, m).ravel(), (m[:, None] + m[None, :]).ravel()])
                yield from _way("it and an amount beside it come to it", _ADDED, values, one, unasked=False)
            if kind in _RATES and not firm:
                yield from self._by_counts(one, m, view, kind)
            if kind == "price" and not firm:
                yield from _saved_on_many(one, view)
            if kind in _GAPS and not firm:
                yield from self._by_gaps(one, m, view, times, kind)
            if kind in _RESTS and not firm:
                a, b = _two(m)
                yield from _way("two amounts differ by it", _APART, np.abs(a - b), one, unasked=False)
                left = self._over_limits(m, view, times)
                yield from _way("a limit and what is in sight differ by it", None, left, one)
            if kind in SHARED and self._held.prose.prose_line_at(one.start) is not None:
                shares = shares_said(self._held, span, self._plain, self._question)
                values = with_shares([*m, *np.add(*_two(m[:_FEW])), sum(m[:_FEW])], shares[:_FEW])
                yield from _way("a share is taken off or added", TAKEN_OFF, values, one, unasked=False)
            if kind == "left_amount" or (kind == "price" and not firm):
                words = _BACK if kind == "price" else _OFF
                left = self._over_limits(m, view, times)
                yield from _way("a limit leaves it", words, left, one, unasked=False)

    def _by_counts(self, one: SaidFigure, m: Floats, view: _InView, kind: str) -> Iterator[_Way]:
        yield from _way("an amount by an area", _AREAL, _each(m, view.areas), one, unasked=False)
        if kind in _EACH:
            yield from _way("what a thing in sight costs by its own size", None, view.rates, one)
        yield from _way("an amount by a number beside it", None, _each(m, view.plain), one)
        shared = _each(np.concatenate([m, sum(_two(m[:_PRICES]))]), (2, 3, 4))
        yield from _way("an amount that is shared", _SHARED, shared, one, unasked=False)
        if kind in _EACH:
            twice = np.concatenate([_each(m, [a]) / b for a, b in _two_numbers(view) if a * b > 1] or [m[:0]])
            yield from _way("an amount by two numbers beside it", _PROMOTED, twice, one)
        for many, words in _HUNDREDS.items():
            told = f"an amount for {many:g} by a number in sight"
            some = np.concatenate([m, view.rates])
            yield from _way(told, words, many * _each(some, view.counts), one, unasked=False)

    def _by_gaps(
        self, one: SaidFigure, m: Floats, view: _InView, times: Sequence[int], kind: str
    ) -> Iterator[_Way]:
        a, b = _two(view.rates[: 2 * _AMOUNTS])
        yield from _way("two costs per unit differ by it", _BY_THE_PIECE, np.abs(a - b), one)
        yield from _saved_on_many(one, view)
        parts = np.concatenate([m / 2, m / 3, m / 4, m * 2, m * 3])
        told = "an amount and a part of one differ by it"
        yield from _way(told, _PART, _apart(m, parts), one, unasked=False)
        told, two = "an amount and two together differ by it", np.add(*_two(m[:_PRICES]))
        yield from _way(told, _TOGETHER, _apart(m, two), one, unasked=False)
        if kind in _LEFT:
            values = self._over_limits(m, view, times)
            yield from _way("a limit and what is in sight differ by it", None, values, one)

    def _over_limits(self, m: Floats, view: _InView, times: Sequence[int]) -> Floats:
        """By how much limits, and whole amounts that may be some, differ from what is in sight."""
        whole = (v for v in view.said if v == int(v))
        limits = [*self._limits, *(v for v in (*view.plain, *whole) if v >= _LEAST_LIMIT)]
        a, b = _two(m[:_PRICES])
        return _apart(
            np.asarray(limits, float), np.concatenate([m, *(m * many for many in times), a + b])
        ).ravel()

    def _far(self, one: SaidFigure, kind: str) -> Iterator[_Way]:
        """Of the whole report: rows and items one after the other, a total with one price for another, the reader's own orders."""
        if kind in _BASKETS:
            yield from _way(
                "rows or items one after the other come to it", _TOGETHER, self._rows.sums(one), one
            )
        if kind in _LEFT and one.slack < _FINE:
            close, stretch = self._held.around(one.start)
            beside = [v for v in self._view(self._held.with_before(close), one).plain if v >= _LEAST_LIMIT]
            around = np.asarray(self._view(stretch, one).both, float)
            values = _apart(np.asarray(beside, float), around)
            yield from _way("an amount around it and a limit beside it differ by it", _OVER, values, one)
        if kind in _BASKETS | _GAPS:
            said = [v for v in self._totals if abs(v - one.value) > _CENT]
            view = self._view(self._held.around(one.start)[1], one)
            some = view.both or self._held.known.everything.prices
            swapped = pools.swapped(said, some, self._held.known.limits)
            yield from _way("a total with one price for another", _CHANGED, swapped, one)
        if kind in _BASKETS:
            spent = np.asarray(self._held.known.spent, float)
            yield from _way("some of the reader's orders come to it", _OWN, spent, one)
            yield from self._averages(one, spent)

    def _averages(self, one: SaidFigure, spent: Floats) -> Iterator[_Way]:
        """Of what is in sight, with or without one of it, and of the reader's orders by the counts beside it."""
        close, stretch = self._held.around(one.start)
        view = self._view(stretch, one)
        m = np.asarray(view.prices, float)
        mean = [m.mean(), *(m.sum() - m) / max(len(m) - 1, 1)] if len(m) else []
        counts = self._view(self._held.with_before(close), one).plain
        some = np.concatenate([spent, np.asarray(view.both, float)])
        less = np.concatenate([some, *(_apart(some, m[i : i + 1]).ravel() for i in range(min(len(m), _FEW)))])
        values = np.concatenate([np.asarray(mean, float), _each(less, counts)])
        yield from _way(
            "an average of what is in sight or of the reader's orders", _MEAN, values, one, unasked=False
        )

    @cached_property
    def _limits(self) -> tuple[float, ...]:
        """Of the question, whether it says that they are money or not, and what the report itself calls one."""
        said = self._held.said
        own = (
            one.value
            for match in _LIMIT.finditer(self._plain)
            for one in said.within((match.end(), match.end() + _NEAR))
        )
        asked = (
            *self._held.known.limits,
            *self._held.known.asked,
            *own,
            *handed_over(self._plain, self._question),
        )
        return tuple(dict.fromkeys(one for one in asked if one >= _LEAST_LIMIT))

    @cached_property
    def _totals(self) -> list[float]:
        return sorted({each.value for each in self._held.said.all if each.kind == "money"}, reverse=True)

    def _view(self, span: Span, but: SaidFigure) -> _InView:
        money, others = self._held.values(span, but)
        ids = self._held.named(span)
        known = self._held.known.of(ids)
        plain = [one.value for one in others if one.kind not in ("rating", "percent", "multiple")]
        areas = [*self._areas(ids), *_areas_in(self._plain[slice(*span)])]
        counts = [*plain, *known.sizes]
        said = (one for one in money if abs(one - but.value) > _CENT)
        return _InView(
            known.prices,
            tuple(dict.fromkeys(said)),
            tuple(dict.fromkeys(plain)),
            tuple(dict.fromkeys(one for one in counts if one > 1)),
            tuple(dict.fromkeys(one for one in areas if one > 1)),
            self._rates(ids),
        )

    def _rates(self, ids: Iterable[str]) -> Floats:
        found = []
        for key in ids:
            known = self._held.known.of((key,))
            found += [price / size for price in known.prices for size in known.sizes if size > 1]
        return np.asarray(found, float)

    def _areas(self, ids: Iterable[str]) -> list[float]:
        products = self._held.known.products
        return [
            one for key in ids for one in _areas_in(f"{products[key].title}\n{record_text(products[key])}")
        ]


def _saved_on_many(one: SaidFigure, view: _InView) -> Iterator[_Way]:
    counts = np.asarray(view.counts[:_COUNTS], float)
    a, b = _two(view.rates[: 2 * _AMOUNTS])
    told = "so many times the difference of two costs per unit"
    yield from _way(told, _SAVED, np.abs(a - b)[:, None] * counts, one)


def _two_numbers(view: _InView) -> Iterator[tuple[float, float]]:
    """Two that stand there, or one and a number of a title: `three dozens`, of what is sold by the dozen."""
    yield from combinations(view.plain[:_FEW], 2)
    sizes = [one for one in view.counts if one not in view.plain]
    yield from ((a, b) for a in view.plain[:_FEW] for b in sizes[:_FEW])


@lru_cache(maxsize=256)
def _areas_in(text: str) -> tuple[float, ...]:
    found = islice(_AREA.finditer(text), 6)
    sizes = dict.fromkeys(number(one["a"]) * number(one["b"]) for one in found)
    return tuple(dict.fromkeys(size / by for size in sizes for by in (1.0, _INCHES)))


def _two(some: Floats) -> tuple[Floats, Floats]:
    a, b = np.triu_indices(len(some), 1)
    return some[a], some[b]


def _each(m: Floats, counts: Sequence[float]) -> Floats:
    some = np.asarray([one for one in counts if one > 1][:_COUNTS], float)
    found: Floats = m.repeat(len(some)) / np.tile(some, len(m))
    return found


def _apart(some: Floats, others: Floats) -> Floats:
    found: Floats = np.abs(some[:, None] - others[None, :])
    return found


def _way(
    told: str, words: re.Pattern[str] | None, values: Floats, one: SaidFigure, *, unasked: bool = True
) -> Iterator[_Way]:
    """If a figure is among some values, how often one like it would be by chance; of a way that nobody takes `unasked` more than seldom."""
    values = values.ravel()
    if np.any((values >= one.low - 1e-6) & (values <= one.high + 1e-6)):
        chance = pools.chance(pools.pool(values), one.value, max(one.slack, _FINEST), money=True)
        yield told, words, chance if unasked else max(chance, 2 * SELDOM)


def basket_chance(prices: Sequence[float], times: Sequence[int], one: SaidFigure) -> float | None:
    """The same of what some prices come to, each taken so many times or not at all: reached to the cent."""
    most = one.value * _WINDOW
    if most > _LARGEST:
        return None
    cells = round(most * 100) + 1
    reached = np.zeros(cells, bool)
    reached[0] = True
    alone: list[int] = []
    for price in prices:
        before = reached.copy()
        alone.append(round(price * 100))
        for many in times:
            step = round(price * 100) * many
            if 0 < step < cells:
                reached[step:] |= before[:-step]
    reached[[one for one in alone if one < cells]] = False  # an error looks like the price of another
    first, last = max(1, int(np.ceil(one.low * 100 - 0.01))), int(np.floor(one.high * 100 + 0.01))
    if not reached[first : last + 1].any():
        return None
    low = round(one.value / _WINDOW * 100)
    window = reached[low:]
    chance = float(window.mean()) * (last - first + 1)
    if one.value >= _DOLLARS and last - first < 2:  # who errs in dollars keeps the cents
        chance = max(chance, float(window[(round(one.value * 100) - low) % 100 :: 100].mean()))
    return min(1.0, chance)
