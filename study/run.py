"""Runs units: claims what is missing, works on many at once, commits what ends, stops when it must."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sqlite3
import threading
import time
import traceback
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from drr.env.errors import DrrError
from drr.env.memory import collecting_less
from drr.env.progress import Progress, Quiet, Stage
from drr.llm.budget import Budget, Limit, OverBudget
from drr.llm.factory import Models
from drr.llm.failures import ModelFailure
from drr.llm.meter import Meter
from drr.llm.secrets import Redactor
from drr.llm.text import well_formed
from drr.study.ledger import Finished
from drr.study.process import this_worker
from drr.study.spend import LedgerPurse
from drr.study.study import Study
from drr.study.unit import Outcome, Status, Unit, UnitFailure, canonical_json


@dataclass(frozen=True)
class Context:
    """What a unit's work may hold. Its models are metered, budgeted and capped for this unit."""

    study: Study
    unit: Unit
    models: Models
    meter: Meter
    gathered: list[Outcome] = field(default_factory=list)

    def keep(self, outcome: Outcome) -> None:
        """What the work has until now, to be recorded if it fails: it was paid for and explains the failure."""
        self.gathered[:] = [outcome]


Work = Callable[[Mapping[str, Any], Context], Awaitable[Outcome]]


@dataclass(frozen=True)
class Pace:
    """How a run goes about it; nothing here changes a result or enters a key."""

    units: int = 8
    """Units in flight."""
    lease_s: float = 120.0
    renew_s: float = 20.0
    poll_s: float = 1.0
    """How often units that another process holds are looked at."""
    outage_after: int = 8
    """So many units in a row that failed for transient reasons are an outage, and stop the run."""
    wall: Callable[[], float] = time.time


@dataclass
class Summary:
    """What this run did; `stopped` says why units are left, `None` if none are."""

    done: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    failed_before: Counter[str] = field(default_factory=Counter)
    """Units asked for that failed for good in an earlier run, and were not computed again."""
    stopped: str | None = None
    message: str | None = None
    """The failure that stopped it, in its own words."""
    left: int = 0
    """Units asked for that have no final record."""
    bugs: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.failures and self.stopped in (None, "limit")


async def run(
    study: Study,
    units: Sequence[Unit],
    work: Work,
    *,
    models: Models,
    budget: Limit | None = None,
    unit_cap: Limit | None = None,
    pace: Pace | None = None,
    progress: Progress | None = None,
    retry_failed: bool = False,
    limit: int | None = None,
    label: str = "units",
) -> Summary:
    """Compute what is missing of `units`. Finished units are never computed again; `limit` is the most this run begins."""
    pace = pace or Pace()
    study.ledger.register(units)
    kinds = {unit.kind for unit in units}
    for kind in kinds:
        study.ledger.set_meta(f"stopped:{kind}", None)
    if budget is not None:
        study.ledger.set_meta("budget", json.dumps({"cost": budget.cost, "tokens": budget.tokens}))
    runner = _Runner(study, work, models, budget or Limit(), unit_cap, pace, retry_failed)
    try:
        with (progress or Quiet()).stage(label, total=len(units), unit="units") as stage:
            summary = await runner.go([unit.key for unit in units], stage, limit)
    except (sqlite3.Error, OSError) as error:
        raise DrrError(
            f"{study.folder}: cannot be written ({error}); what finished is kept, run it again when there is room"
        ) from error
    for kind in kinds:
        study.ledger.set_meta(f"stopped:{kind}", summary.stopped)
    return summary


