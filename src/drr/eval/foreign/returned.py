"""Finds what the tools of a traced agent returned: sources in our tools' structured content, and ids of the shop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from drr.citations.addresses import addresses_in, canonical_url, host_of, path_steps
from drr.env.json_object import JsonObject
from drr.env.shop import Shop, numbers_of
from drr.env.shop_world import USER
from drr.env.source import Source, text_hash
from drr.eval.evidence.imported import Evidence, ImportedReport
from drr.eval.foreign.shoppers import TraceText, ids_in
from drr.eval.foreign.traces import json_or_text, text_of
from drr.tools.base import order_sources, product_source, profile_source, statistics_source
from drr.tools.registry import EVERY
from pydantic import ValidationError

_MOST = 2_000
"""Most words of a result that are looked up."""
_LINES = 3
"""Most lines of one row of a listing."""


def with_evidence(report: ImportedReport, shop: Shop | None) -> ImportedReport:
    """Return the report of a trace with what its tools returned. It is judged as our own runs are where every result could be
    read, else as other imports. Records come from the shop alone, never from the trace."""
    calls = [call for call in report.tool_calls or () if call["kind"] == "api" and call["ok"]]
    if report.evidence is not None:
        given = [one.source() for one in report.evidence]
        whole = bool(report.traced)
    else:
        found = [(call, list(_sources(call.get("result"), shop, report.user_id))) for call in calls]
        given = [source for _, sources in found for source in sources]
        whole = any(one.type != "web" for one in given) and all(
            sources or ("result" in call and _is_ours(call["name"])) for call, sources in found
        )
    whole = whole and not any(call.get("left_out") for call in calls)
    traced = None if shop is None else TraceText(report, shop.manifest.money)
    kept: dict[tuple[str, str], Evidence] = {}
    for source in {(source.url, source.seen): source for source in given}.values():
        for one in _recorded(source, shop, traced) if shop and traced else [source]:
            kept.setdefault((canonical_url(one.url), one.sha256), _evidence(one, traced=whole))
    return report.model_copy(update={"evidence": [*kept.values()] or None, "traced": whole or None})


def _is_ours(name: str) -> bool:
    """Tell whether a name, which a client may have put a server's before, is that of one of our tools."""
    return any(name == one or name.endswith((f"_{one}", f".{one}", f"/{one}", f"-{one}")) for one in EVERY)


def _evidence(source: Source, *, traced: bool) -> Evidence:
    if not traced:
        return Evidence(url=source.url, type=source.type, text=source.seen, title=source.title)
    return Evidence(
        url=source.url,
        type=source.type,
        title=source.title,
        seen=source.seen,
        text=source.page,
        status=source.page_status,
        record=source.record,
    )


def _sources(result: Any, shop: Shop | None, user_id: str | None) -> Iterator[Source]:
    document = json_or_text(result)
    text = _text(document)
    rows = _structured(document)
    if rows:
        passages = {text_hash(one): one for one in _passages(text)}
        for row in rows:
            given = {name: row.get(name) for name in ("url", "type", "title")}
            try:
                one = Evidence.model_validate({**given, "seen": passages.get(str(row.get("sha256")), text)})
            except ValidationError:
                continue
            yield one.source()
    elif shop is not None:
        yield from _named(text, shop, user_id)


def _structured(document: Any) -> list[Mapping[str, Any]]:
    """Return the sources that our MCP server, or `drr tools call --json`, put beside the text."""
    if not isinstance(document, dict):
        return []
    beside = document.get("_meta") or document.get("meta") or document
    rows = beside.get("sources") if isinstance(beside, dict) else None
    return [one for one in rows if isinstance(one, dict)] if isinstance(rows, list) else []


def _text(document: Any) -> str:
    """Return the text that the model read."""
    if isinstance(document, dict):
        inner = document.get("structuredContent") or document
        for name in ("result", "text", "content"):
            found = text_of(inner.get(name)) if isinstance(inner, dict) else ""
            if found:
                return found
    return text_of(document) or str(document or "")


def _passages(text: str) -> Iterator[str]:
    """Yield the passages that one source of an answer may be: all, or a few lines without their number."""
    yield text
    lines = text.split("\n")
    for start in range(len(lines)):
        head, dot, rest = lines[start].partition(". ")
        first = rest if dot and head.isdigit() else lines[start]
        for end in range(start + 1, min(start + 1 + _LINES, len(lines) + 1)):
            yield "\n".join([first, *lines[start + 1 : end]])
    yield "\n".join(lines[:-1])


