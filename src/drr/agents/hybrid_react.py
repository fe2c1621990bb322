"""Hybrid-ReAct: a supervisor launches researchers on sub-problems, reads their syntheses, and has the report written.

supervisor {reason, launch_researcher, finalize}
    -> R researchers side by side {reason, finalize, the nine tools} -> synthesis (no tools) of each
    -> control returned to the supervisor, until it finalizes or a limit is reached
    -> report generator (no tools)
"""

from __future__ import annotations

import operator
from functools import cache, partial
from typing import Annotated, Literal, TypedDict

from drr.agents import turns
from drr.agents.base import OWN, PROFILE, CallError, CallKind, Ending, StopReason
from drr.agents.brief import (
    CONTROL,
    FINALIZE,
    FINALIZE_TOOL,
    LAUNCH,
    PROFILE_FACTS,
    REASON,
    REASON_TOOL,
    REPORTS,
    Piece,
    ReportRequest,
    ResearchRequest,
    SupervisorRequest,
    argument_error,
    launch_tool,
)
from drr.agents.findings import (
    Finding,
    SubProblem,
    Synthesis,
    ask_for_synthesis,
    give_up_without_findings,
    stop_over_budget,
    stop_reason,
    synthesis_request,
    synthesis_without_tools,
    wait_for_finding,
)
from drr.agents.run_state import MAIN, AgentRun, has_files, has_shop, tool_message
from drr.agents.turns import ask_again_once, broken_off, write_from_findings
from drr.env.json_object import JsonObject
from drr.llm.failures import ModelFailure
from drr.llm.prompts import fence
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command, Send


class HybridState(turns.LoopState):
    findings: Annotated[list[Finding], operator.add]
    rounds: int
    report: str


class ResearcherState(turns.LoopState):
    researcher: str
    problem: str
    synthesis: str


# The researcher ------------------------------------------------------------------------------------------------------


async def reason(state: ResearcherState, runtime: Runtime[AgentRun]) -> Command[Literal["act", "synthesise"]]:
    run, who = runtime.context, state["researcher"]
    brief = ResearchRequest(state["problem"], run.tools.money)
    return await turns.next_turn(run, who, f"researcher {who}", state, brief, "synthesise")


async def act(state: ResearcherState, runtime: Runtime[AgentRun]) -> Command[Literal["reason", "synthesise"]]:
    who, problem = state["researcher"], state["problem"]
    return await turns.act(runtime.context, who, f"researcher {who}", state, problem, "synthesise")


async def synthesise(state: ResearcherState, runtime: Runtime[AgentRun]) -> dict[str, str]:
    """Write a researcher's synthesis in a fresh conversation that shows only the findings. With the option `+own`, the researcher's own conversation goes on instead."""
    run, who, problem = runtime.context, state["researcher"], state["problem"]
    text = None
    if run.has(OWN):
        text = await ask_for_synthesis(
            run, who, f"researcher {who}", problem, state["messages"], state["stop"], turns.tools_of(run)
        )
    return {"synthesis": text or await synthesis_without_tools(run, who, problem, state["messages"])}


@cache
def researcher_graph() -> CompiledStateGraph[ResearcherState, AgentRun, ResearcherState, ResearcherState]:
    return (
        StateGraph(ResearcherState, context_schema=AgentRun)
        .add_node("reason", reason)
        .add_node("act", act)
        .add_node("synthesise", synthesise)
        .add_edge(START, "reason")
        .compile(name="researcher")
    )


# The supervisor and the report generator -----------------------------------------------------------------------------


