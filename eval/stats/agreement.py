"""How well two judges agree, people or models alike. Every statistic is a `V`; an undefined one is `None`, never 0 or 1.

Definitions and edge cases are those of `docs/judging.md`, "Agreement". Items are aligned sequences; `None` is a missing
judgement and is dropped and counted. Intervals resample clusters (queries) where they are named, else items.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Literal

import numpy as np
from drr.eval.stats.intervals import (
    RESAMPLES,
    SEED,
    Floats,
    V,
    finite,
    from_sums,
    index_of,
    interval,
    nothing,
    over_resamples,
    ratio,
)

Label = str | float
Level = Literal["nominal", "ordinal", "interval"]
TIE = "tie"


def _complete(
    a: Sequence[Label | None],
    b: Sequence[Label | None],
    clusters: Sequence[str] | None,
    drop: Collection[Label] = (),
) -> tuple[list[Label], list[Label], list[str], int]:
    names = [str(i) for i in range(len(a))] if clusters is None else list(clusters)
    kept = [
        (x, y, c)
        for x, y, c in zip(a, b, names, strict=True)
        if x is not None and y is not None and x not in drop and y not in drop
    ]
    return [x for x, _, _ in kept], [y for _, y, _ in kept], [c for _, _, c in kept], len(a) - len(kept)


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
    x, y, c, lost = _complete(a, b, clusters, drop)
    order = _categories(x, y, categories)
    k = len(order)
    name = "quadratic-weighted kappa" if weights else "Cohen's kappa"
    method = f"{name} over {k} classes" + (f", {', '.join(map(str, drop))} left out" if drop else "")
    if not x or k < 2:
        return nothing(method, lost, len(x))
    steps = np.arange(k, dtype=np.float64)
    disagreement = (steps[:, None] - steps[None, :]) ** 2 / (k - 1) ** 2 if weights else 1.0 - np.eye(k)
    return from_sums(_cells(x, y, order), c, _kappa_of(k, disagreement), method, n_unscored=lost)


def gwet_ac1(
    a: Sequence[Label | None],
    b: Sequence[Label | None],
    *,
    clusters: Sequence[str] | None = None,
    categories: Sequence[Label] | None = None,
) -> V:
    """Chance-corrected agreement that survives a dominant class, where kappa does not."""
    x, y, c, lost = _complete(a, b, clusters)
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

    return from_sums(_cells(x, y, order), c, statistic, method, n_unscored=lost)


def krippendorff_alpha(
    raters: Sequence[Sequence[Label | None]],
    *,
    level: Level = "nominal",
    clusters: Sequence[str] | None = None,
    categories: Sequence[Label] | None = None,
) -> V:
    """Any number of raters, missing ones allowed; an item with fewer than two judgements says nothing and is dropped."""
    items = list(zip(*raters, strict=True))
    names = [str(i) for i in range(len(items))] if clusters is None else list(clusters)
    judged = [([x for x in item if x is not None], c) for item, c in zip(items, names, strict=True)]
    kept = [(values, c) for values, c in judged if len(values) > 1]
    order = _categories([x for values, _ in kept for x in values], [], categories)
    k, lost = len(order), len(items) - len(kept)
    method = f"Krippendorff's alpha ({level}), {len(raters)} raters"
    if not kept or k < 2:
        return nothing(method, lost, len(kept))
    position = {label: i for i, label in enumerate(order)}
    rows = np.zeros((len(kept), k * k))
    for row, (values, _) in enumerate(kept):
        counts = np.bincount([position[x] for x in values], minlength=k).astype(np.float64)
        rows[row] = ((np.outer(counts, counts) - np.diag(counts)) / (len(values) - 1)).ravel()
    steps = np.array([float(x) for x in order]) if level == "interval" else np.arange(k, dtype=np.float64)

    def statistic(sums: Floats) -> Floats:
        table = sums.reshape(-1, k, k)
        totals = table.sum(axis=2)
        n = totals.sum(axis=1)
        if level == "nominal":
            distance = np.broadcast_to(1.0 - np.eye(k), table.shape)
        elif level == "interval":
            distance = np.broadcast_to((steps[:, None] - steps[None, :]) ** 2, table.shape)
        else:
            below = np.cumsum(totals, axis=1) - totals / 2
            distance = (below[:, :, None] - below[:, None, :]) ** 2
        observed = (table * distance).sum(axis=(1, 2))
        expected = (totals[:, :, None] * totals[:, None, :] * distance).sum(axis=(1, 2)) / (n - 1)
        return np.where(expected > 1e-12, 1 - observed / np.where(expected > 1e-12, expected, 1), np.nan)

    return from_sums(rows, [c for _, c in kept], statistic, method, n_unscored=lost)


def exact_agreement(
    a: Sequence[Label | None],
    b: Sequence[Label | None],
    *,
    clusters: Sequence[str] | None = None,
    drop: Collection[Label] = (),
) -> V:
    x, y, c, lost = _complete(a, b, clusters, drop)
    rows = np.array([[float(p == q), 1.0] for p, q in zip(x, y, strict=True)]).reshape(-1, 2)
    return from_sums(rows, c, ratio, "share of equal labels", n_unscored=lost)


def soft_disagreement(
    a: Sequence[Label | None], b: Sequence[Label | None], *, clusters: Sequence[str] | None = None
) -> V:
    """Of the pairs judged differently, the share where one side said tie (the paper's "soft" disagreement)."""
    x, y, c, lost = _complete(a, b, clusters)
    apart = [(float(TIE in (p, q)), cluster) for p, q, cluster in zip(x, y, c, strict=True) if p != q]
    rows = np.array([[soft, 1.0] for soft, _ in apart]).reshape(-1, 2)
    method = "share of disagreements that are tie against A or B"
    return from_sums(rows, [cluster for _, cluster in apart], ratio, method, n_unscored=lost)


def _numbers(
    x: Sequence[float | None], y: Sequence[float | None], clusters: Sequence[str] | None
) -> tuple[Floats, Floats, list[str], int]:
    p, q, c, lost = _complete(x, y, clusters)
    return np.array(p, dtype=np.float64), np.array(q, dtype=np.float64), c, lost


def pearson(
    x: Sequence[float | None],
    y: Sequence[float | None],
    *,
    unit: str,
    clusters: Sequence[str] | None = None,
) -> V:
    """Of values; `None` for fewer than three items or no variance. `unit` says what an item is."""
    p, q, c, lost = _numbers(x, y, clusters)
    method = f"Pearson, {unit} level"
    if len(p) < 3:
        return nothing(method, lost, len(p))
    p, q = p - p.mean(), q - q.mean()
    rows = np.stack([np.ones_like(p), p, q, p * q, p * p, q * q], axis=1)
    return from_sums(rows, c, _correlation, method, n_unscored=lost)


def _correlation(sums: Floats) -> Floats:
    n, sx, sy, sxy, sxx, syy = sums.T
    product = (n * sxx - sx * sx) * (n * syy - sy * sy)
    flat = ((n * sxx - sx * sx) <= 1e-12 * n * n) | ((n * syy - sy * sy) <= 1e-12 * n * n)
    return np.where(flat, np.nan, np.clip((n * sxy - sx * sy) / np.sqrt(np.where(flat, 1, product)), -1, 1))


def spearman(
    x: Sequence[float | None],
    y: Sequence[float | None],
    *,
    unit: str,
    clusters: Sequence[str] | None = None,
) -> V:
    """Pearson of average ranks; each resample is ranked anew."""
    p, q, c, lost = _numbers(x, y, clusters)
    method = f"Spearman (average ranks), {unit} level"
    if len(p) < 3:
        return nothing(method, lost, len(p))

    position, size = index_of(c)

    def statistic(drawn: Floats) -> Floats:
        w = drawn[:, position]
        rx, ry = _weighted_ranks(p, w), _weighted_ranks(q, w)
        rows = (w, w * rx, w * ry, w * rx * ry, w * rx * rx, w * ry * ry)
        return _correlation(np.stack([part.sum(axis=1) for part in rows], axis=1))

    return _by_weights(statistic, size, len(p), lost, method)


def _weighted_ranks(x: Floats, w: Floats) -> Floats:
    """Average ranks of a sample in which item i occurs w_i times, for every line of `w`."""
    order = np.argsort(x, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(x[order]) != 0))
    group = np.empty(len(x), dtype=np.int64)
    group[order] = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(x))))
    sizes = np.add.reduceat(w[:, order], starts, axis=1)
    ranks = np.cumsum(sizes, axis=1) - sizes / 2 + 0.5
    ranks -= w.sum(axis=1, keepdims=True) / 2
    found: Floats = ranks[:, group]
    return found


