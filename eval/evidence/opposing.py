"""What the evidence denies of what a claim says, or the other way round; opposites and comparisons turned round."""

from __future__ import annotations

import re

from drr.env.text import tokens
from drr.eval.evidence.aligned import GRAMMAR, Alignment, family
from drr.wording.assertions import ASSERTIONS

_CLOSE = 0.3
"""From which share on a sentence speaks of the very thing."""
_NEAR = 0.15
"""From which share on all that a sentence says of the thing is to be denied."""
_DENIED = 4
"""Words of weight that one denial reaches."""
_THAN = re.compile(r"\bthan\b", re.I)
_COMPARED = re.compile(r"(?:er|ess)$|^(?:more|worse)$")
_AFFIX = re.compile(r"^(?:un|non|dis)(?=[a-z]{4})")


class Opposing:
    def __init__(self, beside: Alignment) -> None:
        self._beside = beside

    def reason(self) -> tuple[str, str] | None:
        """Why, and in which word."""
        return self._denied() or self._affixed() or self._opposite() or self._turned()

    def _denials(self, text: str) -> frozenset[str]:
        """The first words of weight behind each denial, that do not stand elsewhere in the text too."""
        found: set[str] = set()
        for behind in ASSERTIONS.denied(text):
            found.update(_weighty(behind)[:_DENIED])
        question = _DENIED_QUESTION.match(text)
        return frozenset(found) | (self._beside.words(question[1]) if question else frozenset())

    def _denied(self) -> tuple[str, str] | None:
        beside, own = self._beside, self._denials(self._beside.claim)
        including = ASSERTIONS.including.search(beside.claim) is not None
        apart = [i for i, text in enumerate(beside.sentences) if including and ASSERTIONS.sets_apart(text)]
        for i in dict.fromkeys((*beside.window, *apart)):
            here = self._denials(beside.sentences[i])
            both = frozenset(_weighty(beside.claim)) & frozenset(_weighty(beside.sentences[i]))
            torn = both & (here ^ own)
            if (
                (ASSERTIONS.denies(beside.sentences[i]) and ASSERTIONS.denies(beside.claim))
                or not torn
                or beside.shares[i] < _NEAR
            ):
                continue
            share = beside.share(torn) / beside.shares[i]
            if (share >= 0.8 and self._is_all_denied(torn & here, i)) or (
                beside.shares[i] >= _CLOSE and (share >= 0.3 or torn & self._heads(i))
            ):
                return "the closest sentence of the evidence says the opposite", max(
                    torn, key=lambda w: (beside.share([w]), w)
                )
        return None

    def _is_all_denied(self, torn: frozenset[str], i: int) -> bool:
        """One denial, not two that cancel, of more than a word; or the thing is said not to be part of it."""
        sentence = self._beside.sentences[i]
        return ASSERTIONS.sets_apart(sentence) or (len(torn) > 1 and len(ASSERTIONS.denied(sentence)) == 1)

    def _heads(self, i: int) -> frozenset[str]:
        """The words that the denials of a sentence and of the claim stand before."""
        found = set[str]()
        claimed, said = (
            frozenset(_weighty(self._beside.claim)),
            frozenset(_weighty(self._beside.sentences[i])),
        )
        for text in (self._beside.claim, self._beside.sentences[i]):
            for behind in ASSERTIONS.denied(text):
                first = _weighty(behind)[:2]
                if claimed.issuperset(first) and said.issuperset(first):
                    found.update(first)
        return frozenset(found)

    def _affixed(self) -> tuple[str, str] | None:
        """`untreated` beside `treated`."""
        beside = self._beside
        if beside.shares[beside.best] < _CLOSE:
            return None
        mine, theirs = tokens(beside.claim), tokens(beside.sentences[beside.best])
        for one, other in ((mine, theirs), (theirs, mine)):
            for word in one:
                bare = _AFFIX.sub("", word)
                if (
                    bare != word
                    and bare not in one
                    and family(word) not in map(family, other)
                    and family(bare) in map(family, other)
                ):
                    return f"the evidence says {'not ' * (other is mine)}{word}", family(word)
        return None

    def _opposite(self) -> tuple[str, str] | None:
        """Where the claim says `best`, the sentence about it says `worst`, or says it of something nearer."""
        beside = self._beside
        own = tokens(beside.claim)
        focus = frozenset(beside.name_words) or beside.asked
        for i, sentence in enumerate(beside.sentences):
            about = i == beside.best or bool(beside.named_at[i] & beside.name_words)
            if beside.shares[i] < _CLOSE - 0.1 or not about:
                continue
            said = tokens(sentence)
            for word in own:
                for opposite in sorted(ASSERTIONS.opposites(word)):
                    if opposite not in said or opposite in own:
                        continue
                    if word in _OF_SAME and not _before_same(own, word, said, opposite):
                        continue
                    if _is_nearer(opposite, word, said, focus):
                        return f"the evidence says '{opposite}', not '{word}'", family(word)
        return None

    def _turned(self) -> tuple[str, str] | None:
        """`A is quieter than B` beside `B is quieter`."""
        beside, own = self._beside, tokens(self._beside.claim)
        for i in beside.window:
            than = _THAN.search(beside.sentences[i])
            if than is None:
                continue
            before, behind = (
                tokens(beside.sentences[i][: than.start()]),
                tokens(beside.sentences[i][than.end() :])[:5],
            )
            word = next((w for w in reversed(before[-4:]) if _COMPARED.search(w) and w in own), None)
            if word is None:
                continue
            at = own.index(word)
            first, rest = frozenset(map(family, own[:at])), frozenset(map(family, own[at + 1 :]))
            lesser = frozenset(map(family, behind)) & beside.asked - frozenset(map(family, before))
            if lesser and lesser <= first and not lesser & rest:
                return "the evidence compares the two the other way round", family(word)
        return None


def _weighty(text: str) -> list[str]:
    """The families of the words that mean something, in their order."""
    return [family(word) for word in tokens(text) if word not in GRAMMAR]


def _before_same(own: list[str], word: str, said: list[str], opposite: str) -> bool:
    """Both stand before the same word: `after the war`, `before the war`."""
    mine, theirs = own[own.index(word) + 1 :][:3], said[said.index(opposite) + 1 :][:3]
    return any(len(one) > 3 for one in frozenset(map(family, mine)) & frozenset(map(family, theirs)))


_OF_SAME = frozenset(
    ("before", "after", "above", "below", "over", "under", "with", "without", "up", "down", "first", "last")
)
"""Opposites that say something only of what follows them."""
_DENIED_QUESTION = re.compile(r"([^?]{0,400})\?\s*(?:A[:.]\s*)?no\b", re.I)


def _is_nearer(opposite: str, word: str, said: list[str], focus: frozenset[str]) -> bool:
    """Most of what the claim names, or else shares with the sentence, stands nearer to the opposite."""
    if word not in said:
        return True
    a, b = said.index(opposite), said.index(word)
    shared = [at for at, one in enumerate(said) if family(one) in focus and one not in (opposite, word)]
    return sum(abs(at - a) < abs(at - b) for at in shared) * 2 > len(shared) > 0
