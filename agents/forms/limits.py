"""The limits of a question's cost, and what keeps to them: decided by code, so that no sentence says otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from drr.agents.forms.passages import KnownProduct
from drr.env.query import Constraints
from drr.wording.money import money
from drr.wording.verdicts import VERDICTS


@dataclass(frozen=True)
class CostLimits:
    demands: Constraints

    @cached_property
    def total(self) -> Decimal | None:
        """The most that everything may cost: as said, or so many months at so much."""
        if self.demands.total_max is None and self.demands.month_max is not None:
            return _cents(self.demands.month_max * (self.demands.months or 1))
        return _cents(self.demands.total_max)

    @cached_property
    def floor(self) -> Decimal | None:
        return _cents(self.demands.total_min)

    @cached_property
    def item(self) -> Decimal | None:
        """The most that one thing may cost."""
        return _cents(self.demands.item_max)

    def outside(self, product: KnownProduct) -> str | None:
        """Return the limit that a product by itself exceeds."""
        least = _cents(self.demands.item_min)
        if product.price is None:
            return None
        if self.item is not None and product.price > self.item:
            return f"over your limit of {money(self.item)} for one thing"
        if least is not None and product.price < least:
            return f"below your minimum of {money(least)} for one thing"
        if self.total is not None and product.price > self.total:
            return f"over your limit of {money(self.total)}"
        return None

    def misjudged(self, text: str, costs: Sequence[Decimal | None], *, together: bool) -> bool:
        """Tell whether a sentence gives a verdict on a limit for what costs so much that nobody can see it hold.

        `together`: what is bought in one, which a limit on one thing says nothing of.
        """
        limits = [limit for limit in (self.total, self.item) if limit is not None]
        if len(limits) != 1:
            return False
        verdict = VERDICTS.verdict(text, float(limits[0]))
        if verdict not in ("fits", "breaks"):
            return False
        over = [cost > limits[0] for cost in costs if cost is not None]
        if not over or len(over) < len(costs) or (together and self.total is None):
            return True
        return any(over) if verdict == "fits" else not all(over)


def _cents(value: float | None) -> Decimal | None:
    return None if value is None else Decimal(str(value)).quantize(Decimal("0.01"))
