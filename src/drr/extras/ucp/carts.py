"""Carts, checkouts and the orders placed from them. The server holds them for their user; the shop stays as it is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from drr.env.json_object import JsonObject
from drr.env.records.lines import one_line
from drr.env.source import Source
from drr.extras.ucp.catalog import invalid_request, look_up_product, shop_order_of
from drr.extras.ucp.documents import (
    CART,
    CHECKOUT,
    ORDER,
    UcpAnswer,
    UcpRefusal,
    envelope,
    line_item,
    marks,
    placed_order,
    price_of,
    problem,
    reason_not_offered,
    total_of,
    totals,
)
from drr.tools.base import ToolContext

MOST_RESOURCES = 5_000
"""Carts, checkouts and orders that a server holds; the oldest goes first."""
_MOST_LINES, _MOST_OF_ONE = 100, 10_000
_EACH = ("C62", 0)
"""The unit and scale by which this shop sells: whole items."""
_ENDED = ("completed", "canceled")


@dataclass(frozen=True)
class _Resource:
    capability: str
    user: str | None
    draft: UcpAnswer
    cart_id: str | None = None


class CartStore:
    """Carts, checkouts and orders by id, each seen by its user only."""

    def __init__(self, new_id: Callable[[], str] = lambda: uuid4().hex) -> None:
        self._new_id = new_id
        self._resources: dict[str, _Resource] = {}

    async def create_cart(self, asked: Any, ctx: ToolContext) -> UcpAnswer:
        """Create a cart of products and quantities; the answer has prices and the total."""
        return self._keep(CART, ctx, await _lines(asked.cart.line_items, ctx))

    async def get_cart(self, asked: Any, ctx: ToolContext) -> UcpAnswer:
        """Get a cart of this session's user."""
        return self._of(CART, asked.id, ctx).draft

    async def update_cart(self, asked: Any, ctx: ToolContext) -> UcpAnswer:
        """Replace what a cart holds."""
        self._of(CART, asked.id, ctx)
        lines = await _lines(asked.cart.line_items, ctx)
        return self._keep(CART, ctx, lines, self._of(CART, asked.id, ctx), asked.id)

    async def cancel_cart(self, asked: Any, ctx: ToolContext) -> UcpAnswer:
        """Cancel a cart; the answer shows it once more."""
        draft = self._of(CART, asked.id, ctx).draft
        del self._resources[asked.id]
        return draft

    async def create_checkout(self, asked: Any, ctx: ToolContext) -> UcpAnswer:
        """Begin a checkout, of products and quantities or of a cart (`cart_id`)."""
        cart_id = asked.checkout.cart_id
        if cart_id is None:
            return self._keep(CHECKOUT, ctx, await _lines(asked.checkout.line_items, ctx))
        cart = self._of(CART, cart_id, ctx).draft
        for other in self._resources.values():
            if other.cart_id == cart_id and other.draft.document["status"] not in _ENDED:
                return other.draft
        sources = [source for source, _ in cart.shown]
        return self._keep(CHECKOUT, ctx, (cart.document["line_items"], sources, []), cart_id=cart_id)

    async def get_checkout(self, asked: Any, ctx: ToolContext) -> UcpAnswer:
        """Get a checkout of this session's user."""
        return self._of(CHECKOUT, asked.id, ctx).draft

    async def update_checkout(self, asked: Any, ctx: ToolContext) -> UcpAnswer:
        """Replace what a checkout holds."""
        self._open(asked.id, ctx)
        lines = await _lines(asked.checkout.line_items, ctx)
        return self._keep(CHECKOUT, ctx, lines, self._open(asked.id, ctx), asked.id)

    async def complete_checkout(self, asked: Any, ctx: ToolContext) -> UcpAnswer:
        """Place the order of a checkout. The shop takes no payment, and only this server knows the order."""
        found = self._open(asked.id, ctx)
        if asked.checkout.payment.instruments:
            raise UcpRefusal(
                "payment_failed",
                "This shop takes no payment; leave payment.instruments out.",
                severity="recoverable",
            )
        document = found.draft.document
        if document["status"] != "ready_for_complete":
            reason = "The checkout is incomplete; update_checkout resolves what its messages say."
            raise UcpRefusal("checkout_incomplete", reason, severity="recoverable")
        order_id = self._new_id()
        address = f"user://{found.user or 'nobody'}/orders/{order_id}"
        lines = [
            {
                **line,
                "quantity": {"original": line["quantity"], "total": line["quantity"], "fulfilled": 0},
                "status": "processing",
            }
            for line in document["line_items"]
        ]
        order = UcpAnswer(placed_order(order_id, asked.id, address, lines, ctx.money.code), found.draft.shown)
        self._hold(order_id, _Resource(ORDER, found.user, order))
        return self._end(asked.id, found, "completed", order={"id": order_id, "permalink_url": address})

    async def cancel_checkout(self, asked: Any, ctx: ToolContext) -> UcpAnswer:
        """Cancel a checkout."""
        return self._end(asked.id, self._open(asked.id, ctx), "canceled")

    async def get_order(self, asked: Any, ctx: ToolContext) -> UcpAnswer:
        """Get one order of this session's user: products, quantities, how far it is, the prices of today."""
        found = self._resources.get(asked.id)
        if found is None or (found.capability, found.user) != (ORDER, ctx.session.user_id):
            return await shop_order_of(asked.id, ctx)
        return found.draft

    def _of(self, capability: str, given: str, ctx: ToolContext) -> _Resource:
        found = self._resources.get(given)
        if found is None or (found.capability, found.user) != (capability, ctx.session.user_id):
            name = capability.rpartition(".")[2]
            raise UcpRefusal("not_found", f"No {name} {one_line(given, 60)!r} of this session's user.")
        return found

    def _open(self, given: str, ctx: ToolContext) -> _Resource:
        found = self._of(CHECKOUT, given, ctx)
        if (status := found.draft.document["status"]) in _ENDED:
            raise UcpRefusal("not_allowed", f"The checkout is {status}, so it stays as it is.")
        return found

    def _keep(
        self,
        capability: str,
        ctx: ToolContext,
        made: tuple[Sequence[JsonObject], Sequence[Source], Sequence[JsonObject]],
        before: _Resource | None = None,
        given: str | None = None,
        cart_id: str | None = None,
    ) -> UcpAnswer:
        (lines, sources, problems), own = made, given or self._new_id()
        document: JsonObject = {
            "ucp": envelope(capability),
            "id": own,
            "line_items": list(lines),
            "currency": ctx.money.code,
            "totals": totals(total_of(lines)),
            "messages": [*marks(lines), *problems],
        }
        if capability == CHECKOUT:
            ready = "ready_for_complete" if lines and not problems else "incomplete"
            document |= {"ucp": envelope(CHECKOUT, payment_handlers={}), "status": ready, "links": []}
        draft = UcpAnswer(document, [(source, ("line_items", k)) for k, source in enumerate(sources)])
        user = ctx.session.user_id
        self._hold(
            own, replace(before, draft=draft) if before else _Resource(capability, user, draft, cart_id)
        )
        return draft

    def _hold(self, given: str, resource: _Resource) -> None:
        self._resources[given] = resource
        if len(self._resources) > MOST_RESOURCES:
            del self._resources[next(iter(self._resources))]

    def _end(self, given: str, found: _Resource, status: str, **more: JsonObject) -> UcpAnswer:
        draft = replace(found.draft, document={**found.draft.document, "status": status, **more})
        self._hold(given, replace(found, draft=draft))
        return draft


