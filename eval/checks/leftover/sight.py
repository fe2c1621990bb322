"""The traits of each figure of a report: which readings explain it, how likely by chance, and what speaks for another meaning."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from math import log10

import numpy as np
from drr.eval.checks.base import Span
from drr.eval.checks.leftover import pools
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.known import told_of
from drr.eval.checks.leftover.pools import Pool
from drr.eval.checks.leftover.said import MONEY, FigureKind, SaidFigure
from drr.eval.checks.leftover.slips import slips
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.residue import is_of_what_is_unseen, residue_of
from drr.eval.stats.intervals import Floats

_TOP = 5.0
_OWN_WORDS = re.compile(r"\b(?:I|my|me|we|our|us|mine|neighbou?rs?|friends?)\b")
"""The writer's own things."""
_QUOTED = re.compile(r"[\"“”]")
_BESIDE = 60
_SHORTEST = 5
_SETTLED = 0.7
"""A value of a record that is met by chance once in thirty figures: nobody looks further."""
_LEAST_SLACK = {"money": 0.0, "unit": 0.0, "rating": 0.05, "measure": 0.05}
"""By the fineness of a kind, by which chance is reckoned."""
_OF_ONE_THING: dict[FigureKind, int] = {"money": 0, "rating": 1, "ratings": 2}
"""What of it a figure may be: its place in `ToldOf`."""
_TINY = 0.05
"""The strength of a reading that is met by chance."""
TRAITS = (
    "known", "framed", "beside", "near", "around", "far", "dense", "slip_framed", "slip", "slip_near", "elsewise", "odd", "certain", "long",
    "read", "foreign", "hedged", "unsure", "altered", "own_words", "quoted", "again", "loose", "missing",
)  # fmt: skip


