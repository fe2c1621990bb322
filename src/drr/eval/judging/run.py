"""Runs the judging of a study, needed tasks first. An interrupted run judged all variants equally far."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict, cast

from drr.citations.addresses import canonical_url
from drr.citations.parse import parse
from drr.env.errors import DrrError, Misuse
from drr.env.person_setting import agent_of
from drr.env.progress import Progress
from drr.env.web.base import Page, WebSearch
from drr.env.world import is_paged
from drr.eval.asking.judge import Judge, KeptAnswers
from drr.eval.evidence.answers import Answer, AnswerEvidence
from drr.eval.judging.read import judging_of, read_judged, store_judging
from drr.eval.labels import content_id
from drr.eval.stats.question import grouped, known_sum
from drr.eval.tasks.desk import About, JudgedQuestion, JudgingContext, Pair, Task
from drr.eval.tasks.judgements import Judged
from drr.eval.tasks.registry import known_task, task_stages, tasks
from drr.eval.tasks.rules import returned_addresses
from drr.llm.budget import Limit
from drr.study.pools import Pool
from drr.study.run import Pace, Summary, run
from drr.study.study import Study
from drr.study.unit import LEFT_OUT, Outcome, Unit
from drr.study.worker import Context

if TYPE_CHECKING:
    from drr.llm.budget import TokenPrice
    from drr.llm.factory import Models


CACHED = 4096
"""Characters of a beginning below which providers keep none (1,024 tokens)."""
REPEATED, REPORTS = 20, 5
"""Least units of each task, and least reports, that a repetition judges again."""


@dataclass
class JudgeOptions:
    what: Sequence[str]
    """Groups of tasks to judge."""
    variants: Sequence[str] | None = None
    """Variants to compare in pairs. Default: those with page summaries if there are at least two, else all."""
    budget: Limit | None = None
    unit_cap: Limit | None = None
    units: int = 8
    retry_failed: bool = False
    limit: int | None = None
    stages: list[list[Task[Any]]] = field(init=False)

    def __post_init__(self) -> None:
        self.stages = task_stages(tasks(self.what))

    @property
    def tasks(self) -> dict[str, Task[Any]]:
        return {task.name: task for stage in self.stages for task in stage}

    @property
    def need_answers(self) -> bool:
        """Tell whether answers are needed. Tasks about questions alone can be judged before anything was answered."""
        return all(task.subject != "query" for stage in self.stages for task in stage)


class Row(TypedDict):
    calls: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    """Input tokens that the provider's cache keeps, as `cache_write_tokens` are those written to it."""
    cache_write_tokens: int


class ForecastPart(TypedDict):
    """The calls and the cost of a part of a forecast."""

    calls: int
    cost_usd: float | None


class Forecast(Row):
    schema: int
    judge: str
    answers: int
    tasks: dict[str, Row]
    of_questions: ForecastPart
    """The part that is asked about questions, whatever the number of answers."""
    cost_usd: float | None
    price_date: str | None


def default_variants(answers: Iterable[Answer]) -> list[str]:
    everyone = sorted({answer.variant for answer in answers})
    with_summaries = [name for name in everyone if agent_of(name).endswith("+ws")]
    return with_summaries if len(with_summaries) > 1 else everyone


def keep_judgeable(desk: JudgingContext, options: JudgeOptions) -> list[str]:
    """Leave out what takes a judge where nobody judges, and return it. `Misuse`: nothing is left, or rules have no rule for it."""
    lost = [name for name, task in options.tasks.items() if not _can_be_judged(desk, task)]
    kept = {name: task for name, task in options.tasks.items() if name not in lost}
    if desk.judge.is_code and kept:
        options.stages = task_stages(kept)
    elif lost:
        rest = ",".join(word for word in options.what if kept.keys() >= tasks([word]).keys())
        instead = f", or leave it out with --what {rest}" if rest else ""
        rules = f"{desk.judge.shown} judges without a model and has no rule for that"
        why = "nobody judges" if desk.judge.is_code else rules
        raise Misuse(f"{', '.join(lost)}: {why}; name a model with --judge{instead}")
    return lost


def _can_be_judged(desk: JudgingContext, task: Task[Any]) -> bool:
    """Tell whether a task can be judged by code, by a model, or by rules in place of one."""
    if desk.judge.is_code:
        return task.by_code or not task.asks
    if desk.stand_in is None or not (task.asks and task.by_rules and desk.judge_of(task.role).rule_written):
        return True
    return task.name in desk.stand_in.tasks


def stage_units(
    study: Study, desk: JudgingContext, options: JudgeOptions, stage: Sequence[Task[Any]]
) -> list[Unit]:
    """Plan the units of one stage, from the results of the stages before."""
    judging, answers = judging_of(desk, options.tasks), list(desk.answers.values())
    rests = any(task.needs for task in stage)
    judged = read_judged(study, judging, answers=answers) if rests else Judged(judging, answers)
    return sample_units(desk, list(planned_units(desk, options, stage, judged)))


