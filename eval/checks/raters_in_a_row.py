"""Numbers of ratings that stand in a row (`175 against 30 and 16`, `Ashwell (38), Whiskerwell (23)`), or beside a superlative of them (`the most ratings, 141`).

Where the others of the row are those of things in play and one is nobody's, that one is wrong. Left alone where no word near it speaks of ratings, and what is
a sum or a difference of such numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, islice

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.cast import Cast, cast_of
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.residue import residue_of

_RATINGS = r"(?:ratings|reviews|raters|reviewers|votes|voters)"
_OF_RATINGS = re.compile(rf"\b(?:{_RATINGS}|(?:most|more|often|better|best)[\s-]rated|been\srated)\b", re.I)
_NUMBER = r"(?<![\w.,$€£#/-])\d{1,6}(?![\w%]|[.,]\d|[-/]\d)"
_LINK = r"[\s*_]{0,3}(?:,\s(?:and\s)?|\s(?:and|against|to|versus|vs\.?)\s)(?:(?:only|just|the|a\smere|a)\s){0,2}[*_]{0,3}"
_ROW = re.compile(
    rf"(?P<a>{_NUMBER})(?:\s{_RATINGS})?[*_]{{0,3}}\s(?:against|to|versus|vs\.?|and)\s(?:(?:only|just|a\smere)\s){{0,2}}[*_]{{0,3}}(?P<b>{_NUMBER})(?:{_LINK}(?P<c>{_NUMBER}))?"
    rf"(?=[\s*_]{{0,3}}(?:$|[.,;:)]|(?:{_RATINGS}|are|is|but|so|which|while|though)\b))",
    re.I | re.M,
)
_BRACKETED = re.compile(rf"[\s*_\]]{{0,4}}\((?P<n>{_NUMBER})(?:\s{_RATINGS})?\)")
_FIRST = re.compile(
    rf"\b(?:most|fewest)\s{_RATINGS}(?:\sof\s(?:all|the\s[a-z]{{3,6}}|these|them))?(?:,|:|\s\(|\swith)\s?(?P<n>{_NUMBER})(?=[\s*_]{{0,3}}[.,;:)])",
    re.I,
)
_YEARS = range(1990, 2036)
_NEAR, _MOST, _FEWEST = 110, 40, 3


def wrong_raters_in_a_row(mentions: Mentions) -> Iterator[Accusation]:
    """Numbers of ratings that are nobody's, among others that are somebody's."""
    text = mentions.plain
    if not _OF_RATINGS.search(text):
        return
    cast = cast_of(mentions.subject, mentions)
    if len(cast.products) < 2:
        return
    for row in islice(_rows(cast, text), _MOST):
        sentence = cast.prose.sentence_at(row[0][0])
        if not _is_read(mentions, cast, sentence):
            continue
        for span in _odd(mentions, cast, text, row):
            why = f"said {text[slice(*span)]} ratings, which nothing in sight has"
            yield Accusation("nowhere", span, why, Certainty.SENTENCE)


def _rows(cast: Cast, text: str) -> Iterator[list[Span]]:
    """The numbers of each row, in prose."""
    for line in cast.lines:
        if line.is_row or not _OF_RATINGS.search(text, line.start, line.end):
            continue
        for sentence in cast.prose.sentences(line):
            for match in _ROW.finditer(text, *sentence):
                near = max(sentence[0], match.start() - _NEAR), min(sentence[1], match.end() + _NEAR // 5)
                if _OF_RATINGS.search(text, *near):
                    yield [match.span(name) for name in ("a", "b", "c") if match[name]]
            for match in _FIRST.finditer(text, *sentence):
                yield [match.span("n")]
            named = [_BRACKETED.match(text, one.end) for one in cast.within(*sentence)]
            some = [match.span("n") for match in named if match is not None]
            if len(some) >= _FEWEST and _OF_RATINGS.search(text, *sentence):
                yield some


def _is_read(mentions: Mentions, cast: Cast, sentence: Span) -> bool:
    residue = residue_of(mentions)
    unseen = residue.doubt(sentence, ("conditional", "others", "unreal")) or residue.cites_the_web(sentence)
    return not unseen and not cast.names_a_stranger(sentence)


def _odd(mentions: Mentions, cast: Cast, text: str, row: Sequence[Span]) -> list[Span]:
    """The only one that is nobody's, where all others are those of things in play."""
    known = {float(one.rating_number) for one in cast.products.values() if one.rating_number is not None}
    if any(one.rating_number is None for key, one in cast.products.items() if key in cast.unlinked):
        return []
    held = sight_of(mentions).held
    other = {*held.known.everything.raters, *held.known.siblings.raters}
    values = [float(text[slice(*one)]) for one in row]
    odd = [span for span, value in zip(row, values, strict=True) if value not in known]
    if len(odd) != 1:
        return []
    value = float(text[slice(*odd[0])])
    if value in other or value in _YEARS or value < _FEWEST:
        return []
    if len(row) >= _FEWEST:
        return odd
    worked = {abs(a - b) for a, b in combinations(known, 2)} | {a + b for a, b in combinations(known, 2)}
    return [] if value in worked or value == sum(known) else odd
