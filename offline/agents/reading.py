"""The rules' sources: answers of tools as records, and findings of researchers.

They decide on what the answers hold and on nothing that a model was not shown: texts are cut where the tool's text cuts them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from drr.agents.brief import CallEvidence, Condensing, ProfileFacts
from drr.env.entities import Product
from drr.env.records.lines import cell, count, price
from drr.env.records.listing import shown_on_page
from drr.env.records.product import TITLE, path, title
from drr.env.records.shopper import statistics_page
from drr.env.source import Source
from drr.env.statistics import UserStatistics
from drr.offline.agents import question as offline_question
from drr.offline.agents.choice import candidates
from drr.offline.agents.facts import Quotation, quotations, related_orders, web_facts
from drr.offline.agents.grounding import grounded
from drr.offline.agents.memory import (
    Cites,
    MadeCall,
    Memory,
    SeenHome,
    SeenOrder,
    SeenPage,
    SeenPart,
    SeenProduct,
    SeenStatistics,
    plain,
    short,
)
from drr.tools.base import ToolAnswer
from drr.wording.money import money
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
        condensed(one).hand_on(memory)
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
        condensed(answer).hand_on(memory)


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


BEST, FEATURES, ORDERS, FACTS, LINES = 3, 3, 6, 7, 4


@dataclass(frozen=True)
class Synthesis:
    products: tuple[SeenProduct, ...]
    """The best of each need, with the first features of those that were opened."""
    missing: tuple[str, ...]
    orders: tuple[SeenOrder, ...]
    home: SeenHome | None
    statistics: SeenStatistics | None
    facts: tuple[tuple[str, SeenPage], ...]
    """Sentences with the page that says them."""
    papers: tuple[Quotation, ...]
    """Lines of files."""
    pictures: tuple[str, ...]
    sought: tuple[str, ...]
    """The things that it was sent to look for in the shop."""

    def hand_on(self, memory: Memory) -> None:
        """Hand the memory on to whoever reads the researchers' reports."""
        for product in self.products:
            memory.add_product(product)
            known = memory.products[product.url]
            if product.features:
                features = tuple(dict.fromkeys((*known.features, *product.features)))
                memory.products[product.url] = replace(known, features=features, opened=True)
        for order in self.orders:
            memory.orders[order.url] = order
        for line, part in self.papers:
            known_part = memory.parts.get(part.url)
            text = line if known_part is None else f"{known_part.text}\n{line}"
            memory.parts[part.url] = part._replace(text=text)
        memory.pictures = list(dict.fromkeys([*memory.pictures, *self.pictures]))
        memory.sought = self.sought or memory.sought
        memory.home = self.home or memory.home
        memory.statistics = self.statistics or memory.statistics
        for sentence, page in self.facts:
            if page.url not in memory.products:
                known_page = memory.pages.get(page.url)
                full = sentence if known_page is None else f"{known_page.text} {sentence}"
                memory.pages[page.url] = SeenPage(page.url, plain(page.title, 120), full, True)

    def text(self) -> str:
        cites = Cites()
        found = "\n".join(self._lines(cites)) or "Nothing."
        missing = "\n".join(f"- {one}" for one in self.missing) or "Nothing."
        return f"## Findings\n\n{found}\n\n## Open\n\n{missing}\n\n{cites.listing()}"

    def _lines(self, cites: Cites) -> Iterator[str]:
        for product in self.products:
            yield f"- Product: {product_line(product)} {cites.product(product)}"
            for feature in product.features:
                yield f"- Feature: {feature} {cites.product(product)}"
        for order in self.orders:
            yield f"- Order: {order_line(order)} {cites.order(order)}"
        if self.home is not None:
            yield f"- Lives in {self.home.city}, {self.home.state}. {cites(self.home.url, 'Your profile')}"
        if self.statistics is not None:
            for line in statistics_page(self.statistics.figures, "").splitlines()[:LINES]:
                yield f"- Record: {plain(line, 200)} {cites(self.statistics.url, 'Your order statistics')}"
        for line, part in self.papers:
            yield f"- File: {part.name}: {line} {cites(part.url, part.title)}"
        for sentence, page in self.facts:
            yield f"- {sentence} {cites(page.url, page.title)}"


def condensed(condensing: Condensing) -> Synthesis:
    """The same for the same evidence, whoever asks: the researcher who writes it, or the supervisor who reads it."""
    return condensed_of(condensing.problem, of_evidence(condensing.evidence, condensing.profile))


def condensed_of(problem: str, memory: Memory) -> Synthesis:
    """Condense what somebody remembers of work on a problem."""
    task = grounded(offline_question.read(problem), memory)
    products: list[SeenProduct] = []
    missing: list[str] = []
    for need in task.needs:
        options = candidates(task, need, memory)
        if not options and not memory.parts:
            missing.append(f"No {need} within the limits was found.")
        for product in options[:BEST]:
            products.append(_shortened(product))
            if product.price is None:
                missing.append(f"The price of {short(product.title)} is unknown.")
    orders = (replace(order, title=plain(order.title, 90)) for order in related_orders(task, memory, ORDERS))
    return Synthesis(
        tuple(products),
        tuple(missing),
        tuple(orders),
        memory.home,
        memory.statistics,
        tuple(web_facts(task, memory, FACTS)),
        tuple(quotations(task, memory)),
        tuple(memory.pictures),
        task.needs if products and offline_question.in_own_words(problem) else (),
    )


def _shortened(product: SeenProduct) -> SeenProduct:
    return replace(
        product,
        title=plain(product.title, 120),
        store=plain(product.store, 60) if product.store else None,
        path=plain(product.path, 90) or "shop",
        features=tuple(plain(feature, 140) for feature in product.features[:FEATURES]),
        description="",
        opened=False,
        searches=(),
    )


def product_line(product: SeenProduct) -> str:
    cost = price(None) if product.price is None else money(product.price)
    rating = "not rated" if product.rating is None else f"{product.rating:g}/5"
    if product.rating is not None and product.ratings is not None:
        rating += f" ({count(product.ratings)} ratings)"
    maker = f"by {product.store}" if product.store else "store unknown"
    return f"{product.title} | {cost} | {rating} | {maker} | {product.path}"


def order_line(order: SeenOrder) -> str:
    number = order.url.rsplit("/", 1)[-1]
    return (
        f"{order.date} {order.status}: {order.quantity} x {order.title} | order {number},"
        f" product {order.product_id}"
    )
