"""The printed figures of the papers, as data. A file a paper, each of its tables and figures with where ours is, or why there is none."""

from __future__ import annotations

import tomllib
from decimal import Decimal
from functools import cache
from pathlib import Path

from drr.app.papers.steps import RETAIL
from drr.env.plugins import folder_of, papers
from pydantic import BaseModel, ConfigDict, model_validator

_THOUSAND = "k"


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PrintedNote(_Row):
    """A place where the paper contradicts itself, or leaves open the meaning of a figure."""

    text: str
    at: tuple[str, ...] = ()
    """The stub of the row that it concerns; all of them where there is none."""
    column: str = ""

    def sentence(self) -> str:
        where = ", ".join([*self.at, *([self.column] if self.column else [])])
        return f"{where}: {self.text}" if where else self.text


class Exhibit(_Row):
    """A table or figure of a paper. It is made here, or it says why not."""

    source: str
    """Its number in the paper."""
    title: str
    here: tuple[str, ...] = ()
    """Tables and figures of our report that show the same, by name."""
    pages: str = ""
    """Other place to see it, where it is no table."""
    missing: str = ""
    """Why it cannot be made here."""
    needs: str = ""
    """Missing input that must be given before it is made."""
    people: bool = False
    """True where it takes labels of people."""
    unprinted: str = ""
    """Why nothing stands beside ours, where something is printed that cannot be copied."""
    settings: tuple[str, ...] = ()
    """Under which settings a system is a row of it; all where none is named."""
    like: str = ""
    """Another exhibit whose rows here are the same."""
    stub: tuple[str, ...] = ()
    """Heads of what names a row."""
    columns: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    """Our metrics, one for each column, where a column is a metric."""
    further: tuple[str, ...] = ()
    """Our metrics for columns of the paper whose figures are not known."""
    rows: tuple[tuple[str, ...], ...] = ()
    """Names, then figures as printed; an empty one is not known."""
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
    """Reason why its figures belong to another setting."""
    exhibit: tuple[Exhibit, ...]


def _place(name: str) -> Path:
    if name == RETAIL:
        return Path(__file__).with_name("retail.toml")
    (package,) = (paper.exhibits for paper in papers() if paper.name == name)
    return folder_of(package) / "printed.toml"


@cache
def paper_of(name: str) -> PrintedPaper:
    """Its tables and figures as printed."""
    text = _place(name).read_text(encoding="utf-8")
    return PrintedPaper.model_validate(tomllib.loads(text))


def number(printed: str) -> float | None:
    """The figure that stands first: `34.2k ± 11.7k` is 34,200, `61.11%` is 61.11; `None` where none is printed."""
    words = printed.replace("$", "").replace("%", "").split()
    if not words:
        return None
    first = words[0]
    if first.endswith(_THOUSAND):
        return float(Decimal(first[:-1]) * 1000)
    return float(first)


@cache
def _of_variants() -> dict[tuple[str, str], float]:
    """Map the values of the retail paper, whose rows are variants here too."""
    found: dict[tuple[str, str], float] = {}
    for exhibit in paper_of(RETAIL).exhibit:
        for row in exhibit.rows if exhibit.metrics else ():
            figures = zip(exhibit.metrics, exhibit.figures(row), strict=True)
            found |= {
                (exhibit.names(row)[0].lower(), metric): value
                for metric, figure in figures
                if (value := number(figure)) is not None
            }
    return found


def printed(variant: str, metric: str) -> float | None:
    """Return what the retail paper prints for this variant, if it does."""
    return _of_variants().get((variant, metric))
