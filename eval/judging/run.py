"""A judging from start to end: what others rest on first; each unit once, ever."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from drr.citations.addresses import canonical_url
from drr.citations.parse import parse
from drr.env.errors import DrrError
from drr.env.progress import Progress
from drr.env.web.base import Page, WebSearch
from drr.env.world import is_paged
from drr.eval.asking.judge import Judge, KeptAnswers
from drr.eval.evidence.answers import Answer, Book
from drr.eval.judging.plan import JudgeOptions, check_rules, stage_units
from drr.eval.judging.read import judging_of, remember
from drr.eval.tasks.checked import returned
from drr.eval.tasks.desk import Desk
from drr.eval.tasks.registry import tasks
from drr.llm.factory import Models
from drr.study.pools import Pool
from drr.study.run import Pace, Summary, run
from drr.study.study import Study
from drr.study.unit import LEFT_OUT, Outcome, Unit
from drr.study.worker import Context

FETCHES = 8
Around = Callable[[Unit], AbstractContextManager[None]]
"""What stands around the work on each judgement: whoever watches a judging."""


def _nobody(unit: Unit) -> AbstractContextManager[None]:
    return nullcontext()


@dataclass
class Ran:
    """The doings of one call of `judge`, over all of its stages."""

    summary: Summary = field(default_factory=Summary)
    planned: int = 0

    @property
    def begun(self) -> int:
        return self.summary.done + sum(self.summary.failures.values())

    def add(self, stage: Summary, planned: int) -> None:
        self.planned += planned
        self.summary.done += stage.done
        self.summary.failures.update(stage.failures)
        self.summary.left += stage.left
        self.summary.bugs += stage.bugs
        self.summary.refused += [why for why in stage.refused if why not in self.summary.refused]
        self.summary.stopped = self.summary.stopped or stage.stopped
        self.summary.message = self.summary.message or stage.message


@dataclass(frozen=True)
class Work:
    """The work of one unit: its task's, with a judge that asks nothing twice."""

    desk: Desk
    kept: KeptAnswers
    around: Around = _nobody

    async def __call__(self, spec: Mapping[str, Any], context: Context) -> Outcome:
        task = tasks().get(spec["task"])
        if task is None:
            raise DrrError(
                f"no judgement of the kind {spec['task']!r} is known; it was planned by a newer version"
            )
        judge = Judge(task.role, context, self.kept, self.desk.stand_in, repeat=self.desk.repeat)
        with self.around(context.unit):
            return judge.sealed(await task.work(self.desk, spec, judge))


async def judge(
    study: Study,
    desk: Desk,
    models: Models,
    options: JudgeOptions,
    *,
    pool: Pool | None = None,
    progress: Progress | None = None,
    around: Around = _nobody,
) -> Ran:
    """Compute what is missing, in this process or by a pool whose workers open an equal desk.

    A stage that was stopped is not followed by the next.
    """
    check_rules(desk, options)
    ran = Ran()
    work = Work(desk, KeptAnswers(study), around)
    remember(study, judging_of(desk))
    for stage in options.stages:
        units = stage_units(study, desk, options, stage)
        if not units:
            continue
        if options.retry_failed:
            _reopen_left_out(study, units)
        names = ", ".join(task.name for task in stage) if len(stage) == 1 else "judgements"
        summary = await run(
            study,
            units,
            pool or work,
            models=models,
            budget=options.budget,
            unit_cap=options.unit_cap,
            pace=Pace(units=options.units),
            progress=progress,
            retry_failed=options.retry_failed,
            limit=None if options.limit is None else max(0, options.limit - ran.begun),
            label=f"{names}, repetition {desk.repeat}" if desk.repeat else names,
        )
        ran.add(summary, len(units))
        if summary.stopped is not None:
            break
    return ran


def _reopen_left_out(study: Study, units: Sequence[Unit]) -> None:
    """Reopen those of these whose judge left out a part of the question."""
    wanted, known = {unit.key for unit in units}, tasks()
    found = [
        record.key
        for record in study.records("judgement")
        if record.key in wanted and record.done and known[record.key_fields["task"]].lacks(record)
    ]
    study.ledger.records.reopen(found, LEFT_OUT, "the judge left out a part of what it was asked")


@dataclass(frozen=True)
class CitedPages:
    """The web addresses that the reports of a study cite, in canonical form, and how each is asked for."""

    returned: Mapping[str, str]
    """As a tool gave it: what a report wrote into the address reaches nobody."""
    unknown: Sequence[str]
    """No tool is known to have returned these: asked for only where a person says so."""


def cited_pages(answers: Sequence[Answer], shop_hosts: frozenset[str]) -> CitedPages:
    known: dict[str, str] = {}
    cited: dict[str, None] = {}
    for answer in answers:
        book = Book(answer, None, shop_hosts=shop_hosts)
        own = dict.fromkeys(s.url for s in parse(answer.report).sources if is_paged(book.type_of(s.url)))
        spelt = {canonical_url(url): url for source in answer.sources for url in source.addresses}
        shown = spelt.keys() | (returned(answer) or frozenset())
        known |= {url: spelt.get(url, url) for url in own if url in shown}
        cited |= own
    return CitedPages(known, [url for url in cited if url not in known])


async def refetch(pages: CitedPages, web: WebSearch, *, unknown: bool = False) -> dict[str, Page]:
    """Fetch every cited web address that a tool returned, as it reads now, each once. The others only if that is asked for."""
    wanted = {**pages.returned, **{url: url for url in pages.unknown if unknown}}
    gate = asyncio.Semaphore(FETCHES)

    async def read(url: str) -> Page:
        async with gate:
            return await web.read(url)

    return dict(zip(wanted, await asyncio.gather(*map(read, wanted.values())), strict=True))