class InSight:
    def __init__(self, mentions: Mentions) -> None:
        self._mentions = mentions
        self._residue = residue_of(mentions)
        self.held = HeldAgainst(mentions)
        self.cue, self.every = self.held.cue, self.held.every
        self.traits = lru_cache(maxsize=256)(self._traits)

    def _traits(self, one: SaidFigure) -> dict[str, float]:
        """What speaks for and against it that it is wrong, each from 0 to 1."""
        close, stretch = self.held.around(one.start)
        own, near = self.held.named(close, one.start), self.held.named(stretch)
        slack = max(one.slack, _LEAST_SLACK.get(one.kind, 0.5))
        traits = dict.fromkeys(TRAITS, 0.0)
        direct = self.held.direct(one, close, own)
        traits["known"] = self._told(one, direct, slack)
        traits["again"], traits["long"] = self._again(one), self._long
        if traits["known"] > _SETTLED:
            return traits
        framed = self.held.framed(one, close, own)
        first, second = self.held.worked(one, close, own), self.held.worked(one, stretch, near)
        far = self.held.far(one)
        traits["framed"] = self._told(one, framed, slack)
        traits["beside"], traits["near"] = self._told(one, first[0], slack), self._told(one, first[1], slack)
        traits["around"] = max(self._told(one, second[0], slack), 0.8 * self._told(one, second[1], slack))
        traits["far"] = self._told(one, far, slack)
        every = pools.pool(direct, framed, *first, *second, far)
        top = _TOP if one.kind == "rating" else None
        traits["dense"] = pools.chance(every, one.value, slack, money=one.kind in MONEY, top=top)
        traits["slip_framed"] = self._slip(one, framed)
        traits["slip"] = self._slip(one, pools.pool(direct, first[0]))
        traits["slip_near"] = self._slip(one, pools.pool(first[1], second[0]))
        meant = self.held.cast.meant_at(one.start, one.end)
        traits["certain"] = float(meant.certain) * (1.0 - traits["known"])
        traits["odd"] = self._odd(one, close, own)
        if one.unit and one.kind in ("count", "measure"):
            beside = self.held.known.of(own).with_unit(one.unit)
            traits["elsewise"] = float(bool(beside) and not any(one.low <= v <= one.high for v in beside))
        traits |= self._doubts(one, close, own)
        return traits

    def _told(self, one: SaidFigure, values: Pool, slack: float) -> float:
        """How unlikely by chance, if a figure is among some values."""
        if not pools.holds(values, one.low, one.high):
            return 0.0
        top = _TOP if one.kind == "rating" else None
        return max(
            pools.strength(pools.chance(values, one.value, slack, money=one.kind in MONEY, top=top)), _TINY
        )

    def _odd(self, one: SaidFigure, span: Span, ids: tuple[str, ...]) -> float:
        """If the stars, raters or price beside it are those of one thing alone, and it is not that thing's, nor of another with the same."""
        at = _OF_ONE_THING.get(one.kind)
        if at is None:
            return 0.0
        beside = [
            (other, each)
            for each in self.held.said.within(span)
            if each.start != one.start
            and abs(each.start - one.start) < _BESIDE
            and (other := _OF_ONE_THING.get(each.kind)) is not None
            and other != at
        ]
        if not beside:
            return 0.0
        found = []
        for key, product in self.held.known.products.items():
            told = told_of(product)
            shared = any(
                (other != 1 or key in ids) and any(each.low <= value <= each.high for value in told[other])
                for other, each in beside
            )
            if shared and told[at]:
                found.append(any(one.low <= value <= one.high for value in told[at]))
        return float(bool(found) and not any(found))

    @cached_property
    def _long(self) -> float:
        """How many figures the report has: of many a few are of something else."""
        return min(1.0, max(0.0, log10(max(1, len(self.held.said.all)) / _SHORTEST) / 1.3))

    def _again(self, one: SaidFigure) -> float:
        alike = (each for each in self.held.said.all if each.start != one.start and each.kind == one.kind)
        return float(any(abs(each.value - one.value) < 1e-6 for each in alike))

    def _slip(self, one: SaidFigure, values: Pool) -> float:
        """If with one digit put right it is among some values, and how unlikely that is by chance."""
        near = _slips_of(one.digits)
        if not len(pools.held(values, near, one.slack)):
            return 0.0
        likely = pools.chances(values, near[near > 0], one.slack)
        return max(pools.strength(min(1.0, likely)), _TINY)

    def meant(self, one: SaidFigure) -> float | None:
        """What it is with one slip put right: the first that stands in a record of what its sentence names, or that its sentence comes to."""
        close, _ = self.held.around(one.start)
        own = self.held.named(close, one.start)
        near = _slips_of(one.digits)
        near = near[near > 0]
        for values in (
            self.held.framed(one, close, own),
            self.held.direct(one, close, own),
            self.held.worked(one, close, own)[0],
        ):
            if len(found := pools.held(values, near, one.slack)):
                return float(found[0])
        return None

    def _doubts(self, one: SaidFigure, close: Span, own: tuple[str, ...]) -> dict[str, float]:
        doubt = self._residue.doubt(close)
        unseen = doubt is not None and is_of_what_is_unseen(doubt)
        entry, figure = self.held.ledger.by_start.get(one.start), self.held.said.money.get(one.start)
        foreign = self._residue.cites_the_web(close) or (figure is not None and figure.elsewhere)
        plain = self._mentions.plain
        clause = self.held.prose.clause_at(one.start)
        return {
            "read": float(entry is not None and entry.status == "explained"),
            "foreign": float(foreign),
            "hedged": float(one.hedged),
            "unsure": float(unseen),
            "altered": float(doubt is not None and not unseen),
            "own_words": float(_OWN_WORDS.search(plain, *clause) is not None),
            "quoted": float(len(_QUOTED.findall(plain[close[0] : one.start])) % 2),
            "loose": float(not own),
            "missing": float(self.held.ledger.play.unpriced or self.held.cast.names_a_stranger(close)),
        }


@lru_cache(maxsize=64)
def _slips_of(digits: str) -> Floats:
    return np.asarray(list(slips(digits)) if digits else [], float)


@lru_cache(maxsize=4)
def sight_of(mentions: Mentions) -> InSight:
    return InSight(mentions)
