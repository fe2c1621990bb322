"""Ranks by tests on simulated boards: how often two systems are separated that differ, and that do not. `python -m benchmarks ranks`

Questions differ in difficulty, which systems share; a score is 0 or 1, or between. Ranks by overlap of intervals stand beside.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
from drr.eval.stats.intervals import SHARE, mean
from drr.eval.stats.ranks import ranks

from benchmarks.results import record, table

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
    parser.add_argument("--record", action="store_true", help="keep the table in RESULTS.md")
    given = parser.parse_args()
    rows = []
    for systems in (2, 8, 30):
        better, equal = (
            list(boards(systems, given.questions, gap, 82 + systems, given.draws)) for gap in (0.15, 0.0)
        )
        behind = [[one[f"s{n}"] > 1 for n in range(1, systems)] for one in map(ranks, better)]
        apart = np.mean([max(ranks(one).values()) > 1 for one in equal])
        overlap = np.mean([_by_overlap(one) for one in equal])
        each, whole = np.mean(behind), np.mean([all(one) for one in behind])
        rows.append((systems, f"{each:.2f}", f"{whole:.2f}", f"{apart:.3f}", f"{overlap:.3f}"))
    head = (
        *("systems", "one is .15 better: beats each other", "beats all others"),
        *("all are equal: some pair separated", "by overlap of intervals"),
    )
    text = (
        f"{given.draws} simulated boards a row: systems answer the same {given.questions} questions, whose difficulty they share. By paired "
        f"sign flips with Holm's correction over all pairs.\n\n{table(head, rows)}"
    )
    (record("Ranks of a board", text) if given.record else print(text))


if __name__ == "__main__":
    main()
