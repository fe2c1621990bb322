"""When a figure of a claim holds beside one of its evidence: the same value after units and rounding, or within what it is said to be."""

from __future__ import annotations

from drr.wording.amounts import Amount
from drr.wording.tolerance import HEDGED

_FAR = 1.6
"""How far above `more than five` a value may lie that one would still tell so."""
_ALONE = frozenset(("money", "share", "year", "day", "clock", "times"))
"""Kinds that a bare count is never of."""


def holds(claimed: Amount, stated: Amount) -> bool:
    """Whether who reads the stated figure may tell it as the claimed one."""
    if stated.kind == "times" and claimed.kind == "share":
        stated = stated._replace(kind="share", value=100 * stated.value, base=100 * stated.base)
    if not _alike(claimed, stated):
        return False
    measured = claimed.kind == stated.kind and claimed.base != claimed.value and claimed.value
    known = stated.base * claimed.value / claimed.base if measured else stated.value
    if claimed.kind == stated.kind and not measured and stated.base != stated.value:
        known = stated.base
    same = abs(claimed.value - known) <= _slack(claimed, stated, known) + 1e-9 * max(1.0, abs(known))
    if claimed.bound == "over":
        return same or claimed.value < known <= _FAR * claimed.value
    if claimed.bound == "under":
        return same or claimed.value / _FAR <= known < claimed.value
    return same


def _alike(claimed: Amount, stated: Amount) -> bool:
    """Of kinds that may be compared; a bare figure is of any measure, `1998` may be a count."""
    if claimed.kind == stated.kind:
        return claimed.kind != "money" or not (claimed.unit and stated.unit and claimed.unit != stated.unit)
    if {claimed.kind, stated.kind} == {None, "year"}:
        return True
    return None in (claimed.kind, stated.kind) and not _ALONE & {claimed.kind, stated.kind}


def _slack(claimed: Amount, stated: Amount, known: float) -> float:
    """Half of the last place shown, where the other can have been rounded to it; a share of it where it is hedged."""
    rounded = 0.5 * 10.0**-claimed.decimals
    if claimed.bound:
        return max(HEDGED * abs(known), rounded if claimed.decimals < 0 else 0.0)
    if claimed.unit == "part" or stated.unit == "part":
        return 0.5
    converted = claimed.unit != stated.unit and claimed.kind == stated.kind and claimed.kind not in _ALONE
    if claimed.decimals < 0 or stated.decimals > claimed.decimals or converted:
        return min(rounded, HEDGED * abs(known))
    return 0.0
