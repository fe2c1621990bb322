"""Draws the figures that checkable questions ask for, with their truth, words and plan."""

from __future__ import annotations

from collections.abc import Sequence

from drr.env.checkable import (
    PART,
    ExpectedFact,
    FigureKind,
    OrderAnchor,
    PlanStep,
    detail,
    total_of,
)
from drr.env.entities import Order
from drr.querygen.drawing import DrawnPoint, PointSource
from drr.wording.dates import day_words


class FactDraw:
    """A drawer of figures from one user's records and from the web."""

    def __init__(self, asker: PointSource) -> None:
        self.of, self.rng, self.store = asker, asker.rng, asker.store

    def part(self) -> DrawnPoint | None:
        """Draw a point that asks for a figure; `None` where the draw fails."""
        draws = [self._of_day, self._of_day, self._of_title, self._total_of_orders, self._spend, self._cell]
        return self.rng.choice([*draws, self._cell_of_part] if self.of.shelves.parts else draws)()

    def _part(
        self,
        kind: FigureKind,
        value: float | str | None,
        subjects: Sequence[str],
        sources: Sequence[str],
        plan: Sequence[PlanStep],
        anchor: OrderAnchor | None = None,
        /,
        **words: str,
    ) -> DrawnPoint | None:
        if not value:
            return None
        fact = ExpectedFact(
            kind=kind, subjects=list(subjects), value=value, sources=list(sources), anchor=anchor
        )
        text = self.of.worded(self.of.words["facts"]["part" if anchor else kind], **words)
        return DrawnPoint(text, plan, fact)

    def _addresses(self, orders: Sequence[Order]) -> list[str]:
        return [f"user://{self.of.user_id}/orders/{order.order_id}" for order in orders]

    def _of_day(self) -> DrawnPoint | None:
        """Ask for the price or rating of the product in one day's order, or for the order's total."""
        if not self.of.dated:
            return None
        order = self.rng.choice(self.of.dated)
        product = self.of.shelves.products.get(order.product_id)
        if product is None:
            return None
        day, kind = day_words(order.order_date), self.rng.choice(("price", "rating", "order_total"))
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
        """Ask for a figure of a product that the user bought and whose title is unique."""
        order = self.rng.choice(self.of.orders) if self.of.orders else None
        product = order and self.of.shelves.products.get(order.product_id)
        if not (order and product and self.of.named(product)):
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

    def _total_of_orders(self) -> DrawnPoint | None:
        count = self.rng.randint(2, 4)
        latest, rest = self.of.orders[:count], self.of.orders[count:]
        total = total_of(latest, self.store)
        if (
            total is None
            or len(latest) < count
            or (rest and rest[0].order_date[:10] == latest[-1].order_date[:10])
        ):
            return None
        prices = [(order.quantity, self.of.shelves.products[order.product_id].price or 0) for order in latest]
        steps, ids = [PlanStep(tool="get_user_orders"), _calculator(prices)], [one.order_id for one in latest]
        number = self.of.words["numbers"][count]
        return self._part("orders_sum", total, ids, self._addresses(latest), steps, count=number)

    def _spend(self) -> DrawnPoint | None:
        statistics = self.store.statistics(self.of.user_id)
        if statistics is None or not statistics.by_year:
            return None
        year, address = self.rng.choice(statistics.by_year), f"user://{self.of.user_id}/statistics"
        bought = [one.product_id for one in self.of.orders if one.order_date.startswith(year.name)]
        products = self.of.shelves.products
        if any(one not in products or products[one].price is None for one in bought):
            return None
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

    def _cell_of_part(self) -> DrawnPoint | None:
        """Ask for a page's figure on the kind of spare part that an order's product names."""
        order = self.rng.choice(self.of.dated) if self.of.dated else None
        product = order and self.of.shelves.products.get(order.product_id)
        part = product and detail(product, PART)
        rows = [cell for cell in self.of.cells if part and cell.row == self.of.shelves.parts.get(part)]
        if not (order and product and part and rows):
            return None
        cell = self.rng.choice(rows)
        words, url = {"title": cell.page.title, "column": cell.column}, cell.page.url
        steps = [
            PlanStep(tool="get_user_orders"),
            PlanStep(tool="get_product_details", arguments={"product_id": product.product_id}),
            PlanStep(tool="product_catalog_search", arguments={"query": part, "limit": 5}),
            PlanStep(tool="web_search", arguments={"query": " ".join([*words.values(), cell.row])[:400]}),
        ]
        subjects, anchor = [url, cell.row, cell.column], OrderAnchor(order_id=order.order_id, gives=[])
        return self._part(
            "page", cell.value, subjects, [url], steps, anchor, day=day_words(order.order_date), **words
        )


def _calculator(prices: Sequence[tuple[int, float]]) -> PlanStep:
    terms = [f"{quantity} * {price:.2f}" for quantity, price in prices]
    return PlanStep(tool="calculator", arguments={"expression": " + ".join(terms)})
