"""Statistics of pairwise comparisons: effects of the order shown, win rates, sign tests, and their document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypedDict

import numpy as np
from drr.env.errors import DrrError
from drr.eval.stats.differences import SIGNIFICANT, agreeing, holm, query_means, sign_flip, sign_test
from drr.eval.stats.intervals import (
    RELATED,
    SHARE,
    A,
    ByQuestion,
    Statistic,
    VRow,
    from_sums,
    index_of,
    mean,
    mean_of,
    ratio,
)
from drr.eval.stats.question import Comparison, by_dimension, by_pair, cluster_of, grouped
from drr.eval.stats.ratings import StrengthRow, davidson, length_coefficient

CONSISTENT_ENOUGH = 0.70


class PositionRow(TypedDict):
    dimension: str
    position_consistency: VRow
    first_position_rate: VRow
    p_first: float | None
    unreliable: bool


@dataclass(frozen=True, slots=True)
class Position:
    """The effect of the order of presentation on one dimension."""

    dimension: str
    consistency: Statistic
    """Share of the comparisons valid in both orders that have the same verdict after the swap."""
    first_rate: Statistic
    """Share of decided calls that the answer shown first won."""
    p_first: float | None
    """P-value of flipping signs question by question. All calls of one question, in both orders and all trials, are one draw."""

    @property
    def unreliable(self) -> bool:
        value = self.consistency.value
        return value is not None and value < CONSISTENT_ENOUGH

    def document(self) -> PositionRow:
        return {
            "dimension": self.dimension,
            "position_consistency": self.consistency.document(),
            "first_position_rate": self.first_rate.document(),
            "p_first": self.p_first,
            "unreliable": self.unreliable,
        }


def positions(comparisons: Sequence[Comparison]) -> dict[str, Position]:
    """Measure the effect of the order, by dimension."""
    return {dimension: _position(dimension, group) for dimension, group in by_dimension(comparisons).items()}


def _position(dimension: str, group: Sequence[Comparison]) -> Position:
    asked = [c.asked for c in group]
    valid = [c for c in group if c.outcome != "error"]
    consistency = mean_of(
        [float(c.a_first == c.b_first) for c in valid],
        [c.asked for c in valid],
        "same verdict after the swap",
        n_unscored=len(group) - len(valid),
    )
    shown = [
        ((c.a_first == "a") + (c.b_first == "b"), (c.a_first == "b") + (c.b_first == "a")) for c in group
    ]
    first = np.array([[won, won + lost] for won, lost in shown], dtype=np.float64).reshape(-1, 2)
    decided = int(first[:, 1].sum())
    method = "first shown wins, of decided calls"
    lost = 2 * len(group) - decided
    rate = from_sums(first, asked, ratio, method, n=decided, n_unscored=lost, ends=SHARE)
    place, drawn = index_of([cluster_of(one) for one in asked])
    ahead = np.bincount(place, weights=2 * first[:, 0] - first[:, 1], minlength=drawn).astype(np.float64)
    return Position(dimension, consistency, rate, sign_flip(ahead) if decided else None)


class PairRow(TypedDict):
    """A dimension of one pair of variants, from the side of `a`."""

    dimension: str
    a: str
    b: str
    n: int
    wins: int
    ties: int
    losses: int
    inconsistent: int
    """Number of opposite verdicts in the two orders, included in `ties`."""
    errors: int
    win_rate: VRow
    p_sign: float | None
    p_holm: float | None
    wins_needed: int | None
    """Number of decided queries (or tasks) that must prefer one side for the sign test to be significant."""
    unreliable: bool


def pair_results(comparisons: Sequence[Comparison]) -> list[PairRow]:
    """Return a row for every (dimension, pair) with its sign test over queries, all corrected together by Holm's method."""
    unreliable = {name for name, gate in positions(comparisons).items() if gate.unreliable}
    groups = by_pair(comparisons).values()
    rows = [_row(group, unreliable=group[0].dimension in unreliable) for group in groups]
    for row, adjusted in zip(rows, holm([row["p_sign"] for row in rows]), strict=True):
        row["p_holm"] = adjusted
    return rows


def _row(group: Sequence[Comparison], *, unreliable: bool) -> PairRow:
    """Build the row of a group. Queries are independent and their trials are not, so trials are averaged first, and for tests the queries of a task too."""
    counts = Counter(comparison.outcome for comparison in group)
    rate, won, lost = win_rate(grouped((one.asked, one.score) for one in group), "(W + T/2)/n")
    return {
        "dimension": group[0].dimension,
        "a": group[0].a,
        "b": group[0].b,
        "n": len(group) - counts["error"],
        "wins": counts["a"],
        "ties": counts["tie"] + counts["inconsistent"],
        "losses": counts["b"],
        "inconsistent": counts["inconsistent"],
        "errors": counts["error"],
        "win_rate": rate.document(),
        "p_sign": sign_test(won, lost),
        "p_holm": None,
        "wins_needed": wins_needed(won + lost),
        "unreliable": unreliable,
    }


class WinRate(NamedTuple):
    rate: Statistic
    won: int
    """Number of tasks that prefer this side."""
    lost: int


def win_rate(scores: ByQuestion[A], method: str) -> WinRate:
    """Return the mean score, a tie as half. With ties its interval is that of a paired difference, since the skew of few decided pairs is chance."""
    rate, means = mean(scores, method, SHARE), query_means(scores)
    leads = np.array([[2 * score - 1, 1.0] for score in means.values()]).reshape(-1, 2)
    place, tasks = index_of([cluster_of(one) for one in means])
    ahead = np.bincount(place, weights=leads[:, 0], minlength=tasks)
    won, lost = int((ahead > 0).sum()), int((ahead < 0).sum())
    if rate.value is not None and not rate.zero_one:
        lead = from_sums(leads, list(means), ratio, rate.method)
        lead, p = lead.unshifted().within(RELATED), sign_test(won, lost)
        lead = agreeing(lead, p) if lead.zero_one and p is not None else lead
        low, high = (None if end is None else (1 + end) / 2 for end in (lead.ci_low, lead.ci_high))
        rate = replace(rate, ci_low=low, ci_high=high, how=lead.how, fitted=lead.fitted)
    return WinRate(rate, won, lost)


def wins_needed(decided: int) -> int | None:
    """Return the fewest wins of so many decided comparisons that are significant; `None` if no number is."""
    for wins in range((decided + 1) // 2, decided + 1):
        p = sign_test(wins, decided - wins)
        if p is not None and p < SIGNIFICANT:
            return wins
    return None


class PairDetail(TypedDict):
    """Further results by dimension: effects of the order, ratings (of three systems or more), and effects of length."""

    positions: dict[str, PositionRow]
    ratings: dict[str, StrengthRow]
    length: dict[str, VRow]


def overall(comparisons: Sequence[Comparison]) -> PairDetail:
    """Summarise what the comparisons show beyond who wins."""
    groups = by_dimension(comparisons)
    return {
        "positions": {name: gate.document() for name, gate in positions(comparisons).items()},
        "ratings": {
            dimension: _rating(dimension, group)
            for dimension, group in groups.items()
            if len({name for one in group for name in (one.a, one.b)}) > 2
        },
        "length": {dimension: length_coefficient(group).document() for dimension, group in groups.items()},
    }


def _rating(dimension: str, group: Sequence[Comparison]) -> StrengthRow:
    try:
        return davidson(group).document()
    except DrrError as refused:
        return {"dimension": dimension, "refused": str(refused)}
