"""The values of a task's facts as they are written, read as days and figures. Numbers of production lots are among them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from functools import cached_property, lru_cache
from random import Random

from drr.papers.dr3.planning.kinds import MODELS
from drr.papers.dr3.truth import TaskFact

_STYLES = ("%B %d, %Y", "%Y-%m-%d", "%m/%d/%Y")
_FIGURE = re.compile(r"\d+(?:\.\d+)?")


class FactValues:
    """The values of facts by attribute, with those of pages under the name of their part."""

    def __init__(self, values: Mapping[str, str], today: date) -> None:
        self.values, self.today = values, today

    @classmethod
    def of(cls, facts: Iterable[TaskFact], today: date) -> FactValues:
        return cls({fact.attribute: fact.value for fact in facts}, today)

    def with_value(self, attribute: str, value: str) -> FactValues:
        return FactValues({**self.values, attribute: value}, self.today)

    def text(self, start: str) -> str:
        return self.values[self.name(start)]

    def name(self, start: str) -> str:
        """The one attribute that begins so."""
        return next(name for name in self.values if name.startswith(start))

    def has(self, start: str) -> bool:
        return any(name.startswith(start) for name in self.values)

    def number(self, start: str) -> float:
        return number_of(self.text(start))

    def day(self, start: str) -> date:
        return day_of(self.text(start))

    @cached_property
    def covered(self) -> bool:
        return self.has("warranty term") and end_of_cover(self) >= self.broke

    @cached_property
    def broke(self) -> date:
        return self.day("day the fault") if self.has("day the fault") else self.today


def number_of(text: str) -> float:
    found = _FIGURE.search(text.replace(",", ""))
    if found is None:
        raise ValueError(f"{text!r} holds no figure")
    return float(found[0])


@lru_cache(maxsize=4096)
def day_of(text: str) -> date:
    for style in _STYLES:
        try:
            return datetime.strptime(text, style).replace(tzinfo=UTC).date()
        except ValueError:
            continue
    raise ValueError(f"{text!r} is no day")


CENTS = (15, 19, 20, 25, 35, 39, 40, 45, 49, 55, 59, 60, 65, 75, 80, 85, 89, 95, 99)
"""Cents of prices on pages, right or wrong: they reveal nothing."""


def month_from(day: date, months: int) -> date:
    """The first of the month so many months on, or back."""
    at = 12 * day.year + day.month - 1 + months
    return date(at // 12, at % 12 + 1, 1)


def months_after(day: date, months: int) -> date:
    """The same day so many months on, or the last of that month."""
    first = month_from(day, months)
    return min(first + timedelta(days=day.day - 1), month_from(first, 1) - timedelta(days=1))


def long_date(day: date) -> str:
    return f"{day:%B} {day.day}, {day.year}"


def end_of_cover(values: FactValues) -> date:
    return months_after(values.day("purchase date"), int(values.number("warranty term")))


def sold_from(attribute: str) -> date | None:
    """The first day of the purchases for which a term holds: `..., sold from March 2018`."""
    _, found, month = attribute.partition(", sold from ")
    return month_of(month) if found else None


@lru_cache(maxsize=4096)
def month_of(text: str) -> date:
    """The first day of `March 2018`."""
    return datetime.strptime(text, "%B %Y").replace(tzinfo=UTC).date()


def is_rest(day: date) -> bool:
    """Sundays and the holidays on which no carrier in the United States drives."""
    thanksgiving = day.month == 11 and day.weekday() == 3 and 22 <= day.day <= 28
    return day.weekday() == 6 or (day.month, day.day) in ((1, 1), (7, 4), (12, 25)) or thanksgiving


_LETTERS = "ADHKLNQRTW"
_FIRST_YEAR, _FIRST, _A_MONTH = 1995, 1000, 12
RECALLED = 2
"""Months from the last lot that a recall covers to its notice."""
_LOGO = 9
"""The same of the last lots with an old logo."""


def lot_letter(name: str) -> str:
    plain, _, last = name.rpartition(" ")
    return Random(f"lots/{plain if last in MODELS else name}").choice(_LETTERS)


def lot_before(month: date, *, is_recall: bool = True) -> int:
    """The first lot that a notice of a month no longer covers: a later notice covers more, and never less."""
    months = 12 * (month.year - _FIRST_YEAR) + month.month - 1 - (RECALLED if is_recall else _LOGO)
    return _FIRST + _A_MONTH * months


def month_of_recall(value: str) -> date:
    """Return the month of the notice that says `lots before A4120`."""
    return month_from(date(_FIRST_YEAR, 1, 1), (int(number_of(value)) - _FIRST) // _A_MONTH + RECALLED)
