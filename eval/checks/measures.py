"""The measures of a text: a figure with its unit or with the thing that it counts, as records and reports write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from drr.wording.hedges import HEDGES
from drr.wording.numbers import DIGITS, SPOKEN, number_said
from drr.wording.units import UNITS

_PACKAGE = frozenset(
    ["count", "ct", "pack", "packs", "piece", "pieces", "pc", "pcs", "in-1", "set", "item", "items"]
)
_NO_THINGS = frozenset(
    [
        "of",
        "in",
        "on",
        "at",
        "to",
        "for",
        "from",
        "by",
        "with",
        "and",
        "or",
        "but",
        "the",
        "a",
        "an",
        "is",
        "are",
        "was",
        "were",
        "as",
        "than",
        "that",
        "it",
        "its",
        "per",
        "each",
        "x",
        "stars",
        "star",
        "out",
        "times",
        "time",
        "people",
        "buyers",
        "owners",
        "customers",
        "shoppers",
        "users",
        "folks",
        "ratings",
        "rating",
        "reviews",
        "review",
        "reviewers",
        "raters",
        "votes",
        "orders",
        "order",
        "purchases",
        "dollars",
        "dollar",
        "bucks",
        "cents",
        "cent",
        "day",
        "days",
        "week",
        "weeks",
        "month",
        "months",
        "year",
        "years",
        "ago",
        "later",
        "more",
        "less",
        "other",
        "others",
        "different",
        "products",
        "product",
        "options",
        "items",
        "item",
        "points",
        "percentage",
        "percent",
        "both",
        "one",
        "two",
        "three",
        "i",
        "you",
        "we",
    ]
)
PACKAGES = frozenset(["set", "box", "bag"])
"""Units of which so many are bought; those of `_PACKAGE` are read as counts."""
_MEASURE = re.compile(
    rf"(?<![\w.,$€£/#])(?:(?<!-)|(?<=\d-))(?<!hundred )(?<!thousand )(?P<n>{DIGITS}|{SPOKEN})(?P<more>(?:\s?[x×]\s?{DIGITS}){{0,2}})(?:[\s*_\xa0]{{1,3}}|-)?"
    r"(?P<u>in[ -]1\b|fl\.?\s?oz\b|[%\"″°]|[A-Za-z]{1,20})",
    re.I,
)
_FIGURE = re.compile(DIGITS)
_LOW = re.compile(
    rf"(?<![\w.,$€£/#-])(?:(?<!(?-i:[A-Z]{{2}})\s)(?P<n>{DIGITS})[*_]{{0,3}}\s?(?:-|–|to|(?P<by>by))"
    rf"|(?:(?<=between\s)|(?<![a-z]{{2}}\s))(?P<one>{DIGITS})[*_]{{0,3}}\s(?:and|or))\s?[*_]{{0,3}}$",
    re.I,
)
"""Before a figure: the lower end of its range, or its other side. Behind a word, `and` joins figures of two things (`rated 4.6 and 12 inches wide`)."""
_REACH = 16
_HEDGED = 28
"""Characters in which these stand."""
_OUNCES = {"ounce", "fluid_ounce"}
"""A liquid's are often written alike."""
A_RATE = re.compile(
    r"[\s*_]{0,3}(?:[a-z]{1,12}[\s*_]{1,3})?(?:(?:to|for|in|with)\s(?:the|each|every)|each|apiece|per|on)\b(?!\s(?:the|a|an|its|high|low|full)\b)"
    r"|[\s*_]{1,3}(?:of\s[a-z]{2,12}\s)?(?<!times\s)(?:an?|every)\s(?:hour|day|night|week|month|year)\b"
    r"|[\s*_]{0,3}(?:[a-z]{1,7}[\s*_]{1,3})?(?:and\s[\w-]{1,12}\s(?:days?|weeks?|months?)\s)?(?:apart|later|earlier|ago)\b",
    re.I,
)
"""Behind a figure: it is a rate, a share or a time that passed (`100 lumens to the dollar`, `40 loads each`, `nine years on`)."""


class MeasureSaid(NamedTuple):
    """A figure of some kind; `base` is in the base unit of its kind, for the package or a thing the figure itself."""

    value: float
    base: float
    kind: str
    """length, weight, ..., `count` for what a package holds, else the thing that is counted."""
    unit: str
    passing: bool
    """Of a unit that is said of much else than a product."""
    start: int
    end: int
    hedged: bool
    begins: int
    """Where the range begins that it ends; else where it does."""

    def in_units_of(self, other: MeasureSaid) -> float | None:
        """Its base where both are of one unit, a liquid's ounces as ounces of any kind; `None` of another."""
        if {self.unit, other.unit} == _OUNCES and other.value:
            return self.value * other.base / other.value
        return self.base if (self.unit, self.kind) == (other.unit, other.kind) else None

    def same(self, other: MeasureSaid) -> bool:
        """The same as far as the figure shows; in other units up to rounding."""
        if {self.unit, other.unit} == _OUNCES:
            return abs(self.value - other.value) <= _rounding(self.value, other.value)
        if self.kind != other.kind:
            return False
        if self.unit == other.unit:
            return abs(self.value - other.value) <= (
                0.1 * other.value + 0.05 if self.hedged else _rounding(self.value, other.value)
            )
        return abs(self.base - other.base) <= 0.04 * other.base


def _rounding(said: float, known: float) -> float:
    """Half of the last place said, where the other has more places."""
    return (
        0.5001
        if said == round(said) and known != round(known) and said >= 3
        else 0.051
        if round(said, 1) == said and round(known, 1) != known
        else 0.005
    )