async def _lines(
    asked: Sequence[Any], ctx: ToolContext
) -> tuple[list[JsonObject], list[Source], list[JsonObject]]:
    """Return line items, their sources, and messages on the refused items. Raises `UcpRefusal` if all are wrong."""
    if len(asked) > _MOST_LINES or any(line.quantity > _MOST_OF_ONE for line in asked):
        raise invalid_request(f"line_items: at most {_MOST_LINES}, of each at most {_MOST_OF_ONE:,} items.")
    found = await asyncio.gather(*(look_up_product(line.item.id, ctx) for line in asked))
    lines: dict[str, JsonObject] = {}
    sources, problems = [], []
    for k, (line, source) in enumerate(zip(asked, found, strict=True), 1):
        unit, record = line.item.quantity_unit, None if source is None else source.record
        if source is None or record is None:
            problems.append(problem("not_found", f"No product {one_line(line.item.id, 60)!r}."))
        elif price_of(record) is None:
            problems.append(problem("item_unavailable", reason_not_offered(record)))
        elif unit is not None and (unit.unit, unit.scale or 0) != _EACH:
            problems.append(problem("quantity_unit", f"{record['product_id']} is sold by the piece (C62)."))
        else:
            given = getattr(line, "id", None)
            name = given if isinstance(given, str) and 0 < len(given) <= 60 else f"li_{k}"
            while name in lines:
                name += "_"
            lines[name] = line_item(name, record, line.quantity)
            sources.append(source)
    if problems and not lines:
        raise UcpRefusal("", "", messages=[{**one, "severity": "unrecoverable"} for one in problems])
    return list(lines.values()), sources, problems
