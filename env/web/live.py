"""The live web: an engine that searches, the guarded fetcher and a reader for pages, each page read once."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Protocol
from weakref import WeakKeyDictionary

from drr.env.web.base import Page, WebHit
from drr.env.web.fetch import Fetcher, FetchFailure
from drr.env.web.readable import PageReader, make_page
from drr.env.web.snapshots import PageFacts, Snapshots


class Engine(Protocol):
    """Searches only."""

    @property
    def name(self) -> str: ...

    async def search(self, query: str, top_k: int) -> list[WebHit]: ...


@dataclass
class LiveWeb:
    """Implements `WebSearch`. Without a snapshot store pages are kept in memory, so that a URL is read once either way."""

    engine: Engine
    fetcher: Fetcher
    reader: PageReader
    snapshots: Snapshots | None = None
    _pages: dict[str, Page] = field(default_factory=dict, repr=False)
    _turns: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, asyncio.Lock]] = field(
        default_factory=WeakKeyDictionary, repr=False
    )

    @property
    def name(self) -> str:
        return self.engine.name

    @property
    def content_hash(self) -> None:
        return None

    async def search(self, query: str, top_k: int) -> list[WebHit]:
        return await self.engine.search(query, top_k)

    async def read(self, url: str) -> Page:
        if self.snapshots is not None:
            return await self.snapshots.once(url, lambda: self.fetch_page(url))
        key = url.partition("#")[0]
        turns = self._turns.setdefault(asyncio.get_running_loop(), {})
        async with turns.setdefault(key, asyncio.Lock()):
            if key not in self._pages:
                self._pages[key] = (await self.fetch_page(url))[0]
        return self._pages[key]._replace(url=url)

    async def fetch_page(self, url: str) -> tuple[Page, PageFacts]:
        """The page as it is now, and what a snapshot store keeps beside it."""
        try:
            fetched = await self.fetcher.fetch(url)
        except FetchFailure as failure:
            page = Page(url, url, failure.status, None, None, self.reader.name, failure.reason)
            return page, {"http_status": failure.http_status}
        page = await make_page(fetched, self.reader)
        facts: PageFacts = {
            "http_status": fetched.http_status,
            "content_type": fetched.content_type,
            "body": fetched.body,
        }
        if fetched.false_charset is not None:
            facts["false_charset"] = fetched.false_charset
        return page, facts
