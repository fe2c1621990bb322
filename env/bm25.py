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
        asked = list(dict.fromkeys(tokens(query)))  # in their order: sums of floats depend on it
        return [self._score(number, asked) for number in range(len(self._words))]

    def _score(self, number: int, asked: Sequence[str]) -> float:
        norm = _K1 * (1 - _B + _B * self._lengths[number] / self._mean) if self._mean else 1.0
        bag = self._words[number]
        return sum(self._idf[w] * bag[w] * (_K1 + 1) / (bag[w] + norm) for w in asked if w in bag)
