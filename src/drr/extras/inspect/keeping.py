"""Stores the answers of an evaluation in a study and judges them there like any other answers."""

from __future__ import annotations

import asyncio
import atexit
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from drr.env.errors import Misuse
from drr.extras.inspect.bench import Bench
from drr.plugin import AnswerSpec

if TYPE_CHECKING:
    from drr.agents.base import AnswerRecord
    from drr.eval.evidence.answers import Answer
    from drr.eval.tasks.judgements import Judged
    from drr.llm.factory import Models
    from drr.llm.meter import Usage, UsageRow
    from drr.study.study import Study
    from drr.study.unit import Outcome, Unit
    from drr.study.worker import Context


@dataclass(frozen=True)
class SampleAnswer:
    """The answer of a finished sample, to be stored in the study."""

    uuid: str
    query_id: str
    epoch: int
    record: AnswerRecord


@dataclass(frozen=True)
class SampleFigures:
    """The figures that judges give one answer."""

    trial: int
    values: Mapping[str, float | None]
    """Values by metric; a missing or `None` value is unknown."""
    broken: Mapping[str, Sequence[str]]
    """Rules that the report breaks, each with the offending words."""
    judge: str
    banner: str | None
    stopped: str | None
    """The reason why the judging was not finished."""
    task: str
    """The task from which the question was made, with which it is grouped."""


_ROUNDS: dict[Path, asyncio.Lock] = {}
"""Locks by study, so that only one scoring of this process uses a study at a time."""


class SampleStore:
    """A store of samples' answers in a study. Waiting samples are stored and judged together, one batch at a time."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.study = _open_study(bench)
        self._round = _ROUNDS.setdefault(self.study.folder.resolve(), asyncio.Lock())
        self._waiting: list[tuple[SampleAnswer, asyncio.Future[SampleFigures]]] = []
        self._known: dict[str, asyncio.Future[SampleFigures]] = {}
        self._taken: dict[tuple[str, str], set[int]] = {}

    async def figures(self, answer: SampleAnswer) -> SampleFigures:
        """Return the figures of an answer, which is judged once for all scorers."""
        known = self._known.get(answer.uuid)
        if known is None:
            known = self._known[answer.uuid] = asyncio.get_running_loop().create_future()
            self._waiting.append((answer, known))
        async with self._round:
            if not known.done():
                batch, self._waiting = self._waiting, []
                await self._judge_round(batch)
        return known.result()

    async def _judge_round(self, batch: Sequence[tuple[SampleAnswer, asyncio.Future[SampleFigures]]]) -> None:
        try:
            found = await self._judged([answer for answer, _ in batch])
        except BaseException as error:
            for answer, future in batch:
                self._known.pop(answer.uuid, None)
                future.set_exception(error if isinstance(error, Exception) else RuntimeError(str(error)))
                future.exception()
            raise
        for (_, future), figures in zip(batch, found, strict=True):
            future.set_result(figures)

    async def _judged(self, batch: Sequence[SampleAnswer]) -> list[SampleFigures]:
        from drr.eval.evidence.answers import answer_of, questions
        from drr.eval.judging.read import judging_of, read_judged
        from drr.eval.judging.run import JudgeOptions, judge
        from drr.llm.budget import Limit
        from drr.plugin import desk_of, models_of

        settings, plan = self.bench.settings, self.bench.plan
        models = models_of(settings)
        try:
            keys = await self._take_in(batch, models)
            known = questions(self.study)
            records = [self.study.record(key) for key in keys]
            answers = [answer_of(self.study, record, known) for record in records if record is not None]
            desk = desk_of(settings, models, self.bench.realm.shop)
            desk.questions = {answer.query_id: known[answer.query_id] for answer in answers}
            desk.add(answers)
            options = JudgeOptions(plan.groups, budget=Limit.of(usd=plan.budget))
            ran = await judge(self.study, desk, models, options)
        finally:
            await models.aclose()
        if ran.summary.stopped == "interrupted":
            raise KeyboardInterrupt
        about = self.study.ledger.records.about(*keys, *desk.questions)
        judged = read_judged(self.study, judging_of(desk, options.tasks), answers=answers, among=about)
        return [_figures(judged, answer, ran.summary.stopped) for answer in answers]

    async def _take_in(self, batch: Sequence[SampleAnswer], models: Models) -> list[str]:
        """Store each answer once, as a trial beside the trials of earlier evaluations, and return the keys."""
        from drr.plugin import split_record
        from drr.study.run import run

        units = [self._unit(answer) for answer in batch]
        records = {unit.key: answer.record for unit, answer in zip(units, batch, strict=True)}

        async def take_in(spec: Mapping[str, Any], context: Context) -> Outcome:
            record = records[context.unit.key]
            for role, row in record.usage.items():
                context.meter.by_role[role] = _usage(row)
            return split_record(record, cast(AnswerSpec, spec))

        await run(self.study, units, take_in, models=models)
        return [unit.key for unit in units]

    def _unit(self, answer: SampleAnswer) -> Unit:
        from drr.study.unit import Unit

        record = answer.record
        fields = {
            "imported": True,  # the answer stays when the study's own variants are planned again
            "inspect": answer.uuid,
            "query_id": answer.query_id,
            "query": record.query,
            "user_id": record.user_id,
            "variant": record.variant,
            "models": dict(record.models),
            **self.bench.realm.world({"user_id": record.user_id}).key_fields(),
        }
        unit = Unit("answer", fields, {}, "")
        before = self.study.record(unit.key)
        trial = before.spec["trial"] if before is not None else self._trial(answer)
        spec = AnswerSpec(
            query_id=answer.query_id,
            query=record.query,
            user_id=record.user_id or "",
            variant=record.variant,
            trial=trial,
        )
        return Unit("answer", fields, dict(spec), f"{answer.query_id}/{record.variant}/{trial}")

    def _trial(self, answer: SampleAnswer) -> int:
        """Return the trial number of an answer: its epoch, or the next free number beside earlier evaluations."""
        place = answer.query_id, answer.record.variant
        if place not in self._taken:
            specs = (record.spec for record in self.study.records("answer", None))
            self._taken[place] = {one["trial"] for one in specs if (one["query_id"], one["variant"]) == place}
        taken = self._taken[place]
        trial = next(number for number in count(answer.epoch - 1) if number not in taken)
        taken.add(trial)
        return trial


def _usage(row: UsageRow) -> Usage:
    """Return the usage of Inspect's models, whose cost is unknown."""
    from drr.llm.meter import Usage

    return Usage(
        model=row["model"],
        calls=row["calls"],
        unmetered=row["unmetered"],
        input_tokens=row["input_tokens"],
        cache_read_tokens=row["cache_read_tokens"],
        cache_write_tokens=row["cache_write_tokens"],
        output_tokens=row["output_tokens"],
        seconds=row["seconds"],
        cost=None,
    )


