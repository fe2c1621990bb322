"""Reads raw scores from files of other projects, row by row, and builds the document of `drr papers aggregate`."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from math import fsum
from pathlib import Path
from typing import (
    Annotated,
    ClassVar,
    Generic,
    NotRequired,
    TypedDict,
    TypeVar,
)

import orjson
from drr.env.errors import Misuse, wrong_field
from drr.env.json_object import JsonObject, once
from drr.env.small_files import open_given
from drr.eval.stats import sums_of
from drr.eval.stats.intervals import Ends, Statistic, mean_of
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

MOST = 2**63
LARGE = 1e15
"""Largest number allowed: sums of larger numbers would not be exact, and could overflow."""


def _name(value: object) -> str:
    """Return a name as text. A whole number is allowed too, because ids in published data are often numbers."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(f"a name or a whole number is asked, not {type(value).__name__}")  # noqa: TRY004
    return str(value)


def _id(value: object) -> object:
    """Check an id and return it unchanged."""
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
    """The base of every object in a row: `id`, `task`, `system` and `meta` are allowed in each."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Annotated[str | int | None, BeforeValidator(lambda value: None if value is None else _id(value))] = (
        None
    )
    task: Name | None = None
    system: Name | None = None
    meta: object = None


class RawRow(RawPart):
    """A whole row."""


RowT = TypeVar("RowT", bound=BaseModel)
BOM = b"\xef\xbb\xbf"
WIDE = (b"\xff\xfe", b"\xfe\xff")
LONGEST_LINE = 1 << 26
"""Longest line in bytes; a benchmark's row that holds its web pages has some millions."""


class BadRow(TypedDict):
    line: int
    problem: str


def read_rows(path: Path, model: type[RowT]) -> Iterator[tuple[int, RowT | BadRow]]:
    """Yield every line that is not blank, with its number. The file is never read as a whole."""
    for number, line in byte_lines(path, "raw scores"):
        if line.strip():
            try:
                yield number, model.model_validate(strict_object(line))
            except ValueError as error:
                problem = wrong_field(error, "") if isinstance(error, ValidationError) else str(error)
                yield number, {"line": number, "problem": problem}


def byte_lines(path: Path, holds: str) -> Iterator[tuple[int, bytes]]:
    """Yield lines with their numbers. Only line feeds split lines, because U+2028 may be in JSON text; `holds` names the content for errors."""
    try:
        with open_given(path) as file:
            for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE + 1), b""), 1):
                if number == 1 and line.startswith(WIDE):
                    raise Misuse(f"{path}: not UTF-8; save the file as UTF-8")
                if len(line) > LONGEST_LINE:
                    raise Misuse(
                        f"{path}, line {number}: longer than {LONGEST_LINE:,} bytes; no row is so long"
                    )
                yield number, line.removeprefix(BOM) if number == 1 else line
    except OSError as error:
        raise Misuse(f"{path}: cannot be read ({error.strerror}); give a JSONL file of {holds}") from error


def strict_object(text: bytes) -> JsonObject:
    """Parse a JSON object strictly. `ValueError` says in one line why the text is none, or what JSON forbids: NaN, a repeated key, half a character."""
    try:
        orjson.loads(text)  # as strict as RFC 8259, but for keys that stand twice
        raw = json.loads(text, object_pairs_hook=once)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"not JSON ({error})") from error
    if isinstance(raw, dict):
        return raw
    raise ValueError("not an object")


Given = TypeVar("Given", bound=RawRow)


class Interval(TypedDict):
    ci_low: float | None
    ci_high: float | None
    all_equal: NotRequired[bool]
    """Present and true where all values are equal."""


def interval_row(v: Statistic) -> Interval:
    row: Interval = {"ci_low": v.ci_low, "ci_high": v.ci_high}
    return {**row, "all_equal": True} if v.all_equal else row


