"""Composes checkable questions from a shop's own records; each is checked before it is returned.

A seed decides the facts; the wording is drawn separately.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, cast, get_args

from drr.env.checkable import Checkable, ConstraintKind, ExpectedFact, PlanStep, ShoppingNeed
from drr.env.errors import Misuse
from drr.env.query import Query
from drr.env.records.lines import priced
from drr.env.shop import Shop
from drr.env.web.base import WebSearch
from drr.env.web.open import sandbox_of
from drr.querygen.checkable import ORDERS_READ, TruthChecker, play
from drr.querygen.checks import Checker
from drr.querygen.drawing import (
    AbsentKind,
    DrawnPoint,
    NeedDraw,
    NeedForm,
    PageFigure,
    PointSource,
    absent_kinds,
    cells,
    need_form,
)
from drr.querygen.figures import FactDraw
from drr.wording.money import dollar_amounts

_WORDS = Path(__file__).parent / "checkable.toml"
TRIES = 400
"""The number of draws for one question before the shop counts as unable to give one."""
SHELF = range(4, 121)
"""The numbers of products that a kind may have to be asked for."""
TRIES_EACH = 5
"""The number of drafts for each question; drafts too similar to an earlier question are dropped."""
REFUSED, BUDGETED = 0.25, 0.8
"""The share of needs that must be refused, and the share of questions with needs that have a budget."""
DEMANDS: tuple[ConstraintKind, ...] = get_args(ConstraintKind)
_USERS = 300
_REDRAWS, _FORMS, _STEERED = 120, 40, 34
_KINDS = 5
"""The smallest number of kinds in a shop for which hidden difficulty is steered."""


def _figures_of_pages(web: WebSearch, currency: str) -> list[PageFigure]:
    """Return the figures in tables of pages. Pages with prices in dollars are of another country than a shop of another currency."""
    box = sandbox_of(web)
    pages = [page for page in box.documents if page.kind == "supportive"] if box else []
    if currency != "USD":
        pages = [page for page in pages if not dollar_amounts(f"{page.title} {page.text}")]
    return [cell for page in pages for cell in cells(page)]


@dataclass
class QuestionMaker:
    """A maker of checkable questions about one shop and its web. The same seed gives the same question."""

    shop: Shop
    web: WebSearch
    checker: TruthChecker = field(init=False)

    def __post_init__(self) -> None:
        self.checker = TruthChecker(self.shop, self.web)

    @cached_property
    def words(self) -> Mapping[str, Any]:
        return _words(self.shop.manifest.foreign_language)

    @cached_property
    def users(self) -> list[str]:
        """Users with orders, few enough to be read in a few calls."""
        found = self.shop.store.sample_users(_USERS, seed=0, min_orders=3)
        return [one for one in found if len(self.checker.orders(one)) <= ORDERS_READ]

    @cached_property
    def _ends(self) -> list[tuple[str, str]]:
        """Return the last two steps of category paths that hold a suitable number of products."""
        shelves = self.checker.shelves
        ends = {tuple(p.categories[-2:]) for p in shelves.products.values() if len(p.categories) > 1}
        return [
            cast(tuple[str, str], end)
            for end in sorted(ends)
            if len(shelves.of(end)) in SHELF and not {'"', ">"} & set("".join(end))
        ]

    @cached_property
    def absent(self) -> list[AbsentKind]:
        """Kinds that the shop lacks. They are the same in all its questions, so that they recur like kinds that it sells."""
        rng = Random(f"absent:{self.shop.manifest.content_hash}")
        return absent_kinds(rng, self._ends, self.words["absent"], self.checker.shelves)

    @cached_property
    def kinds(self) -> list[tuple[str, str]]:
        """Kinds to ask for, without those that lend their values to absent kinds, whose values would occur in both."""
        lent = {one.lender for one in self.absent}
        rest = [kind for kind in self._ends if kind not in lent]
        return rest if len(rest) >= _KINDS else self._ends

    @cached_property
    def cells(self) -> list[PageFigure]:
        return _figures_of_pages(self.web, self.shop.manifest.money.code)

    def make(self, seed: int | str, level: int | None = None, demand: ConstraintKind | None = None) -> Query:
        """Draw until a question passes every check and has the requested level and demand. Raise `Misuse` where the shop gives none."""
        if not self.kinds or not self.users:
            raise Misuse(
                f"{self.shop.spec}: has no kind of product with {SHELF[0]} to {SHELF[-1]} products, or no user with"
                " three orders; checkable questions need both"
            )
        rng = Random(f"checkable:{seed}")
        draw = self.words["levels"][level - 1] if level else self.words["draw"]
        for _ in range(TRIES):
            query = self._query(rng, rng.choice(self.users), draw, demand)
            if (
                query
                and self.of_level(query, level)
                and not any(one.status == "fail" for one in self.checker.check(query).values())
            ):
                return query
        raise Misuse(
            f"{self.shop.spec}: no checkable question came of seed {seed} in {TRIES} tries; name another"
        )

    @cached_property
    def middles(self) -> Mapping[str, float]:
        """Return the number of misleading products that separates few from many, by hidden axis."""
        if len(self.kinds) < _KINDS:
            return {}
        size = median(len(self.checker.shelves.of(kind)) for kind in self.kinds)
        return {axis: share * size for axis, share in self.words["middles"].items()}

    def _needs(
        self, asker: PointSource, demand: ConstraintKind | None, refused: bool
    ) -> Iterator[DrawnPoint]:
        """Draw forms and yield a need of each. The shop can meet and refuse each form, so a form tells nothing of the truth."""
        for number in range(_FORMS):
            form = need_form(asker.rng, asker.demands, demand)
            if number >= _STEERED or not self.middles:
                form = form._replace(much={})
            turned = form._replace(much={axis: not much for axis, much in form.much.items()})
            empty = self._need(asker, form, True)
            met = empty and self._need(asker, form, False)
            if empty and met and (not form.much or self._need(asker, turned, False)):
                yield empty if refused else met

    def _need(self, asker: PointSource, form: NeedForm, refused: bool) -> DrawnPoint | None:
        """Draw values until a need fits its form and no plain search meets the need."""
        for draw in [NeedDraw(asker, form)] * _REDRAWS:
            part = draw.part(refused)
            if part and not self.checker.blind_order(asker.user_id, cast(ShoppingNeed, part.truth)):
                return part
        return None

    def budget(self, truth: Checkable, rng: Random) -> float | None:
        """Draw a budget. Where each pick has a price limit, it lies below the sum of limits, and a single pick has no budget."""
        limits = [
            min((float(one.value or 0) for one in need.constraints if one.kind == "price_max"), default=0.0)
            for need in truth.needs
        ]
        if not all(limits):
            return float(int(self.checker.shelves.least_budget(truth) * rng.uniform(1.05, 1.3)) + 1)
        lenders = {one.category: one.lender for one in self.absent}
        least, most = self.checker.shelves.cheapest(truth) or 0.0, 0.0
        for need, limit in zip(truth.needs, limits, strict=True):
            most += need.picks * limit
            if need.refusal is not None:
                kind = tuple(need.category)
                shelf = self.checker.shelves.of(lenders.get(kind, kind))
                prices = [p.price for p in shelf if p.price and p.price <= limit]
                known = [*prices, *[limit] * (need.picks - len(prices))]
                least += sum(rng.sample(known, need.picks))
        fitting = range(ceil(max(least, *limits)), int(most) + 1)
        alone = sum(need.picks for need in truth.needs) == 1
        return float(rng.choice(fitting)) if fitting and not alone else None

    def of_level(self, query: Query, level: int | None) -> bool:
        """Tell whether the axes of a question lie within those of a level; `None` admits any."""
        axes = query.checkable and query.checkable.axes
        spans = {} if level is None else self.words["levels"][level - 1]["axes"]
        return all(low <= getattr(axes, axis) <= high for axis, (low, high) in spans.items())

    def _query(
        self, rng: Random, user_id: str, draw: Mapping[str, Any], demand: ConstraintKind | None
    ) -> Query | None:
        """Try once to compose a question of one user; return `None` where a draw fails."""
        checker, orders = self.checker, self.checker.orders(user_id)
        asker = point_source(self, rng, user_id, draw["demands"])
        if not asker.kinds:
            return None
        needs = rng.choice(draw["needs"]) or int(demand is not None)
        facts = rng.choice(draw["facts"]) or needs < 2
        refusals = [rng.random() < REFUSED for _ in range(needs)]
        demands = [demand, *[None] * (needs - 1)]
        if all(refusals) and not facts:
            return None
        parts, bought = list[DrawnPoint](), {o.order_id: o.product_id for o in orders}
        needed = [self._needs(asker, *one) for one in zip(demands[:needs], refusals, strict=True)]
        asked = [_figures(asker) for _ in range(facts)]
        for drawn in (*needed, *asked):
            part = next((one for one in drawn if one and _stands_beside(one, parts, bought)), None)
            if part is None:
                return None
            parts.append(part)
        truth = Checkable(
            needs=[part.truth for part in parts if isinstance(part.truth, ShoppingNeed)],
            facts=[part.truth for part in parts if isinstance(part.truth, ExpectedFact)],
            plan=_plan(parts, len(orders)),
        )
        if needs and asker.priced:
            truth = truth.model_copy(update={"budget": self.budget(truth, rng)})
        query = Query(
            query=wording(asker, parts, truth.budget, rng.choice(self.words["draw"]["noise"])),
            user_id=user_id,
            tools=sorted({step.tool for step in truth.plan}),
            shop_hash=self.shop.manifest.content_hash,
            currency=self.shop.manifest.currency,
            model="rules",
            rule_written=True,
            checkable=truth,
        )
        played = play(truth.plan, checker.context(user_id))
        query.checkable = truth.model_copy(update={"axes": checker.axes(query, truth, played)})
        if any(step.tool == "web_search" for step in truth.plan):
            query.web_need = "what the table of a web page gives"
        return query


def _words(language: str | None) -> Mapping[str, Any]:
    """Return the words of questions. English kinds that a shop lacks are named in English shops alone: elsewhere they would stand out."""
    words = tomllib.loads(_WORDS.read_text(encoding="utf-8"))
    return words if language is None else {**words, "absent": []}


def _figures(asker: PointSource) -> Iterator[DrawnPoint | None]:
    draw = FactDraw(asker)
    yield from (draw.part() for _ in range(_REDRAWS))


def point_source(maker: QuestionMaker, rng: Random, user_id: str, demands: Sequence[int]) -> PointSource:
    """Return the source of a question's points."""
    return PointSource(
        rng,
        maker.words,
        user_id,
        maker.checker.orders(user_id),
        maker.checker.shelves,
        maker.shop.store,
        maker.kinds,
        maker.cells,
        maker.absent,
        demands,
        maker.middles,
        rng.random() < BUDGETED,
        maker.shop.manifest.money,
    )


