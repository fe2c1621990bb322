"""A rank counts who is better in a paired test, and chance separates nobody."""

from __future__ import annotations

import numpy as np
import pytest
from drr.eval.stats.differences import paired, sign_flip, sign_flips, unpaired
from drr.eval.stats.question import AskedQuestion
from drr.eval.stats.ranks import ranks

from benchmarks.ranks import boards, joined, order


def test_who_is_better_on_the_same_questions_beats_whom_intervals_do_not_tell_apart() -> None:
    (board,) = boards(2, 100, 0.15, 1, 1)
    assert ranks(board).places == {"s0": 1, "s1": 2}
    assert ranks(board, is_lower_better=True).places == {"s0": 2, "s1": 1}
    assert ranks({"alone": {"q": [1.0]}, "silent": {"q": [None]}}) == ({"alone": 1}, None)
    assert ranks({}) == ({}, None)


@pytest.mark.slow
def test_chance_parts_one_of_200_equal_pairs() -> None:
    """`python -m benchmarks ranks` has more draws, and 30 systems."""
    apart = [max(ranks(board).places.values()) > 1 for board in boards(2, 60, 0.0, 5, 400)]
    assert sum(apart) <= 6
    assert any(max(ranks(board).places.values()) > 1 for board in boards(30, 60, 0.0, 5, 4))


@pytest.mark.parametrize("useless", [0, 6, pytest.param(40, marks=pytest.mark.slow)])
def test_entries_that_concern_nobody_leave_the_order_and_clones_lift_nobody(useless: int) -> None:
    for board in boards(6, 40, 0.1, 11, 8):
        alone, names = order(board, list(board)), list(board)
        assert order(joined(board, useless, 0), names) == alone
        assert order(joined(board, useless, 12), names) == alone
        further = {**joined(board, useless, 0), "elsewhere": {f"x{n}": [1.0] for n in range(30)}}
        assert order(further, names) == alone


def test_a_gap_is_what_so_many_questions_show_at_the_level_of_a_board() -> None:
    (board,) = boards(8, 100, 0.0, 5, 1)
    gap = ranks(board).gap
    assert gap is not None and 0.05 < gap < 0.15
    found = [ranks(one).places["s1"] > 1 for one in boards(2, 100, gap, 7, 60)]
    assert 0.6 < np.mean(found) < 0.95
    (few,) = boards(8, 8, 0.9, 5, 1)
    assert ranks(few).gap is None and set(ranks(few).places.values()) == {1}


def test_trials_are_averaged_and_the_questions_of_a_task_are_one_draw() -> None:
    sizes = [AskedQuestion(f"t{n}/{size}", f"t{n}") for n in range(8) for size in range(6)]
    better = {one: [0.9, 0.7] for one in sizes}
    other = {one: [0.75, 0.75, 0.75] if int(one.task[1:]) < 6 else [0.95] for one in sizes}
    by_task = {"a": better, "b": other}
    alone = {
        name: {AskedQuestion(one.query, one.query): x for one, x in own.items()}
        for name, own in by_task.items()
    }
    assert set(ranks(by_task).places.values()) == set(ranks(alone).places.values()) == {1}
    apart = {"a": {one: [1.0] for one in sizes}, "b": {one: [0.0] for one in sizes}}
    assert ranks(apart).places == {"a": 1, "b": 1}, "eight draws of one way have p = .008"
    more = [AskedQuestion(f"t{n}", f"t{n}") for n in range(9)]
    assert ranks({"a": {one: [1.0] for one in more}, "b": {one: [0.0] for one in more}}).places["b"] == 2


def test_the_test_is_that_of_paired_differences_and_of_the_pair_alone() -> None:
    """Neither side, nor the order of questions, nor another pair moves a p-value."""
    chance = np.random.default_rng(3)
    rows = np.zeros((60, 5))
    for place, n in enumerate((9, 40)):
        a, b = ({f"q{i}": [float(x)] for i, x in enumerate(chance.normal(0.03, 0.1, n))} for _ in range(2))
        rows[60 - n :, place] = [a[q][0] - b[q][0] for q in a]
        turned = {q: a[q] for q in reversed(a)}
        (own,) = sign_flips(rows[60 - n :, [place]])
        assert own == paired(a, b).p == paired(b, turned).p == paired(turned, b).p
        assert [own] == sign_flips(-rows[::-1, [place]]).tolist()
    rows[:, 2:] = chance.normal(0, 1, (60, 3))
    assert sign_flips(rows).tolist() == [sign_flip(one) for one in rows.T]
    assert sign_flip(np.zeros(100)) == 1.0 and sign_flip(np.full(100, 0.2)) < 0.001


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
