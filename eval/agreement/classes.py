"""The difference of two judges: their labels crossed, each class's precision and recall, and the view in two classes."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from drr.eval.agreement.rows import BinaryRow, ClassesRow, ClassRow, row_of
from drr.eval.stats import agreement as ag
from drr.eval.stats.aligned import aligned
from drr.eval.stats.intervals import SHARE, V, from_sums, ratio

SUPPORTED = ("full", "partial")
"""The positive class of support in two classes; of pairs it is A, and ties are left out."""


def support_classes(
    x: Sequence[str | None], y: Sequence[str | None], categories: Sequence[str], clusters: Sequence[str]
) -> ClassesRow:
    return _classes(x, y, categories, SUPPORTED, clusters)


def pair_classes(
    x: Sequence[str | None], y: Sequence[str | None], categories: Sequence[str], clusters: Sequence[str]
) -> ClassesRow:
    return _classes(x, y, categories, ("A",), clusters, drop=(ag.TIE,))


def _classes(
    x: Sequence[str | None],
    y: Sequence[str | None],
    categories: Sequence[str],
    positive: Collection[str],
    clusters: Sequence[str] | None,
    drop: Collection[str] = (),
) -> ClassesRow:
    """Compare the classes, the judge's labels first. Precision is how often it is right where it says so,
    recall how often it says so where it is."""
    a, b, _, _ = aligned(x, y, clusters)
    return {
        "confusion": {
            category: {
                true: sum(pair == (category, true) for pair in zip(a, b, strict=True)) for true in categories
            }
            for category in categories
        },
        "classes": {one: _class(x, y, clusters, {one}) for one in categories},
        "binary": _binary(x, y, positive, clusters, drop),
    }


def _class(
    x: Sequence[str | None],
    y: Sequence[str | None],
    clusters: Sequence[str] | None,
    ones: Collection[str],
    drop: Collection[str] = (),
) -> ClassRow:
    names = " or ".join(ones)
    return {
        "precision": row_of(_share(x, y, clusters, ones, drop, f"of what the first calls {names}")),
        "recall": row_of(_share(y, x, clusters, ones, drop, f"of what the second calls {names}")),
    }


def _share(
    of: Sequence[str | None],
    beside: Sequence[str | None],
    clusters: Sequence[str] | None,
    ones: Collection[str],
    drop: Collection[str],
    method: str,
) -> V:
    """Share of those that one of them calls so and the other does too; `n` is how many there are."""
    a, b, c, lost = aligned(of, beside, clusters, drop)
    kept = [(float(q in ones), name) for p, q, name in zip(a, b, c, strict=True) if p in ones]
    rows = np.array([[same, 1.0] for same, _ in kept]).reshape(-1, 2)
    return from_sums(rows, [name for _, name in kept], ratio, f"share {method}", n_unscored=lost, ends=SHARE)


def _binary(
    x: Sequence[str | None],
    y: Sequence[str | None],
    positive: Collection[str],
    clusters: Sequence[str] | None,
    drop: Collection[str],
) -> BinaryRow:
    yes = " or ".join(positive)
    left, right = (
        [None if p is None or p in drop else (yes if p in positive else "else") for p in side]
        for side in (x, y)
    )
    return {
        "positive": list(positive),
        "exact": row_of(ag.exact_agreement(left, right, clusters=clusters)),
        "kappa": row_of(ag.cohen_kappa(left, right, clusters=clusters, categories=(yes, "else"))),
        **_class(left, right, clusters, (yes,)),
    }
