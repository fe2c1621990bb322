"""Needs of checkable questions, drawn with their truth, words and plan; and what all points are drawn from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from random import Random
from typing import Any, Literal, NamedTuple

from drr.env.checkable import (
    Constraint,
    ConstraintKind,
    Distractors,
    ExpectedFact,
    OrderAnchor,
    PlanStep,
    ShoppingNeed,
    Why,
    distractors,
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
_FAMILIES: Sequence[Sequence[ConstraintKind]] = (
    ("price_max", "price_max", "price_min"),
    ("attribute",),
    ("brand_is", "brand_not"),
    ("owned", "not_owned", "not_owned"),
    ("rating_min",),
    ("ratings_min",),
)
"""Kinds of constraint of which a need has one; shops often do not know what the first two ask for."""
_REFUSED_PICKS = (1, 1, 1, 1, 2, 2, 3)
"""Numbers of picks as those have them that are met, so that none tells a refusal."""
_GIVEN: Sequence[ConstraintKind] = ("price_max", "brand_not", "attribute")


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


class NeedForm(NamedTuple):
    """The words of a need before any value. They are drawn first, and apart from what they hide."""

    anchored: bool
    given: ConstraintKind | None
    """Kind of constraint that an order gives beside the category."""
    best: Literal["cheapest", "best_rated"] | None
    without_one: bool
    kinds: Sequence[ConstraintKind]
    """Kinds of constraint that have a value of their own."""
    much: Mapping[str, bool]
    """Each hidden axis, and whether the need has more of it than most."""


def need_form(rng: Random, counts: Sequence[int], demand: ConstraintKind | None) -> NeedForm:
    """Draw a form. It asks for a price or a detail, as a shop may not know them."""
    own: list[ConstraintKind] = [demand if demand in family else rng.choice(family) for family in _FAMILIES]  # type: ignore[misc]
    ranked = [demand, rng.choice(own[:2]), *rng.sample(own, len(own))]
    anchored = rng.random() < 0.55 and demand not in ("owned", "not_id")
    given = rng.choice(_GIVEN) if anchored and rng.random() < 0.7 else None
    if given and demand and given != demand and given[:5] == demand[:5]:
        given = None
    kinds = [kind for kind in dict.fromkeys(ranked) if kind in own and (not given or given[:5] != kind[:5])]
    count = 1 if demand == "owned" else rng.choice(counts) - (given is not None)
    return NeedForm(
        anchored=anchored,
        given=given,
        best=rng.choice(("cheapest", "best_rated")) if rng.random() < 0.45 else None,
        without_one=rng.random() < 0.2 or demand == "not_id",
        kinds=kinds[: max(count, 1)],
        much={axis: rng.random() < 0.5 for axis in Distractors._fields},
    )


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
    middles: Mapping[str, float] = field(default_factory=dict)
    """Products of one need that part little from much, by hidden axis."""

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

    def need_text(self, need: ShoppingNeed, order: Order | None) -> str:
        """Word a need; `order` is the one that it leans on."""
        words = self.words
        given = need.anchor.gives if need.anchor else []
        phrases, given_once = [], set[str]()
        for one in need.constraints:
            if one.kind not in given:
                phrases.append(self.worded(words["demands"][one.kind], value=shown(one), name=one.name))
            elif one.kind not in given_once:
                given_once.add(one.kind)
                phrases.append(self.worded(words["given"][one.kind], name=one.name))
        if need.best is not None:
            phrases.append(self.worded(words["best"][need.best]))
        return self.worded(
            words["needs"] if order is None else words["anchored"],
            count=words["numbers"][need.picks],
            thing=words["things"][need.picks > 1],
            category=" > ".join(need.category),
            day=day_words(order.order_date) if order else "",
            demands="".join(f", {phrase}" for phrase in phrases),
        )


class NeedDraw:
    """Draws things to be found, all of one form."""

    def __init__(self, asker: PointSource, form: NeedForm) -> None:
        self.of, self.form, self.rng, self.words = asker, form, asker.rng, asker.words

    def part(self, refusal: Why | None) -> DrawnPoint | None:
        """Draw a need that is met, or one to be refused so; `None` where the draw gives none."""
        rng, form = self.rng, self.form
        anchor = rng.choice(self.of.dated) if form.anchored and self.of.dated else None
        if refusal == "not_sold":
            return self._not_sold()
        product = None if anchor is None else self.of.shelves.products.get(anchor.product_id)
        end = self._end() if product is None else tuple(product.categories[-2:])
        if end not in self.of.kinds:
            return None
        shelf = self.of.shelves.of(end)
        constraints, given = self._demands(shelf), list[str](["category"] if product else [])
        if product is not None and form.given:
            constraints, given = self._by_order(product, shelf, constraints, given)
        best = None if refusal else form.best
        need = ShoppingNeed(category=list(end), constraints=constraints, best=best)
        need = need if product else self._without_one(need, shelf)
        if not constraints or not self._hides(need, shelf):
            return None
        right = satisfying(need, shelf, self.of.owned)
        if product in right or self._open_to_makers(need, shelf) or any(p.price == 0 for p in right):
            return None
        if len(right) > (1 if best else MOST_RIGHT) or bool(right) == bool(refusal):
            return None
        most = min(3, len(right)) if right and not best else 1
        counts = [n for n in range(1, most + 1) if by_chance(len(right), n, len(shelf)) <= MOST_BY_CHANCE]
        counts = [rng.choice(_REFUSED_PICKS)] if refusal else counts
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
        return DrawnPoint(self.of.need_text(truth, anchor), self._need_plan(truth, right, product), truth)

    def _end(self) -> tuple[str, ...]:
        """Draw a kind; one that the user has ordered of where the form asks for that."""
        if {"owned", "not_owned"}.isdisjoint(self.form.kinds):
            return tuple(self.rng.choice(self.of.kinds))
        product = self.of.shelves.products.get(self.rng.choice(self.of.orders).product_id)
        return tuple(product.categories[-2:]) if product else ()

    def _hides(self, need: ShoppingNeed, shelf: Sequence[Product]) -> bool:
        """Tell whether a kind has little or much of what misleads, as the form has it."""
        found = distractors(need, shelf, self.of.owned)._asdict()
        return all((found[axis] > self.of.middles[axis]) == much for axis, much in self.form.much.items())

    def _open_to_makers(self, need: ShoppingNeed, shelf: Sequence[Product]) -> bool:
        """Tell whether a product would be right but for a maker to avoid, and its store or brand is unknown."""
        rest = [one for one in need.constraints if one.kind != "brand_not"]
        others = need.model_copy(update={"constraints": rest, "best": None})
        return len(rest) < len(need.constraints) and any(
            not (p.store and p.details.get("Brand")) for p in satisfying(others, shelf, self.of.owned)
        )

    def _without_one(self, need: ShoppingNeed, shelf: Sequence[Product]) -> ShoppingNeed:
        """Rule out one product by its name, where it would be right."""
        right = satisfying(need, shelf, self.of.owned) if self.form.without_one else []
        out = self.rng.choice(right) if len(right) > 1 else None
        if out is None or not self.of.named(out):
            return need
        ruled_out = Constraint(kind="not_id", value=out.product_id, name=out.title)
        return need.model_copy(update={"constraints": [*need.constraints, ruled_out]})

    def _not_sold(self) -> DrawnPoint | None:
        category, form = self._absent(), self.form
        likes = [kind for kind in self.of.kinds if kind[0] == category[0]]
        foreign = not likes and {*form.kinds} - {"price_max", "price_min", "rating_min", "ratings_min"}
        if form.anchored or foreign or "owned" in form.kinds or self.of.shelves.of(category):
            return None
        demands = self._demands(self.of.shelves.of(self.rng.choice(likes or self.of.kinds)))
        if not demands:
            return None
        picks = self.rng.choice(_REFUSED_PICKS)
        truth = ShoppingNeed(category=category, constraints=demands, picks=picks, refusal="not_sold")
        return DrawnPoint(self.of.need_text(truth, None), self._need_plan(truth, [], None), truth)

    def _absent(self) -> list[str]:
        """Name what a shop may lack: a thing with a word of another kind, where its kinds have such names."""
        named = [
            (thing, name.removesuffix(thing)) for thing, name in self.of.kinds if name.endswith(f" {thing}")
        ]
        if 2 * len(named) <= len(self.of.kinds):
            return list(self.rng.choice(self.words["absent"]))
        thing, word = self.rng.choice(named)[0], self.rng.choice(named)[1]
        return [thing, f"{word}{thing}"]

    def _by_order(
        self, product: Product, shelf: Sequence[Product], constraints: list[Constraint], given: list[str]
    ) -> tuple[list[Constraint], list[str]]:
        """Let the product of an order give a limit, or a brand to avoid, in the place of a value. There are none where it cannot."""
        kind = str(self.form.given)
        rest = [one for one in constraints if not one.kind.startswith(kind[:5])]
        if kind == "attribute" and (shared := self._attribute([product], shelf)):
            return [shared, *rest], [*given, kind]
        if kind == "price_max" and product.price and product.price > 0.01:
            return [Constraint(kind="price_max", value=round(product.price - 0.01, 2)), *rest], [*given, kind]
        if kind == "brand_not" and product.store and product.details.get("Brand"):
            named = {product.store, product.details.get("Brand")}
            values = sorted(name for name in named if isinstance(name, str) and name)
            return [*(Constraint(kind="brand_not", value=value) for value in values), *rest], [*given, kind]
        return [], given

    def _demands(self, shelf: Sequence[Product]) -> list[Constraint]:
        """Draw the constraints of the form. There are none where one of them leaves as much of the shelf."""
        left, kept = list(shelf), list[Constraint]()
        for kind in self.form.kinds:
            one = self._demand(kind, shelf)
            fewer = [p for p in left if one is not None and fits(p, one, self.of.owned)]
            if one is None or len(fewer) == len(left):
                return []
            left, kept = fewer, [*kept, one]
        return kept

    def _demand(self, kind: ConstraintKind, shelf: Sequence[Product]) -> Constraint | None:
        if kind in ("price_max", "price_min"):
            return self._price(shelf, kind)
        if kind == "rating_min":
            return self._least([p.average_rating for p in shelf if p.average_rating != 5], kind)
        if kind == "ratings_min":
            return self._least([p.rating_number for p in shelf], kind)
        if kind in ("brand_is", "brand_not"):
            return self._brand(shelf, kind)
        return self._attribute(shelf, shelf) if kind == "attribute" else Constraint(kind=kind)

    def _price(self, shelf: Sequence[Product], kind: ConstraintKind) -> Constraint | None:
        prices = sorted({p.price for p in shelf if p.price})
        if len(prices) < 3:
            return None
        place = self.rng.randrange(len(prices) - 1)
        low, high = prices[place], prices[place + 1]
        if kind == "price_max" and self.rng.random() < 0.15:
            low, high = 0.5 * prices[0], prices[0]
        return Constraint(kind=kind, value=round(low + self.rng.uniform(0.05, 0.95) * (high - low), 2))

    def _least(self, values: Sequence[float | None], kind: ConstraintKind) -> Constraint | None:
        known = sorted({value for value in values if value is not None})
        return Constraint(kind=kind, value=float(self.rng.choice(known[1:]))) if len(known) > 2 else None

    def _brand(self, shelf: Sequence[Product], kind: ConstraintKind) -> Constraint | None:
        named = sorted({p.store for p in shelf if p.store and '"' not in p.store})
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
