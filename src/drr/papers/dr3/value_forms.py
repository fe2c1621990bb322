"""Finds a value in a text in any common form. `54 months` is also `four and a half years`, `July 17, 2020` also `2020-07-17`.

A figure is read with its unit and compared in the base unit of its kind. A rounded or hedged figure, or one end of a range, matches in part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from drr.wording.dates import DayOfYear, TextDate, dates, days_of_year
from drr.wording.figures import HEDGES, UNITS, MeasureUnit
from drr.wording.quantities import quantities
from drr.wording.vocabulary import Wordbook, vocabulary

_HALVED = re.compile(
    r"\b(?:(?P<half>half)\san?\s(?P<u1>[a-z]{1,12})|an?\s(?P<u2>[a-z]{1,12})\sand\s(?:a\shalf|(?P<quarter>a\squarter)))\b",
    re.I,
)
_CODE_BEFORE = re.compile(r"(?:[,$/]|[^\W\d_][-–])$")
_CODE_BEHIND = re.compile(r"/\d|-[a-z]{1,12}-\d", re.I)
"""Parts of a code, a date or a fraction beside digits that are no figure."""
_RANGE_BEFORE = re.compile(r"(?:\d\s?[-–—]|\d[^\d.;]{0,14}\b(?:to|and|or)\s)$")
_JOINED = re.compile(r"\s?(?:,\s?)?(?:and\s)?")
_CODE = re.compile(
    r"(?=[A-Za-z0-9-]{0,30}[A-Za-z])(?=[A-Za-z0-9-]{0,30}\d)[A-Za-z0-9]{1,24}(?:-[A-Za-z0-9]{1,24}){0,4}"
)
_RUNS = re.compile(r"[A-Za-z]+|\d+")
_SAME, _NEAR = 1e-6, 0.05
_SMALL = 12
"""Largest count that matches only with the same noun after it, as small counts are often mere phrases."""
_AMBIGUOUS = frozenset(("in", "m", "a", "min", "second", "seconds", "'"))
"""Words read both as a unit and as no unit."""
_NO_MEASURES = ("count", "light", "thickness", "money")


@dataclass(frozen=True, slots=True)
class ValueFigure:
    """A figure that a text states."""

    kind: str
    amount: float
    base: float
    """Size of the figure's unit in the base unit of its kind."""
    step: float
    """Half a unit of the last digit shown, in the base unit of the kind."""
    start: int
    end: int
    hedged: bool
    after: str = ""
    """The one or two words after the figure."""


@dataclass(frozen=True, slots=True)
class StatedPlace:
    start: int
    end: int
    exact: bool
    """`False` if the value is stated only in part."""


class RateWords:
    """The words that turn a figure into a rate (`twice a week`) or a bound."""

    def __init__(self, words: Wordbook) -> None:
        units = {form: unit for unit in ("day", "week", "month", "year") for form in words[f"{unit}ly"]}
        self._unit_of = {form.casefold(): unit for form, unit in units.items()}
        forms = "|".join(map(re.escape, sorted(units, key=len, reverse=True)))
        self.rate = re.compile(rf"(?:\s?[x×]|(?:[\s-][a-z]{{1,14}}){{0,3}})\s?(?P<each>{forms})\b", re.I)
        self.times = {word.casefold(): count for count, word in enumerate(words["times"], 1)}
        self.often = re.compile(rf"\b(?P<times>{words.either('times')})\b", re.I)
        self.negated = re.compile(
            rf"\b(?:{words.either('negated')})\s{{1,4}}(?:[\w'’-]{{1,20}}\s{{1,4}}){{0,2}}\w?$", re.I
        )
        """Negations before a hedge."""
        self.before = re.compile(rf"\b(?:{words.either('before')})\b", re.I)

    def each(self, text: str, end: int) -> tuple[str, int] | None:
        """Return the unit of time of a rate and where the rate ends; `None` if the figure is no rate. The figure ends at `end`."""
        found = self.rate.match(text, end)
        return None if found is None else (self._unit_of[found["each"].casefold()], found.end())


RATES = RateWords(vocabulary("told_values"))


