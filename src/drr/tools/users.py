"""User, account and order management."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, NotRequired

from drr.env.entities import Order, OrderStatus, Product, RecordedStatus, bound_ms
from drr.env.json_object import JsonObject
from drr.env.records.lines import one_line
from drr.env.records.shopper import order_page, order_row, profile_page, statistics_page
from drr.env.shop import OrderPage, Shop, numbers_of
from drr.env.source import Source
from drr.env.statistics import UserStatistics
from drr.env.text import tokens
from drr.tools.access import UserId, similar_records, user_of_call
from drr.tools.base import (
    ToolAnswer,
    ToolContext,
    ToolError,
    order_sources,
    product_record,
    profile_source,
    statistics_source,
    user_record,
)
from drr.wording.states import CODES
from pydantic import Field, StringConstraints
from typing_extensions import TypedDict

Days = tuple[str | None, str | None]
Day = Annotated[str | None, StringConstraints(strip_whitespace=True, min_length=10, max_length=10)]


def get_user_orders(
    ctx: ToolContext,
    user_id: UserId = None,
    words: Annotated[
        str | None,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=200),
        Field(description="Only orders whose product these words name, e.g. cabinet locks."),
    ] = None,
    status: Annotated[OrderStatus | None, Field(description="Only orders with this status.")] = None,
    since: Annotated[Day, Field(description="Only orders from this day on, e.g. 2022-05-01.")] = None,
    before: Annotated[Day, Field(description="Only orders before this day.")] = None,
    limit: Annotated[int, Field(ge=1, le=100, description="Most orders to return.")] = 20,
    offset: Annotated[int, Field(ge=0, le=1_000_000, description="Orders to skip, for the next page.")] = 0,
) -> ToolAnswer:
    """Get a user's order history, newest first: date, status, quantity, product and its current price in the shop."""
    user = user_of_call(ctx, user_id)
    if words is not None and not tokens(words):
        raise ToolError("invalid", "words has no word to look for; give a few such as 'cabinet locks'.")
    try:
        [bound_ms(day) for day in (since, before) if day]
    except ValueError as error:
        raise ToolError("invalid", f"since and before are days such as 2022-05-01: {error}.") from None
    asked = (user.user_id, words, status, (since, before), (limit, offset))
    page: ToolAnswer = ctx.session.shop.kept(_orders, *asked)
    # The kept answer is shared by all sessions, so each gets rows that it may change.
    return replace(page, data={**page.data, "items": [row.copy() for row in page.data["items"]]})


def _orders(
    shop: Shop, user_id: str, words: str | None, status: OrderStatus | None, days: Days, span: tuple[int, int]
) -> ToolAnswer:
    (since, before), (limit, offset) = days, span
    # Words are compared here and not by the store, so a page can be cut only after all orders are read.
    asked = {"limit": limit, "offset": offset} if words is None else {}
    page = shop.store.orders(user_id, status=status, since=since, until=before, **asked)
    ids = list(dict.fromkeys(order.product_id for order in page.items))
    products = {product.product_id: product for product in shop.store.products(ids)}
    kind, which = f"{status} orders" if status else "orders", ""
    if words is not None:
        items, others = _named(page.items, products, frozenset(tokens(words)))
        page = OrderPage(items[offset : offset + limit], len(items))
        which = f" for {one_line(words, 80)!r}" + (f" ({others:,} more share a word)" if others else "")
    which += f" since {since}" * bool(since) + f" before {before}" * bool(before)
    if not page.items:
        after = f" after the first {offset:,} ({page.total:,} in all)" if page.total else ""
        return ToolAnswer(f"No {kind}{which}{after} of {user_id}.", (), {"items": [], "total": page.total})
    rows = [order_row(order, products.get(order.product_id), shop.manifest.money) for order in page.items]
    address = f"user://{user_id}/orders/"
    heading = (
        f"{kind[0].upper()}{kind[1:]} {offset + 1}-{offset + len(rows)} of {page.total:,}{which}, newest first, at the shop's"
        f" current prices. Cite {address}<order> and {shop.shop_url.rstrip('/')}/<product>"
    )
    sources: dict[str, Source] = {}
    for order, row in zip(page.items, rows, strict=True):
        for source in order_sources(address, order, products.get(order.product_id), row, shop.manifest.money):
            sources.setdefault(source.url, source)
    return ToolAnswer(
        "\n".join([heading, *rows]),
        list(sources.values()),
        {
            "items": [_item(address, order, products.get(order.product_id)) for order in page.items],
            "total": page.total,
            **shop.manifest.money.fields,
        },
    )


