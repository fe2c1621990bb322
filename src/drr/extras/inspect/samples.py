"""Records a sample of Inspect as a run: any Inspect agent answers, and the record is an ordinary one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from drr.agents.architecture import Architecture, Variant
from drr.agents.base import AGENT, AnswerRecord, Ending
from drr.agents.run_state import AgentRun
from drr.agents.runner import AgentOptions, run_variant
from drr.env.query import Query
from drr.extras.inspect import PROMPT
from drr.extras.inspect.bench import Bench
from drr.extras.inspect.model import Conversions, instructions
from drr.extras.inspect.tools import PLACE, begin_sample, end_sample, note_refused
from drr.llm.failures import NO_ANSWER, ModelFailure
from drr.llm.meter import Meter, Tokens
from drr.llm.role import Schema
from drr.plugin import prompts_of
from langchain_core.messages import AIMessage, BaseMessage

if TYPE_CHECKING:
    from inspect_ai.solver import TaskState

RECORD = "drr:record"
"""The key of the record in a sample's store and log, from which a sample can be scored again."""
_ENDED = {"max_tokens": "truncated", "content_filter": "refused", "model_length": "context_limit"}
_RUNS: dict[str, SampleRun] = {}


@dataclass
class InspectModel:
    """The name of a model that Inspect calls itself; calls through this object are errors."""

    name: str
    role: str = AGENT
    rule_written: bool = False

    async def reply(self, messages: Sequence[BaseMessage], **_: Any) -> AIMessage:
        raise AssertionError("Inspect asks its models itself")

    async def count(self, messages: Sequence[BaseMessage], **_: Any) -> int | None:
        return None

    async def structured(self, messages: Sequence[BaseMessage], schema: type[Schema], **_: Any) -> Schema:
        raise AssertionError("Inspect asks its models itself")


@dataclass
class SampleRun:
    run: AgentRun
    meter: Meter
    report: asyncio.Future[Ending]
    record: asyncio.Task[AnswerRecord]

    @classmethod
    async def begin(cls, bench: Bench, query: Query, system: str, model: str) -> SampleRun:
        loop = asyncio.get_running_loop()
        handed: asyncio.Future[AgentRun] = loop.create_future()
        report: asyncio.Future[Ending] = loop.create_future()

        async def answer(run: AgentRun) -> Ending:
            handed.set_result(run)
            return await report

        architecture = Architecture(
            name=system,
            version="1",
            summary="an agent of Inspect",
            load=lambda: answer,
            prompts=(PROMPT,),
            options=(),
            once=True,
        )
        meter = Meter()
        recording = run_variant(
            Variant(architecture),
            query.query,
            world=bench.realm.world({"query_id": query.id, "query": query.query, "user_id": query.user_id}),
            models={AGENT: InspectModel(model)},
            meter=meter,
            prompts=prompts_of(bench.settings, "agents"),
            options=AgentOptions(top_k=bench.settings.web_top_k),
            query_id=query.id,
        )
        record = asyncio.create_task(recording)
        both: set[asyncio.Future[Any]] = {record, handed}
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        if record.done():
            record.result()
        return cls(handed.result(), meter, report, record)


async def begin(state: TaskState, bench: Bench, system: str) -> None:
    """Open the sample's session before any solver, and give its agent the usual instructions."""
    from inspect_ai.model import ChatMessageSystem

    query = bench.queries[str(state.sample_id)]
    sample = await SampleRun.begin(bench, query, system, str(state.model))
    name = state.uuid
    _RUNS[name] = sample
    begin_sample(name, sample.run)
    state.store.set(PLACE, name)
    state.messages.insert(0, ChatMessageSystem(content=instructions(sample.run)))


async def record_of(state: TaskState) -> AnswerRecord | None:
    """Return the sample's record, made at the first request; `None` if its agent left no answer."""
    kept = state.store.get(RECORD)
    if kept is not None:
        return AnswerRecord.model_validate(kept)
    sample = _RUNS.get(state.uuid)
    report = state.output.completion.strip()
    if sample is None or not report:
        return None
    if not sample.report.done():
        _complete(sample, state)
        sample.report.set_result(Ending(report, _stop_reason(state)))
    try:
        record = await asyncio.shield(sample.record)
    except ModelFailure as failure:
        if failure.kind not in NO_ANSWER:
            raise
        return None
    state.store.set(RECORD, record.model_dump(mode="json"))
    return record


async def end(state: TaskState) -> None:
    """End the sample's run after scoring, whatever its outcome."""
    sample = _RUNS.pop(state.uuid, None)
    end_sample(state.uuid)
    if sample is not None and not sample.record.done():
        sample.record.cancel()
        await asyncio.gather(sample.record, return_exceptions=True)


def _events() -> Sequence[Any]:
    from inspect_ai.log import transcript

    return list(transcript().events)


def _complete(sample: SampleRun, state: TaskState) -> None:
    """Add to the record the data that only Inspect saw: usage of its models, conversation, and calls that it answered."""
    for event in _events():
        if event.event != "model" or event.error or event.cache == "read":
            continue
        used, tokens = event.output.usage, Tokens(0, 0)
        if used is not None:
            read, written = used.input_tokens_cache_read or 0, used.input_tokens_cache_write or 0
            tokens = Tokens(used.input_tokens + read + written, used.output_tokens, read, written)
        known = tokens if tokens.can_be else None
        sample.meter.answered(AGENT, sample.run.agent.name, known, None, event.working_time or 0.0)
    note_refused(sample.run, state.messages)
    sample.run.keep("conversation 1", Conversions().of(state.messages))


def _stop_reason(state: TaskState) -> str:
    """Return a limit of Inspect's, the failure of the last answer, or the agent's own end."""
    limits = [event.type for event in _events() if event.event == "sample_limit"]
    if limits:
        return f"{limits[-1]}_limit"
    return _ENDED.get(state.output.stop_reason, "answered")
