"""Tasks with files as a study takes them: their questions, what is odd about them, and which of their pages are which."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.notices import notice
from drr.papers.dr3.world import queries_of

if TYPE_CHECKING:
    from drr.env.reach import KnownKinds

__all__ = ["known_kinds", "queries_of", "say_unconfirmed", "say_what_is_odd"]


def known_kinds(place: Path, *, distractors: bool) -> Mapping[str, KnownKinds]:
    """Map each task to its known kinds. A run that withholds no page must not even load the truth."""
    from drr.papers.dr3.known_kinds import known_kinds

    return known_kinds(place, distractors=distractors)


def say_what_is_odd(place: Path) -> None:
    """Say which tasks a person rejected, and which are not what was written."""
    from drr.papers.dr3.folders import left_out, open_tasks, some
    from drr.papers.dr3.form import is_rejected
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
    """Say, where pages were found, in how many tasks their purpose is a model's word alone."""
    from drr.papers.dr3.form import is_task
    from drr.papers.dr3.making.manifest import read_manifest

    folder = place.parent if is_task(place) else place
    manifest = read_manifest(folder)
    if manifest is not None and manifest.found is not None and manifest.found.unconfirmed:
        notice(
            f"{folder}: kinds of pages that a model proposed and no person confirmed, in {manifest.found.unconfirmed} of"
            f" {manifest.tasks} tasks; `drr papers tasks review {folder} --reviewer NAME` asks for them"
        )
