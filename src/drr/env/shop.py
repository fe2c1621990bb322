"""A shop: a store of records, a catalogue that searches them, and the manifest that describes both.

The protocols hold exactly what the nine tools, query generation and judging need. `tests/contract` defines
each method's behaviour: every backend passes the same tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from drr.env.content import OrderColumns, ReviewRow, ReviewsKept, UserRow
from drr.env.entities import KeptReview, Order, OrderStatus, Product, User
from drr.env.json_object import JsonObject
from drr.env.languages import language_code
from drr.env.settings import Settings
from drr.env.statistics import UserStatistics
from drr.wording.currencies import known_code
from drr.wording.currency import DOLLARS, Currency
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

if TYPE_CHECKING:
    from drr.env.own_numbers import OwnNumbers

SCHEMA = 1
Sort = Literal["relevance", "price_asc", "price_desc", "rating", "popularity"]
Match = Literal["well", "any", "all"]
SearchName = Literal["fields", "plain", "hybrid"]
SEARCH_VERSION = "1"
"""The version of `fields` and `hybrid`, part of every unit's key. It is raised if a query may find other products or another order."""
HYBRID_VERSION = f"{SEARCH_VERSION}.2"
"""The version of `hybrid`, whose order also depends on how words and vectors are merged."""
IdKind = Literal["product", "user", "order"]


class Input(BaseModel):
    name: str
    bytes: int
    sha256: str


NO_CURRENCY = "not named, no price is known"


class Manifest(BaseModel):
    """The contents and origin of a shop. Only `backend`, `sizes` and `seal` differ between backends."""

    model_config = ConfigDict(extra="forbid")

    schema_version: int = SCHEMA
    backend: str
    as_of: str = Field(pattern=r"^(\d{4}-\d\d-\d\d)?$")
    """The shop's current date, `YYYY-MM-DD`: the day after its last order."""
    content_hash: str
    """The hash of products, users, orders and `as_of` (`drr.env.content`); the same on every backend."""
    counts: dict[str, int]
    """Numbers of products, users and orders."""
    recipe: JsonObject = Field(default_factory=dict)
    inputs: list[Input] = Field(default_factory=list)
    rows: dict[str, int] = Field(default_factory=dict)
    """Numbers of rows that the ingest verified to add up: reviews, orders, duplicates, not_selected, quarantined."""
    quarantined: dict[str, int] = Field(default_factory=dict)
    notes: dict[str, int] = Field(default_factory=dict)
    """Numbers of repairs and oddities: prices given as "from", surrogates replaced, ..."""
    versions: dict[str, str] = Field(default_factory=dict)
    sizes: dict[str, int] = Field(default_factory=dict)
    created: str | None = None
    seal: str | None = None
    """The hash of all other fields (`drr.env.manifest.with_seal`), set on publishing; older shops have none."""
    reviews: ReviewsKept | None = None
    """The entry about kept reviews, if an ingest was asked to keep them; not part of the content hash."""
    origin: Literal["sample"] | None = None
    """`sample` if `drr data sample` wrote every raw file, so that nobody in this shop is a real person."""

    @model_validator(mode="after")
    def _in_known_money(self) -> Manifest:
        named = self.recipe.get("currency")
        if self.recipe.get("rate") == 1 and named not in (None, NO_CURRENCY):
            known_code(named)
        return self

    @property
    def currency(self) -> str | None:
        """Return the currency that `$` stands for here; `None` for dollars, and where prices were converted."""
        named = self.recipe.get("currency") if self.recipe.get("rate") == 1 else None
        return None if named in (None, "USD", NO_CURRENCY) else str(named)

    @property
    def money(self) -> Currency:
        """Return the currency that prices here are in, written as people of the shop's language write it."""
        return DOLLARS if self.currency is None else self.searched_in

    @property
    def searched_in(self) -> Currency:
        """Return the currency that searches state limits in, also for dollars with a language other than English."""
        if self.currency is None and self.foreign_language is None:
            return DOLLARS
        named, _, country = str(self.recipe.get("language") or "").replace("_", "-").partition("-")
        tag = f"{named.casefold()}-{country.upper()}" if country else named.casefold()
        return Currency(self.currency or "USD", tag if self.language else None)

    @property
    def language(self) -> str | None:
        """Return the code of the language that the shop's mapping names; `None` where none is named."""
        return language_code(str(self.recipe.get("language") or ""))

    @property
    def states(self) -> dict[str, str]:
        """Return the states of orders by the words that the mapping explains, in small letters."""
        words = self.recipe.get("statuses")
        return {word: str(state) for word, state in words.items() if state} if isinstance(words, dict) else {}

    @property
    def own_masks(self) -> frozenset[str]:
        """Return the forms of the numbers that the shop's own files give to customers and orders."""
        return frozenset(map(str, self.recipe.get("own_numbers") or ()))

    @property
    def foreign_language(self) -> str | None:
        """Return the code of the shop's language, in which questions and reports are written; `None` for English."""
        return None if self.language == "en" else self.language

    @property
    def asked_in(self) -> dict[str, str | None]:
        """Return the currency and language of questions for this shop, as they are written in a query."""
        return {"currency": self.currency, "language": self.foreign_language}

    @model_serializer(mode="wrap")
    def _as_ever(self, handler: SerializerFunctionWrapHandler) -> JsonObject:
        """Serialise the manifest without absent entries: a shop without reviews keeps the manifest and the seal that it always had."""
        document: JsonObject = handler(self)
        return {k: v for k, v in document.items() if v is not None or k not in ("reviews", "origin")}


