"""The calendar of a page: every month that it states is taken from here, so that all of them are possible together.

A month lies some months before the page, and before the purchase that a task is about; what has been in use for some time began longer ago than that.
In the pool, where pages have an age and no date, a month is a code (`stamps`), as long as a year, so that lengths, pieces and tokens are those of the pool.
A code says the same on every page of a task that is not older than the month: what began, began once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from random import Random

from drr.filetasks.corpus.stock import stock
from drr.filetasks.values import month_of, months_after

STAMP = r"\bz[qj][0-9a-z][a-x]\b"
"""In place of the year of a month: how many years of use it must leave and how many years before the purchase it lies (of terms, `zj`, the latter
alone), then the month, in the second half of the letters one that may lie after the purchase."""
GAP = 4
"""Months from one that is spoken of to the page that speaks of it, beside those that something took: no page says `three weeks` of less."""
_SPREAD = 2
"""Years over which months lie that nothing else decides."""
_BACK = 4
"""Years before the purchase for which a code has room beside those of use."""
_NEW_TERMS, _OLD_TERMS, _IS_OLD = (0, 4), (4, 9), 0.5
"""Years before the purchase since which terms hold, and how often they are of the old ones."""
_LATER = 0.1
"""Of months: those that may lie after the purchase."""
_FORM = re.compile(STAMP)
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(kw_only=True)
class PageCalendar:
    """Of one page. All that is said of one make, list or price on a page is of one month."""

    seed: int
    """Of the pool."""
    day: date | None = None
    """Of the page; `None` in the pool."""
    bought: date | None = None
    """When what the task is about was bought."""
    fixed: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """By subject and what changes: the months that a case has settled."""
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
        rng = Random(f"{self.seed}/{terms}/{subject}/sold")
        return self._said(
            rng, f"zj{_DIGITS[rng.randrange(*(_OLD_TERMS if rng.random() < _IS_OLD else _NEW_TERMS))]}"
        )

    def stated(self, rng: Random) -> str:
        """A month in which something began that nobody asks about."""
        return self._made(rng, 0)

    def _settled(self, key: tuple[str, str], took: int) -> tuple[str, int]:
        month = self.fixed.get(key)
        if month is not None:
            return month, -1 if self.day is None else months_seen(month, self.day)
        years = -(-took // 12)
        return self._made(Random(f"{self.seed}/{key[1]}/{key[0]}"), years), 12 * years

    def _made(self, rng: Random, years: int) -> str:
        return self._said(rng, f"zq{_DIGITS[years * _BACK + rng.randrange(_SPREAD)]}")

    def _said(self, rng: Random, code: str) -> str:
        month, later = rng.randrange(12), rng.random() < _LATER
        code += chr(ord("a") + month + 12 * later)
        if self.day is not None and self.bought is not None:
            code = year_of(code, self.day, self.bought)
        return f"{stock().names['months'][month]} {code}"


def months_seen(since: str, day: date) -> int:
    """How many months somebody can have seen of what began in a month, who wrote on a day; below 0 where it had not begun."""
    begun = month_of(since)
    return (day.year - begun.year) * 12 + day.month - begun.month - GAP


def month_before(day: date, took: int = 0) -> date:
    """The latest first of a month of which so many months can have been seen on a day."""
    return months_after(day.replace(day=1), -took - GAP)


def codes(text: str) -> list[str]:
    return sorted(set(_FORM.findall(text)))


def year_of(code: str, day: date, bought: date) -> str:
    """On a page of that day: so many years before the purchase, and further back in whole years where the page is older than that."""
    level, letter = _DIGITS.index(code[2]), ord(code[3]) - ord("a")
    years, back = (0, level) if code[1] == "j" else divmod(level, _BACK)
    month, newest = letter % 12 + 1, month_before(day, 12 * years)
    last = newest if letter >= 12 else month_before(bought)
    year = last.year - (month > last.month) - back
    return str(min(year, newest.year - (month > newest.month)))


def month_name(day: date) -> str:
    return f"{day:%B %Y}"