def checkable_questions(
    shop: Shop, web: WebSearch, seed: int, count: int, *, min_products: int = 3, curriculum: bool = False
) -> list[Query]:
    """Make up to `count` questions that pass every check.

    A curriculum has the same number of each level, the easiest first, and within a level each kind of demand in turn.
    """
    maker, checker, made, missed = QuestionMaker(shop, web), Checker(shop, min_products), list[Query](), 0
    for number in range(TRIES_EACH * count):
        if len(made) == count:
            break
        levels = len(maker.words["levels"])
        level = 1 + len(made) * levels // count if curriculum else None
        demand = DEMANDS[len(made) % len(DEMANDS)] if curriculum else None
        try:
            query = maker.make(f"{seed}:{number}", level, demand)
        except Misuse:
            if (missed := missed + 1) == TRIES_EACH:
                raise
            continue
        if not checker.accept(query).failed:
            made.append(query)
            missed = 0
    return made


def _asked(part: DrawnPoint) -> tuple[str, ...]:
    """Return the kind or figure that a point asks for. No question asks for the same one twice."""
    truth = part.truth
    return tuple(truth.category) if isinstance(truth, ShoppingNeed) else (truth.kind, *truth.subjects)


def _concerned(part: DrawnPoint, bought: Mapping[str, str]) -> set[str]:
    """Return the products that a point names, leads to or offers for picking. Other points must reveal nothing of them."""
    truth = part.truth
    found = [truth.anchor.order_id] if truth.anchor else []
    if isinstance(truth, ShoppingNeed):
        found += [*truth.products, *(str(one.value) for one in truth.constraints if one.kind == "not_id")]
    elif truth.kind not in ("orders_sum", "spend_year", "page"):
        found += truth.subjects
    return {bought.get(one, one) for one in found}


