"""Other figures than those that are right: written alike, and another in their last figure."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from random import Random

from drr.papers.dr3.planning.kinds import Range
from drr.papers.dr3.values import CENTS

_FIGURE = re.compile(r"\d+(?:\.\d+)?")
_WITHIN = {"percent": (4.0, 92.0), "points": (44.0, 98.0)}
"""What a figure of these can be at all."""
_LEAST_CHANGE, _MOST_CHANGE, _LOTS = 0.12, 0.55, 400
"""By which share of itself a figure is another, and by how many numbers a lot for the whole of it."""


def other_value(
    value: str,
    taken: Iterable[str],
    rng: Random,
    turns: Callable[[str], bool] = lambda _: True,
    within: Range | None = None,
    among: Collection[int] = (),
    tries: int = 400,
) -> str | None:
    """Find another value, written alike, that differs in its last figure. For terms it is one `among` those
    that people know; `None` where none turns the answer."""
    avoid = set(taken)
    if among:
        return _other_term(value, avoid, rng, turns, among)
    found = list(_FIGURE.finditer(value.replace(",", "")))
    if not found:
        return f"not {value}"
    plain, last = value.replace(",", ""), found[-1]
    amount, again = float(last[0]), None
    low, high = _WITHIN.get(
        value.rpartition(" ")[2], (2.0 if value[0].isdigit() and "." not in value else 0.1, 1e9)
    )
    if within is not None:
        low, high = max(low, min(within[0], amount)), min(high, max(within[1], amount))
    for reach in range(1, tries):
        share = rng.uniform(_LEAST_CHANGE, _MOST_CHANGE) * rng.choice((-1, 1))
        moved = amount * (1 + share) + rng.choice((-1, 1)) * (reach // 8)
        if value.startswith("lots "):
            moved = amount + share * _LOTS
        digits = len(last[0].partition(".")[2])
        figure = _figure_like(moved, digits, rng)
        other = plain[: last.start()] + figure + plain[last.end() :]
        like = (
            len(figure) >= len(last[0]) - 1 if " " in value or "$" in value else len(figure) == len(last[0])
        )
        if other == value or not like or not low <= float(figure) <= high or not turns(other):
            continue
        if other not in avoid:
            return other
        again = other
    return again


def _other_term(
    value: str, avoid: Collection[str], rng: Random, turns: Callable[[str], bool], among: Collection[int]
) -> str | None:
    unit = value.partition(" ")[2]
    others = [f"{one} {unit}" for one in rng.sample(sorted(among), len(among))]
    fit = [one for one in dict.fromkeys(others) if one != value and turns(one)]
    return next((one for one in fit if one not in avoid), fit[0] if fit else None)


def _figure_like(moved: float, digits: int, rng: Random) -> str:
    """Write a figure so that its last digits reveal nothing. Cents are as prices have them, and a decimal is not zero."""
    if digits == 2:
        return f"{int(moved)}.{rng.choice(CENTS)}"
    return never_round(moved) if digits == 1 else str(max(1, round(moved)))


def never_round(amount: float) -> str:
    """Write an amount with one decimal, as facts have them, and never a zero there."""
    figure = f"{amount:.1f}"
    if not figure.endswith(".0"):
        return figure
    return f"{amount + (0.1 if amount >= float(figure) or amount < 1 else -0.1):.1f}"
