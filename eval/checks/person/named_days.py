"""Days and months right beside the name of something that the reader ordered, as from an order book: `Lampwick shelf (2020-09-21)`."""

from __future__ import annotations

import re
from collections.abc import Collection

from drr.eval.checks.base import CheckTally, Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.makers import PlaceNamed
from drr.eval.checks.naming import folded_words
from drr.eval.checks.person.history import History, Placed, days_of
from drr.eval.checks.person.no_days import ends_of_spans
from drr.eval.checks.person.not_bought import would_be
from drr.wording.dates import When
from drr.wording.purchases import PURCHASES

_BESIDE = re.compile(
    r"(?:['’]s)?(?P<more>[\]*_\s\w-]{0,60}?)[\s*_]{0,3}(?:[(,:|–—-][\s*_]{0,3})?(?:(?:of|from|in|on|since|ordered|bought|purchased)[\s*_]{1,3}){0,2}(?:(?:late|early|mid)[\s-])?"
)
"""Between a name and its day: more words of the name, and what leads to a day."""
_LEADS_ON = re.compile(r"\s?[(:]\s?[*_]{0,3}(?:[\w-]{1,14}\s){0,4}[*_\[]{0,3}")
"""Between a day and the name behind it."""
NEGATED = re.compile(r"\b(?:no|not|never|nothing|none|without|neither|nobody)\b|n['’]t\b", re.I)
_FURTHEST = 90
_MARK_OF_A_DAY = re.compile(r"[\s*_(\[]{1,4}")
_ONE_MORE_DAY = re.compile(
    r"[\s*_)\]]{0,4}(?:,\s?(?:and\s)?|\sand\s)(?:(?:again|once more|in|on)\s){0,2}[*_]{0,3}", re.I
)
"""Around the mark of the first of two days: `tumblers in December 2020 [2] and July 2022`."""
_TELLING = 4
"""Letters of a word that tells something."""


class NamedDays:
    """Goes through sentences and items; accuses where the thing was ordered, but never then, and nothing else of its maker either."""

    def __init__(self, tally: CheckTally, cast: Cast, history: History) -> None:
        self._tally = tally
        self._cast = cast
        self._body = cast.body
        self._history = history

    def compare(self) -> None:
        if not self._history.whole:
            return
        for line in self._cast.lines:
            if line.kind in ("row", "head_row", "rule_row", "elision"):
                continue
            for span in self._cast.prose.sentences(line):
                if not NEGATED.search(self._body, *span):
                    self._sentence(span)

    def _sentence(self, span: Span) -> None:
        whens = self._cast.prose.dates(*span)
        ends = ends_of_spans(self._body, span, whens)
        for when in whens:
            if when.start in ends or when.month is None or self._history.is_ahead(when):
                continue
            if PURCHASES.is_else(self._body[max(span[0], when.start - 70) : when.start]):
                continue
            if would_be(self._body, span[0], when.start):
                continue
            place = self._name_behind(when, span) or self._name_before(when, span)
            ordered = self._ordered(place, span) if place is not None else []
            if ordered and place is not None:
                more = self._of_its_kind(place) if self._marks_another_day(place, when, whens) else []
                self._compare(when, [*ordered, *more])

    def _name_before(self, when: When, span: Span) -> PlaceNamed | None:
        """The last name before a day, where only a few words of its own stand between."""
        before = self._cast.within(max(span[0], when.start - _FURTHEST), when.start)
        if not before or before[-1].end > when.start:
            return None
        match = _BESIDE.fullmatch(self._body, before[-1].end, when.start)
        return before[-1] if match is not None and self._is_of_name(match["more"], before[-1]) else None

    def _is_of_name(self, more: str, place: PlaceNamed) -> bool:
        """Whether words behind a name are of its record, or measures."""
        named = (one for key in place.products if (one := self._cast.products.get(key)) is not None)
        known = {word for one in named for part in (one.title, *one.features) for word in folded_words(part)}
        return all(len(word) < _TELLING or word[0].isdigit() or word in known for word in folded_words(more))

    def _name_behind(self, when: When, span: Span) -> PlaceNamed | None:
        """The name that a bracket or a colon sets beside a day, as in a list of days."""
        behind = self._cast.within(when.end, min(span[1], when.end + _FURTHEST))
        if not behind or not _LEADS_ON.fullmatch(self._body, when.end, behind[0].start):
            return None
        return behind[0]

    def _ordered(self, place: PlaceNamed, span: Span) -> list[Placed]:
        """All orders of what is named, of anything else by its makers, and of what its sentence links."""
        found = self._history.of_products(place.products)
        if not found:
            return []
        makers = {one.product.store for one in found if one.product is not None and one.product.store}
        makers |= {self._body[place.start : place.end]}
        linked = {one for each in self._cast.within(*span) if each.linked for one in each.products}
        return [*found, *self._history.of_makers(makers), *self._history.of_products(linked)]

    def _marks_another_day(self, place: PlaceNamed, when: When, whens: Collection[When]) -> bool:
        """Whether what is named before a day only marks the day before that, in a list of days of one kind."""
        return _ONE_MORE_DAY.fullmatch(self._body, place.end, when.start) is not None and any(
            one.end <= place.start and _MARK_OF_A_DAY.fullmatch(self._body, one.end, place.start)
            for one in whens
        )

    def _of_its_kind(self, place: PlaceNamed) -> list[Placed]:
        """All orders of the narrowest category that what is named is of."""
        kinds = {
            one.product.categories[-1]
            for one in self._history.of_products(place.products)
            if one.product is not None and one.product.categories
        }
        return [one for one in self._history.orders if one.product and kinds & {*one.product.categories[-1:]}]

    def _compare(self, when: When, ordered: Collection[Placed]) -> None:
        gone = (one for one in self._history.on(when) if one.product is None)
        if any(when.covers(one.order.order_date) for one in ordered) or next(gone, None) is not None:
            self._tally.ok()
            return
        why = f"said {self._body[when.start : when.end]}, what is named beside it was ordered {days_of(ordered)}"
        self._tally.accuse("order_date", (when.start, when.end), why, Certainty.ADJOINED)
