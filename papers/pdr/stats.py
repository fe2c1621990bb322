"""Counts over a file of persons: by block and basis, and how many attributes a person has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import TypedDict

from drr.papers.pdr.person import Person
from drr.papers.pdr.records import theme_of


class Quality(TypedDict):
    """Against what was drawn: of the attributes that are a theme, and of the interests of these shoppers."""

    attributes: int
    right: int
    precision: float | None
    interests: int
    found: int
    recall: float | None


_SAME = {"fish": "small_pets"}
"""Two themes of which the sample's generator draws one interest."""


def quality_of(persons: Sequence[Person], truth: Mapping[str, Sequence[str]]) -> dict[str, Quality]:
    """Measure the quality by basis, and for `any`. Persons whose shopper the truth does not know are left out."""
    return {
        name: _quality(persons, truth, bases)
        for name, bases in (
            ("records", ("records",)),
            ("stated", ("stated",)),
            ("any", ("records", "stated")),
        )
    }


def _quality(persons: Sequence[Person], truth: Mapping[str, Sequence[str]], bases: Sequence[str]) -> Quality:
    said = right = interests = found = 0
    for person in persons:
        if person.user_id is None or person.user_id not in truth:
            continue
        drawn = set(truth[person.user_id])
        themes = [
            theme for one in person.attributes if one.basis in bases and (theme := theme_of(one)) is not None
        ]
        themes = list(dict.fromkeys(_SAME.get(theme, theme) for theme in themes))
        said += len(themes)
        right += sum(theme in drawn for theme in themes)
        interests += len(drawn)
        found += len(drawn.intersection(themes))
    return {
        "attributes": said,
        "right": right,
        "precision": round(right / said, 3) if said else None,
        "interests": interests,
        "found": found,
        "recall": round(found / interests, 3) if interests else None,
    }


def quality_text(quality: Mapping[str, Quality]) -> str:
    lines = ["against the interests that the sample drew:"]
    for name, one in quality.items():
        precision = "-" if one["precision"] is None else f"{one['precision']:.3f}"
        recall = "-" if one["recall"] is None else f"{one['recall']:.3f}"
        lines.append(
            f"  {name:<10}precision {precision} ({one['right']} of {one['attributes']}), "
            f"recall {recall} ({one['found']} of {one['interests']})"
        )
    return "\n".join(lines)


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
