"""The reason-act loop that ReAct and every researcher run: one turn of the model, then its calls, until an end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from drr.agents.base import StopReason
from drr.agents.control import FINALIZE, FINALIZE_TOOL, REASON, REASON_TOOL
from drr.agents.unit import AgentRun
from drr.llm.failures import ModelFailure
from langchain_core.messages import AIMessage, BaseMessage


def tools_of(unit: AgentRun) -> list[dict[str, Any]]:
    """{Reason, Finalize} and the nine: the same list in every request of a conversation."""
    return [REASON_TOOL, FINALIZE_TOOL, *unit.schemas]


async def think(
    unit: AgentRun, actor: str, conversation: str, messages: Sequence[BaseMessage]
) -> tuple[AIMessage | None, StopReason | None]:
    """The next turn, or why there is none. A turn without a call ends the loop as Finalize does."""
    if reached := unit.budget.reached():
        return None, reached
    try:
        reply = await unit.speak(conversation, messages, tools_of(unit))
    except ModelFailure as failure:
        if failure.kind == "context_overflow" and unit.calls.get(actor):
            return None, "context_limit"
        raise
    unit.tell("turn", actor, reply.text)
    if reply.tool_calls:
        return reply, None
    # A turn that says nothing is not sent back: providers refuse empty messages.
    return (reply if reply.text.strip() else None), "answered"


async def act(
    unit: AgentRun, actor: str, conversation: str, messages: Sequence[BaseMessage], problem: str, steps: int
) -> tuple[list[BaseMessage], StopReason | None]:
    """Answer the calls of the last turn; say whether the loop ends here."""
    turn = messages[-1]
    assert isinstance(turn, AIMessage)
    context = unit.tools_on(problem)
    answers: list[BaseMessage] = list(await unit.act(actor, turn, context, unit.names | {REASON, FINALIZE}))
    unit.keep(conversation, [*messages, *answers])
    if any(call["name"] == FINALIZE for call in turn.tool_calls):
        return answers, "finalized"
    return answers, "step_limit" if steps >= unit.limits.steps else None


def recursion_limit(steps: int) -> int:
    """Two graph steps a turn and the last ones; explicit, because LangGraph's default stops nothing."""
    return 2 * steps + 6
