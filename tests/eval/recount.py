"""Every statistic of the judging once more, written from its definition: slow, plain, and without a look at the program's own.

Sources: Cohen 1960 and 1968, Gwet 2008, Krippendorff 2011, Kendall 1945 (tau-b), Davidson 1970, Holm 1979, and
`docs/judging.md` for what is this project's own. Undefined is `None`.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from tests.late import Late

optimize, scipy_stats = Late("scipy.optimize"), Late("scipy.stats")

Level = str


def both(a: Sequence[Any], b: Sequence[Any], drop: Sequence[Any] = ()) -> list[tuple[Any, Any]]:
    return [
        (x, y)
        for x, y in zip(a, b, strict=True)
        if x is not None and y is not None and x not in drop and y not in drop
    ]


def kappa(
    pairs: Sequence[tuple[Any, Any]], classes: Sequence[Any] | None = None, power: int | None = None
) -> float | None:
    """`power` None: nominal; 1: linear weights; 2: quadratic weights over the order of `classes`."""
    if not pairs:
        return None
    n = len(pairs)
    classes = classes or sorted({x for pair in pairs for x in pair})

    def weight(x: Any, y: Any) -> Fraction:
        if power is None:
            return Fraction(int(x == y))
        k = len(classes)
        if k == 1:
            return Fraction(1)
        return 1 - Fraction(abs(classes.index(x) - classes.index(y)), k - 1) ** power

    first, second = Counter(x for x, _ in pairs), Counter(y for _, y in pairs)
    observed = sum((weight(x, y) for x, y in pairs), Fraction(0)) / n
    expected = sum((weight(x, y) * first[x] * second[y] for x in classes for y in classes), Fraction(0)) / (
        n * n
    )
    return None if expected == 1 else float((observed - expected) / (1 - expected))


def ac1(pairs: Sequence[tuple[Any, Any]], classes: Sequence[Any] | None = None) -> float | None:
    if not pairs:
        return None
    n = len(pairs)
    classes = classes or sorted({x for pair in pairs for x in pair})
    if len(classes) < 2:
        return None
    observed = Fraction(sum(x == y for x, y in pairs), n)
    shares = [Fraction(sum((x == c) + (y == c) for x, y in pairs), 2 * n) for c in classes]
    expected = sum(s * (1 - s) for s in shares) / (len(classes) - 1)
    return float((observed - expected) / (1 - expected))


def alpha(
    raters: Sequence[Sequence[Any]], level: Level = "nominal", classes: Sequence[Any] | None = None
) -> float | None:
    """1 - Do/De over all pairable values."""
    items = [[x for x in item if x is not None] for item in zip(*raters, strict=True)]
    items = [item for item in items if len(item) >= 2]
    values = [x for item in items for x in item]
    if not values:
        return None
    n = len(values)
    classes = classes or sorted(set(values))
    count = Counter(values)

    def delta(x: Any, y: Any) -> Fraction:
        if level == "nominal":
            return Fraction(int(x != y))
        if level == "interval":
            return (Fraction(x) - Fraction(y)) ** 2
        low, high = sorted((classes.index(x), classes.index(y)))
        between = sum(count[c] for c in classes[low : high + 1])
        return (between - Fraction(count[x] + count[y], 2)) ** 2

    observed = (
        sum(
            (
                delta(x, y) / (len(item) - 1)
                for item in items
                for i, x in enumerate(item)
                for j, y in enumerate(item)
                if i != j
            ),
            Fraction(0),
        )
        / n
    )
    expected = sum(
        (delta(x, y) for i, x in enumerate(values) for j, y in enumerate(values) if i != j), Fraction(0)
    ) / (n * (n - 1))
    return None if expected == 0 else float(1 - observed / expected)


def ranks(x: Sequence[float]) -> list[float]:
    return [sum(other < one for other in x) + (sum(other == one for other in x) + 1) / 2 for one in x]


def pearson(pairs: Sequence[tuple[float, float]]) -> float | None:
    if len(pairs) < 3:
        return None
    xs, ys = [Fraction(x) for x, _ in pairs], [Fraction(y) for _, y in pairs]
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    sxx, syy = sum((x - mx) ** 2 for x in xs), sum((y - my) ** 2 for y in ys)
    if sxx == 0 or syy == 0:
        return None
    top = sum((x - mx) * (y - my) for x, y in zip(xs, ys, strict=True))
    return float(top) / math.sqrt(float(sxx * syy))


def spearman(pairs: Sequence[tuple[float, float]]) -> float | None:
    return pearson(list(zip(ranks([x for x, _ in pairs]), ranks([y for _, y in pairs]), strict=True)))


def tau_b(pairs: Sequence[tuple[float, float]]) -> float | None:
    if len(pairs) < 3:
        return None
    top = first = second = 0
    for (x1, y1), (x2, y2) in itertools.combinations(pairs, 2):
        dx, dy = (x1 > x2) - (x1 < x2), (y1 > y2) - (y1 < y2)
        top, first, second = top + dx * dy, first + dx * dx, second + dy * dy
    return top / math.sqrt(first * second) if first and second else None


def sign(x: float) -> int:
    return (x > 0) - (x < 0)


def pca(pairs: Sequence[tuple[float, float]], *, without_human_ties: bool = False) -> tuple[Any, Any]:
    """The value and its chance level."""
    signs = [(sign(m), sign(h)) for m, h in pairs if not (without_human_ties and h == 0)]
    if not signs:
        return None, None
    n = len(signs)
    turned = [*signs, *((-m, -h) for m, h in signs)]  # each pair of answers taken both ways round
    chance = sum(
        Fraction(sum(m == s for m, _ in turned) * sum(h == s for _, h in turned), 4 * n * n)
        for s in (-1, 0, 1)
    )
    return sum(m == h for m, h in signs) / n, float(chance)


def average(x: Sequence[float]) -> float | None:
    return float(sum(Fraction(one) for one in x) / len(x)) if x else None


def soft(pairs: Sequence[tuple[Any, Any]], tie: Any = "tie") -> float | None:
    unequal = [pair for pair in pairs if pair[0] != pair[1]]
    return average([float(tie in pair) for pair in unequal])


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
    tested = sorted((x, i) for i, x in enumerate(p) if x is not None)
    out: list[float | None] = [None] * len(p)
    for place, (_, i) in enumerate(tested):
        out[i] = max(min(1.0, (len(tested) - j) * tested[j][0]) for j in range(place + 1))
    return out


def sign_test(wins: int, losses: int) -> float | None:
    n = wins + losses
    if n == 0:
        return None
    tail = sum(math.comb(n, k) for k in range(min(wins, losses) + 1))
    return float(min(Fraction(1), Fraction(2 * tail, 2**n)))


def sign_flip(differences: Sequence[float]) -> float:
    """Over every assignment of signs, in exact arithmetic."""
    exact = [Fraction(x) for x in differences]
    seen = abs(sum(exact))
    flipped = [
        abs(sum((s * x for s, x in zip(signs, exact, strict=True)), Fraction(0)))
        for signs in itertools.product((1, -1), repeat=len(exact))
    ]
    return sum(x >= seen for x in flipped) / len(flipped)


def reconcile(first: str | None, second: str | None) -> str:
    if first is None or second is None:
        return "error"
    if first == second:
        return first
    return "tie" if "tie" in (first, second) else "inconsistent"


def davidson(games: Sequence[tuple[str, str, float, float]], ridge: float) -> tuple[dict[str, float], float]:
    """Of (a, b, score of a, weight): the maximum of sum w log P - ridge/2 |theta|^2, by a general optimiser."""
    names = sorted({name for game in games for name in game[:2]})

    def loss(free: np.ndarray[Any, Any]) -> float:
        theta, log_nu = free[:-1], free[-1]
        total = 0.0
        for a, b, score, weight in games:
            ta, tb = theta[names.index(a)], theta[names.index(b)]
            tie = log_nu + (ta + tb) / 2
            whole = np.logaddexp(np.logaddexp(ta, tb), tie)
            total += weight * ({1.0: ta, 0.0: tb, 0.5: tie}[score] - whole)
        return float(-total + ridge / 2 * (theta**2).sum())

    best = optimize.minimize(loss, np.zeros(len(names) + 1), method="BFGS", options={"gtol": 1e-7}).x
    centred = best[:-1] - best[:-1].mean()
    return dict(zip(names, centred, strict=True)), float(np.exp(best[-1]))


def length_effect(
    games: Sequence[tuple[str, str, float, float, float]], ridge: float, on_length: bool
) -> float:
    """Of (a, b, score, log length ratio, weight): logit P(a) = theta_a - theta_b + beta x, ties half for either side."""
    names = sorted({name for game in games for name in game[:2]})

    def loss(free: np.ndarray[Any, Any]) -> float:
        total = 0.0
        for a, b, score, x, weight in games:
            z = free[names.index(a)] - free[names.index(b)] + free[-1] * x
            total += weight * (score * -np.logaddexp(0, -z) + (1 - score) * -np.logaddexp(0, z))
        penalised = free if on_length else free[:-1]
        return float(-total + ridge / 2 * (penalised**2).sum())

    return float(
        optimize.minimize(loss, np.zeros(len(names) + 1), method="BFGS", options={"gtol": 1e-7}).x[-1]
    )


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
