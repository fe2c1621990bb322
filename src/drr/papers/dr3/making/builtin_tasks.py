"""The built-in tasks, whose corpora are filled from one shared pool of pages."""

from __future__ import annotations

import lzma
from base64 import b64decode
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from drr.env.errors import Misuse
from drr.env.progress import Progress
from drr.papers.dr3.form import CorpusPage, FileQuestion, FrozenRow, is_task
from drr.papers.dr3.making.manifest import TaskSetManifest, WrittenTask
from drr.papers.dr3.making.ranking import COUNTER, counted_sizes
from drr.papers.dr3.making.sets import add_task, begin_set, finish_set
from drr.papers.dr3.truth import TaskTruth

HOME = Path(__file__).parent.parent / "tasks"
SIZES = {"32k": 32_000, "64k": 64_000, "128k": 128_000, "256k": 256_000, "512k": 512_000}
_LARGEST = 64 << 20
"""Limit on the bytes of an unpacked built-in file."""


class GivenTask(FrozenRow):
    """A built-in task as it is packed. Its truth has no sizes: they are counted when the task is written."""

    question: FileQuestion
    files: dict[str, str]
    """Contents of the files in base 64, by name."""
    own: tuple[CorpusPage, ...]
    """Pages that only this task has."""
    order: tuple[int, ...]
    """Positions of all pages: first positions in the pool, then, counted on from its end, positions in `own`."""
    ends: dict[str, int]
    """Number of pages by size."""
    truth: TaskTruth


def write_given(
    out: Path, count: int | None, sizes: Mapping[str, int], progress: Progress
) -> TaskSetManifest:
    """Write the built-in tasks, each in full before the next begins. A repeated call goes on where the last one stopped."""
    if missing := [name for name in sizes if name not in SIZES]:
        raise Misuse(
            f"--sizes: the tasks that come with the program have no {missing[0]}; they have {', '.join(SIZES)}"
        )
    given = given_tasks()
    if count is not None and count > len(given):
        raise Misuse(f"--n {count}: {len(given)} tasks come with the program; more are made with --files")
    seed, shop_hash = given[0].truth.seed, given[0].truth.shop_hash
    begin_set(out, TaskSetManifest(seed=seed, shop_hash=shop_hash, sizes=dict(sizes), counter=COUNTER))
    wanted = given[:count]
    with progress.stage("tasks", len(wanted), "tasks") as stage:
        for one in wanted:
            if not is_task(out / one.question.task_id):
                add_task(out, _cut_task(one, sizes))
            stage.advance()
    return finish_set(out)


def given_tasks() -> list[GivenTask]:
    return [GivenTask.model_validate_json(row) for row in _rows("tasks.jsonl.xz")]


@cache
def pool() -> tuple[CorpusPage, ...]:
    return tuple(CorpusPage.model_validate_json(row) for row in _rows("pool.jsonl.xz"))


def _rows(name: str) -> Iterator[bytes]:
    with lzma.open(HOME / name) as file:
        content = file.read(_LARGEST + 1)
    assert len(content) <= _LARGEST  # a file of this package
    return iter(content.splitlines())


def _cut_task(given: GivenTask, sizes: Mapping[str, int]) -> WrittenTask:
    """Cut a task to the sizes asked for, and its truth with it."""
    shared = len(pool())
    ends = {name: end for name, end in given.ends.items() if name in sizes}
    order = given.order[: max(ends.values())]
    pages = tuple(pool()[place] if place < shared else given.own[place - shared] for place in order)
    here = {page.url for page in pages}
    known = tuple(page for page in given.truth.pages if page.url in here)
    truths, shown = counted_sizes(SIZES, ends, pages, known)
    return WrittenTask(
        question=given.question,
        files={name: b64decode(text) for name, text in given.files.items()},
        pages=pages,
        sizes=shown,
        truth=given.truth.model_copy(update={"pages": known, "sizes": truths}),
    )
