"""Reads reports that people have: Markdown files, a CSV table, or JSON lines."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from drr.env.errors import DrrError, Misuse
from drr.env.files import read_file
from drr.env.jsonl import lines_of
from drr.env.small_files import LINE, read_within, yaml_of

_BESIDE = "questions.csv"
"""The table that may lie beside Markdown files: `file`, `query`, `user`, `system`."""
_NAMES = {
    "question": "query", "user": "user_id", "report": "report_markdown", "answer": "report_markdown", "text": "report_markdown",
}  # fmt: skip
_WORDS = 3
"""Fewest words of a file's name that are taken for a question."""


def given_rows(path: Path, system: str | None) -> Iterator[tuple[int, str | dict[str, Any]]]:
    """Yield each report of a file with its line: a JSON line unchanged, a line of a table as fields."""
    match path.suffix.lower():
        case ".md" | ".markdown":
            yield 1, _of_markdown(path, _row_beside(path), system)
        case ".csv":
            for line, row in _table(path):
                yield line, _of_row(path, row, system)
        case _:
            yield from ((n, line) for n, line in enumerate(lines_of(path, "reports"), 1) if line.strip())


def _row_beside(path: Path) -> dict[str, str]:
    table = path.with_name(_BESIDE)
    rows = _table(table, read_file) if table.exists() else ()
    return next((row for _, row in rows if row.get("file") == path.name), {})


def _table(
    path: Path, read: Callable[[Path, int], bytes] = read_within
) -> Iterator[tuple[int, dict[str, str]]]:
    csv.field_size_limit(LINE)
    try:
        reader = csv.DictReader(read(path, LINE).decode("utf-8-sig").splitlines(keepends=True))
        for row in reader:
            known = {
                (name or "").strip().lower(): value.strip()
                for name, value in row.items()
                if isinstance(value, str)
            }
            yield reader.line_num, {_NAMES.get(name, name): value for name, value in known.items() if value}
    except (OSError, ValueError, DrrError, csv.Error) as error:
        raise Misuse(f"{path}: cannot be read as CSV in UTF-8 ({_why(path, error)})") from error


def _why(path: Path, error: Exception) -> str:
    if path.is_symlink():
        return "it is a link; give the file itself"
    return "it is a pipe; give a file" if path.is_fifo() else str(error)


def _of_row(path: Path, row: dict[str, str], system: str | None) -> dict[str, Any]:
    if "file" not in row:
        return {"system": system, **row}
    name = row.pop("file")
    if Path(name).name != name:
        raise Misuse(f"{path}: its column `file` names files beside it, not {name!r}")
    return _of_markdown(path.with_name(name), row, system)


def _of_markdown(path: Path, known: dict[str, str], system: str | None) -> dict[str, Any]:
    """Return the fields of a report in a file: its front matter, then the table, then the file's name, `SYSTEM--QUESTION.md`."""
    try:
        text = read_file(path, LINE).decode("utf-8-sig").replace("\r\n", "\n")
    except (OSError, ValueError, DrrError) as error:
        raise Misuse(f"{path}: cannot be read as text in UTF-8 ({_why(path, error)})") from error
    front: dict[str, Any] = {}
    if text.startswith("---\n") and (end := text.find("\n---\n", 3)) > 0:
        try:
            front, text = yaml_of(text[4 : end + 1]).values, text[end + 5 :]
        except ValueError as error:
            raise Misuse(f"{path}: its front matter, {error}") from error
    head, dashes, tail = path.stem.partition("--")
    words = (tail if dashes else head).replace("-", " ").replace("_", " ")
    named = {"system": head} if dashes else {}
    if len(words.split()) >= _WORDS:
        named["query"] = words
    fields = {_NAMES.get(name, name): value for name, value in front.items()}
    return {"system": system, **named, **known, **fields, "report_markdown": text.strip() + "\n"}


def check_named(found: dict[str, Any]) -> None:
    """Raise `ValueError` for a report that names no question, no system or no text."""
    for name, called in (("query", "question"), ("system", "system"), ("report_markdown", "report")):
        if not found.get(name):
            raise ValueError(
                f"names no {called}: say it at its head, in {_BESIDE} or in a column (docs/your-data.md)"
            )
