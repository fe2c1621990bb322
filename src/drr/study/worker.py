"""A worker: opens a workplace once, from plain data, runs units in it, and reports the end of each. It never accesses the ledger."""

from __future__ import annotations

import asyncio
import json
import pkgutil
import time
import traceback
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from drr.env.errors import DrrError, ProgramFailure, ServerFailure, bug_of, no_room
from drr.env.json_object import JsonObject
from drr.env.progress import TooSlow
from drr.env.web.base import Page, WebHit, WebSearch
from drr.llm.budget import Budget, Limit, OverBudget
from drr.llm.failures import ModelFailure
from drr.llm.journal import PaidAnswer
from drr.llm.meter import Meter
from drr.llm.text import well_formed
from drr.study.unit import WAY, Assignment, FinishedUnit, Outcome, SavedText, Status, Unit, UnitFailure

if TYPE_CHECKING:
    from drr.llm.factory import Models


class SavedAnswers:
    """A `Journal` that returns the saved answers of one unit and saves new answers."""

    def __init__(
        self, saved: Mapping[str, bytes], save: Callable[[str, str], None], *, usable_only: bool = False
    ) -> None:
        self.usable_only = usable_only
        self._saved = saved
        self._save = save
        self._asked: Counter[str] = Counter()

    def next(self, request: str) -> PaidAnswer | None:
        text = self.next_text(request)
        return None if text is None else PaidAnswer.read(text)

    def add(self, request: str, answered: PaidAnswer) -> None:
        self.add_text(request, answered.text())

    def next_text(self, request: str) -> str | None:
        text = self._saved.get(f"{WAY}{request}:{self._asked[request]}")
        # Not counted: `add_text` gives a new answer this number, under which the next run looks for it.
        if text is None:
            return None
        self._asked[request] += 1
        return text.decode("utf-8")

    def add_text(self, request: str, text: str) -> None:
        number = self._asked[request]
        self._asked[request] += 1
        self._save(f"{WAY}{request}:{number}", text)


class ReplayedWeb:
    """A live web whose earlier searches are answered from the unit's saved texts. The web itself caches the pages."""

    def __init__(self, web: WebSearch, replay: SavedAnswers) -> None:
        self._web = web
        self._replay = replay

    @property
    def name(self) -> str:
        return self._web.name

    @property
    def content_hash(self) -> str | None:
        return self._web.content_hash

    async def search(self, query: str, top_k: int) -> list[WebHit]:
        request = sha256(json.dumps(["web_search", query, top_k]).encode()).hexdigest()
        before = self._replay.next_text(request)
        if before is not None:
            return [WebHit(*row[:4], *map(tuple, row[4:])) for row in json.loads(before)]
        hits = await self._web.search(query, top_k)
        self._replay.add_text(request, json.dumps(hits))
        return hits

    async def read(self, url: str) -> Page:
        return await self._web.read(url)


@dataclass
class Context:
    """The context of a unit's work. Its models are metered and limited for this unit."""

    given: Assignment
    models: Models
    meter: Meter
    gathered: Outcome | None = None
    saving: Callable[[str, str], None] = lambda name, text: None

    @property
    def unit(self) -> Unit:
        return self.given.unit

    def keep(self, outcome: Outcome) -> None:
        """Store the outcome so far, to be recorded if the work fails. Its calls were paid for, and it explains the failure."""
        self.gathered = outcome

    def save(self, name: str, text: str) -> None:
        """Save a text on disk before the unit ends, so that a killed process does not lose the text."""
        self.saving(name, text)

    def replaying(self) -> SavedAnswers:
        """Answer requests from the saved answers of the stopped unit, save every new answer, and return the journal."""
        replay = SavedAnswers(self.given.saved, self.save, usable_only=self.given.failed_for_good)
        self.models = self.models.keeping(replay)
        return replay


Work = Callable[[Mapping[str, Any], Context], Awaitable[Outcome]]


@dataclass(frozen=True)
class Workplace:
    """A work function and its models, which a worker opens once and uses for many units."""

    work: Work
    models: Models


@dataclass(frozen=True)
class Opening:
    """The recipe by which any process opens a workplace. It is plain data without secrets, which each process finds for itself.

    `opener` names a function, `"module:function"`, that takes `config` and returns a context manager of a `Workplace`.
    """

    opener: str
    config: Mapping[str, Any]

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Workplace]:
        opener: Callable[[Mapping[str, Any]], AbstractContextManager[Workplace]]
        opener = pkgutil.resolve_name(self.opener)
        with opener(self.config) as place:
            try:
                yield place
            finally:
                await place.models.aclose()


