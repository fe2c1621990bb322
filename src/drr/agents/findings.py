"""Results of researchers: their texts or failures, and the effect of failures on the whole run."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypedDict

from drr.agents.base import CallError, ResearcherFailure, StopReason, ToolSchema
from drr.agents.brief import RESULTS, Piece, SynthesisRequest
from drr.agents.run_state import AgentRun
from drr.agents.turns import asks_again, ending_for_failure, write_from_findings
from drr.llm.failures import ModelFailure
from langchain_core.messages import AIMessage, BaseMessage


class SubProblem(TypedDict):
    """A part of the question that was given to a researcher."""

    researcher: str
    turn: int
    place: int
    """The index of the launching call within the supervisor's `turn`."""
    problem: str


class Synthesis(NamedTuple):
    text: str
    stop: StopReason


@dataclass(frozen=True)
class Finding:
    """A researcher's result: a synthesis, or a failure."""

    researcher: str
    turn: int
    place: int
    problem: str
    text: str | None
    stop: StopReason | None
    failure: ModelFailure | None = None
    error: CallError | None = None
    """The reason for a missing text where no model failed."""
    ended: float | None = None
    """Seconds since the start of the answer."""


def without_extra_fields(task: SubProblem) -> SubProblem:
    """Return a task with the fields of `SubProblem` only."""
    return {
        "researcher": task["researcher"],
        "turn": task["turn"],
        "place": task["place"],
        "problem": task["problem"],
    }


async def wait_for_finding(run: AgentRun, task: SubProblem, work: Awaitable[Synthesis]) -> Finding:
    """Wait for a researcher's result. A failure becomes a finding without text, so that the other researchers go on."""
    where = without_extra_fields(task)
    try:
        end = await work
    except ModelFailure as failure:
        if failure.fatal:
            raise  # every other call would fail the same way
        if (
            failure.kind != "over_budget"
        ):  # the calls of the other researchers are paid for: the unit ends after them
            run.failures.append(
                ResearcherFailure(
                    researcher=where["researcher"],
                    problem=where["problem"],
                    kind=failure.kind,
                    message=str(failure),
                )
            )
        return Finding(**where, text=None, stop=None, failure=failure, ended=run.allowance.elapsed())
    return Finding(**where, text=end.text, stop=end.stop, ended=run.allowance.elapsed())


def stop_over_budget(findings: Sequence[Finding]) -> None:
    for finding in findings:
        if finding.failure is not None and finding.failure.kind == "over_budget":
            raise finding.failure


def give_up_without_findings(findings: Sequence[Finding]) -> None:
    """Raise the failure of one researcher where all failed, and one of them for an outage or a full context.
    An outage thus never becomes a report."""
    failures = [finding.failure for finding in findings if finding.failure is not None]
    if len(failures) == sum(finding.error is None for finding in findings):
        for failure in failures:
            if failure.transient or failure.kind == "context_overflow":
                raise failure


def stop_reason(findings: Sequence[Finding], stop: StopReason) -> StopReason:
    """Return the stop reason of the research. Where every researcher failed, it is the reason of the first failure."""
    if any(finding.text is not None for finding in findings):
        return stop
    for finding in findings:
        if finding.failure is not None and (why := ending_for_failure(finding.failure, known=True)):
            return why
    return stop


def synthesis_request(run: AgentRun, who: str, problem: str) -> SynthesisRequest:
    return SynthesisRequest(problem, run.evidence(who))


async def synthesis_without_tools(
    run: AgentRun, who: str, problem: str, messages: Sequence[BaseMessage]
) -> str:
    """Write the synthesis in a fresh conversation without tools: problem, profile facts, tool results, the researcher's last words."""
    pieces = run.pieces(who)
    if run.profile is not None:
        pieces.append(Piece("Profile facts", run.profile.text, "profile"))
    last = messages[-1]
    if isinstance(last, AIMessage) and last.text.strip():
        pieces.append(Piece("Closing words of the researcher", last.text, "words"))
    brief = synthesis_request(run, who, problem)
    return await write_from_findings(
        run, "synthesis", f"synthesis {who}", problem, RESULTS, pieces, brief, run.pictures(who)
    )


async def ask_for_synthesis(
    run: AgentRun,
    who: str,
    conversation: str,
    problem: str,
    messages: Sequence[BaseMessage],
    stop: StopReason,
    tools: Sequence[ToolSchema],
) -> str | None:
    """Ask for the synthesis at the end of the researcher's own conversation, so that the provider's cache is used. Return `None` where this
    fails: a call is unanswered, no room is left, or the model replies with another call."""
    last = messages[-1]
    if stop == "context_limit" or (isinstance(last, AIMessage) and last.tool_calls):
        return None
    talk = [*messages, run.instruction("synthesis_own")]
    try:
        reply = await run.speak(conversation, talk, tools, brief=synthesis_request(run, who, problem))
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
