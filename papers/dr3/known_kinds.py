"""The kinds of a task's pages: which contain what is needed and which lead astray. They are for a study that
withholds some of them, and for nothing else.

The world of an agent does not import this. Whoever opens that world reads it here and hands over addresses.
"""

from __future__ import annotations

from pathlib import Path

from drr.env.errors import Misuse
from drr.env.reach import KnownKinds
from drr.papers.dr3.folders import open_tasks
from drr.papers.dr3.form import TRUTH
from drr.papers.dr3.truth import read_truth


def known_kinds(place: Path, *, distractors: bool) -> dict[str, KnownKinds]:
    """Map each task id to its known kinds. `Misuse` for a task whose truth is gone, or that does not say what
    its distractors are, where they are asked for."""
    found = {}
    for task_id, task in open_tasks(place).items():
        if not (task.folder / TRUTH).is_file():
            raise Misuse(
                f"{task.folder}: has no {TRUTH}, which says which pages are needed; only --reach whole can be run"
            )
        pages = read_truth(task.folder).pages
        kinds = KnownKinds(
            frozenset(page.url for page in pages if page.kind == "supportive"),
            frozenset(page.url for page in pages if page.kind == "distractor"),
        )
        if distractors and not kinds.distractors:
            raise Misuse(
                f"{task.folder}: nobody recorded which of its pages are distractors, so that none can be withheld"
            )
        found[task_id] = kinds
    return found
