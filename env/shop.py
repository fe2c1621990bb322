"""A shop: a store of records, a catalogue that searches them, and the manifest that says what they are.

The protocols hold exactly what the nine tools, query generation and judging need. `tests/contract` is the definition of
each method's behaviour: every backend passes the same suite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib import import_module
from types import TracebackType
from typing import Any, Literal, NamedTuple, Protocol

from drr.env.content import OrderColumns, ReviewRow, ReviewsKept, UserRow
from drr.env.entities import KeptReview, Order, OrderStatus, Product, User
from drr.env.json_object import JsonObject
from drr.env.settings import Settings
from drr.env.statistics import UserStatistics
from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

SCHEMA = 1
Sort = Literal["relevance", "price_asc", "price_desc", "rating", "popularity"]
Match = Literal["well", "any", "all"]
SearchName = Literal["fields", "plain", "hybrid"]
SEARCH_VERSION = "1"
"""The version of `fields` and `hybrid`, in every unit's key: raised when a query may find other products or another order."""
HYBRID_VERSION = f"{SEARCH_VERSION}.2"
"""The same of `hybrid`, whose order hangs on how words and vectors are merged, too."""
IdKind = Literal["product", "user", "order"]


class Input(BaseModel):
    name: str
    bytes: int
    sha256: str


class Manifest(BaseModel):
    """The contents and origin of a shop. The same on every backend, but for `backend`, `sizes` and `seal`."""

    model_config = ConfigDict(extra="forbid")

    schema_version: int = SCHEMA
    backend: str
    as_of: str
    """The shop's today, `YYYY-MM-DD`: the day after its last order."""
    content_hash: str
    """The hash of products, users, orders and `as_of` (`drr.env.content`); the same on every backend."""
    counts: dict[str, int]
    """products, users, orders."""
    recipe: JsonObject = Field(default_factory=dict)
    inputs: list[Input] = Field(default_factory=list)
    rows: dict[str, int] = Field(default_factory=dict)
    """reviews, orders, duplicates, not_selected, quarantined: the sum that the ingest verified."""
    quarantined: dict[str, int] = Field(default_factory=dict)
    notes: dict[str, int] = Field(default_factory=dict)
    """Counted repairs and oddities: prices given as "from", surrogates replaced, ..."""
    versions: dict[str, str] = Field(default_factory=dict)
    sizes: dict[str, int] = Field(default_factory=dict)
    created: str | None = None
    seal: str | None = None
    """The hash of all the rest (`drr.env.manifest.sealed`), set on publishing; older shops have none."""
    reviews: ReviewsKept | None = None
    """Only where an ingest was asked to keep them; not part of the content hash."""
    origin: Literal["sample"] | None = None
    """Every raw file was written by `drr data sample`: nobody in this shop is a real person."""

    @model_serializer(mode="wrap")
    def _as_ever(self, handler: SerializerFunctionWrapHandler) -> JsonObject:
        """Leave out what a shop has not: one without reviews keeps the manifest and the seal that it always had."""
        document: JsonObject = handler(self)
        return {k: v for k, v in document.items() if v is not None or k not in ("reviews", "origin")}


@dataclass(frozen=True, slots=True)
class SearchRequest:
    query: str
    min_price: float | None = None
    max_price: float | None = None
    min_rating: float | None = None
    category: str | None = None
    """A file's name or any step of a product's category path, compared by `drr.env.text.category_key`; but for `plain`
    also the end of a step, and several steps with `>` between them."""
    brand: str | None = None
    """A store or the brand that the details name; not known to `plain`."""
    unknown_price: bool = False
    """Let products through a price filter whose price is not known; not known to `plain`."""
    sort: Sort = "relevance"
    match: Match = "well"
    """`well`: what matches well, as `drr.env.search` says; to `plain` it is `any`."""
    limit: int = 10
    offset: int = 0
    search: SearchName | None = None
    """The search to use in place of the one that the shop was opened with."""


class SearchPage(NamedTuple):
    """Ties are settled by product id, ascending; unknown prices and ratings come last and never pass a filter on them."""

    product_ids: list[str]
    scores: list[float | None]
    """Scores of the ranking, where the sort is by relevance."""
    total: int
    """All that match as the request demands."""
    aside: int = 0
    """Share a word of the query and do not match well; `match="any"` shows them."""
    unpriced: int = 0
    """Match and were left out by the price filter, as nobody knows their price; `unknown_price` lets them in."""
    notes: tuple[str, ...] = ()
    """Notes on what was read into the query: slips mended, a price, an order."""
    request: SearchRequest | None = None
    """The request as it was read, where that is not as it was asked."""


class OrderPage(NamedTuple):
    items: list[Order]
    total: int