def numbers_of(manifest: Manifest) -> OwnNumbers | None:
    """Return the numbers of a shop's own files. `None` without own files, and where the key is not."""
    if "people" not in manifest.recipe:
        return None
    from drr.env.own_numbers import own_numbers

    return own_numbers(are_invented=manifest.recipe["people"] == "invented")


@dataclass(frozen=True, slots=True)
class SearchRequest:
    query: str
    min_price: float | None = None
    max_price: float | None = None
    min_rating: float | None = None
    category: str | None = None
    """A file's name or any step of a product's category path, compared by `drr.env.text.category_key`. Searches other than `plain`
    also accept the end of a step, and several steps with `>` between them."""
    brand: str | None = None
    """A store or the brand that the details name; `plain` ignores it."""
    unknown_price: bool = False
    """True to let products without a known price pass a price filter; `plain` ignores it."""
    sort: Sort = "relevance"
    match: Match = "well"
    """The demanded quality of matches. `well` is defined in `drr.env.search`; for `plain` it means `any`."""
    limit: int = 10
    offset: int = 0
    search: SearchName | None = None
    """The search to use instead of the one with which the shop was opened."""


class SearchPage(NamedTuple):
    """A page of search results. Ties are ordered by product id, ascending; unknown prices and ratings come last and never pass a filter on them."""

    product_ids: list[str]
    scores: list[float | None]
    """Scores of the products, if the sort is by relevance."""
    total: int
    """The number of products that match as the request demands."""
    aside: int = 0
    """The number of products that share a word of the query but do not match well; `match="any"` shows them."""
    unpriced: int = 0
    """The number of products that match but have no known price, and so were left out by the price filter; `unknown_price` lets them in."""
    notes: tuple[str, ...] = ()
    """Notes on how the query was interpreted: corrected misspellings, a price, an order."""
    request: SearchRequest | None = None
    """The request as interpreted, if that differs from the request made."""


class OrderPage(NamedTuple):
    items: list[Order]
    total: int


