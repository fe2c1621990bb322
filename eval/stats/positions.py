"""The effect of the order of showing on a judge, and the gate below which its verdicts are called unreliable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np
from drr.eval.stats.asked import cluster_of
from drr.eval.stats.comparisons import Comparison, by_dimension
from drr.eval.stats.intervals import SHARE, V, VRow, from_sums, index_of, ratio, sign_flip

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
    consistency: V
    """Of the comparisons valid in both orders, the share with the same verdict after the swap."""
    first_rate: V
    """Of the decided calls, the share won by the answer shown first."""
    p_first: float | None
    """By flipping signs question by question: the calls of one question, in both orders and over its trials, are one draw."""

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
    """Measure the effect by dimension."""
    return {dimension: _position(dimension, group) for dimension, group in by_dimension(comparisons).items()}


def _position(dimension: str, group: Sequence[Comparison]) -> Position:
    asked = [c.asked for c in group]
    valid = [c for c in group if c.outcome != "error"]
    rows = np.array([[float(c.a_first == c.b_first), 1.0] for c in valid]).reshape(-1, 2)
    consistency = from_sums(
        rows,
        [c.asked for c in valid],
        ratio,
        "same verdict after the swap",
        n_unscored=len(group) - len(valid),
        ends=SHARE,
    )
    shown = [
        ((c.a_first == "a") + (c.b_first == "b"), (c.a_first == "b") + (c.b_first == "a")) for c in group
    ]
    first = np.array([[won, won + lost] for won, lost in shown], dtype=np.float64).reshape(-1, 2)
    decided = int(first[:, 1].sum())
    rate = from_sums(
        first,
        asked,
        ratio,
        "first shown wins, of decided calls",
        n=decided,
        n_unscored=2 * len(group) - decided,
        ends=SHARE,
    )
    place, drawn = index_of([cluster_of(one) for one in asked])
    ahead = np.bincount(place, weights=2 * first[:, 0] - first[:, 1], minlength=drawn).astype(np.float64)
    return Position(dimension, consistency, rate, sign_flip(ahead) if decided else None)
