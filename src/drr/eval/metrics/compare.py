"""Compares two variants of a study, metric by metric, on the queries that both answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from drr.eval.evidence.answers import Answer
from drr.eval.metrics import all_failed, families, family_values, metric, metrics, unanswered, values_of
from drr.eval.metrics.base import Family
from drr.eval.metrics.coverage import count_equal_reports, texts_of, variants_of
from drr.eval.metrics.document import SCHEMA, banner
from drr.eval.metrics.rows import CompareDocument
from drr.eval.metrics.rules import figures_of
from drr.eval.stats.differences import PairedDifference, RepetitionFloor, noise_floor, paired, with_holm
from drr.eval.stats.pairs import pair_results
from drr.eval.stats.question import AskedQuestion, grouped
from drr.eval.tasks.judgements import Judged

ByQuery = dict[AskedQuestion, list[float | None]]
Again = dict[str, dict[str, dict[str, list[float | None]]]]
"""Values of each judging run, by metric, system and answer."""


@dataclass(frozen=True)
class ValueTable:
    """Values of a study's reports by system, metric, question and trial. Each system's are computed once."""

    judged: Judged
    chosen: Sequence[Family] = ()
    """Families of the metrics; default: all that the judging run has figures of."""
    again: Sequence[Judged] = ()
    """Repeated judging runs, for the noise floor where no question has two trials."""
    _known: dict[tuple[Family, str], dict[str, ByQuery]] = field(default_factory=dict)

    @cached_property
    def among(self) -> Sequence[Family]:
        return self.chosen or families(self.judged)

    @cached_property
    def systems(self) -> dict[str, list[Answer]]:
        return {**variants_of(self.judged), **{name: [] for name in all_failed(self.judged)}}

    def behind(self, system: str) -> Judged:
        """Return the judgements that a system's values come from."""
        return self.judged

    def values(self, system: str) -> dict[str, ByQuery]:
        """Return a system's values by metric."""
        return {name: own for family in self.among for name, own in self._of(family, system).items()}

    def of(self, metric: str) -> dict[str, ByQuery]:
        """Return a metric's values by system; empty where no report of a system has the metric."""
        every = ((system, self._of(family, system)) for family in self.among for system in self.systems)
        known = {system: own[metric] for system, own in every if metric in own}
        return {system: known.get(system, {}) for system in self.systems}

    def contrasts(self, a: str, b: str, there: ValueTable | None = None) -> dict[str, PairedDifference]:
        """Return `a` minus `b` (`b` perhaps from `there`) on shared queries by metric, with Holm's correction within each family."""
        tested: dict[str, PairedDifference] = {}
        for family in self.among:
            left, right = self._of(family, a), (there or self)._of(family, b)
            ends = metrics(left.keys() & right.keys())
            family_tests = {
                name: paired(own, right[name], ends[name].range) for name, own in left.items() if name in ends
            }
            # Family by family: each test that is corrected along makes every difference harder to show.
            tested |= with_holm(family_tests)
        return tested

    def floor(self, name: str) -> RepetitionFloor | None:
        """Return a metric's noise floor: the difference that repetition alone can give; `None` if unknown."""
        if name not in self._floors:
            trials = self.of(name)
            floor = noise_floor(trials) or noise_floor(trials, self._again.get(name))
            # Such a value is one for all trials, so their agreement says nothing about noise.
            self._floors[name] = None if floor is None or metric(name).across_trials else floor
        return self._floors[name]

    @cached_property
    def _floors(self) -> dict[str, RepetitionFloor | None]:
        return {}

    @cached_property
    def _again(self) -> Again:
        return values_again([self.judged, *self.again]) if self.again else {}

    def _of(self, family: Family, system: str) -> dict[str, ByQuery]:
        """Return a family's values by metric. A metric that some reports of the system have is unknown for the others."""
        if (family, system) not in self._known:
            own = self.systems.get(system, ())
            values = [(answer.asked, family_values(self.judged, family, answer)) for answer in own]
            failed = unanswered(self.judged, system, [family])
            names = dict.fromkeys(name for _, known in values or failed for name in known)
            # Code pays 0 for a trial without an answer; else a system that often fails would look better.
            values += failed
            self._known[family, system] = {
                name: grouped((query, known.get(name)) for query, known in values) for name in names
            }
        return self._known[family, system]


def values_again(judgings: Sequence[Judged]) -> Again:
    """Map metric, system and answer to the values of each judging run. Metrics that need no verdict are left out, because they were not judged again."""
    first = judgings[0]
    bare = replace(first, support={}, addresses={}, ratings={}, failures={}, others={})
    code = {
        name
        for answer in first.answers
        for name, value in values_of(bare, answer).items()
        if value is not None
    }
    found: Again = {}
    for judged in (_fully_judged(one, first) for one in judgings):
        for answer in judged.answers:
            for name, value in values_of(judged, answer).items():
                if name not in code:
                    own = found.setdefault(name, {}).setdefault(answer.variant, {})
                    own.setdefault(answer.key, []).append(value)
    return {name: found[name] for name, one in metrics(found).items() if one.judged}


def _fully_judged(again: Judged, first: Judged) -> Judged:
    """Keep the reports that a run judged in full. The mean of a part of the claims would be another figure."""

    def of(task: str, rows: Mapping[str, Any]) -> dict[str, Any]:
        mine, every = again.units_of, first.units_of
        return {key: row for key, row in rows.items() if mine[key][task] >= every[key][task]}

    return replace(
        again,
        support=of("support", again.support),
        addresses=of("citations", again.addresses),
        failures=of("failures", again.failures),
        others={task: of(task, rows) for task, rows in again.others.items()},
    )


def compare_systems(values: ValueTable, a: str, b: str) -> CompareDocument:
    """Compare `a` minus `b` on the queries both answered, with Holm's correction within each family of metrics."""
    judged, systems, tested = values.judged, values.systems, values.contrasts(a, b)
    texts = texts_of(answer for own in systems.values() for answer in own)
    same, shared = count_equal_reports(texts.get(a, {}), texts.get(b, {}))
    banners = dict.fromkeys(filter(None, (banner(values.behind(name)) for name in (a, b))))
    counts = {name: figures_of(values.behind(name), systems[name]) for name in (a, b)}
    return {
        "schema": SCHEMA,
        "a": a,
        "b": b,
        "judge": judged.judging.judge if judged.judging else None,
        "banner": " ".join(banners) or None,
        "figures": {name: row for name, row in counts.items() if row is not None},
        "same_reports": same,
        "reports": shared,
        "metrics": {name: difference.document() for name, difference in tested.items()},
        "noise": {name: floor._asdict() for name in tested if (floor := values.floor(name)) is not None},
        "about": {name: one.document() for name, one in metrics(tested).items()},
        "pairwise": [row for row in pair_results(judged.comparisons()) if {row["a"], row["b"]} == {a, b}],
    }
