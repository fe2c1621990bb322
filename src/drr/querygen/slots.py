"""Records of checkable questions, slot by slot, and a shop's lists to name them from. `words_slots.md` explains the slots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from random import Random

from drr.env.checkable import Checkable, ExpectedFact, ShoppingNeed, parse_figure
from drr.env.query import Query
from drr.env.text import category_key
from drr.env.web.open import sandbox_of
from drr.env.web.sandbox import Document
from drr.querygen.checkable import shown
from drr.querygen.composing import QuestionMaker
from drr.querygen.drawing import cells
from pydantic import BaseModel, ConfigDict

_KINDS, _DETAILS, _PAGES = 80, 40, 3
"""The largest numbers of kinds, of details of a kind, and of pages that nobody asks about, on the lists."""
_LIMITS = {
    "price_max": "price of each at most",
    "rating_min": "stars at least",
    "ratings_min": "ratings at least",
    "brand_is": "maker",
    "brand_not": "not maker",
}


class SlotRecord(BaseModel):
    model_config = ConfigDict(extra="forbid")

    products: list[list[str]]
    figures: list[list[str]]
    budget: str

    def points(self, kinds: Mapping[str, str]) -> list[list[str]]:
        """Return the slots of each point, sorted and spelled alike, for comparison. `kinds` are those of the orders, by number: a kind may be named or meant by its order."""
        products = [[_named(slot, kinds) for slot in part] for part in self.products]
        parts = [*products, [f"figures: {len(self.figures)}"], *self.figures, [f"budget: {self.budget}"]]
        return [sorted(map(_alike, part)) for part in parts]

    def numbered(self) -> Iterator[str]:
        """Yield the lines of the record, its slots numbered from 1."""
        number = count(1)
        for what, points in (("product", self.products), ("figure", self.figures)):
            for place, point in enumerate(points, 1):
                yield f"{what} {place}:"
                yield from (f"  {next(number)}. {slot}" for slot in point)
        if self.budget:
            yield f"  {next(number)}. budget for all products together, every piece counted: {self.budget}"


def _alike(slot: str) -> str:
    name, _, value = slot.partition(":")
    number = parse_figure(value)
    return f"{name}: {category_key(value.strip()) if number is None else f'{number:g}'}"


def _named(slot: str, kinds: Mapping[str, str]) -> str:
    name, _, order = slot.partition(":")
    kind = kinds.get(order.strip()) if name == "kind of order" else None
    return f"kind: {kind}" if kind else slot


@dataclass(frozen=True)
class ShopLists:
    """The records of a maker's questions, and the lists of its shop."""

    maker: QuestionMaker

    def record(self, query: Query) -> SlotRecord:
        truth, orders = query.checkable or Checkable(), self.maker.checker.orders(query.user_id)
        places = {one.product_id: number for number, one in reversed([*enumerate(orders, 1)])}
        places |= {one.order_id: number for number, one in enumerate(orders, 1)}
        return SlotRecord(
            products=[list(_of_need(need, places)) for need in truth.needs],
            figures=[list(self._of_fact(fact, places)) for fact in truth.facts],
            budget="" if truth.budget is None else f"{truth.budget:g}",
        )

    def _of_fact(self, fact: ExpectedFact, places: Mapping[str, int]) -> Iterator[str]:
        yield f"figure: {fact.kind}"
        if fact.kind == "spend_year":
            yield f"year: {fact.subjects[0]}"
        elif fact.kind == "page":
            yield f"page: {self._pages[fact.subjects[0]].title}"
            yield f"row: {fact.subjects[1]}"
            yield f"column: {fact.subjects[2]}"
        else:
            yield f"order: {places.get(fact.subjects[0])}"

    @cached_property
    def _pages(self) -> dict[str, Document]:
        box = sandbox_of(self.maker.web)
        return {page.url: page for page in (box.documents if box else ()) if [*cells(page)]}

    def kinds_of_orders(self, user_id: str) -> dict[str, str]:
        """Return the kind of what each order was for, by the order's number."""
        products = self.maker.checker.shelves.products
        bought = (
            (n, products.get(o.product_id)) for n, o in enumerate(self.maker.checker.orders(user_id), 1)
        )
        return {str(number): product.categories[-1] for number, product in bought if product}

    def orders(self, user_id: str) -> Iterator[str]:
        yield "The shopper's orders:"
        for number, one in enumerate(self.maker.checker.orders(user_id), 1):
            product = self.maker.checker.shelves.products.get(one.product_id)
            bought = f"{product.categories[-1]}: {product.title[:90]}" if product else "no longer sold"
            yield f"  {number}. {one.order_date[:10]}: {one.quantity} x {bought}"

    def lists(self, queries: Sequence[Query]) -> Iterator[str]:
        """Yield the lists of kinds, details and pages: those of these questions among others."""
        rng, maker = Random(queries[0].id), self.maker
        truths = [query.checkable for query in queries if query.checkable]
        needs = [(tuple(need.category), need) for truth in truths for need in truth.needs]
        own = dict.fromkeys(kind for kind, _ in needs)
        every = dict.fromkeys([*maker.kinds, *(one.category for one in maker.absent)])
        rest = rng.sample(rest := [one for one in every if one not in own], len(rest))
        yield "\n".join(["Kinds:", *sorted(f"- {kind[-1]}" for kind in [*own, *rest[: _KINDS - len(own)]])])
        yield "Details by kind:"
        lenders = {one.category: one.lender for one in maker.absent}
        for kind in sorted([*own, *rest[: len(own)]]):
            asked = [one for steps, need in needs if steps == kind for one in need.constraints]
            known = [
                one.demand
                for one in maker.checker.shelves.table(lenders.get(kind, kind)).demands("attribute")
            ]
            known = [*rng.sample(known, min(len(known), _DETAILS)), *asked]
            stated = {f"{one.name}: {one.value}" for one in known if one.kind == "attribute"}
            yield f"- {kind[-1]}: {'; '.join(sorted(stated))}"
        urls = {fact.subjects[0] for truth in truths for fact in truth.facts if fact.kind == "page"}
        hosts = {url.split("/")[2] for url in urls}  # where older editions stand as well
        others = sorted(self._pages.keys() - urls)
        near = [url for url in others if url.split("/")[2] in hosts]
        chosen = {*urls, *near, *rng.sample(others, min(len(others), _PAGES))} if urls else ()
        for page in map(self._pages.__getitem__, sorted(chosen)):
            rows, columns = (
                "; ".join(dict.fromkeys(n))
                for n in zip(*((c.row, c.column) for c in cells(page)), strict=True)
            )
            yield f"Page: {page.title}. Columns: {columns}. Rows: {rows}"


def _of_need(need: ShoppingNeed, places: Mapping[str, int]) -> Iterator[str]:
    """Yield the slots of a need; `places` numbers the shopper's orders."""
    given = need.anchor.gives if need.anchor else []
    order = places[need.anchor.order_id] if need.anchor else 0
    yield f"kind of order: {order}" if "category" in given else f"kind: {need.category[-1]}"
    if need.picks > 1:
        yield f"different products: {need.picks}"
    if need.quantity:
        yield f"pieces of each: {need.quantity}"
    if need.best:
        yield f"choose: {need.best}"
    if "brand_not" in given:
        yield f"not the makers of order: {order}"
    for one in need.constraints:
        if one.kind in given and one.kind != "brand_not":
            yield (
                f"cheaper than order: {order}"
                if one.kind == "price_max"
                else f"same detail as order: {order} {one.name}"
            )
        elif one.kind == "attribute":
            yield f"exact detail: {one.name}: {one.value}"
        elif one.kind in ("owned", "not_owned"):
            yield f"history: {one.kind}"
        elif one.kind not in given:
            yield f"{_LIMITS[one.kind]}: {shown(one).lstrip('$')}"
