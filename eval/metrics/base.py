"""The description of a metric: every table, page, command and list of metrics reads it from here.

A family of metrics is a module with `METRICS`, `per_report` and `corpus`, named in one line of `FAMILIES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal, Protocol

from drr.eval.evidence.answers import Answer
from drr.eval.metrics.rows import MetricRow
from drr.eval.stats.asked import AskedQuestion
from drr.eval.stats.intervals import Ends, V, mean
from drr.eval.tasks.judged import Judged

Better = Literal["higher", "lower"]
Values = Mapping[str, float | None]
"""By metric. One that was not judged is left out, one that failed or is undefined is `None`."""


@dataclass(frozen=True, slots=True)
class Metric:
    name: str
    """In documents and on the command line. Every metric of a further family begins with the family's prefix."""
    label: str
    explanation: str
    """One plain sentence."""
    table: str | None
    """Key of the report's table that shows it; `None` for one that only documents, `compare` and the pages show."""
    unit: str = ""
    range: Ends | None = None
    least: float | None = None
    """Where there is no range: what no value is below (0 of a count). `None`: any number, as of a difference."""
    better: Better | None = None
    """`None`: more of it is neither better nor worse."""
    digits: int = 2
    judged: bool = True
    """A judge has a say in it. What only code counts is the same for every judge."""
    only_with: str = ""
    """The family, by its prefix, without which nobody asked for it: documents have it, tables for people only beside that."""
    detail: bool = False
    """Left out where there is room for a few: the noise floor, the index of the viewer."""

    @property
    def ends(self) -> Ends | None:
        """The ends that an interval keeps to."""
        return self.range if self.range or self.least is None else (self.least, inf)

    @property
    def scale(self) -> str:
        """`0-1`, `tokens`: the range, else the unit."""
        if self.range is None:
            return self.unit
        return "-".join(f"{end:g}" for end in self.range) + (f" {self.unit}" if self.unit else "")

    def document(self) -> MetricRow:
        return {
            "label": self.label,
            "explanation": self.explanation,
            "table": self.table,
            "unit": self.unit,
            "range": list(self.range) if self.range else None,
            "least": self.least,
            "better": self.better,
            "digits": self.digits,
        }

    def shown(self, value: float) -> str:
        return f"{value:,.{self.digits}f}"


class Family(Protocol):
    """A module of this package. It may also have `TITLES`, by key of a table: what stands over it.

    A family whose metrics follow from what is registered elsewhere has `metrics()` in the place of `METRICS`.
    """

    METRICS: tuple[Metric, ...]

    def per_report(self, judged: Judged, answer: Answer) -> Values:
        """The values that can be paired by query."""

    def corpus(self, judged: Judged, answers: Sequence[Answer]) -> Mapping[str, V]:
        """The metrics of one variant."""


def over_queries(
    answers: Iterable[Answer], values: Callable[[Answer], Values], methods: Mapping[str, str]
) -> dict[str, V]:
    """The mean over queries of each metric in `methods`, which says how it is made."""
    grouped: dict[str, dict[AskedQuestion, list[float | None]]] = {name: {} for name in methods}
    for answer in answers:
        found = values(answer)
        for name, by_query in grouped.items():
            by_query.setdefault(answer.asked, []).append(found.get(name))
    return {name: mean(grouped[name], method) for name, method in methods.items()}
