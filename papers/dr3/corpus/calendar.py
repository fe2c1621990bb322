"""The calendar of a page. Every month that it states is taken from here, so that all of them are possible together.

A month lies some months before the page, and before the purchase that a task is about; what has been in use for some time began longer ago than that.
In the pool, where pages have an age and no date, a month is a code (`stamps`), as long as a year, so that lengths, pieces and tokens are those of the pool.
What was before has its own few months, the same on every page that speaks of it.
What began, began once: no page of a task is dealt, and nothing is stated on one, that would say another month of the same thing than another page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from random import Random

from drr.papers.dr3.corpus.stock import stock
from drr.papers.dr3.values import month_from, month_of

STAMP = r"\bz[qj][0-9a-z][a-x]\b"
"""Stamp in place of the year of a month. It holds the years of use that it must leave and the years before
the purchase (of terms, `zj`, the latter alone), then the month; letters of the second half are of months that
may lie after the purchase."""
GAP = 4
"""Months from one that is spoken of to the page that speaks of it, beside those that something took: no page says `three weeks` of less."""
_SPREAD = 2
"""Years over which months lie that nothing else decides."""
_BACK = 4
"""Years before the purchase for which a code has room beside those of use."""
_NEW_TERMS, _OLD_TERMS, _IS_OLD = (0, 4), (4, 9), 0.5
"""Years before the purchase since which terms hold, and how often they are of the old ones."""
_EARLIER = (150, 500)
"""Days between a make, list, price or terms and those before."""
_FIRST = 0.85
"""Share of the pages about earlier times that mean the last one."""
_NEWER, _OF_IT, _AFTER = 0.85, 0.7, (30, 200)
"""Share of pages with later irrelevant facts, share of facts there, and range of days after the true ones."""
TERMS = "terms"
"""Change that goes by the month of purchase: all the terms of a firm at once."""
_SOON = 8
"""Months after what a page states began in which its writer came to have it."""
_LATER = 0.1
"""Share of months that may lie after the purchase."""
_FORM = re.compile(STAMP)
_DIGITS, _LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwx"


@dataclass(kw_only=True)
class PageCalendar:
    """The calendar of one page. All that is said of one make, list or price on a page is of one month."""

    seed: int
    """Seed of the pool."""
    day: date | None = None
    """Day of the page; `None` in the pool."""
    bought: date | None = None
    """Day on which the task's thing was bought."""
    fixed: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Months that a case has settled, by subject and change."""
    months: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)
    """The months that the page states, and how long something may have taken since."""
    begun: dict[tuple[str, str], str] = field(default_factory=dict)
    """Beginnings that a task's pages state: one month each, except on pages about an earlier make, list or price."""
    is_early: bool = False
    """The page speaks of an earlier one, whatever it is of."""
    past: frozenset[tuple[str, str]] = frozenset()
    """Subjects and changes of which the page states an earlier one."""
    leans_back: bool = False
    """Most of what the pages of the task say that nobody asks is of the month before the one that counts: else of that itself."""
    stated_of: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Number of statements about each subject in a task's pages."""

    starts: set[str] = field(default_factory=set)
    """Months since which holds what is stated on the page, whoever settled them."""
    month: int | None = None
    """Month in which a page of the pool was written, once drawn: its date follows it."""

    def month_of_page(self, rng: Random) -> int:
        if self.day is not None:
            return self.day.month
        self.month = self.month or rng.randint(1, 12)
        return self.month

    def is_past(self, subject: str, changes: str) -> bool:
        return self.day is not None and (self.is_early or (subject, changes) in self.past)

    def since(self, subject: str, changes: str, took: int = 0) -> str | None:
        """The month since which something holds of which so many months were seen; `None` where that cannot have been."""
        key = (subject, changes)
        had = self.months.get(key)
        if had is None:
            had = self.months[key] = self._settled(key, took)
        return had[0] if took <= had[1] else None

    def sold(self, subject: str) -> str | None:
        """The month of purchase from which on the terms of somebody hold; `None` where that was after the page."""
        key = subject, TERMS
        if key not in self.months:
            month = self.fixed.get(key)
            if month is not None:
                seen = -1 if self.day is None else months_seen(month, self.day)
            else:
                rng = Random(f"{self.seed}/{subject}/sold")
                back = rng.randrange(*(_OLD_TERMS if rng.random() < _IS_OLD else _NEW_TERMS))
                month, seen = self._began(key, rng, f"zj{_DIGITS[back]}", 0)
            self.months[key] = self._of_day(key, month, seen, 0)
        month, seen = self.months[key]
        return month if seen >= 0 else None

    def stated(self, rng: Random) -> str:
        """A month in which something began that nobody asks about."""
        code = f"zq{_DIGITS[rng.randrange(_SPREAD)]}"
        month, later = rng.randrange(12), rng.random() < _LATER
        code += _LETTERS[month + 12 * later]
        if self.day is not None and self.bought is not None:
            code = year_of(code, self.day, self.bought)
        return f"{stock().names['months'][month]} {code}"

    def is_of_case(self, subject: str) -> bool:
        """Tell whether the case is about such a thing or firm. Of each of its months one thing is so, whichever page says it."""
        return self.day is not None and bool(self._base((subject, ""))[1])

    def had_since(self, rng: Random) -> str | None:
        """Choose a month in which somebody came to have what the page states months of. It is that of the
        latest of them, or soon after, as terms go by the purchase and nobody has what was not made. `None`
        where there was none before the page."""
        months = self.starts | {month for month, seen in self.months.values() if seen >= 0}
        if self.day is None:
            return self.stated(rng) if not months else months.pop() if len(months) == 1 else None
        if not months:
            return self.stated(rng)
        first, last = max(map(month_of, months)), month_before(self.day)
        room = min(_SOON, 12 * (last.year - first.year) + last.month - first.month)
        if room < 0:
            return None
        return month_name(month_from(first, rng.randint(0, room)))

    def _settled(self, key: tuple[str, str], took: int) -> tuple[str, int]:
        month, seen = self._latest(key, took)
        return self._of_day(key, month, seen, took)

    def _of_day(self, key: tuple[str, str], month: str, seen: int, took: int) -> tuple[str, int]:
        if not self.is_early or self.day is None:
            return month, seen
        rng = Random(f"{self.seed}/{key}/{self.day}/early")
        of, base = self._base(key)
        known = earlier_ones(self.seed, of, base or month, self.day, took, 3)
        before = [one for one in known if month_of(one) < month_of(month)] or known[-1:]
        early = before[0] if rng.random() < _FIRST else before[-1]
        return early, months_seen(early, self.day)

    def _base(self, key: tuple[str, str]) -> tuple[tuple[str, str], str]:
        """Find what a case has settled of the same, or else of something else of the same thing or firm. What
        changes of it changes in the same few months, so that the one that counts is named no more often than
        others. Empty where it has settled nothing."""
        if month := self.fixed.get(key):
            return key, month
        subject = key[0]
        near = [one for one in self.fixed if one[0] == subject] or [
            one for one in self.fixed if one[0].startswith(subject) or subject.startswith(one[0])
        ]
        return (near[0], self.fixed[near[0]]) if near else (key, "")

    def _latest(self, key: tuple[str, str], took: int) -> tuple[str, int]:
        month = self.fixed.get(key)
        if month is not None:
            return month, -1 if self.day is None else months_seen(month, self.day)
        of, base = self._base(key)
        if base and self.day is not None and self.bought is not None:
            return self._beside(key, of, base)
        years = -(-took // 12)
        rng = Random(f"{self.seed}/{key[1]}/{key[0]}")
        return self._began(key, rng, f"zq{_DIGITS[years * _BACK + rng.randrange(_SPREAD)]}", 12 * years)

    def _beside(self, key: tuple[str, str], of: tuple[str, str], base: str) -> tuple[str, int]:
        """Date what nobody asks about somebody whom the case asks about. It began a while after what counts,
        of which a case has one month, or in that month or the one before, whichever the case leans to."""
        assert self.day is not None and self.bought is not None
        rng = Random(f"{self.seed}/{of}/{base}/beside")
        last = max(month_of(month) for (subject, _), month in self.fixed.items() if subject == of[0])
        newer, after = rng.random() < _NEWER, last + timedelta(days=rng.randint(*_AFTER))
        after = min(after, month_before(self.bought))
        if newer and after > last and Random(f"{self.seed}/{key}").random() < _OF_IT:
            month = month_name(after)
        else:
            month = earlier_ones(self.seed, of, base, self.day, 0, 1)[0] if self.leans_back else base
        seen = months_seen(month, self.day)
        if seen < 0 or self.begun.setdefault(key, month) != month:
            return month, -1
        return month, seen

    def _began(self, key: tuple[str, str], rng: Random, code: str, took: int) -> tuple[str, int]:
        """Choose the month of beginning and the number of months since that somebody can report. On a page
        with a day there are none where it had not begun, or began at another time on another page of the
        task."""
        month = rng.randrange(12)
        code += _LETTERS[month]
        name = stock().names["months"][month]
        if self.day is None or self.bought is None:
            return f"{name} {code}", took
        text = f"{name} {year_of(code, None, self.bought)}"
        seen = months_seen(text, self.day)
        if seen < 0 or self.begun.setdefault(key, text) != text:
            return text, -1
        return text, seen


def earlier_ones(seed: int, key: tuple[str, str], latest: str, day: date, took: int, count: int) -> list[str]:
    """List the months in which earlier makes, lists, prices or terms began. They are the last so many before
    the latest, of which a page of a day can speak. They are the same whichever page asks, and of all of one
    maker that changed together, so that what was before recurs from page to page like what holds."""
    found: list[str] = []
    at, number = month_of(latest), 0
    while len(found) < count:
        at -= timedelta(
            days=Random(f"{seed}/{key[0].split()[0]}/{latest}/before/{number}").randint(*_EARLIER)
        )
        number += 1
        if months_seen(month_name(at), day) >= took:
            found.append(month_name(at))
    return found


def months_seen(since: str, day: date) -> int:
    """Count the months somebody who wrote on a day can have seen of what began in a month. Below 0 it had not begun."""
    begun = month_of(since)
    return (day.year - begun.year) * 12 + day.month - begun.month - GAP


def month_before(day: date, took: int = 0) -> date:
    """The latest first of a month of which so many months can have been seen on a day."""
    return month_from(day, -took - GAP)


def codes(text: str) -> list[str]:
    return sorted(set(_FORM.findall(text)))


def year_of(code: str, day: date | None, bought: date) -> str:
    """Return the year that lies so many years before the purchase. On a page of a `day`, go further back in
    whole years where the page is older than that."""
    level, letter = _DIGITS.index(code[2]), _LETTERS.index(code[3])
    years, back = (0, level) if code[1] == "j" else divmod(level, _BACK)
    month, newest = letter % 12 + 1, month_before(day or bought, 12 * years if day else 0)
    last = newest if letter >= 12 else month_before(bought)
    year = last.year - (month > last.month) - back
    return str(min(year, newest.year - (month > newest.month)))


def month_name(day: date) -> str:
    return f"{day:%B %Y}"
