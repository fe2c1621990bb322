"""Addresses of the shop. They are answered by the store and never by the network, whoever asks and however they are spelt."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from drr.env.entities import Product
from drr.env.shop import Store
from drr.env.web.address import Refused, canonical_host
from drr.env.web.base import Page, WebHit, WebSearch

READER = "shop/1"


def host_of(url: str) -> str | None:
    """The one spelling of a URL's host, without `www.`."""
    try:
        return canonical_host(urlsplit(url.strip()).hostname or "").removeprefix("www.")
    except (ValueError, Refused):
        return None


def is_shop_address(url: str, shop_url: str) -> bool:
    """Whether the host is the shop's. Scheme, port and path do not matter: all of that host is the shop."""
    host = host_of(url)
    return host is not None and host == host_of(shop_url)


def product_id_of(url: str, shop_url: str) -> str | None:
    """The product that a shop address names: the last step of its path; `None` for any other address."""
    if not is_shop_address(url, shop_url):
        return None
    return unquote(urlsplit(url.strip()).path).rstrip("/").rsplit("/", 1)[-1] or None


def product_markdown(product: Product) -> str:
    """The whole listing as a page, nothing left out: what a judge reads of a product."""
    price = "Price: unknown" if product.price is None else f"Price: ${product.price:,.2f}"
    rated = "not rated" if product.average_rating is None else f"{product.average_rating:g} of 5"
    count = "unknown" if product.rating_number is None else f"{product.rating_number:,}"
    lines = [
        f"# {_flat(product.title)}",
        "",
        f"Product id: {product.product_id}",
        price,
        f"Average rating: {rated}; number of ratings: {count}",
        f"Store: {_flat(product.store) if product.store else 'unknown'}",
        f"Categories: {' > '.join(map(_flat, product.categories)) or product.category}",
    ]
    for heading, rows in (
        ("Features", [_flat(feature) for feature in product.features]),
        ("Details", [f"{_flat(name)}: {_flat(str(value))}" for name, value in product.details.items()]),
    ):
        if rows:
            lines += ["", f"## {heading}", "", *(f"- {row}" for row in rows)]
    if product.description:
        lines += ["", "## Description", "", *map(_flat, product.description)]
    return "\n".join(lines)


def _flat(text: str) -> str:
    return " ".join(text.split())


@dataclass(frozen=True)
class ShopWeb:
    """A web in which the shop's addresses belong to the shop. Without a store they are known to be the shop's, and closed."""

    web: WebSearch
    shop_url: str
    store: Store | None = None

    @property
    def name(self) -> str:
        return self.web.name

    @property
    def content_hash(self) -> str | None:
        return self.web.content_hash

    async def search(self, query: str, top_k: int) -> list[WebHit]:
        """Without hits on the shop's own host: there the catalogue speaks, not a stranger's page."""
        hits = await self.web.search(query, top_k)
        return [hit for hit in hits if not is_shop_address(hit.url, self.shop_url)]

    async def read(self, url: str) -> Page:
        if not is_shop_address(url, self.shop_url):
            return await self.web.read(url)
        if self.store is None:
            return _closed(url, "an address of the shop; only an open shop answers it")
        product_id = product_id_of(url, self.shop_url)
        product = self.store.product(product_id) if product_id else None
        if product is None:
            return _closed(url, "the shop has no such product")
        return Page(url, product.product_url, "ok", product.title, product_markdown(product), READER)


def _closed(url: str, reason: str) -> Page:
    return Page(url, url, "unreachable", None, None, READER, reason)
