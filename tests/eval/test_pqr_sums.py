"""P and Q from the scores of criteria: equal to a slow recomputation in fractions, and unknown where something is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from random import Random

import pytest
from drr.papers.pdr.sums import WeighedScore, WeighedTotals, spread, weighed

Written = tuple[float, list[int | None] | None]


def _totals(weights: Mapping[str, float], criteria: Mapping[str, Sequence[Written]]) -> WeighedTotals:
    return weighed(weights, {name: [WeighedScore(*one) for one in own] for name, own in criteria.items()})


def test_missing_scores_make_the_whole_unknown_and_count_nothing_as_printed() -> None:
    half = _totals(
        {"GOAL": 0.6, "CONT": 0.4}, {"GOAL": [(0.5, [8, 6]), (0.5, None)], "CONT": [(1.0, [None, None])]}
    )
    assert half.dimensions == {"GOAL": 7.0, "CONT": None}
    assert half.total is None
    assert half.by_round == [None, None]
    assert half.n_unscored == 3  # a list that is missing, and two answers
    assert half.as_printed.dimensions == {"GOAL": 7.0, "CONT": 0.0}
    assert half.as_printed.total == pytest.approx(4.2)


def test_a_dimension_without_criteria_is_one_without_a_score() -> None:
    for criteria in ({"GOAL": [(1.0, [10])]}, {"GOAL": [(1.0, [10])], "CONT": []}):
        found = _totals({"GOAL": 0.7, "CONT": 0.3}, criteria)
        assert found.total is None
        assert found.as_printed.total == pytest.approx(7.0)
        assert found.n_unscored == 0
    nothing = _totals({"GOAL": 1.0}, {})
    assert nothing.total is None
    assert nothing.by_round is None


def test_rounds_of_one_report_and_their_spread() -> None:
    found = _totals({"GOAL": 1.0}, {"GOAL": [(3, [8, 7, None]), (1, [4, None, 8])]})
    assert found.by_round == [7.0, 7.0, 8.0]
    assert found.dimensions["GOAL"] == pytest.approx((3 * 7.5 + 1 * 6) / 4)
    assert spread(found.by_round) == pytest.approx(3**-0.5)
    assert spread([7.0, None]) is None
    assert spread(None) is None


def test_criteria_of_a_dimension_without_a_weight_are_refused() -> None:
    with pytest.raises(ValueError, match="the dimension ACTI has criteria and no weight"):
        _totals({"GOAL": 1.0}, {"GOAL": [(1.0, [1])], "ACTI": [(1.0, [1])]})


def test_sums_are_those_of_a_slow_recomputation() -> None:
    chance = Random(19)
    for _ in range(300):
        weights = {name: chance.random() for name in chance.sample("ABCDE", chance.randint(1, 5))}
        criteria: dict[str, list[Written]] = {
            name: [(chance.random() + 0.01, _rounds(chance)) for _ in range(chance.randint(0, 6))]
            for name in weights
        }
        found = _totals(weights, criteria)
        rounds = max((len(r) for own in criteria.values() for _, r in own if r is not None), default=0)
        slow = _slow(weights, criteria, None)
        printed = [0 if value is None else value for value in slow.values()]
        _close(list(found.dimensions.values()), list(slow.values()))
        _close([found.total], [_slow_total(weights, slow)])
        _close(
            found.by_round or [], [_slow_total(weights, _slow(weights, criteria, r)) for r in range(rounds)]
        )
        _close(
            [found.as_printed.total],
            [sum(Fraction(w) * v for w, v in zip(weights.values(), printed, strict=True))],
        )
        assert found.n_unscored == sum(
            1 if not r else r.count(None) for own in criteria.values() for _, r in own
        )


def _rounds(chance: Random) -> list[int | None] | None:
    if chance.random() < 0.15:
        return None
    return [chance.randint(0, 10) if chance.random() < 0.8 else None for _ in range(chance.randint(1, 3))]


def _slow(
    weights: Mapping[str, float], criteria: Mapping[str, Sequence[Written]], only: int | None
) -> dict[str, Fraction | None]:
    found: dict[str, Fraction | None] = {}
    for name in weights:
        above, below = Fraction(0), Fraction(0)
        for weight, rounds in criteria.get(name, ()):
            known = [
                one for number, one in enumerate(rounds or ()) if one is not None and only in (None, number)
            ]
            if known:
                above += Fraction(weight) * Fraction(sum(known), len(known))
                below += Fraction(weight)
        found[name] = above / below if below else None
    return found


def _slow_total(weights: Mapping[str, float], dimensions: Mapping[str, Fraction | None]) -> Fraction | None:
    total = Fraction(0)
    for name, value in dimensions.items():
        if value is None:
            return None
        total += Fraction(weights[name]) * value
    return total


def _close(found: Sequence[float | None], slow: Sequence[Fraction | int | None]) -> None:
    assert len(found) == len(slow)
    for one, other in zip(found, slow, strict=True):
        assert (one is None) == (other is None)
        assert one is None or other is None or abs(one - float(other)) <= 1e-9
