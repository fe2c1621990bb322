"""The states of the United States by postal code, other places that mail goes to, and the regions that people name instead."""

from __future__ import annotations

from drr.wording.vocabulary import either, vocabulary

PLACES = vocabulary("states")


def _by_code(group: str) -> dict[str, str]:
    return {row[:2]: row[3:] for row in PLACES[group]}


STATES = _by_code("states")
"""Code -> name, the District of Columbia among them."""

CODES = {
    spelling.casefold(): code
    for code, name in (STATES | _by_code("beside")).items()
    for spelling in (code, name)
}
"""Folded code or name -> code, for all that US mail goes to."""
STATE = either(STATES.values())
"""The names of states as alternatives of an expression."""
