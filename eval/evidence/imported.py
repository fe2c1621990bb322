"""Reports of other systems taken into a study: the same records as our own answers leave, made without a call.

`{system, query, report_markdown, id?, query_id?, user_id?, task_id?, person_id?, size?, trial?, evidence?: [{url, type, text, status?}],
tool_calls?}`, a line each.
What is not said stays unknown: without `evidence` nothing is frozen, without `tool_calls` nothing is called fabricated.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple
from unicodedata import category

from drr.citations.form import without_form
from drr.env.errors import Misuse, wrong_field
from drr.env.files import Id
from drr.env.json_object import JsonObject, parsed
from drr.env.jsonl import lines_of
from drr.env.query import Query, query_id
from drr.env.source import Source, text_hash
from drr.env.web.base import PageStatus
from drr.env.world import is_paged
from drr.eval.evidence.answers import questions
from drr.study.evidence import pack
from drr.study.study import Study
from drr.study.unit import Outcome, Unit
from drr.study.worker import Context
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator


class Evidence(BaseModel):
    model_config = ConfigDict(extra="ignore")

    url: str = Field(min_length=1)
    type: str = Field("web", min_length=1)
    text: str | None = None
    """Not there: the page could not be read."""
    title: str | None = None
    status: PageStatus | None = None

    @property
    def standing(self) -> PageStatus:
        if self.status not in (None, "ok"):
            return self.status
        if self.text is None:
            return "unreachable"
        return "ok" if self.text.strip() else "empty"

    @property
    def readable(self) -> str:
        """An error page is no evidence, whoever kept it."""
        return (self.text or "") if self.standing == "ok" else ""

    def source(self) -> Source:
        page = (self.readable, self.standing) if is_paged(self.type) else (None, None)
        return Source(
            url=self.url,
            type=self.type,
            title=self.title,
            seen=self.readable,
            page=page[0],
            page_status=page[1],
        )


class _GivenError(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)

    kind: str | None = None
    message: str | None = None


class _GivenCall(BaseModel):
    """A tool call of another system, in which every part may be unknown but none of another type."""

    model_config = ConfigDict(extra="allow", strict=True)

    number: int | None = Field(None, ge=0, le=10**9)
    name: str | None = None
    kind: str | None = None
    researcher: str | None = None
    arguments: JsonObject | None = None
    result: str | None = None
    ok: bool | None = None
    error: _GivenError | None = None
    seconds: float | None = Field(None, ge=0, le=10**9, allow_inf_nan=False)
    result_sha256: Literal[None] = None
    """Texts of others are not looked up by a hash: `result` holds the text."""


class Origin(BaseModel):
    """The place of a report in the files of another benchmark."""

    model_config = ConfigDict(extra="ignore")

    format: str = Field(min_length=1)
    id: int | str | None = None
    language: str | None = None
    task: int | str | None = None
    domain: str | None = None


class ImportedReport(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: Id | None = None
    """The writing system's own id of the report, such as the question's."""
    system: str = Field(min_length=1, max_length=200)
    query: str = Field(min_length=1)
    query_id: Id | None = None
    user_id: str | None = Field(None, min_length=1)
    task_id: Id | None = None
    size: Id | None = None
    """Size of the frozen pages; each size is a question of its own, which `query_id` names."""
    person_id: Id | None = None
    """The asking person's id in a file of persons; only where the question names its user too."""
    origin: Origin | None = None
    trial: int = Field(0, ge=0, le=10**9)
    report_markdown: str
    evidence: list[Evidence] | None = None
    tool_calls: list[JsonObject] | None = None

    @field_validator("system")
    @classmethod
    def _on_one_line(cls, name: str) -> str:
        if any(category(character) in ("Cc", "Zl", "Zp") for character in name):
            raise ValueError("a name stands on one line and holds no control character")
        return name

    @field_validator("tool_calls")
    @classmethod
    def _of_known_form(cls, calls: list[JsonObject] | None) -> list[JsonObject] | None:
        """Return the calls as they were given, and of the types that tables have."""
        for number, call in enumerate(calls or (), 1):
            try:
                _GivenCall.model_validate(call)
            except ValidationError as error:
                raise ValueError(f"call {number}, {wrong_field(error)}") from None
        return calls

    """As the other system tells them."""


SELDOM = ("id", "task_id", "person_id", "size", "origin")
"""Fields that not every report has; one without them has the key that it had before there were any."""


class RefusedLine(NamedTuple):
    line: int
    why: str


@dataclass(frozen=True)
class ReadReports:
    """The reports that can be taken in from a file, and line by line what cannot, with why."""

    path: Path
    reports: list[tuple[int, ImportedReport]]
    refused: list[RefusedLine]

    def refuse(self, line: int, why: str) -> None:
        """A file of which nothing is left was the wrong file."""
        self.refused.append(RefusedLine(line, why))

    def check_anything_left(self, left: int) -> None:
        if self.refused and not left:
            first, more = self.refused[0], len(self.refused) - 1
            rest = f" (and {more:,} lines more; none can be taken in)" if more else ""
            raise Misuse(f"{self.path}, line {first.line}: {first.why}{rest}")


def read_reports(path: Path) -> ReadReports:
    """Read the reports by line; `Misuse` where no line is one. An id is a system's own, and repetitions may share it."""
    found = ReadReports(path, [], [])
    ids: dict[tuple[str, str, int], int] = {}
    for number, line in enumerate(lines_of(path, "reports"), 1):
        if not line.strip():
            continue
        try:
            report = _report(line)
        except ValueError as error:
            found.refuse(number, str(error))
            continue
        if report.id is not None:
            first = ids.setdefault((report.system, report.id, report.trial), number)
            if first != number:
                found.refuse(number, f"the id {report.id} of {report.system} is already on line {first}")
                continue
        found.reports.append((number, report))
    found.check_anything_left(len(found.reports))
    if not found.reports:
        raise Misuse(
            f"{path}: holds no report; each line is one, with `system`, `query` and `report_markdown`"
        )
    return found