async def supervisor(
    state: HybridState, runtime: Runtime[AgentRun]
) -> Command[Literal["researcher", "return_control", "report"]]:
    run = runtime.context
    if reached := run.allowance.reached():
        return Command(update={"stop": reached}, goto="report")
    if state["steps"] >= run.limits.supervisor_steps:
        return Command(update={"stop": "step_limit"}, goto="report")
    known = any(finding.text is not None for finding in state["findings"])
    tools = [launch_tool(PROFILE_FACTS if run.has(PROFILE) else ""), FINALIZE_TOOL]
    if run.reasons:
        tools.insert(0, REASON_TOOL)
    ask = partial(
        run.speak,
        "supervisor",
        state["messages"],
        tools,
        brief=SupervisorRequest(run.query, run.has_records, has_files(run), has_shop(run)),
    )
    try:
        # With findings a report can be written all the same; without any, a second try may save the run.
        turn = await (ask() if known else ask_again_once(run, "supervisor", ask))
    except ModelFailure as failure:
        if failure.kind == "context_overflow" and state["findings"]:
            return Command(update={"stop": "context_limit"}, goto="report")
        stop = broken_off(run, "supervisor", failure, known=known)
        if stop is None:
            raise
        return Command(update={"stop": stop}, goto="report")
    run.tell("turn", "supervisor", turn.text)
    update: dict[str, object] = {"messages": [turn], "steps": state["steps"] + 1}
    if not turn.tool_calls:
        return Command(update=update | {"stop": "answered"}, goto="report")
    launches = started_sub_problems(turn, run.limits.researchers)
    if launches and state["rounds"] >= run.limits.rounds:
        return Command(update=update | {"stop": "round_limit"}, goto="report")
    if not launches:
        return Command(update=update, goto="return_control")
    return Command(update=update | {"rounds": state["rounds"] + 1}, goto=_researchers(state, launches))


def _researchers(state: HybridState, launches: dict[int, str]) -> list[Send]:
    """Return one task for each sub-problem of a turn, numbered after the earlier researchers."""
    tasks: list[SubProblem] = [
        {"researcher": f"r{number}", "turn": state["steps"], "place": place, "problem": problem}
        for number, (place, problem) in enumerate(launches.items(), len(state["findings"]) + 1)
    ]
    return [Send("researcher", task) for task in tasks]


async def run_researcher(state: SubProblem, runtime: Runtime[AgentRun]) -> dict[str, list[Finding]]:
    """Run one researcher and its synthesis, and return the finding. A failure is a finding without text, so that the other researchers go on."""
    run, who, problem = runtime.context, state["researcher"], state["problem"]
    run.tell("launch", who, problem)
    profile = (
        ""
        if run.profile is None
        else "\n" + run.prompts.fill("researcher_profile", facts=fence(run.profile.text, "profile"))
    )
    start: ResearcherState = {
        "researcher": who,
        "problem": problem,
        "messages": [
            run.system("researcher", profile=profile, steps=str(run.limits.steps)),
            HumanMessage(problem),
        ],
        "steps": 0,
        "stop": "finalized",
        "synthesis": "",
    }
    return {"findings": [await wait_for_finding(run, state, _researched(run, start))]}


async def _researched(run: AgentRun, start: ResearcherState) -> Synthesis:
    config: RunnableConfig = {"recursion_limit": turns.recursion_limit(run.limits.steps)}
    end = await researcher_graph().ainvoke(start, config, context=run)
    return Synthesis(end["synthesis"], end["stop"])


async def return_control(
    state: HybridState, runtime: Runtime[AgentRun]
) -> Command[Literal["supervisor", "report"]]:
    """Answer each call of the supervisor's turn: a launch with the researcher's synthesis, a refused call with the reason."""
    run, turn = runtime.context, state["messages"][-1]
    assert isinstance(turn, AIMessage)
    stop_over_budget(state["findings"])
    give_up_without_findings(state["findings"])
    # The state holds the findings of all rounds; only those of this turn answer its calls.
    back = {finding.place: finding for finding in state["findings"] if finding.turn == state["steps"] - 1}
    answers: list[BaseMessage] = []
    for place, call in enumerate(turn.tool_calls):
        name, arguments = call["name"], dict(call["args"])
        finding = back.get(place)
        text, error = _answer(run, name, arguments, finding)
        found = (
            None if error or finding is None else synthesis_request(run, finding.researcher, finding.problem)
        )
        kind: CallKind = "control" if _is_control(run, name) else "unknown"
        lasted = (run.steps.last("supervisor"), None if finding is None else finding.ended)
        run.record(MAIN, name, arguments, text, kind, error, lasted=lasted)
        answers.append(tool_message(call["id"], name, text, ok=error is None, artifact=found))
    run.keep("supervisor", [*state["messages"], *answers])
    if any(call["name"] == FINALIZE for call in turn.tool_calls):
        return Command(update={"messages": answers, "stop": "finalized"}, goto="report")
    return Command(update={"messages": answers}, goto="supervisor")


