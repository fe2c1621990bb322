"""Addresses of the shop. They are answered by the store and never by the network, whoever asks and however they are spelt."""

from __future__ import annotations

from dataclasses import dataclass

from drr.citations.addresses import host_of, path_steps
from drr.env.records.product import product_markdown
from drr.env.shop import Store
from drr.env.web.base import Page, WebHit, WebSearch

READER = "shop/1"


def is_shop_address(url: str, shop_url: str) -> bool:
    """Tell whether the host is the shop's. Scheme, port and path do not matter: all of that host is the shop."""
    host = host_of(url)
    return host != "" and host == host_of(shop_url)


def product_id_of(url: str, shop_url: str) -> str | None:
    """The product that a shop address names: the last step of its path; `None` for any other address."""
    if not is_shop_address(url, shop_url):
        return None
    return next(reversed(path_steps(url)), None)


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
        """Search without hits on the shop's own host: there the catalogue speaks, not a stranger's page."""
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
