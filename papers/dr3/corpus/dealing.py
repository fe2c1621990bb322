"""Deals of sentences like cards. Of several the least used comes next, in the way that was used longest ago."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from math import gcd
from random import Random
from typing import TypeVar

from drr.papers.dr3.corpus.template import Fill, Template

Card = TypeVar("Card")
_STRIDE = 0.618
"""Of the ways of a sentence, from one use to the next: neighbors differ in as much as they can."""
_APART = 5
"""Uses of each sentence between two tasks, whose own pages know nothing of each other."""


class SentenceDeck:
    """The sentences that the pages of a pool have used, in the order in which they are written."""

    def __init__(self, number: int = 0) -> None:
        self._shift = _APART * number
        self._uses, self._whole, self._within = Counter[int](), Counter[int](), Counter[tuple[str, int]]()

    def of_task(self, number: int) -> SentenceDeck:
        """Make the deck for the pages of one task. It goes on from the pool at a place of its own, and is the
        same whichever other tasks are made."""
        deck = SentenceDeck(number)
        deck._uses, deck._whole, deck._within = self._uses.copy(), self._whole.copy(), self._within.copy()
        return deck

    def say(self, rows: Sequence[Template], rng: Random, fill: Fill) -> str:
        """One of the rows, as a sentence."""
        return self.told(self.pick(rows, rng), rng, fill)

    def pick(self, rows: Sequence[Template], rng: Random) -> Template:
        if len(rows) == 1:
            return rows[0]
        least = min(self._uses[row.key] for row in rows)
        return rng.choice([row for row in rows if self._uses[row.key] == least])

    def told(self, row: Template, rng: Random, fill: Fill) -> str:
        used = self._uses[row.key]
        self._uses[row.key] = used + 1
        return row.say(rng, fill, row.key + (used + self._shift) * _stride(row.ways))

    def some(self, cards: Sequence[Card], count: int, rng: Random, within: str) -> list[Card]:
        """Choose so many of what is used whole. First comes what was used least `within` a theme, then what was used least at all."""
        whole, own = self._whole, self._within
        ranked = sorted(
            (own[within, id(card)], whole[id(card)], rng.random(), at) for at, card in enumerate(cards)
        )
        chosen = [cards[at] for *_, at in ranked[:count]]
        for card in chosen:
            whole[id(card)] += 1
            own[within, id(card)] += 1
        return chosen


@cache
def _stride(ways: int) -> int:
    """Choose a stride that is prime to the number of ways, as good as it can be. All of them are gone through before one comes again."""
    stride = max(1, int(ways * _STRIDE))
    while gcd(stride, ways) > 1:
        stride -= 1
    return stride
