"""Draws what a shopper wishes about his orders, and those orders: some wishes are forbidden, some are taken back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random
from typing import Any, cast, get_args

from drr.env.entities import Address, Order, OrderStatus
from drr.env.service.case import (
    Action,
    ClauseName,
    OrderRequest,
    Reason,
    ServiceCase,
    ShopClauseName,
    SlotKind,
)
from drr.env.service.clauses import FAULTY, kind_of
from drr.env.service.policies import ShopPolicy
from drr.env.service.state import ServiceState, vouchers_of
from drr.querygen.service import ServiceMaker, placed_order, refusals_of
from drr.querygen.service_wish import DrawnWish

_FORBIDDING = ("account", "sent", "window", "hygiene", "final")
_FORBIDDEN = ("window", "hygiene", "final", "sent")
_ACTIONS = {"some": "return", "return_if": "return", "foreign": "cancel"}
_TRAPPED, _WITHDRAWN, _FAULTY, _FOREIGN, _OLDEST = 0.45, 0.15, 0.4, 0.6, 150
"""Shares of wishes that the policy forbids, of those taken back, of faulty goods, of family orders in other accounts; days since the oldest order."""
_ORDINARY: tuple[Reason, ...] = tuple(one for one in get_args(Reason) if one not in FAULTY)


@dataclass
class RequestDraw:
    """A drawer of wishes about orders, and of those orders. Each order is the only one of its kind and month."""

    rng: Random
    maker: ServiceMaker
    user_id: str
    wish: DrawnWish
    policy: ShopPolicy
    words: Mapping[str, Any]
    orders: list[Order] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.slots: dict[SlotKind, list[str]] = {kind: [*own] for kind, own in self.wish.slots.items()}
        self.values = dict(self.wish.values)
        self._words = self.words["requests"]
        products = self.maker.base.checker.shelves.products
        known = self.maker.base.checker.orders(self.user_id)
        self._taken = {(kind_of(products.get(one.product_id)), one.order_date[:7]) for one in known}

    def drawn(self, part: str, point: int) -> OrderRequest | None:
        """Draw a wish, with the order that it is about; `None` where the shop has none."""
        if part == "voucher":
            return self._voucher()
        if part == "foreign" and self.rng.random() < _FOREIGN:
            return self._foreign(point)
        action = cast(Action, _ACTIONS.get(part, part))
        trap = self._trap(part, action)
        can_be_faulty = action == "return" and trap is None  # what is yet to arrive cannot have come damaged
        reason = self.rng.choice(FAULTY if can_be_faulty and self.rng.random() < _FAULTY else _ORDINARY)
        opened = trap == "hygiene" or reason in FAULTY or self.rng.random() < 0.5
        order = self._order(action, trap, part, is_faulty=reason in FAULTY)
        if order is None:
            return None
        request = OrderRequest(
            action=action,
            order_id=order.order_id,
            reason=reason if action != "readdress" else "no longer needed",
            opened=opened and action == "return",
            pieces=self.rng.randint(1, order.quantity - 1) if part == "some" else None,
            address=self._address() if action == "readdress" else None,
            withdrawn=part in ("return", "cancel") and trap is None and self.rng.random() < _WITHDRAWN,
        )
        request = request.model_copy(update={"refusals": self._refusals(request)})
        if bool(request.refusals) != (trap is not None):
            return None
        self._tell(request, order, point, is_of_family=part == "foreign")
        return request

    def bystanders(self) -> bool:
        """Draw orders that nobody speaks of. Tell whether there are other orders at all."""
        products = self.maker.base.checker.shelves.products
        for one in self.orders[:2]:
            self._order("return", None, "return", is_faulty=True, kind=kind_of(products[one.product_id]))
        return len(self.orders) > 1

    def _trap(self, part: str, action: Action) -> str | None:
        if part == "some" or self.rng.random() >= _TRAPPED:
            return None
        return self.rng.choice(_FORBIDDEN) if action == "return" else "sent"

    def _order(
        self, action: Action, trap: str | None, part: str, *, is_faulty: bool, kind: str | None = None
    ) -> Order | None:
        policy, rng, today = self.policy, self.rng, self.maker.today
        barred: Callable[[str], bool] = {
            "hygiene": policy.hygiene.__contains__,
            "final": policy.final.__contains__,
        }.get(trap or "", lambda own: is_faulty or own not in (*policy.hygiene, *policy.final))
        choice = [
            one for one in self.maker.priced
            if kind_of(one) and (action != "return" or barred(kind_of(one))) and kind in (None, kind_of(one)) and kind_of(one) != self.wish.need.category[-1]
        ]  # fmt: skip
        if not choice:
            return None
        product = rng.choice(choice)
        is_late = trap == "window" or (is_faulty and action == "return" and rng.random() < 0.5)
        known = [
            (age, policy.days_for(kind_of(product), today - timedelta(age))) for age in range(3, _OLDEST)
        ]
        ages = [age for age, limit in known if (age > limit) == is_late]
        ready: OrderStatus = "Delivered" if action == "return" else "Processing"
        if trap == "sent":
            ready = "Processing" if action == "return" else "Shipped"
        age = rng.choice(ages) if ready == "Delivered" else rng.randint(1, 9)
        day = (today - timedelta(age)).isoformat()
        if (kind_of(product), day[:7]) in self._taken:
            return None
        self._taken.add((kind_of(product), day[:7]))
        placed = placed_order(rng, product.product_id, self.user_id, (day, rng.randrange(86_400)), ready)
        pieces = rng.randint(2, 5) if part == "some" else rng.choice((1, 1, 1, 2, 3))
        order = placed.model_copy(update={"quantity": pieces})
        self.orders.append(order)
        return order

    def case(self, requests: Sequence[OrderRequest]) -> ServiceCase:
        """Return the talk of these wishes, as far as it is drawn."""
        wish = self.wish
        return ServiceCase(
            version=2,
            policy=self.policy,
            purchase=wish.purchase.model_copy(update={"need": wish.need, "budget": wish.budget}),
            requests=[*requests],
            orders=self.orders,
            slots=self.slots,
            change=wish.change,
            values=self.values,
        )

    def _refusals(self, request: OrderRequest) -> list[ClauseName | ShopClauseName]:
        """Return the clauses that forbid a wish, whatever was asked and agreed."""
        found = refusals_of(ServiceState(self.case([request]), self.maker.shop, self.user_id), request)
        return [one for one in found if one in _FORBIDDING]

    def _address(self) -> Address | None:
        """Draw an address where somebody of the shop lives."""
        others = [one for one in self.maker.base.users if one != self.user_id]
        user = self.maker.shop.store.user(self.rng.choice(others or [self.user_id]))
        return None if user is None else user.address

    def _voucher(self) -> OrderRequest:
        """Draw the wish for a voucher: his own that holds, or one that has run out."""
        own = self.wish.purchase.voucher
        if own is not None:
            return OrderRequest(action="voucher", order_id=own, reason="no longer needed")
        code = self.rng.choice(sorted(vouchers_of(self.maker.shop.manifest.content_hash)))
        self._say("voucher", "voucher", code=code)
        return OrderRequest(action="voucher", order_id=code, reason="no longer needed", refusals=["voucher"])

    def _foreign(self, point: int) -> OrderRequest | None:
        base = self.maker.base
        others = [one for one in base.users if one != self.user_id]
        if not others:
            return None
        order = max(base.checker.orders(self.rng.choice(others)), key=lambda one: one.order_date)
        relative, month = self.rng.choice(self._words["relatives"]), _month(order)
        self._say("order", "foreign", point=point, relative=relative, month=month)
        return OrderRequest(
            action="cancel", order_id=order.order_id, reason="no longer needed", refusals=["account"]
        )

    def _tell(self, request: OrderRequest, order: Order, point: int, *, is_of_family: bool) -> None:
        """Add what he tells about a wish when he is asked."""
        kind = kind_of(self.maker.base.checker.shelves.products[order.product_id])
        if is_of_family:
            relative = self.rng.choice(self._words["relatives"])
            self._say("order", "family", point=point, kind=kind, relative=relative, month=_month(order))
        else:
            self._say("order", "order", point=point, kind=kind, month=_month(order))
        if request.pieces is not None:
            numbers = self.maker.words["numbers"]
            pieces = f"{numbers[request.pieces]} piece{'s' * (request.pieces > 1)}"
            self._say("order", "some", point=point, pieces=pieces)
        if request.address is not None:
            to = request.address
            facts = {"street": to.address1, "city": to.city, "state": to.state, "zip": to.zip}
            self._say("order", "address", point=point, **facts)
            return
        if request.withdrawn:
            self._say("reason", "withdrawn", point=point)
            return
        words = self.words["reasons"][request.reason]
        self._say("reason", "reason", point=point, reason=words)
        if request.action == "return":
            seal = "opened" if request.opened else "sealed"
            sentence = f"{self.slots['reason'].pop()} {self._words[seal]}"
            self.slots["reason"].append(sentence)
            self.values[sentence] = [request.reason, seal]

    def _say(self, kind: SlotKind, form: str, /, **facts: object) -> None:
        sentence = self._words[form].format(**facts)
        self.slots.setdefault(kind, []).append(sentence)
        self.values[sentence] = [str(value) for name, value in facts.items() if name != "point"]


def _month(order: Order) -> str:
    return f"{order.placed_at:%B %Y}"
