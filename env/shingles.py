"""The likeness of two texts: the share of common runs of three words."""

from __future__ import annotations

from collections import Counter

from drr.env.text import tokens

WIDTH = 3
Run = tuple[str, ...]


def runs(words: list[str], width: int) -> list[Run]:
    """Every run of so many words; none where there are fewer."""
    return list(zip(*(words[at:] for at in range(width)), strict=False)) if len(words) >= width else []


def shingles(text: str) -> frozenset[tuple[str, ...]]:
    words = tokens(text)
    if len(words) <= WIDTH:
        return frozenset({tuple(words)})
    return frozenset(tuple(words[at : at + WIDTH]) for at in range(len(words) - WIDTH + 1))


def similarity(a: frozenset[tuple[str, ...]], b: frozenset[tuple[str, ...]]) -> float:
    """Jaccard: 1 for the same words in the same order, 0 for nothing in common."""
    union = len(a | b)
    return len(a & b) / union if union else 1.0


class Seen:
    """The texts so far, by their shingles: only those that share one with a new text are looked at."""

    def __init__(self) -> None:
        self._sizes: list[int] = []
        self._holders: dict[tuple[str, ...], list[int]] = {}

    def alike(self, own: frozenset[tuple[str, ...]]) -> list[tuple[int, float]]:
        """Place and similarity of every earlier text that has anything in common with this one, in order."""
        common = Counter(place for run in own for place in self._holders.get(run, ()))
        return [(place, n / (len(own) + self._sizes[place] - n)) for place, n in sorted(common.items())]

    def add(self, own: frozenset[tuple[str, ...]]) -> None:
        for run in own:
            self._holders.setdefault(run, []).append(len(self._sizes))
        self._sizes.append(len(own))

    def forget_last(self, own: frozenset[tuple[str, ...]]) -> None:
        """`own` is what was added last."""
        for run in own:
            self._holders[run].pop()
        self._sizes.pop()
