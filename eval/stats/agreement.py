"""The agreement of two judges, people or models alike. Every statistic is a `V`; an undefined one is `None`, never 0 or 1.

Definitions and edge cases are those of `docs/judging.md`, "Agreement". Items are aligned sequences; `None` is a missing
judgement and is dropped and counted. Intervals resample clusters (queries) where they are named, else items."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Generic, Literal, NamedTuple, TypeVar

import numpy as np
from drr.eval.stats.intervals import RELATED, Floats, V, from_sums, mean_of, nothing

Label = str | float
LabelT = TypeVar("LabelT", bound=Label)


class Aligned(NamedTuple, Generic[LabelT]):
    """The items that both judged."""

    a: list[LabelT]
    b: list[LabelT]
    clusters: list[str]
    lost: int
    """Items that one of them did not judge, or judged with a label that is left out."""


def aligned(
    a: Sequence[LabelT | None],
    b: Sequence[LabelT | None],
    clusters: Sequence[str] | None,
    drop: Collection[Label] = (),
) -> Aligned[LabelT]:
    """Align the labels; without clusters every item is its own."""
    names = [str(i) for i in range(len(a))] if clusters is None else clusters
    kept = [
        (x, y, c)
        for x, y, c in zip(a, b, names, strict=True)
        if x is not None and y is not None and x not in drop and y not in drop
    ]
    return Aligned(
        [x for x, _, _ in kept], [y for _, y, _ in kept], [c for _, _, c in kept], len(a) - len(kept)
    )


Level = Literal["nominal", "ordinal", "interval"]
TIE = "tie"


def _cells(a: Sequence[Label], b: Sequence[Label], categories: Sequence[Label]) -> Floats:
    """One-hot rows over the k*k cells of the confusion matrix."""
    position = {label: i for i, label in enumerate(categories)}
    k = len(categories)
    rows = np.zeros((len(a), k * k))
    for row, (x, y) in enumerate(zip(a, b, strict=True)):
        rows[row, position[x] * k + position[y]] = 1
    return rows


def _categories(a: Sequence[Label], b: Sequence[Label], given: Sequence[Label] | None) -> list[Label]:
    if given is not None:
        return list(given)
    return sorted({*a, *b}, key=lambda label: (isinstance(label, str), label))


def _kappa_of(k: int, disagreement: Floats) -> Callable[[Floats], Floats]:
    def statistic(sums: Floats) -> Floats:
        table = sums.reshape(-1, k, k)
        n = table.sum(axis=(1, 2), keepdims=True)
        joint = table / n
        expected = joint.sum(axis=2)[:, :, None] * joint.sum(axis=1)[:, None, :]
        observed = (joint * disagreement).sum(axis=(1, 2))
        chance = (expected * disagreement).sum(axis=(1, 2))
        return np.where(chance > 1e-12, 1 - observed / np.where(chance > 1e-12, chance, 1), np.nan)

    return statistic


def cohen_kappa(
    a: Sequence[Label | None],
    b: Sequence[Label | None],
    *,
    clusters: Sequence[str] | None = None,
    drop: Collection[Label] = (),
    categories: Sequence[Label] | None = None,
    weights: Literal["quadratic"] | None = None,
) -> V:
    """(po - pe)/(1 - pe); `None` where chance agreement is 1. Weighted: (i - j)^2/(k - 1)^2 over the given order."""
    x, y, c, lost = aligned(a, b, clusters, drop)
    order = _categories(x, y, categories)
    k = len(order)
    name = "quadratic-weighted kappa" if weights else "Cohen's kappa"
    method = f"{name} over {k} classes" + (f", {', '.join(map(str, drop))} left out" if drop else "")
    if not x or k < 2:
        return nothing(method, lost, len(x))
    steps = np.arange(k, dtype=np.float64)
    disagreement = (steps[:, None] - steps[None, :]) ** 2 / (k - 1) ** 2 if weights else 1.0 - np.eye(k)
    return from_sums(_cells(x, y, order), c, _kappa_of(k, disagreement), method, n_unscored=lost, cut=RELATED)


def gwet_ac1(
    a: Sequence[Label | None],
    b: Sequence[Label | None],
    *,
    clusters: Sequence[str] | None = None,
    categories: Sequence[Label] | None = None,
) -> V:
    """Chance-corrected agreement that survives a dominant class, where kappa does not."""
    x, y, c, lost = aligned(a, b, clusters)
    order = _categories(x, y, categories)
    k = len(order)
    method = f"Gwet's AC1 over {k} classes"
    if not x or k < 2:
        return nothing(method, lost, len(x))

    def statistic(sums: Floats) -> Floats:
        joint = sums.reshape(-1, k, k)
        joint = joint / joint.sum(axis=(1, 2), keepdims=True)
        observed: Floats = np.trace(joint, axis1=1, axis2=2)
        prevalence = (joint.sum(axis=2) + joint.sum(axis=1)) / 2
        chance: Floats = (prevalence * (1 - prevalence)).sum(axis=1) / (k - 1)
        return (observed - chance) / (1 - chance)

    return from_sums(_cells(x, y, order), c, statistic, method, n_unscored=lost, cut=RELATED)


def krippendorff_alpha(
    raters: Sequence[Sequence[Label | None]],
    *,
    level: Level = "nominal",
    clusters: Sequence[str] | None = None,
    categories: Sequence[Label] | None = None,
) -> V:
    """Any number of raters, missing ones allowed; an item with fewer than two judgements says nothing and is dropped."""
    items, names = _judged_twice(raters, clusters)
    order = _categories([x for values in items for x in values], [], categories)
    k, lost = len(order), len(raters[0] if raters else ()) - len(items)
    method = f"Krippendorff's alpha ({level}), {len(raters)} raters"
    if not items or k < 2:
        return nothing(method, lost, len(items))
    rows = _coincidences(items, order)
    steps = np.array([float(x) for x in order]) if level == "interval" else np.arange(k, dtype=np.float64)

    def statistic(sums: Floats) -> Floats:
        table = sums.reshape(-1, k, k)
        totals = table.sum(axis=2)
        distance = _distances(level, totals, steps)
        observed = (table * distance).sum(axis=(1, 2))
        expected = (totals[:, :, None] * totals[:, None, :] * distance).sum(axis=(1, 2))
        expected = expected / (totals.sum(axis=1) - 1)
        return np.where(expected > 1e-12, 1 - observed / np.where(expected > 1e-12, expected, 1), np.nan)

    return from_sums(rows, names, statistic, method, n_unscored=lost, cut=RELATED)


def _judged_twice(
    raters: Sequence[Sequence[Label | None]], clusters: Sequence[str] | None
) -> tuple[list[list[Label]], list[str]]:
    """The judgements of each item that has two or more, and the items' clusters."""
    items = [[x for x in item if x is not None] for item in zip(*raters, strict=True)]
    names = [str(i) for i in range(len(items))] if clusters is None else clusters
    kept = [(values, c) for values, c in zip(items, names, strict=True) if len(values) > 1]
    return [values for values, _ in kept], [c for _, c in kept]


