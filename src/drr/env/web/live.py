"""The live web: a search engine, the guarded fetcher and a reader for pages, each page read once."""

from __future__ import annotations

import asyncio
import random
import re
import weakref
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple, Protocol
from weakref import WeakKeyDictionary

from drr.env.drawer.form import FileProblem
from drr.env.drawer.process import WALL_SECONDS, FileReader
from drr.env.errors import Misuse
from drr.env.installation import check_installed
from drr.env.json_object import JsonObject
from drr.env.web.base import Page, WebHit, WebUnavailable
from drr.env.web.fetch import Fetched, Fetcher, FetchFailure, known_charset
from drr.env.web.record import PageFacts, Snapshots
from pydantic import SecretStr


class Engine(Protocol):
    """A search engine that does not read pages."""

    @property
    def name(self) -> str: ...

    async def search(self, query: str, top_k: int) -> list[WebHit]: ...


@dataclass
class LiveWeb:
    """A `WebSearch` of the live web. Without a snapshot store pages are kept in memory, so a URL is read once in any case."""

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
        """Fetch a page now. Return it with the facts that a snapshot store keeps beside it."""
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


ENDPOINT = "https://google.serper.dev/search"
ATTEMPTS = 3
LONGEST_PAUSE = 8.0
_TRANSIENT = {408, 425, 429, 500, 502, 503, 504}
Sleep = Callable[[float], Awaitable[None]]


class Serper:
    """The search engine Serper. It is the only layer that retries a search: three attempts within the deadline of the call."""

    name = "serper"

    def __init__(
        self,
        key: SecretStr | None,
        *,
        timeout: float = 20.0,
        endpoint: str = ENDPOINT,
        sleep: Sleep = asyncio.sleep,
        jitter: random.Random | None = None,
    ) -> None:
        self._key, self._timeout, self._endpoint = key, timeout, endpoint
        self._sleep, self._jitter = sleep, jitter or random.Random(0)

    async def search(self, query: str, top_k: int) -> list[WebHit]:
        if self._key is None:
            raise WebUnavailable("there is no key for Serper; set SERPER_API_KEY")
        try:
            async with asyncio.timeout(self._timeout):
                return _hits(await self._ask(query, top_k, self._key.get_secret_value()), top_k)
        except TimeoutError:
            raise WebUnavailable(f"Serper gave no answer within {self._timeout:g} s") from None

    async def _ask(self, query: str, top_k: int, key: str) -> Any:
        import httpx

        problem = ""
        async with httpx.AsyncClient(timeout=self._timeout, follow_redirects=False) as client:
            for attempt in range(ATTEMPTS):
                if attempt:
                    await self._sleep(min(2**attempt * (0.25 + self._jitter.random() / 4), LONGEST_PAUSE))
                try:
                    reply = await client.post(
                        self._endpoint,
                        json={"q": query, "num": top_k},
                        headers={"X-API-KEY": key},
                    )
                except httpx.TransportError as error:
                    problem = f"connection failed ({type(error).__name__})"
                    continue
                if reply.status_code in _TRANSIENT:
                    problem = f"status {reply.status_code}"
                    continue
                if reply.status_code in (401, 403):
                    raise WebUnavailable(f"Serper refused the key (status {reply.status_code})")
                if reply.status_code != 200:
                    raise WebUnavailable(f"Serper answered with status {reply.status_code}")
                try:
                    return reply.json()
                except ValueError:
                    raise WebUnavailable("Serper answered with something that is not JSON") from None
        raise WebUnavailable(f"Serper failed {ATTEMPTS} times, last: {problem}")


def _hits(answer: Any, top_k: int) -> list[WebHit]:
    rows = answer.get("organic") if isinstance(answer, dict) else None
    if not isinstance(rows, list):
        raise WebUnavailable("Serper answered without results in the known form")
    found = []
    for row in rows:
        link = row.get("link") if isinstance(row, dict) else None
        if not isinstance(link, str) or not link.lower().startswith(("http://", "https://")):
            continue
        date = row["date"] if isinstance(row.get("date"), str) else None
        dated = f"{date} - " if date is not None else ""
        found.append(WebHit(str(row.get("title") or ""), link, dated + str(row.get("snippet") or ""), date))
    return found[:top_k]


SHORTEST = 200
# Phrases condemn a short page only: a long one that contains them is an article about such pages.
WALL_LENGTH = 1500
# Pages are read one after the other; each has the wall of its process.
READ_SECONDS = 120.0


class Readable(NamedTuple):
    title: str | None
    markdown: str


class PageReader(Protocol):
    """Converts HTML to markdown. It never fetches; the guarded fetcher does."""

    @property
    def name(self) -> str:
        """Return name and version: another reader, or another version, gives other evidence."""

    async def read(self, html: str, url: str) -> Readable: ...


class Trafilatura:
    """The reader of pages by trafilatura, in a separate process. A page that is too much for the process ends with it."""

    def __init__(self, seconds: float = WALL_SECONDS) -> None:
        check_installed("trafilatura")
        self._files = FileReader(seconds)
        weakref.finalize(self, self._files.close)

    @property
    def name(self) -> str:
        return _trafilatura_name()

    async def read(self, html: str, url: str) -> Readable:
        content = await asyncio.to_thread(self._files.read, url, "page", f"{url}\n{html}".encode())
        return Readable(content.get("title"), content["text"])


