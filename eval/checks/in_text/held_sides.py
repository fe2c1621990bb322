"""A figure that is said to be above or below another one beside it: `its 4.2 is above the 4.8`, `a thicker one at 4.3 inches against 4.7`, `25 lumens against 40, so brighter`.

Both values stand in the words, in this order, so no record is needed. Left alone where they are of two units, where other words stand between them that may
turn it round, and of what is not so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.in_text.sides import wrong_told_sides
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.said import MONEY, SaidFigure
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.mentions import Mentions
from drr.wording.comparisons import SIDES
from drr.wording.vocabulary import either

_UNIT = r"(?:stars?|dB|decibels|pounds?|ounces?|inch(?:es)?|cents?|lumens|feet|mm|cm|ratings|reviews|reviewers|people|an?\s[a-z]{3,12}|per\s[a-z]{3,12}|[a-z]{3,12})"
_PLACES = {
    "above": 1,
    "over": 1,
    "higher than": 1,
    "ahead of": 1,
    "more than": 1,
    "better than": 1,
    "below": -1,
    "under": -1,
    "beneath": -1,
    "lower than": -1,
    "behind": -1,
    "short of": -1,
    "less than": -1,
    "fewer than": -1,
}
_RANKS = frozenset(("ahead of", "behind", "better than"))
"""Of costs the smaller may be the one ahead."""
_BETWEEN = re.compile(
    rf"(?:[\s-]{_UNIT})?[\s*_)]{{0,3}}(?:,\s|\s(?P<verb>is|are|sits?|stands?|stays?|remains?|comes\sin|lies|lands?)\s)(?:(?:just|only|still|well|far|a|an|little|bit|touch|shade|hair|full|whole|good|slightly|clearly|comfortably|two|three|four|tenths?|of|star|point|points)\s){{0,5}}"
    rf"(?P<place>{either(_PLACES)})\s(?:(?:the|its|your|their|that|his|her|my|our)\s)?(?:(?!(?:and|but|than|which|by|budget|limit|ceiling|cap|half|third|quarter|twice|all|both)\b)[\w’'&*_-]{{1,20}}\s){{0,5}}[*_]{{0,3}}",
    re.I,
)
"""Between two figures, the first of which is said to be above or below the second."""
_ANY = {"higher": 1, "lower": -1}
_WORDS = SIDES.told
_TOLD = re.compile(rf"\b(?P<word>{either((*_WORDS, *_ANY))})\b", re.I)
_NOUN = r"(?:(?!(?:and|but|than|or|for|by|to|is|are|has|while|with|at|from|of|the|not)\b)[a-z-]{2,14}\s){0,3}"
_AT = re.compile(
    rf"(?:\s{_NOUN}(?:one\s)?(?:at|with)|(?:,?\s(?:too|though|however|also|still|then))?[\s*_]{{0,3}}[,:(—–-])\s?[\s*_(]{{0,4}}(?:about\s|around\s|roughly\s|only\s|just\s)?[*_]{{0,3}}",
    re.I,
)
"""Between the word and the first figure."""
_AGAINST = re.compile(
    rf"(?:[\s-]{_UNIT})?[\s*_)]{{0,3}},?\s(?:against|versus|vs\.?|compared\s(?:with|to)|instead\sof|rather\sthan)\s(?:(?:the|its|about|only|just|your|an?)\s){{0,2}}[*_]{{0,3}}",
    re.I,
)
_SO = re.compile(
    rf"(?:[\s-]{_UNIT})?[\s*_)]{{0,3}}(?:[,;:(—–-]|\s[—–-])\s?(?:(?:so|and\sso|hence|thus|therefore|which\sis|which\smakes\sit|making\sit|it\sis|it['’]s|is)\s)(?:(?:it\sis|it['’]s|is|a|much|far|slightly|clearly|also|rather|bit|little|even)\s){{0,3}}[*_]{{0,3}}",
    re.I,
)
"""Between the second figure and the word that goes on from them."""
_NOT = re.compile(
    r"\b(?:not|no|never|neither|nor|hardly|if|unless|would|could|might|whether|which\sof|who|once|until|was|were|used\sto|than\sit|elsewhere|online|each|both|range[sd]?|other|former|latter|yours|mine|although)\b|n['’]t\b|\?",
    re.I,
)
_NEITHER = re.compile(r"\b(?:neither|none|nor|nothing)\b", re.I)
"""What is not so of several things, however long their names and addresses are."""
_KINDS = {"unit": "money", "count": "number", "measure": "number", "ratings": "number"}
_BARE = frozenset(("", "of", "the", "star", "one", "on"))
_BACK, _NEAR, _MOST = 60, 80, 40


def wrong_held_sides(mentions: Mentions) -> Iterator[Accusation]:
    """Figures that are on the other side of the one they are held against."""
    told = {one.span for one in wrong_told_sides(mentions)}
    for _, sentence in sight_of(mentions).held.prose.running():
        found = _in_sentence(mentions, sight_of(mentions).held, sentence)
        yield from (one for one in islice(found, _MOST) if one.span not in told)


def _in_sentence(mentions: Mentions, held: HeldAgainst, sentence: Span) -> Iterator[Accusation]:
    text, said = mentions.plain, held.said.within(sentence)
    for at in range(len(said) - 1):
        a, b = said[at], said[at + 1]
        if b.start - a.end > _NEAR:
            continue
        found = next(_signs(text, sentence, a, b), None)
        if found is None:
            continue
        word, sign, span = found
        low, high = min(span[0], a.start), max(span[1], b.end)
        if "?" in text[slice(*sentence)] or _NEITHER.search(text, sentence[0], high):
            continue
        if _NOT.search(text, max(sentence[0], low - _BACK), high):
            continue
        if sign * (a.value - b.value) < 0:
            why = f"said {word!r}, and beside it stands {text[a.start : b.end].strip()!r}"
            yield Accusation("told_side", span, why, Certainty.SENTENCE)


def _signs(text: str, sentence: Span, a: SaidFigure, b: SaidFigure) -> Iterator[tuple[str, int, Span]]:
    """By words between two figures, before them or behind them, which of the two is said to be more."""
    if (a.kind in MONEY) is not (b.kind in MONEY) or _apart(a, b):
        return
    between = _BETWEEN.fullmatch(text, a.end, b.start)
    if between is not None and not between["verb"] and ")" in between[0]:
        between = None  # the first stands in an aside
    if between is not None and a.kind in MONEY and between["place"].casefold() in _RANKS:
        between = None
    if between is not None and text[b.end : b.end + 1] != "-" and (a.kind == b.kind or between["verb"]):
        yield between["place"], _PLACES[between["place"].casefold()], between.span("place")
    if _AGAINST.fullmatch(text, a.end, b.start) is None:
        return
    before = list(_TOLD.finditer(text, max(sentence[0], a.start - _BACK), a.start))[-1:]
    behind = list(islice(_TOLD.finditer(text, b.end, min(sentence[1], b.end + _BACK)), 1))
    for match, led in ((each, _AT.fullmatch(text, each.end(), a.start)) for each in before):
        if led is not None and (sign := _sign(match["word"], a, b)):
            yield match["word"], sign, match.span()
    for match, led in ((each, _SO.fullmatch(text, b.end, each.start())) for each in behind):
        if led is not None and (sign := _sign(match["word"], a, b)):
            yield match["word"], sign, match.span()


def _sign(word: str, a: SaidFigure, b: SaidFigure) -> int:
    """Which way, where the word is of their kind."""
    said, kinds = word.casefold(), {_KINDS.get(one.kind, one.kind) for one in (a, b)}
    if said in _ANY:
        return _ANY[said]
    side = _WORDS[said]
    return side.sign if side.of in kinds else 0


def _apart(a: SaidFigure, b: SaidFigure) -> bool:
    """Whether they are of two things."""
    if "percent" in (a.kind, b.kind) and a.kind != b.kind:
        return True
    if a.kind in ("orders", "multiple") or b.kind in ("orders", "multiple"):
        return True
    if {a.kind, b.kind} == {"money", "unit"} or {a.kind, b.kind} == {"rating", "ratings"}:
        return True
    return a.unit not in _BARE and b.unit not in _BARE and a.unit != b.unit
