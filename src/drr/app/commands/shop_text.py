"""Output of `drr shop` as text: figures, users worth asking for, products found, one record, orders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, TypedDict

from drr.app.notices import notice
from drr.app.terminal import flowed, plain
from drr.env.entities import Product
from drr.env.json_object import JsonObject
from drr.env.profile import themes_of
from drr.env.records.lines import count, price
from drr.env.settings import Settings
from drr.env.shop import Manifest, SearchPage, SearchRequest, Shop
from drr.env.text import category_key, tokens
from drr.wording.currency import Currency
from drr.wording.excerpt import excerpt, many

# Section 3.1 of the paper: 4.3M orders over 80k products and 1.8M users.
PAPER_RATIOS = {"orders_per_product": 53.8, "orders_per_user": 2.39}
_TITLE = 100
"""Most characters of a product's title in a list."""


class ShopInfo(TypedDict):
    """The document of `drr shop info --json`."""

    schema: int
    shop: str
    backend: str
    as_of: str
    counts: dict[str, int]
    ratios: dict[str, float | None]
    paper_ratios: dict[str, float]
    categories: dict[str, int]
    recipe: JsonObject
    quarantined: dict[str, int]
    duplicates: int | None
    rows: dict[str, int]
    notes: dict[str, int]
    inputs: list[JsonObject]
    """Each raw file from which the shop was made, as `Input`."""
    sizes: dict[str, int]
    versions: dict[str, str]
    content_hash: str
    created: str | None


class Hit(TypedDict):
    """A product that a search found."""

    product_id: str
    score: float | None
    """Relevance of the product; `None` where the sort is not by relevance."""
    title: str
    price: float | None
    average_rating: float | None
    rating_number: int | None
    category: str
    store: str | None
    product_url: str


def shop_info(spec: str, shop: Shop) -> ShopInfo:
    manifest = shop.manifest
    return {
        "schema": manifest.schema_version,
        "shop": spec,
        "backend": manifest.backend,
        "as_of": manifest.as_of,
        "counts": manifest.counts,
        "ratios": orders_per_product_and_user(manifest),
        "paper_ratios": PAPER_RATIOS,
        "categories": shop.catalog.categories(),
        "recipe": manifest.recipe,
        "quarantined": manifest.quarantined,
        "duplicates": manifest.rows.get("duplicates"),
        "rows": manifest.rows,
        "notes": manifest.notes,
        "inputs": [one.model_dump() for one in manifest.inputs],
        "sizes": manifest.sizes,
        "versions": manifest.versions,
        "content_hash": manifest.content_hash,
        "created": manifest.created,
    }


def orders_per_product_and_user(manifest: Manifest) -> dict[str, float | None]:
    """Return the numbers of orders per product and per user; `None` where there are no products or users."""
    counts = manifest.counts
    return {
        f"orders_per_{kind}": counts["orders"] / counts[f"{kind}s"] if counts[f"{kind}s"] else None
        for kind in ("product", "user")
    }


def info_text(info: ShopInfo) -> str:
    lines = [
        plain(f"{info['shop']}  ({info['backend']}, schema {info['schema']}, today is {info['as_of']})"),
        "",
    ]
    lines += [f"  {name:<20}{counted:>14,}" for name, counted in info["counts"].items()]
    for name, value in info["ratios"].items():
        shown = "-" if value is None else f"{value:,.2f}"
        lines.append(f"  {name.replace('_', ' '):<20}{shown:>14}   (paper: {PAPER_RATIOS[name]})")
    raw = {name.replace("_", " "): counted for name, counted in info["rows"].items()}
    lines += _counted("categories (products)", info["categories"])
    lines += _counted("raw rows", raw)
    lines += _counted("quarantined lines", info["quarantined"])
    lines += _counted("notes", info["notes"])
    recipe = {name.replace("_", "-"): _setting(value) for name, value in info["recipe"].items()}
    lines += _titled("recipe", [plain(f"  {name:<20}{value}") for name, value in recipe.items()])
    sizes = [f"  {name:<20}{size / 1e6:>14,.1f} MB" for name, size in info["sizes"].items()]
    lines += _titled("sizes", sizes)
    return flowed("\n".join([*lines, "", f"content hash  {info['content_hash']}"]), 20)


def _titled(title: str, lines: Sequence[str]) -> list[str]:
    return ["", title, *lines] if lines else []


def _counted(title: str, counts: Mapping[str, int]) -> list[str]:
    return _titled(title, [plain(f"  {name:<34}{counted:>14,}") for name, counted in counts.items()])


