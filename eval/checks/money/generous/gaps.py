"""Differences: each is held against all that two costs in sight may differ by, and is wrong only if nothing comes to it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from typing import NamedTuple

from drr.eval.checks.base import Accusation, Span, Subject
from drr.eval.checks.cast import cast_of
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.makers import PlaceNamed
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.adjustments import adjustments_of
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.money.generous.limits import limits_told
from drr.eval.checks.money.generous.stretches import stretches
from drr.eval.checks.money.ledger import MoneyLedger, ledger_of
from drr.eval.checks.money.readings import to_orders
from drr.eval.checks.residue import residue_of
from drr.wording.cues import CUES
from drr.wording.doubts import DoubtKind

_LONGEST = 1_500
_MOST = 120
"""Differences of a report."""
_FEW = 30
"""Costs beside a difference."""
_FEW_TAKEN = 8
"""Prices of which those may be that something is taken off."""
_MANY = 60
"""Costs of a whole report."""
_FAR = re.compile(
    r"\b(?:first|second|third|fourth|last|latter|former|options?|routes?|baskets?|tiers?|rows?|picks?|winner|sister|stablemate|sibling|others?|another|pair|model|sets?|above|rest|earlier|together|all|both|each|apiece|either|neither|these|those|them|cheapest|dearest|priciest|orders?|spent|every|everything|build|half|double|match|[A-D]\d?)\b(?!['’])|%|/",
)
"""Before a difference: it may be of what is not named there."""
_FARTHER = re.compile(
    r"\b(?:first|second|third|last|latter|former|[A-D]|current|usual|per|a month|a year|each|every|apiece|above|earlier|against)\b|%"
)
"""Behind it."""
_GOES_ON = re.compile(
    r"[\s*_>•-]{0,8}(?:(?:and|but|so|then|in other words),?\s)?(?:that|this|it|you|they|so|which|i\.e\.)\b",
    re.I,
)
"""How a sentence begins that speaks of what was named before it."""
_NO_GAP = re.compile(
    r"[\s*_]{1,4}(?:over|under|above|below)\s(?:the\s|your\s)?(?:just\s|only\s|all\s)?(?:\d+|six|five|four|three|two)\b",
    re.I,
)
"""Behind an amount: it is spent over so many orders."""
_SWAPS = re.compile(
    r"\b(?:instead|in\splace|swap\w*|choos\w+|tak\w+|going|drop\w*|without|skip\w*|replac\w+|trad\w+|relax\w*|exchang\w+|mov\w+|switch\w*|with)\b",
    re.I,
)
_MINDED: tuple[DoubtKind, ...] = ("unreal", "others", "charged")


class GapPlace(NamedTuple):
    """A difference, its sentence, the one before and those that are near."""

    figure: Figure
    span: Span
    before: Span
    near: Span


def is_taken_off(ledger: MoneyLedger, figure: Figure) -> bool:
    """Whether it stands in a line of a bill, and a total of the report is that of what stands in it, less this."""
    if figure.line not in adjustments_of(ledger.mentions):
        return False
    prices = list(dict.fromkeys(one.price for one in ledger.play.all))[:_FEW_TAKEN]
    sums = (sum(some) for size in range(1, len(prices) + 1) for some in combinations(prices, size))
    totals = [one.value for one in ledger.figures if one.cue.kind == "total"][:_FEW_TAKEN]
    return any(abs(one - figure.value - total) < 0.02 for one in sums for total in totals)


class Gaps:
    def __init__(self, subject: Subject, mentions: Mentions) -> None:
        self._plain = mentions.plain
        self._ledger = ledger_of(mentions)
        self._cast = cast_of(subject, mentions)
        self._residue = residue_of(mentions)
        limits, each = limits_told(subject, self._ledger, self._plain)
        self._limits = list(dict.fromkeys([*limits, *each, *self._ledger.play.limits]))
        self._mentions = mentions
        kinds = ("price", "none", "total", "limit")
        said = {round(one.value, 2) for one in self._ledger.figures if not one.void and one.cue.kind in kinds}
        self._wide = sorted({round(one.price, 2) for one in self._ledger.play.all} | said)[:_MANY]

    def found(self) -> Iterator[Accusation]:
        for place in islice(self._places(), _MOST):
            if self._is_left_alone(place):
                continue
            said = self._plain[place.figure.start : place.figure.end].strip()
            where = place.figure.start, place.figure.end
            if self._is_wrong(place):
                why = f"said {said} {place.figure.cue.word}, which no two costs in sight differ by"
                yield Accusation("gap_told", where, why, Certainty.SENTENCE)

    def _places(self) -> Iterator[GapPlace]:
        spans: list[Span] = []
        for span in stretches(self._mentions):
            spans = [*spans[-2:], span]
            if span[1] - span[0] > _LONGEST or self._plain.startswith("|", span[0]):
                continue
            for figure in self._ledger.within(*span):
                if figure.cue.kind == "gap" and figure.cue.word not in ("under", "over"):
                    yield GapPlace(figure, span, spans[-2:][0], (spans[0][0], span[1]))

    def _is_left_alone(self, place: GapPlace) -> bool:
        figure, span = place.figure, place.span
        if is_taken_off(self._ledger, figure):
            return True
        if figure.void or figure.elsewhere or figure.cue.per or figure.amount.approx:
            return True
        if _NO_GAP.match(self._plain, figure.end) or any(figure.holds(one) for one in self._limits):
            return True
        if self._residue.doubt(span, _MINDED) or self._residue.cites_the_web(span):
            return True
        if self._ledger.play.stranger_in(span):
            return True  # who is not linked has a price of his own
        return bool(self._ledger.play.shares(self._ledger.play.block(figure.line, figure.start)))

    def _is_wrong(self, place: GapPlace) -> bool:
        figure, span = place.figure, place.span
        if _FAR.search(self._plain, span[0], figure.start) or _FARTHER.search(
            self._plain, figure.end, span[1]
        ):
            return False
        if any(
            one.start != figure.start and one.exact and figure.holds(one.value)
            for one in self._ledger.figures
        ):
            return False
        mine = self._costs(span)
        if not mine and _GOES_ON.match(self._plain, span[0]):
            mine = self._costs(place.before)
        return bool(mine) and not any(figure.holds(round(one, 4)) for one in self._readings(place, mine))

    def _costs(self, span: Span) -> list[float]:
        """What a stretch says that is paid, and the prices of what it names."""
        kinds = ("price", "none", "total", "unit")
        said = [one.value for one in self._ledger.within(*span) if one.cue.kind in kinds and not one.void]
        said = [one for one in said if one not in self._limits]
        return list(dict.fromkeys([*said, *self._prices(self._cast.within(*span))]))[:_FEW]

    def _readings(self, place: GapPlace, mine: Sequence[float]) -> Iterator[float]:
        figure, near = place.figure, place.near
        said = [one.value for one in self._ledger.within(*near) if one.start != figure.start]
        prices = self._prices(self._cast.within(*near))
        base = list(dict.fromkeys([*said, *prices]))[:_FEW]
        yield from base
        yield from to_orders(self._ledger.play, figure, [*mine, *prices])
        many = [1, *sorted(self._ledger.play.many_in(near))[:6]]
        sums = [a + b for a, b in combinations(prices[:6], 2)]
        every = {round(m * one, 2) for m in many for one in [*base, *sums, sum(prices[:8])]} | {*self._limits}
        yield from (abs(a - b) for a, b in combinations(sorted(every), 2))
        ours = [m * one for m in many for one in mine]
        yield from (abs(a - m * b) for a in ours for b in self._wide for m in (1, 2, 3))
        yield from (abs(limit - a - b) for limit in self._limits for a in ours for b in self._wide)
        if self._is_swap(place.span):
            totals = self._totals()
            swaps = [
                total + step for total in totals for a in mine for b in self._wide for step in (a - b, b - a)
            ]
            yield from (abs(limit - one) for limit in (*self._limits[:4], *totals) for one in swaps)

    def _is_swap(self, span: Span) -> bool:
        text = self._plain[slice(*span)]
        return CUES.is_swapped(text) or _SWAPS.search(text) is not None

    def _totals(self) -> list[float]:
        return [one.value for one in self._ledger.figures if one.cue.kind == "total"][:8]

    def _prices(self, named: Sequence[PlaceNamed]) -> list[float]:
        keys = dict.fromkeys(key for one in named for key in sorted(one.products))
        known = (self._cast.products.get(key) for key in keys)
        return [one.price for one in known if one is not None and one.price is not None]


def generous_gaps(subject: Subject, mentions: Mentions) -> Iterator[Accusation]:
    """Differences that nothing in sight bears out."""
    yield from Gaps(subject, mentions).found()
