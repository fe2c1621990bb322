"""Reads a study into what the viewer shows. The ledger is the only truth; nothing is computed anew but joined."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple

from drr.app.profiles import ShopperProfiles
from drr.app.viewer.model import (
    Actor,
    CallView,
    Conversation,
    Passage,
    ReportView,
    RuleView,
    ShownClaim,
    ShownEntry,
    ShownFigure,
    ShownOutcome,
    ShownRating,
    ShownVerdict,
    SourceView,
)
from drr.citations.parse import canonical_url
from drr.env.source import text_hash
from drr.eval.evidence.answers import Answer, answer_of, questions
from drr.eval.evidence.book import Book
from drr.eval.judging.read import choose, read_judged
from drr.eval.metrics import metrics, values_of
from drr.eval.tasks.judged import Judged, Judging

if TYPE_CHECKING:
    from drr.study.study import Study
    from drr.study.unit import Record

SHORT = 16
MARGIN = 400


class Reader:
    """One study, read as it grows: what has ended stays as it is, so only what is new is read. Safe for several threads."""

    def __init__(self, study: Study, *, judge: str | None = None, shop: str | None = None) -> None:
        self.name = study.folder.resolve().name
        self._study = study
        self._judge, self._shop = judge, shop
        self._lock = RLock()
        self._queries = questions(study)
        self._version = ""
        self._stamps: dict[str, float | None] = {}
        self._entries: dict[str, ShownEntry] = {}
        self._keys: dict[str, str] = {}
        self._measured: dict[str, Measured] = {}
        self._outcomes: dict[str, list[ShownOutcome]] = {}
        self._planned = 0

    @cached_property
    def _profiles(self) -> ShopperProfiles:
        return ShopperProfiles(self._study, self._shop)

    def judging(self) -> Judging | None:
        return choose(self._study, self._judge)

    def version(self) -> str:
        """Changes whenever the ledger is written, by whomever."""
        path = self._study.ledger.path
        files = [path, path.with_name(path.name + "-wal")]
        return " ".join(
            f"{s.st_mtime_ns}-{s.st_size}" for file in files if file.exists() for s in (file.stat(),)
        )

    def entries(self) -> list[ShownEntry]:
        with self._lock:
            self._look()
            found = [self._with_measures(entry) for entry in self._entries.values()]
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

    def _with_measures(self, entry: ShownEntry) -> ShownEntry:
        found = self._measured.get(entry.key)
        return entry if found is None else replace(entry, **found._asdict())

    def measure(self) -> None:
        """Each report's own figures, for the index. Reads every judgement: seconds for a large study."""
        judged = read_judged(self._study, self.judging())
        found = {answer.key[:SHORT]: _measured(judged, answer) for answer in judged.answers}
        outcomes: dict[str, list[ShownOutcome]] = {}
        for c in judged.comparisons():
            winner = {"a": c.a, "b": c.b}.get(c.outcome, c.outcome)
            outcomes.setdefault(c.query, []).append(ShownOutcome(c.dimension, c.a, c.b, c.trial, winner))
        tally = self._study.ledger.tally()
        with self._lock:
            self._measured, self._outcomes = found, outcomes
            self._planned = sum(kind == "answer" for kind, *_ in tally)

    @property
    def to_come(self) -> int:
        """Answers that the study still lacks, as far as it had been planned when it was last measured."""
        with self._lock:
            return max(self._planned - len(self._entries), 0)

    def outcomes(self, query_id: str) -> list[ShownOutcome]:
        """Known once the study was measured."""
        with self._lock:
            return list(self._outcomes.get(query_id, ()))

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

    def _view(self, entry: ShownEntry, *, full: bool) -> ReportView | None:
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
        judged = read_judged(self._study, self.judging(), answers=[answer], among=among)
        with self._lock:
            profile = self._profiles.text(answer.user_id)
        book = Book(answer, self._profiles.shop)
        return ReportView(
            entry=replace(entry, **_measured(judged, answer)._asdict()),
            report=answer.report,
            profile=profile,
            stop_reason=record.result.get("stop_reason"),
            usage=_usage(record),
            cost_usd=record.cost_usd,
            seconds=record.seconds,
            claims=tuple(_claims(judged, answer, book if full else None)),
            sources=tuple(_sources(answer)) if full else (),
            actors=tuple(_actors(answer.tool_calls() or ())) if full else (),
            conversations=tuple(_conversations(self._study.json(record, "transcript") or ())) if full else (),
            ratings=tuple(_ratings(judged, answer)),
            rules=tuple(_rules(judged, answer)) if full else (),
            figures=tuple(_figures(judged, answer)) if full else (),
            notes=tuple(record.result.get("notes") or ()),
            judged_by=judged.judging.judge if judged.judging else None,
            judged_by_rules=bool(judged.judging and judged.judging.rule_written),
            missing_shop=self._profiles.missing,
        )


