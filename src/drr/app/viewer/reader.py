"""Reads a study into the viewer's contents. All data come from the ledger (the study's database); no model is called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from drr.app.viewer.entries import EntryReader
from drr.app.viewer.model import ReportView, ShownEntry
from drr.app.viewer.reviewing import ReviewBooks, summary_of_marks
from drr.app.viewer.views import AnswerReader
from drr.study.blobs import LostText
from drr.wording.excerpt import many


class Reader(AnswerReader):
    """Reads one study with the pages of its answers, including the additions of papers."""

    def query(self, question_page: str) -> list[ReportView]:
        """Return the finished answers to the question whose page has this name."""
        found = [e for e in self.entries() if e.question_page == question_page and e.status == "done"]
        return [view for entry in found if (view := self.view(entry)) is not None]

    def books(self) -> ReviewBooks:
        return ReviewBooks(self.study)

    def marked(self) -> str:
        """Return a line on how many marks each reviewer made in the study."""
        return summary_of_marks(self.books().marks())

    def report(self, key: str) -> ReportView | None:
        entry = self.entry(key)
        return None if entry is None else self.view(entry)

    def page(self, sha: str) -> str | None:
        """Return the text of a saved page, only if an answer of this study saved the page."""
        known = len(sha) == 64 and set(sha) <= set("0123456789abcdef")
        if not known or not self.study.ledger.records.hold("answer", f'"page_sha256":"{sha}"'):
            return None
        try:
            return self.study.blobs.get(sha).decode("utf-8", "surrogatepass")
        except LostText:
            return None


@dataclass(frozen=True)
class AnswerNeighbours:
    siblings: Sequence[ShownEntry] = ()
    """All answers to the same question, including this answer."""
    before: str | None = None
    """Key of the previous answer in the index."""
    after: str | None = None


class AroundAnswers:
    """The neighbours of each answer in the index, looked up again only when the ledger has changed."""

    def __init__(self, reader: EntryReader) -> None:
        self._reader = reader
        self._version = ""
        self._told = ""
        self._around: Mapping[str, AnswerNeighbours] = {}

    def about(self) -> str:
        """Return a description of the study in one line."""
        self._look()
        return self._told

    def of(self, key: str) -> AnswerNeighbours:
        self._look()
        return self._around.get(key, AnswerNeighbours())

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


def _around(entries: Sequence[ShownEntry]) -> Mapping[str, AnswerNeighbours]:
    by_question: dict[str, list[ShownEntry]] = {}
    for entry in entries:
        by_question.setdefault(entry.question_page, []).append(entry)
    keys = [None, *(entry.key for entry in entries), None]
    return {
        entry.key: AnswerNeighbours(by_question[entry.question_page], keys[at], keys[at + 2])
        for at, entry in enumerate(entries)
    }
