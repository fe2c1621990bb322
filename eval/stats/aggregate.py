"""`drr papers aggregate`: the sums of each protocol over raw scores of anybody, row by row.

A protocol is a form of its rows and a class that takes them one at a time; a new one costs a file and a line in `PROTOCOLS`. The sums
themselves are functions over typed values, the same that a judging's metrics call. Rows and outputs are fixed (`docs/aggregate.md`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from math import fsum
from pathlib import Path
from typing import Any, ClassVar, Generic, NotRequired, TypedDict, TypeVar

import numpy as np
from drr.env.json_object import JsonObject
from drr.env.plugins import load, merged
from drr.eval.stats.form import BadRow, RawRow, read_rows
from drr.eval.stats.intervals import Ends, V, from_sums, ratio

PROTOCOLS: dict[str, tuple[str, str]] = {
    "fact": (
        "drr.eval.stats.sums:FactSums",
        "DeepResearch Bench's FACT: citations per task, and how many of them hold",
    ),
    "rubric": ("drr.eval.stats.sums:RubricSums", "shares of a checklist's items by kind, macro and micro"),
    "agreement": (
        "drr.eval.stats.sums:AgreementSums",
        "a judge against people: PCA, MARD, MAD, PAR, correlations",
    ),
}
"""By name: where the class is, and one line of help."""


def protocols() -> dict[str, tuple[str, str]]:
    """Ours and those of the papers."""
    return PROTOCOLS | merged("sums")


def sums_of(name: str) -> Any:
    """The class of a protocol's sums; only its own module is imported."""
    return load(protocols()[name][0])


Given = TypeVar("Given", bound=RawRow)


class Interval(TypedDict):
    ci_low: float | None
    ci_high: float | None
    all_equal: NotRequired[bool]
    """Where nothing differs."""


def interval_row(v: V | None) -> Interval:
    row: Interval = {"ci_low": v.ci_low if v else None, "ci_high": v.ci_high if v else None}
    return {**row, "all_equal": True} if v and v.all_equal else row


class ProtocolSums(ABC, Generic[Given]):
    """The sums of one protocol, over as many rows as are added."""

    form: ClassVar[type[RawRow]]
    n_unscored: int = 0

    @abstractmethod
    def add(self, row: Given) -> JsonObject | None:
        """Add a row, and return its part of `rows`; `None` where the protocol has nothing on one row. `ValueError`: it cannot be used."""

    @abstractmethod
    def values(self) -> JsonObject: ...

    def as_printed(self) -> JsonObject:
        """Return the published figures; empty where the published rule is ours."""
        return self.values()

    @abstractmethod
    def intervals(self) -> JsonObject: ...

    def counted(self) -> dict[str, int]:
        """Count for each mean how many rows are in it."""
        return {}


class Means:
    """Plain means over rows of what is known of them; for intervals the rows of one task are drawn together."""

    def __init__(self, ends: Mapping[str, Ends]) -> None:
        self._ends = dict(ends)
        self._values: dict[str, list[float]] = {name: [] for name in ends}
        self._clusters: dict[str, list[str]] = {name: [] for name in ends}
        self._rows = 0

    def learn(self, names: Iterable[str], ends: Ends) -> None:
        """Further names; free ones are known when they come."""
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
        rows = np.array([[value, 1.0] for value in self._values[name]]).reshape(-1, 2)
        return interval_row(from_sums(rows, self._clusters[name], ratio, "mean", ends=self._ends[name]))


class PrintedMeans(ProtocolSums[Given]):
    """The means of figures as we sum them, beside those that the published rule gives."""

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
    """Average those that are known."""
    known = [value for value in values if value is not None]
    return fsum(known) / len(known) if known else None


SCHEMA = 1


class AggregateDocument(TypedDict):
    schema: int
    protocol: str
    n: int
    n_unscored: int
    n_by_value: dict[str, int]
    """How many rows are in each mean; empty where the values are no means of rows."""
    values: JsonObject
    as_printed: JsonObject
    rows: list[JsonObject]
    bad_rows: list[BadRow]
    intervals: NotRequired[JsonObject]


def aggregate(protocol: str, path: Path, *, intervals: bool = False) -> AggregateDocument:
    """Line by line; only what is told of each row is kept."""
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
            rows.append({**row.named, **row_sums})
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
