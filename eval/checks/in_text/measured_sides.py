"""By how much of a measure one thing is said to be more or less: `it is 0.85 pounds lighter`.

Wrong where its record and that of another differ by so much the other way round, and no two records the right way. Left alone where it is not certain
of whom it is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, product

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.cast import Cast, cast_of
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.makers import linked_by
from drr.eval.checks.measures import MeasureSaid
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.residue import residue_of
from drr.eval.checks.superlatives import measured
from drr.wording.comparisons import SIDES
from drr.wording.vocabulary import either

_KINDS = frozenset(("noise", "light", "weight", "length", "thickness"))
_SIGNS = {word: one.sign for word, one in SIDES.measured.items() if _KINDS & {*one.kinds}} | {"deeper": 1}
_SIDE = re.compile(rf"[\s*_]{{1,3}}(?P<word>{either(_SIGNS)})\b", re.I)
_NOT = re.compile(
    r"\b(?:not|no|never|neither|nor|if|unless|would|could|might|should|whether|which|once|until|was|were|used\sto|both|each|than|but\sfor|when|where)\b|n['’]t\b|\?",
    re.I,
)
_THAN = re.compile(r"[\s*_]{1,3}than\s(?:the\s|your\s|its\s)?[*_\[(]{0,4}", re.I)
_IT = re.compile(
    r"\bit(?:\sis|['’]s|\sruns|\sstands)(?:\s(?:also|only|just|even|about|a\sfull|some))?[\s*_]{1,3}$", re.I
)
_BESIDE = re.compile(
    r"\b(?:over|above|beyond|past|to|from|against|than|as|like|unlike|versus|vs\.?|beside)\s(?:(?:the|your|its)\s)?[*_\[(]{0,4}$",
    re.I,
)
_CLOSE, _FAR, _MOST, _FEW = 5, 20, 40, 12


def wrong_measured_sides(mentions: Mentions) -> Iterator[Accusation]:
    """Differences of a measure that are so the other way round only."""
    cast = cast_of(mentions.subject, mentions)
    if len(cast.products) > 1:
        yield from islice(_found(mentions, cast), _MOST)


def _found(mentions: Mentions, cast: Cast) -> Iterator[Accusation]:
    text = mentions.plain
    for said, match, span in _said(text, cast):
        told = _turned(cast, text, said, match, span) if _is_read(mentions, cast, said, span) else None
        if told is not None:
            shown = text[said.start : match.end()].strip()
            why = f"said {shown!r} of {told[0]}, and beside {told[1]} it is the other way round"
            yield Accusation("measured_side", (said.start, match.end()), why, Certainty.SENTENCE)


def _said(text: str, cast: Cast) -> Iterator[tuple[MeasureSaid, re.Match[str], Span]]:
    """Measures with the word right behind that says which way, each in its sentence."""
    for line in cast.lines:
        if line.is_row or line.kind in ("elision", "heading") or not _SIDE.search(text, line.start, line.end):
            continue
        for span in cast.prose.sentences(line):
            for said in cast.prose.measures(span):
                match = _SIDE.match(text, said.end, span[1])
                if match is not None and said.kind in _KINDS:
                    yield said, match, span


def _is_read(mentions: Mentions, cast: Cast, said: MeasureSaid, span: Span) -> bool:
    clause = cast.prose.clause_at(said.start)
    if _NOT.search(mentions.plain, clause[0], said.start) or "?" in mentions.plain[slice(*span)]:
        return False
    return not (residue_of(mentions).is_of_the_unseen(clause, span) or cast.names_a_stranger(span))


def _subject(cast: Cast, text: str, said: MeasureSaid) -> str:
    """Who is meant, for certain or by `it` right before; of a maker's things the one that the text links."""
    line, meant = cast.prose.line_at(said.start), cast.meant_at(said.start, said.end)
    last = cast.within(line.start, said.start)[-1:] if line is not None else []
    if last and _BESIDE.search(text, max(0, last[0].start - _FAR), last[0].start):
        return ""  # what something else was set beside
    if meant.certain:
        return meant.only or ""
    linked = linked_by(cast.named) & meant.products
    told = not meant.contrast and _IT.search(text, max(0, said.start - _FAR), said.start)
    return next(iter(linked)) if told and len(linked) == 1 else ""


def _turned(
    cast: Cast, text: str, said: MeasureSaid, match: re.Match[str], span: Span
) -> tuple[str, str] | None:
    """The thing and another of which the opposite is true, where of no other in play it is so."""
    key = _subject(cast, text, said)
    if key not in cast.products or key in cast.unlinked:
        return None
    others = [one for one in cast.products if one != key]
    than = _THAN.match(text, match.end(), span[1])
    if than is not None:
        behind = cast.within(match.end(), span[1])[:1]
        if not behind or behind[0].start > than.end() + _CLOSE:
            return None
        others = [one for one in others if one in behind[0].products]
    sign, told = _SIGNS[match["word"].casefold()], None
    mine = measured(cast.products[key], said.kind)
    for other in others[:_FEW]:
        for a, b in product(mine, measured(cast.products[other], said.kind)):
            if abs(abs(a - b) - said.base) > 0.02 * said.base + 1e-6:
                continue
            if sign * (a - b) > 0:
                return None
            told = key, other
    return told
