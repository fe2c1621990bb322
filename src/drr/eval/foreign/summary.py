"""Sums up other benchmarks' scores for a study's reports, by benchmark, judge and system.

The figures keep the benchmark's scale and rule of summing, and are shown beside the study's own figures, never among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, NotRequired, TypedDict

import numpy as np
from drr.env.errors import DrrError, Misuse
from drr.env.files import owner_only_mode, write_file
from drr.env.jsonl import rows_of
from drr.eval.evidence.answers import Answer
from drr.eval.foreign.registry import part_of
from drr.eval.stats.intervals import Statistic, VRow, empty_statistic, from_sums, mean
from drr.eval.stats.question import Asked, AskedQuestion, grouped
from drr.study.study import Study
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, model_validator

if TYPE_CHECKING:
    from drr.eval.foreign.form import FigureColumn

SCHEMA = 1
FILE = "foreign.jsonl"
NAME_LENGTH = 200
JudgeName = Annotated[str, Field(min_length=1, max_length=NAME_LENGTH)]


class ForeignScore(BaseModel):
    """The scores that another benchmark's judge gave one report; `query_id` is `None` where the report is unknown."""

    model_config = ConfigDict(extra="forbid")

    schema_version: int = SCHEMA
    format: str
    part: str
    judge: JudgeName | None = None
    """Name of the judge; `None` where it is unknown."""
    system: str = Field(min_length=1)
    query_id: str | None = None
    size: str | None = None
    """Size of the stored page collection that the question was asked about."""
    trial: int = Field(0, ge=0)
    values: dict[str, FiniteFloat | None]
    failed: str | None = None
    source: str
    sha256: str

    @model_validator(mode="after")
    def _within_its_scale(self) -> ForeignScore:
        part = part_of(self.format, self.part)
        for one in part.figures if part else ():
            value = self.values.get(one.name)
            if value is not None and one.ends is not None and not one.ends[0] <= value <= one.ends[1]:
                raise ValueError(f"{one.name} is {value:g}, beyond its scale")
        return self

    @property
    def place(self) -> tuple[str, str, str | None, str, str | None, int]:
        """Return the key of a score. A judge has one score of each part for one report."""
        return self.format, self.part, self.judge, self.system, self.query_id, self.trial


def foreign_scores(study: Study) -> list[ForeignScore]:
    path = study.folder / FILE
    if not path.is_file():
        return []
    try:
        return [row for _, row in rows_of(path, ForeignScore, "scores", SCHEMA)]
    except Misuse as error:  # nobody named this file: the study is broken
        raise DrrError(str(error)) from error


def keep_scores(study: Study, fresh: Sequence[ForeignScore]) -> int:
    """Store scores, replacing earlier scores of the same judge on the same reports; return how many were replaced."""
    places = {one.place for one in fresh}
    before = foreign_scores(study)
    rows = [*(one for one in before if one.place not in places), *fresh]
    rows.sort(key=lambda one: [part or "" for part in map(str, one.place)])
    lines = "".join(one.model_dump_json(exclude_none=False) + "\n" for one in rows)
    write_file(study.folder / FILE, lines, owner_only_mode(0o666))
    known = {(*one.place, *sorted(one.values.items())) for one in fresh}
    return sum(
        one.place in places and (*one.place, *sorted(one.values.items())) not in known for one in before
    )


class ForeignColumn(TypedDict):
    name: str
    label: str
    scale: str
    told: str


class ForeignTableRow(TypedDict):
    """The figures of one judging by another benchmark."""

    format: str
    part: str
    title: str
    judge: str | None
    """Name of the judge; `None` where it is unknown."""
    sources: list[str]
    figures: list[ForeignColumn]
    systems: dict[str, dict[str, VRow]]
    """Values by system and figure; by size of the page collection too, where there are several."""
    without_report: NotRequired[list[str]]
    """Systems of which this study has no report."""


class ForeignValue(TypedDict):
    """A figure of one report."""

    title: str
    judge: str | None
    source: str
    label: str
    scale: str
    value: float | None
    failed: str | None


def foreign_tables(scores: Iterable[ForeignScore], answers: Iterable[Answer]) -> list[ForeignTableRow]:
    """Build the tables from scores. `answers` are those of the study, which tell to which task a question belongs."""
    known = list(answers)
    variants = {answer.variant for answer in known}
    asked = {answer.query_id: answer.asked for answer in known}
    found: list[ForeignTableRow] = []
    judgings = grouped(((row.format, row.part, row.judge), row) for row in scores)
    for (format_name, name, judge), rows in judgings.items():
        part = part_of(format_name, name)
        if part is None:
            continue
        by_system = sorted(grouped((_system_name(row), row) for row in rows).items())
        table: ForeignTableRow = {
            "format": format_name,
            "part": name,
            "title": part.title,
            "judge": judge,
            "sources": sorted({f"{row.source} ({row.sha256[:12]})" for row in rows}),
            "figures": [
                {"name": one.name, "label": one.label, "scale": one.scale, "told": one.remark}
                for one in part.figures
            ],
            "systems": {
                name: {one.name: _value(one, own, asked).document() for one in part.figures}
                for name, own in by_system
            },
        }
        if alone := sorted({row.system for row in rows} - variants):
            table["without_report"] = alone
        found.append(table)
    return found


def foreign_values(
    scores: Iterable[ForeignScore], system: str, query_id: str, trial: int
) -> list[ForeignValue]:
    """List other benchmarks' figures for one report."""
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
                    "value": _value(figure, [row], {}).value,
                    "failed": row.failed,
                }
            )
    return found


def _system_name(row: ForeignScore) -> str:
    """Name a row's system, with the size of the page collection, because each size is a measure of its own."""
    return row.system if row.size is None else f"{row.system}, {row.size}"


def _value(
    figure: FigureColumn, rows: Sequence[ForeignScore], asked: Mapping[str, AskedQuestion]
) -> Statistic:
    """Compute a figure: a mean over questions, or a formula of sums over all reports."""

    def cluster(row: ForeignScore) -> Asked:
        return asked.get(row.query_id or "", row.query_id or "")

    if figure.formula is None:
        by_question = grouped((cluster(row), row.values.get(figure.name)) for row in rows)
        over = "questions" if rows[0].query_id is not None else "sentences of unknown reports"
        return mean(by_question, f"mean over {over}", figure.ends)
    method = "sums over all reports"
    summed = [(row, [row.values.get(name) for name in figure.sums]) for row in rows]
    whole = [(row, values) for row, values in summed if None not in values]
    unscored = len(rows) - len(whole)
    if not whole:
        return empty_statistic(method, unscored)
    table = np.array([values for _, values in whole], dtype=float)
    clusters = [cluster(row) for row, _ in whole]
    return from_sums(table, clusters, figure.formula, method, n=len(whole), n_unscored=unscored)
