"""Whether words mean something else than what is accused: a quantity, a day of another order, a verdict on another amount."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.grid import column_at, holds_money, says_price
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.said import MONEY, SaidFigure
from drr.eval.checks.measures import A_RATE, measures, measures_by_kind
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.around import DENIAL
from drr.eval.checks.naming import fold, head_noun
from drr.eval.checks.person.history import history_of
from drr.eval.checks.person.readings.counted import comes_to_some
from drr.eval.checks.records import record_text
from drr.wording.dates import dates
from drr.wording.money import every_amount
from drr.wording.numbers import SPOKEN, number_said, spoken
from drr.wording.ratings import A_MARK
from drr.wording.verdicts import VERDICTS

_OF_A_NAME = re.compile(r"\s?(?:[a-z]{1,14}\s)?of\s(?:(?:the|these|those|your|its)\s)?[*_\[]{0,3}(?=[A-Z])")
"""Behind a count: `three runs of Fielder's`: so many are taken of the thing."""
_WORD = re.compile(r"[a-z]{3,20}")
_COUNT_SAID = re.compile(r"said (\d+) (?:orders, are|of) ")
_WOULD = re.compile(r"\b(?:would|if|could|were)\b|['’]d\b", re.I)
_THEN = re.compile(
    r"\b(?:would|['’]d) then\b|\bthen\s(?:\w+\s){0,2}would\b|\binstead\b|\bwithout (?:it|them|that)\b", re.I
)
_DENIED = re.compile(rf"\d[,:—–-]?\s{DENIAL}", re.I)
_TIMES_OF = re.compile(r"\b(?:double|twice|triple|half|times)\b", re.I)
_AGAIN = re.compile(r"[\s*_]{0,3}(?:as\s(?:[\w-]{1,16}\s){1,3}again\b|again\sas\b)", re.I)
_ONE_OF_EACH = re.compile(
    r"\b(?:one|two|three|four|five|an?)\s[^.;:$|]{1,80}(?:,|\s(?:and|plus|with|&))\s(?:one|two|three|four|five|an?|another)\s[^.;:$|,]{1,60}\b(?:is|are|come|comes to|cost|make|makes|total|totals|run|runs to|would be|for)\b[^.;:$|,]{0,16}$",
    re.I,
)
"""Before an amount: several things stand before its verb."""
_SO_MANY = re.compile(
    rf"\b(?:the|these|those|all|only|your|my|our|other|which)\s(?P<n>{SPOKEN}|\d{{1,2}})(?![\w.,%-]*\d|-)(?!\sof\s\w+\s(?:at|for)\b)\b|\b(?P<m>{SPOKEN}|\d{{1,2}})\s(?:of\s|priced\b|orders\b|purchases\b|(?:that\s)?can\b)",
    re.I,
)
"""In the sentence of a sum: of how many it is."""
_SO_MANY_OF = re.compile(
    rf"\b(?:one more|another|a second|a third|{SPOKEN}\s(?:\w+\s)?(?:boxes|packs|bags|pairs|sets|bottles|packets|tubs|rolls|cans)\sof)\b",
    re.I,
)
_AT = re.compile(r"\b(?:at|for|costs?|paying|spending)\s[*_$]{0,4}$", re.I)
_COUNTED = re.compile(rf"\b(?i:{SPOKEN})\s(?:[A-Z][\w’']*\s){{0,2}}[A-Za-z]+s\b")
_OR = re.compile(r"[*_]{0,3}\sor\s(?:a\s|an\s|the\s)?[a-z]+\s(?:is|was|are|were|stays|remains)\b", re.I)
_MARK_BEFORE = 20
_LISTED = 2
_TIMES = re.compile(rf"(?P<n>{SPOKEN})\stimes\sthe\b", re.I)
_CENT = 0.005
_MOST_TAKEN, _MOST_COSTS = 12, 8
"""Of how many, and of what number of prices, every sum is tried."""
_COST = 0.3
"""Of the limit: less is a difference or a cost per unit."""
_BEFORE = 300
_UNIT = 20
"""Characters behind a figure that its unit has."""


class Otherwise:
    """Of one report."""

    def __init__(self, held: HeldAgainst, mentions: Mentions) -> None:
        self._held, self._mentions, self._plain = held, mentions, mentions.plain

    def several(self, figure: SaidFigure) -> str | None:
        """A price of one thing, where several stand before its verb."""
        close, _ = self._held.around(figure.start)
        before = self._plain[close[0] : figure.start]
        return "several things stand before its verb" if _ONE_OF_EACH.search(before) else None

    def quantity(self, one: Accusation) -> str | None:
        """`Two packs of Muddy Otter`: so many are taken, of which no record says anything."""
        if A_RATE.match(self._plain, one.span[1]):
            return "it is a rate, a share or a time that passed"
        if _OF_A_NAME.match(self._plain, one.span[1]):
            return "so many of a thing are taken"
        return _in_another_unit(self._held, self._plain, one.span)

    def in_a_date(self, one: Accusation) -> str | None:
        close, _ = self._held.around(one.span[0])
        inside = any(when.start <= one.span[0] < when.end for when in dates(self._plain, *close))
        return "it is part of a date" if inside else None

    def day(self, one: Accusation) -> str | None:
        """A day on which something else was ordered that is named there, or is of a kind that the sentence names."""
        history = history_of(self._mentions)
        when = next(iter(dates(self._mentions.body, *one.span)), None)
        if history is None or when is None or (one.bound or Certainty.INFERRED) >= Certainty.CLAUSE:
            return None
        close, stretch = self._held.around(one.span[0])
        words = {fold(match[0]) for match in _WORD.finditer(self._plain[slice(*close)].casefold())}
        near = self._held.named((max(stretch[0], close[0] - _BEFORE), close[1]))
        for product in (placed.product for placed in history.on(when)):
            if product is not None and (product.product_id in near or head_noun(product.title) in words):
                return f"{product.product_id} was ordered then"
        return None

    def mark(self, one: Accusation) -> str | None:
        """Stars that others are held against."""
        low = max(0, one.span[0] - _MARK_BEFORE)
        return "it is a mark to reach" if A_MARK.search(self._plain, low, one.span[0]) else None

    def so_often(self, one: Accusation) -> str | None:
        """`Five times the spray, four times the chews`: so often they were ordered."""
        said, (close, _) = _TIMES.match(self._plain, one.span[0]), self._held.around(one.span[0])
        if said is None or len(_TIMES.findall(self._plain, *close)) < _LISTED:
            return None
        if comes_to_some(self._mentions, one.span, int(spoken(said["n"]))):
            return "so often something near it was ordered"
        return None

    def some_orders(self, one: Accusation) -> str | None:
        """A count that is held against other orders, and is that of something named near it."""
        said = _COUNT_SAID.match(one.why)
        if said is not None and comes_to_some(self._mentions, one.span, int(said[1])):
            return "so many are of what is named near it"
        return None

    def verdict(self, one: Accusation) -> str | None:
        """A verdict on a limit that another amount of its sentence bears out, or that is on a multiple of the limit."""
        amounts = [each.value for each in every_amount(one.why)]
        if len(amounts) < 2:
            return None
        cost, limit = amounts[0], amounts[-1]
        close, _ = self._held.around(one.span[0])
        if any(each.kind == "unit" and each.value == cost for each in self._held.said.within(close)):
            return "it is a cost per unit"
        money = [each.value for each in self._held.said.within(close) if each.kind == "money"]
        others = [v for v in money if v > _COST * limit and min(abs(v - cost), abs(v - limit)) > _CENT]
        breaks = "to break" in one.why
        if not breaks and _WOULD.search(self._plain, *one.span):
            return "its sentence says what would be"
        if not breaks and _DENIED.search(self._plain, *one.span):
            return "it is denied right behind"
        if len(list(VERDICTS.places(self._plain[slice(*close)], limit, would_be=True))) > 1:
            return "its sentence has several verdicts"
        if breaks and cost <= limit and self._spent_before(one.span, cost):
            return "it may break it with what stands before"
        if breaks and any(v > limit + _CENT for v in others):
            return "another amount of its sentence bears it out"
        if self._costs_beside_a_limit(close, limit, [v for v in money if v != cost], breaks=breaks):
            return "another amount of its sentence says by how much"
        return "it is said of a part or a multiple" if _TIMES_OF.search(self._plain, *one.span) else None

    def _spent_before(self, span: Span, cost: float) -> bool:
        """Whether one price is said to break a limit, and others stand before it that may be spent too."""
        close, stretch = self._held.around(span[0])
        is_price = any(cost in self._held.known.of((key,)).prices for key in self._held.named(close))
        before = (each for each in self._held.said.within((stretch[0], span[0])) if each.kind == "money")
        return is_price and any(each.value > _CENT and each.value != cost for each in before)

    def _costs_beside_a_limit(
        self, close: Span, limit: float, gaps: Sequence[float], *, breaks: bool
    ) -> bool:
        """Whether something in sight is over a limit, or under it, by one of these."""
        _, stretch = self._held.around(close[0])
        costs = [each.value for each in self._held.said.within(stretch) if each.kind == "money"]
        costs += self._held.known.of(self._held.named(stretch)).prices
        return any(
            gap > _CENT and abs(cost - (limit + gap if breaks else limit - gap)) < _CENT
            for gap in gaps
            for cost in costs
        )

    def owned(self, one: Accusation) -> str | None:
        """A cost over a limit of which its line or the next says by how much."""
        amounts = [each.value for each in every_amount(one.why)]
        if len(amounts) < 2:
            return None
        _, stretch = self._held.around(one.span[0])
        low, high = one.span[0], max(one.span[1], min(stretch[1], one.span[1] + _BEFORE))
        gap = abs(amounts[0] - amounts[-1])
        told = any(abs(each.value - gap) < _CENT for each in self._held.said.within((low, high)))
        return "it says itself by how much it misses the limit" if told else None

    def again(self, one: Accusation) -> str | None:
        """`Half as much again` is one and a half times."""
        again = _AGAIN.match(self._plain, one.span[1]) is not None
        return "it is so much more, not so much" if again else None

    def more_than_named(self, figure: SaidFigure) -> str | None:
        """`The five priced ones come to $353.45`, of two binoculars: some are meant several times, and nobody can say which. What no five of
        them come to, however often each is taken, is no such sum."""
        close, stretch = self._held.around(figure.start)
        if self._held.named(close):
            return None
        said = {
            int(number_said(match["n"] or match["m"])) for match in _SO_MANY.finditer(self._plain, *close)
        }
        known = self._held.known
        named = [key for key in self._held.named((0, figure.start)) if known.of((key,)).prices]
        if max(said, default=0) <= max(len(named), 1):
            return None
        beside = [one.value for one in self._held.said.within(stretch) if one.kind == "money"]
        costs = {*known.of(tuple(named)).prices, *(cost for cost in beside if cost != figure.value)}
        may_be = not named or any(_come_to(costs, many, figure.value) for many in said)
        return "its sentence counts more than the things in sight" if may_be else None

    def more_of_what_is_not_linked(self, one: Accusation) -> str | None:
        """`One more umbrella and three boxes of lights would leave $58.04`: so many of what its sentence only calls by a word."""
        close, _ = self._held.around(one.span[0])
        many = (
            _SO_MANY_OF.search(self._plain, *close) or len(_COUNTED.findall(self._plain, *close)) >= _LISTED
        )
        linked = any(place.linked for place in self._held.cast.within(*close))
        return "so many are meant of what its sentence does not link" if many and not linked else None

    def nothing_named(self, one: Accusation) -> str | None:
        """Neither of two that are compared, or lie apart, is named where that is said."""
        close, _ = self._held.around(one.span[0])
        money = [each for each in self._held.said.within(close) if each.kind in MONEY]
        named = self._held.cast.within(*close) or self._held.named(close, one.span[0])
        return None if named or len(money) > 1 else "its sentence names neither"

    def quoted(self, one: Accusation) -> str | None:
        """`Her "4.7 from 900 reviews" are that site's`."""
        close, _ = self._held.around(one.span[0])
        before = self._plain[close[0] : one.span[0]]
        opened = before.count("“") > before.count("”") or before.count('"') % 2 == 1
        return "it stands in quotation marks" if opened else None

    def costs_that(self, one: Accusation) -> str | None:
        """`You keep within 80, at $73.49`: it is what is paid, not what is left."""
        paid = _AT.search(self._plain, max(0, one.span[0] - 12), one.span[0])
        return "it is what something comes to" if paid else None

    def one_of_two(self, one: Accusation) -> str | None:
        """`Aluminum or steel was left open`."""
        return "its sentence leaves it open" if _OR.match(self._plain, one.span[1]) else None

    def in_another_column(self, one: Accusation) -> str | None:
        """A cell under a head that does not say that prices stand there."""
        line = self._held.prose.line_at(one.span[0])
        column = column_at(line, one.span[0]) if line is not None and line.kind == "row" else None
        if line is None or not column:
            return None
        head = self._mentions.tables.label(self._held.index(line), column, self._plain)
        worked = head and (every_amount(head) or not (says_price(head) or holds_money(head)))
        return "its column is not said to hold prices" if worked else None

    def then(self, one: Accusation) -> str | None:
        """A total of another choice."""
        close, _ = self._held.around(one.span[0])
        return "its sentence speaks of another choice" if _THEN.search(self._plain, *close) else None

    def would_be(self, one: Accusation) -> str | None:
        """A cost over the limit that nobody advises."""
        close, _ = self._held.around(one.span[0])
        return "its sentence says what would be" if _WOULD.search(self._plain, *close) else None


def _in_another_unit(held: HeldAgainst, text: str, span: Span) -> str | None:
    """`180 centimeters`, of a thing of 71 inches: what is named near it has it."""
    _, stretch = held.around(span[0])
    said = [one for one in measures(text, span[0], span[1] + _UNIT) if one.start == span[0]]
    records = (record_text(held.known.products[key]) for key in held.named(stretch))
    same = bool(said) and any(measures_by_kind(one).has(said[-1]) for one in records)
    return "a record has it in another unit" if same else None


def _come_to(costs: Collection[float], many: int, value: float) -> bool:
    """Whether so many of some costs, each any number of times, come to a value; more of them than can be tried may."""
    if many > _MOST_TAKEN or len(costs) > _MOST_COSTS:
        return True
    cents, most = [round(cost * 100) for cost in costs], round(value * 100)
    sums = {0}
    for _ in range(many):
        sums = {one + cost for one in sums for cost in cents if one + cost <= most}
    return most in sums
