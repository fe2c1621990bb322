"""On which side of a limit something is said to be, where an amount shows it: `nine dollars over`, `stays within it`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from drr.eval.checks.base import CheckTally, Span
from drr.eval.checks.cast import Cast, cast_of
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.marked import marked_denials_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.money.ledger import MoneyLedger
from drr.eval.checks.residue import residue_of
from drr.wording.doubts import DoubtKind
from drr.wording.verdicts import VERDICTS

_EXACT = 0.005
_BEHIND = re.compile(
    r"[\s*_]{1,3}(?:(?P<over>over|above|beyond|past|outside|too (?:much|dear|expensive|pricey|steep|rich))|(?P<under>under|below|beneath|inside|within|shy of|to spare))\b",
    re.I,
)
"""Behind an amount: on which side of a limit something is by so much."""
_BEFORE = re.compile(
    r"\b(?:(?P<over>over|past|beyond|above|exceed(?:s|ed|ing)?|overshoots?|breaks?|busts?|misse?s?|overruns?|tops)|(?P<under>under|below|within|inside|clears?|fits?|makes?|meets?))\b"
    r"(?:\s[a-z’'-]{1,12}){0,3}?,?\sby\s(?:(?:about|around|just|only|exactly|some|roughly|a|nearly|almost|over)\s){0,2}$",
    re.I,
)
_LEFT = re.compile(
    r"\b(?:with|leav\w+|left|hav\w+|has|had|keeps?|kept)[\s*_]{1,3}(?:(?:about|around|just|only|exactly|some|roughly|still)\s){0,2}$",
    re.I,
)
"""Before an amount that is `over`: so much is left over."""
_OWN = re.compile(
    r"\b(?:is|are|it['’]s|that['’]s|comes? in|stays?|sits?|lands?|keeps?|falls?|goes|fits?|squeezes|slips|which is|being)\s(?:(?:also|still|well|just|comfortably|safely|easily|even|already|only|a bit|far|not|all|too)\s){0,2}"
    r"(?:(?P<under>under|below|within|inside|beneath|in under)|(?P<over>over|above|past|beyond|outside))\s(?:(?:the|your|my|our|his|her|their|its)\s)?[*_]{0,2}$",
    re.I,
)
"""Before an amount that is a limit: something is said to be over it or within it."""
_NO_LIMIT = re.compile(
    r"[\s*_]{0,3}(?:/|-|(?:per|an?|each|apiece|every|more|less|cheaper|dearer|off|left|over|under|above|below|in|for the|for (?:two|both|all|three)|together|total|of)\b)",
    re.I,
)
"""Behind an amount: it is no limit on one cost."""
_OF_LIMIT = re.compile(
    r"\s(?:(?:the|your|my|our|that|this|his|her|their|its)\s)?(?:[\w’']{1,16}\s){0,2}?(?:budget|limit|cap|ceiling|allowance|maximum|max|line|threshold|mark|bar)\b",
    re.I,
)
_THAT = re.compile(
    r"\b(?:(?P<under>within|inside|under|below|beneath|meets?|clears?|keeps? to|satisf(?:y|ies)|less than)|(?P<over>over|above|outside|past|beyond|exceeds?|breaks?|busts?|miss(?:es)?|overshoots?|more than))"
    r"\s(?:it|that|this)\b(?=[*_]{0,3}\s?(?:[,.;:!?)(—–]|$|(?:at|with|as|too|and|but|while|though)\b|\())",
    re.I,
)
"""Said of a limit that was named before."""
_LIMIT = re.compile(
    r"\b(?:budget|limit|cap|ceiling|allowance|maximum|max|line|threshold|mark|bar|no more than|at most|up to|had|have|within|under|inside)\b",
    re.I,
)
_NOT = re.compile(
    r"\b(?:not|never|no longer|cannot|hardly|neither|nor|without|isn['’]t|doesn['’]t|don['’]t|won['’]t|wasn['’]t)\b[^.;:]{0,24}$",
    re.I,
)
_UNREAL = re.compile(r"\b(?:if|would|could|might|should|unless|suppose|were|when|until|once)\b|\?", re.I)
_ADDED = re.compile(
    r"\b(?:on top|add(?:ed|ing|s)?|plus|together|both|also|even|another|second|with (?:it|them|both|that))\b",
    re.I,
)
_REST = re.compile(r"\b(?:left(?:over)?|rest|remain(?:s|der|ing)?|balance)\b", re.I)
"""Before an amount: what is left is held against it, and no cost."""
_ARTICLE = re.compile(r"[\s*_\[]{0,4}(?:(?:the|your|my|our|that|what|of)\s){0,2}[\s*_\[]{0,4}", re.I)
_ENDS = re.compile(r"[;:]\s")
_MOST = 12
"""Prices of which differences are looked at."""
_SEVERAL = re.compile(
    r"\b(?:neither|nor|none|nothing|two|three|four|five|six|pair|both|together|each|apiece|sets?|all)\b", re.I
)
"""More than one of a thing, or several things: what they cost is not one price."""
_MINDED: tuple[DoubtKind, ...] = ("unreal", "altered", "charged", "pace", "others")


class SideSaid(NamedTuple):
    """Something that is said to be over a limit or within it, and whether it is."""

    span: Span
    holds: bool
    why: str
    bound: Certainty
    doubt: str | None


class LimitSides:
    """Reads one report, sentence by sentence; `limits` are those of the question."""

    def __init__(self, mentions: Mentions, ledger: MoneyLedger, limits: Sequence[float]) -> None:
        self._plain, self._ledger, self._limits = mentions.plain, ledger, limits
        self._lines = mentions.layout.lines
        self._cast = cast_of(mentions.subject, mentions)
        self._residue, self._marked = residue_of(mentions), marked_denials_of(mentions)

    def sentence(self, span: Span) -> Iterator[SideSaid]:
        yield from self._by_amount(span)
        yield from self._by_word(span)
        yield from self._by_own(span)

    # An amount that is the difference of a cost and a limit.

    def _by_amount(self, span: Span) -> Iterator[SideSaid]:
        for figure in self._ledger.within(*span):
            side = self._side(figure, span)
            if side is None or figure.void or figure.elsewhere or self._marked.at(figure.start):
                continue
            found = list(self._pairs(figure, span))
            over = {cost > limit for cost, limit, _ in found}
            if len(over) != 1 or self._is_between_prices(figure, span):
                continue
            if side and over == {False} and self._may_be_left(figure, span):
                continue
            cost, limit, bound = max(found, key=lambda one: one[2])
            said = self._plain[figure.start : figure.end].strip()
            told = "over" if side else "within"
            why = f"${cost:,.2f} is said to be {said} {told} the limit of ${limit:,.2f}"
            where = figure.start, figure.end
            yield SideSaid(where, over == {side}, why, bound, self._residue.doubt(span, _MINDED))

    def _side(self, figure: Figure, span: Span) -> bool | None:
        """Whether the amount is said to be over (else within); nothing where it is said of neither."""
        behind = _BEHIND.match(self._plain, figure.end, span[1])
        before = _BEFORE.search(self._plain[max(span[0], figure.start - 70) : figure.start])
        match = behind or before
        if match is None or (behind and before):
            return None
        left_over = behind and behind["over"] and not _OF_LIMIT.match(self._plain, behind.end(), span[1])
        if left_over and _LEFT.search(self._plain[max(span[0], figure.start - 40) : figure.start]):
            return None
        low = max(span[0], figure.start - 40)
        if _NOT.search(self._plain[low : figure.start]) or _UNREAL.search(
            self._plain, *self._clause(figure.start)
        ):
            return None
        return match["over"] is not None

    def _may_be_left(self, figure: Figure, span: Span) -> bool:
        """`$6.01 over`, of what costs less than the limit: as much is left over."""
        behind = _BEHIND.match(self._plain, figure.end, span[1])
        if behind is None or (behind["over"] or "").casefold() != "over":
            return False
        return not _OF_LIMIT.match(self._plain, behind.end(), span[1])

    def _clause(self, place: int) -> Span:
        return self._cast.prose.clause_at(place)

    def _pairs(self, figure: Figure, span: Span) -> Iterator[tuple[float, float, Certainty]]:
        for cost, bound in self._costs(figure, span):
            for limit in self._every_limit:
                if abs(cost - limit) > _EXACT and figure.holds(abs(cost - limit)):
                    yield cost, limit, bound

    @cached_property
    def _every_limit(self) -> list[float]:
        """Those of the question and those that the report names."""
        named = (one.figure.value for one in self._ledger.entries if one.figure.cue.kind == "limit")
        return sorted({*self._limits, *named})[:_MOST]

    def _costs(self, figure: Figure, span: Span) -> Iterator[tuple[float, Certainty]]:
        """What is said to be paid in the paragraph up to here, and the prices of what its sentence names."""
        for one in self._ledger.within(_opened(self._cast, span), span[1]):
            if one.start != figure.start and one.cue.kind in ("price", "none", "total") and not one.void:
                entry = self._ledger.by_start.get(one.start)
                if entry is not None and entry.status == "explained":
                    yield one.value, Certainty.CLAUSE if one.start >= span[0] else Certainty.SENTENCE
        meant = self._cast.meant_at(figure.start, figure.end)
        product = self._cast.products.get(meant.only or "")
        if product is not None and product.price is not None and meant.certain:
            yield product.price, meant.bound

    def _is_between_prices(self, figure: Figure, span: Span) -> bool:
        """Whether it is also what two things named there differ by, and no limit is named behind it."""
        behind = _BEHIND.match(self._plain, figure.end, span[1])
        if behind is not None and _OF_LIMIT.match(self._plain, behind.end(), span[1]):
            return False
        if behind is not None and _names_a_thing(self._plain, self._cast, behind.end(), span):
            return True
        prices = sorted({one.price for one in self._ledger.play.within(_opened(self._cast, span), span[1])})[
            :_MOST
        ]
        return any(figure.holds(b - a) for i, a in enumerate(prices) for b in prices[i + 1 :])

    # A verdict on a limit that was named before.

    def _by_word(self, span: Span) -> Iterator[SideSaid]:
        if len(self._limits) != 1:
            return
        limit = self._limits[0]
        for match in _THAT.finditer(self._plain, *span):
            costs = self._cost_of(match, span, limit)
            if costs is None or not self._is_of_the_limit(match.start(), span, limit):
                continue
            cost, bound = costs
            said_over = (match["over"] is not None) is not bool(
                _NOT.search(self._plain[max(span[0], match.start() - 40) : match.start()])
            )
            if _UNREAL.search(self._plain, *self._clause(match.start())) or (
                _ADDED.search(self._plain, *span) and said_over
            ):
                continue
            told = "over" if said_over else "within"
            why = f"${cost:,.2f} is said to be {told} the limit of ${limit:,.2f}"
            holds = said_over is (cost > limit + _EXACT)
            yield SideSaid(match.span(), holds, why, bound, self._residue.doubt(span, _MINDED))

    # A limit of the report's own.

    def _by_own(self, span: Span) -> Iterator[SideSaid]:
        here = [one for one in self._ledger.within(*span) if not one.void]
        for figure in here:
            match = _OWN.search(self._plain[max(span[0], figure.start - 80) : figure.start])
            if (
                match is None
                or figure.elsewhere
                or figure.amount.approx
                or _NO_LIMIT.match(self._plain, figure.end)
            ):
                continue
            clause = self._clause(figure.start)
            rest = _REST.search(self._plain, clause[0], figure.start)
            if rest or _UNREAL.search(self._plain, *clause) or _NOT.search(match[0]):
                continue
            found = self._one_cost(figure, here, span)
            if found is None or abs(found[0] - figure.value) < _EXACT:
                continue
            led = self._plain[clause[0] : max(span[0], figure.start - 80) + match.start()]
            said_over = (match["over"] is not None) is not VERDICTS.is_denied(led)
            told = "over" if said_over else "within"
            why = f"${found[0]:,.2f} is said to be {told} ${figure.value:,.2f}"
            where = figure.start, figure.end
            holds = said_over is (found[0] > figure.value)
            yield SideSaid(where, holds, why, found[1], self._residue.doubt(span, _MINDED))

    def _one_cost(self, limit: Figure, here: Sequence[Figure], span: Span) -> tuple[float, Certainty] | None:
        """The one amount of the sentence, else the price of the one thing, that is held against a limit."""
        if self._ledger.play.many_in(span) or _SEVERAL.search(self._plain, *span):
            return None
        others = [
            one for one in here if one.start != limit.start and not _is_of_the_next(self._plain, one, limit)
        ]
        if len(others) == 1 and others[0].cue.kind in ("price", "none", "total"):
            entry = self._ledger.by_start.get(others[0].start)
            explained = entry is not None and entry.status == "explained"
            return (others[0].value, Certainty.CLAUSE) if explained else None
        meant = self._cast.meant_at(limit.start, limit.end)
        product = self._cast.products.get(meant.only or "")
        if others or product is None or product.price is None or not meant.certain:
            return None
        return (product.price, meant.bound) if meant.bound >= Certainty.SENTENCE else None

    def _cost_of(self, match: re.Match[str], span: Span, limit: float) -> tuple[float, Certainty] | None:
        """The one cost of its sentence, else the price of the one thing that it speaks of."""
        here = [one for one in self._ledger.within(*span) if one.cue.kind != "limit" and not one.holds(limit)]
        if any(one.cue.kind not in ("price", "none", "total", "gap", "rest") or one.void for one in here):
            return None
        costs = [one for one in here if one.cue.kind in ("price", "none", "total")]
        before = [one for one in costs if one.end <= match.start()]
        if len(before) > 1 and before[-1].holds(abs(before[-2].value - limit)):
            before = before[:-1]  # by so much the cost before it lies off the limit
        if not before and any(_stands_before(self._plain, one, match) for one in here):
            return None  # `$10.99 over it and the black one $21.99`: what the things cost is not said
        nearest = before[-1:] or costs[:1]
        if nearest:
            entry = self._ledger.by_start.get(nearest[0].start)
            between = self._plain[nearest[0].end : match.start()] if nearest[0].end <= match.start() else ""
            if len(costs) > 1 and re.search(r"[;:]", between):
                return None
            explained = entry is not None and entry.status == "explained"
            return (nearest[0].value, Certainty.CLAUSE) if explained else None
        if self._ledger.play.many_in(span) or _SEVERAL.search(self._plain, *span):
            return None
        meant = self._cast.meant_at(match.start(), match.end())
        product = self._cast.products.get(meant.only or "")
        if product is None or product.price is None or not meant.certain or meant.bound < Certainty.SENTENCE:
            return None
        return product.price, meant.bound

    def _is_of_the_limit(self, place: int, span: Span, limit: float) -> bool:
        """Whether the limit is what was named last before it, in its sentence or the one before."""
        line = self._cast.prose.line_at(span[0])
        before = [one for one in self._cast.prose.sentences(line) if one[0] < span[0]] if line else []
        low = before[-1][0] if before else span[0]
        named = [one for one in self._ledger.within(low, place) if one.holds(limit)]
        start = named[-1].start - 30 if named else low
        return bool(named) or _LIMIT.search(self._plain, max(0, start), place) is not None


def _opened(cast: Cast, span: Span) -> int:
    """Where the line of a sentence begins."""
    line = cast.prose.line_at(span[0])
    return span[0] if line is None else line.start


def _names_a_thing(plain: str, cast: Cast, place: int, span: Span) -> bool:
    """Whether what is named right behind `above` is a thing: what is set against it are two prices."""
    named = cast.within(place, span[1])
    return bool(named) and _ARTICLE.fullmatch(plain, place, max(place, named[0].start)) is not None


def _stands_before(plain: str, figure: Figure, match: re.Match[str]) -> bool:
    return figure.end <= match.start() and not plain[figure.end : match.start()].strip(" *_")


def _is_of_the_next(plain: str, one: Figure, limit: Figure) -> bool:
    """`it stays under your $35; the other at $43.95 does not`"""
    return one.start > limit.end and _ENDS.search(plain, limit.end, one.start) is not None


def hold_sides(tally: CheckTally, mentions: Mentions, ledger: MoneyLedger, limits: Sequence[float]) -> None:
    """Every sentence of the prose."""
    sides = LimitSides(mentions, ledger, limits)
    for line in mentions.layout.lines:
        if not line.cells:
            for span in mentions.sentences(line):
                for said in sides.sentence(span):
                    if said.holds:
                        tally.ok()
                    else:
                        tally.accuse("limit_side", said.span, said.why, said.bound, said.doubt)
