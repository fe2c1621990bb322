"""Plan-to-Function: one planning turn names every call, the calls run in order, and the report is written from their results."""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Sequence
from functools import cache, partial
from typing import Annotated, Any, Literal, TypedDict

from drr.agents.base import CallError, CallKind, Ending, StopReason, ToolSchema
from drr.agents.brief import PlanRequest
from drr.agents.run_state import MAIN, AgentRun, file_names, has_shop
from drr.agents.turns import ask_again_once, broken_off, report_afresh
from drr.env.json_object import JsonObject
from drr.env.records.lines import one_line
from drr.env.text import tokens
from drr.llm.failures import ModelFailure
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command
from pydantic import BaseModel, ConfigDict, Field


class PlannedCall(BaseModel):
    model_config = ConfigDict(extra="forbid")

    tool: str = Field(description="Name of the tool")
    arguments: str = Field(description="The arguments: a JSON object, written as a string")


class CallPlan(BaseModel):
    model_config = ConfigDict(extra="forbid", title="Plan")

    plan: str = Field(description="The plan, in a few sentences")
    calls: list[PlannedCall] = Field(description="The calls, in the order in which they shall run")


class PlanState(TypedDict):
    calls: list[PlannedCall]
    results: Annotated[list[Any], operator.add]
    """The data of each call that ran, in order; `None` for a failed call."""
    stop: StopReason
    report: str


async def plan(state: PlanState, runtime: Runtime[AgentRun]) -> Command[Literal["call", "report"]]:
    run = runtime.context
    references = run.prompts["planner_references"].text.rstrip() if _references(run) else ""
    system = run.system(
        "planner",
        calls=str(run.limits.planned_calls),
        references=references,
        tools=tool_descriptions(run.schemas),
    )
    files, money = tuple(file_names(run)), run.tools.money
    brief = PlanRequest(run.query, _references(run), run.has_records, files, has_shop(run), money)

    async def planned_calls() -> CallPlan:
        asked = [system, HumanMessage(run.asked)]
        return await ask_again_once(
            run, "agent", partial(run.structured, "agent", asked, CallPlan, brief=brief)
        )

    try:
        planned = await planned_calls()
        in_vain = not any(_arguments(one) is not None for one in planned.calls)
        if in_vain and run.names and not run.once_more and not run.agent.rule_written:
            what = IN_VAIN[bool(planned.calls)]
            run.ask_once_more(f"no_research, {what}")
            run.once_more += f" Last time {what}."
            planned = await planned_calls()
    except ModelFailure as failure:
        none = broken_off(run, "agent", failure, known=False)
        if none is None:
            raise
        return Command(update={"stop": none}, goto="report")
    run.tell("turn", MAIN, planned.plan)
    kept = planned.calls[: run.limits.planned_calls]
    for extra in planned.calls[run.limits.planned_calls :]:
        _skip_one(run, extra, f"Not run: a plan may hold {run.limits.planned_calls} calls.", "not_allowed")
    stop: StopReason = "planned" if kept == planned.calls else "tool_call_limit"
    return Command(update={"calls": kept, "stop": stop}, goto="call" if kept else "report")


async def call(state: PlanState, runtime: Runtime[AgentRun]) -> Command[Literal["call", "report"]]:
    run, done = runtime.context, len(state["results"])
    if reached := run.allowance.reached():
        return _skip(run, state["calls"][done:], reached)
    try:
        data = await _run(run, state["calls"][done], state["results"])
    except ModelFailure as failure:  # of the model that summarises pages
        stop = broken_off(run, "agent", failure, known=any(one is not None for one in state["results"]))
        if stop is None:
            raise
        return _skip(run, state["calls"][done:], stop)
    return Command(update={"results": [data]}, goto="call" if done + 1 < len(state["calls"]) else "report")


def _skip(
    run: AgentRun, calls: Sequence[PlannedCall], stop: StopReason
) -> Command[Literal["call", "report"]]:
    for skipped in calls:
        _skip_one(run, skipped, f"Not run: {stop.replace('_', ' ')}.", "not_allowed")
    return Command(update={"stop": stop}, goto="report")


async def report(state: PlanState, runtime: Runtime[AgentRun]) -> dict[str, str]:
    run = runtime.context
    run.tell("report", MAIN, "writing the report")
    return {"report": await report_afresh(run)}


@cache
def graph() -> CompiledStateGraph[PlanState, AgentRun, PlanState, PlanState]:
    return (
        StateGraph(PlanState, context_schema=AgentRun)
        .add_node("plan", plan)
        .add_node("call", call)
        .add_node("report", report)
        .add_edge(START, "plan")
        .compile(name="plan-to-function")
    )


