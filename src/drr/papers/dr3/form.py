"""The part of a file task that agents may see: its folder, question and corpus pages. The module `truth` has the rest."""

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
"""Name of the file of pages. Each size is the first pages of its order, which agents are not shown."""
SIZES = "sizes.json"
TRUTH = "truth.json"
REVIEW = "review.json"
"""Name of the file with a person's decision on the task. The decision is apart from the truth, as running agents must not read the truth."""
MANIFEST = "manifest.json"


class FrozenRow(BaseModel):
    """An immutable row that refuses unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class FileQuestion(FrozenRow):
    schema_version: int = SCHEMA
    task_id: Id
    query: str = Field(min_length=1)
    """The question in 50 to 100 words; it names the files."""
    today: str
    """Day on which the question is asked, as `YYYY-MM-DD`."""
    files: tuple[Id, ...] = ()
    """Names of the files in `files/`, as the shopper sees them."""
    user_id: str | None = None
    """Shopper who owns the files, in the shop that the task was made from."""
    rule_written: bool | None = None


class TaskReview(FrozenRow):
    schema_version: int = SCHEMA
    status: Literal["accepted", "rejected"]


class CorpusPage(FrozenRow):
    """A frozen page. Nothing in the row shows whether the page supports the answer or misleads."""

    url: str = Field(pattern=r"^https?://[^\s/]+")
    title: str = Field(min_length=1)
    text: str = Field(min_length=1)
    """Text of the page, in Markdown."""
    date: str | None = None


class CorpusSize(FrozenRow):
    """A size of a corpus: the first `pages` pages."""

    pages: int
    tokens: int


class CorpusSizes(FrozenRow):
    schema_version: int = SCHEMA
    counter: str
    """Way in which tokens are counted, e.g. `characters/4`."""
    sizes: dict[str, CorpusSize]
    """Sizes by name, e.g. `32k`."""


def is_task(folder: Path) -> bool:
    return (folder / QUESTION).is_file()


def holds_tasks(folder: Path) -> bool:
    """Tell whether a folder is a task or holds tasks."""
    return is_task(folder) or (folder.is_dir() and any(map(is_task, folder.iterdir())))


def task_folders(path: Path) -> list[Path]:
    """List the task folders below a path, by name, or the path itself if it is a task. Raise `DrrError` if a file in them is a link or no plain file."""
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
    """Return the pages of one size, ordered by address."""
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
    """Yield all pages in the stored order, in which each size is a beginning."""
    for _, page in rows_of(folder / CORPUS, CorpusPage, "pages", SCHEMA):
        yield page


def json_document(row: BaseModel) -> bytes:
    """Return a row as the bytes of a JSON file; the same row always gives the same bytes."""
    return orjson.dumps(row.model_dump(mode="json"), option=orjson.OPT_INDENT_2) + b"\n"


def json_line(row: BaseModel) -> bytes:
    return orjson.dumps(row.model_dump(mode="json", exclude_none=True)) + b"\n"
