"""Needs of checkable questions, drawn with their truth, words and plan; and what all points are drawn from."""

from __future__ import annotations

import re
from collections import Counter
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
    OrderAnchor,
    PlanStep,
    ShoppingNeed,
    Why,
    figure_in,
    fits,
    satisfying,
)
from drr.env.entities import Order, Product
from drr.env.shop import Store
from drr.env.web.sandbox import Document
from drr.querygen.checkable import MOST_BY_CHANCE, by_chance, idle, shown
from drr.querygen.shelves import Shelves

MOST_RIGHT = 12
"""Most products that may satisfy a need."""


_FILTERS = {
    "price_max": "max_price",
    "price_min": "min_price",
    "rating_min": "min_rating",
    "brand_is": "brand",
}
"""Arguments of a search that take a constraint."""


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
    demands: Sequence[int] = (1, 2, 3)
    """Numbers of constraints that a need may have."""
    demand: ConstraintKind | None = None
    """The kind of constraint that a need shall have."""

    def worded(self, forms: Sequence[str], **words: object) -> str:
        """Draw a wording, and the words of its open places."""
        form = self.rng.choice(forms)
        places = {
            name: self.rng.choice(values)
            for name, values in self.words["places"].items()
            if f"{{{name}}}" in form
        }
        return form.format(**places, **words)

    @cached_property
    def dated(self) -> list[Order]:
        """Orders that are the only ones of their day."""
        days = [order.order_date[:10] for order in self.orders]
        return [order for order in self.orders if days.count(order.order_date[:10]) == 1]

    def named(self, product: Product) -> bool:
        """Tell whether a title can stand in a question, and is no other product's."""
        title = product.title
        return 0 < len(title) <= 200 and '"' not in title and self.shelves.titles[title] == 1

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
            constraints, given = self._by_order(product, shelf, constraints, given)
        best = rng.choice(("cheapest", "best_rated")) if rng.random() < 0.25 else None
        need = ShoppingNeed(category=list(end), constraints=constraints, best=best)
        need = need if product else self._without_one(need, shelf)
        right = satisfying(need, shelf, self.of.owned)
        if product in right or self._open_to_makers(need, shelf):
            return None
        if len(right) > (1 if best else MOST_RIGHT) or bool(right) == bool(refusal) or (refusal and best):
            return None
        most = min(3, len(right)) if right and not best else 1
        counts = [n for n in range(1, most + 1) if by_chance(len(right), n, len(shelf)) <= MOST_BY_CHANCE]
        if not counts or any(idle(need, shelf, self.of.owned)):
            return None
        anchored = {"order_id": anchor.order_id, "gives": given} if anchor and product else None
        truth = need.model_copy(
            update={
                "picks": rng.choice(counts),
                "products": [p.product_id for p in right],
                "refusal": refusal,
                "anchor": OrderAnchor.model_validate(anchored) if anchored else None,
            }
        )
        return DrawnPoint(self.need_text(truth, anchor), self._need_plan(truth, right, product), truth)

    def _open_to_makers(self, need: ShoppingNeed, shelf: Sequence[Product]) -> bool:
        """Tell whether a product would be right but for a maker to avoid, and its store or brand is unknown."""
        rest = [one for one in need.constraints if one.kind != "brand_not"]
        others = need.model_copy(update={"constraints": rest, "best": None})
        return len(rest) < len(need.constraints) and any(
            not (p.store and p.details.get("Brand")) for p in satisfying(others, shelf, self.of.owned)
        )

    def _without_one(self, need: ShoppingNeed, shelf: Sequence[Product]) -> ShoppingNeed:
        """Rule out one product by its name, now and then, where it would be right."""
        right = satisfying(need, shelf, self.of.owned) if self.rng.random() < 0.2 else []
        out = self.rng.choice(right) if len(right) > 1 else None
        if out is None or not self.of.named(out):
            return need
        ruled_out = Constraint(kind="not_id", value=out.product_id, name=out.title)
        return need.model_copy(update={"constraints": [*need.constraints, ruled_out]})

    def _not_sold(self) -> DrawnPoint | None:
        category = self.rng.choice(self.words["absent"])
        if self.of.shelves.of(category):
            return None
        demands = self._demands(self.of.shelves.of(self.rng.choice(self.of.kinds)), plain=True)
        truth = ShoppingNeed(
            category=category, constraints=demands, picks=self.rng.randint(1, 3), refusal="not_sold"
        )
        return DrawnPoint(self.need_text(truth, None), self._need_plan(truth, [], None), truth)

    def _by_order(
        self, product: Product, shelf: Sequence[Product], constraints: list[Constraint], given: list[str]
    ) -> tuple[list[Constraint], list[str]]:
        """Let the product of an order give a limit, or a brand to avoid, in the place of a value."""
        kind: ConstraintKind = self.rng.choice(("price_max", "brand_not", "attribute"))
        rest = [one for one in constraints if not one.kind.startswith(kind[:5])]
        if kind == "attribute" and (shared := self._attribute([product], shelf)):
            return [shared, *rest], [*given, kind]
        if kind == "price_max" and product.price is not None:
            return [Constraint(kind=kind, value=round(product.price - 0.01, 2)), *rest], [*given, kind]
        if kind == "brand_not" and product.store and product.details.get("Brand"):
            named = {product.store, product.details.get("Brand")}
            values = sorted(name for name in named if isinstance(name, str) and name)
            return [*(Constraint(kind=kind, value=value) for value in values), *rest], [*given, kind]
        return constraints, given

    def _demands(self, shelf: Sequence[Product], *, plain: bool = False) -> list[Constraint]:
        """Draw constraints whose limits lie among the values of a shelf, each of which leaves less of it."""
        drawn = {
            "price": self._price(shelf),
            "rating_min": self._least(
                [p.average_rating for p in shelf if p.average_rating != 5], "rating_min"
            ),
            "ratings_min": self._least([p.rating_number for p in shelf], "ratings_min"),
        }
        if not plain:
            drawn |= {
                "brand": self._brand(shelf),
                "attribute": self._attribute(shelf, shelf),
                "owned": self._history(shelf),
            }
        count, left, kept = self.rng.choice(self.of.demands), list(shelf), list[Constraint]()
        shuffled = self.rng.sample(list(drawn.values()), len(drawn))
        for one in sorted(shuffled, key=lambda one: one is None or one.kind != self.of.demand):
            fewer = [p for p in left if one is not None and fits(p, one, self.of.owned)]
            if one is not None and len(fewer) < len(left) and len(kept) < count:
                left, kept = fewer, [*kept, one]
        return kept

    def _price(self, shelf: Sequence[Product]) -> Constraint | None:
        prices = sorted({p.price for p in shelf if p.price is not None})
        if len(prices) < 3:
            return None
        place = self.rng.randrange(len(prices) - 1)
        low, high = prices[place], prices[place + 1]
        if self.rng.random() < 0.15:
            low, high = 0.5 * prices[0], prices[0]
        value = round(low + self.rng.uniform(0.05, 0.95) * (high - low), 2)
        least = self.rng.random() < 0.3 and value > prices[0]
        return Constraint(kind="price_min" if least else "price_max", value=value)

    def _least(self, values: Sequence[float | None], kind: ConstraintKind) -> Constraint | None:
        known = sorted({value for value in values if value is not None})
        return Constraint(kind=kind, value=float(self.rng.choice(known[1:]))) if len(known) > 2 else None

    def _brand(self, shelf: Sequence[Product]) -> Constraint | None:
        named = sorted({p.store for p in shelf if p.store and '"' not in p.store})
        kind: ConstraintKind = self.rng.choice(("brand_is", "brand_not"))
        return Constraint(kind=kind, value=self.rng.choice(named)) if len(named) > 1 else None

    def _attribute(self, of: Sequence[Product], shelf: Sequence[Product]) -> Constraint | None:
        """Draw a detail of some products that is shared on the shelf, though not by all there."""
        own = {pair for product in of for pair in self.of.shelves.stated(product)}
        found = Counter(pair for product in shelf for pair in self.of.shelves.stated(product))
        shared = sorted(pair for pair, times in found.items() if pair in own and 1 < times < len(shelf))
        if not shared:
            return None
        name, value = self.rng.choice(shared)
        return Constraint(kind="attribute", name=name, value=value)

    def _history(self, shelf: Sequence[Product]) -> Constraint | None:
        here = self.of.owned.intersection(p.product_id for p in shelf)
        return Constraint(kind=self.rng.choice(("owned", "not_owned", "not_owned"))) if here else None

    def need_text(self, need: ShoppingNeed, order: Order | None) -> str:
        """Word a need; `order` is the one that it leans on."""
        words = self.words
        given = need.anchor.gives if need.anchor else []
        phrases, given_once = [], set[str]()
        for one in need.constraints:
            if one.kind not in given:
                phrases.append(self.of.worded(words["demands"][one.kind], value=shown(one), name=one.name))
            elif one.kind not in given_once:
                given_once.add(one.kind)
                phrases.append(self.of.worded(words["given"][one.kind], name=one.name))
        if need.best is not None:
            phrases.append(self.of.worded(words["best"][need.best]))
        return self.of.worded(
            words["needs"] if order is None else words["anchored"],
            count=words["numbers"][need.picks],
            thing=words["things"][need.picks > 1],
            category=" > ".join(need.category),
            day=day_words(order.order_date) if order else "",
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
        filters = {_FILTERS[one.kind]: one.value for one in need.constraints if one.kind in _FILTERS}
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


def day_words(moment: str) -> str:
    """Write a day as people do."""
    day = date.fromisoformat(moment[:10])
    return f"{day:%B} {day.day}, {day.year}"
