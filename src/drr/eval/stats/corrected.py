"""Corrects a judge's figure by people's labels on a part of what was judged (prediction-powered inference).

The estimate is the judge's mean over everything plus the mean of (person - judge) over the items that people labelled at random. Its
interval covers the uncertainty of the questions and that of the judge's error, by question: the influence of each question on the
estimate is squared and summed, as for any mean over clusters.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, inf
from typing import NamedTuple, TypedDict

import numpy as np
from drr.eval.stats.intervals import (
    Ends,
    Floats,
    Statistic,
    VRow,
    Z,
    empty_statistic,
    index_of,
    interval_from_clusters,
    student_quantile,
)

LEAST_LABELS, LEAST_QUESTIONS = 30, 10
"""Fewest labels and questions with labels: with fewer, too little is known of the judge's error for a valid interval."""


@dataclass(frozen=True, slots=True)
class ScoredThing:
    """A thing that a judge scored, with people's score of the same thing."""

    question: str
    """The question, or the task where several questions belong to one: the independent draw."""
    weight: float
    """Weight in the figure, which is the sum of weight times score over the sum of weights. Weights of one question add up to the question's part."""
    judge: float
    person: float | None = None
    """Mean score by people; `None` where nobody labelled."""
    settled: bool = False
    """True where code decided without a judge. People label no such item, and the judge has no error on it."""
    report: str = ""
    """Report of the item; trials of a question are different reports."""


class CorrectedRow(VRow):
    """The form of a corrected figure in a document; `n` is the number of judged items."""

    n_labelled: int
    n_questions: int
    """Number of labelled questions."""
    judge: VRow
    """The judge's own mean, uncorrected."""
    people: VRow
    """The figure from labels alone."""


@dataclass(frozen=True, slots=True)
class Corrected:
    value: Statistic
    judge: Statistic
    people: Statistic
    n_labelled: int
    n_questions: int
    reason: str | None = None

    def within(self, ends: Ends) -> Corrected:
        """Cut the figures to the bounds of the scale, which a corrected mean may exceed."""
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


def corrected(units: Sequence[ScoredThing]) -> Corrected:
    """Correct the judge's mean; unknown where there are too few labels. Items that code decided are taken as they are."""
    labelled = [unit for unit in units if unit.person is not None and not unit.settled]
    questions = len({unit.question for unit in labelled})
    method = "judge's mean plus mean of (person - judge), linearised"
    alone = [replace(unit, settled=True) for unit in units]
    judge = _estimate(alone, "judge's mean")
    reason = None
    if len(labelled) < LEAST_LABELS or questions < LEAST_QUESTIONS:
        reason = f"{len(labelled)} labels of {questions} questions; at least {LEAST_LABELS} of {LEAST_QUESTIONS} are needed"
    value = empty_statistic(method, 0, len(units)) if reason else _estimate(units, method)
    return Corrected(value, judge, _people(units), len(labelled), questions, reason)


def _people(units: Sequence[ScoredThing]) -> Statistic:
    """Compute the figure from labels alone: as a corrected judge whose scores are all 0."""
    method = "labels alone, linearised"
    silent = [unit if unit.settled else replace(unit, judge=0.0) for unit in units]
    if not any(unit.person is not None and not unit.settled for unit in silent):
        return empty_statistic(method)
    found = _estimate(silent, method)
    return replace(found, n=sum(unit.person is not None for unit in units))


class _Columns:
    """The units as columns, with the contribution of each question to the figures."""

    def __init__(self, units: Sequence[ScoredThing]) -> None:
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
        return mean, self._sum_by_cluster(self.weight * (self.score - mean)) / self.total

    def of_questions_in_shift(self) -> Floats:
        """Return how far each question moves the correction, by its share of items that people can label."""
        moved: Floats = self._sum_by_cluster(self.weight * (self.open - self.open_share)) * (
            self.shift / self.total
        )
        return moved

    def of_labels(self) -> Floats:
        apart = self.weight * self.known * (self.gap - self.shift)
        moved: Floats = self._sum_by_cluster(apart) * (self.open_share / self.sampled)
        return moved

    def _sum_by_cluster(self, values: Floats) -> Floats:
        return np.bincount(self.place, weights=values, minlength=self.size).astype(np.float64)


def _estimate(units: Sequence[ScoredThing], method: str) -> Statistic:
    if not units:
        return empty_statistic(method)
    of = _Columns(units)
    value, adds = of.of_judge()
    labelled = of.size
    if of.known.any():
        value += of.open_share * of.shift
        adds = adds + of.of_questions_in_shift() + of.of_labels()
        labelled = len(set(of.place[of.known].tolist()))
    drawn, freedom = value + of.size * adds, min(of.size, labelled) - 1
    v = interval_from_clusters(value, drawn, method, n=len(units), unit="question", freedom=freedom)
    return replace(v, all_equal=v.clusters > 1 and v.error is None)


def spread_of_gaps(units: Sequence[ScoredThing]) -> float:
    """Return the variance that the correction adds: of (person - judge) over the labelled items, by question."""
    of = _Columns(units)
    size = len(set(of.place[of.known].tolist()))
    return float((of.of_labels() ** 2).sum()) * size / (size - 1)


