"""The profile summary: what query writers, personalization judges and the viewer are told of a shopper.

It is built only from what the user tools return (profile, orders, statistics) and holds no e-mail, phone or street.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import Literal

from drr.env.entities import Order, Product
from drr.env.errors import Misuse
from drr.env.records.shopper import shopper_summary
from drr.env.shop import Store
from drr.env.source import text_hash
from drr.env.statistics import Share
from drr.env.themes import Label, shopper_label
from pydantic import BaseModel, ConfigDict, Field

Activity = Literal["light", "regular", "frequent", "heavy"]
PriceLevel = Literal["budget", "moderate", "premium"]

_ORDERS_READ = 1000
_TOP = 5
_NOTABLE = 10
_TITLE = 90
_NAME = 40


class Bought(BaseModel):
    """One product of a shopper's history."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    product_id: str
    order_id: str
    """Of the latest purchase."""
    title: str
    category: str
    price: float | None
    times: int
    last: str
    """`YYYY-MM-DD`"""


class Spend(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    total: float | None
    mean_price: float | None
    quartiles: tuple[float, float, float] | None
    level: PriceLevel | None
    unknown_share: float = Field(ge=0, le=1)
    """Of the orders: bought at a price that the catalogue does not state."""


class ProfileSummary(BaseModel):
    """Bounded whatever the history: lists are cut to the most telling few."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    user_id: str
    as_of: str
    city: str
    state: str
    country: str
    account_status: str
    label: Label
    orders: int
    items: int
    first_order: str | None
    last_order: str | None
    tenure_days: int | None
    days_since_last_order: int | None
    orders_last_year: int
    """In the 365 days before `as_of`, among the newest thousand orders."""
    orders_per_year: float | None
    activity: Activity
    by_status: dict[str, int]
    spend: Spend
    categories: list[Share]
    stores: list[Share]
    repeated: list[Bought]
    notable: list[Bought]

    @property
    def sha256(self) -> str:
        """Enters a query record as `profile_hash`."""
        return text_hash(self.model_dump_json())

    def text(self) -> str:
        """The text that a model reads; never longer than about 4,000 characters."""
        return shopper_summary(self)


def build_profile(store: Store, user_id: str, as_of: str) -> ProfileSummary:
    """The summary of one user; `as_of` is the shop's today."""
    user, statistics = store.user(user_id), store.statistics(user_id)
    if user is None or statistics is None:
        raise Misuse(f"no user {user_id!r} in this shop; `drr shop info` counts them, ids are 28 characters")
    orders = store.orders(user_id, limit=_ORDERS_READ).items
    bought = _bought(store, orders)
    today = date.fromisoformat(as_of)
    first = _day(statistics.first_order)
    tenure = (today - first).days if first else None
    years = max((tenure or 0) / 365.25, 0.25)
    per_year = round(statistics.orders / years, 1) if first else None
    return ProfileSummary(
        user_id=user_id,
        as_of=as_of,
        city=_line(user.address.city, _NAME),
        state=_line(user.address.state, _NAME),
        country=_line(user.address.country, _NAME),
        account_status=user.account_status,
        label=shopper_label([(item.title, item.category, item.times) for item in bought]),
        orders=statistics.orders,
        items=statistics.items,
        first_order=_iso(first),
        last_order=_iso(_day(statistics.last_order)),
        tenure_days=tenure,
        days_since_last_order=statistics.days_since_last_order,
        orders_last_year=sum(0 <= (today - order.placed_at.date()).days <= 365 for order in orders),
        orders_per_year=per_year,
        activity=_activity(per_year),
        by_status=statistics.by_status,
        spend=Spend(
            total=statistics.spend,
            mean_price=statistics.mean_price,
            quartiles=statistics.price_quartiles,
            level=_level(statistics.price_quartiles),
            unknown_share=round(statistics.orders_without_price / statistics.orders, 3)
            if statistics.orders
            else 0.0,
        ),
        categories=[_named(share) for share in statistics.by_category[:_TOP]],
        stores=[_named(share) for share in statistics.favourite_stores[:_TOP]],
        repeated=sorted((b for b in bought if b.times > 1), key=lambda b: (-b.times, b.product_id))[:_TOP],
        notable=_notable(bought),
    )


def _bought(store: Store, orders: Sequence[Order]) -> list[Bought]:
    """Each product once, by its latest purchase, newest first; a cancelled or returned order is no purchase."""
    kept = [order for order in orders if order.order_status not in ("Cancelled", "Returned")]
    times = Counter(order.product_id for order in kept)
    latest: dict[str, Order] = {}
    for order in kept:
        latest.setdefault(order.product_id, order)
    known: dict[str, Product] = {product.product_id: product for product in store.products(list(latest))}
    return [
        Bought(
            product_id=product_id,
            order_id=order.order_id,
            title=_line(product.title, _TITLE) or "(untitled)",
            category=product.category,
            price=product.price,
            times=times[product_id],
            last=order.order_date[:10],
        )
        for product_id, order in latest.items()
        if (product := known.get(product_id)) is not None
    ]


def _notable(bought: list[Bought]) -> list[Bought]:
    """The latest six, then the dearest, each once."""
    dearest = sorted((b for b in bought if b.price), key=lambda b: (-(b.price or 0), b.product_id))
    chosen = {item.product_id: item for item in [*bought[:6], *dearest[:8]]}
    return list(chosen.values())[:_NOTABLE]


def _activity(per_year: float | None) -> Activity:
    if per_year is None or per_year < 2:
        return "light"
    if per_year < 6:
        return "regular"
    return "frequent" if per_year < 15 else "heavy"


def _level(quartiles: tuple[float, float, float] | None) -> PriceLevel | None:
    """Level the median price: the bounds are the quarters of Health & Household's prices in the data set."""
    if quartiles is None:
        return None
    return "budget" if quartiles[1] < 12 else "moderate" if quartiles[1] < 33 else "premium"


def _named(share: Share) -> Share:
    return share.model_copy(update={"name": _line(share.name, _NAME)})


def _line(text: str, limit: int) -> str:
    """Shop text is data of others: one line, no control characters, cut."""
    flat = " ".join(
        re.sub(r"[\x00-\x1f\x7f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]", " ", text).split()
    )
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


def _day(moment: str | None) -> date | None:
    return date.fromisoformat(moment[:10]) if moment else None


def _iso(day: date | None) -> str | None:
    return day.isoformat() if day else None
