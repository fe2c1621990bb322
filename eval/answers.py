"""The answers of a study as judging needs them: who was asked what, the report, and the evidence frozen with it.

Judging reads what a unit left and nothing else. A record's result holds its small facts; its named texts complete it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from env.source import Source
from study.study import Study
from study.unit import Record

_TEXTS = frozenset({"report", "raw_report"})


@dataclass(frozen=True)
class Page:
    """A frozen page behind a cited address that no tool had returned."""

    url: str
    page: str | None = None
    page_status: str | None = None


@dataclass(frozen=True)
class Answer:
    """One finished answer. Its evidence is read when it is first asked for."""

    key: str
    query_id: str
    query: str
    user_id: str | None
    variant: str
    trial: int
    constraints: Mapping[str, Any] | None
    rule_written: bool
    imported: bool
    words: int | None
    calls: Sequence[Mapping[str, Any]] | None
    """Of the nine tools; `None` where nothing is known of tool calls."""
    usage: Mapping[str, Mapping[str, Any]]
    _study: Study = field(repr=False)
    _record: Record = field(repr=False)

    @cached_property
    def _document(self) -> Mapping[str, Any]:
        return document(self._study, self._record)

    @cached_property
    def report(self) -> str:
        return str(self._document.get("report") or "")

    @cached_property
    def sources(self) -> list[Source]:
        return [Source.model_validate(source) for source in self._document.get("sources") or ()]

    @property
    def fabricated(self) -> list[Page]:
        """`Page.page_status` is `None` where nobody tried to read the address."""
        return [
            Page(f["url"], f.get("page"), f.get("page_status"))
            for f in self._document.get("fabricated") or ()
        ]

    @property
    def state_changes(self) -> list[Mapping[str, Any]]:
        return list(self._document.get("state_changes") or ())

    @property
    def tool_calls(self) -> list[Mapping[str, Any]] | None:
        """With arguments and results; `None` where nothing is known of tool calls."""
        calls = self._document.get("tool_calls")
        return None if calls is None else list(calls)

    @property
    def label(self) -> str:
        return f"{self.query_id} \u00b7 {self.variant} \u00b7 {self.trial}"


def document(study: Study, record: Record) -> dict[str, Any]:
    """The whole of what a unit left: its result, completed by its named texts."""
    whole = dict(record.result)
    for name in record.blobs:
        text = study.text(record, name) or ""
        if name in _TEXTS:
            whole[name] = text
            continue
        try:
            value = json.loads(text)
        except ValueError:
            continue
        if name in ("record", "answer") and isinstance(value, dict):
            whole = value | whole
        else:
            whole.setdefault(name, value)
    return whole


def read_answers(study: Study) -> list[Answer]:
    """Every finished answer, by query, variant and trial."""
    return sorted(_answers(study), key=lambda a: (a.query_id, a.variant, a.trial, a.key))


def _answers(study: Study) -> Iterator[Answer]:
    for record in study.records("answer"):
        yield _answer(study, record)


def _answer(study: Study, record: Record) -> Answer:
    facts = {**record.spec, **record.key_fields, **record.result}
    if not {"variant", "words"} <= facts.keys() and ("record" in record.blobs or "answer" in record.blobs):
        facts = {**document(study, record), **facts}
    asked = record.spec.get("query") or record.key_fields.get("query")
    query: Mapping[str, Any] = asked if isinstance(asked, Mapping) else {"query": asked}
    calls = facts.get("tool_calls")
    return Answer(
        key=record.key,
        query_id=str(query.get("id") or facts.get("query_id") or record.key[:16]),
        query=str(query.get("query") or facts.get("query") or ""),
        user_id=query.get("user_id") or facts.get("user_id"),
        variant=str(facts["variant"]),
        trial=int(facts.get("trial") or 0),
        constraints=query.get("constraints"),
        rule_written=bool(facts.get("rule_written")),
        imported=bool(facts.get("imported")),
        words=facts.get("words"),
        calls=calls if isinstance(calls, list) else None,
        usage=record.usage,
        _study=study,
        _record=record,
    )