class ProtocolSums(ABC, Generic[Given]):
    """The sums of one protocol over the rows that are added."""

    form: ClassVar[type[RawRow]]
    n_unscored: int = 0

    @abstractmethod
    def add(self, row: Given) -> JsonObject | None:
        """Add a row and return its part of `rows`, or `None` where the protocol has none. `ValueError` says why a row cannot be used."""

    @abstractmethod
    def values(self) -> JsonObject: ...

    def as_printed(self) -> JsonObject:
        """Return the figures by the published rule, which may be the same as `values`."""
        return self.values()

    @abstractmethod
    def intervals(self) -> JsonObject: ...

    def counted(self) -> dict[str, int]:
        """Return the number of rows in each mean."""
        return {}


class Means:
    """Plain means over the known values of rows. For intervals, the rows of one task are one draw."""

    def __init__(self, ends: Mapping[str, Ends]) -> None:
        self._ends = dict(ends)
        self._values: dict[str, list[float]] = {name: [] for name in ends}
        self._clusters: dict[str, list[str]] = {name: [] for name in ends}
        self._rows = 0

    def learn(self, names: Iterable[str], ends: Ends) -> None:
        """Add further names, for protocols whose names are known only from the rows."""
        for name in names:
            if name not in self._ends:
                self._ends[name], self._values[name], self._clusters[name] = ends, [], []

    def add(self, values: Mapping[str, float | None], task: str | None = None) -> None:
        self._rows += 1
        cluster = f"row {self._rows}" if task is None else f"task {task}"
        for name, value in values.items():
            if value is not None:
                self._values[name].append(value)
                self._clusters[name].append(cluster)

    def values(self) -> dict[str, float | None]:
        return {name: plain_mean(values) for name, values in self._values.items()}

    def counted(self) -> dict[str, int]:
        return {name: len(values) for name, values in self._values.items()}

    def intervals(self) -> dict[str, Interval]:
        return {name: self._interval(name) for name in self._values}

    def _interval(self, name: str) -> Interval:
        v = mean_of(self._values[name], self._clusters[name], "mean", ends=self._ends[name])
        return interval_row(v)


class PrintedMeans(ProtocolSums[Given]):
    """The means of figures by the project's rule and by the published rule."""

    ends: ClassVar[Mapping[str, Ends]]

    def __init__(self) -> None:
        self._ours, self._printed = Means(self.ends), Means(self.ends)

    def values(self) -> JsonObject:
        return {**self._ours.values()}

    def as_printed(self) -> JsonObject:
        return {**self._printed.values()}

    def intervals(self) -> JsonObject:
        return {**self._ours.intervals()}

    def counted(self) -> dict[str, int]:
        return self._ours.counted()


def plain_mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the known values; `None` where none is known."""
    known = [value for value in values if value is not None]
    return fsum(known) / len(known) if known else None


SCHEMA = 1


class AggregateDocument(TypedDict):
    schema: int
    protocol: str
    n: int
    n_unscored: int
    n_by_value: dict[str, int]
    """Number of rows in each mean; empty where the values are no means of rows."""
    values: JsonObject
    as_printed: JsonObject
    rows: list[JsonObject]
    bad_rows: list[BadRow]
    intervals: NotRequired[JsonObject]


def aggregate(protocol: str, path: Path, *, intervals: bool = False) -> AggregateDocument:
    """Build the document line by line; of each row only its part of `rows` is kept."""
    sums: ProtocolSums[RawRow] = sums_of(protocol)()
    rows: list[JsonObject] = []
    bad: list[BadRow] = []
    n = 0
    for line, row in read_rows(path, sums.form):
        if not isinstance(row, RawRow):
            bad.append(row)
            continue
        try:
            row_sums = sums.add(row)
        except ValueError as error:
            bad.append({"line": line, "problem": str(error)})
            continue
        n += 1
        if row_sums is not None:
            rows.append({**row.model_dump(include={"id"}, exclude_none=True), **row_sums})
    document: AggregateDocument = {
        "schema": SCHEMA,
        "protocol": protocol,
        "n": n,
        "n_unscored": sums.n_unscored,
        "n_by_value": sums.counted(),
        "values": sums.values(),
        "as_printed": sums.as_printed(),
        "rows": rows,
        "bad_rows": bad,
    }
    if intervals:
        document["intervals"] = sums.intervals()
    return document
