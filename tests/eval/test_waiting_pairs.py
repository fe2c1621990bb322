"""A pair that was judged in one order only is unscored, and said to be."""

from __future__ import annotations

from typing import Any, cast

from drr.eval.evidence.answers import Answer
from drr.eval.stats.pairs import pair_results
from drr.eval.tasks.judged import Judged, Verdict


def answer(variant: str) -> Answer:
    nothing = cast(Any, None)  # neither the study nor the record is read
    return Answer(variant, "q", "?", None, variant, 0, None, False, False, 3, None, {}, (), nothing, nothing)


def test_one_order_alone_decides_nothing_and_is_counted() -> None:
    judged = Judged(None, [answer("alpha"), answer("beta")])
    judged.pairs["alpha", "beta", "overall"] = Verdict("first", None, None)
    (result,) = pair_results(judged.comparisons())
    assert (result.wins, result.errors) == (0, 1)
    assert (result.win_rate.value, result.win_rate.n, result.win_rate.n_unscored) == (None, 0, 1)
    judged.pairs["beta", "alpha", "overall"] = Verdict("second", None, None)
    (result,) = pair_results(judged.comparisons())
    assert (result.wins, result.errors, result.win_rate.value) == (1, 0, 1.0)
