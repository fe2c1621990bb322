"""The format of another benchmark: what its files have, and how its figures are summed by its own rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from drr.eval.stats.intervals import Ends, Floats


@dataclass(frozen=True)
class ForeignFigure:
    """One column. Its value is the mean of the values of its name, or `formula` of the sums of those named by `sums`."""

    name: str
    label: str
    ends: Ends | None = None
    """Of its scale; a value beyond them is refused where it is read."""
    told: str = ""
    sums: tuple[str, ...] = ()
    formula: Callable[[Floats], Floats] | None = None
    """From sums, a line each, to values."""

    @property
    def scale(self) -> str:
        return "" if self.ends is None else f"{self.ends[0]:g} to {self.ends[1]:g}"


class ForeignPart(NamedTuple):
    """The part that one judging of the other benchmark left."""

    name: str
    title: str
    figures: tuple[ForeignFigure, ...]


@dataclass(frozen=True)
class ForeignQuestion:
    """A row's question. Unknown is `None`."""

    id: int | str | None = None
    words: str | None = None
    user: str | None = None
    language: str | None = None
    task: int | str | None = None
    domain: str | None = None
    size: str | None = None
    """Of the frozen pages that it was asked over."""


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
    """`None`: the file does not say of which report."""
    system: str
    part: str
    values: Mapping[str, float | None]
    file: str
    sha256: str
    failed: str | None = None
    """Why nothing was scored."""


Given = GivenQuestion | GivenReport | GivenScores


@dataclass(frozen=True)
class ReportOut:
    """A report of a study on its way into a file of others."""

    query_id: str
    asked: ForeignQuestion
    system: str
    text: str


@dataclass(frozen=True)
class ScoresOut:
    """Scores that were imported, on their way back."""

    asked: ForeignQuestion
    query_id: str
    system: str
    part: str
    values: Mapping[str, float | None]
    failed: str | None


class FileOut(NamedTuple):
    path: str
    """Within the folder, as the other benchmark lays its own out."""
    text: str


class Format(Protocol):
    """One file and one line of `FORMATS` each."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def parts(self) -> tuple[ForeignPart, ...]: ...

    @property
    def no_room(self) -> frozenset[str]:
        """The fields of a question that its files cannot take. None holds sources, tool calls or a second trial."""
        ...

    def read(self, path: Path) -> Iterator[Given]:
        """`Misuse` by file and line for what is not of this form."""
        ...

    def write(self, reports: Sequence[ReportOut]) -> Iterator[FileOut]: ...

    @property
    def written_parts(self) -> frozenset[str]:
        """The parts whose files can be written again from the figures that were kept."""
        ...

    def write_scores(self, scores: Sequence[ScoresOut]) -> Iterator[FileOut]:
        """Write the scores of one judge, and of parts that can be written."""
        ...
