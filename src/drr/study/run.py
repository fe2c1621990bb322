"""Runs units: hands missing units to a pool, commits the reported results, and stops on limits, outages and interrupts."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import TYPE_CHECKING

from drr.env.errors import DrrError, Terminated
from drr.env.files import owner_only_mode, write_file
from drr.env.progress import Progress, Quiet, Stage, collecting_less
from drr.env.user_code import ON_INTERRUPT
from drr.llm.activity import ACTIVITY, AS_JSON, FILE
from drr.llm.budget import Limit
from drr.study.admission import Admission
from drr.study.handout import Handout
from drr.study.holders import this_holder
from drr.study.pools import InProcessPool, Pool, Terms
from drr.study.spend import Bank
from drr.study.study import Study
from drr.study.unit import FinishedUnit, Unit
from drr.study.worker import Work
from drr.study.writer import RecordWriter

if TYPE_CHECKING:
    from drr.llm.factory import Models

DEAF_S = 1.0


@contextmanager
def interrupts(pressed: Callable[[int], None]) -> Iterator[None]:
    """Call `pressed` with the number of Ctrl-C presses so far, in place of Python's usual end. Outside the main thread nothing is caught.

    A unit that blocks the event loop blocks this call too; a further press after `DEAF_S` seconds then ends the process as usual.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    times = heard = 0
    unheard_since = 0.0

    def hear(which: int) -> None:
        nonlocal heard
        heard = which
        pressed(which)

    def press(number: int, frame: FrameType | None) -> None:
        nonlocal times, unheard_since
        now = time.monotonic()
        if times > heard and now - unheard_since > DEAF_S:
            restore()
            raise Terminated if number == signal.SIGTERM else KeyboardInterrupt
        if times == heard:
            unheard_since = now
        times += 1
        loop.call_soon_threadsafe(hear, times)

    def restore() -> None:
        while before:
            signal.signal(*before.popitem())

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, press)
    try:
        yield
    finally:
        restore()


_WATCHED_S = 5.0
"""Seconds between two remarks on model calls under way."""
_FEW = 8
"""Maximum number of running units, as in one process, for which the requested order is kept to the end."""


@dataclass(frozen=True)
class Pace:
    """The number of running units and the threshold of an outage; neither changes a result or enters a key."""

    units: int = 8
    """The number of units that run at the same time."""
    outage_after: int = 8
    """The number of transient failures in a row that counts as an outage and stops the run."""


@dataclass
class Summary:
    """The summary of a run. `stopped` is the reason why units are left, or `None`."""

    done: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    failed_before: Counter[str] = field(default_factory=Counter)
    """Requested units that failed for good in an earlier run and were not computed again, by reason."""
    stopped: str | None = None
    message: str | None = None
    """The message of the failure that stopped the run."""
    left: int = 0
    """The number of requested units without a final record."""
    bugs: dict[str, str] = field(default_factory=dict)
    """The last lines of unforeseen errors, each with the key of the first unit that failed with the error."""
    causes: dict[str, str] = field(default_factory=dict)
    """The first failure message of each kind in this run."""
    budget: Limit = field(default_factory=Limit)
    refused: list[str] = field(default_factory=list)
    """Messages on workers that could not begin while others went on."""

    @property
    def ok(self) -> bool:
        return not self.failures and self.stopped in (None, "limit")

    def joined(self, later: Summary) -> Summary:
        """Return the summary of this run and a later run of the same job together. The two have no unit in common, so none counts twice."""
        return replace(
            later,
            done=self.done + later.done,
            failures=self.failures + later.failures,
            failed_before=self.failed_before + later.failed_before,
            bugs={**later.bugs, **self.bugs},
            causes={**later.causes, **self.causes},
            refused=self.refused + later.refused,
        )


def missing_units(study: Study, units: Sequence[Unit], *, retry_failed: bool = False) -> list[Unit]:
    """Return the units that a run must still compute, in their order."""
    settled = study.ledger.units.settled_among([unit.key for unit in units], retry_failed=retry_failed)
    if retry_failed:
        records = (study.record(key) for key in list(settled))
        # The text of a done unit may be lost since; only a new computation restores it.
        settled -= {record.key for record in records if record is not None and study.lost(record)}
    return [unit for unit in units if unit.key not in settled]


async def run(
    study: Study,
    units: Sequence[Unit],
    work: Work | Pool,
    *,
    models: Models | None = None,
    budget: Limit | None = None,
    unit_cap: Limit | None = None,
    pace: Pace | None = None,
    progress: Progress | None = None,
    retry_failed: bool = False,
    limit: int | None = None,
    label: str = "units",
) -> Summary:
    """Compute the missing units of `units` and return a summary. Finished units are never computed again; a run begins at most `limit` units.

    A plain work function runs in this process and needs `models`; a pool brings its own models.
    """
    pace = pace or Pace()
    if callable(work):
        if models is None:
            raise TypeError("a work function needs models")
        pool: Pool = InProcessPool.of_work(work, models, pace.units)
    else:
        pool = work
    study.ledger.units.register(units)
    kinds = {unit.kind for unit in units}
    for kind in kinds:
        # Cleared first: a run that is killed must not leave the reason why an earlier one stopped.
        study.ledger.set_meta(f"stopped:{kind}", None)
    if budget is not None:
        study.ledger.set_meta("budget", json.dumps({"cost": budget.cost, "tokens": budget.tokens}))
    try:
        with (progress or Quiet()).stage(label, total=len(units), unit="units") as stage:
            driver = _Driver(
                study,
                units,
                pool,
                pace,
                stage,
                budget or Limit(),
                unit_cap,
                retry_failed=retry_failed,
                limit=limit,
            )
            summary = await driver.go()
    except (sqlite3.Error, OSError) as error:
        raise DrrError(
            f"{study.folder}: cannot be written ({error}); what finished is kept, run it again when there is room"
        ) from error
    for kind in kinds:
        study.ledger.set_meta(f"stopped:{kind}", summary.stopped)
    return summary


