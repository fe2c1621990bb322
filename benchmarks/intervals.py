"""The interval of a mean: how often it covers the truth, and how wide it is. The values have few levels, ties, floors and ceilings.

python -m benchmarks.intervals [--of means] [--samples 4000] [--record]

A cell is a distribution of values between two ends and a number of draws, 4 to 50; of shares and their paired differences 4 to 300. Width is
told beside plain Student's on the same draws. `--of differences` is `benchmarks.differences`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from math import sqrt
from statistics import NormalDist, fmean
from typing import Any, NamedTuple

import numpy as np
from drr.eval.stats.differences import statistic_by_sign_flips
from drr.eval.stats.intervals import (
    COUNTED,
    RELATED,
    SHARE,
    Ends,
    Floats,
    Statistic,
    from_sums,
    ratio,
    student_quantile,
)
from drr.eval.stats.question import Comparison
from drr.eval.stats.ratings import davidson
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks import differences
from benchmarks.results import record

DRAWS = (4, 5, 6, 8, 10, 14, 20, 30, 50)
DRAWS_OF_SHARES = (4, 8, 14, 30, 50, 100, 300)
RARE = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5)
APART_BY = (
    (0.005, 0),
    (0.01, 0),
    (0.01, 0.01),
    (0.02, 0.01),
    (0.05, 0),
    (0.05, 0.02),
    (0.1, 0.05),
    (0.3, 0.3),
    (0.5, 0.2),
)
"""Shares of questions that only the one and only the other of two systems solves."""
GRADES: Ends = (0.0, 10.0)
ORDINARY = 0.15
"""From this spread on, as a part of the distance between the ends, a width is held against Student's."""
BANDS = ((0.0, 0.075), (0.075, ORDINARY), (ORDINARY, 1.0))
LEAST, WORST = 0.93, 0.88


class Distribution(NamedTuple):
    levels: Floats
    shares: Floats
    ends: Ends

    @property
    def mean(self) -> float:
        return float(self.levels @ self.shares)

    @property
    def spread(self) -> float:
        """Return the spread as a part of the distance between the ends."""
        return sqrt(float((self.levels - self.mean) ** 2 @ self.shares)) / (self.ends[1] - self.ends[0])


class Cell(NamedTuple):
    name: str
    draws: int
    held: float
    width: float
    """Beside Student's."""
    spread: float


def _made(parts: Mapping[float, float], ends: Ends = GRADES) -> Distribution:
    shares = np.array([*parts.values()])
    return Distribution(np.array([*parts]), shares / shares.sum(), ends)


def _bell(middle: float, sd: float, ends: Ends = GRADES) -> Distribution:
    bell = NormalDist(middle, sd)
    steps = np.arange(ends[0], ends[1] + 1)
    return _made({float(step): bell.pdf(float(step)) for step in steps}, ends)


def distributions() -> Iterator[tuple[str, Distribution]]:
    """Yield the distributions drawn from, by name."""
    for percent in (2, 5, 10, 20, 30, 50, 70, 80, 90, 95, 98):
        yield f"{percent} % at one end, the rest at the other", _made({10.0: percent, 0.0: 100 - percent})
    for percent in (5, 10, 20, 35):
        tied, rest = 100 - percent, float(percent)
        for other in (7.0, 5.0, 0.0):
            yield f"ties at 8, {percent} % at {other:g}", _made({8.0: tied, other: rest})
        yield f"ties at 8, {percent} % at 7 and 9", _made({8.0: tied, 7.0: rest / 2, 9.0: rest / 2})
        yield f"ties at 5, {percent} % at both ends", _made({5.0: tied, 0.0: rest / 2, 10.0: rest / 2})
        yield f"ceiling, {percent} % at 9", _made({10.0: tied, 9.0: rest})
        yield f"ceiling, {percent} % from 5 to 9", _made({10.0: tied, **dict.fromkeys((5.0, 6.0, 7.0, 8.0, 9.0), rest / 5)})  # fmt: skip
        yield f"floor, {percent} % above", _made({0.0: tied, **dict.fromkeys((1.0, 2.0, 3.0, 5.0, 10.0), rest / 5)})  # fmt: skip
    for middle in (3.0, 5.0, 7.0, 8.5):
        for sd in (0.5, 1.0, 1.5, 2.0, 3.0):
            yield f"grades around {middle:g}, sd {sd:g}", _bell(middle, sd)
    for name, a, b in (
        ("shares high", 8.0, 2.0),
        ("shares at both ends", 0.5, 0.5),
        ("shares low", 0.5, 2.0),
    ):
        at = (np.arange(100) + 0.5) / 10
        yield name, _made({float(x): float(x ** (a - 1) * (10 - x) ** (b - 1)) for x in at})


