"""What else was bought: the lines of a receipt around the one that matters, and their sums."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from drr.filetasks.case import TaskCase
from drr.filetasks.drawer.brief import FileBrief
from drr.filetasks.planning.scene import capital, dollars

_SUNDRIES = (
    ("AA batteries, pack of 8", 7.45), ("Kitchen twine", 3.15), ("Gift bag, medium", 2.75), ("Dish sponge, 3 pack", 4.05),
    ("Extension cord, 6 ft", 9.35), ("Felt pads, 24 pcs", 4.85), ("Microfiber cloth", 3.65), ("Picture hooks, 10 pcs", 3.35),
    ("Packing tape", 5.15), ("Light bulb 60 W eq.", 6.25), ("Storage bags, 20 ct", 5.55), ("Tealights, 30 ct", 4.35),
    ("Wall plugs, 50 pcs", 6.65), ("Bottle brush", 4.15), ("Jar labels, 40 ct", 3.85), ("Cable ties, 100 pcs", 5.75),
)  # fmt: skip
TAX = 0.0625


class SaleLine(NamedTuple):
    text: str
    quantity: int
    each: float
    own: bool = False

    @property
    def total(self) -> float:
        return self.quantity * self.each


class Sale(NamedTuple):
    lines: list[SaleLine]

    @property
    def net(self) -> float:
        return sum(line.total for line in self.lines)

    @property
    def tax(self) -> float:
        return round(self.net * TAX, 2)

    @property
    def total(self) -> float:
        return self.net + self.tax


def sale_of(brief: FileBrief, others: tuple[int, ...] = (1, 2, 3, 4)) -> Sale:
    case, rng = brief.case, brief.rng
    own = SaleLine(f"{capital(case.thing.name)} {case.thing.model}", 1, dollars(case.paid), own=True)
    lines = [
        SaleLine(text, rng.choice((1, 1, 1, 2)), price)
        for text, price in rng.sample(_SUNDRIES, rng.choice(others))
    ]
    lines.insert(rng.randrange(len(lines) + 1), own)
    return Sale(lines)


def money(amount: float) -> str:
    return f"${amount:,.2f}"


def street(rng: Random) -> str:
    """Of a shop that is invented."""
    road = rng.choice(("Alder", "Station", "Mill", "Front", "Quarry", "Harvest", "Canal", "Prospect"))
    return f"{rng.randrange(12, 989)} {road} {rng.choice(('Street', 'Road', 'Avenue', 'Lane'))}"


def mail_domain(case: TaskCase) -> str:
    return "".join(c for c in case.seller.lower() if c.isascii() and c.isalnum()) + ".example"
