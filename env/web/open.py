"""The web that the settings name."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from drr.citations.addresses import host_of
from drr.env.errors import Misuse
from drr.env.settings import Settings
from drr.env.shop import Shop
from drr.env.web.base import WebSearch
from drr.env.web.shop_pages import ShopWeb


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
    """The sandbox, a live engine, or a recording; always with the shop's addresses answered by the shop.

    `snapshots` is a study's folder for pages read live. With a live engine and the setting `web_record` everything
    goes into that recording too. Who only reads pages (`searching` false) needs no key of an engine.
    """
    if searching and settings.web == "serper":
        _need_key(settings)
    web = _web(settings, snapshots, clock)
    return ShopWeb(web, settings.shop_url, None if shop is None else shop.store)


def open_recorder(
    settings: Settings, folder: Path, *, clock: Callable[[], datetime] = system_clock
) -> WebSearch:
    """The web of the settings, with everything it answers kept in `folder`."""
    from drr.env.web.record import RecordingWeb

    if settings.web == "serper":
        _need_key(settings)
        web = _live(settings.model_copy(update={"web_record": folder}), None, clock)
    else:
        web = RecordingWeb(_web(settings, None, clock), folder, clock)
    return ShopWeb(web, settings.shop_url)


def _need_key(settings: Settings) -> None:
    """Ask for the key at the start, not at the first search of a long study."""
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
    from drr.env.web.live import LiveWeb
    from drr.env.web.readable import page_reader
    from drr.env.web.record import RecordingWeb
    from drr.env.web.serper import Serper
    from drr.env.web.snapshots import Snapshots

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
