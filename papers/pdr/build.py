"""Persons of a shop's shoppers: what follows from their records, drawn from a seeded sample of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Literal

from drr.env.entities import KeptReview, User
from drr.env.errors import DrrError
from drr.env.shop import Shop, Store
from drr.papers.pdr.disclosure import disclosed
from drr.papers.pdr.history import history_of
from drr.papers.pdr.invented import invented
from drr.papers.pdr.person import Attribute, Person
from drr.papers.pdr.records import derived
from drr.papers.pdr.stated import with_stated

Invented = Literal["none", "sample", "all"]
"""Where attributes may be drawn by seed: nowhere, in a sample shop only, anywhere."""


def person_id_of(user_id: str) -> str:
    """Tells nobody the user id, which opens the shopper's records, and is the same in every shop."""
    return "p-" + blake2b(user_id.encode(), digest_size=6).hexdigest()


def person_of(
    store: Store,
    user_id: str,
    as_of: str,
    *,
    shop_hash: str | None = None,
    seed: int | None = None,
    with_invented: bool = False,
    said: Sequence[Attribute] = (),
) -> Person:
    """Make a person of what records and own reviews say of one shopper before `as_of`. What nobody says is
    drawn by `seed`; `said` is what a model found besides."""
    history = history_of(store, user_id, as_of)
    person_id = person_id_of(user_id)
    attributes = with_stated([one.attribute for one in derived(history)], own_reviews(store, user_id, as_of))
    attributes += said
    if with_invented:
        told = {one.block for one in said}
        attributes += [one for one in invented(person_id, seed or 0) if one.block not in told]
    return Person(
        person_id=person_id,
        user_id=user_id,
        shop_hash=shop_hash,
        as_of=as_of,
        seed=seed,
        attributes=tuple(kept for one in attributes if (kept := _undisclosed(one, history.user)) is not None),
    )


def own_reviews(store: Store, user_id: str, as_of: str) -> list[KeptReview]:
    """None where the shop keeps none."""
    return [review for review in store.reviews(user_id) if review.date < as_of]


def _undisclosed(attribute: Attribute, user: User) -> Attribute | None:
    """Remove quotations that contain the name of the shopper or the like. Return `None` where the statement
    contains it, or nothing is left."""
    evidence = tuple(
        ground for ground in attribute.evidence if ground.quote is None or not disclosed(ground.quote, user)
    )
    lost = attribute.basis == "stated" and not evidence
    if lost or disclosed(attribute.statement, user):
        return None
    return attribute.model_copy(update={"evidence": evidence})


def invents(shop: Shop, choice: Invented) -> bool:
    """Tell whether anything may be invented. About people who may be real nothing is made up unless it was asked for."""
    return choice == "all" or (choice == "sample" and shop.manifest.origin == "sample")


def build_persons(
    shop: Shop,
    users: Sequence[str],
    *,
    seed: int,
    choice: Invented = "sample",
    said: Mapping[str, Sequence[Attribute]] | None = None,
) -> Iterator[Person]:
    """One person for each of these users, in their order; `said` by user id."""
    for user_id in users:
        yield person_of(
            shop.store,
            user_id,
            shop.manifest.as_of,
            shop_hash=shop.manifest.content_hash,
            seed=seed,
            with_invented=invents(shop, choice),
            said=() if said is None else said.get(user_id, ()),
        )


def drawn_users(shop: Shop, count: int, *, seed: int, min_orders: int) -> list[str]:
    """A seeded sample, the same on every backend; fewer than `count` where the shop has no more."""
    users = shop.store.sample_users(count, seed=seed, min_orders=min_orders)
    if not users:
        raise DrrError(
            f"{shop.spec}: no user has {min_orders} orders; lower --min-orders (`drr shop info` shows orders per user)"
        )
    return users


def named_user(shop: Shop, user_id: str) -> User:
    user = shop.store.user(user_id)
    if user is None:
        raise DrrError(
            f"{shop.spec}: no user {user_id!r}; ids are 28 characters, `drr shop info` counts users"
        )
    return user
