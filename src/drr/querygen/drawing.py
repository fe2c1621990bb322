"""Draws the needs of checkable questions with their truth, words and plan. Also defines the data that all points are drawn from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any, Literal, NamedTuple, get_args

from drr.env.checkable import (
    Constraint,
    ConstraintKind,
    Distractors,
    ExpectedFact,
    OrderAnchor,
    PlanStep,
    ShoppingNeed,
    Why,
    parse_figure,
)
from drr.env.entities import Order, Product
from drr.env.shop import Store
from drr.env.web.sandbox import Document, table_rows
from drr.querygen.checkable import MOST_BY_CHANCE, shown
from drr.querygen.shelves import FittingBits, KindTable, Shelves, by_chance
from drr.wording.currency import DOLLARS, Currency
from drr.wording.dates import day_words

MOST_RIGHT = 12
"""The largest number of products that may satisfy a need."""


Best = Literal["cheapest", "best_rated"] | None
_FILTERS = {
    "price_max": "max_price",
    "price_min": "min_price",
    "rating_min": "min_rating",
    "brand_is": "brand",
}
"""Arguments of a search, by the kind of constraint that they express."""
_FAMILIES: Sequence[Sequence[ConstraintKind]] = (
    ("price_max", "price_max", "price_min"),
    ("attribute",),
    ("brand_is", "brand_not"),
    ("owned", "not_owned", "not_owned"),
    ("rating_min",),
    ("ratings_min",),
)
"""Kinds of constraint of which a need has one from each group. Shops often lack the data for the first two."""
_PICKS = (1, 1, 1, 1, 2, 2, 3)
_NOT_SOLD = 0.75
"""The share of refusals that ask for a kind that is not sold, where the form allows it."""
_ABSENT = 6
"""The number of kinds sold by a shop for each absent kind in its questions."""
_JITTER = 0.1
_GIVEN: Sequence[ConstraintKind] = ("price_max", "brand_not", "attribute")


class PageFigure(NamedTuple):
    """A figure in a table of a web page."""

    page: Document
    row: str
    column: str
    value: float


class DrawnPoint(NamedTuple):
    """A point of a question: its words, the calls that answer it, and its truth."""

    text: str
    plan: Sequence[PlanStep]
    truth: ShoppingNeed | ExpectedFact


def cells(page: Document) -> Iterator[PageFigure]:
    """Yield each cell of a page's Markdown tables that begins with a number and has no other number."""
    rows = table_rows(page)
    for row in rows[1:]:
        for column, cell in zip(rows[0][1:], row[1:], strict=False):
            found = re.fullmatch(r"(\d[\d,]*(?:\.\d+)?)(?: [^\d]*)?", cell)
            if found and (value := parse_figure(found[1])) is not None:
                yield PageFigure(page, row[0], column, value)


class AbsentKind(NamedTuple):
    """A kind of product that the shop does not sell. A kind that it sells lends values to the demands."""

    category: tuple[str, ...]
    lender: tuple[str, ...]


class NeedForm(NamedTuple):
    """The form of a need before its values are drawn, separate from the truth that it hides."""

    anchored: bool
    given: ConstraintKind | None
    """The kind of constraint that an order implies beside the category."""
    best: Best
    without_one: bool
    kinds: Sequence[ConstraintKind]
    """Kinds of constraint that have a stated value."""
    places: Mapping[ConstraintKind, float]
    """The position of each value among those of a kind of product, from 0 to 1."""
    picks: int
    why: Why
    """The reason for a refusal, where the need is to be refused."""
    much: Mapping[str, bool]
    """The hidden axes, each with whether a need that is met has more of it than most."""


