import numpy as np
import pytest
from drr.env.errors import DrrError
from drr.eval.stats.asked import Comparison, reconcile
from drr.eval.stats.pairs import overall, pair_results, positions
from drr.eval.stats.ratings import davidson, length_coefficient

from tests.late import Late

choix = Late("choix")


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        ("a", "a", "a"),
        ("b", "b", "b"),
        ("tie", "tie", "tie"),
        ("a", "tie", "tie"),
        ("tie", "b", "tie"),
        ("a", "b", "inconsistent"),
        ("b", "a", "inconsistent"),
        (None, "a", "error"),
        ("tie", None, "error"),
    ],
)
def test_two_orders_become_one_outcome(first, second, outcome):
    assert reconcile(first, second) == outcome


def make(outcomes: str, a="x", b="y", dimension="depth", start=0, **more) -> list[Comparison]:
    verdicts = {"w": ("a", "a"), "l": ("b", "b"), "t": ("tie", "tie"), "i": ("a", "b"), "e": (None, "a")}
    return [
        Comparison(f"q{start + i}", dimension, a, b, *verdicts[code], **more)
        for i, code in enumerate(outcomes)
    ]


def test_win_rate_counts_ties_half_and_leaves_errors_out():
    (result,) = pair_results(make("wwwltie"))
    assert (result.wins, result.ties, result.losses, result.inconsistent, result.errors) == (3, 2, 1, 1, 1)
    assert result.win_rate.value == pytest.approx((3 + 1) / 6)
    assert (result.win_rate.n, result.win_rate.n_unscored) == (6, 1)
    assert result.document()["n"] == 6


def test_holm_runs_over_all_pairs_and_dimensions():
    comparisons = make("w" * 9 + "l") + make("w" * 10, dimension="breadth") + make("wl" * 5, a="x", b="z")
    results = {(r.dimension, r.b): r for r in pair_results(comparisons)}
    assert results["breadth", "y"].p_holm == pytest.approx(3 * results["breadth", "y"].p_sign)
    assert results["depth", "y"].p_holm == pytest.approx(2 * results["depth", "y"].p_sign)
    assert results["depth", "z"].p_holm == 1.0


def test_trials_of_a_query_count_once():
    trials = [Comparison("q0", "depth", "x", "y", "a", "a", trial=t) for t in range(8)]
    (result,) = pair_results(trials + make("ll", start=1))
    assert result.win_rate.value == pytest.approx(1 / 3)
    assert result.p_sign == 1.0


def test_inconsistency_closes_the_gate():
    gate = positions(make("wwiiii"))["depth"]
    assert gate.consistency.value == pytest.approx(1 / 3)
    assert gate.unreliable
    assert gate.first_rate.value == pytest.approx(10 / 12)
    assert pair_results(make("wwiiii"))[0].unreliable
    assert not positions(make("wwwwwi"))["depth"].unreliable


def test_trials_of_one_question_are_no_proof_that_the_first_shown_wins():
    often = [Comparison("q0", "depth", "x", "y", "a", "b", trial=t) for t in range(30)]
    gate = positions(often)["depth"]
    assert (gate.first_rate.value, gate.first_rate.n, gate.p_first) == (1.0, 60, 1.0)
    assert gate.first_rate.ci_low is None
    assert positions(make("iiiiiiiiiiii"))["depth"].p_first == pytest.approx(2 / 2**12)


@pytest.mark.long
def test_without_ties_and_ridge_the_rating_is_bradley_terry():
    rng = np.random.default_rng(5)
    strength = {"a": 1.0, "b": 0.2, "c": -0.4, "d": -0.8}
    names, comparisons, data = list(strength), [], []
    for query in range(60):
        for i, a in enumerate(names):
            for j, b in enumerate(names[i + 1 :], i + 1):
                won = rng.random() < 1 / (1 + np.exp(strength[b] - strength[a]))
                comparisons += make("w" if won else "l", a=a, b=b, start=query)
                data.append((i, j) if won else (j, i))
    rating = davidson(comparisons, ridge=1e-9)
    reference = choix.opt_pairwise(4, data, alpha=1e-9)
    mine = [rating.strengths[name].value for name in names]
    assert mine == pytest.approx(list(reference - reference.mean()), abs=1e-4)
    assert rating.nu == 0.0
    assert all(v.ci_low < v.value < v.ci_high for v in rating.strengths.values())


def test_the_rating_is_the_maximum_of_davidsons_likelihood_with_ties():
    from scipy.optimize import minimize

    comparisons = make("wwwttl", a="x", b="y") + make("wwtll", a="y", b="z") + make("wwwwt", a="x", b="z")
    names = ["x", "y", "z"]

    def loss(free):
        pi, nu = dict(zip(names, np.exp(free[:3]), strict=True)), np.exp(free[3])
        total = 0.0
        for c in comparisons:
            a, b = pi[c.a], pi[c.b]
            whole = a + b + nu * np.sqrt(a * b)
            total += np.log({1.0: a, 0.0: b, 0.5: nu * np.sqrt(a * b)}[c.score] / whole)
        return -total + 0.005 * (free[:3] ** 2).sum()

    best = minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-8}).x
    rating = davidson(comparisons)
    assert [rating.strengths[n].value for n in names] == pytest.approx(
        list(best[:3] - best[:3].mean()), abs=1e-5
    )
    assert rating.nu == pytest.approx(np.exp(best[3]), abs=1e-5)


@pytest.mark.parametrize("outcomes", ["w" * 50, "l" * 50, "t" * 20, "w" * 49 + "t"])
def test_complete_separation_stays_finite(outcomes):
    rating = davidson(make(outcomes))
    assert all(abs(v.value) < 12 for v in rating.strengths.values())
    assert sum(v.value for v in rating.strengths.values()) == pytest.approx(0)
    assert rating.nu is None or rating.nu >= 0


def test_systems_that_never_met_are_not_rated_together():
    with pytest.raises(DrrError, match="never met"):
        davidson(make("wl", a="a", b="b") + make("wl", a="c", b="d"))
    document = overall(make("wl", a="a", b="b") + make("wl", a="c", b="d"))
    assert "never met" in document["ratings"]["depth"]["refused"]


@pytest.mark.long
def test_length_coefficient_finds_a_judge_that_prefers_the_longer():
    rng = np.random.default_rng(2)
    biased, fair = [], []
    for i in range(120):
        words = {"words_a": int(rng.integers(200, 900)), "words_b": int(rng.integers(200, 900))}
        longer = words["words_a"] > words["words_b"]
        biased += make("w" if longer != (rng.random() < 0.1) else "l", start=i, **words)
        fair += make("w" if rng.random() < 0.5 else "l", start=i, **words)
    assert length_coefficient(biased).ci_low > 1
    v = length_coefficient(fair)
    assert v.ci_low < 0 < v.ci_high


def test_length_coefficient_without_lengths_or_variation_is_none():
    assert length_coefficient(make("wlwl")).value is None
    assert length_coefficient(make("wlwl", words_a=100, words_b=100)).value is None
