"""A claim laid beside the sentences of its evidence: what of it they say, and what in them speaks against it.

By words alone. A word weighs the more the fewer sentences hold it; what is said in another sentence, of another thing, less
surely, of another number or the other way round is not what the claim says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from math import log
from typing import NamedTuple

from drr.env.text import tokens
from drr.eval.evidence.derived import follows
from drr.wording.assertions import ASSERTIONS
from drr.wording.figures import Number, numbers
from drr.wording.tolerance import same_number

Words = Callable[[str], frozenset[str]]
FULL, SOME = 0.55, 0.15
"""Shares of a claim's weight that its evidence says."""
_APART = 0.2
_JOINED = 0.12
"""Of the claim's weight, that a further sentence must bring to be read with the first."""
_DENYING = 0.3
_CLOSE = 0.35
"""From which share on a sentence speaks of the very thing."""
_ENDINGS = tuple(
    sorted(["ations", "ation", "ments", "ment", "nesses", "ness", "ings", "ing", "edly", "ed", "ers", "er", "ors", "or", "ies", "ied", "ily", "ly", "es", "s", "e", "y", "al", "ally", "ance", "ence", "ive", "ion", "ions", "able", "ible", "ful", "ity"], key=len, reverse=True)
)  # fmt: skip
_NAME = re.compile(r"\b[A-Z][\w'’&]*[A-Za-z0-9]\b")
_LOWER = re.compile(r"\b[a-z][\w']*")
_CLAUSE = re.compile(
    r"(?<=[,;:])\s++|(?<!\s)\s++(?=(?:but|although|though|while|whereas|however|except)\b)|[()]"
)
_PART = re.compile(r",\s++(?:and|but|which|while)\s++|[,;]\s++|(?<!\s)\s++(?:and|but|because|which)\s+")


