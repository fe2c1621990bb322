"""Checks of a checkable question over the whole shop, and its axes of difficulty. `docs/record.md` says what each check proves."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from statistics import fmean
from typing import get_args

from drr.env.checkable import (
    PART,
    Checkable,
    Constraint,
    DifficultyAxes,
    ExpectedFact,
    PlanStep,
    ShoppingNeed,
    asks_for_findable,
    brands,
    detail,
    distractors,
    figure_of,
    parse_figure,
    same_figure,
    satisfying_products,
)
from drr.env.entities import Order, Product
from drr.env.json_object import JsonObject
from drr.env.query import Query
from drr.env.records.lines import priced
from drr.env.session import Session
from drr.env.shop import Shop, Sort
from drr.env.text import category_key
from drr.env.web.base import WebSearch
from drr.querygen.check_list import NONE, PASS, CheckResult, fail
from drr.querygen.shelves import Shelves, by_chance
from drr.tools.base import ToolAnswer, ToolContext, ToolError, context_for
from drr.tools.registry import call_sync
from drr.wording.currency import DOLLARS, Currency

ORDERS_READ = 300
"""The largest number of orders of a user who may be the asker of a checkable question."""
MOST_BY_CHANCE = 0.25
"""The highest chance at which random picks among the products of a kind may all be right."""
MOST_HITS = 50
"""Results of one search, as the tool allows."""
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True)
class PlanResults:
    """The answers to the calls of a plan; `None` for a refused call."""

    steps: Sequence[PlanStep]
    answers: Sequence[ToolAnswer | None]

    @cached_property
    def returned(self) -> set[str]:
        """Return the addresses of the returned sources, and the ids of products and orders among them."""
        sources = [source for answer in self.answers if answer for source in answer.sources]
        return {source.url for source in sources} | {
            source.record.get("_id", "") for source in sources if source.record
        }

    @cached_property
    def leaves(self) -> list[list[str | float]]:
        return [[] if answer is None else list(leaves(answer.data)) for answer in self.answers]

    def tells(self, fact: ExpectedFact) -> bool:
        """Tell whether a source of a fact was returned together with the fact's figure. A page must show the figure with its row and column."""
        if fact.kind == "page":
            return self._reads(fact)
        stated = any(same_figure(fact.value, leaf) for leaf in chain.from_iterable(self.leaves))
        return stated and bool(self.returned.intersection(fact.sources))

    def _reads(self, fact: ExpectedFact) -> bool:
        """Tell whether the fact's own page was shown with a row that has the figure and its column."""
        called = zip(self.steps, self.answers, strict=True)
        items = [i for step, one in called if one and step.tool == "web_search" for i in one.data["items"]]
        rows = [(item["url"], row) for item in items for row in item["rows"]]
        # Another text must have the figure too, as in earlier versions without rows and pages, so that a seed gives the same questions.
        shown = {*(row for _, row in rows), *(item["page"] for item in items)}
        texts = {leaf for leaf in chain.from_iterable(self.leaves) if isinstance(leaf, str)} - shown
        return any(_stands_in(fact.value, text) for text in texts) and any(
            url in fact.sources
            and _stands_in(fact.value, row)
            and all(name in row for name in fact.subjects[1:])
            for url, row in rows
        )

    def hops(self, question: str) -> int:
        """Return the length of the longest chain of calls, in which each call uses an answer of an earlier one."""
        shown = [
            [
                *known,
                *(
                    step
                    for s in (answer.sources if answer else ())
                    for step in (s.record or {}).get("categories", ())
                ),
            ]
            for known, answer in zip(self.leaves, self.answers, strict=True)
        ]
        depths: list[int] = []
        for place, step in enumerate(self.steps):
            given = [str(value) for value in step.arguments.values() if str(value) not in question]
            before = [depths[k] for k in range(place) if any(_leans_on(one, shown[k]) for one in given)]
            depths.append(1 + max(before, default=0))
        return max(depths, default=0)


def leaves(data: object) -> Iterator[str | float]:
    """Yield every text and number of a document."""
    if isinstance(data, Mapping):
        data = list(data.values())
    if isinstance(data, (list, tuple)):
        for one in data:
            yield from leaves(one)
    elif isinstance(data, (str, int, float)) and not isinstance(data, bool):
        yield data


