"""How likely a thing said of own orders is wrong, by all its signs together (`own.toml`).

The weights are fitted to every such thing of the rounds of strangers and to errors made of the right ones, each writer held against weights of the
others (`python -m benchmarks.considered_own_fit`). What reaches the bar is accused if no reading that its words name makes it true.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from math import exp
from pathlib import Path
from typing import NamedTuple

from drr.eval.checks.base import Span
from drr.eval.checks.considered.own_said import COUNTED, DATED, OwnFigure
from drr.eval.checks.considered.own_signs import OwnSigns
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.person.named_days import NEGATED
from drr.eval.checks.person.near_days import OF_ANOTHER_EVENT
from drr.eval.checks.person.no_days import ends_of_spans
from pydantic import BaseModel, ConfigDict

OWN_WEIGHTS = Path(__file__).with_name("own.toml")
QUESTIONS = 7
"""Of a tree: one, then one for either answer, then one for each of the four."""
_SETTLED = ("ahead", "is_today", "lasting", "of_address")
"""A day to come or today's, when something runs out, a house's number: nothing that was ordered."""
_COUNT_IS = (
    "before_is",
    "behind_is",
    "joined_is",
    "fits_named",
    "is_all",
    "time_before_all",
    "time_behind_all",
    "right_before_last",
    "fits_side",
)
"""It is the count of the thing or the time next to it, or of all that this is listed with, of what its sentence names, or of all; or so many of the newest, or of those since a day."""
_MISPLACED = (
    ("last_of_nothing", ()),
    ("first_of_nothing", ()),
    ("most_not_all", ("most_is_before", "most_is_sentence")),
    ("empty_not_all", ("empty_is_before", "empty_is_sentence")),
)
"""A day of what is named that is not what the sentence calls it: not the last one, not the year with the most."""
_EVENT = 70
"""Characters before a day in which what happened then is looked for."""
_NEAR = ("on_before", "on_sentence", "on_above")
"""A day on which something that is named near it was ordered."""
OwnTree = tuple[tuple[str, ...], tuple[float, ...], tuple[float, ...]]
"""Signs, more than what of each is asked, and what the eight answers add."""


class OwnOrdersWeights(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    version: int
    bar: float
    """From which chance of being wrong on a thing is accused."""
    rounds: str
    """To which they were fitted."""
    said: int
    planted: int
    made: int
    """Errors made of what is right, each of little weight."""
    start: float
    trees: list[OwnTree]

    def chance(self, signs: Mapping[str, float]) -> float:
        return own_chance(self.start, self.trees, signs)


def own_chance(start: float, trees: list[OwnTree], signs: Mapping[str, float]) -> float:
    for names, marks, steps in trees:
        at = 0
        while at < QUESTIONS:
            at = 2 * at + (2 if signs.get(names[at], 0.0) > marks[at] else 1)
        start += steps[at - QUESTIONS]
    return 1 / (1 + exp(-start))


@cache
def fitted() -> OwnOrdersWeights:
    return OwnOrdersWeights.model_validate(tomllib.loads(OWN_WEIGHTS.read_text(encoding="utf-8")))


def own_version() -> str:
    return f"{fitted().version}-{sha256(OWN_WEIGHTS.read_bytes()).hexdigest()[:12]}"


class ConsideredOwn(NamedTuple):
    """A thing said of own orders, and how likely it is wrong."""

    said: OwnFigure
    chance: float

    @property
    def span(self) -> Span:
        return self.said.start, self.said.end


def own_wrong(mentions: Mentions) -> Iterator[ConsideredOwn]:
    """What a report says of its reader's orders that is wrong with a chance of at least the bar."""
    weights, signs = fitted(), OwnSigns(mentions)
    for one in signs.said:
        found = signs.of(one)
        if not (is_true_of_some(one, found) or _is_no_purchase(mentions, one) or _ends(mentions, one, signs)):
            likely = weights.chance(found)
            if likely >= weights.bar:
                yield ConsideredOwn(one, likely)


def _is_no_purchase(mentions: Mentions, one: OwnFigure) -> bool:
    """Whether it is a day of something else than an order, or one on which something was not ordered."""
    if one.kind not in DATED:
        return False
    low, _ = sight_of(mentions).held.prose.sentence_at(one.start)
    before = mentions.plain[max(low, one.start - _EVENT) : one.start]
    return OF_ANOTHER_EVENT.search(before) is not None or NEGATED.search(before) is not None


def _ends(mentions: Mentions, one: OwnFigure, signs: OwnSigns) -> bool:
    """Whether it is an end of a span, and the other end no day of an order of what is near either: with that they would be the first and the last."""
    if one.kind not in DATED:
        return False
    prose = sight_of(mentions).held.prose
    span = prose.sentence_at(one.start)
    ends = ends_of_spans(prose.body, span, prose.dates(*span))
    others = (signs.of(each) for each in signs.said if each.start == ends.get(one.start))
    return one.start in ends and not any(name in found for found in others for name in _NEAR)


def is_true_of_some(one: OwnFigure, signs: Mapping[str, float]) -> bool:
    """Whether it is just that of what stands beside it, or a day of what its sentence names: it is then no error, whatever else."""
    if any(name in signs for name in _SETTLED) or (one.kind == "year" and "recorded" in signs):
        return True
    if one.kind in COUNTED:
        if "right_behind_measure" in signs:
            return True  # `22 momme`
        together = ("fits_run" in signs or "fits_said" in signs) and ("b_all" in signs or "a_all" in signs)
        return together or any(name in signs for name in _COUNT_IS)
    if one.kind in DATED:
        if "empty_is_all" in signs:
            return True
        misplaced = any(
            name in signs and not any(each in signs for each in unless) for name, unless in _MISPLACED
        )
        return "on_sentence" in signs and not misplaced
    if one.kind == "span":
        return "gap_said" in signs or "gap_wide_sentence" in signs
    return one.kind == "share" and "share_nothing" not in signs
