"""Which of several is said to cost least or most by the piece, where the text itself says what each costs: `about $9.33 a sensor`.

A thing's cost is only what stands beside its name, and comes to its price by a number of its title; whom it is said of is its name or its size
(`the 90-count`). It is wrong if another such thing in sight costs less, or more, in every group that may be meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from drr.env.entities import Product
from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.known import numbers_in
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.residue import is_of_what_is_unseen, residue_of
from drr.wording.vocabulary import either

_LESS = ("cheaper", "cheapest", "less expensive", "least expensive", "lowest", "thriftier", "thriftiest", "better value", "best value", "better buy", "best buy", "costs less", "costs least", "costs the least", "better bargain", "best bargain")  # fmt: skip
_MORE = ("dearer", "dearest", "pricier", "priciest", "costlier", "costliest", "more expensive", "most expensive", "highest", "worse value", "worst value", "worse buy", "worst buy", "costs more", "costs most", "costs the most")  # fmt: skip
_SIGNS = dict.fromkeys(_LESS, -1) | dict.fromkeys(_MORE, 1)
_PER = r"(?:per\s[a-z]{3,16}|by\sthe\s[a-z]{3,16}|an?\s(?:piece|sheet|pad|load|wash|bag|pound|ounce|foot|liter|litre|quart|gallon|capsule|tablet|unit|alarm|sensor|plug|light|lamp|cloth|pod|inch|meter|pen))\b"
_SAID = re.compile(
    rf"\b(?:(?P<word>{either(_SIGNS)})(?:\s(?:of\s(?:the|these|those|them|all)(?:\s[a-z]{{2,8}})?|one|overall))?(?:,?\s(?P<per>{_PER}))?)",
    re.I,
)
_PER_BEFORE = re.compile(rf"(?:^|[\s(>*_-]){_PER}", re.I)
_OF_VALUE = re.compile(r"thrift|value|buy|bargain", re.I)
_BREAK = re.compile(
    r"[;:]\s|,\s(?:so|but|and|while|yet|though|although|which)\s|\s(?:but|while|though|although|whereas|so|and)\s|\s[–—-]\s"
)
_IS = re.compile(
    r"(?P<owned>['’]s)?[\s*_)\]]{0,4}(?:(?!(?:and|or|than|of|but|with|for|that|which|costs?|is|are)\b)[a-z0-9-]{1,16}\s){0,3}[\s*_]{0,3}(?:\([^()\n]{0,90}\)\s?)?(?:,?\s?(?:which\s|that\s)?you\s[^.;:()\n]{1,50},?\s)?(?:(?:is|remains|comes\sout|works\sout|stays|gives|offers|are)\s)?(?:(?:still|also|clearly|easily|again|actually|then|therefore|even|in\sfact|by\sfar|the|a|much|far|slightly|as\s)\s?){0,4}[*_]{0,3}",
    re.I,
)
_IS_THEN = re.compile(
    r"(?:\s(?:one|buy|option|choice|of\sthe\s[a-z]{2,8}))?[\s*_]{0,3}(?:\sis|:)\s(?:the\s)?[*_\[]{0,4}", re.I
)
_NOT = re.compile(
    r"\b(?:not|no|never|neither|nor|hardly|if|unless|would|could|might|may|whether|which|who|what|once|until|was|were|used\sto|elsewhere|online|second|third|fourth|next|one\sof|among|except|without|with\sa|only|both|each|either|almost|nearly|usually)\b|n['’]t\b|\?",
    re.I,
)
_SIZE = re.compile(
    r"\bthe\s(?P<n>\d{1,4})[\s-]?(?P<u>packs?|counts?|ct|pieces?|sheets?|loads?|feet|foot|ounces?|oz|liters?|pounds?|tablets?|capsules?|bags?)\b(?!\s(?:is|are)\sin\b)",
    re.I,
)
_WHOLE = frozenset(("bottle", "box", "pack", "package", "tube", "jar", "jug", "order", "carton", "set", "kit", "star", "year", "month"))  # fmt: skip
"""What is bought whole, and what is no part of it."""
_ANY = frozenset(("piece", "item", "unit", "one"))
_THAN = re.compile(r"\s(?:overall\s)?than\s(?:(?:the|your|its)\s)?[*_\[]{0,4}", re.I)
_SLACK = 0.02
_CLOSE, _REACH = 40, 1_500
_MOST, _TITLED = 40, 8


def wrong_told_costs(mentions: Mentions) -> Iterator[Accusation]:
    """Comparisons of costs per unit that the costs beside the names turn round."""
    text = mentions.plain
    some = [match for match in islice(_SAID.finditer(text), _MOST) if _is_of_costs(text, match)]
    if not some:
        return
    held = sight_of(mentions).held
    costs = costs_told(held)
    if len(costs) < 2:
        return
    for match in some:
        part = _part(held, text, match)
        if part is None or not _is_read(mentions, held, match, part):
            continue
        subject = _subject(held.cast, text, match, part, costs)
        if subject is None:
            continue
        others = _others(held.cast, text, match, part, costs, subject)
        sign, mine = _SIGNS[" ".join(match["word"].casefold().split())], costs[subject].value
        if others and all(sign * (costs[key].value - mine) > _SLACK * mine for key in others):
            far = max(others, key=lambda key: sign * costs[key].value)
            why = f"said {match[0]!r} of {subject} at ${mine:.2f}, and {far} is at ${costs[far].value:.2f}"
            yield Accusation("told_cost", match.span(), why, Certainty.SENTENCE)


class ToldCost(NamedTuple):
    """What a piece of a thing is said to cost, of which unit, and where."""

    value: float
    unit: str
    start: int


def _others(
    cast: Cast, text: str, match: re.Match[str], part: Span, costs: Mapping[str, ToldCost], subject: str
) -> list[str]:
    """The things that it is held against: the one behind `than`, else all near whose costs are of the same unit."""
    than = _THAN.match(text, match.end(), part[1])
    if than is not None:
        behind = cast.within(than.end(), min(part[1], than.end() + _CLOSE))
        sized = _SIZE.match(text, max(than.end() - 4, match.end()))
        key = (
            _only(behind[0].products, costs)
            if behind
            else _of_size(cast, float(sized["n"]), costs)
            if sized
            else None
        )
        return [] if key in (None, subject) else [key]
    if re.search(r"\bthan\b", text[match.end() : part[1]]):
        return []
    unit, asked = costs[subject].unit, _unit_of(match["per"])
    if asked in _WHOLE or (unit and asked and unit != asked and asked not in _ANY):
        return []
    return [
        key
        for key, one in costs.items()
        if key != subject and (not unit or one.unit in (unit, "")) and abs(one.start - match.start()) < _REACH
    ]


def _unit_of(per: str | None) -> str:
    return per.split()[-1].casefold().rstrip("s") if per else ""


def _is_of_costs(text: str, match: re.Match[str]) -> bool:
    """Whether a cost by the piece is meant: it is said, or it speaks of value."""
    if match["per"] or _OF_VALUE.search(match["word"]):
        return True
    before = text[max(0, match.start() - 70) : match.start()]
    start = max((each.end() for each in re.finditer(r"[.;:,]\s|\n", before)), default=0)
    return _PER_BEFORE.search(before[start:]) is not None


def _part(held: HeldAgainst, text: str, match: re.Match[str]) -> Span | None:
    """Its part of the sentence, up to where another begins."""
    line = held.prose.line_at(match.start())
    if line is None or line.kind in ("row", "head_row", "rule_row"):
        return None
    low, high = held.prose.sentence_at(match.start())
    for each in _BREAK.finditer(text, low, high):
        if each.end() <= match.start():
            low = each.end()
        elif each.start() >= match.end():
            return low, each.start()
    return low, high


def _is_read(mentions: Mentions, held: HeldAgainst, match: re.Match[str], part: Span) -> bool:
    if _NOT.search(mentions.plain, part[0], match.start()) or _NOT.search(
        mentions.plain, match.end(), part[1]
    ):
        return False
    residue = residue_of(mentions)
    doubt = residue.doubt(part)
    return not (
        (doubt and is_of_what_is_unseen(doubt)) or residue.cites_the_web(part)
    ) and not held.cast.names_a_stranger(part)


def _subject(
    cast: Cast, text: str, match: re.Match[str], part: Span, costs: Mapping[str, ToldCost]
) -> str | None:
    """The one thing of those with a cost that is named right before it, or that it leads to."""
    low = part[0]
    named = cast.within(low, match.start())
    if named and _IS.fullmatch(text, named[-1].end, match.start()):
        if len({one.products for one in named}) > 1:
            return None
        return _only(named[-1].products, costs)
    sized = list(_SIZE.finditer(text, low, match.start()))
    if len(sized) == 1 and not named and _IS.fullmatch(text, sized[0].end(), match.start()):
        return _of_size(cast, float(sized[0]["n"]), costs)
    return None


def _only(keys: frozenset[str], costs: Mapping[str, ToldCost]) -> str | None:
    found = [key for key in keys if key in costs]
    return found[0] if len(found) == 1 else None


def _of_size(cast: Cast, many: float, costs: Mapping[str, ToldCost]) -> str | None:
    """The one thing whose title says so many."""
    having = [
        key
        for key, one in cast.products.items()
        if many in {value for value, _ in numbers_in(one.title, _TITLED)}
    ]
    return having[0] if len(having) == 1 and having[0] in costs else None


def costs_told(held: HeldAgainst) -> dict[str, ToldCost]:
    """What the text says that a piece of each costs; nothing of a thing of which it says two."""
    found: dict[str, dict[float, ToldCost]] = {}
    for figure in held.said.all:
        line = held.prose.line_at(figure.start) if figure.kind == "unit" else None
        if line is None:
            continue
        whole = line.kind in ("row", "head_row", "item")
        span = (line.start, line.end) if whole else held.with_before(held.prose.sentence_at(figure.start))
        for place in reversed(held.cast.within(span[0], figure.start)):
            keys = [key for key in place.products if _comes_to(held.cast.products.get(key), figure.value)]
            if len(keys) == 1:
                cost = ToldCost(figure.value, figure.unit, figure.start)
                found.setdefault(keys[0], {}).setdefault(figure.value, cost)
                break
    single = ((key, list(some.values())) for key, some in found.items() if key not in held.cast.unlinked)
    return {key: some[0] for key, some in single if len(some) == 1}


def _comes_to(product: Product | None, cost: float) -> bool:
    """Whether a cost is the price by a number of the title."""
    if product is None or product.price is None:
        return False
    some = {value for value, _ in numbers_in(product.title, _TITLED) if value > 1}
    return any(abs(product.price / by - cost) <= max(0.006, 0.012 * cost) for by in some)
