"""The results of work that an agent gave to others. A text each, or how it failed, and what their failures mean for the whole."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypedDict

from drr.agents.base import CallError, ResearcherFailure, StopReason
from drr.agents.recovery import end_for
from drr.agents.running import AgentRun
from drr.llm.failures import ModelFailure


class SubProblem(TypedDict):
    """A piece of work that was given away."""

    researcher: str
    turn: int
    place: int
    """The turn of who gave it away, and the call in it."""
    problem: str


class Condensed(NamedTuple):
    text: str
    stop: StopReason


@dataclass(frozen=True)
class Finding:
    """A researcher's finding: its synthesis, or how it failed."""

    researcher: str
    turn: int
    place: int
    problem: str
    text: str | None
    stop: StopReason | None
    failure: ModelFailure | None = None
    error: CallError | None = None
    """Why there is nothing, where no model failed."""
    ended: float | None = None
    """Seconds after the answer was begun."""


def bare(task: SubProblem) -> SubProblem:
    """Strip a task to the sub-problem."""
    return {
        "researcher": task["researcher"],
        "turn": task["turn"],
        "place": task["place"],
        "problem": task["problem"],
    }


async def attempted(run: AgentRun, task: SubProblem, work: Awaitable[Condensed]) -> Finding:
    """A failure is a finding without text, so that siblings go on."""
    where = bare(task)
    try:
        end = await work
    except ModelFailure as failure:
        if failure.fatal:
            raise  # every other call would fail the same way
        if (
            failure.kind != "over_budget"
        ):  # what its siblings have in flight is paid for: the unit ends when they have
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
    """Give up where every researcher failed, one of them for an outage: then the unit fails as that one did.
    An outage never becomes a report."""
    failures = [finding.failure for finding in findings if finding.failure is not None]
    if len(failures) == sum(finding.error is None for finding in findings):
        for failure in failures:
            if failure.transient or failure.kind == "context_overflow":
                raise failure


def end_of(findings: Sequence[Finding], stop: StopReason) -> StopReason:
    """Return why the research ends: where every researcher failed, the report says no more than that."""
    if any(finding.text is not None for finding in findings):
        return stop
    for finding in findings:
        if finding.failure is not None and (why := end_for(finding.failure, known=True)):
            return why
    return stop
