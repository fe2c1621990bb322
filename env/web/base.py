"""The protocols of the web: something that searches, something that reads a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol, runtime_checkable

SANDBOX_VERSION = "2"
"""Enters keys: raised where a search of the same frozen pages shows something else."""
PageStatus = Literal["ok", "unreachable", "blocked", "empty"]


class WebHit(NamedTuple):
    title: str
    url: str
    snippet: str
    """Text with the date in front, as search engines show it."""
    date: str | None = None
    rows: Sequence[str] = ()
    """Rows of the page's table that fit the query, each figure behind the name of its column."""


class Page(NamedTuple):
    """A page as read. `markdown` is set only where `status` is `ok`; `reason` says why not."""

    url: str
    final_url: str
    status: PageStatus
    title: str | None
    markdown: str | None
    reader: str
    """Name and version of what turned it into markdown."""
    reason: str | None = None


class WebUnavailable(Exception):
    """The search engine or the page store failed: an outage, a missing key, a miss in replay."""


class WebSearch(Protocol):
    """One engine. Pages are read through the same object, so that the sandbox and replay answer for both."""

    @property
    def name(self) -> str:
        """Enters the study's keys together with `content_hash`."""

    @property
    def content_hash(self) -> str | None:
        """Hash a frozen web (sandbox, replay); `None` where the answers are live."""

    async def search(self, query: str, top_k: int) -> list[WebHit]:
        """Best first; `WebUnavailable` if it cannot answer."""

    async def read(self, url: str) -> Page:
        """The readable page; never raises for a page that cannot be read, its `status` says so."""


@runtime_checkable
class InWhole(Protocol):
    """A web of so few pages that all of them may be given to a model."""

    def whole(self) -> list[Page]: ...


@runtime_checkable
class InPieces(Protocol):
    """A web whose hits are whole pieces of its pages instead of snippets."""

    def piece_of(self, url: str, seen: str) -> int | None:
        """Tell which piece of its page a hit shows, from 1; `None` where the page is one piece."""

    @property
    def piece_chars(self) -> int:
        """The longest."""
