"""The state of the one order that a sentence names by a link, and by its day where the thing was ordered more than once: `the [harness](...), ordered on March 10, 2021, is marked cancelled`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from drr.eval.checks.base import CheckTally, Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.person.history import History, Placed
from drr.wording.purchases import PURCHASES, StateSaid

_SAID = re.compile(
    r"\b(?:marked|listed|recorded|shown|shows?|status|is|was|still|currently|now|been)[\s*_:'\"“]{1,6}(?:(?:as|is|been|still|now|already|currently)\s){0,2}[*_'\"“]{0,3}$",
    re.I,
)
"""Before a state that an order is said to be in."""
_NOW = re.compile(r"\b(?:marked|listed|recorded|shown|shows?|status|still|currently|now)\b", re.I)
_GOES_ON = re.compile(r"[\s*_]{1,3}(?:to|by|with|for|from|in|within|if|unless|free)\b", re.I)
"""Behind a state: it is said of how things are sent, not of what became of one."""
_DOUBTED = re.compile(
    r"\b(?:if|unless|would|will|could|can|should|might|may|until|once|no|not|none|never|neither|nor|another|other|than|instead)\b|n['’]t\b|\?|[\"“]",
    re.I,
)
_ORDERED = re.compile(r"\b(?:order|ordered|orders|bought|purchased?|placed)\b", re.I)
_BEFORE = 40


class OrderStates:
    """Goes through the sentences of one report."""

    def __init__(self, tally: CheckTally, cast: Cast, history: History) -> None:
        self._tally, self._history = tally, history
        self._cast, self._body = cast, cast.body

    def compare(self) -> None:
        for line in self._cast.lines:
            if line.kind in ("row", "head_row", "rule_row", "elision"):
                continue
            for span in self._cast.prose.sentences(line):
                states = list(PURCHASES.states(self._body[slice(*span)]))
                if len({one.state for one in states}) == 1 and not _DOUBTED.search(self._unnamed(span)):
                    self._compare(states[0], span, self._orders(span))

    def _unnamed(self, span: Span) -> str:
        """A sentence without the names in it: a harness may be a `No-Pull` one."""
        text, end = "", span[0]
        for place in sorted(self._cast.within(*span)):
            text += self._body[end : max(end, place.start)] + " "
            end = max(end, place.end)
        return text + self._body[end : span[1]]

    def _orders(self, span: Span) -> Sequence[Placed]:
        """The orders that a sentence can only mean: of the one thing that it links, on its one day."""
        places = self._cast.within(*span)
        linked = {one for place in places if place.linked for one in place.products}
        if len(linked) != 1 or not _ORDERED.search(self._body, *span) or not self._history.whole:
            return ()
        days = [one for one in self._cast.prose.dates(*span) if one.day is not None]
        orders = self._history.of_products(linked)
        if len(days) > 1:
            return ()
        return [one for one in orders if days[0].covers(one.order.order_date)] if days else orders

    def _compare(self, said: StateSaid, span: Span, orders: Sequence[Placed]) -> None:
        start, end = span[0] + said.start, span[0] + said.end
        before = self._body[max(span[0], start - _BEFORE) : start]
        are = {one.order.order_status for one in orders}
        if not are or not _SAID.search(before) or _GOES_ON.match(self._body, end, span[1]):
            return
        gone_before = said.state in ("Shipped", "Delivered") and not _NOW.search(before)
        if said.state in are or (gone_before and are & {"Delivered", "Returned"}):
            return  # what was delivered was shipped first
        why = f"said to be {said.state.casefold()}, is {', '.join(sorted(are))}"
        self._tally.accuse("order_state", (start, end), why, Certainty.CLAUSE)
