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

from tests.cases import cases
from tests.filetasks.made import PAGES, write_task

RIGHT, WRONG = PAGES[0], PAGES[2]
FACTS = cases("filetasks", "FACTS")
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
