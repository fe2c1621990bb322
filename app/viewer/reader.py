"""Reads a study into what the viewer shows. The ledger is the only truth; nothing is computed anew but joined."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, NamedTuple, cast

from drr.app.profiles import ShopperProfiles
from drr.app.viewer import parts
from drr.app.viewer.cards import product_cards
from drr.app.viewer.cases import CaseView, PersonCase, case_view, cases_of, of_task
from drr.app.viewer.criteria import criteria, owners_shown, violations
from drr.app.viewer.model import ReportView, ShownEntry, ShownOutcome
from drr.app.viewer.repetition import passage_pairs, report_grades
from drr.env.files import file_name, is_digest
from drr.env.json_object import JsonObject
from drr.eval.evidence.answers import Answer, answer_of, questions
from drr.eval.evidence.book import Book
from drr.eval.foreign import kept
from drr.eval.foreign.summary import ForeignValue, foreign_values
from drr.eval.judging.read import choose, read_judged
from drr.eval.metrics import metrics, values_of
from drr.eval.tasks.dr3.rows import depth_of, fact_labels, point_labels
from drr.eval.tasks.judged import Judged, Judging
from drr.eval.tasks.pqr.choices import KeptChoices
from drr.eval.tasks.pqr.owners import task_id_of
from drr.persons.build import person_id_of
from drr.study.blobs import LostText

if TYPE_CHECKING:
    from drr.env.query import Query
    from drr.study.study import Study
    from drr.study.unit import Record

SHORT = 16


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
        self._scores = (self.version(), kept.foreign_scores(study))
        self._cases: tuple[str, dict[str, PersonCase]] = ("", {})

    @cached_property
    def _profiles(self) -> ShopperProfiles:
        return ShopperProfiles(self._study, self._shop)

    def judging(self) -> Judging | None:
        return choose(self._study, self._judge)

    def version(self) -> str:
        """Changes whenever the ledger or scores of others are written, by whomever."""
        path = self._study.ledger.path
        files = [path, path.with_name(path.name + "-wal"), path.with_name(kept.FILE)]
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
        stamps = dict(self._study.ledger.records.stamps("answer"))
        for key in self._stamps.keys() - stamps.keys():
            self._entries.pop(_short(key), None)
        for key, stamp in stamps.items():
            if self._stamps.get(key, 0.0) != stamp or _short(key) not in self._entries:
                record = self._study.record(key)
                if record is not None:
                    asked = self._queries.get(str(record.spec["query_id"]))
                    self._entries[_short(key)] = _entry(record, asked, lost=bool(self._study.lost(record)))
                    self._keys[_short(key)] = key
        self._stamps, self._version = stamps, version

    def _with_measures(self, entry: ShownEntry) -> ShownEntry:
        found = self._measured.get(entry.key)
        return entry if found is None else replace(entry, **found._asdict())

    def measure(self) -> None:
        """Each report's own figures, for the index. Reads every judgement: seconds for a large study."""
        judged = read_judged(self._study, self.judging())
        found = {_short(answer.key): _measured(judged, answer) for answer in judged.answers}
        outcomes: dict[str, list[ShownOutcome]] = {}
        for c in judged.comparisons():
            winner = {"a": c.a, "b": c.b}.get(c.outcome, c.outcome)
            outcomes.setdefault(file_name(c.query), []).append(
                ShownOutcome(c.dimension, c.a, c.b, c.trial, winner)
            )
        tally = self._study.ledger.units.standings()
        with self._lock:
            self._measured, self._outcomes = found, outcomes
            self._planned = sum(unit.kind == "answer" for unit in tally)

    @property
    def to_come(self) -> int:
        """Answers that the study still lacks, as far as it had been planned when it was last measured."""
        with self._lock:
            return max(self._planned - len(self._entries), 0)

    def outcomes(self, question_page: str) -> list[ShownOutcome]:
        """Known once the study was measured."""
        with self._lock:
            return list(self._outcomes.get(question_page, ()))

    def query(self, question_page: str) -> list[ReportView]:
        """The answers to the question whose page has this name."""
        found = [e for e in self.entries() if e.question_page == question_page and e.status == "done"]
        return [view for entry in found if (view := self._view(entry, full=False)) is not None]

    def cases(self) -> Mapping[str, PersonCase]:
        """Tasks that a system answered for several persons, by the name of the page."""
        with self._lock:
            self._look()
            if self._cases[0] != self._version:
                self._cases = (self._version, cases_of(self._entries.values()))
            return self._cases[1]

    def case(self, name: str) -> CaseView | None:
        cases = self.cases()
        if name not in cases:
            return None
        case = cases[name]
        views = (self._view(entry, full=False, figured=True) for entry in case.entries)
        shown = [view for view in views if view is not None and view.entry.status == "done"]
        persons = KeptChoices(self._study).persons()
        return case_view(case, of_task(cases.values(), case.task), shown, persons) if shown else None

    def report(self, key: str) -> ReportView | None:
        with self._lock:
            self._look()
            entry = self._entries.get(key)
        return None if entry is None else self._view(entry, full=True)

    def page(self, sha: str) -> str | None:
        """A frozen page, only if some answer of this study froze it."""
        known = len(sha) == 64 and set(sha) <= set("0123456789abcdef")
        if not known or not self._study.ledger.records.hold("answer", f'"page_sha256":"{sha}"'):
            return None
        try:
            return self._study.blobs.get(sha).decode("utf-8", "surrogatepass")
        except LostText:
            return None

    def _view(self, entry: ShownEntry, *, full: bool, figured: bool = False) -> ReportView | None:
        try:
            return self._made(entry, full=full, figured=full or figured)
        except LostText:
            self._study.look_for_losses()
            return self._made(entry, full=full, figured=full or figured)

    def _made(self, entry: ShownEntry, *, full: bool, figured: bool) -> ReportView | None:
        key = self._keys[entry.key]
        record = self._study.record(key)
        if record is None:
            return None
        lost = self._study.lost(record)
        if lost or not record.done:
            told = f"Texts of this answer are no longer in the study: {', '.join(lost)}." if lost else ""
            return ReportView(
                entry,
                told or record.message or "",
                "",
                None,
                record.usage,
                record.making_usd,
                record.making_seconds,
            )
        answer = answer_of(self._study, record, self._queries)
        owners = owners_shown(self._study, answer, self._queries)
        among = self._study.ledger.records.about(key, answer.query_id, *(one.label for one in owners))
        judged = read_judged(self._study, self.judging(), answers=[answer], among=among)
        with self._lock:
            shopper = self._profiles.summary(answer.user_id)
            products = tuple(product_cards(answer, self._profiles.shop)) if full else ()
        book = Book(answer, self._profiles.shop)
        view = ReportView(
            entry=replace(entry, **_measured(judged, answer)._asdict()),
            report=answer.report,
            profile="" if shopper is None else shopper.text(),
            shopper=shopper,
            products=products,
            stop_reason=record.result.get("stop_reason"),
            usage=record.usage,
            cost_usd=record.making_usd,
            seconds=record.making_seconds,
            claims=tuple(parts.claims(judged, answer, book)),
            ratings=tuple(parts.ratings(judged, answer)),
            points=tuple(parts.points(judged, answer)),
            criteria=tuple(criteria(judged, answer, owners)),
            violations=tuple(violations(judged, answer)),
            report_grades=tuple(report_grades(judged, answer)),
            passage_pairs=tuple(passage_pairs(judged, answer)),
            notes=tuple(record.result.get("notes") or ()),
            judged_by=judged.judging.judge if judged.judging else None,
            judged_by_rules=bool(judged.judging and judged.judging.rule_written),
            missing_shop=self._profiles.missing,
            figures=tuple(parts.figures(judged, answer)) if figured else (),
            foreign=self._foreign(entry),
            cases=tuple((one.variant, one.name) for one in of_task(self.cases().values(), entry.task)),
        )
        return _with_details(view, judged, answer) if full else view

    def _foreign(self, entry: ShownEntry) -> tuple[ForeignValue, ...]:
        stamp = self.version()
        with self._lock:
            if self._scores[0] != stamp:
                self._scores = (stamp, kept.foreign_scores(self._study))
            scores = self._scores[1]
        return tuple(foreign_values(scores, entry.variant, entry.query_id, entry.trial))

    def texts(self, key: str) -> Iterator[str]:
        """All that was written in an answer, and read for it."""
        record = self._study.record(self._keys[key])
        if record is None or not record.done or self._study.lost(record):
            return
        answer = answer_of(self._study, record, self._queries)
        yield answer.report
        yield from (text for one in answer.sources for text in (one.title or "", one.seen, one.page or ""))


