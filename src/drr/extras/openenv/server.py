"""A shop as an OpenEnv server: each session is an episode of its own, whose actions are calls of tools."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drr import Environment
from drr.env.errors import DrrError, Misuse
from drr.env.json_object import JsonObject
from drr.env.query import read_queries
from drr.plugin import action_of, given_tools, instructions_of
from drr.tools.guard import TokenGuard, checked_token, new_token
from openenv.core.env_server import interfaces, types
from openenv.core.env_server.http_server import create_fastapi_app
from openenv.core.env_server.mcp_types import (
    CallToolAction,
    CallToolObservation,
    ListToolsAction,
    ListToolsObservation,
    Tool,
)
from pydantic import Field

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

SESSIONS = 512
"""The default for the largest number of concurrent sessions."""
IDLE_S = 900.0
"""Seconds after which a silent session is closed: as long as an episode lasts."""
VARIABLE = "DRR_OPENENV_TOKEN"
HINT = f"send `Authorization: Bearer TOKEN` or ask /t/TOKEN, with the token of {VARIABLE} or the one that was printed"


class RetailStart(types.Observation):
    """All that an agent is shown first."""

    question: str
    user_id: str
    today: str
    instructions: str
    tools: list[JsonObject] = Field(description="All tools, as `tools/list` gives them.")
    max_steps: int
    time_limit_s: float


class RetailState(types.State):
    """Standing of a session; nothing of it is for the agent."""

    query_id: str | None = None
    ending: str | None = None


class RetailEnvironment(interfaces.Environment):
    """A session. Questions are chosen by seed, or by the id of a given one."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.own = Environment(**options)
        self._episode_id: str | None = None
        self._taken = 0

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        query: str | None = None,
        **_: Any,
    ) -> RetailStart:
        first = self.own.reset(seed, query)
        self._episode_id, self._taken = episode_id, 0
        return RetailStart(
            question=first.question,
            user_id=first.user_id,
            today=first.today,
            instructions=instructions_of(self.own.task),
            tools=[tool.model_dump() for tool in self._tools()],
            max_steps=first.limits.max_steps,
            time_limit_s=first.limits.time_limit_s,
        )

    def step(self, action: Any, timeout_s: float | None = None, **_: Any) -> Any:
        """Call a tool or list them. The reward comes with the last observation, and what made it in its metadata."""
        if isinstance(action, ListToolsAction):
            self._taken += 1
            return ListToolsObservation(tools=self._tools(), reward=0.0)
        seen, reward, done, info = self.own.step(action_of(action.tool_name, action.arguments))
        self._taken += 1
        return CallToolObservation(
            tool_name=action.tool_name,
            result=seen.text,
            done=done,
            reward=reward,
            metadata=dict(info) if done else {"steps_left": seen.steps_left},
        )

    def _tools(self) -> list[Tool]:
        given = given_tools(self.own.task)
        return [Tool(name=one.name, description=one.description, input_schema=one.schema) for one in given]

    @property
    def state(self) -> RetailState:
        now = self.own.state
        return RetailState(
            episode_id=self._episode_id,
            step_count=self._taken,
            query_id=now["query_id"],
            ending=now["ending"],
        )

    def get_metadata(self) -> types.EnvironmentMetadata:
        about = "Questions of shoppers that code can check, the tools of a shop, and a report that is paid"
        return types.EnvironmentMetadata(name="drr_retail", description=about, version="1")

    def close(self) -> None:
        self.own.close()


def shop_application(
    token: str, sessions: int = SESSIONS, idle_s: float = IDLE_S, *, anywhere: bool = False, **options: Any
) -> ASGIApp:
    """Return the application of a shop, for any ASGI server; `options` are the options of `drr.Environment`."""
    app = create_fastapi_app(
        partial(RetailEnvironment, **options),
        CallToolAction,
        CallToolObservation,
        concurrency_config=types.ConcurrencyConfig(max_concurrent_envs=sessions, session_timeout=idle_s),
        env_name="drr_retail",
        state_cls=RetailState,
        reset_observation_cls=RetailStart,
    )

    async def patient(scope: Scope, receive: Receive, send: Send) -> None:
        async def heard() -> Message:
            try:
                async with asyncio.timeout(idle_s):
                    return await receive()
            except TimeoutError:
                return {"type": "websocket.disconnect", "code": 1001}

        await app(scope, heard if scope["type"] == "websocket" else receive, send)

    return TokenGuard(patient, token, message=HINT, by_address=True, anywhere=anywhere)


def _token(host: str, *, anywhere: bool) -> str:
    if VARIABLE in os.environ:
        return checked_token(os.environ[VARIABLE], VARIABLE)
    if anywhere:
        raise Misuse(f"--host {host}: other machines reach it; set {VARIABLE} to a long random word")
    return new_token()


def main(words: Sequence[str] | None = None) -> int:
    """Serve until Ctrl-C."""
    import uvicorn
    from drr.plugin import PatientProtocol

    parser = argparse.ArgumentParser(prog="python -m drr.extras.openenv.server", description=__doc__)
    parser.add_argument("--shop", required=True, help="folder of the shop, or servers:NAME")
    parser.add_argument("--queries", help="JSONL of checkable questions; without it they are made, by seed")
    parser.add_argument("--sandbox", help="folder of the web (default: made with the shop, else in the box)")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument("--port", type=int, default=8000, help="port (default: %(default)s)")
    parser.add_argument("--sessions", type=int, default=SESSIONS, help="most at once (default: %(default)s)")
    parser.add_argument(
        "--max-steps", type=int, default=60, help="steps of an episode (default: %(default)s)"
    )
    given = parser.parse_args(words)
    try:
        if not 0 <= given.port <= 65535:
            raise Misuse(f"--port {given.port}: a port is a number from 0 to 65535")
        if given.sessions < 1:
            raise Misuse(f"--sessions {given.sessions}: must be 1 or more")
        anywhere = given.host not in ("127.0.0.1", "localhost", "::1")
        token = _token(given.host, anywhere=anywhere)
        queries = read_queries(Path(given.queries)) if given.queries else None
        options = {
            "shop": given.shop,
            "queries": queries,
            "sandbox": given.sandbox,
            "max_steps": given.max_steps,
        }
        with Environment(**options):  # keeps the shop open, and reports errors before the first call
            if VARIABLE not in os.environ:
                print(f"serving http://127.0.0.1:{given.port}/t/{token}", file=sys.stderr, flush=True)
            app = shop_application(token, given.sessions, anywhere=anywhere, **options)
            uvicorn.run(
                app,
                host=given.host,
                port=given.port,
                log_level="warning",
                access_log=False,
                http=PatientProtocol,
            )
    except DrrError as error:
        print(f"drr: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