def planned_units(
    desk: JudgingContext, options: JudgeOptions, stage: Sequence[Task[Any]], judged: Judged
) -> Iterator[Unit]:
    """Yield the units of a stage, each once. Questions that share a unit plan it several times."""
    seen: set[str] = set()
    for task, matter in _tasks_with_subjects(desk, options, stage):
        for unit in task.plan(desk, matter, judged):
            if unit.key not in seen:
                seen.add(unit.key)
                yield unit


def _tasks_with_subjects(
    desk: JudgingContext, options: JudgeOptions, stage: Sequence[Task[Any]]
) -> Iterator[tuple[Task[Any], JudgedQuestion | Answer | Pair]]:
    """Yield each task with each subject. One query, answer or pair is completed before the next, so that an interrupted run covers all variants."""
    answers = list(desk.answers.values())
    own = [desk.reference] if desk.reference is not None and not options.variants else []
    matters: tuple[tuple[tuple[About, ...], Iterable[JudgedQuestion | Answer | Pair]], ...] = (
        (("query",), desk.all_questions()),
        (("answer", "claim-source", "passage-pair"), answers),
        (("pair",), desk.pairs(options.variants or [*own, *default_variants(answers)])),
    )
    for kinds, about in matters:
        here = [task for task in stage if task.subject in kinds]
        for matter in about if here else ():
            for task in here:
                yield task, matter


def sample_units(desk: JudgingContext, units: list[Unit]) -> list[Unit]:
    """Draw the units of a repetition: whole reports of a seeded sample of each task. A repetition measures the judge, not the systems.

    Reports are whole, because the figure of a few of a report's claims is no second reading of its figure.
    """
    if not desk.repeat:
        return units
    drawn = list[Unit]()
    for group in grouped((str(unit.key_fields["task"]), unit) for unit in units).values():
        of_reports = grouped((str(unit.key_fields.get("answer", unit.label)), unit) for unit in group)
        own = list[Unit]()
        for place, report in enumerate(sorted(of_reports, key=content_id)):
            if len(own) < REPEATED or place < REPORTS:
                own += of_reports[report]
        drawn += own
    return drawn


def forecast(study: Study, desk: JudgingContext, models: Models, options: JudgeOptions) -> Forecast:
    """Estimate calls, tokens and cost of the missing judgements. Results that later tasks need are guessed by rule."""
    done = {record.key for record in study.records("judgement")}
    judged = read_judged(study, judging_of(desk, options.tasks), answers=list(desk.answers.values()))
    rows: dict[str, Row] = {}
    for stage in options.stages:
        for unit in sample_units(desk, list(planned_units(desk, options, stage, judged))):
            if unit.key not in done:
                _count(rows, desk, options.tasks[unit.spec["task"]], unit)
        # The next stage is planned from verdicts, which a forecast does not have.
        for task, matter in _tasks_with_subjects(desk, options, stage):
            task.guess(desk, matter, judged)
    price = models.prices.of(models.name_of("judge"))
    alone = {name: row for name, row in rows.items() if options.tasks[name].subject == "query"}
    return {
        "schema": 1,
        "judge": desk.judge.model,
        "answers": len(desk.answers),
        "tasks": rows,
        "of_questions": {"calls": _total_row(alone.values())["calls"], "cost_usd": _cost(price, alone)},
        **_total_row(rows.values()),
        "cost_usd": _cost(price, rows),
        "price_date": models.prices.date_of(models.name_of("judge")),
    }


def combine_forecasts(forecasts: Sequence[Forecast]) -> Forecast:
    """Combine the forecasts of several judging runs of one study."""
    every = grouped((name, row) for one in forecasts for name, row in one["tasks"].items())
    rows = {name: _total_row(own) for name, own in every.items()}
    cost = known_sum([one["cost_usd"] for one in forecasts])
    return {**forecasts[0], "tasks": rows, **_total_row(rows.values()), "cost_usd": cost}


def _total_row(rows: Collection[Mapping[str, Any]]) -> Row:
    return cast("Row", {name: sum(row[name] for row in rows) for name in Row.__annotations__})


def _count(rows: dict[str, Row], desk: JudgingContext, task: Task[Any], unit: Unit) -> None:
    estimate = task.estimate(desk, unit)
    if estimate is not None:
        row = rows.setdefault(task.name, _total_row(()))
        row["calls"] += estimate.calls
        row["input_tokens"] += estimate.characters // 4
        row["output_tokens"] += estimate.output_tokens
        if estimate.begun >= CACHED * estimate.calls:
            row["cache_read_tokens" if estimate.reads else "cache_write_tokens"] += estimate.begun // 4


def _cost(price: TokenPrice | None, rows: Mapping[str, Row]) -> float | None:
    return None if price is None else sum(_dollars(price, row) for row in rows.values())


