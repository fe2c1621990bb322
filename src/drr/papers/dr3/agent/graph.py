"""The graph of the DR3 agent: a main agent, and sub-agents whose summaries are all that the main agent sees.

main {reason, search_pages, read_files, search_shop, look_at_picture, calculator, finalize}, ten turns
    -> rag_search (five turns), file_reader (three), shop_search, perception, side by side
    -> observe: the summaries come back, until the main agent finalizes or a limit is reached
    -> report, in the main agent's own conversation
    -> with +validate: up to three rounds of checking and rewriting
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import cache, partial
from typing import Annotated, Any, Literal, TypedDict

from drr.agents.base import CallError, Ending, StopReason, ToolSchema
from drr.agents.brief import (
    FINALIZE,
    FINALIZE_TOOL,
    REASON,
    REASON_TOOL,
    REPORTS,
    LeaderRequest,
    Piece,
    ReportRequest,
)
from drr.agents.findings import (
    Finding,
    SubProblem,
    give_up_without_findings,
    stop_over_budget,
    stop_reason,
    synthesis_request,
    wait_for_finding,
    without_extra_fields,
)
from drr.agents.run_state import MAIN, AgentRun, tool_message
from drr.agents.turns import (
    ask_again_once,
    ask_for_report,
    broken_off,
    ending_for_failure,
    is_broken_off,
    write_from_findings,
)
from drr.env.json_object import JsonObject
from drr.env.source import Source
from drr.env.web.base import InWhole, Page
from drr.llm.failures import ModelFailure, ModelSetupError
from drr.llm.names import input_tokens
from drr.llm.prompts import fence
from drr.papers.dr3.agent import VALIDATE, sub_agents
from drr.papers.dr3.agent.sub_agents import (
    BY_NODE,
    CALCULATOR,
    LOOKER,
    SEARCHER,
    SUB_AGENTS,
    SubAgent,
    run_sub_agent,
    with_context,
)
from drr.papers.dr3.agent.validating import rewrite_to_requirements
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command, Send

Below = Literal["rag_search", "file_reader", "shop_search", "perception", "observe", "report"]


class SubAgentTask(SubProblem):
    """A task given to a sub-agent; `node` is the sub-agent's in the graph, `name` the picture's, if any."""

    node: str
    name: str


class Dr3State(TypedDict):
    messages: Annotated[list[BaseMessage], operator.add]
    findings: Annotated[list[Finding], operator.add]
    seen: Annotated[list[str], operator.add]
    """Names of the pictures that the agent has looked at."""
    pages: list[Page]
    """Pages given whole in the first message, under the setting long_context."""
    steps: int
    stop: StopReason
    report: str
    rounds: int


def tools_of(run: AgentRun) -> list[ToolSchema]:
    """List the tools offered in every request of the main conversation. Sub-agents that have nothing to work on are left out."""
    calls = [one.launch for one in helpers_of(run).values()]
    calls += [one for one in run.schemas if one["function"]["name"] == CALCULATOR]
    return [*([REASON_TOOL] if run.reasons else []), *calls, FINALIZE_TOOL]


def helpers_of(run: AgentRun) -> dict[str, SubAgent]:
    """Map each usable sub-agent by the tool that calls it. Under long_context the page searcher is left out, as the main agent has the pages."""
    long = bool(run.settings.get("long_context"))
    return {one.name: one for one in SUB_AGENTS if one.tools(run) and not (long and one is SEARCHER)}


# The main agent ------------------------------------------------------------------------------------------------------


async def main(state: Dr3State, runtime: Runtime[AgentRun]) -> Command[Below]:
    run = runtime.context
    stop = run.allowance.reached()
    if stop is None and state["steps"] >= run.limits.supervisor_steps:
        stop = "step_limit"
    if stop is not None:
        return Command(update={"stop": stop}, goto="report")
    known = any(finding.text is not None for finding in state["findings"])
    ask = partial(run.speak, "main", state["messages"], tools_of(run), brief=LeaderRequest(run.query))
    try:
        turn = await (ask() if known else ask_again_once(run, "main", ask))
    except ModelFailure as failure:
        full = failure.kind == "context_overflow" and state["findings"]
        stop = "context_limit" if full else broken_off(run, "main", failure, known=known)
        if stop is None:
            raise
        return Command(update={"stop": stop}, goto="report")
    run.tell("turn", MAIN, turn.text)
    if not turn.tool_calls:
        # An empty turn is not sent back: providers refuse empty messages.
        messages = [turn] if turn.text.strip() else []
        return Command(update={"messages": messages, "stop": "answered"}, goto="report")
    update: dict[str, object] = {"messages": [turn], "steps": state["steps"] + 1}
    tasks = _sub_agent_tasks(run, state, turn)
    return Command(update=update, goto=[Send(one["node"], one) for one in tasks] if tasks else "observe")


def _sub_agent_tasks(run: AgentRun, state: Dr3State, turn: AIMessage) -> list[SubAgentTask]:
    """List the sub-agent tasks of a turn: its well-formed calls up to the limit, numbered after the earlier findings."""
    helpers, seen = helpers_of(run), set(state["seen"])
    tasks: list[SubAgentTask] = []
    for place, call in enumerate(turn.tool_calls):
        kind, arguments = helpers.get(call["name"]), dict(call["args"])
        if kind is None or kind.wrong(arguments) or len(tasks) == run.limits.researchers:
            continue
        problem, name = str(arguments.get("task") or arguments.get("question")), ""
        if kind is LOOKER:
            name = sub_agents.picture_named(str(arguments["name"]))
            if name in seen:
                continue
            seen.add(name)
        who = f"{kind.letter}{len(state['findings']) + len(tasks) + 1}"
        tasks.append(
            SubAgentTask(
                researcher=who, turn=state["steps"], place=place, problem=problem, node=kind.node, name=name
            )
        )
    return tasks


async def sub_agent(state: SubAgentTask, runtime: Runtime[AgentRun]) -> dict[str, list[Finding]]:
    run, who, problem = runtime.context, state["researcher"], state["problem"]
    run.tell("launch", who, problem)
    work = run_sub_agent(run, BY_NODE[state["node"]], who, problem)
    return {"findings": [await wait_for_finding(run, state, work)]}


async def perception(state: SubAgentTask, runtime: Runtime[AgentRun]) -> dict[str, list[Any]]:
    """Let the perception model look at one picture, in a request of its own. No other request ever contains a picture."""
    run, who = runtime.context, state["researcher"]
    run.tell("launch", who, f"{state['name']}: {state['problem']}")
    shown = await sub_agents.open_picture(run, who, state["name"])
    if isinstance(shown, CallError):
        return {"findings": [Finding(**without_extra_fields(state), text=None, stop=None, error=shown)]}
    found = await wait_for_finding(run, state, sub_agents.look_at_picture(run, who, state["problem"], shown))
    return {"findings": [found], "seen": [] if found.text is None else [state["name"]]}


async def observe(state: Dr3State, runtime: Runtime[AgentRun]) -> Command[Literal["main", "report"]]:
    """Answer every call of the main agent's turn: run each tool call, and take sub-agents' findings for theirs."""
    run, turn = runtime.context, state["messages"][-1]
    assert isinstance(turn, AIMessage)
    stop_over_budget(state["findings"])
    give_up_without_findings(state["findings"])
    back = {finding.place: finding for finding in state["findings"] if finding.turn == state["steps"] - 1}
    helpers = helpers_of(run)
    own = {CALCULATOR} & run.names | ({REASON, FINALIZE} if run.reasons else {FINALIZE})
    answers: list[BaseMessage] = []
    for place, call in enumerate(turn.tool_calls):
        name, arguments, finding = call["name"], dict(call["args"]), back.get(place)
        if name not in helpers:
            alone = turn.model_copy(update={"tool_calls": [call]})
            answers += await run.act(MAIN, alone, run.tools, own | helpers.keys())
            continue
        text, error = _answer(run, helpers[name], arguments, finding)
        found = (
            None if error or finding is None else synthesis_request(run, finding.researcher, finding.problem)
        )
        lasted = (run.steps.last("main"), None if finding is None else finding.ended)
        run.record(MAIN, name, arguments, text, "control", error, lasted=lasted)
        answers.append(tool_message(call["id"], name, text, ok=error is None, artifact=found))
    run.keep("main", [*state["messages"], *answers])
    if any(call["name"] == FINALIZE for call in turn.tool_calls):
        return Command(update={"messages": answers, "stop": "finalized"}, goto="report")
    return Command(update={"messages": answers}, goto="main")


def _answer(
    run: AgentRun, kind: SubAgent, arguments: JsonObject, finding: Finding | None
) -> tuple[str, CallError | None]:
    if wrong := kind.wrong(arguments):
        return wrong, CallError(kind="invalid", message=wrong)
    if finding is None:
        text = f"Not started: at most {run.limits.researchers} in one turn. Call again if it is still needed."
        if kind is LOOKER:
            text = "Not looked at again: each picture is looked at once, and all that was seen stands in that answer."
        return text, CallError(kind="not_allowed", message=text)
    if finding.error is not None:
        return f"Error ({finding.error.kind}): {finding.error.message}", finding.error
    if finding.failure is not None:
        text = f"{finding.researcher} failed ({finding.failure.kind}) and found nothing."
        return text, CallError(kind=finding.failure.kind, message=str(finding.failure))
    return f"{finding.researcher} ({(finding.stop or '').replace('_', ' ')}):\n\n{finding.text}", None


# The report ----------------------------------------------------------------------------------------------------------


async def report(state: Dr3State, runtime: Runtime[AgentRun]) -> Command[Literal["validate", "__end__"]]:
    run = runtime.context
    run.tell("report", MAIN, "writing the report")
    give_up_without_findings(state["findings"])
    done = {"report": await _report_text(run, state), "stop": stop_reason(state["findings"], state["stop"])}
    return Command(update=done, goto="validate" if run.has(VALIDATE) else "__end__")


async def _report_text(run: AgentRun, state: Dr3State) -> str:
    """Write the report in the main conversation; start a fresh conversation if the main one is full or broken off."""
    known = [(one, one.text) for one in state["findings"] if one.text is not None]
    stop, pages = state["stop"], state["pages"]
    brief = ReportRequest(
        run.query,
        researched=tuple(synthesis_request(run, one.researcher, one.problem) for one, _ in known),
        pages=tuple(map(source_of, pages)),
    )
    if stop != "context_limit" and not is_broken_off(stop):
        try:
            text, _ = await ask_for_report(run, "main", state["messages"], stop, tools_of(run), brief)
        except ModelFailure as failure:
            if ending_for_failure(failure, known=bool(known)) is None:
                raise
            run.notes.append(f"main: the report was asked for in a fresh conversation ({failure.kind})")
        else:
            if text is not None:
                return text
    pieces = [Piece(f"{one.researcher}: {one.problem}", text, "report") for one, text in known]
    pieces += [Piece(f"{page.title} ({page.final_url})", page.markdown or "", "page") for page in pages]
    return await write_from_findings(run, "report_generator", "report", run.asked, REPORTS, pieces, brief)


async def validate(state: Dr3State, runtime: Runtime[AgentRun]) -> Command[Literal["validate", "__end__"]]:
    """Run one round of validation, and another one unless no requirement is missed or the limit of rounds is reached."""
    run, number = runtime.context, state["rounds"] + 1
    mended = await rewrite_to_requirements(run, state["report"], number)
    if mended is None:
        return Command(update={"rounds": number}, goto="__end__")
    again = number < run.limits.checks
    return Command(update={"report": mended, "rounds": number}, goto="validate" if again else "__end__")


@cache
def graph() -> CompiledStateGraph[Dr3State, AgentRun, Dr3State, Dr3State]:
    builder = StateGraph(Dr3State, context_schema=AgentRun).add_node("main", main)
    for one in SUB_AGENTS:
        builder.add_node(one.node, perception if one is LOOKER else sub_agent).add_edge(one.node, "observe")
    return (
        builder.add_node("observe", observe)
        .add_node("report", report)
        .add_node("validate", validate)
        .add_edge(START, "main")
        .compile(name="dr3")
    )


async def answer(run: AgentRun) -> Ending:
    limits = run.limits
    run.call_tool = with_context(run.call_tool, limits.context_chars)
    pages = pages_in_window(run)
    start: Dr3State = {
        "messages": [
            run.system("dr3_main", steps=str(limits.supervisor_steps), researchers=str(limits.researchers)),
            HumanMessage(instructions_on(run, pages)),
        ],
        "pages": pages,
        "findings": [],
        "seen": [],
        "steps": 0,
        "stop": "finalized",
        "report": "",
        "rounds": 0,
    }
    config: RunnableConfig = {"recursion_limit": 3 * limits.supervisor_steps + limits.checks + 8}
    end = await graph().ainvoke(start, config, context=run)
    return Ending(end["report"], end["stop"])


CHARS_PER_TOKEN = 4
"""Number of characters counted as one token when corpora are measured; a model's own tokenizer may count more tokens."""


