"""Money, numbers and dates as people write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MONEY = re.compile(
    r"(?P<approx>(?:\b(?:about|around|approximately|approx\.?|roughly|nearly|almost|just (?:over|under)|close to|ca\.?)\s+|[~≈]\s?))?"
    r"(?:\\?\$|\bUSD\s?)\s?(?P<value>\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?|\d+(?:\.\d{1,2})?)(?![\d,]*\d)(?P<plus>\+)?"
    r"|(?<![\w$.,])(?P<words>\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?|\d+(?:\.\d{1,2})?)\s(?:dollars|USD|bucks)\b",
    re.I,
)
NUMBER = re.compile(r"(?<![\w.,])(?P<n>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?![\d,]*\d)")
_MONTHS = {
    name: number
    for number, names in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
         "september sept sep", "october oct", "november nov", "december dec"), 1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
DATE = re.compile(
    rf"\b(?P<iso>\d{{4}})-(?P<iso_m>\d{{2}})(?:-(?P<iso_d>\d{{2}}))?\b"
    rf"|\b(?P<us_m>\d{{1,2}})/(?P<us_d>\d{{1,2}})/(?P<us_y>\d{{4}})\b"
    rf"|\b(?P<month>{_MONTH})\b\.?(?:\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?)?,?(?:\s+of)?\s+(?P<year>(?:19|20)\d\d)\b"
    rf"|\b(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\s+(?P<month2>{_MONTH})\b\.?,?\s+(?P<year2>(?:19|20)\d\d)\b",
    re.I,
)
YEAR = re.compile(r"\b(?:19|20)\d\d\b")


@dataclass(frozen=True, slots=True)
class MoneyAmount:
    value: float
    start: int
    end: int
    whole: bool
    """Written without cents."""
    approx: bool

    @property
    def tolerance(self) -> float:
        return 0.501 if self.whole or self.approx else 0.0099

    def equals(self, other: float) -> bool:
        return abs(self.value - other) <= self.tolerance


def amounts(text: str, start: int = 0, end: int | None = None) -> list[MoneyAmount]:
    found = []
    for match in MONEY.finditer(text, start, len(text) if end is None else end):
        written = match["value"] or match["words"]
        found.append(
            MoneyAmount(
                float(written.replace(",", "")),
                match.start(),
                match.end(),
                "." not in written,
                bool(match["approx"] or match["plus"]),
            )
        )
    return found


def number(text: str) -> float:
    return float(text.replace(",", ""))


@dataclass(frozen=True, slots=True)
class When:
    """A date as precise as it was written."""

    year: int
    month: int | None
    day: int | None
    start: int
    end: int

    def covers(self, iso: str) -> bool:
        parts = [int(part) for part in iso[:10].split("-")]
        return self.year == parts[0] and self.month in (None, parts[1]) and self.day in (None, parts[2])


def dates(text: str, start: int, end: int) -> Iterator[When]:
    """Full dates, months of a year, and bare years that are not part of them."""
    taken: list[tuple[int, int]] = []
    for match in DATE.finditer(text, start, end):
        groups = match.groupdict()
        year = groups["iso"] or groups["us_y"] or groups["year"] or groups["year2"]
        month = groups["iso_m"] or groups["us_m"]
        name = groups["month"] or groups["month2"]
        day = groups["iso_d"] or groups["us_d"] or groups["day"] or groups["day2"]
        taken.append(match.span())
        yield When(
            int(year),
            int(month) if month else _MONTHS[name.casefold()],
            int(day) if day else None,
            *match.span(),
        )
    for match in YEAR.finditer(text, start, end):
        if not any(low <= match.start() < high for low, high in taken):
            yield When(int(match[0]), None, None, *match.span())
