"""Which of two is said to have more, where both figures stand right behind it: `the better rated of the two: 3.8 stars against 4.4`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.said import SaidFigure
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.mentions import Mentions
from drr.wording.vocabulary import either

_MORE = {
    "rating": ("better rated", "better-rated", "higher rated", "higher-rated", "rated higher", "rated better", "better liked", "better-liked", "better reviewed", "better-reviewed"),
    "money": ("dearer", "pricier", "costlier", "more expensive", "costs more"),
    "number": ("heavier", "louder", "noisier", "brighter", "longer", "taller", "wider", "thicker", "larger", "bigger", "more powerful", "more ratings", "more reviews"),
}  # fmt: skip
_LESS = {
    "rating": ("lower rated", "lower-rated", "rated lower", "worse rated", "worse-rated", "rated worse"),
    "money": ("cheaper", "less expensive", "thriftier", "costs less"),
    "number": ("lighter", "quieter", "dimmer", "shorter", "narrower", "thinner", "smaller", "fewer ratings", "fewer reviews"),
}  # fmt: skip
_SIGNS = {
    word: (kind, sign)
    for sign, some in ((1, _MORE), (-1, _LESS))
    for kind, words in some.items()
    for word in words
}
_SAID = re.compile(rf"\b(?P<word>{either(_SIGNS)})\b", re.I)
_LEADS = re.compile(
    r"(?:\s(?:one|model|of\s(?:the|these|those)\s(?:two|pair)|(?:per|by\sthe|an?)\s[a-z]{3,12}))?(?:,?\s(?:too|though|however|also|still|then))?[\s*_]{0,3}(?:[:(,]|\s?[—–-]\s)\s?[\s*_(]{0,4}(?:at\s|about\s|around\s|roughly\s)?[*_]{0,3}",
    re.I,
)
"""Between the word and the first figure; nothing says there whom it is held against."""
_AGAINST = re.compile(
    r"[\s*_)]{0,4}(?:stars?|dB|decibels|pounds|ounces|inch(?:es)?|cents?|lumens|feet|mm|cm|ratings|reviews|an?\s[a-z]{3,12}|per\s[a-z]{3,12})?[\s*_]{0,3},?\s?(?:against|to|versus|vs\.?|compared\s(?:with|to))\s(?:(?:the|its|about|only|just)\s){0,2}[*_]{0,3}",
    re.I,
)
_NOT = re.compile(
    r"\b(?:not|no|never|neither|nor|hardly|if|unless|would|could|might|whether|which|who|once|until|was|were|used\sto|than\sit|elsewhere|online|each|both|from|range[sd]?|up|down)\b|n['’]t\b|\?",
    re.I,
)
_BACK = 60
_MOST = 40


def wrong_told_sides(mentions: Mentions) -> Iterator[Accusation]:
    """Comparisons that the two figures right behind them turn round."""
    text = mentions.plain
    for match in islice(_SAID.finditer(text), _MOST):
        held = sight_of(mentions).held
        line, sentence = held.prose.line_at(match.start()), held.prose.sentence_at(match.start())
        if line is None or line.kind in ("row", "head_row", "rule_row"):
            continue
        kind, sign = _SIGNS[" ".join(match["word"].casefold().split())]
        two = _two(held, text, match, sentence, kind)
        if two is None or _NOT.search(text, max(sentence[0], match.start() - _BACK), two[1].end + 1):
            continue
        a, b = two
        if sign * (a.value - b.value) < 0:
            shown = text[a.start : b.end].strip()
            why = f"said {match[0]!r}, and beside it stands {shown!r}"
            yield Accusation("told_side", match.span(), why, Certainty.SENTENCE)


def _two(
    held: HeldAgainst, text: str, match: re.Match[str], sentence: Span, kind: str
) -> tuple[SaidFigure, SaidFigure] | None:
    """The two figures of one kind that are held against each other right behind it."""
    here = held.said.within((match.end(), sentence[1]))[:2]
    if len(here) < 2 or not _LEADS.fullmatch(text, match.end(), here[0].start):
        return None
    if kind == "number" and re.search(r"\bto\b", text[here[0].end : here[1].start]):
        return None  # a range
    if not _AGAINST.fullmatch(text, here[0].end, here[1].start) or {_kind(one) for one in here} - {kind}:
        return None
    return here[0], here[1]


def _kind(one: SaidFigure) -> str:
    if one.kind in ("money", "unit"):
        return "money"
    return (
        "rating"
        if one.kind == "rating"
        else "number"
        if one.kind in ("count", "measure", "ratings")
        else one.kind
    )
