"""Draws the policy of a made shop. It has the terms of one house, in one voice and in dated editions."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any, NamedTuple

from drr.wording.currency import DOLLARS
from drr.wording.dates import day_words

_OF_GOODS = ("hygiene", "fee", "final")
"""Clauses that stand only where they have goods."""
_OPTIONAL = ("condition", "proof", "shipping", "refund")
"""Clauses of which a shop may leave two out."""


class PolicyEdition(NamedTuple):
    """One edition of a shop's policy."""

    since: date
    title: str
    page: str
    """The policy as it stands on the shop's page, a clause a line."""


@cache
def _tables() -> Mapping[str, Any]:
    return tomllib.loads((files("drr.data_ingest") / "shop_policy.toml").read_text(encoding="utf-8"))


def categories_of(shop_type: str) -> list[str]:
    """Return the categories that a type of shop sells, or an empty list for an unknown type."""
    return list(_tables()["types"].get(shop_type, ()))


def editions_of(shop: str, shop_type: str, today: date) -> list[PolicyEdition]:
    """Draw the policy of a shop by its content hash. Return its editions; the last is in force."""
    rng = Random(f"policy:{shop}")
    house = rng.choice([one for one in _tables()["house"] if one["type"] == shop_type])
    voice = rng.choice(_tables()["voice"])
    dated = sum(since <= today for since, *_ in house["editions"]) or 1
    return [_edition(house, voice, at) for at in range(rng.randint(1, dated))]


def _edition(house: Mapping[str, Any], voice: Mapping[str, str], at: int) -> PolicyEdition:
    groups, goods = _tables()["groups"], house["goods"]
    words = {name: _listed([groups[one] for one in own]) for name, own in goods.items()}
    (since, days, short, percent, least), *before = house["editions"][max(at - 1, 0) : at + 1][::-1]
    _, old_days, old_short, old_percent, _ = before[0] if before else house["editions"][at]
    facts = {
        **words,
        "days": days,
        "short": short,
        "percent": percent,
        "promise": house["promise"],
        "old_days": old_days,
        "old_short": old_short,
        "old_percent": old_percent,
        "least": DOLLARS.text(least).removesuffix(".00"),
        "since": day_words(since.isoformat()),
    }

    def written(*names: str) -> str:
        why = house.get("why", {}).get(names[0])
        text = " ".join([*(voice[name].format_map(facts) for name in names), *([why] if why else [])])
        return f"{text[0].upper()}{text[1:]}"

    rng = Random(f"{house['editions']}{voice['window']}")
    left_out = {*rng.sample(_OPTIONAL, rng.randint(0, 2)), "earlier", "earlier_fee"}
    names = [name for name in voice if name not in left_out and (name not in _OF_GOODS or goods[name])]
    clauses = {name: written(name) for name in names}
    has_other_fee = bool(goods["fee"]) and percent != old_percent
    if (days, short) != (old_days, old_short) or has_other_fee:
        clauses["earlier"] = written("earlier", *["earlier_fee"] * has_other_fee)
    holds = "This policy applies to all orders."
    if before:
        holds = f"This policy applies to orders placed on or after {facts['since']}. Earlier orders are covered by the policy that was in effect when they were placed."
    page = "\n".join([holds, "", *(f"- {name}: {text}" for name, text in clauses.items())])
    return PolicyEdition(since, f"Returns, orders and vouchers: our policy as of {facts['since']}", page)


def _listed(words: Sequence[str]) -> str:
    *first, last = ", ".join(words).split(", ")
    return f"{', '.join(first)} and {last}" if first else last
