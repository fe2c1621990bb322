"""A rival's value said of a product whose record has another: `P-5` of a shredder that is `P-4`, `lavender` of a salt that is eucalyptus."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from drr.env.entities import Product
from drr.eval.checks.base import CheckTally, Span, Subject
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.layout import TextLine
from drr.eval.checks.mentions import Mentions, is_in_name
from drr.eval.checks.naming import folded_words
from drr.eval.checks.residue import LASTING, residue_of
from drr.eval.checks.rival_values import (
    SaidValue,
    ValueWord,
    grade_letters,
    grades_of,
    may_be_called_so,
    record_words,
    rivals_of,
)
from drr.wording.attributes import ATTRIBUTES
from drr.wording.ratings import RATINGS

CLOSED_BEHIND = re.compile(
    r"[*_\"”]{0,3}(?:$|\s?[,.;:)\]/|–—\n]|\s(?:and|with|but|or|for|on|at|while|throughout|finish|colou?r|inside|outside|all)\b)",
    re.I,
)
"""Behind a value: nothing more is said of the thing that it is a property of."""
NEXT_WORD = re.compile(r"[\s*_-]{1,3}(?P<word>[A-Za-z]{3,20})\b")
LED_AWAY = re.compile(
    r"\b(?:not|no|never|without|instead of|than|unlike|rather|like|nor|neither|non|any|of your|your)[\s*_\"“-]{1,3}(?:an?\s|the\s)?$",
    re.I,
)
"""Before a value: it is what the thing is not, or another's."""
_MOST = 24
"""Products in play whose rivals are asked for."""


