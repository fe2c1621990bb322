"""What the records know in figures: of products, of the reader's orders, and what the question says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple, TypeVar

from drr.env.entities import Product
from drr.env.statistics import UserStatistics
from drr.eval.checks.base import Span, Subject
from drr.eval.checks.cast import Cast
from drr.eval.checks.makers import makers_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.generous.limits import limits_without_sign
from drr.eval.checks.money.own_records import statistics_in_money
from drr.eval.checks.person.history import History, Placed, history_of
from drr.eval.checks.person.tallies import name_form, plain_name
from drr.eval.checks.records import record_text
from drr.wording.money import every_amount
from drr.wording.numbers import DIGITS, SPOKEN, number, spoken

_T = TypeVar("_T")
_NUMBER = re.compile(rf"(?<![\w.,$€£#])(?P<n>{DIGITS})(?!\d)(?:[\s-]?(?P<u>[^\W\d_]{{1,16}}|[\"″'°]))?")
_WORD = re.compile(rf"\b(?P<n>{SPOKEN})\b(?:[\s-](?P<u>[^\W\d_]{{1,16}}))?", re.I)
_RECORDED = 80
_TITLED = 8
_EVERY = 40
_SHORTLIST = 8
_IN_A_YEAR = 365.25
_IN_A_MONTH = 30.44


class KnownFigures(NamedTuple):
    """Of some things together."""

    prices: tuple[float, ...] = ()
    stars: tuple[float, ...] = ()
    raters: tuple[float, ...] = ()
    sizes: tuple[float, ...] = ()
    """Of a title: of these, too, other figures are worked out."""
    recorded: tuple[tuple[float, str], ...] = ()
    """Whatever else stands in a record, with the word behind it."""
    ordered: tuple[float, ...] = ()
    """How often, how many, how long ago."""

    @property
    def values(self) -> tuple[float, ...]:
        return tuple(value for value, _ in self.recorded)

    def with_unit(self, unit: str) -> tuple[float, ...]:
        return tuple(value for value, said in self.recorded if said == unit)


class ToldOf(NamedTuple):
    """What one product costs, and how it is rated."""

    prices: tuple[float, ...]
    stars: tuple[float, ...]
    raters: tuple[float, ...]


def told_of(one: Product) -> ToldOf:
    return ToldOf(
        (one.price,) if one.price is not None else (),
        (one.average_rating,) if one.average_rating is not None else (),
        (float(one.rating_number),) if one.rating_number is not None else (),
    )


class KnownOf:
    def __init__(self, subject: Subject, mentions: Mentions, cast: Cast) -> None:
        self._subject, self._mentions, self._cast = subject, mentions, cast
        self.of = cache(self._of)
        self._of_one = cache(self._read)

    @cached_property
    def products(self) -> dict[str, Product]:
        """In play, or of a maker that is."""
        known = self._cast.products
        siblings = [one for key in list(known)[:_SHORTLIST] for one in self._cast.siblings(known[key])]
        return {one.product_id: one for one in siblings} | {**self._cast.possible, **known}

    def _of(self, ids: tuple[str, ...]) -> KnownFigures:
        every = [self._of_one(key) for key in ids]
        return KnownFigures(
            _once(one.prices for one in every),
            _once(one.stars for one in every),
            _once(one.raters for one in every),
            _once(one.sizes for one in every),
            _once(one.recorded for one in every),
            _once(one.ordered for one in every),
        )

    def _read(self, product_id: str) -> KnownFigures:
        one = self.products[product_id]
        return KnownFigures(
            *told_of(one),
            tuple(value for value, _ in numbers_in(one.title, _TITLED)),
            tuple(dict.fromkeys(numbers_in(record_text(one), _RECORDED))),
            tuple(dict.fromkeys(self._told_of_orders(one))),
        )

    @cached_property
    def siblings(self) -> KnownFigures:
        """Of all that the makers in play sell; their prices, stars and raters."""
        some = list(self.products.values())[: 4 * _EVERY]
        ordered = list(self._subject.ordered.values())
        return KnownFigures(
            tuple(dict.fromkeys(one.price for one in some if one.price is not None)),
            tuple(
                dict.fromkeys(
                    one.average_rating for one in (*some, *ordered) if one.average_rating is not None
                )
            ),
            tuple(
                dict.fromkeys(
                    float(one.rating_number) for one in (*some, *ordered) if one.rating_number is not None
                )
            ),
        )

    @cached_property
    def everything(self) -> KnownFigures:
        return self.of(tuple(sorted(self._cast.products))[:_EVERY])

    # The reader.

    @cached_property
    def history(self) -> History | None:
        return history_of(self._mentions)

    def _told_of_orders(self, product: Product) -> Iterator[float]:
        """How often it, or its maker's things, were ordered, how many of it, and how long ago."""
        if self.history is None:
            return
        own = self.history.of_products([product.product_id])
        if own:
            yield float(len(own))
            yield float(sum(one.order.quantity for one in own))
            yield from (float(one.order.quantity) for one in own)
        if of_maker := self.history.of_makers(makers_of(product)):
            yield float(len(of_maker))
        yield from self._ages(own)

    def _ages(self, own: Iterable[Placed]) -> Iterator[float]:
        if self.history is None:
            return
        days = sorted({(self.history.today - one.day).days for one in own})[:_SHORTLIST]
        gaps = [b - a for a, b in pairwise(days)]
        for one in [*days, *gaps, *([days[-1] - days[0]] if days else [])]:
            months, years = one / _IN_A_MONTH, one / _IN_A_YEAR
            yield from (float(one), float(round(one / 7)), float(round(months)), float(int(months)))
            yield from (round(years, 1), float(int(years)), float(round(years)))

    @cached_property
    def _statistics(self) -> UserStatistics | None:
        subject = self._subject
        if subject.shop is None or subject.user_id is None:
            return None
        return subject.shop.store.statistics(subject.user_id)

    @cached_property
    def tallies(self) -> tuple[float, ...]:
        """Of all orders: how many of each part."""
        known = self._statistics
        if known is None:
            return ()
        priced = known.orders - known.orders_without_price
        found = [
            known.orders,
            known.items,
            known.orders_without_price,
            priced,
            known.days_since_last_order or 0,
        ]
        found += [one.orders for one in (*known.by_category, *known.by_year, *known.favourite_stores)]
        found += known.by_status.values()
        found += [len(known.by_category), len(known.by_year)]
        return tuple(dict.fromkeys(float(one) for one in found))

    @cached_property
    def _parts(self) -> dict[str, float]:
        known = self._statistics
        shares = [] if known is None else [*known.by_category, *known.by_year, *known.favourite_stores]
        return {plain_name(one.name): float(one.orders) for one in shares if plain_name(one.name)}

    @cached_property
    def _part_named(self) -> re.Pattern[str] | None:
        forms = sorted((name_form(one) for one in self._parts), key=len, reverse=True)
        return re.compile(rf"(?<![\w$])(?:{'|'.join(forms)})(?!\w)", re.I) if forms else None

    def parts_in(self, span: Span) -> tuple[float, ...]:
        """How many orders are of the categories, years and stores that a stretch names."""
        if self._part_named is None:
            return ()
        found = (plain_name(match[0]) for match in self._part_named.finditer(self._mentions.plain, *span))
        return tuple(dict.fromkeys(self._parts[name] for name in found if name in self._parts))

    @cached_property
    def by_two(self) -> tuple[float, ...]:
        """How many orders are of a category or a maker in a year."""
        found: dict[tuple[object, int], int] = {}
        for one in self.history.orders if self.history is not None else ():
            if one.product is not None:
                for part in (one.product.category, one.product.store):
                    found[part, one.day.year] = found.get((part, one.day.year), 0) + 1
        return tuple({float(one) for one in found.values()})

    @cached_property
    def spent(self) -> tuple[float, ...]:
        found = list(statistics_in_money(self._subject))
        found += [one.price for one in self._subject.ordered.values() if one.price is not None]
        by: dict[object, float] = {}
        for one in self.history.orders if self.history is not None else ():
            if one.product is not None and one.product.price is not None:
                cost = one.product.price * one.order.quantity
                year = one.day.year
                for part in (
                    year,
                    (year, one.day.month),
                    one.product.product_id,
                    one.product.store,
                    one.product.category,
                    (one.product.category, year),
                ):
                    by[part] = by.get(part, 0.0) + cost
        return tuple(dict.fromkeys([*found, *by.values()]))

    @cached_property
    def of_reader(self) -> tuple[float, ...]:
        """The numbers of an address and a telephone."""
        user = self._subject.user
        return (
            () if user is None else tuple(value for value, _ in numbers_in(str(user.document()), _RECORDED))
        )

    # The question.

    @cached_property
    def limits(self) -> tuple[float, ...]:
        query = self._subject.query or ""
        asked = self._subject.demands
        found = [one.value for one in every_amount(query)] + limits_without_sign(query)
        if asked is not None:
            some = (asked.total_max, asked.item_max, asked.month_max, asked.total_min)
            found += [one for one in some if one is not None]
        return tuple(dict.fromkeys(found))

    @cached_property
    def asked(self) -> tuple[float, ...]:
        return tuple(dict.fromkeys(value for value, _ in numbers_in(self._subject.query or "", _RECORDED)))


def _once(some: Iterable[Iterable[_T]]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys(value for one in some for value in one))


def numbers_in(text: str, most: int) -> Sequence[tuple[float, str]]:
    """The numbers of a text, each with the word behind it."""
    return _numbers(text)[:most]


@lru_cache(maxsize=1024)
def _numbers(text: str) -> tuple[tuple[float, str], ...]:
    found = [(number(match["n"]), _said(match)) for match in _NUMBER.finditer(text)]
    found += [(float(spoken(match["n"])), _said(match)) for match in _WORD.finditer(text)]
    return tuple(found)


def _said(match: re.Match[str]) -> str:
    return (match["u"] or "").casefold().rstrip("s")
