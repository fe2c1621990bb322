"""The products of a shop by category, as questions are drawn from them: titles, details, spare parts and demands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from math import comb, floor
from random import Random
from typing import Literal, NamedTuple

from drr.env.checkable import (
    PART,
    Checkable,
    Constraint,
    ConstraintKind,
    Distractors,
    brands,
    detail,
    in_category,
    meets_constraint,
)
from drr.env.entities import Product
from drr.env.shop import Shop
from drr.env.text import category_key

_MAKERS = ("Brand", "Manufacturer")
"""Details that a demand for a brand uses; a further demand on them could contradict it."""


class Shelves:
    """The products of a shop by category, read once and without long texts, which no constraint uses."""

    def __init__(self, shop: Shop, *, plain: bool = False) -> None:
        self._plain = plain
        self.products: dict[str, Product] = {}
        self._by_step: dict[str, list[Product]] = {}
        self._of: dict[tuple[str, ...], list[Product]] = {}
        self._stated: dict[str, list[tuple[str, str]]] = {}
        self._tables: dict[tuple[str, ...], KindTable] = {}
        for product in shop.store.iter_products():
            short = product.model_copy(update={"features": [], "description": []})
            self.products[product.product_id] = short
            for step in {category_key(step) for step in product.categories}:
                self._by_step.setdefault(step, []).append(short)

    def stated(self, product: Product) -> list[tuple[str, str]]:
        """Return all details of a product that a question can state, as (name, value)."""
        if product.product_id not in self._stated:
            pairs = [(name, detail(product, name)) for name in product.details if name not in _MAKERS]
            self._stated[product.product_id] = [
                (name, value)
                for name, value in pairs
                if value and len(value) < 40 and '"' not in name + value
            ]
        return self._stated[product.product_id]

    @cached_property
    def makers(self) -> frozenset[str]:
        """Return the stores that make what they sell: the details of most of their goods name no other brand."""
        of_two = Counter(p.store for p in self.products.values() if p.store and len(brands(p)) > 1)
        every = Counter(p.store for p in self.products.values() if p.store)
        return frozenset(store for store, count in every.items() if 2 * of_two[store] < count)

    @cached_property
    def titles(self) -> Counter[str]:
        return Counter(product.title for product in self.products.values())

    @cached_property
    def common(self) -> frozenset[str]:
        """Names of details that a quarter of all products have."""
        times = Counter(name for product in self.products.values() for name in product.details)
        return frozenset(name for name, count in times.items() if 4 * count >= len(self.products))

    @cached_property
    def parts(self) -> Mapping[str, str]:
        """Return the kind of each spare part that a detail names, where only titles of one kind contain its name."""
        named = {detail(product, PART) for product in self.products.values()}
        kinds: dict[str, set[str]] = {}
        for product in self.products.values():
            for name in named.intersection(product.title.split()):
                kinds.setdefault(str(name), set()).update(product.categories[-1:])
        return {name: found.pop() for name, found in kinds.items() if len(found) == 1}

    def of(self, category: Sequence[str]) -> Sequence[Product]:
        """Return all products of a category, by product id."""
        if not category:
            return list(self.products.values())
        steps = tuple(category)
        if steps not in self._of:
            found = self._by_step.get(category_key(category[-1]), [])
            self._of[steps] = [product for product in found if in_category(product, category)]
        return self._of[steps]

    def cheapest(self, truth: Checkable) -> float | None:
        """Return the sum of the cheapest right picks; `None` where too few prices are known."""
        total = 0.0
        for need in truth.needs:
            if need.refusal is None:
                found = [self.products.get(one) for one in need.products]
                known = sorted(p.price for p in found if p and p.price is not None)
                if len(known) < need.picks:
                    return None
                total += sum(known[: need.picks]) * (need.quantity or 1)
        return round(total, 2)

    def least_budget(self, truth: Checkable) -> float:
        """Return the smallest budget that reveals no refusal. It pays the cheapest picks, and likely prices for refused needs."""
        total, limits = self.cheapest(truth) or 0.0, [0.0]
        for need in truth.needs:
            own = [
                float(one.value or 0) for one in need.constraints if one.kind in ("price_max", "price_min")
            ]
            limits += own
            if need.refusal is not None:
                prices = sorted(p.price for p in self.of(need.category[:1]) if p.price)
                total += max(need.picks * max(own, default=0.0), sum(prices[: need.picks]))
        return max(total, *limits)

    def table(self, category: Sequence[str]) -> KindTable:
        """Return the products of a category as a table of bits."""
        steps = tuple(category)
        if steps not in self._tables:
            products = self.of(steps)
            stated = Counter(pair for p in products for pair in self.stated(p))
            if self._plain:  # what nearly all state; of measures the first, by which such a product is sold
                names = Counter(name for p in products for name, _ in self.stated(p))
                first = next(iter(names), "")
                for name, value in list(stated):
                    if 5 * names[name] < 4 * len(products) or (name != first and value[0].isdigit()):
                        del stated[name, value]
            self._tables[steps] = KindTable(products, stated, self._plain)
        return self._tables[steps]


class FittingBits(NamedTuple):
    """A demand on the products of one kind, with a bit for each product that fits or may fit."""

    demand: Constraint
    fit: int
    unknown: int = 0


class KindTable:
    """The products of one kind as bits, and every demand that their values allow."""

    def __init__(
        self, products: Sequence[Product], stated: Mapping[tuple[str, str], int], plain: bool = False
    ) -> None:
        self.products, self._stated, self._plain = products, stated, plain
        self.all = (1 << len(products)) - 1
        self.places = {product.product_id: 1 << place for place, product in enumerate(products)}
        self.free = self.bits(p.price == 0 for p in products)
        self.unpriced = self.bits(p.price is None for p in products)
        self.unmade = self.bits(not (p.store and p.details.get("Brand")) for p in products)
        self._of_two = self.bits(len(brands(p)) > 1 for p in products)
        self._known: dict[tuple[object, ...], FittingBits] = {}
        self._drawn: dict[ConstraintKind, list[FittingBits]] = {}

    def bits(self, marks: Iterable[bool]) -> int:
        return sum(mark << place for place, mark in enumerate(marks))

    def members(self, bits: int) -> list[Product]:
        return [product for place, product in enumerate(self.products) if bits >> place & 1]

    def fitting(self, demand: Constraint) -> FittingBits:
        """Return which products fit a demand. Demands on a user's orders are not supported."""
        key = (demand.kind, demand.name, demand.value)
        if key not in self._known:
            found = [meets_constraint(product, demand, ()) for product in self.products]
            marks = (self.bits(one is True for one in found), self.bits(one is None for one in found))
            self._known[key] = FittingBits(demand, *marks)
        return self._known[key]

    def demands(self, kind: ConstraintKind) -> list[FittingBits]:
        """Return the demands of a kind that the values allow, in the order of values. At least two products meet a limit, but not all."""
        if kind not in self._drawn:
            self._drawn[kind] = [self.fitting(one) for one in self._demands(kind)]
        return self._drawn[kind]

    def _demands(self, kind: ConstraintKind) -> list[Constraint]:
        if kind in ("price_max", "price_min"):
            return self._limits(kind)
        if kind == "attribute":
            pairs = sorted((n, pair) for pair, n in self._stated.items() if 1 < n < len(self.products))
            return [
                Constraint(kind=kind, name=name, value=value)
                for _, (name, value) in pairs
                if self._differs(name) and not (self._plain and self._is_only_titled(name, value))
            ]
        if kind in ("brand_is", "brand_not"):
            times = Counter(p.store for p in self.products if p.store and '"' not in p.store)
            named = sorted(times, key=lambda store: (times[store], store))
            return [Constraint(kind=kind, value=store) for store in named] if len(named) > 1 else []
        if kind == "rating_min":
            found = [p.average_rating for p in self.products if p.average_rating != 5]
        else:
            found = [p.rating_number for p in self.products]
        known = sorted(value for value in found if value is not None)
        if self._plain:  # limits that people set
            rounds = [one for gap in pairwise(known) if (one := rounded(*gap)) % 10 == 0]
            known = rounds if kind == "ratings_min" else [one for one in known if one >= 4]
        return [
            Constraint(kind=kind, value=float(one)) for one in sorted({v for v in known[:-1] if v > known[0]})
        ]

    def _differs(self, name: str) -> bool:
        """Tell whether a detail has at least two values and one spelling of its name."""
        spelled = {key for p in self.products for key in p.details if key.casefold() == name.casefold()}
        values = {value.casefold() for p in self.products if (value := detail(p, name))}
        return spelled == {name} and len(values) > 1

    def _is_only_titled(self, name: str, value: str) -> bool:
        """Tell whether a title has the value, of which that product's details say nothing."""
        silent = (p.title.casefold() for p in self.products if detail(p, name) is None)
        return any(value.casefold() in title for title in silent)

    def _limits(self, kind: ConstraintKind) -> list[Constraint]:
        known = sorted(p.price for p in self.products if p.price)
        gaps = [
            (low, high)
            for below, (low, high) in enumerate(pairwise(known), 1)
            if low < high and (below if kind == "price_max" else len(known) - below) > 1
        ]
        within = [Random(f"{kind}:{low}:{high}").uniform(0.05, 0.95) for low, high in gaps]
        limits = [low + part * (high - low) for part, (low, high) in zip(within, gaps, strict=True)]
        return [Constraint(kind=kind, value=round(limit, 2)) for limit in limits]

    def right(self, asked: Sequence[FittingBits], best: Literal["cheapest", "best_rated"] | None) -> int:
        """Return the bits of the products that meet all demands, or the best of them, including ties."""
        found = self.all
        for one in asked:
            found &= one.fit
        if best is None or not found:
            return found
        values = [p.price if best == "cheapest" else p.average_rating for p in self.products]
        known = {place: v for place, v in enumerate(values) if v is not None and found >> place & 1}
        first = (min if best == "cheapest" else max)(known.values(), default=None)
        return sum(1 << place for place, value in known.items() if value == first)

    def idles(self, asked: Sequence[FittingBits], best: Literal["cheapest", "best_rated"] | None) -> bool:
        """Tell whether leaving out one of the demands gives the same right products."""
        if best and self.right(asked, None).bit_count() == 1:
            return True
        right = self.right(asked, best)
        return any(
            self.right([one for one in asked if (one.demand.kind, one.demand.name) != named], best) == right
            for named in {(one.demand.kind, one.demand.name) for one in asked}
        )

    def open_to_makers(self, asked: Sequence[FittingBits]) -> bool:
        """Tell whether an unknown maker leaves open whether a product is right."""
        makers = [one for one in asked if one.demand.kind in ("brand_is", "brand_not")]
        surely = self.right(makers, None) if all(one.demand.kind == "brand_is" for one in makers) else 0
        others = self.right([one for one in asked if one not in makers], None)
        return bool(makers) and bool(others & self.unmade & ~surely)

    def hidden(self, asked: Sequence[FittingBits]) -> Distractors:
        """Count the misleading products, as `distractors` does."""
        once = twice = 0
        unruled = self.all
        for one in asked:
            twice |= once & ~one.fit
            once |= self.all & ~one.fit
            unruled &= one.fit | one.unknown
        return Distractors(
            near=(once & ~twice).bit_count(),
            conflicts=(self._of_two & ~twice).bit_count(),
            unknown=(unruled & once).bit_count(),
        )


def rounded(low: float, high: float) -> float:
    """Return the roundest amount between two prices, as a shopper would name it; `low` where none is round."""
    steps = (step * (floor(low / step) + 1) for step in (50.0, 10.0, 5.0, 1.0, 0.5, 0.1))
    return next((round(found, 2) for found in steps if found < high), low)


def by_chance(right: int, picks: int, kind: int) -> float:
    """Return the chance that `picks` random picks among all products of a kind are all right."""
    return comb(right, picks) / comb(kind, picks) if kind >= picks else 0.0
