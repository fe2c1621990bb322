"""The policies of shops that could exist. A shop has one house's policy, whole, with its earlier editions; the content hash of the shop draws it."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any

from drr.wording.currency import DOLLARS, Currency
from drr.wording.dates import day_words
from pydantic import BaseModel, ConfigDict

_GROUPED = ("shorter", "hygiene", "fee", "final")
_CLAUSES = ("window", "hygiene", "final", "fee", "faulty", "sent", "voucher", "exchange", "promise")


class ShopPolicy(BaseModel):
    """One edition of a shop's policy: its words, and the figures and kinds of goods behind them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    type: str
    since: date
    days: int
    """Days within which goods come back; `short` for the kinds of `shorter`."""
    short: int
    percent: int = 0
    """Share of the price that is kept for the kinds of `fee`."""
    least: float
    """Least amount of goods for which a voucher counts, in dollars."""
    shorter: list[str]
    hygiene: list[str]
    """Kinds that do not come back once opened; those of `final` never do. Neither holds for faulty goods."""
    fee: list[str]
    final: list[str]
    clauses: dict[str, str]
    """The words of each clause on the shop's page, by its name; `staff` has those for its staff alone."""
    staff: dict[str, str]
    asking: int = 3
    quantity: int = 5
    """Most kinds of things in one question, and most pieces of a product that anybody wants."""

    @property
    def page(self) -> str:
        """Return the policy as it stands on the shop's page, a clause a line."""
        since = f"It holds for all that is asked of us from {day_words(self.since.isoformat())} on. Earlier editions no longer hold."
        return "\n".join([since, "", *(f"- {name}: {text}" for name, text in self.clauses.items())])

    @property
    def handbook(self) -> str:
        """Return the policy with the lines for the shop's staff."""
        return "\n".join([self.page, *(f"- {name}: {text}" for name, text in self.staff.items())])

    def days_for(self, kind: str) -> int:
        """Return the days within which goods of a kind come back."""
        return self.short if kind in self.shorter else self.days

    @property
    def title(self) -> str:
        return f"Returns, orders and vouchers, edition of {day_words(self.since.isoformat())}"


@cache
def _tables() -> Mapping[str, Any]:
    return tomllib.loads((files("drr.env.service") / "policies.toml").read_text(encoding="utf-8"))


def categories_of(shop_type: str) -> list[str]:
    """Return the categories that a type of shop sells, or an empty list for an unknown type."""
    return list(_tables()["types"].get(shop_type, ()))


def type_of(categories: Collection[str]) -> str:
    """Return the type of shop with the fewest categories beside these."""
    types = _tables()["types"]
    able = [name for name in types if set(categories) <= set(types[name])]
    return min(able, key=lambda name: len(types[name]), default="general")


def houses() -> Iterator[list[ShopPolicy]]:
    """Yield the policies of each house, the oldest edition first."""
    for house in _tables()["house"]:
        yield [_edition(house, own) for own in house["editions"]]


def editions_of(
    shop: str, categories: Collection[str], today: date, currency: Currency = DOLLARS
) -> list[ShopPolicy]:
    """Draw the policy of a shop by its content hash. Return its editions; the last is in force."""
    rng, wanted = Random(f"policy:{shop}"), type_of(categories)
    house = rng.choice([one for one in _tables()["house"] if one["type"] == wanted])
    dated = [one for one in house["editions"] if one["from"] <= today] or house["editions"][:1]
    return [_edition(house, own, currency) for own in dated[: rng.randint(1, len(dated))]]


def _edition(house: Mapping[str, Any], own: Mapping[str, Any], currency: Currency = DOLLARS) -> ShopPolicy:
    groups = _tables()["groups"]
    shown = {name: _listed([groups[one][0] for one in house[name]]) for name in _GROUPED}
    shown |= {name: str(value) for name, value in own.items()} | {"least": currency.text(own["least"])}
    forms = {name: house.get(name if name not in _GROUPED else f"{name}_text", "") for name in _CLAUSES}
    clauses = {name: form.format_map(shown) for name, form in forms.items() if form}
    clauses = {name: text[0].upper() + text[1:] for name, text in clauses.items()}
    kinds = {name: [kind for one in house[name] for kind in groups[one][1:]] for name in _GROUPED}
    figures = {name: own[name] for name in ("days", "short", "percent", "least") if name in own}
    return ShopPolicy(
        type=house["type"],
        since=own["from"],
        clauses={**clauses, **_tables()["common"]},
        staff=_tables()["staff"],
        **figures,
        **kinds,
    )


def _listed(words: Sequence[str]) -> str:
    *first, last = ", ".join(words).split(", ")
    return f"{', '.join(first)} and {last}" if first else last
