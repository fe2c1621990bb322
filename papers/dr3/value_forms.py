"""The test whether a text has a value, however people write it. `54 months` as `four and a half years`, `July 17, 2020` as `2020-07-17`.

A figure is read with its unit and compared in the base unit of its kind. What is rounded, hedged or one end of a range tells it in part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from drr.wording.dates import MONTH, dates, days_of_year
from drr.wording.figures import CARDINALS, HEDGES, SPOKEN, UNITS, WHOLE, cardinals, number, spoken
from drr.wording.money import every_amount
from drr.wording.vocabulary import Wordbook, vocabulary

_VULGAR = {"½": 1 / 2, "¼": 1 / 4, "¾": 3 / 4, "⅓": 1 / 3, "⅔": 2 / 3, "⅛": 1 / 8}
_ODD = {"half": 1 / 2, "quarter": 1 / 4, "third": 1 / 3}
_MARKS = "".join(_VULGAR)
_HUNDREDS = rf"(?:(?:a|{cardinals(1, 9)})\shundred(?:\s(?:and\s)?(?:{SPOKEN}))?|{SPOKEN})"
_NUMBER = (
    rf"(?:(?<![\w.,$/])(?P<whole>{WHOLE})(?:(?P<part>\.\d{{1,6}})|\s?(?P<vulgar>[{_MARKS}])|[\s-](?P<over>\d{{1,2}}/\d{{1,2}}))?"
    rf"|(?<![\w.])(?P<bare>[{_MARKS}])|(?<!\w)(?P<words>{_HUNDREDS})(?:\sand\s(?:a|one)\s(?P<odd>{'|'.join(_ODD)}))?)"
)
_MEASURED = re.compile(
    rf"{_NUMBER}(?!\d|/\d|-[a-z]{{1,12}}-\d)(?:(?:\s|-|\s-\s)?(?P<unit>%|[\"″”']|per\scent\b|[a-z]{{1,24}}\b\.?))?",
    re.I,
)
_HALVED = re.compile(
    r"\b(?:(?P<half>half)\san?\s(?P<u1>[a-z]{1,12})|an?\s(?P<u2>[a-z]{1,12})\sand\s(?:a\shalf|(?P<quarter>a\squarter)))\b",
    re.I,
)
_MORE_DATES = re.compile(
    rf"\b(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?\sof\s(?P<m1>{MONTH})\b\.?,?\s(?P<y1>(?:19|20)\d\d)\b"
    r"|(?<![\d/.-])(?P<y2>(?:19|20)\d\d)[/.](?P<m2>\d{1,2})[/.](?P<d2>\d{1,2})(?![\d/])"
    r"|(?<![\d/.-])(?P<m3>\d{1,2})(?P<s3>[/-])(?P<d3>\d{1,2})(?P=s3)(?P<y3>\d{4}|\d\d)(?![\d/-])",
    re.I,
)
_RANGE_BEFORE = re.compile(r"(?:\d\s?[-–—]|\d[^\d.;]{0,14}\b(?:to|and|or)\s)$")
_JOINED = re.compile(r"\s?(?:,\s?)?(?:and\s)?")
_CODE = re.compile(
    r"(?=[A-Za-z0-9-]{0,30}[A-Za-z])(?=[A-Za-z0-9-]{0,30}\d)[A-Za-z0-9]{1,24}(?:-[A-Za-z0-9]{1,24}){0,4}"
)
_RUNS = re.compile(r"[A-Za-z]+|\d+")
_SAME, _NEAR = 1e-6, 0.05
_SMALL = 12
"""A count up to here is a manner of speaking where what is counted does not stand beside it."""
_AMBIGUOUS = frozenset(("in", "m", "a", "min", "second", "seconds", "'"))
"""Read as a unit, and as no unit."""


@dataclass(frozen=True, slots=True)
class ToldFigure:
    """A figure as a text tells it."""

    kind: str
    amount: float
    base: float
    """Size of its unit in the base unit of its kind."""
    step: float
    """Half of the last place shown, in the base of its kind."""
    start: int
    end: int
    hedged: bool
    after: str = ""
    """The one or two words after it."""


@dataclass(frozen=True, slots=True)
class ToldPlace:
    start: int
    end: int
    exact: bool
    """`False`: it is told in part."""


@dataclass(frozen=True)
class _Day:
    year: int
    month: int
    day: int

    def iso(self) -> str:
        return f"{self.year:04d}-{self.month:02d}-{self.day:02d}"


class RateWords:
    """Words that make a rate or a bound of a figure."""

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
        """Words ahead of a hedge."""
        self.before = re.compile(rf"\b(?:{words.either('before')})\b", re.I)

    def each(self, text: str, end: int) -> tuple[str, int] | None:
        """Per what a figure that ends here is, and where that ends."""
        found = self.rate.match(text, end)
        return None if found is None else (self._unit_of[found["each"].casefold()], found.end())


RATES = RateWords(vocabulary("told_values"))


class ToldValue:
    """A value as it was written once; `places` finds it in the words of others."""

    def __init__(self, written: str) -> None:
        self.written = written
        self._day = next((day for day, _, _ in _days(written)), None)
        code = None if self._day else _CODE.search(written)
        self._figure: ToldFigure | None = None
        if self._day is None and (code is None or _is_measure(code[0])):
            code = None
            found = sorted(stated_figures(written), key=lambda one: (one.kind == "count", one.start))
            self._figure = found[0] if found else None
        self._code = None if code is None else code[0]
        self._bound = code is not None and RATES.before.search(written, 0, code.start()) is not None

    @property
    def is_known(self) -> bool:
        """Tell whether code can look for it; what only words express it cannot."""
        return bool(self._day or self._code or self._figure)

    @property
    def is_plain(self) -> bool:
        """Tell whether much else has such a value: a whole number of months or percent."""
        one = self._figure
        return (
            one is not None
            and one.kind != "money"
            and (one.step in (0.0, 0.5 * one.base))
            and (one.amount / one.base) % 1 == 0
        )

    def places(self, text: str) -> list[ToldPlace]:
        if self._day is not None:
            return list(_day_places(self._day, text))
        if self._code is not None:
            return list(self._code_places(self._code, text))
        return [] if self._figure is None else list(_figure_places(self._figure, text))

    def _code_places(self, code: str, text: str) -> Iterator[ToldPlace]:
        runs = r"[\s-]?".join(map(re.escape, _RUNS.findall(code)))
        for found in re.finditer(
            rf"(?<![A-Za-z0-9])(?<![A-Za-z0-9]-){runs}(?![A-Za-z0-9]|-[A-Za-z0-9])", text, re.I
        ):
            yield ToldPlace(*found.span(), not self._bound or RATES.before.search(text) is not None)


def _is_measure(code: str) -> bool:
    """`54-month`, `10oz`: a figure with its unit."""
    found = _MEASURED.fullmatch(code)
    return found is not None and bool(found["unit"]) and UNITS.named(found["unit"]) is not None


def _day_places(day: _Day, text: str) -> Iterator[ToldPlace]:
    whole = _days(text)
    yield from (ToldPlace(start, end, exact=True) for one, start, end in whole if one == day)
    for when in dates(text, 0, len(text)):
        if (
            when.month is not None
            and when.day is None
            and when.covers(day.iso())
            and not _lies_in(when.start, whole)
        ):
            yield ToldPlace(when.start, when.end, exact=False)
    for stated_day in days_of_year(text, 0, len(text)):
        if stated_day.covers(day.iso()) and not _lies_in(stated_day.start, whole):
            yield ToldPlace(stated_day.start, stated_day.end, exact=False)


def _lies_in(position: int, days: Iterable[tuple[_Day, int, int]]) -> bool:
    return any(start <= position < end for _, start, end in days)


@lru_cache(maxsize=2048)
def _days(text: str) -> tuple[tuple[_Day, int, int], ...]:
    """Whole dates, each with its place."""
    found = [
        (day, *match.span()) for match in _MORE_DATES.finditer(text) if (day := _more(match)) is not None
    ]
    for when in dates(text, 0, len(text)):
        if when.month is not None and when.day is not None and not _lies_in(when.start, found):
            found.append((_Day(when.year, when.month, when.day), when.start, when.end))
    return tuple(found)


def _more(match: re.Match[str]) -> _Day | None:
    groups = match.groupdict()
    if groups["m1"]:
        full = next(dates(f"{groups['m1']} {groups['d1']}, {groups['y1']}", 0, 30), None)
        return None if full is None or full.month is None else _Day(full.year, full.month, int(groups["d1"]))
    if groups["y2"]:
        return _Day(int(groups["y2"]), int(groups["m2"]), int(groups["d2"]))
    year = int(groups["y3"])
    return _Day(year if year > 99 else 2000 + year, int(groups["m3"]), int(groups["d3"]))


def _figure_places(wanted: ToldFigure, text: str) -> Iterator[ToldPlace]:
    for one in stated_figures(text):
        exact = _same(wanted, one)
        if exact is not None:
            yield ToldPlace(one.start, one.end, exact)


def _same(wanted: ToldFigure, other: ToldFigure) -> bool | None:
    """Compare two values. `True`: they are one, `False`: nearly, `None`: not."""
    if wanted.kind != other.kind:
        return None
    if wanted.kind == "count" and wanted.amount <= _SMALL and not _one_word(wanted.after, other.after):
        return None
    off, size = abs(wanted.amount - other.amount), abs(wanted.amount)
    if off <= _SAME * max(1.0, size):
        return not other.hedged
    rounded = other.step > 0 and off <= other.step + _SAME
    if rounded and wanted.base != other.base and other.step <= wanted.step and not other.hedged:
        return True  # in another unit, and as finely
    return False if (rounded or other.hedged) and off <= _NEAR * size and other.kind != "count" else None


def _one_word(a: str, b: str) -> bool:
    first = a.casefold().split()[:1]
    return bool(first) and any(first[0].rstrip("s") == word.rstrip("s") for word in b.casefold().split())


@lru_cache(maxsize=2048)
def stated_figures(text: str) -> tuple[ToldFigure, ...]:
    """Every figure but dates and codes, in order; what is told in two units is one figure."""
    taken = [(start, end) for _, start, end in _days(text)]
    found = [
        _money(text, one.value, one.start, one.end, approx=one.approx, whole=one.whole)
        for one in every_amount(text)
    ]
    taken += [(one.start, one.end) for one in found]
    measured = [one for one in _measured(text) if not _meets(one, taken)]
    halved = [one for one in _halved(text) if not _meets(one, taken)]
    often = [one for one in _often(text) if not _meets(one, taken)]
    rest = [one for one in _compounds(measured, text) if not any(_overlap(one, other) for other in halved)]
    return tuple(sorted([*found, *rest, *halved, *often], key=lambda one: one.start))


def _meets(one: ToldFigure, taken: Iterable[tuple[int, int]]) -> bool:
    return any(one.start < high and low < one.end for low, high in taken)


def _overlap(one: ToldFigure, other: ToldFigure) -> bool:
    return one.start < other.end and other.start < one.end


def _money(text: str, value: float, start: int, end: int, *, approx: bool, whole: bool) -> ToldFigure:
    return ToldFigure(
        "money", value, 1.0, 0.5 if whole else 0.005, start, end, approx or _is_hedged(text, start)
    )


def _measured(text: str) -> Iterator[ToldFigure]:
    for match in _MEASURED.finditer(text):
        start = match.start()
        before = text[max(0, start - 2) : start]
        if before[-1:] in "-–" and before[:1].isalpha():
            continue  # the digits of a code
        value, digits = _value(match)
        hedged = _is_hedged(text, start)
        end = next(
            match.end(name)
            for name in ("odd", "words", "bare", "over", "vulgar", "part", "whole")
            if match[name]
        )
        tail = " ".join(text[end : end + 40].split()[:2])
        per = RATES.each(text, end)
        if per is not None:
            yield ToldFigure(f"a {per[0]}", value, 1.0, 0.0, start, per[1], hedged)
        form = match["unit"] or ""
        unit = UNITS.named(
            "percent" if form.casefold().startswith("per") and " " in form else form.rstrip(".")
        )
        if unit is not None and unit.kind not in ("count", "light", "thickness", "money"):
            step = 0.5 * 10**-digits * unit.base
            kind, base = _time_kind(unit.name, unit.base) if unit.kind == "time" else (unit.kind, unit.base)
            yield ToldFigure(kind, value * base, base, step / unit.base * base, start, match.end(), hedged)
        if per is None and (unit is None or unit.kind == "count" or form.casefold() in _AMBIGUOUS):
            yield ToldFigure("count", value, 1.0, 0.0, start, end, hedged, tail)


def _time_kind(name: str, base: float) -> tuple[str, float]:
    """Months do not come to days: a year is twelve of the one, a week seven of the other."""
    if name in ("month", "year"):
        return "months", 12.0 if name == "year" else 1.0
    return "time", base


def _value(match: re.Match[str]) -> tuple[float, int]:
    """Read a value and the number of decimals that it shows."""
    if match["words"]:
        return _in_words(match["words"]) + _ODD.get((match["odd"] or "").casefold(), 0.0), 2 if match[
            "odd"
        ] else 0
    if match["bare"]:
        return _VULGAR[match["bare"]], 2
    value = number(match["whole"] + (match["part"] or ""))
    if match["vulgar"]:
        return value + _VULGAR[match["vulgar"]], 2
    if match["over"]:
        above, below = map(int, match["over"].split("/"))
        return value + (above / below if below else 0.0), 2
    return value, len(match["part"] or ".") - 1


def _in_words(words: str) -> float:
    head, hundred, rest = words.casefold().partition("hundred")
    if not hundred or not rest.strip():
        return float(spoken(words)) if not head.strip() or not hundred else 100.0 * _many(head)
    return 100.0 * _many(head) + spoken(rest.strip().removeprefix("and").strip())


def _many(head: str) -> int:
    word = head.strip()
    return 1 if word in ("a", "") else CARDINALS.index(word)


def _halved(text: str) -> Iterator[ToldFigure]:
    """`a year and a half`, `half a year`."""
    for match in _HALVED.finditer(text):
        unit = UNITS.named(match["u1"] or match["u2"])
        if unit is not None and unit.kind in ("time", "length", "weight"):
            kind, base = _time_kind(unit.name, unit.base) if unit.kind == "time" else (unit.kind, unit.base)
            share = 0.5 if match["half"] else 1.25 if match["quarter"] else 1.5
            yield ToldFigure(kind, share * base, base, 0.0, *match.span(), _is_hedged(text, match.start()))


def _often(text: str) -> Iterator[ToldFigure]:
    """`twice a week`"""
    for match in RATES.often.finditer(text):
        per = RATES.each(text, match.end())
        if per is not None:
            count = float(RATES.times[match["times"].casefold()])
            yield ToldFigure(
                f"a {per[0]}", count, 1.0, 0.0, match.start(), per[1], _is_hedged(text, match.start())
            )


def _compounds(figures: list[ToldFigure], text: str) -> list[ToldFigure]:
    """`4 years and 6 months`, `2 ft 4.8 in`: one figure of two units."""
    found = list(figures)
    for first, second in pairwise([one for one in figures if one.kind != "count"]):
        finer = first.kind == second.kind and second.base < first.base and second.amount < first.base
        if finer and _JOINED.fullmatch(text, first.end, second.start):
            whole = replace(
                second, amount=first.amount + second.amount, start=first.start, hedged=first.hedged
            )
            found = [one for one in found if not _overlap(one, whole)] + [whole]
    return found


def _is_hedged(text: str, start: int) -> bool:
    """`no more than $5` is no hedge: it names the bound itself."""
    low = max(0, start - 24)
    hedge = HEDGES.before.search(text, low, start)
    if (
        hedge is not None
        and RATES.negated.search(text, max(0, hedge.start() - 40), hedge.start() + 1) is None
    ):
        return True
    return _RANGE_BEFORE.search(text[low:start]) is not None