async def answer(run: AgentRun) -> Ending:
    start: PlanState = {"calls": [], "results": [], "stop": "planned", "report": ""}
    config: RunnableConfig = {"recursion_limit": run.limits.planned_calls + 4}
    end = await graph().ainvoke(start, config, context=run)
    return Ending(end["report"], end["stop"])


def _references(run: AgentRun) -> bool:
    """Tell whether an argument of a planned call may refer to the result of an earlier call."""
    return bool(run.settings["references"])


async def _run(run: AgentRun, planned: PlannedCall, results: list[Any]) -> Any:
    arguments = _arguments(planned)
    if arguments is None:
        _skip_one(run, planned, f"Not run: {NO_OBJECT}.", "invalid")
        return None
    if _references(run):
        try:
            arguments = resolve_references(arguments, results)
        except LookupError as error:
            _skip_one(run, planned, f"Not run: {error.args[0]}", "invalid", arguments)
            return None
    _, answer = await run.run_call(planned.tool, arguments, run.tools_on(run.query), run.names)
    return None if answer is None else answer.data


NO_OBJECT = "the arguments are no JSON object"
IN_VAIN = ("the plan holds no call", f"in the plan, {NO_OBJECT}")
"""Reasons for which the plan is asked for a second time."""


def _arguments(planned: PlannedCall) -> JsonObject | None:
    """Return the arguments of a planned call; `None` where they are not a JSON object."""
    try:
        arguments = json.loads(planned.arguments)
    except (ValueError, RecursionError):
        return None
    return arguments if isinstance(arguments, dict) else None


def _skip_one(
    run: AgentRun, planned: PlannedCall, why: str, kind: str, arguments: JsonObject | None = None
) -> None:
    given = {"arguments": planned.arguments} if arguments is None else arguments
    known: CallKind = "refused" if planned.tool in run.names else "unknown"
    run.record(MAIN, planned.tool, given, why, known, CallError(kind=kind, message=why))


def tool_descriptions(schemas: Sequence[ToolSchema]) -> str:
    """Return the tools' descriptions as text. No tool is bound while planning, so that none can be called before the plan is complete."""
    return "\n\n".join(
        f"### {tool['function']['name']}\n{tool['function']['description']}\n"
        f"{json.dumps(tool['function']['parameters'], ensure_ascii=False)}"
        for tool in schemas
    )


# A path is needed after the number, so that "$40" and "$1.50" stay sums of money.
_REFERENCE = re.compile(r"\$(\d{1,3})((?:\.[A-Za-z_]\w*|\[[^\[\]]{1,100}\])+)")
_STEP = re.compile(r"\.([A-Za-z_]\w*)|\[([^\[\]]+)\]")


def resolve_references(value: Any, results: list[Any]) -> Any:
    """Replace each `$K.PATH` in a value by the result of call K. A string that is only a reference takes the type of the result."""
    if isinstance(value, dict):
        return {name: resolve_references(part, results) for name, part in value.items()}
    if isinstance(value, list):
        return [resolve_references(part, results) for part in value]
    if not isinstance(value, str):
        return value
    if whole := _REFERENCE.fullmatch(value):
        return _follow(whole, results)
    return _REFERENCE.sub(lambda match: str(_follow(match, results)), value)


def _follow(reference: re.Match[str], results: list[Any]) -> Any:
    number = int(reference[1])
    if not 1 <= number <= len(results):
        raise LookupError(f"{reference[0]} refers to call {number}, which is not an earlier call.")
    value = results[number - 1]
    if value is None:
        raise LookupError(f"{reference[0]} refers to call {number}, which failed.")
    for name, item in _STEP.findall(reference[2]):
        try:
            value = value[name] if name else value[int(item) if item.isdecimal() else _titled(value, item)]
        except (AttributeError, KeyError, IndexError, TypeError):
            raise LookupError(f"{reference[0]}: the result of call {number} has nothing there.") from None
    if value is None:
        # Passed on, it would count as an argument left out, and the call would look up something else.
        raise LookupError(f"{reference[0]} is unknown in the result of call {number}.")
    return value


def _titled(items: list[JsonObject], words: str) -> int:
    """Return the place of the item whose title shares the most of these words. Raises `LookupError` where none shares a word."""
    wanted = set(tokens(words))
    shared = [len(wanted & set(tokens(item.get("title") or ""))) for item in items]
    if not any(shared):
        raise LookupError(f"no title among the results has a word of {one_line(words, 60)!r}.")
    return shared.index(max(shared))
