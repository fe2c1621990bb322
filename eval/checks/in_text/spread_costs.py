"""Costs over a time, `$1.50 a month`: an amount in sight spread over a time that the text says beside it.

How long something lasts is said as a time (`24 months`), or as so many of it used at a pace (`twelve tablets, one a month`). Which amount is spread
over which of these is not asked; where no time is said near, nothing is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.residue import residue_of
from drr.wording.numbers import SPOKEN, number_said

_DAYS = {"day": (1.0,), "night": (1.0,), "week": (7.0,), "month": (30.0, 30.44, 28.0), "year": (365.0, 360.0)}
_TIME = r"(?P<t>day|night|week|month|year)"
_PER = re.compile(rf"[\s*_]{{0,3}}(?:an?|per|each|every|/)\s?{_TIME}\b", re.I)
_LASTS = re.compile(
    rf"(?<![\w.,$])(?P<n>{SPOKEN}|an?|half\sa|\d{{1,3}}(?:\.\d)?)(?:\s(?:more|full|whole)\s|[\s-])(?:and\sa\shalf\s)?{_TIME}s?\b",
    re.I,
)
_PACE = re.compile(
    rf"(?<![\w.,$])(?P<n>{SPOKEN}|once|twice|an?|\d{{1,3}})\s(?:[a-z]{{2,14}}\s){{0,2}}?(?:an?|per|each|every)\s{_TIME}\b",
    re.I,
)
_SPAN = re.compile(rf"(?<![\w.,$])(?P<a>\d{{1,3}})\s?(?:to|[-–—])\s?(?P<b>\d{{1,3}})[\s-]{_TIME}s?\b", re.I)
"""`6 to 12 months`: what lies between them may be meant."""
_PACES_SAID = (_PACE, re.compile(rf"\ban?\s{_TIME}\sof\s(?P<n>\d{{1,3}}|{SPOKEN})\b", re.I))
_PACES = {"once": 1.0, "twice": 2.0, "a": 1.0, "an": 1.0, "half a": 0.5}
_NOT_SPREAD = re.compile(
    r"\b(?:more|less|cheaper|dearer|saves?|saved|savings?|differences?|gap|extra|spread\sbetween|budget|limit|under|over(?!\s(?:the|a|its|that|those|these)\b)|filters?|electric\w*|power|watts?|kwh|rates?|"
    r"elsewhere|together|both|total|altogether|combined|in\sall|plus|average|survey|guides?|sites?|magazine|household|estimat\w*|hypothetical\w*|would|could|might|if|assum\w*|say|guess\w*|wages?|rent\w*|subscription|insur\w*|refunds?|"
    r"spen[dt]\w*|per\s(?:alarm|person|head|dog|cat|child)|loads?|wash(?:es|ings?)?)\b|\?|%",
    re.I,
)
"""In its sentence: it may be held against another, be somebody else's, or hang on what is not said."""
_BEFORE, _MOST, _TIMES, _AMOUNTS, _COUNTS = 300, 12, 12, 12, 12
_LARGEST, _FAR = 400, 600
_PACKS = frozenset((3.0, 4.0, 5.0, 6.0, 8.0))
_SETS = {"two": 2.0, "both": 2.0, "pair": 2.0, "twice": 2.0, "half": 0.5}
"""How many of them together are spread."""


def wrong_spread_costs(mentions: Mentions) -> Iterator[Accusation]:
    """Costs over a time that no amount in sight comes to over any time said beside it."""
    held = sight_of(mentions).held
    for figure, per, close in islice(_said(mentions, held), _MOST):
        amounts, times = (
            _amounts(mentions.plain, held, figure, close),
            _times(mentions, held, close, per, figure),
        )
        if not amounts or not times:
            continue
        low, high = figure.low - 1e-6, figure.high + 1e-6
        if not any(low <= amount / time <= high for amount in amounts for time in times):
            shown = mentions.plain[figure.start : figure.end].strip()
            why = f"said {shown} a {per}, which nothing in sight comes to over a time that is said beside it"
            yield Accusation("spread_cost", (figure.start, figure.end), why, Certainty.SENTENCE)


