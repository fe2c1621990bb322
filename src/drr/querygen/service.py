"""Makes talks with a shopper from a shop's records: what he wants, what he tells when asked, and the policy. Each is played before it is given out."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Literal, cast, get_args

from drr.env.checkable import Checkable, PlanStep, ShoppingNeed, in_category
from drr.env.entities import Order, OrderStatus, Product
from drr.env.errors import DrrError, Misuse
from drr.env.query import Query
from drr.env.service.case import (
    CART_TOOLS,
    ClauseName,
    OrderRequest,
    Reason,
    ServiceCase,
    ServicePolicy,
    ShopClauseName,
    SlotKind,
)
from drr.env.service.clauses import Act, broken_by, policy_page
from drr.env.service.outcome import ServiceOutcome, gold_form
from drr.env.service.state import ServiceState
from drr.env.session import Change, Session
from drr.env.shop import Shop
from drr.env.text import category_key
from drr.env.web.base import WebSearch
from drr.querygen.check_list import PASS, fail
from drr.querygen.checks import Checked
from drr.querygen.composing import QuestionMaker
from drr.querygen.service_wish import DrawnWish, WishDraw
from drr.tools.base import ToolAnswer, ToolContext, ToolError, context_for
from drr.tools.registry import call_sync
from drr.wording.dates import day_words

TRIES = 400
_READY: Mapping[str, OrderStatus] = {"cancel": "Processing", "return": "Delivered"}
_TRAPS = {
    "cancel": ("shipping", "grounds", "account"),
    "return": ("shipping", "grounds", "account", "window", "hygiene"),
}
_TRAPPED = 0.5
"""The share of requests that a clause forbids."""
Action = Literal["cancel", "return"]
_ACTIONS: tuple[Action, ...] = get_args(Action)


class GoldPath:
    """The calls that serve a shopper rightly, made one by one in a session of their own. A call that is refused is an error."""

    def __init__(self, ctx: ToolContext) -> None:
        self.ctx, self.steps = ctx, list[PlanStep]()

    def call(self, tool: str, **arguments: Any) -> ToolAnswer:
        self.steps.append(PlanStep(tool=tool, arguments=arguments))
        try:
            return call_sync(tool, arguments, self.ctx)
        except ToolError as error:
            raise DrrError(f"the gold path of a talk was refused: {tool}: {error.message}") from error


@dataclass
class ServiceMaker:
    """A maker of talks about one shop and its web. The same seed gives the same talk."""

    shop: Shop
    web: WebSearch
    base: QuestionMaker = field(init=False)
    tools: ClassVar[Sequence[str]] = CART_TOOLS

    def __post_init__(self) -> None:
        self.base = QuestionMaker(self.shop, self.web)

    @cached_property
    def words(self) -> Mapping[str, Any]:
        return tomllib.loads(Path(__file__).with_name("service.toml").read_text(encoding="utf-8"))

    @cached_property
    def departments(self) -> list[str]:
        """First steps of category paths, each in one spelling."""
        names = {p.categories[0] for p in self.base.checker.shelves.products.values() if p.categories}
        plain_last = sorted(names, key=lambda name: ("_" not in name, name))
        return sorted({category_key(name): name for name in plain_last}.values())

    @cached_property
    def priced(self) -> list[Product]:
        return [one for one in self.base.checker.shelves.products.values() if one.price]

    @property
    def today(self) -> date:
        return date.fromisoformat(self.shop.manifest.as_of)

    @property
    def _is_able(self) -> bool:
        return bool(self.base.kinds and self.base.users and len(self.departments) > 1)

    def make(self, seed: int | str) -> Query:
        """Draw until a talk comes of the seed, and return it with its gold path. Raise `Misuse` where the shop gives none."""
        rng = Random(f"service:{seed}")
        for _ in range(TRIES if self._is_able else 0):
            query = self._query(rng, rng.choice(self.base.users))
            if query is not None:
                return query
        raise Misuse(f"{self.shop.spec}: no talk came of seed {seed}; name another seed, or a larger shop")

    def _query(self, rng: Random, user_id: str) -> Query | None:
        policy = self._policy(rng)
        wish = self._wish(rng, user_id, policy)
        if wish is None:
            return None
        case = self._case(rng, user_id, policy, wish)
        if case is None:
            return None
        query = Query(
            query=self._opening(rng, case, wish.need),
            user_id=user_id,
            tools=[*self.tools],  # all of them: those of the plan would tell what is refused
            shop_hash=self.shop.manifest.content_hash,
            currency=self.shop.manifest.currency,
            model="rules",
            rule_written=True,
            checkable=Checkable(needs=[wish.need], budget=wish.budget),
            service=case,
        )
        plan = self.gold(query)
        assert query.checkable is not None
        query.checkable = query.checkable.model_copy(update={"plan": plan})
        return query

    def _wish(self, rng: Random, user_id: str, policy: ServicePolicy) -> DrawnWish | None:
        return WishDraw(self.base, self.words, rng, user_id, policy).drawn()

    def _opening(self, rng: Random, case: ServiceCase, need: ShoppingNeed) -> str:
        """Return the question: his wishes, the policy and the form."""
        points = [self.words["buy"].format(category=" > ".join(need.category))]
        points += [self.words[one.action] for one in case.requests]
        policy = case.policy
        assert isinstance(policy, ServicePolicy)
        listed = "\n".join(f"{number}. {point}" for number, point in enumerate(points, 1))
        opening, greeting = self.words["opening"].strip(), rng.choice(self.words["greetings"])
        page = policy_page(policy, self.shop.manifest.money)
        return str(opening.format(greeting=greeting, points=listed, policy=page))

    def _policy(self, rng: Random) -> ServicePolicy:
        short, hygiene = rng.sample(self.departments, 2)
        window = rng.choice((30, 45, 60, 90))
        return ServicePolicy(
            asking=rng.choice((2, 3)),
            quantity=rng.choice((3, 4, 5)),
            ground=rng.choice(get_args(Reason)),
            window=window,
            short_window=rng.choice((7, 10, 14)),
            short_department=short,
            hygiene=hygiene,
            least=float(rng.choice((15, 25, 40))),
        )

    # -- orders that were placed before

    def _case(self, rng: Random, user_id: str, policy: ServicePolicy, wish: DrawnWish) -> ServiceCase | None:
        past = PastOrders(rng, self, user_id, policy, wish.need)
        requests, slots, values = list[OrderRequest](), dict(wish.slots), dict(wish.values)
        actions = [rng.choice(_ACTIONS) for _ in range(rng.choice((1, 1, 2)))]
        for point, action in enumerate(actions, 2):
            trap = rng.choice(_TRAPS[action]) if rng.random() < _TRAPPED else None
            order = past.foreign() if trap == "account" else past.drawn(action, trap)
            reasons = [one for one in get_args(Reason) if (one == policy.ground) == (trap == "grounds")]
            reason = rng.choice(reasons)
            named = order.order_id if trap == "account" else day_words(order.order_date)
            form = "foreign" if trap == "account" else "order"
            for kind, which, value in (("order", form, named), ("reason", "reason", reason)):
                sentence = self.words["slots"][which].format(point=point, value=value)
                slots.setdefault(cast(SlotKind, kind), []).append(sentence)
                values[sentence] = [value]
            requests.append(OrderRequest(action=action, order_id=order.order_id, reason=reason))
        for action in _ACTIONS:
            past.drawn(action, None)  # what nobody speaks of must stay as it is
        case = ServiceCase(
            policy=policy,
            purchase=wish.purchase,
            requests=requests,
            orders=past.orders,
            slots=slots,
            change=wish.change,
            values=values,
        )
        state = ServiceState(case, self.shop, user_id, asked={"reason"})
        known = [one.model_copy(update={"refusals": refusals_of(state, one)}) for one in requests]
        return case.model_copy(update={"requests": known})

    def checked(self, query: Query) -> Checked:
        """Check a talk by serving its shopper rightly."""
        try:
            self.gold(query)
        except DrrError as error:
            return Checked(query, {"gold": fail(str(error))})
        return Checked(query, {"gold": PASS})

    # -- the gold path

    def gold(self, query: Query) -> list[PlanStep]:
        """Serve the shopper of a talk rightly in a session of its own, and return the calls."""
        case, truth = query.service, query.checkable
        assert case is not None and truth is not None
        path = GoldPath(context_for(Session(self.shop, query.user_id, case=case), self.web))
        self._buy(path, case, truth.needs[0])
        for wish in case.requests:
            if wish.is_due:
                self._serve(path, wish)
        done = self._done(query, path.ctx.session.changes())
        if (done.state, done.says_does, done.policy) != (1, 1, 1):
            raise DrrError(f"the gold path of a talk does not end as it should: {done.kept}")
        return path.steps

    def _buy(self, path: GoldPath, case: ServiceCase, need: ShoppingNeed) -> None:
        """Ask for all that he tells, and buy what is right."""
        kinds = [kind for kind in get_args(SlotKind) if kind in case.slots]
        for at in range(0, len(kinds), case.policy.asking):
            about = kinds[at : at + case.policy.asking]
            path.call("ask_shopper", question="What should I know about this?", about=about)
        path.call("get_user_orders", limit=100)
        kind = " > ".join(need.category)
        path.call("product_catalog_search", query=need.category[-1], category=kind, match="any", limit=50)
        right = self.shop.store.products(need.products)
        for one in sorted(right, key=lambda one: (one.price or 0, one.product_id))[: need.picks]:
            path.call("get_product_details", product_id=one.product_id)
            shown = path.call("add_to_cart", product_id=one.product_id, quantity=case.purchase.quantity)
        is_due = not case.purchase.voucher_used and shown.data["goods"] >= case.policy.least
        with_voucher = {"voucher": case.purchase.voucher} if case.purchase.voucher and is_due else {}
        total, agreed = path.call("view_cart", **with_voucher).data["total"], False
        while not agreed and not path.ctx.service.is_over:
            asked = {"question": "May I order this?", "about": ["confirmation"], "total": total}
            agreed = path.call("ask_shopper", **asked).data["agreed"]
        path.call("checkout", **with_voucher)

    def _serve(self, path: GoldPath, wish: OrderRequest) -> None:
        """Do what is asked about one order."""
        tool = {"cancel": "cancel_order", "return": "return_items"}[wish.action]
        path.call(tool, order_id=wish.order_id, reason=wish.reason)

    def _done(self, query: Query, changes: Sequence[Change]) -> ServiceOutcome:
        return ServiceOutcome(query, changes, gold_form(query, changes))


def refusals_of(state: ServiceState, request: OrderRequest) -> list[ClauseName | ShopClauseName]:
    """Return the clauses that forbid a request, as their own predicates say."""
    order = state.order(request.order_id)
    product = None if order is None else state.shop.store.product(order.product_id)
    act = Act(request.action, order=order, product=product, reason=request.reason)
    return [one.name for one in broken_by(state, act)]


def placed_order(
    rng: Random, product_id: str, user_id: str, when: tuple[str, int], status: OrderStatus
) -> Order:
    """Return an order of one piece with a drawn number; `when` is a day and a second of it."""
    day, moment = when
    return Order(
        order_id=f"{rng.randrange(10**16):016}",
        product_id=product_id,
        user_id=user_id,
        order_date=f"{day}T{moment // 3600:02}:{moment // 60 % 60:02}:{moment % 60:02}.000",
        order_status=status,
    )


class PastOrders:
    """Draws the recent orders of a shopper, each the only one of its day."""

    def __init__(
        self, rng: Random, maker: ServiceMaker, user_id: str, policy: ServicePolicy, need: ShoppingNeed
    ) -> None:
        self.rng, self.maker, self.user_id, self.policy, self.need = rng, maker, user_id, policy, need
        self.orders: list[Order] = []
        self._known = maker.base.checker.orders(user_id)

    def foreign(self) -> Order:
        """Return an order of another user."""
        base = self.maker.base
        other = self.rng.choice([one for one in base.users if one != self.user_id])
        return self.rng.choice(base.checker.orders(other))

    def drawn(self, action: Action, trap: str | None) -> Order:
        """Draw an order that may be cancelled or returned, or one that the clause of the trap forbids."""
        status: OrderStatus = "Shipped" if trap == "shipping" else _READY[action]
        product = self._product(hygiene=trap == "hygiene")
        policy, moment = self.policy, self.rng.randrange(86_400)
        short = in_category(product, [policy.short_department])
        limit = policy.short_window if short else policy.window
        ages = range(limit + 1, limit + 90) if trap == "window" else range(1, limit)
        if action == "cancel":
            ages = range(1, 30)
        taken = {order.order_date[:10] for order in [*self._known, *self.orders]}
        days = [(self.maker.today - timedelta(age)).isoformat() for age in ages]
        day = self.rng.choice([one for one in days if one not in taken])
        order = placed_order(self.rng, product.product_id, self.user_id, (day, moment), status)
        self.orders.append(order)
        return order

    def _product(self, *, hygiene: bool) -> Product:
        """Draw a product with a price, of another kind than what is to be bought."""
        while True:
            found = self.rng.choice(self.maker.priced)
            is_of_need = in_category(found, self.need.category)
            if not is_of_need and in_category(found, [self.policy.hygiene]) == hygiene:
                return found