def _coincidences(items: Sequence[Sequence[Label]], order: Sequence[Label]) -> Floats:
    """Count for each item how often each label stands beside each in a pair of its judgements."""
    position = {label: i for i, label in enumerate(order)}
    k = len(order)
    rows = np.zeros((len(items), k * k))
    for row, values in enumerate(items):
        counts = np.bincount([position[x] for x in values], minlength=k).astype(np.float64)
        rows[row] = ((np.outer(counts, counts) - np.diag(counts)) / (len(values) - 1)).ravel()
    return rows


def _distances(level: Level, totals: Floats, steps: Floats) -> Floats:
    """Measure how far apart any two labels are: by being unequal, by their values, or by how many lie between."""
    if level == "ordinal":
        below = np.cumsum(totals, axis=1) - totals / 2
        between: Floats = (below[:, :, None] - below[:, None, :]) ** 2
        return between
    apart: Floats = 1.0 - np.eye(len(steps)) if level == "nominal" else (steps[:, None] - steps[None, :]) ** 2
    return np.broadcast_to(apart, (len(totals), *apart.shape))


def exact_agreement(
    a: Sequence[Label | None],
    b: Sequence[Label | None],
    *,
    clusters: Sequence[str] | None = None,
    drop: Collection[Label] = (),
) -> V:
    x, y, c, lost = aligned(a, b, clusters, drop)
    equal = [float(p == q) for p, q in zip(x, y, strict=True)]
    return mean_of(equal, c, "share of equal labels", n_unscored=lost)


def ties_share(
    a: Sequence[Label | None], b: Sequence[Label | None], *, clusters: Sequence[str] | None = None
) -> V:
    """Share of the pairs that both judged in which one of them, or both, said tie."""
    x, y, c, lost = aligned(a, b, clusters)
    tied = [float(TIE in (p, q)) for p, q in zip(x, y, strict=True)]
    return mean_of(tied, c, "share of pairs with a tie of either", n_unscored=lost)


def soft_disagreement(
    a: Sequence[Label | None], b: Sequence[Label | None], *, clusters: Sequence[str] | None = None
) -> V:
    """Share, among the pairs judged differently, of those where one side is a tie (the paper's "soft" disagreement)."""
    x, y, c, lost = aligned(a, b, clusters)
    apart = [(float(TIE in (p, q)), cluster) for p, q, cluster in zip(x, y, c, strict=True) if p != q]
    method = "share of disagreements that are tie against A or B"
    return mean_of([soft for soft, _ in apart], [cluster for _, cluster in apart], method, n_unscored=lost)


def repeat_stability(labels: Sequence[Sequence[Label | None]]) -> V:
    """Share of units that got one and the same label in each of k >= 2 repetitions."""
    complete = [unit for unit in labels if len(unit) > 1 and None not in unit]
    same = [float(len(set(unit)) == 1) for unit in complete]
    names = [str(i) for i in range(len(complete))]
    lost = len(labels) - len(complete)
    return mean_of(same, names, "share of units with the same label every time", n_unscored=lost)


def claim_overlap(
    first: Sequence[tuple[frozenset[str], frozenset[str]]],
    second: Sequence[tuple[frozenset[str], frozenset[str]]],
) -> float | None:
    """Compute Jaccard of two extractions of one report. A claim is (its words, its URLs), matched by equal URLs and token F1 >= 0.8."""
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
