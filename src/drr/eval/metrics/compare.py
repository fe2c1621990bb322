"""Compares two variants of a study, metric by metric, on the queries that both answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from drr.eval.metrics import families, family_values, metric, metrics, unanswered, values_of
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


@dataclass(frozen=True)
class PairedMetrics:
    """Values of reports paired by query. Each variant's values are computed once for all its pairs."""

    judged: Judged
    chosen: Sequence[Family] = ()
    """Families to compare; default: all that the judging run has figures of."""
    _paired: dict[tuple[Family, str], dict[str, ByQuery]] = field(default_factory=dict)

    def by_family(
        self, a: str, b: str, there: PairedMetrics | None = None
    ) -> list[dict[str, PairedDifference]]:
        """Return `a` minus `b` (`b` perhaps from `there`) on shared queries, for each family's shared metrics."""
        found = []
        for family in self.among:
            left, right = self._by_metric(family, a), (there or self)._by_metric(family, b)
            shared = [name for name in left if name in right]
            ends = metrics(shared)
            found.append({name: paired(left[name], right[name], ends[name].range) for name in shared})
        return found

    @cached_property
    def among(self) -> Sequence[Family]:
        return self.chosen or families(self.judged)

    def values(self, variant: str) -> dict[str, ByQuery]:
        """Return the values of every family, by metric."""
        each = (self._by_metric(family, variant) for family in self.among)
        return {name: values for found in each for name, values in found.items()}

    def _by_metric(self, family: Family, variant: str) -> dict[str, ByQuery]:
        """Return a family's values by metric. A metric that some reports of the variant have is unknown for the others."""
        if (family, variant) not in self._paired:
            own = [answer for answer in self.judged.answers if answer.variant == variant]
            values = [(answer.asked, family_values(self.judged, family, answer)) for answer in own]
            names = dict.fromkeys(name for _, known in values for name in known)
            values += unanswered(self.judged, variant, [family])
            self._paired[family, variant] = {
                name: grouped((query, known.get(name)) for query, known in values) for name in names
            }
        return self._paired[family, variant]


def values_again(judgings: Sequence[Judged]) -> dict[str, dict[str, dict[str, list[float | None]]]]:
    """Map metric, system and answer to the values of each judging run. Metrics that need no verdict are left out, because they were not judged again."""
    first = judgings[0]
    bare = replace(first, support={}, addresses={}, ratings={}, failures={}, others={})
    code = {
        name
        for answer in first.answers
        for name, value in values_of(bare, answer).items()
        if value is not None
    }
    found: dict[str, dict[str, dict[str, list[float | None]]]] = {}
    for judged in (_whole(one, first) for one in judgings):
        for answer in judged.answers:
            for name, value in values_of(judged, answer).items():
                if name not in code:
                    own = found.setdefault(name, {}).setdefault(answer.variant, {})
                    own.setdefault(answer.key, []).append(value)
    return {name: found[name] for name, one in metrics(found).items() if one.judged}


def _whole(again: Judged, first: Judged) -> Judged:
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


def compare(judged: Judged, a: str, b: str, again: Sequence[Judged] = ()) -> CompareDocument:
    """Compare `a` minus `b` on the queries both answered, with Holm's correction within each family of metrics.

    `again` holds repeated judging runs, for the noise floor where no question has two trials.
    """
    tested: dict[str, PairedDifference] = {}
    values = PairedMetrics(judged)
    for differences in values.by_family(a, b):
        tested |= with_holm(differences)
    texts, variants = texts_of(judged.answers), variants_of(judged)
    same, shared = count_equal_reports(texts.get(a, {}), texts.get(b, {}))
    return {
        "schema": SCHEMA,
        "a": a,
        "b": b,
        "judge": judged.judging.judge if judged.judging else None,
        "banner": banner(judged),
        "figures": {name: row for name in (a, b) if (row := figures_of(judged, variants[name])) is not None},
        "same_reports": same,
        "reports": shared,
        "metrics": {name: difference.document() for name, difference in tested.items()},
        "noise": {
            name: floor._asdict() for name, floor in _floors(judged, values, again).items() if name in tested
        },
        "about": {name: one.document() for name, one in metrics(tested).items()},
        "pairwise": [row for row in pair_results(judged.comparisons()) if {row["a"], row["b"]} == {a, b}],
    }


def _floors(judged: Judged, values: PairedMetrics, again: Sequence[Judged]) -> dict[str, RepetitionFloor]:
    """Compute the noise floors over all systems of the study, as in `drr report`."""
    again_values = values_again([judged, *again]) if again else {}
    systems = {variant: values.values(variant) for variant in variants_of(judged)}
    found: dict[str, RepetitionFloor] = {}
    for name in dict.fromkeys(name for own in systems.values() for name in own):
        trials = {variant: own[name] for variant, own in systems.items() if name in own}
        floor = None if metric(name).across_trials else noise_floor(trials, again_values.get(name))
        if floor is not None:
            found[name] = floor
    return found
