"""The numbers of production lots. They have one letter for all models of a product, and grow with the months in which lots were made."""

from __future__ import annotations

from datetime import date
from random import Random

from drr.papers.dr3.planning.things import MODELS
from drr.papers.dr3.values import number_of

_LETTERS = "ADHKLNQRTW"
_FIRST_YEAR, _FIRST, _A_MONTH = 1995, 1000, 12
RECALLED = 2
"""Months from the last lot that a recall covers to its notice."""
_LOGO = 9
"""The same of the last lots with an old logo."""


def lot_letter(name: str) -> str:
    plain, _, last = name.rpartition(" ")
    return Random(f"lots/{plain if last in MODELS else name}").choice(_LETTERS)


def lot_before(month: date, *, is_recall: bool = True) -> int:
    """The first lot that a notice of a month no longer covers: a later notice covers more, and never less."""
    months = 12 * (month.year - _FIRST_YEAR) + month.month - 1 - (RECALLED if is_recall else _LOGO)
    return _FIRST + _A_MONTH * months


def month_of_recall(value: str) -> date:
    """Return the month of the notice that says `lots before A4120`."""
    months = (int(number_of(value)) - _FIRST) // _A_MONTH + RECALLED
    return date(_FIRST_YEAR + months // 12, months % 12 + 1, 1)
