"""The requests and answers of UCP's four operations, as far as this shop supports them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from drr.env.json_object import JsonObject
from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from typing_extensions import TypedDict

VERSION = "2026-08-25"
"""The version of the protocol's specification that is implemented."""
SEARCH, LOOKUP, ORDER = (f"dev.ucp.shopping.{name}" for name in ("catalog.search", "catalog.lookup", "order"))
MOST, PAGE = 50, 10


# -- requests


class UcpOpen(BaseModel):
    """An object of the protocol that accepts unknown fields from a client and ignores them, as the protocol's are open."""

    model_config = ConfigDict(extra="allow", allow_inf_nan=False)


Amount = Annotated[int, Field(ge=0, le=100_000_000)]
_Id = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]


class UcpPrices(UcpOpen):
    min: Amount | None = Field(None, description="Lowest price, in cents.")
    max: Amount | None = Field(None, description="Highest price, in cents.")


class UcpFilters(UcpOpen):
    categories: list[str] | None = Field(None, description="One category: a value that products have.")
    price: UcpPrices | None = Field(None, description="In cents of context.currency, which is USD.")


class UcpBuyer(UcpOpen):
    currency: str | None = Field(None, description="Of the price filter; this shop has USD.")


class UcpPages(UcpOpen):
    cursor: str | None = Field(None, description="As the last answer gave it, for what follows.")
    limit: int = Field(PAGE, ge=1, description=f"Most products; more than {MOST} are never given at once.")


class UcpSearch(UcpOpen):
    query: Annotated[str, StringConstraints(min_length=1, max_length=300)] = Field(
        description="What to look for, in a few words."
    )
    filters: UcpFilters | None = None
    context: UcpBuyer | None = None
    pagination: UcpPages | None = None


class UcpLookup(UcpOpen):
    ids: list[_Id] = Field(
        min_length=1, max_length=MOST, description="Products' ids, or their addresses in this shop."
    )
    filters: UcpFilters | None = None
    context: UcpBuyer | None = None


class UcpWanted(UcpOpen):
    id: _Id = Field(description="The product's id, or its address in this shop.")
    filters: UcpFilters | None = None
    context: UcpBuyer | None = None


class UcpCall(UcpOpen):
    meta: dict[str, Any] | None = Field(
        None, description='Of the protocol, e.g. {"ucp-agent": {"profile": URL}}; nothing is negotiated here.'
    )


class UcpSearchCall(UcpCall):
    catalog: UcpSearch


class UcpLookupCall(UcpCall):
    catalog: UcpLookup


class UcpProductCall(UcpCall):
    catalog: UcpWanted


class UcpOrderCall(UcpCall):
    id: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)] = Field(
        description="The order's id."
    )


# -- answers


class UcpPrice(TypedDict):
    """Cents, and of what."""

    amount: int
    currency: str


class UcpPriceRange(TypedDict):
    min: UcpPrice
    max: UcpPrice


class UcpDescription(TypedDict):
    plain: str


class UcpCategory(TypedDict):
    value: str
    taxonomy: str


class UcpRating(TypedDict):
    value: float
    scale_max: int
    count: NotRequired[int]


class UcpSeller(TypedDict):
    name: str


class UcpInput(TypedDict):
    """The requested id that led here."""

    id: str
    match: str


class UcpVariant(TypedDict):
    """A product of this shop has one, which goes by its id."""

    id: str
    title: str
    description: UcpDescription
    price: NotRequired[UcpPrice]
    seller: NotRequired[UcpSeller]
    inputs: NotRequired[list[UcpInput]]


class UcpCatalogProduct(TypedDict):
    id: str
    title: str
    description: UcpDescription
    url: str
    categories: list[UcpCategory]
    price_range: NotRequired[UcpPriceRange]
    variants: list[UcpVariant]
    rating: NotRequired[UcpRating]
    metadata: NotRequired[JsonObject]


class UcpMessage(TypedDict):
    type: Literal["error", "warning", "info"]
    code: str
    content: str
    severity: NotRequired[str]


class UcpEnvelope(TypedDict):
    version: str
    capabilities: dict[str, list[dict[str, str]]]
    status: NotRequired[Literal["error"]]


class UcpAnswered(TypedDict):
    ucp: UcpEnvelope
    messages: NotRequired[list[UcpMessage]]


class UcpPagination(TypedDict):
    has_next_page: bool
    total_count: int
    cursor: NotRequired[str]


class UcpFound(UcpAnswered):
    """The answer of `search_catalog`."""

    products: list[UcpCatalogProduct]
    pagination: UcpPagination


class UcpLookedUp(UcpAnswered):
    """The answer of `lookup_catalog`."""

    products: list[UcpCatalogProduct]


class UcpDetail(UcpAnswered):
    """The answer of `get_product`; none where there is no such product."""

    product: NotRequired[UcpCatalogProduct]


class UcpItem(TypedDict):
    id: str
    title: str
    price: NotRequired[int]


class UcpQuantity(TypedDict):
    original: int
    total: int
    fulfilled: int


class UcpTotal(TypedDict):
    type: str
    display_text: str
    amount: int


class UcpLineItem(TypedDict):
    id: str
    item: UcpItem
    quantity: UcpQuantity
    totals: list[UcpTotal]
    status: Literal["processing", "partial", "fulfilled", "removed"]


class UcpOrderSeen(UcpAnswered, total=False):
    """The answer of `get_order`; no more than `ucp` and `messages` where it is refused."""

    id: str
    checkout_id: str
    permalink_url: str
    currency: str
    line_items: list[UcpLineItem]
    fulfillment: JsonObject
    totals: list[UcpTotal]
