"""UCP's operations on the catalogue and on the shop's orders."""

from __future__ import annotations

import asyncio
from typing import Any

from drr.env.json_object import JsonObject
from drr.env.records.lines import one_line
from drr.env.source import Source
from drr.env.text import category_key, tokens
from drr.extras.ucp.documents import (
    LOOKUP,
    SEARCH,
    UcpAnswer,
    UcpRefusal,
    catalog_product,
    envelope,
    marks,
    note,
    price_of,
    reason_not_offered,
    shop_order,
)
from drr.tools.base import ToolContext, ToolError
from drr.tools.registry import call
from drr.wording.currencies import decimals_of
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

MOST, PAGE = 50, 10
_Prices = tuple[int | None, int | None]


def invalid_request(message: str) -> MCPError:
    return MCPError(INVALID_PARAMS, message)


def _limits(asked: Any, own: str) -> tuple[_Prices, list[str], list[JsonObject]]:
    """Return prices and categories to filter by, and messages on the parts of the filter that do not apply."""
    filters, messages = asked.filters, []
    if filters is None:
        return (None, None), [], []
    if strange := sorted(filters.model_extra or ()):
        named = ", ".join(one_line(name, 40) for name in strange[:5])
        messages.append(note("filter_not_supported", f"Not applied: {named}.", "warning"))
    prices = (None, None) if filters.price is None else (filters.price.min, filters.price.max)
    currency = (asked.context and asked.context.currency) or own
    if prices != (None, None) and currency.strip().upper() != own:
        notice = f"Prices here are {own} and {one_line(currency, 10)} is not converted: the price filter was not applied."
        messages.append(note("currency_not_supported", notice, "warning"))
        prices = (None, None)
    return prices, filters.categories or [], messages


def _passes(record: JsonObject, prices: _Prices, categories: list[str]) -> bool:
    """Tell whether an offered product passes the filters of a search."""
    (least, most), cents = prices, price_of(record) or 0
    if (least is not None and cents < least) or (most is not None and cents > most):
        return False
    shelves = {category_key(name) for name in (*record["categories"], record["category"])}
    return not categories or any(category_key(name) in shelves for name in categories)


def _offset(cursor: str | None) -> int:
    """Return the offset that a cursor stands for: the number of products before it."""
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= 5):
        raise invalid_request(
            "catalog.pagination.cursor: not one that this server gave; leave it out to begin."
        )
    return int(cursor)


async def search_catalog(asked: Any, ctx: ToolContext) -> UcpAnswer:
    """Search the shop's catalogue by words, with an optional price range and category."""
    wanted = asked.catalog
    (least, most), categories, messages = _limits(wanted, ctx.money.code)
    if len(categories) > 1:
        raise invalid_request("catalog.filters.categories: one category a search; search once for each.")
    query = wanted.query or "".join(categories)
    if not query:
        raise invalid_request("catalog.query: say in a few words what to look for, or give a category.")
    offset = _offset(wanted.pagination and wanted.pagination.cursor)
    units = 10 ** decimals_of(ctx.money.code)
    arguments: JsonObject = {
        "query": query,
        "min_price": (least or 0) / units,  # what has no price is not offered
        "max_price": None if most is None else most / units,
        "category": categories[0] if categories else None,
        "limit": min((wanted.pagination and wanted.pagination.limit) or PAGE, MOST),
        "offset": offset,
    }
    if not tokens(query[:300]):
        return UcpAnswer(_found_document([], {"has_next_page": False, "total_count": 0}, messages))
    found = await call("product_catalog_search", {k: v for k, v in arguments.items() if v is not None}, ctx)
    offered = [source for source in found.sources if price_of(_record(source)) is not None]
    products = [catalog_product(_record(source), whole=False) for source in offered]
    end, total = offset + len(found.sources), found.data["total"]
    pages: JsonObject = {"has_next_page": bool(found.sources) and end < total, "total_count": total}
    if pages["has_next_page"]:
        pages["cursor"] = str(end)
    if products:  # an empty answer has no messages on what was found
        messages += _remarks(found.data)
    messages += [
        note("not_offered", reason_not_offered(_record(s))) for s in found.sources if s not in offered
    ]
    paths = [(source, ("products", k)) for k, source in enumerate(offered)]
    return UcpAnswer(_found_document(products, pages, messages), paths)


