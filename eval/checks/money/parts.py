"""The amounts of a report by place, and those among them that a sum may be made of."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Literal, NamedTuple

from drr.eval.checks.base import Span
from drr.eval.checks.facts import prices_in, quantity_near
from drr.eval.checks.layout import TextLine
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.adjustments import adjustments_of
from drr.eval.checks.money.phrases import NO_PART, OPTIONAL, TOTAL, is_limit
from drr.wording.money import MoneyAmount, amounts

CENT = 0.0101
"""How far off a stated amount may be for each amount that was rounded on the way to it."""
_NO_PRICE = re.compile(r"\b(?:spent|orders?|average|mean|month(?:ly)? budget|save)\b", re.I)
_CHARGE = re.compile(
    r"[\s*_\-•]*(?:(?:estimated|sales|standard)\s+)?(?:(?:shipping|tax(?:es)?|delivery|fees?|handling)|(?P<less>discount|coupon|savings|rebate))\b",
    re.I,
)


_NOT_YET_TAKEN = re.compile(
    r"\b(?:before|without|pre|list|regular|original(?:ly)?|full|instead|not|never|worth|value)\b", re.I
)
"""Of a total that is not the one which a bill comes to."""


def adds_what_is_taken(said: str, amount: MoneyAmount, paid: float, off: float) -> bool:
    """Whether a total is what a bill would come to, if what it takes off were added."""
    return (
        off > CENT
        and not amount.whole
        and not amount.approx
        and abs(paid + 2 * off - amount.value) <= CENT
        and _NOT_YET_TAKEN.search(said) is None
    )


class Added(NamedTuple):
    """What some amounts come to."""

    value: float
    slack: float
    """How much of it may be rounding."""
    terms: int

    def fits(self, amount: MoneyAmount) -> bool:
        return abs(self.value - amount.value) <= self.slack + (0.5 if amount.whole else 0.0)


@dataclass(frozen=True, slots=True)
class SumPart:
    """One amount that a sum is made of: a bullet, a product in a sentence."""

    value: float
    slack: float
    start: int
    end: int
    line: int
    optional: bool


def added(parts: Sequence[SumPart]) -> Added:
    slack = CENT * len(parts) + sum(part.slack for part in parts)
    return Added(sum(part.value for part in parts), slack, len(parts))


def ways_to_count(parts: list[SumPart]) -> tuple[list[SumPart], list[SumPart], list[SumPart]]:
    """All of them; those that are not optional; each value once, as a product named again is not bought again."""
    return parts, [part for part in parts if not part.optional], distinct(parts)


def distinct(parts: Sequence[SumPart]) -> list[SumPart]:
    found: dict[float, SumPart] = {}
    for part in parts:
        found.setdefault(part.value, part)
    return list(found.values())


@dataclass(slots=True)
class Stated:
    """A total that the report states, and what it stands over."""

    amount: MoneyAmount
    line: int
    where: Literal["table", "section", "heading"]
    label: str | None = None
    """`phase 1`, where it is one phase's."""
    computed: float | None = None
    parts: int = 0
    agrees: bool | None = None
    """`None` where the parts are not all there."""
    held_against: str = "its rows come to"
    open: bool = False
    """Something is added or taken above it without an amount."""
    taken: float | None = None
    """What it should be, where it adds what its own bill takes off; certain, for it is what stands there and nothing else."""

    @property
    def span(self) -> Span:
        return self.amount.start, self.amount.end

    def compare(self, computed: float | None, parts: int, *, agrees: bool) -> None:
        """Enter what it was held against."""
        self.computed, self.parts, self.agrees = computed, parts, agrees


