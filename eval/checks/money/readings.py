"""Every true reading that an amount may have: before it is called wrong, each is tried, and the first that fits explains it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, combinations, islice

from drr.eval.checks.base import Span
from drr.eval.checks.mentions import words
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.money.means import means_near
from drr.eval.checks.money.packs import (
    counted_by,
    divisors,
    names_unit,
    parts_of,
    record_divisors,
    unit_named,
)
from drr.eval.checks.money.play import InPlay, Priced
from drr.wording.cues import CUES, CueKind
from drr.wording.purchases import PURCHASES

ADDED_ABOVE = "the sum of the column above"
_LARGEST = ((8, 6), (12, 4), (20, 3), (40, 2))
"""Of so many prices, sums of at most so many; of more, none."""
_MOST_READINGS = 250_000
"""Of all figures of a report together; of what is left then nothing is known."""
FEW_PRICES = 10
_LIST = 8
"""Lines around a mean in which stands what it is of."""
_LONGEST_TABLE = 200
"""Figures of a table that one below may be the sum of."""
_MOST_SAID = 24
"""Amounts beside a figure that it may be worked out from."""


_LEAST_LIMIT, _SHORT = 10, 4
"""The least that may be a limit, and letters of a word by which nothing is known."""


Reading = tuple[str, Iterable[float]]
"""What an amount may be, and all that it may then come to: there are so many that they are tried as bare numbers."""


class Readings:
    """The readings of the figures of a report; `settled` are the amounts that others may be worked out from."""

    def __init__(self, play: InPlay, figures: Sequence[Figure], unlinked: Sequence[Priced] = ()) -> None:
        self._play = play
        self._unlinked = unlinked
        """What names without an address may mean."""
        self._figures = figures
        self.settled: set[int] = set()
        """Places of figures that a reading explained."""
        self._places = {figure.start: index for index, figure in enumerate(figures)}
        self._left = _MOST_READINGS

    @property
    def spent(self) -> bool:
        """Whether there were too many readings to try them all."""
        return self._left <= 0

    def explain(self, figure: Figure, only: str | None = None) -> str | None:
        """How the amount comes about, if it can be told; a cost per unit, of the `only` product that it can be of."""
        low, high = figure.low, figure.high
        readings = self._of(figure.cue.kind, figure, only)
        while self._left > 0 and (reading := next(readings, None)) is not None:
            how, values = reading
            tried = list(islice(values, self._left))
            fitting = [value for value in tried if low <= value <= high]
            self._left -= tried.index(fitting[0]) + 1 if fitting else len(tried)
            if fitting:
                return how
        return None

    def explain_price(self, figure: Figure) -> str | None:
        """Whether an amount that is certainly a price is that of any product of the report, or said elsewhere."""
        tried = chain(_prices(self._play.all), self._repeated(figure), self._limits)
        return next((how for how, values in tried if any(map(figure.holds, values))), None)

    @property
    def _limits(self) -> Iterable[Reading]:
        return [("a limit of the question", self._play.limits)]

    def _of(self, kind: CueKind, figure: Figure, only: str | None) -> Iterator[Reading]:
        products = self._play.near(figure.line)
        span = self._play.block(figure.line, figure.start)
        said = self._said(figure)
        yield "a mean", self._means(figure, products, span)
        if only is not None:
            products, said = [one for one in self._play.all if one.product_id == only], []
        yield from _prices(products)
        yield from self._repeated(figure)
        if figure.column is not None:
            yield ADDED_ABOVE, [self._above(figure)]
        if kind == "unit":
            yield from self._per_unit(figure, products, said, span)
            return
        if kind == "gap" and figure.cue.per:
            yield from _gaps(_each(products, figure.cue.per)[:_MOST_SAID])
        prices = list(dict.fromkeys(one.price for one in products))
        multiples = list(_multiples(self._play, prices, span))
        base = [*prices, *(value for _, values in multiples for value in values)]
        if len(prices) <= FEW_PRICES and CUES.is_swapped(self._play.text(figure.sentence)):
            swapped = [total - one + other for total in said for one in prices for other in prices]
            yield "a sum with another in its place", swapped
            base += swapped
        yield from multiples
        if kind in ("price", "none"):
            yield from _prices((*self._play.all, *self._unlinked))
        if kind in ("price", "none") or CUES.units_in(self._play.text(figure.sentence)):
            yield from self._per_unit(figure, products, said, span)
        yield from self._limits
        yield "the sum of products in a row", self._play.runs
        yield from _ordered(self._play, figure, span)
        yield "the difference to an order", to_orders(self._play, figure, prices)
        if kind != "rest":
            yield from self._sums(prices, said, multiples)
        if kind == "total" or (kind == "rest" and self._limits_of(figure)):
            yield "an amount said less a price", [one - price for one in said for price in [*prices, *said]]
        else:
            yield from _gaps([*base, *said])
        if kind != "total":
            yield from self._rests(figure, base, said, prices)
        yield from _shares(self._play, span, [*base, *said])

    def _per_unit(
        self, figure: Figure, products: Iterable[Priced], said: Sequence[float], span: tuple[int, int]
    ) -> Iterator[Reading]:
        units = {figure.cue.per} if figure.cue.per else {"", *CUES.units_in(self._play.text(figure.sentence))}
        products = [*products, *_called_by(self._play, figure)]
        yield from _by_what_is_said(self._play, figure, products, span)
        for per in sorted(units):
            around = divisors(self._play.text(span), per) | divisors(self._play.question, per)
            for one in products:
                by = record_divisors(one.product, per, around)
                yield from _by_each(f"the price of {one.product_id}", one.price, by, figure)
            for value in said:
                yield from _by_each(f"${value:,.2f}", value, around, figure)

    def _means(self, figure: Figure, products: Sequence[Priced], span: Span) -> Iterator[float]:
        """Of the prices near it, of those beside it, and of the amounts that are said beside it."""
        near = (
            [one for one in self._near(figure, lines) if one.start in self.settled] for lines in (0, _LIST)
        )
        named = (products, self._play.within(*span), self._play.within(*figure.sentence))
        groups = [
            *([one.price for one in some] for some in named),
            *([one.value for one in some] for some in near),
        ]
        return means_near(self._play, figure, groups)

    def _said(self, figure: Figure) -> list[float]:
        """Amounts beside it that are explained themselves."""
        block = self._play.block(figure.line, figure.start)
        near = (
            one.value
            for one in self._near(figure, 30)
            if (one.start in self.settled and one.cue.kind != "limit")
            or (one.elsewhere and block[0] <= one.start < block[1])
        )
        return list(dict.fromkeys(near))[:_MOST_SAID]

    def _near(self, figure: Figure, lines: int) -> list[Figure]:
        at = self._places[figure.start]
        window = self._figures[max(0, at - _MOST_SAID) : at + _MOST_SAID]
        return [
            one
            for one in window
            if one.start != figure.start and abs(one.line - figure.line) <= lines and not one.void
        ]

    def _above(self, figure: Figure) -> float:
        """What stands above an amount in its column of a table."""
        at = self._places[figure.start]
        above = self._figures[max(0, at - _LONGEST_TABLE) : at]
        return sum(
            -one.value if one.line in self._play.taken else one.value
            for one in above
            if one.column == figure.column
        )

    def _repeated(self, figure: Figure) -> Iterator[Reading]:
        """The same is said elsewhere, and explained there."""
        return (
            ("said elsewhere", [one.value])
            for one in self._exact.get(round(figure.value, 2), ())
            if one.start != figure.start and one.start in self.settled
        )

    @cached_property
    def _exact(self) -> dict[float, list[Figure]]:
        """Figures written to the cent, by what they say."""
        found: dict[float, list[Figure]] = {}
        for one in self._figures:
            if one.exact:
                found.setdefault(round(one.value, 2), []).append(one)
        return found

    def _sums(
        self, prices: Sequence[float], said: Sequence[float], multiples: Sequence[tuple[str, list[float]]]
    ) -> Iterator[Reading]:
        for values in (prices, list(dict.fromkeys([*prices, *said]))):
            most = next((size for count, size in _LARGEST if len(values) <= count), 0)
            for size in range(2, most + 1):
                yield f"the sum of {size} prices", map(sum, combinations(values, size))
        if sum(len(values) for _, values in multiples) * len(prices) <= 200:
            for how, values in multiples:
                yield f"{how} and another", [value + price for value in values for price in prices]

    def _rests(
        self, figure: Figure, base: Sequence[float], said: Sequence[float], prices: Sequence[float]
    ) -> Iterator[Reading]:
        """What is left of a limit, or how far it is passed."""
        costs = [*base, *said]
        most = next((size for count, size in _LARGEST if len(prices) <= count), 0)
        sums = (sum(some) for size in range(2, most + 1) for some in combinations(prices, size))
        is_rest = figure.exact and figure.cue.kind == "rest"
        added = (one + price for one in said if one not in prices for price in prices if is_rest)
        spent = list(dict.fromkeys([*costs, *sums, *added]))
        sign = figure.sign
        for limit in self._limits_of(figure):
            left = (limit - cost for cost in spent)
            yield (
                f"${limit:,.2f} and a cost",
                map(abs, left) if sign is None else (sign * one for one in left),
            )

    @cached_property
    def limits_said(self) -> list[float]:
        """Limits that the report itself gives."""
        found = (one.value for one in self._figures if one.cue.kind == "limit")
        return list(dict.fromkeys(found))[:8]

    def _limits_of(self, figure: Figure) -> list[float]:
        """Those of the question and of the report; where there are none, of what is left the round amounts that may be one."""
        known = [*self._play.limits, *self.limits_said]
        if known or figure.cue.kind != "rest":
            return known
        return [
            one.value
            for one in self._figures
            if one.amount.whole and one.value >= _LEAST_LIMIT and one != figure
        ][:8]


def _each(products: Iterable[Priced], per: str) -> list[float]:
    """What things cost by all that is in them."""
    none = frozenset[float]()
    return [one.price / many for one in products for many in record_divisors(one.product, per, none)]


def _gaps(values: Sequence[float]) -> Iterator[Reading]:
    pairs = combinations(dict.fromkeys(values), 2)
    yield "the difference of two amounts", (abs(one - other) for one, other in pairs)


def _shares(play: InPlay, span: Span, values: Sequence[float]) -> Iterator[Reading]:
    for share in play.shares(span):
        for value in values:
            yield f"{share:.0%} of an amount", [share * value]
            yield f"an amount less {share:.0%}", [(1 - share) * value]
            yield f"an amount and {share:.0%}", [(1 + share) * value]


def _prices(products: Iterable[Priced]) -> Iterator[Reading]:
    return ((f"the price of {one.product_id}", [one.price]) for one in products)


def _multiples(play: InPlay, prices: Iterable[float], span: Span) -> Iterator[tuple[str, list[float]]]:
    for many in sorted(play.quantities(span)):
        yield f"{many} times a price", [many * price for price in prices]


def _ordered(play: InPlay, figure: Figure, span: Span) -> Iterator[Reading]:
    """What all that is named comes to, as often as the shopper ordered it, or all of a kind."""
    if not figure.exact or not PURCHASES.speaks(play.text(span)):
        return
    named = [[one.product_id for one in play.within(*where)] for where in (figure.sentence, span)]
    sums = (play.ordered.of(some) for some in (*named, [one.product_id for one in play.all]))
    yield "the sum of orders", [*(one for one in sums if one is not None), *play.ordered.by_kind]


_OWN = re.compile(
    r"\b(?:than|over|above|below|under|beneath|beyond|past|against|beside)\s[^.;:()\n]{0,60}\b(?:your|my|his|her|their|you|orders?|ordered|bought)\b",
    re.I,
)
"""Behind a difference: what it is one to is of the reader's own."""


