"""The interval of a paired difference is the sign-flip test turned round, and the corrected test alone decides."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from drr.app.report.tables import Cell
from drr.app.terminal import with_interval
from drr.eval.agreement.judges import pairwise_agreement
from drr.eval.labels import SupportLabel
from drr.eval.stats.agreement import repeat_stability
from drr.eval.stats.correlation import pearson
from drr.eval.stats.differences import (
    SIGNIFICANT,
    PairedDifference,
    detectable_difference,
    is_settled,
    paired,
    sign_flip,
    sign_flips,
    with_holm,
)
from drr.eval.stats.effects import Pair, effects
from drr.eval.stats.intervals import SHARE, Ends
from drr.eval.stats.pairs import pair_results
from drr.eval.stats.question import AskedQuestion, Comparison, Winner

from benchmarks.differences import KINDS, held, settled

GRADES: Ends = (0.0, 10.0)


def apart(moved: Sequence[float], ends: Ends | None = GRADES, tasks: Sequence[int] = ()) -> PairedDifference:
    asked = [
        AskedQuestion(f"q{n}", f"t{task}")
        for n, task in enumerate(tasks if len(tasks) else range(len(moved)))
    ]
    return paired(
        {one: [x] for one, x in zip(asked, moved, strict=True)}, {one: [0.0] for one in asked}, ends
    )


def test_two_grades_more_on_each_of_ten_questions_are_settled() -> None:
    """The test said p = .002, and the page "not settled", because so few may have missed a worse question."""
    found = with_holm({"overall": apart([2.0] * 10)})["overall"]
    row = found.document()
    assert row["p"] == pytest.approx(2 / 2**10) and is_settled(row)
    assert (row["ci_low"], row["ci_high"]) == (None, None), "ten equal values say nothing of an eleventh"
    assert with_interval(row, 1) == Cell.tested(row, 1).text() == "+2.0 on each of 10"
    assert Cell.tested(row, 1).bold


@pytest.mark.slow
def test_zero_is_outside_exactly_where_the_test_finds_a_difference() -> None:
    rng, known = np.random.default_rng(97), 0
    for step in range(2800):
        n = int(rng.choice([6, 7, 8, 10, 12, 13, 14, 15, 17, 20, 40]))
        moved = rng.integers(-2, 4, n) * rng.choice([0.1, 0.5, 1.0])
        moved = moved * (rng.random(n) < rng.choice([0.1, 0.4, 1.0])) + rng.choice([0.0, 0.0, 0.05])
        tasks = rng.integers(0, n, n) if step % 4 == 0 else range(n)
        found = apart(list(moved), GRADES, list(tasks))
        low, high = found.difference.ci_low, found.difference.ci_high
        if low is None or high is None or found.p is None:
            few = len(set(tasks)) < 6
            assert few or found.difference.error is None
            continue
        known += 1
        assert low - 1e-12 <= (found.difference.value or 0.0) <= high + 1e-12
        assert (low > 0 or high < 0) is (found.p < SIGNIFICANT), (moved, tasks)
    assert known > 2200


def test_the_ends_are_those_at_which_the_test_turns() -> None:
    """Found by shifting the data and testing anew, as nobody would who knows the order statistics."""
    rng = np.random.default_rng(5)
    for n in (6, 9, 13):
        moved = rng.normal(1, 2, n)
        v = apart(list(moved)).difference
        assert v.ci_low is not None and v.ci_high is not None
        for end, way in ((v.ci_low, 1), (v.ci_high, -1)):
            inside, outside = (sign_flip(moved - end - way * gap) for gap in (1e-6, -1e-6))
            assert outside < SIGNIFICANT <= inside
        assert "sign-flip test" in v.sentence


def test_below_six_draws_no_pattern_of_signs_is_rare_enough() -> None:
    assert apart([0.1, 0.2, 0.3, 0.4, 0.5]).difference.ci_low is None
    six = apart([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    assert (six.difference.ci_low, six.difference.ci_high) == pytest.approx((0.1, 0.6)) and six.p == 2 / 64
    sizes = apart([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], tasks=[0, 0, 1, 2, 3, 4])
    assert sizes.difference.ci_low is None and sizes.difference.tasks == 5


def test_solved_or_not_keeps_its_exact_interval_and_yields_to_the_test_at_zero() -> None:
    """Wins, losses and ties of 6 to 20 questions: the end next to 0 is 0 where both disagree."""
    cut = 0
    for n in range(6, 21):
        for wins in range(n + 1):
            for losses in range(min(wins, n - wins) + 1):
                found = apart([1.0] * wins + [-1.0] * losses + [0.0] * (n - wins - losses), SHARE)
                v = found.difference
                assert v.ci_low is not None and v.ci_high is not None and found.p is not None
                assert found.p < SIGNIFICANT if v.ci_low > 0 else v.ci_low == 0 or found.p >= SIGNIFICANT
                cut += "cut at 0" in v.sentence
                assert ("cut at 0" in v.sentence) is (v.ci_low == 0)
    assert cut > 20
    same = apart([0.0] * 50, SHARE).difference
    assert same.ci_high == pytest.approx(1 - 0.025 ** (1 / 50)) == -(same.ci_low or 0.0)


@pytest.mark.slow
def test_an_effect_per_dose_and_its_part_of_the_mean_agree_with_the_test() -> None:
    rng = np.random.default_rng(11)
    for _ in range(200):
        slope, n = rng.choice([0.0, 1.0]), int(rng.integers(6, 30))
        rows = []
        for k in range(n):
            dose = float(rng.choice([-0.2, 0.1, 0.3]))
            rows.append(
                Pair("price", f"q{k % (n - 1)}", "share", 1.0, 1.0 + slope * dose + rng.normal(0, 0.2), dose)
            )
        (found,) = effects(rows)
        row = found.document()
        for v in (row, row["relative"]):
            if (
                v is not None
                and v["ci_low"] is not None
                and v["ci_high"] is not None
                and row["p"] is not None
            ):
                assert (v["ci_low"] > 0 or v["ci_high"] < 0) is (row["p"] < SIGNIFICANT)


BY_DAY = [(6, 1), (9, 4), (13, 1)]
MORE = [pytest.param(*row, marks=pytest.mark.slow) for row in ((14, 10), (20, 10), (50, 4))]


@pytest.mark.slow
@pytest.mark.parametrize(("n", "tests"), [*BY_DAY, *MORE])
def test_the_smallest_detectable_difference_is_found_in_four_of_five_cases(n: int, tests: int) -> None:
    least = detectable_difference(1 / n**0.5, n, tests)
    assert least is not None
    drawn = np.random.default_rng(n).normal(least, 1, (n, 1500))
    assert 0.77 < np.mean(sign_flips(drawn) * tests < SIGNIFICANT) < 0.83


def test_so_few_show_nothing_however_large() -> None:
    assert detectable_difference(0.1, 5) is None and detectable_difference(0.1, 6, 2) is None
    assert detectable_difference(None, 5) is None
    share = detectable_difference(None, 40, 4)
    assert share is not None
    moved = np.random.default_rng(1).random((400, 40)) < share
    found = [sign_flip(one.astype(float)) * 4 < SIGNIFICANT for one in moved]
    assert 0.75 < np.mean(found) < 0.9


SIDES: tuple[Winner, ...] = ("a", "b", "tie")


def _held(rows: Sequence[tuple[float | None, float | None]], truth: float) -> np.floating:
    return np.mean(
        [low is not None and high is not None and low - 1e-9 <= truth <= high + 1e-9 for low, high in rows]
    )


def test_a_win_rate_of_few_decided_pairs_covers_what_it_says() -> None:
    """Two of a hundred won and two lost: 88 % of the intervals held the truth, as the skew of so few is chance."""
    rng, found = np.random.default_rng(2), []
    for _ in range(150):
        drawn = rng.choice(3, 100, p=[0.02, 0.02, 0.96])
        outcomes: list[Winner] = [SIDES[one] for one in drawn]
        (row,) = pair_results(
            [Comparison(f"q{n}", "depth", "x", "y", won, won) for n, won in enumerate(outcomes)]
        )
        v, p = row["win_rate"], row["p_sign"]
        found.append((v["ci_low"], v["ci_high"]))
        assert v["ci_low"] is not None and v["ci_high"] is not None
        assert (v["ci_low"] > 0.5 or v["ci_high"] < 0.5) is (p is not None and p < SIGNIFICANT)
    assert _held(found, 0.5) > 0.93
    (sure,) = pair_results([Comparison(f"q{n}", "depth", "x", "y", "a", "a") for n in range(10)])
    assert sure["win_rate"]["ci_low"] == pytest.approx(0.025 ** (1 / 10)), "without a tie it is a share"


def test_pearson_of_few_covers_what_it_says() -> None:
    """Leaving out each question on the scale of r itself held 83 to 92 %."""
    rng, truth = np.random.default_rng(4), 0.8
    for clusters, each in ((8, 1), (12, 3)):
        found = []
        for _ in range(250):
            shared, own = rng.normal(size=(clusters, 1, 2)), rng.normal(size=(clusters, each, 2))
            both = (0.8**0.5 * shared + 0.2**0.5 * own).reshape(-1, 2)
            x, y = both[:, 0], truth * both[:, 0] + (1 - truth**2) ** 0.5 * both[:, 1]
            names = [str(n // each) for n in range(clusters * each)]
            v = pearson(list(x), list(y), unit="report", clusters=names)
            found.append((v.ci_low, v.ci_high))
            assert v.ci_low is not None and v.value is not None and -1 < v.ci_low < v.value < 1
        assert _held(found, truth) > 0.92, (clusters, each)
    assert pearson([1, 2, 3, 4, 5], [2, 4, 6, 8, 10], unit="report").ci_low is None


def test_alpha_and_stability_draw_questions() -> None:
    """Ten claims of one report are no ten draws: 80 % of alpha's intervals held the truth."""
    rng, labels, twice = np.random.default_rng(3), [], []
    for q in range(20):
        alike = rng.random() < 0.7
        for claim in range(10):
            said = str(rng.choice(["full", "none"]))
            other = said if alike else str(rng.choice(["full", "none"]))
            twice.append([said, other])
            for judge, label in (("ann", said), ("bob", other)):
                labels.append(SupportLabel(id=f"{q}/{claim}", judge=judge, claim=f"claim {q} {claim}",
                                           evidence="e", query=f"question {q}", label=label))  # fmt: skip
    row = pairwise_agreement(labels)["support"]["alpha"]
    assert row is not None and "over 20 clusters" in row["method"] and row["n"] == 200
    asked = [str(n // 10) for n in range(200)]
    wide, narrow = repeat_stability(twice, asked), repeat_stability(twice, [str(n) for n in range(200)])
    assert wide.clusters == 20 and wide.error is not None and narrow.error is not None
    assert wide.error > 1.5 * narrow.error


def test_simulated_differences_are_held_and_equal_systems_are_seldom_told_apart() -> None:
    """The whole table is `python -m benchmarks.intervals`."""
    for name, n in (
        ("normal", 10),
        ("whole grades", 13),
        ("tasks of three sizes", 8),
        ("solved, .1 more and .1 less", 13),
    ):
        assert KINDS[name].is_symmetric and held(name, n, 400) > 0.92, name
    assert settled(10, 150, 0.0, 4) < 0.1 and settled(10, 200, 1.0) > 0.6
