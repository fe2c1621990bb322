"""The protocols of the web: a search engine, a page reader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol, runtime_checkable

SANDBOX_VERSION = "3"
"""The version of searches of frozen pages, part of keys; raised if a search of the same pages shows something else."""
PageStatus = Literal["ok", "unreachable", "blocked", "empty"]


class WebHit(NamedTuple):
    title: str
    url: str
    snippet: str
    """The text of the hit with the date in front, as search engines show it."""
    date: str | None = None
    rows: Sequence[str] = ()
    """Rows of the page's table that fit the query, each figure after the name of its column."""


class Page(NamedTuple):
    """A page as read. `markdown` is set only if `status` is `ok`; otherwise `reason` says why not."""

    url: str
    final_url: str
    status: PageStatus
    title: str | None
    markdown: str | None
    reader: str
    """Name and version of the reader that converted the page to markdown."""
    reason: str | None = None


class WebUnavailable(Exception):
    """A failure of the search engine or the page store: an outage, a missing key, or an unrecorded request."""


class WebSearch(Protocol):
    """A search engine that also reads pages, so that the sandbox and a recording can answer for both."""

    @property
    def name(self) -> str:
        """Return the engine's name, part of the study's keys together with `content_hash`."""

    @property
    def content_hash(self) -> str | None:
        """Return the hash of a frozen web (sandbox, recording); `None` if the answers are live."""

    async def search(self, query: str, top_k: int) -> list[WebHit]:
        """Return the hits, best first. Raises `WebUnavailable` if the engine cannot answer."""

    async def read(self, url: str) -> Page:
        """Read a page. A page that cannot be read raises no error; its `status` says so."""


@runtime_checkable
class InWhole(Protocol):
    """A web with so few pages that all of them may be given to a model."""

    def whole(self) -> list[Page]: ...


@runtime_checkable
class InPieces(Protocol):
    """A web whose hits are whole pieces of its pages instead of snippets."""

    def piece_of(self, url: str, seen: str) -> int | None:
        """Return the number of the piece of its page that a hit shows, counted from 1. `None` if the page is one piece."""

    @property
    def piece_chars(self) -> int:
        """Return the number of characters in the longest piece."""
