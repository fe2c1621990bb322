"""The figures of a claim beside those of its evidence: which there are, of what, and which sentences state them.

What follows from stated figures, `reckoning` says; what is stated otherwise, `contesting`.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache

from drr.eval.evidence.aligned import Alignment
from drr.eval.evidence.likewise import holds
from drr.wording.amounts import Amount, amounts
from drr.wording.assertions import ASSERTIONS

_MOST = 12
"""Figures of a claim that are looked at."""
_AHEAD = 32
"""Characters behind a count in which stands what is counted."""
_STOPS = re.compile(r"[,;:.()\n]|\s(?:of|in|for|to|and|or|from|with|by|at|on|than|that|which)\s|\d")
_ALL = re.compile(r"\b(?:the|all|these|those|both)\s$", re.I)
_OF_THESE = re.compile(r"\s(?:of\s(?:the|her|his|its|their|these|those|our|my)\s)")
_CAPITAL = re.compile(r"\b[A-Z][\w.]{0,30}[ -]$")
_BEFORE = 40
_APART = 0.2
_MILLIONS = -4
"""Places that `3.42 billion`, `61 million` show fewer than their digits."""


@lru_cache(maxsize=32768)
def read_amounts(sentence: str) -> tuple[Amount, ...]:
    return tuple(amounts(sentence))


class Amounting:
    def __init__(self, beside: Alignment) -> None:
        self.beside = beside
        every = [read_amounts(sentence) for sentence in (beside.claim, *beside.sentences)]
        self._claimed, *self.at = _with_prices(every)

    @cached_property
    def own(self) -> list[Amount]:
        """The claim's figures, without those that are part of a name (`Polar 8`) and those that are hardly any (`an hour`)."""
        return [
            one
            for one in self._claimed[:_MOST]
            if not one.loose and not self._is_of_name(one) and not self._is_of_all(one)
        ]

    def _is_of_all(self, one: Amount) -> bool:
        """`the four`: what was counted before."""
        claim = self.beside.claim
        return (
            one.kind is None
            and not self.counted(one, claim)
            and _ALL.search(claim[max(0, one.start - _BEFORE) : one.start]) is not None
        )

    def _is_of_name(self, one: Amount) -> bool:
        before = _CAPITAL.search(self.beside.claim[max(0, one.start - _BEFORE) : one.start])
        if before is None or one.kind is not None:
            return False
        written = f"{before[0]}{one.text}"
        return any(written in sentence for sentence in self.beside.sentences)

    @cached_property
    def missing(self) -> list[Amount]:
        """Figures of the claim that no sentence states of the same thing."""
        return [one for one in self.own if not self.places(one)]

    @cached_property
    def figures(self) -> bool:
        """Whether the claim says that it reckons."""
        claim = self.beside.claim
        return ASSERTIONS.figuring.search(claim) is not None or any(
            one.kind is None and _OF_THESE.match(claim, one.end) for one in self._claimed
        )

    def counted(self, one: Amount, text: str) -> frozenset[str]:
        """What a count counts."""
        behind = text[one.end : one.end + _AHEAD]
        whole = _OF_THESE.match(behind)
        behind = behind[whole.end() - 1 :] if whole else behind
        stop = _STOPS.search(behind)
        return self.beside.words(behind[: stop.start()] if stop else behind.rpartition(" ")[0])

    def is_of_same(self, own: Amount, other: Amount, sentence: str) -> bool:
        """Two counts are of one thing where they share its word; measures where their kind is one."""
        if own.kind is not None or other.kind is not None:
            return own.kind == other.kind
        mine, theirs = self.counted(own, self.beside.claim), self.counted(other, sentence)
        return bool(mine & theirs) or not (mine or theirs)

    def places(self, one: Amount) -> list[int]:
        """Sentences that state the figure; a count that is of another thing there only where they speak of the claim anyway."""
        return [
            i
            for i, here in enumerate(self.at)
            if any(holds(one, other) and self._may_be_of(one, other, i) for other in here)
        ]

    def _may_be_of(self, one: Amount, other: Amount, i: int) -> bool:
        if self.beside.asked and self.beside.shares[i] < _least(one, other):
            return False
        if one.kind is not None:
            return True
        if one.kind == other.kind and self.is_of_same(one, other, self.beside.sentences[i]):
            return True
        mine = self.counted(one, self.beside.claim)
        return self.beside.shares[i] >= _APART and not any(mine & said for said in self.beside.said)

    def near(self) -> list[int]:
        """Sentences whose figures are combined: the closest ones, and those that stand beside the closest."""
        beside = self.beside
        ranked = sorted(range(len(beside.sentences)), key=lambda i: (-beside.shares[i], i))[:3]
        return sorted({*beside.window, *(i for i in ranked if beside.shares[i] >= 0.1)})

    def rest(self, one: Amount) -> frozenset[str]:
        """What the claim tells beside the figure: of several parts the one that it stands in, if that tells anything."""
        beside = self.beside
        part = next(part for part in beside.parts if one.start < part.end)
        told = beside.told if beside.subject else beside.asked
        words = beside.words(part.text) & told - beside.words(one.text)
        if not words and len(beside.parts) > 1:
            return frozenset()
        return beside.subject | (words if len(words) > 1 else told) - beside.words(one.text)

    def rivals(self, one: Amount) -> list[int]:
        """Sentences with another figure for what the claim's figure is of."""
        return [
            i
            for i, here in enumerate(self.at)
            if any(
                not other.loose
                and other.kind == one.kind
                and self.is_of_same(one, other, self.beside.sentences[i])
                and not any(holds(own, other) for own in self.own)
                for other in here
            )
        ]


def _least(one: Amount, other: Amount) -> float:
    """Of the claim's weight, that a sentence must say for its figure to be taken for one that is only near, or for a bare one."""
    return 0.15 if one.bound else 0.3 if one.kind != other.kind else 0.0


def _with_prices(at: list[tuple[Amount, ...]]) -> list[tuple[Amount, ...]]:
    """Beside sums of money a bare figure with two decimals, or in millions, is one too."""
    if not any(one.kind == "money" for here in at for one in here):
        return at
    return [
        tuple(
            one._replace(kind="money")
            if one.kind is None and (one.decimals == 2 or one.decimals <= _MILLIONS)
            else one
            for one in here
        )
        for here in at
    ]
