"""Small tasks with files, written by hand: a drawer, frozen pages in two sizes, and a truth, hidden or known."""

from __future__ import annotations

from pathlib import Path

from drr.papers.dr3.form import (
    CORPUS,
    DRAWER,
    QUESTION,
    SIZES,
    TRUTH,
    CorpusPage,
    CorpusSize,
    CorpusSizes,
    FileQuestion,
    document,
    line,
)
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
from tests.drawer.hostile import write_papers

QUERY = (
    "My kettle has begun to leak. I keep its papers in manual.pdf and the purchase in orders 2022.csv, and the seller wrote me in seller.eml."
    " Is the kettle still under warranty, what do I have to send in, and does limescale matter for it? My shelf is in budget.xlsx, and slip.png"
    " is the till slip: tell me which kettle would fit there if a repair is not worth it, and what a good one must have."
)
PAGES = tuple(cases("filetasks", "PAGES"))
SECRET = "hidden-truth-36-months"


def write_task(folder: Path, task_id: str = "007", *, user_id: str | None = "U1", query: str = QUERY) -> Path:
    """A task of two sizes, `1k` and `2k`: the second holds one page more."""
    folder.mkdir(parents=True, exist_ok=True)
    names = write_papers(folder / DRAWER)
    question = FileQuestion(
        task_id=task_id, query=query, today="2024-03-01", files=names, user_id=user_id, rule_written=True
    )
    pages = [
        CorpusPage(url=url, title=title, text=text * 12, date="2023-05-01") for url, title, text in PAGES
    ]
    sizes = CorpusSizes(
        counter="characters/4",
        sizes={"1k": CorpusSize(pages=3, tokens=700), "2k": CorpusSize(pages=4, tokens=850)},
    )
    (folder / QUESTION).write_bytes(document(question))
    (folder / CORPUS).write_bytes(b"".join(map(line, pages)))
    (folder / SIZES).write_bytes(document(sizes))
    (folder / TRUTH).write_text(f'{{"schema_version": 1, "task_id": "{task_id}", "facts": ["{SECRET}"]}}')
    return folder


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
