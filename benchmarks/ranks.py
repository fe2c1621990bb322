"""Ranks by tests on simulated boards: how often two systems are separated that differ, and that do not. `python -m benchmarks ranks`

Questions differ in difficulty, which systems share; a score is 0 or 1, or between. Useless entries and clones join the board, and the
order of the others is to stay.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

import numpy as np
from drr.eval.stats.ranks import LEVEL, ranks

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


def joined(board: Values, useless: int, clones: int, seed: int = 9) -> Values:
    """Return the board with entries that score nearly nothing, and with copies of its first system."""
    chance = np.random.default_rng(seed)
    asked = next(iter(board.values()))
    silly: Values = {
        f"useless{n}": {q: [float(chance.random() < 0.05)] for q in asked} for n in range(useless)
    }
    return {**silly, **board, **{f"clone{n}": board["s0"] for n in range(clones)}}


def order(board: Values, names: Sequence[str]) -> list[list[str]]:
    """Return which of the named systems stand on each rank that any of them has, best first."""
    places = ranks(board).places
    found = sorted({places[name] for name in names})
    return [[name for name in names if places[name] == rank] for rank in found]


JOINED = ((6, 0), (40, 0), (0, 6))
"""Numbers of useless entries and of clones that join a board."""


def moved(one: Values) -> list[bool]:
    """Tell whether further entries change the order of the systems of a board."""
    alone = order(one, list(one))
    return [alone != order(joined(one, *more), list(one)) for more in JOINED]


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
        behind = [[one.places[f"s{n}"] > 1 for n in range(1, systems)] for one in map(ranks, better)]
        apart = np.array([sum(ranks(one).places.values()) - systems for one in equal])
        each, whole = np.mean(behind), np.mean([all(one) for one in behind])
        few = better[: given.draws // 10] + equal[: given.draws // 10]
        others = (f"{share:.2f}" for share in np.mean([moved(one) for one in few], axis=0))
        pairs = apart.mean() / (systems * (systems - 1) / 2)
        rows.append(
            (systems, f"{each:.2f}", f"{whole:.2f}", f"{pairs:.4f}", f"{(apart > 0).mean():.2f}", *others)
        )
    head = (
        *(
            "systems",
            "one is .15 better: beats each other",
            "beats all others",
            "all are equal: pairs parted",
            "boards with such a pair",
        ),
        *("order moved by 6 useless entries", "by 40", "by 6 clones"),
    )
    text = (
        f"{given.draws} simulated boards a row, {given.questions} questions whose difficulty systems share. Each pair by its own sign flips at "
        f"{LEVEL}; a tenth of the boards is ranked again with further entries.\n\n{table(head, rows)}"
    )
    (record("Ranks of a board", text) if given.record else print(text))


if __name__ == "__main__":
    main()
