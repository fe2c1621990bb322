"""Texts written in a fresh conversation over rendered findings: reports and syntheses."""

from __future__ import annotations

from collections.abc import Sequence

from drr.agents.base import StopReason
from drr.agents.rendering import PROBLEM, QUESTION, Piece, dossier
from drr.agents.unit import AgentRun
from drr.llm.failures import ModelFailure
from langchain_core.messages import HumanMessage

ROUNDS = 3
"""The dossier is halved this often before a context overflow is final."""


async def compose(
    unit: AgentRun,
    prompt: str,
    conversation: str,
    task: str,
    heading: str,
    pieces: Sequence[Piece],
    *,
    problem: bool = False,
) -> str:
    """A text from a dossier. Where it does not fit the model, the longest findings are shortened, which is noted."""
    system = unit.system(prompt, **({} if problem else {"report_form": report_form(unit)}))
    limit = unit.limits.evidence_chars
    if sum(len(piece.text) for piece in pieces) > limit:
        unit.notes.append(f"{conversation}: findings shortened to {limit:,} characters")
    for last in (False,) * (ROUNDS - 1) + (True,):
        text = dossier(PROBLEM if problem else QUESTION, task, heading, pieces, limit)
        try:
            return await unit.write(conversation, [system, HumanMessage(text)])
        except ModelFailure as failure:
            if failure.kind != "context_overflow" or last:
                raise
        limit = min(limit, sum(len(piece.text) for piece in pieces)) // 2
        unit.notes.append(
            f"{conversation}: findings shortened to {limit:,} characters, the model's context is smaller"
        )
    raise AssertionError("unreachable")


def report_form(unit: AgentRun) -> str:
    return unit.prompts["report_form"].text.strip()


WHY: dict[StopReason, str] = {
    "step_limit": "the limit of turns is reached",
    "round_limit": "the limit of research rounds is reached",
    "tool_call_limit": "the limit of tool calls is reached",
    "token_limit": "the limit of tokens is reached",
    "time_limit": "the time is up",
}