def _report(line: str) -> ImportedReport:
    """`ValueError` with what is wrong."""
    try:
        return ImportedReport.model_validate(parsed(line))
    except ValidationError as error:
        if not error.errors()[0]["loc"]:
            raise ValueError("not an object; each line is one report") from error
        raise ValueError(wrong_field(error)) from error
    except ValueError as error:
        raise ValueError(f"not JSON ({error}); each line is one report") from error


def plan(study: Study | None, read: ReadReports) -> tuple[list[Unit], list[Query]]:
    """Units, and the questions the study did not know (`None`: one that is still to be made). Same normalised query and user: the
    same question."""
    asked = _Asked(questions(study) if study else {})
    records = study.records("answer", None) if study else ()
    taken = {_place(record.spec): record.key for record in records}
    units: list[Unit] = []
    for line, report in read.reports:
        unit = unit_of(report, asked.known_as(report))
        if taken.setdefault(_place(unit.spec), unit.key) != unit.key:
            again = f"{report.system} already has trial {report.trial} of this query, with other content"
            read.refuse(line, f"{again}; number repetitions with `trial`")
            continue
        asked.learn(report, unit.spec["query_id"])
        units.append(unit)
    read.check_anything_left(len(units))
    return units, list(asked.fresh.values())


def asked_of(read: ReadReports) -> dict[str, set[str]]:
    """List by system which questions its reports answer."""
    asked = _Asked({})
    found: dict[str, set[str]] = {}
    for _, report in read.reports:
        name = asked.known_as(report)
        asked.learn(report, name)
        found.setdefault(report.system, set()).add(name)
    return found


def _place(spec: Mapping[str, Any]) -> tuple[str, str, int]:
    return spec["query_id"], spec["variant"], spec["trial"]


class _Asked:
    """The questions known so far, by their words and their users."""

    def __init__(self, known: Mapping[str, Query]) -> None:
        self.fresh: dict[str, Query] = {}
        self._by_words: dict[str, str] = {}
        self._by_text: dict[str, set[str]] = {}
        for name, query in known.items():
            self._keep(name, query.query, query.user_id)

    def _keep(self, name: str, query: str, user_id: str | None) -> None:
        self._by_words.setdefault(query_id(query, user_id or ""), name)
        self._by_text.setdefault(_normal(query), set()).add(name)

    def known_as(self, report: ImportedReport) -> str:
        """Find a question that is known by its words, else the id given, else one made of the words. At a size what is named."""
        if report.size is not None and report.query_id is not None:
            return report.query_id
        words = query_id(report.query, report.user_id or "")
        name = self._by_words.get(words)
        if name is None and report.user_id is None:
            alike = self._by_text.get(_normal(report.query), set())
            name = next(iter(alike)) if len(alike) == 1 else None
        return name or report.query_id or words

    def learn(self, report: ImportedReport, name: str) -> None:
        """Once the report is taken in."""
        if query_id(report.query, report.user_id or "") in self._by_words:
            return
        if report.user_id is None and name in self._by_text.get(_normal(report.query), ()):
            return
        self._keep(name, report.query, report.user_id)
        if report.user_id is not None:
            asked = Query(
                id=name,
                query=report.query,
                user_id=report.user_id,
                task_id=report.task_id,
                person_id=report.person_id,
                size=report.size,
            )
            self.fresh.setdefault(name, asked)


def _normal(text: str) -> str:
    return " ".join(text.split()).casefold()


def unit_of(report: ImportedReport, name: str) -> Unit:
    content = report.model_dump(mode="json")
    for field in SELDOM:
        if content[field] is None:
            del content[field]
    for evidence in content["evidence"] or ():
        if evidence["status"] is None:
            del evidence["status"]
    place = {
        "query_id": name,
        "query": report.query,
        "user_id": report.user_id,
        "variant": report.system,
        "trial": report.trial,
    }
    fields = {"imported": True, **place, "content": text_hash(json.dumps(content, sort_keys=True))}
    label = f"{name}/{report.system}/{report.trial}"
    return Unit("answer", fields, {**place, "imported": content}, label)


def imported_units(study: Study) -> list[Unit]:
    """List those that stay when the study's own variants are planned anew."""
    return [
        study.ledger.units.get(r.key) for r in study.records("answer", None) if r.key_fields.get("imported")
    ]


async def take_in(spec: Mapping[str, Any], context: Context) -> Outcome:
    """The work of one unit: nothing is called, the record is what the line says."""
    report = ImportedReport.model_validate(spec["imported"])
    rows, blobs = pack([one.source() for one in report.evidence or ()])
    text, form = without_form(report.report_markdown)
    if form is not None:
        blobs["form"] = form
    return Outcome(
        {
            "schema_version": 1,
            "imported": True,
            "imported_id": report.id,
            **({} if report.origin is None else {"origin": report.origin.model_dump(mode="json")}),
            "variant": report.system,
            "query_id": spec["query_id"],
            "query": report.query,
            "user_id": report.user_id,
            "trial": report.trial,
            "models": {},
            "rule_written": False,
            "words": len(text.split()),
            "sources": rows,
            "fabricated": [],
            "tool_calls": report.tool_calls,
            "stop_reason": "imported",
            "state_changes": [],
        },
        {**blobs, "report": text, "raw_report": text},
    )