def _said(mentions: Mentions, held: HeldAgainst) -> Iterator[tuple[Figure, str, Span]]:
    """Those plainly said, with the time and the stretch that they are read with."""
    text, residue = mentions.plain, residue_of(mentions)
    for figure in held.ledger.figures:
        match = _PER.match(text, figure.end)
        line = held.prose.line_at(figure.start)
        if match is None or line is None or line.cells:
            continue
        sentence = held.prose.sentence_at(figure.start)
        sentence = max(sentence[0], figure.start - _FAR), min(sentence[1], figure.end + _FAR)
        if _NOT_SPREAD.search(text, *sentence) or residue.cites_the_web(sentence):
            continue
        if residue.doubt(sentence, ("unreal", "conditional", "charged")):
            continue
        yield figure, match["t"].casefold(), (max(line.start, sentence[0] - _BEFORE), sentence[1])


def _amounts(text: str, held: HeldAgainst, but: Figure, close: Span) -> list[float]:
    """What may be spread: amounts beside it, and prices of what is named there, or of all where nothing is; so many of them together too."""
    said = [one.value for one in held.ledger.within(*close) if one.start != but.start]
    named = {key for one in held.cast.within(*close) for key in one.products}
    prices = [
        price
        for key in (sorted(named & held.cast.products.keys()) or list(held.cast.products))
        if (price := held.cast.products[key].price) is not None
    ]
    some = list(dict.fromkeys([*said, *prices]))
    if len(some) > _AMOUNTS:
        return []
    told = {
        one.value
        for one in held.said.within(close)
        if one.kind == "count" and one.value in _PACKS and one.unit not in _DAYS
    }
    told |= {value for word, value in _SETS.items() if re.search(rf"\b{word}\b", text[slice(*close)], re.I)}
    return [one * many for one in some for many in (1.0, *sorted(told))]


def _times(mentions: Mentions, held: HeldAgainst, close: Span, per: str, figure: Figure) -> list[float]:
    """How many of the time something lasts: as it is said, and by what is counted there and the pace of use."""
    text, units = mentions.plain, _DAYS[per]
    lasts = [
        (_number(match["n"]), match["t"])
        for match in _LASTS.finditer(text, *close)
        if not figure.start <= match.start() < figure.end + _LARGEST // 40
    ]
    paces = [(_number(match["n"]), match["t"]) for form in _PACES_SAID for match in form.finditer(text)]
    named = tuple(
        sorted({key for one in held.cast.within(*close) for key in one.products} & held.known.products.keys())
    )
    counts = [
        one.value
        for one in held.said.within(close)
        if one.kind in ("count", "measure") and 1 < one.value <= _LARGEST
    ]
    counts += [one for one in held.known.of(named).sizes if 1 < one <= _LARGEST]
    found = [
        many * own / unit for many, time in lasts[:_TIMES] for own in _DAYS[time.casefold()] for unit in units
    ]
    for many, time in paces[:_TIMES]:
        for own in _DAYS[time.casefold()]:
            found += [
                count / many * own / unit
                for count in dict.fromkeys(counts[:_COUNTS])
                for unit in units
                if many
            ]
    whole = [float(round(one)) for one in found if round(one) >= 1 and abs(one - round(one)) < 0.1 * one]
    ends = [
        abs(_number(match["b"]) - _number(match["a"])) * own / unit
        for match in _SPAN.finditer(text, *close)
        for own in _DAYS[match["t"].casefold()]
        for unit in units
    ]
    return [one for one in dict.fromkeys([*found, *whole, *ends]) if one > 0] if found else []


def _number(word: str) -> float:
    word = " ".join(word.casefold().split())
    if word in _PACES:
        return _PACES[word]
    return number_said(word)
