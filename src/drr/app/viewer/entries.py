"""Reads a study's answers as entries of the viewer's index, each with its figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple

from drr.app.judge.text import figures_read_text
from drr.app.pages.markdown import first_words
from drr.app.report.failing import errors_of
from drr.app.report.standing import Standings, study_standings
from drr.app.viewer.model import ShownEntry
from drr.env.files import file_name, short_name
from drr.eval.evidence.answers import Answer, questions
from drr.eval.foreign import summary
from drr.eval.judging.read import choose_judging, read_judged
from drr.eval.metrics import metrics, values_of
from drr.eval.metrics.costs import cost_of, why_unknown
from drr.eval.metrics.coverage import count_unjudged, variants_of
from drr.eval.metrics.document import not_comparable
from drr.eval.metrics.rewards import paid_failures
from drr.eval.metrics.rules import figures_of
from drr.eval.stats.question import Comparison, grouped
from drr.eval.tasks.judgements import Judged, JudgingRun
from drr.offline.agents.source_list import UNREAD
from drr.wording.excerpt import excerpt

if TYPE_CHECKING:
    from drr.env.query import Query
    from drr.study.study import Study
    from drr.study.unit import Record


_START = 90
"""Most characters of a report in a cell of the index."""


class MeasuredStudy(NamedTuple):
    """The facts of a study that are known once all of its judgements were read."""

    planned: int = 0
    """Number of answers that the study plans."""
    unjudged: int = 0
    """Number of answers that the judge has not judged."""
    standings: Standings | None = None
    notes: Sequence[str] = ()
    """Remarks on the study's figures to show in the index."""


class EntryReader:
    """Reads one study while it grows: finished answers never change, so only new records are read. Safe for several threads."""

    def __init__(self, study: Study, *, judge: str | None = None) -> None:
        choose_judging(study, judge)  # an unknown judge raises an error here, not on every page
        self.name = study.folder.resolve().name
        self.study = study
        self.judge = judge
        self.queries = questions(study)
        self._lock = RLock()
        self._version = ""
        self._stamps: dict[str, float | None] = {}
        self._entries: dict[str, ShownEntry] = {}
        self._keys: dict[str, str] = {}
        self._measured: dict[str, dict[str, Any]] = {}
        self._outcomes: dict[str, list[Comparison]] = {}
        self.measured_study = MeasuredStudy()
        """The study as of the last `measure`."""

    def judging(self) -> JudgingRun | None:
        return choose_judging(self.study, self.judge)

    def version(self) -> str:
        """Return a text that changes whenever any process writes the ledger or imported scores."""
        return version_of(self.study)

    def entries(self) -> list[ShownEntry]:
        with self._lock:
            self._look()
            found = [replace(entry, **self._measured.get(entry.key, {})) for entry in self._entries.values()]
        return sorted(found, key=lambda entry: (entry.query_id, entry.variant, entry.trial))

    def _look(self) -> None:
        version = self.version()
        if version == self._version:
            return
        stamps = dict(self.study.ledger.records.stamps("answer"))
        for key in self._stamps.keys() - stamps.keys():
            self._entries.pop(short_name(key), None)
        for key, stamp in stamps.items():
            if self._stamps.get(key, 0.0) != stamp or short_name(key) not in self._entries:
                record = self.study.record(key)
                if record is not None:
                    asked = self.asked(str(record.spec["query_id"]))
                    self._entries[short_name(key)] = _entry(record, asked, lost=bool(self.study.lost(record)))
                    self._keys[short_name(key)] = key
        self._stamps, self._version = stamps, version

    def measure(self) -> None:
        """Compute each report's figures for the index. This reads every judgement, which takes seconds for a large study."""
        judged = read_judged(self.study, self.judging())
        found = {
            short_name(answer.key): judged_fields(judged, answer, values_of(judged, answer))
            for answer in judged.answers
        }
        found |= {short_name(key): {"scores": scores} for key, scores in paid_failures(judged).items()}
        outcomes = grouped((file_name(one.query), one) for one in judged.comparisons())
        planned = sum(unit.kind == "answer" for unit in self.study.ledger.units.standings())
        by_system = {name: figures_of(judged, own) for name, own in variants_of(judged).items()}
        notes = [*figures_read_text(by_system), *not_comparable(judged)]
        who_leads = study_standings(self.study, judged)
        with self._lock:
            self._measured, self._outcomes = found, outcomes
            self.measured_study = MeasuredStudy(planned, count_unjudged(judged), who_leads, notes)

    @property
    def to_come(self) -> int:
        """Return the number of planned answers that the study still lacks, as of the last `measure`."""
        with self._lock:
            return max(self.measured_study.planned - len(self._entries), 0)

    def outcomes(self, question_page: str) -> list[Comparison]:
        """Return the comparisons of answers to the question; empty until `measure` has run."""
        with self._lock:
            return list(self._outcomes.get(question_page, ()))

    def asked(self, query_id: str) -> Query | None:
        return self.queries.get(query_id)

    def entry(self, key: str) -> ShownEntry | None:
        with self._lock:
            self._look()
            return self._entries.get(key)


def _entry(record: Record, asked: Query | None, *, lost: bool) -> ShownEntry:
    spec = record.spec
    spent = cost_of(record)
    return ShownEntry(
        key=short_name(record.key),
        query_id=str(spec["query_id"]),
        query=str(spec["query"]),
        variant=str(spec["variant"]),
        trial=int(spec["trial"]),
        status="failed" if lost else record.status,
        reason="lost" if lost else record.reason,
        words=record.result.get("words"),
        rule_written=bool(record.result.get("rule_written")),
        task=None if asked is None else asked.task_id,
        person=None if asked is None else asked.person_id,
        user=None if spec.get("user_id") is None else str(spec["user_id"]),
        text=record.blobs.get("report"),
        given=record.result.get("person_tokens"),
        size=None if asked is None else asked.size,
        cost=spent.usd,
        no_cost=why_unknown(record),
        tokens=spent.tokens,
    )


def version_of(study: Study) -> str:
    """Return a text that changes whenever any process writes the ledger or imported scores."""
    path = study.ledger.path
    files = [path, path.with_name(path.name + "-wal"), path.with_name(summary.FILE)]
    return " ".join(f"{s.st_mtime_ns}-{s.st_size}" for file in files if file.exists() for s in (file.stat(),))


def judged_fields(judged: Judged, answer: Answer, values: Mapping[str, float | None]) -> dict[str, Any]:
    """Return the fields of an entry that judging fills: metrics, kinds of verdicts, types of sources, claims."""
    found = judged.judged_claims(answer)
    claims = (found and found.claims) or ()
    return {
        "scores": {name: values[name] for name, metric in metrics(values).items() if not metric.detail},
        "verdicts": tuple(sorted({claim.status for claim in claims})),
        "types": tuple(sorted({kind for claim in claims for kind in claim.types})),
        "claims": tuple(claim.text for claim in claims),
        "errors": errors_of(judged, answer),
        "start": excerpt(first_words(answer.report.replace(UNREAD, "")), _START),
    }