def _dollars(price: TokenPrice, row: Row) -> float:
    """Return the cost of calls of mean size. The size matters because long prompts have another price."""
    from drr.llm.meter import Tokens, dollars

    calls = max(1, row["calls"])
    one = price.cost(
        Tokens(
            row["input_tokens"] // calls,
            row["output_tokens"] // calls,
            row["cache_read_tokens"] // calls,
            row["cache_write_tokens"] // calls,
        )
    )
    return row["calls"] * float(dollars(one) or 0.0)


FETCHES = 8
AnswerNeighbours = Callable[[Unit], AbstractContextManager[None]]
"""A function that returns a context manager around the work on each judgement, for whoever watches a run."""


def _nobody(unit: Unit) -> AbstractContextManager[None]:
    return nullcontext()


@dataclass
class JudgingResults:
    """The results of one call of `judge`, over all its stages."""

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
        self.summary.bugs = {**stage.bugs, **self.summary.bugs}
        self.summary.refused += [why for why in stage.refused if why not in self.summary.refused]
        self.summary.stopped = self.summary.stopped or stage.stopped
        self.summary.message = self.summary.message or stage.message


@dataclass(frozen=True)
class Work:
    """The work on one unit: calls its task, with a judge that repeats no question."""

    desk: JudgingContext
    kept: KeptAnswers
    around: AnswerNeighbours = _nobody

    async def __call__(self, spec: Mapping[str, Any], context: Context) -> Outcome:
        task = known_task(spec["task"])
        if task is None:
            raise DrrError(
                f"no judgement of the kind {spec['task']!r} is known; it was planned by a newer version"
            )
        judge = Judge(task.role, context, self.kept, self.desk.stand_in, repeat=self.desk.repeat)
        with self.around(context.unit):
            return judge.with_raw_answers(await task.work(self.desk, spec, judge))


async def judge(
    study: Study,
    desk: JudgingContext,
    models: Models,
    options: JudgeOptions,
    *,
    pool: Pool | None = None,
    progress: Progress | None = None,
    around: AnswerNeighbours = _nobody,
) -> JudgingResults:
    """Judge all missing units, in this process or by a pool whose workers open an equal desk.

    After a stage that was stopped, the next stages are not begun: they are planned from its verdicts.
    """
    keep_judgeable(desk, options)
    ran = JudgingResults()
    work = Work(desk, KeptAnswers(study), around)
    store_judging(study, judging_of(desk, options.tasks))
    for stage in options.stages:
        units = stage_units(study, desk, options, stage)
        if not units:
            continue
        if options.retry_failed:
            _reopen_left_out(study, units, options)
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


def _reopen_left_out(study: Study, units: Sequence[Unit], options: JudgeOptions) -> None:
    """Reopen those of these units whose judge left out a part of the question."""
    wanted = {unit.key for unit in units}
    found = [
        record.key
        for record in study.records("judgement")
        if record.key in wanted
        and record.done
        and options.tasks[record.key_fields["task"]].is_incomplete(record)
    ]
    study.ledger.records.reopen(found, LEFT_OUT, "the judge left out a part of what it was asked")


@dataclass(frozen=True)
class CitedPages:
    """Addresses to fetch, by canonical form. Each is spelt as a tool returned it, so that a report's additions to an address are never requested."""

    returned: Mapping[str, str]
    """Addresses to fetch, by canonical form: as tools returned them, so that a report's additions to an address are never requested."""
    unknown: Sequence[str]
    """Addresses that no known tool call returned. They are fetched only where a person asks for them."""


def cited_pages(answers: Sequence[Answer], shop_hosts: frozenset[str]) -> CitedPages:
    known: dict[str, str] = {}
    cited: dict[str, None] = {}
    for answer in answers:
        book = AnswerEvidence(answer, None, shop_hosts=shop_hosts)
        own = dict.fromkeys(s.url for s in parse(answer.report).sources if is_paged(book.type_of(s.url)))
        spelt = {canonical_url(url): url for source in answer.sources for url in source.addresses}
        # Other addresses are kept apart: a report may have written a shopper's name into one.
        shown = spelt.keys() | (returned_addresses(answer) or frozenset())
        known |= {url: spelt.get(url, url) for url in own if url in shown}
        cited |= own
    return CitedPages(known, [url for url in cited if url not in known])


async def refetch(pages: CitedPages, web: WebSearch, *, unknown: bool = False) -> dict[str, Page]:
    """Fetch each cited web address once, as the page reads now. Addresses that no tool returned are fetched only with `unknown`."""
    wanted = {**pages.returned, **{url: url for url in pages.unknown if unknown}}
    gate = asyncio.Semaphore(FETCHES)

    async def read(url: str) -> Page:
        async with gate:
            return await web.read(url)

    return dict(zip(wanted, await asyncio.gather(*map(read, wanted.values())), strict=True))
