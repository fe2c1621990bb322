"""The rules' sources: answers of tools as records, and what researchers condensed.

They decide on what the answers hold and on nothing that a model was not shown: texts are cut where the tool's text cuts them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from drr.agents.brief import CallEvidence, Condensing
from drr.env.entities import Product
from drr.env.records.lines import cell
from drr.env.records.listing import shown_on_page
from drr.env.records.product import TITLE, path, title
from drr.env.records.shopper import statistics_page
from drr.env.source import Source
from drr.env.statistics import UserStatistics
from drr.offline.agents.answers import listings, purchases, unjudged
from drr.offline.agents.asks import read
from drr.offline.agents.memory import (
    Cites,
    MadeCall,
    Memory,
    SeenOrder,
    SeenPage,
    SeenPart,
    SeenProduct,
    SeenStatistics,
    plain,
    priced,
    rated,
)
from drr.offline.agents.pages import page_rows, quotations
from drr.tools.base import ToolAnswer
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage


def of_conversation(messages: Sequence[BaseMessage]) -> Memory:
    """Remember a conversation with tools: the calls of each turn and the records behind the answers to them."""
    asked: dict[str, MadeCall] = {}
    evidence: list[CallEvidence] = []
    for message in messages:
        if isinstance(message, AIMessage):
            asked |= {str(c["id"]): MadeCall(c["name"], dict(c["args"])) for c in message.tool_calls}
        elif isinstance(message, ToolMessage):
            call = asked.get(message.tool_call_id, MadeCall(message.name or "", {}))
            evidence.append(CallEvidence(*call, message.artifact))
    return of_evidence(evidence)


def of_evidence(evidence: Iterable[CallEvidence]) -> Memory:
    """Remember the calls of a run."""
    memory = Memory()
    for name, arguments, answer in evidence:
        _take(memory, MadeCall(name, arguments), answer)
    return memory


def of_researched(researched: Iterable[Condensing], pages: Iterable[Source] = ()) -> Memory:
    """Remember what researchers condensed, and pages that were read whole."""
    memory = Memory()
    for one in researched:
        _hand_on(condensed(one.problem, of_evidence(one.evidence)), memory)
    for page in pages:
        memory.add_page(SeenPage(page.url, page.title or page.url, page.seen, True))
    return memory


def _take(memory: Memory, call: MadeCall, answer: object) -> None:
    """Take in one call with what answered it; `None` where it failed."""
    memory.calls.append(call)
    reader = _READERS.get(call.name)
    if isinstance(answer, ToolAnswer) and answer.error is None and reader is not None:
        reader(memory, call.arguments, answer)
    elif isinstance(answer, Condensing):
        _hand_on(condensed(answer.problem, of_evidence(answer.evidence)), memory)


# One reader for each tool -------------------------------------------------------------------------------------------


def _search(memory: Memory, arguments: Mapping[str, Any], answer: ToolAnswer) -> None:
    if not answer.data["total"] and arguments.keys() <= {"query", "limit", "sort"}:
        memory.found_none.add(arguments["query"])
    for source in answer.sources:
        product = _entity(source.record or {})
        memory.add_product(_seen(product, title(product, TITLE)))


def _entity(record: Mapping[str, Any]) -> Product:
    return Product.model_construct(**{name: value for name, value in record.items() if name != "_id"})


def _seen(product: Product, named: str) -> SeenProduct:
    return SeenProduct(
        url=product.product_url,
        title=named,
        price=product.price or None,  # nothing is sold for nothing
        rating=product.average_rating,
        ratings=None if product.average_rating is None else product.rating_number,
        store=cell(product.store, 60) if product.store else None,
        path=path(product),
    )


def _details(memory: Memory, arguments: Mapping[str, Any], answer: ToolAnswer) -> None:
    product = _entity(answer.data)
    seen, features = _seen(product, title(product, 200)), tuple(shown_on_page(product).features)
    memory.add_product(replace(seen, features=features, opened=True))


def _orders(memory: Memory, arguments: Mapping[str, Any], answer: ToolAnswer) -> None:
    memory.orders_total = answer.data["total"]
    for item in answer.data["items"]:
        gone = item["title"] is None
        memory.orders[item["url"]] = SeenOrder(
            url=item["url"],
            date=item["order_date"][:10],
            status=item["order_status"],
            quantity=item["quantity"],
            title="a product no longer in this shop" if gone else cell(item["title"], 80) or "untitled",
            product_id=item["product_id"],
            price=item["price"] or None,
        )
    memory.orders_read = len(memory.orders)


def _statistics(memory: Memory, arguments: Mapping[str, Any], answer: ToolAnswer) -> None:
    memory.statistics = SeenStatistics(UserStatistics.model_validate(answer.data), answer.sources[0].url)


def _web(memory: Memory, arguments: Mapping[str, Any], answer: ToolAnswer) -> None:
    for item in answer.data["items"]:
        read_whole = item.get("read", False)
        text = item["summary" if read_whole else "snippet"]
        memory.add_page(SeenPage(item["url"], item["title"], text, read_whole))


def _files(memory: Memory, arguments: Mapping[str, Any], answer: ToolAnswer) -> None:
    for item in answer.data["items"]:
        if not item.get("error"):
            (memory.pictures if item["kind"].startswith("picture") else memory.papers).append(item["name"])


def _file(memory: Memory, arguments: Mapping[str, Any], answer: ToolAnswer) -> None:
    file = answer.data
    _add_parts(memory, file["name"], file["parts"], file["url"] if len(answer.sources) == 1 else None)
    if not file["last"]:
        memory.unfinished.append(file["name"])


def _passages(memory: Memory, arguments: Mapping[str, Any], answer: ToolAnswer) -> None:
    _add_parts(memory, str(arguments.get("name", "")), answer.data["items"], None)


def _add_parts(memory: Memory, name: str, parts: Sequence[Mapping[str, str]], source: str | None) -> None:
    """One address may have been read more than once: what is new of it is added."""
    for part in parts:
        url, text = part["url"], part["text"]
        known = memory.parts.get(url)
        if known is not None and text not in known.text:
            text = f"{known.text}\n{text}"
        elif known is not None:
            continue
        place = url.partition("#")[2].replace("=", " ", 1)
        memory.parts[url] = SeenPart(url, name, f"{name}, {place}" if place else name, text, source or url)


_READERS: dict[str, Callable[[Memory, Mapping[str, Any], ToolAnswer], None]] = {
    "product_catalog_search": _search,
    "get_product_details": _details,
    "get_user_orders": _orders,
    "get_user_statistics": _statistics,
    "web_search": _web,
    "get_context": _web,
    "list_files": _files,
    "read_file": _file,
    "search_file": _passages,
}


# What a researcher hands on -------------------------------------------------------------------------------------------

_PRODUCTS, _FEATURES = 5, 2


def condensed(problem: str, memory: Memory) -> Memory:
    """Keep of a memory what serves a problem: the same for who writes it down and for who reads that."""
    asked, kept = (
        read(problem).spelled(memory.words),
        Memory(pictures=memory.pictures, orders_total=memory.orders_total),
    )
    kept.statistics, kept.found_none = memory.statistics, memory.found_none
    kept.calls = [call for call in memory.calls if call.name == "product_catalog_search"]
    for ask in asked.asks:
        for product in (listings(ask, memory) or unjudged(ask, memory))[:_PRODUCTS]:
            kept.products[product.url] = _shortened(product)
        kept.orders |= {order.url: order for order in purchases(ask, memory)}
    for question in asked.rest:
        if not asked.asks:
            kept.products |= {
                product.url: _shortened(product) for product in list(memory.products.values())[:_PRODUCTS]
            }
        for sentence, page in page_rows(question, memory):
            before = f"{kept.pages[page.url].text} " if page.url in kept.pages else ""
            kept.pages[page.url] = page._replace(text=before + sentence)
    for line, part in quotations(problem, memory):
        before = f"{kept.parts[part.url].text}\n" if part.url in kept.parts else ""
        kept.parts[part.url] = part._replace(text=before + line)
    kept.orders_read = memory.orders_read
    return kept


def _shortened(product: SeenProduct) -> SeenProduct:
    features = tuple(plain(feature, 140) for feature in product.features[:_FEATURES])
    return replace(product, title=plain(product.title, 120), features=features)


def _hand_on(kept: Memory, memory: Memory) -> None:
    """Add what one researcher condensed to what is known of all."""
    for product in kept.products.values():
        memory.add_product(product)
    memory.orders |= kept.orders
    memory.parts |= kept.parts
    for page in kept.pages.values():
        memory.add_page(page)
    memory.calls += kept.calls
    memory.found_none |= kept.found_none
    memory.pictures = list(dict.fromkeys([*memory.pictures, *kept.pictures]))
    memory.statistics = kept.statistics or memory.statistics
    if kept.orders_total is not None:
        memory.orders_total = kept.orders_total
        memory.orders_read = max(memory.orders_read, kept.orders_read)


def as_text(memory: Memory) -> str:
    """A researcher's report: rows with their sources."""
    cites = Cites()
    lines = []
    for product in memory.products.values():
        mark = cites.product(product)
        lines.append(f"- Product: {product.title}: {priced(product)}, {rated(product)} {mark}")
        lines += [f"- Feature: {feature} {mark}" for feature in product.features]
    for order in memory.orders.values():
        lines.append(
            f"- Order: {order.date} {order.status}: {order.quantity} x {plain(order.title, 90)} {cites.order(order)}"
        )
    if memory.statistics is not None:
        figures, url = memory.statistics
        mark = cites(url, "Your order statistics")
        lines += [f"- Record: {line} {mark}" for line in statistics_page(figures, "").splitlines() if line]
    lines += [
        f"- File: {part.name}: {plain(part.text, 400)} {cites(part.url, part.title)}"
        for part in memory.parts.values()
    ]
    lines += [f"- Page: {page.text} {cites(page.url, page.title)}" for page in memory.pages.values()]
    return "## Findings\n\n" + ("\n".join(lines) or "Nothing.") + f"\n\n{cites.listing()}"
