"""Builds the table of the viewer's index: a row per question, a column per variant, a coloured value per answer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from math import isfinite
from os.path import commonprefix
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from drr.app.report.standing import Standings
from drr.app.report.system_table import failed_text, shade
from drr.app.report.tables import Cell
from drr.app.viewer.model import ShownEntry
from drr.eval.metrics import metrics
from drr.eval.metrics.base import Metric
from drr.eval.stats.intervals import Statistic, mean
from drr.eval.stats.question import AskedQuestion
from drr.wording.excerpt import ELLIPSIS, excerpt

if TYPE_CHECKING:
    from markupsafe import Markup


class Measure(NamedTuple):
    """A metric or the cost, with the settings by which cells of the index show values."""

    metric: Metric
    legend: str
    is_grade: bool = False
    """True for grades and counts: a whole value has no decimals, a mean has those of the metric."""
    top: float | None = None
    """End of the scale; `None` for the largest value in the index."""

    def of(self, entry: ShownEntry) -> float | None:
        if self is ERRORS:
            return float(len(entry.errors)) if entry.scores else None
        return entry.cost if self is COST else entry.scores.get(self.metric.name)

    def text(self, value: float | None, *, is_mean: bool = False) -> str:
        return "–" if value is None else self.metric.shown(value, alone=self.is_grade and not is_mean)

    def shade(self, value: float | None, top: float) -> str:
        """Return the CSS class of a background colour, on the whole scale, so that close values look alike."""
        return shade(value, self.top or top, is_lower_better=self.metric.better == "lower")


BAR = 60
"""Width of an interval's bar in units of the drawing."""
ROW_START = 60
"""Most characters of the question that a row shows, so that one line fits next to eight variants."""
_SPENT = "What the models of the answer cost, in dollars."
COST = Measure(
    Metric("cost", "cost", _SPENT, None, least=0.0, better="lower", digits=4),
    f"{_SPENT} A stronger colour is more.",
)

_WRONG = "Wrong facts that code found in a report."
ERRORS = Measure(
    Metric("errors", "errors a report", _WRONG, None, least=0.0, better="lower"),
    f"{_WRONG} A stronger colour is more.",
    is_grade=True,
)


def _measure(metric: Metric) -> Measure:
    dark = {"higher": "worse", "lower": "worse: more"}.get(metric.better or "", "less")
    top = metric.range[1] if metric.range and isfinite(metric.range[1]) else None
    return Measure(metric, f"{metric.explanation} A stronger colour is {dark}.", top is None or top > 1, top)


def measures(entries: Sequence[ShownEntry], first: Metric | None) -> list[Measure]:
    """Return the metrics that any answer has, the cost last. In front is the ranking metric `first`, or without one the errors by code."""
    names = {"fp"}.union(*(entry.scores for entry in entries))
    shown = [_measure(metric) for metric in metrics(names).values() if not metric.detail]
    wrong = [ERRORS] if any(entry.errors for entry in entries) else []
    known = [one for one in (*shown, *wrong, COST) if any(one.of(entry) is not None for entry in entries)]
    return sorted(known, key=lambda one: one.metric != (first or ERRORS.metric)) or shown[:1]


def script_values(entry: ShownEntry, among: Sequence[Measure]) -> str:
    """Return the entry's values as text for the index's script; an unknown value is empty."""
    values = [one.of(entry) for one in among]
    return " ".join("" if value is None else str(round(value, 4)) for value in values)


class VariantHead(NamedTuple):
    """The head of a variant's column in the index."""

    name: str
    parts: Sequence[str]
    """Pieces of the name, between which a line may break."""
    mean: str
    ends: str
    """Intervals of all measures' means, as text for the index's script."""
    bar: tuple[float, float, float] | None
    """Low end, high end and mean of the first measure, as positions on the bar."""
    tokens: str
    dollars: str
    errors: str
    """Number of errors that code found in the variant's reports, and of reports with any."""
    rules: Sequence[tuple[str, int]]
    """Number of errors by rule, most first."""
    standing: str
    """Standing of the variant against the first variant, such as "behind"."""
    may_lead: bool


class IndexCell(NamedTuple):
    """A cell of the index: the trials of one variant on one question."""

    entries: list[ShownEntry]
    shade: str


class QuestionRow(TypedDict):
    """A row of the index: a question, with a cell for each variant."""

    page: str
    query: str
    start: str
    """Start of the question, without the words that all questions share."""
    cells: list[IndexCell]
    any: bool
    """True where the question has a finished answer."""
    note: Markup


