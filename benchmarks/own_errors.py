"""Errors made of what is said rightly of own orders: another count, another day, another span, as writers of errors make them."""

from __future__ import annotations

import calendar
import random

from drr.eval.checks.considered.own_said import COUNTED, LENGTHS, OwnFigure
from drr.wording.dates import DayOfYear, When

_STEPS = (-1, 1, -1, 1, -1, 1, -2, 2, 2, -2, 2, 2, -3, 3, 4, 5)
_TIMES = (0.5, 0.6, 0.7, 1.3, 1.5, 1.7, 2.0)
_SHARES = (2, 4, 6, 8, 10, 10, 12, 15, 20)
_FRACTIONS = (50.0, 100 / 3, 25.0, 200 / 3, 75.0, 20.0, 40.0, 60.0)
_STATES = ("Delivered", "Shipped", "Processing", "Cancelled", "Returned")
_PARTS = {
    "day": ("d", "d", "m", "m", "y", "y", "my", "md"),
    "month": ("m", "m", "y", "y", "y", "my"),
    "year": ("y",),
}
_YEARS, _DAYS = (-3, -2, -2, -1, -1, 1, 1, 2, 2, 3), (1, 2, 3, 5, 7, 10, 10, 14, 20)
_STEPPED = 0.8
_LARGE, _TRIES = 30, 20
_LAST_YEAR = 2023


def altered(said: OwnFigure, chance: random.Random) -> OwnFigure | None:
    """The same thing with another value; `None` where none was found."""
    if said.kind in (*COUNTED, "nth"):
        return _counted(said, chance)
    if isinstance(said.when, When):
        return _dated(said, said.when, chance)
    if isinstance(said.when, DayOfYear):
        month, day = said.when.month, said.when.day
        if chance.random() < 0.5:
            month = _other(month, 12, chance)
        else:
            day = (day - 1 + chance.choice(_DAYS)) % 28 + 1
        when = DayOfYear(month, day, said.when.start, said.when.end)
        return said._replace(value=float(month), when=when)
    if said.kind == "bare_month":
        return said._replace(value=float(_other(int(said.value), 12, chance)))
    if said.kind == "weekday":
        return said._replace(value=float(_other(int(said.value) + 1, 7, chance) - 1))
    if said.kind == "state":
        return said._replace(unit=chance.choice([one for one in _STATES if one != said.unit]))
    return _long(said, chance) if said.kind == "span" else _part(said, chance)


def _other(one: int, most: int, chance: random.Random) -> int:
    return (one - 1 + chance.randint(1, most - 1)) % most + 1


def _counted(said: OwnFigure, chance: random.Random) -> OwnFigure | None:
    least = 1 if said.kind == "times" else 2
    for _ in range(_TRIES):
        if said.value > _LARGE:
            part = chance.choice((0.03, 0.1, 0.2, 0.3, 0.5))
            value = said.value + chance.choice((-1, 1)) * max(1, round(said.value * part))
        elif chance.random() < _STEPPED:
            value = said.value + chance.choice(_STEPS)
        else:
            value = float(round(said.value * chance.choice(_TIMES)))
        if value >= least and value != said.value:
            return said._replace(value=float(value))
    return None


def _dated(said: OwnFigure, when: When, chance: random.Random) -> OwnFigure | None:
    year, month, day = when.year, when.month, when.day
    parts = chance.choice(_PARTS[said.kind])
    if "y" in parts:
        year += chance.choice(_YEARS)
        year = year if year <= _LAST_YEAR else when.year - chance.choice((1, 2, 3))
    if "m" in parts and month is not None:
        month = _other(month, 12, chance)
    if "d" in parts and day is not None:
        day = (day - 1 + chance.choice(_DAYS)) % 28 + 1
    if month is not None and day is not None:
        day = min(day, calendar.monthrange(year, month)[1])
    if (year, month, day) == (when.year, when.month, when.day):
        return None
    return said._replace(value=float(year), when=When(year, month, day, when.start, when.end))


def _long(said: OwnFigure, chance: random.Random) -> OwnFigure | None:
    if chance.random() < 1 - _STEPPED:
        return said._replace(unit=chance.choice([one for one in LENGTHS if one != said.unit]))
    step = chance.choice((-3, -2, -1, 1, 2, 3))
    value = (
        said.value + step
        if chance.random() < 0.6
        else float(round(said.value * chance.choice((0.5, 0.6, 1.4, 1.5, 2, 3))))
    )
    return said._replace(value=value) if value >= 1 and value != said.value else None


def _part(said: OwnFigure, chance: random.Random) -> OwnFigure:
    if said.unit == "fraction":
        return said._replace(value=chance.choice([one for one in _FRACTIONS if abs(one - said.value) > 3]))
    value = said.value + chance.choice((-1, 1)) * chance.choice(_SHARES)
    return said._replace(value=value if 0 < value <= 100 else said.value / 2)
