"""Points of checkable questions: needs and figures, each with its truth, words and plan."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from random import Random
from typing import Any, NamedTuple

from drr.env.checkable import (
    Constraint,
    ConstraintKind,
    ExpectedFact,
    FigureKind,
    OrderAnchor,
    PlanStep,
    ShoppingNeed,
    Why,
    brands,
    detail,
    figure_in,
    satisfying,
    total_of,
)
from drr.env.entities import Order, Product
from drr.env.shop import Store
from drr.env.web.sandbox import Document
from drr.querygen.checkable import Shelves, shown

MOST_RIGHT = 12
"""Most products that may satisfy a need."""


class PageFigure(NamedTuple):
    """One figure of a table on a web page."""

    page: Document
    row: str
    column: str
    value: float


class DrawnPoint(NamedTuple):
    """One point of a question in words, and the calls that answer it."""

    text: str
    plan: Sequence[PlanStep]
    truth: ShoppingNeed | ExpectedFact


def cells(page: Document) -> Iterator[PageFigure]:
    """Every cell of a page's Markdown tables that begins with a number and holds no other."""
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in page.text.splitlines()
        if line.startswith("|") and set(line) - set("|-: ")
    ]
    for row in rows[1:]:
        for column, cell in zip(rows[0][1:], row[1:], strict=False):
            found = re.fullmatch(r"(\d[\d,]*(?:\.\d+)?)(?: [^\d]*)?", cell)
            if found and (value := figure_in(found[1])) is not None:
                yield PageFigure(page, row[0], column, value)


@dataclass(frozen=True)
class PointSource:
    """One user with the shop around, and the random draws of one question."""

    rng: Random
    words: Mapping[str, Any]
    user_id: str
    orders: Sequence[Order]
    shelves: Shelves
    store: Store
    kinds: Sequence[tuple[str, ...]]
    cells: Sequence[PageFigure]

    @cached_property
    def dated(self) -> list[Order]:
        """Orders that are the only ones of their day."""
        days = [order.order_date[:10] for order in self.orders]
        return [order for order in self.orders if days.count(order.order_date[:10]) == 1]

    @cached_property
    def owned(self) -> frozenset[str]:
        return frozenset(order.product_id for order in self.orders)


