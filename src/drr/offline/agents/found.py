"""Collects the results of a run's tools as rows of a list. It reads records, never the text that a model was shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from drr.agents.brief import CallEvidence, SynthesisRequest
from drr.env.entities import Product
from drr.env.source import Source
from drr.env.text import tokens
from drr.tools.base import ToolAnswer
from drr.wording.currency import DOLLARS, Currency
from drr.wording.vocabulary import vocabulary
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

_EMPTY_WORDS = frozenset(tokens(" ".join(vocabulary("shopping")["function_words"])))
_SENTENCE = re.compile(r"(?<=[.?!])\s+|\n")
_MOST_PARTS, _MOST_WORDS = 4, 12


def words_of(text: str) -> list[str]:
    """Return the words of a text to search by, each once."""
    found = (word for word in tokens(text) if word not in _EMPTY_WORDS and not word[0].isdigit())
    return list(dict.fromkeys(found))[:_MOST_WORDS]


def parts_of(question: str) -> list[str]:
    """Return the first sentences of a question that have a word to search by."""
    return [one for one in _SENTENCE.split(question) if words_of(one)][:_MOST_PARTS]


class SeenProduct(NamedTuple):
    url: str
    title: str
    price: float | None
    rating: float | None
    ratings: int | None
    currency: Currency = DOLLARS

    @property
    def product_id(self) -> str:
        return self.url.rsplit("/", 1)[-1]

    @property
    def details(self) -> str:
        price = "price unknown" if self.price is None else self.currency.text(self.price)
        if self.rating is None:
            return f"{price}, rating unknown"
        count = "an unknown number of" if self.ratings is None else f"{self.ratings:,}"
        return f"{price}, rated {self.rating:g}/5 from {count} ratings"


class FoundOrder(NamedTuple):
    url: str
    date: str
    title: str
    details: str


class FoundPart(NamedTuple):
    """A web page, or a part of a file that has an address of its own."""

    url: str
    name: str
    text: str
    is_page: bool = False


@dataclass
class Found:
    """The results of a run's tools by address, in the order in which they were returned."""

    calls: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    products: dict[str, SeenProduct] = field(default_factory=dict)
    orders: dict[str, FoundOrder] = field(default_factory=dict)
    parts: dict[str, FoundPart] = field(default_factory=dict)
    """Parts of files, and pages."""
    files: list[str] = field(default_factory=list)
    """Names of files that contain text."""

    @classmethod
    def of_conversation(cls, messages: Sequence[BaseMessage]) -> Found:
        """Collect the results from the messages of a conversation: the calls with the records behind their answers."""
        asked: dict[str, tuple[str, dict[str, Any]]] = {}
        evidence: list[CallEvidence] = []
        for message in messages:
            if isinstance(message, AIMessage):
                asked |= {str(call["id"]): (call["name"], dict(call["args"])) for call in message.tool_calls}
            elif isinstance(message, ToolMessage):
                call = asked.get(message.tool_call_id, (message.name or "", {}))
                evidence.append(CallEvidence(*call, message.artifact))
        return cls.of(evidence)

    @classmethod
    def of(cls, evidence: Iterable[CallEvidence], pages: Iterable[Source] = ()) -> Found:
        found = cls()
        for name, arguments, answer in evidence:
            found._take(name, arguments, answer)
        for page in pages:
            found.parts[page.url] = FoundPart(page.url, page.title or page.url, page.seen, is_page=True)
        return found

    def _take(self, name: str, arguments: Mapping[str, Any], answer: object) -> None:
        self.calls.append((name, arguments))
        if isinstance(answer, ToolAnswer) and answer.error is None:
            self._read(name, arguments, answer)
        elif isinstance(answer, SynthesisRequest):  # the results of a sub-agent
            for one in answer.evidence:
                self._take(*one)

    def _read(self, name: str, arguments: Mapping[str, Any], answer: ToolAnswer) -> None:
        """Enter what a tool returned. Tools that return nothing to list are passed over."""
        match name:
            case "product_catalog_search":
                for source in answer.sources[:_MOST_ROWS]:
                    self._product(source.record or {})
            case "get_product_details":
                self._product(answer.data)
            case "get_user_orders":
                for item in answer.data["items"]:
                    title = plain(item["title"] or "a product no longer in this shop", 90)
                    details = f"{item['quantity']} ordered, {item['order_status']}"
                    order = FoundOrder(item["url"], item["order_date"][:10], title, details)
                    self.orders[order.url] = order
            case "web_search" | "get_context":
                for item in answer.data["items"]:
                    text = item["summary" if item.get("read") else "snippet"]
                    page = FoundPart(item["url"], item["title"], text, is_page=True)
                    self.parts.setdefault(page.url, page)
            case "list_files":
                items = (item for item in answer.data["items"] if not item.get("error"))
                self.files += [item["name"] for item in items if not item["kind"].startswith("picture")]
            case "read_file" | "search_file":
                file = plain(str(arguments.get("name", "")) or "a file", 80)
                for part in answer.data.get("parts") or answer.data.get("items") or ():
                    self.parts.setdefault(part["url"], FoundPart(part["url"], file, part["text"]))

    def _product(self, record: Mapping[str, Any]) -> None:
        product = Product.model_construct(**{name: value for name, value in record.items() if name != "_id"})
        named, price = plain(product.title, 120), product.price or None  # a price of 0 is unknown
        rated = product.average_rating, product.rating_number
        currency = Currency(record.get("currency", DOLLARS.code))
        seen = SeenProduct(product.product_url, named, price, *rated, currency)
        self.products.setdefault(product.product_url, seen)

    def orders_on(self, question: str) -> list[FoundOrder]:
        """Return, for each sentence, the orders whose titles share most words with the sentence, the latest first."""
        kept: dict[str, FoundOrder] = {}
        for part in parts_of(question):
            shared = {url: len({*words_of(part)} & {*tokens(one.title)}) for url, one in self.orders.items()}
            most = max(shared.values(), default=0)
            best = [self.orders[url] for url, count in shared.items() if count == most > 0]
            kept |= {
                one.url: one for one in sorted(best, key=lambda one: one.date, reverse=True)[:_MOST_ROWS]
            }
        return list(kept.values())

    def lines_on(self, question: str, *, pages: bool) -> list[tuple[FoundPart, str]]:
        """Return, for each page or part of a file, the line that shares most words with the question."""
        wanted, rows = {*words_of(question)}, []
        for part in (part for part in self.parts.values() if part.is_page is pages):
            lines = [plain(line, 240) for line in _SENTENCE.split(part.text) if tokens(line)]
            shared = [len(wanted.intersection(tokens(line))) for line in lines]
            if lines:
                rows.append((-max(shared), part, lines[shared.index(max(shared))]))
        return [(part, line) for _, part, line in sorted(rows, key=lambda row: row[0])[:_MOST_ROWS]]


_MOST_ROWS = 5


def plain(text: str, limit: int) -> str:
    """Return a foreign text without Markdown marks, cut to a length."""
    text = " ".join(re.sub(r"[|*_`\[\]<>#]", " ", text).split())
    return text if len(text) <= limit else f"{text[:limit].rpartition(' ')[0] or text[: limit - 1]}…"
