"""The web kept in folders: pages as they were when read, and a recording that answers again.

A URL is read once, whatever the number of callers and processes. `texts/ab/<sha256>.md` holds the text that was read, `raw/ab/<sha256>`
the bytes that the server sent, `pages/<sha256 of URL>.json` says which belongs to which URL, when, and by which reader.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, TypedDict

import orjson
from drr.env.errors import DrrError, Misuse
from drr.env.files import atomic_write, is_digest, make_folder, owner_only_mode, read_file
from drr.env.json_object import JsonObject
from drr.env.small_files import DOCUMENT
from drr.env.source import text_hash
from drr.env.web.base import Page, WebHit, WebSearch, WebUnavailable


class Searches:
    """The recorded searches: `searches/<hash of the query>.json` in the folder of a recording."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "searches"

    def _path(self, query: str) -> Path:
        normal = " ".join(query.split()).casefold()
        return self._folder / f"{sha256(normal.encode('utf-8', 'surrogatepass')).hexdigest()}.json"

    def get(self, query: str, top_k: int) -> list[WebHit] | None:
        """Return the recorded hits, if at least as many were requested then as now; otherwise `None`."""
        path = self._path(query)
        try:
            record = orjson.loads(read_file(path, DOCUMENT))
            if record["top_k"] < top_k:
                return None
            return [
                WebHit(hit["title"], hit["url"], hit["snippet"], hit.get("date"), tuple(hit.get("rows", ())))
                for hit in record["hits"]
            ][:top_k]
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
    """A `WebSearch` that records its answers. A recording only grows: what it already holds is answered from it."""

    def __init__(self, live: WebSearch, folder: Path, clock: Clock, read: Reading | None = None) -> None:
        """Record the answers of `live` in `folder`. `read` fetches a page with the facts worth keeping (the bytes sent by the server)."""
        self._live, self._clock = live, clock
        self._read = read or self._read_plainly
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

    async def _read_plainly(self, url: str) -> tuple[Page, PageFacts]:
        return await self._live.read(url), {}


class Recorded(TypedDict):
    """The document of `drr web record --json`."""

    searches: int
    hits: int
    pages: dict[str, str]
    """The status of every page that was read, by address."""


async def record_searches(web: WebSearch, queries: Sequence[str], top_k: int) -> Recorded:
    """Send all queries to a recording web and read the pages found; the web keeps both."""
    statuses: dict[str, str] = {}
    found = 0
    for query in queries:
        hits = await web.search(query, top_k)
        found += len(hits)
        for page in await asyncio.gather(*(web.read(hit.url) for hit in hits)):
            statuses[page.url] = page.status
    return {"searches": len(queries), "hits": found, "pages": statuses}


class ReplayWeb:
    """A `WebSearch` that answers from a recording."""

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


Clock = Callable[[], datetime]
# Waiting for another process that reads the same URL; the fetcher's own deadline bounds the wait.
_POLL = 0.02


class PageFacts(TypedDict, total=False):
    """The facts about a page that are kept beside a reader's text."""

    http_status: int | None
    content_type: str | None
    false_charset: str
    """An encoding that the server named and that does not exist: the page was read by the encoding that it states, else as UTF-8."""
    body: bytes


Reading = Callable[[str], Awaitable[tuple[Page, PageFacts]]]
_KEPT_FIELDS = ("final_url", "status", "title", "sha256", "reader", "reason")


def _text_of(value: Any) -> Any:
    if value is not None and not isinstance(value, str):
        raise TypeError("no text where one should stand")
    return value


def read_record(path: Path) -> JsonObject:
    """Read a file of a recording."""
    try:
        record = orjson.loads(read_file(path, DOCUMENT))
    except (OSError, orjson.JSONDecodeError) as error:
        raise DrrError(f"{path}: cannot be read ({error}); remove it") from error
    if not isinstance(record, dict):
        raise DrrError(f"{path}: not a record of a web; remove it")
    return record


