"""Product and catalogue management."""

from __future__ import annotations

from typing import Annotated, NotRequired

from drr.env.entities import Product
from drr.env.records.lines import one_line, price
from drr.env.records.listing import Part, product_page
from drr.env.records.product import product_row
from drr.env.shop import Match, SearchPage, SearchRequest, Sort
from drr.env.text import category_key, tokens
from drr.tools.access import in_capitals, near_products, product_id_in
from drr.tools.base import ToolAnswer, ToolContext, ToolError, product_source
from drr.wording.currency import Currency
from pydantic import Field, StringConstraints
from typing_extensions import TypedDict

Query = Annotated[
    str,
    StringConstraints(min_length=1, max_length=300),
    Field(description="What to look for, in a few words: the thing, then how it should be."),
]
Price = Annotated[float | None, Field(ge=0, le=1_000_000)]


def product_catalog_search(
    ctx: ToolContext,
    query: Query,
    min_price: Annotated[Price, Field(description="Lowest price in dollars.")] = None,
    max_price: Annotated[Price, Field(description="Highest price in dollars.")] = None,
    min_rating: Annotated[
        float | None, Field(ge=0, le=5, description="Lowest average rating, 0 to 5.")
    ] = None,
    category: Annotated[
        str | None,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=100),
        Field(
            description="A category, a step of a category path or the end of one, e.g. Pet Supplies, Headphones, Dogs > Beds."
        ),
    ] = None,
    brand: Annotated[
        str | None,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=100),
        Field(description="A brand or store, e.g. SIIG."),
    ] = None,
    unknown_price: Annotated[
        bool, Field(description="Let products whose price is unknown pass a price filter.")
    ] = False,
    sort: Annotated[Sort, Field(description="Order of the results.")] = "relevance",
    match: Annotated[
        Match,
        Field(
            description="What must occur: `well` the thing and most other words, `all` every word, `any` one of them."
        ),
    ] = "well",
    limit: Annotated[int, Field(ge=1, le=50, description="Most results to return.")] = 10,
    offset: Annotated[int, Field(ge=0, le=10_000, description="Results to skip, for the next page.")] = 0,
) -> ToolAnswer:
    """Search the shop's product catalogue with optional price, rating, category and brand filters, sorting and matching.

    Every order holds only what matches well; the answer says how many others share a word, and how the query was read
    (slips mended, "under $50" as a price). A product whose rating is unknown never passes a filter on it. Each result
    carries the address to cite; its last part is the product id for get_product_details, which has everything else.
    `offset` shows the next page.
    """
    request = SearchRequest(
        query=query,
        min_price=min_price,
        max_price=max_price,
        min_rating=min_rating,
        category=category,
        brand=brand,
        unknown_price=unknown_price,
        sort=sort,
        match=match,
        limit=limit,
        offset=offset,
    )
    _look_over(ctx, request)
    return _found_products(ctx, request)


def _found_products(ctx: ToolContext, asked: SearchRequest) -> ToolAnswer:
    shop, offset = ctx.session.shop, asked.offset
    page = shop.catalog.search(asked)
    request, plain = page.request or asked, shop.catalog.search_name == "plain"
    products = shop.store.products(page.product_ids)
    rows = [product_row(product, ctx.money) for product in products]
    heading = f"{_count_found(page.total, offset, len(rows))} for {one_line(asked.query, 80)!r}{_filters(request, ctx.money, plain=plain)}"
    counts: SearchCounts = {"total": page.total}
    if not plain:
        counts |= {"set_aside": page.aside, "unknown_price": page.unpriced, "read": list(page.notes)}
    if not rows:
        summary = " ".join([f"{heading}.", *_notes(page), _advice(ctx, request, page.total)])
        return ToolAnswer(summary, (), {"items": [], **counts, **ctx.money.fields})
    scores = dict(zip(page.product_ids, page.scores, strict=True))
    text = "\n".join([heading, *_notes(page), *(f"{k}. {row}" for k, row in enumerate(rows, offset + 1))])
    return ToolAnswer(
        text,
        [product_source(product, row, ctx.money) for product, row in zip(products, rows, strict=True)],
        {
            "items": [_brief(product, scores[product.product_id]) for product in products],
            **counts,
            **ctx.money.fields,
        },
    )


class SearchCounts(TypedDict):
    """Counts and notes of a search, as data. A `plain` search has `total` alone."""

    total: int
    set_aside: NotRequired[int]
    unknown_price: NotRequired[int]
    read: NotRequired[list[str]]


class FoundProduct(TypedDict):
    """A product of a list, as data."""

    product_id: str
    url: str
    title: str
    price: float | None
    average_rating: float | None
    rating_number: int | None
    store: str | None
    category: str
    score: float | None


class FoundProducts(SearchCounts):
    """The findings of a search, as data."""

    items: list[FoundProduct]


def _notes(page: SearchPage) -> list[str]:
    """Say how the query was read, which products are not in the list, and how to see them."""
    lines = [f"Query read so: {one_line('; '.join(page.notes), 300)}."] if page.notes else []
    beside = []
    if page.aside:
        beside.append(f'{page.aside:,} more share a word and were set aside (match "any" lists them)')
    if page.unpriced:
        beside.append(f"{page.unpriced:,} more match but their price is unknown (unknown_price lets them in)")
    return [*lines, *([f"{'; '.join(beside)}."] if beside else [])]


