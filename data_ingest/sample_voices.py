"""The remarks of the sample's shoppers on themselves. Drawn apart from everything else, so that no order, time or rating changes."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from drr.data_ingest.sample_text import BODIES, escaped
from drr.data_ingest.sample_vocabulary import Vocabulary
from drr.env.errors import DrrError
from numpy.typing import NDArray

REMARK_SHARE = 0.3
"""Of the reviews of things for an interest of the shopper."""


@dataclass(frozen=True)
class ShopperTruth:
    """The truth drawn for one shopper; kept beside the raw files and in no shop."""

    user_id: str
    interests: tuple[str, ...]
    facts: tuple[str, ...]
    """Of each interest, in the same order."""
    said: tuple[int, ...]
    """In how many reviews."""


class Drawn(NamedTuple):
    """The draws that decide who speaks of what in a stretch."""

    number: int
    own: NDArray[np.int64]
    """Three interests of each user, of which `how_many` count."""
    how_many: NDArray[np.int64]
    user: NDArray[np.int64]
    """Of each row."""
    kind: NDArray[np.int64]


@dataclass
class Voices:
    """Facts by the place of their interest; `truths` grows as stretches are drawn."""

    vocabulary: Vocabulary
    seed: int
    truths: list[ShopperTruth] = field(default_factory=list)
    _plain: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        text = (files("drr.data_ingest") / "voices.toml").read_text(encoding="utf-8")
        texts: dict[str, dict[str, list[str]]] = tomllib.loads(text)
        names = [interest.name for interest in self.vocabulary.interests]
        missing = sorted(set(names) ^ set(texts))
        if missing:
            raise DrrError(f"voices.toml: {missing[0]} is an interest without facts, or none; mend it")
        self._names = names
        self._facts = [sorted(texts[name]) for name in names]
        self._sentences = [
            [[escaped(" " + one) for one in texts[name][fact]] for fact in sorted(texts[name])]
            for name in names
        ]
        kinds = self.vocabulary.types
        self._of_kind = np.array([[name in kind.interests for name in names] for kind in kinds])

    def fitting(self, bodies: list[str], body: NDArray[np.int64], drawn: Drawn) -> NDArray[np.int64]:
        """Find for a thing of no interest to the shopper a text of the same kind that calls nothing "my" or "our"."""
        if self._plain is None:
            self._plain = _plain(bodies)
        theirs = np.zeros(len(body), np.bool_)
        for slot in range(3):
            interest = drawn.own[drawn.user, slot]
            theirs |= (slot < drawn.how_many[drawn.user]) & self._of_kind[drawn.kind, interest]
        return np.where(theirs, body, self._plain[body])

    def speak(self, user_ids: NDArray[np.str_], drawn: Drawn, texts: list[str]) -> None:
        """Puts sentences behind the texts of a stretch."""
        number, own, how_many, user, kind = drawn
        rng = np.random.default_rng([self.seed, 9, number])
        users = len(user_ids)
        fact = rng.integers(0, 1 << 20, size=(users, 3))
        slot = rng.integers(0, 3, size=len(user))
        interest = own[user, slot]
        suits = (
            (slot < how_many[user]) & self._of_kind[kind, interest] & (rng.random(len(user)) < REMARK_SHARE)
        )
        pick = rng.integers(0, 1 << 20, size=len(user))
        counts = np.zeros((users, 3), np.int64)
        for row in np.flatnonzero(suits).tolist():
            place, at, who = int(interest[row]), int(slot[row]), int(user[row])
            sentences = self._sentences[place][int(fact[who, at]) % len(self._facts[place])]
            texts[row] += sentences[int(pick[row]) % len(sentences)]
            counts[who, at] += 1
        self._keep(user_ids, own, how_many, fact, counts)

    def _keep(
        self,
        user_ids: NDArray[np.str_],
        own: NDArray[np.int64],
        how_many: NDArray[np.int64],
        fact: NDArray[np.int64],
        counts: NDArray[np.int64],
    ) -> None:
        rows = zip(
            user_ids.tolist(), own.tolist(), how_many.tolist(), fact.tolist(), counts.tolist(), strict=True
        )
        for user_id, places, count, facts, remarks in rows:
            drawn: dict[int, tuple[str, int]] = {}
            for place, key, times in zip(places[:count], facts, remarks, strict=False):
                known = self._facts[place]
                before = drawn.get(place)
                drawn[place] = (before[0], before[1] + times) if before else (known[key % len(known)], times)
            self.truths.append(
                ShopperTruth(
                    user_id,
                    tuple(self._names[place] for place in drawn),
                    tuple(one for one, _ in drawn.values()),
                    tuple(times for _, times in drawn.values()),
                )
            )


_OWN = re.compile(r"\b(?:my|our)\b", re.I)


def _plain(bodies: list[str]) -> NDArray[np.int64]:
    """Find for each text another of its kind and mood without an own thing in it. Itself where every one has."""
    places = np.arange(len(bodies))
    for first in range(0, len(bodies), BODIES):
        plain = [at for at in range(first, first + BODIES) if not _OWN.search(bodies[at])]
        for at in range(first, first + BODIES) if plain else ():
            if _OWN.search(bodies[at]):
                places[at] = plain[at % len(plain)]
    return places
