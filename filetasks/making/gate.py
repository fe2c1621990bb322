"""The filters that a candidate passes before it becomes a task, by name; the first that refuses it is counted."""

from __future__ import annotations

import re
from dataclasses import dataclass

from drr.filetasks.asking import question
from drr.filetasks.case import TaskCase
from drr.filetasks.corpus.build import Corpora
from drr.filetasks.drawer.writer import WrittenDrawer


@dataclass(frozen=True, kw_only=True)
class TaskCandidate:
    """What the filters look at."""

    case: TaskCase
    drawer: WrittenDrawer
    corpora: Corpora
    question: str


OF_WORDS = ("words", "exposure", "guidance", "told")
"""Filters that other words of the question may pass."""


def refused_by(candidate: TaskCandidate) -> str | None:
    """The name of the filter that refuses it; `None` where none does."""
    text = candidate.question
    if not question.FEWEST <= len(text.split()) <= question.MOST:
        return "words"
    if any(_says(text, fact.value) for fact in candidate.case.facts):
        return "told"
    return None


def _says(text: str, value: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(value)}(?!\w)", text) is not None
