"""From a cited address to the frozen text it stands for. The type of a source comes from its address, never from a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal
from urllib.parse import unquote, urlsplit

from drr.citations.parse import canonical_url
from drr.env.shop import Shop
from drr.env.source import Source, SourceType
from drr.env.web.base import Page
from drr.eval.evidence.answers import Answer
from drr.eval.evidence.passages import (
    Frozen,
    TextStatus,
    order_text,
    orders_text,
    product_text,
    profile_text,
    record_text,
    statistics_text,
)

_USER = "user://"
_ORDERS = 1000


def host_of(url: str) -> str:
    return (urlsplit(url).hostname or "").removeprefix("www.")


class Book:
    """The evidence of one answer. `refetched` are pages read now, by canonical address; they replace frozen ones."""

    def __init__(
        self,
        answer: Answer,
        shop: Shop | None,
        *,
        shop_hosts: frozenset[str] = frozenset(),
        refetched: Mapping[str, Page] | None = None,
    ) -> None:
        self.answer = answer
        self.shop = shop
        self.refetched = refetched or {}
        self._by_url: dict[str, list[Source]] = {}
        for source in answer.sources:
            self._by_url.setdefault(canonical_url(source.url), []).append(source)
        self._extra = {canonical_url(extra.url): extra for extra in answer.extras}
        own = {host_of(s.url) for s in answer.sources if s.type == "product"}
        given = {host_of(shop.shop_url)} if shop is not None else set()
        self.shop_hosts = frozenset(shop_hosts | given | own) - {""}

    def type_of(self, url: str) -> SourceType:
        if url.startswith(_USER):
            return "user"
        known = self._by_url.get(canonical_url(url))
        if known and known[0].type != "web":
            return known[0].type
        return "product" if host_of(url) in self.shop_hosts else "web"

    def resolves(self, url: str) -> bool:
        """Whether the address is a source: a tool returned it, or the shop holds it. What nobody returned is made up.

        Of imported reports it is not known what was returned, so any address counts.
        """
        if self.answer.imported or canonical_url(url) in self._by_url:
            return True
        return self.type_of(url) != "web" and self.page(url).status == "ok"

    def page(self, url: str) -> Frozen:
        """What stands behind the address: the store's record, or the page as it was frozen."""
        url = canonical_url(url)
        source_type = self.type_of(url)
        if source_type == "web":
            return self._web(url)
        found = None
        if self.shop is not None:
            found = self._product(url) if source_type == "product" else self._user(url)
        return found or self._recorded(url, source_type)

    def seen(self, url: str) -> Frozen:
        """What the agent read of the address; an address that no tool returned supports nothing."""
        url = canonical_url(url)
        texts = list(
            dict.fromkeys(source.seen for source in self._by_url.get(url, ()) if source.seen.strip())
        )
        source_type = self.type_of(url)
        if not texts:
            return Frozen(url, source_type, "unreachable", reason="no tool returned this address")
        return Frozen(url, source_type, "ok", "\n\n".join(texts), self._title(url))

    def _title(self, url: str) -> str | None:
        return next((source.title for source in self._by_url.get(url, ()) if source.title), None)

    def _web(self, url: str) -> Frozen:
        if url in self.refetched:
            page = self.refetched[url]
            return self._from_page(url, page.status, page.markdown, page.reason)
        for source in self._by_url.get(url, ()):
            if source.page_status is not None:
                return self._from_page(url, source.page_status, source.page, None)
        extra = self._extra.get(url)
        if extra is not None and extra.status is not None:
            return self._from_page(url, extra.status, extra.text, None)
        if self.answer.imported and url in self._by_url:
            return self.seen(url)
        return Frozen(url, "web", "not_frozen", reason="no page was frozen; `--refetch` reads it now")

    def _from_page(self, url: str, status: str, text: str | None, reason: str | None) -> Frozen:
        if status == "ok" and text and text.strip():
            return Frozen(url, "web", "ok", text, self._title(url))
        known: dict[str, Literal["unreachable", "blocked", "empty"]] = {
            "unreachable": "unreachable",
            "blocked": "blocked",
        }
        return Frozen(url, "web", known.get(status, "empty"), reason=reason)

    def _recorded(self, url: str, source_type: SourceType) -> Frozen:
        """Without a shop, or where the shop does not know it, what the tools returned."""
        sources = self._by_url.get(url, ())
        for source in sources:
            if source.record:
                return Frozen(url, source_type, "ok", record_text(source.record), source.title)
        if sources:
            return self.seen(url)
        status: TextStatus = "unreachable" if self.shop is not None else "not_frozen"
        why = (
            "there is no such record in the shop"
            if self.shop is not None
            else "no shop was at hand to look it up"
        )
        return Frozen(url, source_type, status, reason=why)

    def _product(self, url: str) -> Frozen | None:
        assert self.shop is not None
        name = unquote(urlsplit(url).path.rstrip("/").rpartition("/")[2])
        product = self.shop.store.product(name)
        if product is None:
            return None
        return Frozen(url, "product", "ok", product_text(product), product.title)

    def _user(self, url: str) -> Frozen | None:
        assert self.shop is not None
        user_id, _, rest = url.removeprefix(_USER).partition("/")
        if self.answer.user_id is not None and user_id != self.answer.user_id:
            return Frozen(url, "user", "unreachable", reason="records of another user support nothing")
        store, (what, _, which) = self.shop.store, rest.strip("/").partition("/")
        text: str | None = None
        if what == "profile" and (user := store.user(user_id)):
            changes = [
                f"Changed while answering: {c['field']} is now {c['after']}"
                for c in self.answer.state_changes
            ]
            text = "\n".join([profile_text(user), *changes])
        elif what == "statistics" and (statistics := store.statistics(user_id)):
            text = statistics_text(statistics)
        elif what == "orders" and which:
            order = store.order(which)
            if order is not None and order.user_id == user_id:
                text = order_text(order, store.product(order.product_id))
        elif what == "orders":
            orders = store.orders(user_id, limit=_ORDERS).items
            products = store.products([order.product_id for order in orders])
            text = orders_text(orders, {product.product_id: product for product in products})
        seen = "\n\n".join(source.seen for source in self._by_url.get(url, ()))
        if text is None:
            return None
        return Frozen(url, "user", "ok", f"{text}\n\n{seen}" if seen else text, self._title(url))
