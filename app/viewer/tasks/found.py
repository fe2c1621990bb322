"""The tasks with files behind a study, where they still are and this user vouched for them."""

from __future__ import annotations

import sys
from pathlib import Path

from drr.app.viewer.tasks.shelf import TaskShelf
from drr.app.vouching import is_own_shop, offer_shop, remember_shop
from drr.env.errors import DrrError
from drr.papers.dr3.form import holds_tasks
from drr.papers.dr3.judging.truths import known_place
from drr.study.study import Study


def shelf_of(study: Study, given: Path | None) -> TaskShelf | None:
    """Find the shelf. `None` for a study of something else; one whose tasks are gone can be read without them, and a line says so."""
    named = known_place(study)
    if given is not None:
        remember_shop(study.folder, str(given.resolve()))
        return TaskShelf(given)
    if named is None:
        return None
    offer_shop(study.folder, named, None, "--tasks")
    beside = study.folder.resolve().parent / named
    for place in dict.fromkeys([Path(named), beside]):
        if is_own_shop(study.folder, str(place)) and holds_tasks(place):
            try:
                return TaskShelf(place)
            except DrrError as error:
                print(f"drr: {error}", file=sys.stderr)
    print(
        f"drr: the tasks {named} are not at hand, so their pages are missing; --tasks FOLDER says where they are now",
        file=sys.stderr,
    )
    return None
