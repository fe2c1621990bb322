"""Finds the day of an order in its line. A day counts only where no words make it that of another event."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

from drr.citations.hidden import blank_spans
from drr.env.entities import Order
from drr.eval.checks.mentions import Mentions, TextLine
from drr.eval.checks.naming import full_name, name_words
from drr.eval.checks.results import Span
from drr.eval.checks.values import word_list
from drr.wording.dates import DayOfYear, TextDate

Day = TypeVar("Day", bound=TextDate | DayOfYear)
_ORDER_WORDS = word_list("order|no|number|id|the|your|our|a|an|of|from|on|in|with|for|and|again")
_NEAR, _FAR = 40, 400
"""Most characters between an order's number and its day, and between a day and what the sentence before it tells."""
_BETWEEN = re.compile(
    r"[\s*_]*(?:[(,:—–-]|(?P<of>\b(?:of|from)\b)|(?P<on>\bon\b)|(?P<ordered>\b(?:dated|placed|ordered)\b)|order|[\s#*_])*[\s*_]*",
    re.I,
)
_WORD_BEHIND = re.compile(r"[*_`]*[^\S\n]+[*_]*(?!(?:and|or)\b)[^\W\d_]")
"""A word right behind a day or a number, which may tell what happened then."""
_BOUGHT = re.compile(r"\b(?:placed|ordered|bought|purchased)\b", re.I)
_OF = re.compile(r"\w\s(?:of|from)\s[\s*_]*+$", re.I)
"""Words before a day that make it that of another thing: `your mail of`."""
_SENTENCE = re.compile(r"[.;:!?]\s")
_ORDERED = re.compile(r"[\s,*_]*(?:(?:you|we)\s)?(?:placed|ordered|bought|purchased)\b", re.I)
_BACK = re.compile(r"[\s*_]*[(,:—–-]?[\s*_]*(?:order|no\.?|number|id|#|:|[\s*_`\[])*", re.I)
_DAY_ALONE = re.compile(
    r"(?:^|[,;:()|\n–—-])[\s*_>•+-]*+(?:\d{1,3}[.)]\s[*_]*+)?(?:(?:(?P<ordered>ordered|bought|placed|purchased|dated)|(?P<on>on)|of|from|order)\s[\s*_]*+)*$",
    re.I,
)
"""Text right before a day that gives no sign that the day belongs to anything else."""


def stands_alone(
    mentions: Mentions, line: TextLine, when: TextDate | DayOfYear, named: tuple[Order, Span]
) -> bool:
    """Tell whether no words say that a day is of another event. Another sentence does: `Order 63. As of today, May 3`."""
    text, low = mentions.plain, max(0, line.start - 1, when.start - _NEAR)
    *others, own = text[low : when.start].split(". ")
    found = _DAY_ALONE.fullmatch("\n" + own) if others else _DAY_ALONE.search(text, low, when.start)
    if found is None or found["ordered"] or _ORDERED.match(text, when.end, line.end):
        return found is not None
    order, (start, end) = named
    between = (end, when.start) if end <= when.start else (when.end, start)
    if found["on"] or _WORD_BEHIND.match(text, max(when.end, end)):
        return False
    return names_product(mentions, order, *between) and (start > when.start or _opens_clause(text, start))


def names_product(mentions: Mentions, order: Order, start: int, end: int) -> bool:
    """Tell whether a part of a line holds no words but those of the order's product, and function words."""
    product = mentions.subject.product(order.product_id)
    known = {*_ORDER_WORDS, *(name_words(full_name(product)) if product else ())}
    links = [(one.start, one.end) for one in mentions.within(start, end)]
    return all(
        word in known or word.isdecimal()
        for word in name_words(blank_spans(mentions.plain, links)[start:end])
    )


def _is_behind(text: str, number: Span, when: TextDate | DayOfYear) -> bool:
    """Tell whether a day behind an order's number is surely that of the order."""
    found = _BETWEEN.fullmatch(text, number[1], when.start)
    if found is None or found["ordered"] or not when.day:
        return found is not None
    if found["on"]:
        return _tells_of_buying(text, number[0]) or (
            _opens_clause(text, number[0]) and _WORD_BEHIND.match(text, when.end) is None
        )
    if found["of"] or "(" in found[0]:
        return found["of"] is not None or _WORD_BEHIND.match(text, when.end) is None
    return _opens_clause(text, number[0]) and _WORD_BEHIND.match(text, when.end) is None


def _opens_clause(text: str, start: int) -> bool:
    """Tell whether no word before an order's number says what else its sentence is of: not `refund for order 63`."""
    clause = re.split(r"[.,;:!?]\s|[(\[|]", text[text.rfind("\n", 0, start) + 1 : start])[-1]
    return all(word in _ORDER_WORDS or word.isdecimal() for word in name_words(clause))


def _is_before(text: str, number: Span, when: TextDate | DayOfYear) -> bool:
    """Tell whether a day before an order's number is surely its own. It is not in `on a day, order 63 came`."""
    if not _BACK.fullmatch(text, when.end, number[0]) or not when.day:
        return _BACK.fullmatch(text, when.end, number[0]) is not None
    low = max(0, text.rfind("\n", 0, when.start), when.start - _FAR)
    if "(" in text[when.end : number[0]]:
        return (
            _OF.search(text, low, when.start) is None or _DAY_ALONE.search(text, low, when.start) is not None
        )
    if _WORD_BEHIND.match(text, number[1]):
        return False
    return _DAY_ALONE.search(text, low, when.start) is not None or _tells_of_buying(text, when.start)


def _tells_of_buying(text: str, end: int) -> bool:
    """Tell whether the sentence that leads to a place says that something was ordered."""
    low = max(0, text.rfind("\n", 0, end), end - _FAR)
    return _BOUGHT.search(_SENTENCE.split(text[low:end])[-1]) is not None


def day_beside(
    text: str, whens: Sequence[Day], span: Span, starts: Sequence[int], order: Order
) -> Day | None:
    """Return the day right beside an order's number: `order 63 (October 13, 2013)`, `2013-10-13 (order 63)`."""
    low, high = span
    near = [one for one in whens if low - _NEAR <= one.end and one.start <= high + _NEAR]
    behind: list[Day] = [one for one in near if high <= one.start and _is_behind(text, span, one)]
    before: list[Day] = [one for one in near if one.end <= low and _is_before(text, span, one)]
    if behind and before and len(starts) > 1:  # `on a day, order 63, on another, order 64`: either's
        return next((one for one in (*before, *behind) if one.covers(order.order_date)), None)
    if behind:
        return behind[0]
    following = next((start for start in starts if start > low), None)
    several = following is not None and not any(high <= each.start < following for each in whens)
    other = not before or several or any(before[0].end <= each < low for each in starts)
    return None if other else before[0]