def need_form(rng: Random, counts: Sequence[int], demand: ConstraintKind | None) -> NeedForm:
    """Draw a form of a need. It demands a price or a detail, which a shop may not know."""
    own: list[ConstraintKind] = [demand if demand in family else rng.choice(family) for family in _FAMILIES]  # type: ignore[misc]
    ranked = [demand, rng.choice(own[:2]), *rng.sample(own, len(own))]
    anchored = rng.random() < 0.55 and demand not in ("owned", "not_id")
    given = rng.choice(_GIVEN) if anchored and rng.random() < 0.7 else None
    if given and demand and given != demand and given[:5] == demand[:5]:
        given = None
    kinds = [kind for kind in dict.fromkeys(ranked) if kind in own and (not given or given[:5] != kind[:5])]
    count = 1 if demand == "owned" else rng.choice(counts) - (given is not None)
    kinds = kinds[: max(count, 1)]
    idling: dict[Best, ConstraintKind] = {"cheapest": "price_max", "best_rated": "rating_min"}
    orders: list[Best] = [best for best, kind in idling.items() if kind not in (*kinds, given)]
    best = rng.choice(orders) if orders and rng.random() < 0.5 else None
    without_one = not anchored and (rng.random() < 0.2 or demand == "not_id")
    foreign = not (anchored or without_one or "owned" in kinds) and rng.random() < _NOT_SOLD
    return NeedForm(
        anchored=anchored,
        given=given,
        best=best,
        without_one=without_one,
        kinds=kinds,
        places={kind: rng.random() for kind in get_args(ConstraintKind)},
        picks=1 if best else rng.choice(_PICKS),
        why="not_sold" if foreign else "nothing_fits",
        much={axis: rng.random() < 0.5 for axis in Distractors._fields},
    )


@dataclass(frozen=True)
class PointSource:
    """A user, the shop's data, and the random draws of one question."""

    rng: Random
    words: Mapping[str, Any]
    user_id: str
    orders: Sequence[Order]
    shelves: Shelves
    store: Store
    kinds: Sequence[tuple[str, ...]]
    cells: Sequence[PageFigure]
    absent: Sequence[AbsentKind] = ()
    """Kinds that the shop does not sell, few enough to be asked for as often as others."""
    demands: Sequence[int] = (1, 2, 3)
    """The numbers of constraints that a need may have."""
    middles: Mapping[str, float] = field(default_factory=dict)
    """The number of misleading products that separates few from many, by hidden axis."""
    priced: bool = False
    """True where the price of each right product must be known, as for a budget."""
    currency: Currency = DOLLARS
    """The currency in which the question states prices."""

    def worded(self, forms: Sequence[str], **words: object) -> str:
        """Return a text from a drawn wording, with its open places filled."""
        form = self.rng.choice(self._in_currency(forms))
        places = {
            name: self.rng.choice(self._in_currency(values))
            for name, values in self.words["places"].items()
            if f"{{{name}}}" in form
        }
        return form.format(**places, **words)

    def _in_currency(self, wordings: Sequence[str]) -> Sequence[str]:
        """Return the wordings that a shop of another currency than dollars may use."""
        return wordings if self.currency == DOLLARS else [one for one in wordings if "dollars" not in one]

    @cached_property
    def dated(self) -> list[Order]:
        """Orders that are the only ones of their day."""
        days = [order.order_date[:10] for order in self.orders]
        return [order for order in self.orders if days.count(order.order_date[:10]) == 1]

    def named(self, product: Product) -> bool:
        """Tell whether a product's title fits in a question and is unique."""
        title = product.title
        return 0 < len(title) <= 200 and '"' not in title and self.shelves.titles[title] == 1

    @cached_property
    def owned(self) -> frozenset[str]:
        return frozenset(order.product_id for order in self.orders)

    def need_text(self, need: ShoppingNeed, order: Order | None) -> str:
        """Return the words of a need; `order` is the order that the need refers to."""
        words, phrases, compared = self.words, list[str](), dict[str, str]()
        given = need.anchor.gives if need.anchor else []
        for one in need.constraints:
            if one.kind in given or one.kind == "not_id":
                forms = words["given" if one.kind in given else "demands"][one.kind]
                compared[one.kind] = self.worded(forms, name=one.name)
            else:
                value = shown(one, self.currency)
                phrases.append(self.worded(words["demands"][one.kind], value=value, name=one.name))
        count = f"{words['numbers'][need.picks]} {words['things'][need.picks > 1]}"
        return self.worded(
            words["needs"] if order is None else words["anchored"],
            asked=count if need.best is None else self.worded(words["best"][need.best]),
            category=" > ".join(need.category),
            day=day_words(order.order_date) if order else "",
            demands="".join(f", {phrase}" for phrase in phrases) + ("," if order and phrases else ""),
            compared="".join(f", {phrase}" for phrase in compared.values()),
        )


