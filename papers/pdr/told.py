"""The things about a person that a report mentions to its reader, by words alone. They are the attributes it
speaks of, and those it gets wrong.

An attribute is *told* where a sentence that tells the reader of the reader's own affairs has the words that tell its value from
every other of the block ("your dog"), or where any sentence has its statement. Whose words stand in the question is undecided: a
report may have them from there. Who takes an attribute to heart and names none of its words is not understood, so that what is told is a
lower bound; wrong is only another person's whole statement.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from drr.env.text import tokens
from drr.env.themes import BY_KEY
from drr.papers.pdr.memory.truth import COVERED, SENTENCE, Statements
from drr.papers.pdr.person import Attribute, Person
from drr.papers.pdr.records import spoken_theme
from drr.papers.pdr.words import invented_traits
from drr.wording.addressing import tells_reader
from drr.wording.vocabulary import vocabulary

_WHOLE = frozenset({"brands", "goods", "replenishment", "rhythm", "price_level", "returns"})
"""Blocks whose words stand in any good report of a shop: a brand, a kind of product, a price. Only the whole statement tells them."""
_ALONE = frozenset({"place", "pets", "children"})
"""Blocks in which one word will do: "your dog". Elsewhere one is too common: "your order" is no interest in order at home."""
_MARKUP = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)|[*_`#>|]+")


class ToldOfReader(NamedTuple):
    """The findings on one report about one person. Attributes are by id, what is wrong is by its statement."""

    decided: frozenset[str]
    """Attributes of which the question says nothing."""
    told: frozenset[str]
    """Of these."""
    stated: frozenset[str]
    """Of these, by the whole statement: as strictly as what is wrong is found."""
    wrong: tuple[str, ...]
    contradictions: tuple[str, ...]

    def recall(self, of: frozenset[str]) -> float | None:
        """Return the recall of those attributes that are decided; `None` where there are none."""
        known = self.decided & of
        return len(self.told & of) / len(known) if known else None

    @property
    def precision(self) -> float | None:
        """`None` where nothing was stated."""
        said = len(self.stated) + len(self.wrong)
        return len(self.stated) / said if said else None


class ReaderStatements:
    """Every statement of a file of persons, and how to find them in reports."""

    def __init__(self, persons: Iterable[Person]) -> None:
        every = list(persons)
        self._statements = Statements(every)
        by_block: dict[str, set[str]] = {block: set(values) for block, values in _known().items()}
        for person in every:
            for one in person.attributes:
                by_block.setdefault(one.block, set()).add(one.statement)
        self._holding = {
            block: Counter(word for statement in statements for word in _words(statement))
            for block, statements in by_block.items()
        }

    def told(self, report: str, question: str, attributes: Sequence[Attribute]) -> ToldOfReader:
        text = _MARKUP.sub(lambda match: match[1] or " ", report)
        asked = frozenset(tokens(question))
        telling = {one.id: self.telling(one) for one in attributes}
        decided = frozenset(
            key for key, ways in telling.items() if asked.isdisjoint(frozenset().union(*ways))
        )
        own = {one.statement: one.id for one in attributes}
        said, to_reader = self._statements.said(text), _to_reader(text)
        stated = frozenset(own[statement] for statement in said & own.keys()) & decided
        named = {
            one.id
            for one in attributes
            if any(_covered(way, words) for way in _by_name(one, telling[one.id]) for words in to_reader)
        }
        undecided = {statement for statement in said if not asked.isdisjoint(_words(statement))}
        wrong = tuple(sorted(said - own.keys() - undecided))
        return ToldOfReader(
            decided,
            stated | (named & decided),
            stated,
            wrong,
            tuple(self._statements.contradicting(wrong, attributes)),
        )

    def telling(self, attribute: Attribute) -> list[frozenset[str]]:
        """List the words that reveal it, any of these sets. They are of a name that it bears, else what no
        other statement of its block has."""
        if attribute.names:
            return [frozenset(tokens(name)) for name in attribute.names]
        words, holding = _words(attribute.statement), self._holding.get(attribute.block, Counter())
        least = min((holding[word] for word in words), default=0)
        return [frozenset(word for word in words if holding[word] == least)]


def _by_name(attribute: Attribute, ways: Sequence[frozenset[str]]) -> list[frozenset[str]]:
    """List those of its revealing words by which it may be known without the rest of the statement."""
    if attribute.block in _WHOLE:
        return []
    return [way for way in ways if len(way) > 1 or attribute.block in _ALONE]


def _words(statement: str) -> frozenset[str]:
    return frozenset(tokens(statement)) - _FUNCTION


def _covered(telling: frozenset[str], words: frozenset[str]) -> bool:
    return bool(telling) and len(telling & words) >= COVERED * len(telling)


def _to_reader(text: str) -> list[frozenset[str]]:
    return [frozenset(tokens(one)) for one in SENTENCE.split(text) if tells_reader(one)]


_FUNCTION = frozenset(word for one in vocabulary("shopping")["function_words"] for word in tokens(one))


@cache
def _known() -> dict[str, frozenset[str]]:
    """Statements by block that rules may make of anybody: a small file of persons has few of them."""
    found: dict[str, set[str]] = {}
    for theme in BY_KEY:
        block, _, statement = spoken_theme(theme)
        found.setdefault(block, set()).add(statement)
    for block, values in invented_traits().items():
        found[block] = {texts.statement for texts in values.values() if texts.statement}
    return {block: frozenset(statements) for block, statements in found.items()}
