"""A small task with files whose truth is known, written by hand: a fact of every kind of place, and a falsified page."""

from __future__ import annotations

from pathlib import Path

from drr.papers.dr3.form import TRUTH, document
from drr.papers.dr3.truth import (
    ChecklistPoint,
    FactPlace,
    KnownPage,
    SearchTerm,
    SizeTruth,
    StatementChange,
    TaskFact,
    TaskTruth,
)

from tests.filetasks.made import PAGES, write_task

RIGHT, WRONG = PAGES[0], PAGES[2]
FACTS = {
    "f1": ("36 months", "file://manual.pdf#page=2", "The warranty of the kettle lasts 36 months."),
    "f2": ("58 cm", "file://budget.xlsx#cell=Living%20room!B2", "58 cm"),
    "f3": ("49.00", "file://orders%202022.csv#row=2", "2022-01-05 Kettle Aqua 3 49.00"),
    "f4": ("$49.00", "file://slip.png#region=40,60,220,90", "TOTAL $49.00"),
    "f5": ("45 days", "file://seller.eml", "You may return the kettle within 45 days."),
    "f6": ("30 days", "file://saved.html", "Kettles may be returned within 30 days."),
    "f7": ("quiet", "file://notes.md", "It must be quiet."),
    "p1": ("every 4 weeks", RIGHT[0], RIGHT[2].strip()),
}
"""Value, address, and how it reads there."""


def known_fact(name: str) -> TaskFact:
    value, address, quote = FACTS[name]
    return TaskFact(
        id=name,
        subject="kettle",
        attribute=f"thing {name}",
        value=value,
        text=f"The kettle: thing {name} is {value}.",
        source="page" if name.startswith("p") else "file",
        places=(FactPlace(address=address, quote=quote),),
        modality="picture" if ".png" in address else "text",
    )


def known_truth(task_id: str) -> TaskTruth:
    change = StatementChange(kind="outdated", fact="p1", before="every 4 weeks", after="every 9 weeks")
    left_out = StatementChange(kind="one_sided", fact="p1", before="every 4 weeks")
    return TaskTruth(
        task_id=task_id,
        intent="replace_under_warranty",
        theme="kitchen",
        seed=1,
        shop_hash="0" * 64,
        facts=tuple(map(known_fact, FACTS)),
        pages=(
            KnownPage(url=RIGHT[0], kind="supportive", facts=("p1",)),
            KnownPage(url=WRONG[0], kind="distractor", made_from=RIGHT[0], change=change),
            KnownPage(url=PAGES[1][0], kind="distractor", made_from=RIGHT[0], change=left_out),
        ),
        terms=(
            SearchTerm(term="kettle limescale citric acid", role="signal", facts=("p1",)),
            SearchTerm(term="tea fair stalls monday", role="noise"),
        ),
        checklist=(
            ChecklistPoint(id="c1", requirement="States the term", category="content", decided_by="rule", facts=("f1",)),
        ),
        sizes={
            "1k": SizeTruth(target=1000, tokens=700, counts={"supportive": 1, "distractor": 2}, sha256="0" * 64),
            "2k": SizeTruth(target=2000, tokens=850, counts={"supportive": 1, "distractor": 2, "noise": 1}, sha256="0" * 64),
        },
        counter="characters/4",
        answer=("36 months from the day of purchase",),
        refused={"exposure": 2},
        invented=("serial numbers",),
    )  # fmt: skip


def write_known_task(folder: Path, task_id: str = "007") -> Path:
    write_task(folder, task_id)
    (folder / TRUTH).write_bytes(document(known_truth(task_id)))
    return folder