class HybridReported(TypedDict):
    """The changes that the graph's last node makes to the state."""

    report: str
    stop: StopReason


async def report(state: HybridState, runtime: Runtime[AgentRun]) -> HybridReported:
    run = runtime.context
    run.tell("report", MAIN, "writing the report")
    give_up_without_findings(state["findings"])
    reports = [(finding, finding.text) for finding in state["findings"] if finding.text is not None]
    pieces = [
        Piece(f"Researcher {finding.researcher}: {finding.problem}", text, "report")
        for finding, text in reports
    ]
    found = tuple(synthesis_request(run, finding.researcher, finding.problem) for finding, _ in reports)
    brief = ReportRequest(
        run.query, researched=found, form=run.settings["form"], language=run.tools.money.language
    )
    text = await write_from_findings(run, "report_generator", "report", run.asked, REPORTS, pieces, brief)
    return {"report": text, "stop": stop_reason(state["findings"], state["stop"])}


@cache
def graph() -> CompiledStateGraph[HybridState, AgentRun, HybridState, HybridState]:
    return (
        StateGraph(HybridState, context_schema=AgentRun)
        .add_node("supervisor", supervisor)
        .add_node("researcher", run_researcher)
        .add_node("return_control", return_control)
        .add_node("report", report)
        .add_edge(START, "supervisor")
        .add_edge("researcher", "return_control")
        .compile(name="hybrid-react")
    )


async def answer(run: AgentRun) -> Ending:
    limits = run.limits
    start: HybridState = {
        "messages": [
            run.system("supervisor", researchers=str(limits.researchers), rounds=str(limits.rounds)),
            HumanMessage(run.asked),
        ],
        "findings": [],
        "steps": 0,
        "rounds": 0,
        "stop": "finalized",
        "report": "",
    }
    config: RunnableConfig = {"recursion_limit": 3 * limits.supervisor_steps + 6}
    end = await graph().ainvoke(start, config, context=run)
    return Ending(end["report"], end["stop"])


def started_sub_problems(turn: AIMessage, most: int) -> dict[int, str]:
    """Return the sub-problems of a turn by the index of their call: the first `most` that are well formed."""
    wanted = {
        place: str(call["args"]["sub_problem"])
        for place, call in enumerate(turn.tool_calls)
        if call["name"] == LAUNCH and argument_error(LAUNCH, dict(call["args"])) is None
    }
    return dict(list(wanted.items())[:most])


def _is_control(run: AgentRun, name: str) -> bool:
    return name in CONTROL and (run.reasons or name != REASON)


def _answer(
    run: AgentRun, name: str, arguments: JsonObject, finding: Finding | None
) -> tuple[str, CallError | None]:
    if not _is_control(run, name):
        text = f"Error (not_found): there is no tool {name[:80]!r} here; launch a researcher, it has the shop's tools."
        return text, CallError(kind="not_found", message=text)
    if wrong := argument_error(name, arguments):
        return wrong, CallError(kind="invalid", message=wrong)
    if name != LAUNCH:
        return "Noted.", None
    if finding is None:
        text = f"Not launched: at most {run.limits.researchers} researchers in one turn. Launch again if it is still needed."
        return text, CallError(kind="not_allowed", message=text)
    if finding.failure is not None:
        text = f"Researcher {finding.researcher} failed ({finding.failure.kind}) and found nothing."
        return text, CallError(kind=finding.failure.kind, message=str(finding.failure))
    return (
        f"Researcher {finding.researcher} ({(finding.stop or '').replace('_', ' ')}):\n\n{finding.text}",
        None,
    )
