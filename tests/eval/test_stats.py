import math

import numpy as np
import pytest
from drr.eval.metrics import metrics
from drr.eval.stats.agreement import cohen_kappa, gwet_ac1, krippendorff_alpha, soft_disagreement
from drr.eval.stats.correlation import pearson
from drr.eval.stats.intervals import (
    COUNTED,
    FEWEST,
    RESAMPLES,
    SHARE,
    holm,
    interval,
    mean,
    paired,
    pooled,
    resampled,
    share,
    sign_flip,
    sign_test,
    spread,
    wilson,
    with_holm,
)
from drr.eval.stats.pairs import wins_needed

from tests.late import Late

scipy_stats, multitest, proportion = (
    Late("scipy.stats"),
    Late("statsmodels.stats.multitest"),
    Late("statsmodels.stats.proportion"),
)


def test_trials_of_a_query_are_averaged_before_queries():
    v = mean({"q1": [1.0, 0.0, 0.5, 0.5], "q2": [1.0]})
    assert v.value == pytest.approx(0.75)
    assert (v.n, v.n_unscored) == (5, 0)
    assert "trials of a query averaged first" in v.method


def test_unscored_are_counted_and_never_averaged():
    v = mean({"q1": [None, 0.4], "q2": [None], "q3": [0.6]})
    assert v.value == pytest.approx(0.5)
    assert (v.n, v.n_unscored) == (2, 2)


def test_nothing_scored_is_none():
    v = mean({"q1": [None]})
    assert (v.value, v.ci_low, v.ci_high, v.n, v.n_unscored) == (None, None, None, 0, 1)


def test_one_query_has_a_value_and_no_interval():
    v = mean({"q": [0.3]})
    assert (v.value, v.ci_low, v.ci_high) == (pytest.approx(0.3), None, None)


def test_the_interval_is_that_of_a_plain_bootstrap():
    rng = np.random.default_rng(3)
    x = rng.normal(5, 2, 60)
    v = mean({str(i): [float(value)] for i, value in enumerate(x)})
    draws = rng.choice(x, size=(20000, 60)).mean(axis=1)
    low, high = np.percentile(draws, [2.5, 97.5])
    assert v.ci_low == pytest.approx(low, abs=0.08)
    assert v.ci_high == pytest.approx(high, abs=0.08)
    assert f"B={RESAMPLES}" in v.method and "seed=" in v.method


def test_the_same_data_gives_the_same_interval():
    data = {str(i): [float(i % 7)] for i in range(40)}
    first = mean(data)
    resampled.cache_clear()
    assert mean(data) == first


def test_many_clusters_are_drawn_in_blocks_with_the_same_result(monkeypatch):
    data = {str(i): [float(i % 7)] for i in range(50)}
    whole = mean(data)
    monkeypatch.setattr("drr.eval.stats.intervals.KEPT", 10)
    assert mean(data) == whole


def test_pooled_weighs_by_denominator():
    v = pooled([("a", 1, 1), ("b", 0, 3)], "micro", n=2)
    assert v.value == pytest.approx(0.25)


def test_pooled_without_any_denominator_is_none():
    assert pooled([("a", 0, 0)], "micro", n=1).value is None


def test_interval_is_none_where_too_many_resamples_are_undefined():
    assert interval(np.array([1.0] * 90 + [np.nan] * 10)) == (None, None)


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
    assert better.p == pytest.approx(1 / 10_001)
    assert better.difference.ci_low > 0


def test_few_queries_cannot_be_significant():
    few = {str(i): [1.0 + 0.1 * i] for i in range(4)}
    assert paired(few, {key: [0.0] for key in few}).p == pytest.approx(2 / 16)


def test_sign_flips_equal_scipy():
    from scipy.stats import permutation_test

    x = np.random.default_rng(1).normal(0.5, 1, 10)
    reference = permutation_test((x,), np.mean, permutation_type="samples", n_resamples=np.inf)
    assert sign_flip(x) == pytest.approx(reference.pvalue)


def test_paired_with_nothing_in_common_is_none():
    d = paired({"a": [1.0]}, {"b": [1.0]})
    assert (d.difference.value, d.p, d.a) == (None, None, None)


