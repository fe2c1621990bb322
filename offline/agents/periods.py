"""Spans of time that a question names, by years and months."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import NamedTuple

from drr.wording.dates import CALENDAR, MONTH, dates

_POINT = rf"(?:{MONTH})\b\.?(?:,? (?:19|20)\d\d)?|(?:19|20)\d\d|(?:this|last) (?:year|month)"
_BARE = r"(?<!before )(?<!after )(?<!until )(?<!by )(?<!than )\b(?P<bare>(?:19|20)\d\d)(?=\W*$)"
PERIOD = re.compile(
    rf"\b(?:between|from) \$?(?P<first>{_POINT}) (?:and|to|until|through) \$?(?P<last>{_POINT})\b"
    rf"|\b(?:back )?(?:(?P<since>since)|in|from|during|of|for) (?P<one>{_POINT})\b"
    rf"|\b(?P<near>(?:this|last) (?:year|month))\b|{_BARE}",
    re.IGNORECASE,
)
_OPEN = "9999"


class Period(NamedTuple):
    """The first and the last year or month, as dates begin: `2022`, `2022-03`, `-03` of an unknown year, `last month`."""

    first: str
    last: str

    @classmethod
    def of(cls, text: str) -> Period | None:
        """Read the first span that a text names."""
        match = PERIOD.search(text)
        if match is None:
            return None
        first = _point(match["first"] or match["one"] or match["near"] or match["bare"])
        last = _point(match["last"]) if match["last"] else _OPEN if match["since"] else first
        if first[0] == "-" and last[:4].isdecimal() and last != _OPEN:  # "between March and June 2022"
            first = last[:4] + first
        elif last[0] == "-" and first[:4].isdecimal():
            last = first[:4] + last
        return cls(first, last)

    @property
    def needs_today(self) -> bool:
        return not (self.first[0].isdecimal() and self.last[0].isdecimal())

    def on(self, today: date | None) -> Period | None:
        """Settle it by the shop's today; `None` where that is needed and not known."""
        if not self.needs_today:
            return self
        if today is None:
            return None
        return Period(_settled(self.first, today), _settled(self.last, today))

    def covers(self, day: str) -> bool:
        return self.first <= day[: len(self.first)] and day[: len(self.last)] <= self.last

    def __str__(self) -> str:
        first, last = _worded(self.first), _worded(self.last)
        if self.last == _OPEN:
            return f"since {first}"
        if first != last:
            return f"from {first} to {last}"
        return first if first.endswith((" year", " month")) else f"in {first}"


def _point(text: str) -> str:
    if text[-1].isalpha() and " " in text:
        return text.lower()
    when = next(dates(f"{text} 2000", 0, len(text) + 5))
    year = when.year if text[-1].isdecimal() else ""
    return f"{year}-{when.month:02d}" if when.month else str(year)


def _settled(point: str, today: date) -> str:
    if point[0] == "-":
        return f"{today.year - (int(point[1:]) > today.month)}{point}"
    if point[0].isdecimal():
        return point
    which, unit = point.split()
    if unit == "year":
        return str(today.year - (which == "last"))
    return f"{today if which == 'this' else today.replace(day=1) - timedelta(1):%Y-%m}"


def _worded(point: str) -> str:
    year, _, month = point.partition("-")
    return f"{CALENDAR['months'][int(month) - 1]} {year}".rstrip() if month else year
