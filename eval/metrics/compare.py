"""Two variants of a study side by side, metric by metric, on the queries that both answered."""

from __future__ import annotations

from drr.eval.metrics import families, metrics
from drr.eval.metrics.base import Family
from drr.eval.metrics.document import SCHEMA, banner
from drr.eval.metrics.rows import CompareDocument
from drr.eval.stats.intervals import PairedDifference, paired, with_holm
from drr.eval.stats.pairs import pair_results
from drr.eval.tasks.judged import Judged

ByQuery = dict[str, list[float | None]]


def compare(judged: Judged, a: str, b: str) -> CompareDocument:
    """Paired differences, `a` minus `b`, on the queries both answered; Holm within each family of metrics."""
    tested: dict[str, PairedDifference] = {}
    ends = {name: metric.range for name, metric in metrics().items()}
    for family in families():
        left, right = _by_metric(family, judged, a), _by_metric(family, judged, b)
        shared = [name for name in left if name in right]
        tested |= with_holm({name: paired(left[name], right[name], ends.get(name)) for name in shared})
    return {
        "schema": SCHEMA,
        "a": a,
        "b": b,
        "judge": judged.judging.judge if judged.judging else None,
        "banner": banner(judged),
        "metrics": {name: difference.document() for name, difference in tested.items()},
        "about": {name: metric.document() for name, metric in metrics().items() if name in tested},
        "pairwise": [
            result.document()
            for result in pair_results(judged.comparisons())
            if {result.a, result.b} == {a, b}
        ],
    }


def _by_metric(family: Family, judged: Judged, variant: str) -> dict[str, ByQuery]:
    """A metric that some report of the variant has, is unknown for those that lack it."""
    values = [
        (answer.query_id, family.per_report(judged, answer))
        for answer in judged.answers
        if answer.variant == variant
    ]
    found: dict[str, ByQuery] = {name: {} for _, known in values for name in known}
    for query, known in values:
        for name, by_query in found.items():
            by_query.setdefault(query, []).append(known.get(name))
    return found
