"""The folder of a task, which appears only when complete, and the manifest of a task set with its hashes."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from hashlib import file_digest, sha256
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
from drr.env.errors import Misuse, disk_of
from drr.env.files import atomic_write, open_plain
from drr.env.jsonl import document_of
from drr.papers.dr3.form import (
    CORPUS,
    DRAWER,
    MANIFEST,
    QUESTION,
    REVIEW,
    SCHEMA,
    SIZES,
    TRUTH,
    CorpusPage,
    CorpusSizes,
    FileQuestion,
    FrozenRow,
    json_document,
    json_line,
)
from pydantic import Field

if TYPE_CHECKING:
    from drr.papers.dr3.truth import TaskTruth

VERSION = "26"
"""Version of the written tasks, raised when the same files, pages and answers give other tasks."""
USUAL_SIZES = "32k,64k,128k,256k,512k"
_LEAST, _MOST = 4_000, 2_000_000


class TaskFunnel(FrozenRow):
    """Counts of candidates: made, refused by each filter, kept."""

    generated: int = 0
    refused: dict[str, int] = Field({})
    kept: int = 0


class FoundSet(FrozenRow):
    """The identity of a set made from a person's own files: model, web and prompts, beside seed, shop and sizes."""

    model: str
    web: str
    web_hash: str | None = None
    per_term: int
    prompts: dict[str, str]
    """Hashes of the prompts, by name."""
    version: str
    files: str | None = Field(None, exclude_if=lambda files: files is None)
    """Hash of the files that the tasks were made from."""
    pages: dict[str, int] = Field({})
    """Counts of pages over all tasks: read, and left out by reason."""
    unconfirmed: int = 0
    """Number of tasks with a page whose kind a model proposed and no person confirmed."""


class TaskSetManifest(FrozenRow):
    """The identity of a task set, written first so that a repeated command goes on. Counts are added at the end."""

    schema_version: int = SCHEMA
    version: str = VERSION
    seed: int
    shop_hash: str
    sizes: dict[str, int]
    counter: str
    complete: bool = False
    tasks: int = 0
    intents: dict[str, int] = Field({})
    themes: dict[str, int] = Field({})
    files: dict[str, int] = Field({})
    """Number of files by extension."""
    files_per_task: float | None = None
    multimodal: float | None = None
    """Share of tasks with files of more than one modality."""
    funnel: TaskFunnel = TaskFunnel()
    found: FoundSet | None = Field(None, exclude_if=lambda found: found is None)
    """Origin of the set, if its tasks were made from a person's own files and found pages."""
    hashes: dict[str, str] = Field({})
    """Hash of each task without its review."""
    shown: dict[str, str] = Field({}, exclude_if=lambda hashes: not hashes)
    """Hash of each task's part that agents see, so that a run compares it without opening the truth."""
    content_hash: str | None = None


def parse_task_sizes(text: str) -> dict[str, int]:
    """Parse sizes such as `32k,128k` into tokens by name, smallest first."""
    found: dict[str, int] = {}
    for word in text.split(","):
        match = re.fullmatch(r"\s*([1-9]\d{0,6})(k?)\s*", word)
        if match is None:
            raise Misuse(f"--sizes {text}: {word.strip()!r} is no size; write them like {USUAL_SIZES}")
        tokens = int(match[1]) * (1000 if match[2] else 1)
        if not _LEAST <= tokens <= _MOST:
            raise Misuse(f"--sizes {text}: {word.strip()} is not between 4k and 2000k")
        found[match[1] + match[2]] = tokens
    return dict(sorted(found.items(), key=lambda item: item[1]))


def day_of(text: str | None) -> str:
    """Return a given day as `YYYY-MM-DD`; today if none is given."""
    if text is None:
        return datetime.now(UTC).date().isoformat()
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise Misuse(f"--today {text}: is no date; write it like 2024-02-29") from None


