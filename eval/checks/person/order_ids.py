"""The orders that a report names, by number or by address."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache

from drr.eval.checks.base import Span, Subject
from drr.eval.checks.mentions import Mentions

USER_URL = re.compile(
    r"user://(?P<user>[^/\s)\]>]+)(?:/orders/(?P<order>[^/\s)\]>,.;#?*]*[^/\s)\]>,.;#?*_]))?"
)
_ORDER_ID = re.compile(
    r"(?<![\w.$/-])\d{16}(?![\w-])|\border(?:\s+(?:id|number|no\.?|#))*\s*+(?:[:#]\s*+)?\[?(?P<n>\d{6,20})(?![\d,.]*\d)",
    re.I,
)


_DIGITS = 16
"""Of every order's number."""


def order_ids(subject: Subject) -> list[tuple[str, Span]]:
    """With the zeros at the head that whoever reads a number as a number leaves out."""
    found = [(_whole(subject, order_id), span) for order_id, span in _written(subject.citations.body)]
    for source in subject.citations.sources:
        match = USER_URL.match(source.url)
        if match and match["order"]:
            for span in source.inline_spans or source.list_spans or [(0, 0)]:
                found.append((match["order"], span))
    return found


def _whole(subject: Subject, written: str) -> str:
    if len(written) >= _DIGITS or subject.shop is None or subject.shop.store.order(written) is not None:
        return written
    whole = written.zfill(_DIGITS)
    return written if subject.shop.store.order(whole) is None else whole


@lru_cache(maxsize=4)
def _written(body: str) -> tuple[tuple[str, Span], ...]:
    """The numbers of orders in a text."""
    return tuple((match["n"] or match[0], match.span()) for match in _ORDER_ID.finditer(body))


class OrdersNamed:
    """The order ids of a report by place."""

    def __init__(self, subject: Subject) -> None:
        self.all = sorted(order_ids(subject), key=lambda one: one[1])
        self._starts = [span[0] for _, span in self.all]

    def between(self, start: int, end: int) -> list[tuple[str, Span]]:
        return self.all[bisect_left(self._starts, start) : bisect_left(self._starts, end)]


@lru_cache(maxsize=4)
def orders_named(mentions: Mentions) -> OrdersNamed:
    """Those of a report, read once for the rules that ask."""
    return OrdersNamed(mentions.subject)
