"""Paired differences: how often their interval holds the truth, how often equal systems are called different, and what is found.

python -m benchmarks.intervals --of differences [--samples 4000] [--record]

Where the sign-flip test's assumption holds, differences lie alike on both sides of their mean. Rows without it are marked. A sample whose
differences are all equal has no interval and is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import fmean
from typing import NamedTuple

import numpy as np
from drr.eval.stats.differences import (
    SIGNIFICANT,
    PairedDifference,
    detectable_difference,
    is_settled,
    paired,
    sign_flips,
    with_holm,
)
from drr.eval.stats.intervals import SHARE, Ends, Floats
from drr.eval.stats.question import AskedQuestion, grouped
from numpy.random import Generator

from benchmarks.results import table

DRAWS = (6, 8, 10, 20, 50, 100, 300)
SLOWER = {14: 2, 100: 3}
"""From so many draws on a cell has this part of the samples."""
GRADES: Ends = (0.0, 10.0)
LEAST, MOST = 0.93, 0.975
FIGURES = 4
"""Figures that are tested together."""
EQUAL = 2_000
"""Samples of equal systems, as few are told apart."""


class Kind(NamedTuple):
    """Paired differences of two systems: a sample, their mean, and whether the test's assumption holds."""

    drawn: Callable[[Generator, int], Floats]
    mean: float
    ends: Ends = GRADES
    is_symmetric: bool = True
    sizes: int = 1
    """Number of questions of each task."""


def _grades(rng: Generator, n: int) -> Floats:
    two = np.clip(np.round(rng.normal(7, 1.5, (n, 2))), 0, 10)
    return 1 + two[:, 0] - two[:, 1]


def _claims(rng: Generator, n: int) -> Floats:
    two = rng.binomial(12, rng.beta(8, 2, (n, 2)))
    apart: Floats = 0.1 + (two[:, 0] - two[:, 1]) / 12
    return apart


def _sizes(rng: Generator, n: int) -> Floats:
    own = rng.normal(0.5, 1, (n, 1)) + rng.normal(0, 0.5, (n, 3))
    return own.ravel()


def _solved(more: float, less: float) -> Kind:
    def drawn(rng: Generator, n: int) -> Floats:
        return rng.choice([1.0, -1.0, 0.0], n, p=[more, less, 1 - more - less])

    return Kind(drawn, more - less, SHARE, is_symmetric=more == less)


KINDS: Mapping[str, Kind] = {
    "normal": Kind(lambda rng, n: rng.normal(0.5, 1, n), 0.5),
    "whole grades": Kind(_grades, 1.0),
    "whole grades, 70 % equal": Kind(
        lambda rng, n: np.where(rng.random(n) < 0.3, rng.integers(-3, 4, n), 0.0), 0.0
    ),
    "faithfulness, 12 claims": Kind(_claims, 0.1, SHARE),
    "tasks of three sizes": Kind(_sizes, 0.5, sizes=3),
    "solved, .1 more and .1 less": _solved(0.1, 0.1),
    ".02 more, .02 less": _solved(0.02, 0.02),
    ".3 more, .1 less": _solved(0.3, 0.1),
    "log-normal, skewed": Kind(
        lambda rng, n: np.exp(rng.normal(0, 0.5, n)), float(np.exp(0.125)), is_symmetric=False
    ),
}


def compared(drawn: Floats, kind: Kind) -> PairedDifference:
    asked = [AskedQuestion(f"q{n}", f"t{n // kind.sizes}") for n in range(len(drawn))]
    left = {one: [float(x)] for one, x in zip(asked, drawn, strict=True)}
    return paired(left, {one: [0.0] for one in asked}, kind.ends)


def held(name: str, n: int, samples: int) -> float:
    """Return the share of intervals that hold the truth."""
    kind, rng = KINDS[name], np.random.default_rng([n, *name.encode()])
    found = [compared(kind.drawn(rng, n), kind).difference for _ in range(samples)]
    return fmean(
        v.ci_low - 1e-9 <= kind.mean <= v.ci_high + 1e-9
        for v in found
        if v.ci_low is not None and v.ci_high is not None
    )


def settled(n: int, samples: int, shift: float, figures: int = 1) -> float:
    """Return how often a difference of so many standard deviations is settled, among further figures without one; for a shift of 0, how often any is."""
    rng, kind, count = np.random.default_rng([n, figures]), KINDS["normal"], 0
    for _ in range(samples):
        drawn = rng.normal(0, 1, (figures, n))
        drawn[0] += shift
        tested = with_holm({str(k): compared(one, kind) for k, one in enumerate(drawn)})
        found = [is_settled(one.document()) for one in tested.values()]
        count += found[0] if shift else any(found)
    return count / samples


def detected(n: int, tests: int) -> float:
    """Return how often the smallest detectable difference is found; 0 where so few show none."""
    least = detectable_difference(n**-0.5, n, tests)
    if least is None:
        return 0.0
    drawn = np.random.default_rng([n, tests]).normal(least, 1, (EQUAL, n)).T
    return float(np.mean(sign_flips(drawn) * tests < SIGNIFICANT))


def told(samples: int) -> str:
    size = {
        n: samples // max((part for start, part in SLOWER.items() if n >= start), default=1) for n in DRAWS
    }
    cells = {(name, n): held(name, n, size[n]) for name in KINDS for n in DRAWS}
    fair = {place: share for place, share in cells.items() if KINDS[place[0]].is_symmetric}
    (worst, at), least = min(fair.items(), key=lambda one: one[1])
    wide = grouped((name, str(n)) for (name, n), share in cells.items() if share > MOST)
    above = "; ".join(f"{name}: n={', '.join(ns)}" for name, ns in wide.items())
    power: Mapping[str, Callable[[int, int], float]] = {
        "**settled**: one standard deviation": lambda n, count: settled(n, count, 1.0),
        f"the same, among {FIGURES} figures": lambda n, count: settled(n, count, 1.0, FIGURES),
        "`detectable_difference`": lambda n, _: detected(n, 1),
        "the same, of 4 tests": lambda n, _: detected(n, FIGURES),
        f"equal systems, any of {FIGURES} figures": lambda n, _: settled(n, EQUAL, 0.0, FIGURES),
    }
    shares = {name: [cells[name, n] for n in DRAWS] for name in KINDS}
    shares |= {name: [of(n, size[n] // 2) for n in DRAWS] for name, of in power.items()}
    return "\n\n".join(
        [
            f"How often, in %, the interval holds the truth or a difference is settled, by n ({samples:,} samples, half from n = 14, a third from 100; "
            f"{EQUAL:,} of equal systems). **Where the test's assumption holds, {fmean(share >= LEAST for share in fair.values()):.0%} of {len(fair)} "
            f"cells are held in {LEAST:.0%} or more; the lowest in {least:.1%}** ({worst}, n={at}). Above {MOST:.1%}: {above}.",
            table(
                ["differences", *map(str, DRAWS)],
                [[name, *(f"{100 * share:.0f}" for share in own)] for name, own in shares.items()],
            ),
        ]
    )
