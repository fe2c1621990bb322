"""A rank counts who is better in a paired test, and chance separates nobody."""

from __future__ import annotations

import numpy as np
import pytest
from drr.eval.stats.differences import FLIPS, paired, unpaired
from drr.eval.stats.question import AskedQuestion
from drr.eval.stats.ranks import ranks, sign_flips

from benchmarks.ranks import boards


def test_who_is_better_on_the_same_questions_beats_whom_intervals_do_not_tell_apart() -> None:
    (board,) = boards(2, 100, 0.15, 1, 1)
    assert ranks(board) == {"s0": 1, "s1": 2}
    assert ranks(board, is_lower_better=True) == {"s0": 2, "s1": 1}
    assert ranks({"alone": {"q": [1.0]}, "silent": {"q": [None]}}) == {"alone": 1}
    assert ranks({}) == {}


@pytest.mark.parametrize("systems", [2, 8])
def test_equals_share_the_first_rank_nearly_always(systems: int) -> None:
    """`python -m benchmarks ranks` has more draws, and 30 systems."""
    apart = [max(ranks(board).values()) > 1 for board in boards(systems, 60, 0.0, 5, 60)]
    assert np.mean(apart) <= 0.1


def test_trials_are_averaged_and_the_questions_of_a_task_are_one_draw() -> None:
    sizes = [AskedQuestion(f"t{n}/{size}", f"t{n}") for n in range(8) for size in range(6)]
    better = {one: [0.9, 0.7] for one in sizes}
    other = {one: [0.75, 0.75, 0.75] if int(one.task[1:]) < 6 else [0.95] for one in sizes}
    by_task = {"a": better, "b": other}
    alone = {
        name: {AskedQuestion(one.query, one.query): x for one, x in own.items()}
        for name, own in by_task.items()
    }
    assert ranks(by_task) == {"a": 1, "b": 1} and sorted(ranks(alone).values()) == [1, 1]
    apart = {"a": {one: [1.0] for one in sizes}, "b": {one: [0.0] for one in sizes}}
    assert ranks(apart) == {"a": 1, "b": 2}


def test_the_test_is_that_of_paired_differences_and_can_be_as_small_as_thirty_systems_need() -> None:
    chance = np.random.default_rng(3)
    for n in (9, 40):
        a, b = ({f"q{i}": [float(x)] for i, x in enumerate(chance.normal(0.03, 0.1, n))} for _ in range(2))
        p = paired(a, b).p
        (own,) = sign_flips(np.array([[a[q][0] - b[q][0] for q in a]]))
        assert p == pytest.approx(own, abs=0.02)
    (none, small) = sign_flips(np.array([np.zeros(100), np.full(100, 0.2)]))
    assert none == 1.0 and small < 1 / (FLIPS + 1) / 100


def test_other_questions_are_compared_by_their_means() -> None:
    chance = np.random.default_rng(4)
    a, b = (
        {f"{side}{i}": [float(x)] for i, x in enumerate(chance.normal(mean, 0.2, 30))}
        for side, mean in (("a", 0.8), ("b", 0.4))
    )
    found = unpaired(a, b, (0.0, 1.0))
    assert found.p is not None and found.p < 0.001 and found.difference.ci_low is not None
    assert 0.2 < found.difference.ci_low < found.difference.value < 0.6  # type: ignore[operator]
    assert unpaired({"a": [1.0]}, b).p is None
    assert unpaired({"a": [1.0], "b": [1.0]}, {"c": [1.0], "d": [1.0]}).p == 1.0
