"""The labels, questions and trials that bring a judge-corrected figure to a half-width, from the spread seen so far.

Three things move the figure: questions differ, trials of one question differ, and the judge errs. The first two shrink with
questions and trials, the last with labels. Labels under criteria are drawn by whole reports, so these are what is planned. Where each answer costs the same, another question always says more than another
trial; trials help where there are no further questions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, inf
from typing import NamedTuple, TypedDict

import numpy as np
from drr.eval.stats.corrected import LEAST_LABELS, LEAST_QUESTIONS, Scored, spread_of_gaps
from drr.eval.stats.intervals import Z, student

SHARES = (0.25, 0.5, 0.75)
"""Of the variance that is left to the labels: many labels and few questions, or the other way."""


class WayRow(TypedDict):
    """One way to the half-width."""

    questions: int
    trials: int
    labels: int
    reports: int | None
    """That are labelled whole; `None` where labels are drawn one by one."""


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
    by_report: float | None = None
    """Labels of a labelled report, where all of a report are drawn together."""
    open: float = inf
    """Of a report, what a person can label: there are never more labels than that."""


def spread(units: Sequence[Scored], *, drawn_whole: bool = False) -> Spread | None:
    """`None` where there are not two questions. `drawn_whole`: labels are drawn by report."""
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
    whole = len({(unit.question, unit.report) for unit in labelled})
    by_report = len(labelled) / whole if drawn_whole and whole else None
    count = sum(len(by_report) for by_report in reports.values())
    open_ = sum(not unit.settled for unit in units) / count
    return Spread(len(means), trials, between, within, gap, len(labelled), by_report, open_)


def _mean(units: Sequence[Scored]) -> float:
    return sum(u.weight * u.judge for u in units) / sum(u.weight for u in units)


def _within(means: Mapping[str, Sequence[float]]) -> float | None:
    repeated = [values for values in means.values() if len(values) > 1]
    return float(np.mean([np.var(values, ddof=1) for values in repeated])) if repeated else None


class _Drawn(NamedTuple):
    """Labels that are drawn, and of how many whole reports."""

    labels: int
    reports: int | None


def ways(found: Spread, half_width: float) -> list[WayRow]:
    """List ways: with the questions there are, by labels and if need be by trials. And with as many questions
    as it takes, one trial each."""
    if found.gap is None:
        return []
    room = (half_width / Z) ** 2
    rows = [row for row in (_with_these(found, room),) if row is not None]
    alone = found.between + (found.within or 0.0)
    for share in SHARES:
        questions = max(LEAST_QUESTIONS, ceil(alone / (room * (1 - share))))
        drawn = _drawn(found, found.gap, room, alone / questions)
        if drawn.reports is None and drawn.labels > questions * found.open:
            questions = ceil(max((alone + found.gap / found.open) / room, LEAST_LABELS / found.open))
            drawn = _drawn(found, found.gap, room, alone / questions)
        row = _row(max(questions, drawn.reports or 0), 1, drawn)
        if row not in rows:
            rows.append(row)
    return rows


def _row(questions: int, trials: int, drawn: _Drawn) -> WayRow:
    return {"questions": questions, "trials": trials, "labels": drawn.labels, "reports": drawn.reports}


def _with_these(found: Spread, room: float) -> WayRow | None:
    """Plan with these questions, giving trials half of the room and labels the rest. `None` where no number is enough."""
    if found.gap is None or found.between / found.questions >= room:
        return None
    now = max(1, round(found.trials))
    left = room - (found.between + (found.within or 0.0) / now) / found.questions
    spare = room - found.between / found.questions
    if left < spare / 4 and found.within:
        now = max(now, ceil(found.within / (found.questions * spare / 2)))
        left = room - (found.between + found.within / now) / found.questions
    if found.by_report is None and found.within and found.gap / found.open > left * found.questions * now:
        now = max(now, ceil((found.within + found.gap / found.open) / (found.questions * spare)))
        left = room - (found.between + found.within / now) / found.questions
    if left <= 0:
        return None
    most = found.questions * now
    drawn = _drawn(found, found.gap, room, room - left, most)
    enough = drawn.labels <= most * found.open if drawn.reports is None else drawn.reports <= most
    return _row(found.questions, now, drawn) if enough else None


def _drawn(found: Spread, gap: float, room: float, alone: float, most: float = inf) -> _Drawn:
    """Draw as many labels as leave `alone`, the variance of questions and trials, its place in the room. No
    fewer than an interval needs, and more than `most` reports where these are not enough."""
    if found.by_report is None:
        return _Drawn(max(LEAST_LABELS, ceil(gap / (room - alone))), None)
    reports = max(LEAST_QUESTIONS, ceil(LEAST_LABELS / found.by_report))
    while (
        reports <= most and alone + gap / (reports * found.by_report) > room * (Z / student(reports - 1)) ** 2
    ):
        reports += 1
    return _Drawn(ceil(reports * found.by_report), reports)