def _figures(judged: Judged, answer: Answer, stopped: str | None) -> SampleFigures:
    from drr.eval.metrics import values_of

    judging = judged.judging
    assert judging is not None  # `_judged` has just made it
    rules = judged.rules.get(answer.key) or {}
    broken = {
        name: [answer.report[start:end] for start, end in row["spans"]]
        for name, row in rules.items()
        if row["status"] == "fail"
    }
    values = values_of(judged, answer)
    return SampleFigures(
        answer.trial, values, broken, judging.judge, judging.warning, stopped, answer.asked.task
    )


def check_terms(bench: Bench) -> None:
    """Raise `Misuse` before any paid call: for an unusable or unpriced judge, or a study of another shop."""
    from drr.plugin import UnitTerms, check_run, models_of

    terms = UnitTerms(budget=bench.plan.budget)
    check_run(terms, models_of(bench.settings), ("judge", "claim_extractor"))
    if bench.plan.study is not None:
        keeping_of(bench)


@cache
def keeping_of(bench: Bench) -> SampleStore:
    return SampleStore(bench)


def _open_study(bench: Bench) -> Study:
    """Return the named study, or a temporary study that is deleted at the end of the process."""
    from drr.eval.evidence.answers import questions
    from drr.plugin import config_of, found_shop, keep_questions, remember_study
    from drr.study.study import Study

    named = bench.plan.study
    folder = Path(named) if named is not None else Path(tempfile.mkdtemp(prefix="drr-inspect-")) / "study"
    if Study.exists(folder):
        study = Study.open(folder)
        shop = found_shop(folder, study.config.get("run", {}).get("shop"))
        if shop is not None and Path(shop).resolve() != Path(bench.shop).resolve():
            raise Misuse(
                f"-T study={folder}: its answers were given in the shop {shop}, not in {bench.shop}; name a new folder"
            )
    else:
        study = Study.create(folder, config_of({"shop": bench.shop}, bench.settings))
        if named is not None:
            remember_study(folder, bench.settings, shops=[bench.shop])
    keep_questions(study, [query for name, query in bench.queries.items() if name not in questions(study)])
    atexit.register(_close, study, temporary=named is None)
    return study


def _close(study: Study, *, temporary: bool) -> None:
    study.close()
    if temporary:
        shutil.rmtree(study.folder.parent, ignore_errors=True)