def _setting(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{name} {one}" for name, one in value.items())
    return "-" if value is None else str(value)


def search_hit_line(product: Product, score: float | None) -> Hit:
    return {
        "product_id": product.product_id,
        "score": score,
        "title": product.title,
        "price": product.price,
        "average_rating": product.average_rating,
        "rating_number": product.rating_number,
        "category": product.category,
        "store": product.store,
        "product_url": product.product_url,
    }


def say_search(spec: str, shop: Shop, settings: Settings) -> None:
    """Print a notice if the shop cannot be searched as the settings ask."""
    if settings.search != shop.catalog.search_name:
        reason = (
            "its index was made by an earlier version"
            if settings.search == "fields"
            else "it has no vectors of this embedder"
        )
        line = f"{spec}: {reason}, so it is searched as `{shop.catalog.search_name}`"
        hybrid = " --search hybrid" if settings.search == "hybrid" else ""
        notice(plain(f"{line}; `drr shop index {spec}{hybrid}` makes a new one"))


def hits_text(
    request: SearchRequest, page: SearchPage, products: Sequence[Product], currency: Currency
) -> str:
    """Return one page of products as text, two lines each, below their total and the reading of the query."""
    request = page.request or request
    lines = [f"{_matching(page.total)}; 1-{len(products)}, by {request.sort.replace('_', ' ')}:"]
    lines += [*_beside(page), ""]
    for rank, product in enumerate(products, 1):
        rating = "not rated" if product.average_rating is None else f"{product.average_rating:.1f} stars"
        number = "" if product.rating_number is None else f" ({count(product.rating_number)})"
        facts = (
            f"{product.product_id}  {price(product.price, currency)}  {rating}{number}  {product.category}"
        )
        lines.append(f"{rank:>3}. {excerpt(plain(product.title) or '(no title)', _TITLE)}")
        lines.append(plain(f"     {facts}"))
    return flowed("\n".join(lines), 5)


def _beside(page: SearchPage) -> Iterator[str]:
    """Say how the query was read, which products are not in the list, and how to see them."""
    if page.notes:
        yield f"query read so: {plain('; '.join(page.notes))}"
    if page.aside:
        yield f"{page.aside:,} more share a word and were set aside; --match any lists them"
    if page.unpriced:
        yield f"{page.unpriced:,} more match and have no known price; --unknown-price lets them in"


def why_nothing(request: SearchRequest, shop: Shop, page: SearchPage) -> str:
    if not tokens(request.query):
        return "Nothing found: the query has no word in it."
    category = request.category
    if category is not None:
        known = {category_key(name): name for name in shop.catalog.categories()}
        if category_key(category) not in known:
            near = get_close_matches(category_key(category), known, 3, 0.4)
            names = ", ".join(known[key] for key in near) or ", ".join(sorted(known.values()))
            return plain(f"Nothing found in category {category!r}. Categories of this shop are: {names}.")
    return flowed("\n".join(["Nothing found. Try fewer words, or fewer filters.", *_beside(page)]), 5)


def record_text(document: Mapping[str, Any]) -> str:
    return flowed("\n".join(_fields(document, "")))


def _fields(document: Mapping[str, Any], indent: str) -> Iterator[str]:
    width = max((len(str(name)) for name in document), default=0) + 2
    for name, value in document.items():
        if name == "_id":
            continue
        label = f"{indent}{plain(str(name)):<{width}}"
        if isinstance(value, dict) and value:
            yield label.rstrip()
            yield from _fields(value, indent + "  ")
        elif isinstance(value, list) and value:
            yield label.rstrip()
            yield from (f"{indent}  - {plain(str(one))}" for one in value)
        else:
            yield label + ("-" if value is None or value in ({}, []) else plain(str(value)))


def history_text(shop: Shop, user_id: str, few: int | None) -> str:
    """Return the number of a user's orders and the newest `few` of them as text; all of them for `None`."""
    page = shop.store.orders(user_id, limit=few)
    left = page.total > len(page.items)
    tail = ", the newest (--orders all shows all):" if left else ":" if page.total else ""
    lines = ["", many(page.total, "order") + tail]
    products = {p.product_id: p for p in shop.store.products([o.product_id for o in page.items])}
    for order in page.items:
        title = products[order.product_id].title if order.product_id in products else "?"
        cells = (
            order.order_date[:10],
            order.order_id,
            order.product_id,
            order.order_status,
            excerpt(title, 60),
        )
        lines.append(plain("  " + "  ".join(cells)))
    return flowed("\n".join(lines), 2)


def _matching(total: int) -> str:
    return "1 product matches" if total == 1 else f"{total:,} products match"


_READ = 200
"""Most orders of each user that are read."""
_THEMES = 3


class ListedUser(TypedDict):
    user_id: str
    orders: int
    latest: str | None
    """Day of the newest order."""
    themes: list[str]
    """Most frequent themes of the orders, from the words of titles; empty where none is known."""


def listed_users(shop: Shop, count: int, *, seed: int, min_orders: int) -> list[ListedUser]:
    drawn = shop.store.sample_users(count, seed=seed, min_orders=min_orders)
    return sorted(
        (_listed(shop, user) for user in drawn), key=lambda user: (-user["orders"], user["user_id"])
    )


def _listed(shop: Shop, user_id: str) -> ListedUser:
    page = shop.store.orders(user_id, limit=_READ)
    titles = {one.product_id: one.title for one in shop.store.products([o.product_id for o in page.items])}
    found = Counter(theme for order in page.items for theme in themes_of(titles.get(order.product_id, "")))
    return {
        "user_id": user_id,
        "orders": page.total,
        "latest": max((order.order_date[:10] for order in page.items), default=None),
        "themes": [name.replace("_", " ") for name, _ in found.most_common(_THEMES)],
    }
