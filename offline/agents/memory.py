"""The rules' memory of a run, and their words for what was seen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Any, NamedTuple

from drr.env.statistics import UserStatistics
from drr.env.text import tokens
from drr.wording.money import money


@dataclass(frozen=True)
class SeenProduct:
    """A product as a model saw it: texts are as long as the answer of the tool gave them."""

    url: str
    title: str
    price: float | None
    rating: float | None
    ratings: int | None
    store: str | None
    path: str
    features: tuple[str, ...] = ()
    opened: bool = False

    @property
    def product_id(self) -> str:
        return self.url.rsplit("/", 1)[-1]


@dataclass(frozen=True)
class SeenOrder:
    url: str
    date: str
    status: str
    quantity: int
    title: str
    product_id: str
    price: float | None = None
    """Today's."""

    @property
    def kept(self) -> bool:
        return self.status not in ("Cancelled", "Returned")


class SeenPage(NamedTuple):
    url: str
    title: str
    text: str
    read: bool
    """True for a summary of the page, false for the snippet of a search engine."""


class SeenPart(NamedTuple):
    """A part of a file that was read: what can be cited by itself."""

    url: str
    name: str
    title: str
    text: str
    source: str
    """The address of all that was read with it."""


class SeenStatistics(NamedTuple):
    figures: UserStatistics
    url: str


class MadeCall(NamedTuple):
    name: str
    arguments: Mapping[str, Any]


@dataclass
class Memory:
    products: dict[str, SeenProduct] = field(default_factory=dict)
    orders: dict[str, SeenOrder] = field(default_factory=dict)
    orders_total: int | None = None
    orders_read: int = 0
    pages: dict[str, SeenPage] = field(default_factory=dict)
    statistics: SeenStatistics | None = None
    calls: list[MadeCall] = field(default_factory=list)
    """Every call made."""
    found_none: set[str] = field(default_factory=set)
    """Searches for nothing but words that had no finding."""
    papers: list[str] = field(default_factory=list)
    """Files that have words, by name."""
    pictures: list[str] = field(default_factory=list)
    parts: dict[str, SeenPart] = field(default_factory=dict)
    unfinished: list[str] = field(default_factory=list)
    """Files of which more is there than was read."""

    def called(self, name: str) -> int:
        return sum(1 for call in self.calls if call.name == name)

    def searched(self, query: str) -> int:
        """Count the searches of the shop for these words."""
        return sum(
            call.name == "product_catalog_search" and call.arguments.get("query") == query
            for call in self.calls
        )

    @property
    def words(self) -> frozenset[str]:
        """The words of all that was found and ordered."""
        listed = (f"{one.title} {one.path} {one.store}" for one in self.products.values())
        return frozenset(tokens(" ".join([*listed, *(one.title for one in self.orders.values())])))

    @property
    def today(self) -> date | None:
        """The shop's today, which a shopper's statistics tell."""
        figures = self.statistics.figures if self.statistics else None
        if figures is None or figures.last_order is None or figures.days_since_last_order is None:
            return None
        return date.fromisoformat(figures.last_order[:10]) + timedelta(figures.days_since_last_order)

    def add_product(self, product: SeenProduct) -> None:
        known = self.products.get(product.url)
        if known is None:
            self.products[product.url] = product
            return
        best = product if product.opened and not known.opened else known
        title = max(known.title, product.title, key=lambda t: (not t.endswith("…"), len(t)))
        self.products[product.url] = replace(best, title=title)

    def add_page(self, page: SeenPage) -> None:
        """A summary stands for the page rather than a snippet does."""
        known = self.pages.get(page.url)
        if known is None or (page.read and not known.read):
            self.pages[page.url] = page


def plain(text: str, limit: int) -> str:
    """Foreign text as part of our Markdown: no marks of its own."""
    text = " ".join(re.sub(r"[|*_`\[\]<>#]", " ", text).split())
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def short(title: str) -> str:
    """A product's name: its title up to the first break that leaves enough of it."""
    title = plain(re.sub(r"^\s*【[^】]{0,40}】", "", title), 120)
    for mark in re.finditer(r",| - | – | — | \(| with | for |…", title):
        if 12 <= mark.start() <= 60:
            return title[: mark.start()]
    return (title if len(title) <= 60 else title[:60].rsplit(" ", 1)[0]).rstrip(" -–—")


def join(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""


def rated(product: SeenProduct) -> str:
    if product.rating is None:
        return "not rated yet"
    votes = f" from {product.ratings:,} ratings" if product.ratings is not None else ""
    return f"rated {product.rating:g}/5{votes}"


def priced(product: SeenProduct) -> str:
    return "price unknown" if product.price is None else money(product.price)


@dataclass
class Cites:
    """Numbers for addresses, in the order of first use."""

    titles: dict[str, str] = field(default_factory=dict)

    def __call__(self, url: str, title: str) -> str:
        self.titles.setdefault(url, plain(title, 120))
        return f"[{list(self.titles).index(url) + 1}]"

    def product(self, product: SeenProduct) -> str:
        return self(product.url, product.title)

    def order(self, order: SeenOrder) -> str:
        return self(order.url, f"Your order of {order.date}")

    def listing(self) -> str:
        rows = [f"[{n}] {title}: {url}" for n, (url, title) in enumerate(self.titles.items(), 1)]
        return "## Sources\n\n" + ("\n".join(rows) if rows else "None.")


def sentences(text: str) -> Iterable[str]:
    """The sentences of a plain or Markdown text, without markup; tables, headings and code are left out."""
    prose = re.sub(r"```.*?```|^[ \t]*[#|>][^\n]*$", " ", text, flags=re.DOTALL | re.MULTILINE)
    prose = re.sub(r"!?\[([^\]]{0,500})\]\([^)]{0,2000}\)", r"\1", prose)
    prose = re.sub(r"^[^\S\n]*+(?:[-*+]|\d++[.)])\s+", "", prose, flags=re.MULTILINE)
    prose = re.sub(r"[*_`]{1,3}", "", prose)
    for paragraph in re.split(r"\n\s*\n|\n(?=\S)", prose):
        for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z0-9\"“(])", " ".join(paragraph.split())):
            if sentence:
                yield sentence
