"""Imports reports of other systems into a study, as records like those of its own answers, without a call.

Each line is `{system, query, report_markdown, id?, query_id?, user_id?, task_id?, person_id?, size?, trial?, evidence?: [{url, type, text,
status?}], tool_calls?}`. What is not given stays unknown: without `evidence` nothing is stored, without `tool_calls` nothing counts as fabricated.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple
from unicodedata import category

from drr.citations.addresses import canonical_url
from drr.citations.parse import parse, without_form
from drr.citations.repair import unknown_urls
from drr.env.errors import Misuse, wrong_field
from drr.env.files import Id
from drr.env.json_object import JsonObject, parsed
from drr.env.query import Query, query_id
from drr.env.source import Source, text_hash
from drr.env.web.base import PageStatus
from drr.env.world import all_kinds, is_paged
from drr.eval.evidence.answers import questions
from drr.eval.evidence.given_files import check_named, given_rows
from drr.study.evidence import pack_sources
from drr.study.study import Study
from drr.study.unit import Outcome, Unit
from drr.study.worker import Context
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator


class Evidence(BaseModel):
    model_config = ConfigDict(extra="ignore")

    url: str = Field(min_length=1)
    type: str = Field("web", min_length=1)
    text: str | None = None
    """Text of the page; absent where the page could not be read."""
    title: str | None = None
    status: PageStatus | None = None
    seen: str | None = None
    """Text that the agent read, as a trace tells it; `text` is then the page behind it, if anybody read that."""
    record: JsonObject | None = None
    """The shop's record, as the shop gave it at the import of a trace."""

    @field_validator("type")
    @classmethod
    def _of_a_kind(cls, name: str) -> str:
        """Check that the type is a kind: judges read it outside every fence."""
        if name not in all_kinds():
            raise ValueError(f"names no kind of source; known are {', '.join(all_kinds())}")
        return name

    @property
    def standing(self) -> PageStatus:
        if self.status not in (None, "ok"):
            return self.status
        if self.text is None:
            return "unreachable"
        return "ok" if self.text.strip() else "empty"

    @property
    def readable(self) -> str:
        """Return the text, or an empty one for an error page, which is no evidence."""
        return (self.text or "") if self.standing == "ok" else ""

    def source(self) -> Source:
        page: tuple[str | None, PageStatus | None] = (self.text, self.status)
        if self.seen is None:
            page = (self.readable, self.standing) if is_paged(self.type) else (None, None)
        return Source(
            url=self.url,
            type=self.type,
            title=self.title,
            seen=self.readable if self.seen is None else self.seen,
            page=page[0],
            page_status=page[1],
            record=self.record,
        )


class _GivenError(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)

    kind: str | None = None
    message: str | None = None


class _GivenCall(BaseModel):
    """A tool call of another system. Any field may be missing, but none may have another type."""

    model_config = ConfigDict(extra="allow", strict=True)

    number: int | None = Field(None, ge=0, le=10**9)
    name: str | None = None
    kind: str | None = None
    researcher: str | None = None
    arguments: JsonObject | None = None
    result: str | None = None
    ok: bool | None = None
    error: _GivenError | None = None
    seconds: float | None = Field(None, ge=0, le=10**7, allow_inf_nan=False)
    result_sha256: Literal[None] = None
    """Always absent: `result` holds the text, and nothing is looked up by its hash."""


class Origin(BaseModel):
    """The place of a report in the files of another benchmark."""

    model_config = ConfigDict(extra="ignore")

    format: str = Field(min_length=1)
    id: int | str | None = None
    language: str | None = None
    task: int | str | None = None
    domain: str | None = None


Tokens = Annotated[int, Field(ge=0, le=10**9, strict=True)]


class LoggedUsage(BaseModel):
    """Tokens of one model, as a log counts them; tokens read include cached tokens."""

    input_tokens: Tokens = 0
    cache_read_tokens: Tokens = 0
    cache_write_tokens: Tokens = 0
    output_tokens: Tokens = 0
    cost_usd: float | None = Field(None, ge=0, le=10**6, strict=True)


class LoggedResult(BaseModel):
    """Score and usage of a report in the log of another harness."""

    model_config = ConfigDict(extra="forbid")

    scorer: str | None = None
    score: float | None = Field(None, ge=0, le=1)
    usage: dict[str, LoggedUsage] = {}
    """Usage by the name of the model."""


