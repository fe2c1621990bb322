"""`swap`: each person's report under the criteria of every person of its task."""

from __future__ import annotations

from drr.env.json_object import JsonObject
from drr.eval.stats.aggregate import ProtocolSums, interval_row
from drr.eval.stats.form import Name, Number, RawRow
from drr.papers.pdr.sums.swapped import SwapScore, over_tasks, swapped


class SwapInput(RawRow):
    task: Name
    criteria_of: Name
    report_of: Name
    p: Number | None


class SwapSums(ProtocolSums[SwapInput]):
    form = SwapInput

    def __init__(self) -> None:
        self._scores: list[SwapScore] = []

    def add(self, row: SwapInput) -> None:
        self.n_unscored += row.p is None
        self._scores.append(SwapScore(row.task, row.criteria_of, row.report_of, row.p))

    def values(self) -> JsonObject:
        found = swapped(self._scores)
        return {
            "by_task": {
                task: {"delta": one.delta, "cfa_min": one.cfa_min, "a_min": one.a_min}
                for task, one in found.items()
            }
        }

    def intervals(self) -> JsonObject:
        """Compute the intervals of the means over tasks."""
        return {name: interval_row(v) for name, v in over_tasks(swapped(self._scores))._asdict().items()}
