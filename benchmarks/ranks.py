"""Ranks by tests on simulated boards: how often two systems are separated that differ, and that do not. `python -m benchmarks ranks`

Questions differ in difficulty, which systems share; a score is 0 or 1, or between. Ranks by overlap of intervals stand beside.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
from drr.eval.stats.intervals import SHARE, mean
from drr.eval.stats.ranks import ranks

Values = dict[str, dict[str, list[float | None]]]


def boards(systems: int, questions: int, gap: float, seed: int, draws: int) -> Iterator[Values]:
    """Yield boards of equal systems, the first of which is `gap` better."""
    chance = np.random.default_rng(seed)
    for _ in range(draws):
        hard = chance.normal(0.55, 0.25, size=questions)
        scores = hard + chance.normal(0, 0.2, size=(systems, questions))
        scores[0] += gap
        scores = np.clip(scores, 0, 1)
        yield {
            f"s{number}": {f"q{place}": [float(value)] for place, value in enumerate(own)}
            for number, own in enumerate(scores)
        }


def _by_overlap(values: Values) -> bool:
    """Whether any two intervals are apart."""
    rows = [mean(own, ends=SHARE) for own in values.values()]
    return max(one.ci_low or 0 for one in rows) > min(
        1 if one.ci_high is None else one.ci_high for one in rows
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks ranks", description=__doc__)
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--questions", type=int, default=100)
    given = parser.parse_args()
    for systems in (2, 8, 30):
        for gap in (0.15, 0.0):
            made = list(boards(systems, given.questions, gap, 82 + systems, given.draws))
            found = [ranks(one) for one in made]
            if gap:
                all_behind = np.mean([all(found[f"s{n}"] > 1 for n in range(1, systems)) for found in found])
                each = np.mean([[found[f"s{n}"] > 1 for n in range(1, systems)] for found in found])
                print(
                    f"{systems:>2} systems, one +{gap:g}: beats each other {each:.3f}, all of them {all_behind:.3f}"
                )
            else:
                apart = np.mean([max(found.values()) > 1 for found in found])
                overlap = np.mean([_by_overlap(one) for one in made])
                print(
                    f"{systems:>2} equal systems: some pair separated {apart:.3f}; by overlap of intervals {overlap:.3f}"
                )


if __name__ == "__main__":
    main()
