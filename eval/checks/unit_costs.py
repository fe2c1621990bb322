"""A cost per unit that nothing in sight costs: the price of a thing by what its own record, or the text, says is in it.

Which thing is meant and by what it is divided is not asked: every product in sight, every number of its title, of its record where that counts
the unit, and of the text beside it may be meant.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, islice
from typing import NamedTuple

from drr.env.entities import Product
from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.known import numbers_in
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.measures import measures_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.money.means import called_a_mean, how_many, is_median, means_of
from drr.eval.checks.money.packs import counted_by, divisors, parts_of, record_divisors, unit_named
from drr.eval.checks.records import record_text
from drr.eval.checks.residue import residue_of
from drr.wording.cues import CUES

_BESIDE = re.compile(
    r"\b(?:more|less|cheaper|dearer|costlier|pricier|extra|saves?|saved|saving|separates?|differs?|ceiling|(?:of|in)\s(?:each|every|the|a)\sdollar|apart|gap|difference|"
    r"premium|above|below|over|under|beyond|off|between|limit|budget|average|mean|median|coupon|discount|if|would|could|might|use|night|month|year|week|day|hour|wash|refill|"
    r"elsewhere|stores?|usually|typically|shipping|postage)\b|\?|%",
    re.I,
)
"""Beside a cost: it may be a difference, a rate of use, a limit or other people's."""
_NEAR = 40
_REACH, _BACK, _AHEAD = 1500, 400, 200
"""Characters around a sentence whose products, and figures, may be meant."""
_BEFORE = 150
"""Characters before a sentence whose amounts it may hold against each other."""
_CLOSE, _MEANT = 10, 4
_FEW, _MANY, _TITLED, _RECORDED = 12, 40, 8, 80
_MOST, _SUMS = 80, 200
_COUNTED = frozenset(("count", "measure", "orders", "multiple"))
_SETS = {
    "dozen": 12.0,
    "pair": 2.0,
    "half": 2.0,
    "both": 2.0,
    "third": 3.0,
    "quarter": 4.0,
    "split": 2.0,
    "chip in": 2.0,
}
"""By which words of a text a price is divided."""
_TOGETHER = {"hundred": 100.0, "thousand": 1000.0, "100": 100.0, "ten ": 10.0, "dozen": 12.0}
"""Of so many together a cost may be said."""
_ALL = frozenset(("", "hundred", "thousand", "ten"))


class _SumTold(NamedTuple):
    """An amount that an item or a row tells, by how many it counts: `| A: 3 + 5 | 8 | $80.99 |`."""

    line: Span
    amount: float
    cost: float


class UnreachedCost(NamedTuple):
    """A cost per unit that nothing in sight comes to."""

    accusation: Accusation
    against: frozenset[str]
    """What speaks against its being one plainly said of what the shop sells."""


def misread_unit_costs(mentions: Mentions) -> Iterator[Accusation]:
    """Costs per unit that nothing in sight comes to, and against which nothing speaks."""
    return (one.accusation for one in unreached_costs(mentions) if not one.against)


@lru_cache(maxsize=4)
def unreached_costs(mentions: Mentions) -> tuple[UnreachedCost, ...]:
    """All costs per unit that nothing in sight comes to."""
    return tuple(_unreached(mentions))


def _unreached(mentions: Mentions) -> Iterator[UnreachedCost]:
    held = sight_of(mentions).held
    costs = [one for one in held.ledger.figures if _is_cost(mentions, one)][:_MOST]
    own: dict[tuple[str, str], list[float]] = {}
    sums = list(islice(_sums(held), _SUMS)) if costs else []
    for figure in costs:
        line = held.prose.line_at(figure.start)
        if line is None:
            continue
        is_row = line.is_row
        span = (line.start, line.end) if is_row else held.prose.sentence_at(figure.start)
        values = _Costs(mentions, held, figure, span, own, sums).values()
        if not values:
            continue
        told = [one.value for one in costs if one.start != figure.start]
        here = [one.value for one in held.ledger.within(line.start, figure.start)]
        some = dict.fromkeys([*told[-_MANY:], *here[-_MANY:], *held.ledger.play.limits])
        values += [*told, *(abs(a - b) for a, b in combinations(some, 2))]
        values += _means(mentions, held, figure, span)
        pad = (figure.high - figure.low) / 2 + 1e-6
        if not any(figure.low - pad <= value <= figure.high + pad for value in values):
            why = f"said {mentions.plain[figure.start : figure.end].strip()} per unit, which no price in sight comes to by what is in it"
            one = Accusation("cost_per_unit", (figure.start, figure.end), why, Certainty.SENTENCE)
            yield UnreachedCost(one, frozenset(_against(mentions, held, figure, span, is_row=is_row)))


