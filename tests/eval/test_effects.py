"""What a change moves: paired, by question, corrected for how many were looked at."""

import math
import random

import pytest
from drr.eval.stats.differences import holm, paired
from drr.eval.stats.effects import Effect, Pair, effects
from drr.eval.stats.intervals import SHARE
from drr.eval.stats.question import AskedQuestion


def pairs(change: str, moves: list[tuple[float | None, float | None]], outcome: str = "solved") -> list[Pair]:
    return [Pair(change, f"q{k}", outcome, before, after) for k, (before, after) in enumerate(moves)]


def only(found: list[Effect]) -> Effect:
    (one,) = found
    return one


def test_an_effect_is_the_house_s_paired_difference() -> None:
    moves = [(1.0, 0.0)] * 8 + [(1.0, 1.0)] * 20 + [(0.0, 1.0)] * 2
    found = only(effects(pairs("faults", moves), {"solved": SHARE}))
    house = paired(
        {f"q{k}": [after] for k, (_, after) in enumerate(moves)},
        {f"q{k}": [before] for k, (before, _) in enumerate(moves)},
        SHARE,
    )
    assert found.moved.difference == house.difference
    assert found.moved.difference.value == pytest.approx(-0.2)
    assert (found.moved.a, found.moved.b, found.moved.p) == (house.a, house.b, house.p)
    assert found.relative is None


def test_a_pair_that_one_side_lacks_is_counted_and_in_neither_mean() -> None:
    found = only(effects(pairs("faults", [(1.0, None), (None, 0.0), (1.0, 0.0), (0.0, 0.0)])))
    assert (found.moved.b, found.moved.a) == (0.5, 0.0)
    assert found.moved.difference.n_unscored == 2
    lacking = only(effects(pairs("faults", [(1.0, None)])))
    assert lacking.moved.difference.value is None and lacking.moved.p is None
    dosed = only(effects([Pair("price", "q", "picked", 1.0, None, 0.1)]))
    assert dosed.moved.difference.value is None and dosed.moved.p is None and dosed.document()["per_dose"]


def test_every_change_that_was_looked_at_is_in_one_correction() -> None:
    clear = pairs("sponsor", [(0.0, 1.0)] * 6 + [(0.0, 0.0)] * 2, "picked")
    still = [one for name in "abcdefgh" for one in pairs(name, [(0.0, 1.0), (1.0, 0.0), (1.0, 1.0)])]
    alone = only(effects(clear))
    among = effects([*clear, *still])
    assert [one.change for one in among] == ["sponsor", *"abcdefgh"]
    assert alone.moved.p == alone.moved.p_holm == pytest.approx(2 / 2**6)
    assert [one.moved.p_holm for one in among] == holm([one.moved.p for one in among])
    assert alone.document()["settled"] and not among[0].document()["settled"]


def test_questions_of_one_task_are_one_draw() -> None:
    def rows(dose: float | None) -> list[Pair]:
        asked = [AskedQuestion(f"q{k}", f"t{k // 4}") for k in range(16)]
        return [Pair("today", one, "picked", 0.0, float(k < 12), dose) for k, one in enumerate(asked)]

    found = only(effects(rows(None)))
    assert found.moved.difference.tasks == 4
    assert found.moved.p == pytest.approx(2 / 2**3)
    slope = only(effects(rows(2.0)))
    assert slope.moved.difference.tasks == 4
    assert slope.moved.difference.value == pytest.approx(0.75 / 2)
    assert slope.moved.p == pytest.approx(2 / 2**3)


def test_the_slope_of_picks_on_the_log_of_the_price_is_the_elasticity() -> None:
    rng = random.Random(3)
    rows = []
    for k in range(200):
        dose = math.log(rng.choice([0.8, 0.9, 1.1, 1.25]))
        # an agent that buys in proportion to price ** -2, at half before
        middle = 0.5
        rows.append(Pair("price", f"q{k}", "share", middle, middle * math.exp(-2 * dose), dose))
    found = only(effects(rows))
    assert found.relative is not None and found.relative.value == pytest.approx(-2, abs=0.1)
    low, high = found.relative.ci_low, found.relative.ci_high
    assert low is not None and high is not None and low < found.relative.value < high
    slope = found.moved.difference
    assert slope.ci_low is not None and slope.ci_high is not None
    assert (low < 0 < high) == (slope.ci_low < 0 < slope.ci_high), "both hold zero or neither"
    assert found.document()["settled"]


def test_a_list_in_another_order_tells_the_pull_of_the_first_place() -> None:
    """Each listing seen is a pair; an agent takes the first with 0.3, else the best, wherever it stands."""
    rng = random.Random(5)
    rows = []
    for k in range(400):
        taken = []
        for _ in range(2):
            order = rng.sample(range(6), 6)
            taken.append((order[0], order[0] if rng.random() < 0.3 else 0))
        (first, before), (then, after) = taken
        rows += [
            Pair(
                "shuffle",
                f"q{k}",
                "picked",
                float(before == p),
                float(after == p),
                float(p == then) - float(p == first),
            )
            for p in range(6)
        ]
    found = only(effects(rows, {"picked": SHARE}))
    assert found.moved.difference.value == pytest.approx(0.3, abs=0.06)
    assert found.moved.b == pytest.approx(1 / 6) == found.moved.a


def test_nothing_moved_is_no_alarm_and_says_what_so_many_can_have_missed() -> None:
    found = only(effects(pairs("sponsor", [(1.0, 1.0)] * 30), {"solved": SHARE}))
    v = found.moved.difference
    assert v.value == 0 and found.moved.p == 1.0 and not found.document()["settled"]
    assert v.ci_low is not None and v.ci_high is not None and -0.12 < v.ci_low < 0 < v.ci_high < 0.12


def test_doses_for_some_pairs_only_are_a_mistake_of_the_caller() -> None:
    mixed = [Pair("price", "q", "picked", 0.0, 1.0, 0.1), Pair("price", "r", "picked", 0.0, 1.0)]
    with pytest.raises(ValueError, match="price, picked: some pairs have a dose and some have none"):
        effects(mixed)