class OtherValues:
    """Reads the sentences and cells of a report one after the other."""

    def __init__(self, tally: CheckTally, subject: Subject, mentions: Mentions, cast: Cast) -> None:
        self._tally, self._cast = tally, cast
        self._mentions, self._plain = mentions, mentions.plain
        self._residue = residue_of(mentions)
        self._rivals = rivals_of(mentions)
        self._known = list(cast.products)[:_MOST]
        self._values: dict[str, dict[str, list[SaidValue]]] = {}
        self._grades: dict[str, dict[str, tuple[str, str]]] = {}

    def sentence(self, span: Span) -> None:
        words = self._rivals.words_in(span)
        for index, word in enumerate(words):
            if not self._may_be_said(word) or is_in_name(self._mentions, word.start):
                continue
            meant = self._cast.meant_at(word.start, word.end)
            product = self._cast.products.get(meant.only or "")
            if product is None or not meant.certain or meant.bound < Certainty.CLAUSE:
                continue
            clause = self._cast.prose.clause_at(word.start)
            for value, where in self._said(words, index, product):
                before = self._plain[max(span[0], where[0] - 24) : where[0]]
                if ATTRIBUTES.is_otherwise(self._plain[slice(*clause)]) or LED_AWAY.search(before):
                    continue
                if not self._is_closed(value, where, product, before) or self._is_a_siblings(
                    value, span, product
                ):
                    continue
                if self._residue.doubt(span, LASTING) is None and not stands_beside(
                    value.own, self._cast, self._plain, span
                ):
                    self._accuse(value, where, product, meant.bound)

    def row(self, line: TextLine) -> None:
        columns, owner = self._cast.by_columns(line), self._cast.row_owner(line)
        for column, cell in enumerate(line.cells):
            whose = self._cast.column_owner(line, column) if columns else owner
            product = self._cast.products.get(whose or "")
            if (
                product is None
                or (columns and not column)
                or ATTRIBUTES.is_otherwise(self._plain[slice(*cell)])
            ):
                continue
            if is_in_name(self._mentions, *cell):
                continue
            label = (
                self._plain[slice(*line.cells[0])] if columns else "".join(line.header[column : column + 1])
            )
            words = self._rivals.words_in(cell)
            for index in range(len(words)):
                for value, where in self._said(words, index, product):
                    if not set(folded_words(label)) & set(folded_words(f"{value.key} {value.own}")):
                        continue  # of a part, or of what else the column is about
                    if CLOSED_BEHIND.match(self._plain[where[1] : cell[1]].rstrip()):
                        self._accuse(value, where, product, Certainty.CELL)

    def _may_be_said(self, word: ValueWord) -> bool:
        if word.word in self._first_words:
            return True
        return grade_letters(self._plain[word.start : word.end]) in self._letters

    @cached_property
    def _first_words(self) -> frozenset[str]:
        """Of every value that a rival of anything in play has."""
        return frozenset(word for key in self._known for word in self._of(key))

    @cached_property
    def _letters(self) -> frozenset[str]:
        return frozenset(letters for key in self._known for letters in self._graded(key))

    def _of(self, key: str) -> dict[str, list[SaidValue]]:
        """The values of its rivals by their first word."""
        if key not in self._values:
            found = self._values[key] = {}
            for one in self._rivals.of(self._cast.products[key]):
                if not RATINGS.speaks(" ".join(one.words)):
                    found.setdefault(one.words[0], []).append(one)
        return self._values[key]

    def _graded(self, key: str) -> dict[str, tuple[str, str]]:
        if key not in self._grades:
            self._grades[key] = grades_of(self._cast.products[key])
        return self._grades[key]

    def _said(
        self, words: Sequence[ValueWord], index: int, product: Product
    ) -> Iterator[tuple[SaidValue, Span]]:
        first = words[index]
        for value in self._of(product.product_id).get(first.word, ()):
            some = words[index : index + len(value.words)]
            if tuple(one.word for one in some) == value.words:
                yield value, (first.start, some[-1].end)
                return
        written = self._plain[first.start : first.end]
        graded = self._graded(product.product_id).get(grade_letters(written) or "?")
        if graded is not None and first.word not in record_words(product):
            yield SaidValue(graded[0], (first.word,), graded[1]), (first.start, first.end)

    def _is_closed(self, value: SaidValue, where: Span, product: Product, before: str) -> bool:
        """Whether it is said of the thing itself, and begins no name of another (`a black one`)."""
        if CLOSED_BEHIND.match(self._plain, where[1]):
            return True
        behind = NEXT_WORD.match(self._plain, where[1])
        if behind is None:
            return False
        word = folded_words(behind["word"])[0]
        label = {part.removesuffix("ing") for part in folded_words(f"{value.key} {value.own}")}
        if word in label or word.removesuffix("ed") in label:
            return True
        named = folded_words(before)[-1:]  # the maker's name, and then what the thing is
        return (
            word in folded_words(product.title)
            and bool(named)
            and named[0] in folded_words(product.store or "")
        )

    def _is_a_siblings(self, value: SaidValue, span: Span, product: Product) -> bool:
        """Whether the same maker sells one of which it is true, and no link shows which of them is meant."""
        if any(one.linked and product.product_id in one.products for one in self._cast.within(*span)):
            return False
        return any(set(value.words) <= record_words(other) for other in self._cast.siblings(product))

    def _accuse(self, value: SaidValue, where: Span, product: Product, bound: Certainty) -> None:
        if may_be_called_so(value):
            return
        if any(one.span[0] < where[1] and where[0] < one.span[1] for one in self._tally.accused):
            return
        said = self._plain[slice(*where)]
        why = f"said {said!r}, the record says {value.own!r} of its {value.key.casefold()} ({product.product_id})"
        kind = "grade" if any(one.isdigit() for one in said) else "attribute"
        self._tally.accuse(kind, where, why, bound)


def compare_values(tally: CheckTally, subject: Subject, mentions: Mentions, cast: Cast) -> None:
    """Every word of the report that is a rival's value of what the record says otherwise."""
    values = OtherValues(tally, subject, mentions, cast)
    for line in mentions.layout.lines:
        if line.kind == "row":
            values.row(line)
        elif line.kind not in ("head_row", "rule_row", "elision"):
            for span in cast.prose.sentences(line):
                values.sentence(span)


def stands_beside(own: str, cast: Cast, plain: str, span: Span) -> bool:
    """Whether what a record says stands in the sentence as well, which names nothing else that could have it: the other is held against it (`P-5 beats P-3`)."""
    if len({key for one in cast.within(*span) for key in one.products}) > 1:
        return False
    return re.search(rf"(?<![\w-]){re.escape(own)}(?![\w-])", plain[slice(*span)], re.I) is not None
