"""Builds persons (personas of a shop's users) from records, from the users' own reviews, and from a seeded draw."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from random import Random
from typing import Any

from drr.env.entities import KeptReview, User
from drr.env.shop import Shop, Store
from drr.eval.stats.question import grouped
from drr.papers.pdr.person import Attribute, Ground, Person, private_data_kinds
from drr.papers.pdr.records import derive_attributes, history_of, spoken_theme
from drr.papers.pdr.words import invented_traits
from drr.wording.currency import DOLLARS, Currency

DRAWN = 4


def draw_attributes(person_id: str, seed: int) -> list[Attribute]:
    """Draw attributes of a few blocks by seed, one value each. The same person and seed always give the same draw."""
    rng = Random(f"invented:{seed}:{person_id}")
    traits, drawn = invented_traits(), []
    for block in sorted(rng.sample(sorted(traits), min(DRAWN, len(traits)))):
        value = rng.choice(sorted(traits[block]))
        text = traits[block][value].statement or value
        drawn.append(Attribute(id=f"{block}-{value}", block=block, statement=text, basis="invented"))
    return drawn


_HEAD = (
    r"(?=\s*(?:$|[.,;:!)])|\s(?:is|was|are|were|has|had|have|and|or|who|that|which|with|in|on|at|to|for|from|by|behind|can|will|does|did|"
    r"weighs|needs|loves|likes|loved|eats|sleeps|slept|took|learned|uses|chews|sheds|opens|carries|climbs|ignored|hangs|digs|runs|shares?|"
    r"gets|got|gave|keeps?|plays?|thanks?|drinks?)\b)"
)
"""Pattern of what may follow a noun that is meant itself: "my dog sleeps", but not "my dog bed"."""
_MOST = 3
"""Limit on the quotations for one attribute; the newest are kept."""
_SENTENCE = re.compile(r"[^.!?\n]{1,300}[.!?]?")
_NUMBER = r"(?:an?|one|two|three|four|five|some|new|old|big|small|large|little|young|elderly|own|\d{1,2})"
_DOUBT = re.compile(
    r"\b(?:not|never|no|without|if|would|wish|want|neighbor|neighbour|friend|friend's|used to|passed away|died)\b|n['’]t\b|\?",
    re.I,
)
"""Words with which a sentence may deny its statement, or speak of somebody else."""


@cache
def _stated_patterns() -> dict[str, re.Pattern[str]]:
    text, found = (files("drr.papers.pdr.words") / "stated.toml").read_text(encoding="utf-8"), {}
    for theme, row in tomllib.loads(text).items():
        thing = "|".join(map(re.escape, sorted(row["have"], key=len, reverse=True)))
        verbs = "|".join(map(re.escape, row["say"]))
        ways = {
            rf"\b(?:my|our|(?:I|we)(?:'ve|’ve)?\s(?:have|own|keep|got|adopted))\s(?:{_NUMBER}\s){{0,2}}(?:[a-z-]{{1,20}}\s)?(?:{thing})\b{_HEAD}": thing,
            rf"\b(?:I|we)(?:['’]ve)?(?:\s(?:have|often|always|mostly|also))?\s(?:{verbs})\b": verbs,
        }
        found[theme] = re.compile("|".join(way for way, words in ways.items() if words), re.I)
    return found


def stated_traits(text: str) -> dict[str, str]:
    """Map each theme that a text states to its quotation, which is a sentence of the text."""
    found: dict[str, str] = {}
    for statement in (sentence[0].strip() for sentence in _SENTENCE.finditer(text)):
        if statement and not _DOUBT.search(statement):
            for theme, pattern in _stated_patterns().items():
                if theme not in found and pattern.search(statement):
                    found[theme] = statement
    return found


def with_stated(attributes: Sequence[Attribute], reviews: Iterable[KeptReview]) -> list[Attribute]:
    """Add quotations from reviews to the attributes as evidence. A trait that only reviews state becomes a new attribute."""
    by_id = {one.id: one for one in attributes}
    grounds = grouped(
        (theme, Ground(order_id=review.order_id, product_id=review.product_id, quote=quote))
        for review in reviews
        for theme, quote in stated_traits(f"{review.title}\n{review.text}").items()
    )
    for theme, own in grounds.items():
        block, key, statement = spoken_theme(theme)
        one = Attribute(id=key, block=block, statement=statement, basis="stated")
        before = by_id.get(key, one)
        by_id[key] = before.model_copy(update={"evidence": (*before.evidence, *own[:_MOST])})
    return list(by_id.values())


def person_id_of(user_id: str) -> str:
    """Return the person id of a user. It is the same in every shop, and hides the user id, which opens the user's records."""
    return "p-" + blake2b(user_id.encode(), digest_size=6).hexdigest()


def person_of(
    store: Store,
    user_id: str,
    as_of: str,
    *,
    shop_hash: str | None = None,
    seed: int | None = None,
    with_invented: bool = False,
    stated: Sequence[Attribute] = (),
    currency: Currency = DOLLARS,
) -> Person:
    """Make the person of one user from records and own reviews before `as_of`. Other attributes are drawn by `seed`
    if `with_invented`; `stated` are attributes that a model found in reviews."""
    history, person_id = history_of(store, user_id, as_of, currency), person_id_of(user_id)
    by_rule = [one.attribute for one in derive_attributes(history)]
    attributes = [*with_stated(by_rule, own_reviews(store, user_id, as_of)), *stated]
    if with_invented:
        blocks = {one.block for one in stated}
        attributes += [one for one in draw_attributes(person_id, seed or 0) if one.block not in blocks]
    known = (_undisclosed(attribute, history.user) for attribute in attributes)
    kept = tuple(one for one in known if one is not None)
    made_of = {"user_id": user_id, "shop_hash": shop_hash, "as_of": as_of, "seed": seed}
    return Person.model_validate({"person_id": person_id, **made_of, "attributes": kept})


def own_reviews(store: Store, user_id: str, as_of: str) -> list[KeptReview]:
    """Return a user's reviews before a day; empty if the shop keeps no reviews."""
    return [review for review in store.reviews(user_id) if review.date < as_of]


def _undisclosed(attribute: Attribute, user: User) -> Attribute | None:
    """Remove quotations that contain the user's name or similar private data. Return `None` if the statement
    contains such data, or no evidence is left."""
    evidence = tuple(
        one for one in attribute.evidence if one.quote is None or not private_data_kinds(one.quote, user)
    )
    lost = attribute.basis == "stated" and not evidence
    if lost or private_data_kinds(attribute.statement, user):
        return None
    return attribute.model_copy(update={"evidence": evidence})


def build_persons(
    shop: Shop,
    users: Sequence[str],
    *,
    seed: int,
    draws: bool = True,
    stated: Mapping[str, Sequence[Attribute]] | None = None,
) -> Iterator[Person]:
    """Yield one person for each user, in order; `stated` holds attributes by user id.

    Attributes are invented where `draws` is set, and never about users who may be real people.
    """
    manifest = shop.manifest
    invents = draws and manifest.origin == "sample"
    made_of: Any = {"shop_hash": manifest.content_hash, "seed": seed, "with_invented": invents}
    for user_id in users:
        own = (stated or {}).get(user_id, ())
        yield person_of(shop.store, user_id, manifest.as_of, **made_of, stated=own, currency=manifest.money)