class Matrix:
    """The table of the index: a row per question and a column per variant, best first as in the report."""

    def __init__(self, entries: Sequence[ShownEntry], standings: Standings | None) -> None:
        self._done: dict[str, list[ShownEntry]] = {}
        self._failed: dict[str, Counter[str]] = {}
        self._paid: dict[str, list[ShownEntry]] = {}
        """Failed answers that count 0 in a figure."""
        self._by_query: dict[str, list[ShownEntry]] = {}
        for entry in entries:
            self._by_query.setdefault(entry.query_id, []).append(entry)
            if entry.status == "done":
                self._done.setdefault(entry.variant, []).append(entry)
            else:
                self._failed.setdefault(entry.variant, Counter())[entry.reason or entry.status] += 1
                self._paid.setdefault(entry.variant, []).extend([entry] if entry.scores else [])
        self._standings = standings
        self.measures = measures(entries, standings.metric if standings else None)
        self._measure = self.measures[0]
        self._top = max((v for entry in entries if (v := self._measure.of(entry)) is not None), default=0.0)

    @cached_property
    def columns(self) -> list[str]:
        """Return the variants in the order of the report; variants without any answer come last."""
        first = (
            [one for one in self._standings.systems if one in self._done or self._paid.get(one)]
            if self._standings
            else []
        )
        return [
            *dict.fromkeys([*first, *sorted(self._done)]),
            *sorted(self._failed.keys() - self._done.keys()),
        ]

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
                "any": any(entry.status == "done" for entry in own),
                "note": notes[query],
            }
            for query, own in sorted(
                self._by_query.items(), key=lambda one: -sum(len(entry.errors) for entry in one[1])
            )
        ]

    def _cell(self, entries: list[ShownEntry]) -> IndexCell:
        known = [value for entry in entries if (value := self._measure.of(entry)) is not None]
        return IndexCell(entries, self._measure.shade(sum(known) / len(known) if known else None, self._top))

    def heads(self) -> list[VariantHead]:
        return [self._head(name, self._done.get(name, [])) for name in self.columns]

    def _head(self, name: str, own: Sequence[ShownEntry]) -> VariantHead:
        def over_questions(
            of: Callable[[ShownEntry], float | None], also: Sequence[ShownEntry] = ()
        ) -> Statistic:
            found: dict[AskedQuestion, list[float | None]] = {}
            for entry in (*own, *also):
                found.setdefault(entry.asked, []).append(of(entry))
            return mean(found)

        paid = self._paid.get(name, [])
        means = [
            over_questions(one.of, [e for e in paid if one.metric.name in e.scores]).within(one.metric.ends)
            for one in self.measures
        ]
        tokens, spent = over_questions(lambda entry: entry.tokens), over_questions(lambda entry: entry.cost)
        wrong = [len(entry.errors) for entry in own]
        cell = self._standings.against.get(name, Cell(None)) if self._standings else Cell(None)
        failed = "" if own or name not in self._failed else failed_text(self._failed[name])
        return VariantHead(
            name,
            re.split(r"(?=\+)|(?<=:)", name),
            self._measure.text(means[0].value, is_mean=True),
            ";".join(map(_ends, means)),
            self._bar(means[0]),
            _figure(tokens.value, 0) if own else "–",
            _figure(None if spent.n_unscored else spent.value, COST.metric.digits) if own else "–",
            f"{sum(wrong)} in {sum(map(bool, wrong))} of {len(own)}"
            if any(wrong)
            else "none"
            if own
            else "–",
            Counter(error.rule for entry in own for error in entry.errors).most_common(),
            failed or str(cell.value or ""),
            bool(cell.shade),
        )

    def _bar(self, v: Statistic) -> tuple[float, float, float] | None:
        end = self._measure.top or self._top
        if v.value is None or v.ci_low is None or v.ci_high is None or not end:
            return None
        low, high, value = (
            round(BAR * min(max(at / end, 0.0), 1.0)) for at in (v.ci_low, v.ci_high, v.value)
        )
        return low, high, value


def _ends(v: Statistic) -> str:
    return "" if v.ci_low is None or v.ci_high is None else f"{v.ci_low:.4g} {v.ci_high:.4g}"


def _figure(value: float | None, digits: int) -> str:
    return "unknown" if value is None else f"{value:,.{digits}f}"
