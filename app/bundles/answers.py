"""Each answer of a bundle held against itself. Question, conversation, results of tools, evidence, report and usage belong together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from drr.agents.brief import SHORTENED
from drr.agents.registry import PAPER
from drr.app.bundles.verified import Verified
from drr.env.given import agent_of
from drr.env.query import Query
from drr.eval.asking.safety import forgeries
from drr.eval.evidence.answers import questions
from drr.study.study import Study
from drr.study.unit import Record

_OURS = frozenset(name.partition("+")[0] for name in PAPER)
"""Architectures whose reports stand in their conversations as they were written."""
PASSING = frozenset({"timeout", "unavailable"})
"""Errors of tools that another call need not have."""
_START = 40
"""Signs by which a result is known that was shortened in a conversation."""


class _Conversations(NamedTuple):
    """The conversations of an answer, as texts and sums."""

    texts: list[str]
    written: list[str]
    """Texts of the model."""
    input_tokens: int
    output_tokens: int

    @classmethod
    def of(cls, conversations: Iterable[Mapping[str, Any]]) -> _Conversations:
        messages = [one for talk in conversations for one in talk["messages"]]
        used = [one.get("usage") or {} for one in messages]
        return cls(
            [str(one["text"]) for one in messages],
            [str(one["text"]) for one in messages if one["role"] in ("assistant", "ai")],
            sum(int(one.get("input_tokens", 0)) for one in used),
            sum(int(one.get("output_tokens", 0)) for one in used),
        )


def check_answers(study: Study, found: Verified) -> None:
    """Check every answer that ended, and what of several is the same."""
    asked = questions(study)
    counting = {record.key for record in study.records("answer", None)}
    reports: dict[str, dict[str, str]] = {}
    for record in study.records("answer", None, current=False):
        found.checked["answers"] += 1
        _check_question(record, asked if record.key in counting else {}, found)
        if record.key in counting and not record.made_elsewhere and record.spec.get("query_id") not in asked:
            found.fail("set", record.label, "its question is not in the set")
        if record.made_elsewhere:
            continue
        with found.unless_broken("conversation", record.label):
            _check_talks(study, record, found)
        digest = record.blobs.get("report")
        if record.done and digest is not None:
            reports.setdefault(digest, {}).setdefault(str(record.spec["query_id"]), record.label)
            _suspect(study, record, asked, found)
    for labels in reports.values():
        if len(labels) > 1:
            found.suspect(
                "same text", ", ".join(sorted(labels.values())[:4]), "one report for several questions"
            )


def _check_question(record: Record, asked: Mapping[str, Query], found: Verified) -> None:
    fields, spec, result = record.key_fields, record.spec, record.result
    for name in ("query", "query_id", "trial", "user_id"):
        stated = [one[name] for one in (fields, spec, result) if one.get(name) is not None]
        if any(one != stated[0] for one in stated):
            found.fail("set", record.label, f"its key, its unit and its result name another {name}")
    question = asked.get(str(spec.get("query_id")))
    if question is not None and question.query != spec.get("query"):
        found.fail("set", record.label, "was asked another question than the set has under this id")
    elif question is not None and spec.get("user_id") not in (None, question.user_id):
        found.fail("set", record.label, "was asked for another shopper than the set says")


def _check_talks(study: Study, record: Record, found: Verified) -> None:
    results = _results(study, record)
    report = study.text(record, "report")
    if report is not None and record.result.get("words") not in (None, len(report.split())):
        found.fail(
            "report", record.label, f"has {len(report.split()):,} words, and its record says otherwise"
        )
    conversations = study.json(record, "transcript") or []
    talks = _Conversations.of(conversations)
    if talks.texts:
        if not any(record.spec["query"] in text for text in talks.texts):
            found.fail("conversation", record.label, "its question stands nowhere in its conversation")
        _check_written(study, record, talks, found)
        _check_shown(record, results, talks, found)
    _check_evidence(study, record, [*results.values(), *talks.texts], found)


def _results(study: Study, record: Record) -> dict[str, str]:
    """The results of its tools, by hash."""
    hashes = [call.get("result_sha256") for call in record.result.get("tool_calls") or ()]
    return {one: study.text(record, f"text:{one}") or "" for one in hashes if one is not None}


def _check_written(study: Study, record: Record, talks: _Conversations, found: Verified) -> None:
    raw = study.text(record, "raw_report")
    by_us = agent_of(str(record.spec["variant"])).partition("+")[0] in _OURS
    if raw is not None and by_us and not any(raw.strip() in text for text in talks.written):
        found.fail("report", record.label, "is not what the model wrote in its conversation")
    used = list(record.usage.values())
    paid = sum(row["input_tokens"] for row in used), sum(row["output_tokens"] for row in used)
    if talks.input_tokens > paid[0] or talks.output_tokens > paid[1]:
        found.fail(
            "costs",
            record.label,
            f"its conversation took {talks.input_tokens:,} and {talks.output_tokens:,} tokens, it is billed for {paid[0]:,} and {paid[1]:,}",
        )


def _check_shown(record: Record, results: Mapping[str, str], talks: _Conversations, found: Verified) -> None:
    """Results stand in the conversation as they were returned; one that did not fit, up to where it was cut."""
    whole = "\0".join(talks.texts)
    for call in record.result.get("tool_calls") or ():
        kind = (call.get("error") or {}).get("kind")
        text = results.get(call.get("result_sha256"), "")  # none where it is withheld
        if text and call.get("kind") == "api" and kind in PASSING and not text.startswith(f"Error ({kind})"):
            found.fail("tools", record.label, f"call {call.get('number')}: ended as {kind}, and has a result")
        if not _stands(text, whole):
            found.fail(
                "tools",
                record.label,
                f"call {call.get('number')}: its result stands nowhere in the conversation",
            )


def _stands(text: str, whole: str) -> bool:
    if text in whole:
        return True
    at = whole.find(text[:_START])
    while at >= 0:
        cut = whole.find(SHORTENED, at)
        if cut >= 0 and text.startswith(whole[at:cut]):
            return True
        at = whole.find(text[:_START], at + 1)
    return False


def _check_evidence(study: Study, record: Record, shown: Sequence[str], found: Verified) -> None:
    whole = "\0".join(shown)
    for number, row in enumerate(record.result.get("sources") or (), 1):
        seen = study.text(record, f"text:{row['sha256']}") or ""
        if seen not in whole:
            found.fail("evidence", record.label, f"source {number}: no tool returned what was read of it")


def _suspect(study: Study, record: Record, asked: Mapping[str, Query], found: Verified) -> None:
    """Name what cheats do. Honest agents may too."""
    report = study.kept_text(record, "report") or ""
    calls = [call for call in record.result.get("tool_calls") or () if call.get("kind") == "api"]
    if not calls:
        found.suspect("no tool", record.label, "answered without calling a tool")
    if forgeries(report):
        found.suspect("to judges", record.label, "its report holds a verdict, or a plea to a judge")
    known = asked.get(str(record.spec["query_id"]))
    returned = {str(row["url"]) for row in record.result.get("sources") or ()}
    for product in _truth(known):
        if product in report and not any(product in url for url in returned):
            found.suspect(
                "truth", record.label, f"names {product}, which is the truth, and no tool returned it"
            )


def _truth(query: Query | None) -> Iterator[str]:
    if query is not None and query.checkable is not None:
        for need in query.checkable.needs:
            yield from need.products
