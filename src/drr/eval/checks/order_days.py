"""Finds the day in brackets right behind an order's number, and what belongs to the order alone."""

from __future__ import annotations

from collections.abc import Sequence

from drr.citations.hidden import blank_spans
from drr.env.entities import ORDER_STATUSES, Order
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.naming import STOP, fold, full_name
from drr.eval.checks.results import Span
from drr.eval.checks.values import word_list
from drr.wording.dates import TextDate, dates, days_of_year

_ORDER_WORDS = word_list("order|no|number|id|x") | STOP
_LABEL_WORDS = word_list("date|day|when|status|state|ordered|on")
_MARKS = " *_`#"
_NEAR = 12
"""Most characters between an order's number and its day."""


def day_in_brackets(text: str, days: Sequence[TextDate], number: Span) -> TextDate | None:
    """Return the day alone in brackets right behind an order's number or link: `order 63 (October 13, 2013)`."""
    found = next((one for one in days if number[1] < one.start <= number[1] + _NEAR), None)
    if found is None or text[number[1] : found.start].strip(f"{_MARKS}]") != "(":
        return None
    return found if text[found.end :].lstrip(_MARKS)[:1] == ")" else None


def is_alone(mentions: Mentions, order: Order, number: Span, place: Span) -> bool:
    """Tell whether a part of a line has no words but `order` and its product's.

    Behind the number states and labels of an order may stand too.
    """
    low, high = place
    product = mentions.subject.product(order.product_id)
    known = {*_ORDER_WORDS, *_words(full_name(product) if product else "")}
    states = {word for one in (*ORDER_STATUSES, *mentions.subject.states) for word in _words(one)}
    spans = [(one.start, one.end) for one in mentions.within(low, high)]
    spans += [(one.start, one.end) for one in dates(mentions.plain, low, high) if one.month]
    spans += [(one.start, one.end) for one in days_of_year(mentions.plain, low, high)]
    text = blank_spans(mentions.plain[low:high], [(start - low, end - low) for start, end in spans])
    before = [text[: max(0, number[0] - low)], mentions.body[slice(*number)].partition("](")[0]]
    behind = text[max(0, number[1] - low) :]
    return _words(" ".join(before)) <= known and _words(behind) <= known | states | _LABEL_WORDS


def _words(text: str) -> set[str]:
    letters = (one if one.isalnum() else " " for one in text)
    return {fold(word) for word in "".join(letters).split() if not word.isdecimal()}
