"""Whether a total tells what the reader's orders of before come to: it is then no plan's, and breaks no limit."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from drr.eval.checks.base import Span
from drr.eval.checks.cast import cast_of
from drr.eval.checks.layout import TextLine
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.person.history import Placed, history_of

_MADE = re.compile(
    r"\b(?:orders|purchases|history|(?:bought|ordered|purchased|spent)(?!\s(?:together|as a (?:pair|set))))\b",
    re.I,
)
"""Of what was ordered before: `eight orders`, `you bought`."""
_AHEAD = re.compile(
    r"\b(?:plans?|baskets?|carts?|bundles?|bill|re-?orders?|re-?ordering|restock\w*|repeat|replenish|renew|suggest\w*|recommend\w*|propos\w+|picks?|ideas?|"
    r"i(?:['’]d|\swould)|you(?:['’]d|\s(?:would|could|can|might|may|should))|would|buy(?:ing)?|take|choose|order\s(?:both|the|these|them|all|one|two)|next order|new order|shopping list|to get|add(?:ing|ed)?)\b",
    re.I,
)
"""Of what is to be ordered yet."""
_RESTOCKS = re.compile(
    r"\b(?:re-?order\w*|re-?stock\w*|replenish\w*|repeat\w*|renew\w*|again|refill\w*|re-?buy\w*|top\sup)\b",
    re.I,
)
"""A question whose plan may be of what was ordered before."""
_CENT = 0.006
_MOST_SUMS = 40_000
"""Sums of some orders that are looked at; of more, any amount would be one."""


class PastOrders:
    """The orders of a report's reader, and what any of them come to at the prices of today."""

    def __init__(self, mentions: Mentions) -> None:
        self._mentions = mentions
        history = history_of(mentions)
        self._placed = [] if history is None else [one for one in history.orders if _price(one) is not None]
        self._cast = cast_of(mentions.subject, mentions)

    @cached_property
    def _offers_others(self) -> bool:
        """Whether the report links what was never ordered, and the question asks for nothing again: its plan is then of that."""
        subject = self._mentions.subject
        if _RESTOCKS.search(subject.query or ""):
            return False
        ordered = {one.order.product_id for one in self._placed}
        linked = {one.product_id for one in self._mentions.references} - ordered
        return any(one.price is not None for one in subject.products(sorted(linked)))

    def come_to(self, value: float, span: Span) -> bool:
        """Whether an amount is such a sum, where its sentence speaks of orders, or its section does and it is that of all orders of a kind or of what is named there."""
        if len(self._placed) < 2:
            return False
        lines = self._mentions.layout.lines
        index = max(bisect_right(self._mentions.layout.starts, span[0]) - 1, 0)
        sentence = self._sentence(lines[index], span[0])
        head = lines[self._mentions.layout.opened_by[index]]
        own_head = head if head.kind in ("heading", "title") else None
        ahead = _AHEAD.search(self._mentions.plain, *sentence) is not None
        if ahead or (own_head is not None and _AHEAD.search(own_head.text)):
            return False
        if _MADE.search(self._mentions.plain, *sentence):
            return any(abs(value * 100 - cents) < 1 for cents in self._any)
        low, high = self._mentions.layout.section_of(index)
        section = lines[low].start, lines[high - 1].end
        if not self._offers_others or not _MADE.search(self._mentions.plain, *section):
            return False
        some = (*self._of_a_kind, *self._named(sentence), *self._named((section[0], span[1])))
        return any(abs(value - one) < _CENT for one in some)

    def _sentence(self, line: TextLine, place: int) -> Span:
        if line.cells:
            return line.start, line.end
        beside = (one for one in self._mentions.sentences(line) if one[0] <= place < one[1])
        return next(beside, (line.start, line.end))

    def _named(self, span: Span) -> Iterator[float]:
        """What the orders come to of all that a stretch names, each as often as it was ordered or once."""
        named = {key for one in self._cast.within(*span) for key in one.products}
        placed = [one for one in self._placed if one.order.product_id in named]
        once = {one.order.product_id: one for one in placed}
        yield from _sums(placed)
        yield from _sums([*once.values()])

    @cached_property
    def _of_a_kind(self) -> Sequence[float]:
        """What all orders come to, and those of each year, category, kind and maker."""
        groups: dict[str, list[Placed]] = {}
        for one in self._placed:
            for name in _names(one):
                groups.setdefault(name, []).append(one)
        return [whole for some in groups.values() for whole in _sums(some)]

    @cached_property
    def _any(self) -> frozenset[int]:
        """In cents, what any two orders or more come to; of very many, those of a kind alone."""
        found = {round(100 * one) for one in self._of_a_kind}
        several: set[int] = set()
        every: set[int] = {0}
        for cents in (round(100 * (_price(one) or 0.0)) for one in self._placed):
            if len(every) > _MOST_SUMS:
                return frozenset(found)
            several |= {cents + one for one in every if one}
            every |= {cents + one for one in every}
        return frozenset(found | several)


def _names(one: Placed) -> Iterable[str]:
    """What an order is counted under."""
    product = one.product
    assert product is not None
    steps = {product.category, product.main_category or "", product.store or "", *product.categories}
    return ("", *sorted(steps - {""}), one.order.order_date[:4])


def _sums(some: Sequence[Placed]) -> Iterator[float]:
    if len(some) < 2:
        return
    yield sum(_price(one) or 0.0 for one in some)
    yield sum((_price(one) or 0.0) * one.order.quantity for one in some)


def _price(one: Placed) -> float | None:
    return None if one.product is None else one.product.price