def _named(text: str, shop: Shop, user_id: str | None) -> Iterator[Source]:
    """Yield the products and orders whose ids a text holds, and its web addresses, each with its passage."""
    lines = text.split("\n")
    words = [(n, word) for n, line in enumerate(lines) for word in ids_in(line)]
    known = _addresses_of(list(dict.fromkeys(word for _, word in words))[:_MOST], shop, user_id)
    found = [(n, known[word]) for n, word in words if word in known]
    found += [
        (n, url) for n, line in enumerate(lines) for url in addresses_in(line) if _is_elsewhere(url, shop)
    ]
    ends = sorted({number for number, _ in found})
    starts = dict(zip(ends, [0, *(end + 1 for end in ends)], strict=False))
    for number, url in dict.fromkeys(found):
        passage = text if len(ends) == 1 else "\n".join(lines[starts[number] : number + 1])
        kind = "user" if url.startswith(USER) else "web" if _is_elsewhere(url, shop) else "product"
        yield Source(url=url, type=kind, seen=passage)


def _addresses_of(ids: Sequence[str], shop: Shop, user_id: str | None) -> dict[str, str]:
    """Return addresses by id: of products, and of the user's orders, by the shop's own number too."""
    found = {one.product_id: one.product_url for one in shop.store.products(ids)}
    orders = (order for one in ids if one not in found and (order := shop.store.order(one)) is not None)
    named = {one.order_id: one for one in orders if one.user_id == user_id}
    if user_id is not None and (numbers := numbers_of(shop.manifest)) is not None:
        rest = [one for one in ids if one not in found and one not in named]
        lines = numbers.orders(shop.store.orders(user_id).items, rest)
        named |= {number: orders[0] for number, orders in lines.items()}
    return found | {key: f"{USER}{one.user_id}/orders/{one.order_id}" for key, one in named.items()}


def _is_elsewhere(url: str, shop: Shop) -> bool:
    return url.startswith("http") and host_of(url) != host_of(shop.shop_url)


def _recorded(source: Source, shop: Shop, traced: TraceText) -> list[Source]:
    """Return the source with a product's record, or with what the trace tells of the user's own. Nothing for one
    that names a record which the shop lacks."""
    if source.type == "product" or host_of(source.url) == host_of(shop.shop_url):
        product = shop.store.product(next(reversed(path_steps(source.url)), ""))
        return [] if product is None else [product_source(product, source.seen, shop.manifest.money)]
    if source.type != "user":
        return [source]
    return [_as_traced(one, one.record, traced) if one.record else one for one in _own(source, shop, traced)]


def _as_traced(source: Source, record: JsonObject, traced: TraceText) -> Source:
    """Return a source of the user's own records with those fields that the trace says. The product of an order is known or not."""
    kept = traced.part_of(record) or {}
    if "product_id" in kept:
        named = ("order_id", "product_url", "product_title", "product_price")
        kept |= {name: record[name] for name in named}
    elif "product_id" in record:
        kept.pop("order_id", None)
    is_named = "first_name" not in record or {"first_name", "last_name"} <= kept.keys()
    return source.model_copy(update={"record": kept, "title": source.title if is_named else "Profile"})


def _own(source: Source, shop: Shop, traced: TraceText) -> list[Source]:
    """Return a source of the user's own records with the whole record."""
    money, seen = shop.manifest.money, source.seen
    name, _, rest = source.url.removeprefix(USER).partition("/")
    what, _, which = rest.partition("/")
    user = shop.store.user(name)
    if user is None:
        return []
    if what == "orders" and which:
        order = shop.store.order(which)
        if order is None or order.user_id != name:
            return []
        product = shop.store.product(order.product_id) if traced.has(order.product_id) else None
        return order_sources(f"{USER}{name}/orders/", order, product, seen, money)[:1]
    if what == "profile" and source.title != "Profile summary":
        return [profile_source(user, source.url, seen)]
    statistics = shop.store.statistics(name) if what == "statistics" else None
    return [source] if statistics is None else [statistics_source(source.url, seen, statistics.model_dump())]
