"""What the things that one sentence names cost together: an amount of it that is no one's price may be that."""

from __future__ import annotations

from itertools import combinations

from drr.eval.checks.cast import Cast
from drr.eval.checks.money.figures import Figure

_FEW = 5
"""Things that one sentence adds up."""


def together(figure: Figure, cast: Cast) -> str | None:
    """Which sum of named things an amount is; of two things of one price too."""
    named = dict.fromkeys(key for one in cast.within(*figure.sentence) for key in sorted(one.products))
    known = (cast.products.get(key) for key in named)
    prices = [one.price for one in known if one is not None and one.price is not None]
    if len(prices) < 2 or not figure.exact:
        return None
    sums = (sum(some) for size in range(2, _FEW + 1) for some in combinations(prices[:_FEW], size))
    return "what its sentence names together" if any(figure.holds(one) for one in sums) else None
