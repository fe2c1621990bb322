"""The project's own protocols of `drr papers aggregate`: DeepResearch Bench's FACT, checklists, and a judge against people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import fsum
from typing import NamedTuple

import numpy as np
from drr.env.json_object import JsonObject
from drr.eval.stats.aggregate import (
    Count,
    Flag,
    Interval,
    Name,
    Number,
    ProtocolSums,
    RawPart,
    RawRow,
    Unit,
    interval_row,
    plain_mean,
)
from drr.eval.stats.citations import Found, FoundCounts, fact_figures, found_counts
from drr.eval.stats.correlation import Consistency, CriterionScore, consistency
from drr.eval.stats.intervals import COUNTED, SHARE, Ends, Statistic, from_sums, ratio
from pydantic import model_validator


class RawSource(RawPart):
    error: Flag
    """True if the source could not be read; its verdicts then do not count."""
    verdicts: list[Found | None]


class FactInput(RawRow):
    task: Name
    sources: list[RawSource]


@dataclass
class _OneSystem:
    """The sums of one system, by task, since several rows may be of one task. Only tasks with a readable source count."""

    tasks: dict[str, FoundCounts] = field(default_factory=dict)
    citing: set[str] = field(default_factory=set)
    """Tasks with any citation, read or not."""

    def add(self, task: str, counts: FoundCounts) -> None:
        before = self.tasks.get(task, FoundCounts(0, 0, 0))
        self.tasks[task] = FoundCounts(*(a + b for a, b in zip(before, counts, strict=True)))

    def values(self, *, printed: bool = False) -> JsonObject:
        return {**fact_figures(self.tasks.values(), printed=len(self.citing) if printed else None)._asdict()}

    def intervals(self) -> dict[str, Interval]:
        counts = [(task, float(one.supported), one.unsupported) for task, one in self.tasks.items()]
        return {
            "citations_per_task": _interval([(task, a + b, 1.0) for task, a, b in counts], COUNTED),
            "valid_per_task": _interval([(task, a, 1.0) for task, a, _ in counts], COUNTED),
            "rate": _interval([(task, a, a + b) for task, a, b in counts]),
        }


class FactSums(ProtocolSums[FactInput]):
    form = FactInput

    def __init__(self) -> None:
        self._systems: dict[str | None, _OneSystem] = {}

    def add(self, row: FactInput) -> JsonObject:
        if self._systems and (row.system is None) != (None in self._systems):
            lacks = "no `system`, and the rows before have one"
            problem = lacks if row.system is None else "the rows before have no `system`"
            raise ValueError(f"{problem}; either every row names its system or none does")
        readable = [source for source in row.sources if not source.error]
        verdicts = [verdict for source in readable for verdict in source.verdicts]
        counts = found_counts(verdicts)
        system = self._systems.setdefault(row.system, _OneSystem())
        if row.sources:
            system.citing.add(row.task)
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

    def _of_each(self, row: Callable[[_OneSystem], JsonObject]) -> JsonObject:
        named = {name: row(system) for name, system in self._systems.items() if name is not None}
        return {"by_system": named} if named else row(self._systems.get(None, _OneSystem()))


TOTAL = "total"


class RubricInput(RawRow):
    task: Name
    system: Name
    items: dict[str, Count]
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
    """Return the kinds that have a share."""
    return {kind: Part(items[kind], share) for kind, share in shares.items() if share is not None}


def item_weighted(parts: Iterable[Part]) -> float | None:
    parts = list(parts)
    whole = sum(part.items for part in parts)
    return fsum(part.items * part.share for part in parts) / whole if whole else None


@dataclass
class _RubricSystem:
    """The sums of one system by task and kind, with the kind `total`. Several rows may be of one task."""

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
        return {
            "macro": {name: _interval([(task, v, 1.0) for task, v in self._tasks(name)]) for name in names},
            "micro": {
                name: _interval(
                    [(task, one.items * one.share, float(one.items)) for task, one in self._parts(name)]
                )
                for name in names
            },
        }

    def _tasks(self, name: str) -> list[tuple[str, float]]:
        return [(task, fsum(own[name]) / len(own[name])) for task, own in self.by_task.items() if name in own]

    def _parts(self, name: str) -> list[tuple[str, Part]]:
        if name == TOTAL:
            return [one for parts in self.parts.values() for one in parts]
        return self.parts.get(name, [])


def _interval(rows: list[tuple[str, float, float]], ends: Ends = SHARE) -> Interval:
    """Return the interval of the ratio of two sums; each row is (task, part, whole)."""
    sums = np.array([[a, b] for _, a, b in rows]).reshape(-1, 2)
    return interval_row(from_sums(sums, [task for task, _, _ in rows], ratio, "share", ends=ends))


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


NAMES = ("pca", "mard", "mad_by_report", "par", "pearson", "spearman")


class RawScores(RawPart):
    A: Number | None
    B: Number | None = None

    @property
    def both(self) -> bool:
        return "B" in self.model_fields_set

    @property
    def missing(self) -> int:
        return (self.A is None) + (self.both and self.B is None)


class AgreementInput(RawRow):
    query: Name
    criterion: Name
    judge: RawScores
    human: RawScores

    @model_validator(mode="after")
    def _of_the_same_reports(self) -> AgreementInput:
        if self.judge.both != self.human.both:
            raise ValueError(
                "`B` stands in one of judge and human; give both, or neither where there is one report"
            )
        return self


class AgreementSums(ProtocolSums[AgreementInput]):
    form = AgreementInput

    def __init__(self) -> None:
        self._scores: list[CriterionScore] = []
        self._lines = 0

    def add(self, row: AgreementInput) -> None:
        self.n_unscored += row.judge.missing + row.human.missing
        self._lines += 1
        beside = str(self._lines)
        self._scores.append(CriterionScore(row.query, "A", beside, row.judge.A, row.human.A))
        if row.judge.both:
            self._scores.append(CriterionScore(row.query, "B", beside, row.judge.B, row.human.B))

    def values(self) -> JsonObject:
        found = consistency(self._scores, intervals=False)
        figures = {name: v.value for name, v in _statistics(found).items()}
        return {"pca": figures.pop("pca"), "pca_chance": found.pca_chance, **figures}

    def intervals(self) -> JsonObject:
        return {name: interval_row(v) for name, v in _statistics(consistency(self._scores)).items()}

    def counted(self) -> dict[str, int]:
        return {name: v.n for name, v in _statistics(consistency(self._scores, intervals=False)).items()}


def _statistics(found: Consistency) -> dict[str, Statistic]:
    """Choose the statistics of the protocol, by name."""
    return {name: getattr(found, name) for name in NAMES}
