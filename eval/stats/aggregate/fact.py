"""`fact`: DeepResearch Bench's citations per task and the share of them that hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from drr.env.json_object import JsonObject
from drr.eval.stats.aggregate.base import Interval, ProtocolSums, interval_row
from drr.eval.stats.aggregate.form import Flag, Name, RawPart, RawRow
from drr.eval.stats.fact import Found, FoundCounts, fact_figures, found_counts
from drr.eval.stats.intervals import COUNTED, SHARE, from_sums, ratio


class RawSource(RawPart):
    error: Flag
    """It could not be read: whatever verdicts stand beside are none."""
    verdicts: list[Found | None]


class FactInput(RawRow):
    task: Name
    sources: list[RawSource]


@dataclass
class _OneSystem:
    """The sums of one system by task, as several rows may be of one. Only tasks with a source that could be read."""

    tasks: dict[str, FoundCounts] = field(default_factory=dict)

    def add(self, task: str, counts: FoundCounts) -> None:
        before = self.tasks.get(task, FoundCounts(0, 0, 0))
        self.tasks[task] = FoundCounts(*(a + b for a, b in zip(before, counts, strict=True)))

    def values(self, *, printed: bool = False) -> JsonObject:
        return {**fact_figures(self.tasks.values(), printed=printed)._asdict()}

    def intervals(self) -> dict[str, Interval]:
        names = list(self.tasks)
        rows = np.array([[c.supported + c.unsupported, c.supported, 1.0] for c in self.tasks.values()])
        rows = rows.reshape(-1, 3)
        return {
            "citations_per_task": interval_row(
                from_sums(rows[:, [0, 2]], names, ratio, "per task", ends=COUNTED)
            ),
            "valid_per_task": interval_row(
                from_sums(rows[:, [1, 2]], names, ratio, "per task", ends=COUNTED)
            ),
            "rate": interval_row(from_sums(rows[:, [1, 0]], names, ratio, "pooled", ends=SHARE)),
        }


class FactSums(ProtocolSums[FactInput]):
    form = FactInput

    def __init__(self) -> None:
        self._systems: dict[str | None, _OneSystem] = {}

    def add(self, row: FactInput) -> JsonObject:
        if self._systems and (row.system is None) != (None in self._systems):
            figures = (
                "no `system`, and the rows before have one"
                if row.system is None
                else "the rows before have no `system`"
            )
            raise ValueError(f"{figures}; either every row names its system or none does")
        readable = [source for source in row.sources if not source.error]
        verdicts = [verdict for source in readable for verdict in source.verdicts]
        counts = found_counts(verdicts)
        system = self._systems.setdefault(row.system, _OneSystem())
        if readable:
            system.add(row.task, counts)
        self.n_unscored += verdicts.count(None)
        return {**counts._asdict()}

    def values(self) -> JsonObject:
        return self._of_each(lambda system: system.values())

    def as_printed(self) -> JsonObject:
        return self._of_each(lambda system: system.values(printed=True))

    def intervals(self) -> JsonObject:
        return self._of_each(lambda system: {**system.intervals()})

    def _of_each(self, told: Callable[[_OneSystem], JsonObject]) -> JsonObject:
        named = {name: told(system) for name, system in self._systems.items() if name is not None}
        return {"by_system": named} if named else told(self._systems.get(None, _OneSystem()))