def shares() -> Iterator[tuple[str, Distribution]]:
    """Yield shares of questions that are 0 or 1, then paired differences of two such shares, by name."""
    for p in RARE:
        yield f"share of {p:g}", _made({1.0: p, 0.0: 1 - p}, SHARE)
    for more, less in APART_BY:
        yield f"differences, {more:g} more and {less:g} less", _made({1.0: more, -1.0: less, 0.0: 1 - more - less}, RELATED)  # fmt: skip


def interval_of(values: Floats, ends: Ends) -> Statistic:
    """Make the interval of a mean; where the values may be below zero, of a paired difference."""
    rows, names = np.column_stack([values, np.ones(len(values))]), [str(n) for n in range(len(values))]
    if ends[0] < 0:
        return statistic_by_sign_flips(rows, names, "difference", ends=ends)[0]
    return from_sums(rows, names, ratio, "mean", ends=ends)


def cell(name: str, drawn: Distribution, draws: int, samples: int) -> Cell:
    """Samples of the same values are looked at once."""
    rng = np.random.default_rng([draws, *name.encode()])
    taken = np.sort(rng.choice(drawn.levels, (samples, draws), p=drawn.shares), axis=1)
    held = wide = plain = 0.0
    for values, count in zip(*np.unique(taken, axis=0, return_counts=True), strict=True):
        v = interval_of(values, drawn.ends)
        assert v.ci_low is not None and v.ci_high is not None
        held += count * (v.ci_low - 1e-9 <= drawn.mean <= v.ci_high + 1e-9)
        wide += count * (v.ci_high - v.ci_low)
        plain += count * 2 * student_quantile(draws - 1) * float(np.std(values, ddof=1)) / sqrt(draws)
    return Cell(name, draws, held / samples, wide / plain if plain else np.inf, drawn.spread)


def cells(samples: int) -> list[Cell]:
    return [cell(name, drawn, draws, samples) for name, drawn in distributions() for draws in DRAWS]


COUNTS: Mapping[str, Callable[[Generator, tuple[int, int]], NDArray[Any]]] = {
    "Poisson, mean 2": lambda rng, size: rng.poisson(2, size),
    "negative binomial, mean 15": lambda rng, size: rng.negative_binomial(2, 2 / 17, size),
    "0 half of the time, else Poisson of 8": lambda rng, size: (
        (rng.random(size) < 0.5) * rng.poisson(8, size)
    ),
    "lognormal, sigma 0.5": lambda rng, size: np.exp(0.5 * rng.normal(size=size)),
    "lognormal, sigma 1": lambda rng, size: np.exp(rng.normal(size=size)),
}
TRUE = (2.0, 15.0, 4.0, np.exp(0.125), np.exp(0.5))
COUNTED_DRAWS = (4, 9, 20, 50)


def counted(samples: int) -> str:
    """Say how often the interval covers the truth for what has an end below only, by draws. Samples without
    spread have no interval and cover nothing."""
    told_of = []
    for (name, drawn), truth in zip(COUNTS.items(), TRUE, strict=True):
        shown = []
        for draws in COUNTED_DRAWS:
            taken = drawn(np.random.default_rng([draws, *name.encode()]), (samples, draws)).astype(float)
            found = [interval_of(values, COUNTED) for values in taken]
            held = sum(v.ci_low <= truth <= v.ci_high for v in found if v.ci_low is not None and v.ci_high is not None)  # fmt: skip
            shown.append(f"{100 * held / samples:.0f}")
        told_of.append(f"{name}: {' / '.join(shown)} %")
    return f"Counts and costs, held at n = {' / '.join(map(str, COUNTED_DRAWS))}: {'; '.join(told_of)}."