_OWN_APART = re.compile(
    r"\b(?:between|gap|difference|lead|distance)\b(?:[^.;:()\n]|\.(?=\d)){0,160}\b(?:your|my|his|her|their|orders?|ordered|bought|history|purchases?)\b"
    r"|\b(?:your|my|his|her|their|orders?|ordered|bought|history|purchases?)\b(?:[^.;:()\n]|\.(?=\d)){0,160}\b(?:ahead|apart|between|gap|difference|lead)\b",
    re.I,
)
"""Of an amount that no word beside it calls a difference."""


def to_orders(play: InPlay, figure: Figure, costs: Sequence[float]) -> list[float]:
    """`$117.00 dearer than your next most costly item`, which nobody names: by how much some costs differ from any of what was ordered."""
    kind, behind = figure.cue.kind, (figure.end, figure.sentence[1])
    if kind not in ("gap", "price", "none") or not figure.exact or play.calls_one(behind):
        return []
    to_what, where = (_OWN, behind) if kind == "gap" else (_OWN_APART, figure.sentence)
    if not to_what.search(play.text(where)):
        return []
    return [abs(one - other) for one in costs for other in play.ordered.prices]


def _called_by(play: InPlay, figure: Figure) -> Iterable[Priced]:
    """Where nothing is named before a cost, what goes by the word that it is per: behind `Markers.` `92 cents a marker`."""
    per = figure.cue.per
    if not per or unit_named(per) is not None or play.calls_one((figure.sentence[0], figure.start)):
        return ()
    return (one for one in play.all if names_unit(one.product.title, per))


