"""What speaks for a thing said of own orders that it is wrong, and what against it: each reading of its place and each word around it as a sign of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

from drr.eval.checks.base import Span
from drr.eval.checks.considered.own_counts import OwnCounts
from drr.eval.checks.considered.own_lengths import OwnLengths
from drr.eval.checks.considered.own_meant import OwnMeant
from drr.eval.checks.considered.own_near import OwnNear, OwnPlace, firsts
from drr.eval.checks.considered.own_pools import OwnPools
from drr.eval.checks.considered.own_said import COUNTED, DATED, OwnFigure, OwnSaid, others
from drr.eval.checks.considered.own_shares import OwnShares
from drr.eval.checks.considered.own_times import OwnTimes
from drr.eval.checks.considered.own_words import OwnWords
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.person.order_ids import orders_named
from drr.eval.checks.person.readings.counted import facets_of
from drr.eval.checks.person.readings.since import sides_of_days
from drr.eval.checks.person.stretches import is_sum_behind_a_colon

_BESIDE = 34
_AROUND = 700
_SHORTEST = 20
_THINGS = 12


class OwnSigns:
    """Of the things that one report says of its reader's orders, with what its rules raise against them."""

    def __init__(self, mentions: Mentions) -> None:
        self._mentions = mentions
        self._held = sight_of(mentions).held
        self._facets = facets_of(mentions)
        self.said: list[OwnFigure] = []
        self._known: dict[Span, frozenset[float]] = {}
        if self._facets is not None:
            self._own = OwnSaid(mentions.plain, self._held.cast, self._held.said)
            self.said = self._own.all
            self.near = OwnNear(self._held.cast, self._facets)
            self._pools = pools = OwnPools(self.near)
            self._meant = OwnMeant(self.near, mentions.plain)
            self._counts = OwnCounts(self.near, pools, self._held.cast.lines)
            self._shares, self._lengths = OwnShares(self.near, pools), OwnLengths(self.near)
            query = mentions.subject.query or ""
            self._times = OwnTimes(self.near, orders_named(mentions), query)
            self._words = OwnWords(mentions, self._held)

    def of(self, one: OwnFigure) -> dict[str, float]:
        """Each sign between 0 and 1; those that are 0 are left out."""
        near = self.near.at(one.start)
        if near is None:
            return {}
        found = self._words.signs(one, near)
        found |= self._of_kind(one, near, found)
        found |= self._of_records(one, near)
        return {name: value for name, value in found.items() if value}

    def _of_kind(self, one: OwnFigure, near: OwnPlace, words: Mapping[str, float]) -> dict[str, float]:
        beside = others(self._own.within(near.span), one)
        around = others(self._own.within((near.span[0] - _AROUND, near.span[1] + _AROUND)), one)
        if one.kind in COUNTED:
            found = self._counts.signs(one, near, beside, around)
            clause = self._held.prose.clause_at(one.start)
            meant = self._meant.fits(one, clause, around, self._pools.of(near))
            return found | {"fits_side": float(self._is_of_a_side(one, near)), "fits_meant": float(meant)}
        if one.kind == "nth":
            return self._shares.nth_signs(one, near)
        if one.kind == "share":
            money = [
                each.value
                for each in self._held.said.within((near.span[0] - _AROUND, near.span[1]))
                if each.kind == "money"
            ]
            return self._shares.share_signs(one, near, around, money[-16:])
        if one.kind == "span":
            return self._lengths.span_signs(one, near, beside, around)
        if one.kind == "state":
            return self._lengths.state_signs(one, near)
        cues = {
            name
            for name in ("first", "last", "most", "least", "none")
            if words.get(f"c_{name}") or words.get(f"b_{name}")
        }
        found = self._times.signs(one, near, beside, around, cues) if one.kind in DATED else {}
        return found | (self._lengths.part_signs(one, near) if one.kind in ("weekday", "bare_month") else {})

    def _is_of_a_side(self, one: OwnFigure, near: OwnPlace) -> bool:
        """Whether so many orders, of all or of what is named, are before or behind a day or in a time that is said, or of all that are counted before a colon: no weight is fitted to it."""
        sides = sides_of_days(self._held.cast, self.near.sets, near.span, one.start)
        things = firsts((*near.things, *near.before))[:_THINGS]
        years = firsts([each for each in near.times if each.kind == "time"])
        cut = [some & each for some in sides for each in (self.near.sets.all, *things)]
        cut += [then & each for then in years for each in things]
        if is_sum_behind_a_colon(self._mentions.plain, near.span, one.start, one.value):
            return True
        return any(one.value in self.near.sets.orders_of(some) for some in dict.fromkeys(cut))

    def _of_records(self, one: OwnFigure, near: OwnPlace) -> dict[str, float]:
        """Whether the record of what is named, or the reader's own, has the number."""
        if one.kind not in (*COUNTED, "year"):
            return {}
        if near.span not in self._known:
            ids = self._held.named(near.span) or self._held.named(self._held.around(one.start)[1])
            known = self._held.known.of(ids)
            self._known[near.span] = frozenset(
                float(each) for pool in (known.values, known.sizes, known.raters) for each in pool
            )
        return {
            "recorded": float(one.value in self._known[near.span]),
            "of_address": float(one.value >= _SHORTEST and str(int(one.value)) in self._address),
        }

    @cached_property
    def _address(self) -> frozenset[str]:
        user = self._mentions.subject.user
        return frozenset(re.findall(r"\d+", user.model_dump_json())) if user else frozenset()