@lru_cache(maxsize=65536)
def family(word: str) -> str:
    """A word without what grammar puts behind it: `fermented`, `fermentation`."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


@lru_cache(maxsize=16384)
def _numbers(sentence: str) -> tuple[Number, ...]:
    return tuple(numbers(sentence, words=True))


class Doubt(NamedTuple):
    """Why a claim is less than stated, or contradicted in `word`."""

    reason: str
    word: str = ""


class Alignment:
    """One claim and the sentences of its evidence."""

    def __init__(self, claim: str, sentences: Sequence[str], content: Words) -> None:
        self.claim = claim
        self.sentences = sentences
        self._content = content
        self._known: dict[str, frozenset[str]] = {}
        self.asked = self.words(claim)
        self._said = [self.words(sentence) for sentence in sentences]
        self._weights = self._weigh()
        self._whole = sum(self._weights.values()) or 1.0
        self._shares = [self.share(said) for said in self._said]
        self.best = max(range(len(sentences)), key=self._shares.__getitem__)
        self.window, self.held = self._window()

    @property
    def covered(self) -> float:
        """Of what the claim says; of one that says nothing but figures, of these."""
        if self.asked:
            return self.share(self.held)
        return 1 - len(self.missing) / len(self.figures) if self.figures else 0.0

    def words(self, text: str) -> frozenset[str]:
        if text not in self._known:
            self._known[text] = frozenset(map(family, self._content(text)))
        return self._known[text]

    def _weigh(self) -> Mapping[str, float]:
        n = len(self._said)
        counts = {word: sum(word in said for said in self._said) for word in self.asked}
        return {word: log((n + 1) / (count + 0.5 if count else 1.5)) for word, count in counts.items()}

    def share(self, words: Iterable[str]) -> float:
        """Of the claim's weight, that these words bear."""
        return sum(self._weights[word] for word in self.asked.intersection(words)) / self._whole

    def _window(self) -> tuple[list[int], frozenset[str]]:
        """The sentence that says most, with up to two others that say what it leaves."""
        window, held = [self.best], self.asked & self._said[self.best]
        for _ in range(2):
            more = [self.share(said - held) if i not in window else 0.0 for i, said in enumerate(self._said)]
            best = max(range(len(more)), key=lambda i: more[i] / (1 + 0.15 * min(abs(i - self.best), 4)))
            if more[best] < _JOINED:
                break
            window.append(best)
            held |= self.asked & self._said[best]
        return window, held

    @cached_property
    def read(self) -> list[str]:
        """The sentences of the window."""
        return [self.sentences[i] for i in self.window]

    @cached_property
    def _figures(self) -> list[tuple[Number, ...]]:
        return [_numbers(sentence) for sentence in self.sentences]

    @cached_property
    def figures(self) -> list[Number]:
        """Of the claim, without those that are part of a name (`Polar 8`) or of a word (`four-hour`)."""
        found = []
        for one in numbers(self.claim, words=True):
            first = re.escape(one.text.split()[0])
            named = re.search(rf"\b[A-Z][\w-]{{0,40}}[ -]{first}(?!\w)", self.claim[1:])
            counts = one.kind is not None or one.text.split()[0].casefold() not in ("one", "zero", "two")
            if counts and not named and not re.search(rf"{first}-[a-z]", self.claim):
                found.append(one)
        return found

    @cached_property
    def missing(self) -> list[Number]:
        """Figures of the claim that no sentence states."""
        return [one for one in self.figures if not self._at(one)]

    def _at(self, figure: Number) -> list[int]:
        return [i for i, here in enumerate(self._figures) if any(same_number(figure, one) for one in here)]

    @cached_property
    def worked_out(self) -> list[Number]:
        """Missing figures that follow from what is stated, where the claim or the evidence reckons."""
        reckons = ASSERTIONS.figuring.search(self.claim) or any(
            map(ASSERTIONS.relative.search, self.sentences)
        )
        stated = [one for here in self._figures for one in here]
        return [one for one in self.missing if reckons and follows(one, stated)]

    def contradiction(self) -> Doubt | None:
        """The first thing that speaks against the claim."""
        return self._other_value() or self._other_name() or self._denied() or self._opposite()

    def _other_value(self) -> Doubt | None:
        """The sentence that the claim is about has another figure of this kind."""
        for figure in self.figures:
            if figure in self.worked_out:
                continue
            at, rest = self._at(figure), self.asked - self.words(figure.text)
            rivals = [
                i
                for i, here in enumerate(self._figures)
                if i not in at and any(_is_rival(one, figure, self.figures) for one in here)
            ]
            here = max((self.share(rest & self._said[i]) for i in at), default=0.0)
            there = max((self.share(rest & self._said[i]) for i in rivals), default=0.0)
            if (at and there >= max(here + 0.2, 0.3)) or (not at and there >= 0.4):
                return Doubt(
                    f"the closest sentence of the evidence has another value than {figure.text}", figure.text
                )
        return None

    @cached_property
    def _common(self) -> frozenset[str]:
        return frozenset(word for sentence in self.sentences for word in _LOWER.findall(sentence))

    def _names(self, text: str) -> frozenset[str]:
        return frozenset(name for name in _NAME.findall(text) if name.lower() not in self._common)

    def _other_name(self) -> Doubt | None:
        """The sentence that the claim is about, and the one before it, name another and none of the claim's."""
        named = self._names(self.claim)
        known = named & frozenset(name for sentence in self.sentences for name in _NAME.findall(sentence))
        near = " ".join(self.sentences[max(0, self.best - 1) : self.best + 1])
        others = self._names(self.sentences[self.best]) - named
        if self._shares[self.best] >= _CLOSE and known and others and not known & self._names(near):
            return Doubt(f"the closest sentence of the evidence is about {min(others)}", min(known))
        return None

    def unnamed(self) -> list[str]:
        """Names of the claim that the evidence holds in no form; what begins a sentence may be any word."""
        said = frozenset().union(*self._said)
        names = self._names(self.claim.partition(" ")[2])
        return sorted(name for name in names if not said.intersection(self.words(name)))

    def _denials(self, text: str) -> frozenset[str]:
        """The first words of weight behind each denial."""
        found: set[str] = set()
        for behind in ASSERTIONS.denied(text):
            found.update([family(word) for word in tokens(behind) if family(word) in self.words(behind)][:2])
        return frozenset(found)

    def _denied(self) -> Doubt | None:
        """What a close sentence denies the claim says, or the other way round."""
        own = self._denials(self.claim)
        for i in self.window:
            here = self._denials(self.sentences[i])
            torn = sorted(self.asked & self._said[i] & (here ^ own)) if self._shares[i] >= _DENYING else []
            if torn:
                return Doubt("the closest sentence of the evidence says the opposite", torn[0])
        return None

    def _opposite(self) -> Doubt | None:
        """Where the claim says `best`, a sentence about it says `worst`, or says it of something nearer."""
        own = tokens(self.claim)
        focus = frozenset(map(family, tokens(" ".join(self._names(self.claim))))) or self.asked
        for i, sentence in enumerate(self.sentences):
            about = i == self.best or bool(self._names(sentence) & self._names(self.claim))
            if self._shares[i] < _CLOSE - 0.15 or not about:
                continue
            for word in own:
                opposite = ASSERTIONS.opposites(word).difference(own).intersection(tokens(sentence))
                if opposite and _is_nearer(min(opposite), word, tokens(sentence), focus):
                    return Doubt(f"the evidence says {min(opposite)!r}, not {word!r}", word)
        return None

    def partly(self, word: str) -> bool:
        """Whether a part of the claim, apart from what is contradicted, is said."""
        parts = _PART.split(self.claim)
        others = [self.words(part) & self.asked for part in parts if not self.words(word) & self.words(part)]
        return len(parts) > 1 and any(
            self.share(part) >= 0.25 and self.share(part & self.held) >= 0.6 * self.share(part)
            for part in others
        )

    def doubts(self) -> list[Doubt]:
        """Why what is covered is not yet all that the claim says."""
        found: list[Doubt] = []
        if ASSERTIONS.causes.search(self.claim) and not any(map(ASSERTIONS.causes.search, self.read)):
            found.append(Doubt("the evidence gives no such reason"))
        if any(map(ASSERTIONS.hedges.search, self._clauses())) and not ASSERTIONS.hedges.search(self.claim):
            found.append(Doubt("the evidence says it with less certainty"))
        if ASSERTIONS.absolutes.search(self.claim) and not any(map(ASSERTIONS.absolutes.search, self.read)):
            found.append(Doubt("the evidence does not say it of all"))
        far = [self._said[i] for i in self.window if i and abs(i - self.best) > 1]
        if any(self.share(said - self._said[self.best]) >= _APART for said in far):
            found.append(Doubt("no sentence of the evidence says it together"))
        for part in _PART.split(self.claim):
            words = self.words(part) & self.asked
            if self.share(words) >= 0.1 and self.share(words & self.held) < 0.34 * self.share(words):
                found.append(Doubt(f"not in the evidence: {' '.join(part.split()[:8])}"))
        return found

    def _clauses(self) -> list[str]:
        """Of each sentence of the window the clause that says most of the claim."""
        return [
            max(_CLAUSE.split(sentence), key=lambda clause: self.share(self.words(clause)))
            for sentence in self.read
        ]


def _is_rival(one: Number, figure: Number, own: Sequence[Number]) -> bool:
    """Of the same kind, and none of the claim's own."""
    return one.kind == figure.kind and not any(same_number(said, one) for said in own)


def _is_nearer(opposite: str, word: str, said: Sequence[str], focus: frozenset[str]) -> bool:
    """Most of what the claim names, or else shares with the sentence, stands nearer to the opposite."""
    if word not in said:
        return True
    a, b = said.index(opposite), said.index(word)
    shared = [at for at, one in enumerate(said) if family(one) in focus and one not in (opposite, word)]
    return sum(abs(at - a) < abs(at - b) for at in shared) * 2 > len(shared) > 0