def read_manifest(folder: Path) -> TaskSetManifest | None:
    path = folder / MANIFEST
    if not path.is_file():
        return None
    return document_of(path, TaskSetManifest, SCHEMA)


def write_manifest(folder: Path, manifest: TaskSetManifest) -> None:
    with atomic_write(folder / MANIFEST) as file:
        file.write(json_document(manifest))


def task_hash(folder: Path) -> str:
    """Return the hash of a task's files without the review, which a person adds later."""
    return _hash_of(folder, _digests(folder))


def task_hashes(folder: Path) -> tuple[str, str]:
    """Return two hashes of a task: of all its files, and of the files that agents may see."""
    rows = _digests(folder)
    return _hash_of(folder, rows), _hash_of_rows(rows)


def changed_shown(folders: Iterable[Path]) -> list[str]:
    """Return the names of tasks whose part for agents differs from their manifest; no truth is opened."""
    found = []
    for folder in folders:
        manifest = read_manifest(folder.parent)
        known = manifest.shown.get(folder.name) if manifest else None
        if known is not None and _hash_of_rows(_digests(folder)) != known:
            found.append(folder.name)
    return found


def _digests(folder: Path) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name not in (TRUTH, REVIEW):
            with open_plain(path) as file:
                rows.append((name, file_digest(file, "sha256").hexdigest()))
    return rows


def _hash_of(folder: Path, rows: list[tuple[str, str]]) -> str:
    from drr.papers.dr3.truth import read_truth  # runs use this module and must not load the truth

    truth = read_truth(folder).model_dump(mode="json", exclude={"review"})
    digest = sha256(orjson.dumps(truth, option=orjson.OPT_SORT_KEYS)).hexdigest()
    return _hash_of_rows(sorted([*rows, (TRUTH, digest)], key=lambda row: Path(row[0])))


def _hash_of_rows(rows: list[tuple[str, str]]) -> str:
    return sha256(orjson.dumps(rows)).hexdigest()


def set_hash(hashes: dict[str, str]) -> str:
    return sha256(orjson.dumps(sorted(hashes.items()))).hexdigest()


_PART = ".part-"


@dataclass(frozen=True, kw_only=True)
class WrittenTask:
    """A complete task, before it is written to a folder."""

    question: FileQuestion
    files: dict[str, bytes]
    pages: tuple[CorpusPage, ...]
    """All pages, in the order in which each size is a beginning."""
    sizes: CorpusSizes
    truth: TaskTruth


def write_task(out: Path, task: WrittenTask, before: Callable[[Path], None] = lambda hidden: None) -> Path:
    """Write a task into its folder. `before` is called with the temporary folder, before it is renamed into place."""
    folder = out / task.question.task_id
    if folder.exists():
        raise Misuse(f"{folder}: is there and is no task; take it away")
    hidden = out / f"{_PART}{os.getpid()}-{task.question.task_id}"
    with disk_of(out):
        shutil.rmtree(hidden, ignore_errors=True)
        (hidden / DRAWER).mkdir(parents=True)
        try:
            for name, content in task.files.items():
                (hidden / DRAWER / name).write_bytes(content)
            with (hidden / CORPUS).open("wb") as file:
                file.writelines(map(json_line, task.pages))
            (hidden / SIZES).write_bytes(json_document(task.sizes))
            (hidden / TRUTH).write_bytes(json_document(task.truth))
            (hidden / QUESTION).write_bytes(json_document(task.question))
            before(hidden)
            hidden.rename(folder)
        finally:
            shutil.rmtree(hidden, ignore_errors=True)
    return folder


def clear_parts(out: Path) -> None:
    """Remove temporary folders of killed runs; folders of running processes stay."""
    for left in out.glob(f"{_PART}*"):
        number = left.name.removeprefix(_PART).partition("-")[0]
        if not (number.isdecimal() and _is_running(int(number))):
            shutil.rmtree(left, ignore_errors=True)


def _is_running(process: int) -> bool:
    if process == os.getpid():
        return False
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
