"""Pages as a web gives them for search terms: read once, bounded, frozen; what cannot be read is counted."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from drr.citations.addresses import canonical_url
from drr.env.records.lines import visible
from drr.env.source import text_hash
from drr.env.web.base import WebSearch
from drr.papers.dr3.corpus.pool import token_count
from drr.papers.dr3.form import CorpusPage
from drr.papers.dr3.found.proposals import ProposedTerm
from pydantic import BaseModel, ConfigDict, ValidationError

MOST_CHARS = 24_000
"""Of one page; what goes on is cut."""
_AT_ONCE = 4
_TITLE = 200


class FoundPage(BaseModel):
    """A page with the terms that led to it, in their order."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    page: CorpusPage
    terms: tuple[str, ...]
    signal: bool
    """Whether a signal term is among them."""

    @property
    def url(self) -> str:
        return self.page.url

    @property
    def tokens(self) -> int:
        return token_count(self.page.title, self.page.text)


@dataclass(frozen=True)
class GatheredPages:
    pages: list[FoundPage]
    unread: Counter[str]
    """By the status of the page, and `twice` for a text that another page has."""


async def gathered(web: WebSearch, terms: Sequence[ProposedTerm], per_term: int) -> GatheredPages:
    """`WebUnavailable` where the engine fails; a page that cannot be read is left out and counted."""
    led: dict[str, list[ProposedTerm]] = {}
    for term in terms:
        for hit in await web.search(term.term, per_term):
            led.setdefault(canonical_url(hit.url), []).append(term)
    gate = asyncio.Semaphore(_AT_ONCE)

    async def read(url: str) -> CorpusPage | str:
        async with gate:
            page = await web.read(url)
        if page.status != "ok" or not (page.markdown or "").strip():
            return page.status if page.status != "ok" else "empty"
        title = " ".join(visible(page.title or "").split())[:_TITLE] or "Untitled"
        try:
            return CorpusPage(url=url, title=title, text=bounded(visible(page.markdown or ""), MOST_CHARS))
        except ValidationError:
            return "empty"

    unread: Counter[str] = Counter()
    texts: set[str] = set()
    pages: list[FoundPage] = []
    for url, got in zip(led, await asyncio.gather(*map(read, led)), strict=True):
        if isinstance(got, str):
            unread[got] += 1
        elif text_hash(got.text) in texts:
            unread["twice"] += 1
        else:
            texts.add(text_hash(got.text))
            by = led[url]
            pages.append(
                FoundPage(
                    page=got,
                    terms=tuple(one.term for one in by),
                    signal=any(one.role == "signal" for one in by),
                )
            )
    return GatheredPages(pages, unread)


def bounded(text: str, most: int) -> str:
    """Cut between two words, so near to `most` that a size can be filled with it."""
    text = text.strip()
    if len(text) <= most:
        return text
    cut = text[:most]
    at = max(cut.rfind("\n"), cut.rfind(" "))
    return cut[: at if at > most // 2 else most].rstrip()
