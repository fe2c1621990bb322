"""A judge's figure corrected by people's labels of a part of what it judged (prediction-powered inference).

The estimate is the judge's mean over everything plus the mean of (person - judge) over what people labelled at random. Its
interval holds both uncertainties, that of the questions and that of the judge's error as the labels show it, by question:
an influence of each question on the estimate, squared and summed, as for any mean over clusters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from drr.eval.stats.intervals import Ends, Floats, V, VRow, index_of, nothing, span
from numpy.typing import NDArray

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
    """By code, without a judge: there is nothing for people to label, and no error."""
    report: str = ""
    """Whose it is: the trials of a question are different reports."""


class CorrectedRow(VRow):
    """`n` is what was judged."""

    n_labelled: int
    n_questions: int
    """Of the labelled."""
    judge: VRow
    """The judge's own mean, uncorrected."""
    people: VRow
    """Of the labels alone."""


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
    method = "judge's mean plus mean of (person - judge); 95% interval by question, linearised"
    judge = _estimate(
        [replace(unit, settled=True) for unit in units], "judge's mean; 95% interval by question"
    )
    reason = None
    if len(labelled) < LEAST_LABELS or questions < LEAST_QUESTIONS:
        reason = f"{len(labelled)} labels of {questions} questions; at least {LEAST_LABELS} of {LEAST_QUESTIONS} are needed"
        return Corrected(
            nothing(method, 0, len(units)), judge, _people(units), len(labelled), questions, reason
        )
    return Corrected(_estimate(units, method), judge, _people(units), len(labelled), questions)


def _people(units: Sequence[Scored]) -> V:
    """Compute the figure by labels alone: that of a judge without a say, corrected."""
    method = "labels alone; 95% interval by question, linearised"
    silent = [unit if unit.settled else replace(unit, judge=0.0) for unit in units]
    if not any(unit.person is not None and not unit.settled for unit in silent):
        return nothing(method)
    found = _estimate(silent, method)
    return replace(found, n=sum(unit.person is not None for unit in units))


def _estimate(units: Sequence[Scored], method: str) -> V:
    if not units:
        return nothing(method)
    place, size = index_of([unit.question for unit in units])
    weight = np.array([unit.weight for unit in units])
    score = np.array([unit.judge for unit in units])
    open_ = np.array([not unit.settled for unit in units])
    known = open_ & np.array([unit.person is not None for unit in units])
    person = np.array([unit.person or 0.0 for unit in units])
    total = weight.sum()
    mean, open_share = float((weight * score).sum() / total), float(weight[open_].sum() / total)
    influence = _by_place(place, weight * (score - mean), size) / total
    value, labelled = mean, size
    if open_share > 0 and known.any():
        gap = np.where(known, person - score, 0.0)
        sampled = float(weight[known].sum())
        shift = float((weight[known] * gap[known]).sum() / sampled)
        value += open_share * shift
        influence += shift * _by_place(place, weight * (open_ - open_share), size) / total
        influence += open_share * _by_place(place, weight * known * (gap - shift), size) / sampled
        labelled = len(set(place[known].tolist()))
    if min(size, labelled) < 2:
        return V(value, None, None, len(units), 0, f"{method}; no interval from one question")
    found = span(value, value + size * influence, labelled - 1)
    low, high, error = found or (None, None, None)
    method_text = f"{method}, {size} questions" + ("" if found else ", no two of which differ")
    return V(
        value, low, high, len(units), 0, method_text, clusters=labelled, error=error, all_equal=found is None
    )


def spread_of_gaps(units: Sequence[Scored]) -> float:
    """The variance that the correction adds: of (person - judge) over the labelled, question by question."""
    open_ = [unit for unit in units if not unit.settled]
    labelled = [unit for unit in open_ if unit.person is not None]
    sampled = sum(unit.weight for unit in labelled)
    gaps = np.array([(unit.person or 0.0) - unit.judge for unit in labelled])
    weight = np.array([unit.weight for unit in labelled]) / sampled
    place, size = index_of([unit.question for unit in labelled])
    share = sum(unit.weight for unit in open_) / sum(unit.weight for unit in units)
    influence = share * _by_place(place, weight * (gaps - (weight * gaps).sum()), size)
    return float((influence**2).sum()) * size / (size - 1)


def _by_place(place: NDArray[np.int64], values: Floats, size: int) -> Floats:
    return np.bincount(place, weights=values, minlength=size).astype(np.float64)