_RATE = re.compile(r"\s?/\s?[A-Za-z]")
_PREPOSITION = re.compile(
    r"\s(?!(?:high|wide|tall|long|deep|thick|in|x|by|and|or|at|of|on|for|with|screens?|diameter|across|square|each|when|but|to|from|which|is|was)\b)[a-z]",
    re.I,
)
"""Behind `in`: it is no inch."""
_GRADE = re.compile(r"(?<![\w$-])(?P<u>[A-Z]{3,5})[\s-]?(?P<n>\d{1,3})(?![\w%]|[.,]\d)")
"""A standard's short name before its figure: `SPF 50`, `IPX7`."""


def measures(text: str, start: int = 0, end: int | None = None) -> Iterator[MeasureSaid]:
    """Every figure that has a unit or counts something, those of `22 x 28 in` and of `3 to 5 mil` each."""
    for match in _MEASURE.finditer(text, start, len(text) if end is None else end):
        written = match["u"].casefold().replace(".", "")
        form = (
            "fl oz"
            if written.startswith("fl") and written != "fl"
            else "in-1"
            if written.startswith("in") and written.endswith("1")
            else written
        )
        if _RATE.match(text, match.end()):
            continue  # so much in a time, of a thing
        if written == "in" and _PREPOSITION.match(text, match.end()):
            continue
        if match["n"].casefold() in ("one", "a hundred") or (not match["n"][0].isdigit() and len(form) < 3):
            continue
        low = _low(text, start, match, form)
        if low is None and text[match.start() - 1 : match.start()] == "-":
            continue  # the figure of a code
        begins, ends = (match.start(), []) if low is None else (low.start(), [low["n"] or low["one"]])
        hedged = HEDGES.before.search(text[max(start, begins - _HEDGED) : begins]) is not None
        hedged = hedged or HEDGES.behind.match(text, match.end()) is not None
        for figure in (*ends, match["n"], *_FIGURE.findall(match["more"])):
            value = number_said(figure)
            if one := _measure(value, form, match.span(), hedged, begins):
                yield one
    for match in _GRADE.finditer(text, start, len(text) if end is None else end):
        value, grade = float(match["n"]), f"{match['u']} grade"
        yield MeasureSaid(value, value, grade, grade, False, *match.span(), False, match.start())


def _low(text: str, start: int, match: re.Match[str], form: str) -> re.Match[str] | None:
    """The other end of a range, or the other side of what is so long by so wide."""
    low = _LOW.search(text, max(start, match.start() - _REACH), match.start())
    if low is None or low["by"] is None:
        return low
    unit = UNITS.named(form)
    return low if unit is not None and unit.kind == "length" else None


@lru_cache(maxsize=4096)
def measures_of(text: str) -> tuple[MeasureSaid, ...]:
    """Those of a record or a part of it, which is asked for them again and again."""
    return tuple(measures(text))


class MeasuresByKind:
    """The measures of a text by kind: of most kinds it has none, and a figure is held to those of its own."""

    def __init__(self, every: Iterable[MeasureSaid]) -> None:
        self._of_kind: dict[str, list[MeasureSaid]] = {}
        self._ounces: list[MeasureSaid] = []
        for one in every:
            self._of_kind.setdefault(one.kind, []).append(one)
            if one.unit in _OUNCES:
                self._ounces.append(one)

    def has(self, said: MeasureSaid) -> bool:
        """Whether any of them is the same."""
        ounces = self._ounces if said.unit in _OUNCES else ()
        return any(said.same(one) for one in (*self._of_kind.get(said.kind, ()), *ounces))


@lru_cache(maxsize=1024)
def measures_by_kind(text: str) -> MeasuresByKind:
    """Those of a record."""
    return MeasuresByKind(measures_of(text))


def _measure(value: float, form: str, span: tuple[int, int], hedged: bool, begins: int) -> MeasureSaid | None:
    if form in _PACKAGE and value % 1:
        return None  # worked out, not counted
    if form in _PACKAGE:
        return MeasureSaid(value, value, "count", "count", False, *span, hedged, begins)
    unit = UNITS.named(form)
    if unit is not None and unit.kind == "money":
        return None
    if unit is not None and unit.kind != "count":
        return MeasureSaid(
            value,
            value * unit.base,
            unit.kind,
            unit.name,
            unit.passing or unit.kind == "time",
            *span,
            hedged,
            begins,
        )
    if form in _NO_THINGS or (len(form) < 3 and form not in ("a", "hz", "k")):
        return None
    thing = form[:-1] if form.endswith("s") and not form.endswith("ss") else form
    return MeasureSaid(value, value, thing, thing, False, *span, hedged, begins)


def packed(title: str) -> frozenset[float]:
    """How many of something a title counts: `24 Pads`, `12 Count`."""
    counted = (one.value for one in measures_of(title) if one.unit == one.kind)
    return frozenset(one for one in counted if one > 1 and one.is_integer())


ADDED = frozenset(["length", "weight", "volume", "count"])
"""What several of a thing have more of."""


def packs_hold(said: MeasureSaid, title: str, known: Iterable[MeasureSaid]) -> bool:
    """Whether a whole package holds it, by so many of its title and what each has: 24 pads of 70 sheets."""
    if said.kind not in ADDED and said.unit != said.kind:
        return False
    many = packed(title)
    return any(
        said.same(one._replace(value=one.value * each, base=one.base * each))
        for one in (known if many else ())
        if one.kind == said.kind
        for each in many
        if one.value != each
    )
