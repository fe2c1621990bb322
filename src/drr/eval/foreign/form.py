"""Defines the format of another benchmark as data: its columns, its kinds of rows, and its rule for figures."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import file_digest
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar

from drr.env.errors import DrrError, Misuse, wrong_field
from drr.env.files import Id, file_name, read_file
from drr.env.json_object import JsonObject
from drr.eval.stats.aggregate import LONGEST_LINE, byte_lines, strict_object
from drr.eval.stats.intervals import Ends, Floats
from drr.eval.stats.question import grouped
from drr.wording.excerpt import excerpt
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model


@dataclass(frozen=True)
class FigureColumn:
    """A column of figures. Its value is the mean of the values of its name, or `formula` of the sums of the values named in `sums`."""

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
    figures: tuple[FigureColumn, ...]


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
class GivenRow:
    where: str
    """File and line; of a row to be written, the question's id in the study."""
    asked: ForeignQuestion


@dataclass(frozen=True)
class GivenQuestion(GivenRow):
    """A question alone."""


@dataclass(frozen=True)
class GivenReport(GivenRow):
    system: str
    text: str


@dataclass(frozen=True)
class GivenScores(GivenRow):
    """The scores of one report; the question is empty where the file does not say which report they are of."""

    system: str
    part: str
    values: Mapping[str, float | None]
    path: Path = Path()
    failed: str | None = None
    """Reason why nothing was scored."""


Given = GivenQuestion | GivenReport | GivenScores
UNNAMED = ForeignQuestion()


class FileOut(NamedTuple):
    path: str
    """Path within the folder, as the other benchmark lays out its files."""
    text: str


Values = tuple[Mapping[str, float | None], str | None]
"""The values of a row's scores, and the reason where there are none."""
Cells = Mapping[str, Any]
"""The checked values of one row, by column."""


class Kind(NamedTuple):
    """A kind of row: a question, or with `text` a report, or with `part` the scores of one."""

    keys: tuple[str, ...] = ()
    """Columns that tell the kind, of which a row has one; none: every row is of this kind."""
    columns: Mapping[str, tuple[Any, Any]] = {}
    """Type and default of the columns beside those of the question; `...`: the column is required."""
    path: str = ""
    """Place of such rows when they are written, by `system` and `id`; empty: they are only read."""
    named: tuple[str, ...] = ()
    """Columns of the question that are written."""
    text: str = ""
    """Column of the report."""
    part: str = ""
    values: Callable[[str, Cells], Values] | None = None
    """Function from a place and a row to its values; `None`: the columns hold them."""
    failed: str = ""
    """Column of the reason why nothing was scored."""
    suffix: str = ""
    """Suffix of files that hold one such row each, in a folder with the system's name; empty: each line is a row."""
    has_question: bool = True