class NeedDraw:
    """Draws things to be found."""

    def __init__(self, asker: PointSource) -> None:
        self.of, self.rng, self.words = asker, asker.rng, asker.words

    def part(self, refusal: Why | None) -> DrawnPoint | None:
        """Draw a need that is met, or one to be refused so; `None` where the draw gives none."""
        rng = self.rng
        if refusal == "not_sold":
            return self._not_sold()
        anchor = rng.choice(self.of.dated) if rng.random() < 0.32 and self.of.dated else None
        product = None if anchor is None else self.of.shelves.products.get(anchor.product_id)
        end = rng.choice(self.of.kinds) if product is None else tuple(product.categories[-2:])
        if end not in self.of.kinds:
            return None
        shelf = self.of.shelves.of(end)
        constraints, given = self._demands(shelf), list[str](["category"] if product else [])
        if product is not None and rng.random() < 0.7:
            constraints, given = self._by_order(product, constraints, given)
        best = rng.choice(("cheapest", "best_rated")) if rng.random() < 0.25 else None
        need = ShoppingNeed(category=list(end), constraints=constraints, best=best)
        right = satisfying(need, shelf, self.of.owned)
        if len(right) > (1 if best else MOST_RIGHT) or bool(right) == bool(refusal) or (refusal and best):
            return None
        picks = 1 if best or not right else rng.randint(1, min(3, len(right)))
        anchored = {"order_id": anchor.order_id, "gives": given} if anchor and product else None
        truth = need.model_copy(
            update={
                "picks": picks,
                "products": [p.product_id for p in right],
                "refusal": refusal,
                "anchor": OrderAnchor.model_validate(anchored) if anchored else None,
            }
        )
        return DrawnPoint(self._need_text(truth, anchor), self._need_plan(truth, right, product), truth)

    def _not_sold(self) -> DrawnPoint | None:
        category = self.rng.choice(self.words["absent"])
        if self.of.shelves.of(category):
            return None
        demands = self._demands(self.of.shelves.of(self.rng.choice(self.of.kinds)), plain=True)
        truth = ShoppingNeed(
            category=category, constraints=demands, picks=self.rng.randint(1, 3), refusal="not_sold"
        )
        return DrawnPoint(self._need_text(truth, None), self._need_plan(truth, [], None), truth)

    def _by_order(
        self, product: Product, constraints: list[Constraint], given: list[str]
    ) -> tuple[list[Constraint], list[str]]:
        """Let the product of an order give a limit, or a brand to avoid, in the place of a value."""
        kind: ConstraintKind = self.rng.choice(("price_max", "brand_not"))
        rest = [one for one in constraints if not one.kind.startswith(kind[:5])]
        if kind == "price_max" and product.price is not None:
            return [Constraint(kind=kind, value=round(product.price - 0.01, 2)), *rest], [*given, kind]
        if kind == "brand_not" and brands(product):
            named = {product.store, product.details.get("Brand")}
            values = sorted(name for name in named if isinstance(name, str) and name)
            return [*(Constraint(kind=kind, value=value) for value in values), *rest], [*given, kind]
        return constraints, given

    def _demands(self, shelf: Sequence[Product], *, plain: bool = False) -> list[Constraint]:
        """Draw one to three constraints whose limits lie among the values of a shelf."""
        rng = self.rng
        drawn = {
            "price_max": self._price(shelf),
            "rating_min": self._least([p.average_rating for p in shelf], "rating_min"),
            "ratings_min": self._least([p.rating_number for p in shelf], "ratings_min"),
        }
        if not plain:
            drawn |= {
                "brand_not": self._brand(shelf),
                "attribute": self._attribute(shelf),
                "owned": self._history(shelf),
            }
        known = [one for one in drawn.values() if one is not None]
        return rng.sample(known, min(len(known), rng.randint(1, 3)))

    def _price(self, shelf: Sequence[Product]) -> Constraint | None:
        prices = sorted({p.price for p in shelf if p.price is not None})
        if len(prices) < 3:
            return None
        place = self.rng.randrange(len(prices) - 1)
        low, high = prices[place], prices[place + 1]
        if self.rng.random() < 0.15:
            low, high = 0.5 * prices[0], prices[0]
        value = round(low + self.rng.uniform(0.05, 0.95) * (high - low), 2)
        return Constraint(kind="price_max", value=value)

    def _least(self, values: Sequence[float | None], kind: ConstraintKind) -> Constraint | None:
        known = sorted({value for value in values if value is not None})
        return Constraint(kind=kind, value=float(self.rng.choice(known[1:]))) if len(known) > 2 else None

    def _brand(self, shelf: Sequence[Product]) -> Constraint | None:
        named = sorted({p.store for p in shelf if p.store and '"' not in p.store})
        return Constraint(kind="brand_not", value=self.rng.choice(named)) if len(named) > 1 else None

    def _attribute(self, shelf: Sequence[Product]) -> Constraint | None:
        """Draw a detail that some products share and others do not."""
        found: dict[tuple[str, str], int] = {}
        for product in shelf:
            for name in product.details:
                value = detail(product, name)
                if value and name != "Brand" and len(value) < 40 and '"' not in name + value:
                    found[name, value] = found.get((name, value), 0) + 1
        shared = sorted(pair for pair, times in found.items() if 1 < times < len(shelf))
        if not shared:
            return None
        name, value = self.rng.choice(shared)
        return Constraint(kind="attribute", name=name, value=value)

    def _history(self, shelf: Sequence[Product]) -> Constraint | None:
        here = self.of.owned.intersection(p.product_id for p in shelf)
        return Constraint(kind=self.rng.choice(("owned", "not_owned", "not_owned"))) if here else None

    def _need_text(self, need: ShoppingNeed, order: Order | None) -> str:
        rng, words = self.rng, self.words
        given = need.anchor.gives if need.anchor else []
        phrases, given_once = [], set[str]()
        for one in need.constraints:
            if one.kind not in given:
                text = rng.choice(words["demands"][one.kind])
                phrases.append(text.format(value=shown(one), name=one.name))
            elif one.kind not in given_once:
                given_once.add(one.kind)
                phrases.append(rng.choice(words["given"][one.kind]))
        if need.best is not None:
            phrases.append(rng.choice(words["best"][need.best]))
        text = rng.choice(words["needs"] if order is None else words["anchored"])
        return str(text).format(
            count=words["numbers"][need.picks],
            thing=words["things"][need.picks > 1],
            category=" > ".join(need.category),
            day=_day(order.order_date) if order else "",
            demands="".join(f", {phrase}" for phrase in phrases),
        )

    def _need_plan(
        self, need: ShoppingNeed, right: Sequence[Product], bought: Product | None
    ) -> list[PlanStep]:
        steps = []
        if bought is not None or any(one.kind in ("owned", "not_owned") for one in need.constraints):
            steps.append(PlanStep(tool="get_user_orders"))
        if bought is not None:
            steps.append(PlanStep(tool="get_product_details", arguments={"product_id": bought.product_id}))
        filters = {
            {"price_max": "max_price", "rating_min": "min_rating"}[one.kind]: one.value
            for one in need.constraints
            if one.kind in ("price_max", "rating_min")
        }
        asked = {
            "query": need.category[-1],
            "category": " > ".join(need.category),
            "match": "any",
            "limit": 50,
        }
        if need.refusal == "not_sold":
            asked = {"query": need.category[-1], "limit": 10}
        steps.append(PlanStep(tool="product_catalog_search", arguments={**asked, **filters}))
        if any(one.kind == "attribute" for one in need.constraints):
            chosen = sorted(right, key=lambda p: (p.price is None, p.price, p.product_id))[: need.picks]
            steps += [
                PlanStep(tool="get_product_details", arguments={"product_id": product.product_id})
                for product in chosen
            ]
        return steps


