"""A word for what a thing is like that nothing in sight is: a rival's value, of an attribute that whatever may be meant has another of.

Whose the value is said to be is not asked: it is wrong only if all that its sentence may be about have another value of that attribute, of those which
exclude each other in the catalogue, and neither the question nor any record of what is named near it has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from drr.env.entities import Product
from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.cast import cast_of
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.layout import TextLine
from drr.eval.checks.mentions import Mentions, is_in_name
from drr.eval.checks.naming import folded_words
from drr.eval.checks.residue import LASTING, residue_of
from drr.eval.checks.rival_values import (
    RivalValues,
    SaidValue,
    ValueWord,
    may_be_called_so,
    record_words,
    rivals_of,
    value_words,
)
from drr.wording.attributes import ATTRIBUTES
from drr.wording.ratings import RATINGS

_MOST = 24
"""Products of a report whose rivals are looked up."""
_MANY = 60
_BEFORE, _BEHIND = 700, 200
"""Characters around a sentence in which what is named may be meant."""
_CLOSE = 24
_CLOSED = re.compile(
    r"[*_\"”]{0,3}(?:$|\s?[,.;:)\]/|–—\n]|\s(?:and|with|but|or|for|on|at|while|throughout|finish|colou?r|inside|outside|all)\b)",
    re.I,
)
"""Behind a value: nothing more is said of the thing that it is a property of."""
_NEXT = re.compile(r"[\s*_-]{1,3}(?P<word>[A-Za-z]{3,20})")
_OF_NOTHING = re.compile(
    r"\b(?:you|your|we|i|my|me|us|people|often|usually|called|mistake|guides?|things?)\b|n['’]t\b", re.I
)
"""A sentence that names nothing and speaks of the world."""
_THE_ONE = re.compile(r"[\s*_]{1,3}(?:ones?|people|folks|lovers)\b", re.I)
"""`the beige one`: the value stands for a name."""


def values_of_no_one(mentions: Mentions) -> Iterator[Accusation]:
    """Values that nothing in sight has."""
    yield from islice(_NoOnes(mentions).found(), _MANY)


class _NoOnes:
    def __init__(self, mentions: Mentions) -> None:
        self._mentions, self._plain = mentions, mentions.plain
        self._cast = cast_of(mentions.subject, mentions)
        self._residue = residue_of(mentions)
        self._rivals = rivals_of(mentions)
        self._values = self._of_rivals(self._rivals)
        self._firsts: dict[str, set[tuple[str, ...]]] = {}
        for own in self._values.values():
            for words in own:
                self._firsts.setdefault(words[0], set()).add(words)
        self._records: dict[str, Product] = {**self._cast.possible, **self._cast.products}
        self._asked = {one.word for one in value_words(mentions.subject.query or "")}

    def _of_rivals(self, rivals: RivalValues) -> dict[str, dict[tuple[str, ...], SaidValue]]:
        return {
            key: {one.words: one for one in rivals.of(product) if not RATINGS.speaks(" ".join(one.words))}
            for key, product in list(self._cast.products.items())[:_MOST]
        }

    def found(self) -> Iterator[Accusation]:
        if not self._firsts:
            return
        for line, span in self._cast.prose.running():
            yield from self._sentence(line, span)

    def _sentence(self, line: TextLine, span: Span) -> Iterator[Accusation]:
        words = self._rivals.words_in(span)
        for phrase, where in self._said(words):
            if is_in_name(self._mentions, where[0]):
                continue
            whom = self._whom(where, line, span)
            if not whom or any(phrase not in self._values.get(key, ()) for key in whom):
                continue
            value = self._values[min(whom)][phrase]
            if self._is_read(where, span) and self._is_closed(where, whom, value):
                if may_be_called_so(value) or any(
                    set(phrase) <= self._words_of(key) for key in self._near(whom, span)
                ):
                    continue
                why = f"said {self._plain[slice(*where)]!r}, which nothing in sight is: the record says {value.own!r} of its {value.key.casefold()} ({min(whom)})"
                yield Accusation("nowhere", where, why, Certainty.SENTENCE)

    def _said(self, words: Sequence[ValueWord]) -> Iterator[tuple[tuple[str, ...], Span]]:
        for index, first in enumerate(words):
            for phrase in sorted(self._firsts.get(first.word, ())):
                some = words[index : index + len(phrase)]
                if tuple(one.word for one in some) == phrase and not set(phrase) & self._asked:
                    yield phrase, (first.start, some[-1].end)

    def _whom(self, where: Span, line: TextLine, span: Span) -> frozenset[str]:
        """All that it may be said of: what is named before it, or right behind it; else whom the cast gives."""
        places, meant = self._cast.within(*span), self._cast.meant_at(*where).products
        before = [one for one in places if one.end <= where[0]]
        if before:
            return meant.union(*(one.products for one in before))
        if places:
            behind = [one for one in places if 0 <= one.start - where[1] <= _CLOSE][:1]
            return meant.union(*(one.products for one in behind)) if behind else frozenset()
        if _OF_NOTHING.search(self._plain, *span) or self._residue.cites_the_web((line.start, line.end)):
            return frozenset()
        return meant

    def _is_read(self, where: Span, span: Span) -> bool:
        clause = self._cast.prose.clause_at(where[0])
        if ATTRIBUTES.is_otherwise(self._plain[max(span[0], clause[0] - 8) : clause[1]]):
            return False
        if self._residue.cites_the_web(span) or self._residue.doubt(span, LASTING):
            return False
        parts = ((span[0], where[0]), (where[1], span[1]))
        return _THE_ONE.match(self._plain, where[1]) is None and not any(
            map(self._cast.names_a_stranger, parts)
        )

    def _is_closed(self, where: Span, whom: Iterable[str], value: SaidValue) -> bool:
        """Whether it is said of the thing itself, and not of another thing that it begins the name of."""
        if _CLOSED.match(self._plain, where[1]):
            return True
        behind = _NEXT.match(self._plain, where[1])
        if behind is None:
            return True
        word = folded_words(behind["word"])[0]
        label = {part.removesuffix("ing") for part in folded_words(f"{value.key} {value.own}")}
        return bool({word, word.removesuffix("ed")} & label) or any(
            word in folded_words(self._cast.products[key].title) for key in whom
        )

    def _near(self, whom: frozenset[str], span: Span) -> set[str]:
        """Whatever is named near, where nothing is linked all that its makers sell, and where nothing is named all that is in play."""
        places = self._cast.within(max(0, span[0] - _BEFORE), span[1] + _BEHIND)
        near = {*whom, *self._cast.possible, *(key for one in places for key in one.products)}
        here = self._cast.within(*span)
        if not any(one.linked for one in here):
            siblings = [one for key in whom for one in self._cast.siblings(self._cast.products[key])]
            self._records |= {one.product_id: one for one in siblings if one.product_id not in self._records}
            near |= {one.product_id for one in siblings}
        return near if here else near | self._cast.products.keys()

    def _words_of(self, key: str) -> frozenset[str]:
        return record_words(self._records[key]) if key in self._records else frozenset()
