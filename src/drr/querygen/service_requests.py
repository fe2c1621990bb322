"""Draws what a shopper wishes about his orders, and those orders: some wishes are forbidden, some are taken back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random
from typing import Any, cast, get_args

from drr.env.entities import Address, Order, OrderStatus, Product
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

HANGING = ("return", "some", "return_if", "free", "question")
OTHERS = ("cancel", "readdress", "foreign", "voucher")
"""Wishes that hang on what the policy says of the goods, and the other ones."""
_ACTIONS: Mapping[str, Action] = {
    "some": "return",
    "return_if": "return",
    "free": "return",
    "foreign": "cancel",
}
_DECIDING: Mapping[Action, Sequence[ClauseName | ShopClauseName]] = {
    "return": ("window", "hygiene", "final", "fee"),
    **dict.fromkeys(("cancel", "readdress"), ("sent",)),
    "exchange": ("exchange", "window"),
    "promise": ("promise",),
    "voucher": ("voucher",),
}
"""The clauses by which a wish may fall. Each has a twin that is allowed, by other goods, days or words of his."""
_FORBIDDEN, _WITHDRAWN, _FAULTY, _STRICT, _OLDEST, _REDRAWS = 0.5, 0.15, 0.1, 0.2, 150, 60
"""Shares of wishes that the policy forbids, of those taken back, of faulty goods, of clauses without another exception; days since the oldest order; draws of an order."""
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
        self._words, self._pools = self.words["requests"], dict[str, Sequence[Product]]()
        products = self.maker.base.checker.shelves.products
        known = self.maker.base.checker.orders(self.user_id)
        self._taken = {(kind_of(products.get(one.product_id)), one.order_date[:7]) for one in known}

    def drawn(self, part: str, point: int) -> OrderRequest | None:
        """Draw a wish, with the order that it is about; `None` where the shop has none."""
        rng, forbidden = self.rng, self.rng.random() < _FORBIDDEN
        if part == "voucher":
            return self._voucher(point)
        if part == "foreign" and forbidden:
            return self._foreign(point)
        action = _ACTIONS.get(part) or cast(Action, part)
        falls = [one for one in _DECIDING[action] if (one == "fee") == (part == "free")]
        # What is final, or must be free, is allowed to faulty goods alone, which always come back.
        strict = ("final", "fee") if part == "free" else ("final",)
        stands = [one for one in _DECIDING[action] if one not in strict or rng.random() < _STRICT]
        names = [one for one in (falls if forbidden else stands) if self._goods(one)]
        decides = rng.choice(names or [""])
        for _ in range(_REDRAWS if decides else 0):
            reason = rng.choice(FAULTY if action == "return" and rng.random() < _FAULTY else _ORDINARY)
            order = self._order(decides, rng.choice(self._goods(decides)), part, is_faulty=reason in FAULTY)
            if order is None:
                continue
            request = OrderRequest(
                action=action,
                order_id=order.order_id,
                reason=reason if action in ("return", "cancel") else "no longer needed",
                opened=action in ("return", "exchange") and (reason in FAULTY or rng.random() < 0.5),
                pieces=rng.randint(1, order.quantity - 1) if part == "some" else None,
                address=self._address() if action == "readdress" else None,
                free=part == "free",
            )
            refusals = self._refusals(request, order)
            if decides in refusals if forbidden else not refusals:
                taken_back = part in ("return", "cancel") and not refusals and rng.random() < _WITHDRAWN
                request = request.model_copy(update={"refusals": refusals, "withdrawn": taken_back})
                self._place(order)
                self._tell(request, order, point, is_of_family=part == "foreign")
                return request
        return None

    def bystanders(self) -> bool:
        """Draw orders that nobody speaks of. Tell whether there are other orders at all."""
        products = self.maker.base.checker.shelves.products
        for one in self.orders[:2]:
            same = [
                other for other in self.maker.priced if kind_of(other) == kind_of(products[one.product_id])
            ]
            if same and (order := self._order("window", self.rng.choice(same), "return", is_faulty=True)):
                self._place(order)
        return len(self.orders) > 1

    def _goods(self, clause: str) -> Sequence[Product]:
        """Return the goods on which a clause decides; where it decides by days, those of no clause of goods."""
        if clause not in self._pools:
            policy, bought = self.policy, self.wish.need.category[-1]
            named = {"fee": policy.fee, "hygiene": policy.hygiene, "final": policy.final}.get(clause)
            barred = {*policy.hygiene, *policy.final}
            known = [(kind_of(one), one) for one in self.maker.priced]
            known = [(kind, one) for kind, one in known if kind not in ("", bought)]
            self._pools[clause] = [
                one for kind, one in known if (kind not in barred if named is None else kind in named)
            ]
        return self._pools[clause]

    def _order(self, clause: str, product: Product, part: str, *, is_faulty: bool) -> Order | None:
        """Draw an order of a product. Where days decide, they are such that some goods of the shop are too late and others are not."""
        policy, rng, today = self.policy, self.rng, self.maker.today
        own = [(age, policy.terms_of(today - timedelta(age))) for age in range(3, _OLDEST)]
        ages = {
            "window": [age for age, terms in own if is_faulty or terms.short < age <= terms.days],
            "exchange": [age for age, terms in own if age <= terms.days],
            "promise": range(1, 2 * policy.promise + 1),
            "sent": range(1, 10),
        }.get(clause) or [age for age, terms in own if is_faulty or age <= terms.short]
        day = (today - timedelta(rng.choice(ages))).isoformat()
        status: OrderStatus = rng.choice(("Processing", "Shipped")) if clause == "sent" else "Delivered"
        if (kind_of(product), day[:7]) in self._taken:
            return None
        placed = placed_order(rng, product.product_id, self.user_id, (day, rng.randrange(86_400)), status)
        pieces = rng.randint(2, 5) if part == "some" else rng.choice((1, 1, 1, 2, 3))
        return placed.model_copy(update={"quantity": pieces})

    def _place(self, order: Order) -> None:
        products = self.maker.base.checker.shelves.products
        self._taken.add((kind_of(products[order.product_id]), order.order_date[:7]))
        self.orders.append(order)

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

    def _refusals(self, request: OrderRequest, order: Order) -> list[ClauseName | ShopClauseName]:
        """Return the clauses that forbid a wish, whatever was asked and agreed."""
        state = ServiceState(self.case([request]), self.maker.shop, self.user_id)
        state.orders[order.order_id] = order
        return [one for one in refusals_of(state, request) if one in _DECIDING[request.action]]

    def _address(self) -> Address | None:
        """Draw an address where somebody of the shop lives."""
        others = [one for one in self.maker.base.users if one != self.user_id]
        user = self.maker.shop.store.user(self.rng.choice(others or [self.user_id]))
        return None if user is None else user.address

    def _voucher(self, point: int) -> OrderRequest:
        """Draw the wish for a voucher: his own that holds, or one that has run out."""
        own = self.wish.purchase.voucher
        if own is not None:
            return OrderRequest(action="voucher", order_id=own, reason="no longer needed")
        code = self.rng.choice(sorted(vouchers_of(self.maker.shop.manifest.content_hash)))
        self._say("voucher", "voucher", point=point, code=code)
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
        seal = "opened" if request.opened else "sealed"
        if request.withdrawn:
            self._say("reason", "withdrawn", point=point)
        elif request.action in ("return", "cancel"):
            form = seal if request.action == "return" else "reason"
            self._say("reason", form, seal, point=point, reason=request.reason)
        elif request.action == "exchange":
            self._say("order", f"{seal}_only", seal, point=point)

    def _say(self, kind: SlotKind, form: str, /, *known: str, point: int, **facts: object) -> None:
        sentence = self._words[form].format(point=point, **facts)
        self.slots.setdefault(kind, []).append(sentence)
        self.values[sentence] = [one for one in (*map(str, facts.values()), *known) if one in sentence]


def _month(order: Order) -> str:
    return f"{order.placed_at:%B %Y}"
