"""Takes the turns of a run's models: retries after a failure, fresh conversations, loops of reasoning and acting.

After a failure the same model writes the report in a fresh conversation, never rules; the stop reason says that the research was
broken off, so that such reports can be counted and left out. Where no report can be had either, the unit fails.
"""

from __future__ import annotations

import operator
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypedDict, TypeVar

from drr.agents.base import BROKEN_OFF, StopReason, ToolSchema
from drr.agents.brief import (
    FINALIZE,
    FINALIZE_TOOL,
    PROBLEM,
    QUESTION,
    REASON,
    REASON_TOOL,
    RESULTS,
    Brief,
    Piece,
    ReportRequest,
    SynthesisRequest,
    findings_text,
)
from drr.agents.run_state import MAIN, AgentRun, tool_message
from drr.llm.failures import FailureKind, ModelFailure
from drr.llm.text import Block, with_pictures
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

if TYPE_CHECKING:
    from langgraph.types import Command

Value = TypeVar("Value")
_AGAIN: frozenset[FailureKind] = frozenset({"refusal", "truncated", "malformed", "empty"})
_STOPS: Mapping[str, StopReason] = {
    "refusal": "refused",
    "truncated": "truncated",
    "malformed": "malformed",
    "empty": "malformed",
    "bad_request": "rejected",
}


def asks_again(failure: ModelFailure) -> bool:
    return failure.kind in _AGAIN


async def ask_again_once(run: AgentRun, what: str, ask: Callable[[], Awaitable[Value]]) -> Value:
    """Ask up to two times for a reply that the run cannot do without, such as a plan. A second conversation may succeed."""
    try:
        return await ask()
    except ModelFailure as failure:
        if not asks_again(failure):
            raise
        run.notes.append(f"{what}: asked once more, the first answer could not be used ({failure.kind})")
    return await ask()


def broken_off(run: AgentRun, what: str, failure: ModelFailure, *, known: bool) -> StopReason | None:
    """Return the stop reason with which the research ends after a failure; `None` where the unit must fail.

    An outage before any finding makes the unit fail, so that it is computed again later. A first request that is refused makes it fail too.
    """
    stop = ending_for_failure(failure, known=known)
    if stop is not None:
        run.notes.append(f"{what}: the research was broken off ({failure.kind}: {str(failure)[:200]})")
    return stop


def ending_for_failure(failure: ModelFailure, *, known: bool) -> StopReason | None:
    if not known and failure.kind == "bad_request":
        return None
    return "outage" if failure.transient and known else _STOPS.get(failure.kind)


def is_broken_off(stop: str) -> bool:
    return stop in BROKEN_OFF


ROUNDS = 3
"""Maximum number of requests with ever shorter findings before an overflow of the context is final."""
REPORT_TURNS = 2
"""Maximum number of turns in which the model may answer the request for the report with a tool call."""


async def write(
    run: AgentRun, conversation: str, messages: Sequence[BaseMessage], *, brief: Brief | None
) -> str:
    """Return a text from a model without tools. An empty text is a failure, because nothing may replace it."""
    text = (await run.speak(conversation, messages, brief=brief)).text.strip()
    if not text:
        raise ModelFailure("empty", f"{run.agent.name} answered {conversation} with no text")
    return text


async def write_from_findings(
    run: AgentRun,
    prompt: str,
    conversation: str,
    task: str,
    heading: str,
    pieces: Sequence[Piece],
    brief: SynthesisRequest | ReportRequest,
    pictures: Sequence[Block] = (),
) -> str:
    """Return a text that the model writes from findings and their pictures; `brief` has the same findings as records. Where they exceed the context, the longest are shortened, which is noted."""
    problem = isinstance(brief, SynthesisRequest)
    system = run.system(prompt, **({} if problem else {"report_form": report_form(run)}))
    limit = run.limits.evidence_chars
    if sum(len(piece.text) for piece in pieces) > limit:
        run.notes.append(f"{conversation}: findings shortened to {limit:,} characters")
    for last in (False,) * (ROUNDS - 1) + (True,):
        text = findings_text(PROBLEM if problem else QUESTION, task, heading, pieces, limit)
        asked = [system, with_pictures(text, pictures)]
        try:
            return await ask_again_once(
                run, conversation, partial(write, run, conversation, asked, brief=brief)
            )
        except ModelFailure as failure:
            if failure.kind != "context_overflow" or last:
                raise
        # Half of what was sent, not of the limit: findings far below the limit would be sent again unchanged.
        limit = min(limit, sum(len(piece.text) for piece in pieces)) // 2
        run.notes.append(
            f"{conversation}: findings shortened to {limit:,} characters, the model's context is smaller"
        )
    raise AssertionError("unreachable")


async def report_afresh(run: AgentRun) -> str:
    """Write the report in a fresh conversation, from the tools' answers to the main agent."""
    brief = ReportRequest(
        run.query, run.evidence(), form=run.settings["form"], language=run.tools.money.language
    )
    return await write_from_findings(
        run, "report", "report", run.asked, RESULTS, run.pieces(), brief, run.pictures()
    )


def report_form(run: AgentRun) -> str:
    return run.prompts["report_form"].text.strip()


WHY: dict[StopReason, str] = {
    "step_limit": "the limit of turns is reached",
    "round_limit": "the limit of research rounds is reached",
    "tool_call_limit": "the limit of tool calls is reached",
    "token_limit": "the limit of tokens is reached",
    "time_limit": "the time is up",
}


