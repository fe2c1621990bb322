"""The state of one talk: the cart, the orders, and what was asked and confirmed. It belongs to one session and ends with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import lru_cache
from hashlib import sha256
from random import Random
from threading import RLock
from typing import Any, NamedTuple, Protocol

from drr.env.entities import Address, Order, OrderStatus, Product, Slip, bound_ms, ms_from_iso
from drr.env.service.case import CART_TOOLS, ORDER_TOOLS, ServiceCase, SlotKind
from drr.env.shop import OrderPage, Shop, Store
from drr.env.statistics import cents
from drr.env.text import tokens

PATIENCE = 3
_VOUCHERS, _AMOUNTS = 6, (3, 5, 8, 10)


class StockFigures(NamedTuple):
    """Pieces of a product in stock, and the days that its delivery takes."""

    pieces: int
    days: int


@lru_cache(100_000)
def stock_of(shop: str, product_id: str) -> StockFigures:
    """Return the stock of a product, drawn from the content hash of its shop."""
    rng = Random(f"stock:{shop}:{product_id}")
    return StockFigures(0 if rng.random() < 0.1 else rng.randint(1, 12), rng.randint(1, 9))


@lru_cache(64)
def vouchers_of(shop: str) -> Mapping[str, float]:
    """Return the vouchers of a shop by code, each with its amount in dollars."""
    rng = Random(f"vouchers:{shop}")
    return {f"V{rng.randrange(16**7):07X}": float(rng.choice(_AMOUNTS)) for _ in range(_VOUCHERS)}


def address_words(address: Address | None) -> tuple[str, ...]:
    """Return the words of an address, which are the same whatever its signs and case."""
    parts = () if address is None else (address.address1, address.city, address.state, address.zip)
    return tuple(word for part in parts for word in (*tokens(part), ","))


class SpokenAnswer(NamedTuple):
    """An answer in a model's words, and how often the words told too much or too little before."""

    words: str
    faults: int


class Voice(Protocol):
    """A model that plays the shopper by his script."""

    def kinds(self, question: str) -> list[SlotKind]:
        """Return what a question asks about."""

    def words(
        self, question: str, sentences: Sequence[str], wrong: Callable[[str], str | None]
    ) -> SpokenAnswer:
        """Return the sentences in the model's words. `wrong` tells what is wrong with an attempt."""


class PaidCart(NamedTuple):
    """A checkout."""

    orders: list[str]
    """Ids of its orders, one for each product."""
    total: float
    arrives: date
    voucher: str | None


@dataclass(frozen=True, eq=False)
class _OrdersOfTalk:
    """A `Store` with the orders of a talk, which precede and replace the shop's orders. Like every store it is a key of caches."""

    store: Store
    user_id: str
    own: Mapping[str, Order]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    def order(self, order_id: str) -> Order | None:
        return self.own.get(order_id) or self.store.order(order_id)

    def orders(self, user_id: str, *, limit: int | None = None, offset: int = 0, **asked: Any) -> OrderPage:
        known = self.store.orders(user_id, **{**asked, "status": None}).items
        status, since, until = (asked.get(name) for name in ("status", "since", "until"))
        mine = self.own if user_id == self.user_id else {}
        rest = {order.order_id: order for order in known if order.order_id not in mine}
        found = [
            order
            for order in [*mine.values(), *rest.values()]
            if status in (None, order.order_status)
            and (since is None or ms_from_iso(order.order_date) >= bound_ms(since))
            and (until is None or ms_from_iso(order.order_date) < bound_ms(until))
        ]
        found.sort(key=lambda one: one.order_id)
        found.sort(key=lambda one: one.order_date, reverse=True)
        return OrderPage(found[offset : None if limit is None else offset + limit], len(found))


