"""Counts over a file of persons: by block and basis, and how many attributes a person has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import TypedDict

from drr.persons.person import Person


class PersonStatistics(TypedDict):
    schema: int
    persons: int
    attributes: int
    per_person: dict[str, float | None]
    """fewest, median, most."""
    by_basis: dict[str, int]
    by_block: dict[str, dict[str, int]]
    """Block to basis to count."""
    different_statements: int


def statistics_of(persons: Sequence[Person]) -> PersonStatistics:
    every = [one for person in persons for one in person.attributes]
    counts = [len(person.attributes) for person in persons]
    blocks: dict[str, dict[str, int]] = {}
    for block, basis in sorted((one.block, one.basis) for one in every):
        held = blocks.setdefault(block, {})
        held[basis] = held.get(basis, 0) + 1
    return {
        "schema": 1,
        "persons": len(persons),
        "attributes": len(every),
        "per_person": {
            "fewest": min(counts, default=None),
            "median": median(counts) if counts else None,
            "most": max(counts, default=None),
        },
        "by_basis": dict(sorted(Counter(one.basis for one in every).items())),
        "by_block": blocks,
        "different_statements": len({one.statement for one in every}),
    }


def statistics_text(document: PersonStatistics) -> str:
    each = document["per_person"]
    lines = [
        f"{document['persons']} persons, {document['attributes']} attributes "
        f"({document['different_statements']} different statements)",
        f"  a person has {each['fewest']:g} to {each['most']:g}, in the middle {each['median']:g}",
        "  " + ", ".join(f"{basis} {count}" for basis, count in document["by_basis"].items()),
    ]
    for block, counts in document["by_block"].items():
        lines.append(f"  {block:<16}" + ", ".join(f"{basis} {count}" for basis, count in counts.items()))
    return "\n".join(lines)
