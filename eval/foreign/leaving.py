"""Answers of a study as files of another benchmark can hold them, and what of them stays behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from drr.env.query import Query
from drr.eval.evidence.answers import Answer, questions, read_answers
from drr.eval.evidence.imported import Origin
from drr.eval.foreign.form import ForeignQuestion, Format, ReportOut, ScoresOut
from drr.eval.foreign.kept import foreign_scores
from drr.study.form import reading
from drr.study.study import Study


@dataclass(frozen=True)
class LeavingReports:
    reports: list[ReportOut]
    scores: Mapping[str, list[ScoresOut]]
    """Of the same format, by judge; empty where nobody told who that is."""
    left_out: Mapping[str, int]
    """By kind, how many reports (or scores) have some of it."""


def leaving(study: Study, form: Format) -> LeavingReports:
    """List the reports in the order of questions and systems. A file of others holds one report of a system
    for a question: that of trial 0."""
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
    scores = _scores(study, form, {one.query_id: one.asked for one in found}, left)
    return LeavingReports(found, scores, dict(left))


def _scores(
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
    """Give the question the names that it had in files of the same format. Ours are another's only where there are no others."""
    with reading(f"the answer {answer.label!r}"):
        told = answer.record.result.get("origin")
        origin = None if told is None else Origin.model_validate(told)
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
