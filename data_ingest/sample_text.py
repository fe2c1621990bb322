"""The texts of the shoppers: pools of finished review texts, put together once and drawn from by number."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass

from drr.data_ingest.sample_vocabulary import ProductType, ReviewWords, Vocabulary

MOODS = 3
"""Bad (one and two stars), middling (three), good (four and five)."""
BODIES = 40
TAILS = 2048
TITLES = 24
LONGEST = 30_035


@dataclass(frozen=True)
class TextPools:
    """JSON-escaped pieces. A review's text is a body and a tail; empty and very long texts are kinds of tail."""

    bodies: list[str]
    """`BODIES` for each (type, mood)."""
    tails: list[str]
    """`TAILS` that suit any mood, and as many for those who are pleased."""
    titles: list[str]
    """`TITLES` for each star, 0 to 5."""
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
        escaped(_tail(lines, rng))
        for lines in (words["tails"], [*words["tails"], *words["good_tails"] * 2])
        for _ in range(TAILS)
    ]
    titles = [
        escaped(text) for star in range(6) for text in _cycled(words["titles"][str(max(star, 1))], TITLES)
    ]
    rant = " ".join(rng.choices(words["tails"], k=LONGEST // 20))
    return TextPools(bodies, tails, titles, escaped(rant[:LONGEST]))


def _cycled(values: list[str], count: int) -> list[str]:
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
        return f"{lead} {rng.choice(kind.praise)} But {_lowered(rng.choice(kind.gripes))}"
    return f"{lead} {first}" if rng.random() < 0.7 else f"{first} {lead}"


def _lowered(sentence: str) -> str:
    return sentence if sentence.startswith("I ") else sentence[:1].lower() + sentence[1:]


def _tail(known: list[str], rng: random.Random) -> str:
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
