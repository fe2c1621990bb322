"""Reads a study into what the viewer shows. The ledger is the only truth; nothing is computed anew but joined."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
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
from eval.answers import Answer, answer_of, questions
from eval.citations import canonical_url
from eval.faithfulness import report_values
from eval.judged import Judged, choose, read_judged
from eval.sources import Book

if TYPE_CHECKING:
    from study.study import Study
    from study.unit import Record

SHORT = 16
MARGIN = 400


class Reader:
    """One study, read as it grows: what has ended stays as it is, so only what is new is read. Safe for several threads."""

    def __init__(self, study: Study) -> None:
        self.name = study.folder.resolve().name
        self._study = study
        self._lock = RLock()
        self._queries = questions(study)
        self._version = ""
        self._stamps: dict[str, float | None] = {}
        self._entries: dict[str, Entry] = {}
        self._keys: dict[str, str] = {}
        self._precision: dict[str, float | None] = {}

    @cached_property
    def _profiles(self) -> Profiles:
        return Profiles(self._study)

    def version(self) -> str:
        """Changes whenever the ledger is written, by whomever."""
        path = self._study.ledger.path
        files = [path, path.with_name(path.name + "-wal")]
        return " ".join(
            f"{s.st_mtime_ns}-{s.st_size}" for file in files if file.exists() for s in (file.stat(),)
        )

    def entries(self) -> list[Entry]:
        with self._lock:
            self._look()
            found = [replace(e, fp=self._precision.get(e.key)) for e in self._entries.values()]
        return sorted(found, key=lambda entry: (entry.query_id, entry.variant, entry.trial))

    def _look(self) -> None:
        version = self.version()
        if version == self._version:
            return
        stamps = dict(self._study.ledger.stamps("answer"))
        for key in self._stamps.keys() - stamps.keys():
            self._entries.pop(key[:SHORT], None)
        for key, stamp in stamps.items():
            if self._stamps.get(key, 0.0) != stamp or key[:SHORT] not in self._entries:
                record = self._study.record(key)
                if record is not None:
                    self._entries[key[:SHORT]] = _entry(record)
                    self._keys[key[:SHORT]] = key
        self._stamps, self._version = stamps, version

    def measure(self) -> None:
        """Each report's own precision, for the index. Reads every judgement: seconds for a large study."""
        judged = read_judged(self._study, choose(self._study))
        found = {answer.key[:SHORT]: _precision(judged, answer) for answer in judged.answers}
        with self._lock:
            self._precision = found

    def query(self, query_id: str) -> list[ReportView]:
        found = [entry for entry in self.entries() if entry.query_id == query_id and entry.status == "done"]
        return [view for entry in found if (view := self._view(entry, full=False)) is not None]

    def report(self, key: str) -> ReportView | None:
        with self._lock:
            self._look()
            entry = self._entries.get(key)
        return None if entry is None else self._view(entry, full=True)

    def page(self, sha: str) -> str | None:
        """A frozen page, only if some answer of this study froze it."""
        known = len(sha) == 64 and set(sha) <= set("0123456789abcdef")
        if not known or not self._study.ledger.holds("answer", f'"page_sha256":"{sha}"'):
            return None
        return self._study.blobs.get(sha).decode("utf-8", "surrogatepass")

    def _view(self, entry: Entry, *, full: bool) -> ReportView | None:
        key = self._keys[entry.key]
        record = self._study.record(key)
        if record is None:
            return None
        if not record.done:
            return ReportView(
                entry, record.message or "", "", None, _usage(record), record.cost_usd, record.seconds
            )
        answer = answer_of(self._study, record, self._queries)
        among = self._study.ledger.records_about(key)
        judged = read_judged(self._study, choose(self._study), answers=[answer], among=among)
        with self._lock:
            profile = self._profiles.text(answer.user_id)
        book = Book(answer, self._profiles.shop)
        return ReportView(
            entry=replace(entry, fp=_precision(judged, answer)),
            report=answer.report,
            profile=profile,
            stop_reason=record.result.get("stop_reason"),
            usage=_usage(record),
            cost_usd=record.cost_usd,
            seconds=record.seconds,
            claims=tuple(_claims(judged, answer, book if full else None)),
            sources=tuple(_sources(answer)) if full else (),
            calls=tuple(_calls(answer.tool_calls() or ())) if full else (),
            ratings=tuple(_ratings(judged, answer)) if full else (),
            rules=tuple(_rules(judged, answer)) if full else (),
            notes=tuple(record.result.get("notes") or ()),
        )


def _entry(record: Record) -> Entry:
    spec = record.spec
    return Entry(
        key=record.key[:SHORT],
        query_id=str(spec["query_id"]),
        query=str(spec["query"]),
        variant=str(spec["variant"]),
        trial=int(spec["trial"]),
        status=record.status,
        reason=record.reason,
        words=record.result.get("words"),
        fp=None,
        rule_written=bool(record.result.get("rule_written")),
    )


def _precision(judged: Judged, answer: Answer) -> float | None:
    """The report's own FP, as the headline takes it."""
    found = judged.judged_claims(answer)
    return None if found is None else report_values(found.claims)["fp"]


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