SHARES = (0.25, 0.5, 0.75)
"""Shares of the variance left to labels: from few labels and many questions to the opposite."""


class WayRow(TypedDict):
    """A combination of questions, trials and labels that reaches the half-width."""

    questions: int
    trials: int
    labels: int
    reports: int | None
    """Number of completely labelled reports; `None` where labels are drawn one by one."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The variances of one figure: between questions, between trials, and of one label's (person - judge)."""

    questions: int
    trials: float
    between: float
    within: float | None
    """Variance between trials; `None` where no question has two, and `between` then holds both."""
    gap: float | None
    """Variance of one label's (person - judge); `None` where labels are too few to know."""
    labels: int
    by_report: float | None = None
    """Labels per labelled report, where all labels of a report are drawn together."""
    open: float = inf
    """Most labels that a person can give for one report."""


def label_variances(units: Sequence[ScoredThing], *, drawn_whole: bool = False) -> Spread | None:
    """Estimate the variances; `None` where there are fewer than two questions. `drawn_whole`: labels are drawn by report."""
    reports: dict[str, dict[str, list[ScoredThing]]] = defaultdict(lambda: defaultdict(list))
    for unit in units:
        reports[unit.question][unit.report].append(unit)
    means = {q: [_mean(own) for own in by_report.values()] for q, by_report in reports.items()}
    if len(means) < 2:
        return None
    total = float(np.var([np.mean(values) for values in means.values()], ddof=1))
    trials = len(means) / sum(1 / len(values) for values in means.values())
    within = _variance_within(means)
    between = total if within is None else max(0.0, total - within / trials)
    labelled = [unit for unit in units if unit.person is not None and not unit.settled]
    enough = len(labelled) >= LEAST_LABELS and len({unit.question for unit in labelled}) >= LEAST_QUESTIONS
    gap = len(labelled) * spread_of_gaps(units) if enough else None
    whole = len({(unit.question, unit.report) for unit in labelled})
    by_report = len(labelled) / whole if drawn_whole and whole else None
    count = sum(len(by_report) for by_report in reports.values())
    open_ = sum(not unit.settled for unit in units) / count
    return Spread(len(means), trials, between, within, gap, len(labelled), by_report, open_)


def _mean(units: Sequence[ScoredThing]) -> float:
    return sum(u.weight * u.judge for u in units) / sum(u.weight for u in units)


def _variance_within(means: Mapping[str, Sequence[float]]) -> float | None:
    repeated = [values for values in means.values() if len(values) > 1]
    return float(np.mean([np.var(values, ddof=1) for values in repeated])) if repeated else None


class _Drawn(NamedTuple):
    """The number of labels to draw, and of completely labelled reports."""

    labels: int
    reports: int | None


def ways_to_half_width(found: Spread, half_width: float) -> list[WayRow]:
    """List ways to reach the half-width. First with the present questions, by labels and trials; then with more questions, one trial each."""
    if found.gap is None:
        return []
    room = (half_width / Z) ** 2
    rows = [row for row in (_with_these(found, room),) if row is not None]
    alone = found.between + (found.within or 0.0)
    for share in SHARES:
        questions = max(LEAST_QUESTIONS, ceil(alone / (room * (1 - share))))
        drawn = _fewest_labels(found, found.gap, room, alone / questions)
        if drawn.reports is None and drawn.labels > questions * found.open:
            questions = ceil(max((alone + found.gap / found.open) / room, LEAST_LABELS / found.open))
            drawn = _fewest_labels(found, found.gap, room, alone / questions)
        row = _row(max(questions, drawn.reports or 0), 1, drawn)
        if row not in rows:
            rows.append(row)
    return rows


def _row(questions: int, trials: int, drawn: _Drawn) -> WayRow:
    return {"questions": questions, "trials": trials, "labels": drawn.labels, "reports": drawn.reports}


def _with_these(found: Spread, room: float) -> WayRow | None:
    """Plan with the present questions: about half of the allowed variance for trials, the rest for labels. `None` where no number is enough."""
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
    drawn = _fewest_labels(found, found.gap, room, room - left, most)
    enough = drawn.labels <= most * found.open if drawn.reports is None else drawn.reports <= most
    return _row(found.questions, now, drawn) if enough else None


def _fewest_labels(found: Spread, gap: float, room: float, alone: float, most: float = inf) -> _Drawn:
    """Return the fewest labels that keep the variance within `room` beside `alone`, the variance of questions and trials.

    There are never fewer labels than an interval needs; more than `most` reports come back where that many are not enough.
    """
    if found.by_report is None:
        return _Drawn(max(LEAST_LABELS, ceil(gap / (room - alone))), None)
    reports = max(LEAST_QUESTIONS, ceil(LEAST_LABELS / found.by_report))
    while (
        reports <= most
        and alone + gap / (reports * found.by_report) > room * (Z / student_quantile(reports - 1)) ** 2
    ):
        reports += 1
    return _Drawn(ceil(reports * found.by_report), reports)
