"""Fields of a question by which figures are grouped."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence

from drr.env.checkable import ShoppingNeed
from drr.env.errors import Misuse
from drr.env.query import Query

ORDERS = "user:orders"
_BANDS = (0, 1, 5, 10, 20, 50)


def _kind(asked: Query) -> list[str]:
    if asked.intent:
        return [asked.intent]
    truth = asked.checkable
    parts = {"picks": truth.needs, "figures": truth.facts, "points": truth.points} if truth else {}
    return [" and ".join(name for name, some in parts.items() if some)] if any(parts.values()) else []


def _constraints(asked: Query) -> list[str]:
    stated = asked.constraints.model_dump(exclude_defaults=True) if asked.constraints else {}
    truth = asked.checkable
    kinds = [one.kind for need in truth.needs for one in need.constraints] if truth else []
    return [*stated, *kinds, *(["budget"] if truth and truth.budget is not None else [])]


FIELDS: Mapping[str, Callable[[Query], Iterable[str]]] = {
    "kind": _kind,
    "category": lambda asked: [need.category[0] for need in _needs(asked) if need.category],
    "mode": lambda asked: [asked.mode] if asked.mode else [],
    "level": lambda asked: [str(asked.checkable.level)] if asked.checkable and asked.checkable.level else [],
    "language": lambda asked: [asked.language or "en"],
    "constraint": _constraints,
}
"""Fields of a question that group it. A question may belong to several groups of a field."""


def _needs(asked: Query) -> Sequence[ShoppingNeed]:
    return asked.checkable.needs if asked.checkable else ()


FIELD_NAMES = ", ".join([*FIELDS, ORDERS])


def check_field(name: str) -> str:
    """Return the name of a field; raise `Misuse` if there is none of that name."""
    if name not in (*FIELDS, ORDERS):
        raise Misuse(f"--by {name}: no such field; there are {FIELD_NAMES}")
    return name


def order_band(count: int) -> str:
    """Return the band that holds a number of orders, such as `5-9`."""
    place = bisect_right(_BANDS, count)
    low = _BANDS[place - 1]
    if place == len(_BANDS):
        return f"{low} or more"
    return str(low) if _BANDS[place] == low + 1 else f"{low}-{_BANDS[place] - 1}"
