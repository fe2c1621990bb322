"""Runs a command on a question: sends the question, serves the run's tools and model, and reads the report.

The server (the "door") offers the tools over MCP and the model, to the holder of the unit's token, until the unit ends.
"""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import os
import signal
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from drr.agents.architecture import Run
from drr.agents.base import AGENT, Ending
from drr.agents.commands.command import Command, CommandTerms, search_path
from drr.agents.commands.door import CommandServer
from drr.agents.commands.process import CommandPlace, ProcessEnd, sandbox_for
from drr.agents.run_state import AgentRun
from drr.env.errors import DrrError, ProgramFailure
from drr.llm.names import NO_MODEL
from drr.llm.secrets import HIDDEN
from drr.tools.guard import TokenGuard

if TYPE_CHECKING:
    from drr.tools.mcp import ShopServer
    from starlette.types import ASGIApp, Receive, Scope, Send


MOST_CONNECTIONS = 64
MOST_REQUESTS = 20_000
MOST_CALL = 256_000
"""Maximum number of bytes in one request over MCP."""
_HOW_TO_ENTER = "send `Authorization: Bearer TOKEN` with the token of DRR_MCP_TOKEN"


@asynccontextmanager
async def open_door(run: AgentRun, listening: socket.socket) -> AsyncIterator[CommandServer]:
    """Serve the run's tools and model until the context ends, which cuts all remaining connections."""
    from drr.agents.commands.model_service import ModelService
    from drr.tools.mcp import ShopServer
    from starlette.applications import Starlette

    door = CommandServer(run, listening)
    with _own_logging():
        server = ShopServer(run.tools, log_level="ERROR", calling=door.call, names=run.names)
        mcp: Starlette = server.streamable_http_app(
            host="127.0.0.1", stateless_http=True, json_response=True, max_request_body_size=MOST_CALL
        )
    models = ModelService(door)
    app = _count_requests(
        door, TokenGuard(_route_by_path(mcp, models.app()), door.token, message=_HOW_TO_ENTER)
    )
    async with _run_session_manager(server), _serving(app, listening):
        yield door
    models.note()
    if door._broken.done():
        door._broken.exception()  # raised already, or too late to matter


def _count_requests(door: CommandServer, app: ASGIApp) -> ASGIApp:
    """Count the requests to an app and break the unit off at a limit. Every request costs this process time."""
    left = iter(range(MOST_REQUESTS))

    async def counted(scope: Scope, receive: Receive, send: Send) -> None:
        if next(left, None) is None:
            door.break_off(
                ProgramFailure("agent_flood", f"the command sent more than {MOST_REQUESTS:,} requests")
            )
        await app(scope, receive, send)

    return counted


def _route_by_path(mcp: ASGIApp, models: ASGIApp) -> ASGIApp:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await (models if scope.get("path", "").startswith("/v1/") else mcp)(scope, receive, send)

    return app


@asynccontextmanager
async def _run_session_manager(server: ShopServer) -> AsyncIterator[None]:
    """Run the server's session manager in a task of its own. An error that ends the unit is then not wrapped
    into the manager's group of errors."""
    ready, over = asyncio.Event(), asyncio.Event()

    async def live() -> None:
        async with server.session_manager.run():
            ready.set()
            await over.wait()

    living = asyncio.create_task(live())
    waiting = asyncio.create_task(ready.wait())
    try:
        await asyncio.wait({living, waiting}, return_when=asyncio.FIRST_COMPLETED)
        yield
    finally:
        over.set()
        waiting.cancel()
        await asyncio.gather(living, waiting, return_exceptions=True)


