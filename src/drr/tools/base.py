"""The parts of a tool: typed arguments and context, the answer, and errors that the model can act on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote

from drr.citations.addresses import canonical_url
from drr.env.entities import Order, Product, User
from drr.env.json_object import JsonObject
from drr.env.session import Session
from drr.env.shop import Shop, money_of
from drr.env.shop_world import OWN, ShopWorld
from drr.env.source import Source
from drr.env.web.base import WebSearch
from drr.env.world import World
from drr.wording.currency import DOLLARS, Currency
from typing_extensions import TypedDict

if TYPE_CHECKING:
    from drr.env.drawer.drawer import AttachedFiles, FilePicture

ErrorKind = Literal["not_found", "invalid", "not_allowed", "timeout", "unavailable", "unsupported"]


class ToolError(Exception):
    """An expected failure, whose sentence the model sees. Any other exception of a tool is a bug and ends the unit."""

    def __init__(self, kind: ErrorKind, message: str) -> None:
        super().__init__(message)
        self.kind: ErrorKind = kind
        self.message = message

    @property
    def text(self) -> str:
        """Return the text that the model reads, the same through Python, LangChain and MCP."""
        return f"Error ({self.kind}): {self.message}"


@dataclass(frozen=True)
class ToolAnswer:
    """The answer of a tool. `text` goes to the model; of the rest, `sources` feed citations and `data` is for programs."""

    text: str
    sources: Sequence[Source] = ()
    data: Any = None
    pictures: Sequence[FilePicture] = ()
    """Pictures shown, beside the text, to a model that accepts them."""
    error: ToolError | None = None
    """The error in place of an answer, for users' own agents; the tools here raise it instead."""


@dataclass(frozen=True)
class ToolContext:
    """The context of a tool: everything that it may access. `question` is the current question, for web searches that
    summarise pages; `sees` says whether the caller can be shown a picture."""

    world: World
    top_k: int = 5
    deadline_s: float = 30.0
    question: str | None = None
    sees: bool = False
    asked: str = ""
    """The whole question, whose words decide what a short listing keeps."""
    whole: bool = True
    """False where the caller reads the pages of a search itself."""
    named: set[str] = field(default_factory=set, repr=False, compare=False)
    """The addresses that searches of this context returned; of a live web no other page is read."""

    @property
    def shop(self) -> Shop | None:
        session = self.world.session
        return None if session is None else session.shop

    @property
    def money(self) -> Currency:
        """Return the currency of the shop's prices."""
        return money_of(self.shop)

    @property
    def language(self) -> str | None:
        """Return the code of the language in which the shop is answered; `None` for English."""
        return None if self.shop is None else self.shop.manifest.foreign_language

    @property
    def session(self) -> Session:
        if self.world.session is None:  # a world names the tools that it offers
            raise ToolError("unavailable", "There is no shop here, so there are no records of one to read.")
        return self.world.session

    @property
    def web(self) -> WebSearch:
        return self.world.web

    @property
    def files(self) -> AttachedFiles:
        from drr.env.drawer.drawer import WithFiles

        if not isinstance(self.world, WithFiles):
            raise ToolError("unavailable", "There are no files here.")
        return self.world.files

    @property
    def today(self) -> date:
        return self.world.today

    def cited(self, text: str, title: str, address: str) -> ToolAnswer:
        """Return an answer that a report may cite: judges are shown its text behind `tool://ADDRESS`."""
        url = canonical_url(OWN + quote(address.removeprefix(OWN), safe="/"))
        return ToolAnswer(f"{text}\n{url}", [Source(url=url, type="tool", title=title, seen=text)])


def context_for(
    session: Session, web: WebSearch, *, top_k: int = 5, deadline_s: float = 30.0, question: str | None = None
) -> ToolContext:
    """Return a context in the world of the session's shop."""
    return ToolContext(ShopWorld(session, web), top_k, deadline_s, question)


class AnswerSource(TypedDict):
    """A citable address, and the hash of the words shown for it."""

    url: str
    type: str
    title: str | None
    sha256: str


def cited(answer: ToolAnswer) -> list[AnswerSource]:
    return [
        {"url": source.url, "type": source.type, "title": source.title, "sha256": source.sha256}
        for source in answer.sources
    ]


_FIELDS = frozenset(Source.model_fields)


def _source(url: str, kind: str, title: str, seen: str, record: JsonObject) -> Source:
    """Make a source by `model_construct`, which skips validation of each field."""
    source = Source.__new__(Source)
    values = {
        "url": url,
        "type": kind,
        "title": title,
        "seen": seen,
        "page": None,
        "page_status": None,
        "record": record,
    }
    _set(source, "__dict__", values)
    _set(source, "__pydantic_fields_set__", set(_FIELDS))
    _set(source, "__pydantic_extra__", None)
    _set(source, "__pydantic_private__", None)
    return source


_set = object.__setattr__


def product_record(product: Product, currency: Currency = DOLLARS) -> JsonObject:
    """Return `product.document()` without its deep copy: the entity is frozen and was read for this one answer."""
    return {"_id": product.product_id, **product.__dict__, **currency.fields}


def order_record(order: Order) -> JsonObject:
    record: JsonObject = {"_id": order.order_id, **order.__dict__}
    slip = record.pop("slip")
    return record if slip is None else {**record, "slip": slip.model_dump()}


def user_record(user: User) -> JsonObject:
    return {"_id": user.user_id, **user.__dict__, "address": dict(user.address.__dict__)}


def product_source(product: Product, seen: str, currency: Currency = DOLLARS) -> Source:
    record = product_record(product, currency)
    return _source(product.product_url, "product", product.title, seen, record)


def order_sources(
    address: str, order: Order, product: Product | None, seen: str, currency: Currency = DOLLARS
) -> list[Source]:
    """Return the sources of an order: the order, and its product if known. Statements about the product can then cite the product."""
    title = f"Order {order.order_id}: {product.title}" if product else f"Order {order.order_id}"
    record = {
        **order_record(order),
        "product_url": product.product_url if product else None,
        "product_title": product.title if product else None,
        "product_price": product.price if product else None,
        **currency.fields,
    }
    found = [_source(address + order.order_id, "user", title, seen, record)]
    return found if product is None else [*found, product_source(product, seen, currency)]


def profile_source(user: User, address: str, seen: str) -> Source:
    return _source(address, "user", f"Profile of {user.first_name} {user.last_name}", seen, user_record(user))


def statistics_source(address: str, seen: str, record: JsonObject) -> Source:
    return _source(address, "user", "Order statistics", seen, record)
