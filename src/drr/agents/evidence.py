"""Collects the evidence of one run: the tools' results, the timed steps and the summaries of pages (option `+ws`).

Citations are checked against this evidence alone. A summary replaces the snippet of a search result. A page that cannot be read or
summarised keeps its snippet with a remark. An outage of the model ends the run.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from drr.agents.base import Fabricated, StepKind, TimedStep
from drr.agents.brief import SHORTENED, PageSummaryRequest
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
    """Run coroutines concurrently and return their values in the same order. The first failure is raised, not in a group, after the others have ended."""
    parts = list(work)
    if len(parts) == 1:
        return [await parts[0]]
    tasks = [asyncio.ensure_future(part) for part in parts]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:
        await cancel_tasks(tasks)
        raise


async def cancel_tasks(tasks: Iterable[asyncio.Future[Any]]) -> None:
    """Cancel unfinished tasks and wait for them, so that no paid call goes on."""
    left = list(tasks)
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)


class StepLog:
    def __init__(self, elapsed: Callable[[], float]) -> None:
        """Take a function that returns the seconds since the start of the answer."""
        self._elapsed = elapsed
        self._begun: Counter[tuple[StepKind, str]] = Counter()
        self._steps: list[TimedStep] = []

    @contextmanager
    def timing(self, kind: StepKind, of: str, role: str | None = None) -> Iterator[None]:
        """Time a step. A failed step is not recorded, because whether it is retried depends on its conversation."""
        began = self._elapsed()
        yield
        self._begun[kind, of] += 1
        number, took = self._begun[kind, of], self._elapsed() - began
        self._steps.append(
            TimedStep(kind=kind, of=of, number=number, role=role, seconds=took, started_at=began)
        )

    def last(self, of: str) -> float:
        """Return the second at which the last turn of a conversation ended."""
        return max(step.started_at + step.seconds for step in self._steps if step.of == of)

    def ordered_steps(self) -> list[TimedStep]:
        """Return the steps in an order that does not depend on which finished first."""
        return sorted(self._steps, key=lambda step: (step.kind, step.of, step.number))


@dataclass
class OutsideAgent:
    query_id: str | None = None
    """The question's id as the program gets it."""
    own: str | None = None
    """A note in place of the model's name, for a program that may use a model other than the run's."""
    stderr: str | None = None
    """The end of the program's standard error."""

    def plays(self, role: str, meter: Meter) -> bool:
        """Tell whether the program played this role without calling a model of the run."""
        used = meter.by_role.get(role)
        return self.own is not None and (used is None or not used.calls)


FREEZE_AT_ONCE = 4


