"""Page summaries (+WS). Each page that a web search found is read and summarised for the search and the problem at hand.

The summary takes the place of the snippet. A page that cannot be read, or that the model cannot summarise, keeps its
snippet and says so. An outage of the model ends the run, like everywhere else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from drr.agents.brief import SHORTENED, Summarising
from drr.agents.evidence import StepLog, end, side_by_side
from drr.env.source import Source
from drr.env.web.base import Page, WebSearch, WebUnavailable
from drr.llm.failures import ModelFailure
from drr.llm.prompts import Prompts, fence
from drr.llm.role import RoleModel
from drr.tools.base import ToolAnswer, ToolContext
from langchain_core.messages import HumanMessage, SystemMessage

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
SEARCH, PROBLEM, PAGE = "# Search", "# Problem", "# Page"
SUMMARY_CHARS = 3_000
_OF_THE_PAGE = frozenset({"refusal", "context_overflow", "truncated", "malformed", "bad_request"})
"""Failures that this page may have caused; every other kind is the provider's and no page would fare better."""


class SeenSource(NamedTuple):
    source: Source
    read: bool
    """Whether a summary of the page stands in it, and not the snippet."""


@dataclass
class PageSummaries:
    """The summaries of one run: a page is read once, and summarised once for each (page, search, problem)."""

    web: WebSearch
    model: RoleModel
    prompts: Prompts
    page_chars: int
    at_once: int
    told: Callable[[str], None]
    on_page: Callable[[str, Page], None]
    """Hands every page to the evidence ledger as it was read."""
    steps: StepLog
    _pages: dict[str, asyncio.Task[Page]] = field(default_factory=dict)
    _summaries: dict[tuple[str, str, str], asyncio.Task[str]] = field(default_factory=dict)
    _gate: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self._gate = asyncio.Semaphore(self.at_once)

    async def aclose(self) -> None:
        """End what the run no longer waits for."""
        await end([*self._pages.values(), *self._summaries.values()])

    async def improve(self, answer: ToolAnswer, search: str, context: ToolContext) -> ToolAnswer:
        """The answer of `web_search` with summaries in place of snippets."""
        problem = context.question or search
        seen = await side_by_side(self._seen(source, search, problem) for source in answer.sources)
        sources = [one.source for one in seen]
        rows = [
            f"{number}. {source.title or 'untitled'}\n   {source.url}\n   {source.seen}"
            for number, source in enumerate(sources, 1)
        ]
        heading = answer.text.split("\n", 1)[0] + ", each page read and summarised"
        items = [
            {
                "title": one.source.title,
                "url": one.source.url,
                "snippet": before.seen,
                "summary": one.source.seen,
                "read": one.read,
            }
            for before, one in zip(answer.sources, seen, strict=True)
        ]
        return ToolAnswer("\n".join([heading, *rows]), sources, {"items": items, "total": len(items)})

    async def _seen(self, source: Source, search: str, problem: str) -> SeenSource:
        page = await _once(self._pages, source.url, lambda: self._read(source.url))
        if page.markdown is None:
            reason = " ".join((page.reason or page.status).split())[:200]
            return _unread(source, page, f"the page could not be read: {reason}")
        key = (source.url, search, problem)
        try:
            summary = await _once(self._summaries, key, lambda: self._summary(page, search, problem))
        except ModelFailure as failure:
            if failure.kind not in _OF_THE_PAGE:
                raise
            return _unread(
                source, page, f"the page could not be summarised: {failure.kind.replace('_', ' ')}"
            )
        return SeenSource(source.model_copy(update={"seen": summary, **_of(page)}), True)

    async def _read(self, url: str) -> Page:
        async with self._gate:
            self.told(url)
            with self.steps.timing("page", url):
                try:
                    page = await self.web.read(url)
                except WebUnavailable as error:
                    page = Page(url, url, "unreachable", None, None, self.web.name, str(error))
        self.on_page(url, page)
        return page

    async def _summary(self, page: Page, search: str, problem: str) -> str:
        text = page.markdown or ""
        if len(text) > self.page_chars:
            text = text[: self.page_chars] + SHORTENED
        request = (
            f"{SEARCH}\n{search}\n\n{PROBLEM}\n{problem}\n\n{PAGE}\n{page.title or 'untitled'}\n"
            f"{fence(text, 'page')}\n"
        )
        async with self._gate:
            with self.steps.timing("summary", page.url, self.model.role):
                reply = await self.model.reply(
                    [SystemMessage(self.prompts.fill("page_summary")), HumanMessage(request)],
                    brief=Summarising(search, problem, text),
                )
        summary = " ".join(reply.text.split())  # one line, so that no summary can forge the next row
        if not summary:
            raise ModelFailure("malformed", "an empty summary")
        return summary if len(summary) <= SUMMARY_CHARS else summary[:SUMMARY_CHARS] + SHORTENED


def _unread(source: Source, page: Page, why: str) -> SeenSource:
    """The snippet stays, and says why there is no more."""
    return SeenSource(source.model_copy(update={"seen": f"{source.seen} ({why})", **_of(page)}), False)


def _of(page: Page) -> dict[str, str | None]:
    return {"page": page.markdown, "page_status": page.status}


async def _once(
    tasks: dict[Key, asyncio.Task[Value]], key: Key, make: Callable[[], Coroutine[Any, Any, Value]]
) -> Value:
    """The value of a key, made by whoever asks first; the others wait for the same one."""
    task = tasks.get(key)
    if task is None:
        task = tasks[key] = asyncio.create_task(make())
    return await asyncio.shield(task)