class StatedValue:
    """A value as it was written once; `places` finds where other texts state it."""

    def __init__(self, written: str) -> None:
        self.written = written
        self._day = next((day for day, _, _ in _days(written)), None)
        self._code: re.Match[str] | None = None
        self._figure: ValueFigure | None = None
        if self._day is None:
            code = _CODE.search(written)
            self._code = code if code is not None and not _is_measure(code[0]) else None
        if self._day is None and self._code is None:
            found = sorted(stated_figures(written), key=lambda one: (one.kind == "count", one.start))
            self._figure = found[0] if found else None

    @property
    def is_known(self) -> bool:
        """Tell whether code can look for the value: a day, a code or a figure. Values in words alone are not known."""
        return bool(self._day or self._code or self._figure)

    @property
    def is_plain(self) -> bool:
        """Tell whether the value is a common one: a whole number of months or percent, which many products share."""
        one = self._figure
        if one is None or one.kind == "money":
            return False
        return one.step in (0.0, 0.5 * one.base) and (one.amount / one.base) % 1 == 0

    def places(self, text: str) -> list[StatedPlace]:
        if self._day is not None:
            return list(_day_places(self._day, text))
        if self._code is not None:
            return list(_code_places(self._code, text))
        if self._figure is None:
            return []
        found = [(one, _compare_figures(self._figure, one)) for one in stated_figures(text)]
        return [StatedPlace(one.start, one.end, exact) for one, exact in found if exact is not None]


def _is_measure(code: str) -> bool:
    """Tell whether a code is a figure with its unit: `54-month`, `10oz`."""
    return any(one.text == code and one.unit is not None for one in quantities(code))


def _code_places(code: re.Match[str], text: str) -> Iterator[StatedPlace]:
    runs = r"[\s-]?".join(map(re.escape, _RUNS.findall(code[0])))
    exact = RATES.before.search(code.string, 0, code.start()) is None or RATES.before.search(text) is not None
    for found in re.finditer(
        rf"(?<![A-Za-z0-9])(?<![A-Za-z0-9]-){runs}(?![A-Za-z0-9]|-[A-Za-z0-9])", text, re.I
    ):
        yield StatedPlace(*found.span(), exact)


def _day_places(day: str, text: str) -> Iterator[StatedPlace]:
    """Yield the places of a day. Its month or its day of the year, where no complete date stands, match in part."""
    whole = _days(text)
    yield from (StatedPlace(start, end, exact=True) for one, start, end in whole if one == day)
    parts: list[TextDate | DayOfYear] = [
        one for one in dates(text, 0, len(text)) if one.month is not None and one.day is None
    ]
    for part in (*parts, *days_of_year(text, 0, len(text))):
        if part.covers(day) and not _meets(part, [(start, end) for _, start, end in whole]):
            yield StatedPlace(part.start, part.end, exact=False)


@lru_cache(maxsize=2048)
def _days(text: str) -> tuple[tuple[str, int, int], ...]:
    """Return the complete dates of a text as `YYYY-MM-DD`, each with its start and end."""
    return tuple(
        (f"{when.year:04d}-{when.month:02d}-{when.day:02d}", when.start, when.end)
        for when in dates(text, 0, len(text))
        if when.month is not None and when.day is not None
    )


def _compare_figures(wanted: ValueFigure, other: ValueFigure) -> bool | None:
    """Compare two figures. `True`: equal, `False`: equal in part, `None`: different."""
    if wanted.kind != other.kind:
        return None
    if wanted.kind == "count" and wanted.amount <= _SMALL and not _one_word(wanted.after, other.after):
        return None
    off, size = abs(wanted.amount - other.amount), abs(wanted.amount)
    if off <= _SAME * max(1.0, size):
        return not other.hedged
    rounded = other.step > 0 and off <= other.step + _SAME
    if rounded and wanted.base != other.base and other.step <= wanted.step and not other.hedged:
        return True  # in another unit, with the same precision
    return False if (rounded or other.hedged) and off <= _NEAR * size and other.kind != "count" else None


def _one_word(a: str, b: str) -> bool:
    first = a.casefold().split()[:1]
    return bool(first) and any(first[0].rstrip("s") == word.rstrip("s") for word in b.casefold().split())


