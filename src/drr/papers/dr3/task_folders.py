"""The use of file tasks by a study: their questions, warnings about them, and the kinds of their pages."""

from __future__ import annotations

from pathlib import Path

from drr.env.errors import Misuse
from drr.env.reach import KnownKinds
from drr.papers.dr3.folders import left_out, open_tasks, some
from drr.papers.dr3.form import TRUTH, is_rejected, is_task
from drr.papers.dr3.world import queries_of
from drr.plugin import notice

__all__ = ["known_kinds", "queries_of", "say_unconfirmed", "say_what_is_odd"]


def known_kinds(place: Path, *, distractors: bool) -> dict[str, KnownKinds]:
    """Map each task id to the kinds of its pages, for a study that withholds some. Raise `Misuse` for a task without a truth, or
    without known distractors if they are asked for. A run that withholds no page must not even load the truth."""
    from drr.papers.dr3.truth import read_truth

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


def say_what_is_odd(place: Path) -> None:
    """Print warnings about tasks that are rejected, unconfirmed, or differ from the manifest."""
    from drr.papers.dr3.making.manifest import changed_shown

    tasks = [task.folder for task in open_tasks(place).values()]
    rejected = [folder.name for folder in tasks if is_rejected(folder)]
    if rejected:
        notice(left_out(place, rejected))
    say_unconfirmed(place)
    if changed := changed_shown(tasks):
        notice(
            f"{place}: not what its manifest says was written: {some(changed)}; `drr papers tasks check` says what it can"
        )


def say_unconfirmed(place: Path) -> None:
    """Print in how many tasks the kind of a found page was proposed by a model and not confirmed."""
    from drr.papers.dr3.making.manifest import read_manifest

    folder = place.parent if is_task(place) else place
    manifest = read_manifest(folder)
    if manifest is not None and manifest.found is not None and manifest.found.unconfirmed:
        notice(
            f"{folder}: kinds of pages that a model proposed and no person confirmed, in {manifest.found.unconfirmed} of"
            f" {manifest.tasks} tasks; `drr papers tasks review {folder} --reviewer NAME` asks for them"
        )
