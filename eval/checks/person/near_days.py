"""Days that are an order's but for one part: `29 August 2021` beside the name of what was ordered on 29 September 2021."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from drr.eval.checks.base import CheckTally, Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.person.history import History, Placed, days_of
from drr.eval.checks.person.named_days import NEGATED
from drr.eval.checks.person.no_days import ends_of_spans
from drr.eval.checks.person.not_bought import would_be
from drr.wording.dates import DayOfYear, When
from drr.wording.doubts import DOUBTS
from drr.wording.purchases import PURCHASES

OF_ANOTHER_EVENT = re.compile(
    r"\b(?:deliver\w*|arriv\w*|ship\w*|return(?:s|able)? (?:by|until)|from now|today|as of|warranty|expires?|review(?:ed|s)?|posted|updated|published|released|checked|reads?)\b[^.;|]{0,24}$",
    re.I,
)
"""Words before a day that say it is another than that of an order."""
_BOUND = re.compile(r"\b(?:until|by|before|after)\b[^.;|]{0,24}$", re.I)


class NearDays:
    """Goes through sentences and rows that name what the reader ordered; two parts of a date that fit by chance are one in several hundred."""

    def __init__(self, tally: CheckTally, cast: Cast, history: History) -> None:
        self._tally = tally
        self._cast = cast
        self._body = cast.body
        self._history = history

    def compare(self) -> None:
        if not self._history.whole:
            return
        for line in self._cast.lines:
            if line.kind in ("head_row", "rule_row", "elision"):
                continue
            if line.kind == "row":
                self._stretch((line.start, line.end), Certainty.CELL)
                continue
            for span in self._cast.prose.sentences(line):
                self._stretch(span, Certainty.CLAUSE)

    def _stretch(self, span: Span, bound: Certainty) -> None:
        named = {one for place in self._cast.within(*span) for one in place.products}
        ordered = self._history.of_products(named)
        if not ordered or DOUBTS.doubts(self._body[slice(*span)]).get("conditional"):
            return
        said = [one for one in self._cast.prose.dates(*span) if one.day is not None]
        ends = ends_of_spans(self._body, span, self._cast.prose.dates(*span))
        for when in said:
            if when.start not in ends and not self._history.on(when) and self._is_of_an_order(when, span):
                self._compare(when, ordered, bound)
        if any(when.covers(one.order.order_date) for when in said for one in ordered):
            for day in self._cast.prose.days_of_year(*span):
                known = any(day.covers(one.order.order_date) for one in self._history.orders)
                if not known and self._is_of_an_order(day, span):
                    self._compare(day, ordered, bound)

    def _is_of_an_order(self, when: When | DayOfYear, span: Span) -> bool:
        if isinstance(when, When) and self._history.is_ahead(when):
            return False
        before = self._body[max(span[0], when.start - 70) : when.start]
        low, high = self._cast.prose.clause_at(when.start)
        return not (
            PURCHASES.is_else(before)
            or OF_ANOTHER_EVENT.search(before)
            or _BOUND.search(before)
            or NEGATED.search(self._body, max(low, span[0]), min(high, span[1]))
            or would_be(self._body, span[0], when.start)
        )

    def _compare(self, when: When | DayOfYear, ordered: Sequence[Placed], bound: Certainty) -> None:
        near = [one for one in ordered if _differs_in_one(when, one.day)]
        if near:
            why = f"said {self._body[when.start : when.end]}, what is named beside it was ordered {days_of(near)}"
            self._tally.accuse("order_date", (when.start, when.end), why, bound)


def _differs_in_one(when: When | DayOfYear, day: date) -> bool:
    same = [when.month == day.month, when.day == day.day]
    if isinstance(when, When):
        same.append(when.year == day.year)
    return same.count(False) == 1
