"""Reads a study into what the viewer shows. The ledger is the only truth; nothing is computed anew but joined."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import RLock
from typing import TYPE_CHECKING

from drr.app.judge.text import figures_read_text
from drr.app.viewer.judges import AgreementPart, agreement_parts
from drr.app.viewer.model import ReportView, ShownEntry, ShownOutcome
from drr.app.viewer.of_papers import open_papers
from drr.app.viewer.reviewing import ReviewBooks, tallied
from drr.app.viewer.views import AnswerViews, Measured, measured, version_of
from drr.env.files import file_name, short_name
from drr.eval.agreement.study import agreement_document, latest_judgings
from drr.eval.judging.read import choose, read_judged
from drr.eval.metrics import values_of
from drr.eval.metrics.costs import cost_of
from drr.eval.metrics.coverage import variants_of, waiting
from drr.eval.metrics.document import not_comparable
from drr.eval.metrics.rules import figures_of
from drr.eval.tasks.judgements import Judging
from drr.study.blobs import LostText
from drr.wording.excerpt import many

if TYPE_CHECKING:
    from pathlib import Path

    from drr.env.query import Query
    from drr.study.study import Study
    from drr.study.unit import Record


class Reader:
    """One study, read as it grows: what has ended stays as it is, so only what is new is read. Safe for several threads."""

    def __init__(
        self, study: Study, *, judge: str | None = None, shop: str | None = None, tasks: Path | None = None
    ) -> None:
        """`tasks` is where the study's tasks lie now, if not where they were."""
        choose(study, judge)  # an unknown judge is said here, not page by page
        self.name = study.folder.resolve().name
        self.study = study
        self.judge = judge
        self.papers = open_papers(self, tasks)
        self._views = AnswerViews(study, self.papers, judge=judge, shop=shop)
        self._lock = RLock()
        self._version = ""
        self._stamps: dict[str, float | None] = {}
        self._entries: dict[str, ShownEntry] = {}
        self._keys: dict[str, str] = {}
        self._measured: dict[str, Measured] = {}
        self._outcomes: dict[str, list[ShownOutcome]] = {}
        self._planned = self._unjudged = 0
        self._notes: Sequence[str] = ()

    def judging(self) -> Judging | None:
        return self._views.judging()

    def version(self) -> str:
        """Changes whenever the ledger or scores of others are written, by whomever."""
        return version_of(self.study)

    def entries(self) -> list[ShownEntry]:
        with self._lock:
            self._look()
            found = [self._with_measures(entry) for entry in self._entries.values()]
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

    def _with_measures(self, entry: ShownEntry) -> ShownEntry:
        found = self._measured.get(entry.key)
        return entry if found is None else replace(entry, **found._asdict())

    def measure(self) -> None:
        """Each report's own figures, for the index. Reads every judgement: seconds for a large study."""
        judged = read_judged(self.study, self.judging())
        found = {
            short_name(answer.key): measured(judged, answer, values_of(judged, answer))
            for answer in judged.answers
        }
        outcomes: dict[str, list[ShownOutcome]] = {}
        for c in judged.comparisons():
            winner = {"a": c.a, "b": c.b}.get(c.outcome, c.outcome)
            outcomes.setdefault(file_name(c.query), []).append(
                ShownOutcome(c.dimension, c.a, c.b, c.trial, winner)
            )
        tally = self.study.ledger.units.standings()
        with self._lock:
            self._measured, self._outcomes = found, outcomes
            self._unjudged = waiting(judged)
            by_system = {name: figures_of(judged, own) for name, own in variants_of(judged).items()}
            self._notes = [*figures_read_text(by_system), *not_comparable(judged)]
            self._planned = sum(unit.kind == "answer" for unit in tally)

    @property
    def to_come(self) -> int:
        """Answers that the study still lacks, as far as it had been planned when it was last measured."""
        with self._lock:
            return max(self._planned - len(self._entries), 0)

    @property
    def unjudged(self) -> int:
        """Answers that its judge has not judged, as of when it was last measured."""
        with self._lock:
            return self._unjudged

    @property
    def notes(self) -> Sequence[str]:
        """Sentences that stand beside its figures, as of when it was last measured."""
        with self._lock:
            return self._notes

    def outcomes(self, question_page: str) -> list[ShownOutcome]:
        """Known once the study was measured."""
        with self._lock:
            return list(self._outcomes.get(question_page, ()))

    def query(self, question_page: str) -> list[ReportView]:
        """The answers to the question whose page has this name."""
        found = [e for e in self.entries() if e.question_page == question_page and e.status == "done"]
        return [view for entry in found if (view := self.view(entry)) is not None]

    def books(self) -> ReviewBooks:
        return ReviewBooks(self.study)

    def marked(self) -> str:
        """Say who marked how much of it, in one line."""
        return tallied(self.books().marks())

    def judges(self) -> list[str]:
        """All whose verdicts on this study stand beside each other."""
        return sorted(latest_judgings(self.study))

    def judges_agreement(self) -> tuple[list[str], list[AgreementPart], str | None] | None:
        """Compare every two of them; this reads every judgement."""
        document = agreement_document(self.study, [])
        return (
            None if document is None else (self.judges(), list(agreement_parts(document)), document["banner"])
        )

    def report(self, key: str) -> ReportView | None:
        with self._lock:
            self._look()
            entry = self._entries.get(key)
        return None if entry is None else self.view(entry, full=True)

    def view(self, entry: ShownEntry, *, full: bool = False) -> ReportView | None:
        """`full` with products, sources, calls, conversations and rules."""
        return self._views.view(self._keys[entry.key], entry, full=full)

    def asked(self, query_id: str) -> Query | None:
        return self._views.asked(query_id)

    def texts(self, key: str) -> Iterator[str]:
        """All that was written in an answer, and read for it."""
        return self._views.texts(self._keys[key])

    def page(self, sha: str) -> str | None:
        """A frozen page, only if some answer of this study froze it."""
        known = len(sha) == 64 and set(sha) <= set("0123456789abcdef")
        if not known or not self.study.ledger.records.hold("answer", f'"page_sha256":"{sha}"'):
            return None
        try:
            return self.study.blobs.get(sha).decode("utf-8", "surrogatepass")
        except LostText:
            return None


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
        tokens=spent.tokens,
    )


