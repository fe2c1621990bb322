"""Means that an amount may be, where its words call it one: `The four average $17.12`, under a table of four prices."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from statistics import median

from drr.eval.checks.money.figures import Figure
from drr.eval.checks.money.play import InPlay
from drr.wording.numbers import SPOKEN, number_said

_BEFORE = re.compile(
    r"\b(?P<word>means?|averag(?:es?|ed|ing)|medians?|midpoint)\b(?!-)(?P<of>[^\d$¢.;!?\n]{0,70})$", re.I
)
_BEHIND = re.compile(
    r"[\s*_,]{0,4}(?:(?:each|apiece|a\s[a-z]{2,12})\s)?(?:on\saverage|is\stheir\smean)\b", re.I
)
_MANY = re.compile(rf"(?<![\w$.,])(?P<n>{SPOKEN}|\d{{1,2}}|both|pair|trio)(?![\w$%-]|[.,]\d)", re.I)
_FIGURE = re.compile(r"\$?\d[\d.,]*")
_SOME = {"both": 2, "pair": 2, "trio": 3}
_ROW = 400
"""Characters of a row before an amount."""
_ALL, _ANY = 24, 8
"""Prices whose mean may be meant, of all of them and of any of them."""


def called_a_mean(before: str, behind: str) -> bool:
    """Of an amount by what stands before and behind it in its sentence."""
    return _BEFORE.search(before) is not None or _BEHIND.match(behind) is not None


def is_median(before: str) -> bool:
    """Whether what calls it a mean calls it a median."""
    match = _BEFORE.search(before)
    return match is not None and match["word"].casefold().startswith("med")


def how_many(sentence: str) -> set[int]:
    """Of how many a sentence may say that it is the mean: `the four`, `both`."""
    words = (match["n"].casefold() for match in _MANY.finditer(sentence))
    return {_SOME[one] if one in _SOME else int(number_said(one)) for one in words}


def means_near(play: InPlay, figure: Figure, groups: Sequence[Sequence[float]]) -> Iterator[float]:
    """What an amount may be that its sentence, or the first cell of its row, calls a mean."""
    low, high = figure.sentence
    before = play.text((low, figure.start))
    if figure.column is not None:  # `| Average | 6 kg | $17.12 |`
        row = play.text((max(0, figure.start - _ROW), figure.start)).rpartition("\n")[2]
        before = _FIGURE.sub(" ", row)
    if called_a_mean(before, play.text((figure.end, high))):
        yield from means_of(groups, how_many(before), middle=is_median(before))


def means_of(groups: Sequence[Sequence[float]], many: set[int], *, middle: bool) -> Iterator[float]:
    """Of all of each group; of the first also of any so many as are said, or any at all where no number is."""
    come_to = median if middle else _mean
    yield from (come_to(group) for group in groups if 2 <= len(group) <= _ALL)
    first = groups[0] if groups else ()
    if 2 < len(first) <= _ALL:
        for size in sorted(many) or range(2, len(first)):
            if 2 <= size < len(first) and (len(first) <= _ANY or size <= 3):
                yield from map(come_to, combinations(first, size))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
