"""The noise floor against repetitions that were drawn, and what it is made of."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from drr.eval.stats.intervals import paired
from drr.eval.stats.noise import detectable, noise_floor


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


def test_what_could_have_been_seen_follows_from_the_interval() -> None:
    found = paired(
        {str(n): [float(n % 4)] for n in range(400)}, {str(n): [1.0] for n in range(400)}
    ).difference
    error = np.std([n % 4 - 1 for n in range(400)], ddof=1) / 20
    assert detectable(found) == pytest.approx(2.8016 * error, rel=3e-3)
    wide = replace(found, ci_low=-9.0)
    assert detectable(wide) == detectable(found), "what could be missed unseen is no matter of the test"
    assert (
        detectable(paired({"a": [1.0], "b": [1.0]}, {"a": [1.0], "b": [1.0]}, (0.0, 1.0)).difference) is None
    )
