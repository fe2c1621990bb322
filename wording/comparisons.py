"""Comparisons as people make them: `cheaper`, `the higher rating`, `more reviews`, `the best-rated of the three`."""

from __future__ import annotations

import re

from drr.wording.vocabulary import Wordbook, vocabulary

_MANY = r"more|fewer|most|fewest"
_DEGREES = r"highest|best|lowest|worst"


class ComparisonReader:
    """Reads one sentence at a time."""

    def __init__(self, words: Wordbook) -> None:
        some = words.either
        nouns = rf"(?:average\s|customer\s)?(?:{some('rating_nouns', 'price_nouns')})"
        self._said = re.compile(
            rf"\b(?:{some('words')}|(?:{some('degrees')}|{_DEGREES})\s{nouns}|(?:{_MANY})\s(?:customer\s|total\s)?(?:{some('count_nouns')}))\b",
            re.I,
        )

    def compares(self, sentence: str) -> bool:
        return self._said.search(sentence) is not None


COMPARISONS = ComparisonReader(vocabulary("comparisons"))
