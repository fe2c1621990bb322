"""Makes talks of version 2: three to six wishes, served under the policy of a shop that could exist."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any, ClassVar, cast, get_args

from drr.env.checkable import Constraint, PlanStep, ShoppingNeed
from drr.env.errors import DrrError, Misuse
from drr.env.query import Query
from drr.env.service.case import (
    CART_TOOLS,
    ORDER_TOOLS,
    ChangeOfMind,
    OrderRequest,
    ServiceCase,
    ServicePolicy,
    SlotKind,
    WantedPurchase,
)
from drr.env.service.clauses import kind_of, refund_of
from drr.env.service.policies import ShopPolicy, editions_of
from drr.env.service.served import ServedOutcome, served_form
from drr.env.service.state import stock_of
from drr.env.session import Session
from drr.env.shop import Shop
from drr.env.web.base import WebSearch
from drr.querygen.service import GoldPath, ServiceMaker
from drr.querygen.service_requests import RequestDraw
from drr.querygen.service_wish import DrawnWish
from drr.tools.base import context_for

PARTS = (
    "return",
    "return",
    "some",
    "return_if",
    "cancel",
    "cancel",
    "readdress",
    "readdress",
    "foreign",
    "voucher",
)
"""Things that are wished besides the purchase; what stands twice is drawn more often."""
_RANKED, _NO_OLD = 0.25, 0.6
"""Shares of purchases by preference, and of purchases without a voucher in which no old one is spoken of."""


@dataclass
class ShopTalks(ServiceMaker):
    """A maker of talks under the shop's own policy. The same seed gives the same talk."""

    tools: ClassVar[Sequence[str]] = (*CART_TOOLS, *ORDER_TOOLS)

    @cached_property
    def own_words(self) -> Mapping[str, Any]:
        return tomllib.loads(Path(__file__).with_name("service_shop.toml").read_text(encoding="utf-8"))

    @cached_property
    def shop_policy(self) -> ShopPolicy:
        """Return the edition that is in force."""
        sold = {one.category for one in self.base.checker.shelves.products.values()}
        manifest = self.shop.manifest
        return editions_of(manifest.content_hash, sold, self.today, manifest.money)[-1]

    @property
    def _is_able(self) -> bool:
        policy, sold = self.shop_policy, {kind_of(one) for one in self.priced}
        if sold.isdisjoint([*policy.shorter, *policy.hygiene, *policy.fee, *policy.final]):
            raise Misuse(
                f"{self.shop.spec}: its goods are of no kind that a policy names; make a shop with the axis `real_kinds`"
            )
        return bool(self.base.kinds and self.base.users)

    def _policy(self, rng: Random) -> ServicePolicy:
        return cast(ServicePolicy, self.shop_policy)  # whose figures of a purchase have the same names

    def _wish(self, rng: Random, user_id: str, policy: ServicePolicy) -> DrawnWish | None:
        if rng.random() < _RANKED:
            return self._ranked(rng, user_id)
        return super()._wish(rng, user_id, policy)

    def _ranked(self, rng: Random, user_id: str) -> DrawnWish | None:
        """Draw three products by preference, of which the first is out."""
        shelves, words = self.base.checker.shelves, self.own_words["requests"]
        kind = rng.choice(self.base.kinds)
        owned = {one.product_id for one in self.base.checker.orders(user_id)}
        stock = {
            one.product_id: stock_of(self.shop.manifest.content_hash, one.product_id).pieces
            for one in shelves.of(kind)
        }
        known = [
            one
            for one in shelves.of(kind)
            if one.price and one.product_id not in owned and shelves.titles[one.title] == 1
        ]
        had = [one for one in known if stock[one.product_id] > 3]
        out = [one for one in known if not stock[one.product_id]]
        if not out or len(had) < 2:
            return None
        first, (second, third) = rng.choice(out), rng.sample(had, 2)
        choice = words["choices"].format(first=first.title, second=second.title, third=third.title)
        counts = rng.sample((1, 2, 3), 2)
        before, now = (
            self.words["slots"]["quantity"].format(
                count=f"{self.words['numbers'][count]} piece{'s' * (count > 1)}"
            )
            for count in counts
        )
        change = ChangeOfMind(
            kind="quantity",
            after=rng.randint(1, 4),
            sentence=self.words["changed"].format(now=now),
            now=[now],
        )
        counted = {one: [one.removeprefix("I need ").rstrip(".")] for one in (before, now)}
        return DrawnWish(
            ShoppingNeed(
                category=[*kind], constraints=[Constraint(kind="not_owned")], products=[second.product_id]
            ),
            WantedPurchase(quantity=counts[1]),
            None,
            {"choice": [choice], "quantity": [before]},
            change,
            {choice: [first.title, second.title, third.title], change.sentence: counted[now], **counted},
        )

    def _opening(self, rng: Random, case: ServiceCase, need: ShoppingNeed) -> str:
        words = self.own_words
        points = [words["buy"].format(kind=need.category[-1]), *(words["points"][one] for one in self._parts)]
        listed = "\n".join(f"{number}. {point}" for number, point in enumerate(points, 1))
        policy = f"{self.shop_policy.title}\n{self.shop_policy.handbook}"
        return str(
            words["opening"]
            .strip()
            .format(greeting=rng.choice(words["greetings"]), points=listed, policy=policy)
        )

    def _case(self, rng: Random, user_id: str, policy: ServicePolicy, wish: DrawnWish) -> ServiceCase | None:
        purchase = wish.purchase.model_copy(update={"need": wish.need, "budget": wish.budget})
        if purchase.voucher_used:
            return None
        draw = RequestDraw(rng, self, user_id, wish, self.shop_policy, self.own_words)
        parts = list(dict.fromkeys(rng.sample(PARTS, rng.randint(2, 5))))
        if purchase.voucher is None and rng.random() < _NO_OLD:
            parts = [one for one in parts if one != "voucher"]
        requests = [draw.drawn(part, point) for point, part in enumerate(parts, 2)]
        if not len(requests) >= 2 or not all(requests) or not draw.bystanders():
            return None
        self._parts = parts
        case = ServiceCase(
            version=2,
            policy=self.shop_policy,
            purchase=purchase,
            requests=[one for one in requests if one],
            orders=draw.orders,
            slots=draw.slots,
            change=wish.change,
            values=draw.values,
        )
        done = [
            one for one in case.requests if not (one.refusals or one.withdrawn or one.action == "voucher")
        ]
        return case if done else None

    # -- the gold path

    def gold(self, query: Query) -> list[PlanStep]:
        """Serve the shopper of a talk rightly in a session of its own, and return the calls."""
        case, truth = query.service, query.checkable
        assert case is not None and truth is not None
        path = GoldPath(context_for(Session(self.shop, query.user_id, case=case), self.web))
        self._buy(path, case, truth.needs[0])
        for wish in case.requests:
            if not (wish.refusals or wish.withdrawn or wish.action == "voucher"):
                self._serve(path, wish)
        changes = path.ctx.session.changes()
        done = ServedOutcome(query, changes, None, served_form(query, changes))
        if (done.state, done.says_does, done.policy) != (1, 1, 1):
            raise DrrError(f"the gold path of a talk does not end as it should: {done.done}, {done.kept}")
        return path.steps

    def _buy(self, path: GoldPath, case: ServiceCase, need: ShoppingNeed) -> None:
        kinds = [kind for kind in get_args(SlotKind) if kind in case.slots]
        for at in range(0, len(kinds), case.policy.asking):
            about = kinds[at : at + case.policy.asking]
            path.call("ask_shopper", question="What should I know about this?", about=about)
        path.call("get_user_orders", limit=100)
        kind = " > ".join(need.category)
        path.call("product_catalog_search", query=need.category[-1], category=kind, match="any", limit=50)
        goods = 0.0
        right = self.shop.store.products(need.products)
        for one in sorted(right, key=lambda one: (one.price or 0, one.product_id))[: need.picks]:
            shown = path.call("add_to_cart", product_id=one.product_id, quantity=case.purchase.quantity)
            goods = shown.data["goods"]
        holds = case.purchase.voucher is not None and goods >= case.policy.least
        voucher = {"voucher": case.purchase.voucher} if holds else {}
        total, agreed = path.call("view_cart", **voucher).data["total"], False
        for _ in range(3):
            asked = {"question": "May I order this?", "about": ["confirmation"], "total": total}
            agreed = agreed or path.call("ask_shopper", **asked).data["agreed"]
        path.call("checkout", **voucher)

    def _serve(self, path: GoldPath, wish: OrderRequest) -> None:
        """Propose and do what is asked about one order."""
        state = path.ctx.service
        order = state.order(wish.order_id)
        assert order is not None
        if wish.address is not None:
            parts = ("address1", "city", "state", "zip")
            names = ("street", "city", "state", "zip_code")
            to = {name: getattr(wish.address, part) for name, part in zip(names, parts, strict=True)}
            path.call("propose_to_shopper", order_id=wish.order_id, act="readdress", **to)
            path.call("change_address", order_id=wish.order_id, **to)
            return
        pieces = wish.pieces or order.quantity
        product = self.shop.store.product(order.product_id)
        back = wish.action == "return"
        money = refund_of(state, order, product, pieces, is_return=back, reason=wish.reason)
        proposed = {"pieces": pieces, "money": money}
        path.call("propose_to_shopper", order_id=wish.order_id, act=wish.action, **proposed)
        if wish.pieces is not None:
            path.call("return_pieces", order_id=wish.order_id, pieces=pieces, reason=wish.reason)
        else:
            path.call("return_items" if back else "cancel_order", order_id=wish.order_id, reason=wish.reason)


def talks_of(shop: Shop, web: WebSearch, version: int = 1) -> ServiceMaker:
    """Return the maker of talks of a version."""
    return ServiceMaker(shop, web) if version == 1 else ShopTalks(shop, web)


def service_questions(shop: Shop, web: WebSearch, seed: int, count: int, version: int = 1) -> list[Query]:
    """Make talks of the seeds `SEED:0`, `SEED:1` and so on."""
    maker = talks_of(shop, web, version)
    return [maker.make(f"{seed}:{number}") for number in range(count)]
