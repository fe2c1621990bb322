"""The answers of a study as judging needs them. Who was asked what, the report, and the evidence frozen with it.

Judging reads what a unit left and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from drr.env.errors import DrrError, Misuse
from drr.env.json_object import JsonObject
from drr.env.query import Constraints, Query, read_queries
from drr.env.session import Change
from drr.env.source import Source
from drr.env.web.base import PageStatus
from drr.eval.stats.asked import AskedQuestion
from drr.llm.rows import UsageRow
from drr.study.evidence import unpack
from drr.study.form import of, reading
from drr.study.study import Study
from drr.study.unit import Record


@dataclass(frozen=True)
class Extra:
    """The text behind a cited address that no tool returned; `status` is `None` where nobody tried to read it."""

    url: str
    text: str | None
    status: PageStatus | None


@dataclass(frozen=True)
class Answer:
    """One finished answer. Its texts are read when they are first asked for."""

    key: str
    query_id: str
    query: str
    user_id: str | None
    variant: str
    trial: int
    constraints: Constraints | None
    rule_written: bool
    imported: bool
    words: int
    calls: Sequence[Mapping[str, Any]] | None
    """Tool calls without their results; `None` where nothing is known of them."""
    usage: Mapping[str, UsageRow]
    state_changes: Sequence[Change]
    study: Study = field(repr=False)
    record: Record = field(repr=False)
    task_id: str | None = None
    """Of which its question is one of several, at other sizes or by other persons; as the question says, else the answer itself."""
    size: str | None = None
    """Of the frozen pages that it was asked over."""
    broken_off: str | None = None
    """Why its research ended in the middle, if it did: the report is written from what was known by then."""

    @cached_property
    def report(self) -> str:
        return self.study.text(self.record, "report") or ""

    @cached_property
    def sources(self) -> list[Source]:
        return unpack(self.study, self.record)

    @cached_property
    def extras(self) -> list[Extra]:
        rows = self.record.result.get("fabricated", ())
        return [Extra(row["url"], self._text(row["page_sha256"]), row["page_status"]) for row in rows]

    def tool_calls(self) -> list[JsonObject] | None:
        """The tool calls with their results; those of imported reports carry them as they were given."""
        if self.calls is None:
            return None
        return [
            {**call, "result": self._text(call["result_sha256"]) or ""}
            if "result_sha256" in call
            else dict(call)
            for call in self.calls
        ]

    def _text(self, digest: str | None) -> str | None:
        return None if digest is None else self.study.text(self.record, f"text:{digest}")

    @property
    def asked(self) -> AskedQuestion:
        """Its question, and what is drawn with it. Where only its size is known, its task is what the question's name says without."""
        return AskedQuestion(self.query_id, self.task_id or self.query_id.removesuffix(f"@{self.size}"))

    @property
    def label(self) -> str:
        return f"{self.query_id}/{self.variant}/{self.trial}"


def read_answers(study: Study) -> list[Answer]:
    """Every finished answer whose texts are there, by query, variant and trial; `study.losses` has the others."""
    return sorted(_answers(study), key=lambda a: (a.query_id, a.variant, a.trial, a.key))


def _answers(study: Study) -> Iterator[Answer]:
    queries = questions(study)
    return (answer_of(study, record, queries) for record in study.records("answer") if not study.lost(record))


def answer_of(study: Study, record: Record, queries: Mapping[str, Query]) -> Answer:
    with reading(f"the answer {record.label!r}"):
        return _answer(study, record, queries)


def _answer(study: Study, record: Record, queries: Mapping[str, Query]) -> Answer:
    spec, result = record.spec, record.result
    for name in ("query_id", "query", "variant"):
        of(spec[name], str)
    of(spec["trial"], int)
    asked = queries.get(spec["query_id"])
    fields = {**(spec.get("imported") or {}), **spec}
    return Answer(
        key=record.key,
        query_id=spec["query_id"],
        query=spec["query"],
        user_id=spec.get("user_id"),
        variant=spec["variant"],
        trial=spec["trial"],
        constraints=asked.constraints if asked else None,
        rule_written=bool(result.get("rule_written")),
        imported=bool(result.get("imported")),
        broken_off=result.get("broken_off"),
        words=of(result["words"], int),
        calls=of(result.get("tool_calls"), list, type(None)),
        usage=record.usage,
        task_id=(asked.task_id if asked else None) or fields.get("task_id"),
        size=(asked.size if asked else None) or fields.get("size"),
        state_changes=[Change(**row) for row in result.get("state_changes", ())],
        study=study,
        record=record,
    )


def questions(study: Study) -> dict[str, Query]:
    """The study's own copy of its questions; imported reports may have none there."""
    path = study.folder / "queries.jsonl"
    if not path.is_file():
        return {}
    try:
        return {query.id: query for query in read_queries(path)}
    except Misuse as error:  # nobody named this file: the study is broken
        raise DrrError(str(error)) from error
