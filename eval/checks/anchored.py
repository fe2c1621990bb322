"""Measures by the words beside them: what a report and a record both state of the same head (`range`, `service life`) must agree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from drr.env.entities import Product
from drr.eval.checks.base import CheckTally, Span
from drr.eval.checks.cast import Cast, Meant
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.measures import MeasureSaid, measures
from drr.eval.checks.naming import folded_words
from drr.eval.checks.residue import LASTING, Residue
from drr.wording.doubts import DoubtKind
from drr.wording.numbers import DIGITS, number

_STATEMENT_END = re.compile(r"[.;!?](?=\s|$)|\n")
_BETWEEN = re.compile(r",\s|[;(]\s?|\s(?:but|while|whereas|though|against|versus|than)\s")
_NEAR = 52
"""Characters on either side of a figure in which its head stands."""
_NO_HEADS = frozenset(
    folded_words(
        "the a an and with for of in to by from on at or this its it is are was be has have had that which up per each so only just not no you your one two "
        "will can may most least more less than over under about around between within inch inches foot feet pound pounds ounce ounces year years hour hours minute minutes day days "
        "long wide tall high deep large small product unit item model piece pieces pack count set size use used made come comes get gets hold holds holding rated rating "
        "last lasts weigh weighs take takes give gives every bought buy month months week weeks"
    )
)
"""Words that stand beside figures of every kind."""
_REACHING = re.compile(
    r"\b(?:over|above|more than|at least|under|below|less than|up to|within|as (?:much|many|long|little|few) as|minimum|maximum|most)[\s*_]{1,4}(?:the\s|an?\s)?$",
    re.I,
)
"""Before a figure: it is one that is not reached or is passed."""
_MINDED: tuple[DoubtKind, ...] = LASTING


class AnchoredMeasure(NamedTuple):
    """A measure, and the telling words beside it."""

    measure: MeasureSaid
    heads: frozenset[str]


def _statements(text: str) -> Iterator[Span]:
    low = 0
    for match in _STATEMENT_END.finditer(text):
        if match.start() > low:
            yield low, match.start()
        low = match.end()
    if low < len(text):
        yield low, len(text)


def _heads(
    text: str, low: int, high: int, one: MeasureSaid, others: Sequence[MeasureSaid], *, whole: bool
) -> frozenset[str]:
    """The words beside a measure, up to the next one."""
    low = max([low, one.start - _NEAR, *(each.end for each in others if each.end <= one.start)])
    high = min([high, one.end + _NEAR, *(each.start for each in others if each.start >= one.end)])
    before, behind = text[low : one.start], text[one.end : high]
    if not whole:
        before, behind = _BETWEEN.split(before)[-1], _BETWEEN.split(behind, maxsplit=1)[0]
    found = {*folded_words(before), *folded_words(behind)}
    return frozenset(word for word in found - _NO_HEADS if len(word) > 2 and not word[0].isdigit())


def anchored(
    text: str, low: int = 0, high: int | None = None, *, whole: bool = False
) -> Iterator[AnchoredMeasure]:
    """The measures of a stretch, statement by statement; of a record's a head may stand anywhere in its statement."""
    part = text[low:high]
    for start, end in _statements(part):
        here = list(measures(part, start, end))
        for one in here:
            heads = _heads(
                part, start, end, one, [each for each in here if each.start != one.start], whole=whole
            )
            moved = one._replace(start=one.start + low, end=one.end + low)
            yield AnchoredMeasure(moved, heads)


class RecordAnchors:
    """The measures of one record: of each head what it states."""

    def __init__(self, product: Product) -> None:
        self.product = product
        texts = [*product.features, *product.description]
        texts += [
            f"{key}: {value}"
            for key, value in product.details.items()
            if isinstance(value, str | int | float)
        ]
        title = frozenset(folded_words(product.title))
        self._found: list[AnchoredMeasure] = []
        self.all = list(measures(product.title))
        self.figures: set[float] = {number(match[0]) for match in _FIGURE.finditer(product.title)}
        for text in texts:
            self.figures |= {number(match[0]) for match in _FIGURE.finditer(text)}
            for one in anchored(text, whole=True):
                self.all.append(one.measure)
                self._found.append(AnchoredMeasure(one.measure, one.heads - title))

    @property
    def heads(self) -> frozenset[str]:
        """All words beside its measures."""
        return frozenset[str]().union(*(one.heads for one in self._found))

    def states(self, said: AnchoredMeasure, least: int) -> list[MeasureSaid]:
        """What the record has of the same kind beside so many of the words that are beside what is said."""
        alike = [
            (len(one.heads & said.heads), one.measure)
            for one in self._found
            if one.measure.kind == said.measure.kind and one.heads & said.heads
        ]
        most = max((count for count, _ in alike), default=0)
        return [one for count, one in alike if count == most >= least]

    def holds(self, said: MeasureSaid) -> bool:
        return said.value in self.figures or any(said.same(one) for one in self.all)


_FIGURE = re.compile(rf"(?<![\d.]){DIGITS}(?![\d.])")


@lru_cache(maxsize=256)
def record_anchors(product: Product) -> RecordAnchors:
    """Those of a record, read once for the readers that ask."""
    return RecordAnchors(product)


class AnchoredMeasures:
    """Goes through the sentences of a report; `asked` are the figures of the question."""

    def __init__(self, tally: CheckTally, cast: Cast, residue: Residue, asked: set[float]) -> None:
        self._tally = tally
        self._cast = cast
        self._residue = residue
        self._asked = asked

    def _records(self, product_id: str) -> RecordAnchors:
        return record_anchors(self._cast.products[product_id])

    def sentence(self, span: Span) -> None:
        for said in anchored(self._cast.body, *span):
            if said.heads and said.measure.value not in self._asked:
                self._compare(said, span)

    def _compare(self, said: AnchoredMeasure, span: Span) -> None:
        one = said.measure
        meant = self._cast.meant_at(one.start, one.end)
        if (
            not meant.products
            or not meant.products <= set(self._cast.products)
            or len(self._cast.products) > _MANY
        ):
            return
        named = self._cast.within(*span)
        if not meant.certain and (not named or any(not each.products <= meant.products for each in named)):
            return
        if any(self._records(key).holds(one) for key in self._cast.products):
            return
        reach = _REACHING.search(self._cast.body, max(span[0], one.start - 24), one.start)
        if reach is not None and not set(folded_words(reach[0])) & self._heads_of(meant):
            return
        least = 2 if meant.bound == Certainty.SCOPE else 1
        stated = {key: self._records(key).states(said, least) for key in meant.products}
        told = {key: found for key, found in stated.items() if found}
        if not told or (len(told) < len(meant.products) and not meant.certain):
            return
        if any(len({each.base for each in found}) > 1 for found in told.values()):
            return
        product_id, found = next(iter(told.items()))
        why = f"said {self._cast.body[one.start : one.end].strip()!r}, the record has {found[0].value:g} {found[0].unit} of the same ({product_id})"
        bound = max(meant.bound, Certainty.SENTENCE)
        self._tally.accuse("anchored", (one.start, one.end), why, bound, self._doubt(one, meant, span))

    def _heads_of(self, meant: Meant) -> frozenset[str]:
        return frozenset[str]().union(*(self._records(key).heads for key in meant.products))

    def _doubt(self, one: MeasureSaid, meant: Meant, span: Span) -> str | None:
        if not meant.certain and self._cast.names_a_stranger(span):
            return "its sentence names something that is not in play"
        return self._residue.doubt(span, _MINDED)


_MANY = 40
"""Products in play above which no figure is looked up in all of them."""
