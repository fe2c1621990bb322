"""The statistics of the judging by libraries, and what none has from its definition: AC1, PCA, and this project's own sums.

Sources: Gwet 2008 for AC1, `docs/judging.md` for what is this project's own. Undefined is `None`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np

from tests.late import Late

scipy_stats, krippendorff = Late("scipy.stats"), Late("krippendorff")
inter_rater, multitest = Late("statsmodels.stats.inter_rater"), Late("statsmodels.stats.multitest")


def both(a: Sequence[Any], b: Sequence[Any], drop: Sequence[Any] = ()) -> list[tuple[Any, Any]]:
    kept = ((x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None)
    return [(x, y) for x, y in kept if x not in drop and y not in drop]


def kappa(
    pairs: Sequence[tuple[Any, Any]], classes: Sequence[Any] | None = None, power: int | None = None
) -> float | None:
    """`power` None: nominal; 2: quadratic weights over the order of `classes`. One class alone has none."""
    if len({label for pair in pairs for label in pair}) < 2:
        return None
    order = list(classes or sorted({label for pair in pairs for label in pair}))
    counts = np.zeros((len(order), len(order)))
    for x, y in pairs:
        counts[order.index(x), order.index(y)] += 1
    weights = None if power is None else np.arange(len(order))
    found = inter_rater.cohens_kappa(counts, weights=weights, wt=power and "fc", return_results=False)
    return float(found)


def ac1(pairs: Sequence[tuple[Any, Any]], classes: Sequence[Any] | None = None) -> float | None:
    classes = classes or sorted({x for pair in pairs for x in pair})
    if not pairs or len(classes) < 2:
        return None
    observed, count = fmean(x == y for x, y in pairs), Counter(label for pair in pairs for label in pair)
    shares = [count[c] / (2 * len(pairs)) for c in classes]
    expected = sum(share * (1 - share) for share in shares) / (len(classes) - 1)
    return (observed - expected) / (1 - expected)


def alpha(
    raters: Sequence[Sequence[Any]], level: str = "nominal", classes: Sequence[Any] | None = None
) -> float | None:
    items = [[x for x in item if x is not None] for item in zip(*raters, strict=True)]
    pairable = [x for item in items if len(item) > 1 for x in item]
    if len(set(pairable)) < 2:
        return None
    order = list(classes or sorted(set(pairable)))
    counts = np.array([[item.count(label) for label in order] for item in items if len(item) > 1])
    domain = order if classes is None else list(range(len(order)))
    return float(krippendorff.alpha(value_counts=counts, value_domain=domain, level_of_measurement=level))


def _correlation(name: str, pairs: Sequence[tuple[float, float]]) -> float | None:
    x, y = ([float(pair[side]) for pair in pairs] for side in (0, 1))
    known = len(pairs) > 2 and len(set(x)) > 1 and len(set(y)) > 1
    return float(getattr(scipy_stats, name)(x, y).statistic) if known else None


def pearson(pairs: Sequence[tuple[float, float]]) -> float | None:
    return _correlation("pearsonr", pairs)


def spearman(pairs: Sequence[tuple[float, float]]) -> float | None:
    return _correlation("spearmanr", pairs)


def tau_b(pairs: Sequence[tuple[float, float]]) -> float | None:
    return _correlation("kendalltau", pairs)


def pca(pairs: Sequence[tuple[float, float]], *, without_human_ties: bool = False) -> tuple[Any, Any]:
    """The value, and its chance: each pair of answers taken both ways round."""
    signs = [(np.sign(m), np.sign(h)) for m, h in pairs if not (without_human_ties and h == 0)]
    if not signs:
        return None, None
    sides = [Counter([*(pair[side] for pair in signs), *(-pair[side] for pair in signs)]) for side in (0, 1)]
    chance = sum(sides[0][s] * sides[1][s] for s in (-1, 0, 1)) / (2 * len(signs)) ** 2
    return fmean(m == h for m, h in signs), chance


def average(x: Sequence[float]) -> float | None:
    return fmean(x) if x else None


def soft(pairs: Sequence[tuple[Any, Any]], tie: Any = "tie") -> float | None:
    return average([float(tie in pair) for pair in pairs if pair[0] != pair[1]])


def macro(values: Mapping[str, Sequence[float | None]]) -> float | None:
    """Trials first, then queries."""
    means = [average([x for x in trials if x is not None]) for trials in values.values()]
    return average([m for m in means if m is not None])


def student(groups: Sequence[Any], statistic: Callable[[list[Any]], float | None]) -> tuple[float, float]:
    """Student's interval over groups by leaving each out, shifted for skew as Johnson has it."""
    n, whole = len(groups), statistic([*groups])
    assert whole is not None
    without = [statistic([*groups[:i], *groups[i + 1 :]]) for i in range(n)]
    each = np.array([n * whole - (n - 1) * one for one in without if one is not None])
    assert len(each) == n
    t, variance = scipy_stats.t.ppf(0.975, n - 1), np.var(each, ddof=1)
    centre = whole + scipy_stats.moment(each, 3) / (6 * variance * n) * (1 + 2 * t * t)
    half = t * math.sqrt(variance / n)
    return float(centre - half), float(centre + half)


def holm(p: Sequence[float | None]) -> list[float | None]:
    known = [x for x in p if x is not None]
    corrected = iter(multitest.multipletests(known, method="holm")[1] if known else ())
    return [None if x is None else float(next(corrected)) for x in p]


def sign_test(wins: int, losses: int) -> float | None:
    return float(scipy_stats.binomtest(wins, wins + losses).pvalue) if wins + losses else None


def sign_flip(differences: Sequence[float]) -> float:
    """Over every assignment of signs."""
    if len(differences) < 2:
        return 1.0
    data = (np.array([float(x) for x in differences]),)
    return float(
        scipy_stats.permutation_test(data, np.sum, permutation_type="samples", n_resamples=np.inf).pvalue
    )


def reconcile(first: str | None, second: str | None) -> str:
    if first is None or second is None:
        return "error"
    if first == second:
        return first
    return "tie" if "tie" in (first, second) else "inconsistent"


SCORE = {"full": 1.0, "partial": 0.5, "none": 0.0}
UNREADABLE = ("unreachable", "blocked", "empty")


def points(status: str | None, *, strict: bool) -> float | None:
    return 0.0 if strict and status in UNREADABLE else SCORE.get(status or "")


def type_scores(claims: Sequence[Mapping[str, str | None]], kind: str, *, strict: bool = True) -> list[float]:
    """A claim is here what its sources say, by type: {"web": "full", "product": "none"}."""
    found = [points(claim[kind], strict=strict) for claim in claims if kind in claim]
    return [s for s in found if s is not None]


def fp(
    claims: Sequence[Mapping[str, str | None]],
    kinds: Sequence[str] = ("web", "product"),
    *,
    strict: bool = True,
) -> float | None:
    columns = [average(type_scores(claims, kind, strict=strict)) for kind in kinds]
    return average([c for c in columns if c is not None])


def fr(claims: Sequence[Mapping[str, str | None]]) -> float | None:
    return average([float(bool(claim)) for claim in claims])


def fr_supported(claims: Sequence[Mapping[str, str | None]]) -> float | None:
    """A claim whose only chance of support has no verdict is unknown and left out."""
    known = []
    for claim in claims:
        scores = [points(status, strict=True) for status in claim.values()]
        if any(s is not None and s >= 0.5 for s in scores):
            known.append(1.0)
        elif None not in scores:
            known.append(0.0)
    return average(known)
