"""Texts written in a fresh conversation over rendered findings: reports and syntheses."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from drr.agents.base import StopReason, ToolSchema
from drr.agents.brief import Brief, Condensing, Reporting
from drr.agents.recovery import twice
from drr.agents.rendering import PROBLEM, QUESTION, Piece, dossier
from drr.agents.running import AgentRun, tool_message
from drr.llm.failures import ModelFailure
from drr.llm.seeing import Block, with_pictures
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

ROUNDS = 3
"""The dossier is halved this often before a context overflow is final."""
REPORT_TURNS = 2
"""Turns in which the model may still answer the request for the report with a tool call."""


async def write(
    run: AgentRun, conversation: str, messages: Sequence[BaseMessage], *, brief: Brief | None
) -> str:
    """A text without tools. An empty one is a failure: nothing may take its place."""
    text = (await run.speak(conversation, messages, brief=brief)).text.strip()
    if not text:
        raise ModelFailure("empty", f"{run.agent.name} answered {conversation} with no text")
    return text


async def compose(
    run: AgentRun,
    prompt: str,
    conversation: str,
    task: str,
    heading: str,
    pieces: Sequence[Piece],
    brief: Condensing | Reporting,
    pictures: Sequence[Block] = (),
) -> str:
    """A text from a dossier and the pictures that belong to it; `brief` is the same as records. Where it does not fit the model, the longest findings are shortened, which is noted."""
    problem = isinstance(brief, Condensing)
    system = run.system(prompt, **({} if problem else {"report_form": report_form(run)}))
    limit = run.limits.evidence_chars
    if sum(len(piece.text) for piece in pieces) > limit:
        run.notes.append(f"{conversation}: findings shortened to {limit:,} characters")
    for last in (False,) * (ROUNDS - 1) + (True,):
        text = dossier(PROBLEM if problem else QUESTION, task, heading, pieces, limit)
        asked = [system, with_pictures(text, pictures)]
        try:
            return await twice(run, conversation, partial(write, run, conversation, asked, brief=brief))
        except ModelFailure as failure:
            if failure.kind != "context_overflow" or last:
                raise
        limit = min(limit, sum(len(piece.text) for piece in pieces)) // 2
        run.notes.append(
            f"{conversation}: findings shortened to {limit:,} characters, the model's context is smaller"
        )
    raise AssertionError("unreachable")


def report_form(run: AgentRun) -> str:
    return run.prompts["report_form"].text.strip()


WHY: dict[StopReason, str] = {
    "step_limit": "the limit of turns is reached",
    "round_limit": "the limit of research rounds is reached",
    "tool_call_limit": "the limit of tool calls is reached",
    "token_limit": "the limit of tokens is reached",
    "time_limit": "the time is up",
}


async def in_place(
    run: AgentRun,
    conversation: str,
    messages: Sequence[BaseMessage],
    stop: StopReason,
    tools: Sequence[ToolSchema],
    brief: Reporting,
) -> tuple[str | None, list[BaseMessage]]:
    """The report as the next turn of the same conversation, tools still bound, because a transcript only grows."""
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
        added += _refusals(reply)
    return None, []


def _refusals(reply: AIMessage) -> list[BaseMessage]:
    text = "Not run: the research is over. Write the report now."
    return [tool_message(call["id"], call["name"], text, ok=False) for call in reply.tool_calls]
