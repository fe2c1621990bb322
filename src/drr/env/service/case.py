"""The case of one talk: who wants what, what he tells when asked, and the policy that holds. No part of it is given to an agent."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Literal

from drr.env.entities import Order
from pydantic import BaseModel, ConfigDict, Field

SlotKind = Literal[
    "budget", "rating", "brand", "detail", "past_purchases", "choice", "quantity", "delivery", "voucher",
    "order", "reason", "confirmation",
]  # fmt: skip
"""Kinds of things that a shopper can be asked about. `confirmation` asks whether the cart may be paid."""
ClauseName = Literal[
    "account", "asking", "quantity", "stock", "voucher", "shipping", "confirm", "reason", "grounds", "window",
    "hygiene", "least",
]  # fmt: skip
Reason = Literal["no longer needed", "ordered by mistake", "damaged", "not as described", "cheaper elsewhere"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


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


class OrderRequest(_Part):
    """A wish about an order that was placed before."""

    action: Literal["cancel", "return"]
    order_id: str
    reason: Reason
    refusals: list[ClauseName] = Field(default_factory=list)
    """The clauses that forbid it, any of which is a right ground of refusal; empty where it must be done."""


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

    version: Literal[1] = 1
    policy: ServicePolicy
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
