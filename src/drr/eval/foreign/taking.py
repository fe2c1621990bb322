"""Imports rows of other benchmarks as answers of a study with scores: everything that was given, or nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from drr.env.errors import Misuse, wrong_field
from drr.env.files import Id
from drr.env.query import Query, query_id
from drr.eval.evidence.answers import Answer, questions, read_answers
from drr.eval.evidence.imported import ImportedReport, Origin, ReadReports, plan_import
from drr.eval.foreign.form import (
    ForeignQuestion,
    Format,
    Given,
    GivenQuestion,
    GivenReport,
    GivenScores,
    ReportOut,
    ScoresOut,
)
from drr.eval.foreign.questions import NamesOfTasks, PlacesInStudy, QuestionsAtHand, normal_text, taken_before
from drr.eval.foreign.summary import ForeignScore, foreign_scores
from drr.study.form import naming_errors
from drr.study.study import Study
from drr.study.unit import Unit
from pydantic import TypeAdapter, ValidationError

_ID: TypeAdapter[str] = TypeAdapter(Id)


@dataclass(frozen=True)
class GivenFiles:
    """The contents of the given files."""

    format: Format
    reports: list[GivenReport] = field(default_factory=list)
    scores: list[GivenScores] = field(default_factory=list)
    questions: list[GivenQuestion] = field(default_factory=list)

    def add(self, one: Given) -> None:
        if isinstance(one, GivenReport):
            self.reports.append(one)
        elif isinstance(one, GivenScores):
            self.scores.append(one)
        else:
            self.questions.append(one)


@dataclass(frozen=True)
class TakenFiles:
    units: list[Unit]
    fresh: list[Query]
    scores: list[ForeignScore]


def read_files(
    form: Format, files: Sequence[Path], queries: Sequence[Path], system: str | None
) -> GivenFiles:
    """Read the files. Raises `Misuse` with file and line for the first row of another form."""
    found = GivenFiles(form)
    for path in files:
        for one in form.read(path):
            found.add(
                one if system is None or isinstance(one, GivenQuestion) else replace(one, system=system)
            )
    for path in queries:
        asked = [one for one in form.read(path) if isinstance(one, GivenQuestion)]
        if not asked:
            raise Misuse(f"{path}: holds no question of {form.title}")
        found.questions.extend(asked)
    if not found.reports and not found.scores:
        named = ", ".join(str(path) for path in files)
        raise Misuse(f"{named}: no report and no score of {form.title} in it")
    return found


def take_files(study: Study | None, given: GivenFiles, judge: str | None, trial: int) -> TakenFiles:
    """Prepare the import into this study, or into a new one. Nothing is written yet."""
    asked = [(one.where, one.asked) for one in given.questions]
    before = taken_before(study, given.format.name) if study else []
    known = QuestionsAtHand(asked, before)
    reports = _reports(given, known, NamesOfTasks(study), trial)
    read = ReadReports(Path(given.format.title), list(enumerate((one for _, one in reports), 1)), [])
    units, fresh = plan_import(study, read)
    if read.refused:
        line, why = read.refused[0]
        raise Misuse(f"{reports[line - 1][0]}: {why.replace('`trial`', '--trial')}")
    places = PlacesInStudy(study, units)
    return TakenFiles(units, fresh, _scores(given, known, places, judge, trial))


def _reports(
    given: GivenFiles, known: QuestionsAtHand, names: NamesOfTasks, trial: int
) -> list[tuple[str, ImportedReport]]:
    found: list[tuple[str, ImportedReport]] = []
    seen: dict[tuple[str | None, ...], str] = {}
    for one in given.reports:
        asked = known.whole(one.where, one.asked)
        report = _report(one, asked, given.format.name, names, trial)
        place = (one.system, normal_text(report.query), report.user_id, report.size)
        if place in seen:
            raise Misuse(
                f"{one.where}: {one.system} answers the same question in {seen[place]}; "
                "import repetitions by calls of their own with --trial"
            )
        seen[place] = one.where
        found.append((one.where, report))
    return found


def _report(
    one: GivenReport, asked: ForeignQuestion, form: str, names: NamesOfTasks, trial: int
) -> ImportedReport:
    words = asked.words or ""
    task = None if asked.user is None or asked.task is None else names.of_task(asked)
    named = None if asked.size is None else names.at_size(asked)
    for name, value in (("id", asked.id), ("taskid", task), ("userid", asked.user), ("size", named)):
        if isinstance(value, str):
            _check_id(f"{one.where}: {name}", value)
    return ImportedReport(
        id=str(asked.id) if asked.id is not None else query_id(words, asked.user or ""),
        system=one.system,
        query=words,
        query_id=named,
        size=asked.size,
        user_id=asked.user,
        task_id=task,
        person_id=asked.user,
        trial=trial,
        report_markdown=one.text,
        origin=Origin(
            format=form, id=asked.id, language=asked.language, task=asked.task, domain=asked.domain
        ),
    )


def _check_id(where: str, text: str) -> None:
    try:
        _ID.validate_python(text)
    except ValidationError as error:
        raise Misuse(f"{where}: {wrong_field(error, '')}") from error


def _scores(
    given: GivenFiles, known: QuestionsAtHand, places: PlacesInStudy, judge: str | None, trial: int
) -> list[ForeignScore]:
    found: list[ForeignScore] = []
    seen: dict[tuple[str | None, ...], tuple[str, int]] = {}
    for one in given.scores:
        name = None
        if one.asked is not None:
            name = places.query(one.where, known.whole(one.where, one.asked))
        row = ForeignScore(
            format=given.format.name,
            part=one.part,
            judge=judge,
            system=places.system(one.system),
            query_id=name,
            size=one.asked.size if one.asked else None,
            trial=trial,
            values=dict(one.values),
            failed=one.failed,
            source=one.file,
            sha256=one.sha256,
        )
        key = (one.part, row.system, name)
        if name is None or key not in seen:
            seen[key] = (one.where, len(found))
            found.append(row)
            continue
        where, at = seen[key]
        found[at] = _joined(one.where, where, found[at], row)
    return found


def _joined(where: str, first: str, one: ForeignScore, other: ForeignScore) -> ForeignScore:
    """Join scores of one report from several files; they must not contradict each other."""
    both: Mapping[str, float | None] = {**one.values, **other.values}
    if any(both[name] != value for name, value in one.values.items()) or one.failed != other.failed:
        raise Misuse(f"{where}: other scores of the same report than in {first}; give one of them")
    if one.values.keys() == other.values.keys():
        raise Misuse(f"{where}: the scores of the report that {first} has; give them once")
    return one.model_copy(update={"values": dict(both)})


@dataclass(frozen=True)
class LeavingReports:
    reports: list[ReportOut]
    scores: Mapping[str, list[ScoresOut]]
    """Scores in the same format, by judge; empty where the judge is unknown."""
    left_out: Mapping[str, int]
    """Number of reports (or scores) that lose something in this format, by kind."""


def reports_to_write(study: Study, form: Format) -> LeavingReports:
    """List the reports to write, by question and system. A file of another benchmark holds only trial 0."""
    known = questions(study)
    left: Counter[str] = Counter()
    found: list[ReportOut] = []
    for answer in read_answers(study):
        if answer.trial:
            left["trials after the first"] += 1
            continue
        asked = _question(answer, form.name, known.get(answer.query_id))
        left.update(_left(answer, asked, form))
        found.append(ReportOut(answer.query_id, asked, answer.variant, answer.report))
    scores = _scores_out(study, form, {one.query_id: one.asked for one in found}, left)
    return LeavingReports(found, scores, dict(left))


def _scores_out(
    study: Study, form: Format, asked: Mapping[str, ForeignQuestion], left: Counter[str]
) -> dict[str, list[ScoresOut]]:
    found: dict[str, list[ScoresOut]] = {}
    for one in foreign_scores(study):
        question = asked.get(one.query_id or "")
        if one.format != form.name:
            continue
        if one.part not in form.written_parts or question is None or one.query_id is None or one.trial:
            title = next((part.title for part in form.parts if part.name == one.part), one.part)
            left[f"what the scores were made of ({title})"] += 1
            continue
        row = ScoresOut(question, one.query_id, one.system, one.part, one.values, one.failed)
        found.setdefault(one.judge or "", []).append(row)
    return found


def _question(answer: Answer, name: str, query: Query | None) -> ForeignQuestion:
    """Return a question under the names that it had in files of the same format, else under the study's."""
    with naming_errors(f"the answer {answer.label!r}"):
        claimed = answer.record.result.get("origin")
        origin = None if claimed is None else Origin.model_validate(claimed)
    own = origin if origin is not None and origin.format == name else None
    return ForeignQuestion(
        id=own.id if own else None,
        words=answer.query,
        user=(query.person_id if query else None) or answer.user_id,
        language=origin.language if origin else None,
        task=own.task if own else query.task_id if query else None,
        domain=own.domain if own else None,
        size=_size(answer, query),
    )


def _size(answer: Answer, query: Query | None) -> str | None:
    spec = answer.record.spec
    size = (query.size if query else None) or spec.get("size") or (spec.get("imported") or {}).get("size")
    return None if size is None else str(size)


def _left(answer: Answer, asked: ForeignQuestion, form: Format) -> list[str]:
    fields = {
        "ids of questions": asked.id is not None and "id" in form.no_room,
        "users": asked.user is not None and "user" in form.no_room,
        "tasks": asked.task is not None and "task" in form.no_room,
        "sizes of the frozen pages": asked.size is not None and "size" in form.no_room,
        "languages": asked.language is not None and "language" in form.no_room,
        "sources": bool(answer.record.result.get("sources")),
        "tool calls": bool(answer.calls),
    }
    return [name for name, lost in fields.items() if lost]
