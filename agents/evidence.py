"""The notes of one run: what its tools returned, and what it waited for.

Citations are checked against the evidence, and nothing else.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from drr.agents.base import Fabricated, StepKind, TimedStep
from drr.citations.addresses import canonical_url
from drr.citations.files import KnownPlaces
from drr.env.source import Source
from drr.env.web.base import Page, WebSearch, WebUnavailable
from drr.env.web.open import is_shop_address
from drr.llm.meter import Meter

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
    """As the program is told it."""
    own: str | None = None
    """Of one that may do without our models: what is said of its model where it called none of ours."""
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
                    url=url,
                    page=page.markdown if page else None,
                    page_status=page.status if page else None,
                )
            )
        return found


def actor_rank(actor: str) -> int:
    """The main agent first, then the researchers as they were launched, whoever finished first."""
    return int(actor[1:]) if actor else 0
