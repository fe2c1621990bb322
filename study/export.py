"""A study as tables: units, tool calls, sources, usage, each as JSONL and Parquet, in key order.

The canonical form leaves out what the wall clock or the way there decided (`WALL`, and in results every key named in
`CLOCK`), so that two runs with the same results give the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drr.study.study import Study
from drr.study.unit import Record, canonical_json

if TYPE_CHECKING:
    import pyarrow as pa

CLOCK = frozenset({"seconds", "started_at", "finished_at"})
WALL = CLOCK | {"attempts", "retries"}
_OWN_TABLES = frozenset({"tool_calls", "sources", "usage"})
_TEXT, _INT, _REAL, _BOOL = "string", "int64", "double", "bool"
_UNITS = {
    "key": _TEXT, "kind": _TEXT, "label": _TEXT, "status": _TEXT, "reason": _TEXT, "message": _TEXT,
    "query_id": _TEXT, "query": _TEXT, "user_id": _TEXT, "variant": _TEXT, "trial": _INT, "rule_written": _BOOL,
    "stop_reason": _TEXT, "words": _INT, "report": _TEXT, "calls": _INT, "input_tokens": _INT,
    "output_tokens": _INT, "cost_usd": _REAL, "key_fields": _TEXT, "result": _TEXT, "blobs": _TEXT,
    "attempts": _INT, "seconds": _REAL, "started_at": _REAL, "finished_at": _REAL,
}  # fmt: skip
_CALLS = {
    "key": _TEXT, "number": _INT, "name": _TEXT, "kind": _TEXT, "researcher": _TEXT, "arguments": _TEXT, "ok": _BOOL,
    "error_kind": _TEXT, "error_message": _TEXT, "result_sha256": _TEXT, "seconds": _REAL,
}  # fmt: skip
_SOURCES = {
    "key": _TEXT, "number": _INT, "url": _TEXT, "type": _TEXT, "title": _TEXT, "sha256": _TEXT, "page_sha256": _TEXT,
    "page_status": _TEXT, "record_sha256": _TEXT,
}  # fmt: skip
_USAGE = {
    "key": _TEXT, "role": _TEXT, "model": _TEXT, "calls": _INT, "retries": _INT, "unmetered": _INT,
    "input_tokens": _INT, "cache_read_tokens": _INT, "cache_write_tokens": _INT, "output_tokens": _INT,
    "seconds": _REAL, "cost_usd": _REAL,
}  # fmt: skip
_JSON = frozenset({"key_fields", "result", "blobs", "arguments"})
"""Objects in JSONL, their canonical text in Parquet."""


def export(study: Study, out: Path, *, canonical: bool = False) -> dict[str, int]:
    """Write the tables into `out` and give the number of rows of each. A file appears whole or not at all."""
    out.mkdir(parents=True, exist_ok=True)
    tables: dict[str, tuple[dict[str, str], Callable[[Study, Record], Iterator[dict[str, Any]]]]] = {
        "units": (_UNITS, _unit_rows),
        "tool_calls": (_CALLS, _call_rows),
        "sources": (_SOURCES, _source_rows),
        "usage": (_USAGE, _usage_rows),
    }
    counts: dict[str, int] = {}
    writers = {
        name: _Table(out, name, {k: t for k, t in columns.items() if not (canonical and k in WALL)})
        for name, (columns, _) in tables.items()
    }
    try:
        for record in study.records(status=None):
            for name, (_, rows) in tables.items():
                for row in rows(study, record):
                    writers[name].add(
                        {**row, "result": _without_clock(row.get("result"))} if canonical else row
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
            [(column, getattr(pa, kind)()) for column, kind in _arrow(columns)]
        )
        self._paths = {ending: out / f"{name}.{ending}" for ending in ("jsonl", "parquet")}
        self._aside = {ending: out / f".{name}.{ending}.part" for ending in ("jsonl", "parquet")}
        self._lines = self._aside["jsonl"].open("w", encoding="utf-8", newline="\n")
        self._parquet = pq.ParquetWriter(self._aside["parquet"], self._schema, compression="zstd")
        self._batch: list[dict[str, Any]] = []
        self._count = 0

    def add(self, row: Mapping[str, Any]) -> None:
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
        """Nothing is left of a table that was not finished."""
        self._lines.close()
        self._parquet.close()
        for aside in self._aside.values():
            aside.unlink(missing_ok=True)


def _arrow(columns: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    names = {_REAL: "float64", _BOOL: "bool_"}
    return ((column, names.get(kind, kind)) for column, kind in columns.items())


def _unit_rows(study: Study, record: Record) -> Iterator[dict[str, Any]]:
    facts = {**record.key_fields, **record.spec, **record.result}
    used = record.usage.values()
    row = {name: facts.get(name) for name in _UNITS}
    for name in ("query_id", "query", "user_id", "variant", "stop_reason"):
        row[name] = row[name] if isinstance(row[name], str) else None
    yield row | {
        "key": record.key,
        "kind": record.kind,
        "label": record.label,
        "status": record.status,
        "reason": record.reason,
        "message": record.message,
        "report": study.text(record, "report"),
        "calls": sum(one["calls"] for one in used),
        "input_tokens": sum(one["input_tokens"] for one in used),
        "output_tokens": sum(one["output_tokens"] for one in used),
        "cost_usd": record.cost_usd,
        "key_fields": dict(record.key_fields),
        "result": {name: value for name, value in record.result.items() if name not in _OWN_TABLES},
        "blobs": dict(record.blobs),
        "attempts": record.attempts,
        "seconds": record.seconds,
        "started_at": record.started_at,
        "finished_at": record.finished_at,
    }


def _call_rows(study: Study, record: Record) -> Iterator[dict[str, Any]]:
    for number, call in enumerate(record.result.get("tool_calls") or [], 1):
        error = call.get("error") or {}
        yield {
            **call,
            "key": record.key,
            "number": call.get("number", number),
            "ok": call.get("error") is None,
            "error_kind": error.get("kind"),
            "error_message": error.get("message"),
        }


def _source_rows(study: Study, record: Record) -> Iterator[dict[str, Any]]:
    for number, source in enumerate(record.result.get("sources") or [], 1):
        yield {**source, "key": record.key, "number": number}


def _usage_rows(study: Study, record: Record) -> Iterator[dict[str, Any]]:
    for role, used in sorted(record.usage.items()):
        yield {**used, "key": record.key, "role": role}


def _without_clock(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _without_clock(inner) for name, inner in value.items() if name not in CLOCK}
    if isinstance(value, list):
        return [_without_clock(inner) for inner in value]
    return value
