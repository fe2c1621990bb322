"""The statements of a text about a person, compared with what is true of that person. No judge is asked; only
words and the truth of the context count.

An attribute counts as *shown* where an item that expresses it is handed on as it was, and as *said* where a sentence has the words
that tell its statement from all others of the file. A statement that is said and is another person's only is false. Whoever says
the same in other words is not understood: both figures are lower bounds for memories that rephrase.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import NamedTuple

from drr.env.text import tokens
from drr.papers.pdr.checking import SINGLE
from drr.papers.pdr.context import ContextItem, ItemTruth
from drr.papers.pdr.person import Attribute, Person

COVERED = 0.75
"""Share of a statement's words, weighed by how rare they are among statements, that one sentence must have."""
SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_DENIES = frozenset({"not", "no", "never", "without", "neither", "stop", "former", "longer"})


class Remembered(NamedTuple):
    """The remembered parts of one text about one person. Attributes are by id, what is false is by its statement."""

    attributes: int
    stated: frozenset[str]
    shown: frozenset[str]
    false: tuple[str, ...]
    contradictions: tuple[str, ...]
    """False statements of another value, where a person has one of a kind."""

    @property
    def recall(self) -> float | None:
        return len(self.stated | self.shown) / self.attributes if self.attributes else None

    @property
    def precision(self) -> float | None:
        """`None` where nothing was said: silence is neither right nor wrong."""
        right = len(self.stated | self.shown)
        return right / (right + len(self.false)) if right or self.false else None


class Statements:
    """Every statement of a file of persons, and how to find them in a text."""

    def __init__(self, persons: Iterable[Person]) -> None:
        self._block = {a.statement: a.block for person in persons for a in person.attributes}
        self._words = {statement: frozenset(tokens(statement)) for statement in self._block}
        holding = Counter(word for words in self._words.values() for word in words)
        n = len(self._words)
        self._weight = {word: log(1 + n / count) for word, count in holding.items()}
        self._holders: dict[str, list[str]] = {}
        for statement, words in self._words.items():
            rarest = max(words, key=lambda word: (self._weight[word], word), default=None)
            if rarest is not None:
                self._holders.setdefault(rarest, []).append(statement)

    def remembered(
        self,
        text: str,
        attributes: Sequence[Attribute],
        items: Sequence[ContextItem] = (),
        truth: Mapping[str, ItemTruth] | None = None,
    ) -> Remembered:
        """`items` are those of the context that may stand in the text as they were, with what each expresses."""
        own = {attribute.statement: attribute for attribute in attributes}
        known = {attribute.id for attribute in attributes}
        handed = [item for item in items if item.text in text]
        for item in sorted(handed, key=lambda item: -len(item.text)):
            text = text.replace(item.text, "\n")
        shown = {id_ for item in handed for id_ in ((truth or {}).get(item.id) or _NOTHING).expresses}
        expressed = self.stated_in(text)
        false = tuple(sorted(expressed - own.keys()))
        return Remembered(
            len(attributes),
            frozenset(own[statement].id for statement in expressed & own.keys()),
            frozenset(shown & known),
            false,
            tuple(self.contradicting(false, attributes)),
        )

    def contradicting(self, false: Iterable[str], attributes: Sequence[Attribute]) -> list[str]:
        """List what is false because a person has only one of its kind, and the text names another."""
        blocks = {attribute.block for attribute in attributes} & SINGLE
        return [statement for statement in false if self._block[statement] in blocks]

    def stated_in(self, text: str) -> set[str]:
        """Sentences that deny something are left out: what they say of the person is not known to code."""
        found: set[str] = set()
        for sentence in SENTENCE.split(text):
            words = frozenset(tokens(sentence))
            if words & _DENIES:
                continue
            for word in words:
                found.update(s for s in self._holders.get(word, ()) if self._covered(s, words) >= COVERED)
        return found

    def _covered(self, statement: str, words: frozenset[str]) -> float:
        own = self._words[statement]
        whole = sum(self._weight[word] for word in own)
        return sum(self._weight[word] for word in own & words) / whole


_NOTHING = ItemTruth(id="none")
