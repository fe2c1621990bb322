"""Product and catalogue management."""

from __future__ import annotations

from typing import Annotated, TypedDict

from drr.env.entities import Product
from drr.env.records.lines import one_line, price
from drr.env.records.product import product_page, product_row
from drr.env.shop import Match, SearchRequest, Sort
from drr.env.text import category_key, tokens
from drr.tools.access import near_products, product_id_in
from drr.tools.base import ToolAnswer, ToolContext, ToolError
from drr.tools.sources import product_source
from pydantic import Field, StringConstraints

Query = Annotated[
    str,
    StringConstraints(min_length=1, max_length=300),
    Field(description="Words to look for in titles, features and descriptions."),
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
        Field(description="A category or any step of a category path, e.g. Pet Supplies."),
    ] = None,
    sort: Annotated[Sort, Field(description="Order of the results.")] = "relevance",
    match: Annotated[Match, Field(description="Whether any or all words of the query must occur.")] = "any",
    limit: Annotated[int, Field(ge=1, le=50, description="Most results to return.")] = 10,
    offset: Annotated[int, Field(ge=0, le=10_000, description="Results to skip, for the next page.")] = 0,
) -> ToolAnswer:
    """Search the shop's product catalogue (BM25) with optional price, rating and category filters, sorting and matching.

    A product whose price or rating is unknown never passes a filter on it. Each result carries the address to cite;
    its last part is the product id for get_product_details.
    """
    shop = ctx.session.shop
    request = SearchRequest(
        query=query,
        min_price=min_price,
        max_price=max_price,
        min_rating=min_rating,
        category=category,
        sort=sort,
        match=match,
        limit=limit,
        offset=offset,
    )
    _look_over(ctx, request)
    page = shop.catalog.search(request)
    products = shop.store.products(page.product_ids)
    rows = [product_row(product) for product in products]
    heading = f"{_found(page.total, offset, len(rows))} for {one_line(query, 80)!r}{_filters(request)}"
    if not rows:
        return ToolAnswer(
            f"{heading}. {_advice(ctx, request, page.total)}", (), {"items": [], "total": page.total}
        )
    scores = dict(zip(page.product_ids, page.scores, strict=True))
    text = "\n".join([heading, *(f"{k}. {row}" for k, row in enumerate(rows, offset + 1))])
    return ToolAnswer(
        text,
        [product_source(product, row) for product, row in zip(products, rows, strict=True)],
        {"items": [_brief(product, scores[product.product_id]) for product in products], "total": page.total},
    )


def _look_over(ctx: ToolContext, request: SearchRequest) -> None:
    """`ToolError` for a search that can find nothing, whatever the shop holds."""
    if not tokens(request.query):
        raise ToolError(
            "invalid", "The query has no word to search for; give a few words such as 'bird feeder'."
        )
    least, most = request.min_price, request.max_price
    if least is not None and most is not None and least > most:
        raise ToolError(
            "invalid", f"min_price {price(least)} is above max_price {price(most)}; swap or widen them."
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
) -> ToolAnswer:
    """Get one product's listing: title, price, ratings, store, categories, features, description, details.

    Shortened so: 5 features of 110 characters, 160 characters of description, 6 details of 50 characters; an ellipsis
    or "(n more)" marks every cut; what repeats the lines above it, and stock numbers, are left out. A price or rating
    that the shop does not know is said to be unknown.
    """
    wanted = product_id_in(ctx, product_id)
    product = ctx.session.shop.store.product(wanted)
    if product is None:
        raise ToolError("not_found", _unknown(ctx, wanted))
    text = product_page(product)
    source = product_source(product, text)
    return ToolAnswer(text, [source], source.record)


def _unknown(ctx: ToolContext, product_id: str) -> str:
    near = near_products(ctx, product_id)
    shown = one_line(product_id, 60)
    if near:
        meant = " or ".join(f"{p.product_id} ({one_line(p.title, 60)})" for p in near)
        return (
            f"No product {shown!r} in this shop; did you mean {meant}? O and 0, I and 1 are easily mixed up."
        )
    return f"No product {shown!r} in this shop; find ids with product_catalog_search."


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


def _found(total: int, offset: int, shown: int) -> str:
    if not total:
        return "No products"
    if not shown:
        return f"No products after the first {offset:,} ({total:,} in all)"
    return f"Products {offset + 1}-{offset + shown} of {total:,}"


def _filters(request: SearchRequest) -> str:
    parts = [
        f"from {price(request.min_price)}" if request.min_price is not None else "",
        f"up to {price(request.max_price)}" if request.max_price is not None else "",
        f"rated {request.min_rating:g} or more" if request.min_rating is not None else "",
        f"in {one_line(request.category, 60)}" if request.category is not None else "",
        f"by {request.sort}" if request.sort != "relevance" else "",
        "all words" if request.match == "all" else "",
    ]
    said = ", ".join(part for part in parts if part)
    return f" ({said})" if said else ""


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
