"""Reports of other systems taken into a study: the same records as our own answers leave, made without a call.

`{id, system, query, query_id?, user_id?, trial?, report_markdown, evidence?: [{url, type, text}], tool_calls?}`, a line each.
What is not said stays unknown: without `evidence` nothing is frozen, without `tool_calls` nothing is called fabricated.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from env.errors import DrrError, Misuse
from env.query import Query, query_id
from env.source import Source, text_hash
from eval.answers import questions
from study.evidence import pack
from study.run import Context
from study.study import Study
from study.unit import Outcome, Unit


class Evidence(BaseModel):
    model_config = ConfigDict(extra="ignore")

    url: str = Field(min_length=1)
    type: Literal["product", "web", "user"] = "web"
    text: str
    title: str | None = None


class Report(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: str = Field(min_length=1)
    system: str = Field(min_length=1)
    query: str = Field(min_length=1)
    query_id: str | None = None
    user_id: str | None = None
    trial: int = Field(0, ge=0)
    report_markdown: str
    evidence: list[Evidence] | None = None
    tool_calls: list[dict[str, Any]] | None = None


def read_reports(path: Path) -> list[Report]:
    """All of them; a broken line is named by its number and nothing is taken in."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise Misuse(f"{path}: cannot be read ({error.strerror}); give a JSONL file of reports") from error
    except UnicodeDecodeError as error:
        raise DrrError(f"{path}: not UTF-8 at byte {error.start}; save the file as UTF-8") from error
    return list(_parse(path, lines))


def _parse(path: Path, lines: Iterable[str]) -> Iterator[Report]:
    ids: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            report = Report.model_validate(json.loads(line))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field = ".".join(str(part) for part in first["loc"]) or "the object"
            raise DrrError(f"{where}: {field}: {first['msg']}") from error
        except ValueError as error:
            raise DrrError(f"{where}: not JSON ({error}); each line is one report") from error
        if report.id in ids:
            raise DrrError(f"{where}: the id {report.id} is already on line {ids[report.id]}")
        ids[report.id] = number
        yield report


def plan(study: Study, reports: Iterable[Report]) -> tuple[list[Unit], list[Query]]:
    """Units, and the questions the study did not know. Same normalised query and user: the same question."""
    known = questions(study)
    by_words = {query_id(query.query, query.user_id): name for name, query in known.items()}
    by_text: dict[str, set[str]] = {}
    for name, query in known.items():
        by_text.setdefault(_normal(query.query), set()).add(name)
    fresh: dict[str, Query] = {}
    units: list[Unit] = []
    taken: dict[tuple[str, str, int], str] = {}
    for report in reports:
        name = _question(report, known, by_words, by_text)
        place = (name, report.system, report.trial)
        if place in taken:
            raise DrrError(
                f"report {report.id}: {report.system} already has trial {report.trial} of this query (report {taken[place]}); "
                "number repetitions with `trial`"
            )
        taken[place] = report.id
        if name not in known and name not in fresh and report.user_id is not None:
            fresh[name] = Query(id=name, query=report.query, user_id=report.user_id)
        units.append(_unit(report, name))
    return units, list(fresh.values())


def _question(
    report: Report, known: Mapping[str, Query], by_words: Mapping[str, str], by_text: Mapping[str, set[str]]
) -> str:
    if report.query_id is not None and report.query_id in known:
        return report.query_id
    if report.user_id is not None:
        key = query_id(report.query, report.user_id)
        return by_words.get(key, key)
    alike = by_text.get(_normal(report.query), set())
    return next(iter(alike)) if len(alike) == 1 else query_id(report.query, "")


def _normal(text: str) -> str:
    return " ".join(text.split()).casefold()


def _unit(report: Report, name: str) -> Unit:
    content = report.model_dump(mode="json")
    fields = {
        "imported": True,
        "query_id": name,
        "query": report.query,
        "user_id": report.user_id,
        "variant": report.system,
        "trial": report.trial,
        "content": text_hash(json.dumps(content, sort_keys=True)),
    }
    spec = {
        "query_id": name,
        "query": report.query,
        "user_id": report.user_id,
        "variant": report.system,
        "trial": report.trial,
        "imported": content,
    }
    return Unit("answer", fields, spec, f"{name}/{report.system}/{report.trial}")


def imported_units(study: Study) -> list[Unit]:
    """Those that stay when the study's own variants are planned anew."""
    return [study.ledger.unit(r.key) for r in study.records("answer", None) if r.key_fields.get("imported")]


async def take_in(spec: Mapping[str, Any], context: Context) -> Outcome:
    """The work of one unit: nothing is called, the record is what the line says."""
    report = Report.model_validate(spec["imported"])
    sources = [
        Source(
            url=one.url,
            type=one.type,
            title=one.title,
            seen=one.text,
            page=one.text if one.type == "web" else None,
            page_status=("ok" if one.text.strip() else "empty") if one.type == "web" else None,
        )
        for one in report.evidence or ()
    ]
    rows, blobs = pack(sources)
    return Outcome(
        {
            "schema_version": 1,
            "imported": True,
            "imported_id": report.id,
            "variant": report.system,
            "query_id": spec["query_id"],
            "query": report.query,
            "user_id": report.user_id,
            "trial": report.trial,
            "models": {},
            "rule_written": False,
            "words": len(report.report_markdown.split()),
            "sources": rows,
            "fabricated": [],
            "tool_calls": report.tool_calls,
            "stop_reason": "imported",
            "state_changes": [],
        },
        {**blobs, "report": report.report_markdown, "raw_report": report.report_markdown},
    )
