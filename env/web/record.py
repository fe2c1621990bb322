"""A recorded web: what a live one answered, kept in a folder and answered again. What was not recorded is not made up."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TypedDict

import orjson
from drr.env.bounded import DOCUMENT
from drr.env.errors import DrrError, Misuse
from drr.env.files import read_file
from drr.env.json_object import JsonObject
from drr.env.web.base import Page, WebHit, WebSearch, WebUnavailable
from drr.env.web.snapshots import Clock, PageFacts, Snapshots, read_record, write_whole

Reading = Callable[[str], Awaitable[tuple[Page, PageFacts]]]


class Searches:
    """`searches/<hash of the query>.json` in the folder of a recording."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "searches"

    def _path(self, query: str) -> Path:
        normal = " ".join(query.split()).casefold()
        return self._folder / f"{sha256(normal.encode('utf-8', 'surrogatepass')).hexdigest()}.json"

    def get(self, query: str, top_k: int) -> list[WebHit] | None:
        """The recorded hits, if as many were asked for then as are now."""
        path = self._path(query)
        try:
            record = orjson.loads(read_file(path, DOCUMENT))
            if record["top_k"] < top_k:
                return None
            return [WebHit(hit["title"], hit["url"], hit["snippet"]) for hit in record["hits"]][:top_k]
        except FileNotFoundError:
            return None
        except (OSError, orjson.JSONDecodeError, KeyError, TypeError) as error:
            raise DrrError(f"{path}: cannot be read ({error!r}); record the search again") from error

    def put(self, query: str, top_k: int, hits: list[WebHit], engine: str, time: str) -> None:
        record = {
            "query": query,
            "top_k": top_k,
            "engine": engine,
            "time": time,
            "hits": [hit._asdict() for hit in hits],
        }
        write_whole(self._path(query), orjson.dumps(record, option=orjson.OPT_INDENT_2))

    def records(self) -> Iterator[JsonObject]:
        for path in sorted(self._folder.glob("*.json")):
            yield read_record(path)


class RecordingWeb:
    """Implements `WebSearch`. A recording only grows: what it already holds is answered from it."""

    def __init__(self, live: WebSearch, folder: Path, clock: Clock, read: Reading | None = None) -> None:
        """`read` brings a page together with what else is worth keeping of it (what the server sent)."""
        self._live, self._clock = live, clock
        self._read = read or self._plain
        self._searches, self._pages = Searches(folder), Snapshots(folder, clock)

    @property
    def name(self) -> str:
        return self._live.name

    @property
    def content_hash(self) -> str | None:
        return self._live.content_hash

    async def search(self, query: str, top_k: int) -> list[WebHit]:
        kept = self._searches.get(query, top_k)
        if kept is None:
            kept = await self._live.search(query, top_k)
            time = self._clock().isoformat(timespec="seconds")
            self._searches.put(query, top_k, kept, self._live.name, time)
        return kept

    async def read(self, url: str) -> Page:
        return await self._pages.once(url, lambda: self._read(url))

    async def _plain(self, url: str) -> tuple[Page, PageFacts]:
        return await self._live.read(url), {}


class Recorded(TypedDict):
    """The document of `drr web record --json`."""

    searches: int
    hits: int
    pages: dict[str, str]
    """The status of every page that was read, by address."""


async def record(web: WebSearch, queries: Sequence[str], top_k: int, *, pages: bool) -> Recorded:
    """Ask a recording web everything, so that it keeps it; `pages`: also read what is found."""
    statuses: dict[str, str] = {}
    found = 0
    for query in queries:
        hits = await web.search(query, top_k)
        found += len(hits)
        if pages:
            for page in await asyncio.gather(*(web.read(hit.url) for hit in hits)):
                statuses[page.url] = page.status
    return {"searches": len(queries), "hits": found, "pages": statuses}


class ReplayWeb:
    """Implements `WebSearch`."""

    name = "replay"

    def __init__(self, folder: Path, clock: Clock) -> None:
        if not folder.is_dir():
            raise Misuse(f"{folder}: no such folder; `drr web record` makes one")
        self._folder = folder
        self.searches, self.pages = Searches(folder), Snapshots(folder, clock)

    @cached_property
    def content_hash(self) -> str:
        digest = sha256(b"drr-recording-1")
        for record in (*self.searches.records(), *self.pages.records()):
            digest.update(orjson.dumps(record, option=orjson.OPT_SORT_KEYS) + b"\n")
        return digest.hexdigest()

    async def search(self, query: str, top_k: int) -> list[WebHit]:
        hits = self.searches.get(query, top_k)
        if hits is None:
            raise WebUnavailable(
                f"the recording {self._folder.name} holds no search {query[:200]!r} with {top_k} results"
            )
        return hits

    async def read(self, url: str) -> Page:
        page = self.pages.get(url)
        if page is None:
            raise WebUnavailable(f"the recording {self._folder.name} holds no page {url[:300]}")
        return page
