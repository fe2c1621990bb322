"""Bounds of the numbers that a trace or a report of another system may tell, and the one reader of them."""

from __future__ import annotations

from typing import Any

from drr.wording.excerpt import excerpt

TOKENS = 10**9
DOLLARS = 10**6
SECONDS = 10**7
TRIALS = 10**9
NANOSECONDS = 4_102_444_800 * 10**9
"""The year 2100, in nanoseconds since 1970."""


def sane(name: str, value: Any, most: int, *, whole: bool = True) -> int | float | None:
    """Return a number from 0 to `most`, or `None` for none. Raises `ValueError` with the name for anything else."""
    if value is None:
        return None
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= most or (whole and value != int(value)):
        kind = "whole number" if whole else "number"
        raise ValueError(f"{name} is {excerpt(repr(value), 40)}, no {kind} from 0 to {most:,}")
    return int(value) if whole else value
