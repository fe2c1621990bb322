"""A question whose answer code can check: its needs, expected facts and plan, stored with the query.

No part of these is given to an agent or a judge. `docs/record.md` describes the format.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, Self, TypeGuard

from drr.env.entities import Order, Product
from drr.env.json_object import JsonObject
from drr.env.points import JointRule, PointTruth
from drr.env.statistics import cents
from drr.env.text import category_key
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    FiniteFloat,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

if TYPE_CHECKING:
    from drr.env.shop import Store

ConstraintKind = Literal[
    "price_max", "price_min", "rating_min", "ratings_min", "brand_is", "brand_not", "attribute", "owned",
    "not_owned", "not_id",
]  # fmt: skip
FigureKind = Literal[
    "price", "rating", "ratings", "order_date", "order_total", "orders_sum", "spend_year", "page"
]
Why = Literal["nothing_fits", "not_sold"]
PART = "Spare Part"
"""The key in a product's details that names the spare part fitting it, by a word of the part's title."""
Given = Literal["category", "price_max", "brand_not", "attribute"]
"""The kinds of demands that an order can stand for in a question."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class Constraint(_Part):
    """One requirement on a product, decided from the product's record."""

    kind: ConstraintKind
    value: FiniteFloat | str | None = None
    name: str | None = None
    """The key in the product's details, for a constraint of kind `attribute`."""

    @model_validator(mode="after")
    def _check_value(self) -> Self:
        if self.kind.endswith(("_max", "_min")) and isinstance(self.value, str):
            raise ValueError(f"the value of {self.kind} is a number")
        return self


class OrderAnchor(_Part):
    """An order of the user that a question refers to instead of naming demands."""

    order_id: str
    gives: list[Given]


class ShoppingNeed(_Part):
    """One product to be found: the requirements on it and every product of the shop that meets them."""

    category: list[str]
    """Consecutive steps of a category path; empty if the constraints alone describe the product."""
    constraints: list[Constraint] = Field(default_factory=list)
    best: Literal["cheapest", "best_rated"] | None = None
    """The rule by which one of the fitting products is chosen; `None` if any will do."""
    picks: int = Field(1, ge=1)
    quantity: int | None = Field(None, ge=2)
    """Pieces of each pick, which a budget counts; `None` for one."""
    products: list[str] = Field(default_factory=list)
    """Ids of all products that are right answers."""
    refusal: Why | None = None
    anchor: OrderAnchor | None = None


class ExpectedFact(_Part):
    """One figure that the answer must state, with the addresses of sources that state it."""

    kind: FigureKind
    subjects: list[str]
    """Ids of products or orders, or a year; for a figure of a page, the page's address, row and column."""
    value: FiniteFloat | str
    sources: list[str]
    """Addresses of sources, each of which states the figure."""
    anchor: OrderAnchor | None = None
    """The order whose product names a spare part; the kind of that part is the row of the page."""


class PlanStep(_Part):
    """One tool call in a plan by which an agent can find the answer."""

    tool: str
    arguments: JsonObject = Field(default_factory=dict)


class DifficultyAxes(_Part):
    """The difficulty of a question in figures, each computed from its record and the shop."""

    needs: int
    hops: int
    near: float
    """Products in the category that miss one constraint: like `unknown`, a mean over the needs whose category is sold."""
    unknown: float
    """Products that no constraint rules out, but for which the shop lacks a value that a constraint asks for."""
    history: int
    precision: int
    """The number of constraints and figures."""
    shop: int
    refusals: int


class Wording(_Part):
    """The origin of a question's words, where a language model worded a specification."""

    writer: str
    readers: list[str]
    """The models that read the words, that which looked for missing rules last."""
    prompts: dict[str, str]
    """Hashes of the prompts by name, and of the rules of the house."""
    writings: int
    values: int
    """The number of values that the specification demands."""
    literal: int
    """The number of values that the words state letter by letter."""