def pages_in_window(run: AgentRun) -> list[Page]:
    """Return the frozen pages to give whole to the main agent; none without long_context. Raise `ModelFailure` before any call if the pages exceed the model's window."""
    if not run.settings.get("long_context"):
        return []
    web = run.tools.web
    if not isinstance(web, InWhole):
        raise ModelFailure(
            "context_overflow", "this web is searched and cannot be given whole; leave long-context out"
        )
    pages = web.whole()
    tokens = sum(len(page.markdown or "") for page in pages) // CHARS_PER_TOKEN
    try:
        most = input_tokens(run.agent.name)
    except ModelSetupError:  # a model from elsewhere, whose window is unknown
        most = None
    if most is not None and tokens > most:
        raise ModelFailure(
            "context_overflow",
            f"the frozen pages are some {tokens:,} tokens (characters/{CHARS_PER_TOKEN}) and {run.agent.name} reads {most:,};"
            " take a smaller size, or a model with a larger window",
        )
    run.ledger.add(MAIN, map(source_of, pages))
    return pages


def source_of(page: Page) -> Source:
    return Source(url=page.final_url, type="web", title=page.title or "", seen=page.markdown or "")


def instructions_on(run: AgentRun, pages: Sequence[Page]) -> str:
    """Return the question, followed by the text of the pages if there are any."""
    if not pages:
        return run.asked
    text = "\n\n".join(f"Address: {page.final_url}\n{page.markdown}" for page in pages)
    return f"{run.asked}\n\n{run.prompts.fill('dr3_pages', pages=fence(text, 'pages'))}"
