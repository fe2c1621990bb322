"""Runs an agent of Inspect as a variant, with the run's model and tools and the context of a sample."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from drr.agents.architecture import Run
from drr.agents.base import AGENT, Ending, StopReason
from drr.agents.brief import RESULTS, ReportRequest
from drr.agents.run_state import AgentRun
from drr.agents.turns import broken_off, write_from_findings
from drr.env.errors import DrrError
from drr.extras.inspect.model import PROVIDER, LimitReached, instructions, model_of
from drr.extras.inspect.tools import RunPlace, enter, note_refused
from drr.llm.failures import ModelFailure

if TYPE_CHECKING:
    from inspect_ai.agent import Agent
    from inspect_ai.model import Model


KNOWN = "0.3.285"


@asynccontextmanager
async def sample_of(question: str, model: Model) -> AsyncIterator[None]:
    """Set up an Inspect sample for this task and its children. Questions answered concurrently share no state."""
    try:
        from inspect_ai.dataset import Sample
        from inspect_ai.log._samples import active_sample
        from inspect_ai.log._transcript import Transcript, init_transcript
        from inspect_ai.model import GenerateConfig
        from inspect_ai.model._model import (
            init_active_model,
            init_model_roles,
            init_model_usage,
            init_role_usage,
        )
        from inspect_ai.util import Store
        from inspect_ai.util._store import init_subtask_store

        transcript, name = Transcript(), uuid4().hex
        init_transcript(transcript)
        init_subtask_store(Store())
        init_active_model(model, GenerateConfig())
        init_model_roles({})
        init_model_usage()
        init_role_usage()
        sample = active_sample(
            task="drr",
            log_location="",
            model=str(model),
            sample=Sample(input=question, id=name),
            epoch=1,
            message_limit=None,
            token_limit=None,
            cost_limit=None,
            time_limit=None,
            working_limit=None,
            fails_on_error=True,
            transcript=transcript,
            eval_id=name,
            sample_uuid=name,
        )
    except (ImportError, TypeError) as error:
        raise DrrError(
            f"inspect-ai {version('inspect-ai')} cannot be run here ({error}); {KNOWN} can: pip install inspect-ai=={KNOWN}"
        ) from error
    async with sample:
        yield


_LIMITS: dict[str, StopReason] = {
    "time": "time_limit",
    "working": "time_limit",
    "token": "token_limit",
    "cost": "token_limit",
}
"""Stop reasons by Inspect's names of its limits; its other limits (messages, turns) count as steps."""


def inspect_agent(make: Callable[[], Agent]) -> Run:
    """Return the function that answers a question by an agent. `make` is called within each run, so that the new agent gets the run's tools."""

    async def answer(run: AgentRun) -> Ending:
        broken: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def end(error: Exception) -> None:
            if not broken.done():
                broken.set_exception(error)

        agent = asyncio.create_task(_run(RunPlace(run, end), make))
        both: set[asyncio.Future[Any]] = {agent, broken}
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            agent.cancel()
            broken.cancel()
            await asyncio.gather(agent, broken, return_exceptions=True)
        result: str | BaseException | None = _error_of_work(broken) or _error_of_work(agent) or agent.result()
        if isinstance(result, Exception):
            brief, stop = ReportRequest(run.query, run.evidence()), _stop(run, result)
            findings = run.pieces()
            report = await write_from_findings(run, "report", "report", run.asked, RESULTS, findings, brief)
            return Ending(report, stop)
        if isinstance(result, BaseException):
            raise result
        return Ending(result or "", "finalized")

    return answer


def _error_of_work(work: asyncio.Future[Any]) -> BaseException | None:
    """Return the error of finished work, which takes precedence over the agent's own result."""
    return None if work.cancelled() else work.exception()


async def _run(place: RunPlace, make: Callable[[], Agent]) -> str:
    from inspect_ai.agent import AgentState
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser

    run = place.run
    enter(place)
    messages = [
        ChatMessageSystem(content=instructions(run)),
        ChatMessageUser(content=run.asked, source="input"),
    ]
    state = AgentState(messages=messages)
    async with sample_of(run.query, model_of(place)):
        try:
            state = await make()(state)
        finally:
            note_refused(run, state.messages)
            _count_others(run)
    return str(state.output.completion).strip() if state.output is not None else ""


def _count_others(run: AgentRun) -> None:
    """Count calls of models that the agent chose itself, which bypass the run's meter. Their cost is unknown, not zero."""
    from inspect_ai.log import transcript

    ours = f"{PROVIDER}/"
    asked = [str(one.model) for one in transcript().events if one.event == "model"]
    others = [name for name in asked if not name.startswith(ours)]
    if others:
        names = ", ".join(sorted(set(others)))
        run.notes.append(f"the agent asked models of its own ({names}), {len(others)} times: not metered")
        usage = run.allowance.meter.usage(AGENT, run.agent.name)
        usage.unmetered, usage.cost = usage.unmetered + len(others), None


def _stop(run: AgentRun, error: Exception) -> StopReason:
    """Return the stop reason of research that ends with a report from the findings so far. Other errors are raised and end the unit."""
    from inspect_ai.util import LimitExceededError

    if isinstance(error, LimitReached):
        return error.stop
    if isinstance(error, LimitExceededError):
        return _LIMITS.get(error.type, "step_limit")
    if isinstance(error, ModelFailure):
        known = bool(run.calls)
        if error.kind == "context_overflow" and known:
            return "context_limit"
        if stop := broken_off(run, "agent", error, known=known):
            return stop
    raise error