def _stands_beside(part: DrawnPoint, parts: Sequence[DrawnPoint], bought: Mapping[str, str]) -> bool:
    """Tell whether a point repeats no other point and reveals nothing of the others' products."""
    own = _concerned(part, bought)
    return all(_asked(one) != _asked(part) and own.isdisjoint(_concerned(one, bought)) for one in parts)


def wording(of: PointSource, parts: Sequence[DrawnPoint], budget: float | None, noise: int) -> str:
    """Write a question: noise, an opening, the points, the budget and a closing."""
    words = of.words
    lines = [of.worded([form]) for form in of.rng.sample(words["noise"], noise)]
    lines.append(of.worded(words["openings"]))
    picks = [one.truth.picks for one in parts if isinstance(one.truth, ShoppingNeed)]
    forms = words["budget_of_one" if picks == [1] else "budgets"]
    limit = of.worded(forms, budget=priced(budget, of.currency)) if budget is not None else ""
    points = [f"{number}. {part.text}" for number, part in enumerate(parts, 1)]
    ending = " ".join(filter(None, [limit, of.worded(words["closings"])]))
    return "\n".join([" ".join(lines), *points, ending])


def _plan(parts: Sequence[DrawnPoint], orders_read: int) -> list[PlanStep]:
    """Return the calls of all points, each once, with the orders first because other calls use them."""
    orders = [
        PlanStep(
            tool="get_user_orders",
            arguments={"limit": 100, "offset": offset} if offset else {"limit": 100},
        )
        for offset in range(0, max(1, orders_read), 100)
    ]
    steps = [step for part in parts for step in part.plan]
    if any(step.tool == "get_user_orders" for step in steps):
        steps = [*orders, *(step for step in steps if step.tool != "get_user_orders")]
    return [step for k, step in enumerate(steps) if step not in steps[:k]]