def _leans_on(given: str, known: Sequence[str | float]) -> bool:
    numbers = _NUMBER.findall(given) if re.fullmatch(r"[\d.*+ ]+", given) else []
    return any(
        (len(leaf) >= 4 and leaf in given)
        if isinstance(leaf, str)
        else any(parse_figure(number) == leaf and leaf > 1 for number in numbers)
        for leaf in known
    )


def _stands_in(value: float | str, text: str) -> bool:
    return any(same_figure(value, number.rstrip(",")) for number in _NUMBER.findall(text))


def play(plan: Sequence[PlanStep], ctx: ToolContext) -> PlanResults:
    """Run the calls of a plan in a session and return their answers."""
    return PlanResults(plan, [_called(step, ctx) for step in plan])


def _called(step: PlanStep, ctx: ToolContext) -> ToolAnswer | None:
    try:
        return call_sync(step.tool, step.arguments, ctx)
    except ToolError:
        return None


def shown(constraint: Constraint, currency: Currency = DOLLARS) -> str:
    """Return the value of a constraint as a question states it."""
    if constraint.kind in ("price_max", "price_min"):
        return priced(float(constraint.value or 0), currency)
    return f"{constraint.value:g}" if isinstance(constraint.value, float) else str(constraint.value)


def idle(need: ShoppingNeed, shelf: Sequence[Product], owned: Collection[str]) -> Iterator[str]:
    """Yield the demands of a need that change nothing: without them the same products are right."""
    if need.best and len(satisfying_products(need.model_copy(update={"best": None}), shelf, owned)) == 1:
        yield need.best
    right = {p.product_id for p in satisfying_products(need, shelf, owned)}
    for kind, name in dict.fromkeys((one.kind, one.name) for one in need.constraints):
        rest = [one for one in need.constraints if (one.kind, one.name) != (kind, name)]
        without = need.model_copy(update={"constraints": rest})
        if {p.product_id for p in satisfying_products(without, shelf, owned)} == right:
            yield name or kind


