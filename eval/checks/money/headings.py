"""Amounts in headings, held against what stands under them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from drr.eval.checks.layout import TextLine
from drr.eval.checks.money.parts import CENT, PricedText, Stated, SumBasket, SumPart
from drr.eval.checks.money.phrases import LIMITED, phase_of
from drr.wording.money import MoneyAmount

_GOES_ON = re.compile(r"\s*+(?:[-–]\s*+)?(?!total)[A-Za-z]")


class _Under(NamedTuple):
    """What stands between a heading and the next of its depth."""

    sections: list[Stated]
    tables: list[Stated]
    parts: list[SumPart]
    whole: bool
    """Nothing is left out."""


def heading_totals(
    text: PricedText, basket: SumBasket, tables: Sequence[Stated], sections: Sequence[Stated]
) -> Iterator[Stated]:
    """The amount of each heading against its section's total, else its tables, else its items."""
    for index, line in enumerate(text.lines):
        amount = _amount_of(text, line)
        if amount is not None:
            high = text.layout.section_end(index)
            under = _Under(
                [one for one in sections if index < one.line < high],
                [one for one in tables if index < one.line < high],
                basket.between(index + 1, high),
                not text.elided(index, high),
            )
            stated = Stated(amount, index, "heading", phase_of(line.text))
            if _compare(stated, under):
                yield stated


def _compare(stated: Stated, under: _Under) -> bool:
    """Whether anything stands there to hold the amount against."""
    amount, parts = stated.amount, under.parts
    slack = 1.0 if amount.whole or amount.approx else CENT
    fits = any(_fits(counted, amount, slack) for counted in (parts, _bought(parts)))
    if under.sections:
        agrees = fits or any(_says(one, amount, slack) for one in under.sections)
        stated.compare(under.sections[0].amount.value, 1, agrees=agrees)
        stated.held_against = "its section's total is"
    elif under.tables:
        agrees = any(_comes_to(one, amount, slack) for one in under.tables)
        stated.compare(under.tables[0].computed, under.tables[0].parts, agrees=agrees)
    elif len(parts) >= 2 and under.whole:
        stated.compare(sum(part.value for part in parts), len(parts), agrees=fits)
        stated.held_against = "its section's items come to"
    return stated.agrees is not None


def _amount_of(text: PricedText, line: TextLine) -> MoneyAmount | None:
    """The one amount of a heading that may be its section's cost: no limit, no product's price."""
    if line.kind != "heading" or text.mentions.within(line.start, line.end):
        return None
    here = [
        one
        for one in text.within(line.start, line.end)
        if not LIMITED.search(text.body[line.start : one.start])
    ]
    if len(here) != 1 or _GOES_ON.match(text.body[here[0].end : line.end]):
        return None
    return here[0]


def _bought(parts: Sequence[SumPart]) -> list[SumPart]:
    return [part for part in parts if not part.optional]


def _fits(parts: Sequence[SumPart], amount: MoneyAmount, slack: float) -> bool:
    if not parts:
        return False
    off = abs(sum(part.value for part in parts) - amount.value)
    return off <= slack + sum(part.slack for part in parts)


def _says(one: Stated, amount: MoneyAmount, slack: float) -> bool:
    return abs(one.amount.value - amount.value) <= slack or _comes_to(one, amount, slack)


def _comes_to(one: Stated, amount: MoneyAmount, slack: float) -> bool:
    return one.computed is not None and abs(one.computed - amount.value) <= slack
