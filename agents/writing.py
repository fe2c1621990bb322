"""Texts written in a fresh conversation over rendered findings: reports and syntheses."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from drr.agents.base import StopReason
from drr.agents.brief import Condensing, Reporting
from drr.agents.recovery import twice
from drr.agents.rendering import PROBLEM, QUESTION, Piece, dossier
from drr.agents.running import AgentRun
from drr.llm.failures import ModelFailure
from drr.llm.seeing import Block, with_pictures

ROUNDS = 3
"""The dossier is halved this often before a context overflow is final."""


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
            return await twice(run, conversation, partial(run.write, conversation, asked, brief=brief))
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
