"""Figures that the evidence gives otherwise: another value where it speaks of the thing, or the same value of another thing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from drr.eval.evidence.aligned import CLAUSE
from drr.eval.evidence.amounting import Amounting
from drr.eval.evidence.likewise import holds
from drr.eval.evidence.reckoning import Reckoning
from drr.wording.amounts import Amount

_APART, _NEAR, _OUTDONE = 0.2, 0.3, 0.12
"""Shares of a claim's weight: by which another sentence must be closer, that it must say, by which a clause of the same must be."""
_MOST = 24
"""Figures of a sentence that are held against each other."""
_CLAUSES = re.compile(CLAUSE.pattern + r"|(?<!\s)\s++(?=(?:and|or)\b)")


class OtherValue(NamedTuple):
    """A figure of the claim that the evidence gives otherwise."""

    amount: Amount
    reason: str


class Contesting:
    def __init__(self, amounts: Amounting, reckoning: Reckoning) -> None:
        self._amounts = amounts
        self._reckoning = reckoning
        self._beside = amounts.beside

    def other_value(self) -> OtherValue | None:
        """The first figure of the claim that stands of another thing, or is another where the evidence speaks of the thing."""
        for one in self._amounts.own:
            at = self._amounts.places(one)
            if not at and one not in self._reckoning.worked_out and self._is_other(one):
                return OtherValue(one, f"the evidence has another value than {one.text}")
            may_follow = self._amounts.figures and self._reckoning.may_follow(one)
            if at and not may_follow and self._is_of_other(one, at):
                return OtherValue(one, f"the evidence says {one.text} of something else")
        return None

    def _is_other(self, one: Amount) -> bool:
        """A sentence with much of the rest has another figure; or all that the text says in this unit is one other value."""
        rest, rivals = self._amounts.rest(one), self._amounts.rivals(one)
        if not rivals:
            return False
        if max(self._said(rest, i) for i in rivals) >= _NEAR:
            return True
        every = [other for here in self._amounts.at for other in here if not other.loose]
        values = {other.value for other in every if (other.kind, other.unit) == (one.kind, one.unit)}
        alone = bool(one.unit) and one.kind not in ("share", "money") and len(values) == 1
        return alone and not self._amounts.figures

    def _is_of_other(self, one: Amount, at: Sequence[int]) -> bool:
        """Nowhere where it stands does it stand with what the claim says of it; that stands with another figure."""
        rest, rivals = self._amounts.rest(one), self._amounts.rivals(one)
        here = max(self._said(rest, i) for i in at)
        there = max((self._said(rest, i) for i in rivals if i not in at), default=0.0)
        closest = [i for i in at if self._said(rest, i) >= here - _APART / 2]
        return there >= max(here + _APART, _NEAR) or all(self._is_outdone(one, i) for i in closest)

    def _said(self, words: frozenset[str], i: int) -> float:
        return self._beside.share(words & self._beside.said[i])

    def _is_outdone(self, one: Amount, i: int) -> bool:
        """Another figure of the sentence stands in a clause with words of the claim that this one's clause lacks."""
        sentence, rest, share = self._beside.sentences[i], self._amounts.rest(one), self._beside.share
        alike = [
            other
            for other in self._amounts.at[i]
            if other.kind == one.kind or self._amounts.is_of_same(one, other, sentence)
        ][:_MOST]
        if len(alike) < 2:
            return False
        stem = self._beside.words(sentence[: alike[0].start])
        clauses = _clauses(sentence)
        about = {other: self._words_about(other, clauses, sentence) & rest for other in alike}
        own = [about[other] for other in alike if holds(one, other)]
        rivals = [about[o] - stem for o in alike if not any(holds(mine, o) for mine in self._amounts.own)]
        return any(
            min((share(words - mine) - share(mine - words - stem) for mine in own), default=0.0) >= _OUTDONE
            for words in rivals
        )

    def _words_about(self, one: Amount, clauses: Sequence[tuple[int, int]], sentence: str) -> frozenset[str]:
        start, end = next((s, e) for s, e in clauses if s <= one.start < e)
        return self._beside.words(sentence[start:end])


def _clauses(sentence: str) -> list[tuple[int, int]]:
    """The last one reaches behind the sentence's end."""
    ends = [m.end() for m in _CLAUSES.finditer(sentence)]
    return list(zip([0, *ends], [*ends, len(sentence) + 1], strict=True))
