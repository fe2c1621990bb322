"""Converts a study's answers to code-checkable questions into transcripts of episodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from drr.app.training.transcripts import (
    ChatMessage,
    EpisodeTranscript,
    paid_fields,
    source_fields,
    tool_call_messages,
)
from drr.env.checkable import asks_for_findable
from drr.env.errors import Misuse
from drr.env.query import Query
from drr.env.session import Change
from drr.eval.evidence.answers import questions
from drr.eval.rewards.answer_forms import Form, read_form
from drr.eval.rewards.components import reward
from drr.eval.rewards.rewarded import Rewarded
from drr.eval.stats.question import grouped
from drr.study.evidence import unpack_sources
from drr.study.study import Study
from drr.study.unit import Record


class StudyAnswers(NamedTuple):
    answers: list[EpisodeTranscript]
    unread: list[str]
    """Names of answers whose form cannot be read, each with the reason."""
    failed: Mapping[str, Sequence[Query]]
    """Questions of the answers that failed for good, by agent; such an answer is paid 0."""


def answers_of(folder: Path, records: Mapping[str, Query]) -> StudyAnswers:
    """Return every finished answer with its reward, by the questions in `records` or the study's own. Raises `Misuse` where code can check no answer."""
    with Study.read(folder) as study:
        if any("stress" in record.spec for record in study.records("answer")):
            raise Misuse(
                f"{folder}: its answers saw a changed shop; `drr report STUDY --stress` says what moved"
            )
        known = {**questions(study), **records}
        queries = {key: one for key, one in known.items() if asks_for_findable(one.checkable)}
        found, unread = list[EpisodeTranscript](), list[str]()
        for record in study.records("answer"):
            query = queries.get(str(record.result.get("query_id")))
            if query is None or study.lost(record):
                continue
            read = read_form(study.text(record, "form"), query)
            found.append(_answer(study, record, query, read.form))
            if read.problem:
                unread.append(f"{record.label} ({read.problem})")
        failed = grouped(
            (str(record.spec["variant"]), queries[str(record.spec["query_id"])])
            for record in study.records("answer", None)
            if not (record.done or record.transient) and record.spec["query_id"] in queries
        )
    if not found:
        raise Misuse(
            f"{folder}: has no finished answer to a question that code can check; --queries FILE gives truth that it lacks. "
            "The truth of a set is queries.jsonl beside the shop that was made, or a file of benchmarks/worded"
        )
    return StudyAnswers(found, unread, failed)


def _answer(study: Study, record: Record, query: Query, form: Form | None) -> EpisodeTranscript:
    calls = [one for one in record.result.get("tool_calls") or [] if one.get("kind") == "api"]
    report, sources = study.text(record, "report") or "", unpack_sources(study, record)
    changes = [Change(**row) for row in record.result.get("state_changes") or ()]
    messages: list[ChatMessage] = [{"role": "user", "content": query.query}]
    for number, call in enumerate(calls, 1):
        text = study.text(record, f"text:{call['result_sha256']}") or ""
        messages += tool_call_messages(number, call["name"], call["arguments"], text)
    messages.append({"role": "assistant", "content": report})
    steps = [
        {
            "seconds": call["seconds"],
            "error": (call.get("error") or {}).get("kind"),
            "token_ids": None,
            "logprobs": None,
        }
        for call in calls
    ]
    return EpisodeTranscript(
        query=query,
        seed=None,
        shop=query.shop_hash or "",
        agent=record.result.get("variant"),
        messages=messages,
        tools=[],
        steps=steps,
        report=report,
        form=form,
        sources=[source_fields(source, query) for source in sources],
        changes=changes,
        calls=len(calls),
        ending="answered",
        **paid_fields(reward(Rewarded(query, report, form, sources))),
    )
