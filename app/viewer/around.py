"""What stands around an answer: the study in one line, the other answers to its question, the ones before and after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drr.app.viewer.model import ShownEntry
    from drr.app.viewer.reader import Reader


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
        systems, asked = {entry.variant for entry in done}, {entry.query_id for entry in done}
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


def many(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