@lru_cache(maxsize=2048)
def stated_figures(text: str) -> tuple[ValueFigure, ...]:
    """Return all figures of a text except dates and codes, in order. A value given in two units is one figure."""
    taken = [(start, end) for _, start, end in _days(text)]
    measured, halved, often = (
        [one for one in own if not _meets(one, taken)]
        for own in (_measured_figures(text), _half_figures(text), _rate_figures(text))
    )
    halves = [(one.start, one.end) for one in halved]
    rest = [one for one in _compounds(measured, text) if not _meets(one, halves)]
    return tuple(sorted([*rest, *halved, *often], key=lambda one: one.start))


def _meets(one: ValueFigure | TextDate | DayOfYear, taken: Iterable[tuple[int, int]]) -> bool:
    return any(one.start < high and low < one.end for low, high in taken)


def _measured_figures(text: str) -> Iterator[ValueFigure]:
    for one in quantities(text):
        start, stop, unit = one.start, one.stop, one.unit
        hedged, step = one.approx or _is_hedged(text, start), 0.5 * 10**-one.decimals
        if one.kind == "money" and unit is None:
            yield ValueFigure("money", one.value, 1.0, step, start, one.end, hedged)
            continue
        if _CODE_BEFORE.search(text, 0, start) or (not one.decimals and _CODE_BEHIND.match(text, stop)):
            continue
        per = RATES.each(text, stop)
        if per is not None:
            yield ValueFigure(f"a {per[0]}", one.value, 1.0, 0.0, start, per[1], hedged)
        if unit is not None and unit.kind not in _NO_MEASURES:
            kind, base = _kind_of(unit)
            yield ValueFigure(kind, one.value * base, base, step * base, start, one.end, hedged)
        if per is None and (unit is None or unit.kind == "count" or one.form in _AMBIGUOUS):
            tail = " ".join(text[stop : stop + 40].split()[:2])
            yield ValueFigure("count", one.value, 1.0, 0.0, start, stop, hedged, tail)


def _kind_of(unit: MeasureUnit) -> tuple[str, float]:
    """Return the kind and base unit of a unit. Months and years are a kind of their own, as months have no fixed number of days."""
    if unit.kind == "time" and unit.name in ("month", "year"):
        return "months", 12.0 if unit.name == "year" else 1.0
    return unit.kind, unit.base


def _half_figures(text: str) -> Iterator[ValueFigure]:
    """Yield figures such as `a year and a half`, `half a year`."""
    for match in _HALVED.finditer(text):
        unit = UNITS.named(match["u1"] or match["u2"])
        if unit is not None and unit.kind in ("time", "length", "weight"):
            kind, base = _kind_of(unit)
            share = 0.5 if match["half"] else 1.25 if match["quarter"] else 1.5
            yield ValueFigure(kind, share * base, base, 0.0, *match.span(), _is_hedged(text, match.start()))


def _rate_figures(text: str) -> Iterator[ValueFigure]:
    """Yield rates such as `twice a week`."""
    for match in RATES.often.finditer(text):
        per, start = RATES.each(text, match.end()), match.start()
        if per is not None:
            count = float(RATES.times[match["times"].casefold()])
            yield ValueFigure(f"a {per[0]}", count, 1.0, 0.0, start, per[1], _is_hedged(text, start))


def _compounds(figures: list[ValueFigure], text: str) -> list[ValueFigure]:
    """Join figures of two units, such as `4 years and 6 months` or `2 ft 4.8 in`, into one."""
    found = list(figures)
    for first, second in pairwise([one for one in figures if one.kind != "count"]):
        finer = first.kind == second.kind and second.base < first.base and second.amount < first.base
        if finer and _JOINED.fullmatch(text, first.end, second.start):
            amount = first.amount + second.amount
            whole = replace(second, amount=amount, start=first.start, hedged=first.hedged)
            found = [one for one in found if not _meets(one, [(whole.start, whole.end)])] + [whole]
    return found


def _is_hedged(text: str, start: int) -> bool:
    """Tell whether a figure is hedged or ends a range. `no more than $5` is no hedge: it states the bound itself."""
    low = max(0, start - 24)
    hedge = HEDGES.before.search(text, low, start)
    if hedge is not None:
        ahead = text, max(0, hedge.start() - 40), hedge.start() + 1
        if RATES.negated.search(*ahead) is None:
            return True
    return _RANGE_BEFORE.search(text[low:start]) is not None
