"""The sales tax that a paper of a purchase prints. It is that of the shopper's state in the year of the purchase."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path


def sales_tax(state: str | None, year: int) -> float:
    """Return the sales tax in percent. It is 0 where the state takes none, or none is known, so that a paper prints no tax."""
    rates = _rates().get(state or "", ())
    rate = rates[0][1] if rates else 0.0
    for since, percent in rates:
        rate = percent if since <= year else rate
    return rate


@cache
def _rates() -> dict[str, list[tuple[int, float]]]:
    with (Path(__file__).parent / "taxes.toml").open("rb") as file:
        return {
            state: [(int(since), float(rate)) for since, rate in rows]
            for state, rows in tomllib.load(file).items()
        }
