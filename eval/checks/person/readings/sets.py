"""The orders of one reader as sets, by everything that a report may name, that can be cut with each other."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from datetime import date
from functools import cached_property
from itertools import combinations, islice, pairwise

from drr.eval.checks.naming import folded_words
from drr.eval.checks.person.history import History
from drr.eval.checks.person.tallies import plain_name
from drr.wording.dates import When

Mask = int
"""A set of orders: the bit of each by its place in time."""
Table = dict[str, Mask]
_TITLE_ENDS = re.compile(r",|\(|\s[-–—|]\s|\s(?:for|with|by|in|to|of)\s")
_DIGITS = re.compile(r"(?<![\d.])\d{1,4}(?![\d.]*\d)")
_HEAD = 3
"""Words at the end of a title's first part that say what a thing is."""
NO_NOUNS = frozenset(
    folded_words(
        "the a an and with for of in to by from on at or this its set sets pack packs count piece pieces inch inches foot feet pair pairs size color black white one two three four five six "
        "order orders purchase purchases item items product products supplies home year month all each new more time times you your they them have had has it is are was were"
    )
)
"""Words of titles by which no kind of thing is told."""


_PAIRED = 60


class OrderSets:
    """Sets of orders by product, maker, words, categories, time, price and state."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.orders = sorted(history.orders, key=lambda one: one.order.order_date)
        self.all: Mask = (1 << len(self.orders)) - 1
        self.days = [one.day for one in self.orders]
        self._then: dict[tuple[int, int | None, int | None], Mask] = {}
        self._ids: Table = {}
        self.title: Table = {}
        """By words, as those of categories and of both."""
        self._path: Table = {}
        self._shelf: Table = {}
        self._root: Table = {}
        self.store: Table = {}
        self.category: Table = {}
        self._leaf: Table = {}
        self._leaf_of: list[str] = []
        self._state: Table = {}
        self.roots: set[str] = set()
        """Categories that are in no other."""
        self._ends: Table = {}
        self.heads: set[str] = set()
        """Words that say what a thing is: the last ones of its title's first part, and those of its categories."""
        self.priced: Mask = 0
        for at, one in enumerate(self.orders):
            bit = 1 << at
            _add(self._ids, one.order.product_id, bit)
            _add(self._state, one.order.order_status.casefold(), bit)
            product = one.product
            self._leaf_of.append(product.categories[-1] if product and product.categories else "")
            if product is None:
                continue
            if product.price is not None:
                self.priced |= bit
            for word in set(folded_words(product.title)):
                _add(self.title, word, bit)
            _add(self.store, product.store or "", bit)
            shelves = " ".join([*product.categories, (product.category or "").replace("_", " ")])
            for word in set(folded_words(f"{product.title} {shelves}")):
                _add(self._path, word, bit)
            for word in set(folded_words(shelves)):
                _add(self._shelf, word, bit)
            for word in set(folded_words((product.category or "").replace("_", " "))):
                _add(self._root, word, bit)
            self.heads.update(folded_words(shelves))
            named = folded_words(_TITLE_ENDS.split(product.title, maxsplit=1)[0])
            self.heads.update(named[-_HEAD:])
            for word in {*named[-1:], *folded_words(self._leaf_of[-1])[-1:]}:
                _add(self._ends, word, bit)
            self.roots |= {plain_name(one) for one in (product.category or "", *product.categories[:1])}
            for name in {product.category or "", *product.categories}:
                _add(self.category, plain_name(name), bit)
            _add(self._leaf, self._leaf_of[-1], bit)
        self.category.pop("", None)
        self._more = [
            (at, one.order.quantity - 1) for at, one in enumerate(self.orders) if one.order.quantity > 1
        ]

    def of_ids(self, ids: Iterable[str]) -> Mask:
        found = 0
        for one in ids:
            found |= self._ids.get(one, 0)
        return found

    def of_words(self, said: Collection[str]) -> Mask:
        """Orders whose titles and categories have all of some words."""
        return self._having(said, self._path)

    def _having(self, said: Collection[str], table: Table) -> Mask:
        found = self.all
        for one in said:
            found &= table.get(one, 0)
        return found if said else 0

    @property
    def words(self) -> Iterable[str]:
        """Of the titles and categories of everything that was ordered."""
        return self._path

    def on_shelves(self, said: Collection[str]) -> Mask:
        """Orders whose categories have them."""
        return self._having(said, self._shelf)

    def on_roots(self, said: Collection[str]) -> Mask:
        """Orders whose widest category has them."""
        return self._having(said, self._root)

    def ending(self, word: str) -> Mask:
        """Orders of which it is the last word of a title's first part, or of the narrowest category."""
        return self._ends.get(word, 0)

    def called(self, said: tuple[str, ...]) -> Mask:
        """Orders whose titles' first parts end with some words."""
        return sum(1 << at for at, (first, _) in enumerate(self._titles) if first[-len(said) :] == said)

    def phrased(self, said: tuple[str, ...]) -> Mask:
        """Orders whose titles have them one after the other."""
        told = f" {' '.join(said)} "
        return sum(1 << at for at, (_, whole) in enumerate(self._titles) if told in whole)

    @cached_property
    def _titles(self) -> list[tuple[tuple[str, ...], str]]:
        """The words of each title's first part, and all of them."""
        titles = (one.product.title if one.product is not None else "" for one in self.orders)
        return [
            (tuple(folded_words(_TITLE_ENDS.split(one, maxsplit=1)[0])), f" {' '.join(folded_words(one))} ")
            for one in titles
        ]

    def in_titles(self, said: Collection[str]) -> Mask:
        return self._having(said, self.title)

    def with_leaves(self, mask: Mask) -> Mask:
        """All orders of the narrowest categories that some orders are of."""
        found = mask
        for leaf in {self._leaf_of[at] for at in _places(mask)}:
            found |= self._leaf.get(leaf, 0)
        return found

    def alike(self, mask: Mask) -> Mask:
        """All orders whose titles have the words that the titles of some orders have in common."""
        common: frozenset[str] | None = None
        for at in _places(mask):
            product = self.orders[at].product
            if product is not None:
                said = frozenset(folded_words(product.title))
                common = said if common is None else common & said
        return mask | self.in_titles((common or frozenset()) - NO_NOUNS)

    def of_maker(self, maker: str) -> Mask:
        return self.of_ids({one.order.product_id for one in self.history.of_makers([maker])})

    def between(self, low: date, high: date) -> Mask:
        found = 0
        for at, day in enumerate(self.days):
            if low <= day <= high:
                found |= 1 << at
        return found

    def on(self, when: When) -> Mask:
        """The orders that were placed then."""
        key = when.year, when.month, when.day
        if key not in self._then:
            placed = (at for at, one in enumerate(self.orders) if when.covers(one.order.order_date))
            self._then[key] = sum(1 << at for at in placed)
        return self._then[key]

    def days_of(self, mask: Mask) -> list[date]:
        return [self.days[at] for at in _places(mask)]

    def days_told(self, mask: Mask) -> str:
        """As a finding says them."""
        return ", ".join(dict.fromkeys(day.isoformat() for day in self.days_of(mask)[:4]))

    def steps(self, mask: Mask) -> set[int]:
        """Days from each order to the next one."""
        return {(b - a).days for a, b in pairwise(self.days_of(mask))}

    def steps_to(self, when: When, mask: Mask) -> set[int]:
        """Days from the order before to one that was placed then."""
        days = self.days_of(mask)
        return {(b - a).days for a, b in pairwise(days) if when.covers(b.isoformat())}

    def gaps(self, mask: Mask) -> set[int]:
        """Days between any two orders; of many only from each to the next."""
        if mask.bit_count() > _PAIRED:
            return self.steps(mask)
        return {(b - a).days for a, b in combinations(self.days_of(mask), 2)}

    def after(self, when: When, mask: Mask) -> Mask:
        """Those that were placed later than all of a day, a month or a year."""
        told = f"{when.year:04d}-{when.month or 12:02d}-{when.day or 31:02d}"
        return sum(1 << at for at in _places(mask) if self.days[at].isoformat() > told)

    def of_state(self, state: str) -> Mask:
        return self._state.get(state.casefold(), 0)

    def orders_of(self, mask: Mask) -> set[int]:
        """Orders and pieces."""
        many = mask.bit_count()
        return {many, many + sum(more for at, more in self._more if mask >> at & 1)}

    def titled(self, masks: Iterable[Mask]) -> set[int]:
        """The numbers of the titles of some orders."""
        found = set[int]()
        for at in {place for mask in masks for place in islice(_places(mask), _PAIRED)}:
            product = self.orders[at].product
            found.update(int(one) for one in _DIGITS.findall(product.title if product is not None else ""))
        return found

    def sizes(self, mask: Mask) -> set[int]:
        """Orders, pieces and different things."""
        some = [self.orders[at].order for at in _places(mask)]
        return {len(some), sum(one.quantity for one in some), len({one.product_id for one in some})}


def _add(table: Table, key: str, bit: Mask) -> None:
    table[key] = table.get(key, 0) | bit


def _places(mask: Mask) -> Iterator[int]:
    at = 0
    while mask:
        low = (mask & -mask).bit_length()
        at += low
        yield at - 1
        mask >>= low