def _by_each(what: str, amount: float, numbers: Iterable[float], figure: Figure) -> Iterator[Reading]:
    return ((f"{what} by {many:g}", parts_of(amount, many, figure.value)) for many in numbers)


def _by_sizes_said(play: InPlay, figure: Figure, span: Span) -> Iterator[Reading]:
    """By a measure that stands before a cost in its paragraph, of what is listed elsewhere: of that size by its record, or called by a word that stands there."""
    unit = unit_named(figure.cue.per) if figure.cue.per else None
    if unit is None or unit.kind == "count":
        return
    text = play.text((span[0], figure.start))
    sizes, said = divisors(text, figure.cue.per), {*words(text)}
    for one in play.all:
        called = any(len(word) > _SHORT and word in said for word in words(one.product.title))
        own = sizes if called else sizes & record_divisors(one.product, figure.cue.per, frozenset())
        yield from _by_each(f"the price of {one.product_id}", one.price, own, figure)


def _by_what_is_said(
    play: InPlay, figure: Figure, products: Iterable[Priced], span: Span
) -> Iterator[Reading]:
    yield from _by_sizes_said(play, figure, span)
    yield from _by_portions(products, play.text(figure.sentence))


def _by_portions(products: Iterable[Priced], sentence: str) -> Iterator[Reading]:
    """Of what a sentence counts a cost by."""
    for one in products:
        for many in counted_by(one.product, sentence):
            yield f"the price of {one.product_id} by {many:g}", [one.price / many]