@pytest.mark.parametrize(("k", "n"), [(30, 50), (0, 10), (10, 10), (13, 21), (0.5, 3)])
def test_wilson_equals_statsmodels(k, n):
    assert wilson(k, n) == pytest.approx(proportion.proportion_confint(k, n, method="wilson"))


def test_wilson_figures_of_the_notes():
    assert wilson(30, 50) == pytest.approx((0.46, 0.72), abs=0.005)
    assert sign_test(33, 17) == pytest.approx(0.033, abs=0.001)
    assert sign_test(32, 18) > 0.05
    assert wins_needed(50) == 33
    assert wins_needed(5) is None


@pytest.mark.parametrize(("wins", "losses"), [(33, 17), (5, 0), (0, 5), (7, 7), (600, 510)])
def test_sign_test_equals_scipy(wins, losses):
    assert sign_test(wins, losses) == pytest.approx(scipy_stats.binomtest(wins, wins + losses).pvalue)


def test_sign_test_and_share_of_nothing_are_none():
    assert sign_test(0, 0) is None
    assert share(0, 0, "x").value is None


def test_holm_equals_statsmodels_and_ignores_untested():
    p = [0.01, 0.04, 0.03, 0.2, 0.001]
    assert holm(p) == pytest.approx(list(multitest.multipletests(p, method="holm")[1]))
    assert holm([0.01, None, 0.04]) == pytest.approx([0.02, None, 0.04], nan_ok=True)


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


def test_few_queries_that_agree_have_a_wide_interval_and_not_none():
    two = mean({"a": [1.0], "b": [1.0]}, ends=SHARE)
    assert (two.value, two.ci_high) == (1.0, 1.0)
    assert two.ci_low is not None and two.ci_low < 0.3
    assert "fewer than 10" in two.method and "bootstrap" not in two.method
    none = mean({str(k): [0.0] for k in range(4)}, ends=SHARE)
    assert none.ci_low == 0.0 and none.ci_high == pytest.approx(
        proportion.proportion_confint(0, 4, method="beta")[1], abs=0.02
    )
    many = mean({str(k): [1.0] for k in range(50)}, ends=SHARE)
    assert many.ci_low is not None and 0.9 < many.ci_low < 1.0 and "no two of them differ" in many.method
    grades = mean({"a": [6.0], "b": [7.0]}, ends=(0.0, 10.0))
    assert grades.ci_low is not None and grades.ci_high is not None
    assert 0 <= grades.ci_low < 6 and 7 < grades.ci_high <= 10


def test_a_share_of_few_has_the_corrected_interval_of_wilson():
    for n, right in ((4, 2), (6, 5), (9, 9), (8, 0), (5, 1)):
        values = {str(k): [float(k < right)] for k in range(n)}
        v = mean(values, ends=SHARE)
        exact = proportion.proportion_confint(right, n, method="beta")
        assert v.ci_low == pytest.approx(exact[0], abs=0.04)
        assert v.ci_high == pytest.approx(exact[1], abs=0.04)


@pytest.mark.parametrize("clusters", [2, 3, 4, 7, 9])
def test_a_higher_share_of_few_has_no_lower_end(clusters):
    """Near one, too: half a cluster from an end and nearer, the interval reaches to it."""
    shares = [step / 200 for step in range(201)]
    ends = [mean({str(n): [share] for n in range(clusters)}, ends=SHARE) for share in shares]
    lows, highs = [v.ci_low for v in ends], [v.ci_high for v in ends]
    assert lows == sorted(lows) and highs == sorted(highs)
    assert all(v.ci_low <= v.value <= v.ci_high for v in ends)
    assert {v.ci_high for v in ends if v.value >= 1 - 1 / (2 * clusters)} == {1.0}