class Checkable(_Part):
    """The correct answer to one question. Its points are numbered from 1: first the needs, then the facts."""

    version: Literal[1] = 1
    needs: list[ShoppingNeed] = Field(default_factory=list)
    facts: list[ExpectedFact] = Field(default_factory=list)
    budget: FiniteFloat | None = None
    """The highest total price of all picks, in the shop's currency."""
    plan: list[PlanStep] = Field(default_factory=list)
    axes: DifficultyAxes | None = None
    stated: list[str] | None = None
    """The passages of a question that state its demands, where a model worded it before 0.4."""
    points: list[PointTruth] = Field(default_factory=list)
    """The answer to each point of a question whose points bind one another; such a question has no needs and no facts."""
    rules: list[JointRule] = Field(default_factory=list)
    least: int | None = Field(None, ge=1)
    """Calls of the shortest plan that proves the answer."""
    level: int | None = Field(None, ge=1)
    """Difficulty, by the number of points that have to be joined."""
    twin: str | None = None
    """The name of a pair of questions that differ in one point, whose answers are of two sorts."""
    specification: JsonObject | None = None
    """The specification from which code computed the points (`drr.querygen.joined`)."""
    worded: Wording | None = None

    @model_serializer(mode="wrap")
    def _without_what_few_have(self, written: SerializerFunctionWrapHandler) -> JsonObject:
        """Serialise the record. One without points, least or level is written as before these existed."""
        row: JsonObject = written(self)
        few = dict.fromkeys(("points", "rules", "specification"), bool(self.points))
        few |= {name: getattr(self, name) is not None for name in ("least", "level", "twin", "worded")}
        return {key: row[key] for key in row if key not in few or few[key]}


def asks_for_findable(truth: Checkable | None) -> TypeGuard[Checkable]:
    """Tell whether the question asks for anything that can be found. A question that does is not answered by refusing everything."""
    return truth is not None and (
        bool(truth.facts)
        or any(need.refusal is None for need in truth.needs)
        or any(point.status == "answered" for point in truth.points)
    )


def in_category(product: Product, steps: Sequence[str]) -> bool:
    """Tell whether these steps occur consecutively in the product's category path."""
    wanted = [category_key(step) for step in steps]
    path = [category_key(step) for step in product.categories]
    return any(path[at : at + len(wanted)] == wanted for at in range(len(path) - len(wanted) + 1))


def brands(product: Product) -> set[str]:
    """Return the normalised names of the product's store and of the brand in its details."""
    named = product.details.get("Brand")
    return {category_key(name) for name in (product.store, named) if isinstance(name, str)} - {""}


def detail(product: Product, name: str) -> str | None:
    """Return a value of the product's details by its name, ignoring case. `None` if it is missing, ambiguous or not a text."""
    wanted = name.casefold()
    found = [value for key, value in product.details.items() if key.casefold() == wanted]
    value = found[0] if len(found) == 1 else None
    return " ".join(value.split()) if isinstance(value, str) else None


def meets_constraint(product: Product, constraint: Constraint, owned: Collection[str]) -> bool | None:
    """Tell whether a product meets a constraint; `None` if the shop does not know the value."""
    kind, value = constraint.kind, constraint.value
    if kind in ("owned", "not_owned"):
        return (product.product_id in owned) == (kind == "owned")
    if kind == "not_id":
        return product.product_id != value
    if kind in ("brand_is", "brand_not"):
        found = brands(product)
        return (category_key(str(value)) in found) == (kind == "brand_is") if found else None
    if kind == "attribute":
        stated = detail(product, constraint.name or "")
        return None if stated is None else stated.casefold() == str(value).casefold()
    return _within(kind, _number(product, kind), float(value or 0))


def _number(product: Product, kind: ConstraintKind) -> float | None:
    if kind == "rating_min":
        return product.average_rating
    return product.rating_number if kind == "ratings_min" else product.price


