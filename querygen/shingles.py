"""How alike two questions are: the share of common runs of three words."""

from __future__ import annotations

from env.text import tokens

WIDTH = 3


def shingles(text: str) -> frozenset[tuple[str, ...]]:
    words = tokens(text)
    if len(words) <= WIDTH:
        return frozenset({tuple(words)})
    return frozenset(tuple(words[at : at + WIDTH]) for at in range(len(words) - WIDTH + 1))


def similarity(a: frozenset[tuple[str, ...]], b: frozenset[tuple[str, ...]]) -> float:
    """Jaccard: 1 for the same words in the same order, 0 for nothing in common."""
    union = len(a | b)
    return len(a & b) / union if union else 1.0
