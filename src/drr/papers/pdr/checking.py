"""Checks persons by code, measures them against a known truth, and counts their attributes."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations
from statistics import median
from typing import Any, NamedTuple

from drr.env.json_object import JsonObject
from drr.env.shop import Shop
from drr.eval.stats.question import grouped
from drr.papers.pdr.person import Attribute, Person, private_data_kinds
from drr.papers.pdr.records import theme_of

SINGLE = frozenset({"place", "rhythm", "price_level", "price_spread", "seasons", "returns"})
"""Blocks (categories of attributes) of which a person has only one attribute: two contradict each other. Imported persons have other blocks."""


class PersonProblem(NamedTuple):
    person_id: str
    check: str
    """Kind of problem: evidence, private, contradiction, invented, shop."""
    told: str


def problems(persons: Sequence[Person], shop: Shop | None = None) -> Iterator[PersonProblem]:
    """Yield the problems of persons; without a shop, only problems that the file alone shows."""
    for person in persons:
        for check, text in chain(
            _file_problems(person), _shop_problems(person, shop) if shop is not None else ()
        ):
            yield PersonProblem(person.person_id, check, text)


def tell_problems(
    arguments: argparse.Namespace, noun: str, count: int, found: Sequence[tuple[str, Any]]
) -> int:
    """Print the problems of persons or tasks, each under its id; return exit code 1 if there are any."""
    from drr.env.records.lines import one_line
    from drr.plugin import print_result

    bad = len({name for name, _ in found})
    print_result(
        arguments,
        {noun: count, "problems": [one._asdict() for _, one in found]},
        *(f"{name}: {one.check}: {one_line(one.told, 300)}" for name, one in found),
        f"{count - bad} of {count} {noun} pass every check",
    )
    return 1 if found else 0


def _file_problems(person: Person) -> Iterator[tuple[str, str]]:
    for one in person.attributes:
        for kind in private_data_kinds(one.statement + "\n" + "\n".join(g.quote or "" for g in one.evidence)):
            yield "private", f"{one.id} holds {kind}"
        if one.basis == "records" and not any(g.order_id or g.record for g in one.evidence):
            yield "evidence", f"{one.id} is said to follow from records and names no order"
        if one.basis == "stated" and not any(g.quote for g in one.evidence):
            yield "evidence", f"{one.id} is said to be stated and quotes no review"
        if one.basis in ("invented", "imported") and one.evidence:
            yield "evidence", f"{one.id} is {one.basis} and names evidence, which nothing can be for it"
    for a, b in combinations(person.attributes, 2):
        if a.block == b.block and a.block in SINGLE and "imported" not in (a.basis, b.basis):
            yield "contradiction", f"{a.id} and {b.id}: a person has one {a.block}"


def _shop_problems(person: Person, shop: Shop) -> Iterator[tuple[str, str]]:
    user = None if person.user_id is None else shop.store.user(person.user_id)
    if person.shop_hash not in (None, shop.manifest.content_hash):
        yield "shop", "was made of another shop than this one"
    elif person.user_id is not None and user is None:
        yield "shop", "its user is not in this shop"
    else:
        for one in person.attributes:
            for kind in private_data_kinds(one.statement, user):
                yield "private", f"{one.id} holds {kind}"
            yield from _evidence(person, one, shop)


def _evidence(person: Person, attribute: Attribute, shop: Shop) -> Iterator[tuple[str, str]]:
    for ground in attribute.evidence:
        order = None if ground.order_id is None else shop.store.order(ground.order_id)
        why = None
        if ground.order_id is not None and (order is None or order.user_id != person.user_id):
            why = "is none of this person's"
        elif order is not None and ground.product_id not in (None, order.product_id):
            why = "is of another product"
        elif order is not None and person.as_of is not None and order.order_date >= person.as_of:
            why = f"is later than {person.as_of}"
        if why is not None:
            yield "evidence", f"{attribute.id}: the order {ground.order_id} {why}"
    quotes = [(one.order_id, one.quote) for one in attribute.evidence if one.quote is not None]
    reviews = shop.store.reviews(person.user_id or "") if quotes else ()
    texts = {one.order_id: f"{one.title}\n{one.text}" for one in reviews}
    for order_id, quote in quotes:  # each must be an exact part of an own review
        if quote not in ("\n".join(texts.values()) if order_id is None else texts.get(order_id, "")):
            yield "evidence", f"{attribute.id}: no own review holds the words {quote!r}"


_SAME = {"fish": "small_pets"}
"""Themes that the sample's generator draws as one interest, mapped to the theme under which they are counted."""