@pytest.mark.parametrize("clusters", [2, 3, 5, 9])
def test_intervals_of_few_cover_what_they_say(clusters):
    rng = np.random.default_rng(clusters)
    draws = {
        0.9: rng.random((300, clusters)) < 0.9,
        0.98: rng.random((300, clusters)) < 0.98,
        0.8: rng.beta(8, 2, (300, clusters)),
        0.5: rng.beta(0.2, 0.2, (300, clusters)),
    }
    for truth, samples in draws.items():
        held = 0
        for sample in samples:
            v = mean({str(k): [float(x)] for k, x in enumerate(sample)}, ends=SHARE)
            assert v.ci_low is not None and v.ci_high is not None
            held += v.ci_low - 1e-12 <= truth <= v.ci_high + 1e-12
        assert held / 300 > 0.93, truth


def test_what_has_no_ends_has_students_interval_below_ten_and_none_without_spread():
    x = [3.0, 5.0, 4.0, 9.0]
    v = mean({str(k): [value] for k, value in enumerate(x)})
    half = 3.1824 * np.std(x, ddof=1) / 2
    assert v.ci_low == pytest.approx(np.mean(x) - half, abs=0.2)
    assert v.ci_high == pytest.approx(np.mean(x) + half, abs=0.2)
    assert "t interval over 4 clusters" in v.method
    same = mean({str(k): [7.0] for k in range(4)})
    assert (same.ci_low, same.ci_high) == (None, None) and "too few" in same.method
    assert "bootstrap over 10 clusters" in mean({str(k): [float(k)] for k in range(FEWEST)}).method


def test_what_is_counted_has_no_interval_below_zero():
    """31 citations of one question, none of the other: seen as 15.5 [-3.9, 34.9]."""
    two = mean({"a": [6.0], "b": [25.0]}, ends=COUNTED)
    assert two.ci_low == 0.0 and two.ci_high is not None and two.ci_high > 25
    assert "cut at 0" in two.method
    four = mean({str(k): [x] for k, x in enumerate((0.0, 1.0, 0.0, 30.0))}, ends=COUNTED)
    assert four.value is not None and four.ci_low is not None and four.ci_high is not None
    assert 0 < four.ci_low < four.value < 30 < four.ci_high and "logarithm" in four.method
    assert four.within(COUNTED) == four
    times = mean({str(k): [x] for k, x in enumerate((1.0, 1.1, 3.0))}, ends=(1.0, math.inf))
    assert times.ci_low is not None and times.ci_low > 1
    none = mean({str(k): [0.0] for k in range(4)}, ends=COUNTED)
    assert (none.value, none.ci_low, none.ci_high) == (0.0, None, None) and "too few" in none.method


@pytest.mark.parametrize("clusters", [2, 3, 5, 9])
def test_intervals_of_few_skewed_counts_cover_what_the_documents_say(clusters):
    rng = np.random.default_rng(clusters)
    draws = {15.0: rng.negative_binomial(2, 2 / 17, (300, clusters)), 2.0: rng.poisson(2, (300, clusters))}
    for truth, samples in draws.items():
        found = [mean({str(k): [float(x)] for k, x in enumerate(s)}, ends=COUNTED) for s in samples]
        spread_out = [v for v in found if v.ci_low is not None and v.ci_high is not None]
        held = sum(v.ci_low <= truth <= v.ci_high for v in spread_out)
        assert held / len(spread_out) > 0.91, truth


def test_every_metric_says_where_it_ends():
    endless = {name for name, metric in metrics().items() if metric.ends is None}
    assert endless == {"rel_position"}  # a difference


def test_differences_of_few_keep_to_twice_the_range():
    a = {str(k): [0.9] for k in range(4)}
    b = {str(k): [0.8] for k in range(4)}
    d = paired(a, b, SHARE).difference
    assert d.ci_low is not None and d.ci_high is not None and d.ci_low < 0 < 0.1 < d.ci_high < 1


def test_a_difference_of_counts_has_no_ends():
    found = paired({"a": [1.0], "b": [3.0], "c": [9.0]}, {"a": [2.0], "b": [5.0], "c": [1.0]}, COUNTED)
    assert (
        found.difference
        == paired({"a": [1.0], "b": [3.0], "c": [9.0]}, {"a": [2.0], "b": [5.0], "c": [1.0]}).difference
    )
    assert found.difference.ci_low is not None and found.difference.ci_low < 0 < found.difference.ci_high


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
                seen += "cut at -1 and 1" in v.method
    assert seen > 5
