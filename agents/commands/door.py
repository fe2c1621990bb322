"""The one door of a running command. It leads to the run's tools over MCP and its model, for the owner of the
unit's token, while the unit lasts."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, get_args

from drr.agents.base import StopReason
from drr.agents.running import AgentRun
from drr.env.errors import ProgramFailure
from drr.env.json_object import JsonObject
from drr.tools.base import ErrorKind, ToolAnswer, ToolContext, ToolError
from drr.tools.guard import TokenGuard, new_token

if TYPE_CHECKING:
    from drr.tools.mcp import ShopServer
    from starlette.types import ASGIApp, Receive, Scope, Send

MOST_CONNECTIONS = 64
MOST_REQUESTS = 20_000
MOST_CALL = 256_000
"""Bytes of a request over MCP."""
MOST_REFUSED = 200
"""Calls that a command may go on making after its limit; one that does not listen at all is ended."""
_HOW_TO_ENTER = "send `Authorization: Bearer TOKEN` with the token of DRR_MCP_TOKEN"
_KINDS: tuple[ErrorKind, ...] = get_args(ErrorKind)


class Door:
    """Serves on the place's socket. What ends the unit whatever the command does is raised by `broken`."""

    def __init__(self, run: AgentRun, listening: socket.socket) -> None:
        self.run = run
        self.token = new_token()
        self.address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        self._broken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._refused = 0
        self.limit: StopReason | None = None
        """The limit at which the model was refused."""
        self._answers: dict[str, ToolAnswer] = {}

    async def broken(self) -> None:
        """Waits until something is wrong with the unit itself, and raises it."""
        await asyncio.shield(self._broken)

    def break_off(self, error: BaseException) -> None:
        if not self._broken.done():
            self._broken.set_exception(error)

    def refused(self) -> None:
        """One more thing was asked for that is over its limit."""
        self._refused += 1
        if self._refused > MOST_REFUSED:
            self.break_off(
                ProgramFailure(
                    "agent_flood",
                    f"the command asked {MOST_REFUSED} times for what its limits had refused; it was ended",
                )
            )

    def answer_of(self, text: str) -> ToolAnswer | None:
        """Find the answer of a tool by these words: a stand-in for a model goes by records."""
        return self._answers.get(text)

    async def call(self, name: str, arguments: JsonObject, _: ToolContext) -> ToolAnswer:
        """A tool of the run, recorded as its own agents' calls are."""
        run = self.run
        try:
            call, answer = await run.run_call(name, arguments, run.tools_on(run.query), run.names)
        except Exception as error:
            self.break_off(error)
            raise ToolError("unavailable", "This question cannot be gone on with.") from error
        if answer is not None:
            self._answers[call.result] = answer
            return answer
        if call.kind != "api":
            self.refused()
        outcome = "invalid" if call.error is None else call.error.kind
        kind = next((one for one in _KINDS if one == outcome), _KINDS[1])
        raise _Recorded(kind, call.result)


class _Recorded(ToolError):
    """A call that failed, in the words that the record has."""

    @property
    def text(self) -> str:
        return self.message


@asynccontextmanager
async def open_door(run: AgentRun, listening: socket.socket) -> AsyncIterator[Door]:
    """Open until the context ends; every connection that is left is then cut."""
    from drr.agents.commands.proxy.service import ModelService
    from drr.tools.mcp import ShopServer
    from starlette.applications import Starlette

    door = Door(run, listening)
    with _own_logging():
        server = ShopServer(run.tools, log_level="ERROR", calling=door.call, names=run.names)
        mcp: Starlette = server.streamable_http_app(
            host="127.0.0.1", stateless_http=True, json_response=True, max_request_body_size=MOST_CALL
        )
    models = ModelService(door)
    app = _counted(door, TokenGuard(_both(mcp, models.app()), door.token, said=_HOW_TO_ENTER))
    async with _managed(server), _serving(app, listening):
        yield door
    models.note()
    if door._broken.done():
        door._broken.exception()  # raised already, or too late to matter


def _counted(door: Door, app: ASGIApp) -> ASGIApp:
    """Whatever is asked for costs this process time."""
    left = iter(range(MOST_REQUESTS))

    async def counted(scope: Scope, receive: Receive, send: Send) -> None:
        if next(left, None) is None:
            door.break_off(
                ProgramFailure("agent_flood", f"the command sent more than {MOST_REQUESTS:,} requests")
            )
        await app(scope, receive, send)

    return counted


def _both(mcp: ASGIApp, models: ASGIApp) -> ASGIApp:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await (models if scope.get("path", "").startswith("/v1/") else mcp)(scope, receive, send)

    return app


@asynccontextmanager
async def _managed(server: ShopServer) -> AsyncIterator[None]:
    """Manage the server. The SDK's sessions live in a task of their own, so that what ends the unit is not
    wrapped up in its group of errors."""
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
    """Serve without uvicorn's own server: that one takes over the process's signals and wakes ten times a second."""
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
    """A guard of logging. The SDK gives the root logger a handler of its own when a server is made; what runs
    here logs as it did before."""

    def __enter__(self) -> None:
        root = logging.getLogger()
        self._handlers, self._level = list(root.handlers), root.level

    def __exit__(self, *_: object) -> None:
        root = logging.getLogger()
        root.handlers[:], root.level = self._handlers, self._level
