"""The scores of others for the reports of a study, by benchmark, judge and system. On their scales, by their
sums, beside ours and never among them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import NotRequired, TypedDict

import numpy as np
from drr.eval.evidence.answers import Answer
from drr.eval.foreign.form import ForeignFigure
from drr.eval.foreign.kept import ForeignScore
from drr.eval.foreign.registry import part_of
from drr.eval.stats.asked import Asked, AskedQuestion
from drr.eval.stats.intervals import Floats, V, VRow, from_sums, mean, nothing


class ForeignColumn(TypedDict):
    name: str
    label: str
    scale: str
    told: str


class ForeignTableRow(TypedDict):
    """One judging of another benchmark."""

    format: str
    part: str
    title: str
    judge: str | None
    """`None`: not told."""
    sources: list[str]
    figures: list[ForeignColumn]
    systems: dict[str, dict[str, VRow]]
    """At each size of the frozen pages, where there are such."""
    without_report: NotRequired[list[str]]
    """Systems of which this study has no report."""


class ForeignValue(TypedDict):
    """One figure of one report."""

    title: str
    judge: str | None
    source: str
    label: str
    scale: str
    value: float | None
    failed: str | None


def foreign_tables(scores: Iterable[ForeignScore], answers: Iterable[Answer]) -> list[ForeignTableRow]:
    """`answers`: those that the study has, which also tell of what task a question is one of several."""
    asked: dict[str, AskedQuestion] = {}
    known: set[str] = set()
    for answer in answers:
        known.add(answer.variant)
        asked[answer.query_id] = answer.asked
    found: list[ForeignTableRow] = []
    for (format_name, name, judge), rows in _grouped(scores):
        part = part_of(format_name, name)
        if part is None:
            continue
        by_system = {name: list(own) for name, own in groupby(sorted(rows, key=_named), key=_named)}
        table: ForeignTableRow = {
            "format": format_name,
            "part": name,
            "title": part.title,
            "judge": judge,
            "sources": sorted({f"{row.source} ({row.sha256[:12]})" for row in rows}),
            "figures": [
                {"name": one.name, "label": one.label, "scale": one.scale, "told": one.told}
                for one in part.figures
            ],
            "systems": {
                name: {one.name: _value(one, own, asked).document() for one in part.figures}
                for name, own in by_system.items()
            },
        }
        if alone := sorted({row.system for row in rows} - known):
            table["without_report"] = alone
        found.append(table)
    return found


def foreign_values(
    scores: Iterable[ForeignScore], system: str, query_id: str, trial: int
) -> list[ForeignValue]:
    """List the scores of others for one report."""
    found: list[ForeignValue] = []
    for row in scores:
        part = part_of(row.format, row.part)
        if part is None or (row.system, row.query_id, row.trial) != (system, query_id, trial):
            continue
        for figure in part.figures:
            found.append(
                {
                    "title": part.title,
                    "judge": row.judge,
                    "source": row.source,
                    "label": figure.label,
                    "scale": figure.scale,
                    "value": _of_one(figure, row),
                    "failed": row.failed,
                }
            )
    return found


def _grouped(
    scores: Iterable[ForeignScore],
) -> Iterable[tuple[tuple[str, str, str | None], list[ForeignScore]]]:
    found: dict[tuple[str, str, str | None], list[ForeignScore]] = {}
    for row in scores:
        found.setdefault((row.format, row.part, row.judge), []).append(row)
    return found.items()


def _named(row: ForeignScore) -> str:
    """Each size of the frozen pages is a measure of its own."""
    return row.system if row.size is None else f"{row.system}, {row.size}"


def _of_one(figure: ForeignFigure, row: ForeignScore) -> float | None:
    if figure.formula is None:
        return row.values.get(figure.name)
    return _sums(figure.sums, figure.formula, [row], {}).value


def _value(figure: ForeignFigure, rows: Sequence[ForeignScore], asked: Mapping[str, AskedQuestion]) -> V:
    if figure.formula is not None:
        return _sums(figure.sums, figure.formula, rows, asked)
    by_question: dict[Asked, list[float | None]] = {}
    for row in rows:
        by_question.setdefault(_asked(row, asked), []).append(row.values.get(figure.name))
    if rows[0].query_id is not None:
        return mean(by_question, "mean over questions", figure.ends)
    return mean(by_question, "mean over sentences of unknown reports", figure.ends)


def _asked(row: ForeignScore, asked: Mapping[str, AskedQuestion]) -> Asked:
    return asked.get(row.query_id or "", row.query_id or "")


def _sums(
    names: Sequence[str],
    formula: Callable[[Floats], Floats],
    rows: Sequence[ForeignScore],
    asked: Mapping[str, AskedQuestion],
) -> V:
    """Sum all reports together, as the benchmark's own code does."""
    method = "sums over all reports"
    whole = [row for row in rows if all(row.values.get(name) is not None for name in names)]
    unscored = len(rows) - len(whole)
    if not whole:
        return nothing(method, unscored)
    table = np.array([[_known(row.values, name) for name in names] for row in whole])
    clusters = [_asked(row, asked) for row in whole]
    return from_sums(table, clusters, formula, method, n=len(whole), n_unscored=unscored)


def _known(values: Mapping[str, float | None], name: str) -> float:
    value = values[name]
    assert value is not None
    return value
