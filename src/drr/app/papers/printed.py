"""Reads the figures that papers print. Each paper has a file of its tables and figures, with the report's counterpart of each."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from drr.app.papers.steps import PRINTED, RETAIL, printed_papers
from drr.env.plugins import papers
from pydantic import BaseModel, ConfigDict, model_validator


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PrintedNote(_Row):
    """A note on a place where the paper contradicts itself, or leaves the meaning of a figure open."""

    text: str
    at: tuple[str, ...] = ()
    """Names of the row that the note concerns; empty for all rows."""
    column: str = ""

    def sentence(self) -> str:
        where = ", ".join([*self.at, *([self.column] if self.column else [])])
        return f"{where}: {self.text}" if where else self.text


class Exhibit(_Row):
    """A table or figure of a paper, with its counterpart in the report or the reason for its absence."""

    source: str
    """Number of the table or figure in the paper."""
    title: str
    here: tuple[str, ...] = ()
    """Names of the report's tables and figures that show the same."""
    pages: str = ""
    """Other place that shows the same, where the counterpart is not a table."""
    missing: str = ""
    """Reason why the report has no counterpart."""
    needs: str = ""
    """Input that must be given before the counterpart can be made."""
    people: bool = False
    """True where the counterpart needs labels by people."""
    settings: tuple[str, ...] = ()
    """Settings under which a system is a row of the table; empty for all settings."""
    stub: tuple[str, ...] = ()
    """Heads of the columns that name a row."""
    columns: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    """This project's metrics, one for each column of a table whose rows are systems under settings."""
    rows: tuple[tuple[str, ...], ...] = ()
    """Rows of names, then figures as printed; an empty figure is unknown."""
    notes: tuple[PrintedNote, ...] = ()

    @model_validator(mode="after")
    def _fits(self) -> Exhibit:
        wide = len(self.stub) + len(self.columns)
        if any(len(row) != wide for row in self.rows):
            raise ValueError(f"{self.source}: a row has not {wide} cells")
        if self.metrics and len(self.metrics) != len(self.columns):
            raise ValueError(f"{self.source}: not a metric for each column")
        names = {self.names(row) for row in self.rows}
        if len(names) != len(self.rows):
            raise ValueError(f"{self.source}: two rows have one name")
        lost = [note for note in self.notes if note.at and note.at not in names]
        if lost or any(note.column not in ("", *self.columns) for note in self.notes):
            raise ValueError(f"{self.source}: a note is about no row or column of it")
        if bool(self.here or self.pages) == bool(self.missing):
            raise ValueError(f"{self.source}: say where it is here, or why it is not")
        return self

    def names(self, row: tuple[str, ...]) -> tuple[str, ...]:
        return row[: len(self.stub)]

    def figures(self, row: tuple[str, ...]) -> tuple[str, ...]:
        return row[len(self.stub) :]


class PrintedPaper(_Row):
    paper: str
    title: str
    setting: str
    """Sentence on how the paper's setting differs from this project's."""
    exhibit: tuple[Exhibit, ...]


@cache
def paper_of(name: str) -> PrintedPaper:
    """Return the printed tables and figures of a paper."""
    place = Path(__file__).with_name("retail.toml")
    if name != RETAIL:
        (folder,) = (paper.folder for paper in papers() if paper.name == name)
        place = folder / PRINTED
    return PrintedPaper.model_validate(tomllib.loads(place.read_text(encoding="utf-8")))


def exhibit_tables() -> set[str]:
    """Return the names of the report's tables that show the contents of a paper's table or figure."""
    return {name for paper in printed_papers() for one in paper_of(paper).exhibit for name in one.here}
