"""Amounts of rows and items that stand one after the other, and what some of them come to."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from drr.eval.checks.grid import column_at
from drr.eval.checks.layout import Layout
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.said import MONEY, SaidFigure
from drr.eval.stats.intervals import Floats

_RUN = 40
"""Rows or items one after the other."""
MOST_BOUGHT = 12


class RowsOfAmounts:
    """Of one report."""

    def __init__(self, held: HeldAgainst, layout: Layout) -> None:
        self._held, self._layout = held, layout

    def sums(self, but: SaidFigure) -> Floats:
        """Sums of amounts of two lines or more that stand one after the other, by column, without a figure and with the counts of their lines."""
        found = [np.zeros(0)]
        for run in self._lines_of_amounts:
            if any(place == but.start for place, _, _ in run):
                at = next(i for i, (place, _, _) in enumerate(run) if place == but.start)
                parts = [run[:at], run[at + 1 :]]
            else:
                parts = [run]
            for part in parts:
                for values in ([v for _, v, _ in part], [v * many for _, v, many in part]):
                    sums = np.concatenate([[0.0], np.cumsum(values[:_RUN])])
                    first, last = np.triu_indices(len(sums), 2)
                    found.append(sums[last] - sums[first])
        return np.concatenate(found)

    @cached_property
    def _lines_of_amounts(self) -> list[list[tuple[int, float, float]]]:
        """Place, amount and count of rows and items without anything between them; of rows by column."""
        runs: list[list[tuple[int, float, float]]] = []
        open_: dict[int, list[tuple[int, float, float]]] = {}
        for line in self._layout.lines:
            if line.kind not in ("row", "item", "rule_row", "head_row"):
                open_ = {} if line.text.strip() else open_
                continue
            figures = self._held.said.within((line.start, line.end))
            counts = [
                one.value for one in figures if one.kind in ("count", "orders") and one.value <= MOST_BOUGHT
            ]
            for at, one in enumerate(each for each in figures if each.kind in MONEY):
                column = column_at(line, one.start) if line.kind == "row" else None
                key = at if column is None else 100 + column
                if key not in open_:
                    open_[key] = []
                    runs.append(open_[key])
                open_[key].append((one.start, one.value, counts[0] if counts else 1.0))
        return runs
