"""Adapts the tools to LangChain and LangGraph: text to the model, the `Answer` as artifact, the context through `ToolRuntime`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from drr.env.json_object import JsonObject
from drr.tools.base import ToolAnswer, ToolContext, ToolError
from drr.tools.registry import EVERY, TOOLS, call, call_blocking
from drr.tools.spec import Tool
from drr.wording.currency import DOLLARS, Currency
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langgraph.prebuilt import ToolRuntime

ContextOf = Callable[[Any], ToolContext]


def _own(context: Any) -> ToolContext:
    if not isinstance(context, ToolContext):
        raise TypeError(
            f"the graph's context is a {type(context).__name__}; pass context_of to langchain_tools"
        )
    return context


def langchain_tools(
    names: Iterable[str] | None = None, *, context_of: ContextOf = _own, currency: Currency = DOLLARS
) -> list[BaseTool]:
    """Return the named tools (default: the nine). `context_of` finds the `ToolContext` in the context of a graph's invocation; `currency` is the shop's.

    The model sees our own schema, and our own validation answers wrong arguments, so that a call gives the same text
    as everywhere else. A `ToolError` becomes a `ToolMessage` with status `error`; any other exception propagates.
    """
    return [
        _wrap(EVERY[name].in_currency(currency), context_of) for name in (TOOLS if names is None else names)
    ]


class _Whole(StructuredTool):
    """Passes the model's arguments in one piece: as keywords, one called `self` or `config` would collide."""

    def _to_args_and_kwargs(
        self, tool_input: str | JsonObject, tool_call_id: str | None
    ) -> tuple[tuple[Any, ...], JsonObject]:
        arguments = dict(tool_input) if isinstance(tool_input, dict) else {"input": tool_input}
        return (), {"runtime": arguments.pop("runtime", None), "arguments": arguments}


def _wrap(tool: Tool, context_of: ContextOf) -> BaseTool:
    def run(runtime: ToolRuntime[Any, Any], arguments: JsonObject) -> tuple[str, ToolAnswer]:
        try:
            answer = call_blocking(tool.name, arguments, context_of(runtime.context))
        except ToolError as error:
            raise ToolException(error.text) from error
        return answer.text, answer

    async def arun(runtime: ToolRuntime[Any, Any], arguments: JsonObject) -> tuple[str, ToolAnswer]:
        try:
            answer = await call(tool.name, arguments, context_of(runtime.context))
        except ToolError as error:
            raise ToolException(error.text) from error
        return answer.text, answer

    return _Whole(
        name=tool.name,
        description=tool.description,
        args_schema=tool.schema,
        func=run,
        coroutine=arun,
        response_format="content_and_artifact",
        handle_tool_error=True,
        metadata={"writes": tool.writes},
    )
