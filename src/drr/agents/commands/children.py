"""Agents written in Python in processes of their own, which stay warm for the next unit.

A unit takes an idle process or waits for the next one; a new one is begun only while units wait. A process whose unit
blocked, flooded or was cancelled is ended, with everything that it started.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import signal
import sys
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn
from weakref import WeakKeyDictionary

from drr.agents.architecture import AgentCode, Run
from drr.agents.base import Ending
from drr.agents.commands.command import Command, CommandTerms, search_path
from drr.agents.commands.parcels import LENGTH, MOST_PARCEL, size_in, to_child
from drr.agents.commands.process import KEPT_ERRORS, CommandPlace, sandbox_for
from drr.agents.commands.service import UnitService
from drr.agents.commands.sight import why_not_contained
from drr.env.errors import DrrError, ProgramFailure
from drr.env.json_object import JsonObject
from drr.env.user_code import ON_INTERRUPT

if TYPE_CHECKING:
    from drr.agents.run_state import AgentRun

MOST_IDLE = 8
"""Number of idle processes from which on those of other agents are ended."""
_PATIENCE_S = 1.0
_START_S, _GRACE_S, _DEAF_S, _LAST_WORDS_S, _LONGEST_S = 300.0, 15.0, 5.0, 2.0, 3600.0
"""Seconds: for the start, past the time limit without a request, for a sign of life, for last words, between looks at the clock."""
_HINT = (
    "; a contained agent sees its file, this Python's packages and PYTHONPATH: --agent-sees PATH shows more,"
    " --in-process runs it as part of this program"
)
_units = count(1)
_pools: WeakKeyDictionary[asyncio.AbstractEventLoop, ChildPool] = WeakKeyDictionary()


def child_agent(code: AgentCode, name: str, terms: CommandTerms) -> Run:
    """Return the function that answers a question in a process of the agent's own."""

    async def answer(run: AgentRun) -> Ending:
        pool = _pools.setdefault(asyncio.get_running_loop(), ChildPool())
        child = await pool.take(_Kind(code, name, terms))
        try:
            return await child.answer(run)
        finally:
            pool.put(child)

    return answer


class _Kind(NamedTuple):
    code: AgentCode
    name: str
    terms: CommandTerms


@dataclass
class _Shelf:
    """The idle processes of one kind, and how many units wait for one."""

    idle: asyncio.LifoQueue[AgentChild | Exception] = field(default_factory=asyncio.LifoQueue)
    waiting: int = 0
    served: int = 0
    beginning: asyncio.Task[None] | None = None


class ChildPool:
    """The processes of one event loop. They end with the loop, by their tasks."""

    def __init__(self) -> None:
        self._shelves: defaultdict[_Kind, _Shelf] = defaultdict(_Shelf)

    async def take(self, kind: _Kind) -> AgentChild:
        shelf = self._shelves[kind]
        shelf.waiting += 1
        try:
            self._begin(kind)
            child = await shelf.idle.get()
            shelf.served += 1
        finally:
            shelf.waiting -= 1
            self._begin(kind)
        if isinstance(child, Exception):
            raise child
        try:
            is_well = await child.is_well()
        except asyncio.CancelledError:
            child.end()
            raise
        if is_well:
            return child
        child.end()
        return await self.take(kind)

    def _begin(self, kind: _Kind) -> None:
        shelf = self._shelves[kind]
        if shelf.waiting > shelf.idle.qsize() and shelf.beginning is None:
            shelf.beginning = asyncio.create_task(self._start(kind, shelf))

    async def _start(self, kind: _Kind, shelf: _Shelf) -> None:
        """Begin one process, unless those there serve all who wait within a moment. A start costs as much as many units."""
        try:
            served, waiting = shelf.served, shelf.waiting
            if served:
                await asyncio.sleep(_PATIENCE_S)
            if shelf.served - served < waiting:
                child = AgentChild(kind)
                await child.started
                self.put(child)
        except Exception as error:  # noqa: BLE001 - raised where a unit waits
            shelf.idle.put_nowait(error)
        finally:
            shelf.beginning = None
        self._begin(kind)

    def put(self, child: AgentChild) -> None:
        """Keep a process for the next unit, or end a spoiled one. Where many are idle, one of another kind is ended."""
        if not child.is_free:
            child.end()
            return
        shelf = self._shelves[child.kind]
        shelf.idle.put_nowait(child)
        full = [one for one in self._shelves.values() if one is not shelf and one.idle.qsize() > one.waiting]
        many = sum(one.idle.qsize() for one in self._shelves.values()) > MOST_IDLE
        if many and full and isinstance(other := full[0].idle.get_nowait(), AgentChild):
            other.end()


