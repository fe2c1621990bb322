"""The door of a command to its run: calls of tools, recorded, and whatever ends the unit."""

from __future__ import annotations

import asyncio
import socket
from typing import get_args

from drr.agents.base import StopReason
from drr.agents.run_state import AgentRun
from drr.env.errors import ProgramFailure
from drr.env.json_object import JsonObject
from drr.llm.failures import ModelFailure
from drr.tools.base import ErrorKind, ToolAnswer, ToolContext, ToolError
from drr.tools.guard import new_token

MOST_REFUSED = 200
"""Calls that a command may go on making after its limit; one that does not listen at all is ended."""
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
        self.failure: ModelFailure | None = None
        """Why the last request for the model has no answer."""
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
