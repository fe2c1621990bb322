"""Agents of other packages: an async function `(query, tools, model, budget) -> report` run as a unit of ours.

Whatever it is built with, its tool calls, its evidence and its model calls are recorded like those of our own, because the
tools and the model that it gets are the unit's.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from drr.agents.base import Ending
from drr.agents.unit import AgentRun, Allowance
from drr.env.errors import DrrError
from drr.llm.role import RoleModel, Schema
from drr.tools.base import ToolAnswer
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.tools import BaseTool, StructuredTool

PlugIn = Callable[["Question", list[BaseTool], RoleModel, Allowance], Awaitable[str | Ending]]


class Question(str):
    """The text of the question, which also knows whose it is and what day it is in the shop."""

    user_id: str
    as_of: str

    @classmethod
    def of(cls, unit: AgentRun) -> Question:
        question = cls(unit.query)
        question.user_id, question.as_of = unit.user_id, unit.as_of
        return question


def run_of(name: str, function: Any) -> Callable[[AgentRun], Awaitable[Ending]]:
    if not callable(function):
        raise DrrError(
            f"plug-in variant {name!r}: {type(function).__name__} is no function; give an async function"
        )

    async def run(unit: AgentRun) -> Ending:
        answer = function(Question.of(unit), tools_of(unit), Watched(unit), unit.budget)
        report = await answer if inspect.isawaitable(answer) else answer
        if isinstance(report, Ending):
            return report
        if not isinstance(report, str) or not report.strip():
            raise DrrError(f"plug-in variant {name!r} returned no report; return its text")
        return Ending(report, "finalized")

    return run


class Watched:
    """The unit's model, with each conversation kept. One that goes on is recognised by its own messages."""

    def __init__(self, unit: AgentRun) -> None:
        self._unit = unit
        self._seen: list[list[BaseMessage]] = []
        self.name = unit.agent.name
        self.role = unit.agent.role
        self.rule_written = unit.agent.rule_written

    async def reply(self, messages: Sequence[BaseMessage], *, tools: Sequence[Any] = ()) -> AIMessage:
        return await self._unit.speak(self._conversation(messages), messages, tools)

    async def structured(self, messages: Sequence[BaseMessage], schema: type[Schema]) -> Schema:
        return await self._unit.structured(self._conversation(messages), messages, schema)

    def _conversation(self, messages: Sequence[BaseMessage]) -> str:
        for number, seen in enumerate(self._seen, 1):
            if len(seen) <= len(messages) and all(a is b for a, b in zip(seen, messages, strict=False)):
                self._seen[number - 1] = list(messages)
                return f"conversation {number}"
        self._seen.append(list(messages))
        return f"conversation {len(self._seen)}"


def tools_of(unit: AgentRun) -> list[BaseTool]:
    """The nine as LangChain tools that record."""
    return [_tool(unit, schema["function"]) for schema in unit.schemas]


def _tool(unit: AgentRun, function: dict[str, Any]) -> BaseTool:
    name = function["name"]

    async def run(**arguments: Any) -> tuple[str, ToolAnswer | None]:
        call, answer = await unit.run_call(name, arguments, unit.tools_on(unit.query), unit.names)
        return call.result, answer

    return StructuredTool(
        name=name,
        description=function["description"],
        args_schema=function["parameters"],
        coroutine=run,
        response_format="content_and_artifact",
    )
