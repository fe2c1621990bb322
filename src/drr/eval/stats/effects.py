"""Statistics of the effect of changes: outcomes of the same units with and without a change, with tests.

The pairs come from whoever ran them. Every change that was examined is a test, so Holm's method corrects over all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from drr.eval.stats.differences import (
    DifferenceRow,
    PairedDifference,
    detectable_difference,
    holm,
    is_settled,
    paired,
    statistic_by_sign_flips,
)
from drr.eval.stats.intervals import Ends, Floats, Statistic, VRow, ratio
from drr.eval.stats.question import Asked, grouped


@dataclass(frozen=True, slots=True)
class Pair:
    """An outcome of one unit without the change and with it. `None`: it could not be read on that side."""

    change: str
    question: Asked
    outcome: str
    before: float | None
    after: float | None
    dose: float | None = None
    """Size of the change, such as the log of the price ratio. Also the places down the list, or 1 or -1 for a move to or from the first place.

    All pairs of a change and outcome have a dose, or none has. A unit may have a pair for each listing that it saw.
    """


class EffectRow(DifferenceRow):
    """The form of an effect in a document: `a` is the mean with the change, `b` without it."""

    change: str
    outcome: str
    per_dose: bool
    """True if the figure is the slope on the dose."""
    relative: VRow | None
    could_show: float | None
    """Smallest effect that so many questions show in four of five cases, after the correction; `None` for one question."""
    settled: bool
    """True if the effect is beyond chance after correction for all effects examined."""


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of a change on an outcome."""

    change: str
    outcome: str
    moved: PairedDifference
    """Difference, with the change minus without it; for pairs with doses, the slope on the dose."""
    relative: Statistic | None = None
    """Slope divided by the mean outcome of both sides. For picks on the log of the price it is the price elasticity."""
    could_show: float | None = None

    def document(self) -> EffectRow:
        row = self.moved.document()
        return {
            **row,
            "change": self.change,
            "outcome": self.outcome,
            "per_dose": self.relative is not None,
            "relative": self.relative.document() if self.relative else None,
            "could_show": self.could_show,
            "settled": is_settled(row),
        }


def effects(pairs: Iterable[Pair], ends: Mapping[str, Ends] | None = None) -> list[Effect]:
    """Return the effect of each change on each outcome, in order of first appearance, all corrected by Holm's method.

    `ends` are the bounds of an outcome's values, by outcome: `SHARE` for one from 0 to 1. Questions, not pairs, are the draws.
    """
    groups = grouped(((pair.change, pair.outcome), pair) for pair in pairs)
    found = [_effect(group, (ends or {}).get(outcome)) for (_, outcome), group in groups.items()]
    corrected = holm([one.moved.p for one in found])
    return [
        replace(
            one, moved=replace(one.moved, p_holm=p), could_show=_could_show(one.moved.difference, len(found))
        )
        for one, p in zip(found, corrected, strict=True)
    ]


def _could_show(moved: Statistic, tests: int) -> float | None:
    return detectable_difference(moved.error, moved.clusters, tests)


def _effect(group: Sequence[Pair], ends: Ends | None) -> Effect:
    first = group[0]
    if len({pair.dose is None for pair in group}) > 1:
        raise ValueError(f"{first.change}, {first.outcome}: some pairs have a dose and some have none")
    rows = [
        (pair.question, pair.dose or 0.0, pair.before, pair.after)
        for pair in group
        if pair.before is not None and pair.after is not None
    ]
    before = grouped((question, value) for question, _, value, _ in rows)
    after = grouped((question, value) for question, _, _, value in rows)
    moved = paired(after, before, ends)
    lost = len(group) - len(rows)
    if first.dose is None:
        moved = replace(moved, difference=replace(moved.difference, n_unscored=lost))
        return Effect(first.change, first.outcome, moved)
    return _slope(first, moved, [row[0] for row in rows], np.array([row[1:] for row in rows]), lost)


def _slope(first: Pair, moved: PairedDifference, asked: Sequence[Asked], rows: Floats, lost: int) -> Effect:
    """Fit the slope through zero, because no dose is no change. Its test flips the signs of a whole question at once."""
    dose, before, after = rows.reshape(-1, 3).T
    product = dose * (after - before)
    sums = np.column_stack([product, dose * dose, (before + after) / 2, np.ones_like(dose)])
    slope, p = statistic_by_sign_flips(sums[:, :2], asked, "slope on the dose", n_unscored=lost)
    method = "slope on the dose, as a part of the mean outcome"
    relative, _ = statistic_by_sign_flips(sums, asked, method, statistic=_relative, n_unscored=lost)
    moved = replace(moved, difference=slope, p=p)
    return Effect(first.change, first.outcome, moved, relative)


def _relative(sums: Floats) -> Floats:
    return ratio(sums[:, :2]) / ratio(sums[:, 2:])
