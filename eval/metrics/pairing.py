"""Paired differences between variants of a judging, metric by metric: the one place where figures of two variants are subtracted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from drr.eval.evidence.answers import Answer
from drr.eval.metrics import families, metrics
from drr.eval.metrics.base import Family, Values
from drr.eval.stats.asked import AskedQuestion
from drr.eval.stats.intervals import PairedDifference, paired
from drr.eval.tasks.judged import Judged

ByQuery = dict[AskedQuestion, list[float | None]]


@dataclass(frozen=True)
class PairedMetrics:
    """The values of a variant's reports are worked out once, in however many pairs it is."""

    judged: Judged
    among: Sequence[Family] = field(default_factory=families)
    known: dict[tuple[Family, str], Values] = field(default_factory=dict)
    """Values that do not hang on which other reports there are, by family and answer: for who pairs parts of a judging too."""
    _held: dict[tuple[str, int], dict[str, ByQuery]] = field(default_factory=dict)

    def by_family(
        self, a: str, b: str, there: PairedMetrics | None = None
    ) -> list[dict[str, PairedDifference]]:
        """`a` minus `b`, which may be `there`, on the queries that both scored; of each family the metrics that both have."""
        ends = {name: metric.range for name, metric in metrics().items()}
        found = []
        for place in range(len(self.among)):
            left, right = self._by_metric(place, a), (there or self)._by_metric(place, b)
            shared = [name for name in left if name in right]
            found.append({name: paired(left[name], right[name], ends.get(name)) for name in shared})
        return found

    def values(self, variant: str) -> dict[str, ByQuery]:
        """Of every family."""
        return {
            name: values
            for place in range(len(self.among))
            for name, values in self._by_metric(place, variant).items()
        }

    def _by_metric(self, place: int, variant: str) -> dict[str, ByQuery]:
        """A metric that some report of the variant has, is unknown for those that lack it."""
        if (variant, place) in self._held:
            return self._held[variant, place]
        family = self.among[place]
        values = [
            (answer.asked, self._values(family, answer))
            for answer in self.judged.answers
            if answer.variant == variant
        ]
        found: dict[str, ByQuery] = {name: {} for _, known in values for name in known}
        for query, known in values:
            for name, by_query in found.items():
                by_query.setdefault(query, []).append(known.get(name))
        self._held[variant, place] = found
        return found

    def _values(self, family: Family, answer: Answer) -> Values:
        found = self.known.get((family, answer.key))
        if found is None:
            found = self.known[family, answer.key] = family.per_report(self.judged, answer)
        return found