class ImportedReport(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: Id | None = None
    """The id that the other system gave the report, such as the question's."""
    system: str = Field(min_length=1, max_length=200)
    query: str = Field(min_length=1)
    query_id: Id | None = None
    user_id: str | None = Field(None, min_length=1)
    task_id: Id | None = None
    size: Id | None = None
    """Size of the stored page collection; each size is a question of its own, which `query_id` names."""
    person_id: Id | None = None
    """Id of the person who asks, in a file of persons; only where the question also names its user."""
    origin: Origin | None = None
    trial: int = Field(0, ge=0, le=10**9)
    report_markdown: str
    evidence: list[Evidence] | None = None
    tool_calls: list[JsonObject] | None = None
    """Tool calls as the other system gives them."""
    logged: LoggedResult | None = None
    traced: Literal[True] | None = None
    """True where a trace tells all that the tools returned, so that the report is judged as our own are."""

    @field_validator("trial", mode="before")
    @classmethod
    def _a_number(cls, trial: Any) -> Any:
        return str(trial) if isinstance(trial, bool) else trial  # pydantic reads `true` as 1

    @field_validator("system")
    @classmethod
    def _on_one_line(cls, name: str) -> str:
        if any(category(character) in ("Cc", "Zl", "Zp") for character in name):
            raise ValueError("a name stands on one line and holds no control character")
        return name

    @field_validator("tool_calls")
    @classmethod
    def _of_known_form(cls, calls: list[JsonObject] | None) -> list[JsonObject] | None:
        """Check the calls and return them as given."""
        for number, call in enumerate(calls or (), 1):
            try:
                _GivenCall.model_validate(call)
            except ValidationError as error:
                raise ValueError(f"call {number}, {wrong_field(error)}") from None
        return calls


SELDOM = ("id", "task_id", "person_id", "size", "origin", "logged", "traced")
"""Fields that few reports have. Absent ones are left out of the key, which stays as it was before these fields existed."""


class RefusedLine(NamedTuple):
    line: int
    why: str


@dataclass(frozen=True)
class ReadReports:
    """The reports of a file that can be imported, and the refused lines with reasons."""

    path: Path
    reports: list[tuple[int, ImportedReport]]
    refused: list[RefusedLine]

    def refuse(self, line: int, why: str) -> None:
        """Record a refused line with its reason."""
        self.refused.append(RefusedLine(line, why))

    def check_anything_left(self, left: int) -> None:
        if self.refused and not left:
            first, more = self.refused[0], len(self.refused) - 1
            rest = f" (and {more:,} lines more; none can be taken in)" if more else ""
            raise Misuse(f"{self.path}, line {first.line}: {first.why}{rest}")


def read_reports(path: Path, *more: Path, system: str | None = None) -> ReadReports:
    """Read the reports of files. `Misuse` where none is one; an id is the system's own, and repetitions may share it.
    `system` wrote those that name none."""
    found = ReadReports(path.parent if more else path, [], [])
    for file in (path, *more):
        where = f"{file.name}: " if more else ""
        ids: dict[tuple[str, str | None, int], int] = {}
        for number, row in given_rows(file, system):
            try:
                report = _report(row)
            except ValueError as error:
                found.refuse(number, f"{where}{error}")
                continue
            given = (report.system, report.id, report.trial)
            if report.id is not None and (first := ids.setdefault(given, number)) != number:
                again = f"the id {report.id} of {report.system} is already on line {first}"
                found.refuse(number, f"{where}{again}")
                continue
            found.reports.append((number, report))
    found.check_anything_left(len(found.reports))
    if not found.reports:
        raise Misuse(
            f"{path}: holds no report; each line is one, with `system`, `query` and `report_markdown`"
        )
    return found


def _report(line: str | dict[str, Any]) -> ImportedReport:
    """Parse a line or fields. `ValueError` says what is wrong."""
    if not isinstance(line, str):
        check_named(line)
    try:
        fields = parsed(line) if isinstance(line, str) else line
        if isinstance(line, str):
            json.dumps(fields, ensure_ascii=False).encode()  # half a character ends here
        return ImportedReport.model_validate(fields)
    except ValidationError as error:
        if not error.errors()[0]["loc"]:
            raise ValueError("not an object; each line is one report") from error
        raise ValueError(wrong_field(error)) from error
    except ValueError as error:
        raise ValueError(
            f"not JSON ({error}); each line is one report (or give .md or .csv files)"
        ) from error


def plan_import(
    study: Study | None, read: ReadReports, given: Sequence[Query] = ()
) -> tuple[list[Unit], list[Query]]:
    """Plan units, and return also the questions that the study did not have. Reports with the same normalised query and user have the same question, but for those of a task at a size, which keep their id. `given` are questions with their truth. Refuse a trial that is repeated with other content."""
    own = questions(study) if study else {}
    given = [one for one in given if one.id not in own]
    asked = _Asked({**own, **{one.id: one for one in given}})
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
    names = {unit.spec["query_id"] for unit in units}
    return units, [*asked.fresh.values(), *(one for one in given if one.id in names)]


def _place(spec: Mapping[str, Any]) -> tuple[str, str, int]:
    return spec["query_id"], spec["variant"], spec["trial"]


class _Asked:
    """The questions known so far, by their words and users."""

    def __init__(self, known: Mapping[str, Query]) -> None:
        self.fresh: dict[str, Query] = {}
        self._names: dict[str, dict[str, str]] = {}
        for name, query in known.items():
            self._users(query.query).setdefault(query.user_id or "", name)

    def _users(self, query: str) -> dict[str, str]:
        """Return the id of a question for each user who asks it."""
        return self._names.setdefault(" ".join(query.split()).casefold(), {})

    def known_as(self, report: ImportedReport) -> str:
        """Return the id of a report's question. It is that of a question known by its words, else the given id, else a hash of the words. With a size, and of a log, it is the given id: there, other things than words tell questions apart."""
        if report.query_id is not None and (report.size is not None or report.logged is not None):
            return report.query_id
        users = self._users(report.query)
        name = users.get(report.user_id or "")
        if name is None and report.user_id is None and len(set(users.values())) == 1:
            name = next(iter(users.values()))
        return name or report.query_id or query_id(report.query, report.user_id or "")

    def learn(self, report: ImportedReport, name: str) -> None:
        """Store the question of a report that was imported."""
        users = self._users(report.query)
        if (report.user_id or "") in users or (report.user_id is None and name in users.values()):
            return
        users[report.user_id or ""] = name
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


def unit_of(report: ImportedReport, name: str) -> Unit:
    content = report.model_dump(mode="json")
    for field in SELDOM:
        if content[field] is None:
            del content[field]
    for evidence in content["evidence"] or ():
        for field in ("status", "seen", "record"):
            if evidence[field] is None:
                del evidence[field]
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
    """List the imported units, which stay when the study's own variants are planned anew."""
    return [
        study.ledger.units.get(r.key) for r in study.records("answer", None) if r.key_fields.get("imported")
    ]


async def store_imported_report(spec: Mapping[str, Any], context: Context) -> Outcome:
    """Store one imported report as an outcome. Nothing is called; the record is as the line says."""
    report = ImportedReport.model_validate(spec["imported"])
    sources = [one.source() for one in report.evidence or ()]
    rows, blobs = pack_sources(sources)
    text, form = without_form(report.report_markdown)
    if form is not None:
        blobs["form"] = form
    known = {canonical_url(url) for one in sources for url in one.addresses}
    unknown = unknown_urls(parse(text), lambda url: canonical_url(url) in known) if report.traced else ()
    return Outcome(
        {
            "schema_version": 1,
            "imported": not report.traced,
            "imported_id": report.id,
            **({} if report.origin is None else {"origin": report.origin.model_dump(mode="json")}),
            **({} if report.logged is None else {"logged": report.logged.model_dump(mode="json")}),
            "variant": report.system,
            "query_id": spec["query_id"],
            "query": report.query,
            "user_id": report.user_id,
            "trial": report.trial,
            "models": {},
            "rule_written": False,
            "words": len(text.split()),
            "sources": rows,
            "fabricated": [{"url": url, "page_status": None, "page_sha256": None} for url in unknown],
            "tool_calls": report.tool_calls,
            "stop_reason": "imported",
            "state_changes": [],
        },
        {**blobs, "report": text, "raw_report": text},
    )
