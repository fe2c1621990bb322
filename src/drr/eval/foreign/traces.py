"""Reads traces of agents that ran elsewhere as reports of a study: question, calls with results, report, usage."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from drr.env.errors import Misuse, wrong_field
from drr.env.json_object import JsonObject, parsed
from drr.env.plugins import load
from drr.eval.evidence.imported import ImportedReport, LoggedUsage, ReadReports
from drr.eval.foreign.form import text_in
from drr.eval.foreign.questions import normal_text
from drr.eval.foreign.registry import TRACES
from drr.eval.stats.aggregate import byte_lines
from drr.wording.excerpt import excerpt
from pydantic import Field, ValidationError


class TraceObject(NamedTuple):
    """An object of a file: the whole file, or a line."""

    where: str
    found: JsonObject


class Trace(NamedTuple):
    """One conversation, as the fields of an `ImportedReport`, or the reason why it is none."""

    name: str
    fields: JsonObject | str


Reader = Callable[[Sequence[TraceObject]], Iterator[Trace]]


def read_traces(form: str, files: Sequence[Path], system: str | None) -> ReadReports:
    """Read the traces of all files together, as one may lie in several. Repetitions of a question are numbered in their order."""
    found = ReadReports(files[0] if len(files) == 1 else files[0].parent, [], [])
    objects: list[TraceObject] = []
    for file in files:
        for number, one in _objects(file):
            if isinstance(one, str):
                found.refuse(number or 1, f"{file.name}: {one}" if len(files) > 1 else one)
            else:
                objects.append(TraceObject(file.name if number == 0 else f"{file.name}, line {number}", one))
    reader: Reader = load(TRACES[form])
    trials: Counter[tuple[str, ...]] = Counter()
    for number, (name, fields) in enumerate(reader(objects), 1):
        if isinstance(fields, str):
            found.refuse(number, f"{excerpt(name, 80)}: {fields}")
            continue
        if system is not None:
            fields["system"] = system
        place = str(fields["system"]), normal_text(fields["query"]), str(fields["user_id"])
        try:
            report = ImportedReport.model_validate({"trial": trials[place], **fields})
        except ValidationError as error:
            found.refuse(number, f"{excerpt(name, 80)}: {wrong_field(error)}")
            continue
        trials[place] += 1
        found.reports.append((number, report))
    found.check_anything_left(len(found.reports))
    if not found.reports:
        raise Misuse(f"{found.path}: holds no trace of the form {form}")
    return found


def _objects(path: Path) -> Iterator[tuple[int, JsonObject | str]]:
    """Yield the object of a file (number 0) or of each line, or the reason why there is none."""
    for number, line in byte_lines(path, "traces"):
        if not line.strip():
            continue
        one = _object(line)
        if number == 1 and isinstance(one, str):  # no line of its own: the file is one object
            yield 0, _object(text_in(path).encode())
            return
        yield number, one


def _object(text: bytes) -> JsonObject | str:
    try:
        orjson.loads(text)  # stricter than what follows: no NaN, no half a character
        found = parsed(text)
    except ValueError as error:
        return f"not JSON, or cut off ({excerpt(str(error), 120)})"
    return found if isinstance(found, dict) else "is no object of JSON"


def json_or_text(value: Any) -> Any:
    """Return what a text of JSON holds; any other value, or text, as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return parsed(value)
        except ValueError:
            return value
    return value


def as_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def text_of(content: Any) -> str:
    """Return the text of a message: a text, or parts of which some are texts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") or part.get("content") for part in parts if isinstance(part, dict))
    return "\n".join(text for text in texts if isinstance(text, str))


def call_of(
    number: int, name: Any, arguments: Any, result: Any, error: str | None, kind: Any = None
) -> JsonObject:
    """Return a call in the form of imports."""
    given = json_or_text(arguments)
    text = as_text(result)
    return {
        "number": number,
        "name": str(name),
        "kind": kind if isinstance(kind, str) else "api",
        "arguments": given if isinstance(given, dict) else {} if given is None else {"input": given},
        **({} if text is None else {"result": text}),
        "ok": error is None,
        "error": None if error is None else {"kind": error, "message": text or ""},
    }


def summed_usage(calls: Sequence[tuple[str, Mapping[str, Any]]]) -> JsonObject:
    """Sum the usage of models' calls by model. Where one call tells no tokens, or no cost, the sum is unknown."""
    found: dict[str, JsonObject] = {}
    for model, used in calls:
        if used.get("input_tokens") is None or used.get("output_tokens") is None:
            return {}
        row = found.setdefault(model, {"cost_usd": 0.0})
        for name in ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens"):
            row[name] = row.get(name, 0) + (used.get(name) or 0)
        cost = used.get("cost_usd")
        known = cost is not None and row["cost_usd"] is not None
        row["cost_usd"] = row["cost_usd"] + cost if known else None
    return found


class _Numbers(LoggedUsage):
    """The numbers of a span or a step, each within its bounds."""

    start: int = Field(0, ge=0, le=4_102_444_800 * 10**9, strict=True)  # up to the year 2100
    trial: int = Field(0, ge=0, le=10**9, strict=True)


def wrong_number(name: str, found: Mapping[str, Any]) -> str | None:
    """Say which number of a span or step cannot be true."""
    try:
        _Numbers.model_validate({one: value for one, value in found.items() if value is not None})
    except ValidationError as error:
        return f"{excerpt(name, 40)}: {wrong_field(error)}"
    return None


def left_out(kind: str, reasons: Sequence[str]) -> str:
    """Say how many parts of a trace were left out, and the first with its reason."""
    return f"{len(reasons):,} {kind}{'' if len(reasons) == 1 else 's'} left out; {excerpt(reasons[0], 200)}"