@dataclass(frozen=True)
class Format:
    """The file format of another benchmark: one object and one line of `FORMATS` each.

    It reads and writes rows by its kinds. A benchmark whose files are a tree of folders has a class that does so in its own way.
    """

    name: str
    title: str
    parts: tuple[ForeignPart, ...]
    no_room: frozenset[str] = frozenset()
    """Fields of a question that the files cannot hold. No format holds sources, tool calls or a second trial."""
    columns: Mapping[str, tuple[str, Any, Any]] = field(default_factory=dict)
    """Field, type and default of each column of a question."""
    kinds: tuple[Kind, ...] = ()
    """A row is of the first kind that has one of its keys."""
    forms: str = ""
    """Words for the kinds of rows."""
    standard: frozenset[str] = frozenset()
    """Standard names of result files, which lie in a folder with the system's name."""
    id_of_words: Callable[[str], str] | None = None
    """Function from a question to its id, where files hold none."""

    @cached_property
    def _models(self) -> list[tuple[Kind, type[BaseModel]]]:
        asked = {name: (kind, default) for name, (_, kind, default) in self.columns.items()}
        rows: list[dict[str, Any]] = [
            {**(asked if one.has_question else {}), **one.columns} for one in self.kinds
        ]
        return [
            (one, create_model("Row", __base__=ForeignRow, **row))
            for one, row in zip(self.kinds, rows, strict=True)
        ]

    def read(self, path: Path) -> Iterator[Given]:
        """Yield the rows of a file, or of a folder of files. Raises `Misuse` with file and line for content of another form."""
        files, suffixes = [path], {kind.suffix for kind in self.kinds if kind.suffix}
        if suffixes and path.is_dir():
            files = [one for one in files_below(path) if one.suffix in suffixes]
            if not files:
                raise Misuse(f"{path}: holds no {' and no '.join(suffixes)} of {self.title}")
        for file in files:
            whole = file.suffix in suffixes
            models = [(kind, model) for kind, model in self._models if bool(kind.suffix) == whole]
            rows = [(str(file), object_in(file))] if whole else objects_in(file, f"rows of {self.title}")
            for where, raw in rows:
                for kind, model in models:
                    if not kind.keys or any(key in raw for key in kind.keys):
                        yield self._given(file, where, kind, dict(row_of(where, raw, model)))
                        break
                else:
                    raise Misuse(f"{where}: none of the rows of this format ({self.forms})")

    def _given(self, path: Path, where: str, kind: Kind, row: Cells) -> Given:
        asked = UNNAMED
        if kind.has_question:
            found = {name: row[column] for column, (name, _, _) in self.columns.items()}
            if found.get("user") is not None:
                found["user"] = str(found["user"])
            if self.id_of_words is not None:
                found["id"] = self.id_of_words(found["words"])
            asked = ForeignQuestion(**found)
        if not kind.text and not kind.part:
            return GivenQuestion(where, asked)
        system = path.resolve().parent.name if path.stem in self.standard or kind.suffix else path.stem
        if not system:
            raise Misuse(f"{path}: whose reports are these? say with --system NAME")
        if kind.text:
            return GivenReport(where, asked, system, row[kind.text])
        if kind.values is None:
            values: Mapping[str, float | None] = {
                name: row[name] for name in kind.columns if name != kind.failed
            }
            failed = row.get(kind.failed)
        else:
            values, failed = kind.values(where, row)
        return GivenScores(where, asked, system, kind.part, values, path, failed)

    @property
    def written_parts(self) -> frozenset[str]:
        """Return the parts whose files can be written again from the stored figures."""
        return frozenset(kind.part for kind in self.kinds if kind.part and kind.path)

    def write(self, reports: Sequence[GivenReport]) -> Iterator[FileOut]:
        """Write the questions, then the reports."""
        questions = {one.where: one for one in reports}
        for kind in sorted(self.kinds, key=lambda one: bool(one.text)):
            if not kind.part:
                yield from self._files(kind, reports if kind.text else questions.values())

    def write_scores(self, scores: Sequence[GivenScores]) -> Iterator[FileOut]:
        """Write the scores of one judge, for parts that can be written."""
        for kind in self.kinds:
            if kind.part and kind.path:
                yield from self._files(kind, [one for one in scores if one.part == kind.part])

    def _files(self, kind: Kind, rows: Iterable[GivenReport | GivenScores]) -> Iterator[FileOut]:
        lines = []
        for one in rows:
            name = one.where if one.asked.id is None else one.asked.id
            asked = {
                **vars(one.asked),
                "id": self.id_of_words(one.asked.words or "") if self.id_of_words else name,
            }
            cells = {column: asked[self.columns[column][0]] for column in kind.named}
            if isinstance(one, GivenScores):
                cells |= {kind.failed: one.failed} if kind.failed and one.failed else one.values
            elif kind.text:
                cells[kind.text] = one.text
            place = kind.path.format(system=file_name(one.system), id=asked["id"])
            lines.append((place, json_line(**cells)))
        for place, own in grouped(lines).items():
            yield FileOut(place, "".join(own))


def json_line(**fields: Any) -> str:
    return json.dumps(fields, ensure_ascii=False, allow_nan=False) + "\n"


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
        return read_file(path, LONGEST_LINE).decode("utf-8-sig")
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


def _line(text: str) -> str:
    """Put a foreign text on one line."""
    return excerpt(" ".join(text.encode("utf-8", "backslashreplace").decode().split()), 300)


def digest_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
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
