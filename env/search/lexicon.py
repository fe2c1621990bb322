"""The words that name a shop's products, with the number of products that have each: for slips of the finger.

It is one text, `word count` a line, most frequent first, kept beside the records; it is read when a query has a word that no product
has. A server's catalogue counts names and brands by it too, which costs it no call.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable
from functools import cached_property

import numpy as np
from drr.env.search.fields import SearchFields
from numpy.typing import NDArray

MOST_ROWS = 1_000_000
_SHORTEST = 4
_LONG = 8
"""From this length on a word may be two slips away."""


class LexiconMaker:
    """A counter of words as the products go by. `keyed` also the names and brands, for a catalogue that cannot count them by itself."""

    def __init__(self, *, keyed: bool = False) -> None:
        self.counts: Counter[str] = Counter()
        self._keyed = keyed

    def add(self, fields: SearchFields) -> None:
        words = set(fields.strong.split())
        if not self._keyed:
            words = {word for word in words if _is_plain(word)}
        self.counts.update(words)
        if self._keyed:
            self.counts.update(f"name:{key}" for key in fields.name)
            self.counts.update(f"brand:{key}" for key in fields.brand)

    def packed(self) -> bytes:
        rows = sorted(self.counts.items(), key=lambda row: (-row[1], row[0]))[:MOST_ROWS]
        return zlib.compress("\n".join(f"{word} {count}" for word, count in rows).encode(), 6)


class Lexicon:
    def __init__(self, packed: bytes) -> None:
        self._packed = packed

    @cached_property
    def counts(self) -> dict[str, int]:
        text = zlib.decompress(self._packed).decode() if self._packed else ""
        rows = (line.rpartition(" ") for line in text.split("\n") if line)
        return {word: int(count) for word, _, count in rows}

    def held(self, field: str, word: str) -> int:
        return self.counts.get(word if field == "strong" else f"{field}:{word}", 0)

    @cached_property
    def _sets(self) -> dict[int, tuple[list[str], NDArray[np.uint32]]]:
        """Group the words by length, and for each note the letters that it has, a bit a letter."""
        by_length: dict[int, list[str]] = {}
        for word in self.counts:
            if _is_plain(word):
                by_length.setdefault(len(word), []).append(word)
        return {
            n: (words, np.array([_letters(w) for w in words], np.uint32)) for n, words in by_length.items()
        }

    def near(self, word: str) -> str | None:
        """The word that was meant: the fewest slips away, the first letter right rather than wrong, then the commonest."""
        if len(word) < _SHORTEST or not _is_plain(word):
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
        ranked = [(min(counts.get(a, 0), counts.get(b, 0)), a, b) for a, b in parts]
        best = max(ranked, default=(0, "", ""))
        return (best[1], best[2]) if best[0] else None

    def _alike(self, word: str, most: int) -> Iterable[str]:
        """Each slip changes at most two letters of the set."""
        mine = np.uint32(_letters(word))
        for length in range(len(word) - most, len(word) + most + 1):
            if length in self._sets:
                words, sets = self._sets[length]
                different = np.bitwise_count(sets ^ mine)
                yield from (words[k] for k in np.flatnonzero(different <= 2 * most))


def _is_plain(word: str) -> bool:
    return word.isascii() and word.isalpha()


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
