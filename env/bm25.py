"""Texts ranked by BM25, each as a bag of its words. For the few hundred pieces that one caller holds in memory."""

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
        lengths = [sum(bag.values()) for bag in self._words]
        self._mean = sum(lengths) / max(1, len(lengths))
        self._norms = [self._norm(length) for length in lengths]
        self._holding: dict[str, list[tuple[int, int]]] = {}

    def scores(self, query: str) -> list[float]:
        """One for each text, in their order; 0 where no word is shared."""
        found = [0.0] * len(self._words)
        for word in _asked(query):
            weight = self._weight(word)
            for place, times in self._texts_with(word):
                found[place] += weight * times * (_K1 + 1) / (times + self._norms[place])
        return found

    def score_of(self, bag: Counter[str], query: str) -> float:
        """Score a text that is not among them, by how rare words are there."""
        norm, found = self._norm(sum(bag.values())), 0.0
        for word in _asked(query):
            if word in bag and self._texts_with(word):
                found += self._weight(word) * bag[word] * (_K1 + 1) / (bag[word] + norm)
        return found

    def _texts_with(self, word: str) -> list[tuple[int, int]]:
        """List the texts that have a word, and how often; looked up once for each word that is asked for."""
        found = self._holding.get(word)
        if found is None:
            found = self._holding[word] = [
                (place, bag[word]) for place, bag in enumerate(self._words) if word in bag
            ]
        return found

    def _weight(self, word: str) -> float:
        n, count = len(self._words), len(self._texts_with(word))
        return log(1 + (n - count + 0.5) / (count + 0.5))

    def _norm(self, length: int) -> float:
        return _K1 * (1 - _B + _B * length / self._mean) if self._mean else 1.0


def _asked(query: str) -> list[str]:
    """The query's words in their order: sums of floats depend on it."""
    return list(dict.fromkeys(tokens(query)))
