"""Months and days that stand right before the address of one order: `in November 2019 ([order](user://...))`."""

from __future__ import annotations

import re

from drr.eval.checks.base import CheckTally
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.person.history import History, Placed
from drr.eval.checks.person.order_ids import OrdersNamed
from drr.wording.dates import MONTH, dates, month_number

_LEADS = re.compile(
    r"[\s,*_]{0,4}[(\[]{0,2}(?:(?:the |your |see |in |as )?(?:order|record|receipt)(?: of)? ?)?[\s(\[:]{0,3}$",
    re.I,
)
"""Between a day and the address behind it."""
_MONTH_ALONE = re.compile(rf"\b(?P<m>{MONTH})\.?(?: of (?:that|the same|this) year)?$", re.I)
_NEAR = 60


class CitedDays:
    """Goes through the orders that a report cites."""

    def __init__(self, tally: CheckTally, cast: Cast, named: OrdersNamed, history: History) -> None:
        self._tally = tally
        self._cast = cast
        self._body = cast.body
        self._named = named
        self._history = history

    def compare(self) -> None:
        for order_id, (start, _) in self._named.all:
            placed = self._history.find(order_id)
            line = self._cast.prose.line_at(start)
            if placed is not None and line is not None and line.kind != "row":
                self._compare(placed, max(line.start, start - _NEAR), start)

    def _compare(self, placed: Placed, low: int, start: int) -> None:
        lead = _LEADS.search(self._body, low, start)
        end = start if lead is None else lead.start()
        when = next((one for one in dates(self._body, low, end) if one.end == end), None)
        if when is not None:
            fits, place = when.covers(placed.order.order_date), (when.start, when.end)
        else:
            month = _MONTH_ALONE.search(self._body, low, end)
            if month is None:
                return
            fits, place = month_number(month["m"]) == placed.day.month, month.span()
        if fits:
            self._tally.ok()
        else:
            why = (
                f"said {self._body[slice(*place)]}, the order cited was placed {placed.order.order_date[:10]}"
            )
            self._tally.accuse("order_date", place, why, Certainty.ADJOINED)
