"""Every figure of a sentence with its place, digits or words: money, shares, fractions, measures, years, days, times of day, counts.

Wider than `figures`, which code accuses by: what is read here is compared only where two texts are laid side by side.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from drr.wording.dates import MONTH, month_of
from drr.wording.numbers import DIGITS, SPOKEN, number, spoken
from drr.wording.units import UNITS
from drr.wording.vocabulary import Wordbook, vocabulary

Bound = Literal["", "about", "over", "under"]


class Amount(NamedTuple):
    value: float
    kind: str | None
    """money, share, year, day (of a year), clock, times, or what a unit measures; `None` for a count of things."""
    base: float
    """In the base unit of its kind."""
    decimals: int
    """Fewer than none where it is rounded: `3.4 million` has -5."""
    bound: Bound
    start: int
    end: int
    text: str
    unit: str = ""
    """The sign of its money, or the word that stands for its unit."""
    loose: bool = False
    """An article before a unit ("an hour"): may be said of nothing in particular."""


_YEARS = (1000, 2100)
_HEDGED_WITHIN = 18
"""Characters before a figure in which it may be hedged."""


class AmountReader:
    def __init__(self, words: Wordbook) -> None:
        self._scales = _values(words, "scales")
        self._parts = _values(words, "parts")
        self._multiples = _values(words, "multiples")
        self._currencies = frozenset(words["currencies"])
        self._hundredths = frozenset(words["hundredths"])
        self._kilograms = frozenset(words["kilograms"])
        self._temperatures = frozenset(word.casefold() for word in words["temperatures"])
        self._shares = frozenset(words["shares"])
        scale = words.either("scales")
        shares = words.either("shares")
        figure = rf"(?:{DIGITS}|\.\d{{1,18}})"
        self._figure = re.compile(
            rf"(?P<iso>(?<![\w.,-])(?:19|20)\d\d-(?P<iso_m>[01]\d)-(?P<iso_d>[0-3]\d)(?![\w-]))"
            rf"|(?P<whole>(?:/|\bout\sof\s)\d{{1,3}}(?![\w.,]*\d))"
            rf"|(?P<clock>(?<![\d.:])[0-2]?\d:[0-5]\d(?![\d:]))"
            rf"|(?P<day>(?<![\d.,])[0-3]?\d)(?:st|nd|rd|th)?(?:\sof)?\s(?P<month>{MONTH})\b"
            rf"|\b(?P<month2>{MONTH})\.?\s(?P<day2>[0-3]?\d)(?:st|nd|rd|th)?(?![\d:])"
            rf"|(?:(?P<sign>{words.either('signs')})\s?)?(?<![\w.])(?P<digits>{figure})(?P<k>[kK](?![a-zA-Z]))?(?:\s(?P<scale>{scale})\b)?"
            rf"(?:[\s-]?(?P<share>{shares})(?![a-z]))?",
            re.I,
        )
        self._word = re.compile(
            rf"\b(?:(?P<top>an?|one|two|three|four|five|six|seven|eight|nine)[\s-])(?P<part>{words.either('parts')})s?\b"
            rf"|(?<![\d.,])\b(?P<in>{SPOKEN}(?=\sout\sof\s|\sin\s)|\d{{1,3}}(?=\sin\s))\s(?:in|out\sof)(?:\severy)?\s(?P<of>{SPOKEN}|\d{{1,3}})\b"
            rf"|\b(?P<n>{SPOKEN})(?P<half>\sand\sa\shalf)?(?:[\s-](?P<scale>{scale}))?(?:\s(?P<share>{shares}))?(?![\w'])"
            rf"|\bhalf\san?\s(?=(?P<halved>[a-z]{{3,12}})\b)"
            rf"|\b(?P<multiple>{words.either('multiples')})\b"
            rf"|\b(?P<article>an?|one|full)\s(?=(?P<thing>[a-z]{{1,12}})\b(?P<more>\sand\sa\shalf)?)",
            re.I,
        )
        self._bounds: tuple[tuple[Bound, re.Pattern[str]], ...] = (
            ("over", _before(words, "over")),
            ("under", _before(words, "under")),
            ("about", _before(words, "about")),
        )

    def read(self, text: str) -> list[Amount]:
        """In the order of the text, without those that lie within another."""
        found = [*self._in_digits(text), *self._in_words(text)]
        kept: list[Amount] = []
        for one in sorted(found, key=lambda a: (a.start, -a.end)):
            if not kept or one.start >= kept[-1].end:
                kept.append(one)
        return _with_shared_units(text, kept)

    def _in_digits(self, text: str) -> Iterator[Amount]:
        for m in self._figure.finditer(text):
            if m["whole"]:
                continue  # what a rating is out of
            if m["iso"]:
                at = m.start()
                yield self._amount(text, (at, at + 4), float(m["iso"][:4]), "year")
                yield self._amount(text, (at + 5, m.end()), 31.0 * int(m["iso_m"]) + int(m["iso_d"]), "day")
            elif m["clock"]:
                hours, minutes = m["clock"].split(":")
                yield self._amount(text, m.span("clock"), 60.0 * int(hours) + int(minutes), "clock")
            elif m["month"] or m["month2"]:
                month, day = month_of(m["month"] or m["month2"]), int(m["day"] or m["day2"])
                yield self._amount(text, m.span(), 31.0 * month + day, "day")
            else:
                yield self._measured(text, m)

    def _measured(self, text: str, m: re.Match[str]) -> Amount:
        value = (
            number(m["digits"])
            * (1000 if m["k"] else 1)
            * self._scales.get((m["scale"] or "").casefold(), 1.0)
        )
        decimals = len(m["digits"].partition(".")[2]) - _zeros(m["scale"], m["k"], self._scales)
        start = m.start("sign") if m["sign"] else m.start("digits")
        if m["share"]:
            return self._amount(text, (start, m.end()), value, "share", decimals, "%")
        if m["sign"]:
            return self._amount(text, (start, m.end()), value, "money", decimals, m["sign"])
        bare = m["digits"].isdecimal() and not m["k"] and not m["scale"]
        return self._with_unit(text, (start, m.end()), value, decimals, bare=bare)

    def _with_unit(
        self, text: str, span: tuple[int, int], value: float, decimals: int, *, bare: bool = False
    ) -> Amount:
        unit = _UNIT.match(text, span[1])
        form = unit["unit"].casefold() if unit else ""
        whole = (span[0], unit.end() if unit else span[1])
        if form in self._currencies:
            return self._amount(text, whole, value, "money", decimals, _SIGNS.get(form.rstrip("s"), ""))
        if form in self._kilograms:
            form = "kg"
        if form in self._temperatures:
            return self._amount(text, whole, value, "temperature", decimals, "degree")
        if form in self._hundredths:
            return self._amount(text, whole, value / 100, "money", 2)
        known = UNITS.named(form) if form and not _AT_PLACE.match(text, span[1]) else None
        if known is not None and known.kind not in _COUNTED:
            made = self._amount(text, whole, value, known.kind, decimals, known.name)
            return made._replace(base=value * known.base)
        if bare and _YEARS[0] <= value < _YEARS[1] and not _THINGS.match(text, span[1]):
            return self._amount(text, span, value, "year")
        return self._amount(text, span, value, None, decimals)

    def _in_words(self, text: str) -> Iterator[Amount]:
        for m in self._word.finditer(text):
            if m["halved"]:
                if UNITS.named(m["halved"]) is not None:
                    yield self._with_unit(text, (m.start(), m.end() - 1), 0.5, 1)
            elif m["multiple"]:
                yield self._amount(text, m.span(), self._multiples[m["multiple"].casefold()], "times")
            elif m["part"]:
                top = 1 if m["top"].casefold() in ("a", "an") else spoken(m["top"])
                yield self._amount(
                    text, m.span(), 100 * top / self._parts[m["part"].casefold()], "share", 2, "part"
                )
            elif m["in"]:
                below = _whole(m["of"])
                if below > _whole(m["in"]):
                    yield self._amount(text, m.span(), 100 * _whole(m["in"]) / below, "share", 2, "part")
            elif m["article"]:
                unit = UNITS.named(m["thing"])
                if unit is not None and unit.kind in _SAID_ALONE and len(m["thing"]) > 2:
                    made = self._with_unit(text, (m.start(), m.end() - 1), 1.5 if m["more"] else 1.0, 0)
                    yield made._replace(loose=not m["more"], decimals=1 if m["more"] else 0)
            elif spoken(m["n"]) != 1 or m["scale"] or m["half"] or _ENDS.match(text, m.end()):
                value = (spoken(m["n"]) + (0.5 if m["half"] else 0)) * self._scales.get(
                    (m["scale"] or "").casefold(), 1.0
                )
                if m["share"]:
                    yield self._amount(text, m.span(), value, "share", 0, "%")
                else:
                    yield self._with_unit(text, m.span(), value, 1 if m["half"] else 0)

    def _amount(
        self,
        text: str,
        span: tuple[int, int],
        value: float,
        kind: str | None,
        decimals: int = 0,
        unit: str = "",
    ) -> Amount:
        before = text[max(0, span[0] - _HEDGED_WITHIN) : span[0]]
        hedges = [(m.start(), name) for name, pattern in self._bounds if (m := pattern.search(before))]
        bound: Bound = min(hedges)[1] if hedges else ""
        return Amount(value, kind, value, decimals, bound, *span, text[span[0] : span[1]].strip(), unit)


_UNIT = re.compile(r"[\s-]?(?P<unit>\u00b0\s?[CF]?|\"|\u201d|\u2033|[a-zA-Z]{1,24})(?![a-zA-Z])")
_AT_PLACE = re.compile(r"\sin\s[A-Za-z]", re.I)
"""`5.40 in December`: no inches."""
_SIGNS = {"euro": "€", "dollar": "$"}
_SAID_ALONE = frozenset(("time", "length", "volume", "weight"))
_THINGS = re.compile(r"\s[a-z]{3,24}s\b")
"""Behind a year nothing is counted."""
_COUNTED = frozenset(("count", "light", "thickness"))


def _values(words: Wordbook, group: str) -> dict[str, float]:
    """Each of a group's words with its value; a group may have lost words."""
    whole = vocabulary("amounts")[group]
    known = dict(zip(whole, words.groups[group].more["values"], strict=True))
    return {word: float(known[word]) for word in words[group]}