def _means(mentions: Mentions, held: HeldAgainst, figure: Figure, span: Span) -> list[float]:
    """`That averages out to $17.12 a scale`: of the prices in sight."""
    before = mentions.plain[span[0] : figure.start]
    if not called_a_mean(before, mentions.plain[figure.end : span[1]]):
        return []
    prices = [one.price for one in held.ledger.play.near(figure.line)]
    return list(means_of([prices], how_many(before), middle=is_median(before)))


def _sums(held: HeldAgainst) -> Iterator[_SumTold]:
    """What things may cost each that an item or a row tells together, wherever it stands."""
    for line in held.cast.lines:
        span = line.start, line.end
        amounts = held.ledger.within(*span)[:_FEW] if line.kind in ("row", "item") else []
        counts = [one.value for one in held.said.within(span) if one.kind == "count"] if amounts else []
        for figure in amounts:
            if figure.cue.kind != "unit":
                yield from (
                    _SumTold(span, figure.value, figure.value / many) for many in counts[:_FEW] if many > 1
                )


def _is_cost(mentions: Mentions, figure: Figure) -> bool:
    """Whether it is said per something; cents without a unit where their sentence says one."""
    if figure.void or figure.elsewhere:
        return False
    if figure.cue.kind == "unit":
        return figure.cue.word != "period"
    told = figure.cue.kind in ("price", "none") and figure.value < 1
    return told and bool(CUES.units_in(mentions.plain[slice(*figure.sentence)]))


def _against(
    mentions: Mentions, held: HeldAgainst, figure: Figure, span: Span, *, is_row: bool
) -> Iterator[str]:
    """What in its sentence or row speaks against a cost that is said plainly of what the shop sells."""
    opened = figure.cue.word == "opening"
    low = span[0] if opened else max(span[0], figure.start - _NEAR)
    if not is_row and _BESIDE.search(mentions.plain, low, min(span[1], figure.end + _NEAR)):
        yield "beside"
    residue = residue_of(mentions)
    clause = span if is_row or opened else held.prose.clause_at(figure.start)
    if residue.doubt(clause, ("unreal", "others", "conditional", "pace")):
        yield "doubt"
    if residue.cites_the_web(span):
        yield "web"
    if held.cast.names_a_stranger(span):
        yield "stranger"


