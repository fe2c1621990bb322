"""Exports a study as tables: units, tool calls, sources and usage, each as JSONL and Parquet, in key order.

The canonical form leaves out everything that depends on the clock or on retries (`WALL`, and in results every key of
`CLOCK`), so that two runs with the same results give the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from drr.env.files import make_folder, owner_only_mode
from drr.env.installation import check_installed
from drr.env.json_object import JsonObject
from drr.llm.meter import UsageRow
from drr.study.evidence import PackedSource
from drr.study.form import naming_errors
from drr.study.study import Study
from drr.study.unit import Record, canonical_json, is_about
from typing_extensions import TypedDict  # as the rows that it extends

if TYPE_CHECKING:
    import pyarrow as pa

CLOCK = frozenset({"seconds", "started_at", "finished_at"})
WALL = CLOCK | {"attempts", "retries"}
_OWN_TABLES = frozenset({"tool_calls", "sources", "usage"})


class UnitRow(TypedDict):
    key: str
    kind: str
    label: str
    status: str
    reason: str | None
    message: str | None
    query_id: str | None
    query: str | None
    user_id: str | None
    variant: str | None
    trial: int | None
    rule_written: bool | None
    stop_reason: str | None
    words: int | None
    report: str | None
    calls: int | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    key_fields: JsonObject
    result: JsonObject
    blobs: JsonObject
    attempts: int
    seconds: float | None
    started_at: float
    finished_at: float


class CallRow(TypedDict):
    """A tool call in the record of an agent or in the import of another system."""

    key: str
    number: int
    name: str | None
    kind: str | None
    researcher: str | None
    arguments: JsonObject | None
    ok: bool
    error_kind: str | None
    error_message: str | None
    result_sha256: str | None
    seconds: float | None


class _Place(TypedDict):
    key: str
    number: int


class KeyedSource(_Place, PackedSource):
    """A source with its unit's key and its number among the unit's sources."""


class _Role(TypedDict):
    key: str
    role: str


class KeyedUsage(_Role, UsageRow):
    pass


Rows = Callable[[Study, Record], Iterator[Mapping[str, object]]]
_JSON = frozenset({"key_fields", "result", "blobs", "arguments"})
"""Columns that are objects in JSONL and canonical JSON text in Parquet."""


def export(study: Study, out: Path, *, canonical: bool = False) -> dict[str, int]:
    """Write the tables into `out` and return the number of rows of each. A file appears completely or not at all."""
    check_installed("pyarrow")
    make_folder(out, owner_only_mode(0o777))
    tables: dict[str, tuple[type, Rows]] = {
        "units": (UnitRow, _unit_rows),
        "tool_calls": (CallRow, _call_rows),
        "sources": (KeyedSource, _source_rows),
        "usage": (KeyedUsage, _usage_rows),
    }
    counts: dict[str, int] = {}
    writers = {
        name: _Table(out, name, {k: t for k, t in _columns(shape).items() if not (canonical and k in WALL)})
        for name, (shape, _) in tables.items()
    }
    try:
        aside = study.ledger.units.aside()
        for record in study.records(status=None):
            if record.kind == "judgement" and is_about(record, aside):
                continue
            for name, (_, rows) in tables.items():
                with naming_errors(f"the record of {record.label!r}"):
                    for row in rows(study, record):
                        writers[name].add(
                            {**row, "result": without_clock(row.get("result"))} if canonical else row
                        )
        for name, writer in writers.items():
            counts[name] = writer.finish()
    finally:
        for writer in writers.values():
            writer.abandon()
    return counts


class _Table:
    def __init__(self, out: Path, name: str, columns: Mapping[str, str]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._columns = columns
        self._schema: pa.Schema = pa.schema(
            [(column, getattr(pa, kind)()) for column, kind in columns.items()]
        )
        self._paths = {ending: out / f"{name}.{ending}" for ending in ("jsonl", "parquet")}
        self._aside = {ending: out / f".{name}.{ending}.part" for ending in ("jsonl", "parquet")}
        for aside in self._aside.values():  # left by a stopped export, or put there by someone else
            aside.unlink(missing_ok=True)
            aside.touch(owner_only_mode(0o666), exist_ok=False)
        self._lines = self._aside["jsonl"].open("w", encoding="utf-8", newline="\n")
        self._parquet = pq.ParquetWriter(self._aside["parquet"], self._schema, compression="zstd")
        self._batch: list[Mapping[str, object]] = []
        self._count = 0

    def add(self, row: Mapping[str, object]) -> None:
        kept = {column: row.get(column) for column in self._columns}
        self._lines.write(canonical_json(kept) + "\n")
        self._batch.append(
            {k: canonical_json(v) if k in _JSON and v is not None else v for k, v in kept.items()}
        )
        self._count += 1
        if len(self._batch) == 5_000:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        if self._batch:
            self._parquet.write_table(pa.Table.from_pylist(self._batch, schema=self._schema))
            self._batch = []

    def finish(self) -> int:
        self._flush()
        self._lines.close()
        self._parquet.close()
        for ending, path in self._paths.items():
            self._aside[ending].replace(path)
        return self._count

    def abandon(self) -> None:
        """Delete the unfinished files of a table."""
        self._lines.close()
        self._parquet.close()
        for aside in self._aside.values():
            aside.unlink(missing_ok=True)


def _columns(shape: type) -> dict[str, str]:
    """Return the columns of a table with their Arrow types, from the fields of its row."""
    return {name: _arrow(hint) for name, hint in get_type_hints(shape).items()}


def _arrow(hint: object) -> str:
    """Return the Arrow type of a type hint; everything but numbers and truth values is text."""
    kinds = {int: "int64", float: "float64", bool: "bool_"}
    return next((kinds[one] for one in (hint, *get_args(hint)) if one in kinds), "string")


def _unit_rows(study: Study, record: Record) -> Iterator[UnitRow]:
    facts = {**record.key_fields, **record.spec, **record.result}
    used = record.usage.values()
    has_usage = record.is_metered
    yield {
        "key": record.key,
        "kind": record.kind,
        "label": record.label,
        "status": record.status,
        "reason": record.reason,
        "message": record.message,
        "query_id": _text(facts, "query_id"),
        "query": _text(facts, "query"),
        "user_id": _text(facts, "user_id"),
        "variant": _text(facts, "variant"),
        "trial": facts.get("trial"),
        "rule_written": facts.get("rule_written"),
        "stop_reason": _text(facts, "stop_reason"),
        "words": facts.get("words"),
        "report": None if study.lost(record) else study.text(record, "report"),
        "calls": sum(one["calls"] for one in used) if has_usage else None,
        "input_tokens": sum(one["input_tokens"] for one in used) if has_usage else None,
        "output_tokens": sum(one["output_tokens"] for one in used) if has_usage else None,
        "cost_usd": record.making_usd,
        "key_fields": dict(record.key_fields),
        "result": {name: value for name, value in record.result.items() if name not in _OWN_TABLES},
        "blobs": dict(record.blobs),
        "attempts": record.attempts,
        "seconds": record.making_seconds,
        "started_at": record.started_at,
        "finished_at": record.finished_at,
    }


def _text(facts: Mapping[str, Any], name: str) -> str | None:
    """Return a field if it is text. A judgement may use a name like `query` for something else."""
    value = facts.get(name)
    return value if isinstance(value, str) else None


def _call_rows(study: Study, record: Record) -> Iterator[CallRow]:
    for number, call in enumerate(record.result.get("tool_calls") or [], 1):
        error = call.get("error") or {}
        yield {
            "key": record.key,
            "number": call.get("number", number),
            "name": call.get("name"),
            "kind": call.get("kind"),
            "researcher": call.get("researcher"),
            "arguments": call.get("arguments"),
            "ok": call.get("error") is None,
            "error_kind": error.get("kind"),
            "error_message": error.get("message"),
            "result_sha256": call.get("result_sha256"),
            "seconds": call.get("seconds"),
        }


def _source_rows(study: Study, record: Record) -> Iterator[KeyedSource]:
    sources: list[PackedSource] = record.result.get("sources") or []
    for number, source in enumerate(sources, 1):
        yield {**source, "key": record.key, "number": number}


def _usage_rows(study: Study, record: Record) -> Iterator[KeyedUsage]:
    for role, used in sorted(record.usage.items()):
        yield {**used, "key": record.key, "role": role}


def without_clock(value: Any) -> Any:
    """Return a value without the fields that depend on the clock."""
    if isinstance(value, Mapping):
        return {name: without_clock(inner) for name, inner in value.items() if name not in CLOCK}
    if isinstance(value, list):
        return [without_clock(inner) for inner in value]
    return value
