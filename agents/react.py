"""ReAct: one agent reasons and acts with the nine tools until it finalizes or a limit is reached, then writes the report."""

from __future__ import annotations

import operator
from functools import cache
from typing import Annotated, Literal, NotRequired, TypedDict

from drr.agents import loop
from drr.agents.base import Ending, StopReason
from drr.agents.brief import Reporting, Researching
from drr.agents.recovery import end_for, is_broken_off
from drr.agents.rendering import RESULTS
from drr.agents.running import MAIN, AgentRun
from drr.agents.writing import compose, in_place
from drr.llm.failures import ModelFailure
from langchain_core.messages import BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command


class ReactState(TypedDict):
    messages: Annotated[list[BaseMessage], operator.add]
    """The transcript. It only grows: `operator.add` cannot replace, as `add_messages` would."""
    steps: int
    stop: StopReason
    report: str


async def reason(state: ReactState, runtime: Runtime[AgentRun]) -> Command[Literal["act", "report"]]:
    run = runtime.context
    turn, stop = await loop.think(run, MAIN, "agent", state["messages"], Researching(run.query))
    turns = [] if turn is None else [turn]
    if stop is not None:
        return Command(update={"messages": turns, "stop": stop}, goto="report")
    return Command(update={"messages": turns, "steps": state["steps"] + 1}, goto="act")


async def act(state: ReactState, runtime: Runtime[AgentRun]) -> Command[Literal["reason", "report"]]:
    run = runtime.context
    answers, stop = await loop.act(run, MAIN, "agent", state["messages"], run.query, state["steps"])
    if stop is not None:
        return Command(update={"messages": answers, "stop": stop}, goto="report")
    return Command(update={"messages": answers}, goto="reason")


class Reported(TypedDict):
    """What the last node changes of the state."""

    report: str
    messages: NotRequired[list[BaseMessage]]


async def report(state: ReactState, runtime: Runtime[AgentRun]) -> Reported:
    run, stop = runtime.context, state["stop"]
    run.tell("report", MAIN, "writing the report")
    if stop != "context_limit" and not is_broken_off(stop):
        try:
            text, added = await in_place(
                run, "agent", state["messages"], stop, loop.tools_of(run), reporting(run)
            )
        except ModelFailure as failure:
            if end_for(failure, known=bool(run.calls)) is None:
                raise
            run.notes.append(f"agent: the report was asked for in a fresh conversation ({failure.kind})")
        else:
            if text is not None:
                return {"report": text, "messages": added}
    text = await compose(
        run, "report", "report", run.asked, RESULTS, run.pieces(), reporting(run), run.pictures()
    )
    return {"report": text}


def reporting(run: AgentRun) -> Reporting:
    return Reporting(run.query, run.evidence())


@cache
def graph() -> CompiledStateGraph[ReactState, AgentRun, ReactState, ReactState]:
    return (
        StateGraph(ReactState, context_schema=AgentRun)
        .add_node("reason", reason)
        .add_node("act", act)
        .add_node("report", report)
        .add_edge(START, "reason")
        .compile(name="react")
    )


async def answer(run: AgentRun) -> Ending:
    start: ReactState = {
        "messages": [run.system("react", steps=str(run.limits.steps)), HumanMessage(run.asked)],
        "steps": 0,
        "stop": "finalized",
        "report": "",
    }
    config: RunnableConfig = {"recursion_limit": loop.recursion_limit(run.limits.steps)}
    end = await graph().ainvoke(start, config, context=run)
    return Ending(end["report"], end["stop"])