@dataclass(frozen=True)
class Around:
    siblings: Sequence[ShownEntry] = ()
    """All answers to the question, with the answer itself."""
    before: str | None = None
    """The answer that stands before it in the index."""
    after: str | None = None


class AroundAnswers:
    """Looked up anew only when the ledger has moved."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._version = ""
        self._told = ""
        self._around: Mapping[str, Around] = {}

    def about(self) -> str:
        """The study in one line."""
        self._look()
        return self._told

    def of(self, key: str) -> Around:
        self._look()
        return self._around.get(key, Around())

    def _look(self) -> None:
        version = self._reader.version()
        if version == self._version:
            return
        entries = self._reader.entries()
        judging = self._reader.judging()
        done = [entry for entry in entries if entry.status == "done"]
        systems, asked = {entry.variant for entry in entries}, {entry.query_id for entry in entries}
        counts = (many(len(asked), "question"), many(len(systems), "system"), many(len(done), "answer"))
        self._told = f"{', '.join(counts)}; {f'judged by {judging.judge}' if judging else 'not judged yet'}"
        self._around = _around(entries)
        self._version = version


def _around(entries: Sequence[ShownEntry]) -> Mapping[str, Around]:
    by_question: dict[str, list[ShownEntry]] = {}
    for entry in entries:
        by_question.setdefault(entry.question_page, []).append(entry)
    keys = [None, *(entry.key for entry in entries), None]
    return {
        entry.key: Around(by_question[entry.question_page], keys[at], keys[at + 2])
        for at, entry in enumerate(entries)
    }
