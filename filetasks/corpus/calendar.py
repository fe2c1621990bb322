"""The calendar of a page: every month that it states is taken from here, so that all of them are possible together.

A month lies some months before the page, and before the purchase that a task is about; what has been in use for some time began longer ago than that.
In the pool, where pages have an age and no date, a month is a code that says how long before the latest such month it lies (`stamps`). A code is as long
as a year, so that lengths, pieces and tokens are those of the pool.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from random import Random

from drr.filetasks.corpus.stock import stock
from drr.filetasks.values import month_of, months_after

STAMP = r"\bzq[0-9a-z][a-l]\b"
"""In place of the year of a month: how many years before the latest such month it lies, and the month."""
GAP = 4
"""Months from one that is spoken of to the page that speaks of it, beside those that something took: no page says `three weeks` of less."""
_SPREAD = 2
"""Years over which months lie that nothing else decides."""
_SALES = 4
"""The same of purchases for which terms hold."""
_LATER = 0.1
"""Of pages: those that may speak of months after the purchase."""
_FORM = re.compile(STAMP)


@dataclass(kw_only=True)
class PageCalendar:
    """Of one page. All that is said of one make, list or price on a page is of one month."""

    seed: int
    """Of the pool."""
    day: date | None = None
    """Of the page; `None` in the pool."""
    last: date | None = None
    """The latest month that it may state lies before this day."""
    fixed: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """By subject and what changes: the months that a case has settled."""
    own: tuple[str, ...] = ()
    """Names of the case: what is said of them on its pages is of the same month, wherever a page is not older than that."""
    own_last: date | None = None
    """The latest such month lies before this day."""
    told: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)
    """The months that the page states, and how long something may have taken since."""

    def since(self, subject: str, changes: str, took: int = 0) -> str | None:
        """The month since which something holds of which so many months were seen; `None` where that cannot have been."""
        key = (subject, changes)
        had = self.told.get(key)
        if had is None:
            had = self.told[key] = self._settled(key, took)
        return had[0] if took <= had[1] else None

    def sold(self, subject: str, terms: str) -> str:
        """The month of purchase from which on terms hold."""
        return self._drawn(Random(f"{self.seed}/{terms}/{subject}/sold"), 0, _SALES, self._last_of(subject))

    def stated(self, rng: Random) -> str:
        """A month in which something began that nobody asks about."""
        return self._drawn(rng, 0, _SPREAD, self.last)

    def _settled(self, key: tuple[str, str], took: int) -> tuple[str, int]:
        month = self.fixed.get(key)
        if month is not None:
            return month, -1 if self.day is None else months_seen(month, self.day)
        years = -(-took // 12)
        return (
            self._drawn(Random(f"{self.seed}/{key[1]}/{key[0]}"), years, _SPREAD, self._last_of(key[0])),
            12 * years,
        )

    def _last_of(self, subject: str) -> date | None:
        if self.last is None or self.own_last is None or not subject.startswith(self.own):
            return self.last
        return min(self.last, self.own_last)

    def _drawn(self, rng: Random, years: int, spread: int, last: date | None) -> str:
        month = rng.randrange(12)
        said = f"{stock().names['months'][month]} {_code(years + rng.randrange(spread), month)}"
        return said if last is None else stamped(said, last)


def months_seen(since: str, day: date) -> int:
    """How many months somebody can have seen of what began in a month, who wrote on a day; below 0 where it had not begun."""
    begun = month_of(since)
    return (day.year - begun.year) * 12 + day.month - begun.month - GAP


def month_before(day: date, took: int = 0) -> date:
    """The latest first of a month of which so many months can have been seen on a day."""
    return months_after(day.replace(day=1), -took - GAP)


def latest(url: str, day: date, bought: date) -> date:
    """What a page states holds for purchases of that time, as what is needed does; of some pages only, up to their own day."""
    after = Random(f"{url}/since").random() < _LATER
    return month_before(day if after else min(day, bought)) - timedelta(days=1)


def stamped(text: str, last: date) -> str:
    """With years instead of codes."""
    return _FORM.sub(lambda code: year_of(code[0], last), text)


def codes(text: str) -> list[str]:
    return sorted(set(_FORM.findall(text)))


def year_of(code: str, last: date) -> str:
    years, month = int(code[2], 36), ord(code[3]) - ord("a") + 1
    return str(last.year - (month > last.month) - years)


def _code(years: int, month: int) -> str:
    return f"zq{'0123456789abcdefghijklmnopqrstuvwxyz'[years]}{chr(ord('a') + month)}"


def month_name(day: date) -> str:
    return f"{day:%B %Y}"
