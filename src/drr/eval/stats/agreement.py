"""Statistics of agreement between judges, people or models. Every statistic is a `Statistic`; an undefined one is `None`, never 0 or 1.

Definitions and edge cases are those of `docs/judging-reference.md`, "Labels". Items are aligned sequences; `None` is a missing
judgement, which is dropped and counted. Intervals are over clusters (queries) where these are given, else over items.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Generic, Literal, NamedTuple, TypeVar

import numpy as np
from drr.eval.stats.intervals import (
    RELATED,
    SHARE,
    Floats,
    Statistic,
    empty_statistic,
    from_sums,
    mean_of,
    ratio,
    safe_division,
)

Label = str | float
LabelT = TypeVar("LabelT", bound=Label)
Labels = Sequence[Label | None]
Clusters = Sequence[str] | None


class SharedLabels(NamedTuple, Generic[LabelT]):
    """The labels of the items that both judged."""

    a: list[LabelT]
    b: list[LabelT]
    clusters: list[str]
    lost: int
    """Number of items that one of them did not judge, or judged with a dropped label."""


def align_labels(
    a: Sequence[LabelT | None], b: Sequence[LabelT | None], clusters: Clusters, drop: Collection[Label] = ()
) -> SharedLabels[LabelT]:
    """Align two judges' labels. Without clusters, every item is its own cluster."""
    names = [str(i) for i in range(len(a))] if clusters is None else clusters
    kept = [
        (x, y, c)
        for x, y, c in zip(a, b, names, strict=True)
        if x is not None and y is not None and x not in drop and y not in drop
    ]
    return SharedLabels(
        [x for x, _, _ in kept], [y for _, y, _ in kept], [c for _, _, c in kept], len(a) - len(kept)
    )


Level = Literal["nominal", "ordinal", "interval"]
TIE = "tie"


def _categories(labels: Iterable[Label], given: Sequence[Label] | None) -> list[Label]:
    if given is not None:
        return list(given)
    return sorted(set(labels), key=lambda label: (isinstance(label, str), label))


def _of_table(
    both: SharedLabels[Label],
    categories: Sequence[Label] | None,
    name: str,
    statistic: Callable[[Floats], Floats],
    left_out: Collection[Label] = (),
) -> Statistic:
    """Compute a statistic of the table of both judges' labels. `statistic` maps tables, one per row, to values."""
    order = _categories([*both.a, *both.b], categories)
    k = len(order)
    left = f", {', '.join(map(str, left_out))} left out" if left_out else ""
    method = f"{name} over {k} classes{left}"
    if not both.a or k < 2:
        return empty_statistic(method, both.lost, len(both.a))
    place = {label: i for i, label in enumerate(order)}
    cells = np.zeros((len(both.a), k * k))
    cells[np.arange(len(both.a)), [place[x] * k + place[y] for x, y in zip(both.a, both.b, strict=True)]] = 1

    def of_sums(sums: Floats) -> Floats:
        return statistic(sums.reshape(-1, k, k))

    return from_sums(cells, both.clusters, of_sums, method, n_unscored=both.lost, cut=RELATED)


def _beyond_chance(observed: Floats, chance: Floats) -> Floats:
    """Return the agreement beyond chance; undefined where chance leaves no disagreement."""
    return 1 - safe_division(observed, chance, least=1e-12)


def cohen_kappa(
    a: Labels,
    b: Labels,
    *,
    clusters: Clusters = None,
    drop: Collection[Label] = (),
    categories: Sequence[Label] | None = None,
    weights: Literal["quadratic"] | None = None,
) -> Statistic:
    """Compute Cohen's kappa, (po - pe)/(1 - pe); `None` where chance agreement is 1. Quadratic weights are (i - j)^2/(k - 1)^2 over the given order."""

    def statistic(table: Floats) -> Floats:
        k = table.shape[-1]
        steps = np.arange(k, dtype=np.float64)
        apart = (steps[:, None] - steps[None, :]) ** 2 / (k - 1) ** 2 if weights else 1.0 - np.eye(k)
        joint = table / table.sum(axis=(1, 2), keepdims=True)
        expected = joint.sum(axis=2)[:, :, None] * joint.sum(axis=1)[:, None, :]
        return _beyond_chance((joint * apart).sum(axis=(1, 2)), (expected * apart).sum(axis=(1, 2)))

    name = "quadratic-weighted kappa" if weights else "Cohen's kappa"
    return _of_table(align_labels(a, b, clusters, drop), categories, name, statistic, drop)


def gwet_ac1(
    a: Labels, b: Labels, *, clusters: Clusters = None, categories: Sequence[Label] | None = None
) -> Statistic:
    """Compute Gwet's AC1, a chance-corrected agreement. Unlike kappa, it holds up where one class dominates."""

    def statistic(table: Floats) -> Floats:
        joint = table / table.sum(axis=(1, 2), keepdims=True)
        observed: Floats = np.trace(joint, axis1=1, axis2=2)
        prevalence = (joint.sum(axis=2) + joint.sum(axis=1)) / 2
        chance: Floats = (prevalence * (1 - prevalence)).sum(axis=1) / (table.shape[-1] - 1)
        return (observed - chance) / (1 - chance)

    return _of_table(align_labels(a, b, clusters), categories, "Gwet's AC1", statistic)


