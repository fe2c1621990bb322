"""A person made of the shop's records by rule, where no file of persons says who asks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from drr.env.profile import Bought, ProfileSummary, build_profile
from drr.env.records.lines import dollars
from drr.env.shop import Shop
from drr.env.source import text_hash
from drr.env.themes import BY_KEY
from drr.persons.person import Attribute, Ground, Person
from drr.wording.states import STATES


def derived_person(shop: Shop, user_id: str) -> Person | None:
    """`None` for a user whom the shop does not know, or of whom it knows nothing."""
    if shop.store.user(user_id) is None:
        return None
    profile = build_profile(shop.store, user_id, shop.manifest.as_of)
    numbers = count(1)
    attributes = tuple(
        Attribute(
            id=f"a{next(numbers)}", block=block, statement=statement, basis="records", evidence=evidence
        )
        for block, statement, evidence in _told(profile)
    )
    if not attributes:
        return None
    return Person(
        person_id=f"shopper-{text_hash(user_id)[:12]}",
        user_id=user_id,
        as_of=profile.as_of,
        attributes=attributes,
    )


def _told(profile: ProfileSummary) -> Iterator[tuple[str, str, tuple[Ground, ...]]]:
    """Block, statement, evidence."""
    for key in profile.label.themes:
        yield "interests", f"is interested in {BY_KEY[key].about}", ()
    state = STATES.get(profile.state, profile.state)
    if state:
        yield "place", f"lives in {state}", ()
    if profile.spend.level is not None and profile.spend.quartiles is not None:
        yield (
            "price_level",
            f"mostly buys at a {profile.spend.level} price level, half of it below {dollars(profile.spend.quartiles[1])}",
            (),
        )
    for item in profile.repeated:
        yield "replenishment", f"buys again and again: {item.title}", (_ground(item),)
    again = {item.product_id for item in profile.repeated}
    for item in profile.notable:
        if item.product_id not in again:
            yield "goods", f"has bought: {item.title}", (_ground(item),)


def _ground(item: Bought) -> Ground:
    return Ground(order_id=item.order_id, product_id=item.product_id)
