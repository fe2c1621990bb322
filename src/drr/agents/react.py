"""ReAct: one agent reasons and acts with the nine tools. When it finalizes or reaches a limit, it writes the report."""

from __future__ import annotations

from functools import cache
from typing import Literal, NotRequired, TypedDict

from drr.agents import turns
from drr.agents.base import Ending
from drr.agents.brief import ReportRequest, ResearchRequest
from drr.agents.run_state import MAIN, AgentRun
from drr.agents.turns import LoopState, ask_for_report, ending_for_failure, is_broken_off, report_afresh
from drr.llm.failures import ModelFailure
from langchain_core.messages import BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command


class ReactState(LoopState):
    report: str


async def reason(state: ReactState, runtime: Runtime[AgentRun]) -> Command[Literal["act", "report"]]:
    run = runtime.context
    return await turns.next_turn(
        run, MAIN, "agent", state, ResearchRequest(run.query, run.tools.money), "report"
    )


async def act(state: ReactState, runtime: Runtime[AgentRun]) -> Command[Literal["reason", "report"]]:
    run = runtime.context
    return await turns.act(run, MAIN, "agent", state, run.query, "report")


class ReportState(TypedDict):
    """The changes that the graph's last node makes to the state."""

    report: str
    messages: NotRequired[list[BaseMessage]]


async def report(state: ReactState, runtime: Runtime[AgentRun]) -> ReportState:
    run, stop = runtime.context, state["stop"]
    run.tell("report", MAIN, "writing the report")
    # A conversation that is full or broken cannot take the request for a report.
    if stop != "context_limit" and not is_broken_off(stop):
        brief = ReportRequest(
            run.query, run.evidence(), form=run.settings["form"], language=run.tools.money.language
        )
        try:
            text, added = await ask_for_report(
                run, "agent", state["messages"], stop, turns.tools_of(run), brief
            )
        except ModelFailure as failure:
            # What is known can still become a report, in a conversation that is short.
            if ending_for_failure(failure, known=bool(run.calls)) is None:
                raise
            run.notes.append(f"agent: the report was asked for in a fresh conversation ({failure.kind})")
        else:
            if text is not None:
                return {"report": text, "messages": added}
    return {"report": await report_afresh(run)}


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
        # The graph wants a value in every field; `turns` sets the reason of every ending.
        "stop": "finalized",
        "report": "",
    }
    config: RunnableConfig = {"recursion_limit": turns.recursion_limit(run.limits.steps)}
    end = await graph().ainvoke(start, config, context=run)
    return Ending(end["report"], end["stop"])
