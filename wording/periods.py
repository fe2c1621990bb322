"""The months that a question plans for, and the date by which it wants things."""

from __future__ import annotations

import re

from drr.wording.dates import CALENDAR, MONTH
from drr.wording.numbers import NUMERAL, number_of
from drr.wording.vocabulary import Wordbook, vocabulary

_CLAUSE = re.compile(r"[.;!?]\s")
_BEFORE = 120
"""Characters before a span of time that may say that it is planned for."""


class PeriodReader:
    def __init__(self, words: Wordbook) -> None:
        def compiled(expression: str) -> re.Pattern[str]:
            return re.compile(expression, re.I)

        some = words.either
        self._months_in = {
            unit.casefold(): months
            for group, months in (
                ("month_units", 1),
                ("quarter_units", 3),
                ("year_units", 12),
                ("half_years", 6),
            )
            for unit in words[group]
        }
        units = some("month_units", "quarter_units", "year_units")
        self._span = compiled(
            rf"\b(?:{some('over')})\s{{1,8}}(?:the\s{{1,8}})?(?:a\s{{1,8}})?(?:(?:{some('coming')})\s{{1,8}}(?:the\s{{1,8}})?)?"
            rf"(?:(?P<n>{NUMERAL})(?:\s{{1,8}}|-)(?P<unit>{units})s?\b|(?P<one>{some('half_years')}|{units})\b)"
        )
        self._plan = compiled(rf"\b(?P<n>{NUMERAL})[- ](?P<unit>month) (?:{some('plans')})\b")
        self._passing = compiled(rf"(?:{some('passing')})\s{{1,8}}an?\s")
        self._planned = compiled(rf"\$|\b(?:{some('planned')})\b")
        self._deadline = compiled(
            rf"\b(?:{some('by')})\s{{1,8}}(?P<when>(?:(?:{some('parts')})(?:\s{{1,8}}|(?<=-))){{0,5}}"
            rf"(?:(?:{MONTH})\b\.?(?:\s{{1,8}}\d{{1,2}}(?:st|nd|rd|th)?\b)?(?:,?\s{{1,8}}\d{{4}}\b)?"
            rf"|\d{{1,2}}(?:st|nd|rd|th)?\s{{1,8}}(?:of\s{{1,8}})?(?:{MONTH})\b(?:,?\s{{1,8}}\d{{4}}\b)?"
            r"|\d{4}-\d{2}-\d{2}\b|\d{1,2}/\d{1,2}(?:/\d{2,4})?\b"
            rf"|(?:{CALENDAR.either('weekdays')}|{some('moments')})\b))"
            rf"|\b(?P<within>(?:{some('within')}) (?:(?:{some('within_about')}) )?(?:{NUMERAL})[- ](?:business )?(?:days?|weeks?)"
            rf"|within (?:{some('soon')}))\b"
        )

    def months(self, text: str) -> int | None:
        match = self._span.search(text) or self._plan.search(text)
        if match is None:
            return None
        groups = match.groupdict()
        if groups.get("one"):
            if self._passing.match(match[0]) and not self._is_planned(text, match.start()):
                return None
            return self._months_in[groups["one"].casefold()]
        return (number_of(groups["n"]) or 0) * self._months_in[groups["unit"].casefold()] or None

    def deadline(self, text: str) -> str | None:
        match = self._deadline.search(text)
        return None if match is None else " ".join((match["when"] or match["within"]).split()).rstrip(".")

    def _is_planned(self, text: str, position: int) -> bool:
        """Tell whether a period is planned. "In a year" alone is how long something takes; with money or a
        plan in its clause, it is what is asked for."""
        clause = _CLAUSE.split(text[max(0, position - _BEFORE) : position])[-1]
        return self._planned.search(clause) is not None


_PERIODS = PeriodReader(vocabulary("periods"))
months = _PERIODS.months
"""How many months a text plans for."""
deadline = _PERIODS.deadline
"""By when, as it was written."""
