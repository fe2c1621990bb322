"""How many labels, questions and trials bring a judge-corrected figure to a half-width, from the spread seen so far.

Three things move the figure: questions differ, trials of one question differ, and the judge errs. The first two shrink with
questions and trials, the last with labels. Where each answer costs the same, another question always says more than another
trial; trials help where there are no further questions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TypedDict

import numpy as np
from drr.eval.stats.corrected import LEAST_LABELS, LEAST_QUESTIONS, Scored, Z, spread_of_gaps

SHARES = (0.25, 0.5, 0.75)
"""Of the variance that is left to the labels: many labels and few questions, or the other way."""


class WayRow(TypedDict):
    """One way to the half-width."""

    questions: int
    trials: int
    labels: int


@dataclass(frozen=True, slots=True)
class Spread:
    """Variances of one figure: between questions, between the trials of one, and of one label's (person - judge)."""

    questions: int
    trials: float
    between: float
    within: float | None
    """`None`: no question has a second trial, and `between` holds both."""
    gap: float | None
    """`None`: too few labels to know how the judge errs."""
    labels: int


def spread(units: Sequence[Scored]) -> Spread | None:
    """`None` where there are not two questions."""
    reports: dict[str, dict[str, list[Scored]]] = defaultdict(lambda: defaultdict(list))
    for unit in units:
        reports[unit.question][unit.report].append(unit)
    means = {q: [_mean(own) for own in by_report.values()] for q, by_report in reports.items()}
    if len(means) < 2:
        return None
    total = float(np.var([np.mean(values) for values in means.values()], ddof=1))
    trials = len(means) / sum(1 / len(values) for values in means.values())
    within = _within(means)
    between = total if within is None else max(0.0, total - within / trials)
    labelled = [unit for unit in units if unit.person is not None and not unit.settled]
    enough = len(labelled) >= LEAST_LABELS and len({unit.question for unit in labelled}) >= LEAST_QUESTIONS
    gap = len(labelled) * spread_of_gaps(units) if enough else None
    return Spread(len(means), trials, between, within, gap, len(labelled))


def _mean(units: Sequence[Scored]) -> float:
    return sum(u.weight * u.judge for u in units) / sum(u.weight for u in units)


def _within(means: Mapping[str, Sequence[float]]) -> float | None:
    repeated = [values for values in means.values() if len(values) > 1]
    return float(np.mean([np.var(values, ddof=1) for values in repeated])) if repeated else None


def ways(found: Spread, half_width: float) -> list[WayRow]:
    """With the questions there are, by labels and if need be by trials; and with as many questions as it takes, one trial each."""
    if found.gap is None:
        return []
    room = (half_width / Z) ** 2
    rows = [row for row in (_with_these(found, room),) if row is not None]
    alone = found.between + (found.within or 0.0)
    for share in SHARES:
        questions = max(LEAST_QUESTIONS, ceil(alone / (room * (1 - share))))
        rows.append(
            {"questions": questions, "trials": 1, "labels": _labels(found.gap, room - alone / questions)}
        )
    return rows


def _with_these(found: Spread, room: float) -> WayRow | None:
    """Half of the room that the questions leave for the trials, where those of now are too few; `None` where no number is enough."""
    if found.gap is None or found.between / found.questions >= room:
        return None
    now = max(1, round(found.trials))
    left = room - (found.between + (found.within or 0.0) / now) / found.questions
    spare = room - found.between / found.questions
    if left < spare / 4 and found.within:
        now = max(now, ceil(found.within / (found.questions * spare / 2)))
        left = room - (found.between + found.within / now) / found.questions
    if left <= 0:
        return None
    return {"questions": found.questions, "trials": now, "labels": _labels(found.gap, left)}


def _labels(gap: float, room: float) -> int:
    return max(LEAST_LABELS, ceil(gap / room))