class _Driver:
    """The driver of a run: hands out units, receives and commits their results, and decides when to stop."""

    def __init__(
        self,
        study: Study,
        units: Sequence[Unit],
        pool: Pool,
        pace: Pace,
        stage: Stage,
        budget: Limit,
        unit_cap: Limit | None,
        *,
        retry_failed: bool,
        limit: int | None,
    ) -> None:
        self.ledger = study.ledger
        self.activity_file = study.folder / FILE
        self.keys = [unit.key for unit in units]
        open_units = missing_units(study, units, retry_failed=retry_failed)
        self.pool = pool
        self.pace = pace
        self.stage = stage
        self.summary = Summary(budget=budget)
        self.holder = this_holder()
        self.bank = Bank(study.ledger.accounts, self.holder, budget)
        self.admission = Admission(study.ledger, self.bank, open_units)
        self.handout = Handout(
            study.ledger,
            open_units,
            self.holder,
            self.admission,
            size=pool.size,
            limit=limit,
            # A long unit that begins last keeps many workers waiting; a limit takes units in their order.
            longest_first=pool.size > _FEW and limit is None,
        )
        stage.advance(len(units) - len(open_units))
        self.writer = RecordWriter(study, before=self.bank.flush, kept=self._count_done, failed=self._abort)
        self.terms = Terms(self.bank, unit_cap, self.writer.save, self.summary.refused.append, stage.note)
        self.failed_now: set[str] = set()
        self.passing_in_a_row = 0

    async def go(self) -> Summary:
        self.ledger.under_way.clear()  # no earlier writer is left
        watching = asyncio.create_task(self._watch())
        with interrupts(self._handle_interrupt), collecting_less(), self.writer:
            try:
                async with aclosing(self.pool.run(self.handout.assignments(), self.terms)) as ended:
                    async for finished in ended:
                        if finished.fatal:
                            self._stop(finished.reason or finished.status, finished.message)
                            self.pool.cancel()
                        self.writer.put(finished)
            finally:
                watching.cancel()
                await self._end()
        return self._sum_up()

    async def _watch(self) -> None:
        """Say every few seconds what the model calls of this process do, here and to viewers."""
        before = ""
        try:
            while True:
                await asyncio.sleep(_WATCHED_S)
                text = ACTIVITY.text(time.time())
                if (text or before) and self.summary.stopped is None:
                    self.stage.note(text)
                before = text
                with suppress(OSError):  # a full disk ends the run elsewhere
                    write_file(
                        self.activity_file, AS_JSON.dump_json(ACTIVITY).decode(), owner_only_mode(0o666)
                    )
        finally:
            self.activity_file.unlink(missing_ok=True)

    async def _end(self) -> None:
        """Commit the finished units and clear the running units, however the run ended."""
        try:
            await self.writer.drained()
        finally:
            self.ledger.under_way.clear()
            self.bank.flush()

    def _count_done(self, finished: FinishedUnit) -> None:
        self.stage.advance()
        self._account(finished)
        failed = sum(self.summary.failures.values())
        self.stage.note(f"{self.summary.done} done, {failed} failed" if failed else "")
        self.admission.ended(finished)
        self.handout.ended()

    def _account(self, finished: FinishedUnit) -> None:
        summary = self.summary
        if finished.status == "done":
            summary.done += 1
            self.passing_in_a_row = 0
            return
        if finished.reason == "budget":
            # No failure: with a larger budget the unit continues from its saved answers.
            self._stop("budget", finished.message)
            return
        summary.failures[finished.reason or finished.status] += 1
        summary.causes.setdefault(finished.reason or finished.status, finished.message or "")
        self.failed_now.add(finished.key)
        if finished.reason == "bug" and finished.message is not None:
            summary.bugs.setdefault(finished.message, finished.key)
        self.passing_in_a_row = self.passing_in_a_row + 1 if finished.transient else 0
        if self.passing_in_a_row >= self.pace.outage_after:
            self._stop("outage", finished.message)

    def _stop(self, why: str, message: str | None) -> None:
        """Begin no more units; running units go on to their end."""
        if self.summary.stopped is None:
            self.summary.stopped, self.summary.message = why, message
        self.handout.stop()

    def _abort(self) -> None:
        self.handout.stop()
        self.pool.cancel()

    def _handle_interrupt(self, times: int) -> None:
        """Handle a Ctrl-C: the first one begins no more units, the second one stops the running units at once."""
        self._stop("interrupted", None)
        self.stage.note(f"finishing {self.handout.in_flight} units under way; Ctrl-C again stops at once")
        for hurry in tuple(ON_INTERRUPT):
            hurry()
        if times > 1:
            self._abort()

    def _sum_up(self) -> Summary:
        summary = self.summary
        if self.handout.unaffordable is not None:
            self._stop("budget", self.handout.unaffordable)
        summary.left = self.ledger.units.open_among(self.keys)
        failed = self.ledger.units.failed_among(self.keys)
        summary.failed_before.update(reason for key, reason in failed.items() if key not in self.failed_now)
        if summary.stopped is None and self.handout.limit_reached and summary.left:
            summary.stopped = "limit"
        return summary
