"""Prints points on which records disagree, and the rules that say which one counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from drr.querygen.joined.specification import StatedPoint

_AS = {
    "sheet": "as the maker's newest data sheet has it",
    "newest": "as the newest record has it",
    "tested": "as a laboratory measured it",
    "sold": "as it was sold to me",
    "then": "as the maker's data sheet of that day had it",
}
_RULES = {
    "sheet": "Where no data sheet of the maker states a value, the details of the listing count.",
    "newest": "The newest record is the latest data sheet of the maker, or measurement of a laboratory, that states the value. Without one the details of the listing count.",
    "tested": "Only a laboratory on the web measures. A value that none measured cannot be told.",
    "sold": "A product was sold to me under the name that its order states. Where that name tells no such value, the newest data sheet of the maker counts, then the details of the listing.",
    "then": "Of the data sheets dated on the day of my order or before, the newest counts. If none states the value, it cannot be told.",
    "offers": "An offer of another shop counts with its shipping, by the newest list of that shop, and while it has pieces in stock. If no shop has any, nothing fits the point.",
}
_PICKS = (
    "If several products fit a point, that with the most stars is right; of equals, the cheapest.",
    "What has no known price or no stars is not surely right.",
    "If nothing surely fits a point but something may, it cannot be told.",
    "The maker of a product is the store that its listing names.",
    "Where sheets, laboratories or the newest records are asked about, a listing without a store is of none of the makers.",
)
_ALWAYS = (
    'A page that says "not stated", or has a dash, states no value.',
    "If nothing can be found for a point, the other points stand.",
)
STATED_RULES = (*_RULES.values(), *_PICKS, *_ALWAYS)


def stated_point(of: StatedPoint, order: str) -> str:
    """Return a point in words. `order` says which order it speaks of."""
    if of.category:
        made = " or ".join(of.makers)
        return f"One {of.category[-1]} made by {made} whose {of.name} is {of.value}, {_AS[of.by]}."
    if of.by == "offers":
        return f"The lowest price at which another shop has the product of my order {order}."
    return f"The {of.name}, in {of.unit}, of the product of my order {order}, {_AS[of.by]}."


def stated_rules(points: Sequence[StatedPoint]) -> Iterator[str]:
    """Yield the rules of the house that these points need."""
    used = {one.by for one in points}
    yield from (rule for by, rule in _RULES.items() if by in used)
    yield from _PICKS if any(one.category for one in points) else ()
    yield from _ALWAYS if points else ()
