"""Runs agents of other packages: an async function `(query, tools, model, budget) -> report`, run like a built-in agent.

Its tool calls, evidence and model calls are recorded like those of a built-in agent, because the tools and models that the
function gets are those of the run.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, cast

from drr.agents.base import AGENT, MOST_REPORT, Ending, FunctionSchema
from drr.agents.brief import Brief, ReportRequest, ResearchRequest
from drr.agents.run_state import AgentRun
from drr.env.errors import DrrError, ProgramFailure
from drr.llm.failures import ModelFailure
from drr.llm.role import NO_DEMAND, Demand, RoleModel, Schema, forced_tool
from drr.tools.base import ErrorKind, ToolAnswer, ToolError
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool, StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field

_NEED_NOT_BE = {"tool": "a forced tool is", "stop": "where to stop is"}
"""Demands on a model's reply that an agent can do without, with words for a note."""


class Question(str):
    """The text of the question with the facts given of the person. Its attributes hold the user's id and the date in the shop."""

    user_id: str
    """The user's id; empty where the setting withholds it."""
    as_of: str
    task: str
    """The question without the facts on the person."""
    person: str
    """The facts given of the person; empty where there are none."""

    @classmethod
    def of(cls, run: AgentRun) -> Question:
        question = cls(run.asked)
        question.user_id, question.as_of = run.user_id or "", run.as_of
        question.task, question.person = run.query, run.person
        return question


def run_of(name: str, function: Any) -> Callable[[AgentRun], Awaitable[Ending]]:
    if not callable(function):
        raise DrrError(
            f"plug-in variant {name!r}: {type(function).__name__} is no function; give an async function"
        )

    async def answer(run: AgentRun) -> Ending:
        return await ending_of(
            name, function, Question.of(run), tools_of(run), RunChatModel.of(run), run.allowance
        )

    return answer


async def ending_of(name: str, function: Any, *given: Any) -> Ending:
    """Call an agent's function and return its report. One that is too large to be read is refused."""
    made = function(*given)
    report = await made if inspect.isawaitable(made) else made
    ending = report if isinstance(report, Ending) else Ending(report, "finalized")
    if not isinstance(ending.report, str):
        raise DrrError(f"plug-in variant {name!r} returned no report; return its text")
    if len(ending.report) > MOST_REPORT or len(ending.report.encode(errors="replace")) > MOST_REPORT:
        raise ProgramFailure(
            "agent_output", f"the agent returned a report of more than {MOST_REPORT:,} bytes"
        )
    return ending


def tools_of(run: AgentRun) -> list[BaseTool]:
    """Return the run's tools as LangChain tools whose calls are recorded."""
    return [_tool(run, schema["function"]) for schema in run.schemas]


def _tool(run: AgentRun, function: FunctionSchema) -> BaseTool:
    name = function["name"]

    async def call_tool(**arguments: Any) -> tuple[str, ToolAnswer]:
        call, answer = await run.run_call(name, arguments, run.tools_on(run.query), run.names)
        error = (
            None if call.error is None else ToolError(cast("ErrorKind", call.error.kind), call.error.message)
        )
        return call.result, answer or ToolAnswer(call.result, error=error)

    return StructuredTool(
        name=name,
        description=function["description"],
        args_schema=function["parameters"],
        coroutine=call_tool,
        response_format="content_and_artifact",
    )


def check_messages(messages: Sequence[BaseMessage]) -> None:
    for number, message in enumerate(messages, 1):
        if not isinstance(message, BaseMessage):
            raise DrrError(
                f"model.reply: message {number} is a {type(message).__name__}; give messages of langchain_core.messages,"
                " such as SystemMessage(...) and HumanMessage(...); `model.ainvoke` takes other forms too"
            )


