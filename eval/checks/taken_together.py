"""Whether a measure is that of several things together: of two of one (`120 watts`, of two lights of 60), of as many as were ordered (`five times: 80 ounces`), or
of those that its sentence adds up (`one Calmgate plus one Fielder's gives 125 feet`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product

from drr.eval.checks.base import Span
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.makers import linked_by
from drr.eval.checks.measures import MeasureSaid, measures, measures_of
from drr.eval.checks.money.packs import record_divisors
from drr.eval.checks.records import record_text
from drr.wording.numbers import SPOKEN, number_said

_SO_MANY = re.compile(
    rf"\b(?P<n>{SPOKEN}|\d{{1,2}})(?=\s(?:of|more)\b|\s?[x×]\s|\s(?:times|orders|purchases)\b(?!\s(?:as|the|that|more|less)\b)"
    r"|\s(?:packs?|box(?:es)?|bags?|sets?|rolls?|tubs?|bottles?|packets?|cans?|jars?|tubes?|cartons?)\b)"
    rf"|\b(?P<w>{SPOKEN})(?=\s[*_\[]{{0,3}}(?-i:[A-Z][a-z]))"
    r"|[x×]\s?(?P<m>\d{1,2})\b|\b(?P<two>both|pair|couple|twins|twice|double|a\ssecond)\b",
    re.I,
)
"""How many of a thing are meant."""
_ADDED = re.compile(
    r"\b(?:plus|together|both|pair|duo|trio|combined|combin(?:es?|ing|ation)|in\s(?:all|total|sum)|totals?|sums?|altogether|add(?:s|ed|ing)?|between\sthem|all\s(?:two|three|four)|joined|end\sto\send)\b"
    r"|\b(?:one|an?|the|two|three)\s[^.;:$|?!]{1,120}\s(?:and|with)\s(?:one|an?|the|two|three|another)\s|\s[+&]\s"
    r"|\byou(?:['’](?:d|ll)|\swould|\swill)\s(?:then\s)?(?:have|get|own)\b|\b(?:brings?|takes?)\s(?:you|it|that)\sto\b",
    re.I,
)
"""What adds things up."""
_BY_THE_DOLLAR = re.compile(
    r"\$1(?:\.00)?\b(?![.,]\d)|\b(?:per|an?|every|each|one|the)\s(?:dollar|buck)\b|\bdollar\sfor\sdollar\b",
    re.I,
)
_DECIMALS = re.compile(r"\d{1,4}(?:\.(?P<places>\d{1,2}))?")
_NEVER = frozenset(("noise", "voltage", "share", "thickness"))
"""Kinds of measures that several things do not have more of."""
_LEAST = 0.02
"""So much of a sum each of its parts is: an hour makes no ten years of other ten years."""
_THINGS, _COUNTS, _VALUES, _UNIT, _TWO = 6, 4, 8, 24, 2
"""Things and counts of a paragraph that are put together, measures of a record, and characters behind a figure that its unit has."""


def is_of_several(held: HeldAgainst, text: str, place: Span) -> bool:
    """Whether a figure with its unit comes to what several of the things of its paragraph have together."""
    line = held.prose.line_at(place[0])
    said = [one for one in measures(text, place[0], place[1] + _UNIT) if one.start == place[0]]
    if line is None or not said or said[-1].kind in _NEVER:
        return False
    close, stretch = held.around(place[0])
    if _BY_THE_DOLLAR.search(text, *close) and _is_by_the_dollar(held, text, said[-1], stretch):
        return True
    counts = list(dict.fromkeys(_so_many(text, (line.start, close[1]))))[:_COUNTS]
    own = [alike(held, key, said[-1]) for key in _named(held, (line.start, line.end))]
    if any(said[-1].same(made(said[-1], k * base)) for some in own for base in some for k in counts):
        return True
    if said[-1].kind == "time" or _ADDED.search(text, *close) is None:
        return False
    here = [alike(held, key, said[-1]) for key in _named(held, close)]
    sums = _sums(here if len(here) > 1 else own, [1, *counts])
    return any(said[-1].same(made(said[-1], total)) for total in sums)


def _is_by_the_dollar(held: HeldAgainst, text: str, said: MeasureSaid, stretch: Span) -> bool:
    """`What $1 buys: 8.6 loads`: what something in sight has, by its price."""
    written = _DECIMALS.match(text, said.start)
    slack = 0.5 * 10.0 ** -len(written["places"] or "") if written else 0.0
    own = ((key, held.known.products[key].price) for key in _named(held, stretch))
    return any(
        abs(base / price - said.base) <= slack + 1e-6
        for key, price in own
        if price
        for base in alike(held, key, said)
    )


def _so_many(text: str, span: Span) -> Iterator[int]:
    for match in _SO_MANY.finditer(text, *span):
        many = 2 if match["two"] else int(number_said(match["n"] or match["w"] or match["m"]))
        if many > 1:
            yield many


def _named(held: HeldAgainst, span: Span) -> list[str]:
    """What a stretch names, or may name of what the text links."""
    linked = linked_by(held.cast.named)
    found = (
        key
        for one in held.cast.within(*span)
        for key in sorted(one.products if len(one.products) == 1 else one.products & linked)
    )
    return [key for key in dict.fromkeys(found) if key in held.known.products][:_THINGS]


def alike(held: HeldAgainst, key: str, said: MeasureSaid) -> list[float]:
    """What a record measures in the same unit, in the base unit of its kind."""
    meant = held.known.products[key]
    found = [one.in_units_of(said) for one in measures_of(record_text(meant))]
    if said.unit == said.kind:  # things: so many are in its pack, by whatever name the record calls them
        found += sorted(record_divisors(meant, said.unit, frozenset()))
    return [base for base in dict.fromkeys(found) if base is not None and base > 0][:_VALUES]


def made(said: MeasureSaid, base: float) -> MeasureSaid:
    """So much, in the unit in which it is said."""
    return said._replace(value=base * said.value / said.base if said.base else 0.0, base=base)


def _sums(things: Sequence[Sequence[float]], counts: Sequence[int]) -> Iterable[float]:
    """Of two or three things, so many of each."""
    parts = [[k * x for k in counts for x in one] for one in things]
    for size in (2, 3):
        of_each = parts if size == _TWO else things
        for some in (each for group in combinations(of_each, size) for each in product(*group)):
            if min(some) >= _LEAST * sum(some):
                yield sum(some)
