"""The case of one talk: who wants what, what he tells when asked, and the policy that holds. No part of it is given to an agent."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Literal

from drr.env.checkable import ShoppingNeed
from drr.env.entities import Address, Order
from drr.env.json_object import JsonObject
from drr.env.service.policies import ShopPolicy
from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

SlotKind = Literal[
    "budget", "rating", "brand", "detail", "past_purchases", "choice", "quantity", "delivery", "voucher",
    "order", "reason", "confirmation",
]  # fmt: skip
"""Kinds of things that a shopper can be asked about. `confirmation` asks whether the cart may be paid."""
ClauseName = Literal[
    "account", "asking", "quantity", "stock", "voucher", "shipping", "confirm", "reason", "grounds", "window",
    "hygiene", "least",
]  # fmt: skip
ShopClauseName = Literal[
    "account", "asked", "asking", "stock", "voucher", "sent", "confirm", "reason", "window", "hygiene", "final",
    "fee", "exchange", "promise",
]  # fmt: skip
"""The clauses of a shop's own policy, in talks of version 2."""
Action = Literal["cancel", "return", "readdress", "voucher", "exchange", "promise"]
QUESTIONS: tuple[Action, ...] = ("exchange", "promise")
"""Acts that he only asks about, so nothing is done."""
_LATER = ("need", "budget", "opened", "pieces", "address", "withdrawn", "free")
Reason = Literal["no longer needed", "ordered by mistake", "damaged", "not as described", "cheaper elsewhere"]


CART_TOOLS = (
    "view_cart",
    "add_to_cart",
    "remove_from_cart",
    "checkout",
    "cancel_order",
    "return_items",
    "ask_shopper",
)
"""The tools that act, offered only where a shopper is served in a talk."""
ORDER_TOOLS = ("return_pieces", "change_address", "propose_to_shopper")
"""The tools that are offered besides under the shop's own policy, in talks of version 2."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_serializer(mode="wrap")
    def _without_later(self, written: SerializerFunctionWrapHandler) -> JsonObject:
        """Serialise the part. Fields of version 2 are left out where they are empty, so that talks of version 1 keep their bytes."""
        row: JsonObject = written(self)
        return {name: value for name, value in row.items() if value or name not in _LATER}


class ServicePolicy(_Part):
    """The figures of the twelve clauses."""

    asking: int = Field(ge=1)
    """Most kinds of things asked about in one question."""
    quantity: int = Field(ge=1)
    """Most pieces of one product in an order."""
    ground: Reason
    """The reason for which nothing is cancelled or taken back."""
    window: int
    """Days within which goods come back, and fewer days for one department."""
    short_window: int
    short_department: str
    hygiene: str
    """The department whose goods never come back; like `short_department` a first step of category paths."""
    least: float
    """Least amount of goods for which a voucher is used, in dollars."""


class WantedPurchase(_Part):
    """The rest of a purchase, beside the need of the question."""

    quantity: int = Field(ge=1)
    """Pieces of each product."""
    arrives_by: date | None = None
    voucher: str | None = None
    """The code of the voucher that the shopper has; `None` where he has none."""
    voucher_amount: float = 0.0
    rebuys: bool = False
    """True where he wants what he bought before, which he refuses otherwise."""
    voucher_used: bool = False
    """True where the account has used the voucher before."""
    need: ShoppingNeed | None = None
    """The need and the limit of money with which he compares a cart in version 2."""
    budget: float | None = None


class OrderRequest(_Part):
    """A wish about an order that was placed before."""

    action: Action
    order_id: str
    """The order, or the code of a voucher that no longer holds."""
    reason: Reason
    refusals: list[ClauseName | ShopClauseName] = Field(default_factory=list)
    """The clauses that forbid it, any of which is a right ground of refusal; empty where it must be done."""
    opened: bool = False
    pieces: int | None = None
    """Pieces that come back; `None` for all of them."""
    address: Address | None = None
    """The address to which the order shall go."""
    withdrawn: bool = False
    """True where he takes the wish back when he is asked for the reason."""
    free: bool = False
    """True where he keeps the goods unless he gets all of his money back."""

    @property
    def is_due(self) -> bool:
        """Tell whether an act on the order must be done."""
        return not (self.refusals or self.withdrawn or self.action in ("voucher", *QUESTIONS))


class ChangeOfMind(_Part):
    """A wish that changes during the talk, once it was told."""

    kind: SlotKind
    after: int = Field(ge=1)
    """The answer, counted from 1, from which on he may say so; a first confirmation is never given before."""
    sentence: str
    now: list[str]
    """His sentences about this kind from then on."""


class ServiceCase(_Part):
    """A talk. Its points are numbered from 1: first the purchase, then the requests."""

    version: Literal[1, 2] = 1
    policy: ServicePolicy | ShopPolicy
    purchase: WantedPurchase
    requests: list[OrderRequest]
    orders: list[Order]
    """Recent orders of the shopper, which the shop has in this talk alone."""
    slots: Mapping[SlotKind, list[str]]
    """His sentences by kind, for when he is asked."""
    change: ChangeOfMind
    values: Mapping[str, list[str]]
    """The values that a sentence of his states, as they are written in it."""
    picks: int | None = Field(default=None, exclude=True)
    """Different products that he wants. The question sets it from its truth; a talk recorded earlier has none, and is played as it was."""
    budget: float | None = Field(default=None, exclude=True)
