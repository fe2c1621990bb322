"""Superlatives whose own figure stands right beside them: `the cheapest of the three at $25.95`, `with 92 ratings the least reviewed`, `$11.43 a quart: the highest`.

Whom it is said of need not be known by name: the figure tells. It is held against the things of every group in sight that may be meant, and a cost by the
piece against the others that the text says. Wrong only where it is first in no group, and last in one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from drr.env.entities import Product
from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.said import SaidFigure
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.makers import linked_by
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.residue import residue_of
from drr.eval.checks.superlatives import Of, SuperlativeSaid, groups_around, is_first_of, tells_costs
from drr.wording.cues import CUES

_FIRST = re.compile(
    r"\b(?:(?P<money_least>cheapest|least\sexpensive|lowest[\s-]priced|lowest\sprice)|(?P<money_most>dearest|priciest|most\sexpensive|costliest|highest\sprice)"
    r"|(?P<rating_most>(?:best|highest|top)[\s-](?:rated|reviewed|liked|scored)|(?:best|highest|top)\s(?:rating|score|average))"
    r"|(?P<rating_least>(?:worst|lowest|least)[\s-](?:rated|liked|scored)|(?:worst|lowest)\s(?:rating|score|average))"
    r"|(?P<ratings_most>most[\s-](?:reviewed|rated)|most\s(?:ratings|reviews))|(?P<ratings_least>least[\s-]reviewed|fewest\s(?:ratings|reviews))"
    r"|(?P<any_most>highest|most)(?=\sof\b)|(?P<any_least>lowest|least)(?=\sof\b))\b",
    re.I,
)
_BEFORE = re.compile(
    r"(?:[\s-](?!(?:and|or|with|at|but|for|while|in|on|to)\b)[a-z]{1,14}){0,3}[\s*_)]{0,3}(?:[,:(–—-]|\s[–—-])?\s?[*_]{0,3}(?:(?:which|that|it|this|so|is|it['’]s|by|far|easily|clearly|again|still|also|just|the)\b[\s*_]{0,3}){0,6}",
    re.I,
)
"""Between a figure and the superlative that it makes."""
_BEHIND = re.compile(
    r"(?:\s(?:of|among)\s(?:the|these|those|them|all|my|our|your)(?:\s(?:two|three|four|five|six|lot|bunch|trio|pair|set))?(?:\s[a-z]{3,14})?|\s(?:here|overall|too|one))?[\s*_]{0,3}(?:,\s(?:with|at|from|on|by)|:|\s\(|\s(?:at|with|on|by|from)|\s[–—-])\s?(?:only\s|just\s|about\s|a\s|its\s|an\s(?:average|even)\s){0,2}[*_]{0,3}",
    re.I,
)
"""Between a superlative and its own figure behind it."""
_CLOSED = re.compile(
    r"[\s*_]{0,3}(?:[.;:)!–—]|,(?!\s(?:the|your|its)\b)|$|\s(?:of|among|here|overall|by|on|in|and|but|yet|though|while)\b)",
    re.I,
)
"""Behind a superlative: it is said of what stands before it."""
_NOT = re.compile(
    r"\b(?:second|third|fourth|fifth|next|2nd|3rd|one\sof|not|no|never|neither|nor|hardly|almost|nearly|if|would|could|might|than|usually|both|each|all\s(?:are|of)|every|whether|which\sof|"
    r"who|where|until|was|were|used\sto|had|equal|joint|tie[ds]?|again|else|without|only|or|as|share[ds]?|over|under|below|above|against|beats?)\b|n['’]t\b|\?",
    re.I,
)
_RANGE = re.compile(r"[\s*_]{0,3}(?:to|through|[-–—])\s?[*_]{0,3}\\?\$?\d")
"""Behind a figure: it is the first end of a range, of the cheapest as much as of the dearest."""
_MANY, _FEW, _SHORT, _REACH, _LESS = 40, 3, 60, 500, 0.005
_KINDS = {
    "money": ("money", "unit"),
    "rating": ("rating",),
    "ratings": ("ratings", "count"),
    "any": ("unit",),
}
_OF: dict[str, Of] = {"money": "price", "rating": "stars", "ratings": "raters"}
_FIELDS = {"money": "price", "rating": "average_rating", "ratings": "rating_number"}


class FirstSaid(NamedTuple):
    """A superlative with the figure that it is said of."""

    of: str
    sign: int
    start: int
    end: int
    figure: SaidFigure


def wrong_firsts_by_figure(mentions: Mentions) -> Iterator[Accusation]:
    """Superlatives of what their own figure shows to be last, and first in no group in sight."""
    for one in islice(_said(mentions), _MANY):
        held = sight_of(mentions).held
        sentence = held.prose.sentence_at(one.start)
        if not _is_read(mentions, held.cast, one, sentence):
            continue
        if one.figure.kind == "unit":
            is_wrong = _is_last_cost(held, one, sentence)
        else:
            is_wrong = one.of != "any" and _is_last_thing(held.cast, mentions, one, sentence)
        if is_wrong:
            shown = mentions.plain[one.figure.start : one.figure.end].strip()
            why = f"said {mentions.plain[one.start : one.end]!r} at {shown}, which is first in no group in sight"
            yield Accusation("superlative", (one.start, one.end), why, Certainty.SENTENCE)


def _said(mentions: Mentions) -> Iterator[FirstSaid]:
    text = mentions.plain
    for match in _FIRST.finditer(text):
        held = sight_of(mentions).held
        sentence = held.prose.sentence_at(match.start())
        name = match.lastgroup or ""
        of, way = name.rsplit("_", 1)
        before = held.said.within((max(sentence[0], match.start() - _SHORT), match.start()))
        behind = held.said.within((match.end(), min(sentence[1], match.end() + _SHORT)))
        found = next((one for one in behind if one.kind in _KINDS[of]), None)
        if found is None or _BEHIND.fullmatch(text, match.end(), found.start) is None:
            found = before[-1] if before and before[-1].kind in _KINDS[of] else None
            more = of == "money" and any(one.kind in _KINDS[of] for one in behind)
            if (
                found is None
                or more
                or not _CLOSED.match(text, match.end())
                or _BEFORE.fullmatch(text, found.end, match.start()) is None
            ):
                continue
        if _RANGE.match(text, found.end):
            continue
        yield FirstSaid(of, 1 if way == "most" else -1, *match.span(), found)


def _is_read(mentions: Mentions, cast: Cast, one: FirstSaid, sentence: Span) -> bool:
    line = cast.prose.prose_line_at(one.start)
    if line is None or line.kind == "heading" or "?" in mentions.plain[slice(*sentence)]:
        return False
    low, high = min(one.start, one.figure.start), max(one.end, one.figure.end)
    clause = cast.prose.clause_at(low)[0], high
    if _NOT.search(mentions.plain, *clause):
        return False
    return not (residue_of(mentions).is_of_the_unseen(clause, sentence) or cast.names_a_stranger(clause))


def _is_last_cost(held: HeldAgainst, one: FirstSaid, sentence: Span) -> bool:
    """Whether the costs by the piece that stand before it, however far back they are read, are all on the other side."""
    if one.of not in ("money", "any"):
        return False
    line = held.prose.line_at(one.start)
    low = max(0, sentence[0] - _REACH) if line is None else min(line.start, max(0, sentence[0] - _REACH))
    others = [
        each.value
        for each in held.said.within((low, sentence[1]))
        if each.kind == "unit" and each.start != one.figure.start and each.value != one.figure.value
    ]
    return len(others) > 1 and all(one.sign * (one.figure.value - value) < -_LESS for value in others)


def _is_last_thing(cast: Cast, mentions: Mentions, one: FirstSaid, sentence: Span) -> bool:
    """Whether all that have the figure are first in no group, and last in one."""
    name = _FIELDS[one.of]
    linked = linked_by(cast.named) & cast.products.keys()
    subjects = [
        cast.products[key]
        for key in sorted(linked - cast.unlinked)
        if (value := getattr(cast.products[key], name)) is not None and abs(value - one.figure.value) < _LESS
    ]
    if not subjects or len(subjects) > _FEW:
        return False
    is_last, said = False, SuperlativeSaid(_OF[one.of], one.sign, one.start, one.end)
    units = CUES.units_in(mentions.plain[slice(*sentence)])
    around = CUES.units_in(mentions.plain) | ({"each"} if tells_costs(mentions) else set())
    for subject in subjects:
        for group in groups_around(cast, mentions, subject, sentence):
            values = _others(group, subject, name)
            if not values:
                continue
            if is_first_of(said, subject, group, units, around):
                return False
            is_last |= len(values) > 1 and all(
                one.sign * (one.figure.value - value) < -_LESS for value in values
            )
    return is_last


def _others(group: list[Product], subject: Product, name: str) -> list[float]:
    return [
        float(value)
        for each in group
        if each.product_id != subject.product_id and (value := getattr(each, name)) is not None
    ]