class Snapshots:
    def __init__(self, folder: Path, clock: Clock, *, closed: bool = False) -> None:
        """Open a folder of pages. `closed` keeps other users out, as for all of a study."""
        self._folder = folder
        self._clock = clock
        self._files, self._folders = (
            (owner_only_mode(0o666), owner_only_mode(0o777)) if closed else (0o666, 0o777)
        )

    def get(self, url: str) -> Page | None:
        """Return the page as it was read; `None` if it never was. A text that does not match its hash raises an error."""
        path = self._record(url)
        try:
            record = orjson.loads(read_file(path, DOCUMENT))
            final_url, status, title, digest, reader, reason = map(
                _text_of, [record[name] for name in _KEPT_FIELDS]
            )
        except FileNotFoundError:
            return None
        except (OSError, orjson.JSONDecodeError, KeyError, TypeError) as error:
            raise DrrError(
                f"{path}: cannot be read ({error}); remove it to have the page read again"
            ) from error
        return Page(
            url, final_url, status, title, None if digest is None else self._text(digest), reader, reason
        )

    async def once(self, url: str, read: Callable[[], Awaitable[tuple[Page, PageFacts]]]) -> Page:
        """Return the stored page, or the one that `read` returns, which is then stored. `read` also returns the facts to record."""
        if (kept := self.get(url)) is not None:
            return kept
        async with self._turn(url):
            if (kept := self.get(url)) is not None:
                return kept
            page, facts = await read()
            self.put(url, page, facts)
            return page

    def put(self, url: str, page: Page, facts: PageFacts) -> None:
        body = facts.get("body")
        digest = None
        if page.markdown is not None:
            digest = text_hash(page.markdown)
            self._keep("texts", digest, ".md", page.markdown.encode("utf-8", "surrogatepass"))
        raw = None
        if body is not None:
            raw = sha256(body).hexdigest()
            self._keep("raw", raw, "", body)
        record = {
            "url": url,
            "final_url": page.final_url,
            "status": page.status,
            "reason": page.reason,
            "title": page.title,
            "sha256": digest,
            "raw_sha256": raw,
            "reader": page.reader,
            "time": self._clock().isoformat(timespec="seconds"),
            **{name: fact for name, fact in facts.items() if name != "body"},
        }
        self._write(self._record(url), orjson.dumps(record, option=orjson.OPT_INDENT_2))

    def records(self) -> Iterator[JsonObject]:
        """Yield the record of every page, by the hash of its URL."""
        for path in sorted((self._folder / "pages").glob("*.json")):
            yield read_record(path)

    def _record(self, url: str) -> Path:
        return self._folder / "pages" / f"{url_key(url)}.json"

    def _keep(self, kind: str, digest: str, suffix: str, content: bytes) -> None:
        path = self._folder / kind / digest[:2] / (digest + suffix)
        if not path.exists():
            self._write(path, content)

    def _write(self, path: Path, content: bytes) -> None:
        make_folder(path.parent, self._folders)
        write_whole(path, content, self._files)

    def _text(self, digest: str) -> str:
        if not is_digest(digest):
            raise DrrError(f"{self._folder}: {str(digest)[:80]!r} is no hash of a page; remove its record")
        path = self._folder / "texts" / digest[:2] / f"{digest}.md"
        try:
            text = read_file(path).decode("utf-8", "surrogatepass")
        except (OSError, UnicodeDecodeError) as error:
            raise DrrError(f"{path}: the text of a kept page cannot be read ({error})") from error
        if text_hash(text) != digest:
            raise DrrError(f"{path}: the text of a kept page was changed; its hash is not {digest}")
        return text

    @asynccontextmanager
    async def _turn(self, url: str) -> AsyncIterator[None]:
        """Wait for the right to read a URL. The lock is on a file, because the system releases it if its holder dies."""
        path = self._folder / "locks" / url_key(url)[:3]
        make_folder(path.parent, self._folders)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, self._files)
        try:
            while True:
                with contextlib.suppress(BlockingIOError):
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                await asyncio.sleep(_POLL)
            yield
        finally:
            os.close(handle)


def url_key(url: str) -> str:
    """Return the key of a URL as requested, without its fragment, which only matters to the reader."""
    return sha256(url.partition("#")[0].encode("utf-8", "surrogatepass")).hexdigest()


def write_whole(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Write a file that appears whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path, mode) as file:
        file.write(content)
