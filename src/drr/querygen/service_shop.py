"""Makes talks of version 2: three to six wishes, served under the policy of a shop that could exist."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any, ClassVar, cast

from drr.env.checkable import Constraint, ShoppingNeed
from drr.env.errors import Misuse
from drr.env.query import Query
from drr.env.service.case import (
    CART_TOOLS,
    ORDER_TOOLS,
    QUESTIONS,
    ChangeOfMind,
    OrderRequest,
    ServiceCase,
    ServicePolicy,
    WantedPurchase,
)
from drr.env.service.clauses import kind_of, refund_of
from drr.env.service.outcome import ServiceOutcome
from drr.env.service.policies import ShopPolicy, editions_of
from drr.env.service.served import ServedOutcome, served_form
from drr.env.service.state import stock_of
from drr.env.session import Change
from drr.env.shop import Shop
from drr.env.web.base import WebSearch
from drr.querygen.service import GoldPath, ServiceMaker
from drr.querygen.service_requests import HANGING, OTHERS, RequestDraw
from drr.querygen.service_wish import DrawnWish

_RANKED = 0.25
"""The share of purchases by preference."""


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
        known = [
            (stock_of(self.shop.manifest.content_hash, one.product_id).pieces, one)
            for one in shelves.of(kind)
            if one.price and one.product_id not in owned and shelves.titles[one.title] == 1
        ]
        had, out = [one for count, one in known if count > 3], [one for count, one in known if not count]
        if not out or len(had) < 2:
            return None
        first, (second, third) = rng.choice(out), rng.sample(had, 2)
        choice = words["choices"].format(first=first.title, second=second.title, third=third.title)
        counts = rng.sample((1, 2, 3), 2)
        numbers, form = self.words["numbers"], self.words["slots"]["quantity"]
        before, now = (form.format(count=f"{numbers[one]} piece{'s' * (one > 1)}") for one in counts)
        turn = self.words["changed"].format(now=now)
        change = ChangeOfMind(kind="quantity", after=rng.randint(1, 4), sentence=turn, now=[now])
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
        words, policy = self.own_words, f"{self.shop_policy.title}\n{self.shop_policy.handbook}"
        points = [words["buy"].format(kind=need.category[-1])]
        points += [words["points"][one] for one in self._parts]
        listed = [f"{number}. {one}" for number, one in enumerate(points, 1)]
        text = "\n".join([rng.choice(words["greetings"]), *listed])
        return str(words["opening"].strip().format(text=text, policy=policy))

    def _case(self, rng: Random, user_id: str, policy: ServicePolicy, wish: DrawnWish) -> ServiceCase | None:
        purchase = wish.purchase
        if purchase.voucher_used:
            return None
        draw = RequestDraw(rng, self, user_id, wish, self.shop_policy, self.own_words)
        count, own = rng.randint(2, 5), ["voucher"] if purchase.voucher else []
        hanging = count - rng.randint(0, count // 2)
        others = [one for one in OTHERS if one not in own]
        parts = [*rng.sample([*HANGING, *own], hanging), *rng.sample(others, count - hanging)]
        parts = [rng.choice(QUESTIONS) if one == "question" else one for one in rng.sample(parts, count)]
        requests = [one for point, part in enumerate(parts, 2) if (one := draw.drawn(part, point))]
        if not 2 <= len(requests) == len(parts) or not draw.bystanders():
            return None
        self._parts = parts
        case = draw.case(requests)
        return case if any(one.is_due for one in case.requests) else None

    # -- the gold path

    def _done(self, query: Query, changes: Sequence[Change]) -> ServiceOutcome:
        return ServedOutcome(query, changes, None, served_form(query, changes))

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