class AgentChild:
    """A process with an agent's function, which answers one unit at a time."""

    def __init__(self, kind: _Kind) -> None:
        self.kind = kind
        self.is_free = True
        loop = asyncio.get_running_loop()
        self.started: asyncio.Future[None] = loop.create_future()
        self._over, self._alive, self._hurried = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._keeper = loop.create_task(self._keep())

    def end(self) -> None:
        self.is_free = False
        self._over.set()

    async def _keep(self) -> None:
        """Keep the process until its end. An error of its start is raised where its pool waits."""
        terms = _terms(self.kind)
        try:
            async with sandbox_for(_command(self.kind.code), terms) as self._place:
                self._place.start(_environment(self._place, terms))
                self._errors = asyncio.ensure_future(self._place.keep_errors())
                self._ended = asyncio.ensure_future(self._place.ending())
                try:
                    await asyncio.wait_for(self._load(), _START_S)
                    self.started.set_result(None)
                    await self._over.wait()
                finally:
                    self._errors.cancel()
                    self._ended.cancel()
                    await asyncio.gather(self._errors, self._ended, return_exceptions=True)
        except Exception as error:  # noqa: BLE001 - raised where a unit waits
            self.is_free = False
            if not self.started.done():
                late = isinstance(error, TimeoutError)
                self.started.set_exception(_unstarted("it was not ready in time") if late else error)

    async def _load(self) -> None:
        """Let the process load the function, and raise why it cannot."""
        self._send({"code": self.kind.code, "name": self.kind.name})
        first = await self._receive()
        if "ready" not in first:
            raise _unstarted(str(first.get("failure")))

    def _send(self, document: Mapping[str, Any]) -> None:
        with suppress(ConnectionError, RuntimeError):  # it is gone, which the reading side finds
            self._place.writing.write(to_child(document))

    async def is_well(self) -> bool:
        """Tell whether the process answers. What an earlier unit left behind may have ended it, or block it."""
        self._send({"ping": True})
        with suppress(TimeoutError, ProgramFailure):
            async with asyncio.timeout(_DEAF_S):
                while "ping" not in (parcel := await self._receive()):
                    self._refuse(parcel)
            return True
        return False

    def _refuse(self, request: JsonObject) -> None:
        """Refuse a request of an earlier unit, from a task or thread that outlived it."""
        self._send({"id": request.get("id"), "error": DrrError("the question is over"), "number": -1})

    async def answer(self, run: AgentRun) -> Ending:
        """Return the agent's answer to one unit. `ProgramFailure` names what ended its process."""
        self.is_free = False
        self._place.clear_errors()
        service = UnitService(run, next(_units), self._send)
        self._send(service.given())
        ON_INTERRUPT.add(self._hurried.set)
        ends = (self._talk(service), _too_late(run, service), self._flooded(), self._deaf())
        tasks = [asyncio.ensure_future(end) for end in ends]
        try:
            ended, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            return await (tasks[0] if tasks[0] in ended else ended.pop())
        finally:
            ON_INTERRUPT.discard(self._hurried.set)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, service.close(), return_exceptions=True)
            await self._keep_words(run)

    async def _flooded(self) -> NoReturn:
        """Raise an error when the agent prints too much. One that prints nothing more may go on."""
        await asyncio.shield(self._errors)
        await asyncio.Future()
        raise AssertionError

    async def _deaf(self) -> NoReturn:
        """Cancel the unit if its agent blocks at the first Ctrl-C: the run would wait for it in vain."""
        await self._hurried.wait()
        self._alive.clear()
        self._send({"ping": True})
        try:
            async with asyncio.timeout(_DEAF_S):
                await self._alive.wait()
        except TimeoutError:
            raise asyncio.CancelledError from None
        await asyncio.Future()
        raise AssertionError

    async def _talk(self, service: UnitService) -> Ending:
        while True:
            parcel = await self._receive()
            if "ping" in parcel:
                self._alive.set()
            elif parcel.get("unit") != service.unit:
                self._refuse(parcel)
            elif "what" in parcel:
                service.begin(parcel)
            else:
                self.is_free = True
                return service.ending(parcel)

    async def _receive(self) -> JsonObject:
        reading = self._place.reading
        try:
            size = size_in(await reading.readexactly(LENGTH))
            if size > MOST_PARCEL:
                raise ProgramFailure(
                    "agent_output", f"the agent sent more than {MOST_PARCEL:,} bytes at once"
                )
            parcel: JsonObject = dict(json.loads(await reading.readexactly(size)))
        except (asyncio.IncompleteReadError, ConnectionError):
            raise await self._gone() from None
        except (TypeError, ValueError, RecursionError):
            raise ProgramFailure("agent_lost", "the agent's process sent what nobody can read") from None
        return parcel

    async def _gone(self) -> ProgramFailure:
        """Return the failure that says how the process ended."""
        await asyncio.wait({self._ended, self._errors}, timeout=_LAST_WORDS_S)
        code = self._ended.result().get("code") if self._ended.done() else None
        if not isinstance(code, int):
            return ProgramFailure("agent_lost", "the agent's process closed its pipes or was lost")
        if code < 0:
            name = signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)
            return ProgramFailure("agent_signal", f"the agent's process was ended by {name}")
        return ProgramFailure(
            "agent_exit", f"the agent ended its process with exit code {code} before it answered"
        )

    async def _keep_words(self, run: AgentRun) -> None:
        """Keep what the agent printed with the unit. It was in the pipe before the end, so a few turns of the loop read it."""
        for _ in range(4):
            await asyncio.sleep(0)
        text = (run.outside.stderr or "") + self._place.stderr_text()
        run.outside.stderr = text[-KEPT_ERRORS:] or None