def _with_details(view: ReportView, judged: Judged, answer: Answer) -> ReportView:
    return replace(
        view,
        sources=tuple(parts.sources(answer)),
        actors=tuple(parts.actors(answer.tool_calls() or ())),
        conversations=tuple(parts.conversations(_transcripts(answer))),
        rules=tuple(parts.rules(judged, answer)),
        facts=fact_labels(judged, answer.key) or (),
        checklist=point_labels(judged, answer.key) or (),
        depth=depth_of(judged, answer.key),
    )


def _transcripts(answer: Answer) -> list[JsonObject]:
    told = answer.study.held(answer.record, "transcript")
    return cast("list[JsonObject]", json.loads(told)) if told else []


def _short(key: str) -> str:
    """The name of a report's page."""
    return key[:SHORT] if is_digest(key) else file_name(key)


def _entry(record: Record, asked: Query | None, *, lost: bool) -> ShownEntry:
    spec = record.spec
    user = None if spec.get("user_id") is None else str(spec["user_id"])
    own = None if asked is None else asked.person_id
    return ShownEntry(
        key=_short(record.key),
        query_id=str(spec["query_id"]),
        query=str(spec["query"]),
        variant=str(spec["variant"]),
        trial=int(spec["trial"]),
        status="failed" if lost else record.status,
        reason="lost" if lost else record.reason,
        words=record.result.get("words"),
        rule_written=bool(record.result.get("rule_written")),
        task=task_id_of(asked, str(spec["query"])),
        person=own or (person_id_of(user) if user else None),
        text=record.blobs.get("report"),
        given=record.result.get("person_tokens"),
        size=None if asked is None else asked.size,
        cost=record.making_usd,
    )


class Measured(NamedTuple):
    """What the index says of a report: fields of its entry."""

    scores: Mapping[str, float | None]
    verdicts: tuple[str, ...]
    types: tuple[str, ...]
    said: tuple[str, ...]


def _measured(judged: Judged, answer: Answer) -> Measured:
    """The report's own metrics as the means take them, and what verdicts and source types it has."""
    values = values_of(judged, answer)
    claims = list(parts.claims(judged, answer, None))
    return Measured(
        {name: values.get(name) for name, metric in metrics().items() if not metric.detail},
        tuple(sorted({claim.status for claim in claims})),
        tuple(sorted({verdict.source_type for claim in claims for verdict in claim.verdicts})),
        tuple(claim.text for claim in claims),
    )