class Store(Protocol):
    """Reads single records and small ranges. A missing record is `None` or left out, never an exception."""

    def product(self, product_id: str) -> Product | None: ...

    def products(self, product_ids: Sequence[str]) -> list[Product]:
        """Return the products in the order asked, without those that do not exist."""

    def user(self, user_id: str) -> User | None: ...

    def find_users(
        self, *, email: str | None = None, name: tuple[str, str] | None = None, limit: int = 50
    ) -> list[User]:
        """Return users with this e-mail address or this (first, last) name, ignoring case, by user id."""

    def order(self, order_id: str) -> Order | None: ...

    def orders(
        self,
        user_id: str,
        *,
        status: OrderStatus | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> OrderPage:
        """Return orders, newest first, ties by order id. `since` (inclusive) and `until` (exclusive) are ISO dates or date-times."""

    def reviews(self, user_id: str) -> list[KeptReview]:
        """Return the shopper's own reviews in the order of `orders`; empty if the ingest kept none. No tool shows one."""

    def statistics(self, user_id: str) -> UserStatistics | None: ...

    def near(self, kind: IdKind, key: str, limit: int = 3) -> list[str]:
        """Return existing ids that begin like this one, the longest common beginning first, for "did you mean"."""

    def iter_reviews(self) -> Iterator[KeptReview]:
        """Yield reviews by order id; none if the shop keeps none."""

    def iter_products(self) -> Iterator[Product]:
        """Yield products by product id."""

    def iter_users(self) -> Iterator[User]:
        """Yield users by user id."""

    def iter_orders(self) -> Iterator[Order]:
        """Yield orders by user id, then newest first, then order id."""

    def sample_users(self, count: int, *, seed: int, min_orders: int = 1) -> list[str]:
        """Return a sample of user ids. The same seed gives the same users on every backend (`drr.env.text.sample_key` orders them)."""


class Catalog(Protocol):
    @property
    def search_name(self) -> SearchName:
        """Return the search in use: the one that the settings ask for, or `plain` if the index is older."""

    def search(self, request: SearchRequest) -> SearchPage:
        """Return a page of results; a query without a word finds nothing."""

    def categories(self) -> dict[str, int]:
        """Return the number of products in each file category."""


class ShopWriter(Protocol):
    """Builds a shop unseen and publishes it whole. Call the three `write_` methods in this order, each once; then `publish`.

    Products arrive by product id, users by user id, orders by user position, then newest first, then order id.
    Leaving the context without `publish` keeps the previous shop.
    """

    def write_products(self, products: Iterable[Product], language: str | None = None) -> int:
        """Write the products. A search has the stems and stop words of the language that the manifest will name."""

    def write_users(self, batches: Iterable[Sequence[UserRow]]) -> int: ...

    def write_orders(self, batches: Iterable[OrderColumns]) -> int: ...

    def write_reviews(self, batches: Iterable[Sequence[ReviewRow]]) -> int:
        """Write reviews after the orders, by order id, at most one for an order. A shop that keeps no reviews is written without this call."""

    def publish(self, manifest: Manifest) -> Manifest:
        """Fill in `backend`, `counts`, `sizes` and the writer's `versions`, and put the new shop in place.

        An empty `content_hash` or `as_of` is filled in too; a given one must match the data written.
        """

    def __enter__(self) -> ShopWriter: ...

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None: ...


@dataclass(frozen=True)
class Shop:
    """An open shop. It can be shared between threads, and opening it in many processes is cheap."""

    spec: str
    manifest: Manifest
    store: Store
    catalog: Catalog
    shop_url: str
    close: Callable[[], None] = field(default=lambda: None)

    @cached_property
    def kept(self) -> Callable[..., Any]:
        """Return a cache of work on records, `kept(work, *given)`, shared by all sessions. Records never change while the shop is open."""
        return lru_cache(256)(lambda work, *given: work(self, *given))

    def known_ids(self, ids: Sequence[str]) -> set[str]:
        """Return those of the ids that belong to products of the shop."""
        return {one.product_id for one in self.store.products(ids)}

    def __enter__(self) -> Shop:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


SERVERS = "servers:"
_BACKENDS = {"folder": "drr.env.embedded", "servers": "drr.env.servers"}


def _backend(spec: str) -> Any:
    return import_module(_BACKENDS["servers" if spec.startswith(SERVERS) else "folder"])


def money_of(shop: Shop | None) -> Currency:
    """Return the currency of a shop's prices; dollars where no shop is at hand."""
    return DOLLARS if shop is None else shop.manifest.money


def open_shop(spec: str, settings: Settings) -> Shop:
    """Open the shop that a command names: a folder, or `servers:NAME`."""
    shop: Shop = _backend(spec).open_shop(spec, settings)
    return shop


def shop_writer(spec: str, settings: Settings, *, replace: bool = False) -> ShopWriter:
    """Return a writer that publishes a shop under this name."""
    writer: ShopWriter = _backend(spec).shop_writer(spec, settings, replace=replace)
    return writer


def check_shop(spec: str, settings: Settings) -> Iterator[str]:
    """Yield a sentence for each inconsistency of the shop; none means that the shop is sound."""
    problems: Iterator[str] = _backend(spec).check_shop(spec, settings)
    return problems
