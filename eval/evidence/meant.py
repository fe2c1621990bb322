"""A claim laid beside its evidence by what words mean: what is said in other words, what stands there in the opposite, and of whom it is told.

`aligned` compares words as they stand. Here a word of the claim is also said by one that says nearly the same, by one of its kind
(a kettle is an appliance; an appliance need be no kettle), by one of its root, and by its opposite where that is denied.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from math import fsum, log
from typing import NamedTuple

from drr.env.text import tokens
from drr.eval.evidence.aligned import GRAMMAR, Alignment, family
from drr.wording.thesaurus import Read, thesaurus

SAME, ROOT, KIND, DENIED = 0.8, 0.7, 0.6, 0.5
"""How much a word is said by one of the same meaning, of the same root, of its kind, and by its opposite denied."""
HELD = 0.4
"""From which on a word counts as said."""
_LETTERS, _OF_LONGER = 5, 0.75
"""That words of one root share at least, and of the longer one what share."""
_REACH = 4
"""Words behind a denial that it may deny."""
_DENIALS = frozenset(
    tokens(
        "not no never without cannot neither nor none less least fewer hardly barely nobody nothing lack lacks fails failed unable except "
        "isn aren wasn weren doesn don didn won hasn haven couldn wouldn shouldn"
    )
)
_CLAUSES = re.compile(
    r"[;:()\n\u2013\u2014]|,\s|\s(?:and|but|while|whereas|although|though|because|which|who|than|against|so)\s",
    re.I,
)
_JOINED = 0.1
_LEAST_PART = 0.05
_LEAST_LOST, _HARDLY = 0.03, 0.1
"""What a part weighs at least to be missed, and how much of it is said at most."""
Sides = Mapping[int, frozenset[bool]]
"""Sides of opposites that are taken, and whether they are denied."""


class SaidMeanings(NamedTuple):
    """What the words of one sentence say."""

    families: frozenset[str]
    roots: Mapping[str, tuple[str, ...]]
    groups: Mapping[int, float]
    kinds: frozenset[str]
    sides: Sides


class Needed(NamedTuple):
    """What one word of a claim says."""

    groups: Mapping[int, float]
    heads: frozenset[str]
    sides: Sides


class ToldClause(NamedTuple):
    """A clause, and whom it is about: those whom it names, else those who were named last."""

    said: SaidMeanings
    about: frozenset[str]


class _Gathered:
    """What several readings of words say together."""

    def __init__(self) -> None:
        self.groups: dict[int, float] = {}
        self.kinds: set[str] = set()
        self.heads: set[str] = set()
        self._sides: dict[int, set[bool]] = {}

    def add(self, one: Read, *, denied: bool) -> None:
        for group, sure in one.sense.same.items():
            self.groups[group] = max(self.groups.get(group, 0.0), sure)
        self.kinds |= one.sense.kinds
        self.heads |= one.sense.heads
        for side in one.sense.sides:
            self._sides.setdefault(side, set()).add(denied)

    @property
    def sides(self) -> Sides:
        return {side: frozenset(found) for side, found in self._sides.items()}


def denies(words: Iterable[str]) -> bool:
    return any(word in _DENIALS for word in words)


def _denied(read: Sequence[str]) -> list[bool]:
    left, found = 0, []
    for word in read:
        found.append(left > 0)
        left = _REACH if word in _DENIALS else left - 1
    return found


@lru_cache(maxsize=32768)
def meant(sentence: str) -> SaidMeanings:
    read = tokens(sentence)
    denied, found = _denied(read), _Gathered()
    for one in thesaurus(tokens).read(read):
        if one.end - one.start > 1 or read[one.start] not in GRAMMAR:
            found.add(one, denied=denied[one.start])
    families = frozenset(family(word) for word in read if word not in GRAMMAR)
    roots: dict[str, list[str]] = {}
    for word in sorted(families):
        if len(word) >= _LETTERS:
            roots.setdefault(word[:_LETTERS], []).append(word)
    return SaidMeanings(
        families,
        {root: tuple(words) for root, words in roots.items()},
        found.groups,
        frozenset(found.kinds),
        found.sides,
    )


class Meaning:
    """One claim and the sentences of its evidence."""

    def __init__(self, beside: Alignment) -> None:
        self._beside = beside
        self._said = [meant(sentence) for sentence in beside.sentences]
        self._needed = _needed(beside)
        self._degrees = [
            {word: degree for word in sorted(beside.asked) if (degree := self._degree(word, said))}
            for said in self._said
        ]
        self._weights = self._weigh()
        self._whole = fsum(self._weights.values()) or 1.0
        self._best = self._closest()
        self._held = self._window()

    def _degree(self, word: str, said: SaidMeanings) -> float:
        if word in said.families:
            return 1.0
        best = ROOT if any(_akin(word, other) for other in said.roots.get(word[:_LETTERS], ())) else 0.0
        need = self._needed.get(word)
        if need is None:
            return best
        for group, sure in need.groups.items():
            if group in said.groups:
                best = max(best, SAME * min(sure, said.groups[group]))
        if need.heads & said.kinds:
            best = max(best, KIND)
        return max(best, DENIED) if best < DENIED and _opposed(need.sides, said.sides, alike=False) else best

    def _weigh(self) -> Mapping[str, float]:
        """As words are weighed that stand there; one that is said in other words is there too."""
        n = len(self._said)
        counts = {word: fsum(held.get(word, 0.0) for held in self._degrees) for word in self._beside.asked}
        return {word: log((n + 1) / (max(count, 1.0) + 0.5)) + 0.1 for word, count in counts.items()}

    def _share(self, held: Mapping[str, float], among: Iterable[str] | None = None) -> float:
        """Of the claim's weight, or of that of some of its words, what is said."""
        if among is None:
            return fsum(self._weights[word] * degree for word, degree in held.items()) / self._whole
        some = [word for word in among if word in self._weights]
        whole = fsum(self._weights[word] for word in some) or 1.0
        return fsum(self._weights[word] * held.get(word, 0.0) for word in some) / whole

    @cached_property
    def _told(self) -> frozenset[str]:
        return self._beside.told or self._beside.asked

    def _closest(self) -> int:
        """The sentence that says most of what the claim tells, and of the claim."""
        worth = [self._share(held, self._told) + 0.5 * self._share(held) for held in self._degrees]
        return max(range(len(worth)), key=lambda i: (worth[i], -i))

    def _window(self) -> Mapping[str, float]:
        """What the closest sentence says, with up to two others that say what it leaves."""
        window, held = [self._best], dict(self._degrees[self._best])
        for _ in range(2):
            more = [
                0.0
                if i in window
                else fsum(self._weights[w] * max(0.0, d - held.get(w, 0.0)) for w, d in here.items())
                / self._whole
                for i, here in enumerate(self._degrees)
            ]
            best = max(range(len(more)), key=lambda i: more[i] / (1 + 0.15 * min(abs(i - self._best), 4)))
            if more[best] < _JOINED:
                break
            window.append(best)
            for word, degree in self._degrees[best].items():
                held[word] = max(held.get(word, 0.0), degree)
        return held

    @property
    def said(self) -> float:
        """Of what the claim says, in whatever words."""
        return self._share(self._held)

    @property
    def otherwise(self) -> float:
        """Of what the claim says, what the evidence says in other words."""
        return self._share({word: degree for word, degree in self._held.items() if degree < 1})

    @property
    def reworded(self) -> float:
        """Of the words that are said those that are said in other words; of few words less, since that may be chance."""
        said = [degree for degree in self._held.values() if degree >= HELD]
        return sum(degree < 1 for degree in said) / (len(said) + 1)

    @property
    def unsaid(self) -> float:
        """Of the claim's words those that no sentence says in any words."""
        asked = self._beside.asked
        lost = sum(all(held.get(word, 0.0) < HELD for held in self._degrees) for word in asked)
        return lost / (len(asked) or 1)

    @property
    def part_shares(self) -> list[float]:
        """Of each part of the claim, as commas and conjunctions divide it, how much is said."""
        found, beside = [], self._beside
        for part in beside.parts:
            words = beside.words(part.text) & beside.asked
            if not part.is_frame and fsum(self._weights[word] for word in words) >= _LEAST_PART * self._whole:
                found.append(self._share(self._held, words))
        return found

    @cached_property
    def lost(self) -> float:
        """Of what the claim says, what its parts bear of which hardly anything is said."""
        found, beside = list[float](), self._beside
        for part in beside.parts:
            words = beside.words(part.text) & beside.asked
            weight = fsum(self._weights[word] for word in words) / self._whole
            if not part.is_frame and weight >= _LEAST_LOST and self._share(self._held, words) <= _HARDLY:
                found.append(weight)
        return fsum(found)

    @property
    def said_at_once(self) -> float:
        """Of what the claim says, what the closest sentence says in whatever words."""
        return self._share(self._degrees[self._best])

    @property
    def opposed(self) -> float:
        """Of what the claim says, words of which the closest sentence says the opposite, and not them."""
        said, held = self._said[self._best], self._degrees[self._best]
        return (
            fsum(
                self._weights[word]
                for word, need in self._needed.items()
                if held.get(word, 0.0) < HELD and _opposed(need.sides, said.sides, alike=True)
            )
            / self._whole
        )

    @property
    def of_other(self) -> float:
        """By how much a clause about another tells more of what the claim tells than any about whom the claim names."""
        names = self._beside.name_words
        if not any(names & said for said in self._beside.said):
            return 0.0
        own = other = 0.0
        for clause in self._clauses():
            degrees = {word: degree for word in self._told if (degree := self._degree(word, clause.said))}
            share = self._share(degrees, self._told)
            if names & clause.about:
                own = max(own, share)
            else:
                other = max(other, share)
        return max(0.0, other - own)

    def _clauses(self) -> Iterator[ToldClause]:
        about = frozenset[str]()
        for sentence, named in zip(self._beside.sentences, self._beside.named_at, strict=True):
            for part in _CLAUSES.split(sentence):
                if part.strip():
                    said = meant(part)
                    about = named & said.families or about
                    yield ToldClause(said, about)