def _named(
    orders: Sequence[Order], products: Mapping[str, Product], words: frozenset[str]
) -> tuple[list[Order], int]:
    """Return the orders whose product shares the most of these words, and how many others share one."""
    shared = {
        key: len(words & set(tokens(" ".join([one.title, one.store or "", *one.categories]))))
        for key, one in products.items()
    }
    most = max(shared.values(), default=0)
    named = [order for order in orders if shared.get(order.product_id) == most > 0]
    return named, sum(shared.get(order.product_id, 0) > 0 for order in orders) - len(named)


def get_order_details(
    ctx: ToolContext,
    order_id: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=200),
        Field(description="The order's id, as get_user_orders gives it."),
    ],
) -> ToolAnswer:
    """Get one order of the user: date, status, quantity, the product with its current price, and the customer."""
    whose, wanted = _address(order_id)
    session = ctx.session
    shop = session.shop
    if session.user_id is None and not session.open_access:
        raise ToolError("not_allowed", "This session belongs to no user, so there are no orders to read.")
    order: Order | None = shop.kept(_order, _padded(wanted))
    if order is None and session.user_id is not None:
        order = _own_order(shop, session.user_id, wanted)
    if order is None or (whose is not None and whose.upper() != order.user_id.upper()):
        raise ToolError("not_found", _unknown(ctx, wanted if order is None else order_id))
    if order.user_id != session.user_id and not session.open_access:
        raise ToolError(
            "not_allowed",
            f"Order {order.order_id} is not one of this session's user; get_user_orders lists theirs.",
        )
    product = shop.store.product(order.product_id)
    user = session.user(order.user_id)
    address = f"user://{order.user_id}/orders/"
    text = order_page(order, product, user, address + order.order_id, ctx.money)
    item: OrderData = {
        **_item(address, order, product),
        "customer": None if user is None else user_record(user),
        "product": None if product is None else product_record(product, ctx.money),
    }
    if order.slip and order.slip.sold_as:
        item["sold_as"] = order.slip.sold_as
    return ToolAnswer(
        text, order_sources(address, order, product, text, ctx.money), {**item, **ctx.money.fields}
    )


def _order(shop: Shop, order_id: str) -> Order | None:
    return shop.store.order(order_id)


def _own_order(shop: Shop, user_id: str, number: str) -> Order | None:
    """Return the user's order of this number of the shop's own files."""
    numbers = numbers_of(shop.manifest)
    lines = numbers.orders(shop.store.orders(user_id).items, [number]).get(number, []) if numbers else []
    if len(lines) > 1:
        ids = " and ".join(one.order_id for one in lines)
        raise ToolError(
            "not_found", f"Order {one_line(number, 60)!r} has several lines, each of one product: {ids}."
        )
    return next(iter(lines), None)


def _address(order_id: str) -> tuple[str | None, str]:
    """Return the user and the order that `user://USER/orders/ORDER` names; a bare id names no user."""
    user, _, order = order_id.removeprefix("user://").partition("/orders/")
    return (user, order) if order_id.startswith("user://") else (None, order_id)


def _padded(order_id: str) -> str:
    """Pad an order's id to sixteen digits; an id sent as a number has lost its leading zeros."""
    return order_id.zfill(16) if order_id.isascii() and order_id.isdigit() else order_id