def _found_document(products: list[JsonObject], pages: JsonObject, messages: list[JsonObject]) -> JsonObject:
    document = {"ucp": envelope(SEARCH), "products": products, "pagination": pages}
    messages = [*marks(products), *messages]
    return {**document, "messages": messages} if messages else document


def _remarks(data: JsonObject) -> list[JsonObject]:
    remarks = []
    if data.get("read"):
        remarks.append(note("query_read", one_line("; ".join(data["read"]), 300)))
    if aside := data.get("set_aside"):
        remarks.append(note("set_aside", f"{aside:,} more share a word of the query and were set aside."))
    if unpriced := data.get("unknown_price"):
        remarks.append(
            note(
                "not_offered",
                f"{unpriced:,} more match, but the shop knows no price and does not offer them.",
            )
        )
    return remarks


async def lookup_catalog(asked: Any, ctx: ToolContext) -> UcpAnswer:
    """Look up several products at once by their ids; what is not offered is named in `messages`."""
    wanted = asked.catalog
    prices, categories, messages = _limits(wanted, ctx.money.code)
    if len(wanted.ids) > MOST:
        raise invalid_request(f"catalog.ids: at most {MOST} at once.")
    ids = list(dict.fromkeys(wanted.ids))
    inputs: dict[str, list[str]] = {}
    sources: dict[str, Source] = {}
    for given, source in zip(
        ids, await asyncio.gather(*(look_up_product(one, ctx) for one in ids)), strict=True
    ):
        if source is None:
            messages.append(note("not_found", one_line(given, 60)))
        elif price_of(_record(source)) is None:
            messages.append(note("not_offered", reason_not_offered(_record(source))))
        elif not _passes(_record(source), prices, categories):
            messages.append(note("filtered_out", one_line(given, 60)))
        else:
            inputs.setdefault(source.url, []).append(given)
            sources[source.url] = source
    products = [catalog_product(_record(one), whole=True, inputs=inputs[url]) for url, one in sources.items()]
    document = {"ucp": envelope(LOOKUP), "products": products, "messages": [*marks(products), *messages]}
    return UcpAnswer(document, [(source, ("products", k)) for k, source in enumerate(sources.values())])


async def look_up_product(given: str, ctx: ToolContext) -> Source | None:
    try:
        return (await call("get_product_details", {"product_id": given, "part": "short"}, ctx)).sources[0]
    except ToolError as error:
        if error.kind == "not_found":
            return None
        raise


async def get_product(asked: Any, ctx: ToolContext) -> UcpAnswer:
    """Get one product whole: price, rating, seller, every feature, the description, all details."""
    wanted = asked.catalog
    prices, categories, messages = _limits(wanted, ctx.money.code)
    found = await call("get_product_details", {"product_id": wanted.id, "part": "short"}, ctx)
    record = _record(found.sources[0])
    if price_of(record) is None:
        raise UcpRefusal("item_unavailable", reason_not_offered(record))
    if not _passes(record, prices, categories):
        raise UcpRefusal("not_found", f"Product {one_line(wanted.id, 60)} does not pass the filters.")
    product = catalog_product(record, whole=True)
    document = {"ucp": envelope(LOOKUP), "product": product, "messages": [*marks([product]), *messages]}
    return UcpAnswer(document, [(found.sources[0], ("product",))])


async def shop_order_of(order_id: str, ctx: ToolContext) -> UcpAnswer:
    found = await call("get_order_details", {"order_id": order_id}, ctx)
    return UcpAnswer(shop_order(found, ctx.today), [(source, ()) for source in found.sources])


def _record(source: Source) -> JsonObject:
    return source.record or {}
