"""Which of two is said to have more, where both figures stand right behind it: `the better rated of the two: 3.8 stars against 4.4`.

Wrong where the first of them is the smaller. Left alone where words between them may say whom it is held against, in ranges, of two units, and of what is not so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from drr.eval.checks.base import Accusation
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.leftover.said import SaidFigure
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.mentions import Mentions
from drr.wording.comparisons import SIDES
from drr.wording.vocabulary import either

_SAID = re.compile(rf"\b(?P<word>{either(SIDES.told)})\b", re.I)
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
_KINDS = {"unit": "money", "count": "number", "measure": "number", "ratings": "number"}
_BACK = 60
_MOST = 40


def wrong_told_sides(mentions: Mentions) -> Iterator[Accusation]:
    """Comparisons that the two figures right behind them turn round."""
    text = mentions.plain
    for match in islice(_SAID.finditer(text), _MOST):
        held = sight_of(mentions).held
        if held.prose.prose_line_at(match.start()) is None:
            continue
        word = SIDES.told[match["word"].casefold()]
        sentence = held.prose.sentence_at(match.start())
        two = held.said.within((match.end(), sentence[1]))[:2]
        if not _is_led_to(text, match.end(), word.of, two):
            continue
        a, b = two
        if _NOT.search(text, max(sentence[0], match.start() - _BACK), b.end + 1):
            continue
        if word.sign * (a.value - b.value) < 0:
            why = f"said {match[0]!r}, and beside it stands {text[a.start : b.end].strip()!r}"
            yield Accusation("told_side", match.span(), why, Certainty.SENTENCE)


def _is_led_to(text: str, end: int, kind: str, two: Sequence[SaidFigure]) -> bool:
    """Whether right behind a word two figures of its kind, and of one unit, are held against each other."""
    if len(two) < 2 or any(_KINDS.get(one.kind, one.kind) != kind for one in two):
        return False
    if len({one.unit for one in two if one.unit}) > 1:
        return False
    between = two[0].end, two[1].start
    is_range = kind == "number" and re.search(r"\bto\b", text[slice(*between)]) is not None
    led = _LEADS.fullmatch(text, end, two[0].start) and _AGAINST.fullmatch(text, *between)
    return led is not None and not is_range
