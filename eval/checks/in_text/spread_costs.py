"""Costs over a time, `$1.50 a month`: an amount in sight must come to it, spread over a time that the text says beside it.

How long something lasts is said as a time (`24 months`), or as so many of it used at a pace (`twelve tablets, one a month`). Which amount is spread
over which of these is not asked. Left alone where no time is said near, and in sentences of differences, sums and other money.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import combinations, islice

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.in_text.amounts import accused, amounts_in_prose, prices_in_sight
from drr.eval.checks.in_text.between_days import times_between, times_listed
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.said import MONEY
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.makers import named_by
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.residue import residue_of
from drr.wording.numbers import SPOKEN, number_said
from drr.wording.vocabulary import either

_DAYS = {
    "day": (1.0,),
    "night": (1.0,),
    "week": (7.0,),
    "month": (30.0, 30.44, 28.0),
    "year": (365.0, 365.25, 364.0, 360.0),
}
_TIME = r"(?P<t>day|night|week|month|year)"
_PER = re.compile(rf"[\s*_]{{0,3}}(?:an?|per|each|every|/)\s?{_TIME}\b", re.I)
_LASTS = re.compile(
    rf"(?<![\w.,$])(?P<n>{SPOKEN}|an?|half\sa|\d{{1,3}}(?:,\d{{3}}|\.\d)?)(?:\s(?:more|full|whole)\s|[\s-])(?P<half>and[\s-]a[\s-]half[\s-])?{_TIME}s?\b(?P<more>\sand\sa\shalf\b)?",
    re.I,
)
"""`24 months`, `two and a half years`, `a year and a half`"""
_PACE = re.compile(
    rf"(?<![\w.,$])(?P<n>{SPOKEN}|once|twice|an?|\d{{1,3}})\s(?:[a-z]{{2,14}}\s){{0,2}}?(?:an?|per|each|every)\s{_TIME}\b",
    re.I,
)
_ADVERBS = {
    "daily": "day",
    "nightly": "night",
    "weekly": "week",
    "monthly": "month",
    "yearly": "year",
    "annually": "year",
}
_EVERY = re.compile(
    rf"[\s*_]{{0,3}}(?:(?:an?|per|each|every|/)\s?{_TIME}\b|(?P<ly>{either(_ADVERBS)})\b)", re.I
)
"""Behind an amount: over which time it is."""
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
"""Characters before a sentence that it goes on from; costs of a report, times, amounts and counts beside one that are looked into."""
_LARGEST, _OWN = 400, 10
"""What is counted to be used up; characters behind a cost in which its own time stands."""
_PACKS = frozenset((3.0, 4.0, 5.0, 6.0, 8.0))
_CALLED = re.compile(r"(?<![\w/])[^\W\d_]{4,20}(?!\w)")
"""A word that a thing may be called by."""
_LISTED = frozenset(("row", "item"))
_SETS = {"two": 2.0, "both": 2.0, "pair": 2.0, "twice": 2.0, "half": 0.5}
"""How many of them together are spread."""
_SET = re.compile(rf"\b(?:{either(_SETS)})\b", re.I)


def wrong_spread_costs(mentions: Mentions) -> Iterator[Accusation]:
    """Costs over a time that no amount in sight comes to over any time said beside it."""
    held = sight_of(mentions).held
    for figure, per, close in islice(_said(mentions, held), _MOST):
        amounts = _amounts(mentions.plain, held, figure, close)
        times = _times(mentions.plain, held, figure, per, close) if amounts else ()
        if not times or _comes_to(figure, amounts, times):
            continue
        used = _used_up(mentions.plain, held, figure, per, close)
        if not any(figure.low - 1e-6 <= cost <= figure.high + 1e-6 for cost in used):
            told = f"said {{}} a {per}, which nothing in sight comes to over a time that is said beside it"
            yield accused("spread_cost", mentions, figure, told)


def is_spread(mentions: Mentions, start: int) -> bool:
    """Whether an amount is said to be a cost over a time, by what stands behind it or by the label of its cell, and something in sight comes to it."""
    held = sight_of(mentions).held
    figure = next(iter(held.ledger.within(start, start + 1)), None)
    line = held.prose.line_at(start)
    if figure is None or line is None:
        return False
    match = _PER.match(mentions.plain, figure.end)
    per = match["t"].casefold() if match is not None else figure.cue.per
    if per not in _DAYS:
        return False
    whole = line.start, line.end
    close = whole if line.is_row else _stretch(mentions.plain, figure, held.prose.sentence_at(start))
    amounts = _amounts(mentions.plain, held, figure, close)
    times = _times(mentions.plain, held, figure, per, close, anyhow=True)
    return _comes_to(figure, amounts, times)


def _comes_to(figure: Figure, amounts: Iterable[float], times: Collection[float]) -> bool:
    low, high = figure.low - 1e-6, figure.high + 1e-6
    return any(low <= amount / time <= high for amount in amounts for time in times)


def _stretch(text: str, figure: Figure, sentence: Span) -> Span:
    """What an amount is read with: its sentence and those before it."""
    return max(text.rfind("\n", 0, figure.start) + 1, sentence[0] - _BEFORE), sentence[1]


def _said(mentions: Mentions, held: HeldAgainst) -> Iterator[tuple[Figure, str, Span]]:
    """Those plainly said, with the time and the stretch that they are read with."""
    text, residue = mentions.plain, residue_of(mentions)
    for figure, sentence in amounts_in_prose(held):
        match = _PER.match(text, figure.end)
        if match is None or _NOT_SPREAD.search(text, *sentence) or residue.cites_the_web(sentence):
            continue
        if not residue.doubt(sentence, ("unreal", "conditional", "charged")):
            yield figure, match["t"].casefold(), _stretch(text, figure, sentence)


def _amounts(text: str, held: HeldAgainst, but: Figure, close: Span) -> list[float]:
    """What may be spread: amounts beside it, and prices of what is named there, or of all where nothing is; so many of them together too."""
    said = [one.value for one in held.ledger.within(*close) if one.start != but.start]
    some = {*said, *prices_in_sight(held, named_by(held.cast.within(*close)))}
    if len(some) > _AMOUNTS:
        return []
    counted = (one for one in held.said.within(close) if one.kind == "count" and one.unit not in _DAYS)
    some |= set(_listed(text, held, close)[:_AMOUNTS])
    together = {1.0, *(one.value for one in counted if one.value in _PACKS)}
    together |= {_SETS[match[0].casefold()] for match in _SET.finditer(text, *close)}
    return [one * many for one in some for many in together]


def _used_up(text: str, held: HeldAgainst, but: Figure, per: str, close: Span) -> Iterator[float]:
    """What pieces, or what they differ by, cost over the time at the pace that is said there, and what the cost of another time comes to in this one."""
    beside = [one for one in held.said.within(close) if one.kind in MONEY and one.start != but.start]
    pieces = {one.value for one in beside[:_AMOUNTS] if one.kind == "unit" or one.value < 1}
    pieces |= {abs(a - b) for a, b in combinations(sorted(pieces), 2)}
    for match in islice((match for form in _PACES_SAID for match in form.finditer(text)), _TIMES):
        many = _number(match["n"])
        in_time = [many * unit / own for own in _DAYS[match["t"].casefold()] for unit in _DAYS[per]]
        yield from (cost * each for cost in pieces for each in in_time)
    for one in beside:
        said = _EVERY.match(text, one.end)
        if said is not None:
            time = said["t"] or _ADVERBS[said["ly"].casefold()]
            yield from (one.value * unit / own for own in _DAYS[time.casefold()] for unit in _DAYS[per])


def _listed(text: str, held: HeldAgainst, close: Span) -> list[float]:
    """What items and rows say that the stretch speaks of by one of their words: `Suet, two packs: $27.98` of `two suet packs`, where a thing in play is called so."""
    called = {word for one in held.cast.products.values() for word in _words(one.title)}
    spoken = _words(text[slice(*close)]) & called
    told = ((one, held.ledger.within(one.start, one.end)) for one in held.cast.lines if one.kind in _LISTED)
    return [
        figure.value
        for line, figures in told
        if figures and _words(text[line.start : line.end]) & spoken
        for figure in figures
        if figure.cue.kind != "unit" and not close[0] <= figure.start < close[1]
    ]


def _words(text: str) -> set[str]:
    """Of what things are called, in the singular."""
    return {one[0].casefold().rstrip("s") for one in _CALLED.finditer(text)}


def _times(
    text: str, held: HeldAgainst, but: Figure, per: str, close: Span, *, anyhow: bool = False
) -> set[float]:
    """How many of the time something lasts: as it is said, and by what is counted there and the pace of use; where it is, or `anyhow`, by the days that are named too."""
    lasts = [
        (_number(match["n"]) + (0.5 if match["half"] or match["more"] else 0.0), match["t"])
        for match in _LASTS.finditer(text, *close)
        if not but.start <= match.start() < but.end + _OWN
    ][:_TIMES]
    paces = [(_number(match["n"]), match["t"]) for form in _PACES_SAID for match in form.finditer(text)]
    counted = [one.value for one in held.said.within(close) if one.kind in ("count", "measure")]
    counted += held.known.of(held.named(close)).sizes
    used = [one for one in counted if 1 < one <= _LARGEST][:_COUNTS]
    lasts += [(count / many, time) for many, time in paces[:_TIMES] if many for count in used]
    found = {each for many, time in lasts for each in _as_times(many, time, per)}
    if not found and not anyhow:
        return found
    between = [*times_between(text, close), *times_listed(text, _sentences(held, close, but))]
    found |= {each for one in between for each in _as_times(one.many, one.time, per)}
    found |= {float(round(one)) for one in found if abs(one - round(one)) < 0.1 * one}
    for match in _SPAN.finditer(text, *close):
        found.update(_as_times(abs(_number(match["b"]) - _number(match["a"])), match["t"], per))
    return {one for one in found if one > 0}


def _sentences(held: HeldAgainst, close: Span, but: Figure) -> list[Span]:
    """Those of a stretch, up to an amount whose own time stands behind it."""
    line = held.prose.line_at(but.start)
    every = held.prose.sentences(line) if line is not None else []
    return [
        (max(low, close[0]), min(high, but.start))
        for low, high in every
        if high > close[0] and low < but.start
    ]


def _as_times(many: float, time: str, per: str) -> Iterator[float]:
    """So many of one time in another, by each way to reckon them."""
    return (many * own / unit for own in _DAYS[time.casefold()] for unit in _DAYS[per])


def _number(word: str) -> float:
    word = " ".join(word.casefold().split())
    return _PACES[word] if word in _PACES else number_said(word)
