"""What can be counted of a claim beside its evidence: how much of it is said and how nearly, which figures and names are there, what is denied.

Each trait is a number with a plain meaning; `weighed` holds them against what people said of such pairs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from math import log1p

from drr.env.text import tokens
from drr.eval.evidence.aligned import GRAMMAR, family
from drr.eval.evidence.doubting import FIELD, is_less_sure
from drr.eval.evidence.exchanging import common
from drr.eval.evidence.laid_pair import LaidPair
from drr.eval.evidence.likewise import holds
from drr.eval.evidence.meant import Meaning
from drr.eval.evidence.standing import standing
from drr.wording.amounts import Amount
from drr.wording.assertions import ASSERTIONS

KNOTS = (0.3, 0.5, 0.7, 0.85, 0.95)
"""Shares of phrases: between them a trait may count more or less."""
_LONGEST = 60
"""Words of a sentence that are laid beside each other."""
_FIGURES = 6
_BESIDE = 28
"""Characters on either side of a figure that say what it is of."""
_LEAST_PART = 0.05
_NEARLY_ALL = 0.9
_AND = re.compile(r"\band\b", re.I)


class PairTraits:
    """Of one claim and its evidence."""

    def __init__(self, pair: LaidPair) -> None:
        self._pair = pair
        self._beside = pair.beside
        self._amounts = pair.amounts
        self._whole = frozenset[str]().union(*pair.beside.said)

    @cached_property
    def meaning(self) -> Meaning:
        return Meaning(self._beside)

    @property
    def listed(self) -> float:
        """Of the sentences that speak of the claim, the share that are fields of a list: `Weight: 2 kg`. What is written so says no more than it says."""
        read = self._beside.read
        return sum(FIELD.match(text) is not None for text in read) / len(read)

    def counted(self) -> Mapping[str, float]:
        """All of them, by name."""
        return {
            **self._coverage(),
            **self._phrases(),
            **self._order(),
            **self._parts(),
            **self._figures(),
            **self._names(),
            **self._commitments(),
            **self._meaning(),
            **standing(self._beside),
        }

    def _coverage(self) -> dict[str, float]:
        return {"covered": self._beside.covered, "present": self._beside.share(self._whole)}

    def _phrases(self) -> dict[str, float]:
        """Of the claim's own pairs and triples of words those that stand in the evidence."""
        beside = self._beside
        claim = _stems(beside.claim)
        near = [_stems(text) for text in beside.read]
        pairs = _held(_runs(claim, 2), near, 2)
        triples = _held(_runs(claim, 3), [_stems(text) for text in beside.sentences], 3)
        bends = {f"phrases_{knot}": max(0.0, triples - knot) / (1 - knot) for knot in KNOTS}
        return {"pairs": pairs, **bends}

    def _order(self) -> dict[str, float]:
        """The claim laid word by word beside the sentence that has most of it in this order: what is exchanged, added, put behind."""
        beside = self._beside
        claim = _weighty(beside.claim)
        size = len(claim) or 1
        first = sorted(range(len(beside.shares)), key=lambda i: (-beside.shares[i], i))[:2]
        laid = max(
            (common(claim, _weighty(beside.sentences[i])) for i in dict.fromkeys((beside.best, *first))),
            key=len,
        )
        exchanged = added = 0
        for (i, j), (k, m) in pairwise(laid):
            exchanged += min(k - i, m - j) - 1
            added += max(0, (k - i) - (m - j))
        behind = len(claim) - 1 - laid[-1][0] if laid else 0
        literal = len(laid) / size
        return {
            "literal": literal,
            "exchanged": literal * exchanged / size,
            "added": added / size,
            "behind": behind / size,
            "behind_literal": literal * behind / size,
        }

    def _parts(self) -> dict[str, float]:
        beside, shares = self._beside, list[float]()
        for part in beside.parts:
            words = beside.words(part.text) & beside.asked
            if not part.is_frame and beside.share(words) >= _LEAST_PART:
                shares.append(beside.share(words & beside.held) / beside.share(words))
        return {
            "part_least": min(shares, default=0.0),
            "part_most": max(shares, default=0.0),
            "parts": log1p(len(shares)),
            "part_missing": float(bool(self._pair.missing)),
            "joined": float(_AND.search(beside.claim) is not None),
        }

    def _figures(self) -> dict[str, float]:
        amounts, reckoning = self._amounts, self._pair.reckoning
        own, missing = amounts.own, amounts.missing
        other = self._pair.other_value
        elsewhere = other is not None and bool(amounts.places(other.amount))
        return {
            "figures_missing": len(missing) / (len(own) or 1),
            "figures_not_following": sum(not reckoning.may_follow(one) for one in missing) / (len(own) or 1),
            "figures_not_worked_out": sum(one not in reckoning.worked_out for one in missing)
            / (len(own) or 1),
            "figures_worked_out": float(bool(reckoning.worked_out)),
            "figure_other": float(other is not None and not elsewhere),
            "figure_of_other": float(elsewhere),
            "figure_outdone": max(map(self._outdone, own[:_FIGURES]), default=0.0),
        }

    def _outdone(self, one: Amount) -> float:
        """By how much another figure of its kind stands closer to the words that stand beside it in the claim."""
        beside = self._beside
        mine = self._around(beside.claim, one)
        same = rival = 0.0
        for sentence, here in zip(beside.sentences, self._amounts.at, strict=True):
            for other in here:
                if other.loose or (other.kind != one.kind and not holds(one, other)):
                    continue
                share = len(mine & self._around(sentence, other)) / (len(mine) or 1)
                if holds(one, other):
                    same = max(same, share)
                else:
                    rival = max(rival, share)
        return rival - same

    def _around(self, text: str, one: Amount) -> frozenset[str]:
        before = text[max(0, one.start - _BESIDE) : one.start]
        return self._beside.words(before) | self._beside.words(text[one.end : one.end + _BESIDE])

    def _names(self) -> dict[str, float]:
        beside, own = self._beside, self._beside.name_words
        near = beside.said[beside.best] | (beside.said[beside.best - 1] if beside.best else frozenset())
        told = beside.share(beside.told & beside.said[beside.best]) / (beside.share(beside.told) or 1.0)
        subject = beside.subject
        away = bool(subject & self._whole) and not subject & near
        return {
            "name_other": float(self._pair.foreign is not None),
            "names_unknown": float(bool(self._pair.unnamed)),
            "names_elsewhere": told * len((own & self._whole) - near) / (len(own) or 1),
            "subject_elsewhere": told * away,
        }

    def _commitments(self) -> dict[str, float]:
        beside = self._beside
        claim, best = beside.claim, beside.sentences[beside.best]
        caused = ASSERTIONS.causes.search(claim) is not None
        return {
            "opposed": float(self._pair.opposite is not None),
            "less_sure": float(is_less_sure(beside, caused=caused)),
            "hedged": self._only(ASSERTIONS.hedges, best, claim),
            "of_fewer": self._only(ASSERTIONS.fewer, beside.clause(beside.best), claim),
            "of_all": self._only(ASSERTIONS.absolutes, claim, self._read),
            "no_cause": self._only(ASSERTIONS.causes, claim, self._read),
        }

    def _meaning(self) -> dict[str, float]:
        """With words that say the same, or name a kind, taken for each other."""
        meaning = self.meaning
        said, parts = meaning.said, meaning.part_shares
        return {
            "meant": max(0.0, said - _NEARLY_ALL) / (1 - _NEARLY_ALL),
            "otherwise": meaning.otherwise,
            "reworded": meaning.reworded,
            "said": said,
            "said_at_once": meaning.said_at_once,
            "unsaid": meaning.unsaid,
            "lost": meaning.lost,
            "part_gap": max(parts, default=0.0) - min(parts, default=0.0),
            "opposite_meant": meaning.opposed,
            "told_of_other": meaning.of_other,
        }

    @cached_property
    def _read(self) -> str:
        return "\n".join(self._beside.read)

    @staticmethod
    def _only(pattern: re.Pattern[str], here: str, there: str) -> float:
        """Whether it stands in the one text and not in the other."""
        return float(pattern.search(here) is not None and pattern.search(there) is None)


def _stems(text: str) -> list[str]:
    return [family(word) for word in tokens(text)]


def _weighty(text: str) -> list[str]:
    return [family(word) for word in tokens(text) if word not in GRAMMAR][:_LONGEST]


def _runs(words: Sequence[str], size: int) -> set[tuple[str, ...]]:
    return set(zip(*(words[start:] for start in range(size)), strict=False))


def _held(own: set[tuple[str, ...]], texts: Sequence[Sequence[str]], size: int) -> float:
    there = set[tuple[str, ...]]().union(*(_runs(words, size) for words in texts))
    return len(own & there) / len(own) if own else 0.0
