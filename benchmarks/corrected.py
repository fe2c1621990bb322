"""Judge-corrected figures (`drr report --labels`): how often their 95 % interval holds the truth, in simulated studies.

python -m benchmarks.corrected [--studies 2000] [--record]

A study of FP: 40 questions that differ, each a report of 6 to 25 claims, 120 claims labelled by lot. A study of P: 40 questions, each a
report scored under 8 to 13 criteria in each of four dimensions, with weights of criteria and dimensions that differ from person to
person; 20 reports drawn by lot, labelled under all of their criteria. Three judges each: a biased one, a noisy one, a near-perfect one.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from drr.eval.stats.corrected import ScoredThing, corrected
from drr.eval.stats.intervals import Floats
from numpy.random import Generator

from benchmarks.results import record, table

LEVELS = np.array([0.0, 0.5, 1.0])
QUESTIONS = 40
FP_TRUTH = 4 / 6 * 0.85
"""The mean score of a unit: Beta(4, 2) of a question's support, seven tenths of it full."""
P_TRUTH = 10 * 4 / 6
"""A score under a criterion is one of ten by Beta(4, 2) of its question."""
Judge = Callable[[Generator, Floats], Floats]
FP_JUDGES: Mapping[str, Judge] = {
    "biased": lambda rng, true: np.where((true < 1) & (rng.random(true.size) < 0.35), true + 0.5, true),
    "noisy": lambda rng, true: np.where(rng.random(true.size) < 0.4, rng.choice(LEVELS, true.size), true),
    "near-perfect": lambda rng, true: np.where(
        rng.random(true.size) < 0.02, rng.choice(LEVELS, true.size), true
    ),
}
P_JUDGES: Mapping[str, Judge] = {
    "biased": lambda rng, true: np.minimum(true + rng.binomial(2, 0.6, true.size), 10.0),
    "noisy": lambda rng, true: np.where(
        rng.random(true.size) < 0.4, rng.integers(0, 11, true.size).astype(float), true
    ),
    "near-perfect": lambda rng, true: np.where(
        rng.random(true.size) < 0.05, np.clip(true + rng.choice([-1.0, 1.0], true.size), 0, 10), true
    ),
}


class SimulatedFigure(NamedTuple):
    truth: float
    judges: Mapping[str, Judge]
    study: Callable[[Generator, Judge], list[ScoredThing]]


class Coverage(NamedTuple):
    corrected: float
    alone: float
    """Of the judge's own interval."""
    width: float
    """Of the corrected interval beside that of the labels alone."""


def study_of_claims(
    rng: Generator, judge: Judge, questions: int = QUESTIONS, labels: int = 120
) -> list[ScoredThing]:
    rows: list[tuple[str, float, float, float]] = []
    for q in range(questions):
        share, size = rng.beta(4, 2), int(rng.integers(6, 26))
        at = rng.random(size)
        true = np.where(at < share * 0.7, 1.0, np.where(at < share, 0.5, 0.0))
        said = judge(rng, true)
        rows += [(f"q{q}", 1 / size, float(s), float(t)) for s, t in zip(said, true, strict=True)]
    chosen = set(rng.choice(len(rows), labels, replace=False).tolist())
    return [ScoredThing(q, w, s, t if i in chosen else None) for i, (q, w, s, t) in enumerate(rows)]


def study_of_criteria(
    rng: Generator, judge: Judge, questions: int = QUESTIONS, reports: int = 20
) -> list[ScoredThing]:
    chosen = set(rng.choice(questions, reports, replace=False).tolist())
    units: list[ScoredThing] = []
    for q in range(questions):
        share = rng.beta(4, 2)
        for weight in rng.dirichlet([4.0] * 4):
            shares = weight * rng.dirichlet([3.0] * int(rng.integers(8, 14)))
            true = rng.binomial(10, share, shares.size).astype(float)
            said = judge(rng, true)
            units += [
                ScoredThing(f"q{q}", float(w), float(s), float(t) if q in chosen else None)
                for w, s, t in zip(shares, said, true, strict=True)
            ]
    return units


FIGURES: Mapping[str, SimulatedFigure] = {
    "FP": SimulatedFigure(FP_TRUTH, FP_JUDGES, study_of_claims),
    "P": SimulatedFigure(P_TRUTH, P_JUDGES, study_of_criteria),
}


def coverage(name: str, judge: str, studies: int) -> Coverage:
    figure = FIGURES[name]
    held = alone = 0
    wide = narrow = 0.0
    for seed in range(studies):
        found = corrected(figure.study(np.random.default_rng([seed, 11]), figure.judges[judge]))
        v, own, people = found.value, found.judge, found.people
        assert v.ci_low is not None and v.ci_high is not None
        assert own.ci_low is not None and own.ci_high is not None
        assert people.ci_low is not None and people.ci_high is not None
        held += v.ci_low <= figure.truth <= v.ci_high
        alone += own.ci_low <= figure.truth <= own.ci_high
        narrow += v.ci_high - v.ci_low
        wide += people.ci_high - people.ci_low
    return Coverage(held / studies, alone / studies, narrow / wide)


def measured(studies: int) -> dict[tuple[str, str], Coverage]:
    return {
        (name, judge): coverage(name, judge, studies)
        for name, figure in FIGURES.items()
        for judge in figure.judges
    }


HEAD = ("figure", "judge", "covers, corrected", "covers, judge alone", "width beside labels alone")
TOLD = (
    "{studies:,} simulated studies of 40 questions for each figure and judge, 120 claims labelled by lot (FP) or 20 reports labelled whole (P):"
    " how often the 95 % interval holds the truth, and how wide it is beside that of the labels alone."
)


def shown(found: Mapping[tuple[str, str], Coverage]) -> str:
    rows = [
        (name, judge, f"{one.corrected:.1%}", f"{one.alone:.1%}", f"{one.width:.2f}")
        for (name, judge), one in found.items()
    ]
    return table(HEAD, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=2000, help="for each figure and judge")
    parser.add_argument("--record", action="store_true", help="keep the table in RESULTS.md")
    arguments = parser.parse_args()
    text = f"{TOLD.format(studies=arguments.studies)}\n\n{shown(measured(arguments.studies))}"
    if arguments.record:
        record("Judge-corrected figures", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
