"""The statements of shoppers on themselves in their own reviews. Code finds them, with the sentence in which they stand."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from drr.env.entities import KeptReview
from drr.papers.pdr.person import Attribute, Ground
from drr.papers.pdr.records import spoken_theme

_HEAD = (
    r"(?=\s*(?:$|[.,;:!)])|\s(?:is|was|are|were|has|had|have|and|or|who|that|which|with|in|on|at|to|for|from|by|behind|can|will|does|did|"
    r"weighs|needs|loves|likes|loved|eats|sleeps|slept|took|learned|uses|chews|sheds|opens|carries|climbs|ignored|hangs|digs|runs|shares?|"
    r"gets|got|gave|keeps?|plays?|thanks?|drinks?)\b)"
)
"""What may follow, so that the thing is meant and not what is made for it: "my dog sleeps", and not "my dog bed"."""
_MOST = 3
"""Quotations of an attribute, the newest."""
_SENTENCE = re.compile(r"[^.!?\n]{1,300}[.!?]?")
_NUMBER = r"(?:an?|one|two|three|four|five|some|new|old|big|small|large|little|young|elderly|own|\d{1,2})"
_DOUBT = re.compile(
    r"\b(?:not|never|no|without|if|would|wish|want|neighbor|neighbour|friend|friend's|used to|passed away|died)\b|n['’]t\b|\?",
    re.I,
)
"""A sentence with one of these may say that it is not so, or speak of another."""


class StatedTrait(NamedTuple):
    theme: str
    quote: str


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    text = (files("drr.papers.pdr.words") / "stated.toml").read_text(encoding="utf-8")
    found = {}
    for theme, row in tomllib.loads(text).items():
        ways = []
        if row["have"]:
            thing = "|".join(map(re.escape, sorted(row["have"], key=len, reverse=True)))
            ways.append(
                rf"\b(?:my|our|(?:I|we)(?:'ve|’ve)?\s(?:have|own|keep|got|adopted))\s(?:{_NUMBER}\s){{0,2}}(?:[a-z-]{{1,20}}\s)?(?:{thing})\b{_HEAD}"
            )
        if row["say"]:
            ways.append(
                rf"\b(?:I|we)(?:['’]ve)?(?:\s(?:have|often|always|mostly|also))?\s(?:{'|'.join(map(re.escape, row['say']))})\b"
            )
        found[theme] = re.compile("|".join(ways), re.I)
    return found


def stated_traits(text: str) -> list[StatedTrait]:
    """Each theme once; the quotation is a part of the text as it stands there."""
    found: dict[str, str] = {}
    for sentence in _SENTENCE.finditer(text):
        said = sentence[0].strip()
        if not said or _DOUBT.search(said):
            continue
        for theme, pattern in _patterns().items():
            if theme not in found and pattern.search(said):
                found[theme] = said
    return [StatedTrait(theme, quote) for theme, quote in found.items()]


def with_stated(attributes: Sequence[Attribute], reviews: Iterable[KeptReview]) -> list[Attribute]:
    """Add the quotation as evidence to what records say already. Anything that only reviews say is an attribute of its own."""
    grounds: dict[str, list[Ground]] = {}
    for review in reviews:
        for trait in stated_traits(f"{review.title}\n{review.text}"):
            told = grounds.setdefault(trait.theme, [])
            if len(told) < _MOST:
                told.append(Ground(order_id=review.order_id, product_id=review.product_id, quote=trait.quote))
    by_id = {one.id: one for one in attributes}
    for theme, told in grounds.items():
        block, key, statement = spoken_theme(theme)
        before = by_id.get(key)
        if before is not None:
            by_id[key] = before.model_copy(update={"evidence": (*before.evidence, *told)})
        else:
            by_id[key] = Attribute(
                id=key, block=block, statement=statement, basis="stated", evidence=tuple(told)
            )
    return list(by_id.values())
