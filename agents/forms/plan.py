"""The lines of a plan: what is bought how often, what it costs by the record, and how that keeps to the question's limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property

from drr.agents.forms import names
from drr.agents.forms.form import PlanLine
from drr.agents.forms.numbering import Numbering
from drr.agents.forms.passages import KnownProduct, Passages
from drr.agents.forms.plain import plain
from drr.agents.forms.said import MOST
from drr.env.query import Constraints
from drr.env.text import tokens
from drr.wording.money import money

_LINES = 60


def limit_of(demands: Constraints) -> Decimal | None:
    """The most that everything may cost: as said, or so many months at so much."""
    if demands.total_max is None and demands.month_max is not None:
        return _cents(demands.month_max * (demands.months or 1))
    return _cents(demands.total_max)


@dataclass
class BuyingPlan:
    demands: Constraints
    lines: dict[str, tuple[KnownProduct, int]] = field(default_factory=dict)
    """By product, each once."""
    faults: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, written: Sequence[PlanLine], passages: Passages, demands: Constraints) -> BuyingPlan:
        plan = cls(demands)
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
        if not plan.lines and limit_of(demands) is not None and passages.products:
            plan.faults.append("plan: the question sets a limit on the cost; give what to buy")
        return plan

    @cached_property
    def total(self) -> Decimal:
        """Of the known prices."""
        return sum((_cost(*line) or Decimal(0) for line in self.lines.values()), Decimal(0))

    @property
    def is_priced(self) -> bool:
        return all(product.price is not None for product, _ in self.lines.values())

    def _broken(self) -> Iterator[str]:
        """What the question rules out, with the numbers."""
        limit, floor = limit_of(self.demands), _cents(self.demands.total_min)
        if limit is not None and self.total > limit:
            yield f"plan: it costs {money(self.total)}, {money(self.total - limit)} over the limit of {money(limit)}"
        if floor is not None and self.lines and self.is_priced and self.total < floor:
            yield f"plan: it costs {money(self.total)}, less than the {money(floor)} that the question wants spent"
        for product, _ in self.lines.values():
            if (why := self.outside(product)) is not None:
                yield f"plan: {product.product_id} at {names.price(product)} is {why}"
            for word in self.demands.exclusions:
                if tokens(word) and set(tokens(word)) <= set(tokens(product.title)):
                    yield f"plan: {product.product_id} is {word!r} by its title, which the question rules out"

    def outside(self, product: KnownProduct) -> str | None:
        """In which limit on a single thing it is not."""
        most, least = _cents(self.demands.item_max), _cents(self.demands.item_min)
        if product.price is None:
            return None
        if most is not None and product.price > most:
            return f"over your limit of {money(most)} each"
        if least is not None and product.price < least:
            return f"below your minimum of {money(least)} each"
        limit = limit_of(self.demands)
        return f"over your limit of {money(limit)}" if limit is not None and product.price > limit else None

    def section(self, numbering: Numbering, named: Sequence[KnownProduct]) -> str:
        """The table with its total and how that keeps to the limit. Where nothing is to be bought, what the first of what is named leaves."""
        if not self.lines:
            return self._nothing(numbering, named)
        head = "| Item | Unit price | Quantity | Cost |\n| --- | --- | --- | --- |"
        rows = [self._row(product, many, numbering) for product, many in self.lines.values()]
        known = any(product.price is not None for product, _ in self.lines.values())
        parts = [f"{head}\n" + "\n".join(rows)]
        if known and self.is_priced:
            parts = [f"{parts[0]}\n| **Total** | | | **{money(self.total)}** |", self._verdict()]
        else:
            unknown = [names.short_title(one) for one, _ in self.lines.values() if one.price is None]
            parts.append(f"There is no total, because the price of {' and of '.join(unknown)} is unknown.")
        limit = limit_of(self.demands)
        over = ": over your limit" if limit is not None and self.total > limit else ""
        return f"## What it costs{over}\n\n" + "\n\n".join(part for part in parts if part)

    def _nothing(self, numbering: Numbering, named: Sequence[KnownProduct]) -> str:
        limit = limit_of(self.demands)
        for one in named:
            if limit is not None and one.price is not None and one.price <= limit:
                mark = numbering.mark(one.url, names.title(one))
                return (
                    "## What it costs\n\nThere is no list of what to buy. "
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
        limit = limit_of(self.demands)
        if limit is None:
            return ""
        if self.total > limit:
            return f"The total of {money(self.total)} is over your limit of {money(limit)}."
        return f"The total of {money(self.total)} keeps within your limit of {money(limit)}."


def _cost(product: KnownProduct, many: int) -> Decimal | None:
    return None if product.price is None else product.price * many


def _cents(value: float | None) -> Decimal | None:
    return None if value is None else Decimal(str(value)).quantize(Decimal("0.01"))
