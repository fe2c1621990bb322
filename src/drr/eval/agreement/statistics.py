"""Computes the statistics of two judges on the same things, by task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations

from drr.eval.agreement.rows import (
    ClassesRow,
    ClassRow,
    Statistics,
    SupportRow,
    preference_row,
    row_of,
)
from drr.eval.stats import agreement as ag
from drr.eval.stats import correlation
from drr.eval.stats.agreement import align_labels
from drr.eval.stats.correlation import difference
from drr.eval.stats.intervals import mean_of

SUPPORT = ("none", "partial", "full")
SUPPORT_SCORE = {"none": 0.0, "partial": 0.5, "full": 1.0}
PAIRWISE = ("A", "tie", "B")
_POSITIVE: Mapping[tuple[str, ...], tuple[str, ...]] = {SUPPORT: ("full", "partial"), PAIRWISE: ("A",)}
"""The labels that form the positive class where there are two classes; ties are left out."""
OF_TEN = 10.0
"""Width of the scale of ratings, 0 to 10."""


def support_statistics(
    x: Sequence[str | None],
    y: Sequence[str | None],
    clusters: Sequence[str],
    means: Sequence[float] | None = None,
) -> SupportRow:
    """Compare two judges' labels of support. Deviation and bias are against `means` where given, because a class is a rounded mean."""
    judged, people = ([None if label is None else SUPPORT_SCORE[label] for label in side] for side in (x, y))
    beside = people if means is None else means
    kappa = partial(ag.cohen_kappa, x, y, clusters=clusters, categories=SUPPORT)
    mad = correlation.mean_absolute_deviation(judged, beside, name="MAD", clusters=clusters, width=1.0)
    return {
        "exact": row_of(ag.exact_agreement(x, y, clusters=clusters)),
        "kappa": row_of(kappa()),
        "weighted_kappa": row_of(kappa(weights="quadratic")),
        "ac1": row_of(ag.gwet_ac1(x, y, clusters=clusters, categories=SUPPORT)),
        "mad": row_of(mad),
        "bias": row_of(correlation.bias(judged, beside, clusters=clusters, width=1.0)),
    }


def pairwise_statistics(
    x: Sequence[str | None], y: Sequence[str | None], clusters: Sequence[str] | None = None
) -> Statistics:
    kappa = partial(ag.cohen_kappa, x, y, clusters=clusters)
    found = {
        "exact": ag.exact_agreement(x, y, clusters=clusters),
        "kappa_no_ties": kappa(drop={ag.TIE}, categories=("A", "B")),
        "kappa_with_ties": kappa(categories=PAIRWISE),
        "weighted_kappa": kappa(categories=PAIRWISE, weights="quadratic"),
        "ac1": ag.gwet_ac1(x, y, clusters=clusters, categories=PAIRWISE),
        "soft_disagreement": ag.soft_disagreement(x, y, clusters=clusters),
        "ties_share": ag.ties_share(x, y, clusters=clusters),
    }
    return {name: row_of(v) for name, v in found.items()}


def rating_statistics(
    x: Sequence[float | None],
    y: Sequence[float | None],
    clusters: Sequence[str],
    dimensions: Sequence[str] | None = None,
) -> Statistics:
    """Compare ratings, `x` minus `y`. PCA is over the pairs of answers to one question under one dimension."""
    groups: dict[tuple[str, str], list[int]] = {}
    for i, cluster in enumerate(clusters):
        groups.setdefault((cluster, dimensions[i] if dimensions else ""), []).append(i)
    inside = [(i, j) for members in groups.values() for i, j in combinations(members, 2)]
    dx = [difference(x[i], x[j]) for i, j in inside]
    dy = [difference(y[i], y[j]) for i, j in inside]
    where = [clusters[i] for i, _ in inside]
    pca, chance = correlation.preference_agreement(dx, dy, clusters=where)
    decided, chance_decided = correlation.preference_agreement(
        dx, dy, clusters=where, without_human_ties=True
    )
    return {
        "spearman": row_of(correlation.spearman(x, y, unit="report", clusters=clusters)),
        "kendall": row_of(correlation.kendall_tau_b(x, y, unit="report", clusters=clusters)),
        "pearson": row_of(correlation.pearson(x, y, unit="report", clusters=clusters)),
        "mard": row_of(correlation.mean_absolute_deviation(x, y, clusters=clusters, width=OF_TEN)),
        "bias": row_of(correlation.bias(x, y, clusters=clusters, width=OF_TEN)),
        "pca": preference_row(pca, chance),
        "pca_no_human_ties": preference_row(decided, chance_decided),
    }


def crossed_classes(
    x: Sequence[str | None], y: Sequence[str | None], clusters: Sequence[str], categories: tuple[str, ...]
) -> ClassesRow:
    """Compare the labels class by class, the judge's first. Precision is how often the judge is right with a label, recall how often it finds one."""
    a, b, _, _ = align_labels(x, y, clusters)
    pairs = Counter(zip(a, b, strict=True))
    positive = _POSITIVE[categories]
    yes = " or ".join(positive)
    left, right = (
        [None if p is None or p == ag.TIE else yes if p in positive else "else" for p in side]
        for side in (x, y)
    )
    return {
        "confusion": {one: {true: pairs[one, true] for true in categories} for one in categories},
        "classes": {one: _class(x, y, clusters, one) for one in categories},
        "binary": {
            "positive": list(positive),
            "exact": row_of(ag.exact_agreement(left, right, clusters=clusters)),
            "kappa": row_of(ag.cohen_kappa(left, right, clusters=clusters, categories=(yes, "else"))),
            **_class(left, right, clusters, yes),
        },
    }


def _class(x: Sequence[str | None], y: Sequence[str | None], clusters: Sequence[str], name: str) -> ClassRow:
    """Return the shares of what one judge calls so that the other calls so too; `n` is their number."""
    found = []
    for of, beside, judge in ((x, y, "first"), (y, x, "second")):
        a, b, c, lost = align_labels(of, beside, clusters)
        kept = [(float(q == name), cluster) for p, q, cluster in zip(a, b, c, strict=True) if p == name]
        method, asked = f"share of what the {judge} calls {name}", [cluster for _, cluster in kept]
        found.append(row_of(mean_of([same for same, _ in kept], asked, method, n_unscored=lost)))
    return {"precision": found[0], "recall": found[1]}
