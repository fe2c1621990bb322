"""The sale: the lines of a receipt around the one that matters, their sums and the tax of that year."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

from drr.papers.dr3.case import TaskCase
from drr.papers.dr3.drawer.brief import FileBrief, phrases
from drr.papers.dr3.planning.scene import capital, dollars


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


SUNDRIES: list[tuple[str, float]] = [(text, price) for text, price in phrases("sundries")]


_PRICED = 2016
"""The year of these prices."""


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
    percent: float
    """Percent of tax."""

    @property
    def net(self) -> float:
        return sum(line.total for line in self.lines)

    @property
    def tax(self) -> float:
        return round(self.net * self.percent / 100, 2)

    @property
    def total(self) -> float:
        return self.net + self.tax

    @property
    def sums(self) -> list[tuple[str, float]]:
        """List the sums as they are printed below the lines; where no tax is taken there is one."""
        taxed = [("Subtotal", self.net), (f"Tax {self.percent:g}%", self.tax)] if self.percent else []
        return [*taxed, ("Total", self.total)]


class SaleShop(NamedTuple):
    """The shop of the purchase, the same on every paper of it."""

    street: str
    store: str
    number: str
    """Number of the sale."""
    register: str
    card: str


def _of_sale(case: TaskCase) -> Random:
    """All papers of one purchase draw from the same seed, whichever of them a drawer has."""
    return Random(f"{case.seed}/{case.task_id}/{case.user_id}/sale")


def sale_of(brief: FileBrief) -> Sale:
    """Make the sale, with nothing else on it where a list of all orders is there too. Anything else would have to be in that list."""
    case, rng = brief.case, _of_sale(brief.case)
    own = SaleLine(f"{capital(case.thing.name)} {case.thing.model}", 1, dollars(case.paid), own=True)
    taken = {fact.value for fact in case.facts}
    free = [one for one in SUNDRIES if money(one[1]) not in taken]
    count = rng.choice((1, 2, 3, 4))
    if any(file.form == "order_history" for file in case.files):
        count = 0
    lines = [
        SaleLine(text, rng.choice((1, 1, 1, 2)), _at_the_time(price, case.bought.year))
        for text, price in rng.sample(free, count)
    ]
    lines.insert(rng.randrange(len(lines) + 1), own)
    return Sale(lines, sales_tax(case.state, case.bought.year))


def _at_the_time(price: float, year: int) -> float:
    """Prices rise by some two percent a year, and end as before."""
    return max(0.95, round(price * 1.02 ** (year - _PRICED) * 10) / 10 - 0.05)


def shop_of(brief: FileBrief) -> SaleShop:
    rng = Random(f"{_of_sale(brief.case).random()}/shop")
    digits = [str(rng.randrange(10)) for _ in range(12)]
    return SaleShop(
        street=_street(rng),
        store="".join(digits[:3]),
        number=f"{rng.choice('ABRS')}{''.join(digits[3:9])}",
        register=f"{rng.randrange(1, 9):02d}",
        card="".join(digits[8:12]),
    )


def money(amount: float) -> str:
    return f"${amount:,.2f}"


def _street(rng: Random) -> str:
    road = rng.choice(("Alder", "Station", "Mill", "Front", "Quarry", "Harvest", "Canal", "Prospect"))
    return f"{rng.randrange(12, 989)} {road} {rng.choice(('Street', 'Road', 'Avenue', 'Lane'))}"


def mail_domain(case: TaskCase) -> str:
    return "".join(c for c in case.seller.lower() if c.isascii() and c.isalnum()) + ".example"