@dataclass
class TruthChecker:
    """A checker of questions against the records of one shop and its web."""

    shop: Shop
    web: WebSearch
    _orders: dict[str, list[Order]] = field(default_factory=dict)
    _searched: dict[tuple[tuple[str, object], ...], list[str]] = field(default_factory=dict)

    @cached_property
    def shelves(self) -> Shelves:
        return Shelves(self.shop)

    def orders(self, user_id: str) -> list[Order]:
        """Return the user's orders, newest first; at most one more than `ORDERS_READ`."""
        if user_id not in self._orders:
            self._orders[user_id] = self.shop.store.orders(user_id, limit=ORDERS_READ + 1).items
        return self._orders[user_id]

    def owned(self, user_id: str) -> frozenset[str]:
        return frozenset(order.product_id for order in self.orders(user_id))

    def context(self, user_id: str) -> ToolContext:
        """Return a new session of the user for tool calls, as an agent has it."""
        return context_for(Session(self.shop, user_id), self.web)

    def check(self, query: Query) -> dict[str, CheckResult]:
        """Return the result of each check by name; empty for a question without a truth."""
        truth = query.checkable
        if truth is None:
            return {}
        played = play(truth.plan, self.context(query.user_id))
        axes, money = self.axes(query, truth, played), self.shop.manifest.money
        return {
            "solvable": _result(self._solvable(truth)),
            "unambiguous": _result(self._unambiguous(query, truth)),
            "stated": NONE if truth.stated else _result(_stated(query.query, truth, money)),
            "hidden": _result(
                chain(_hidden(money.as_dollars(query.query), truth), self._lucky(query, truth))
            ),
            "reached": _result(self._unreached(query.user_id, truth, played)),
            "axes": NONE if truth.axes is None else _result(_unlike(truth.axes, axes)),
        }

    def axes(self, query: Query, truth: Checkable, played: PlanResults) -> DifficultyAxes:
        """Return the axes of difficulty of a question."""
        owned = self.owned(query.user_id)
        shelves = [self.shelves.of(need.category) if need.category else () for need in truth.needs]
        misleading = [distractors(*one, owned) for one in zip(truth.needs, shelves, strict=True) if one[1]]
        hidden = {
            axis: round(fmean(getattr(one, axis) for one in misleading), 2) if misleading else 0.0
            for axis in ("near", "unknown")
        }
        return DifficultyAxes(
            needs=len(truth.needs),
            hops=played.hops(query.query),
            history=len(self.orders(query.user_id)),
            precision=sum(len(need.constraints) for need in truth.needs) + len(truth.facts),
            shop=self.shop.manifest.counts["products"],
            refusals=sum(need.refusal is not None for need in truth.needs),
            **hidden,
        )

    def _solvable(self, truth: Checkable) -> Iterator[str]:
        if not asks_for_findable(truth):
            yield "it asks for nothing that can be found"
        taken = list(chain.from_iterable(need.products for need in truth.needs))
        if len(taken) != len(set(taken)):
            yield "two needs share a product"
        for number, need in enumerate(truth.needs, 1):
            if (need.refusal is None) == (len(need.products) < need.picks):
                yield f"need {number} asks for {need.picks} of {len(need.products)} products"
            if need.refusal == "not_sold" and self.shelves.of(need.category):
                yield f"need {number} is sold here"
            if need.refusal == "nothing_fits" and not self.shelves.of(need.category):
                yield f"need {number} is not sold here at all"
        cheapest = self.shelves.cheapest(truth)
        if truth.budget is not None and (cheapest is None or cheapest > truth.budget):
            cost, limit = (priced(one, self.shop.manifest.money) for one in (cheapest, truth.budget))
            yield f"the cheapest picks cost {cost}, above {limit}"

    def _unambiguous(self, query: Query, truth: Checkable) -> Iterator[str]:
        owned = self.owned(query.user_id)
        for number, need in enumerate(truth.needs, 1):
            right = {p.product_id for p in satisfying_products(need, self.shelves.of(need.category), owned)}
            if right != set(need.products):
                yield f"need {number}: {len(right)} products satisfy it, {len(need.products)} are stated"
            if need.best is not None and len(right) > 1:
                yield f"need {number}: {len(right)} products share the first place"
            if need.anchor is not None and not self._anchored(query.user_id, need):
                yield f"need {number}: its order does not give what it should"
        for number, fact in enumerate(truth.facts, len(truth.needs) + 1):
            figure = figure_of(fact, self.shop.store, query.user_id)
            if fact.kind != "page" and (figure is None or not same_figure(fact.value, figure)):
                yield f"point {number}: the records say {figure}, {fact.value} is stated"
            if fact.anchor is not None and not self._named_row(query, fact):
                yield f"point {number}: its order names no spare part of this row's kind"

    def _named_row(self, query: Query, fact: ExpectedFact) -> bool:
        """Tell whether the fact's order, the only one of its day, leads by a spare part to the fact's row. The question must not name the row."""
        orders = self.orders(query.user_id)
        day, product_id = next(
            (
                (o.order_date[:10], o.product_id)
                for o in orders
                if fact.anchor and o.order_id == fact.anchor.order_id
            ),
            ("", ""),
        )
        product, row = self.shelves.products.get(product_id), fact.subjects[1]
        named = product and self.shelves.parts.get(detail(product, PART) or "")
        alone = sum(one.order_date[:10] == day for one in orders) == 1
        return alone and named == row and row not in query.query

    def _anchored(self, user_id: str, need: ShoppingNeed) -> bool:
        """Tell whether the need's order is the only one of its day and implies the stated category and limits."""
        anchor, orders = need.anchor, self.orders(user_id)
        order = next((one for one in orders if anchor and one.order_id == anchor.order_id), None)
        product = None if order is None else self.shelves.products.get(order.product_id)
        if anchor is None or order is None or product is None:
            return False
        given = [one for one in need.constraints if one.kind in anchor.gives]
        below = None if product.price is None else round(product.price - 0.01, 2)
        makers = {category_key(str(one.value)) for one in given if one.kind == "brand_not"}
        return (
            sum(one.order_date[:10] == order.order_date[:10] for one in orders) == 1
            and ("category" not in anchor.gives or need.category == product.categories[-2:])
            and all(one.value == below for one in given if one.kind == "price_max")
            and all(one.value == detail(product, one.name or "") for one in given if one.kind == "attribute")
            and ("brand_not" not in anchor.gives or makers == brands(product))
        )

    def _lucky(self, query: Query, truth: Checkable) -> Iterator[str]:
        """Yield the needs that random picks or a plain search would meet, and the demands that change nothing."""
        for number, need in enumerate(truth.needs, 1):
            if shelf := self.shelves.of(need.category):
                for one in idle(need, shelf, self.owned(query.user_id)):
                    yield f"need {number}: {one} decides nothing"
            chance = by_chance(len(need.products), need.picks, len(shelf))
            if need.products and chance > MOST_BY_CHANCE:
                yield f"need {number} is met by a blind choice {chance:.0%} of the time"
            if order := self.blind_order(query.user_id, need):
                yield f"need {number} is met by the first of a search for {need.category[-1]!r} by {order}"

    def blind_order(
        self, user_id: str, need: ShoppingNeed, among: Collection[str] | None = None
    ) -> str | None:
        """Return the sort order in which a search without constraints meets a need; `None` for none. `among` are the products that can be had."""
        if not need.products or not need.category:
            return None
        asked: JsonObject = {"query": need.category[-1], "limit": need.picks if among is None else MOST_HITS}
        shelf = {**asked, "category": " > ".join(need.category), "match": "any"}
        for arguments in (asked, *({**shelf, "sort": order} for order in get_args(Sort))):
            key = tuple(arguments.items())
            if key not in self._searched:  # the same for every user
                step = PlanStep(tool="product_catalog_search", arguments=arguments)
                found = _called(step, self.context(user_id))
                self._searched[key] = [item["product_id"] for item in found.data["items"]] if found else []
            ids = [one for one in self._searched[key] if among is None or one in among][: need.picks]
            if ids and set(ids) <= set(need.products):
                return str(arguments.get("sort", "relevance"))
        return None

    def _unreached(self, user_id: str, truth: Checkable, played: PlanResults) -> Iterator[str]:
        yield from (
            f"step {number} of the plan, {step.tool}, is refused"
            for number, (step, answer) in enumerate(zip(played.steps, played.answers, strict=True), 1)
            if answer is None
        )
        for number, need in enumerate(truth.needs, 1):
            missing = set(need.products) - played.returned
            if missing:
                yield f"need {number}: the plan does not find {len(missing)} of {len(need.products)} products"
            if need.refusal is not None and not any(s.tool == "product_catalog_search" for s in played.steps):
                yield f"need {number}: the plan never looks for it"
            of_history = any(one.kind in ("owned", "not_owned") for one in need.constraints)
            if (of_history or need.anchor) and not {
                o.order_id for o in self.orders(user_id)
            } <= played.returned:
                yield f"need {number}: the plan does not read all orders"
            details = {s.arguments.get("product_id") for s in played.steps if s.tool == "get_product_details"}
            read = len(details & set(need.products))
            if read < need.picks and need.products and any(c.kind == "attribute" for c in need.constraints):
                yield f"need {number}: the plan reads the details of {read} products"
        for number, fact in enumerate(truth.facts, len(truth.needs) + 1):
            if not played.tells(fact):
                yield f"point {number}: the plan does not tell its figure"