def _entry(record: Record) -> ShownEntry:
    spec = record.spec
    return ShownEntry(
        key=record.key[:SHORT],
        query_id=str(spec["query_id"]),
        query=str(spec["query"]),
        variant=str(spec["variant"]),
        trial=int(spec["trial"]),
        status=record.status,
        reason=record.reason,
        words=record.result.get("words"),
        rule_written=bool(record.result.get("rule_written")),
    )


class Measured(NamedTuple):
    """What the index says of a report: fields of its entry."""

    scores: Mapping[str, float | None]
    verdicts: tuple[str, ...]
    types: tuple[str, ...]


def _measured(judged: Judged, answer: Answer) -> Measured:
    """The report's own metrics as the means take them, and what verdicts and source types it has."""
    values = values_of(judged, answer)
    claims = list(_claims(judged, answer, None))
    return Measured(
        {name: values.get(name) for name, metric in metrics().items() if not metric.detail},
        tuple(sorted({claim.status for claim in claims})),
        tuple(sorted({verdict.source_type for claim in claims for verdict in claim.verdicts})),
    )


SHOWN_ELSEWHERE = frozenset({"quality", "rules"})
"""Tables of metrics that have a part of the page of their own."""


def _figures(judged: Judged, answer: Answer) -> Iterable[ShownFigure]:
    values = values_of(judged, answer)
    for name, metric in metrics().items():
        if name in values and metric.table not in SHOWN_ELSEWHERE:
            value = values[name]
            shown = "–" if value is None else metric.shown(value)
            yield ShownFigure(metric.label, shown, metric.scale, metric.explanation)


def _usage(record: Record) -> dict[str, dict[str, Any]]:
    return {role: dict(numbers) for role, numbers in record.usage.items()}


def _claims(judged: Judged, answer: Answer, book: Book | None) -> Iterable[ShownClaim]:
    found = judged.claims.get("all", {}).get(answer.key)
    if found is None or found.claims is None:
        return
    verdicts: dict[str, list[Mapping[str, Any]]] = {}
    for verdict in judged.support.get(answer.key, {}).values():
        verdicts.setdefault(verdict["claim_id"], []).append(verdict)
    judge = judged.judging.judge if judged.judging else "?"
    for claim in found.claims:
        own = [v for v in verdicts.get(claim["id"], ()) if book is not None or v["against"] == "page"]
        yield ShownClaim(
            id=f"claim-{claim['id']}",
            text=claim["text"],
            start=claim["start"],
            end=claim["end"],
            urls=tuple(claim["urls"]),
            verdicts=tuple(_verdict(v, judge, book) for v in own),
        )


def _verdict(verdict: Mapping[str, Any], judge: str, book: Book | None) -> ShownVerdict:
    sources = verdict.get("sources") or ()
    found = [] if book is None else list(_passages(verdict, book))
    return ShownVerdict(
        judge="code (no model was asked)" if verdict.get("by") == "rule" else judge,
        source_type=verdict["type"],
        basis="what the agent saw" if verdict["against"] == "seen" else "the frozen page or record",
        status=verdict["status"],
        reason=verdict.get("reason"),
        urls=tuple(source["url"] for source in sources),
        passages=tuple(one for one in found if isinstance(one, Passage)),
        missing=tuple(one for one in found if isinstance(one, str)),
    )