@asynccontextmanager
async def _serving(app: ASGIApp, listening: socket.socket) -> AsyncIterator[None]:
    """Serve an app without uvicorn's own server, which would take over the process's signals and wake ten times a second."""
    from uvicorn.config import Config
    from uvicorn.protocols.http.h11_impl import H11Protocol
    from uvicorn.server import ServerState

    config = Config(app, log_config=None, access_log=False, lifespan="off", proxy_headers=False, ws="none",
                    limit_concurrency=MOST_CONNECTIONS, server_header=False, timeout_keep_alive=60)  # fmt: skip
    config.load()
    state = ServerState()

    class Bounded(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if len(state.connections) > MOST_CONNECTIONS:
                transport.abort()

    listening.setblocking(False)
    serving = await asyncio.get_running_loop().create_server(
        lambda: Bounded(config, state, {}), sock=listening, backlog=128
    )
    try:
        yield
    finally:
        serving.close()
        for connection in list(state.connections):
            connection.transport.abort()
        for task in list(state.tasks):
            task.cancel()
        await asyncio.gather(*state.tasks, return_exceptions=True)


class _own_logging:
    """A context that restores the handlers of the root logger. The MCP SDK adds a handler when a server
    is made."""

    def __enter__(self) -> None:
        root = logging.getLogger()
        self._handlers, self._level = list(root.handlers), root.level

    def __exit__(self, *_: object) -> None:
        root = logging.getLogger()
        root.handlers[:], root.level = self._handlers, self._level


_UNKNOWN = "unknown"
_LAST_WORDS = 160


def command_agent(command: Command, terms: CommandTerms, digest: str) -> Run:
    """Return the function that answers a question by a command. `digest` is the command's hash in the unit's key; its files are
    checked against it before and after the run."""

    async def answer(run: AgentRun) -> Ending:
        _check(command, digest)
        run.outside.own = _UNKNOWN if terms.trusted else NO_MODEL
        if terms.trusted:
            run.notes.append("the command ran trusted: not contained, with this user's files and network")
        async with sandbox_for(command, terms) as place, open_door(run, place.listening) as door:
            try:
                ended = await _run(run, place, door, terms)
            finally:
                run.outside.stderr = place.stderr_text().replace(door.token, HIDDEN)
        _count(run, terms)
        _check(command, digest)
        try:
            report = _report(ended, run.outside.stderr or "", terms)
        except ProgramFailure as ended_so:
            raise door.failure or ended_so from None
        return Ending(report, door.limit or "finalized")

    return answer


def _count(run: AgentRun, terms: CommandTerms) -> None:
    """Record the model usage of a command: none for a sandboxed command without requests, unknown for a trusted one."""
    meter = run.allowance.meter
    if run.outside.plays(AGENT, meter):
        usage = meter.usage(AGENT, run.outside.own or "")
        if terms.trusted:
            usage.unmetered, usage.cost = 1, None


def _check(command: Command, digest: str) -> None:
    if command.identity() != digest:
        raise DrrError(
            f"variant {command.name!r}: a file that it names was edited while the study ran: run the study again"
        )


async def _run(run: AgentRun, place: CommandPlace, door: CommandServer, terms: CommandTerms) -> ProcessEnd:
    """Wait until the command ends, or until an error ends the unit."""
    seconds = run.limits.seconds
    if seconds is not None:
        seconds = max(0.0, run.allowance.started + seconds - run.allowance.now())
    environment = environment_of(run, door, place, terms, seconds)
    running = asyncio.ensure_future(place.run(environment, _notes(run), seconds))
    broken = asyncio.ensure_future(door.wait_for_error())
    try:
        await asyncio.wait({running, broken}, return_when=asyncio.FIRST_COMPLETED)
        if broken.done():
            await broken
        return await running
    finally:
        for task in (running, broken):
            task.cancel()
        await asyncio.gather(running, broken, return_exceptions=True)


def _notes(run: AgentRun) -> str:
    """Return the question as JSON for standard input, with the same facts that a built-in agent gets."""
    document = {
        "schema": 1,
        "id": run.outside.query_id if run.has_records else None,
        "text": run.query,
        "today": run.as_of,
        "user_id": run.user_id,
        "person": run.person or None,
        **({"language": run.tools.language} if run.tools.language else {}),
    }
    return json.dumps(document, ensure_ascii=False) + "\n"


def environment_of(
    run: AgentRun, door: CommandServer, place: CommandPlace, terms: CommandTerms, seconds: float | None
) -> dict[str, str]:
    """Return all environment variables of the command; none are inherited from this process."""
    environment = {
        "PATH": search_path(),
        "HOME": str(Path.home()) if terms.trusted else place.folder,
        "TMPDIR": place.folder if terms.trusted else "/tmp",  # noqa: S108 - its own
        "LANG": "C.UTF-8",
        "DRR_MCP_URL": f"{door.address}/mcp",
        "DRR_MCP_TOKEN": door.token,
        "DRR_MODEL": run.agent.name,
        "OPENAI_BASE_URL": f"{door.address}/v1",
        "OPENAI_API_KEY": door.token,
        "ANTHROPIC_BASE_URL": door.address,
        "ANTHROPIC_API_KEY": door.token,
        "NO_PROXY": "127.0.0.1,localhost",
    }
    if seconds is not None:
        environment["DRR_DEADLINE"] = str(int(time.time() + seconds))
    return environment


def _report(ended: ProcessEnd, output: str, terms: CommandTerms) -> str:
    if ended.code < 0:
        name = signal.Signals(-ended.code).name if -ended.code in set(signal.Signals) else str(-ended.code)
        raise ProgramFailure("agent_signal", f"the command was ended by {name}{_last(output)}")
    if ended.code != 0:
        last = _last(output)
        hint = "" if terms.trusted else _hint(ended.code, last)
        raise ProgramFailure("agent_exit", f"the command ended with exit code {ended.code}{last}{hint}")
    if not ended.report.strip():
        raise ProgramFailure(
            "agent_no_report", f"the command printed no report on standard output{_last(output)}"
        )
    return ended.report


_LACKING = ("ModuleNotFoundError", "Cannot find module", os.strerror(errno.ENOENT))
"""Texts in the last line of standard error that tell of a missing file: of Python, Node and the system."""
_CUT_OFF = ("name resolution", "EAI_AGAIN", os.strerror(errno.ENETUNREACH))


def _hint(code: int, last: str) -> str:
    """Return a hint on how the sandbox may have caused the command's failure; empty for none."""
    if code == 127 or any(sign in last for sign in _LACKING):
        return (
            "; it starts in an empty folder and sees only what its command names and what `--agent-sees PATH` shows, "
            "each at its whole path"
        )
    if any(sign in last for sign in _CUT_OFF):
        return "; its only network is the server at DRR_MCP_URL, unless `--trust-agent` runs it as you"
    return ""


def _last(output: str) -> str:
    """Return the last line of standard error, which often says why a command failed."""
    lines = output.split("\n")
    line = next((one.strip() for one in reversed(lines) if one.strip()), "")
    return f": {line[:_LAST_WORDS]}" if line else ""
