"""What makes a verdict on a limit open, though what it is on stands right beside it: another cost than the one written, another limit, a size, somebody's taste."""

from __future__ import annotations

import re
from collections.abc import Sequence

from drr.eval.checks.base import Span
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.ledger import MoneyLedger
from drr.wording.verdicts import VERDICTS

_IF = re.compile(r"\b(?:if|unless|until|once|when)\b", re.I)
"""What is said of some case: what everything comes to is said with it."""
_ALTERED = re.compile(
    r"\b(?:suppose|supposing|should|were|dropped|drops|half|halves|third|quarter|split|divided?|shares?|shared|sale|coupon|voucher|gift card|credit|discount|rebate|off|cut|reduced|minus|tax|taxes|shipping|postage|delivery|fees?|head|person|everyone|over (?:two|three|four|the (?:next|year|month|week|quarter|season))"
    r"|upgrade|aside|forget|matter|splurge|stretch|think|thought|believe|lying|claims?|pretend|wish|seems?|as if|as though|guess|call)\b|[?%]",
    re.I,
)
"""What makes another cost, or another limit, of those in sight, or what is only thought."""
_BEFORE_IT = re.compile(
    r"\bbefore (?:the |your |any |that )?(?:coupon|voucher|discount|rebate|tax|taxes|shipping)\b", re.I
)
_NONE = re.compile(r"\b(?:none|no|neither|nor|nothing|only|hardly|never|cannot|except|not)\b|n['’]t\b", re.I)
_SHORT = 14
"""Characters before a verdict that are read with it."""
_SIZED = re.compile(
    r"(?<![\w$.,])\d[\d.,]{0,8}[\s-]?(?:stars?|dB|decibels?|lbs?|pounds?|oz|ounces?|inch(?:es)?|in\.?|ft|feet|foot|cm|mm|cups?|quarts?|%|°|watts?|W|lumens?|gallons?|lit(?:er|re)s?|mmHg|sheets?)\b",
    re.I,
)
_SHAPED = re.compile(
    r"\b(?:short|long|wide|narrow|deep|tall|large|small|big|thick|size[sd]?|width|depth|height|length|space|shelf|drawer|door|car|oven|pot|wall|body|hands?|waist|chest|foot|better|best|nicely on)\b",
    re.I,
)
"""What fits may fit into something."""
_LENGTHS = re.compile(r"\d[\s-]?(?:inch(?:es)?|in|ft|feet|foot|cm|mm)\b", re.I)
_SPARE = re.compile(
    r"\b(?:spare|left|over|in hand|for that|for it|squeezes?|slips?|sneaks?|scrapes?)\b", re.I
)
"""What fits so fits into a limit."""
_TESTS = re.compile(r"(?:pass|qualif|make|get|clear|meet|keep)", re.I)
_TESTED = re.compile(
    r"\b(?:stars?|ratings?|rated|reviews?|looks?|tests?|brief|wish(?:es)?|requirements?|demands?)\b", re.I
)
"""What passes may pass another test."""
_IS = re.compile(r"(?:is|are)\s", re.I)
_COUNTED = re.compile(
    r"\b(?:two|three|four|five|six|several|pair|each|apiece|more of|of them|divided?|both)\b", re.I
)
_TOO = re.compile(r"too\b|unaffordable|out of|beyond", re.I)
_JUST = re.compile(
    r"\b(?:just|slightly|barely|narrowly|a (?:bit|little|shade|touch|hair)|a few (?:dollars|cents))\s[*_]{0,3}$",
    re.I,
)
_FOR_THAT = re.compile(r"\bfor (?:that|it|this)$", re.I)
_BY = re.compile(r",?\sby\s", re.I)
_SEVERAL = re.compile(
    r"\b(?:and|two|three|four|five|six|seven|eight|ten|\d{1,3} (?!dollars|bucks|inch|feet|quart|cup)[a-z]{2,14}s|both|together|kit|set ?up|plan|everything|gifts|things|items|people|each|basket|list|pair|couple|all in|in all|outfit|equip|refit|restock)\b|[;+&]|,[^,]{1,40},[^,]{1,40},",
    re.I,
)
"""In a question: its limit may be on several things, and one may break it with another."""
_ADDED = re.compile(
    r"\b(?:on top|add(?:ed|ing|s)?|plus|with|together|combined|another|second|third|double|twice|two|three|four|five|six|packs|boxes|bags|bottles|each|apiece|extra|after|beside|besides|pair|bundle|basket|any)\b",
    re.I,
)
_ALL = re.compile(r"\b(?:both|all|total|plan|set|sum|everything|them|these|those|they|either)\b", re.I)
"""The same, but only near."""
_GAP = re.compile(r"\s{2,}")
_CLOSE = 70
_NEAR_UNITS = 400
"""Characters before a sentence in which costs per unit are still spoken of."""
_ON_TOP = re.compile(
    r"\b(?:on top|add(?:ed|ing|s)?|plus|together|another|second|then|after|with (?:an?|it|them|both|the|that|those|all))\b",
    re.I,
)
"""What breaks a limit may be more than the one thing."""