def _passages(verdict: Mapping[str, Any], book: Book) -> Iterable[Passage | str]:
    """The supporting spans with some text around them; without a span, what the judge was shown first; else why nothing."""
    spans = verdict.get("spans") or ()
    for source in verdict.get("sources") or ():
        frozen = book.seen(source["url"]) if verdict["against"] == "seen" else book.page(source["url"])
        text = frozen.text
        if text is None:
            yield f"{source['url']}: {frozen.reason or frozen.status}"
            continue
        if source.get("sha256") not in (None, text_hash(text)):
            yield (
                f"{source['url']}: the record that was judged is not here: "
                + (
                    "the shop cannot be opened"
                    if book.shop is None
                    else "the shop or its wording has changed since"
                )
            )
            continue
        own = [(s["start"], s["end"]) for s in spans if s.get("url") == source["url"]]
        shown = [tuple(p) for p in source.get("passages") or ()]
        if own:
            start, end = (
                max(0, min(a for a, _ in own) - MARGIN),
                min(len(text), max(b for _, b in own) + MARGIN),
            )
        else:
            start = shown[0][0] if shown else 0
            end = min(shown[0][1] if shown else len(text), start + 2 * MARGIN)
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


def _actors(calls: Sequence[Mapping[str, Any]]) -> Iterable[Actor]:
    """Who called what: the supervisor (or the one agent), then each researcher as it began."""
    by_actor: dict[str, list[CallView]] = {}
    alone = not any(call.get("researcher") for call in calls)
    for position, call in enumerate(calls, 1):
        error, seconds = call.get("error"), call.get("seconds")
        name = str(call.get("researcher") or ("agent" if alone else "supervisor"))
        view = CallView(
            number=int(call.get("number") or position),
            actor=name,
            name=str(call.get("name")),
            kind=str(call.get("kind") or "api"),
            arguments=json.dumps(call.get("arguments") or {}, ensure_ascii=False),
            result=str(call.get("result") or ""),
            error=None if not error else str(error.get("kind") if isinstance(error, Mapping) else error),
            seconds=None if seconds is None else float(seconds),
        )
        by_actor.setdefault(name, []).append(view)
    for name, own in by_actor.items():
        shown = name if alone or name == "supervisor" else f"researcher {name}"
        yield Actor(shown, tuple(own))


def _conversations(transcripts: Sequence[Mapping[str, Any]]) -> Iterable[Conversation]:
    for transcript in transcripts:
        turns = [message for message in transcript["messages"] if message["role"] == "ai"]
        told = [usage for message in turns if (usage := message.get("usage")) is not None]
        yield Conversation(
            name=str(transcript["name"]),
            turns=len(turns),
            input_tokens=sum(usage["input_tokens"] for usage in told) if told else None,
            output_tokens=sum(usage["output_tokens"] for usage in told) if told else None,
        )


def _ratings(judged: Judged, answer: Answer) -> Iterable[ShownRating]:
    judge = judged.judging.judge if judged.judging else "?"
    for dimension, verdict in (judged.ratings.get(answer.key) or {}).items():
        yield ShownRating(judge, dimension, verdict.value, verdict.justification, verdict.reason)


def _rules(judged: Judged, answer: Answer) -> Iterable[RuleView]:
    found = judged.rules.get(answer.key)
    rules = found.get("rules", found) if found else {}
    for name, rule in rules.items():
        if isinstance(rule, Mapping) and "status" in rule:
            evidence = rule.get("evidence") or ()
            lines = [evidence] if isinstance(evidence, str) else [str(line) for line in evidence]
            value = rule.get("value")
            yield RuleView(name, str(rule["status"]), "" if value is None else str(value), tuple(lines[:8]))
