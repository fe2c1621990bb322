"""`rubric`: shares of a checklist's items, by kind and system: task by task (macro) and item by item (micro)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import fsum
from typing import NamedTuple

import numpy as np
from drr.env.json_object import JsonObject
from drr.eval.stats.aggregate.base import Interval, ProtocolSums, interval_row, plain_mean
from drr.eval.stats.aggregate.form import Count, Name, RawRow, Unit
from drr.eval.stats.intervals import SHARE, from_sums, ratio
from pydantic import model_validator

TOTAL = "total"


class RubricInput(RawRow):
    task: Name
    system: Name
    items: dict[str, Count]
    """Of each kind how many."""
    shares: dict[str, Unit | None]

    @model_validator(mode="after")
    def _kinds_are_counted(self) -> RubricInput:
        if TOTAL in self.items:
            raise ValueError(f"items.{TOTAL}: the sum has this name; call the kind otherwise")
        for kind in self.shares:
            if kind not in self.items:
                raise ValueError(f"shares.{kind}: `items` has no such kind")
        return self


class Part(NamedTuple):
    items: int
    share: float


def known_parts(items: Mapping[str, int], shares: Mapping[str, float | None]) -> dict[str, Part]:
    """The kinds that have a share."""
    return {kind: Part(items[kind], share) for kind, share in shares.items() if share is not None}


def item_weighted(parts: Iterable[Part]) -> float | None:
    parts = list(parts)
    whole = sum(part.items for part in parts)
    return fsum(part.items * part.share for part in parts) / whole if whole else None


@dataclass
class _RubricSystem:
    """The sums of one system by task, as several rows may be of one; by kind, `total` among them."""

    by_task: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    parts: dict[str, list[tuple[str, Part]]] = field(default_factory=dict)
    kinds: dict[str, None] = field(default_factory=dict)
    n_unscored: int = 0

    def add(self, row: RubricInput) -> float | None:
        self.kinds.update(dict.fromkeys(row.items))
        parts = known_parts(row.items, row.shares)
        total = item_weighted(parts.values())
        self.n_unscored += not parts
        own = self.by_task.setdefault(row.task, {})
        for kind, part in parts.items():
            own.setdefault(kind, []).append(part.share)
            self.parts.setdefault(kind, []).append((row.task, part))
        if total is not None:
            own.setdefault(TOTAL, []).append(total)
        return total

    def values(self) -> JsonObject:
        names = (*self.kinds, TOTAL)
        return {
            "macro": {name: plain_mean(value for _, value in self._tasks(name)) for name in names},
            "micro": {name: item_weighted(part for _, part in self._parts(name)) for name in names},
            "n_unscored": self.n_unscored,
        }

    def intervals(self) -> JsonObject:
        names = (*self.kinds, TOTAL)
        macro = {name: [(task, value, 1.0) for task, value in self._tasks(name)] for name in names}
        micro = {
            name: [(task, part.items * part.share, float(part.items)) for task, part in self._parts(name)]
            for name in names
        }
        return {
            "macro": {name: _interval(rows) for name, rows in macro.items()},
            "micro": {name: _interval(rows) for name, rows in micro.items()},
        }

    def _tasks(self, name: str) -> list[tuple[str, float]]:
        return [(task, fsum(own[name]) / len(own[name])) for task, own in self.by_task.items() if name in own]

    def _parts(self, name: str) -> list[tuple[str, Part]]:
        if name == TOTAL:
            return [one for parts in self.parts.values() for one in parts]
        return self.parts.get(name, [])


def _interval(rows: list[tuple[str, float, float]]) -> Interval:
    sums = np.array([[a, b] for _, a, b in rows]).reshape(-1, 2)
    return interval_row(from_sums(sums, [task for task, _, _ in rows], ratio, "share", ends=SHARE))


class RubricSums(ProtocolSums[RubricInput]):
    form = RubricInput

    def __init__(self) -> None:
        self._systems: dict[str, _RubricSystem] = {}

    def add(self, row: RubricInput) -> JsonObject:
        system = self._systems.setdefault(row.system, _RubricSystem())
        before = system.n_unscored
        total = system.add(row)
        self.n_unscored += system.n_unscored - before
        return {"total": total}

    def values(self) -> JsonObject:
        return {"by_system": {name: system.values() for name, system in self._systems.items()}}

    def intervals(self) -> JsonObject:
        return {"by_system": {name: system.intervals() for name, system in self._systems.items()}}
