"""The folder of one task. It is made out of sight and shown whole, so that a killed run leaves no half of one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from drr.env.errors import Misuse, disk_of
from drr.papers.dr3.form import CORPUS, DRAWER, QUESTION, SIZES, TRUTH, CorpusSizes, FileQuestion, document
from drr.papers.dr3.truth import TaskTruth

_PART = ".part-"


@dataclass(frozen=True, kw_only=True)
class WrittenTask:
    """A task before it has a folder."""

    question: FileQuestion
    files: dict[str, bytes]
    lines: tuple[bytes, ...]
    """Of its corpus."""
    sizes: CorpusSizes
    truth: TaskTruth


def write_task(out: Path, task: WrittenTask, before: Callable[[Path], None] = lambda hidden: None) -> Path:
    """`before` is told of the folder while it is still out of sight."""
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
                file.writelines(task.lines)
            (hidden / SIZES).write_bytes(document(task.sizes))
            (hidden / TRUTH).write_bytes(document(task.truth))
            (hidden / QUESTION).write_bytes(document(task.question))
            before(hidden)
            hidden.rename(folder)
        finally:
            shutil.rmtree(hidden, ignore_errors=True)
    return folder


def clear_parts(out: Path) -> None:
    """Remove what a killed run left behind; a run that still goes on keeps its own."""
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
