"""What is left of a limit: held against every cost in sight and every limit, and wrong only if none of them leaves it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, combinations, islice

from drr.eval.checks.base import Accusation, Span, Subject
from drr.eval.checks.cast import cast_of
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.makers import PlaceNamed
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.money.generous.limits import limits_told
from drr.eval.checks.money.generous.stretches import stretches
from drr.eval.checks.money.ledger import ledger_of
from drr.eval.checks.residue import residue_of
from drr.wording.doubts import DoubtKind
from drr.wording.numbers import SPOKEN

_LONGEST = 1_500
_MOST = 120
"""Amounts left over, of a report."""
_FEW = 24
"""Costs in sight."""
_STAYS = re.compile(
    r"[\s*_]{1,4}(?:of\s(?:the|your|my|our|that)\s\S{1,12}\s)?(?:(?:are|is)\sleft\b|(?:(?:still|stays?|remains?|is left|would (?:stay|remain))\s){1,2}in\s(?:the|your|my|our|his|her)\s(?:pocket|purse|wallet|hand|kitty|fund|bank|budget|account|till|jar)\b)",
    re.I,
)
_CLEARS = re.compile(
    r"\b(?:clears?|meets?|fits?|keeps? to|stays? (?:within|under|below)|inside|within|under)\s(?:the|your|my|our)\s(?:[a-z]+\s)?(?:bar|limit|budget|cap|ceiling|line|mark)\sby\s[*_]{0,3}$",
    re.I,
)
_LEFT = re.compile(
    r"(?:in change|left|leftover|remaining|remains?|to spare|in reserve|in hand|unspent|spare|of slack|of headroom|of room|under)$|^(?:leav|left|remain|unspent|spare(?!s)|keep|kept|rest$|label)",
    re.I,
)
_UNDER_ANOTHER = re.compile(
    rf"[\s*_]{{0,3}}under\s(?!(?:(?:the|your|my|our|that|this|its)\s)?(?:it\b|that\b|\$|\d|{SPOKEN}\b(?!\s[A-Z])|(?:[a-z]+\s)?(?:limit|budget|cap|ceiling|line|mark|bar|maximum|max|allowance|threshold|figure)\b))",
)
"""So much less than another thing costs."""
_FOR_ANOTHER = re.compile(
    r"\b(?:(?:for|with)\s(?:the|that)\s(?:money|price|cost|sum)|enough\s(?:for|to)|pays?\sfor|could\s(?:buy|get|have)|buys?)\b",
    re.I,
)
"""What another thing costs is the sum that is to be spent."""
_FILLER = r"(?:which|that|this|and|so|it|you|we|there|is|are|would|still|have|has|had|then|thus|hence|leaves?|leaving|left|with|of|out|the|your|my|our|from|keeps?|kept|remains?|remaining|over|just|exactly|only|to|spare|sum|limit|budget|hundred|i\.e\.)"
_BOUND = re.compile(
    rf"[\s*_.,;:—–|\n-]{{0,8}}(?:{_FILLER}\b[\s*_.,;:—–-]{{0,4}}){{0,9}}(?:\$\d+(?:\.\d\d)?[\s*_.,;:—–-]{{1,4}})?(?:{_FILLER}\b[\s*_:]{{0,4}}){{0,4}}",
    re.I,
)
"""Between a cost and what it leaves."""
_LISTED = re.compile(r"[\s*_]{0,4}(?:,|,?\s(?:and|or))\s[\s*_]{0,4}", re.I)
_FAR = re.compile(
    r"\b(?:first|second|third|fourth|last|latter|former|options?|routes?|plans?|baskets?|tiers?|rows?|picks?|winner|other|others|another|all|both|each|apiece|either|neither|cheapest|dearest|priciest|these|those|them|any|every|month|refund\w*|coupon|half|[A-D])\b",
    re.I,
)
_WERE = re.compile(
    r"\b[Ww]ith\s(?:an?\s)?\S{2,14}(?:\s(?:note|bill|dollars))?,?\syou(?:\s(?:would|could)|['’]d)\b"
)
"""Another sum than the one asked for."""
_ADDS = re.compile(r"\b(?:add(?:s|ed|ing)?|also|still|then|another|yes)\b", re.I)
_MINDED: tuple[DoubtKind, ...] = ("others", "pace", "charged", "altered")


class Rests:
    def __init__(self, subject: Subject, mentions: Mentions) -> None:
        self._mentions, self._plain = mentions, mentions.plain
        self._ledger = ledger_of(mentions)
        self._cast = cast_of(subject, mentions)
        self._residue = residue_of(mentions)
        limits, each = limits_told(subject, self._ledger, self._plain)
        self._asked = self._ledger.play.limits
        self._limits = [] if each else list(dict.fromkeys([*limits, *self._ledger.play.limits]))
        prices = {round(one.price, 2) for one in self._ledger.play.all}
        self._prices_cited = sorted(prices)[:_MOST]
        self._totals = [
            one.value
            for one in self._ledger.figures[:_MOST]
            if not one.void
            and (
                one.cue.kind == "total"
                or (one.cue.kind in ("price", "none") and round(one.value, 2) not in prices)
            )
        ]
        """Amounts that may be what several things cost."""
        self._round = [
            one.value for one in self._ledger.figures if one.amount.whole and one.value >= 10 and not one.void
        ][:8]

    def found(self) -> Iterator[Accusation]:
        return islice(self._found(), _MOST)

    def _found(self) -> Iterator[Accusation]:
        if not self._limits:
            return
        spans: list[Span] = []
        for span in stretches(self._mentions):
            spans = [*spans[-2:], span]
            if span[1] - span[0] > _LONGEST or self._plain.startswith("|", span[0]):
                continue
            for figure in self._ledger.within(*span):
                if self._is_rest(figure, span) and self._is_wrong(figure, (spans[0][0], span[1]), span):
                    said = self._plain[figure.start : figure.end].strip()
                    why = f"said {said} is left, which no limit leaves over any cost in sight"
                    of = self._bound(figure, spans[0][0])
                    sure = Certainty.CELL if of is not None and of.cue.kind == "total" else Certainty.SENTENCE
                    yield Accusation("rest_told", (figure.start, figure.end), why, sure)

    def _is_rest(self, figure: Figure, span: Span) -> bool:
        if figure.void or figure.elsewhere or figure.cue.per or figure.amount.approx:
            return False
        if any(figure.holds(one) for one in self._limits):
            return False
        if figure.cue.kind in ("rest", "gap") and _LEFT.search(figure.cue.word):
            return _UNDER_ANOTHER.match(self._plain, figure.end) is None
        if _STAYS.match(self._plain, figure.end):
            return True
        low = max(span[0], figure.start - 60)
        if _CLEARS.search(self._plain, low, figure.start):
            return True
        label = self._plain[span[0] : figure.start]
        return (
            re.fullmatch(
                r"[\s*_>•-]{0,6}(?:left|remaining|unspent)\b(?:\s[^.;:\n]{1,40})?:\s?[*_]{0,3}",
                label,
                re.I,
            )
            is not None
        )

    def _is_wrong(self, figure: Figure, around: Span, span: Span) -> bool:
        if self._residue.doubt(span, _MINDED) or self._ledger.play.stranger_in(span):
            return False
        if _WERE.search(self._plain, *span):
            return False
        if any(
            one.start != figure.start and one.exact and figure.holds(one.value)
            for one in self._ledger.figures
        ):
            return False
        if any(figure.holds(one) for one in self._prices_cited):
            return False
        here = [one.value for one in self._ledger.within(*span) if one.start != figure.start]
        limits = [one for one in here if one in self._asked]
        if not limits or _ADDS.search(self._plain, *span):
            before = self._ledger.within(max(0, figure.start - _LONGEST), figure.start)
            limits = [*self._limits, *self._round, *(one.value for one in before if one.cue.kind == "rest")]
        if _FOR_ANOTHER.search(self._plain, span[0], figure.start):
            limits = [*limits, *self._prices_cited, *self._totals]
        bound = self._bound(figure, around[0])
        if bound is not None and bound.value in self._totals:
            costs = [bound.value, *(bound.value + one for one in self._totals)]
        elif _FAR.search(self._plain, span[0], figure.start):
            return False
        else:
            costs = self._costs(figure, around, span)
        return bool(costs) and not any(
            figure.holds(round(abs(limit - cost), 4)) for limit in limits for cost in costs
        )

    def _bound(self, figure: Figure, low: int) -> Figure | None:
        """The cost right before it that leaves it: `$73.96, which leaves $1.04`."""
        before = [one for one in self._ledger.within(low, figure.start) if not one.void]
        while before and before[-1].value in self._limits:
            before.pop()
        if not before or before[-1].cue.kind not in ("total", "price", "none") or before[-1].amount.approx:
            return None
        if figure.start - before[-1].end > 90:
            return None
        between = self._plain[before[-1].end : figure.start]
        return before[-1] if _BOUND.fullmatch(between) and not _LISTED.fullmatch(between) else None

    def _costs(self, figure: Figure, around: Span, span: Span) -> list[float]:
        near = [one for one in self._ledger.within(*around) if one.start < figure.start and not one.void]
        said = [
            one.value
            for one in near
            if one.cue.kind in ("price", "none", "total") and one.value not in self._limits
        ]
        named = self._prices(self._cast.within(*around))
        inside = [one for one in near if span[0] <= one.start and one.value in said]
        if not inside and not self._prices(self._cast.within(*span)):
            last = near[-1:]
            alone = len({round(one, 2) for one in (*said, *named)}) == 1
            if not alone and not (last and last[0].cue.kind == "total"):
                return []
        many = [1, *sorted(self._ledger.play.many_in(around))[:6]]
        base = list(dict.fromkeys([*said, *named]))[-_FEW:]
        found = [m * one for m in many for one in base]
        found += [a + b for a, b in combinations(base, 2)]
        found += [*accumulate(said), *accumulate(reversed(said)), *accumulate(named)]
        found += self._totals
        found += self._prices_cited
        found += [total + one for total in self._totals for one in base]
        return found

    def _prices(self, named: Sequence[PlaceNamed]) -> list[float]:
        keys = dict.fromkeys(key for one in named for key in sorted(one.products))
        return [
            one.price
            for key in keys
            if (one := self._cast.products.get(key)) is not None and one.price is not None
        ]


def generous_rests(subject: Subject, mentions: Mentions) -> Iterator[Accusation]:
    """What is left of a limit, that nothing in sight bears out."""
    yield from Rests(subject, mentions).found()