class _Runner:
    def __init__(
        self,
        study: Study,
        work: Work,
        models: Models,
        budget: Limit,
        unit_cap: Limit | None,
        pace: Pace,
        retry_failed: bool,
    ) -> None:
        self.study = study
        self.work = work
        self.models = models
        self.unit_cap = unit_cap
        self.pace = pace
        self.retry_failed = retry_failed
        self.worker = this_worker().id
        self.purse = LedgerPurse(study.ledger, self.worker)
        self.budget = Budget(budget, self.purse)
        self.redact = models.redact
        self.writer = _Writer(study, self.worker, self.redact)
        self.summary = Summary()
        self.tasks: dict[asyncio.Task[Finished | None], str] = {}
        self.transient_in_a_row = 0
        self.failed_now: set[str] = set()
        self.stage: Stage

    async def go(self, keys: Sequence[str], stage: Stage, limit: int | None) -> Summary:
        self.stage = stage
        waiting = deque(keys)
        held: list[str] = []
        begun = 0
        settled = 0
        self.study.ledger.free_leases(self.worker, self.pace.wall())
        with self._signals(), collecting_less(), ThreadPoolExecutor(1, "ledger") as thread:
            self.writer.thread = thread
            async with self._heartbeat():
                try:
                    while True:
                        room = self.pace.units - len(self.tasks)
                        if limit is not None:
                            room = min(room, limit - begun)
                        while waiting and room > 0 and self.summary.stopped is None:
                            asked = [waiting.popleft() for _ in range(min(room, len(waiting)))]
                            taken, others = self._claim(asked)
                            held += others
                            settled_now = len(asked) - len(taken) - len(others)
                            settled += settled_now
                            if settled_now:
                                stage.advance(settled_now)
                            for key in taken:
                                self.tasks[asyncio.create_task(self._one(key))] = key
                            begun += len(taken)
                            room -= len(taken)
                        if self.tasks:
                            await self._reap(stage)
                            continue
                        if (
                            self.summary.stopped is not None
                            or not held
                            or (limit is not None and begun >= limit)
                        ):
                            break
                        stage.note(f"waiting for {len(held)} units of another process")
                        await asyncio.sleep(self.pace.poll_s)
                        held = self._look_again(held, waiting, stage)
                finally:
                    await self._end()
        return self._sum_up(keys, limit_reached=limit is not None and begun >= limit)

    def _claim(self, keys: Sequence[str]) -> tuple[list[str], list[str]]:
        return self.study.ledger.claim(
            self.worker,
            keys,
            now=self.pace.wall(),
            seconds=self.pace.lease_s,
            retry_failed=self.retry_failed,
        )

    def _look_again(self, held: list[str], waiting: deque[str], stage: Stage) -> list[str]:
        """Units that another process ended are done with; those whose holder died are taken over."""
        self.study.ledger.free_leases(self.worker, self.pace.wall())
        ended = self.study.ledger.ended(held)
        stage.advance(len(ended))
        running = self.study.ledger.running(self.pace.wall())
        left = [key for key in held if key not in ended]
        waiting.extend(key for key in left if key not in running)
        return [key for key in left if key in running]

    async def _reap(self, stage: Stage) -> None:
        ended, _ = await asyncio.wait(self.tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in ended:
            del self.tasks[task]
            if task.cancelled():
                continue
            finished = task.result()
            if finished is None:
                continue
            stage.advance()
            self._account(finished)
            failed = sum(self.summary.failures.values())
            stage.note(f"{failed} failed" if failed else "")

    def _account(self, finished: Finished) -> None:
        summary = self.summary
        if finished.status == "done":
            summary.done += 1
            self.transient_in_a_row = 0
            return
        if finished.reason == "budget":
            self._stop("budget", finished.message)
            return
        summary.failures[finished.reason or finished.status] += 1
        self.failed_now.add(finished.key)
        if finished.reason == "bug" and finished.message is not None:
            summary.bugs.append(finished.message)
        self.transient_in_a_row = self.transient_in_a_row + 1 if finished.transient else 0
        if self.transient_in_a_row >= self.pace.outage_after:
            self._stop("outage", finished.message)

    def _stop(self, why: str, message: str | None) -> None:
        """Begin nothing more; what runs may end."""
        if self.summary.stopped is None:
            self.summary.stopped, self.summary.message = why, message

    def _abort(self) -> None:
        for task in self.tasks:
            task.cancel()

    async def _one(self, key: str) -> Finished | None:
        study, pace = self.study, self.pace
        unit = study.ledger.unit(key)
        meter = Meter()
        models = self.models.unit(meter, cap=self.unit_cap, budget=self.budget)
        started, clock = pace.wall(), time.monotonic()
        status: Status = "failed"
        reason: str | None = None
        message: str | None = None
        transient = False
        outcome: Outcome | None = None
        context = Context(study, unit, models, meter)
        try:
            outcome = await self._work(unit, context)
            status = "done"
        except OverBudget as error:
            status, message = "over_budget", str(error)
            reason = "budget" if error.scope == "all" else "unit_cap"
            transient = error.scope == "all"
        except ModelFailure as error:
            reason, message, transient = error.kind, str(error), error.transient or error.fatal
            if error.fatal:
                self._stop(error.kind, str(error))
                self._abort_others()
        except UnitFailure as error:
            reason, message, transient = error.kind, str(error), error.transient
            outcome = error.outcome
        except DrrError as error:
            reason, message = "error", str(error)
        except Exception as error:  # noqa: BLE001 - a bug ends its unit loudly and leaves its trace
            reason, message = "bug", f"{type(error).__name__}: {error}"
            trace = "".join(traceback.format_exception(error))
            outcome = _last(context, {"traceback": self.redact(trace)})
        if outcome is None:
            outcome = _last(context)
        finished = Finished(
            key=key,
            status=status,
            reason=reason,
            message=None if message is None else well_formed(self.redact(message, 1000)),
            transient=transient,
            result=outcome.result,
            blobs={},
            usage=meter.as_json(),
            cost=meter.cost,
            seconds=round(time.monotonic() - clock, 3),
            started_at=started,
            finished_at=pace.wall(),
        )
        self.purse.flush()
        kept = await self.writer.commit(finished, outcome.blobs)
        return finished if kept else None

    async def _work(self, unit: Unit, context: Context) -> Outcome:
        """What cannot be written is the bug of its unit, and not the end of the run."""
        try:
            outcome = await self.work(dict(unit.spec), context)
        except UnitFailure as failure:
            if failure.outcome is not None:
                canonical_json(failure.outcome.result)
            raise
        canonical_json(outcome.result)
        return outcome

    def _abort_others(self) -> None:
        current = asyncio.current_task()
        for task in self.tasks:
            if task is not current:
                task.cancel()

    async def _end(self) -> None:
        """Whatever ended the run: nothing runs on, what finished is committed, what did not is free for others."""
        self._abort()
        if self.tasks:
            await asyncio.gather(*self.tasks, return_exceptions=True)
        await self.writer.drained()
        self.study.ledger.release(self.worker)
        self.purse.flush()

    def _sum_up(self, keys: Sequence[str], *, limit_reached: bool) -> Summary:
        summary = self.summary
        summary.left = self.study.ledger.count_open(keys)
        standing = self.study.ledger.failed_for_good(keys)
        summary.failed_before.update(reason for key, reason in standing.items() if key not in self.failed_now)
        if summary.stopped is None and limit_reached and summary.left:
            summary.stopped = "limit"
        return summary

    @asynccontextmanager
    async def _heartbeat(self) -> AsyncIterator[None]:
        async def beat() -> None:
            while True:
                await asyncio.sleep(self.pace.renew_s)
                self.study.ledger.renew(self.worker, self.pace.wall(), self.pace.lease_s)
                self.purse.flush()

        task = asyncio.create_task(beat())
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """The first Ctrl-C lets what runs end and begins nothing more; the second stops at once."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop = asyncio.get_running_loop()
        pressed = 0

        def press() -> None:
            nonlocal pressed
            pressed += 1
            self._stop("interrupted", None)
            self.stage.note(f"finishing {len(self.tasks)} units under way; Ctrl-C again stops at once")
            if pressed > 1:
                self._abort()

        before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        for number in before:
            loop.add_signal_handler(number, press)
        try:
            yield
        finally:
            for number, handler in before.items():
                loop.remove_signal_handler(number)
                signal.signal(number, handler)


def _last(context: Context, blobs: Mapping[str, str] | None = None) -> Outcome:
    """What failed work had kept, if that can be written."""
    kept = context.gathered[-1] if context.gathered else Outcome({})
    try:
        canonical_json(kept.result)
    except ValueError:
        kept = Outcome({})
    return Outcome(kept.result, {**kept.blobs, **(blobs or {})})


class _Writer:
    """Commits in a thread of its own, all that wait in one transaction."""

    def __init__(self, study: Study, worker: str, redact: Redactor) -> None:
        self.study = study
        self.worker = worker
        self.redact = redact
        self.thread: ThreadPoolExecutor | None = None
        self._waiting: list[tuple[Finished, Mapping[str, str | bytes], asyncio.Future[bool]]] = []
        self._task: asyncio.Task[None] | None = None

    async def commit(self, finished: Finished, blobs: Mapping[str, str | bytes]) -> bool:
        """Returns when it is on disk; False if the lease was lost and another's record stands."""
        written: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((finished, blobs, written))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._drain())
        return await asyncio.shield(written)

    async def drained(self) -> None:
        while self._task is not None and not self._task.done():
            await asyncio.wait([self._task])

    async def _drain(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                written = await loop.run_in_executor(self.thread, self._write, batch)
            except Exception as error:  # noqa: BLE001 - raised in each unit that waits for its commit
                for _, _, future in batch:
                    future.set_exception(error)
                continue
            except BaseException as error:
                for _, _, future in batch:
                    future.set_exception(error)
                raise
            for finished, _, future in batch:
                future.set_result(finished.key in written)

    def _write(self, batch: list[tuple[Finished, Mapping[str, str | bytes], Any]]) -> set[str]:
        ready = []
        for finished, blobs, _ in batch:
            kept = {name: self.study.blobs.put(self._clean(content)) for name, content in blobs.items()}
            text = json.dumps(finished.result, ensure_ascii=False, allow_nan=False)
            result = json.loads(self._clean(text))
            ready.append(replace(finished, result=result, blobs=kept))
        return set(self.study.ledger.commit(self.worker, ready))

    def _clean(self, content: str | bytes) -> bytes:
        """No key of ours, and no half of a character, which models may write and nothing can print."""
        if isinstance(content, bytes):
            return content
        return well_formed(self.redact.known(content)).encode()
