"""The index's table. One figure of every answer, shaded on its whole scale, and the means of these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from os.path import commonprefix
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from drr.app.viewer.model import ShownEntry
from drr.eval.metrics import metrics
from drr.eval.metrics.base import Metric
from drr.wording.excerpt import ELLIPSIS, excerpt

if TYPE_CHECKING:
    from markupsafe import Markup


class Measure(NamedTuple):
    """A metric as the cells of the index show it."""

    name: str
    label: str
    legend: str
    digits: int
    is_grade: bool = False
    """A value has as many digits as it needs; a mean has `digits`."""
    top: float | None = None
    """End of its scale; `None`: the largest that there is."""
    better: str | None = None

    def of(self, entry: ShownEntry) -> float | None:
        return entry.cost if self.name == COST.name else entry.scores.get(self.name)

    def text(self, value: float | None, *, is_mean: bool = False) -> str:
        if value is None:
            return "–"
        return f"{value:g}" if self.is_grade and not is_mean else f"{value:.{self.digits}f}"

    def shade(self, value: float | None, top: float) -> str:
        """Choose the class of a ground, on the whole scale: what differs little looks alike."""
        if value is None or not (end := self.top or top):
            return ""
        share = min(max(value / end, 0.0), 1.0)
        return f"s{round(SHADES * (1 - share if self.better == 'lower' else share))}"


SHADES = 9
ROW_START = 60
"""Characters that a row has of its question: one line beside eight variants."""
COST = Measure(
    "cost",
    "cost",
    "What the models of the answer cost, in dollars. A stronger colour is less.",
    4,
    better="lower",
)


def measures() -> list[Measure]:
    """List the metrics, and last what each answer cost."""
    return [*(_measure(metric) for metric in metrics().values() if not metric.detail), COST]


def _measure(metric: Metric) -> Measure:
    dark = {"higher": "better", "lower": "better: less"}.get(metric.better or "", "more")
    top = metric.range[1] if metric.range and isfinite(metric.range[1]) else None
    return Measure(
        *(metric.name, metric.label, f"{metric.explanation} A stronger colour is {dark}.", metric.digits),
        is_grade=bool(top and top > 1),
        top=top,
        better=metric.better,
    )


def shown_measures(entry: ShownEntry, among: Sequence[Measure]) -> str:
    """Their values as the index's script reads them; nothing where a value is unknown."""
    values = [one.of(entry) for one in among]
    return " ".join("" if value is None else str(round(value, 4)) for value in values)


class ShownMean(NamedTuple):
    """A mean of the index, as it is shown."""

    text: str
    shade: str


class IndexCell(NamedTuple):
    """The trials of one variant on one question."""

    entries: list[ShownEntry]
    shade: str


class QuestionRow(TypedDict):
    """A row a question, a cell a variant."""

    page: str
    query: str
    start: str
    """Beginning that no other question shares."""
    cells: list[IndexCell]
    mean: ShownMean
    any: bool
    """True where one of its answers is there."""
    note: Markup


class Matrix:
    """The index's table: one figure of every answer, and means of these."""

    def __init__(self, entries: Sequence[ShownEntry], measure: Measure) -> None:
        self._measure = measure
        self.columns = sorted({entry.variant for entry in entries})
        self._top = max((v for entry in entries if (v := measure.of(entry)) is not None), default=0.0)
        self._by_query: dict[str, list[ShownEntry]] = {}
        for entry in entries:
            self._by_query.setdefault(entry.query_id, []).append(entry)

    def _mean(self, entries: Iterable[ShownEntry]) -> float | None:
        return _mean(self._measure.of(entry) for entry in entries)

    def _shown(self, value: float | None) -> ShownMean:
        return ShownMean(self._measure.text(value, is_mean=True), self._measure.shade(value, self._top))

    def rows(self, notes: Mapping[str, Markup]) -> list[QuestionRow]:
        asked = {own[-1].query for own in self._by_query.values()}
        shared = commonprefix(list(asked)).rfind(" ") + 1  # noqa: RUF071  (letters, no paths)
        shared = 0 if shared < ROW_START // 2 or len(asked) == 1 else shared
        return [
            {
                "page": own[-1].question_page,
                "query": own[-1].query,
                "start": excerpt(ELLIPSIS * bool(shared) + own[-1].query[shared:], ROW_START),
                "cells": [self._cell([e for e in own if e.variant == name]) for name in self.columns],
                "mean": self._shown(self._mean(own)),
                "any": any(entry.status == "done" for entry in own),
                "note": notes[query],
            }
            for query, own in self._by_query.items()
        ]

    def _cell(self, entries: list[ShownEntry]) -> IndexCell:
        return IndexCell(entries, self._measure.shade(self._mean(entries), self._top))

    def means(self) -> list[ShownMean]:
        """Compute the mean of all, then of each variant, over questions as in the report."""
        found = []
        for name in self.columns:
            own = ([e for e in entries if e.variant == name] for entries in self._by_query.values())
            found.append(_mean(map(self._mean, own)))
        whole = _mean(map(self._mean, self._by_query.values()))
        return [self._shown(value) for value in (whole, *found)]


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