class _Costs:
    """What a cost per unit may be, at one place."""

    def __init__(
        self,
        mentions: Mentions,
        held: HeldAgainst,
        figure: Figure,
        span: Span,
        own: dict[tuple[str, str], list[float]],
        sums: Sequence[_SumTold],
    ) -> None:
        self._text, self._held, self._figure, self._span = mentions.plain, held, figure, span
        self._known = held.known.products
        self._own, self._sums = own, sums

    def values(self) -> list[float]:
        """Nothing where nobody knows what the things of its sentence cost, or it speaks of more things than are in sight."""
        near, per, (low, high) = self._near(), self._figure.cue.per, self._beside()
        ahead = 0 if self._is_row([""]) else _AHEAD
        beside = [
            one for one in self._held.said.within((low, high + ahead)) if one.start != self._figure.start
        ]
        money = list(dict.fromkeys(one.value for one in beside if one.kind == "money"))
        numbers = [one.value for one in beside if one.kind in _COUNTED and one.value > 1]
        said = self._said(list(dict.fromkeys(numbers))[-_MANY:])
        prices = {one.price or 0.0 for one in near}
        measured = self._measured(numbers)
        close = [one.value for one in beside if one.kind == "money" and self._is_close(one.start)]
        found = [abs(a - b) for a, b in combinations([*prices, *close], 2)]
        for one in near:
            price, by = one.price or 0.0, self._divisors(one, per)
            by = [*by, *counted_by(one, self._text[slice(*self._span)])]
            found += [price, *(price / each for each in by)]
            some = measured if measured and _tells(one, per) else said
            found += [part for each in some for part in parts_of(price, each, self._figure.value)]
            others = (amount for amount in money if amount not in prices)
            found += [amount / each for amount in others for each in by]
        found += [
            one.cost
            for one in self._sums
            if one.amount not in prices and not one.line[0] <= self._figure.start < one.line[1]
        ]
        known = {one.price for one in near if measured and _tells(one, per)}
        found += [amount / each for amount in money for each in (measured if amount in known else said)]
        sentence = self._text[slice(*self._span)].casefold()
        shares = [many for word, many in _SETS.items() if word in sentence]
        found += [value / many for many in shares for value in found]
        together = [many for word, many in _TOGETHER.items() if word in sentence]
        return (
            found + [many * value for many in together for value in found]
            if len(near) >= self._things(prices)
            else []
        )

    def _beside(self) -> Span:
        """Where figures stand that it may be worked out from: its sentence and what is before it, its whole table."""
        lines = self._held.cast.lines
        line = self._held.prose.line_at(self._span[0])
        if line is None or not line.is_row:
            return max(0, self._span[0] - _BACK), self._span[1]
        if self._held.cast.within(*self._span):
            return self._span
        at = lines.index(line)
        first = last = at
        while first and lines[first - 1].is_row and at - first < _MANY:
            first -= 1
        while last + 1 < len(lines) and lines[last + 1].is_row and last - at < _MANY:
            last += 1
        return lines[first].start, lines[last].end

    def _things(self, prices: Collection[float]) -> int:
        """Of how many things its sentence tells costs."""
        here = self._held.ledger.within(*self._span)
        return len({one.value for one in here if not one.void} - set(prices))

    def _is_close(self, place: int) -> bool:
        return self._span[0] - _BEFORE <= place < self._span[1]

    def _near(self) -> list[Product]:
        """The priced things that may be meant."""
        held, span, known = self._held, self._span, self._known
        own = {key for one in held.cast.within(*span) for key in one.products} & known.keys()
        if own and all(known[key].price is None for key in own):
            return []
        around = held.cast.within(max(0, span[0] - _REACH), span[1] + _AHEAD) if not self._is_row(own) else []
        named = [key for one in around for key in sorted(one.products & known.keys())]
        near = [*own, *list(dict.fromkeys(named))[-_CLOSE:]]
        meant = held.cast.meant_at(self._figure.start, self._figure.end).products
        near += sorted(meant) if len(meant) <= _MEANT else []
        if not own or (len(held.cast.products) <= _CLOSE and around):
            near += held.cast.products
        some = (known[key] for key in dict.fromkeys(near) if key in known)
        return [one for one in some if one.price is not None]

    def _is_row(self, own: Collection[str]) -> bool:
        """Whether it stands in the row of one thing."""
        line = self._held.prose.line_at(self._span[0])
        return line is not None and line.is_row and len(own) == 1

    def _said(self, numbers: Sequence[float]) -> list[float]:
        """By what the text may divide: its numbers, and two of them multiplied."""
        low, high = self._beside()
        text = f"{self._text[low : self._figure.start]} {self._text[self._figure.end : high]}"
        found = [*numbers, *divisors(text, self._figure.cue.per)]
        found += [a * b for a, b in combinations(numbers[-_FEW:], 2)]
        return [one for one in found if one > 0]

    def _measured(self, numbers: Sequence[float]) -> list[float]:
        """By what the text may divide that is said per a measure: by measures of its kind, and so many of them."""
        unit = unit_named(self._figure.cue.per) if self._figure.cue.per else None
        if unit is None or unit.kind == "count":
            return []
        low, high = self._beside()
        text = f"{self._text[low : self._figure.start]} {self._text[self._figure.end : high]}"
        some = divisors(text, self._figure.cue.per)
        return [a * b for a in some for b in (1.0, *numbers[-_FEW:]) if a * b > 0]

    def _divisors(self, product: Product, per: str) -> list[float]:
        if (product.product_id, per) not in self._own:
            self._own[product.product_id, per] = [one for one in _contents(product, per) if one > 0]
        return self._own[product.product_id, per]


def _tells(product: Product, per: str) -> bool:
    """Whether a record says how much of a measure there is: by nothing else is its price divided."""
    unit = unit_named(per) if per else None
    return unit is not None and unit.kind != "count" and bool(record_divisors(product, per, frozenset()))


def _contents(product: Product, per: str) -> set[float]:
    """By what a product's price may be divided: what its title says, what its record says of the unit, and the two together."""
    record = record_text(product)
    titled = [value for value, _ in numbers_in(product.title, _TITLED)]
    found = {*titled, *record_divisors(product, per, frozenset())}
    found |= {a * b for a, b in combinations(titled, 2)}
    unit = unit_named(per) if per else None
    if unit is not None and unit.kind != "count":
        of_unit = divisors(f"{product.title}\n{record}", per)
        return found | of_unit | {a * b for a in titled for b in of_unit}
    word = per.rstrip("s").rsplit(" ", 1)[-1]
    found |= {value for value, said in numbers_in(record, _RECORDED) if word in _ALL or said == word}
    return found | {one.value for one in measures_of(record) if one.unit == one.kind}
