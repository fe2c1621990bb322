"""Measures with the words beside them, as a report and a record state them: both may speak of the same head (`range`, `service life`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from drr.env.entities import Product
from drr.eval.checks.base import Span
from drr.eval.checks.measures import MeasureSaid, measures
from drr.eval.checks.naming import folded_words

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
        texts = [*product.features, *product.description]
        texts += [
            f"{key}: {value}"
            for key, value in product.details.items()
            if isinstance(value, str | int | float)
        ]
        title = frozenset(folded_words(product.title))
        self._found = [
            AnchoredMeasure(one.measure, one.heads - title)
            for text in texts
            for one in anchored(text, whole=True)
        ]

    def states(self, said: AnchoredMeasure, least: int) -> list[MeasureSaid]:
        """What the record has of the same kind beside so many of the words that are beside what is said."""
        alike = [
            (len(one.heads & said.heads), one.measure)
            for one in self._found
            if one.measure.kind == said.measure.kind and one.heads & said.heads
        ]
        most = max((count for count, _ in alike), default=0)
        return [one for count, one in alike if count == most >= least]


@lru_cache(maxsize=256)
def record_anchors(product: Product) -> RecordAnchors:
    """Those of a record, read once."""
    return RecordAnchors(product)
