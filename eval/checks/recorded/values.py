"""Words for what a thing is like that its record has another of, each with all that speaks for another meaning."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from drr.eval.checks.base import Span
from drr.eval.checks.layout import TextLine
from drr.eval.checks.mentions import is_in_name
from drr.eval.checks.naming import folded_words
from drr.eval.checks.other_values import CLOSED_BEHIND, LED_AWAY, NEXT_WORD, stands_beside
from drr.eval.checks.recorded.around import traits_around
from drr.eval.checks.recorded.owners import StatedOtherwise, StatementOwners, Whose
from drr.eval.checks.rival_values import (
    SaidValue,
    ValueWord,
    grade_letters,
    grades_of,
    may_be_called_so,
    record_words,
    rivals_of,
    value_words,
)
from drr.wording.attributes import ATTRIBUTES
from drr.wording.ratings import RATINGS

_MOST, _MANY, _FEW = 160, 24, 40
_BEFORE, _BACK = 24, 60
_SHORT = 2
_KEYS = ("color", "material", "scent", "style", "power", "shape", "finish", "flavor")
_PREDICATE = re.compile(
    r"\b(?:is|are|in|of|from|comes\sin|made\s(?:of|from|in))[\s*_]{1,3}(?:an?\s)?$|[:,(][\s*_]{0,3}$", re.I
)
_PART = re.compile(r"\b(?:its|the|with|an?|their|this|that)\s(?P<noun>[a-z][a-z-]{2,20})\b")


class ValueCandidates:
    def __init__(self, owners: StatementOwners) -> None:
        self._owners, self._text, self._cast = owners, owners.text, owners.cast
        self._rivals = rivals_of(owners.mentions)
        self._values: dict[str, dict[tuple[str, ...], SaidValue]] = {}
        self._grades: dict[str, dict[str, tuple[str, str]]] = {}
        for key, product in list(self._cast.products.items())[:_MANY]:
            self._values[key] = {
                one.words: one
                for one in self._rivals.wider_of(product)
                if not RATINGS.speaks(" ".join(one.words))
            }
            self._grades[key] = grades_of(product)
        self._excluding = {
            (key, one.words)
            for key, product in list(self._cast.products.items())[:_MANY]
            for one in self._rivals.of(product)
        }
        self._learn_classes()
        self._firsts: dict[str, set[tuple[str, ...]]] = {}
        for own in self._values.values():
            for words in own:
                self._firsts.setdefault(words[0], set()).add(words)
        self._letters = {letters for found in self._grades.values() for letters in found}
        self._asked = {one.word for one in value_words(owners.mentions.subject.query or "")}

    def _learn_classes(self) -> None:
        """Words of a closed class that the text says, of things whose record has another of the class."""
        for said in ATTRIBUTES.said(self._text):
            phrase = tuple(one.word for one in value_words(said.word))
            for key, values in self._values.items():
                details = self._owners.products[key].details
                for field in ATTRIBUTES.fields[said.group]:
                    own = details.get(field)
                    if isinstance(own, str) and not set(phrase) <= self._words_of(key):
                        values.setdefault(phrase, SaidValue(field, phrase, own))

    def found(self) -> Iterator[StatedOtherwise]:
        yield from islice(self._every(), _MOST)

    def _every(self) -> Iterator[StatedOtherwise]:
        for line, span in self._owners.places():
            if span is None:
                yield from self._row(line)
                continue
            for phrase, where in self._said(self._rivals.words_in(span)):
                whose = self._owners.of(where, span)
                if whose is not None:
                    yield from self._one(phrase, where, whose, span, line, None)

    def _row(self, line: TextLine) -> Iterator[StatedOtherwise]:
        for cell, bound, label in self._owners.cells(line):
            for phrase, where in self._said(self._rivals.words_in(cell)):
                yield from self._one(phrase, where, bound, (line.start, line.end), line, cell, label)

    def _said(self, words: Sequence[ValueWord]) -> Iterator[tuple[tuple[str, ...], Span]]:
        for index, first in enumerate(words):
            longest = sorted(self._firsts.get(first.word, ()), key=len, reverse=True)
            some = next(
                (one for one in longest if tuple(w.word for w in words[index : index + len(one)]) == one),
                None,
            )
            if some is None and grade_letters(self._text[first.start : first.end]) in self._letters:
                some = (first.word,)
            if some is not None and not is_in_name(self._owners.mentions, first.start):
                yield some, (first.start, words[index + len(some) - 1].end)

    def _value(self, key: str, phrase: tuple[str, ...], where: Span) -> SaidValue | None:
        if phrase in self._values.get(key, ()):
            return self._values[key][phrase]
        graded = self._grades.get(key, {}).get(grade_letters(self._text[slice(*where)]) or "?")
        if graded is not None and phrase[0] not in self._words_of(key):
            return SaidValue(graded[0], phrase, graded[1])
        return None

    def _one(
        self,
        phrase: tuple[str, ...],
        where: Span,
        whose: Whose,
        span: Span,
        line: TextLine,
        cell: Span | None,
        label: str = "",
    ) -> Iterator[StatedOtherwise]:
        whom = whose.whom
        if not whom or len(whom) > 4:
            return
        values = [self._value(key, phrase, where) for key in sorted(whom)]
        known = [one for one in values if one is not None]
        if len(known) < len(values) or not known:
            return
        value, text = known[0], self._text
        traits = dict.fromkeys(["start", f"bound_by_{whose.bound}", *whose.traits], 1.0)
        marks = self._marks_of_place(where, whom, span, cell, known) | self._marks_of_words(
            phrase, value, whom
        )
        marks["labelled"] = bool({*folded_words(label)} & {*folded_words(value.key)})
        own = {word for one in known for word in folded_words(f"{one.key} {one.own}")}
        marks["unlabelled"] = cell is not None and not {*folded_words(label)} & own
        marks["capital"] = text[where[0]].isupper()
        marks["own_beside"] = cell is None and stands_beside(value.own, self._cast, text, span)
        traits |= {name: 1.0 for name, is_so in marks.items() if is_so}
        traits |= dict.fromkeys(traits_around(self._owners.mentions, self._cast, where, row=cell), 1.0)
        traits |= self._explained(phrase, where, whose, span, value)
        traits |= dict(self._owners.beside(where, whom, span))
        why = f"said {text[slice(*where)]!r}, the record says {value.own!r} of its {value.key.casefold()} ({min(whom)})"
        yield StatedOtherwise("value", where, why, traits)

    def _marks_of_place(
        self, where: Span, whom: frozenset[str], span: Span, cell: Span | None, known: Sequence[SaidValue]
    ) -> dict[str, bool]:
        """What stands right before and behind it."""
        text, before = self._text, self._text[max(span[0], where[0] - _BEFORE) : where[0]]
        behind = NEXT_WORD.match(text, where[1])
        next_word = folded_words(behind["word"])[0] if behind else ""
        own = {word for one in known for word in folded_words(f"{one.key} {one.own}")}
        titles = {w for key in whom for w in folded_words(self._owners.products[key].title)}
        parts = list(_PART.finditer(text, max(span[0], where[0] - _BACK), where[0]))
        closed = CLOSED_BEHIND.match(text, where[1]) is not None
        clause = cell or self._cast.prose.clause_at(where[0])
        return {
            "closed": closed,
            "next_is_label": next_word in own,
            "next_is_title": next_word in titles,
            "next_is_else": bool(next_word) and next_word not in own | titles and not closed,
            "led": LED_AWAY.search(before) is not None,
            "predicate": _PREDICATE.search(before) is not None,
            "of_a_part": any(folded_words(m["noun"])[0] not in titles for m in parts),
            "label_in_sentence": bool({*folded_words(text[slice(*span)])} & {*folded_words(known[0].key)}),
            "otherwise": ATTRIBUTES.is_otherwise(text[slice(*clause)]),
        }

    def _marks_of_words(
        self, phrase: tuple[str, ...], value: SaidValue, whom: frozenset[str]
    ) -> dict[str, bool]:
        """What kind of value it is."""
        keys = {f"key_{name}": name in value.key.casefold() for name in _KEYS}
        return keys | {
            "general": may_be_called_so(value),
            "of_class": any(True for _ in ATTRIBUTES.said(" ".join(phrase))),
            "excluding": any((key, phrase) in self._excluding for key in whom),
            "in_part": any(set(phrase) & self._words_of(key) for key in whom),
            "grade": any(ch.isdigit() for ch in phrase[0]),
            "words_2": len(phrase) > 1,
            "own_short": len(value.own.split()) <= _SHORT,
            "own_long": len(value.own.split()) > 2 * _SHORT,
            "several": len(whom) > 1,
        }

    def _explained(
        self, phrase: tuple[str, ...], where: Span, whose: Whose, span: Span, value: SaidValue
    ) -> dict[str, float]:
        owners, words = self._owners, set(phrase)
        here = owners.near(span) - whose.whom
        text = set(self._cast.products) - whose.whom - here
        near_own = {one.word for one in value_words(value.own)}
        said_here = {one.word for one in self._rivals.words_in(span) if not where[0] <= one.start < where[1]}
        group = "cell" if whose.bound == "cell" else "near" if "in_clause" in whose.traits else "loose"
        wider = sorted((owners.siblings(whose.whom) | set(self._cast.possible)) - whose.whom)[:_FEW]
        marks = {
            "of_one_here": any(words <= self._words_of(key) for key in here),
            "of_one_in_text": any(words <= self._words_of(key) for key in text),
            "of_a_sibling": any(words <= self._words_of(key) for key in wider),
            "asked_for": bool(words & self._asked),
            "own_said_here": bool(near_own & said_here),
        }
        found: dict[str, float] = {}
        for name, is_so in marks.items():
            if is_so:
                found[name] = found[f"{name}_{group}"] = 1.0
        found["crowded"] = min(1.0, len(self._cast.products) / 20)
        return found

    def _words_of(self, key: str) -> frozenset[str]:
        return record_words(self._owners.products[key])