def _needed(beside: Alignment) -> dict[str, Needed]:
    """Of each word of a claim, by itself and in the phrases that it stands in."""
    read = tokens(beside.claim)
    denied, found = _denied(read), dict[str, _Gathered]()
    for one in thesaurus(tokens).read(read):
        for at in range(one.start, one.end):
            word = family(read[at])
            if word in beside.asked:
                found.setdefault(word, _Gathered()).add(one, denied=denied[one.start])
    return {word: Needed(all_.groups, frozenset(all_.heads), all_.sides) for word, all_ in found.items()}


def _opposed(mine: Sides, theirs: Sides, *, alike: bool) -> bool:
    """Whether two take opposite sides, both of them denied or neither; or one of them denied."""
    return any(
        (denied == other) is alike
        for side, here in mine.items()
        for denied in here
        for other in theirs.get(side ^ 1, ())
    )


def _akin(one: str, other: str) -> bool:
    shared = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        shared += 1
    return shared >= _LETTERS and shared >= _OF_LONGER * max(len(one), len(other))


def says_same(one: str, other: str) -> bool:
    """Whether a few words say nearly what a few others say, or are of one kind with them."""
    mine, theirs = meant(one), meant(other)
    if mine.families & theirs.families or mine.groups.keys() & theirs.groups.keys():
        return True
    return any(
        _akin(a, b) for root, words in mine.roots.items() for a in words for b in theirs.roots.get(root, ())
    )
