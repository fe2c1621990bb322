"""Two variants of a study side by side, metric by metric, on the queries that both answered."""

from __future__ import annotations

from collections.abc import Sequence

from drr.eval.metrics import metrics
from drr.eval.metrics.coverage import variants_of
from drr.eval.metrics.document import SCHEMA, banner
from drr.eval.metrics.pairing import PairedMetrics
from drr.eval.metrics.rows import CompareDocument, FloorRow
from drr.eval.metrics.said_again import values_again
from drr.eval.metrics.same_reports import equal_reports, texts_of
from drr.eval.stats.intervals import PairedDifference, with_holm
from drr.eval.stats.noise import noise_floor
from drr.eval.stats.pairs import pair_results
from drr.eval.tasks.judged import Judged


def compare(judged: Judged, a: str, b: str, again: Sequence[Judged] = ()) -> CompareDocument:
    """Paired differences, `a` minus `b`, on the queries both answered; Holm within each family of metrics.

    `again`: what the judge said when asked again, for the noise floor where no question has two trials.
    """
    tested: dict[str, PairedDifference] = {}
    values = PairedMetrics(judged)
    for differences in values.by_family(a, b):
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
        "noise": {name: floor for name, floor in _floors(judged, values, again).items() if name in tested},
        "about": {name: metric.document() for name, metric in metrics().items() if name in tested},
        "pairwise": [
            result.document()
            for result in pair_results(judged.comparisons())
            if {result.a, result.b} == {a, b}
        ],
    }


def _floors(judged: Judged, values: PairedMetrics, again: Sequence[Judged]) -> dict[str, FloorRow]:
    """Find the floors over all systems of the study, as `drr report` has them."""
    again_values = values_again([judged, *again]) if again else {}
    systems = {variant: values.values(variant) for variant in variants_of(judged)}
    found: dict[str, FloorRow] = {}
    for name in dict.fromkeys(name for own in systems.values() for name in own):
        trials = {variant: own[name] for variant, own in systems.items() if name in own}
        floor = noise_floor(trials, again_values.get(name))
        if floor is not None:
            found[name] = {"value": floor.value, "by": floor.by, "n": floor.n}
    return found
