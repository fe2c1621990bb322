"""Texts ranked by BM25, each as a bag of its words: for the few hundred pieces that one caller holds in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log

from drr.env.text import tokens

_K1, _B = 1.2, 0.75


class Bm25:
    def __init__(self, texts: Sequence[str] = (), *, bags: Sequence[Counter[str]] | None = None) -> None:
        """`bags`: the words of the texts, where the caller has them already."""
        self._words = [Counter(tokens(text)) for text in texts] if bags is None else list(bags)
        self._lengths = [sum(bag.values()) for bag in self._words]
        self._mean = sum(self._lengths) / max(1, len(self._lengths))
        holding = Counter(word for bag in self._words for word in bag)
        n = len(self._words)
        self._idf = {word: log(1 + (n - count + 0.5) / (count + 0.5)) for word, count in holding.items()}

    def scores(self, query: str) -> list[float]:
        """One for each text, in their order; 0 where no word is shared."""
        asked = _asked(query)
        return [
            self._score(bag, length, asked) for bag, length in zip(self._words, self._lengths, strict=True)
        ]

    def score_of(self, bag: Counter[str], query: str) -> float:
        """Of a text that is not among them, by how rare words are there."""
        return self._score(bag, sum(bag.values()), [word for word in _asked(query) if word in self._idf])

    def _score(self, bag: Counter[str], length: int, asked: Sequence[str]) -> float:
        norm = _K1 * (1 - _B + _B * length / self._mean) if self._mean else 1.0
        return sum(self._idf[w] * bag[w] * (_K1 + 1) / (bag[w] + norm) for w in asked if w in bag)


def _asked(query: str) -> list[str]:
    """In their order: sums of floats depend on it."""
    return list(dict.fromkeys(tokens(query)))
