"""The reading of other benchmarks' files, strictly and within bounds. What is not of the form is named by
file and line, as text and no more."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Annotated, TypeVar

from drr.env.errors import DrrError, Misuse
from drr.env.files import Id, read_file
from drr.env.json_object import JsonObject
from drr.eval.stats.aggregate.reading import BOM, LONGEST_LINE, byte_lines, error_text, strict_object
from drr.wording.excerpt import excerpt
from pydantic import BaseModel, ConfigDict, Field, ValidationError

RowT = TypeVar("RowT", bound=BaseModel)
MOST_FILES = 100_000


class ForeignRow(BaseModel):
    """Fields that are not named are no concern of ours."""

    model_config = ConfigDict(extra="ignore", strict=True)


Number = Annotated[int, Field(ge=-(10**15), le=10**15)]
ForeignId = Number | Id
Words = Annotated[str, Field(min_length=1, pattern=r"\S")]
Label = Annotated[str, Field(max_length=200)]
Share = Annotated[float, Field(ge=0, le=1)]
Ten = Annotated[float, Field(ge=0, le=10)]
Four = Annotated[float, Field(ge=0, le=4)]


def objects_in(path: Path, holds: str) -> Iterator[tuple[str, JsonObject]]:
    """Every line that is not blank, with where it stands."""
    for number, line in byte_lines(path, holds):
        if line.strip():
            where = f"{path}, line {number}"
            yield where, _object(where, line)


def object_in(path: Path) -> JsonObject:
    """A file that is one object."""
    return _object(str(path), text_in(path).encode())


def text_in(path: Path) -> str:
    try:
        if path.stat().st_size > LONGEST_LINE:
            raise Misuse(f"{path}: larger than {LONGEST_LINE:,} bytes; no file of this form is so large")
        return read_file(path).removeprefix(BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        raise Misuse(f"{path}: not UTF-8 at byte {error.start}; save the file as UTF-8") from error
    except (OSError, DrrError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Misuse(f"{path}: cannot be read ({reason})") from error


def _object(where: str, text: bytes) -> JsonObject:
    try:
        return strict_object(text)
    except ValueError as error:
        raise Misuse(f"{where}: {_line(str(error))}") from error


def row_of(where: str, raw: JsonObject, model: type[RowT]) -> RowT:
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        raise Misuse(f"{where}: {_line(error_text(error))}") from error


def kind_of(where: str, raw: JsonObject, kinds: Mapping[str, type[RowT]], forms: str) -> RowT:
    """Find the kind by the first of these keys that the row has; `forms` says what rows there are."""
    for key, model in kinds.items():
        if key in raw:
            return row_of(where, raw, model)
    raise Misuse(f"{where}: none of the rows of this format ({forms})")


def _line(text: str) -> str:
    """Put a stranger's text in one line."""
    return excerpt(" ".join(text.encode("utf-8", "backslashreplace").decode().split()), 300)


def system_of(path: Path, standard: frozenset[str]) -> str:
    """A file is named after the system; results have names of their own, and lie in its folder."""
    named = path.resolve().parent.name if path.stem in standard else path.stem
    if not named:
        raise Misuse(f"{path}: whose reports are these? say with --system NAME")
    return named


def digest_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            found = sha256()
            while block := file.read(1 << 20):
                found.update(block)
            return found.hexdigest()
    except OSError as error:
        raise Misuse(f"{path}: cannot be read ({error.strerror})") from error


def files_below(folder: Path) -> Iterator[Path]:
    """Regular files in order of their names; no link is followed."""
    count = 0
    for above, folders, names in os.walk(folder):
        folders[:] = sorted(one for one in folders if not (Path(above) / one).is_symlink())
        for name in sorted(names):
            path = Path(above) / name
            if path.is_symlink() or not path.is_file():
                continue
            count += 1
            if count > MOST_FILES:
                raise Misuse(f"{folder}: more than {MOST_FILES:,} files; name the folders of the results")
            yield path