def may_be_added(
    ledger: MoneyLedger, cost: float, place: int, limits: Sequence[float], *, several: bool
) -> bool:
    """Whether a cost would break a limit with what was added up before it, or with any price where the limit may be on several things."""
    prices = {one.price for one in ledger.play.all}
    for one in ledger.within(0, place):
        summed = one.cue.kind == "total" or (one.cue.kind in ("price", "none") and one.value not in prices)
        told = summed or (several and one.cue.kind in ("price", "none"))
        if told and one.value not in limits and one.value + cost > min(limits):
            return True
    return False


def tells_unit_costs(ledger: MoneyLedger, span: Span) -> bool:
    """Whether costs per unit stand in a sentence or before it: an amount far under every price is one of those (`$3 a light; the eight-pack is under $2.80`)."""
    return any(one.cue.kind == "unit" for one in ledger.within(max(0, span[0] - _NEAR_UNITS), span[1]))


_OF_EACH = re.compile(
    r"\b(?:each|every|apiece|per (?!month|week|year)[a-z]+|a (?:piece|head|person))\b", re.I
)
"""In a question: its limit may be on each of several."""


class Opened:
    """Of one report."""

    def __init__(self, mentions: Mentions) -> None:
        self._plain, self._asked = mentions.plain, mentions.subject.query or ""

    def on_several(self, where: Span) -> bool:
        """Whether a limit may be on several things: not where one is too dear `for that`."""
        return _SEVERAL.search(self._asked) is not None and not _FOR_THAT.search(self._plain[slice(*where)])

    def by_each(self, part: Span, *, total: bool) -> bool:
        """Whether several may cost more than a limit that is on each."""
        if _OF_EACH.search(self._asked) is None:
            return False
        return total or _COUNTED.search(self._plain, *part) is not None

    def by_its_words(self, where: Span, part: Span, *, sized: int, asked: bool, made: bool) -> bool:
        """Whether its part of the sentence speaks of another cost, of a size, or of none. Of what everything comes to (`made`) only what stands behind can be altered. Up to `sized` no size may stand."""
        text = _BEFORE_IT.sub(" ", self._plain[slice(*part)])
        altered = self._plain[where[1] : part[1]] if made else text
        if (
            _ALTERED.search(altered)
            or (asked and _IF.search(text))
            or _SIZED.search(self._plain, part[0], sized)
        ):
            return True
        return _NONE.search(self._plain, part[0], max(part[0], where[0] - _SHORT)) is not None

    def by_another_test(self, where: Span, span: Span) -> bool:
        """`fits`, where there is talk of a size; `passes`, where there is of another test."""
        if _SPARE.search(self._plain, *where):
            return False
        if _TESTS.match(self._plain, where[0]) and self._is_tested(span):
            return True
        return _LENGTHS.search(self._asked) is not None or _SHAPED.search(self._plain, *span) is not None

    def by_taste(self, where: Span, span: Span) -> bool:
        """`too dear`, and not by how much, nor for what."""
        if not _TOO.match(self._plain, where[0]):
            return False
        led = _JUST.search(self._plain, max(span[0], where[0] - 24), where[0])
        return not (
            led or _FOR_THAT.search(self._plain[slice(*where)]) or _BY.match(self._plain, where[1], span[1])
        )

    def of_one_cost(self, span: Span, limit: float, ledger: MoneyLedger, *, fits: bool) -> str | None:
        """Why the verdicts of a sentence may not be on its one cost and its limit."""
        for place in VERDICTS.places(self._plain[slice(*span)], limit, would_be=True):
            where = span[0] + place.start, span[0] + place.end
            if fits and _TESTS.match(self._plain, where[0]) and self._is_tested(span):
                return "it may be another test that is passed"
            if not fits and self.by_taste((self._behind_is(where[0]), where[1]), span):
                return "it may be too much for somebody's taste"
        if fits and self.by_each(span, total=any(one.cue.kind == "total" for one in ledger.within(*span))):
            return "the limit may be on each of several"
        cost = [one.start for one in ledger.within(*span) if one.cue.kind in ("price", "none", "total")][:1]
        if not fits and _COUNTED.search(self._plain, span[0], cost[0] if cost else span[1]):
            return "it may be said of several"
        return None

    def _behind_is(self, place: int) -> int:
        led = _IS.match(self._plain, place)
        return led.end() if led else place

    def _is_tested(self, span: Span) -> bool:
        return _TESTED.search(self._asked) is not None or _TESTED.search(self._plain, *span) is not None

    def by_more(self, where: Span, cost: Span, part: Span, *, total: bool) -> bool:
        """Whether more than the one cost may break a limit: of a total only what stands behind the verdict."""
        if total or cost[0] >= where[1]:
            behind = self._plain[max(where[1], cost[1]) : part[1]]
            if _ON_TOP.search(behind):
                return True
        before = _GAP.sub(" ", self._plain[part[0] : min(where[0], cost[0])])
        return not total and any((_ADDED.search(before), _ALL.search(before[-_CLOSE:])))
