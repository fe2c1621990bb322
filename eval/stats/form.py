"""The form of every row of raw scores: strict numbers, names, no key that nobody knows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, NoReturn, TypedDict, TypeVar

from drr.env.errors import Misuse
from drr.env.json_object import JsonObject
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

if TYPE_CHECKING:
    from drr.env.json_object import JsonObject


MOST = 2**63
LARGE = 1e15
"""Sums of larger numbers would not be exact, and could overflow."""


def _name(value: object) -> str:
    """A whole number names as well as its digits do: ids of published data are often numbers."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(f"a name or a whole number is asked, not {type(value).__name__}")  # noqa: TRY004
    return str(value)


def _id(value: object) -> object:
    """Given back as it came."""
    if isinstance(value, int) and abs(value) >= MOST:
        raise ValueError("a whole number of at most 63 bits is asked")
    _name(value)
    return value


Number = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=-LARGE, le=LARGE)]
Weight = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, le=LARGE)]
Unit = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, le=1)]
OfFour = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, le=4)]
OfTen = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, le=10)]
Support = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=-1, le=1)]
Count = Annotated[int, Field(strict=True, ge=0, le=int(LARGE))]
Flag = Annotated[bool, Field(strict=True)]
Name = Annotated[str, BeforeValidator(_name)]


class RawPart(BaseModel):
    """`id`, `task`, `system` and `meta` may stand in every object, whatever else it holds."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Annotated[str | int | None, BeforeValidator(lambda value: None if value is None else _id(value))] = (
        None
    )
    task: Name | None = None
    system: Name | None = None
    meta: object = None


class RawRow(RawPart):
    @property
    def named(self) -> JsonObject:
        """Begin a row of the output."""
        return {} if self.id is None else {"id": self.id}


RowT = TypeVar("RowT", bound=BaseModel)
BOM = b"\xef\xbb\xbf"
WIDE = (b"\xff\xfe", b"\xfe\xff")
LONGEST_LINE = 1 << 26
"""Bytes; a row of a benchmark that keeps its pages beside the report has some millions."""


class BadRow(TypedDict):
    line: int
    problem: str


def read_rows(path: Path, model: type[RowT]) -> Iterator[tuple[int, RowT | BadRow]]:
    """Every line that is not blank, with its number; never the whole file at once."""
    for number, line in byte_lines(path, "raw scores"):
        if line.strip():
            yield number, _row(number, line, model)


def byte_lines(path: Path, holds: str) -> Iterator[tuple[int, bytes]]:
    """Yield lines with their numbers, by line feeds alone, as U+2028 may stand inside a JSON text. `holds` names what a line is."""
    try:
        with closing(path.open("rb")) as file:
            yield from _numbered(path, file)
    except OSError as error:
        raise Misuse(f"{path}: cannot be read ({error.strerror}); give a JSONL file of {holds}") from error


def _numbered(path: Path, file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE + 1), b""), 1):
        if number == 1 and line.startswith(WIDE):
            raise Misuse(f"{path}: not UTF-8; save the file as UTF-8")
        if len(line) > LONGEST_LINE:
            raise Misuse(f"{path}, line {number}: longer than {LONGEST_LINE:,} bytes; no row is so long")
        yield number, line.removeprefix(BOM) if number == 1 else line


def _row(number: int, line: bytes, model: type[RowT]) -> RowT | BadRow:
    try:
        return model.model_validate(strict_object(line))
    except ValidationError as error:
        return _bad(number, error_text(error))
    except ValueError as error:
        return _bad(number, str(error))


def strict_object(text: bytes) -> JsonObject:
    """Read an object strictly. `ValueError` says in one line why this is none, or has what JSON has not: NaN,
    a key twice, half of a character."""
    try:
        raw = json.loads(
            text.decode("utf-8"), object_pairs_hook=_object, parse_constant=_no_number, parse_float=_number
        )
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start} of the line") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON ({error})") from error
    except RecursionError as error:
        raise ValueError(str(error)) from error
    if isinstance(raw, dict):
        return raw
    raise ValueError("not an object")


def _bad(number: int, problem: str) -> BadRow:
    return {"line": number, "problem": problem.encode("utf-8", "backslashreplace").decode("utf-8")}


def _object(pairs: list[tuple[str, object]]) -> JsonObject:
    """Make an object; of a key that stands twice nobody knows which one counts. What is no Unicode could not be written again."""
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key in found if counts[key] > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    for key, value in pairs:
        if not _is_unicode(key) or (isinstance(value, str) and not _is_unicode(value)):
            raise ValueError(f"{key!r}: half of a surrogate pair is no text")
    return found


def _is_unicode(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number; write null for what is unknown")


def _number(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"{digits} is too large for a number")
    return value


def error_text(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"] if not str(part).startswith("function-"))
    reason = (
        "no such key" if first["type"] == "extra_forbidden" else first["msg"].removeprefix("Value error, ")
    )
    return f"{where}: {reason}" if where else reason
