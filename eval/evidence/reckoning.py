"""Figures of a claim that its evidence does not state but that follow from what it states, where something is reckoned."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from drr.eval.evidence.amounting import Amounting
from drr.eval.evidence.derived import follows, is_between, is_rest
from drr.wording.amounts import Amount
from drr.wording.assertions import ASSERTIONS

_FEW = 6
"""Different figures of one kind in a text, of which any may be combined."""
_MOST_OF_IT = 0.6
"""Share of what a claim says beside a figure, from which on a sentence is about that figure and no other."""
_LOOSE = frozenset(("times", "share", "year", "day", "clock"))
"""Kinds of which something is easily a difference by chance."""


class Reckoning:
    def __init__(self, amounts: Amounting) -> None:
        self._amounts = amounts
        self._beside = amounts.beside
        self._near = amounts.near()

    @cached_property
    def worked_out(self) -> list[Amount]:
        """Missing figures that follow from what stands together."""
        return [one for one in self._amounts.missing if self._follows(one)]

    @cached_property
    def absent(self) -> list[Amount]:
        """Figures that are neither stated nor follow; a small count in words and a multiple may be said otherwise."""
        taken = any(
            one.kind == "money" for one in self.worked_out
        )  # counts of the claim's own, reckoned with
        return [
            one
            for one in self._amounts.missing
            if one not in self.worked_out and not _is_slight(one) and not (taken and one.kind is None)
        ]

    def may_follow(self, one: Amount) -> bool:
        """Also with what the claim itself counts: two dogs for five nights."""
        counted = [other for other in self._amounts.own if other is not one and other.kind in (None, "time")]
        groups = self._groups_for(one)
        if one.kind == "money" and counted:
            groups = [*groups, *([*counted, *group] for group in groups)]
        return any(follows(one, group) for group in groups)

    def is_rest(self) -> bool:
        """Whether the claim counts what the evidence leaves over: then the two say opposite things and agree."""
        return any(is_rest(one, self._amounts.at[i]) for one in self._amounts.own for i in self._near)

    def _follows(self, one: Amount) -> bool:
        if self._is_plainly_other(one):
            return False
        if self._reckons(one) and self.may_follow(one):
            return True
        return one.kind not in _LOOSE and any(is_between(one, self._amounts.at[i]) for i in self._near)

    def _is_plainly_other(self, one: Amount) -> bool:
        """A sentence that says most of the rest has another figure, and neither it nor the claim reckons."""
        rest, share = self._amounts.rest(one), self._beside.share
        return not self._amounts.figures and any(
            share(rest & self._beside.said[i]) >= _MOST_OF_IT * share(rest) > 0
            for i in self._amounts.rivals(one)
            if not self._is_reckoned_in(one, i)
        )

    def _is_reckoned_in(self, one: Amount, i: int) -> bool:
        """`$40, with a drawer $12 more`, `founded in 1998, sold five years later`."""
        text = self._beside.sentences[i]
        reckons = ASSERTIONS.relative.search(text) or ASSERTIONS.figuring.search(text)
        return reckons is not None and self.may_follow(one)

    def _reckons(self, one: Amount) -> bool:
        """Whether words of reckoning stand in the claim, close to it, or beside figures of this kind."""
        at = self._amounts.at
        alike = [i for i, here in enumerate(at) if any(other.kind == one.kind for other in here)]
        behind = [i + 1 for i in alike if one.kind is not None and i + 1 < len(at)]
        texts = [self._beside.claim, *(self._beside.sentences[i] for i in {*self._near, *alike, *behind})]
        return (
            self._amounts.figures
            or any(map(ASSERTIONS.relative.search, texts))
            or any(map(ASSERTIONS.figuring.search, texts[1:]))
        )

    def _groups_for(self, one: Amount) -> list[list[Amount]]:
        """A multiple or a share is of figures of one sentence; counts are added only where the claim says that it counts."""
        at = self._amounts.at
        if one.kind in ("year", "day", "clock"):
            moments = [other for here in at for other in here if other.kind == one.kind]
            return [*self._groups, *([*at[i], *moments] for i in self._near)]
        if one.kind in ("times", "share"):
            return [list(at[i]) for i in self._near]
        return [] if one.kind is None and not self._amounts.figures else self._groups

    @cached_property
    def _groups(self) -> list[list[Amount]]:
        """Figures that may be combined: of each near sentence with those beside it, of all near ones, of a kind of which there are few."""
        at = self._amounts.at
        groups = [[one for j in (i, i - 1, i + 1) if 0 <= j < len(at) for one in at[j]] for i in self._near]
        every = [one for here in at for one in here]
        return [*groups, [one for i in self._near for one in at[i]], *_few_of_kind(every)]


def _few_of_kind(every: Sequence[Amount]) -> list[list[Amount]]:
    kinds = {one.kind for one in every} - {None, "share"}
    groups = [[one for one in every if one.kind == kind] for kind in sorted(map(str, kinds))]
    return [group for group in groups if 1 < len({one.base for one in group}) <= _FEW]


def _is_slight(one: Amount) -> bool:
    return one.kind == "times" or (one.kind is None and one.value <= 3 and not one.text[0].isdigit())
