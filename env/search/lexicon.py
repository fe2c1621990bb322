"""The words that a shop's products are named by, with the number of products that have each: for slips of the finger.

It is one text, `word count` a line, most frequent first, kept beside the index; it is read when a query has a word that no product
has. Words with digits are nobody's slip and stay out.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable
from functools import cached_property

import numpy as np

MOST_WORDS = 500_000
_SHORTEST = 4
_LONG = 8
"""From this length on a word may be two slips away."""


class LexiconMaker:
    """Counts as the products go by."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def add(self, strong: str) -> None:
        self._counts.update({word for word in strong.split(" ") if word.isascii() and word.isalpha()})

    def packed(self) -> bytes:
        rows = sorted(self._counts.items(), key=lambda row: (-row[1], row[0]))[:MOST_WORDS]
        return zlib.compress("\n".join(f"{word} {count}" for word, count in rows).encode(), 6)


class Lexicon:
    def __init__(self, packed: bytes) -> None:
        self._packed = packed

    @cached_property
    def counts(self) -> dict[str, int]:
        text = zlib.decompress(self._packed).decode() if self._packed else ""
        rows = (line.rpartition(" ") for line in text.splitlines())
        return {word: int(count) for word, _, count in rows}

    @cached_property
    def _sets(self) -> dict[int, tuple[list[str], np.ndarray]]:
        """By length: the words, and of each the letters that it has, a bit a letter."""
        by_length: dict[int, list[str]] = {}
        for word in self.counts:
            by_length.setdefault(len(word), []).append(word)
        return {n: (words, np.array([_letters(w) for w in words], np.uint32)) for n, words in by_length.items()}

    def near(self, word: str) -> str | None:
        """The word that was meant: the fewest slips away, the first letter right rather than wrong, then the commonest."""
        if len(word) < _SHORTEST or not (word.isascii() and word.isalpha()):
            return None
        most = 2 if len(word) >= _LONG else 1
        found = [
            (slips, other[0] != word[0], -self.counts[other], other)
            for other in self._alike(word, most)
            if (slips := distance(word, other, most)) <= most
        ]
        return min(found)[3] if found else None

    def split(self, word: str) -> tuple[str, str] | None:
        """`birdfeeder` as the two words that most products are named by."""
        parts = [(word[:k], word[k:]) for k in range(3, len(word) - 2)]
        counts = self.counts
        held = [(min(counts.get(a, 0), counts.get(b, 0)), a, b) for a, b in parts]
        best = max(held, default=(0, "", ""))
        return (best[1], best[2]) if best[0] else None

    def _alike(self, word: str, most: int) -> Iterable[str]:
        """Each slip changes at most two letters of the set."""
        mine = np.uint32(_letters(word))
        for length in range(len(word) - most, len(word) + most + 1):
            if length in self._sets:
                words, sets = self._sets[length]
                different = np.bitwise_count(sets ^ mine)
                yield from (words[k] for k in np.flatnonzero(different <= 2 * most))


def _letters(word: str) -> int:
    bits = 0
    for letter in word:
        bits |= 1 << (ord(letter) - 97)
    return bits


def distance(a: str, b: str, most: int) -> int:
    """Letters left out, put in, wrong or swapped with the next; more than `most` is `most + 1`."""
    if abs(len(a) - len(b)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        older, before, row = before, row, [i]
        for j, y in enumerate(b, 1):
            best = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                best = min(best, older[j - 2] + 1)
            row.append(best)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)