def absent_kinds(
    rng: Random, kinds: Sequence[tuple[str, ...]], listed: Sequence[Sequence[str]], shelves: Shelves
) -> list[AbsentKind]:
    """Return a few kinds that a shop lacks, made of words of sold kinds or from a list. Each has a lender of its own."""
    named = [kind for kind in kinds if kind[1].endswith(f" {kind[0]}")]
    words = [name.removesuffix(thing) for thing, name in named]
    pairs = [tuple(one) for one in listed]
    if 2 * len(named) > len(kinds):
        pairs = [(thing, f"{word}{thing}") for thing, _ in named for word in words]
    sold = {thing for thing, _ in kinds}
    pairs = [one for one in pairs if not shelves.of(one)]
    beside = [one for one in pairs if one[0] in sold]
    found, free = dict[tuple[str, ...], AbsentKind](), list(kinds)
    for one in rng.sample(beside or pairs, len(beside or pairs)):
        lenders = [kind for kind in free if kind[0] == one[0]] if beside else free
        if one not in found and lenders and len(found) < max(2, len(kinds) // _ABSENT):
            found[one] = AbsentKind(one, rng.choice(lenders))
            free.remove(found[one].lender)
    return list(found.values())


class NeedDraw:
    """A drawer of needs of one form."""

    def __init__(self, asker: PointSource, form: NeedForm) -> None:
        self.of, self.form, self.rng, self.words = asker, form, asker.rng, asker.words
        self._known: dict[tuple[KindTable, str], FittingBits] = {}

    def part(self, refused: bool) -> DrawnPoint | None:
        """Draw a need that is met or must be refused; `None` where the draw fails."""
        form = self.form
        if refused and form.why == "not_sold":
            return self._not_sold()
        anchor = self.rng.choice(self.of.dated) if form.anchored and self.of.dated else None
        product = None if anchor is None else self.of.shelves.products.get(anchor.product_id)
        if form.anchored and product is None:
            return None
        end = self._end(refused) if product is None else tuple(product.categories[-2:])
        table = self.of.shelves.table(end) if end in self.of.kinds else None
        asked = self._asked(table, product) if table else []
        if table is None or not asked:
            return None
        right = table.right(asked, None if refused else form.best)
        if bool(right) == refused or not (refused or self._met(table, asked, right, product)):
            return None
        if table.open_to_makers(asked) or table.idles(asked, form.best):
            return None
        if form.best == "cheapest" and table.right(asked, None) & table.unpriced:
            return None
        gives = ["category", *([form.given] if form.given else [])]
        anchored = {"order_id": anchor.order_id, "gives": gives} if anchor else None
        truth = ShoppingNeed(
            category=list(end),
            constraints=[one.demand for one in asked],
            best=form.best,
            picks=form.picks,
            products=[p.product_id for p in table.members(right)],
            refusal=form.why if refused else None,
            anchor=OrderAnchor.model_validate(anchored) if anchored else None,
        )
        looked = right or table.right([one for one in asked if one.demand.kind != "attribute"], None)
        plan = self._need_plan(truth, table.members(looked), product)
        return DrawnPoint(self.of.need_text(truth, anchor), plan, truth)

    def _asked(self, table: KindTable, product: Product | None) -> list[FittingBits]:
        """Draw the demands of a need; empty where the kind cannot give all of them."""
        asked = self._demands(table)
        if product is not None and self.form.given:
            asked = self._by_order(product, table, asked)
        return self._without_one(table, asked) if asked and self.form.without_one else asked

    def _met(
        self, table: KindTable, asked: Sequence[FittingBits], right: int, product: Product | None
    ) -> bool:
        """Tell whether the number of right products, and of misleading ones, fits the form."""
        form, count, hidden = self.form, right.bit_count(), table.hidden(asked)._asdict()
        return (
            form.picks <= count <= (1 if form.best else MOST_RIGHT)
            and by_chance(count, form.picks, len(table.products)) <= MOST_BY_CHANCE
            and not right & (table.free | (table.unpriced if self.of.priced else 0))
            and product not in table.members(right)
            and all((hidden[axis] > self.of.middles[axis]) == much for axis, much in form.much.items())
        )

    def _end(self, refused: bool) -> tuple[str, ...]:
        """Draw a kind of product, among the user's purchases where the form demands it."""
        form = self.form
        never = refused and list(form.kinds) == ["owned"] and not form.without_one
        if never or {"owned", "not_owned"}.isdisjoint(form.kinds):
            return tuple(self.rng.choice(self.of.kinds))
        product = self.of.shelves.products.get(self.rng.choice(self.of.orders).product_id)
        return tuple(product.categories[-2:]) if product else ()

    def _without_one(self, table: KindTable, asked: list[FittingBits]) -> list[FittingBits]:
        """Add a demand that excludes one product by name which would otherwise be right."""
        right = table.members(table.right(asked, self.form.best))
        if not right or not self.of.named(out := self.rng.choice(right)):
            return []
        return [*asked, table.fitting(Constraint(kind="not_id", value=out.product_id, name=out.title))]

    def _not_sold(self) -> DrawnPoint | None:
        if not self.of.absent:
            return None
        (category, lender), form = self.rng.choice(self.of.absent), self.form
        if category[0] != lender[0] and {*form.kinds} & {"attribute", "brand_is", "brand_not"}:
            return None
        asked = self._demands(self.of.shelves.table(lender))
        named = {one.demand.name for one in asked if one.demand.name}
        lent = list(category) in self.words["absent"]
        if not asked or (lent and not named <= self.of.shelves.common):
            return None
        truth = ShoppingNeed(
            category=list(category),
            constraints=[one.demand for one in asked],
            best=form.best,
            picks=form.picks,
            refusal="not_sold",
        )
        return DrawnPoint(self.of.need_text(truth, None), self._need_plan(truth, [], None), truth)

    def _by_order(self, product: Product, table: KindTable, asked: list[FittingBits]) -> list[FittingBits]:
        """Replace a stated value by a limit or brand that an order's product implies. Return an empty list where this fails."""
        kind = str(self.form.given)
        rest = [one for one in asked if not one.demand.kind.startswith(kind[:5])]
        given = list[Constraint]()
        if kind == "attribute":
            own = self.of.shelves.stated(product)
            shared = [one for one in table.demands("attribute") if (one.demand.name, one.demand.value) in own]
            given = [self._placed(shared).demand] if shared else []
        elif kind == "price_max" and product.price and product.price > 0.01:
            given = [Constraint(kind="price_max", value=round(product.price - 0.01, 2))]
        elif kind == "brand_not" and product.store and product.details.get("Brand"):
            named = {product.store, product.details.get("Brand")}
            values = sorted(name for name in named if isinstance(name, str) and name)
            given = [Constraint(kind="brand_not", value=value) for value in values]
        return [*map(table.fitting, given), *rest] if given else []

    def _demands(self, table: KindTable) -> list[FittingBits]:
        """Draw the demands of the form; empty where the kind cannot give all of them."""
        drawn = list[FittingBits]()
        for kind in self.form.kinds:
            if kind in ("owned", "not_owned"):
                if (table, kind) not in self._known:
                    fit = table.bits((one in self.of.owned) == (kind == "owned") for one in table.places)
                    self._known[table, kind] = FittingBits(Constraint(kind=kind), fit)
                drawn.append(self._known[table, kind])
            elif known := table.demands(kind):
                drawn.append(self._placed(known))
        return drawn if len(drawn) == len(self.form.kinds) else []

    def _placed(self, known: Sequence[FittingBits]) -> FittingBits:
        """Return the demand at the form's position among the known ones, or near it."""
        place = self.form.places[known[0].demand.kind] + self.rng.uniform(-_JITTER, _JITTER)
        return known[min(max(int(place * len(known)), 0), len(known) - 1)]

    def _need_plan(
        self, need: ShoppingNeed, looked: Sequence[Product], bought: Product | None
    ) -> list[PlanStep]:
        """Return the calls that answer a need. Details are read of right products, or of those that all but details make right."""
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
            chosen = sorted(looked, key=lambda p: (p.price is None, p.price, p.product_id))[: need.picks]
            steps += [
                PlanStep(tool="get_product_details", arguments={"product_id": product.product_id})
                for product in chosen
            ]
        return steps
