"""Which place something has among several: `the second dearest of the six`.

Wrong where it has that place in no group of so many that the text sets side by side. Left alone where it is not said of how many, nor certain of whom.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from drr.env.entities import Product
from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.cast import Cast, cast_of
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.in_text.costs import costs_told
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.residue import residue_of
from drr.eval.checks.superlatives import groups_around
from drr.wording.numbers import SPOKEN, number_said

_PLACES = {"second": 2, "third": 3, "fourth": 4, "fifth": 5, "2nd": 2, "3rd": 3, "4th": 4, "5th": 5}
_RANKED = re.compile(
    r"\b(?P<place>second|third|fourth|fifth|2nd|3rd|4th|5th)[\s-](?:(?P<least>cheapest|least\sexpensive|lowest[\s-]priced)|(?P<most>dearest|priciest|costliest|most\sexpensive)|"
    r"(?P<best>(?:best|highest)[\s-]rated)|(?P<worst>(?:worst|lowest)[\s-]rated)|(?P<rated>most[\s-](?:rated|reviewed)))\s"
    rf"(?:of|among)\s(?:the|these|those|all)\s(?P<many>{SPOKEN}|\d{{1,2}})\b",
    re.I,
)
"""Only where it says of how many."""
_NOT = re.compile(
    r"\b(?:not|no|never|neither|nor|hardly|if|would|could|might|than|usually|both|each|whether|which|what|who|once|until|was|were|used\sto|tie[ds]?|joint|per|by\sthe)\b|n['’]t\b|\?",
    re.I,
)
_LEADS_TO = re.compile(r"(?:\s[a-z-]{2,16}){0,3}[\s*_]{0,3}(?:\sis|:)\s(?:the\s|your\s)?[*_\[]{0,4}", re.I)
_LEAST = 0.005
_MOST = 30


def misread_ranks(mentions: Mentions) -> Iterator[Accusation]:
    """Places among several that the thing has in no group in sight."""
    text = mentions.plain
    for match in islice(_RANKED.finditer(text), _MOST):
        cast = cast_of(mentions.subject, mentions)
        sentence = cast.prose.sentence_at(match.start())
        subject = _subject(cast, text, match, sentence)
        if subject is None or not _is_read(mentions, cast, match, sentence):
            continue
        every = groups_around(cast, mentions, subject, sentence)
        groups = [one for one in every if len(one) == number_said(match["many"])]
        if groups and not any(_has_place(mentions, match, subject, group) for group in groups):
            why = f"said {match[0]!r} of {subject.product_id}, which has that place in no group in sight"
            yield Accusation("rank", match.span(), why, Certainty.SENTENCE)


def _subject(cast: Cast, text: str, match: re.Match[str], sentence: Span) -> Product | None:
    before, behind = cast.within(sentence[0], match.start()), cast.within(match.end(), sentence[1])[:1]
    keys: frozenset[str] = frozenset()
    if before and len({one.products for one in before}) == 1:
        keys = before[0].products
    elif not before and behind and _LEADS_TO.fullmatch(text, match.end(), behind[0].start):
        keys = behind[0].products
    key = next(iter(keys)) if len(keys) == 1 and not keys & cast.unlinked else ""
    return cast.products.get(key)


def _is_read(mentions: Mentions, cast: Cast, match: re.Match[str], sentence: Span) -> bool:
    line, clause = cast.prose.prose_line_at(match.start()), cast.prose.clause_at(match.start())
    if line is None or line.kind == "heading":
        return False
    if _NOT.search(mentions.plain, clause[0], max(clause[1], match.end())):
        return False
    return not residue_of(mentions).is_of_the_unseen(clause, sentence)


def _has_place(mentions: Mentions, match: re.Match[str], subject: Product, group: Sequence[Product]) -> bool:
    """By price, also by what a piece is said to cost; by stars or by raters; one of equals has each place that they share."""
    sign, place = -1 if match["least"] or match["worst"] else 1, _PLACES[match["place"].casefold()]
    if match["best"] or match["worst"] or match["rated"]:
        name = "rating_number" if match["rated"] else "average_rating"
        return _is_at(sign, place, getattr(subject, name), [getattr(one, name) for one in group])
    costs = costs_told(sight_of(mentions).held)
    own = costs.get(subject.product_id)
    told = [costs[one.product_id].value for one in group if one.product_id in costs]
    if own is not None and _is_at(sign, place, own.value, told):
        return True
    return _is_at(sign, place, subject.price, [one.price for one in group])


def _is_at(sign: int, place: int, mine: float | None, values: Sequence[float | None]) -> bool:
    known = [one for one in values if one is not None]
    if mine is None or len(known) < len(values):
        return True
    ahead = sum(sign * (one - mine) > _LEAST for one in known)
    level = sum(abs(one - mine) <= _LEAST for one in known)
    return ahead < place <= ahead + max(level, 1)
