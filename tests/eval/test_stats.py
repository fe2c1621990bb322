"""Means, shares and their intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from drr.app.report.tables import Cell
from drr.app.terminal import with_interval
from drr.eval.metrics import metrics
from drr.eval.stats.agreement import cohen_kappa, gwet_ac1, krippendorff_alpha, soft_disagreement
from drr.eval.stats.correlation import pearson
from drr.eval.stats.differences import noise_floor, paired, sign_test, with_holm
from drr.eval.stats.intervals import (
    COUNTED,
    SHARE,
    Ends,
    Statistic,
    drawn,
    from_sums,
    mean,
    pooled_ratio,
    share_missed_by_draws,
    spread,
)
from drr.eval.stats.pairs import wins_needed
from drr.eval.stats.question import AskedQuestion

from benchmarks.intervals import GRADES, cell, distributions, shares
from tests.late import Late

scipy_stats, multitest = Late("scipy.stats"), Late("statsmodels.stats.multitest")


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ({"q1": [1.0, 0.0, 0.5, 0.5], "q2": [1.0]}, (0.75, 5, 0)),
        ({"q1": [None, 0.4], "q2": [None], "q3": [0.6]}, (0.5, 2, 2)),
        ({"q1": [None]}, (None, 0, 1)),
        ({"q": [0.3]}, (0.3, 1, 0)),
    ],
)
def test_trials_of_a_query_are_averaged_before_queries(values, found):
    v = mean(values)
    assert (v.value, v.n, v.n_unscored) == pytest.approx(found)
    assert (v.ci_low is None) is (v.clusters < 2)


@pytest.mark.long
def test_the_interval_is_students_and_shifted_towards_the_longer_tail():
    rng = np.random.default_rng(3)
    x = rng.normal(5, 2, 60)
    v = mean({str(i): [float(value)] for i, value in enumerate(x)})
    low, high = scipy_stats.t.interval(0.95, 59, x.mean(), scipy_stats.sem(x))
    assert v.ci_high - v.ci_low == pytest.approx(high - low, rel=1e-3)
    t = scipy_stats.t.ppf(0.975, 59)
    shift = scipy_stats.moment(x, 3) / np.var(x, ddof=1) * (1 + 2 * t * t) / (6 * 60)
    assert (v.ci_low, v.ci_high) == pytest.approx((low + shift, high + shift), rel=1e-4)
    assert v.error == pytest.approx(scipy_stats.sem(x)) and v.clusters == 60


def test_pooled_weighs_by_denominator():
    v = pooled_ratio([("a", 1, 1), ("b", 0, 3)], "micro", n=2)
    assert v.value == pytest.approx(0.25)
    assert pooled_ratio([("a", 0, 0)], "micro", n=1).value is None


def test_a_statistic_that_is_undefined_without_one_cluster_has_no_interval():
    rows = np.array([[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    found = from_sums(rows, ["a", "b", "c"], lambda sums: sums[:, 0] / sums[:, 1], "x")
    assert (found.value, found.ci_low, found.error, found.clusters) == (1.0, None, None, 3)


def test_what_has_no_weight_is_no_draw():
    some = pooled_ratio([("a", 3, 4), ("b", 1, 4), ("c", 0, 0), ("d", 0, 0)], "micro", n=8)
    assert some == pooled_ratio([("a", 3, 4), ("b", 1, 4)], "micro", n=8) and some.clusters == 2


def test_paired_uses_only_queries_both_scored():
    d = paired({"a": [1.0], "b": [0.5], "c": [None]}, {"a": [0.0], "b": [0.0], "d": [9.0]})
    assert d.difference.value == pytest.approx(0.75)
    assert (d.difference.n, d.difference.n_unscored) == (2, 2)


def test_paired_p_is_large_without_a_difference_and_small_with_one():
    rng = np.random.default_rng(0)
    base = {str(i): [float(x)] for i, x in enumerate(rng.normal(size=50))}
    same = paired(base, base)
    better = paired({k: [x + 1 + 0.1 * i] for i, (k, [x]) in enumerate(base.items())}, base)
    assert same.p == 1.0
    assert better.p == pytest.approx(1 / (2**13 + 1))
    assert better.difference.ci_low > 0


def test_few_queries_cannot_be_significant():
    few = {str(i): [1.0 + 0.1 * i] for i in range(4)}
    assert paired(few, {key: [0.0] for key in few}).p == pytest.approx(2 / 16)


def test_two_queries_of_fourteen_that_differ_leave_zero_in():
    """Counts have no two ends. The shift for skew made of it [-0.87, -0.03] at p = 0.5."""
    few = {str(i): [0.0 if i > 1 else -2.0] for i in range(14)}
    found = paired(few, {key: [0.0] for key in few}, COUNTED)
    assert found.p == 0.5 and found.difference.ci_low < -0.6 and found.difference.ci_high == 0


def test_paired_with_nothing_in_common_is_none():
    d = paired({"a": [1.0]}, {"b": [1.0]})
    assert (d.difference.value, d.p, d.a) == (None, None, None)


def test_so_many_wins_are_needed():
    assert sign_test(33, 17) < 0.05 < sign_test(32, 18)
    assert (wins_needed(50), wins_needed(5)) == (33, None)


def test_a_family_is_corrected_together():
    rng = np.random.default_rng(0)
    a = {str(i): [float(x)] for i, x in enumerate(rng.normal(0.4, 1, 40))}
    b = {str(i): [0.0] for i in range(40)}
    family = with_holm({"one": paired(a, b), "two": paired(b, b)})
    assert family["one"].p_holm == pytest.approx(min(1, 2 * family["one"].p))
    assert family["two"].p_holm == 1.0


def test_spread_is_the_sample_deviation():
    assert spread({"a": [1.0, 2.0], "b": [3.0, None]}) == pytest.approx(1.0)
    assert spread({"a": [1.0]}) is None


def graded(values: Sequence[float], ends: Ends | None = GRADES) -> Statistic:
    return mean({str(n): [value] for n, value in enumerate(values)}, ends=ends)


def width(v: Statistic) -> float:
    assert v.ci_low is not None and v.ci_high is not None and v.value is not None
    assert v.ci_low <= v.value <= v.ci_high
    return v.ci_high - v.ci_low


def test_equal_grades_are_no_uncertainty_of_half_the_scale():
    """14 grades of 8 had [5.0, 9.5], 13 of 14 [7.8, 8.0], a difference of nothing [-5.2, 5.2]."""
    same = graded([8.0] * 14)
    assert width(same) == pytest.approx(10 * share_missed_by_draws(14)) and width(same) < 2
    assert same.ci_low < 7 and same.ci_high < 8.5 and same.all_equal
    assert width(graded([8.0] * 13 + [7.0])) > width(same)
    assert graded([1.0, 1.0], SHARE).ci_low < 0.3


def test_the_interval_is_continuous_in_the_data_and_in_their_number():
    for values in ([8.0] * 14, [10.0] * 5, [0.0] * 9 + [10.0], [6.0, 7.0, 7.0, 9.0]):
        before, after = graded(values), graded([values[0] - 1e-6, *values[1:]])
        assert (before.ci_low, before.ci_high) == pytest.approx((after.ci_low, after.ci_high), abs=1e-4)
    for pattern in ([7.0, 9.0], [10.0], [0.0, 0.0, 10.0]):
        widths = [width(graded((pattern * 60)[:count])) for count in range(6, 55, 6)]
        assert widths == sorted(widths, reverse=True)


@pytest.mark.long
@pytest.mark.parametrize("count", [4, 7, 9, 10, 14, 50])
def test_the_width_never_falls_as_spread_grows_from_nothing(count):
    rng = np.random.default_rng(count)
    for trial in range(30):
        pattern = rng.integers(-3, 4, count).astype(float)
        if trial % 3 == 0:
            pattern = np.eye(1, count)[0]  # one alone differs
        pattern -= pattern.mean()
        if not pattern.any():
            continue
        for centre in (5.0, 8.0, 9.5):
            most = min((10 - centre) / pattern.max(), centre / -pattern.min())
            widths = [width(graded(list(centre + step * pattern))) for step in np.linspace(0, most, 25)]
            assert all(later >= earlier - 1e-9 for earlier, later in pairwise(widths)), (centre, pattern)
    falling = [width(graded([10.0] * (count - 1) + [10 - step])) for step in np.linspace(0, 10, 25)]
    assert falling == sorted(falling)


def test_what_does_not_differ_is_said_beside_it():
    same = graded([8.0] * 14)
    row, told = same.document(), "8.0 [6.7, 8.3] all equal (n=14)"
    assert with_interval(row, 1) == with_interval(row, 1, usual=14) == Cell.of(row, 1).text() == told
    assert with_interval(graded([7.0] * 4, COUNTED).document(), 1) == "7.0 all equal (n=4)"
    for values in ([8.0], [8.0, 9.0]):
        assert "all equal" not in with_interval(graded(values).document())


def test_simulated_intervals_cover_what_the_results_say():
    """The whole table is `python -m benchmarks.intervals`; here those that were hardest, and a width."""
    made = dict(distributions())
    ends = [(f"ties at 5, {share} % at both ends", draws) for share, draws in ((10, 50), (35, 10))]
    for name, draws in [*ends, ("50 % at one end, the rest at the other", 4)]:
        assert cell(name, made[name], draws, 1000).held > 0.87, name
    ordinary = cell("grades", made["grades around 7, sd 2"], 14, 500)
    assert ordinary.held > 0.92 and ordinary.width < 1.3


@pytest.mark.parametrize("clusters", [2, 3, 5, 9])
def test_intervals_of_few_cover_what_they_say(clusters):
    rng, many = np.random.default_rng(clusters), (300, clusters)
    shares = {share: rng.random(many) < share for share in (0.9, 0.98)}
    shares |= {0.8: rng.beta(8, 2, many), 0.5: rng.beta(0.2, 0.2, many)}
    counts = {15.0: rng.negative_binomial(2, 2 / 17, many), 2.0: rng.poisson(2, many)}
    for draws, ends, held in ((shares, SHARE, 0.93), (counts, COUNTED, 0.91)):
        for truth, samples in draws.items():
            found = [mean({str(k): [float(x)] for k, x in enumerate(one)}, ends=ends) for one in samples]
            spread_out = [v for v in found if v.ci_low is not None and v.ci_high is not None]
            assert len(spread_out) == len(found) or ends is COUNTED
            within = sum(v.ci_low - 1e-12 <= truth <= v.ci_high + 1e-12 for v in spread_out)
            assert within / len(spread_out) > held, truth


def solved(ones: int, of: int) -> Statistic:
    return mean({str(k): [float(k < ones)] for k in range(of)}, ends=SHARE)


@pytest.mark.parametrize(("ones", "of"), [(0, 50), (1, 30), (3, 8), (2, 2), (150, 300), (299, 300)])
def test_a_share_of_one_value_a_question_has_the_exact_interval(ones, of):
    v = solved(ones, of)
    exact = scipy_stats.binomtest(ones, of).proportion_ci(method="exact")
    assert (v.ci_low, v.ci_high) == pytest.approx(exact)
    assert v.within(SHARE) == v == mean({str(k): [float(k < ones)] for k in range(of)}).within(SHARE)


@pytest.mark.parametrize("of", [4, 30, 100, 300])
@pytest.mark.parametrize("share", [0.005, 0.01, 0.05, 0.5])
def test_exact_intervals_hold_rare_shares(share, of):
    """Of 30 with a share of 0.01 they held 74 %; 0 of 50 ended at 0.046."""
    ends = [(v.ci_low, v.ci_high) for v in (solved(ones, of) for ones in range(of + 1))]
    likely = scipy_stats.binom.pmf(range(of + 1), of, share)
    assert sum(p for p, (low, high) in zip(likely, ends, strict=True) if low <= share <= high) >= 0.95


def test_n_beside_an_interval_is_of_the_questions_behind_it() -> None:
    row = mean({f"q{n}": [0.1 * n, 0.2] for n in range(8)}).document()
    assert (row["n"], drawn(row)) == (16, 8)
    assert with_interval(row).endswith(" n=8") and Cell.of(row).text().endswith(" n=8")


def test_trials_claims_and_grades_are_no_single_values():
    trials = mean({str(k): [1.0, float(k % 2)] for k in range(20)}, ends=SHARE)
    claims = pooled_ratio([("a", 1, 1), ("b", 3, 3), ("c", 0, 2)], "micro", n=3)
    for v in (trials, claims, graded([0.0, 1.0, 1.0])):
        assert "95% t interval" in v.sentence
    sizes = {AskedQuestion(f"{task}{size}", task): [float(task == "a")] for task in "abc" for size in "xy"}
    v = mean(sizes, ends=SHARE)
    assert (v.ci_low, v.ci_high) == (solved(1, 3).ci_low, solved(1, 3).ci_high) and v.tasks == 3


@pytest.mark.parametrize("values", [[0.2, 0.5, 0.9], [0.0, 1.0, 1.0], [0.5, 0.5, 0.5]])
def test_a_definition_is_never_taken_for_a_part_of_the_interval(values):
    """Definitions with these words lost their end, or all before it, as the sentence was read back."""
    definition = "share, of values with a price; all others are left out"
    made = mean({str(k): [value] for k, value in enumerate(values)}, definition).within(SHARE).within(SHARE)
    assert made.document()["method"].startswith(f"{definition}; ") and made.method == definition


def test_differences_of_rare_shares_cover_what_they_say():
    """One question of a hundred won and one lost: of 200 the interval held 88 %, as its skew was chance."""
    made = dict(shares())
    for moved, draws in (("0.01 more and 0.01 less", 300), ("0.05 more and 0 less", 50)):
        assert cell(moved, made[f"differences, {moved}"], draws, 1000).held > 0.93, moved
    same = {str(k): [1.0] for k in range(50)}
    assert paired(same, same, SHARE).difference.ci_high == pytest.approx(solved(0, 50).ci_high)
    better = {"0": [1.0], **{str(k): [0.0] for k in range(1, 50)}}
    found = paired(better, {key: [0.0] for key in better}, SHARE).difference
    assert found.ci_low is not None and found.ci_low < 0


def test_what_has_no_ends_and_never_differs_has_no_interval():
    same = graded([7.0] * 4, None)
    assert (same.ci_low, same.ci_high) == (None, None) and same.all_equal


def test_what_is_counted_has_no_interval_below_zero():
    """31 citations of one question, none of the other: seen as 15.5 [-3.9, 34.9]."""
    two = graded([6.0, 25.0], COUNTED)
    assert two.ci_low == 0.0 and two.ci_high is not None and two.ci_high > 25
    four = graded([0.0, 1.0, 0.0, 30.0], COUNTED)
    assert four.ci_low == 0 < four.value < 30 < four.ci_high
    assert four.within(COUNTED) == four
    times = graded([1.0, 1.1, 3.0], (1.0, math.inf))
    assert times.ci_low is not None and times.ci_low >= 1
    none = graded([0.0] * 4, COUNTED)
    assert (none.value, none.ci_low, none.ci_high) == (0.0, None, None) and none.all_equal


def test_every_metric_says_where_it_ends():
    endless = {name for name, metric in metrics().items() if metric.ends is None}
    assert endless == {"rel_position"}  # a difference


@pytest.mark.parametrize("clusters", [4, 5, 7, 9])
def test_what_relates_two_of_few_stays_between_its_ends(clusters):
    """Student's interval knows no ends; a correlation of 1.05 is none."""
    rng, seen = np.random.default_rng(clusters), 0
    for _ in range(40):
        truth = rng.normal(size=clusters * 3)
        names = [str(i // 3) for i in range(len(truth))]
        near = list(truth + 0.25 * rng.normal(size=len(truth)))
        a = [int(v > 0) for v in truth]
        b = [value if rng.random() < 0.9 else 1 - value for value in a]
        for v in (
            pearson(list(truth), near, unit="report", clusters=names),
            cohen_kappa(a, b, clusters=names),
            gwet_ac1(a, b, clusters=names),
            krippendorff_alpha([a, b], clusters=names),
            soft_disagreement(a, [2 if v != w else w for v, w in zip(a, b, strict=True)], clusters=names),
        ):
            if v.ci_low is not None:
                assert -1 <= v.ci_low <= v.value <= v.ci_high <= 1
                seen += 1 in (-v.ci_low, v.ci_high)
    assert seen > 5


@pytest.mark.long
def test_two_runs_of_one_system_lie_within_the_floor_19_times_of_20() -> None:
    rng = np.random.default_rng(1)
    questions, trials, inside = 30, 3, 0
    for _ in range(400):
        level = rng.normal(5, 2, size=(questions, 1))
        runs = {name: level + rng.normal(0, 0.8, size=(questions, trials)) for name in ("a", "b")}
        told = {name: {str(q): list(row) for q, row in enumerate(run)} for name, run in runs.items()}
        floor = noise_floor(told)
        assert floor is not None and floor.by == "trials" and floor.n == 60
        inside += abs(runs["a"].mean() - runs["b"].mean()) < floor.value
    assert 0.92 < inside / 400 < 0.98


def test_the_floor_is_that_of_the_systems_that_vary_most() -> None:
    """Pooled with systems that say the same each time, the floor of two that guess was too low."""
    rng = np.random.default_rng(2)

    def runs(spread: float) -> dict[str, list[float | None]]:
        return {str(q): [*rng.normal(5, spread, size=2)] for q in range(50)}

    alone = noise_floor({"a": runs(1), "b": runs(1)})
    beside = noise_floor({"a": runs(1), "b": runs(1), **{name: runs(0) for name in "cde"}})
    assert alone is not None and beside is not None
    assert beside.value == pytest.approx(alone.value, rel=0.2)


def test_trials_come_before_judge_repeats_and_nothing_repeated_is_not_measured() -> None:
    once = {"a": {"q": [1.0], "r": [2.0]}, "b": {"q": [1.5], "r": [None]}}
    again = {"a": {"report": [4.0, 6.0]}}
    assert noise_floor(once) is None
    by_judge = noise_floor(once, again)
    assert by_judge is not None and by_judge.by == "judge repeats" and by_judge.n == 1
    assert by_judge.value == pytest.approx(1.959964 * (2 * (1 / 2 + 1 / 1)) ** 0.5)
    by_trials = noise_floor({"a": {"q": [1.0, 3.0]}}, again)
    assert by_trials is not None and by_trials.by == "trials"
    assert by_trials.value == pytest.approx(1.959964 * (2 * (1 / 2 + 1 / 2)) ** 0.5)