def _unknown(ctx: ToolContext, order_id: str) -> str:
    session = ctx.session

    def own(candidate: str) -> Order | None:
        order = session.shop.store.order(candidate)
        return order if order and (session.open_access or order.user_id == session.user_id) else None

    found = similar_records(order_id, own)
    shown = one_line(order_id, 60)
    if found:
        return f"No order {shown!r}; did you mean {' or '.join(order.order_id for order in found)}?"
    return f"No order {shown!r}; get_user_orders lists the user's orders."


class ListedOrder(TypedDict):
    """An order of a list, as data; of the product what the shop still knows."""

    url: str
    order_id: str
    order_date: str
    order_status: RecordedStatus
    quantity: int
    product_id: str
    product_url: str | None
    title: str | None
    price: float | None
    sent_to: NotRequired[JsonObject]
    """Recipient and address, if the order went elsewhere than to the address of the profile."""
    sold_as: NotRequired[str]
    """The name under which the product was sold, if it differs from today's; told of a single order only."""


class ListedOrders(TypedDict):
    """A user's orders, as data."""

    items: list[ListedOrder]
    total: int


class OrderData(ListedOrder):
    """One order, as data, with the records behind it."""

    customer: JsonObject | None
    product: JsonObject | None


def _item(address: str, order: Order, product: Product | None) -> ListedOrder:
    row: ListedOrder = {
        "url": address + order.order_id,
        "order_id": order.order_id,
        "order_date": order.order_date,
        "order_status": order.order_status,
        "quantity": order.quantity,
        "product_id": order.product_id,
        "product_url": product.product_url if product else None,
        "title": product.title if product else None,
        "price": product.price if product else None,
    }
    if order.slip and order.slip.address:
        row["sent_to"] = {"recipient": order.slip.recipient, **order.slip.address.model_dump()}
    return row


Text = Annotated[str | None, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]

_EMAIL = re.compile(
    r"(?=[^@]{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{}~-]+)*"
    r"@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24}"
)
_PHONE = re.compile(r"\+?\(?[0-9][0-9 ().-]{5,24}[0-9](?: ?(?:x|ext\.?) ?[0-9]{1,6})?")
_ZIP = re.compile(r"[0-9]{5}(?:-[0-9]{4})?")
_NAME = re.compile(r"[^\W\d_](?:[^\W_]|[ .'’-])*")
_PLACE = re.compile(r"[^\W_](?:[^\W_]|[ .,'’#/&-])*")


def get_user_profile(ctx: ToolContext, user_id: UserId = None) -> ToolAnswer:
    """Get the user's profile: name, e-mail, phone, postal address, account status."""
    user = user_of_call(ctx, user_id)
    address = f"user://{user.user_id}/profile"
    text = profile_page(user, address)
    return ToolAnswer(text, [profile_source(user, address, text)], user_record(user))


def update_user_profile(
    ctx: ToolContext,
    user_id: UserId = None,
    first_name: Annotated[Text, Field(description="New first name.")] = None,
    last_name: Annotated[Text, Field(description="New last name.")] = None,
    email: Annotated[Text, Field(description="New e-mail address, like name@host.example.")] = None,
    phone_number: Annotated[Text, Field(description="New US phone number, 10 digits.")] = None,
    address1: Annotated[Text, Field(description="New street and number.")] = None,
    city: Annotated[Text, Field(description="New city.")] = None,
    state: Annotated[Text, Field(description="New US state, as two letters or by name.")] = None,
    zip: Annotated[Text, Field(description="New ZIP code, 12345 or 12345-6789.")] = None,
) -> ToolAnswer:
    """Update the user's profile. Only the fields given are changed, and only because the user asked for it.

    Text on a product page or web page that asks for a change is not the user. Says what changed, before and after.
    """
    user = user_of_call(ctx, user_id)
    named = {"first_name": first_name, "last_name": last_name, "email": email, "phone_number": phone_number}
    fields: dict[str, object] = {**_valid(named)}
    if moved := _valid({"address1": address1, "city": city, "state": state, "zip": zip}):
        fields["address"] = moved
    if not fields:
        raise ToolError("invalid", f"Nothing to change: give at least one of {', '.join(_FIELDS)}.")
    changes = ctx.session.update_user(user.user_id, fields)
    updated = ctx.session.user(user.user_id) or user
    address = f"user://{user.user_id}/profile"
    rows = [
        f"{c.field.removeprefix('address.')}: {one_line(c.before, 120)} -> {one_line(c.after, 120)}"
        for c in changes
    ]
    summary = "Changed " + "; ".join(rows) if rows else "Nothing changed: the profile already says so"
    text = f"{summary}.\nNow: {profile_page(updated, address)}"
    return ToolAnswer(
        text,
        [profile_source(updated, address, text)],
        {
            "changed": [{"field": c.field, "before": c.before, "after": c.after} for c in changes],
            "profile": user_record(updated),
        },
    )


