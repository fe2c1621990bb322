"""Answers of a study as files of another benchmark can hold them, and what of them stays behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from drr.env.query import Query
from drr.eval.evidence.answers import Answer, questions, read_answers
from drr.eval.evidence.imported import Origin
from drr.eval.foreign.form import ForeignQuestion, Format, ReportOut
from drr.study.form import reading
from drr.study.study import Study


@dataclass(frozen=True)
class LeavingReports:
    reports: list[ReportOut]
    left_out: Mapping[str, int]
    """By kind, how many reports have some of it."""


def leaving(study: Study, form: Format) -> LeavingReports:
    """In the order of questions and systems. A file of others holds one report of a system for a question: that of trial 0."""
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
    return LeavingReports(found, dict(left))


def _question(answer: Answer, name: str, query: Query | None) -> ForeignQuestion:
    """With the names that it had in files of the same format; ours are another's only where there are no others."""
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
    )


def _left(answer: Answer, asked: ForeignQuestion, form: Format) -> list[str]:
    fields = {
        "ids of questions": asked.id is not None and "id" in form.no_room,
        "users": asked.user is not None and "user" in form.no_room,
        "tasks": asked.task is not None and "task" in form.no_room,
        "languages": asked.language is not None and "language" in form.no_room,
        "sources": bool(answer.record.result.get("sources")),
        "tool calls": bool(answer.calls),
    }
    return [name for name, lost in fields.items() if lost]