@cache
def _trafilatura_name() -> str:
    from importlib.metadata import version

    return f"trafilatura/{version('trafilatura')}"


def page_reader(name: str) -> PageReader:
    if name == "trafilatura":
        return Trafilatura()
    if name == "crawl4ai":
        return Crawl4ai()
    raise Misuse(f"setting page_reader: no reader {name!r}; there are trafilatura and crawl4ai")


_BOT = re.compile(
    r"verify (?:that )?you(?:'re| are) (?:a )?(?:human|not a robot)|are you (?:a )?(?:human|robot)|just a moment"
    r"|checking your browser|enable javascript(?: and cookies)? to continue|captcha|unusual traffic|access denied"
    r"|attention required|pardon our interruption|request (?:was )?blocked|security check",
    re.IGNORECASE,
)
_LOGIN = re.compile(
    r"(?:sign|log) ?in to (?:continue|view|read|see)|please (?:sign|log) ?in|you must (?:be logged|log|sign) ?in"
    r"|subscribe to (?:continue|read)|create an account to continue",
    re.IGNORECASE,
)
_CONSENT = re.compile(
    r"before you continue to|(?:accept|reject) all(?: cookies)?|manage (?:cookie|consent) (?:preferences|choices)"
    r"|we (?:and our partners )?(?:use|value) (?:cookies|your privacy)|your privacy choices",
    re.IGNORECASE,
)
_PASSWORD = re.compile(r"<input[^<>]{0,300}type\s*=\s*[\"']?password", re.IGNORECASE)
_WALLS = ((_BOT, "a bot wall"), (_LOGIN, "a log-in page"), (_CONSENT, "a consent page"))


def access_barrier(title: str | None, text: str, html: str) -> str | None:
    """Return the name of a barrier in front of the content, such as a log-in page, or `None`."""
    if len(text) > WALL_LENGTH:
        return None
    words = f"{title or ''}\n{text or _visible_text(html)}"
    for pattern, name in _WALLS:
        if pattern.search(words):
            return name
    if _PASSWORD.search(html):
        return "a log-in page"
    return None


_TAGS = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|\Z)|<[^<>]*>", re.IGNORECASE | re.DOTALL)


def _visible_text(html: str) -> str:
    """Return roughly the visible text of a page in which the reader found none."""
    return _TAGS.sub(" ", html[:20_000])[:WALL_LENGTH]


async def make_page(fetched: Fetched, reader: PageReader) -> Page:
    """Convert a fetched page. No content raises an error: a reader that fails leaves an `empty` page with the reason."""
    text = _decode(fetched.body, fetched.charset)
    if fetched.content_type in ("text/plain", "text/markdown"):
        found, name, html = Readable(None, text.strip()), "plain/1", ""
    else:
        name, html = reader.name, text
        try:
            async with asyncio.timeout(READ_SECONDS):
                found = await reader.read(html, fetched.final_url)
        except FileProblem as problem:
            reason = f"the reader failed: {str(problem).removeprefix(fetched.final_url).lstrip(': ')}"
            return Page(fetched.url, fetched.final_url, "empty", None, None, name, reason)
        except Exception as error:  # noqa: BLE001  (recorded in the page: any HTML may break a parser)
            reason = f"the reader failed: {type(error).__name__}"
            return Page(fetched.url, fetched.final_url, "empty", None, None, name, reason)
    markdown = found.markdown.replace("\0", "").strip()
    title = " ".join(found.title.split())[:300] if found.title else None
    if obstacle := access_barrier(title, markdown, html):
        return Page(fetched.url, fetched.final_url, "blocked", title, None, name, f"it is {obstacle}")
    if len(markdown) < SHORTEST:
        reason = f"it has {len(markdown)} characters of text, fewer than {SHORTEST}"
        return Page(fetched.url, fetched.final_url, "empty", title, None, name, reason)
    return Page(fetched.url, fetched.final_url, "ok", title, markdown, name)


_META = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([A-Za-z0-9_-]{1,30})", re.IGNORECASE)


def _decode(body: bytes, charset: str | None) -> str:
    if charset is None and (found := _META.search(body[:4096])):
        charset = known_charset(found[1].decode("ascii").lower())
    return body.decode(charset or "utf-8", "replace")


class Crawl4ai:
    def __init__(self) -> None:
        try:
            self._version = version("crawl4ai")
        except PackageNotFoundError:
            raise Misuse(
                "setting page_reader: crawl4ai is not installed; docs/tools.md says how to add it, or use trafilatura"
            ) from None

    @property
    def name(self) -> str:
        return f"crawl4ai/{self._version}"

    async def read(self, html: str, url: str) -> Readable:
        crawl4ai = import_module("crawl4ai")
        async with crawl4ai.AsyncWebCrawler() as crawler:
            result = await crawler.arun(url="raw:" + html)
        return from_result(result.model_dump() if hasattr(result, "model_dump") else dict(result))


def from_result(result: JsonObject) -> Readable:
    """Return the needed parts of a crawl result; its markdown was once a string and is now an object."""
    markdown = result.get("markdown") or ""
    if isinstance(markdown, dict):
        markdown = markdown.get("fit_markdown") or markdown.get("raw_markdown") or ""
    if not result.get("success", True):
        markdown = ""
    return Readable((result.get("metadata") or {}).get("title"), str(markdown))