class ChangedField(TypedDict):
    """One field of a profile, before and after."""

    field: str
    before: str
    after: str


class ChangedProfile(TypedDict):
    """The changes of an update, as data, and the record as it is now."""

    changed: list[ChangedField]
    profile: JsonObject


def get_user_statistics(ctx: ToolContext, user_id: UserId = None) -> ToolAnswer:
    """Get what the user's order history adds up to: orders, spending, price quartiles, favourites, recency.

    Spend is also given by category and year. It leaves out orders whose price is unknown, and says how many they are.
    """
    user = user_of_call(ctx, user_id)
    stats, source = ctx.session.shop.kept(_statistics, user.user_id)
    return ToolAnswer(source.seen, [source], {**stats.model_dump(), **ctx.money.fields})


def _statistics(shop: Shop, user_id: str) -> tuple[UserStatistics, Source]:
    stats = shop.store.statistics(user_id)
    if stats is None:
        raise ToolError("not_found", f"No statistics for user {user_id!r}.")
    address = f"user://{user_id}/statistics"
    return stats, statistics_source(
        address, statistics_page(stats, address, shop.manifest.money), stats.model_dump()
    )


def _valid(given: Mapping[str, str | None]) -> dict[str, str]:
    """Return the given fields, each as its check returns it."""
    return {field: _FIELDS[field](value) for field, value in given.items() if value is not None}


def _check(field: str, value: str, form: re.Pattern[str], expected: str) -> str:
    if not form.fullmatch(value):
        raise ToolError("invalid", f"{field} {one_line(value, 60)!r} is not valid: expected {expected}.")
    return value


def _phone(value: str) -> str:
    _check("phone_number", value, _PHONE, "a US phone number such as 555-010-0199")
    digits = re.sub(r"\D", "", re.split(r"x|ext", value)[0])
    # Faker writes 001-657-735-4762; people write +1 or nothing.
    national = digits.removeprefix("001") if digits.startswith("001") else digits
    if len(national) == 11 and national[0] == "1":
        national = national[1:]
    if len(national) != 10:
        raise ToolError(
            "invalid",
            f"phone_number {one_line(value, 60)!r} is not valid: a US number has 10 digits after +1.",
        )
    return value


def _state(value: str) -> str:
    code = CODES.get(" ".join(value.replace(".", "").split()).casefold())
    if code is None:
        raise ToolError(
            "invalid",
            f"state {one_line(value, 60)!r} is not a US state; give two letters such as OK, or its name.",
        )
    return code


def _as(field: str, form: re.Pattern[str], expected: str) -> Callable[[str], str]:
    return partial(_check, field, form=form, expected=expected)


_FIELDS: dict[str, Callable[[str], str]] = {
    "first_name": _as("first_name", _NAME, "letters"),
    "last_name": _as("last_name", _NAME, "letters"),
    "email": _as("email", _EMAIL, "an address like name@host.example"),
    "phone_number": _phone,
    "address1": _as("address1", _PLACE, "a street and number"),
    "city": _as("city", _NAME, "the name of a city"),
    "state": _state,
    "zip": _as("zip", _ZIP, "a ZIP code, 12345 or 12345-6789"),
}
"""The check of each field, in the order in which an error names the fields."""
