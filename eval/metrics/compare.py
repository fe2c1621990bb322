"""Two variants of a study side by side, metric by metric, on the queries that both answered."""

from __future__ import annotations

from drr.eval.metrics import metrics
from drr.eval.metrics.document import SCHEMA, banner
from drr.eval.metrics.pairing import PairedMetrics
from drr.eval.metrics.rows import CompareDocument
from drr.eval.metrics.same_reports import equal_reports, texts_of
from drr.eval.stats.intervals import PairedDifference, with_holm
from drr.eval.stats.pairs import pair_results
from drr.eval.tasks.judged import Judged


def compare(judged: Judged, a: str, b: str) -> CompareDocument:
    """Paired differences, `a` minus `b`, on the queries both answered; Holm within each family of metrics."""
    tested: dict[str, PairedDifference] = {}
    for differences in PairedMetrics(judged).by_family(a, b):
        tested |= with_holm(differences)
    texts = texts_of(judged.answers)
    same, shared = equal_reports(texts.get(a, {}), texts.get(b, {}))
    return {
        "schema": SCHEMA,
        "a": a,
        "b": b,
        "judge": judged.judging.judge if judged.judging else None,
        "banner": banner(judged),
        "same_reports": same,
        "reports": shared,
        "metrics": {name: difference.document() for name, difference in tested.items()},
        "about": {name: metric.document() for name, metric in metrics().items() if name in tested},
        "pairwise": [
            result.document()
            for result in pair_results(judged.comparisons())
            if {result.a, result.b} == {a, b}
        ],
    }