class EvidenceLedger:
    """Sources in the order in which tools first returned them. One URL may have been returned with several texts."""

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
        """Keep the page that was read behind a web source. A later reading in the same run is ignored."""
        self._pages.setdefault(canonical_url(url), page)

    def knows(self, url: str) -> bool:
        """Tell whether a tool returned an address. For a file, an overlap is enough: one row of the rows that were returned."""
        canonical = canonical_url(url)
        return canonical in self._types or bool(self._files.meeting(canonical))

    def sources(self, rank: Callable[[str], int]) -> list[Source]:
        """Return each text once, with the page behind its address where that page was read.

        Actors are sorted by `rank`, so that researchers who finish in another order leave the same record.
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
        """Read the page behind each cited web address that a tool returned and that was not read yet.

        The agent does not see these pages, and its usage does not count them. An address that no tool returned is never requested. A known
        address is requested as the tool returned it, so that text which a report adds to it (a shopper's name, say) reaches no server. An address
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

    def fabricated_records(self, urls: Iterable[str]) -> list[Fabricated]:
        """Return a record of each cited address that no tool returned. It holds the page where the agent had read one."""
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
    """Return the position of an actor: 0 for the main agent, then the researchers in the order of their launch."""
    return int(actor[1:]) if actor else 0


Key = TypeVar("Key", bound=Hashable)
SEARCH, PROBLEM, PAGE = "# Search", "# Problem", "# Page"
SUMMARY_CHARS = 3_000
_OF_THE_PAGE = frozenset({"refusal", "context_overflow", "truncated", "malformed", "bad_request"})
"""Kinds of failures that one page may cause. All others come from the provider and would hit every page."""


class SeenSource(NamedTuple):
    source: Source
    read: bool
    """True for a summary of the page, false for the snippet alone."""


@dataclass
class PageSummaries:
    """The page summaries of one run. A page is read once, and summarised once for each (page, search, problem)."""

    web: WebSearch
    model: RoleModel
    prompts: Prompts
    page_chars: int
    at_once: int
    opening: Callable[[str], None]
    on_page: Callable[[str, Page], None]
    """Called with each page that was read, to store it in the evidence ledger."""
    steps: StepLog
    _pages: dict[str, asyncio.Task[Page]] = field(default_factory=dict)
    _summaries: dict[tuple[str, str, str], asyncio.Task[str]] = field(default_factory=dict)
    _gate: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self._gate = asyncio.Semaphore(self.at_once)

    async def aclose(self) -> None:
        """Cancel the readings and summaries that are still running."""
        await cancel_tasks([*self._pages.values(), *self._summaries.values()])

    async def improve(self, answer: ToolAnswer, search: str, context: ToolContext) -> ToolAnswer:
        """Return the answer of `web_search` with summaries in place of snippets."""
        problem = context.question or search
        seen = await side_by_side(self._seen_source(source, search, problem) for source in answer.sources)
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

    async def _seen_source(self, source: Source, search: str, problem: str) -> SeenSource:
        page = await _make_once(self._pages, source.url, lambda: self._read(source.url))
        if page.markdown is None:
            reason = " ".join((page.reason or page.status).split())[:200]
            return _unsummarised_source(source, page, f"the page could not be read: {reason}")
        key = (source.url, search, problem)
        try:
            summary = await _make_once(self._summaries, key, lambda: self._summary(page, search, problem))
        except ModelFailure as failure:
            if failure.kind not in _OF_THE_PAGE:
                raise
            return _unsummarised_source(
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
            f"{SEARCH}\n{search}\n\n{PROBLEM}\n{problem}\n\n{PAGE}\n"
            f"{fence(page.title or 'untitled', 'title')}\n{fence(text, 'page')}\n"
        )
        async with self._gate:
            with self.steps.timing("summary", page.url, self.model.role):
                reply = await self.model.reply(
                    [SystemMessage(self.prompts.fill("page_summary")), HumanMessage(request)],
                    brief=PageSummaryRequest(search, problem, text),
                )
        summary = " ".join(reply.text.split())  # one line, so that no summary can forge the next row
        if not summary:
            raise ModelFailure("malformed", "an empty summary")
        return summary if len(summary) <= SUMMARY_CHARS else summary[:SUMMARY_CHARS] + SHORTENED


def _unsummarised_source(source: Source, page: Page, why: str) -> SeenSource:
    """Return a source that keeps its snippet, with the reason why its page was not summarised."""
    return SeenSource(source.model_copy(update={"seen": f"{source.seen} ({why})", **_of(page)}), False)


def _of(page: Page) -> dict[str, str | None]:
    return {"page": page.markdown, "page_status": page.status}


async def _make_once(
    tasks: dict[Key, asyncio.Task[Value]], key: Key, make: Callable[[], Coroutine[Any, Any, Value]]
) -> Value:
    """Return the value of a key. The first caller makes the value, and the other callers wait for the same task."""
    task = tasks.get(key)
    if task is None:
        task = tasks[key] = asyncio.create_task(make())
    # A cancelled caller must not cancel the work that the others wait for; `aclose` ends it with the run.
    return await asyncio.shield(task)
