"""The door of a command to its run: records the command's tool calls and any error that ends the unit."""

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
"""Maximum number of refused requests after a limit is reached; one more ends the command."""
_KINDS: tuple[ErrorKind, ...] = get_args(ErrorKind)


class CommandServer:
    """The server's state for one command: its token, address, tool calls, and the error that ends the unit."""

    def __init__(self, run: AgentRun, listening: socket.socket) -> None:
        self.run = run
        self.token = new_token()
        self.address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        self._broken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._refused = 0
        self.limit: StopReason | None = None
        """The limit for which a request to the model was refused."""
        self.failure: ModelFailure | None = None
        """The failure of the last request to the model."""
        self._answers: dict[str, ToolAnswer] = {}

    async def wait_for_error(self) -> None:
        """Wait for an error that ends the unit, and raise it."""
        await asyncio.shield(self._broken)

    def break_off(self, error: BaseException) -> None:
        if not self._broken.done():
            self._broken.set_exception(error)

    def count_refusal(self) -> None:
        """Count a refused request, and break the unit off where there are too many."""
        self._refused += 1
        if self._refused > MOST_REFUSED:
            self.break_off(
                ProgramFailure(
                    "agent_flood",
                    f"the command asked {MOST_REFUSED} times for what its limits had refused; it was ended",
                )
            )

    def answer_of(self, text: str) -> ToolAnswer | None:
        """Return the tool's answer with this text, for a stand-in that needs it as a record."""
        return self._answers.get(text)

    async def call(self, name: str, arguments: JsonObject, _: ToolContext) -> ToolAnswer:
        """Run a tool for the command and record the call like that of a built-in agent."""
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
            self.count_refusal()
        outcome = "invalid" if call.error is None else call.error.kind
        kind = next((one for one in _KINDS if one == outcome), _KINDS[1])
        raise _Recorded(kind, call.result)


class _Recorded(ToolError):
    """A failed call, with the same text that was recorded."""

    @property
    def text(self) -> str:
        return self.message