def _before(words: Wordbook, group: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?<!\bno )(?:{words.either(group)})\s{{1,4}}(?:an?\s|the\s)?$", re.I)


def _with_shared_units(text: str, found: list[Amount]) -> list[Amount]:
    """A unit that is said once counts for both ends of a range, and for a bare figure that ends a later clause."""
    for i in range(len(found) - 1):
        here, after = found[i], found[i + 1]
        if here.kind is None and _JOINS.fullmatch(text, here.end, after.start):
            found[i] = _of_unit(here, after)
    found = _compounded(text, found)
    for i in range(1, len(found)):
        here, before = found[i], found[i - 1]
        if here.kind is not None or _NAMED.search(text[max(0, here.start - 32) : here.start]):
            continue
        if before.unit and not before.loose and _BARE.match(text, here.end):
            found[i] = _of_unit(here, before)
    return found


def _compounded(text: str, found: list[Amount]) -> list[Amount]:
    """`4 lb 6 oz`, `five hours and ten minutes` are one figure."""
    kept: list[Amount] = []
    for one in found:
        last = kept[-1] if kept else None
        if (
            last
            and last.kind in _SAID_ALONE
            and last.kind == one.kind
            and last.value
            and one.value
            and _AND.fullmatch(text, last.end, one.start)
        ):
            factor = last.base / last.value
            if one.base / one.value < factor and one.base < factor:
                base = last.base + one.base
                kept[-1] = last._replace(
                    value=base / factor, base=base, decimals=2, end=one.end, text=text[last.start : one.end]
                )
                continue
        kept.append(one)
    return kept