def _within(kind: ConstraintKind, known: float | None, limit: float) -> bool | None:
    if known is None:
        return None
    return known <= limit if kind == "price_max" else known >= limit


class Distractors(NamedTuple):
    """The numbers of products in a category that could be mistaken for the right one, by the reason."""

    near: int
    """Products that miss exactly one constraint."""
    conflicts: int
    """Products that name two brands and miss at most one constraint."""
    unknown: int
    """Products that only an unknown value keeps from meeting every constraint."""


def distractors(need: ShoppingNeed, shelf: Sequence[Product], owned: Collection[str]) -> Distractors:
    """Count the products in a category that could be mistaken for an answer to the need."""
    found = [
        (product, [meets_constraint(product, one, owned) for one in need.constraints]) for product in shelf
    ]
    missed = [(product, sum(one is not True for one in fitting)) for product, fitting in found]
    return Distractors(
        near=sum(count == 1 for _, count in missed),
        conflicts=sum(count <= 1 and len(brands(product)) > 1 for product, count in missed),
        unknown=sum(None in fitting and False not in fitting for _, fitting in found),
    )


def satisfying_products(
    need: ShoppingNeed, products: Iterable[Product], owned: Collection[str]
) -> list[Product]:
    """Return the products that certainly satisfy the need. If the best one is asked for, all that share the first place are returned."""
    found = [
        product
        for product in products
        if all(meets_constraint(product, one, owned) for one in need.constraints)
        and in_category(product, need.category)
    ]
    if need.best is None:
        return found
    values = [p.price if need.best == "cheapest" else p.average_rating for p in found]
    known = [value for value in values if value is not None]
    if not known:
        return []
    first = min(known) if need.best == "cheapest" else max(known)
    return [product for product, value in zip(found, values, strict=True) if value == first]


def figure_of(fact: ExpectedFact, store: Store, user_id: str) -> float | str | None:
    """Compute an expected figure from the shop's records. `None` if the records do not state it, as with a figure of a web page."""
    if fact.kind == "spend_year":
        statistics = store.statistics(user_id)
        years = {} if statistics is None else {year.name: year.spend for year in statistics.by_year}
        return years.get(fact.subjects[0])
    if fact.kind in ("price", "rating", "ratings"):
        product = store.product(fact.subjects[0])
        if product is None:
            return None
        return {"price": product.price, "rating": product.average_rating}.get(
            fact.kind, product.rating_number
        )
    orders = [order for one in fact.subjects if (order := store.order(one)) and order.user_id == user_id]
    if fact.kind == "page" or not orders or len(orders) < len(fact.subjects):
        return None
    return orders[0].order_date[:10] if fact.kind == "order_date" else total_of(orders, store)


def total_of(orders: Sequence[Order], store: Store) -> float | None:
    """Return the total of the orders at today's prices, or `None` if a price is unknown."""
    priced = [(order.quantity, store.product(order.product_id)) for order in orders]
    amounts = [quantity * cents(p.price) for quantity, p in priced if p is not None and p.price is not None]
    return sum(amounts) / 100 if len(amounts) == len(orders) else None


def same_figure(expected: float | str, given: object) -> bool:
    """Tell whether a stated figure equals the expected one: within half a cent, or the same day."""
    number = parse_figure(given)
    if isinstance(expected, str):
        return isinstance(given, str) and given.strip()[:10] == expected
    return number is not None and abs(number - expected) < 0.005


def parse_figure(given: object) -> float | None:
    """Parse a number that stands alone, with or without a dollar sign and commas; `None` for anything else."""
    if isinstance(given, bool) or not isinstance(given, (int, float, str)):
        return None
    try:
        number = float(given.strip().removeprefix("$").replace(",", "") if isinstance(given, str) else given)
    except ValueError:
        return None
    return number if abs(number) < 1e12 else None
