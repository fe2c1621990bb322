"""Defines the format of another benchmark: the content of its files and its own rule for figures."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Protocol, TypeVar

from drr.env.errors import DrrError, Misuse, wrong_field
from drr.env.files import Id, file_name, read_file
from drr.env.json_object import JsonObject
from drr.eval.stats.aggregate import BOM, LONGEST_LINE, byte_lines, strict_object
from drr.eval.stats.intervals import Ends, Floats
from drr.eval.stats.question import grouped
from drr.wording.excerpt import excerpt
from pydantic import BaseModel, ConfigDict, Field, ValidationError


@dataclass(frozen=True)
class ForeignFigure:
    """One column of figures. Its value is the mean of the values of its name, or `formula` of the sums of the values named in `sums`."""

    name: str
    label: str
    ends: Ends | None = None
    """Bounds of its scale; a value beyond them is refused when it is read."""
    remark: str = ""
    sums: tuple[str, ...] = ()
    formula: Callable[[Floats], Floats] | None = None
    """Function from sums, one row each, to values."""

    @property
    def scale(self) -> str:
        return "" if self.ends is None else f"{self.ends[0]:g} to {self.ends[1]:g}"


class ForeignPart(NamedTuple):
    """The figures that one judging by the other benchmark produces."""

    name: str
    title: str
    figures: tuple[ForeignFigure, ...]


@dataclass(frozen=True)
class ForeignQuestion:
    """The question of a row; an unknown field is `None`."""

    id: int | str | None = None
    words: str | None = None
    user: str | None = None
    language: str | None = None
    task: int | str | None = None
    domain: str | None = None
    size: str | None = None
    """Size of the stored page collection that the question was asked about."""


@dataclass(frozen=True)
class GivenQuestion:
    where: str
    """File and line."""
    asked: ForeignQuestion


@dataclass(frozen=True)
class GivenReport:
    where: str
    asked: ForeignQuestion
    system: str
    text: str


@dataclass(frozen=True)
class GivenScores:
    where: str
    asked: ForeignQuestion | None
    """Question of the scores; `None` where the file does not say which report they are of."""
    system: str
    part: str
    values: Mapping[str, float | None]
    file: str
    sha256: str
    failed: str | None = None
    """Reason why nothing was scored."""


Given = GivenQuestion | GivenReport | GivenScores


@dataclass(frozen=True)
class ReportOut:
    """A report of a study, ready to be written to a file of another benchmark."""

    query_id: str
    asked: ForeignQuestion
    system: str
    text: str


@dataclass(frozen=True)
class ScoresOut:
    """Imported scores, ready to be written to a file again."""

    asked: ForeignQuestion
    query_id: str
    system: str
    part: str
    values: Mapping[str, float | None]
    failed: str | None


class FileOut(NamedTuple):
    path: str
    """Path within the folder, as the other benchmark lays out its files."""
    text: str


class Format(Protocol):
    """A file format of another benchmark: one module and one line of `FORMATS` each."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def parts(self) -> tuple[ForeignPart, ...]: ...

    @property
    def no_room(self) -> frozenset[str]:
        """Return the fields of a question that the files cannot hold. No format holds sources, tool calls or a second trial."""
        ...

    def read(self, path: Path) -> Iterator[Given]:
        """Yield the rows of a file. Raises `Misuse` with file and line for content of another form."""
        ...

    def write(self, reports: Sequence[ReportOut]) -> Iterator[FileOut]: ...

    @property
    def written_parts(self) -> frozenset[str]:
        """Return the parts whose files can be written again from the stored figures."""
        ...

    def write_scores(self, scores: Sequence[ScoresOut]) -> Iterator[FileOut]:
        """Write the scores of one judge, for parts that can be written."""
        ...


def json_line(**fields: Any) -> str:
    return json.dumps(fields, ensure_ascii=False, allow_nan=False) + "\n"


RowOut = TypeVar("RowOut", ReportOut, ScoresOut)


def files_of_systems(path: str, rows: Sequence[RowOut], line: Callable[[RowOut], str]) -> Iterator[FileOut]:
    """Yield one file for each system; `{}` in the path stands for the system."""
    for system, lines in grouped((one.system, line(one)) for one in rows).items():
        yield FileOut(path.format(file_name(system)), "".join(lines))


RowT = TypeVar("RowT", bound=BaseModel)
MOST_FILES = 100_000


class ForeignRow(BaseModel):
    """The base of rows in other benchmarks' files; unknown fields are ignored."""

    model_config = ConfigDict(extra="ignore", strict=True)


Number = Annotated[int, Field(ge=-(10**15), le=10**15)]
ForeignId = Number | Id
Words = Annotated[str, Field(min_length=1, pattern=r"\S")]
Label = Annotated[str, Field(max_length=200)]
Share = Annotated[float, Field(ge=0, le=1)]
Ten = Annotated[float, Field(ge=0, le=10)]
Four = Annotated[float, Field(ge=0, le=4)]


def objects_in(path: Path, holds: str) -> Iterator[tuple[str, JsonObject]]:
    """Yield every line that is not blank, with its place."""
    for number, line in byte_lines(path, holds):
        if line.strip():
            where = f"{path}, line {number}"
            yield where, _object(where, line)


def object_in(path: Path) -> JsonObject:
    """Read a file that holds one object."""
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
        raise Misuse(f"{where}: {_line(wrong_field(error, ''))}") from error


def kind_of(where: str, raw: JsonObject, kinds: Mapping[str, type[RowT]], forms: str) -> RowT:
    """Parse a row by the first of these keys that it has; `forms` describes the kinds of rows."""
    for key, model in kinds.items():
        if key in raw:
            return row_of(where, raw, model)
    raise Misuse(f"{where}: none of the rows of this format ({forms})")


def _line(text: str) -> str:
    """Put a foreign text on one line."""
    return excerpt(" ".join(text.encode("utf-8", "backslashreplace").decode().split()), 300)


def system_of(path: Path, standard: frozenset[str]) -> str:
    """Return the system's name: that of the file, or of the folder for a file with a standard name."""
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
    """Yield the regular files in order of their names; links are not followed."""
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
