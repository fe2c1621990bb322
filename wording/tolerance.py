"""The tolerance between two values: up to the rounding that a figure shows, and further where it is hedged."""

from __future__ import annotations

from drr.wording.figures import Number

HEDGED = 0.05
"""Share by which a figure said to be near may be off."""
STARS = 0.0501
"""Stars are shown with one decimal."""
_CONVERTED = 0.02
"""Share by which a unit's factor may be off; 5 of one unit are not 5 of another."""
_EXACT = 1e-9


def money_slack(*, whole: bool) -> float:
    """Half of the last place: a dollar's where no cents are written, else a cent's."""
    return (0.5 if whole else 0.005) + 1e-6


def same_stars(said: float, known: float) -> bool:
    return abs(said - known) <= STARS


def same_number(claimed: Number, stated: Number) -> bool:
    """Compare up to the rounding that the claim shows. A hedged number may be 5 % off; units must be of one kind, if both have one."""
    if claimed.kind != stated.kind and (
        None not in (claimed.kind, stated.kind) or "money" in (claimed.kind, stated.kind)
    ):
        return False
    known = stated.value
    if claimed.kind is not None and stated.kind is not None:
        if claimed.value == stated.value and abs(claimed.base - stated.base) > _CONVERTED * abs(stated.base):
            return False
        known = stated.base * claimed.value / claimed.base if claimed.value else stated.base
    slack = _slack(claimed, stated)
    if claimed.hedged:
        slack = max(slack, HEDGED * abs(known))
    return abs(claimed.value - known) <= slack + _EXACT


def _slack(claimed: Number, stated: Number) -> float:
    """Allow half of the last place shown, where the other figure can have been rounded to it. A bare count is exact."""
    if claimed.kind == "money":
        return money_slack(whole=not claimed.decimals)
    if claimed.kind is None and not claimed.decimals:
        return 0.0
    converted = claimed.kind is not None and claimed.value != stated.value
    return 0.5 * 10**-claimed.decimals if converted or stated.decimals > claimed.decimals else 0.0
