"""Which of several is said to cost least or most by the piece, where the text itself says what each costs: `per pad the 80-count is cheaper`.

A thing's cost is only what stands beside its name (`about $9.33 a sensor`) and comes to its price by a number of its title; whom it is said of is its
name or its size. Wrong where all that it may be held against is on the other side. Left alone where two are named before it, and of what is not so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from drr.env.entities import Product
from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.known import numbers_in
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.residue import residue_of
from drr.wording.comparisons import SIDES
from drr.wording.vocabulary import either

_PER = r"(?:per\s[a-z]{3,16}|by\sthe\s[a-z]{3,16}|an?\s(?:piece|sheet|pad|load|wash|bag|pound|ounce|foot|liter|litre|quart|gallon|capsule|tablet|unit|alarm|sensor|plug|light|lamp|cloth|pod|inch|meter|pen))\b"
_SAID = re.compile(
    rf"\b(?:(?P<word>{either(SIDES.costs)})(?:\s(?:of\s(?:the|these|those|them|all)(?:\s[a-z]{{2,8}})?|one|overall))?(?:,?\s(?P<per>{_PER}))?)",
    re.I,
)
_PER_BEFORE = re.compile(rf"(?:^|[\s(>*_-]){_PER}", re.I)
_OF_VALUE = re.compile(r"thrift|value|buy|bargain", re.I)
_BREAK = re.compile(
    r"[;:]\s|,\s(?:so|but|and|while|yet|though|although|which)\s|\s(?:but|while|though|although|whereas|so|and)\s|\s[–—-]\s"
)
_IS = re.compile(
    r"(?:['’]s)?[\s*_)\]]{0,4}(?:(?!(?:and|or|than|of|but|with|for|that|which|costs?|is|are)\b)[a-z0-9-]{1,16}\s){0,3}[\s*_]{0,3}(?:\([^()\n]{0,90}\)\s?)?(?:,?\s?(?:which\s|that\s)?you\s[^.;:()\n]{1,50},?\s)?(?:(?:is|remains|comes\sout|works\sout|stays|gives|offers|are)\s)?(?:(?:still|also|clearly|easily|again|actually|then|therefore|even|in\sfact|by\sfar|the|a|much|far|slightly|as\s)\s?){0,4}[*_]{0,3}",
    re.I,
)
_NOT = re.compile(
    r"\b(?:not|no|never|neither|nor|hardly|if|unless|would|could|might|may|whether|which|who|what|once|until|was|were|used\sto|elsewhere|online|second|third|fourth|next|one\sof|among|except|without|with\sa|only|both|each|either|almost|nearly|usually)\b|n['’]t\b|\?",
    re.I,
)
_SIZE = re.compile(
    r"\bthe\s(?P<n>\d{1,4})[\s-]?(?:packs?|counts?|ct|pieces?|sheets?|loads?|feet|foot|ounces?|oz|liters?|pounds?|tablets?|capsules?|bags?)\b(?!\s(?:is|are)\sin\b)",
    re.I,
)
_WHOLE = frozenset(("bottle", "box", "pack", "package", "tube", "jar", "jug", "order", "carton", "set", "kit", "star", "year", "month"))  # fmt: skip
"""What is bought whole, and what is no part of it."""
_ANY = frozenset(("piece", "item", "unit", "one"))
_THAN = re.compile(r"\s(?:overall\s)?than\s(?:(?:the|your|its)\s)?[*_\[]{0,4}", re.I)
_ENDS = re.compile(r"[.;:,]\s|\n")
_SLACK = 0.02
_LEAD, _CLOSE, _REACH = 70, 40, 1_500
"""Characters before a comparison in which its unit stands, behind `than` up to a name, and around it in which others have their costs."""
_MOST, _TITLED = 40, 8


def wrong_told_costs(mentions: Mentions) -> Iterator[Accusation]:
    """Comparisons of costs per unit that the costs beside the names turn round."""
    some = islice(_SAID.finditer(mentions.plain), _MOST)
    of_costs = [match for match in some if _is_of_costs(mentions.plain, match)]
    if of_costs:
        yield from filter(None, map(_Compared(mentions).accused, of_costs))


class ToldCost(NamedTuple):
    """What a piece of a thing is said to cost, of which unit, and where."""

    value: float
    unit: str
    start: int


class _Compared:
    """Goes through the comparisons of one text."""

    def __init__(self, mentions: Mentions) -> None:
        self._mentions, self._text = mentions, mentions.plain
        self._held = sight_of(mentions).held
        self._cast, self._costs = self._held.cast, costs_told(self._held)

    def accused(self, match: re.Match[str]) -> Accusation | None:
        part = self._part(match)
        subject = self._subject(match, part) if part is not None and self._is_read(match, part) else None
        if part is None or subject is None:
            return None
        sign, mine = SIDES.costs[match["word"].casefold()], self._costs[subject].value
        others = {key: self._costs[key].value for key in self._others(match, part, subject)}
        if not others or any(sign * (cost - mine) <= _SLACK * mine for cost in others.values()):
            return None
        far, cost = max(others.items(), key=lambda one: sign * one[1])
        why = f"said {match[0]!r} of {subject} at ${mine:.2f}, and {far} is at ${cost:.2f}"
        return Accusation("told_cost", match.span(), why, Certainty.SENTENCE)

    def _part(self, match: re.Match[str]) -> Span | None:
        """Its part of the sentence, up to where another begins."""
        if self._held.prose.prose_line_at(match.start()) is None:
            return None
        low, high = self._held.prose.sentence_at(match.start())
        for each in _BREAK.finditer(self._text, low, high):
            if each.end() <= match.start():
                low = each.end()
            elif each.start() >= match.end():
                return low, each.start()
        return low, high

    def _is_read(self, match: re.Match[str], part: Span) -> bool:
        around = (part[0], match.start()), (match.end(), part[1])
        if any(_NOT.search(self._text, *span) for span in around):
            return False
        unseen = residue_of(self._mentions).is_of_the_unseen(part, part)
        return not (unseen or self._cast.names_a_stranger(part))

    def _subject(self, match: re.Match[str], part: Span) -> str | None:
        """The one thing of those with a cost that is named right before it, or told there by its size."""
        named = self._cast.within(part[0], match.start())
        if named:
            alone = len({one.products for one in named}) == 1
            leads = _IS.fullmatch(self._text, named[-1].end, match.start()) is not None
            return self._only(named[-1].products) if alone and leads else None
        sized = list(_SIZE.finditer(self._text, part[0], match.start()))
        leads = len(sized) == 1 and _IS.fullmatch(self._text, sized[0].end(), match.start()) is not None
        return self._of_size(sized[0]) if leads else None

    def _others(self, match: re.Match[str], part: Span, subject: str) -> list[str]:
        """The things that it is held against: the one behind `than`, else all near whose costs are of the same unit."""
        than = _THAN.match(self._text, match.end(), part[1])
        if than is not None:
            behind = self._cast.within(than.end(), min(part[1], than.end() + _CLOSE))
            sized = _SIZE.match(self._text, max(than.end() - len("the "), match.end()))
            key = self._only(behind[0].products) if behind else self._of_size(sized) if sized else None
            return [] if key in (None, subject) else [key]
        if re.search(r"\bthan\b", self._text[match.end() : part[1]]):
            return []
        unit = self._costs[subject].unit
        asked = match["per"].split()[-1].casefold().rstrip("s") if match["per"] else ""
        if asked in _WHOLE or (unit and asked and unit != asked and asked not in _ANY):
            return []
        return [
            key
            for key, one in self._costs.items()
            if key != subject
            and (not unit or one.unit in (unit, ""))
            and abs(one.start - match.start()) < _REACH
        ]

    def _only(self, keys: frozenset[str]) -> str | None:
        found = keys & self._costs.keys()
        return next(iter(found)) if len(found) == 1 else None

    def _of_size(self, sized: re.Match[str]) -> str | None:
        """The one thing whose title says so many."""
        many, products = float(sized["n"]), self._cast.products.items()
        having = [key for key, one in products if many in _titled(one)]
        return having[0] if len(having) == 1 and having[0] in self._costs else None


def _is_of_costs(text: str, match: re.Match[str]) -> bool:
    """Whether a cost by the piece is meant: it is said, or it speaks of value."""
    if match["per"] or _OF_VALUE.search(match["word"]):
        return True
    before = text[max(0, match.start() - _LEAD) : match.start()]
    start = max((each.end() for each in _ENDS.finditer(before)), default=0)
    return _PER_BEFORE.search(before[start:]) is not None


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
    slack = max(0.006, 0.012 * cost)
    return any(abs(product.price / by - cost) <= slack for by in _titled(product) if by > 1)


def _titled(product: Product) -> set[float]:
    return {value for value, _ in numbers_in(product.title, _TITLED)}
