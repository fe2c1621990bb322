"""Stores the marks of reviewers, who call verdicts and rule findings on a report's page right or wrong. Each reviewer has an append-only file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.pages.line_file import LineFile
from drr.env.files import check_unlinked, make_folder, owner_only_mode, short_name
from drr.env.jsonl import rows_of
from drr.eval.judging.marks import FOLDER, MARKABLE, SCHEMA, ReviewMark, read_marks

if TYPE_CHECKING:
    from drr.app.viewer.model import ReportView
    from drr.study.study import Study


class ReviewBooks:
    """The files with the marks of all reviewers of one study."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._folder = study.folder / FOLDER
        self._files: dict[str, LineFile] = {}

    def add(self, mark: ReviewMark) -> None:
        """Write a mark to disk at once, before the page is told that the mark is saved."""
        if mark.reviewer not in self._files:
            check_unlinked(self._study.folder, FOLDER)
            make_folder(self._folder, owner_only_mode(0o777))
            self._files[mark.reviewer] = LineFile(self._folder / f"marks-{mark.reviewer}.jsonl")
        self._files[mark.reviewer].add(mark.model_dump_json())

    def marks(self) -> list[ReviewMark]:
        return read_marks(self._study)

    def take_in(self, files: Iterable[Path]) -> tuple[dict[str, int], int]:
        """Add the new marks from exported files. Return their numbers by reviewer, and the number of marks on unknown answers.

        All files are read before anything is written; a file may come twice, and the order does not matter.
        """
        known = {short_name(key) for key, _ in self._study.ledger.records.stamps("answer")}
        given_marks = [
            mark for file in files for _, mark in rows_of(file, ReviewMark, "marks", SCHEMA, "a mark")
        ]
        last = {mark.place: mark for mark in self.marks()}
        added: dict[str, int] = {}
        for mark in given_marks:
            if mark.answer in known and _is_news(mark, last.get(mark.place)):
                last[mark.place] = mark
                self.add(mark)
                added[mark.reviewer] = added.get(mark.reviewer, 0) + 1
        return added, sum(mark.answer not in known for mark in given_marks)


def _is_news(mark: ReviewMark, known: ReviewMark | None) -> bool:
    if known is None:
        return mark.says is not None
    return mark != known and (mark.at is None or known.at is None or mark.at > known.at)


def stands_in(view: ReportView, mark: ReviewMark) -> bool:
    """Return whether the page still shows the verdict or rule finding that was marked."""
    if mark.of == "rule":
        return mark.name in view.rules and view.rules[mark.name]["status"] == mark.shown
    return view.verdicts.judge == mark.judge and any(
        claim.text == mark.claim and mark.shown == claim.verdicts[mark.name]["status"] in MARKABLE
        for claim in view.verdicts.claims
        if mark.name in claim.verdicts
    )


def summary_of_marks(marks: Sequence[ReviewMark]) -> str:
    """Return a line on how many marks each reviewer made; empty without marks."""
    by_name: dict[str, list[ReviewMark]] = {}
    for mark in marks:
        by_name.setdefault(mark.reviewer, []).append(mark)
    counts = [f"{name} {_mark_counts(own)}" for name, own in sorted(by_name.items())]
    return f"Marked by reviewers: {'; '.join(counts)}." if counts else ""


def _mark_counts(marks: Sequence[ReviewMark]) -> str:
    counts = []
    for of, noun in (("verdict", "verdict"), ("rule", "rule finding")):
        own = [mark for mark in marks if mark.of == of]
        if own:
            wrong = sum(mark.says == "wrong" for mark in own)
            counts.append(f"{len(own)} {noun}{'' if len(own) == 1 else 's'} ({wrong} wrong)")
    return ", ".join(counts)
