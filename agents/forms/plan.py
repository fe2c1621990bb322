"""The lines of a plan. How often each thing is bought, its cost by the record, and how that keeps to the question's limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property

from drr.agents.forms import names
from drr.agents.forms.form import PlanLine
from drr.agents.forms.limits import CostLimits
from drr.agents.forms.numbering import Numbering
from drr.agents.forms.passages import KnownProduct, Passages
from drr.agents.forms.placeholders import MOST, cost
from drr.agents.forms.plain import plain
from drr.env.text import tokens
from drr.wording.money import money

_LINES = 60


@dataclass
class BuyingPlan:
    limits: CostLimits
    lines: dict[str, tuple[KnownProduct, int]] = field(default_factory=dict)
    """By product, each once."""
    faults: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, written: Sequence[PlanLine], passages: Passages, limits: CostLimits) -> BuyingPlan:
        plan = cls(limits)
        for line in written[:_LINES]:
            product = passages.product(line.product_id)
            if product is None:
                plan.faults.append(f"plan: no tool showed a product {plain(line.product_id, 40)!r}")
            elif not 1 <= line.quantity <= MOST:
                plan.faults.append(
                    f"plan: {line.quantity} times {product.product_id}; a quantity is 1 to {MOST}"
                )
            else:
                many = plan.lines.get(product.product_id, (product, 0))[1] + line.quantity
                plan.lines[product.product_id] = product, min(many, MOST)
        plan.faults += plan._broken()
        if not plan.lines and limits.total is not None and passages.products:
            plan.faults.append("plan: the question sets a limit on the cost; give what to buy")
        return plan

    @cached_property
    def total(self) -> Decimal:
        """Sum the known prices."""
        return cost(list(self.lines.values()))

    @property
    def is_priced(self) -> bool:
        return all(product.price is not None for product, _ in self.lines.values())

    def _broken(self) -> Iterator[str]:
        """Yield what the question rules out, with the numbers."""
        limit, floor = self.limits.total, self.limits.floor
        if limit is not None and self.total > limit:
            yield f"plan: it costs {money(self.total)}, {money(self.total - limit)} over the limit of {money(limit)}"
        if floor is not None and self.lines and self.is_priced and self.total < floor:
            yield f"plan: it costs {money(self.total)}, less than the {money(floor)} that the question wants spent"
        for product, _ in self.lines.values():
            if (why := self.limits.outside(product)) is not None:
                yield f"plan: {product.product_id} at {names.price(product)} is {why}"
            for word in self.limits.demands.exclusions:
                if tokens(word) and set(tokens(word)) <= set(tokens(product.title)):
                    yield f"plan: {product.product_id} is {word!r} by its title, which the question rules out"

    def section(self, numbering: Numbering, named: Sequence[KnownProduct]) -> str:
        """The table with its total and how that keeps to the limit. Where nothing is to be bought, what the first of what is named leaves."""
        if not self.lines:
            alone = self._alone(numbering, named)
            return f"## What it costs\n\nThere is no list of what to buy. {alone}" if alone else ""
        head = "| Item | Unit price | Quantity | Cost |\n| --- | --- | --- | --- |"
        rows = [self._row(product, many, numbering) for product, many in self.lines.values()]
        if any(one.price is not None for one, _ in self.lines.values()):
            label = "Total" if self.is_priced else "Total of the known prices"
            rows.append(f"| **{label}** | | | **{money(self.total)}** |")
        unknown = [names.short_title(one) for one, _ in self.lines.values() if one.price is None]
        below = f"The price of {' and of '.join(unknown)} is unknown." if unknown else self._verdict()
        parts = ["\n".join([head, *rows]), below, "" if self.total else self._alone(numbering, named)]
        limit = self.limits.total
        over = ": over your limit" if limit is not None and self.total > limit else ""
        return f"## What it costs{over}\n\n" + "\n\n".join(part for part in parts if part)

    def _alone(self, numbering: Numbering, named: Sequence[KnownProduct]) -> str:
        """Say, where there is no total, what the first of what is named leaves of the limit."""
        limit = self.limits.total
        for one in named:
            if limit is not None and one.price is not None and one.price <= limit:
                mark = numbering.mark(one.url, names.title(one))
                return (
                    f"{names.short_title(one)} at {names.price(one)} {mark} alone leaves {money(limit - one.price)}"
                    f" of your limit of {money(limit)}."
                )
        return ""

    def _row(self, product: KnownProduct, many: int, numbering: Numbering) -> str:
        cost = _cost(product, many)
        mark = numbering.mark(product.url, names.title(product))
        return (
            f"| {names.short_title(product)} {mark} | {names.price(product, 'unknown')} | {many}"
            f" | {'unknown' if cost is None else money(cost)} |"
        )

    def _verdict(self) -> str:
        limit = self.limits.total
        if limit is None:
            return ""
        if self.total > limit:
            return f"The total of {money(self.total)} is over your limit of {money(limit)}."
        return f"The total of {money(self.total)} keeps within your limit of {money(limit)}."


def _cost(product: KnownProduct, many: int) -> Decimal | None:
    return None if product.price is None else product.price * many
