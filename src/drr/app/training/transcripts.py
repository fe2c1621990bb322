"""Stores finished episodes for trainers: the conversation, its reward, and all data to compute the reward again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from threading import Lock
from typing import Annotated, Any, Literal, NotRequired

from drr.app.console import write_lines
from drr.app.training.episode import (
    Ending,
    Episode,
    EpisodeTurn,
    ReportAction,
    ToolAction,
    as_json,
    writable_unicode,
)
from drr.env.errors import Misuse
from drr.env.files import atomic_write, opener, owner_only_mode
from drr.env.installation import check_installed
from drr.env.json_object import JsonObject
from drr.env.jsonl import rows_of
from drr.env.query import Query
from drr.env.session import Change
from drr.env.source import Source
from drr.eval.rewards.answer_forms import Form
from drr.eval.rewards.components import RewardRow, reward
from drr.eval.rewards.rewarded import Rewarded
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

SCHEMA = 1
_appending = Lock()


Paid = Annotated[float, Field(ge=-1e6, le=1e6)]
"""A reward, a component of a reward, or its weight; larger numbers would lose precision when summed."""


class ChatFunction(TypedDict):
    name: str
    arguments: str
    """Arguments of the call as JSON text."""


class ChatCall(TypedDict):
    id: str
    type: Literal["function"]
    function: ChatFunction


class ChatMessage(TypedDict):
    """A message in the chat format common to model servers."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: NotRequired[list[ChatCall]]
    tool_call_id: NotRequired[str]


class StepRow(TypedDict):
    """One action of an episode: its time and error, and the model's tokens where the trainer gave them."""

    seconds: float
    error: str | None
    token_ids: list[int] | None
    logprobs: list[float] | None


class ReturnedSource(TypedDict):
    """The fields of a source that rewards use."""

    url: str
    type: str
    product_id: str | None
    price: float | None
    record: NotRequired[JsonObject]
    """The record of an order, and that of a product where rules over several points read it."""