def _unlike(stated: DifficultyAxes, axes: DifficultyAxes) -> Iterator[str]:
    if stated != axes:
        yield f"they are {axes.model_dump_json()}"


def _result(problems: Iterator[str]) -> CheckResult:
    found = list(problems)
    return fail("; ".join(found)) if found else PASS


def _stated(question: str, truth: Checkable, currency: Currency) -> Iterator[str]:
    """Yield limits that are neither in the question nor implied by an order."""
    for number, need in enumerate(truth.needs, 1):
        given = need.anchor.gives if need.anchor else []
        limits = [
            (one.kind, one.name if one.kind == "not_id" else shown(one, currency)) for one in need.constraints
        ]
        for kind, text in [*limits, *(("category", step) for step in need.category)]:
            if kind == "attribute" and kind in given:
                text = next(one.name for one in need.constraints if one.kind == kind)
            elif kind in given:
                continue
            if kind not in ("owned", "not_owned") and str(text) not in question:
                yield f"need {number}: {kind} {text} does not stand in the question"
    if truth.budget is not None and priced(truth.budget, currency) not in question:
        yield f"the budget {priced(truth.budget, currency)} does not stand in the question"


def _hidden(question: str, truth: Checkable) -> Iterator[str]:
    """Yield ids and figures of the answer that the question reveals."""
    ids = {one for need in truth.needs for one in need.products}
    ids |= {one for fact in truth.facts if fact.kind not in ("spend_year", "page") for one in fact.subjects}
    yield from (f"the id {one} stands in the question" for one in sorted(ids) if one in question)
    for number, fact in enumerate(truth.facts, len(truth.needs) + 1):
        if str(fact.value) in question or _stands_in(fact.value, question):
            yield f"point {number}: its figure stands in the question"