class Worker:
    """A worker that runs many units at once in this process's event loop."""

    def __init__(
        self,
        place: Workplace,
        budget: Budget,
        *,
        unit_cap: Limit | None = None,
        saved: Callable[[SavedText], None] = lambda saved: None,
    ) -> None:
        self._place = place
        self._budget = budget
        self._unit_cap = unit_cap
        self._saved = saved
        self._running: set[asyncio.Task[Any]] = set()

    def cancel(self) -> None:
        """Begin no more units and cancel running units; finished units are still reported."""
        for task in self._running:
            task.cancel()

    async def run(self, handed: AsyncIterator[Assignment]) -> AsyncGenerator[FinishedUnit, None]:
        """Begin each unit when it is handed out, and yield the report of each when it ends."""
        ended: asyncio.Queue[asyncio.Task[Any]] = asyncio.Queue()

        def begin(task: asyncio.Task[Any]) -> None:
            self._running.add(task)
            task.add_done_callback(ended.put_nowait)

        async def feed() -> None:
            async for assignment in handed:
                begin(asyncio.create_task(self.do(assignment)))

        begin(asyncio.create_task(feed()))
        try:
            while self._running:
                task = await ended.get()
                self._running.remove(task)
                finished = None if task.cancelled() else task.result()
                if finished is not None:
                    yield finished
        finally:
            self.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)
            self._running.clear()

    async def do(self, assignment: Assignment) -> FinishedUnit:
        """Run one unit and return its report, whatever its failure. Only a cancelled unit is not reported."""
        meter = Meter()
        models = self._place.models.unit(meter, cap=self._unit_cap, budget=self._budget)
        unit = assignment.unit
        context = Context(assignment, models, meter)
        context.saving = lambda name, text: self._saved(SavedText(unit.key, name, self._clean_bytes(text)))
        started, clock = time.time(), time.monotonic()
        try:
            left, ending = self._result_left(await self._place.work(dict(unit.spec), context)), _DONE
        except Exception as error:  # noqa: BLE001 - a bug ends its unit loudly and leaves its trace
            left, ending = self._after(error, context)
        message = ending.message
        return FinishedUnit(
            key=unit.key,
            status=ending.status,
            reason=ending.reason,
            message=None if message is None else well_formed(models.redact(message, 1000)),
            transient=ending.transient,
            result=left.result,
            texts=left.texts,
            usage=meter.as_json(),
            cost=meter.cost,
            seconds=round(time.monotonic() - clock, 3),
            started_at=started,
            finished_at=time.time(),
            fatal=ending.fatal,
        )

    def _after(self, error: Exception, context: Context) -> tuple[_Left, _Ending]:
        """Return the result and texts of failed work, with its status. An outcome that cannot be stored makes the failure a bug."""
        if isinstance(error, UnitFailure) and error.outcome is not None:
            try:
                return self._result_left(error.outcome), _ending(error)
            except (TypeError, ValueError) as unwritable:
                error = unwritable
        left = _Left({}, {})
        if context.gathered is not None:
            with suppress(TypeError, ValueError):
                left = self._result_left(context.gathered)
        ending = _ending(error)
        if ending.reason == "bug":
            trace = "".join(traceback.format_exception(error))
            left.texts["traceback"] = self._clean_bytes(self._place.models.redact(trace))
        return left, ending

    def _result_left(self, outcome: Outcome) -> _Left:
        redact = self._place.models.redact
        text = json.dumps(redact.values(outcome.result), sort_keys=True, ensure_ascii=False, allow_nan=False)
        result: dict[str, Any] = json.loads(well_formed(text))
        texts = {
            name: content if isinstance(content, bytes) else self._clean_bytes(content)
            for name, content in outcome.blobs.items()
        }
        hidden = sum(redact.count(text) for text in outcome.blobs.values() if isinstance(text, str))
        if hidden:
            result["redacted"] = hidden  # evidence with hidden keys differs from the tool's answer
        return _Left(result, texts)

    def _clean_bytes(self, text: str) -> bytes:
        """Return a text as bytes, without secrets and without lone surrogates, which models may write and no display can show."""
        return well_formed(self._place.models.redact.known(text)).encode()


class _Left(NamedTuple):
    result: JsonObject
    texts: dict[str, bytes]


class _Ending(NamedTuple):
    status: Status
    reason: str | None = None
    message: str | None = None
    transient: bool = False
    fatal: bool = False


_DONE = _Ending("done")


def _ending(error: Exception) -> _Ending:
    match error:
        case OverBudget(scope="all"):
            return _Ending("over_budget", "budget", str(error), transient=True)
        case OverBudget():
            return _Ending("over_budget", "unit_cap", str(error))
        case ModelFailure():
            # A fatal failure (such as a wrong key) is not the unit's own, so the unit is tried again later.
            passing = error.transient or error.fatal
            return _Ending("failed", error.kind, str(error), transient=passing, fatal=error.fatal)
        case TooSlow():
            return _Ending("failed", "too_slow", str(error))
        case UnitFailure():
            return _Ending("failed", error.kind, str(error), transient=error.transient)
        case _ if (full := no_room(error)) is not None:
            # The next unit finds no room either, and the unit itself is not at fault.
            return _Ending("failed", "no_room", full, transient=True, fatal=True)
        case ServerFailure():
            return _Ending("failed", "unavailable", str(error), transient=True)
        case ProgramFailure():
            return _Ending("failed", error.kind, str(error))
        case DrrError():
            return _Ending("failed", "error", str(error))
        case _:
            return _Ending("failed", "bug", bug_of(error))
