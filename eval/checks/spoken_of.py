"""Whom a predicate is said of where no name stands right before it: the one thing that its sentence or item begins with, what `it` goes back to, what an apposition names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from drr.eval.checks.base import Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.makers import PlaceNamed

_COMPARAND = re.compile(
    r"\b(?:than|as|against|versus|vs\.?|unlike|beside|alongside|next\sto|over|compared\s(?:with|to))\s(?:[^,;:!?.()\n]{0,30}(?:\.\d[^,;:!?.()\n]{0,30})?\b(?:for|of|on|from|in|with)\s)?"
    r"(?:(?:the|your|its|that|a|an|one)\s){0,2}[*_\[(]{0,3}$",
    re.I,
)
"""Before a name: something else is set beside it, or beside a figure of it: `8.3 cents against about 9.7 for the`."""
_IT = re.compile(r"\b(?:it|it['’]s|this\sone|that\sone)\b", re.I)
_FORWARD = re.compile(
    r"[\s*_(>•–-]{0,6}(?:(?:so|and|but|even|yet)\s){0,2}(?:though|although|while|whilst|if|since|because|as|where|when)\b",
    re.I,
)
"""`though it costs more, the Botanary`: the name comes later."""
_OPENING = re.compile(
    r"\b(?:you|we|i|they|there|he|she|than|as|and|or|with|to|from|for|over|between|unlike|like|replace|take|buy|add|swap|if|not|no|what|which|who|where|when|while|though|by)\b",
    re.I,
)
"""Before the first name of a sentence: the name is not what the sentence begins with."""
_ANOTHER = re.compile(
    r"(?:[,:;]|\b(?:and|but|so|then|plus|though|although|because|since|when|where|while|whereas|as)\b|\s[–—-])\s(?:so\s|then\s|still\s|now\s|today\s)?"
    r"(?:(?:the|your|my|our|that|this|these|those|an?|its|their|no|any|some|most|every|one|two|three|both|all|what|mine|yours)\b|(?:you|we|i|they|there|he|she|people|others|nobody|nothing|everything)\b)"
    r"(?!\s[*_]{0,3}$|\s(?:[a-z-]{2,14}est|best|most|least|worst)\b)",
    re.I,
)
"""Between a name and what is said: another subject."""
_ELSE = re.compile(
    r"\b(?:other|others|former|latter|yours|mine|another|rival|runner-up|both|either|neither|each|respectively|last\sone|first\sone|two|three|four|five)\b",
    re.I,
)
_OF_SO_MANY = re.compile(
    r"\b(?:of|among|between|out\sof)\s(?:the\s|these\s|those\s|all\s|my\s|our\s|your\s)?(?:two|three|four|five|six|seven|eight|nine|ten|\d{1,2})\b",
    re.I,
)
_OWNED = re.compile(r"['’]s?\s")
_FOR = re.compile(
    r"[\s*_()\[\]]{0,120}(?:(?!(?:and|or|but|than|with|is|are|was|has|costs?)\s)[\w-]{2,20}\s){0,3}(?:for|instead\sof|in\s(?:the\s)?place\sof)\s(?:(?:the|its|your|that)\s)?[\s*_\[(]{0,120}",
    re.I,
)
"""Between two names: one for the other."""
_SWAPPED = re.compile(r"\b(?:swap|trad|exchang|chang|giv|return)[a-z]{0,6}\b", re.I)
"""Before `one for the other`: the other is taken."""
_REACH, _SHORT = 260, 80
_BACK = 3
"""Sentences that `it` goes back over."""


def taken_for_the_last(text: str, low: int, before: Sequence[PlaceNamed]) -> PlaceNamed | None:
    """Of names before a predicate what is taken for the one named last: `the Birch for the Fox costs $3 more` is of the Birch."""
    for last, one in pairwise(reversed(before)):
        if not one.products & last.products:
            is_for = _FOR.fullmatch(text, one.end, last.start) is not None
            return one if is_for and not _SWAPPED.search(text, low, one.start) else None
    return None


def is_gone_back_from(text: str, place: PlaceNamed, start: int) -> bool:
    """Whether a predicate is of `it`, and what was named last is only set beside that: `cheaper than the Fox, and it's the best rated`."""
    beside = _COMPARAND.search(text, max(0, place.start - _SHORT), place.start)
    return beside is not None and _IT.search(text, place.end, start) is not None


def one_spoken_of(cast: Cast, text: str, start: int) -> frozenset[str]:
    """The one thing that a predicate there is said of; empty where it may be another's."""
    line, sentence = cast.prose.line_at(start), cast.prose.sentence_at(start)
    if line is None:
        return frozenset()
    pronouns = list(_IT.finditer(text, sentence[0], start))
    if pronouns:
        end = pronouns[-1].end()
        if _ANOTHER.search(text, end, start) or _others(cast, text, (end, start)):
            return frozenset()
        return _gone_back_to(cast, text, sentence, line.start)
    half = text.rfind("; ", sentence[0], start)
    named = cast.within(sentence[0], start)
    if half > 0 and (behind := cast.within(half, start)):
        sentence, named = (half + 2, sentence[1]), behind
    if not named and line.kind == "item":
        sentence = (line.start, line.end)
        named = cast.within(line.start, start)
    return _alone(named, text, sentence, start)


def _alone(named: Sequence[PlaceNamed], text: str, sentence: Span, start: int) -> frozenset[str]:
    """The only one that is named before, with which its sentence begins and no other subject between."""
    if not named or len({one.products for one in named}) > 1 or start - named[-1].end > _REACH:
        return frozenset()
    if _OPENING.search(text, sentence[0], named[0].start) or _OWNED.match(text, named[-1].end):
        return frozenset()
    between = _OF_SO_MANY.sub(" ", text[named[-1].end : start])
    return frozenset() if _ANOTHER.search(between) or _ELSE.search(between) else named[0].products


def _gone_back_to(cast: Cast, text: str, sentence: Span, low: int) -> frozenset[str]:
    """What `it` stands for: the only thing named before the first `it` of its sentence, else of the sentence before."""
    for _ in range(_BACK):
        first = _IT.search(text, *sentence)
        end = sentence[1] if first is None else first.start()
        if first is not None and _FORWARD.match(text, *sentence):
            return frozenset()
        own = _others(cast, text, (sentence[0], end))
        if _ELSE.search(_OF_SO_MANY.sub(" ", text[own[-1].end if own else sentence[0] : end])):
            return frozenset()
        if own:
            return own[0].products if len({one.products for one in own}) == 1 else frozenset()
        if first is None or sentence[0] <= low:
            return frozenset()
        sentence = cast.prose.sentence_at(sentence[0] - 1)
    return frozenset()


def _others(cast: Cast, text: str, span: Span) -> list[PlaceNamed]:
    """What a stretch names, but for what something is only set beside."""
    return [
        one
        for one in cast.within(*span)
        if not _COMPARAND.search(text, max(0, one.start - _SHORT), one.start)
    ]
