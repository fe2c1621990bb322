"""The objections of code to a person: evidence that is not there, personal data, a state of the wrong shop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from drr.env.shop import Shop
from drr.papers.pdr.disclosure import disclosed
from drr.papers.pdr.person import Attribute, Person

SINGLE = frozenset({"place", "rhythm", "price_level", "price_spread", "seasons", "returns"})
"""Blocks of which a person has one attribute: two contradict each other. What was imported has blocks of its own."""


class PersonProblem(NamedTuple):
    person_id: str
    check: str
    """evidence, private, contradiction, invented, shop."""
    told: str


def problems(persons: Sequence[Person], shop: Shop | None = None) -> Iterator[PersonProblem]:
    """Yield the problems; without a shop, those that the file alone shows."""
    for person in persons:
        for check, told in _of_file(person):
            yield PersonProblem(person.person_id, check, told)
        if shop is not None:
            for check, told in _of_shop(person, shop):
                yield PersonProblem(person.person_id, check, told)


def _of_file(person: Person) -> Iterator[tuple[str, str]]:
    for one in person.attributes:
        for kind in disclosed(one.statement + "\n" + "\n".join(g.quote or "" for g in one.evidence)):
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


def _of_shop(person: Person, shop: Shop) -> Iterator[tuple[str, str]]:
    if person.shop_hash not in (None, shop.manifest.content_hash):
        yield "shop", "was made of another shop than this one"
        return
    user = None if person.user_id is None else shop.store.user(person.user_id)
    if person.user_id is not None and user is None:
        yield "shop", "its user is not in this shop"
        return
    for one in person.attributes:
        for kind in disclosed(one.statement, user):
            yield "private", f"{one.id} holds {kind}"
        yield from _orders(person, one, shop)
        yield from _quotes(person, one, shop)


def _orders(person: Person, attribute: Attribute, shop: Shop) -> Iterator[tuple[str, str]]:
    for ground in attribute.evidence:
        if ground.order_id is None:
            continue
        order = shop.store.order(ground.order_id)
        if order is None or order.user_id != person.user_id:
            yield "evidence", f"{attribute.id}: the order {ground.order_id} is none of this person's"
        elif ground.product_id not in (None, order.product_id):
            yield "evidence", f"{attribute.id}: the order {ground.order_id} is of another product"
        elif person.as_of is not None and order.order_date >= person.as_of:
            yield "evidence", f"{attribute.id}: the order {ground.order_id} is later than {person.as_of}"


def _quotes(person: Person, attribute: Attribute, shop: Shop) -> Iterator[tuple[str, str]]:
    """Each is a part of an own review, word by word."""
    quotes = [ground for ground in attribute.evidence if ground.quote is not None]
    if not quotes:
        return
    texts = {one.order_id: f"{one.title}\n{one.text}" for one in shop.store.reviews(person.user_id or "")}
    for ground in quotes:
        told = texts.get(ground.order_id or "", "\n".join(texts.values()) if ground.order_id is None else "")
        if (ground.quote or "") not in told:
            yield "evidence", f"{attribute.id}: no own review holds the words {ground.quote!r}"
