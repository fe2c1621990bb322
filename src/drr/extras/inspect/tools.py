"""The shop's tools in Inspect's form: the same names, schemas and texts, with each call recorded in its run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from drr.agents.base import CallError, CallKind, FunctionSchema, ToolSchema
from drr.agents.run_state import MAIN, AgentRun
from drr.env.errors import DrrError
from drr.tools.registry import TOOLS

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage
    from inspect_ai.tool import Tool


@dataclass(frozen=True)
class RunPlace:
    """The run that a tool call belongs to, and a callback for errors that end the run."""

    run: AgentRun
    broken: Callable[[Exception], None] = lambda error: None


_PLACE: ContextVar[RunPlace | None] = ContextVar("drr_place", default=None)
"""The run of the current task, where a variant is answering."""
_SAMPLES: dict[str, RunPlace] = {}
"""The runs of the current samples in an evaluation by Inspect."""
PLACE = "drr:run"
"""The key of the run's name in a sample's store, which is available wherever an agent's calls are made."""


def enter(place: RunPlace) -> None:
    """Let all later tool calls of this task belong to a run."""
    _PLACE.set(place)


def begin_sample(name: str, run: AgentRun) -> None:
    _SAMPLES[name] = RunPlace(run)


def end_sample(name: str) -> None:
    _SAMPLES.pop(name, None)


def place_here() -> RunPlace | None:
    from inspect_ai.util import store

    return _PLACE.get() or _SAMPLES.get(store().get(PLACE) or "")


def shop_tools() -> list[Tool]:
    """Return the tools of the current run; without one (a solver that is being made), all nine.

    In either case a call belongs to the run or sample in which it is made.
    """
    place = place_here()
    if place is not None:
        return tools_of(place.run.schemas)
    from drr.agents.runner import schemas

    return tools_of(schemas())


def tools_of(schemas: Sequence[ToolSchema]) -> list[Tool]:
    return [_tool(schema["function"]) for schema in schemas]


def note_refused(run: AgentRun, messages: Sequence[ChatMessage]) -> None:
    """Record the calls that Inspect rejected for bad arguments or unknown names, in their order among the recorded calls."""
    tools = [message for message in messages if message.role == "tool"]
    asked = {call.id: call for one in messages if one.role == "assistant" for call in one.tool_calls or ()}
    ran = len(run.calls.get(MAIN, ()))
    for message in tools:
        call = asked.get(message.tool_call_id or "")
        if call is None or (message.error is None or message.error.type != "parsing"):
            ran -= call is not None and call.function in run.names
            continue
        known, text = call.function in run.names, message.error.message
        error = CallError(kind="invalid" if known else "not_found", message=text)
        kind: CallKind = "refused" if known else "unknown"
        run.record(MAIN, call.function, call.arguments, text, kind, error, later=max(0, ran))


def _tool(function: FunctionSchema) -> Tool:
    from inspect_ai.tool import ToolDef, ToolError, ToolParams

    name = function["name"]

    async def call_tool(**kwargs: Any) -> str:
        place = place_here()
        if place is None:
            raise DrrError(
                f"{name}: called where no question of ours is being answered; run it under `inspect eval drr/retail`"
                " or as a variant of `drr run`"
            )
        run = place.run
        try:
            call, _ = await run.run_call(name, kwargs, run.tools_on(run.query), run.names)
        except Exception as error:
            place.broken(error)
            raise
        if not call.ok:
            raise ToolError(call.result)
        return call.result

    made = ToolDef(
        call_tool,
        name=name,
        description=function["description"],
        parameters=ToolParams.model_validate(function["parameters"]),
        parallel=not TOOLS[name].writes,
        max_output=0,  # the text is the tool's own and must not be cut, because the record has all of it
    )
    return made.as_tool()
