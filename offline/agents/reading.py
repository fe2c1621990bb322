"""The rules' sources of knowledge: the answers of tools as records, call by call, and what researchers condensed.

They decide on what the answers hold and on nothing that a model was not shown: texts are cut where the tool's text cuts them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from drr.agents.brief import CallEvidence, Condensing, ProfileFacts
from drr.env.entities import Product
from drr.env.records.lines import cell
from drr.env.records.listing import shown_on_page
from drr.env.records.product import TITLE, path, title
from drr.env.source import Source
from drr.env.statistics import UserStatistics
from drr.offline.agents.memory import (
    MadeCall,
    Memory,
    SeenHome,
    SeenOrder,
    SeenPage,
    SeenPart,
    SeenProduct,
    SeenStatistics,
)
from drr.tools.base import ToolAnswer
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage


def of_conversation(messages: Sequence[BaseMessage], profile: ProfileFacts | None = None) -> Memory:
    """Remember a conversation with tools: the calls of each turn and the records behind the answers to them."""
    memory = Memory()
    asked: dict[str, MadeCall] = {}
    for message in messages:
        if isinstance(message, AIMessage):
            asked |= {str(c["id"]): MadeCall(c["name"], dict(c["args"])) for c in message.tool_calls}
        elif isinstance(message, ToolMessage):
            call = asked.get(message.tool_call_id, MadeCall(message.name or "", {}))
            take(memory, call, message.artifact)
    _take_profile_facts(memory, profile)
    return memory


def of_evidence(evidence: Iterable[CallEvidence], profile: ProfileFacts | None = None) -> Memory:
    """Remember the calls of a run."""
    memory = Memory()
    for name, arguments, answer in evidence:
        take(memory, MadeCall(name, arguments), answer)
    _take_profile_facts(memory, profile)
    return memory


def of_researched(researched: Iterable[Condensing], pages: Iterable[Source] = ()) -> Memory:
    """Remember what researchers condensed, and pages that were read whole."""
    memory = Memory()
    for one in researched:
        _take_condensed(memory, one)
    for page in pages:
        memory.add_page(SeenPage(page.url, page.title or page.url, page.seen, True))
    return memory


def take(memory: Memory, call: MadeCall, answer: object) -> None:
    """One call with what answered it; `None` where it failed."""
    memory.calls.append(call)
    reader = _READERS.get(call.name)
    if isinstance(answer, ToolAnswer) and reader is not None:
        reader(memory, call.arguments, answer)
    elif isinstance(answer, Condensing):
        _take_condensed(memory, answer)


def _take_condensed(memory: Memory, condensing: Condensing) -> None:
    from drr.offline.agents.synthesis import condensed

    condensed(condensing).hand_on(memory)


def _take_profile_facts(memory: Memory, profile: ProfileFacts | None) -> None:
    """Take in what a `+profile` researcher was handed."""
    if profile is not None:
        memory.home = SeenHome(profile.summary.city, profile.summary.state, profile.url)


# One reader for each tool -------------------------------------------------------------------------------------------


def _search(memory: Memory, arguments: Mapping[str, Any], answer: ToolAnswer) -> None:
    query = str(arguments.get("query", ""))
    memory.found[query] = [source.url for source in answer.sources]
    for source in answer.sources:
        product = _entity(source.record or {})
        memory.add_product(replace(_seen(product, title(product, TITLE)), searches=(query,)))


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
    shown = shown_on_page(product)
    seen = _seen(product, title(product, 200))
    memory.add_product(
        replace(seen, features=tuple(shown.features), description=shown.description, opened=True)
    )


def _orders(memory: Memory, arguments: Mapping[str, Any], answer: ToolAnswer) -> None:
    if not answer.data["items"]:
        return
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
        )


def _profile(memory: Memory, arguments: Mapping[str, Any], answer: ToolAnswer) -> None:
    address = answer.data["address"]
    memory.home = SeenHome(address["city"], address["state"], answer.sources[0].url)


def _statistics(memory: Memory, arguments: Mapping[str, Any], answer: ToolAnswer) -> None:
    memory.statistics = SeenStatistics(UserStatistics.model_validate(answer.data), answer.sources[0].url)


def _web(memory: Memory, arguments: Mapping[str, Any], answer: ToolAnswer) -> None:
    for item in answer.data["items"]:
        read = item.get("read", False)
        memory.add_page(SeenPage(item["url"], item["title"], item["summary" if read else "snippet"], read))


def _files(memory: Memory, arguments: Mapping[str, Any], answer: ToolAnswer) -> None:
    for item in answer.data["items"]:
        if not item.get("error"):
            (memory.pictures if item["kind"].startswith("picture") else memory.papers).append(item["name"])


def _file(memory: Memory, arguments: Mapping[str, Any], answer: ToolAnswer) -> None:
    read = answer.data
    _add_parts(memory, read["name"], read["parts"], read["url"] if len(answer.sources) == 1 else None)
    if not read["last"]:
        memory.unfinished.append(read["name"])


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
        title = f"{name}, {place}" if place else name
        memory.parts[url] = SeenPart(url, name, title, text, source or url)


_READERS: dict[str, Callable[[Memory, Mapping[str, Any], ToolAnswer], None]] = {
    "product_catalog_search": _search,
    "get_product_details": _details,
    "get_user_orders": _orders,
    "get_user_profile": _profile,
    "get_user_statistics": _statistics,
    "web_search": _web,
    "get_context": _web,
    "list_files": _files,
    "read_file": _file,
    "search_file": _passages,
}