TOLD = (
    "{count} cells ({kinds} distributions between two ends, {least} to {most} draws), {samples:,} samples"
    " each. **{share:.1%} of the cells are held in {atleast:.0%} or more; the lowest in {worst:.1%}** ({where}, n={draws})."
)


def told(found: list[Cell], samples: int) -> str:
    worst = min(found, key=lambda one: one.held)
    text = TOLD.format(
        count=len(found), kinds=len({one.name for one in found}), least=DRAWS[0], most=DRAWS[-1], samples=samples,
        share=fmean(one.held >= LEAST for one in found), atleast=LEAST, worst=worst.held, where=worst.name, draws=worst.draws,
    )  # fmt: skip
    return "\n\n".join([text, counted(samples), rare(samples), strengths(max(samples // 10, 50))])


def rare(samples: int) -> str:
    """Say how often the intervals of shares and of their differences cover the truth, where they do so least."""
    found = [cell(name, drawn, draws, samples) for name, drawn in shares() for draws in DRAWS_OF_SHARES]
    worst = min(found, key=lambda one: one.held)
    return (
        f"Shares of questions that are 0 or 1, and their paired differences, n = {DRAWS_OF_SHARES[0]} to {DRAWS_OF_SHARES[-1]}: "
        f"{fmean(one.held >= LEAST for one in found):.1%} of {len(found)} cells in {LEAST:.0%} or more, the lowest in {worst.held:.1%} "
        f"({worst.name}, n={worst.draws})."
    )


STRENGTHS = (((0.5, 0.0, -0.5), 0.5, 0.5), ((1.5, 0.0, -1.5), 0.5, 1.0), ((0.0, 0.0, 0.0, 0.0), 1.0, 1.0))
"""Log strengths, the tie parameter, and how far the strengths of one question lie from these (standard deviation)."""
STRENGTHS_DRAWS = (10, 14, 20, 50)


def _met(
    rng: Generator, questions: int, logs: tuple[float, ...], nu: float, apart: float
) -> list[Comparison]:
    """Let every two systems meet on every question."""
    found = []
    for question in range(questions):
        own = np.exp(np.array(logs) + rng.normal(0, apart, len(logs)))
        for i, j in combinations(range(len(logs)), 2):
            chances = np.array([own[i], nu * sqrt(own[i] * own[j]), own[j]])
            won = ("a", "tie", "b")[rng.choice(3, p=chances / chances.sum())]
            found.append(Comparison(f"q{question}", "overall", f"s{i}", f"s{j}", won, won))
    return found


def strengths(samples: int) -> str:
    """Say how often the intervals of log strengths cover those of 20,000 questions, by draws."""
    told_of = []
    for logs, nu, apart in STRENGTHS:
        rng = np.random.default_rng(len(logs))
        truth = {name: v.value for name, v in davidson(_met(rng, 20_000, logs, nu, apart)).strengths.items()}
        shown = []
        for draws in STRENGTHS_DRAWS:
            studies = [davidson(_met(rng, draws, logs, nu, apart)).strengths for _ in range(samples)]
            found = [(name, v) for one in studies for name, v in one.items()]
            held = [v.ci_low <= truth[name] <= v.ci_high for name, v in found if v.ci_low is not None and v.ci_high is not None]  # type: ignore[operator]  # fmt: skip
            shown.append(f"{100 * sum(held) / len(found):.0f}")
        told_of.append(f"{' / '.join(map(str, logs))}: {' / '.join(shown)} %")
    return f"Log strengths ({samples} studies each), held at n = {' / '.join(map(str, STRENGTHS_DRAWS))}: {'; '.join(told_of)}."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=4000, help="of each cell")
    parser.add_argument("--of", choices=("means", "differences"), help="only these (default: both)")
    parser.add_argument("--record", action="store_true", help="keep the tables in RESULTS.md")
    arguments = parser.parse_args()
    parts: Mapping[str, Callable[[], str]] = {
        "Intervals of means": lambda: told(cells(arguments.samples), arguments.samples),
        "Intervals of differences": lambda: differences.told(arguments.samples),
    }
    for heading, made in parts.items():
        if not heading.endswith(arguments.of or ""):
            continue
        text = made()
        if arguments.record:
            record(heading, text)
        else:
            print(text)


if __name__ == "__main__":
    main()
