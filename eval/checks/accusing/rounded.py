"""A cost per unit worked out before what it is divided by was rounded: $52.95 by 4.444 square feet is $11.91, and `4.44` is what is said."""

from __future__ import annotations

from drr.eval.checks.base import Span
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.said import SaidFigure
from drr.eval.checks.money.packs import is_rounded, parts_of

_MOST = 12
"""Amounts, and numbers, of a stretch."""


def is_by_a_rounded_number(held: HeldAgainst, one: SaidFigure) -> bool:
    """Whether an amount of its sentence or row, or a price of what is named there, comes to it by a number there that is rounded to hundredths."""
    close, _ = held.around(one.start)
    return any(_comes_to(held, one, span) for span in dict.fromkeys((close, held.with_before(close))))


def _comes_to(held: HeldAgainst, one: SaidFigure, span: Span) -> bool:
    money, others = held.values(span, one)
    amounts = [*money, *held.known.of(held.named(span)).prices][:_MOST]
    numbers = [each.value for each in others if is_rounded(each.value)][:_MOST]
    parts = (part for amount in amounts for each in numbers for part in parts_of(amount, each, one.value))
    return any(one.low - 1e-6 <= part <= one.high + 1e-6 for part in parts)
