"""The way from a server's reply to a page that can be read. Markdown, or the reason why it is not content."""

from __future__ import annotations

import asyncio
import re
import weakref
from functools import cache
from typing import NamedTuple, Protocol

from drr.env.drawer.problems import FileProblem
from drr.env.drawer.process import WALL_SECONDS, FileReader
from drr.env.errors import Misuse
from drr.env.web.base import Page
from drr.env.web.fetch import Fetched, known_charset

SHORTEST = 200
# Phrases condemn a short page only: a long one that contains them is an article about such pages.
WALL_LENGTH = 1500
# Pages are read one after the other; each has the wall of its process.
READ_SECONDS = 120.0


class Readable(NamedTuple):
    title: str | None
    markdown: str


class PageReader(Protocol):
    """Turns HTML into markdown. It never fetches: the guarded fetcher alone does."""

    @property
    def name(self) -> str:
        """Name and version: another reader, or another version, gives other evidence."""

    async def read(self, html: str, url: str) -> Readable: ...


class Trafilatura:
    """A reader of pages in the process for files of tasks. A page that is too much for it is ended with it."""

    def __init__(self, seconds: float = WALL_SECONDS) -> None:
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
        from drr.env.web.crawl4ai_reader import Crawl4ai

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


def wall(title: str | None, text: str, html: str) -> str | None:
    """Find what stands in front of the content, if anything does."""
    if len(text) > WALL_LENGTH:
        return None
    words = f"{title or ''}\n{text or _visible(html)}"
    for pattern, name in _WALLS:
        if pattern.search(words):
            return name
    if _PASSWORD.search(html):
        return "a log-in page"
    return None


_TAGS = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|\Z)|<[^<>]*>", re.IGNORECASE | re.DOTALL)


def _visible(html: str) -> str:
    """Roughly what a browser shows of a page in which the reader found no text."""
    return _TAGS.sub(" ", html[:20_000])[:WALL_LENGTH]


async def make_page(fetched: Fetched, reader: PageReader) -> Page:
    """Never raises for what a page contains: a reader that fails leaves an `empty` page with the reason."""
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
    if obstacle := wall(title, markdown, html):
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