def _by_weights(statistic: Callable[[Floats], Floats], size: int, n: int, lost: int, method: str) -> V:
    """`statistic` takes the weights of `size` clusters, one resample a line."""
    with np.errstate(divide="ignore", invalid="ignore"):
        value = finite(statistic(np.ones((1, size)))[0])
        if size < 2 or value is None:
            return V(value, None, None, n, lost, f"{method}; no interval")
        low, high = interval(over_resamples(size, statistic))
    how = f"95% percentile bootstrap over {size} clusters, B={RESAMPLES}, seed={SEED}"
    return V(value, low, high, n, lost, f"{method}; {how}")


MOST_PAIRED, MOST_CLUSTERS = 4000, 1500
"""Above so many items or clusters tau-b is still exact, but without an interval."""


def kendall_tau_b(
    x: Sequence[float | None],
    y: Sequence[float | None],
    *,
    unit: str,
    clusters: Sequence[str] | None = None,
) -> V:
    """Concordance corrected for ties, over all pairs of items."""
    p, q, c, lost = _numbers(x, y, clusters)
    method = f"Kendall's tau-b, {unit} level"
    if len(p) < 3:
        return nothing(method, lost, len(p))
    position, size = index_of(c)
    if len(p) > MOST_PAIRED or size > MOST_CLUSTERS:
        from scipy.stats import kendalltau

        value = finite(kendalltau(p, q).statistic)
        return V(value, None, None, len(p), lost, f"{method}; no interval for so many items")
    sx, sy = np.sign(p[:, None] - p[None, :]), np.sign(q[:, None] - q[None, :])
    member = np.zeros((len(p), size))
    member[np.arange(len(p)), position] = 1
    # Items of a cluster are drawn together, so sums over pairs of items become sums over pairs of clusters.
    both, by_x, by_y = (member.T @ (signs @ member) for signs in (sx * sy, sx * sx, sy * sy))

    def statistic(w: Floats) -> Floats:
        joint, x_only, y_only = (((w @ m) * w).sum(axis=1) for m in (both, by_x, by_y))
        untied = x_only * y_only
        return np.where(untied > 0, joint / np.sqrt(np.where(untied > 0, untied, 1)), np.nan)

    return _by_weights(statistic, size, len(p), lost, method)


