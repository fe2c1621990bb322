"""All files of a case, and its facts with the places where they stand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from drr.papers.dr3.case import FileForm, TaskCase
from drr.papers.dr3.drawer.booklets import write_manual, write_warranty
from drr.papers.dr3.drawer.brief import FileBrief, WrittenFile
from drr.papers.dr3.drawer.history import write_order_history
from drr.papers.dr3.drawer.labels import write_label, write_photo
from drr.papers.dr3.drawer.receipts import write_receipt
from drr.papers.dr3.drawer.sheets import write_budget, write_comparison, write_measurements
from drr.papers.dr3.drawer.sketches import write_sketch
from drr.papers.dr3.drawer.slips import write_till_slip
from drr.papers.dr3.drawer.writings import write_mail, write_notes, write_saved_page
from drr.papers.dr3.truth import FactPlace, TaskFact

WRITERS: dict[FileForm, Callable[[FileBrief], WrittenFile]] = {
    "order_history": write_order_history,
    "receipt": write_receipt,
    "invoice": write_receipt,
    "delivery_note": write_receipt,
    "till_slip": write_till_slip,
    "warranty": write_warranty,
    "manual": write_manual,
    "photo": write_photo,
    "label": write_label,
    "sketch": write_sketch,
    "budget": write_budget,
    "comparison": write_comparison,
    "measurements": write_measurements,
    "mail": write_mail,
    "saved_page": write_saved_page,
    "notes": write_notes,
}


@dataclass(frozen=True)
class WrittenDrawer:
    """`case` is the one that was handed in, with the places of the facts of files."""

    files: dict[str, bytes]
    case: TaskCase


def write_drawer(case: TaskCase) -> WrittenDrawer:
    files: dict[str, bytes] = {}
    places: dict[str, FactPlace] = {}
    for file in case.files:
        rng = Random(f"{case.seed}/{case.task_id}/{case.user_id}/{file.name}")
        written = WRITERS[file.form](FileBrief(case=case, file=file, rng=rng))
        missing = {entry.fact for entry in file.entries} - set(written.places)
        if missing:
            raise AssertionError(f"{file.name} ({file.form}) does not hold {sorted(missing)}")
        files[file.name] = written.content
        places.update(written.places)
    return WrittenDrawer(
        files, replace(case, facts=tuple(_placed(case, fact, places) for fact in case.facts))
    )


def _placed(case: TaskCase, fact: TaskFact, places: dict[str, FactPlace]) -> TaskFact:
    if fact.id not in places:
        return fact
    place = places[fact.id].model_copy(update={"names": said_of(case, fact)})
    return fact.model_copy(update={"places": (place,)})


def said_of(case: TaskCase, fact: TaskFact) -> str:
    """Return what each writer sets beside a fact. What is owned goes by its sort, with its brand where
    another maker's thing is weighed; a place goes by its name."""
    if fact.attribute == "gap in the trunk":
        return "trunk"
    if case.place and fact.subject == f"the {case.place}":
        return case.place
    thing = case.rival if case.rival is not None and fact.subject == case.rival.name else case.thing
    return thing.called if case.rival is None else thing.name
