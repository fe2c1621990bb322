"""What the rules remember of a conversation: products, orders, pages and sums, read off the text that the tools gave.

They read what a model would read, tool answers in a transcript, rendered results in a fresh conversation, the reports of
researchers, and never an artifact or the store.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from drr.agents.control import LAUNCH
from drr.agents.rendering import SHORTENED
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

_ROW = re.compile(r"^\d+\. (.+)\n   (\S+)$", re.MULTILINE)
_WEB_ROW = re.compile(r"^\d+\. (.+)\n   (https?://\S+)\n   (.+)$", re.MULTILINE)
_PRICE = re.compile(r"\$([\d,]+\.\d\d)$|price unknown$")
_RATING = re.compile(r"([\d.]+)/5(?: \(([\d,]+) ratings\))?$|not rated$")
_ORDER = re.compile(
    r"^(\d{4}-\d\d-\d\d) (\w+): (\d+) x (.+?)(?: \| (\$[\d,]+\.\d\d|price unknown))? \| order (\S+), product (\S+)$",
    re.MULTILINE,
)
_CITE = re.compile(r"Cite (user://\S+/orders/)<order> and (\S+)/<product>")
_USER_URL = re.compile(r"^(user://\S+)$", re.MULTILINE)
_CALL = re.compile(
    r"^## Call \d+: (\w+) (\{[^\n]*\})\n<(result|error) (\w+)>\n(.*?)\n</\3 \4>$", re.MULTILINE | re.DOTALL
)
_REPORT = re.compile(
    r"^## (Researcher [^\n]*|Profile facts|Closing words[^\n]*)\n<(\w+) (\w+)>\n(.*?)\n</\2 \3>$",
    re.MULTILINE | re.DOTALL,
)
_ENTRY = re.compile(r"^\[(\d+)\] (.*): ((?:https?|user)://\S+)$", re.MULTILINE)
_CITED = re.compile(r"^\s*- (.+) \[(\d+)\]$", re.MULTILINE)


@dataclass(frozen=True)
class SeenProduct:
    url: str
    title: str
    price: float | None
    rating: float | None
    ratings: int | None
    store: str | None
    path: str
    features: tuple[str, ...] = ()
    description: str = ""
    details: tuple[str, ...] = ()
    opened: bool = False
    searches: tuple[str, ...] = ()
    """The searches that found it."""

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

    @property
    def kept(self) -> bool:
        return self.status not in ("Cancelled", "Returned")


@dataclass(frozen=True)
class SeenPage:
    url: str
    title: str
    text: str
    read: bool
    """Whether the text is a summary of the page, and not the snippet of a search engine."""


@dataclass
class Memory:
    products: dict[str, SeenProduct] = field(default_factory=dict)
    orders: dict[str, SeenOrder] = field(default_factory=dict)
    orders_total: int | None = None
    pages: dict[str, SeenPage] = field(default_factory=dict)
    place: tuple[str, str] | None = None
    """City and state."""
    profile_url: str | None = None
    statistics: tuple[str, ...] = ()
    statistics_url: str | None = None
    sums: dict[str, str] = field(default_factory=dict)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    """Every call made, with its arguments."""
    empty: list[str] = field(default_factory=list)
    """Searches of the catalogue that found nothing."""
    open_points: list[str] = field(default_factory=list)

    def called(self, name: str) -> int:
        return sum(1 for call, _ in self.calls if call == name)

    def searched(self, query: str) -> bool:
        return any(n == "product_catalog_search" and a.get("query") == query for n, a in self.calls)

    def take(self, name: str, arguments: dict[str, Any], text: str) -> None:
        """One answered call."""
        self.calls.append((name, arguments))
        reader = _READERS.get(name)
        if reader is not None and not text.startswith(("Error (", "Not run")):
            reader(self, arguments, text)

    def add_product(self, product: SeenProduct) -> None:
        known = self.products.get(product.url)
        if known is None:
            self.products[product.url] = product
            return
        best = product if product.opened and not known.opened else known
        title = max(known.title, product.title, key=lambda t: (not t.endswith("…"), len(t)))
        searches = tuple(dict.fromkeys((*known.searches, *product.searches)))
        self.products[product.url] = replace(best, title=title, searches=searches)


def of_conversation(messages: Sequence[BaseMessage]) -> Memory:
    """From a conversation with tools: the calls of each turn and the answers to them."""
    memory = Memory()
    asked: dict[str, tuple[str, dict[str, Any]]] = {}
    for message in messages:
        if isinstance(message, AIMessage):
            asked |= {str(call["id"]): (call["name"], dict(call["args"])) for call in message.tool_calls}
        elif isinstance(message, ToolMessage):
            name, arguments = asked.get(message.tool_call_id, (message.name or "", {}))
            if name == LAUNCH:
                memory.calls.append((name, arguments))
                _take_report(memory, str(message.text))
            else:
                memory.take(name, arguments, str(message.text))
    return memory


def of_results(text: str) -> Memory:
    """From a fresh conversation over rendered results."""
    memory = Memory()
    for match in _CALL.finditer(text):
        memory.take(match[1], _arguments(match[2]), match[5].removesuffix(SHORTENED))
    _take_extras(memory, text)
    return memory


def of_reports(text: str) -> Memory:
    """From the reports of researchers, each with sources of its own."""
    memory = Memory()
    _take_extras(memory, text)
    return memory


def _take_extras(memory: Memory, text: str) -> None:
    for match in _REPORT.finditer(text):
        if match[1].startswith("Researcher"):
            _take_report(memory, match[4])
        elif match[1].startswith("Profile facts"):
            profile_facts(memory, match[4])


def profile_facts(memory: Memory, text: str) -> None:
    """What a `+profile` researcher was handed."""
    if region := re.search(r"^Region: (.+?), (.+?), ", text, re.MULTILINE):
        memory.place = (region[1], region[2])
    if url := re.search(r"Address to cite for this: (user://\S+)", text):
        memory.profile_url = url[1]


def _arguments(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


# One reader for each tool -------------------------------------------------------------------------------------------


def _search(memory: Memory, arguments: dict[str, Any], text: str) -> None:
    query = str(arguments.get("query", ""))
    found = False
    for row in _ROW.finditer(text):
        if product := _product_row(row[1], row[2]):
            found = True
            memory.add_product(replace(product, searches=(query,)))
    if not found:
        memory.empty.append(query)


def _product_row(row: str, url: str) -> SeenProduct | None:
    """Split from the right: a title may hold anything, the fields behind it have a form."""
    parts = row.rsplit(" | ", 4)
    return _fields(parts[0], url, parts[1:]) if len(parts) == 5 else None


def _fields(title: str, url: str, fields: Sequence[str]) -> SeenProduct | None:
    price, rating = _PRICE.match(fields[0]), _RATING.match(fields[1])
    if price is None or rating is None:
        return None
    return SeenProduct(
        url=url,
        title=title,
        price=float(price[1].replace(",", "")) if price[1] else None,
        rating=float(rating[1]) if rating[1] else None,
        ratings=int(rating[2].replace(",", "")) if rating[2] else None,
        store=fields[2].removeprefix("by ") if fields[2].startswith("by ") else None,
        path=fields[3],
    )


def _details(memory: Memory, arguments: dict[str, Any], text: str) -> None:
    lines = text.split("\n")
    if len(lines) < 2:
        return
    parts = lines[1].rsplit(" | ", 4)
    product = _fields(lines[0], parts[0], parts[1:]) if len(parts) == 5 else None
    if product is None:
        return
    features = tuple(line[2:] for line in lines[2:] if line.startswith("- ") and " more)" not in line)
    description = next((line[13:] for line in lines if line.startswith("Description: ")), "")
    details = next((line[9:] for line in lines if line.startswith("Details: ")), "")
    memory.add_product(
        replace(
            product,
            features=features,
            description=description,
            details=tuple(details.split("; ")) if details else (),
            opened=True,
        )
    )


def _orders(memory: Memory, arguments: dict[str, Any], text: str) -> None:
    cite = _CITE.search(text)
    if cite is None:
        return
    if total := re.search(r" of ([\d,]+), newest first", text):
        memory.orders_total = int(total[1].replace(",", ""))
    for row in _ORDER.finditer(text):
        url = cite[1] + row[6]
        memory.orders[url] = SeenOrder(url, row[1], row[2], int(row[3]), row[4], row[7])


def _profile(memory: Memory, arguments: dict[str, Any], text: str) -> None:
    url = _USER_URL.search(text)
    fields = text.split("\n", 1)[0].split(" | ")
    if url is None or len(fields) < 5:
        return
    memory.profile_url = url[1]
    place = fields[3].rsplit(", ", 3)
    if len(place) == 4:
        memory.place = (place[1], place[2].rsplit(" ", 1)[0])


def _statistics(memory: Memory, arguments: dict[str, Any], text: str) -> None:
    url = _USER_URL.search(text)
    if url is None:
        return
    memory.statistics_url = url[1]
    memory.statistics = tuple(text[: url.start()].strip().split("\n"))


def _web(memory: Memory, arguments: dict[str, Any], text: str) -> None:
    summarised = "each page read and summarised" in text.split("\n", 1)[0]
    for row in _WEB_ROW.finditer(text):
        unread = "(the page could not be " in row[3]
        page = SeenPage(row[2], row[1], row[3], summarised and not unread)
        known = memory.pages.get(row[2])
        if known is None or (page.read and not known.read):
            memory.pages[row[2]] = page


def _sum(memory: Memory, arguments: dict[str, Any], text: str) -> None:
    expression, equals, value = text.rpartition(" = ")
    if equals:
        memory.sums[expression] = value


_READERS = {
    "product_catalog_search": _search,
    "get_product_details": _details,
    "get_user_orders": _orders,
    "get_user_profile": _profile,
    "get_user_statistics": _statistics,
    "web_search": _web,
    "calculator": _sum,
}


# The report of a researcher, in the form in which `offline_report.synthesis` writes it ------------------------------------


def _take_report(memory: Memory, text: str) -> None:
    entries = {number: (title, url) for number, title, url in _ENTRY.findall(text)}
    for line, number in _CITED.findall(text):
        title, url = entries.get(number, ("", ""))
        if url:
            _take_line(memory, line, title, url)
    section = re.search(r"^## Open\n(.*?)(?:^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if section:
        memory.open_points += [line[2:] for line in section[1].splitlines() if line.startswith("- ")]


def _take_line(memory: Memory, line: str, title: str, url: str) -> None:
    if line.startswith("Product: ") and (product := _product_row(line.removeprefix("Product: "), url)):
        memory.add_product(product)
    elif line.startswith("Feature: ") and url in memory.products:
        known = memory.products[url]
        features = tuple(dict.fromkeys((*known.features, line.removeprefix("Feature: "))))
        memory.products[url] = replace(known, features=features, opened=True)
    elif line.startswith("Order: "):
        _take_order(memory, line.removeprefix("Order: "), url)
    elif line.startswith("Lives in ") and ", " in line:
        city, _, state = line.removeprefix("Lives in ").rstrip(".").partition(", ")
        memory.place, memory.profile_url = (city, state), url
    elif line.startswith("Record: "):
        memory.statistics_url = url
        memory.statistics = tuple(dict.fromkeys((*memory.statistics, line.removeprefix("Record: "))))
    elif url.startswith(("http://", "https://")) and url not in memory.products:
        known_page = memory.pages.get(url)
        said = line if known_page is None else f"{known_page.text} {line}"
        memory.pages[url] = SeenPage(url, title, said, True)


def _take_order(memory: Memory, line: str, url: str) -> None:
    if row := _ORDER.match(line):
        memory.orders[url] = SeenOrder(url, row[1], row[2], int(row[3]), row[4], row[7])


def sentences(text: str) -> Iterable[str]:
    """The sentences of a plain or Markdown text, without markup; tables, headings and code are left out."""
    prose = re.sub(r"```.*?```|^[ \t]*[#|>][^\n]*$", " ", text, flags=re.DOTALL | re.MULTILINE)
    prose = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", prose)
    prose = re.sub(r"^\s*(?:[-*+]|\d+[.)])\s+", "", prose, flags=re.MULTILINE)
    prose = re.sub(r"[*_`]{1,3}", "", prose)
    for paragraph in re.split(r"\n\s*\n|\n(?=\S)", prose):
        for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z0-9\"“(])", " ".join(paragraph.split())):
            if sentence:
                yield sentence