async def ask_for_report(
    run: AgentRun,
    conversation: str,
    messages: Sequence[BaseMessage],
    stop: StopReason,
    tools: Sequence[ToolSchema],
    brief: ReportRequest,
) -> tuple[str | None, list[BaseMessage]]:
    """Ask for the report as the next turn of the same conversation, and return it with the added messages. The tools stay bound, so that the cached start of the conversation is unchanged."""
    why = f", because {WHY[stop]}" if stop in WHY else ""
    request = run.prompts.fill("react_report", reason=why, query=run.query, report_form=report_form(run))
    added: list[BaseMessage] = [HumanMessage(request)]
    for _ in range(REPORT_TURNS):
        try:
            reply = await run.speak(conversation, [*messages, *added], tools, brief=brief)
        except ModelFailure as failure:
            if failure.kind == "context_overflow":
                return None, []
            raise
        added.append(reply)
        if not reply.tool_calls:
            return reply.text.strip() or None, added
        # Providers reject a conversation in which a tool call has no answer.
        added += [tool_message(call["id"], call["name"], OVER, ok=False) for call in reply.tool_calls]
    return None, []


OVER = "Not run: the research is over. Write the report now."
"""The answer to a tool call that the model makes in place of the report. Such calls are not recorded."""


def tools_of(run: AgentRun) -> list[ToolSchema]:
    """Return the tools of a loop: `reason` where the agent has it, `finalize` and the run's tools. The list is the same in every request of a conversation."""
    return [*([REASON_TOOL] if run.reasons else []), FINALIZE_TOOL, *run.schemas]


class LoopState(TypedDict):
    """The part of a graph's state that a loop of reasoning and acting needs."""

    messages: Annotated[list[BaseMessage], operator.add]
    """The transcript, which only grows: `operator.add` cannot replace messages, as `add_messages` would."""
    steps: int
    stop: StopReason


async def next_turn(
    run: AgentRun,
    actor: str,
    conversation: str,
    state: LoopState,
    brief: Brief,
    end: str,
    tools: Sequence[ToolSchema] | None = None,
) -> Command[Any]:
    """Take the model's next turn and go to the node `act`, or to `end` where the loop is over."""
    turn, stop = await _next(run, actor, conversation, state["messages"], brief, tools)
    change = {"messages": [] if turn is None else [turn]}
    return (
        _go_to_node({**change, "steps": state["steps"] + 1}, "act")
        if stop is None
        else _go_to_node({**change, "stop": stop}, end)
    )


def _go_to_node(update: Mapping[str, object], node: str) -> Command[Any]:
    from langgraph.types import Command  # costs a second, and not every command runs a graph

    return Command(update=update, goto=node)


async def _next(
    run: AgentRun,
    actor: str,
    conversation: str,
    messages: Sequence[BaseMessage],
    brief: Brief,
    tools: Sequence[ToolSchema] | None,
) -> tuple[AIMessage | None, StopReason | None]:
    """Return the model's next turn, and the stop reason where the loop ends. A turn without a call ends the loop as `finalize` does."""
    if reached := run.allowance.reached():
        return None, reached
    known = bool(run.calls.get(actor))
    bound = tools_of(run) if tools is None else tools

    async def speak() -> AIMessage:
        return await run.speak(conversation, messages, bound, brief=brief)

    try:
        reply = await (speak() if known else ask_again_once(run, conversation, speak))
    except ModelFailure as failure:
        if failure.kind == "context_overflow" and known:
            return None, "context_limit"
        # A researcher without findings fails, and the supervisor goes on without it.
        stop = broken_off(run, conversation, failure, known=known) if known or actor == MAIN else None
        if stop is None:
            raise
        return None, stop
    run.tell("turn", actor, reply.text)
    if reply.tool_calls:
        return reply, None
    # An empty turn is not sent back, because providers reject empty messages.
    return (reply if reply.text.strip() else None), "answered"


async def act(
    run: AgentRun, actor: str, conversation: str, state: LoopState, problem: str, end: str
) -> Command[Any]:
    """Answer the calls of the last turn and go to the node `reason`, or to `end` where the loop ends."""
    answers, stop = await _answers(run, actor, conversation, state, problem)
    if stop is not None:
        return _go_to_node({"messages": answers, "stop": stop}, end)
    return _go_to_node({"messages": answers}, "reason")


async def _answers(
    run: AgentRun, actor: str, conversation: str, state: LoopState, problem: str
) -> tuple[list[BaseMessage], StopReason | None]:
    """Return the answers to the calls of the last turn, and the stop reason where the loop ends here."""
    turn = state["messages"][-1]
    assert isinstance(turn, AIMessage)
    context, steering = run.tools_on(problem), {REASON, FINALIZE} if run.reasons else {FINALIZE}
    try:
        answers = await run.act(actor, turn, context, run.names | steering)
    except ModelFailure as failure:  # of the model that summarises pages
        stop = broken_off(run, conversation, failure, known=bool(run.calls.get(actor)))
        if stop is None:
            raise
        return [], stop
    run.keep(conversation, [*state["messages"], *answers])
    if any(call["name"] == FINALIZE for call in turn.tool_calls):
        return answers, "finalized"
    return answers, "step_limit" if state["steps"] >= run.limits.steps else None


def recursion_limit(steps: int) -> int:
    """Return LangGraph's limit of steps: two for each turn and six more. It is explicit, because LangGraph's default stops nothing."""
    return 2 * steps + 6
