"""The four operations, each made of a call of our own tools."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from drr.env.json_object import JsonObject
from drr.env.records.lines import one_line
from drr.env.source import Source
from drr.env.text import category_key
from drr.extras.ucp.forms import (
    LOOKUP,
    MOST,
    SEARCH,
    UcpBuyer,
    UcpCatalogProduct,
    UcpDetail,
    UcpFilters,
    UcpFound,
    UcpLookedUp,
    UcpLookupCall,
    UcpMessage,
    UcpOrderCall,
    UcpPages,
    UcpPagination,
    UcpPrices,
    UcpProductCall,
    UcpSearchCall,
)
from drr.extras.ucp.records import (
    CURRENCY,
    UNTRUSTED,
    catalog_product,
    envelope,
    minor_units,
    note,
    order_seen,
    unpriced_notes,
)
from drr.tools.base import ToolContext, ToolError
from drr.tools.registry import call
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS


def _limits(filters: UcpFilters | None, buyer: UcpBuyer | None) -> tuple[UcpPrices, list[UcpMessage]]:
    """The price filter as far as it can be applied, and what is said of what cannot."""
    if filters is None:
        return UcpPrices(), []
    messages = []
    if strange := sorted(filters.model_extra or ()):
        named = ", ".join(one_line(name, 40) for name in strange[:5])
        messages.append(note("filter_not_supported", f"Not applied: {named}.", "warning"))
    prices, currency = filters.price or UcpPrices(), (buyer.currency if buyer else None) or CURRENCY
    if filters.price is not None and currency.strip().upper() != CURRENCY:
        told = f"Prices here are {CURRENCY} and {one_line(currency, 10)} is not converted: the price filter was not applied."
        messages.append(note("currency_not_supported", told, "warning"))
        prices = UcpPrices()
    return prices, messages


def _passes(record: JsonObject, prices: UcpPrices, categories: list[str] | None) -> bool:
    """As a search decides: an unknown price passes no filter on it."""
    cents = minor_units(record["price"])
    if prices.min is not None and (cents is None or cents < prices.min):
        return False
    if prices.max is not None and (cents is None or cents > prices.max):
        return False
    shelves = {category_key(name) for name in (*record["categories"], record["category"])}
    return not categories or any(category_key(name) in shelves for name in categories)


def _offset(cursor: str | None) -> int:
    """A cursor is the number of products before it."""
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= 5):
        raise MCPError(
            INVALID_PARAMS, "catalog.pagination.cursor: not one that this server gave; leave it out to begin."
        )
    return int(cursor)


@dataclass(frozen=True)
class Notes:
    """An answer before it is sent; `shown` are the sources by the part of the answer that shows them."""

    answer: Mapping[str, Any]
    shown: Sequence[tuple[Source, Any]] = ()


async def search_catalog(asked: UcpSearchCall, ctx: ToolContext) -> Notes:
    """Search the shop's catalogue by words, with an optional price range and category."""
    wanted = asked.catalog
    filters, pages = wanted.filters or UcpFilters(), wanted.pagination or UcpPages()
    prices, messages = _limits(wanted.filters, wanted.context)
    categories = filters.categories or []
    if len(categories) > 1:
        raise MCPError(
            INVALID_PARAMS, "catalog.filters.categories: one category a search; search once for each."
        )
    arguments: JsonObject = {
        "query": wanted.query,
        "min_price": None if prices.min is None else prices.min / 100,
        "max_price": None if prices.max is None else prices.max / 100,
        "category": categories[0] if categories else None,
        "limit": min(pages.limit, MOST),
        "offset": _offset(pages.cursor),
    }
    found = await call("product_catalog_search", {k: v for k, v in arguments.items() if v is not None}, ctx)
    records = [_record(source) for source in found.sources]
    products = [catalog_product(record, whole=False) for record in records]
    if found.data.get("read"):
        messages.append(note("query_read", one_line("; ".join(found.data["read"]), 300)))
    if aside := found.data.get("set_aside"):
        messages.append(note("set_aside", f"{aside:,} more share a word of the query and were set aside."))
    if unpriced := found.data.get("unknown_price"):
        told = f"{unpriced:,} more match, but their price is unknown, so they pass no price filter."
        messages.append(note("price_unknown_set_aside", told, "warning"))
    end, total = arguments["offset"] + len(products), found.data["total"]
    pagination: UcpPagination = {"has_next_page": bool(products) and end < total, "total_count": total}
    if pagination["has_next_page"]:
        pagination["cursor"] = str(end)
    answer: UcpFound = {
        "ucp": envelope(SEARCH),
        "products": products,
        "pagination": pagination,
        "messages": [*marks(products), *unpriced_notes(records), *messages],
    }
    return Notes(answer, list(zip(found.sources, products, strict=True)))


async def lookup_catalog(asked: UcpLookupCall, ctx: ToolContext) -> Notes:
    """Look up several products at once by their ids; what has no product is named in `messages`."""
    wanted = asked.catalog
    prices, messages = _limits(wanted.filters, wanted.context)
    categories = wanted.filters.categories if wanted.filters else None
    ids = list(dict.fromkeys(wanted.ids))
    looked = await asyncio.gather(*(_looked_up(given, ctx) for given in ids))
    inputs: dict[str, list[str]] = {}
    sources: dict[str, Source] = {}
    for given, source in zip(ids, looked, strict=True):
        if source is None:
            messages.append(note("not_found", one_line(given, 60)))
        elif not _passes(_record(source), prices, categories):
            messages.append(note("filtered_out", one_line(given, 60)))
        else:
            inputs.setdefault(source.url, []).append(given)
            sources[source.url] = source
    products = [
        catalog_product(_record(source), whole=True, inputs=inputs[url]) for url, source in sources.items()
    ]
    answer: UcpLookedUp = {
        "ucp": envelope(LOOKUP),
        "products": products,
        "messages": [*marks(products), *unpriced_notes(map(_record, sources.values())), *messages],
    }
    return Notes(answer, list(zip(sources.values(), products, strict=True)))


async def _looked_up(given: str, ctx: ToolContext) -> Source | None:
    try:
        return (await call("get_product_details", {"product_id": given, "part": "short"}, ctx)).sources[0]
    except ToolError as error:
        if error.kind == "not_found":
            return None
        raise


async def get_product(asked: UcpProductCall, ctx: ToolContext) -> Notes:
    """Get one product whole: price, rating, seller, every feature, the description, all details."""
    wanted = asked.catalog
    prices, messages = _limits(wanted.filters, wanted.context)
    found = await call("get_product_details", {"product_id": wanted.id, "part": "short"}, ctx)
    record = _record(found.sources[0])
    if not _passes(record, prices, wanted.filters.categories if wanted.filters else None):
        raise ToolError("not_found", f"Product {one_line(wanted.id, 60)} does not pass the filters.")
    product = catalog_product(record, whole=True)
    answer: UcpDetail = {
        "ucp": envelope(LOOKUP),
        "product": product,
        "messages": [*marks([product]), *unpriced_notes([record]), *messages],
    }
    return Notes(answer, [(found.sources[0], product)])


async def get_order(asked: UcpOrderCall, ctx: ToolContext) -> Notes:
    """Get one order of this session's user: product, quantity, how far it is, the price of today."""
    found = await call("get_order_details", {"order_id": asked.id}, ctx)
    answer = order_seen(found)
    return Notes(answer, [(source, answer) for source in found.sources])


def _record(source: Source) -> JsonObject:
    return source.record or {}


def marks(products: Sequence[UcpCatalogProduct]) -> list[UcpMessage]:
    return [note("untrusted_text", UNTRUSTED)] if products else []