class FactDraw:
    """Draws figures to ask for, of one user's records and of the web."""

    def __init__(self, asker: PointSource) -> None:
        self.of, self.rng, self.store = asker, asker.rng, asker.store

    def part(self) -> DrawnPoint | None:
        """Draw a figure; `None` where the draw gives none."""
        draws = (self._of_day, self._of_day, self._of_title, self._sum, self._spend, self._cell)
        return self.rng.choice(draws)()

    def _part(
        self,
        kind: FigureKind,
        value: float | str | None,
        subjects: Sequence[str],
        sources: Sequence[str],
        plan: Sequence[PlanStep],
        **words: str,
    ) -> DrawnPoint | None:
        if value is None:
            return None
        fact = ExpectedFact(kind=kind, subjects=list(subjects), value=value, sources=list(sources))
        text = self.rng.choice(self.of.words["facts"][kind]).format(**words)
        return DrawnPoint(text, plan, fact)

    def _addresses(self, orders: Sequence[Order]) -> list[str]:
        return [f"user://{self.of.user_id}/orders/{order.order_id}" for order in orders]

    def _of_day(self) -> DrawnPoint | None:
        """Ask for price or rating of what one day's order holds, or for its total."""
        if not self.of.dated:
            return None
        order = self.rng.choice(self.of.dated)
        product = self.of.shelves.products.get(order.product_id)
        if product is None:
            return None
        day, kind = _day(order.order_date), self.rng.choice(("price", "rating", "order_total"))
        steps, own = [PlanStep(tool="get_user_orders")], [product.product_id]
        if kind == "price":
            return self._part("price", product.price, own, [product.product_url], steps, day=day)
        if kind == "rating":
            steps.append(PlanStep(tool="get_product_details", arguments={"product_id": own[0]}))
            return self._part("rating", product.average_rating, own, [product.product_url], steps, day=day)
        if order.quantity > 1:
            steps.append(_calculator([(order.quantity, product.price or 0)]))
        total = total_of([order], self.store)
        return self._part("order_total", total, [order.order_id], self._addresses([order]), steps, day=day)

    def _of_title(self) -> DrawnPoint | None:
        """Ask of a product that its title names, and no other's."""
        order = self.rng.choice(self.of.orders)
        product = self.of.shelves.products.get(order.product_id)
        if product is None or '"' in product.title or len(product.title) > 200:
            return None
        if sum(other.title == product.title for other in self.of.shelves.products.values()) > 1:
            return None
        title, times = product.title, sum(one.product_id == order.product_id for one in self.of.orders)
        if times == 1 and self.rng.random() < 0.5:
            steps, day = [PlanStep(tool="get_user_orders")], order.order_date[:10]
            return self._part(
                "order_date", day, [order.order_id], self._addresses([order]), steps, title=title
            )
        steps = [PlanStep(tool="product_catalog_search", arguments={"query": title, "limit": 5})]
        own, count = [product.product_id], product.rating_number
        return self._part("ratings", count, own, [product.product_url], steps, title=title)

    def _sum(self) -> DrawnPoint | None:
        count = self.rng.randint(2, 4)
        latest, rest = self.of.orders[:count], self.of.orders[count:]
        total = total_of(latest, self.store)
        if total is None or (rest and rest[0].order_date[:10] == latest[-1].order_date[:10]):
            return None
        prices = [(order.quantity, self.of.shelves.products[order.product_id].price or 0) for order in latest]
        steps, ids = [PlanStep(tool="get_user_orders"), _calculator(prices)], [one.order_id for one in latest]
        number = self.of.words["numbers"][count]
        return self._part("orders_sum", total, ids, self._addresses(latest), steps, count=number)

    def _spend(self) -> DrawnPoint | None:
        statistics = self.store.statistics(self.of.user_id)
        if statistics is None:
            return None
        year, address = self.rng.choice(statistics.by_year), f"user://{self.of.user_id}/statistics"
        steps = [PlanStep(tool="get_user_statistics")]
        return self._part("spend_year", year.spend, [year.name], [address], steps, year=year.name)

    def _cell(self) -> DrawnPoint | None:
        if not self.of.cells:
            return None
        cell = self.rng.choice(self.of.cells)
        words = {"title": cell.page.title, "row": cell.row, "column": cell.column}
        steps = [PlanStep(tool="web_search", arguments={"query": " ".join(words.values())[:400]})]
        url = cell.page.url
        return self._part("page", cell.value, [url, cell.row, cell.column], [url], steps, **words)


def _day(moment: str) -> str:
    day = date.fromisoformat(moment[:10])
    return f"{day:%B} {day.day}, {day.year}"


def _calculator(prices: Sequence[tuple[int, float]]) -> PlanStep:
    terms = [f"{quantity} * {price:.2f}" for quantity, price in prices]
    return PlanStep(tool="calculator", arguments={"expression": " + ".join(terms)})