def quality_of(persons: Sequence[Person], truth: Mapping[str, Sequence[str]]) -> dict[str, JsonObject]:
    """Measure persons against the interests drawn for a sample, by basis and for `any`. Users unknown to the truth are left out."""
    bases = {"records": ("records",), "stated": ("stated",), "any": ("records", "stated")}
    return {name: _quality(persons, truth, own) for name, own in bases.items()}


def _quality(
    persons: Sequence[Person], truth: Mapping[str, Sequence[str]], bases: Sequence[str]
) -> JsonObject:
    """Count the attributes that are themes and the drawn interests, with precision and recall."""
    stated = right = interests = found = 0
    for person in persons:
        if person.user_id is None or person.user_id not in truth:
            continue
        drawn = set(truth[person.user_id])
        every = (theme_of(one) for one in person.attributes if one.basis in bases)
        themes = dict.fromkeys(_SAME.get(theme, theme) for theme in every if theme is not None)
        stated += len(themes)
        right += sum(theme in drawn for theme in themes)
        interests += len(drawn)
        found += len(drawn.intersection(themes))
    precision = round(right / stated, 3) if stated else None
    recall = round(found / interests, 3) if interests else None
    counts = {"attributes": stated, "right": right, "precision": precision}
    return {**counts, "interests": interests, "found": found, "recall": recall}


def quality_text(quality: Mapping[str, JsonObject]) -> str:
    lines = ["against the interests that the sample drew:"]
    for name, one in quality.items():
        shares = ("-" if one[part] is None else f"{one[part]:.3f}" for part in ("precision", "recall"))
        counts = (f"({one['right']} of {one['attributes']})", f"({one['found']} of {one['interests']})")
        precision, recall = (f"{share} {count}" for share, count in zip(shares, counts, strict=True))
        lines.append(f"  {name:<10}precision {precision}, recall {recall}")
    return "\n".join(lines)


def statistics_of(persons: Sequence[Person]) -> JsonObject:
    """Count attributes per person (fewest, median, most), by block and by basis."""
    every = [one for person in persons for one in person.attributes]
    counts = [len(person.attributes) for person in persons]
    fewest, most = min(counts, default=None), max(counts, default=None)
    blocks = grouped(sorted((one.block, one.basis) for one in every))
    return {
        "schema": 1, "persons": len(persons), "attributes": len(every),
        "per_person": {"fewest": fewest, "median": median(counts) if counts else None, "most": most},
        "by_basis": dict(sorted(Counter(one.basis for one in every).items())),
        "by_block": {block: dict(Counter(own)) for block, own in blocks.items()},
        "different_statements": len({one.statement for one in every}),
    }  # fmt: skip


def statistics_text(document: JsonObject) -> str:
    def counted(counts: Mapping[str, int]) -> str:
        return ", ".join(f"{basis} {count}" for basis, count in counts.items())

    each, different = document["per_person"], document["different_statements"]
    lines = [
        f"{document['persons']} persons, {document['attributes']} attributes ({different} different statements)",
        f"  a person has {each['fewest']:g} to {each['most']:g}, in the middle {each['median']:g}",
        f"  {counted(document['by_basis'])}",
    ]
    return "\n".join([*lines, *(f"  {name:<16}{counted(own)}" for name, own in document["by_block"].items())])
