"""A judge's figure corrected by people's labels of a part of what it judged (prediction-powered inference).

The estimate is the judge's mean over everything plus the mean of (person - judge) over what people labelled at random. Its
interval holds both uncertainties, that of the questions and that of the judge's error as the labels show it, by question:
an influence of each question on the estimate, squared and summed, as for any mean over clusters.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, inf
from typing import NamedTuple, TypedDict

import numpy as np
from drr.eval.stats.intervals import Ends, Floats, V, VRow, Z, around, index_of, nothing, student

LEAST_LABELS, LEAST_QUESTIONS = 30, 10
"""Fewer labels, or labels of fewer questions, say too little of a judge's error for an interval that keeps its word."""


@dataclass(frozen=True, slots=True)
class Scored:
    """One thing that a judge scored, and what people say of it."""

    question: str
    """Or the task, where several questions are of one: what is drawn."""
    weight: float
    """Its part in the figure. Those of one question sum to its part; the figure is the sum of weight times score over all weights."""
    judge: float
    person: float | None = None
    """`None`: not labelled."""
    settled: bool = False
    """True where code decided without a judge: there is nothing for people to label, and no error."""
    report: str = ""
    """Report that it belongs to: the trials of a question are different reports."""


class CorrectedRow(VRow):
    """`n` is what was judged."""

    n_labelled: int
    n_questions: int
    """Number of labelled questions."""
    judge: VRow
    """The judge's own mean, uncorrected."""
    people: VRow
    """Figure from the labels alone."""


@dataclass(frozen=True, slots=True)
class Corrected:
    value: V
    judge: V
    people: V
    n_labelled: int
    n_questions: int
    reason: str | None = None

    def within(self, ends: Ends) -> Corrected:
        """Nothing beyond the scale is true, whatever the sum of the judge's mean and the correction is."""
        value, judge, people = (v.within(ends) for v in (self.value, self.judge, self.people))
        return replace(self, value=value, judge=judge, people=people)

    def document(self) -> CorrectedRow:
        return {
            **self.value.document(),
            "n_labelled": self.n_labelled,
            "n_questions": self.n_questions,
            "judge": self.judge.document(),
            "people": self.people.document(),
            "reason": self.reason,
        }


def corrected(units: Sequence[Scored]) -> Corrected:
    """Unknown below the stated number of labels. What code settled is taken as it is; the correction is of the rest."""
    labelled = [unit for unit in units if unit.person is not None and not unit.settled]
    questions = len({unit.question for unit in labelled})
    method = "judge's mean plus mean of (person - judge), linearised"
    alone = [replace(unit, settled=True) for unit in units]
    judge = _estimate(alone, "judge's mean")
    reason = None
    if len(labelled) < LEAST_LABELS or questions < LEAST_QUESTIONS:
        reason = f"{len(labelled)} labels of {questions} questions; at least {LEAST_LABELS} of {LEAST_QUESTIONS} are needed"
    value = nothing(method, 0, len(units)) if reason else _estimate(units, method)
    return Corrected(value, judge, _people(units), len(labelled), questions, reason)


def _people(units: Sequence[Scored]) -> V:
    """Compute the figure by labels alone: that of a judge without a say, corrected."""
    method = "labels alone, linearised"
    silent = [unit if unit.settled else replace(unit, judge=0.0) for unit in units]
    if not any(unit.person is not None and not unit.settled for unit in silent):
        return nothing(method)
    found = _estimate(silent, method)
    return replace(found, n=sum(unit.person is not None for unit in units))


class _Columns:
    """The units as columns, and what each question adds to the figures."""

    def __init__(self, units: Sequence[Scored]) -> None:
        self.place, self.size = index_of([unit.question for unit in units])
        self.weight = np.array([unit.weight for unit in units])
        self.score = np.array([unit.judge for unit in units])
        self.open = np.array([not unit.settled for unit in units])
        self.known = self.open & np.array([unit.person is not None for unit in units])
        self.gap = np.where(self.known, np.array([unit.person or 0.0 for unit in units]) - self.score, 0.0)
        self.total, self.sampled = self.weight.sum(), self.weight[self.known].sum()
        self.open_share = float(self.weight[self.open].sum() / self.total)
        self.shift = float((self.weight * self.gap).sum() / self.sampled) if self.known.any() else 0.0

    def of_judge(self) -> tuple[float, Floats]:
        mean = float((self.weight * self.score).sum() / self.total)
        return mean, self._summed(self.weight * (self.score - mean)) / self.total

    def of_questions_in_shift(self) -> Floats:
        """Say how far a question moves the correction by how much of it is open to people."""
        moved: Floats = self._summed(self.weight * (self.open - self.open_share)) * (self.shift / self.total)
        return moved

    def of_labels(self) -> Floats:
        apart = self.weight * self.known * (self.gap - self.shift)
        moved: Floats = self._summed(apart) * (self.open_share / self.sampled)
        return moved

    def _summed(self, values: Floats) -> Floats:
        return np.bincount(self.place, weights=values, minlength=self.size).astype(np.float64)


def _estimate(units: Sequence[Scored], method: str) -> V:
    if not units:
        return nothing(method)
    of = _Columns(units)
    value, adds = of.of_judge()
    labelled = of.size
    if of.known.any():
        value += of.open_share * of.shift
        adds = adds + of.of_questions_in_shift() + of.of_labels()
        labelled = len(set(of.place[of.known].tolist()))
    drawn, freedom = value + of.size * adds, min(of.size, labelled) - 1
    v = around(value, drawn, method, n=len(units), unit="question", freedom=freedom)
    return replace(v, all_equal=v.clusters > 1 and v.error is None)


def spread_of_gaps(units: Sequence[Scored]) -> float:
    """The variance that the correction adds: of (person - judge) over the labelled, question by question."""
    of = _Columns(units)
    size = len(set(of.place[of.known].tolist()))
    return float((of.of_labels() ** 2).sum()) * size / (size - 1)


SHARES = (0.25, 0.5, 0.75)
"""Shares of the variance that is left to the labels: many labels and few questions, or the other way."""


class WayRow(TypedDict):
    """One way to the half-width."""

    questions: int
    trials: int
    labels: int
    reports: int | None
    """Reports that are labelled whole; `None` where labels are drawn one by one."""


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
    """Most labels that a person can give for one report."""


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
