"""Months and days that stand right before the address of one order: `in November 2019 ([order](user://...))`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from drr.eval.checks.base import CheckTally, Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.person.history import History, Placed
from drr.eval.checks.person.order_ids import OrdersNamed
from drr.wording.dates import MONTH, month_number

_LEADS = re.compile(
    r"[\s,*_]{0,4}[(\[]{0,2}(?:(?:the |your |see |in |as )?(?:order|record|receipt)(?: of)? ?)?[\s(\[:]{0,3}$",
    re.I,
)
"""Between a day and the address behind it."""
_MONTH_ALONE = re.compile(rf"\b(?P<m>{MONTH})\.?(?: of (?:that|the same|this) year)?$", re.I)
_NEAR = 60
_NEXT = re.compile(r"[\s,;&)(\[\]]{0,6}(?:and\s)?[\s(\[]{0,3}(?:user://[^\s/()\[\]]{1,60}/orders/)?")
"""Between two orders that are cited together: `three times: May 2020, June and Christmas 2021 (A, B, C)`."""


class CitedDays:
    """Goes through the orders that a report cites."""

    def __init__(self, tally: CheckTally, cast: Cast, named: OrdersNamed, history: History) -> None:
        self._tally = tally
        self._cast = cast
        self._body = cast.body
        self._named = named
        self._history = history

    def compare(self) -> None:
        for cited in self._together():
            start = cited[0][1][0]
            placed = [one for order_id, _ in cited if (one := self._history.find(order_id)) is not None]
            line = self._cast.prose.line_at(start)
            if placed and line is not None and line.kind != "row":
                self._compare(placed, max(line.start, start - _NEAR), start)

    def _together(self) -> list[list[tuple[str, Span]]]:
        """Orders that are cited one right after the other: a day before them may be of any."""
        found: list[list[tuple[str, Span]]] = []
        for one in self._named.all:
            end = found[-1][-1][1][1] if found else -1
            if end >= 0 and (one[1][0] <= end or _NEXT.fullmatch(self._body, end, one[1][0])):
                found[-1].append(one)
            else:
                found.append([one])
        return found

    def _compare(self, cited: Sequence[Placed], low: int, start: int) -> None:
        lead = _LEADS.search(self._body, low, start)
        end = start if lead is None else lead.start()
        when = next((one for one in self._cast.prose.dates(low, end) if one.end == end), None)
        if when is not None:
            fits = any(when.covers(one.order.order_date) for one in cited)
            place = when.start, when.end
        else:
            month = _MONTH_ALONE.search(self._body, low, end)
            if month is None:
                return
            fits = any(month_number(month["m"]) == one.day.month for one in cited)
            place = month.span()
        if fits:
            self._tally.ok()
        else:
            days = " and ".join(dict.fromkeys(one.order.order_date[:10] for one in cited))
            why = f"said {self._body[slice(*place)]}, the order cited was placed {days}"
            self._tally.accuse("order_date", place, why, Certainty.ADJOINED)
