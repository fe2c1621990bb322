"""Opens the web that the settings name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from drr.citations.addresses import host_of, path_steps
from drr.env.errors import Misuse
from drr.env.records.product import product_markdown
from drr.env.settings import Settings
from drr.env.shop import Shop, Store
from drr.env.web.base import Page, WebHit, WebSearch
from drr.wording.currency import DOLLARS, Currency

if TYPE_CHECKING:
    from drr.env.web.sandbox import Sandbox


def system_clock() -> datetime:
    return datetime.now(UTC)


def open_web(
    settings: Settings,
    *,
    shop: Shop | None = None,
    snapshots: Path | None = None,
    clock: Callable[[], datetime] = system_clock,
    searching: bool = True,
) -> WebSearch:
    """Open the sandbox, a live engine, or a recording; the shop's own addresses are always answered by the shop.

    `snapshots` is a study's folder for pages read live. With a live engine and the setting `web_record` everything
    goes into that recording too. A caller that only reads pages (`searching` false) needs no key of an engine.
    """
    if searching and settings.web == "serper":
        _need_key(settings)
    web = _web(settings, snapshots, clock)
    return (
        ShopWeb(web, settings.shop_url)
        if shop is None
        else ShopWeb(web, settings.shop_url, shop.store, shop.manifest.money)
    )


def sandbox_of(web: WebSearch) -> Sandbox | None:
    """Return the sandbox behind a web, or `None` if it has none."""
    from drr.env.web.sandbox import Sandbox

    found = web.web if isinstance(web, ShopWeb) else web
    return found if isinstance(found, Sandbox) else None


def open_recorder(
    settings: Settings, folder: Path, *, clock: Callable[[], datetime] = system_clock
) -> WebSearch:
    """Open the web of the settings so that all of its answers are kept in `folder`."""
    from drr.env.web.record import RecordingWeb

    if settings.web == "serper":
        _need_key(settings)
        web = _live(settings.model_copy(update={"web_record": folder}), None, clock)
    else:
        web = RecordingWeb(_web(settings, None, clock), folder, clock)
    return ShopWeb(web, settings.shop_url)


def _need_key(settings: Settings) -> None:
    """Raise an error for a missing key at the start, not at the first search of a long study."""
    if settings.serper_api_key is None:
        raise Misuse("setting web is serper, but there is no key: set SERPER_API_KEY, or use --web sandbox")


def _web(settings: Settings, snapshots: Path | None, clock: Callable[[], datetime]) -> WebSearch:
    if settings.web == "sandbox":
        from drr.env.web.sandbox import open_sandbox

        return open_sandbox(settings.sandbox)
    if settings.web == "replay":
        from drr.env.web.record import ReplayWeb

        if settings.web_record is None:
            raise Misuse("setting web is replay, but web_record names no folder; give --web-record DIR")
        return ReplayWeb(settings.web_record, clock)
    return _live(settings, snapshots, clock)


def _live(settings: Settings, snapshots: Path | None, clock: Callable[[], datetime]) -> WebSearch:
    from drr.env.web.fetch import Fetcher
    from drr.env.web.live import LiveWeb, Serper, page_reader
    from drr.env.web.record import RecordingWeb, Snapshots

    fetcher = Fetcher(
        timeout=settings.fetch_timeout,
        max_bytes=settings.fetch_max_bytes,
        respect_robots=settings.respect_robots,
        never=frozenset(filter(None, [host_of(settings.shop_url)])),
    )
    # A recording is a snapshot store too: it takes the place of the study's.
    keep = None if snapshots is None or settings.web_record else Snapshots(snapshots, clock, closed=True)
    live = LiveWeb(
        Serper(settings.serper_api_key, timeout=settings.fetch_timeout),
        fetcher,
        page_reader(settings.page_reader),
        keep,
    )
    return (
        live
        if settings.web_record is None
        else RecordingWeb(live, settings.web_record, clock, live.fetch_page)
    )


READER = "shop/1"


def is_shop_address(url: str, shop_url: str) -> bool:
    """Tell whether an address is on the shop's host. Scheme, port and path do not matter."""
    host = host_of(url)
    return host != "" and host == host_of(shop_url)


def product_id_of(url: str, shop_url: str) -> str | None:
    """Return the product id in an address of the shop, the last step of the path. `None` for any other address."""
    if not is_shop_address(url, shop_url):
        return None
    return next(reversed(path_steps(url)), None)


@dataclass(frozen=True)
class ShopWeb:
    """A web in which the shop's addresses are answered by the shop. Without a store these addresses are recognised and not answered."""

    web: WebSearch
    shop_url: str
    store: Store | None = None
    money: Currency = DOLLARS
    """The currency of the shop's prices."""

    @property
    def name(self) -> str:
        return self.web.name

    @property
    def content_hash(self) -> str | None:
        return self.web.content_hash

    async def search(self, query: str, top_k: int) -> list[WebHit]:
        """Search without hits on the shop's own host, whose products only the catalogue finds."""
        hits = await self.web.search(query, top_k)
        return [hit for hit in hits if not is_shop_address(hit.url, self.shop_url)]

    async def read(self, url: str) -> Page:
        if not is_shop_address(url, self.shop_url):
            return await self.web.read(url)
        if self.store is None:
            return _closed_page(url, "an address of the shop; only an open shop answers it")
        product_id = product_id_of(url, self.shop_url)
        product = self.store.product(product_id) if product_id else None
        if product is None:
            return _closed_page(url, "the shop has no such product")
        return Page(
            url, product.product_url, "ok", product.title, product_markdown(product, self.money), READER
        )


def _closed_page(url: str, reason: str) -> Page:
    return Page(url, url, "unreachable", None, None, READER, reason)
