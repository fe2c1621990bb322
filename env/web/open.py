"""The web that the settings name."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from env.errors import Misuse
from env.settings import Settings
from env.shop import Shop
from env.web.base import WebSearch
from env.web.shop_pages import ShopWeb, host_of


def system_clock() -> datetime:
    return datetime.now(UTC)


def open_web(
    settings: Settings,
    *,
    shop: Shop | None = None,
    snapshots: Path | None = None,
    clock: Callable[[], datetime] = system_clock,
) -> WebSearch:
    """The sandbox, a live engine, or a recording; always with the shop's addresses answered by the shop.

    `snapshots` is a study's folder for pages read live. With a live engine and the setting `web_record` everything
    goes into that recording too.
    """
    web = _web(settings, snapshots, clock)
    return ShopWeb(web, settings.shop_url, None if shop is None else shop.store)


def _web(settings: Settings, snapshots: Path | None, clock: Callable[[], datetime]) -> WebSearch:
    if settings.web == "sandbox":
        from env.web.sandbox import open_sandbox

        return open_sandbox(settings.sandbox)
    if settings.web == "replay":
        from env.web.record import ReplayWeb

        if settings.web_record is None:
            raise Misuse("setting web is replay, but web_record names no folder; give --web-record DIR")
        return ReplayWeb(settings.web_record, clock)
    return _live(settings, snapshots, clock)


def _live(settings: Settings, snapshots: Path | None, clock: Callable[[], datetime]) -> WebSearch:
    from env.web.fetch import Fetcher
    from env.web.live import LiveWeb
    from env.web.readable import page_reader
    from env.web.record import RecordingWeb
    from env.web.serper import Serper
    from env.web.snapshots import Snapshots

    if settings.serper_api_key is None:
        raise Misuse("setting web is serper, but there is no key: set SERPER_API_KEY, or use --web sandbox")
    fetcher = Fetcher(
        timeout=settings.fetch_timeout,
        max_bytes=settings.fetch_max_bytes,
        respect_robots=settings.respect_robots,
        never=frozenset(filter(None, [host_of(settings.shop_url)])),
    )
    live = LiveWeb(
        Serper(settings.serper_api_key, timeout=settings.fetch_timeout),
        fetcher,
        page_reader(settings.page_reader),
        None if snapshots is None else Snapshots(snapshots, clock),
    )
    return live if settings.web_record is None else RecordingWeb(live, settings.web_record, clock)
