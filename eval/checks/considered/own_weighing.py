"""How likely a thing said of own orders is wrong, by all its signs together (`own.toml`).

The weights are fitted to every such thing of the rounds of strangers and to errors made of the right ones, each writer held against weights of the
others (`python -m benchmarks.considered_own_fit`). What reaches the bar is accused if no reading that its words name makes it true.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from math import exp
from pathlib import Path
from typing import NamedTuple

from drr.eval.checks.base import Span
from drr.eval.checks.considered.own_called import is_called_by_it
from drr.eval.checks.considered.own_said import COUNTED, DATED, OwnFigure, covers
from drr.eval.checks.considered.own_signs import OwnSigns
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.naming import fold, folded_words
from drr.eval.checks.person.claimed import is_claimed
from drr.eval.checks.person.history import history_of
from drr.eval.checks.person.named_days import NEGATED
from drr.eval.checks.person.near_days import OF_ANOTHER_EVENT
from drr.eval.checks.person.no_days import ends_of_spans
from drr.eval.checks.person.not_bought import may_be_empty, would_be
from drr.eval.checks.person.readings.days import PART_BEFORE
from drr.wording.numbers import cardinals, number_said
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
    "fits_meant",
)
"""It is the count of the thing or the time next to it, or of all that this is listed with, of what its sentence names, or of all; or so many of the newest, of those since a day or in a stretch of time, the rest, or a difference."""
_MISPLACED = (
    ("last_of_nothing", ()),
    ("first_of_nothing", ()),
    ("most_not_all", ("most_is_before", "most_is_sentence")),
    ("empty_not_all", ("empty_is_before", "empty_is_sentence")),
)
"""A day of what is named that is not what the sentence calls it: not the last one, not the year with the most."""
_EVENT = 70
"""Characters before a day in which what happened then is looked for."""
_BOUND_YEAR = re.compile(r"\b(?:before|until|till|prior\sto|up\sto|by(?:\sthe\send\sof)?)\s[*_]{0,3}$", re.I)
_BOUND = 24
"""Before a year that ends a time: none of its orders need be meant."""
_SHORT = 3
_SO_MANY = re.compile(
    rf"\b(?:(?P<first>first|oldest|earliest|opening)|last|latest|newest|most\srecent|closing|final)\s(?P<n>[2-9]|{cardinals(2, 9)})\b(?!\s(?:days?|weeks?|months?|years?))",
    re.I,
)
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
        if not (
            is_true_of_some(one, found)
            or is_claimed(mentions.plain, 0, one.start)
            or _is_of_a_maker(mentions, one)
            or _is_of_the_ends(mentions, one, signs)
            or _is_no_purchase(mentions, one, found)
            or _ends(mentions, one, signs)
            or _is_part(mentions, one)
            or is_called_by_it(mentions, one)
        ):
            likely = weights.chance(found)
            if likely >= weights.bar:
                yield ConsideredOwn(one, likely)


def _is_no_purchase(mentions: Mentions, one: OwnFigure, found: Mapping[str, float]) -> bool:
    """Whether it is a day of something else than an order, one on which something was not ordered or would have been, or a time without any order that may be said to be empty."""
    if one.kind not in DATED:
        return False
    plain, prose = mentions.plain, sight_of(mentions).held.prose
    low, _ = prose.sentence_at(one.start)
    before = plain[max(low, one.start - _EVENT) : one.start]
    if OF_ANOTHER_EVENT.search(before) or NEGATED.search(before) or would_be(plain, low, one.start):
        return True
    if one.kind == "year" and _BOUND_YEAR.search(plain, max(low, one.start - _BOUND), one.start):
        return True
    return "on_none" in found and may_be_empty(plain, prose.clause_at(one.start))


def _is_of_a_maker(mentions: Mentions, one: OwnFigure) -> bool:
    """Whether something was ordered then whose maker its sentence calls by the first word of the name: `Copperline (September 2022)`, of Copperline Tools."""
    history = history_of(mentions)
    if one.kind not in DATED or history is None:
        return False
    said = {*folded_words(mentions.plain[slice(*sight_of(mentions).held.prose.sentence_at(one.start))])}
    placed = (each.product for each in history.orders if covers(one, each.day))
    called = (fold(each.title.split()[0]) for each in placed if each is not None and each.title.split())
    return any(len(each) > _SHORT and each in said for each in called)


def _is_part(mentions: Mentions, one: OwnFigure) -> bool:
    """Whether it is the smaller part of a length of time: `four years and about three weeks`."""
    low = max(0, one.start - _EVENT)
    return one.kind == "span" and PART_BEFORE.search(mentions.plain, low, one.start) is not None


def _is_of_the_ends(mentions: Mentions, one: OwnFigure, signs: OwnSigns) -> bool:
    """`your last two in October 2022 and January 2023`: a day of so many of the newest or oldest orders."""
    if one.kind not in DATED:
        return False
    low, _ = sight_of(mentions).held.prose.sentence_at(one.start)
    said = list(_SO_MANY.finditer(mentions.plain, low, one.start))
    if not said:
        return False
    many, days = int(number_said(said[-1]["n"])), signs.near.sets.days
    some = days[:many] if said[-1]["first"] else days[-many:]
    return any(covers(one, day) for day in some)


def _ends(mentions: Mentions, one: OwnFigure, signs: OwnSigns) -> bool:
    """Whether it is an end of a span, and the other end no day of an order of what is near either: with that they would be the first and the last."""
    if one.kind not in DATED:
        return False
    prose = sight_of(mentions).held.prose
    span = prose.sentence_at(one.start)
    ends = ends_of_spans(prose.body, span, prose.dates(*span))
    if one.kind == "year":
        return one.start in ends
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