async def _too_late(run: AgentRun, service: UnitService) -> NoReturn:
    """Raise an error when an agent that is past its time limit asks for nothing any more."""
    seconds = run.limits.seconds
    left = math.inf if seconds is None else _GRACE_S
    while left > 0:
        await asyncio.sleep(min(left, _LONGEST_S))
        left = max((seconds or math.inf) - run.allowance.elapsed(), _GRACE_S - service.quiet_s())
    raise ProgramFailure(
        "agent_timeout", f"the agent blocked or slept past its {seconds:,.0f} s; its process was ended"
    )


def _unstarted(why: str) -> ProgramFailure:
    return ProgramFailure(
        "agent_start", f"the agent cannot be started in a process of its own ({why}){_HINT}"
    )


def _terms(kind: _Kind) -> CommandTerms:
    """Return the terms of the process: contained where this system can."""
    trusted = kind.terms.trusted or why_not_contained() is not None
    return replace(kind.terms, trusted=trusted, shown=(*kind.terms.shown, *_import_roots(kind.code)))


def _command(code: AgentCode) -> Command:
    files = (Path(code.place),) if code.function else ()
    return Command((sys.executable, "-P", "-m", "drr.agents.commands.child"), files)


def _import_paths() -> list[Path]:
    """Return the folders of this process's import path, without the current folder that `python -m` adds."""
    named = {Path(entry).absolute() for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry}
    found = (Path(entry).absolute() for entry in sys.path if entry)
    return [path for path in found if path.is_dir() and (path != Path.cwd() or path in named)]


def _import_roots(code: AgentCode) -> tuple[Path, ...]:
    """Return the folders of the import path outside this Python. The package of an entry point may lie in none of them."""
    import drr

    ours = [Path(sys.prefix), Path(sys.base_prefix), Path(str(drr.__file__)).parents[1]]
    found = _import_paths()
    module = sys.modules.get(code.place.partition(":")[0].partition(".")[0])
    if not code.function and module is not None and module.__file__ is not None:
        file = Path(module.__file__)
        found.append(file.parent if file.name == "__init__.py" else file)
    return tuple(path for path in found if not any(path.is_relative_to(one) for one in ours))


def _environment(place: CommandPlace, terms: CommandTerms) -> dict[str, str]:
    """Return all environment variables of the process. No key of this process is among them."""
    return {
        "PATH": search_path(),
        "HOME": str(Path.home()) if terms.trusted else place.folder,
        "TMPDIR": place.folder if terms.trusted else "/tmp",  # noqa: S108 - its own
        "LANG": "C.UTF-8",
        "PYTHONPATH": os.pathsep.join(map(str, _import_paths())),
    }
