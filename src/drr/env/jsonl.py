"""Reads JSON lines that people hand in; errors name the line and the remedy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

from drr.env.errors import Misuse, wrong_field
from drr.env.json_object import JsonObject, parsed
from drr.env.small_files import DOCUMENT, read_lines, read_within
from pydantic import BaseModel, ValidationError

Row = TypeVar("Row", bound=BaseModel)


def lines_of(path: Path, holds: str) -> list[str]:
    """Split a file into lines at line feeds only, because U+2028 may stand inside a JSON text. `holds` names a line's content in errors."""
    return _text(path, read_lines, f"; give a JSONL file of {holds}").split("\n")


def document_of(path: Path, model: type[Row], schema: int) -> Row:
    """Read a file that holds one JSON object."""
    text = _text(path, partial(read_within, most=DOCUMENT))
    try:
        raw = parsed(text)
    except ValueError as error:
        raise Misuse(f"{path}: not JSON ({error})") from error
    if not isinstance(raw, dict):
        raise Misuse(f"{path}: not a JSON object")
    return _validate_row(str(path), raw, model, schema)


def _text(path: Path, read: Callable[[Path], bytes], advice: str = "") -> str:
    try:
        return read(path).decode("utf-8-sig")
    except OSError as error:
        raise Misuse(f"{path}: cannot be read ({error.strerror}){advice}") from error
    except UnicodeDecodeError as error:
        raise Misuse(f"{path}: not UTF-8 at byte {error.start}; save the file as UTF-8") from error
    except ValueError as error:
        raise Misuse(f"{path}: {error}; no such file is so large") from error


def rows_of(
    path: Path, model: type[Row], holds: str, schema: int, form: str = "one object"
) -> Iterator[tuple[int, Row]]:
    """Yield every line that is not blank as (line number, row). `form` shows in errors what a line must hold at least."""
    for number, line in enumerate(lines_of(path, holds), 1):
        if line.strip():
            yield number, row_of(f"{path}, line {number}", line, model, schema, form)


def row_of(where: str, line: str, model: type[Row], schema: int, form: str = "one object") -> Row:
    try:
        raw = parsed(line)
    except ValueError as error:
        raise Misuse(f"{where}: not JSON ({error}); each line is one object") from error
    if not isinstance(raw, dict):
        raise Misuse(f"{where}: not an object; each line is {form}")
    return _validate_row(where, raw, model, schema)


def _validate_row(where: str, raw: JsonObject, model: type[Row], schema: int) -> Row:
    _check_version(where, raw.get("schema_version", schema), schema)
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        extra = (
            f"no such field in schema {schema}; a newer version of drr may have written it: "
            "update drr, or leave the field out"
        )
        raise Misuse(f"{where}: {wrong_field(error, extra=extra)}") from error


def _check_version(where: str, version: object, schema: int) -> None:
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise Misuse(f"{where}: schema_version: {version!r} is no version; this one reads {schema}")
    if version > schema:
        raise Misuse(
            f"{where}: written by a newer version (schema {version}, this one reads {schema}); update drr"
        )