class RunChatModel(BaseChatModel):
    """A model of the run as LangChain's chat model, for agents of other libraries. Its calls are counted, paid from the run's budget and recorded.

    The class answers `ainvoke` only. It is a `RoleModel` of this package too, so that an agent can use it either way. A conversation that
    goes on is recognised by the identity of its messages. The brief for a stand-in is derived from the request: one with tools is research, one
    without is for the report.
    """

    run: Any
    """The `AgentRun` whose model this is."""
    role: str = AGENT
    seen: Any = Field(default_factory=list)
    """The conversations of every role so far. The message objects themselves are kept, because copies would not be recognised."""
    untaken: Any = Field(default_factory=set)
    """Pairs of a role and a demand that the role's model rejects."""

    @classmethod
    def of(cls, run: AgentRun, role: str = AGENT, **given: Any) -> RunChatModel:
        return cls(run=run, role=role, name=run.models[role].name, **given)

    @property
    def rule_written(self) -> bool:
        return bool(self.run.models[self.role].rule_written)

    def of_role(self, role: str) -> RunChatModel:
        """Return the model of another role, which the agent's function must declare."""
        if role not in self.run.models:
            raise DrrError(f"role {role!r} is not declared; put it into the function's `roles`")
        return self.of(self.run, role, seen=self.seen, untaken=self.untaken)

    async def reply(
        self,
        messages: Sequence[BaseMessage],
        *,
        tools: Sequence[Any] = (),
        brief: Brief | None = None,
        demand: Demand = NO_DEMAND,
    ) -> AIMessage:
        """Return the model's next message. Where the model rejects a forced tool or stop texts, the request is repeated without them."""
        run: AgentRun = self.run
        check_messages(messages)
        if brief is None:
            brief = (
                ResearchRequest(run.query, run.tools.money)
                if tools
                else ReportRequest(run.query, run.evidence())
            )
        conversation, untaken = self._conversation(messages), dict[tuple[str, str], ModelFailure]()
        for name in _NEED_NOT_BE:
            if (self.role, name) in self.untaken:
                demand = demand.without(name)
        while True:
            try:
                reply = await run.speak(
                    conversation, messages, tools, brief=brief, role=self.role, demand=demand
                )
            except ModelFailure as failure:
                left = [name for name in _NEED_NOT_BE if getattr(demand, name)]
                if failure.kind != "bad_request" or not left:
                    raise
                untaken[self.role, left[0]], demand = failure, demand.without(left[0])
            else:
                self.untaken |= {*untaken}
                run.notes += [
                    f"{role}: {_NEED_NOT_BE[name]} left to the model, which was asked in vain ({str(why)[:200]})"
                    for (role, name), why in untaken.items()
                ]
                return reply

    async def count(self, messages: Sequence[BaseMessage], *, tools: Sequence[Any] = ()) -> int | None:
        model: RoleModel = self.run.models[self.role]
        return await model.count(messages, tools=tools)

    async def structured(
        self, messages: Sequence[BaseMessage], schema: type[Schema], *, brief: Brief | None = None
    ) -> Schema:
        run: AgentRun = self.run
        return await run.structured(
            self._conversation(messages), messages, schema, brief=brief, role=self.role
        )

    def _conversation(self, messages: Sequence[BaseMessage]) -> str:
        for number, seen in enumerate(self.seen, 1):
            if len(seen) <= len(messages) and all(a is b for a, b in zip(seen, messages, strict=False)):
                self.seen[number - 1] = list(messages)
                return f"conversation {number}"
        self.seen.append(list(messages))
        return f"conversation {len(self.seen)}"

    @property
    def _llm_type(self) -> str:
        return "drr"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: Any = None,
        **given: Any,
    ) -> Runnable[Any, AIMessage]:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], tool_choice=tool_choice)

    async def _agenerate(
        self, messages: list[BaseMessage], stop: list[str] | None = None, *_: Any, **given: Any
    ) -> ChatResult:
        demand = Demand(forced_tool(given.get("tool_choice")), tuple(stop or ()))
        answer = await self.reply(messages, tools=given.get("tools", ()), demand=demand)
        return ChatResult(generations=[ChatGeneration(message=answer)])

    def _generate(self, messages: list[BaseMessage], *_: Any, **given: Any) -> ChatResult:
        raise NotImplementedError("a run is asynchronous; use `await agent.ainvoke(...)`")