def krippendorff_alpha(
    raters: Sequence[Labels],
    *,
    level: Level = "nominal",
    clusters: Clusters = None,
    categories: Sequence[Label] | None = None,
) -> Statistic:
    """Compute Krippendorff's alpha of any number of raters. Labels may be missing; an item with fewer than two is dropped."""
    every = [[x for x in item if x is not None] for item in zip(*raters, strict=True)]
    names = [str(i) for i in range(len(every))] if clusters is None else clusters
    items = [(values, c) for values, c in zip(every, names, strict=True) if len(values) > 1]
    order = _categories((x for values, _ in items for x in values), categories)
    k, lost = len(order), len(every) - len(items)
    method = f"Krippendorff's alpha ({level}), {len(raters)} raters"
    if not items or k < 2:
        return empty_statistic(method, lost, len(items))
    rows = _coincidences([values for values, _ in items], order)
    steps = np.array([float(x) for x in order]) if level == "interval" else np.arange(k, dtype=np.float64)

    def statistic(sums: Floats) -> Floats:
        table = sums.reshape(-1, k, k)
        totals = table.sum(axis=2)
        distance = _distances(level, totals, steps)
        observed = (table * distance).sum(axis=(1, 2))
        expected = (totals[:, :, None] * totals[:, None, :] * distance).sum(axis=(1, 2))
        return _beyond_chance(observed, expected / (totals.sum(axis=1) - 1))

    return from_sums(rows, [c for _, c in items], statistic, method, n_unscored=lost, cut=RELATED)


def _coincidences(items: Sequence[Sequence[Label]], order: Sequence[Label]) -> Floats:
    """Count, for each item, how often each label meets each other in pairs of judgements."""
    position = {label: i for i, label in enumerate(order)}
    k = len(order)
    rows = np.zeros((len(items), k * k))
    for row, values in enumerate(items):
        counts = np.bincount([position[x] for x in values], minlength=k).astype(np.float64)
        rows[row] = ((np.outer(counts, counts) - np.diag(counts)) / (len(values) - 1)).ravel()
    return rows


def _distances(level: Level, totals: Floats, steps: Floats) -> Floats:
    """Return the distance of any two labels: by inequality, by value, or by the number of items between them."""
    if level == "ordinal":
        below = np.cumsum(totals, axis=1) - totals / 2
        between: Floats = (below[:, :, None] - below[:, None, :]) ** 2
        return between
    apart: Floats = 1.0 - np.eye(len(steps)) if level == "nominal" else (steps[:, None] - steps[None, :]) ** 2
    return np.broadcast_to(apart, (len(totals), *apart.shape))


def exact_agreement(a: Labels, b: Labels, *, clusters: Clusters = None) -> Statistic:
    x, y, c, lost = align_labels(a, b, clusters)
    equal = [float(p == q) for p, q in zip(x, y, strict=True)]
    return mean_of(equal, c, "share of equal labels", n_unscored=lost)


def f1_score(a: Labels, b: Labels, name: Label, *, clusters: Clusters = None) -> Statistic:
    """Return the harmonic mean of precision and recall of one class, the same whoever is asked first."""
    x, y, c, lost = align_labels(a, b, clusters)
    rows = np.array([[2.0 * (p == q == name), (p == name) + (q == name)] for p, q in zip(x, y, strict=True)])
    return from_sums(rows.reshape(-1, 2), c, ratio, f"F1 of {name}", n=len(x), n_unscored=lost, ends=SHARE)


def ties_share(a: Labels, b: Labels, *, clusters: Clusters = None) -> Statistic:
    """Return the share of pairs with a tie from either judge, among pairs that both judged."""
    x, y, c, lost = align_labels(a, b, clusters)
    tied = [float(TIE in (p, q)) for p, q in zip(x, y, strict=True)]
    return mean_of(tied, c, "share of pairs with a tie of either", n_unscored=lost)


def soft_disagreement(a: Labels, b: Labels, *, clusters: Clusters = None) -> Statistic:
    """Return the share of disagreements in which one judge said tie (the paper's "soft" disagreement)."""
    x, y, c, lost = align_labels(a, b, clusters)
    apart = [(float(TIE in (p, q)), cluster) for p, q, cluster in zip(x, y, c, strict=True) if p != q]
    method = "share of disagreements that are tie against A or B"
    return mean_of([soft for soft, _ in apart], [cluster for _, cluster in apart], method, n_unscored=lost)


def repeat_stability(labels: Sequence[Labels], clusters: Sequence[str]) -> Statistic:
    """Return the share of units that have one and the same label in k >= 2 repetitions."""
    units = zip(labels, clusters, strict=True)
    # A failed call is no label, so it must not count as one that differs.
    complete = [(float(len(set(unit)) == 1), c) for unit, c in units if len(unit) > 1 and None not in unit]
    lost, method = len(labels) - len(complete), "share of units with the same label every time"
    return mean_of([same for same, _ in complete], [c for _, c in complete], method, n_unscored=lost)


ClaimSets = Sequence[tuple[frozenset[str], frozenset[str]]]
"""Claims as pairs of their words and their URLs."""


def claim_overlap(first: ClaimSets, second: ClaimSets) -> float | None:
    """Return the Jaccard overlap of two extractions of one report. Claims match by equal URLs and token F1 >= 0.8."""
    if not first and not second:
        return None
    left, matched = list(second), 0
    for words, urls in first:
        scores = [(_f1(words, other), i) for i, (other, others) in enumerate(left) if others == urls]
        best = max(scores, default=(0.0, -1))
        if best[0] >= 0.8:
            matched += 1
            del left[best[1]]
    return matched / (len(first) + len(second) - matched)


def _f1(a: frozenset[str], b: frozenset[str]) -> float:
    return 2 * len(a & b) / (len(a) + len(b)) if a or b else 1.0