def _look_over(ctx: ToolContext, request: SearchRequest) -> None:
    """`ToolError` for a search that can find nothing, whatever the shop holds."""
    if not tokens(request.query):
        raise ToolError(
            "invalid", "The query has no word to search for; give a few words such as 'bird feeder'."
        )
    if ctx.session.shop.catalog.search_name == "plain" and (
        request.brand is not None or request.unknown_price
    ):
        raise ToolError(
            "invalid",
            "This shop is searched by one text and knows no brand or unknown_price; leave them out.",
        )
    if request.brand is not None and not category_key(request.brand):
        raise ToolError("invalid", f"brand {one_line(request.brand, 60)!r} has no word in it; leave it out.")
    least, most = request.min_price, request.max_price
    if least is not None and most is not None and least > most:
        raise ToolError(
            "invalid",
            f"min_price {price(least, ctx.money)} is above max_price {price(most, ctx.money)}; swap or widen them.",
        )
    if request.category is not None and not category_key(request.category):
        raise ToolError(
            "invalid", f"category {one_line(request.category, 60)!r} has no word in it; {_categories(ctx)}"
        )


def get_product_details(
    ctx: ToolContext,
    product_id: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=300),
        Field(description="The product's id, or its address in this shop."),
    ],
    part: Annotated[
        Part, Field(description="What of the listing: all of it, a short form, or one part whole.")
    ] = "all",
    page: Annotated[int, Field(ge=1, le=10_000, description="Page of a listing too long for one.")] = 1,
) -> ToolAnswer:
    """Get one product's whole listing: title, price, ratings, store, categories, every feature, description, every detail.

    Nothing is left out; a very long listing comes in pages and says how many. The short form cuts features, description
    and details that the question does not name; an ellipsis or "(n more)" marks every cut. A price or rating that the
    shop does not know is said to be unknown.
    """
    product = product_named(ctx, product_id)
    shown = product_page(product, part, page, ctx.asked, ctx.money)
    if page > shown.pages:
        raise ToolError("invalid", f"page {page} of {shown.pages}: this listing ends before; ask for less.")
    source = product_source(product, shown.text, ctx.money)
    return ToolAnswer(shown.text, [source], source.record)


def product_named(ctx: ToolContext, product_id: str) -> Product:
    """Return the product of an id or address. Raises `ToolError` where there is none."""
    wanted = product_id_in(ctx, product_id)
    product = in_capitals(wanted, ctx.session.shop.store.product)
    if product is None:
        raise ToolError("not_found", _unknown_product(ctx, wanted))
    return product


def _unknown_product(ctx: ToolContext, product_id: str) -> str:
    near = near_products(ctx, product_id)
    shown = one_line(product_id, 60)
    if near:
        candidates = " or ".join(f"{p.product_id} ({one_line(p.title, 60)})" for p in near)
        return f"No product {shown!r} in this shop; did you mean {candidates}? O and 0, I and 1 are easily mixed up."
    return f"No product {shown!r} in this shop; find ids with product_catalog_search."


def _brief(product: Product, score: float | None) -> FoundProduct:
    return {
        "product_id": product.product_id,
        "url": product.product_url,
        "title": product.title,
        "price": product.price,
        "average_rating": product.average_rating,
        "rating_number": product.rating_number,
        "store": product.store,
        "category": product.category,
        "score": score,
    }


def _count_found(total: int, offset: int, shown: int) -> str:
    if not total:
        return "No products"
    if not shown:
        return f"No products after the first {offset:,} ({total:,} in all)"
    last = offset + shown
    more = f" (offset={last} shows more)" if last < total else ""
    return f"Products {offset + 1}-{last} of {total:,}{more}"


def _filters(request: SearchRequest, money: Currency, *, plain: bool) -> str:
    parts = [
        f"from {price(request.min_price, money)}" if request.min_price is not None else "",
        f"up to {price(request.max_price, money)}" if request.max_price is not None else "",
        f"rated {request.min_rating:g} or more" if request.min_rating is not None else "",
        "or of unknown price" if request.unknown_price else "",
        f"in {one_line(request.category, 60)}" if request.category is not None else "",
        f"by {one_line(request.brand, 60)}" if request.brand is not None else "",
        f"by {request.sort}" if request.sort != "relevance" else "",
        "all words" if request.match == "all" else "",
        "any word" if request.match == "any" and not plain else "",
    ]
    filters_text = ", ".join(part for part in parts if part)
    return f" ({filters_text})" if filters_text else ""


def _advice(ctx: ToolContext, request: SearchRequest, total: int) -> str:
    if total:
        return "Use a smaller offset."
    if request.category is not None:
        return f"If the category is misspelt: {_categories(ctx)}"
    return "Try other or fewer words, or wider filters."


def _categories(ctx: ToolContext) -> str:
    names = [name.replace("_", " ") for name in sorted(ctx.session.shop.catalog.categories())]
    more = f" and {len(names) - 40} more" if len(names) > 40 else ""
    return f"this shop's categories are {', '.join(one_line(name, 40) for name in names[:40])}{more}."
