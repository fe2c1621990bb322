"""The agreement of the annotators of one plan, while they work."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.annotate.labels import notebooks
from drr.app.annotate.plan import AnnotationPlan, BlindPair
from drr.eval.labels import pair_id

if TYPE_CHECKING:
    from drr.eval.stats.intervals import V

CLASSES = ("A", "B", "tie")


def live_agreement(plan: AnnotationPlan, folder: Path) -> list[tuple[str, V]]:
    """Cohen's kappa per dimension over the pairs that two annotators both labelled; `both_bad` counts as a tie.

    With more than two annotators every two of them are laid end to end, clustered by the question's words: one task at several sizes is one.
    """
    from drr.eval.stats.agreement import cohen_kappa

    labels: dict[str, dict[tuple[str, str], str]] = {
        name: {(row["id"], row["dimension"]): str(row["label"]) for row in book.labels()}
        for name, book in notebooks(folder, plan).items()
    }
    query_of = {_label_id(pair): pair.query for pair in plan.pairs}
    rows = []
    for dimension in plan.dimensions:
        one: list[str | None] = []
        other: list[str | None] = []
        clusters: list[str] = []
        for a, b in combinations(labels.values(), 2):
            for key in sorted(a.keys() & b.keys()):
                if key[1] == dimension:
                    one.append(_three(a[key]))
                    other.append(_three(b[key]))
                    clusters.append(query_of[key[0]])
        rows.append((dimension, cohen_kappa(one, other, clusters=clusters, categories=CLASSES)))
    return rows


def _label_id(pair: BlindPair) -> str:
    return pair_id(pair.query_id, pair.system_a, pair.system_b, pair.trial)


def _three(label: str) -> str:
    return "tie" if label == "both_bad" else label
