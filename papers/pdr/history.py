"""The purchases of a shopper, as the rules of a person read them. They are orders with their products, the
oldest first, none after `as_of`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from drr.env.entities import Order, Product, User
from drr.env.errors import DrrError
from drr.env.shop import Store
from drr.env.themes import themes_of
from drr.wording.states import CODES, STATES

_ORDERS_READ = 2000
"""The newest: a busier shopper's older orders change nothing that a rule says."""


@dataclass(frozen=True)
class Purchased:
    """One order and what it was of."""

    order: Order
    product: Product

    @cached_property
    def day(self) -> date:
        return date.fromisoformat(self.order.order_date[:10])

    @cached_property
    def themes(self) -> list[str]:
        return themes_of(self.product.title)

    @cached_property
    def kind(self) -> str | None:
        return kind_of(self.product)


@dataclass(frozen=True)
class ShopperHistory:
    user: User
    as_of: str
    lines: Sequence[Purchased]
    """Orders that were not cancelled, the oldest first."""

    @cached_property
    def kept(self) -> list[Purchased]:
        return [line for line in self.lines if line.order.order_status != "Returned"]

    @cached_property
    def returned(self) -> list[Purchased]:
        return [line for line in self.lines if line.order.order_status == "Returned"]

    @property
    def state(self) -> str | None:
        """Return the state of the United States, by its name; elsewhere `None`."""
        return STATES.get(CODES.get(self.user.address.state.casefold(), ""))


def history_of(store: Store, user_id: str, as_of: str) -> ShopperHistory:
    user = store.user(user_id)
    if user is None:
        raise DrrError(
            f"no user {user_id!r} in this shop; `drr shop info` counts them, ids are 28 characters"
        )
    orders = store.orders(user_id, until=as_of, limit=_ORDERS_READ).items
    known = {one.product_id: one for one in store.products(list({order.product_id for order in orders}))}
    lines = [
        Purchased(order, known[order.product_id])
        for order in reversed(orders)
        if order.order_status != "Cancelled" and order.product_id in known
    ]
    return ShopperHistory(user, as_of, lines)


def kind_of(product: Product) -> str | None:
    """The last step of the category path as people say it: "Hip & Joint Care" is `hip and joint care`."""
    if len(product.categories) < 3:  # a step above is a department: "Birds" are not what was bought
        return None
    words = product.categories[-1].replace("&", " and ").replace(",", " ").split()
    return " ".join(word if word.isupper() and len(word) > 1 else word.lower() for word in words) or None
