"""The reason-act loop that ReAct and every researcher run: one turn of the model, then its calls, until an end."""

from __future__ import annotations

from collections.abc import Sequence

from drr.agents.base import StopReason, ToolSchema
from drr.agents.brief import Brief
from drr.agents.control import FINALIZE, FINALIZE_TOOL, REASON, REASON_TOOL
from drr.agents.recovery import broken_off, twice
from drr.agents.running import MAIN, AgentRun
from drr.llm.failures import ModelFailure
from langchain_core.messages import AIMessage, BaseMessage


def tools_of(run: AgentRun) -> list[ToolSchema]:
    """List {Reason, Finalize} and the nine, Reason only where the agent has it. The same list in every request of a conversation."""
    return [*([REASON_TOOL] if run.reasons else []), FINALIZE_TOOL, *run.schemas]


async def think(
    run: AgentRun,
    actor: str,
    conversation: str,
    messages: Sequence[BaseMessage],
    brief: Brief,
    tools: Sequence[ToolSchema] | None = None,
) -> tuple[AIMessage | None, StopReason | None]:
    """The next turn, or why there is none. A turn without a call ends the loop as Finalize does."""
    if reached := run.allowance.reached():
        return None, reached
    known = bool(run.calls.get(actor))
    bound = tools_of(run) if tools is None else tools

    async def speak() -> AIMessage:
        return await run.speak(conversation, messages, bound, brief=brief)

    try:
        reply = await (speak() if known else twice(run, conversation, speak))
    except ModelFailure as failure:
        if failure.kind == "context_overflow" and known:
            return None, "context_limit"
        # A researcher that found nothing has nothing to tell: whoever launched it goes on without it.
        stop = broken_off(run, conversation, failure, known=known) if known or actor == MAIN else None
        if stop is None:
            raise
        return None, stop
    run.tell("turn", actor, reply.text)
    if reply.tool_calls:
        return reply, None
    # A turn that says nothing is not sent back: providers refuse empty messages.
    return (reply if reply.text.strip() else None), "answered"


async def act(
    run: AgentRun, actor: str, conversation: str, messages: Sequence[BaseMessage], problem: str, steps: int
) -> tuple[list[BaseMessage], StopReason | None]:
    """Answer the calls of the last turn; say whether the loop ends here."""
    turn = messages[-1]
    assert isinstance(turn, AIMessage)
    context, steering = run.tools_on(problem), {REASON, FINALIZE} if run.reasons else {FINALIZE}
    try:
        answers = await run.act(actor, turn, context, run.names | steering)
    except ModelFailure as failure:  # of what summarises pages
        stop = broken_off(run, conversation, failure, known=bool(run.calls.get(actor)))
        if stop is None:
            raise
        return [], stop
    run.keep(conversation, [*messages, *answers])
    if any(call["name"] == FINALIZE for call in turn.tool_calls):
        return answers, "finalized"
    return answers, "step_limit" if steps >= run.limits.steps else None


def recursion_limit(steps: int) -> int:
    """Two graph steps a turn and the last ones; explicit, because LangGraph's default stops nothing."""
    return 2 * steps + 6
