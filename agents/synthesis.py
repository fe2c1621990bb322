"""A researcher's result: written at the end of its own conversation, or in a fresh one over its findings."""

from __future__ import annotations

from collections.abc import Sequence

from drr.agents.base import StopReason, ToolSchema
from drr.agents.brief import Condensing
from drr.agents.recovery import asks_again
from drr.agents.rendering import RESULTS, Piece
from drr.agents.running import AgentRun
from drr.agents.writing import compose
from drr.llm.failures import ModelFailure
from langchain_core.messages import AIMessage, BaseMessage


def condensing(run: AgentRun, who: str, problem: str) -> Condensing:
    return Condensing(problem, run.evidence(who), run.profile)


async def afresh(run: AgentRun, who: str, problem: str, messages: Sequence[BaseMessage]) -> str:
    """Write afresh by an agent that has no tools and sees the findings, not the conversation."""
    pieces = run.pieces(who)
    if run.profile is not None:
        pieces.append(Piece("Profile facts", run.profile.text, "profile"))
    last = messages[-1]
    if isinstance(last, AIMessage) and last.text.strip():
        pieces.append(Piece("Closing words of the researcher", last.text, "words"))
    brief = condensing(run, who, problem)
    return await compose(
        run, "synthesis", f"synthesis {who}", problem, RESULTS, pieces, brief, run.pictures(who)
    )


async def in_conversation(
    run: AgentRun,
    who: str,
    conversation: str,
    problem: str,
    messages: Sequence[BaseMessage],
    stop: StopReason,
    tools: Sequence[ToolSchema],
) -> str | None:
    """Asked for at the end of the conversation, with its tools, so that all before is read from the cache. `None` where that cannot
    be: a call that nobody answered, no room left, or another call in place of a text."""
    last = messages[-1]
    if stop == "context_limit" or (isinstance(last, AIMessage) and last.tool_calls):
        return None
    talk = [*messages, run.told("synthesis_own")]
    try:
        reply = await run.speak(conversation, talk, tools, brief=condensing(run, who, problem))
    except ModelFailure as failure:
        if failure.kind != "context_overflow" and not asks_again(failure):
            raise
        why = str(failure.kind)
    else:
        if not reply.tool_calls and reply.text.strip():
            return reply.text.strip()
        why = "another call" if reply.tool_calls else "no text"
    run.notes.append(f"{conversation}: no synthesis in its own conversation ({why}); a fresh one was asked")
    return None
