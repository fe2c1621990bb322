"""Makes the texts of the shoppers: pools of finished reviews, from which texts are drawn by number."""

from __future__ import annotations

import json
import random
import re
import tomllib
from dataclasses import dataclass, field
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from drr.data_ingest.sample_products import ProductType, ReviewWords, Vocabulary
from drr.env.errors import DrrError
from numpy.typing import NDArray

MOODS = 3
"""The number of moods: bad (one and two stars), middling (three), good (four and five)."""
BODIES = 40
TAILS = 2048
TITLES = 24
LONGEST = 30_035


@dataclass(frozen=True)
class TextPools:
    """JSON-escaped pieces of reviews. A review's text is a body and a tail; empty and very long texts are kinds of tail."""

    bodies: list[str]
    """The bodies, `BODIES` for each (type, mood)."""
    tails: list[str]
    """The tails: `TAILS` for any mood, and as many for satisfied shoppers."""
    titles: list[str]
    """The titles, `TITLES` for each star, 0 to 5."""
    longest: str


def escaped(text: str) -> str:
    return json.dumps(text)[1:-1]


def make_pools(vocabulary: Vocabulary, seed: int) -> TextPools:
    rng = random.Random(f"{seed}:text")
    words = vocabulary.general["reviews"]
    bodies = [
        escaped(_body(kind, mood, words, rng))
        for kind in vocabulary.types
        for mood in range(MOODS)
        for _ in range(BODIES)
    ]
    tails = [
        escaped(_further_sentences(lines, rng))
        for lines in (words["tails"], [*words["tails"], *words["good_tails"] * 2])
        for _ in range(TAILS)
    ]
    titles = [
        escaped(text) for star in range(6) for text in _cycle(words["titles"][str(max(star, 1))], TITLES)
    ]
    rant = " ".join(rng.choices(words["tails"], k=LONGEST // 20))
    return TextPools(bodies, tails, titles, escaped(rant[:LONGEST]))


def _cycle(values: list[str], count: int) -> list[str]:
    return [values[place % len(values)] for place in range(count)]


def _body(kind: ProductType, mood: int, words: ReviewWords, rng: random.Random) -> str:
    name = kind.plain
    choices = {
        0: [*kind.gripes],
        1: [*kind.praise, *kind.gripes],
        2: [*kind.praise],
    }[mood]
    leads = (words["bad_leads"], words["mixed_leads"], words["good_leads"])[mood]
    if name.endswith("s"):
        leads = [lead for lead in leads if "his {name}" not in lead]
    lead = rng.choice(leads).format(name=name)
    if rng.random() < 0.25:
        return lead
    first = rng.choice(choices)
    if mood == 1 and kind.praise and kind.gripes:
        return f"{lead} {rng.choice(kind.praise)} But {_lower_first_letter(rng.choice(kind.gripes))}"
    return f"{lead} {first}" if rng.random() < 0.7 else f"{first} {lead}"


def _lower_first_letter(sentence: str) -> str:
    return sentence if sentence.startswith("I ") else sentence[:1].lower() + sentence[1:]


def _further_sentences(known: list[str], rng: random.Random) -> str:
    draw = rng.random()
    if draw < 0.27:
        return ""
    count = min(60, 1 + int(1.4 * (rng.paretovariate(1.2) - 0.8)))
    lines = rng.sample(known, min(count, len(known)))
    lines += rng.choices(known, k=count - len(lines))
    joint = "<br /><br />" if rng.random() < 0.25 else " "
    text = joint + joint.join(lines) if rng.random() < 0.8 or count > 1 else " " + lines[0]
    odd = rng.random()
    if odd < 0.035:
        text += rng.choice(
            (
                " Rated &#34;great&#34; by us.",
                " Easy on &amp; off.",
                " Taller &#62; wider.",
                " &quot;Wow&quot;",
            )
        )
    elif odd < 0.05:
        text += f" [[ASIN:B0{rng.randrange(36**6):08d} this one]]"[:60]
    elif odd < 0.057:
        text = f" [[VIDEOID:{rng.getrandbits(128):032x}]]{text}"
    elif odd < 0.205:
        text += rng.choice(
            (
                " \U0001f44d",
                " Couldn\u2019t be happier",
                " \u2764\ufe0f",
                " worth it \u2014 really",
                " \U0001f600",
                " caf\u00e9 quality",
            )
        )
    elif odd < 0.208:
        text += "\u200b"
    return text


REMARK_SHARE = 0.3
"""The share of reviews with a remark, among reviews of things for an interest of the shopper."""


@dataclass(frozen=True)
class ShopperTruth:
    """The true interests drawn for one shopper, stored beside the raw files and in no shop."""

    user_id: str
    interests: tuple[str, ...]
    facts: tuple[str, ...]
    """The fact behind each interest, in the same order."""
    said: tuple[int, ...]
    """The number of reviews that mention each fact."""


class Drawn(NamedTuple):
    """The draws that decide which reviews mention what, for one group of shoppers."""

    number: int
    own: NDArray[np.int64]
    """Three interests of each user, of which the first `how_many` count."""
    how_many: NDArray[np.int64]
    user: NDArray[np.int64]
    kind: NDArray[np.int64]


@dataclass
class Voices:
    """Adds personal facts to review texts, by interest; `truths` grows with each group of shoppers."""

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
        """Replace texts that say "my" or "our" of matters foreign to the shopper by similar impersonal texts."""
        if self._plain is None:
            self._plain = _plain(bodies)
        theirs = np.zeros(len(body), np.bool_)
        for slot in range(3):
            interest = drawn.own[drawn.user, slot]
            theirs |= (slot < drawn.how_many[drawn.user]) & self._of_kind[drawn.kind, interest]
        return np.where(theirs, body, self._plain[body])

    def speak(self, user_ids: NDArray[np.str_], drawn: Drawn, texts: list[str]) -> None:
        """Add sentences to the end of the texts of a group of shoppers."""
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
    """Return for each text the index of one of its type and mood without "my" or "our". It is the text itself if there is none."""
    places = np.arange(len(bodies))
    for first in range(0, len(bodies), BODIES):
        plain = [at for at in range(first, first + BODIES) if not _OWN.search(bodies[at])]
        for at in range(first, first + BODIES) if plain else ():
            if _OWN.search(bodies[at]):
                places[at] = plain[at % len(plain)]
    return places