class EpisodeTranscript(BaseModel):
    """One finished episode. `messages` is all that the agent saw; the other fields are for the trainer."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_version: int = SCHEMA
    query: Query
    """The question with its true answer."""
    seed: int | None
    shop: str
    """Content hash of the shop."""
    agent: str | None = None
    """Name of the variant, for an answer taken from a study."""
    messages: list[ChatMessage]
    tools: list[JsonObject]
    steps: list[StepRow]
    report: str
    form: Form | None
    sources: list[ReturnedSource]
    changes: list[Change] = Field(default_factory=list)
    """Changes of the profile, as the session recorded them."""
    calls: int
    ending: Ending
    reward: Paid
    components: dict[str, Paid | None]
    weights: dict[str, Paid]
    versions: dict[str, int]

    @classmethod
    def of(cls, episode: Episode, seed: int | None) -> EpisodeTranscript:
        """Return the transcript of a finished episode; raises `Misuse` for an unfinished one."""
        if episode.ending is None or episode.reward is None:
            raise Misuse("the episode goes on; a transcript is of one that has ended")
        last = episode.turns[-1].action
        report, form = last if episode.ending == "answered" and isinstance(last, ReportAction) else ("", None)
        return cls(
            query=episode.query,
            seed=seed,
            shop=episode.session.world.content_hash or "",
            messages=messages(episode),
            tools=[{**tool} for tool in episode.start.tools],
            steps=[_step(turn) for turn in episode.turns],
            report=report,
            form=form,
            sources=[source_fields(source, episode.query) for source in episode.session.sources],
            changes=episode.session.changes,
            calls=episode.steps - (episode.ending == "answered"),
            ending=episode.ending,
            **paid_fields(episode.reward),
        )

    def regraded(self, query: Query | None = None) -> EpisodeTranscript:
        """Return the transcript with the reward computed again by the present rules, optionally for another version of the question."""
        asked = query or self.query
        sources = [
            Source(
                url=one["url"],
                type=one["type"],
                seen="",
                record=one.get("record") or {"product_id": one["product_id"], "price": one["price"]},
            )
            for one in self.sources
        ]
        paid = reward(Rewarded(asked, self.report, self.form, sources))
        return self.model_copy(update={"query": asked, **paid_fields(paid)})


def paid_fields(row: RewardRow) -> dict[str, Any]:
    """Return the fields of a transcript that come from a reward."""
    return {"reward": row["total"], **{name: row[name] for name in ("components", "weights", "versions")}}


def _step(turn: EpisodeTurn) -> StepRow:
    output = turn.output
    return {
        "seconds": round(turn.seconds, 6),
        "error": turn.error,
        "token_ids": None if output is None or output.token_ids is None else list(output.token_ids),
        "logprobs": None if output is None or output.logprobs is None else list(output.logprobs),
    }


def source_fields(source: Source, query: Query) -> ReturnedSource:
    """Return the fields of a source that rewards use."""
    kept = source.record or {}
    record: Mapping[str, Any] = kept if source.type == "product" else {}
    fields: ReturnedSource = {
        "url": source.url,
        "type": source.type,
        "product_id": record.get("product_id"),
        "price": record.get("price"),
    }
    if "order_id" in kept:
        fields["record"] = {name: kept[name] for name in ("order_id", "product_id")}
    elif record and query.checkable is not None and query.checkable.rules:
        fields["record"] = {**record, "features": [], "description": []}
    return fields


def messages(episode: Episode) -> list[ChatMessage]:
    """Return an episode as chat messages: tool calls as tool calls, other actions as JSON text."""
    first = episode.start
    found: list[ChatMessage] = [
        {"role": "system", "content": first.instructions},
        {"role": "user", "content": first.prompt},
    ]
    for number, turn in enumerate(episode.turns, 1):
        words = writable_unicode(turn.output.content if turn.output else "")
        text = writable_unicode(turn.text)
        if isinstance(turn.action, ToolAction):
            found += tool_call_messages(number, turn.action.tool, turn.action.arguments, text, words)
        else:
            found.append({"role": "assistant", "content": words or turn.written})
            if text:
                found.append({"role": "user", "content": text})
    return found


def tool_call_messages(
    number: int, tool: str, arguments: Mapping[str, object], result: str, words: str = ""
) -> list[ChatMessage]:
    """Return a tool call and its result as two chat messages."""
    call: ChatCall = {
        "id": f"call_{number}",
        "type": "function",
        "function": {"name": tool, "arguments": as_json({**arguments})},
    }
    return [
        {"role": "assistant", "content": words, "tool_calls": [call]},
        {"role": "tool", "content": result, "tool_call_id": call["id"]},
    ]


def append(path: Path, transcript: EpisodeTranscript) -> None:
    """Append a transcript to a file of JSON lines. Environments of one process may share the file."""
    with _appending, open(path, "a", encoding="utf-8", opener=opener) as file:
        file.write(json.dumps(transcript.model_dump(mode="json"), ensure_ascii=False) + "\n")


def read(path: Path) -> list[EpisodeTranscript]:
    return [row for _, row in rows_of(path, EpisodeTranscript, "transcripts of episodes", SCHEMA)]


def write(path: Path, transcripts: Iterable[EpisodeTranscript]) -> None:
    """Write transcripts as JSON lines, or as Parquet where the file name ends in `.parquet`."""
    rows = [one.model_dump(mode="json") for one in transcripts]
    if path.suffix == ".parquet":
        _write_parquet(path, rows)
    else:
        write_lines(path, rows)


_AS_JSON = ("query", "tools", "form", "sources", "changes", "components", "weights", "versions")
"""Columns that hold JSON text in a Parquet file."""


def _write_parquet(path: Path, rows: list[dict[str, Any]]) -> None:
    check_installed("pyarrow")
    import pyarrow as pa
    import pyarrow.parquet as pq

    text, number = pa.string(), pa.float64()
    function = pa.struct({"name": text, "arguments": text})
    call = pa.struct({"id": text, "type": text, "function": function})
    message = pa.struct({"role": text, "content": text, "tool_calls": pa.list_(call), "tool_call_id": text})
    step = pa.struct(
        {"seconds": number, "error": text, "token_ids": pa.list_(pa.int64()), "logprobs": pa.list_(number)}
    )
    kinds = {"messages": pa.list_(message), "steps": pa.list_(step), "reward": number}
    kinds |= dict.fromkeys(("schema_version", "seed", "calls"), pa.int64())
    schema = pa.schema({name: kinds.get(name, text) for name in EpisodeTranscript.model_fields})
    flat = [{**row, **{name: json.dumps(row[name]) for name in _AS_JSON}} for row in rows]
    try:
        with atomic_write(path, owner_only_mode(0o666)) as file:
            pq.write_table(pa.Table.from_pylist(flat, schema), file, compression="zstd")
    except OSError as error:
        raise Misuse(f"{path}: cannot be written ({error.strerror or error}); name another place") from error