def preference_agreement(
    machine: Sequence[float | None],
    human: Sequence[float | None],
    *,
    clusters: Sequence[str] | None = None,
    without_human_ties: bool = False,
) -> tuple[V, float | None]:
    """PCA: the share of pairs whose score differences have the same sign, a zero matching only a zero; and its chance level.

    Chance is what two raters with these shares of zeros reach who know nothing of each other. Which answer of a pair is
    subtracted from which is arbitrary, so both signs are equally likely.
    """
    m, h, c, lost = _numbers(machine, human, clusters)
    sm, sh = np.sign(m), np.sign(h)
    if without_human_ties:
        keep = sh != 0
        lost += int((~keep).sum())
        sm, sh, c = sm[keep], sh[keep], [name for name, k in zip(c, keep, strict=True) if k]
    method = "share of pairs with the same preferred side" + (
        ", human ties left out" if without_human_ties else ", ties must match"
    )
    rows = np.stack([(sm == sh).astype(np.float64), np.ones(len(sm))], axis=1)
    chance = None
    if len(sm):
        zero_m, zero_h = float(np.mean(sm == 0)), float(np.mean(sh == 0))
        chance = zero_m * zero_h + (1 - zero_m) * (1 - zero_h) / 2
    return from_sums(rows, c, ratio, method, n_unscored=lost), chance


def mean_absolute_deviation(
    machine: Sequence[float | None],
    human: Sequence[float | None],
    *,
    name: str = "MARD",
    clusters: Sequence[str] | None = None,
) -> V:
    """MARD of two raters' scores; MAD where `human` is the mean of several."""
    m, h, c, lost = _numbers(machine, human, clusters)
    rows = np.stack([np.abs(m - h), np.ones(len(m))], axis=1)
    return from_sums(rows, c, ratio, f"{name}: mean absolute difference", n_unscored=lost)


def bias(
    machine: Sequence[float | None],
    human: Sequence[float | None],
    *,
    clusters: Sequence[str] | None = None,
) -> V:
    m, h, c, lost = _numbers(machine, human, clusters)
    rows = np.stack([m - h, np.ones(len(m))], axis=1)
    return from_sums(rows, c, ratio, "mean of machine minus human", n_unscored=lost)


def ranking_agreement(
    orders: Sequence[tuple[Sequence[float], Sequence[float]]],
) -> tuple[V, int, int]:
    """Share of items whose systems stand in the same order for both judges; with numerator and denominator."""
    same = [
        float(bool((np.sign(np.subtract.outer(a, a)) == np.sign(np.subtract.outer(b, b))).all()))
        for a, b in orders
    ]
    rows = np.array([[x, 1.0] for x in same]).reshape(-1, 2)
    value = from_sums(rows, [str(i) for i in range(len(same))], ratio, "share of items ranked alike")
    return value, int(sum(same)), len(same)


def repeat_stability(labels: Sequence[Sequence[Label | None]]) -> V:
    """Share of units that got one and the same label in each of k >= 2 repetitions."""
    complete = [unit for unit in labels if len(unit) > 1 and None not in unit]
    rows = np.array([[float(len(set(unit)) == 1), 1.0] for unit in complete]).reshape(-1, 2)
    names = [str(i) for i in range(len(complete))]
    lost = len(labels) - len(complete)
    return from_sums(rows, names, ratio, "share of units with the same label every time", n_unscored=lost)


def claim_overlap(
    first: Sequence[tuple[frozenset[str], frozenset[str]]],
    second: Sequence[tuple[frozenset[str], frozenset[str]]],
) -> float | None:
    """Jaccard of two extractions of one report; a claim is (its words, its URLs), matched by equal URLs and token F1 >= 0.8."""
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
