"""The result of a researcher of the rules. The best of what it found, as records, and the same as a short cited report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from drr.agents.brief import Condensing
from drr.env.records.lines import count, price
from drr.env.records.shopper import statistics_page
from drr.offline.agents import question as offline_question
from drr.offline.agents.choice import candidates
from drr.offline.agents.facts import related_orders, web_facts
from drr.offline.agents.grounding import grounded
from drr.offline.agents.memory import (
    Cites,
    Memory,
    SeenHome,
    SeenOrder,
    SeenPage,
    SeenProduct,
    SeenStatistics,
    plain,
    short,
)
from drr.offline.agents.papers import Quotation, quotations
from drr.offline.agents.reading import of_evidence
from drr.wording.money import money

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
    """What it was after, where it was sent to look through the shop."""

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
                said = sentence if known_page is None else f"{known_page.text} {sentence}"
                memory.pages[page.url] = SeenPage(page.url, plain(page.title, 120), said, True)

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
