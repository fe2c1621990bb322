"""Which time of several: `a third time in November 2018`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from drr.eval.checks.base import CheckTally, Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.layout import TextLine
from drr.eval.checks.person.history import History, Placed
from drr.eval.checks.person.named_days import NEGATED
from drr.wording.doubts import DOUBTS
from drr.wording.purchases import PURCHASES

_PLACES = {"second": 1, "third": 2, "fourth": 3, "fifth": 4, "sixth": 5, "last": -1}
_WHICH = re.compile(
    r"\b(?:a|the|for a|for the)[\s*_]{1,3}(?P<nth>second|third|fourth|fifth|sixth|last)[\s*_]{1,3}time[\s*_,]{1,3}(?:(?:was|in|on|around|during)[\s*_]{1,3}){0,2}(?:(?:early|late|mid)[\s-])?$",
    re.I,
)


class OrderedTimes:
    """Goes through paragraphs that speak of one thing only that the reader ordered several times."""

    def __init__(self, tally: CheckTally, cast: Cast, history: History) -> None:
        self._tally = tally
        self._cast = cast
        self._body = cast.body
        self._history = history

    def compare(self) -> None:
        if not self._history.whole:
            return
        for line in self._cast.lines:
            if line.kind in ("row", "head_row", "rule_row", "elision") or not PURCHASES.speaks(line.text):
                continue
            for span in self._cast.prose.sentences(line):
                self._sentence(span, line)

    def _sentence(self, span: Span, line: TextLine) -> None:
        text = self._body[slice(*span)]
        told = list(self._cast.prose.dates(*span))
        if not told or NEGATED.search(text) or DOUBTS.doubts(text).get("conditional"):
            return
        for when in told:
            which = _WHICH.search(self._body, max(span[0], when.start - 60), when.start)
            if which is None:
                continue
            orders = self._orders(line, when.start)
            place = _PLACES[which["nth"].casefold()]
            if len(orders) < 2 or place >= len(orders):
                continue
            days = sorted({one.order.order_date[:10] for one in orders})
            order = days[place] if place < len(days) else days[-1]
            if when.covers(order):
                self._tally.ok()
            else:
                why = f"said {self._body[when.start : when.end]}, that order of {len(orders)} was placed {order}"
                where = when.start, when.end
                self._tally.accuse("reckoned", where, why, Certainty.CLAUSE)

    def _orders(self, line: TextLine, before: int) -> Sequence[Placed]:
        """Of the one product that a paragraph has named by then, if it links it and nothing else of what was ordered."""
        places = self._cast.within(line.start, before)
        linked = {one for place in places if place.linked for one in place.products}
        named = {one for place in places for one in place.products}
        if len(linked) != 1 or self._history.of_products(named - linked):
            return []
        return self._history.of_products(linked)
