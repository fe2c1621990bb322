"""Figures beside libraries where these compute them, else as kept; the kept ones were counted anew by hand-written sums."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from drr.eval.stats import agreement as ag
from drr.eval.stats import correlation, differences, faithfulness
from drr.eval.stats.intervals import Statistic
from drr.eval.stats.pairs import pair_results, positions
from drr.eval.stats.question import Comparison
from drr.eval.stats.ratings import davidson, length_coefficient

from tests.kept import is_as_kept
from tests.late import Late

scipy_stats, krippendorff = Late("scipy.stats"), Late("krippendorff")
inter_rater, multitest = Late("statsmodels.stats.inter_rater"), Late("statsmodels.stats.multitest")
SUPPORT = ["none", "partial", "full"]


def some(rng: random.Random, classes: Sequence[Any], n: int) -> list[Any]:
    """Random labels: some missing, sometimes one class only, sometimes all missing."""
    of, missing = classes[: rng.choice([1, 2, 5])], rng.choice([0, 0, 0.2, 0.9, 1])
    return [None if rng.random() < missing else rng.choice(of) for _ in range(n)]


def both(a: Sequence[Any], b: Sequence[Any]) -> list[tuple[Any, Any]]:
    return [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]


def same(v: Statistic, of_library: Callable[[], float], known: bool, kept: int, given: int) -> None:
    assert v.value == (pytest.approx(of_library(), abs=1e-8) if known else None)
    assert (v.n, v.n_unscored) == (kept, given - kept)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 15])
def test_kappas_are_those_of_the_library(n: int) -> None:
    rng = random.Random(n)
    for _ in range(12):
        a, b = some(rng, SUPPORT, n), some(rng, SUPPORT, n)
        pairs = both(a, b)
        counts = np.array([[pairs.count((x, y)) for y in SUPPORT] for x in SUPPORT], float)
        known = len({label for pair in pairs for label in pair}) > 1
        for weights, power in ((None, None), ("quadratic", "fc")):
            v = ag.cohen_kappa(a, b, categories=SUPPORT, weights=weights)
            table = {"weights": power and np.arange(3), "wt": power, "return_results": False}
            same(v, lambda table=table: inter_rater.cohens_kappa(counts, **table), known, len(pairs), n)  # type: ignore[misc]


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alphas_are_those_of_the_library(level: Any) -> None:
    rng, scale = random.Random(level), [0.0, 1.0, 2.5, 7.0, 10.0]
    for n in (0, 1, 2, 3, 12):
        for _ in range(3):
            raters = [some(rng, scale, n) for _ in range(rng.choice([1, 2, 3, 4]))]
            items = [[x for x in item if x is not None] for item in zip(*raters, strict=True)]
            counts = [[item.count(x) for x in scale] for item in items if len(item) > 1]
            known = len({x for item in items if len(item) > 1 for x in item}) > 1
            made = {"value_counts": counts, "value_domain": scale, "level_of_measurement": level}
            v = ag.krippendorff_alpha(raters, level=level)
            same(v, lambda made=made: krippendorff.alpha(**made), known, len(counts), n)  # type: ignore[misc]


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 20])
def test_correlations_are_those_of_the_library(n: int) -> None:
    rng = random.Random(100 + n)
    for _ in range(5):
        x, y = some(rng, [0.1, 0.2, 0.3, 0.7, 1e6], n), some(rng, [5, 6, 7, 9, 10], n)
        pairs = both(x, y)
        sides = [[float(pair[side]) for pair in pairs] for side in (0, 1)]
        known = len(pairs) > 2 and all(len(set(side)) > 1 for side in sides)
        for mine, name in (
            (correlation.pearson, "pearsonr"),
            (correlation.spearman, "spearmanr"),
            (correlation.kendall_tau_b, "kendalltau"),
        ):
            found = mine(x, y, unit="report")
            same(found, lambda f=name: getattr(scipy_stats, f)(*sides).statistic, known, len(pairs), n)  # type: ignore[misc]


def test_exact_tests_are_those_of_the_library() -> None:
    rng = random.Random(1)
    p = [0.001, 0.01, None, 0.01, 0.04, 0.4, 1.0, None]
    corrected = iter(multitest.multipletests([one for one in p if one is not None], method="holm")[1])
    assert differences.holm(p) == pytest.approx([None if one is None else next(corrected) for one in p])
    assert differences.holm([]) == [] and differences.holm([None]) == [None]
    for wins, losses in [(0, 0), (0, 1), (3, 0), (12, 4), (39, 36)]:
        exact = scipy_stats.binomtest(wins, wins + losses).pvalue if wins + losses else None
        assert differences.sign_test(wins, losses) == (exact and pytest.approx(exact))
    for size in (1, 2, 5, 9):
        tenths = np.array([rng.randint(-4, 4) / 10 for _ in range(size)])
        flips = scipy_stats.permutation_test if size > 1 else None
        flipped = flips and flips((tenths * 10,), np.sum, permutation_type="samples", n_resamples=np.inf)
        assert differences.sign_flip(tenths) == pytest.approx(flipped.pvalue if flipped else 1.0)


def test_what_no_library_has_by_hand() -> None:
    m, h = [1, -1, 0, 2], [1, 1, 0, -1]
    for without, value, chance in ((False, 2 / 4, 22 / 64), (True, 1 / 3, 1 / 2)):
        found, by_chance = correlation.preference_agreement(m, h, without_human_ties=without)
        assert (found.value, by_chance) == (pytest.approx(value), pytest.approx(chance))
    unequal = ag.soft_disagreement(["A", "B", "tie", "A", None], ["A", "A", "A", "tie", "B"])
    assert (unequal.value, unequal.n) == (pytest.approx(2 / 3), 3)
    without_ties = ag.cohen_kappa(["A", "B", "tie", "A"], ["A", "B", "A", None], drop={"tie"})
    assert (without_ties.value, without_ties.n, without_ties.n_unscored) == (1.0, 2, 2)
    x, y = [1, 0.5, None, 3], [2, 0.5, 4, None]
    distance, lean = correlation.mean_absolute_deviation(x, y), correlation.bias(x, y)
    assert (distance.value, lean.value, lean.n, lean.n_unscored) == (0.5, -0.5, 2, 2)


def test_faithfulness_of_random_verdicts() -> None:
    """Missing judgements, one class, no claims, failed calls, unequal trials."""
    rng, together = random.Random(3), random.Random(4)
    reports = []
    for query, trial in [(q, t) for q in range(8) for t in range(1 + q % 3)]:
        statuses = rng.choice([[*faithfulness.STATUSES, None], ["full", "partial", "none"]])
        often = rng.choice([0.3, 0.6])
        claims = [
            {kind: rng.choice(statuses) for kind in faithfulness.ALL_TYPES if rng.random() < often}
            for _ in range(rng.choice([0, 1, 3, 8]))
        ]
        judged = [
            faithfulness.JudgedClaim(
                str(i), c, c, joint=faithfulness.Joint((), *[together.choice(statuses)] * 2)
            )
            for i, c in enumerate(claims)
        ]
        reports.append(faithfulness.JudgedClaims(f"q{query}", trial, None if trial == 2 else judged))
    values = faithfulness.corpus_values(reports)
    is_as_kept("faithfulness", {name: [v.value, v.n, v.n_unscored] for name, v in values.items()})


def comparisons(seed: int, trials: Sequence[int] = (1, 2, 3)) -> list[Comparison]:
    """Three variants that do not win equally often, with ties, failures and orders that contradict each other."""
    rng = random.Random(seed)
    made = []
    for q in range(8):
        lean = rng.random()
        for trial in range(rng.choice(trials)):
            for a, b, edge in (("x", "y", 0.1), ("x", "z", 0.3), ("y", "z", 0.1)):
                weights = [lean + edge, 1 - lean, 0.3]
                first, second = rng.choices(["a", "b", "tie"], weights, k=2)
                second = first if rng.random() < 0.7 else second
                words = rng.randint(100, 400), rng.randint(100, 400)
                verdicts: list[Any] = [None if rng.random() < 0.05 else v for v in (first, second)]
                made.append(Comparison(f"q{q}", "depth", a, b, *verdicts, *words, trial))
    return made


def test_pairs_of_unequal_trials() -> None:
    made = [comparisons(seed) for seed in range(4)]
    gates = [positions(one)["depth"] for one in made]
    shown = [[gate.consistency.value, gate.first_rate.value, gate.p_first] for gate in gates]
    is_as_kept("pairs", [[pair_results(one) for one in made], shown])


def test_the_same_verdict_in_every_trial_says_no_more_than_one_trial() -> None:
    once = comparisons(5, trials=(1,))
    again = [
        Comparison(c.query, c.dimension, c.a, c.b, c.a_first, c.b_first, c.words_a, c.words_b, trial)
        for c in once
        for trial in range(9 if c.query == "q0" else 1)
    ]
    for name, v in davidson(once).strengths.items():
        w = davidson(again).strengths[name]
        assert (w.value, w.ci_low, w.ci_high) == pytest.approx((v.value, v.ci_low, v.ci_high))
    assert length_coefficient(again).value == pytest.approx(length_coefficient(once).value)


def test_what_few_questions_say_of_one_variant_is_sure_of_none() -> None:
    """Only q0 and q1 know z, and the strengths are around their mean."""
    made = [Comparison(f"q{i}", "depth", "x", "y", *("aa" if i % 3 else "bb")) for i in range(20)]  # type: ignore[arg-type]
    assert all(v.ci_low < v.value < v.ci_high for v in davidson(made).strengths.values())
    rating = davidson([*made, *(Comparison(f"q{i}", "depth", "x", "z", "b", "b") for i in range(2))])
    assert rating.strengths["z"].value > 2
    assert {v.ci_low for v in rating.strengths.values()} == {None}


CORRELATIONS = (correlation.pearson, correlation.spearman, correlation.kendall_tau_b)
Item = tuple[float, float, str, str]


@pytest.mark.long
@pytest.mark.parametrize(
    ("of", "sides"),
    [
        *((of, (0, 1)) for of in (correlation.bias, *CORRELATIONS)),
        *((of, (2, 3)) for of in (ag.cohen_kappa, ag.gwet_ac1)),
    ],
)
def test_an_interval_draws_whole_queries(of: Any, sides: tuple[int, int]) -> None:
    """Student's, by leaving each query out, shifted for skew as Johnson has it; Pearson's on Fisher's scale, with the unshifted one."""
    rng, n, t = random.Random(4), 25, scipy_stats.t.ppf(0.975, 24)
    queries: list[list[Item]] = []
    for _ in range(n):
        centre, letter = rng.gauss(0, 3), rng.choice("AB")
        centres = [centre + rng.gauss(0, 1) for _ in range(rng.choice([1, 2, 5]))]
        queries.append(
            [(round(x), round(x + rng.gauss(0, 2)), letter, rng.choice(letter + "AB")) for x in centres]
        )
    unit = {"unit": "report"} if of in CORRELATIONS else {}

    def found(drawn: Sequence[Sequence[Item]]) -> Statistic:
        flat = [(str(i), item) for i, query in enumerate(drawn) for item in query]
        x, y = ([item[side] for _, item in flat] for side in sides)
        value: Statistic = of(x, y, clusters=[name for name, _ in flat], **unit)
        return value

    whole = found(queries)
    assert whole.value is not None
    left = [found([*queries[:i], *queries[i + 1 :]]).value or 0.0 for i in range(n)]
    on, back = (np.arctanh, np.tanh) if of is correlation.pearson else (np.asarray, np.asarray)
    each = np.array([n * on(whole.value) - (n - 1) * on(one) for one in left])
    variance = np.var(each, ddof=1)
    middle, centre = (
        on(whole.value),
        on(whole.value) + scipy_stats.moment(each, 3) / (6 * variance * n) * (1 + 2 * t * t),
    )
    half = t * np.sqrt(variance / n)
    low, high = centre - half, centre + half
    if of is correlation.pearson:
        low, high = back(min(low, middle - half)), back(max(high, middle + half))
    assert (whole.ci_low, whole.ci_high) == pytest.approx((low, high), abs=2e-4 * half)
