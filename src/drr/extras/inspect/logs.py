"""Reads logs of Inspect as reports of other systems: answers, epochs, scores, tool calls and usage."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

from drr.env.errors import DrrError, Misuse, wrong_field
from drr.env.installation import install
from drr.env.json_object import JsonObject
from drr.env.small_files import DOCUMENT, MOST_PARTS, check_unpacked
from drr.eval.evidence.imported import ImportedReport, ReadReports
from pydantic import ValidationError

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample

_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Values of Inspect's own grades: correct, partially correct, incorrect, no answer."""
_ATTACHED = re.compile(rb"attachment://([0-9a-f]{32})")
_LONGEST = 100_000
"""Most characters of a tool's result that are kept."""


def read_log(path: Path, system: str | None, scorer: str | None) -> ReadReports:
    """Read a log's samples. A sample that ended with an error is refused with its reason, as Inspect has no score of it."""
    found, names = ReadReports(path, [], []), list[str]()
    given: list[tuple[int, str, JsonObject, dict[str, float | None]]] = []
    for number, (log, sample) in enumerate(_samples(path), 1):
        where = f"sample {sample.id}, epoch {sample.epoch}"
        if sample.error is not None:
            found.refuse(number, f"{where}: {sample.error.message[:200]}")
            continue
        scores = _scores(sample)
        names += scores
        given.append((number, where, _report(log, sample, system), scores))
    chosen = _scorer(path, names, scorer)
    for number, where, fields, scores in given:
        fields["logged"] |= {"scorer": chosen, "score": None if chosen is None else scores.get(chosen)}
        try:
            found.reports.append((number, ImportedReport.model_validate(fields)))
        except ValidationError as error:
            found.refuse(number, f"{where}: {wrong_field(error)}")
    found.check_anything_left(len(found.reports))
    if not found.reports:
        raise Misuse(f"{path}: holds no sample")
    return found


def _samples(path: Path) -> Iterator[tuple[EvalLog, EvalSample]]:
    """Yield each sample with the log's head. One sample is in memory at a time, without what is not imported."""
    try:
        from inspect_ai.log import read_eval_log, read_eval_log_sample, read_eval_log_sample_summaries
    except ImportError as missing:
        raise Misuse(
            f"{path}: a log of Inspect needs packages that are not installed ({missing.name}): {install('inspect')}"
        ) from missing
    if not path.is_file():
        raise Misuse(f"{path}: is no file")
    try:
        _check_unpacked(path)
        log = read_eval_log(str(path), header_only=True)
        for one in read_eval_log_sample_summaries(str(path)):
            yield (
                log,
                read_eval_log_sample(
                    str(path), one.id, one.epoch, resolve_attachments=True, exclude_fields={"events", "store"}
                ),
            )
    except DrrError:
        raise
    except Exception as error:  # its readers raise what their formats raise
        raise Misuse(f"{path}: is no log of Inspect ({type(error).__name__}: {str(error)[:120]})") from error


def _check_unpacked(path: Path) -> None:
    """Raise `DrrError` for a log that unpacks to too much, before any of it is parsed."""
    whole = 0
    with ZipFile(path) as log:
        for entry in log.infolist():
            with log.open(entry) as file:
                text = file.read(DOCUMENT + 1)
            whole += len(text)
            check_unpacked(path, whole, path.stat().st_size)
            parts = text.count(b"[") + text.count(b"{")
            repeated = Counter(_ATTACHED.findall(text))
            if len(text) > DOCUMENT or parts > MOST_PARTS or _resolved_length(text, repeated) > 2 * DOCUMENT:
                name = entry.filename[:100]
                raise DrrError(
                    f"{path}: {name!r} unpacks to over {DOCUMENT:,} bytes, or {MOST_PARTS:,} lists and objects"
                )


def _resolved_length(text: bytes, repeated: Counter[bytes]) -> int:
    """Return how many characters the attachments of a sample have in all places that name them."""
    if repeated.total() * len(text) <= DOCUMENT:
        return 0
    attached = json.loads(text).get("attachments") or {}
    return sum(len(str(attached.get(name.decode(), ""))) * count for name, count in repeated.items())


def _scorer(path: Path, names: Sequence[str], asked: str | None) -> str | None:
    """Return the name of the score that is imported: the one asked for, else the log's first."""
    known = list(dict.fromkeys(names))
    if asked is not None and asked not in known:
        raise Misuse(f"--scorer {asked}: the log has {', '.join(known) or 'no scores'}")
    return asked or next(iter(known), None)


def _scores(sample: EvalSample) -> dict[str, float | None]:
    """Return a sample's scores by name. A score of several values has a name for each, `scorer/value`."""
    found: dict[str, float | None] = {}
    for name, score in (sample.scores or {}).items():
        if isinstance(score.value, Mapping):
            found |= {f"{name}/{key}": _number(value) for key, value in score.value.items()}
        else:
            found[name] = _number(score.value)
    return found


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        value = _GRADES.get(value, value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if isfinite(number) else None


def _report(log: EvalLog, sample: EvalSample, system: str | None) -> JsonObject:
    return {
        "id": None,
        "system": system or str(log.eval.model),
        "query": sample.input if isinstance(sample.input, str) else str(sample.input[-1].text),
        "query_id": f"{log.eval.task.rpartition('/')[2]}-{sample.id}",
        "trial": sample.epoch - 1,
        "report_markdown": sample.output.completion if sample.output else "",
        "tool_calls": list(_calls(sample)),
        "logged": {
            "usage": {
                name: {
                    "input_tokens": used.input_tokens + (used.input_tokens_cache_read or 0) + (used.input_tokens_cache_write or 0),
                    "cache_read_tokens": used.input_tokens_cache_read or 0,
                    "cache_write_tokens": used.input_tokens_cache_write or 0,
                    "output_tokens": used.output_tokens,
                    "cost_usd": getattr(used, "total_cost", None),
                }
                for name, used in (sample.model_usage or {}).items()
            },
        },
    }  # fmt: skip


def _calls(sample: EvalSample) -> Iterator[JsonObject]:
    """Yield the tool calls of the conversation, each with its result."""
    results = {one.tool_call_id: one for one in sample.messages if one.role == "tool"}
    asked = (call for one in sample.messages if one.role == "assistant" for call in one.tool_calls or ())
    for number, call in enumerate(asked, 1):
        result = results.get(call.id)
        error = None if result is None or result.error is None else result.error
        yield {
            "number": number,
            "name": call.function,
            "kind": "api",
            "arguments": dict(call.arguments),
            "result": None if result is None else str(result.text)[:_LONGEST],
            "ok": result is not None and error is None,
            "error": None if error is None else {"kind": str(error.type), "message": str(error.message)},
        }