class Store(Protocol):
    """Point reads and small ranges. A missing thing is `None` or left out, never an exception."""

    def product(self, product_id: str) -> Product | None: ...

    def products(self, product_ids: Sequence[str]) -> list[Product]:
        """Return the products in the order asked, without those that do not exist."""

    def user(self, user_id: str) -> User | None: ...

    def find_users(
        self, *, email: str | None = None, name: tuple[str, str] | None = None, limit: int = 50
    ) -> list[User]:
        """Users with this e-mail address or this (first, last) name, case-insensitively, by user id."""

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
        """Newest first, ties by order id; `since` (inclusive) and `until` (exclusive) are ISO dates or date-times."""

    def reviews(self, user_id: str) -> list[KeptReview]:
        """The shopper's own, in the order of `orders`; none where the ingest was not asked to keep them. No tool shows one."""

    def statistics(self, user_id: str) -> UserStatistics | None: ...

    def near(self, kind: IdKind, key: str, limit: int = 3) -> list[str]:
        """Existing ids that begin as this one does, the longest common beginning first: for "did you mean"."""

    def iter_reviews(self) -> Iterator[KeptReview]:
        """Yield reviews by order id; none where none are kept."""

    def iter_products(self) -> Iterator[Product]:
        """Yield products by product id."""

    def iter_users(self) -> Iterator[User]:
        """Yield users by user id."""

    def iter_orders(self) -> Iterator[Order]:
        """Yield orders by user id, then newest first, then order id."""

    def sample_users(self, count: int, *, seed: int, min_orders: int = 1) -> list[str]:
        """The same seed gives the same users on every backend (`drr.env.text.sample_key` orders them)."""


class Catalog(Protocol):
    @property
    def search_name(self) -> SearchName:
        """The way that it searches: as the settings ask, or `plain` where its index is older."""

    def search(self, request: SearchRequest) -> SearchPage:
        """A query without a word in it finds nothing."""

    def categories(self) -> dict[str, int]:
        """Products per file category."""


class ShopWriter(Protocol):
    """Builds a shop out of sight and shows it whole. Call the three in this order, each once; then `publish`.

    Products arrive by product id, users by user id, orders by user position, then newest first, then order id.
    Leaving the context without `publish` leaves whatever was there before.
    """

    def write_products(self, products: Iterable[Product]) -> int: ...

    def write_users(self, batches: Iterable[Sequence[UserRow]]) -> int: ...

    def write_orders(self, batches: Iterable[OrderColumns]) -> int: ...

    def write_reviews(self, batches: Iterable[Sequence[ReviewRow]]) -> int:
        """Write reviews after the orders, by order id, one for an order at most. A shop that keeps none is written without this call."""

    def publish(self, manifest: Manifest) -> Manifest:
        """Fill in `backend`, `counts`, `sizes` and the writer's `versions`, and swap the new shop in.

        An empty `content_hash` or `as_of` is filled in too; one that is given must be that of what was written.
        """

    def __enter__(self) -> ShopWriter: ...

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None: ...


@dataclass(frozen=True)
class Shop:
    """An open shop. Safe to share between threads; cheap to open in many processes."""

    spec: str
    manifest: Manifest
    store: Store
    catalog: Catalog
    shop_url: str
    close: Callable[[], None] = field(default=lambda: None)

    @cached_property
    def kept(self) -> Callable[..., Any]:
        """Do work on records, `kept(work, *given)`, once for every session. They never change while the shop is open."""
        return lru_cache(256)(lambda work, *given: work(self, *given))

    def known_ids(self, ids: Sequence[str]) -> set[str]:
        """Choose those that are ids of its products."""
        return {one.product_id for one in self.store.products(ids)}

    def __enter__(self) -> Shop:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


SERVERS = "servers:"
_BACKENDS = {"folder": "drr.env.embedded", "servers": "drr.env.servers"}


def _backend(spec: str) -> Any:
    return import_module(_BACKENDS["servers" if spec.startswith(SERVERS) else "folder"])


def open_shop(spec: str, settings: Settings) -> Shop:
    """The shop a command names: a folder, or `servers:NAME`."""
    shop: Shop = _backend(spec).open_shop(spec, settings)
    return shop


def shop_writer(spec: str, settings: Settings, *, replace: bool = False) -> ShopWriter:
    """A writer that will publish under this name."""
    writer: ShopWriter = _backend(spec).shop_writer(spec, settings, replace=replace)
    return writer


def check_shop(spec: str, settings: Settings) -> Iterator[str]:
    """Every way in which the shop does not hold together, as sentences; none means it does."""
    problems: Iterator[str] = _backend(spec).check_shop(spec, settings)
    return problems
