"""Paragraphs of prose in steps with alternatives, and the deck from which sentences are dealt, the least used first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from math import gcd
from random import Random
from typing import Any, TypeVar

from drr.papers.dr3.corpus.template import Fill, Template, template, varied
from drr.papers.dr3.planning.kinds import TRAITS

Card = TypeVar("Card")
_STRIDE = 0.618
"""Step through the ways of a sentence between uses: neighbors differ as much as they can."""
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
        return self.worded(self.pick(rows, rng), rng, fill)

    def pick(self, rows: Sequence[Template], rng: Random) -> Template:
        if len(rows) == 1:
            return rows[0]
        least = min(self._uses[row.key] for row in rows)
        return rng.choice([row for row in rows if self._uses[row.key] == least])

    def worded(self, row: Template, rng: Random, fill: Fill) -> str:
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


@dataclass(frozen=True, eq=False)
class ProsePassage:
    """A paragraph in steps, each with alternatives, written so that any choice reads as one thought."""

    steps: tuple[tuple[Template, ...], ...]
    needs: frozenset[str] = frozenset()
    """Traits of the sort, without which it is not said of a thing."""
    ask: tuple[Template, ...] = ()
    """Questions that just this answers."""
    asks_first: bool = False
    """Its first sentence is a question."""

    def say(
        self,
        deck: SentenceDeck,
        rng: Random,
        fill: Fill,
        fits: Collection[str] | None = None,
        *,
        is_asked: bool = False,
    ) -> str:
        """Say the passage of a thing that `fits` allows. It leaves out its own question where it answers one."""
        order = self.steps[1:] if is_asked and self.asks_first else self.steps
        steps = (step if fits is None else fitting(step, fits) for step in order)
        return " ".join(deck.say(step, rng, fill) for step in steps)

    @cached_property
    def claims(self) -> frozenset[str]:
        """List what it claims of how its speaker has the thing."""
        return frozenset(claim for step in self.steps for one in step for claim in one.claims)

    def suits(self, fits: frozenset[str]) -> bool:
        """Tell whether it fits such a thing, with one alternative of each step at least."""
        return _suits(self, fits)


@lru_cache(maxsize=1 << 16)
def _suits(passage: ProsePassage, fits: frozenset[str]) -> bool:
    return passage.needs <= fits and all(any(one.needs <= fits for one in step) for step in passage.steps)


def fitting(rows: Sequence[Template], fits: Collection[str]) -> Sequence[Template]:
    """List those that take nothing for granted of a thing that is not so; all where none is left."""
    if len(rows) == 1:
        return rows
    found = [one for one in rows if one.needs.issubset(fits)]
    return found or rows


def templates(rows: list[str]) -> tuple[Template, ...]:
    return tuple(template(row) for row in rows)


def prose(rows: list[str]) -> tuple[Template, ...]:
    """Each with other ways to say the same."""
    return tuple(template(varied(row)) for row in rows)


def read_passage(row: Mapping[str, Any]) -> ProsePassage:
    needs = frozenset(row.get("needs", ()))
    if strange := needs - TRAITS:
        raise ValueError(f"no sort has the trait {sorted(strange)[0]!r}")
    steps = _steps(row["say"])
    first = row["say"] if isinstance(row["say"], str) else ""
    asks = len(steps) > 1 and next(_sentences(first)).rstrip("}").endswith("?")
    return ProsePassage(steps, needs, prose(row.get("ask", [])), asks)


_ENDS = re.compile(r'[.?!]"? ')


def _steps(rows: str | list[str | list[str]]) -> tuple[tuple[Template, ...], ...]:
    """A paragraph as it stands, sentence by sentence, or in steps with alternatives."""
    if isinstance(rows, str):
        rows = list(_sentences(rows))
    return tuple(prose([step] if isinstance(step, str) else step) for step in rows)


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences that are not within a choice."""
    start = 0
    for end in _ENDS.finditer(text):
        before = text[start : end.end()]
        if before.count("{") == before.count("}") and before.count("[") == before.count("]"):
            yield before.strip()
            start = end.end()
    yield text[start:].strip()


def declared(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Whoever writes prose says of what it can be said; of everything, where nothing is needed."""
    if "needs" not in row:
        raise ValueError(f"no `needs`: {str(row.get('say') or row.get('ask'))[:80]!r}")
    return row
