"""Reads a study into what the viewer shows. The ledger is the only truth; nothing is computed anew but joined."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Any

from app.profiles import Profiles
from app.viewer.model import (
    CallView,
    Claim,
    Entry,
    Passage,
    Rating,
    ReportView,
    RuleView,
    SourceView,
    Verdict,
)
from env.source import text_hash
from eval.answers import Answer, read_answers
from eval.citations import canonical_url
from eval.faithfulness import SCORE
from eval.judged import Judged, choose, read_judged
from eval.sources import Book

if TYPE_CHECKING:
    from study.study import Study
    from study.unit import Record

SHORT = 16
MARGIN = 400


class Reader:
    """One study. Reads its judgements again only when the ledger has moved. Safe for several threads."""

    def __init__(self, study: Study) -> None:
        self.name = study.folder.resolve().name
        self._study = study
        self._lock = RLock()
        self._seen: tuple[str, _Snapshot] | None = None

    @cached_property
    def _profiles(self) -> Profiles:
        return Profiles(self._study)

    def version(self) -> str:
        """Changes whenever a unit ends."""
        return json.dumps([tuple(row) for row in self._study.ledger.tally()], default=str)

    def _snapshot(self) -> _Snapshot:
        with self._lock:
            version = self.version()
            if self._seen is None or self._seen[0] != version:
                self._seen = (version, _Snapshot(self._study))
            return self._seen[1]

    def entries(self) -> list[Entry]:
        return self._snapshot().entries

    def query(self, query_id: str) -> list[ReportView]:
        snapshot = self._snapshot()
        wanted = [
            entry for entry in snapshot.entries if entry.query_id == query_id and entry.status == "done"
        ]
        found = [self._view(snapshot, entry, full=False) for entry in wanted]
        return [view for view in found if view is not None]

    def report(self, key: str) -> ReportView | None:
        snapshot = self._snapshot()
        entry = next((entry for entry in snapshot.entries if entry.key == key), None)
        return None if entry is None else self._view(snapshot, entry, full=True)

    def page(self, sha: str) -> str | None:
        """A frozen page, only if some answer of this study froze it."""
        if len(sha) != 64 or not set(sha) <= set("0123456789abcdef"):
            return None
        snapshot = self._snapshot()
        with self._lock:
            for answer in snapshot.answers.values():
                for source in answer.sources:
                    if source.page is not None and source.page_sha256 == sha:
                        return source.page
        return None

    def _view(self, snapshot: _Snapshot, entry: Entry, *, full: bool) -> ReportView | None:
        answer = snapshot.answers.get(entry.key)
        record = snapshot.records[entry.key]
        with self._lock:
            if answer is None:
                return ReportView(
                    entry, record.message or "", "", None, _usage(record), record.cost_usd, record.seconds
                )
            book = Book(answer, self._profiles.shop)
            return ReportView(
                entry=entry,
                report=answer.report,
                profile=self._profiles.text(answer.user_id),
                stop_reason=record.result.get("stop_reason"),
                usage=_usage(record),
                cost_usd=record.cost_usd,
                seconds=record.seconds,
                claims=tuple(_claims(snapshot.judged, answer, book if full else None)),
                sources=tuple(_sources(answer)) if full else (),
                calls=tuple(_calls(answer.tool_calls() or ())) if full else (),
                ratings=tuple(_ratings(snapshot.judged, answer)) if full else (),
                rules=tuple(_rules(snapshot.judged, answer)) if full else (),
                notes=tuple(record.result.get("notes") or ()),
            )


class _Snapshot:
    """The study as it stood at one version of its ledger."""

    def __init__(self, study: Study) -> None:
        self.judged: Judged = read_judged(study, choose(study))
        by_key = {answer.key: answer for answer in read_answers(study)}
        self.records: dict[str, Record] = {}
        self.answers: dict[str, Answer] = {}
        self.entries: list[Entry] = []
        for record in study.records("answer", None):
            answer = by_key.get(record.key)
            entry = _entry(record, answer, self.judged)
            self.records[entry.key] = record
            if answer is not None:
                self.answers[entry.key] = answer
            self.entries.append(entry)
        self.entries.sort(key=lambda entry: (entry.query_id, entry.variant, entry.trial))


def _entry(record: Record, answer: Answer | None, judged: Judged) -> Entry:
    spec = record.spec
    asked = spec.get("query")
    query = asked if isinstance(asked, Mapping) else {"query": asked, "id": spec.get("query_id")}
    return Entry(
        key=record.key[:SHORT],
        query_id=answer.query_id if answer else str(query.get("id") or record.key[:SHORT]),
        query=answer.query if answer else str(query.get("query") or ""),
        variant=answer.variant if answer else str(spec.get("variant") or record.label),
        trial=answer.trial if answer else int(spec.get("trial") or 0),
        status=record.status,
        reason=record.reason,
        words=answer.words if answer else None,
        fp=None if answer is None else _precision(judged, answer),
        rule_written=bool(answer and answer.rule_written),
    )


def _precision(judged: Judged, answer: Answer) -> float | None:
    """The report's own FP as the headline takes it: the mean over web and product of the claims' mean."""
    from eval.faithfulness import PAPER_TYPES

    found = judged.judged_claims(answer)
    if found is None or found.claims is None:
        return None
    means = []
    for source_type in PAPER_TYPES:
        scores = [
            SCORE[s]
            for claim in found.claims
            if (s := claim.page.get(source_type)) is not None and s in SCORE
        ]
        if scores:
            means.append(sum(scores) / len(scores))
    return sum(means) / len(means) if means else None


def _usage(record: Record) -> dict[str, dict[str, Any]]:
    return {role: dict(numbers) for role, numbers in record.usage.items()}


def _claims(judged: Judged, answer: Answer, book: Book | None) -> Iterable[Claim]:
    found = judged.claims.get("all", {}).get(answer.key)
    if found is None or found.claims is None:
        return
    verdicts: dict[str, list[Mapping[str, Any]]] = {}
    for verdict in judged.support.get(answer.key, {}).values():
        verdicts.setdefault(verdict["claim_id"], []).append(verdict)
    judge = judged.judging.judge if judged.judging else "?"
    for claim in found.claims:
        own = [v for v in verdicts.get(claim["id"], ()) if book is not None or v["against"] == "page"]
        yield Claim(
            id=f"claim-{claim['id']}",
            text=claim["text"],
            start=claim["start"],
            end=claim["end"],
            urls=tuple(claim["urls"]),
            verdicts=tuple(_verdict(v, judge, book) for v in own),
        )


def _verdict(verdict: Mapping[str, Any], judge: str, book: Book | None) -> Verdict:
    sources = verdict.get("sources") or ()
    return Verdict(
        judge=judge,
        source_type=verdict["type"],
        basis="what the agent saw" if verdict["against"] == "seen" else "the frozen page or record",
        status=verdict["status"],
        reason=verdict.get("reason"),
        urls=tuple(source["url"] for source in sources),
        passages=() if book is None else tuple(_passages(verdict, book)),
    )


def _passages(verdict: Mapping[str, Any], book: Book) -> Iterable[Passage]:
    """The supporting spans with some text around them; without a span, what the judge was shown first."""
    spans = verdict.get("spans") or ()
    for source in verdict.get("sources") or ():
        frozen = book.seen(source["url"]) if verdict["against"] == "seen" else book.page(source["url"])
        text = frozen.text
        if text is None or source.get("sha256") not in (None, text_hash(text)):
            continue
        own = [(s["start"], s["end"]) for s in spans if s.get("url") == source["url"]]
        shown = [tuple(p) for p in source.get("passages") or ()]
        if own:
            start, end = (
                max(0, min(a for a, _ in own) - MARGIN),
                min(len(text), max(b for _, b in own) + MARGIN),
            )
        elif shown:
            start, end = shown[0][0], min(shown[0][1], shown[0][0] + 2 * MARGIN)
        else:
            continue
        yield Passage(text[start:end], tuple((a - start, b - start) for a, b in own))


def _sources(answer: Answer) -> Iterable[SourceView]:
    brought: dict[str, int] = {}
    for call in sorted(answer.tool_calls() or (), key=lambda call: call.get("kind", "api") != "api"):
        for url in _addresses(call):
            brought.setdefault(canonical_url(url), int(call.get("number") or 0))
    for number, source in enumerate(answer.sources, 1):
        yield SourceView(
            number=number,
            url=source.url,
            type=source.type,
            title=source.title,
            seen=source.seen,
            page=source.page_sha256,
            page_status=source.page_status,
            call=brought.get(canonical_url(source.url)),
        )


def _addresses(call: Mapping[str, Any]) -> list[str]:
    listed = call.get("sources")
    if isinstance(listed, Sequence) and not isinstance(listed, str):
        return [item if isinstance(item, str) else str(item.get("url")) for item in listed]
    return [word.strip("()[]<>,.;") for word in str(call.get("result") or "").split() if "://" in word]


def _calls(calls: Sequence[Mapping[str, Any]]) -> Iterable[CallView]:
    for position, call in enumerate(calls, 1):
        error = call.get("error")
        yield CallView(
            number=int(call.get("number") or position),
            actor=str(call.get("researcher") or "agent"),
            name=str(call.get("name")),
            kind=str(call.get("kind") or "api"),
            arguments=json.dumps(call.get("arguments") or {}, ensure_ascii=False),
            result=str(call.get("result") or ""),
            error=None if not error else str(error.get("kind") if isinstance(error, Mapping) else error),
            seconds=float(call.get("seconds") or 0.0),
        )


def _ratings(judged: Judged, answer: Answer) -> Iterable[Rating]:
    judge = judged.judging.judge if judged.judging else "?"
    for dimension, verdict in (judged.ratings.get(answer.key) or {}).items():
        yield Rating(judge, dimension, verdict.value, verdict.justification, verdict.reason)


def _rules(judged: Judged, answer: Answer) -> Iterable[RuleView]:
    found = judged.rules.get(answer.key)
    rules = found.get("rules", found) if found else {}
    for name, rule in rules.items():
        if isinstance(rule, Mapping) and "status" in rule:
            evidence = rule.get("evidence") or ()
            lines = [evidence] if isinstance(evidence, str) else [str(line) for line in evidence]
            value = rule.get("value")
            yield RuleView(name, str(rule["status"]), "" if value is None else str(value), tuple(lines[:8]))
