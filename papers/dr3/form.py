"""A file task as agents may meet it: the folder, its question, and the pages of its corpus. What is true of them is in `truth`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import orjson
from drr.env.errors import Misuse
from drr.env.files import Id, check_plain, check_unlinked
from drr.env.jsonl import document_of, rows_of
from pydantic import BaseModel, ConfigDict, Field

SCHEMA = 1
QUESTION = "query.json"
DRAWER = "files"
CORPUS = "corpus.jsonl"
"""Pages in an order whose beginnings are the sizes; whoever shows them to an agent uses another order."""
SIZES = "sizes.json"
TRUTH = "truth.json"
REVIEW = "review.json"
"""A person's decision on a task, outside the truth: whoever gives tasks to agents reads only this."""
MANIFEST = "manifest.json"


class FrozenRow(BaseModel):
    """A row that never changes, with no field but its own."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class FileQuestion(FrozenRow):
    schema_version: int = SCHEMA
    task_id: Id
    query: str = Field(min_length=1)
    """50 to 100 words that name the files."""
    today: str
    """`YYYY-MM-DD`: the day on which it is asked."""
    files: tuple[Id, ...] = ()
    """Names within `files/`, as the shopper sees them."""
    user_id: str | None = None
    """Owner of the drawer, in the shop it was made of."""
    rule_written: bool | None = None


class TaskReview(FrozenRow):
    schema_version: int = SCHEMA
    status: Literal["accepted", "rejected"]


class CorpusPage(FrozenRow):
    """A frozen page. Nothing of what it is for stands in it."""

    url: str = Field(pattern=r"^https?://[^\s/]+")
    title: str = Field(min_length=1)
    text: str = Field(min_length=1)
    """Markdown."""
    date: str | None = None


class CorpusSize(FrozenRow):
    """One size of a corpus: the first so many pages."""

    pages: int
    tokens: int


class CorpusSizes(FrozenRow):
    schema_version: int = SCHEMA
    counter: str
    """Way of counting tokens, e.g. `characters/4`."""
    sizes: dict[str, CorpusSize]
    """Sizes by name: `32k`."""


def is_task(folder: Path) -> bool:
    return (folder / QUESTION).is_file()


def holds_tasks(folder: Path) -> bool:
    """One task, or a folder of them."""
    return is_task(folder) or (folder.is_dir() and any(map(is_task, folder.iterdir())))


def task_folders(path: Path) -> list[Path]:
    """List the task folders of a folder by name, or the one task that it is. `DrrError` for what is no plain file in them."""
    if is_task(path):
        check_plain(path)
        return [path]
    if path.is_file():
        raise Misuse(f"{path}: is a file; give the folder of the tasks")
    if not path.is_dir():
        raise Misuse(f"{path}: there is no such folder; `drr papers tasks drawer --out {path}` writes some")
    found = sorted(one for one in path.iterdir() if not one.name.startswith(".") and is_task(one))
    if not found:
        raise Misuse(
            f"{path}: holds no task with files (a folder with {QUESTION}); `drr papers tasks drawer` writes such tasks"
        )
    check_unlinked(path, MANIFEST)
    for one in found:
        check_plain(one)
    return found


def read_question(folder: Path) -> FileQuestion:
    return document_of(folder / QUESTION, FileQuestion, SCHEMA)


def is_rejected(folder: Path) -> bool:
    path = folder / REVIEW
    return path.is_file() and document_of(path, TaskReview, SCHEMA).status == "rejected"


def read_sizes(folder: Path) -> CorpusSizes:
    return document_of(folder / SIZES, CorpusSizes, SCHEMA)


def read_corpus(folder: Path, size: str) -> list[CorpusPage]:
    """The pages of one size, by address."""
    sizes = read_sizes(folder).sizes
    if size not in sizes:
        raise Misuse(f"{folder}: has no corpus of {size}; it has {', '.join(sizes)}")
    pages = [page for page, _ in zip(corpus_pages(folder), range(sizes[size].pages), strict=False)]
    if len(pages) < sizes[size].pages:
        raise Misuse(
            f"{folder / CORPUS}: holds {len(pages)} pages, {size} needs {sizes[size].pages}; it was cut off"
        )
    return sorted(pages, key=lambda page: page.url)


def corpus_pages(folder: Path) -> Iterator[CorpusPage]:
    """All of them, in the order of which every size is a beginning."""
    for _, page in rows_of(folder / CORPUS, CorpusPage, "pages", SCHEMA):
        yield page


def document(row: BaseModel) -> bytes:
    """Write a row as a file of its own: the same row gives the same bytes."""
    return orjson.dumps(row.model_dump(mode="json"), option=orjson.OPT_INDENT_2) + b"\n"


def line(row: BaseModel) -> bytes:
    return orjson.dumps(row.model_dump(mode="json", exclude_none=True)) + b"\n"
