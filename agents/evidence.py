"""Notes of one run: the tools' results, waiting times and summarised pages (`+ws`).

Citations are checked against the evidence, and nothing else. A summary takes the place of the snippet. A page that cannot be read, or that
the model cannot summarise, keeps its snippet and says so. An outage of the model ends the run, like everywhere else.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from drr.agents.base import Fabricated, StepKind, TimedStep
from drr.agents.brief import SHORTENED, Summarising
from drr.citations.addresses import canonical_url
from drr.citations.files import KnownPlaces
from drr.env.source import Source
from drr.env.web.base import Page, WebSearch, WebUnavailable
from drr.env.web.open import is_shop_address
from drr.llm.failures import ModelFailure
from drr.llm.meter import Meter
from drr.llm.prompts import Prompts, fence
from drr.llm.role import RoleModel
from drr.tools.base import ToolAnswer, ToolContext
from langchain_core.messages import HumanMessage, SystemMessage

Value = TypeVar("Value")


async def side_by_side(work: Iterable[Coroutine[Any, Any, Value]]) -> list[Value]:
    """The values in the order of the work. The first failure is raised as it is, not in a group, after the rest ended."""
    parts = list(work)
    if len(parts) == 1:
        return [await parts[0]]
    tasks = [asyncio.ensure_future(part) for part in parts]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:
        await end(tasks)
        raise


async def end(tasks: Iterable[asyncio.Future[Any]]) -> None:
    """Cancel what still runs and wait for it, so that no call goes on being paid for."""
    left = list(tasks)
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)


class StepLog:
    def __init__(self, elapsed: Callable[[], float]) -> None:
        """`elapsed` tells the seconds since the answer was begun."""
        self._elapsed = elapsed
        self._begun: Counter[tuple[StepKind, str]] = Counter()
        self._steps: list[TimedStep] = []

    @contextmanager
    def timing(self, kind: StepKind, of: str, role: str | None = None) -> Iterator[None]:
        """Time a step. A failed one is no step: whether it is tried again hangs on the way there."""
        began = self._elapsed()
        yield
        self._begun[kind, of] += 1
        number, took = self._begun[kind, of], self._elapsed() - began
        self._steps.append(
            TimedStep(kind=kind, of=of, number=number, role=role, seconds=took, started_at=began)
        )

    def last(self, of: str) -> float:
        """Return when the last turn of a conversation ended."""
        return max(step.started_at + step.seconds for step in self._steps if step.of == of)

    def noted(self) -> list[TimedStep]:
        """List the steps in an order that does not hang on who finished first."""
        return sorted(self._steps, key=lambda step: (step.kind, step.of, step.number))


@dataclass
class OutsideAgent:
    query_id: str | None = None
    """The id as the program gets it."""
    own: str | None = None
    """A note on its own model, for a program that called none of ours and need not."""
    stderr: str | None = None
    """The end of what it wrote beside its report."""

    def plays(self, role: str, meter: Meter) -> bool:
        """Tell whether it played this role without a model of ours."""
        used = meter.by_role.get(role)
        return self.own is not None and (used is None or not used.calls)


FREEZE_AT_ONCE = 4


class EvidenceLedger:
    """Sources in the order in which they were first seen. One URL may have been seen as several texts."""

    def __init__(self) -> None:
        self._by_actor: dict[str, list[Source]] = {}
        self._types: dict[str, str] = {}
        self._spelt: dict[str, str] = {}
        self._pages: dict[str, Page] = {}
        self._files = KnownPlaces()

    def add(self, actor: str, sources: Iterable[Source]) -> None:
        for source in sources:
            self._by_actor.setdefault(actor, []).append(source)
            own, *behind = map(canonical_url, source.addresses)
            self._spelt.setdefault(own, source.url)
            if own not in self._types:
                self._files.add(own)
            self._types.setdefault(own, source.type)
            for url in behind:
                self._types.setdefault(url, "product")

    def add_page(self, url: str, page: Page) -> None:
        """The page that was read behind a web source (once a run: the first reading stands)."""
        self._pages.setdefault(canonical_url(url), page)

    def knows(self, url: str) -> bool:
        """Tell whether a tool returned it. Of a file, something that it shares with what was returned: a row of the rows that were read."""
        canonical = canonical_url(url)
        return canonical in self._types or bool(self._files.meeting(canonical))

    def sources(self, rank: Callable[[str], int]) -> list[Source]:
        """Every text seen once, each with the page behind its address where one was read.

        Actors come in the order of `rank`, so that researchers who finish in another order leave the same record.
        """
        distinct: dict[tuple[str, str], Source] = {}
        for actor in sorted(self._by_actor, key=rank):
            for source in self._by_actor[actor]:
                distinct.setdefault((canonical_url(source.url), source.sha256), source)
        return [self._with_page(key, source) for (key, _), source in distinct.items()]

    def _with_page(self, key: str, source: Source) -> Source:
        page = self._pages.get(key)
        if page is None or source.type != "web":
            return source
        return source.model_copy(update={"page": page.markdown, "page_status": page.status})

    async def freeze(self, cited: Sequence[str], web: WebSearch, shop_url: str | None) -> None:
        """Read the page behind every cited web address that a tool returned and that was not read yet.

        Outside the agent's sight and usage. An address that no tool returned is never asked for, and one that a tool did return is
        asked for as it was returned: what a report writes into an address (a shopper's name, say) reaches nobody. An address
        of the shop, real or made up, is answered by the store.
        """
        gate = asyncio.Semaphore(FREEZE_AT_ONCE)

        async def read(url: str) -> None:
            async with gate:
                try:
                    page = await web.read(url)
                except WebUnavailable as error:
                    page = Page(url, url, "unreachable", None, None, web.name, str(error))
                self.add_page(url, page)

        named = [canonical_url(url) for url in cited]
        behind = [known for key in named if key not in self._types for known in self._files.meeting(key)]
        wanted = {
            key: self._spelt[key]
            for key in (*named, *behind)
            if self._types.get(key) == "web" and not (shop_url and is_shop_address(key, shop_url))
        }
        await side_by_side([read(url) for key, url in wanted.items() if key not in self._pages])

    def fabricated(self, urls: Iterable[str]) -> list[Fabricated]:
        """The cited addresses that no tool returned, with what stands behind them where the agent itself had read it."""
        found = []
        for url in urls:
            page = self._pages.get(canonical_url(url))
            found.append(
                Fabricated(
                    url=url, page=page.markdown if page else None, page_status=page.status if page else None
                )
            )
        return found


def actor_rank(actor: str) -> int:
    """The main agent first, then the researchers as they were launched, whoever finished first."""
    return int(actor[1:]) if actor else 0


Key = TypeVar("Key", bound=Hashable)
SEARCH, PROBLEM, PAGE = "# Search", "# Problem", "# Page"
SUMMARY_CHARS = 3_000
_OF_THE_PAGE = frozenset({"refusal", "context_overflow", "truncated", "malformed", "bad_request"})
"""Failures that this page may have caused; every other kind is the provider's and no page would fare better."""


class SeenSource(NamedTuple):
    source: Source
    read: bool
    """True for a summary of the page, false for the snippet alone."""


@dataclass
class PageSummaries:
    """The summaries of one run: a page is read once, and summarised once for each (page, search, problem)."""

    web: WebSearch
    model: RoleModel
    prompts: Prompts
    page_chars: int
    at_once: int
    opening: Callable[[str], None]
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
            {**before, "title": one.source.title, "summary": one.source.seen, "read": one.read}
            for before, one in zip(answer.data["items"], seen, strict=True)
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
            self.opening(url)
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
