"""Imports rows of other benchmarks as answers of a study with scores: everything that was given, or nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from drr.env.errors import Misuse, wrong_field
from drr.env.files import Id
from drr.env.query import Query, query_id
from drr.eval.evidence.answers import Answer, questions, read_answers
from drr.eval.evidence.imported import ImportedReport, Origin, ReadReports, plan_import
from drr.eval.foreign.form import (
    UNNAMED,
    ForeignQuestion,
    Format,
    GivenQuestion,
    GivenReport,
    GivenScores,
    digest_of,
)
from drr.eval.foreign.questions import NamesInStudy, QuestionsAtHand, normal_text, taken_before
from drr.eval.foreign.summary import ForeignScore, foreign_scores
from drr.study.form import naming_errors
from drr.study.study import Study
from drr.study.unit import Unit
from pydantic import TypeAdapter, ValidationError

_ID: TypeAdapter[Any] = TypeAdapter(int | Id | None)


class GivenFiles(NamedTuple):
    """The contents of the given files."""

    format: Format
    questions: list[GivenQuestion]
    reports: list[GivenReport]
    scores: list[GivenScores]


class TakenFiles(NamedTuple):
    units: list[Unit]
    fresh: list[Query]
    scores: list[ForeignScore]


def read_files(
    form: Format, files: Sequence[Path], queries: Sequence[Path], system: str | None
) -> GivenFiles:
    """Read the files. Raises `Misuse` with file and line for the first row of another form."""
    found = GivenFiles(form, [], [], [])
    for path in files:
        for one in form.read(path):
            if isinstance(one, GivenQuestion):
                found.questions.append(one)
            elif isinstance(one, GivenReport):
                found.reports.append(one if system is None else replace(one, system=system))
            else:
                found.scores.append(one if system is None else replace(one, system=system))
    for path in queries:
        asked = [one for one in form.read(path) if isinstance(one, GivenQuestion)]
        if not asked:
            raise Misuse(f"{path}: holds no question of {form.title}")
        found.questions.extend(asked)
    if not found.reports and not found.scores:
        named = ", ".join(str(path) for path in files)
        raise Misuse(f"{named}: no report and no score of {form.title} in it")
    return found


def take_files(study: Study | None, given: GivenFiles, judge: str | None) -> TakenFiles:
    """Prepare the import into this study, or into a new one. Nothing is written yet."""
    known = QuestionsAtHand(given.questions, taken_before(study, given.format.name) if study else [])
    names = NamesInStudy(study)
    reports: list[ImportedReport] = []
    seen: dict[tuple[str | None, ...], str] = {}
    for one in given.reports:
        report = _report(one, known.whole(one.where, one.asked), given.format.name, names)
        place = (one.system, normal_text(report.query), report.user_id, report.size)
        if place in seen:
            raise Misuse(f"{one.where}: {one.system} answers the same question in {seen[place]}")
        seen[place] = one.where
        reports.append(report)
    read = ReadReports(Path(given.format.title), list(enumerate(reports, 1)), [])
    units, fresh = plan_import(study, read)
    for line, why in read.refused:
        raise Misuse(f"{given.reports[line - 1].where}: {why}")
    for unit in units:
        names.learn(unit.spec)
    return TakenFiles(units, fresh, _scores(given, known, names, judge))


def _report(one: GivenReport, asked: ForeignQuestion, form: str, names: NamesInStudy) -> ImportedReport:
    words = asked.words or ""
    task = None if asked.user is None or asked.task is None else names.of_task(asked)
    named = None if asked.size is None else names.at_size(asked)
    for name, value in (("id", asked.id), ("taskid", task), ("userid", asked.user), ("size", named)):
        try:
            _ID.validate_python(value)
        except ValidationError as error:
            raise Misuse(f"{one.where}: {name}: {wrong_field(error, '')}") from error
    return ImportedReport(
        id=str(asked.id) if asked.id is not None else query_id(words, asked.user or ""),
        system=one.system,
        query=words,
        query_id=named,
        size=asked.size,
        user_id=asked.user,
        task_id=task,
        person_id=asked.user,
        report_markdown=one.text,
        origin=Origin(
            format=form, id=asked.id, language=asked.language, task=asked.task, domain=asked.domain
        ),
    )


def _scores(
    given: GivenFiles, known: QuestionsAtHand, names: NamesInStudy, judge: str | None
) -> list[ForeignScore]:
    found: dict[tuple[str | int, ...], tuple[str, ForeignScore]] = {}
    digest = cache(digest_of)
    for number, one in enumerate(given.scores):
        has_question = one.asked != UNNAMED
        name = names.query(one.where, known.whole(one.where, one.asked)) if has_question else None
        row = ForeignScore(
            format=given.format.name,
            part=one.part,
            judge=judge,
            system=names.system(one.system),
            query_id=name,
            size=one.asked.size,
            values=dict(one.values),
            failed=one.failed,
            source=one.path.name,
            sha256=digest(one.path),
        )
        key = (one.part, row.system, number if name is None else name)
        before = found.get(key)
        found[key] = (
            (one.where, row) if before is None else (before[0], _join_scores(one.where, *before, row))
        )
    return [row for _, row in found.values()]


def _join_scores(where: str, first: str, one: ForeignScore, other: ForeignScore) -> ForeignScore:
    """Join scores of one report from several files; they must not contradict each other."""
    both = {**one.values, **other.values}
    if any(both[name] != value for name, value in one.values.items()) or one.failed != other.failed:
        raise Misuse(f"{where}: other scores of the same report than in {first}; give one of them")
    if one.values.keys() == other.values.keys():
        raise Misuse(f"{where}: the scores of the report that {first} has; give them once")
    return one.model_copy(update={"values": both})


class LeavingReports(NamedTuple):
    reports: list[GivenReport]
    scores: Mapping[str, list[GivenScores]]
    """Scores in the same format, by judge; empty where the judge is unknown."""
    left_out: Mapping[str, int]
    """Number of reports (or scores) that lose something in this format, by kind."""


_FIELDS = {
    "ids of questions": "id", "users": "user", "tasks": "task", "sizes of the frozen pages": "size", "languages": "language",
}  # fmt: skip


def reports_to_write(study: Study, form: Format) -> LeavingReports:
    """List the reports to write, by question and system, and imported scores. A file of another benchmark holds only trial 0."""
    known = questions(study)
    left: Counter[str] = Counter()
    found: list[GivenReport] = []
    for answer in read_answers(study):
        if answer.trial:
            left["trials after the first"] += 1
            continue
        asked = _question(answer, form.name, known.get(answer.query_id))
        lost = {
            label: name in form.no_room and getattr(asked, name) is not None
            for label, name in _FIELDS.items()
        }
        lost |= {"sources": bool(answer.record.result.get("sources")), "tool calls": bool(answer.calls)}
        left.update(name for name, is_lost in lost.items() if is_lost)
        found.append(GivenReport(answer.query_id, asked, answer.variant, answer.report))
    asked_by = {one.where: one.asked for one in found}
    titles = {part.name: part.title for part in form.parts}
    scores: dict[str, list[GivenScores]] = {}
    for row in foreign_scores(study):
        if row.format != form.name:
            continue
        name = row.query_id or ""
        if row.part not in form.written_parts or name not in asked_by or row.trial:
            left[f"what the scores were made of ({titles.get(row.part, row.part)})"] += 1
            continue
        one = GivenScores(name, asked_by[name], row.system, row.part, row.values, failed=row.failed)
        scores.setdefault(row.judge or "", []).append(one)
    return LeavingReports(found, scores, dict(left))


def _question(answer: Answer, name: str, query: Query | None) -> ForeignQuestion:
    """Return a question under the names that it had in files of the same format, else under the study's."""
    spec = answer.record.spec
    with naming_errors(f"the answer {answer.label!r}"):
        claimed = answer.record.result.get("origin")
        origin = None if claimed is None else Origin.model_validate(claimed)
    own = origin if origin is not None and origin.format == name else None
    size = (query.size if query else None) or spec.get("size") or (spec.get("imported") or {}).get("size")
    return ForeignQuestion(
        id=own.id if own else None,
        words=answer.query,
        user=(query.person_id if query else None) or answer.user_id,
        language=origin.language if origin else None,
        task=own.task if own else query.task_id if query else None,
        domain=own.domain if own else None,
        size=None if size is None else str(size),
    )