class PricedText:
    """A report's lines with the amounts in them."""

    def __init__(self, mentions: Mentions) -> None:
        self.mentions = mentions
        self.body = mentions.body
        self.layout = mentions.layout
        self.lines = mentions.layout.lines
        self.adjustments = adjustments_of(mentions)
        """By line, what a bill adds or takes there."""
        self._taken = {one.amount.start for one in self.adjustments.values() if one.amount and one.sign < 0}
        self._amounts = amounts(self.body)
        self._starts = [one.start for one in self._amounts]

    def within(self, start: int, end: int) -> list[MoneyAmount]:
        """The amounts that begin in a stretch."""
        return self._amounts[bisect_left(self._starts, start) : bisect_left(self._starts, end)]

    def signed(self, amount: MoneyAmount) -> float:
        """Less than nothing where a bill takes it off."""
        return -amount.value if amount.start in self._taken else amount.value

    def costs(self, line: TextLine, start: int, end: int) -> list[MoneyAmount]:
        """The amounts of a stretch of a line that are no limits."""
        return [one for one in self.within(start, end) if not is_limit(self.body, one, line)]

    def said(self, line: TextLine) -> str:
        """The line without its citations."""
        return self.mentions.plain[line.start : line.end]

    @cached_property
    def _prices(self) -> frozenset[float]:
        """What the things cost that the report names."""
        known = (self.mentions.subject.product(one.product_id) for one in self.mentions.mentions)
        return frozenset(one.price for one in known if one is not None and one.price is not None)

    def is_of_many(self, value: float, many: int) -> bool:
        """Whether an amount is so many times what one of them costs, and no price itself."""
        return value not in self._prices and any(abs(one * many - value) < CENT for one in self._prices)

    def elided(self, low: int, high: int) -> bool:
        """Whether some of these lines stands for lines left out."""
        return any(one.kind == "elision" for one in self.lines[low:high])

    @cached_property
    def _charged(self) -> list[float]:
        return [0.0, *accumulate(self._charge(index, line) for index, line in enumerate(self.lines))]

    def charges(self, low: int, high: int) -> float:
        """Shipping and tax on lines of their own, from one line to another; a discount counts down."""
        return self._charged[high] - self._charged[low]

    def _charge(self, index: int, line: TextLine) -> float:
        if line.kind != "row" and (one := self.adjustments.get(index)) is not None:
            return one.value
        match = _CHARGE.match(line.text) if line.kind in ("text", "item", "title") else None
        here = self.within(line.start, line.end) if match else []
        if match is None or len(here) != 1 or TOTAL.search(line.text):
            return 0.0
        return here[0].value * (-1 if match["less"] else 1)


class SumBasket:
    """Every part of the sums of a report, by line: product sentences, and list lines that carry one price."""

    def __init__(self, text: PricedText) -> None:
        self._text = text
        self.parts = list(self._found())
        self._lines = [part.line for part in self.parts]

    def between(self, low: int, high: int) -> list[SumPart]:
        """The parts on the lines from `low` to before `high`."""
        return self.parts[bisect_left(self._lines, low) : bisect_left(self._lines, high)]

    @cached_property
    def sums(self) -> list[Added]:
        """What everything comes to, counted each way."""
        return [added(parts) for parts in ways_to_count(self.parts)]

    def _found(self) -> Iterator[SumPart]:
        prices = self._product_prices()
        for index, line in enumerate(self._text.lines):
            if line.kind != "row" and index in self._text.adjustments:
                continue
            inside = prices[index] if index in prices else self._lone_price(line)
            optional = OPTIONAL.search(self._text.said(line)) is not None if inside else False
            for amount, quantity in inside:
                yield self._part(amount, quantity, index, optional)

    def _lone_price(self, line: TextLine) -> list[tuple[MoneyAmount, int]]:
        """The one price of a list's line, with its quantity."""
        if line.kind not in ("item", "title") or TOTAL.search(line.text) or NO_PART.search(line.text):
            return []
        here = self._text.within(line.start, line.end)
        if len(here) != 1 or is_limit(self._text.body, here[0], line) or _NO_PRICE.search(line.text):
            return []
        return [(here[0], quantity_near(self._text.said(line)))]

    def _part(self, amount: MoneyAmount, quantity: int, index: int, optional: bool) -> SumPart:
        value = amount.value
        if quantity > 1:
            line = self._text.lines[index]
            here = self._text.costs(line, line.start, line.end)
            line_total = [one for one in here if abs(one.value - value * quantity) < 0.02]
            value = line_total[0].value if line_total else value * quantity
        return SumPart(value, 1.0 if amount.whole else 0.0, amount.start, amount.end, index, optional)

    def _is_of_all(self, product_id: str, amount: MoneyAmount, quantity: int) -> bool:
        """Whether an amount is what so many cost already: `3 x hose | $56.97`."""
        product = self._text.mentions.subject.product(product_id)
        price = None if product is None else product.price
        return price is not None and abs(price * quantity - amount.value) < CENT < abs(price - amount.value)

    def _product_prices(self) -> dict[int, list[tuple[MoneyAmount, int]]]:
        """By line, the first price at each product's first place in a section, with its quantity."""
        mentions, layout = self._text.mentions, self._text.layout
        found: dict[int, list[tuple[MoneyAmount, int]]] = {}
        seen: set[tuple[str, int]] = set()
        for mention in mentions.mentions:
            here = prices_in(mentions, mention)
            if not here:
                continue
            line = max(bisect_right(layout.starts, here[0].start) - 1, 0)
            place = mention.product_id, layout.opened_by[line]
            if place in seen:
                continue
            seen.add(place)
            quantity = quantity_near(mentions.plain[mention.start : mention.end])
            if quantity > 1 and self._is_of_all(mention.product_id, here[0], quantity):
                quantity = 1
            found.setdefault(line, []).append((here[0], quantity))
        return found
