"""The way on for a run whose model fails in the middle. Ask once more, or end the research with a report from what is known.

Such a report is written by the same model in a fresh conversation, never by rules; its stop reason says that the research was
broken off, so that it can be counted and left out. Where no report can be had either, the unit fails.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from drr.agents.base import BROKEN_OFF, StopReason
from drr.agents.running import AgentRun
from drr.llm.failures import FailureKind, ModelFailure

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


async def twice(run: AgentRun, what: str, ask: Callable[[], Awaitable[Value]]) -> Value:
    """Ask twice for what nothing can take the place of: a first turn, a plan, a report. Another conversation may fare better."""
    try:
        return await ask()
    except ModelFailure as failure:
        if not asks_again(failure):
            raise
        run.notes.append(f"{what}: asked once more, the first answer could not be used ({failure.kind})")
    return await ask()


def broken_off(run: AgentRun, what: str, failure: ModelFailure, *, known: bool) -> StopReason | None:
    """Say why the research ends here with a report from what is known; `None` where it has to fail.

    An outage while nothing is known is no end: the unit fails, and is computed when the outage is over.
    """
    stop = end_for(failure, known=known)
    if stop is not None:
        run.notes.append(f"{what}: the research was broken off ({failure.kind}: {str(failure)[:200]})")
    return stop


def end_for(failure: ModelFailure, *, known: bool) -> StopReason | None:
    return "outage" if failure.transient and known else _STOPS.get(failure.kind)


def is_broken_off(stop: str) -> bool:
    return stop in BROKEN_OFF
