"""The policies of shops that could exist. A shop has the terms of one house, whole, in one voice and in dated editions; the content hash of the shop draws them."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from importlib.resources import files
from itertools import product
from random import Random
from typing import Any

from drr.wording.currency import DOLLARS, Currency
from drr.wording.dates import day_words
from pydantic import BaseModel, ConfigDict

_GROUPED = ("shorter", "hygiene", "fee", "final")
_OF_GOODS = _GROUPED[1:]
"""Clauses that stand only where they have goods."""
_OPTIONAL = ("condition", "proof", "shipping", "refund")
"""Clauses of which a shop may leave two out."""


class ReturnTerms(BaseModel):
    """The figures that hold for orders from a day on."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    since: date
    days: int
    """Days within which goods come back; `short` for the kinds of `shorter`."""
    short: int
    percent: int
    """Share of the price that is kept for the kinds of `fee`."""


class ShopPolicy(BaseModel):
    """One edition of a shop's policy: its words, and the figures and kinds of goods behind them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    type: str
    terms: list[ReturnTerms]
    """The figures of this edition, then those of the edition before, which earlier orders keep."""
    least: float
    """Least amount of goods for which a voucher counts, in dollars."""
    shorter: list[str]
    hygiene: list[str]
    """Kinds that do not come back once opened; those of `final` never do. Neither holds for faulty goods."""
    fee: list[str]
    final: list[str]
    promise: int
    """Days within which he gets the difference where a price drops."""
    clauses: dict[str, str]
    """The words of each clause on the shop's page, by its name; `staff` has those for its staff alone."""
    staff: dict[str, str]
    asking: int = 3
    quantity: int = 5
    """Most kinds of things in one question, and most pieces of a product that anybody wants."""

    @property
    def page(self) -> str:
        """Return the policy as it stands on the shop's page, a clause a line."""
        since = "This policy applies to all orders."
        if self.terms[1:]:
            since = f"This policy applies to orders placed on or after {_words(self.since)}. Earlier orders are covered by the policy that was in effect when they were placed."
        return "\n".join([since, "", *(f"- {name}: {text}" for name, text in self.clauses.items())])

    @property
    def handbook(self) -> str:
        """Return the policy with the lines for the shop's staff."""
        return "\n".join([self.page, *(f"- {name}: {text}" for name, text in self.staff.items())])

    @property
    def since(self) -> date:
        return self.terms[0].since

    def terms_of(self, ordered: date) -> ReturnTerms:
        """Return the figures that hold for an order of a day."""
        return next((one for one in self.terms if one.since <= ordered), self.terms[-1])

    def days_for(self, kind: str, ordered: date) -> int:
        """Return the days within which goods of a kind come back."""
        terms = self.terms_of(ordered)
        return terms.short if kind in self.shorter else terms.days

    @property
    def title(self) -> str:
        return f"Returns, orders and vouchers: our policy as of {_words(self.since)}"


def tables_text() -> str:
    """Return all that policies are drawn from."""
    return (files("drr.env.service") / "policies.toml").read_text(encoding="utf-8")


@cache
def _tables() -> Mapping[str, Any]:
    return tomllib.loads(tables_text())


def categories_of(shop_type: str) -> list[str]:
    """Return the categories that a type of shop sells, or an empty list for an unknown type."""
    return list(_tables()["types"].get(shop_type, ()))


def type_of(categories: Collection[str]) -> str:
    """Return the type of shop with the fewest categories beside these."""
    types = _tables()["types"]
    able = [name for name in types if set(categories) <= set(types[name])]
    return min(able, key=lambda name: len(types[name]), default="general")


def houses() -> Iterator[list[ShopPolicy]]:
    """Yield the policies of each house in each voice, the oldest edition first."""
    for house, voice in product(_tables()["house"], _tables()["voice"]):
        yield [_edition(house, voice, at) for at in range(len(house["editions"]))]


def editions_of(
    shop: str, categories: Collection[str], today: date, currency: Currency = DOLLARS
) -> list[ShopPolicy]:
    """Draw the policy of a shop by its content hash. Return its editions; the last is in force."""
    rng, wanted = Random(f"policy:{shop}"), type_of(categories)
    house = rng.choice([one for one in _tables()["house"] if one["type"] == wanted])
    voice = rng.choice(_tables()["voice"])
    dated = sum(since <= today for since, *_ in house["editions"]) or 1
    return [_edition(house, voice, at, currency) for at in range(rng.randint(1, dated))]


def _edition(
    house: Mapping[str, Any], voice: Mapping[str, str], at: int, currency: Currency = DOLLARS
) -> ShopPolicy:
    tables, goods = _tables(), house["goods"]
    words = {name: _listed([tables["groups"][one][0] for one in goods[name]]) for name in _GROUPED}
    kinds = {name: [kind for one in goods[name] for kind in tables["groups"][one][1:]] for name in _GROUPED}
    rows = house["editions"][max(at - 1, 0) : at + 1][::-1]
    terms = [ReturnTerms(since=own[0], days=own[1], short=own[2], percent=own[3]) for own in rows]
    least, (now, old) = rows[0][4], (terms[0], terms[-1])
    facts: dict[str, object] = {**words, "days": now.days, "short": now.short, "percent": now.percent}
    facts |= {"old_days": old.days, "old_short": old.short, "old_percent": old.percent}
    facts |= {
        "least": currency.text(least).removesuffix(".00"),
        "promise": house["promise"],
        "since": _words(now.since),
    }

    def written(*names: str) -> str:
        text = " ".join([*(voice[name].format_map(facts) for name in names), *_why(house, names[0])])
        return f"{text[0].upper()}{text[1:]}"

    rng = Random(f"{house['editions']}{voice['window']}")
    left_out = {*rng.sample(_OPTIONAL, rng.randint(0, 2)), "earlier", "earlier_fee"}
    names = [name for name in voice if name not in left_out and (name not in _OF_GOODS or kinds[name])]
    clauses = {name: written(name) for name in names}
    changed = [
        (now.days, now.short) != (old.days, old.short),
        bool(kinds["fee"]) and now.percent != old.percent,
    ]
    if any(changed):
        clauses["earlier"] = written("earlier", *["earlier_fee"] * changed[1])
    return ShopPolicy(
        **{name: house[name] for name in ("type", "promise")},
        **kinds,
        terms=terms,
        least=least,
        clauses=clauses,
        staff=tables["staff"],
    )


def _why(house: Mapping[str, Any], name: str) -> list[str]:
    return [house["why"][name]] if name in house.get("why", {}) else []


def _words(day: date) -> str:
    return day_words(day.isoformat())


def _listed(words: Sequence[str]) -> str:
    *first, last = ", ".join(words).split(", ")
    return f"{', '.join(first)} and {last}" if first else last
