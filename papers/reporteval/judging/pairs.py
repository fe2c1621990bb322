"""The pairs of passages to compare. All of them up to a cap, else some by their words and the others by lot.

By lot alone a passage that stands twice in a long report is hardly ever met: one pair of 570. So a third of the places belong to the pairs
that are most alike by their words; the others are drawn by a seed, as many from each of five bands of distance. A pair's lot hangs on its
two texts, so that two nearly equal reports are judged on nearly the same pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

from drr.eval.evidence.passages import most_alike
from drr.eval.tasks.protocol import PassageForm
from drr.papers.reporteval.judging.passages import ReportPassage, passages_of

MOST = 30
ALIKE = 10
"""Of these, the pairs that are most alike by their words."""
BANDS = 5


class DrawnPair(NamedTuple):
    first: int
    second: int
    stands_for: float
    """So many pairs of the report does it stand for: 1 where it was not drawn by lot."""


@lru_cache(maxsize=1024)
def drawn_pairs(report: str, form: PassageForm, seed: int) -> tuple[DrawnPair, ...]:
    """List the statements in the order of the report."""
    passages = passages_of(report, form)
    every = [(i, j) for j in range(len(passages)) for i in range(j)]
    if len(every) <= MOST:
        return tuple(sorted(DrawnPair(i, j, 1.0) for i, j in every))
    names = [_name(one.text) for one in passages]
    if form == "sections":  # as printed: by lot alone
        drawn = sorted(every, key=lambda pair: _lot(seed, names, pair))[:MOST]
        return tuple(sorted(DrawnPair(i, j, len(every) / MOST) for i, j in drawn))
    alike = most_alike([one.text for one in passages])[:ALIKE]
    rest = sorted(set(every).difference(alike), key=lambda pair: (pair[1] - pair[0], pair))
    return tuple(sorted([*(DrawnPair(i, j, 1.0) for i, j in alike), *_by_lot(rest, names, seed)]))


def _by_lot(rest: Sequence[tuple[int, int]], names: Sequence[str], seed: int) -> Iterator[DrawnPair]:
    """Yield from bands of distance that have as many pairs each, as far as they can be divided."""
    many = min(MOST - ALIKE, len(rest))
    for band in range(BANDS):
        here = rest[len(rest) * band // BANDS : len(rest) * (band + 1) // BANDS]
        wanted = many * (band + 1) // BANDS - many * band // BANDS
        for i, j in sorted(here, key=lambda pair: _lot(seed, names, pair))[:wanted]:
            yield DrawnPair(i, j, len(here) / wanted)


def _name(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _lot(seed: int, names: Sequence[str], pair: tuple[int, int]) -> str:
    return _name(f"{seed} {names[pair[0]]} {names[pair[1]]}")


def pair_of(report: str, form: PassageForm, first: int, second: int) -> tuple[ReportPassage, ReportPassage]:
    passages = passages_of(report, form)
    return passages[first], passages[second]
