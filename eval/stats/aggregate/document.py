"""The one document of `drr papers aggregate`: what the sums say, and which rows could not be used."""

from __future__ import annotations

from pathlib import Path
from typing import NotRequired, TypedDict

from drr.env.json_object import JsonObject
from drr.eval.stats.aggregate import sums_of
from drr.eval.stats.aggregate.base import ProtocolSums
from drr.eval.stats.aggregate.form import RawRow
from drr.eval.stats.aggregate.reading import BadRow, read_rows

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