def _of_unit(bare: Amount, measured: Amount) -> Amount:
    if measured.kind in (None, "year", "day", "clock", "times") or not measured.value:
        return bare
    return bare._replace(
        kind=measured.kind, base=bare.value * measured.base / measured.value, unit=measured.unit
    )


_AND = re.compile(r",?\s(?:and\s)?")
_NAMED = re.compile(r"\b[A-Z][\w.]{0,30}[ -]$")
"""Before a figure that is part of a name: `Polar 8`."""
_JOINS = re.compile(r"\s?(?:to|and|or|x|by|[-\u2013\u00d7])\s?", re.I)
_ENDS = re.compile(r"[.,;)](?!\d)|$")
_BARE = re.compile(r"[.,;)](?!\d)|$|\s(?:in|from|on|at|for|with|and|or|by|against|to)\b")
"""Behind a figure of which nothing more is said."""


def _whole(words: str) -> int:
    return int(words) if words.isdecimal() else spoken(words)


def _zeros(scale: str | None, k: str | None, scales: dict[str, float]) -> int:
    """Places that `3.4 million` shows fewer than its digits do: its last one stands for a hundred thousand."""
    factor = 1000.0 if k else scales.get((scale or "").casefold(), 1.0)
    return len(f"{factor:.0f}") - 1


amounts: Callable[[str], list[Amount]] = AmountReader(vocabulary("amounts")).read
