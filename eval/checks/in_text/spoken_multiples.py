"""How many times one thing is said to be another, where the words tell of what: `18 sheets, five times as many`, `runs six times as long`, `per pen you pay six times as much`.

Whom it is said of is not asked. A multiple of a figure right before it is held against every other figure of that unit, in the text and in the records of
what it links; one of costs by the piece against every two of these; one of a measure (`as bright`, `the running time`) against every two measures of
that kind. Wrong where none comes to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import combinations

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.considered.ratios import RatioSaid, ratios_said
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.said import MONEY, SaidFigure
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.packs import record_divisors
from drr.eval.checks.residue import residue_of
from drr.eval.checks.superlatives import measured
from drr.wording.cues import CUES

_LED = re.compile(
    r"(?:[\s-](?!(?:and|or|with|at|but|for|while|in|on)\b)[a-z]{1,14}){0,3}[\s*_)]{0,3}(?:[,;:(–—-]|\s[—–-])\s?[*_]{0,3}(?:(?:which|that|it|this|so|or|and|is|that['’]s|just|well|fully|easily|roughly|about|around|nearly|almost|over|exactly|only|a|little|bit|shade|more|less|than|not|quite|under|close|to|some|barely)\b[\s*_]{0,3}){0,6}",
    re.I,
)
"""Between a figure and the multiple that it makes."""
_CLOSES = re.compile(
    r"(?:\sas\s(?:many|much|dear|expensive|pricey|costly)\b)?(?:\s(?:per|an?|by\sthe|for\seach)\s[a-z]{3,12})?[\s*_]{0,8}(?:[.,;:)–—]|$|\s(?:and|but|yet|while|though)\b)",
    re.I,
)
"""Behind a multiple: nothing says of what other thing it is one."""
_OTHER = re.compile(
    r"\s(?:(?:as|what)\s)?the\s(?:cheapest|dearest|cheaper|dearer|other|first|second|third|last)\b", re.I
)
_JOINED = re.compile(r"\s(?:and|but|yet|while|though)\b", re.I)
_WHOLE = frozenset(("double", "triple", "quadruple"))
_COUNTED = re.compile(r"\sas\s(?:many|much)[\s*_]{0,3}(?:[.,;:)–—]|$|\s(?:and|but|yet|while|though)\b)", re.I)
_OF_KIND = re.compile(
    r"\s(?:as\s(?P<like>[a-z]{3,8})|(?:the|its|that)\s(?P<noun>[a-z]{3,10}(?:\s[a-z]{3,8})?))\b(?!\s(?:ago|again)\b)",
    re.I,
)
_UNREAL = re.compile(
    r"\b(?:if|would|could|might|(?-i:may)|should|unless|were|used\sto|probably|perhaps|not|never|no|neither|nor|hardly|elsewhere|online|usually|often|until|once|without|together|combined|pair|plus|total|sum|bought|ordered|spent|spend|orders|years?)\b|n['’]t\b|\?",
    re.I,
)
_HISTORY = re.compile(
    r"\b(?:bought|ordered|spent|spend|orders|purchases|years?|months?|weeks?|days?)\b", re.I
)
_AGAIN = re.compile(
    r"\s(?:as\s[a-z]{3,14}\s)?again\b|[^.;:!?\n]{0,40}\b(?:and\sthen\ssome|or\smore|plus\sa\sbit|and\smore)\b",
    re.I,
)
_REACH, _FEW, _MOST, _WIDE = 1200, 24, 30, 60
_KINDS: dict[str, tuple[str, ...]] = {
    "long": ("length", "time"),
    "heavy": ("weight",),
    "bright": ("light",),
    "thick": ("length", "thickness"),
    "wide": ("length",),
    "tall": ("length",),
    "length": ("length",),
    "weight": ("weight",),
    "running time": ("time",),
    "run time": ("time",),
    "battery life": ("time",),
    "runtime": ("time",),
    "light": ("light",),
    "brightness": ("light",),
    "lumens": ("light",),
}
"""By words that say of what a multiple is, the kinds of units."""
_OF_TIME = re.compile(r"\b(?:runs?|running|lasts?|lasting|plays?|works?|holds\sout)\b", re.I)
_OF_COST = re.compile(
    r"\b(?:pay|pays|paying|costs?|dear|dearest|cheapest|dearer|cheaper|expensive|priciest|price)\b", re.I
)
_PER = re.compile(r"\b(?:per|by\sthe)\s[a-z]{3,12}\b", re.I)
_NO_UNITS = frozenset(("rating", "percent", "multiple", "orders"))


def misread_spoken_multiples(mentions: Mentions) -> Iterator[Accusation]:
    """Multiples that nothing of what their words tell comes to."""
    text = mentions.plain
    for one in ratios_said(text)[:_MOST]:
        if one.form == "percent" or one.many == 1 or _AGAIN.match(text, one.end):
            continue
        held = sight_of(mentions).held
        sentence = held.prose.sentence_at(one.start)
        if not _is_read(mentions, held, one, sentence):
            continue
        ratios = _of_what(held, text, one, sentence)
        if ratios and not any(_holds(one, ratio) for ratio in ratios):
            close = min(ratios, key=lambda ratio: abs(ratio / max(one.many, 1 / one.many) - 1))
            why = f"said {text[one.start : one.end].strip()!r}, and of what it is said nothing is farther or nearer than {close:.2f} times another"
            yield Accusation("multiple", one.span, why, Certainty.SENTENCE)


def _is_read(mentions: Mentions, held: HeldAgainst, one: RatioSaid, sentence: Span) -> bool:
    line, clause = held.prose.line_at(one.start), held.prose.clause_at(one.start)
    if line is None or line.is_row or line.kind == "heading" or "?" in mentions.plain[slice(*sentence)]:
        return False
    if _UNREAL.search(mentions.plain, clause[0], max(one.end, clause[1])):
        return False
    return not (residue_of(mentions).is_of_the_unseen(clause, sentence) or held.cast.names_a_stranger(clause))


def _holds(one: RatioSaid, ratio: float) -> bool:
    many, bound = one.many, one.bound
    if many < 1:
        many, bound = 1 / many, {"more": "less", "less": "more"}.get(bound, bound)
    low, high = {"exact": (0.9, 1.1), "near": (0.84, 1.16), "more": (0.97, 2.5), "less": (0.4, 1.03)}[bound]
    return low * many <= ratio <= high * many


def _of_what(held: HeldAgainst, text: str, one: RatioSaid, sentence: Span) -> list[float]:
    """By how much values differ of what its words tell; nothing where they do not tell."""
    span = max(0, sentence[0] - _REACH), min(len(text), sentence[1] + _WIDE)
    before = held.said.within((sentence[0], one.start))
    figure = before[-1] if before else None
    if figure is not None and _is_its_figure(text, one, figure):
        return _of_figure(held, text, one, figure, span)
    clause = held.prose.clause_at(one.start)
    if _is_of_costs(text, one, (min(clause[0], one.start), sentence[1]), sentence):
        return _two(_costs(held, text, one, span, ""))
    return list(_measures(held, text, one, span))


def _is_its_figure(text: str, one: RatioSaid, figure: SaidFigure) -> bool:
    if figure.kind in _NO_UNITS or not _LED.fullmatch(text, figure.end, one.start):
        return False
    if figure.kind == "unit":
        return _is_closed(text, one)
    counted = figure.kind in ("count", "measure", "ratings") and (figure.unit or figure.kind == "ratings")
    return bool(counted) and _COUNTED.match(text, one.end) is not None


def _is_closed(text: str, one: RatioSaid) -> bool:
    """Whether nothing says of what other thing it is one; `three times,` is how often."""
    match = _CLOSES.match(text, one.end)
    said = match is not None and match[0].lstrip(" *_")[:1].isalpha() and not _JOINED.match(match[0])
    return match is not None and (said or text[one.start : one.end].casefold() in _WHOLE)


def _of_figure(held: HeldAgainst, text: str, one: RatioSaid, figure: SaidFigure, span: Span) -> list[float]:
    if figure.kind == "unit":
        values = list(_costs(held, text, one, span, figure.unit))
    else:
        values = [
            each.value
            for each in held.said.within(span)
            if each.kind not in MONEY and each.kind not in _NO_UNITS and each.unit in ("", figure.unit)
        ]
        known = held.known.of(tuple(sorted(held.cast.products.keys())))
        values += known.raters if figure.kind == "ratings" else known.with_unit(figure.unit)
    return [
        max(figure.value, value) / min(figure.value, value)
        for value in values
        if value > 0 and value != figure.value
    ]


def _is_of_costs(text: str, one: RatioSaid, clause: Span, sentence: Span) -> bool:
    """`per pen you pay six times as much`, `the dearest per cloth costs four times the cheapest`."""
    if _PER.search(text, *sentence) is None or _OF_COST.search(text, *clause) is None:
        return False
    return _is_closed(text, one) or _OTHER.match(text, one.end) is not None


def _costs(held: HeldAgainst, text: str, one: RatioSaid, span: Span, unit: str) -> Iterator[float]:
    """What a piece costs: as it is said around, and by price and pack of what the text links."""
    for each in held.said.within(span):
        if each.kind == "unit" and not one.start <= each.start < one.end:
            yield each.value
    units = {unit} if unit else CUES.units_in(text[slice(*span)])
    for key in sorted(held.cast.products)[:_FEW]:
        found = held.cast.products[key]
        for many in (each for name in sorted(units) for each in record_divisors(found, name, frozenset())):
            if found.price is not None and many:
                yield found.price / many


def _measures(held: HeldAgainst, text: str, one: RatioSaid, span: Span) -> Iterator[float]:
    """By how much measures differ of the kind that its words tell: of what the records of all that is in play have, and of what is said around."""
    match = _OF_KIND.match(text, one.end)
    kinds = _KINDS.get((match["like"] or match["noun"]).casefold(), ()) if match is not None else ()
    if len(kinds) > 1 and _OF_TIME.search(text, *held.prose.clause_at(one.start)):
        kinds = ("time",)
    for kind in kinds:
        some = {
            each
            for key in sorted(held.cast.products)[:_FEW]
            for each in measured(held.cast.products[key], kind)
        }
        yield from _two([*some, *(said.base for said in held.prose.measures(span) if said.kind == kind)])


def _two(values: Iterable[float]) -> list[float]:
    some = sorted({value for value in values if value > 0})[:_WIDE]
    return [b / a for a, b in combinations(some, 2)]
