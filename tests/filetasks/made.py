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
    json_document,
    json_line,
)
from drr.papers.dr3.truth import TaskTruth

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
    (folder / QUESTION).write_bytes(json_document(question))
    (folder / CORPUS).write_bytes(b"".join(map(json_line, pages)))
    (folder / SIZES).write_bytes(json_document(sizes))
    (folder / TRUTH).write_text(f'{{"schema_version": 1, "task_id": "{task_id}", "facts": ["{SECRET}"]}}')
    return folder


RIGHT, WRONG = PAGES[0], PAGES[2]
FACTS = cases("filetasks", "FACTS")
"""Value, address, and how it reads there."""


def write_known_task(folder: Path, task_id: str = "007") -> Path:
    write_task(folder, task_id)
    (folder / TRUTH).write_bytes(
        json_document(TaskTruth(task_id=task_id, **cases("filetasks", "KNOWN_TRUTH")))
    )
    return folder