@dataclass
class ServiceState:
    """Cart, orders and talk of one session."""

    case: ServiceCase
    shop: Shop
    """The shop as it is without this talk."""
    user_id: str
    cart: dict[str, int] = field(default_factory=dict)
    """Pieces by product."""
    orders: dict[str, Order] = field(default_factory=dict)
    """Orders of this talk, and those of the shop that it changed."""
    paid: list[PaidCart] = field(default_factory=list)
    answers: int = 0
    asked: set[SlotKind] = field(default_factory=set)
    """Kinds of which the shopper was asked."""
    changed: bool = False
    """True once he said that he has changed his mind."""
    confirmed: tuple[dict[str, int], float] | None = None
    """Cart and total to which he said yes."""
    agreed: dict[str, tuple[str, int, float, tuple[str, ...]]] = field(default_factory=dict)
    """Act, pieces, money and address to which he said yes, by order."""
    wrong: int = 0
    """Proposals that he did not agree to; after `PATIENCE` of them he leaves a talk of version 2."""
    heard: list[str] = field(default_factory=list)
    """Sentences of his so far."""
    lock: RLock = field(default_factory=RLock, repr=False)
    """Held during an act, as an agent may call several tools at once."""
    voice: Voice | None = None
    """A model that reads free questions and words his answers; without one his sentences are plain."""

    def __post_init__(self) -> None:
        self.orders = {order.order_id: order for order in self.case.orders}

    @property
    def today(self) -> date:
        return date.fromisoformat(self.shop.manifest.as_of)

    def stock(self, product_id: str) -> int:
        """Return the pieces left, without those bought in this talk."""
        bought = [one for cart in self.paid for one in map(self.orders.get, cart.orders)]
        gone = sum(
            one.quantity
            for one in bought
            if one and one.product_id == product_id and one.order_status != "Cancelled"
        )
        return stock_of(self.shop.manifest.content_hash, product_id).pieces - gone

    def arrives(self, product_id: str) -> date:
        return self.today + timedelta(stock_of(self.shop.manifest.content_hash, product_id).days)

    def age(self, order: Order) -> int:
        """Return the days since an order was placed."""
        return (self.today - date.fromisoformat(order.order_date[:10])).days

    def order(self, order_id: str) -> Order | None:
        return self.orders.get(order_id) or self.shop.store.order(order_id)

    def products(self) -> list[Product]:
        """Return the products of the cart."""
        return self.shop.store.products(list(self.cart))

    def goods(self) -> float:
        """Return what the goods of the cart cost."""
        return sum(self.cart[one.product_id] * cents(one.price or 0) for one in self.products()) / 100

    def total(self, voucher: str | None = None) -> float:
        """Return the price of the cart, less the amount of a voucher."""
        off = vouchers_of(self.shop.manifest.content_hash)[voucher] if voucher else 0.0
        return round(max(0.0, self.goods() - off), 2)

    def pay(self, voucher: str | None) -> PaidCart:
        """Turn the cart into orders, one for each product."""
        ids = []
        for number, (product_id, quantity) in enumerate(self.cart.items(), 1):
            drawn = sha256(f"{self.user_id}:{len(self.orders)}:{number}:{product_id}".encode()).hexdigest()
            ids.append(str(int(drawn[:13], 16)).zfill(16))
            self._place(ids[-1], product_id, quantity)
        paid = PaidCart(ids, self.total(voucher), max(map(self.arrives, self.cart)), voucher)
        self.paid.append(paid)
        self.cart = {}
        if self.case.version > 1:
            self.confirmed = None  # a yes is for one checkout
        return paid

    def _place(self, order_id: str, product_id: str, quantity: int) -> None:
        self.orders[order_id] = Order(
            order_id=order_id,
            product_id=product_id,
            user_id=self.user_id,
            order_date=f"{self.today}T12:00:00.000",
            quantity=quantity,
            order_status="Processing",
        )

    @property
    def tools(self) -> Sequence[str]:
        """Return the names of the tools that act in this talk."""
        return CART_TOOLS if self.case.version == 1 else (*CART_TOOLS, *ORDER_TOOLS)

    @property
    def ended_vouchers(self) -> set[str]:
        """Return the codes that no longer hold, in a talk of version 2."""
        named = {one.order_id for one in self.case.requests if one.action == "voucher"}
        return named - {self.case.purchase.voucher or ""}

    @property
    def is_over(self) -> bool:
        """Tell whether he has left the talk."""
        return self.case.version > 1 and self.wrong >= PATIENCE

    def give_back(self, order: Order, pieces: int) -> None:
        """Take pieces of an order back. Only what is left without pieces has another status."""
        left = order.quantity - pieces
        update = {"quantity": left} if left else {"order_status": "Returned"}
        self.orders[order.order_id] = order.model_copy(update=update)

    def readdress(self, order: Order, address: Address) -> None:
        self.orders[order.order_id] = order.model_copy(update={"slip": Slip(address=address)})

    def resume(self, name: str, after: Any) -> None:
        """Set the orders as a recorded act left them."""
        kind, _, order_id = name.partition(".")
        if kind == "acts" and (order := self.order(order_id)) is not None:
            if after["act"] == "returned":
                self.give_back(order, after["pieces"])
            elif after["act"] == "readdressed":
                self.readdress(order, Address.model_validate(after["address"]))
            else:
                self.set_status(order, "Cancelled")
        if kind == "checkout":
            for one, (product_id, quantity) in zip(after["orders"], after["lines"].items(), strict=True):
                self._place(one, product_id, quantity)
        elif kind == "orders" and (order := self.order(order_id)) is not None:
            self.set_status(order, after)

    def set_status(self, order: Order, status: OrderStatus) -> None:
        self.orders[order.order_id] = order.model_copy(update={"order_status": status})

    def view(self) -> Shop:
        """Return the shop as this talk sees it now."""
        store: Any = _OrdersOfTalk(self.shop.store, self.user_id, dict(self.orders))
        return replace(self.shop, store=store)
