"""Reports as long as one likes, written by seed: no two of their paragraphs say the same, with tables, lists and links, in five languages of headings."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from tests.cases import cases


def words(text: str) -> list[str]:
    return text.split()


HEADINGS = cases("eval", "HEADINGS")
"""The first and the last are summaries."""
_THINGS = words(
    "feeder kettle lamp tent pump saw chair mirror drill hose cushion scale heater rug blender router easel ladder piano clock"
)
_MAKERS = words(
    "Aldby Brenner Corvane Delmont Eastry Farrow Galeno Hestia Ingram Jorvik Kestrel Lowry Merrow Norby Ostend Prewitt"
)
_TRAITS = words(
    "brittle quiet sturdy porous glossy narrow washable foldable heavy modular waterproof slippery tall dim bright coarse elastic rigid thin warm"
)
_PARTS = words(
    "hinge valve rim perch cord shell lid spout blade motor filter seam bracket knob coil gasket panel spring tray wheel"
)
_PLACES = words(
    "balcony cellar attic porch garage pantry hallway studio shed patio nursery workshop terrace kitchen office laundry"
)
_FORMS = cases("eval", "_FORMS")


class WrittenReport(NamedTuple):
    text: str
    paragraphs: tuple[str, ...]
    """Of its body, each long enough to be a passage."""


def write_report(rng: random.Random, length: int, language: str = "en") -> WrittenReport:
    heads = HEADINGS[language]
    parts: list[str] = [f"# {heads[3]}", f"## {heads[0]}", _paragraph(rng)]
    paragraphs: list[str] = []
    number = 0
    while sum(len(part.split()) for part in parts) < length:
        number += 1
        if number % 3 == 1:
            parts.append(f"## {number // 3 + 1}. {heads[1 + number // 3 % 4]}")
        paragraphs.append(_paragraph(rng) + f" [{number}](https://a.example/{rng.randrange(10**6)})")
        parts.append(paragraphs[-1])
        if number % 4 == 2:
            parts.append(_table(rng))
        if number % 5 == 3:
            parts.append("\n".join(f"- {_sentence(rng)}" for _ in range(4)))
    parts += [f"## {heads[5]}", _paragraph(rng)]
    return WrittenReport("\n\n".join(parts) + "\n", tuple(paragraphs))


def with_copy(report: WrittenReport, rng: random.Random, written: str | None = None) -> str:
    """One paragraph stands a second time, somewhere else under the same headings; or another in its place."""
    copied = rng.choice(report.paragraphs)
    after = rng.choice([one for one in report.paragraphs if one != copied])
    return report.text.replace(after, f"{after}\n\n{copied if written is None else written}", 1)


def _paragraph(rng: random.Random, sentences: int = 5) -> str:
    return " ".join(_sentence(rng) for _ in range(sentences))


def _sentence(rng: random.Random) -> str:
    def one(of: Sequence[str]) -> str:
        return rng.choice(of)

    return one(_FORMS).format(
        part=one(_PARTS),
        maker=one(_MAKERS),
        thing=one(_THINGS),
        trait=one(_TRAITS),
        place=one(_PLACES),
        n=rng.randrange(10, 99),
        m=rng.randrange(10, 99),
    )


def _table(rng: random.Random) -> str:
    rows = [
        f"| {rng.choice(_MAKERS)} {rng.choice(_THINGS)} | ${rng.randrange(9, 400)}.{rng.randrange(10, 99)} | {rng.choice(_TRAITS)} {rng.choice(_PARTS)} |"
        for _ in range(5)
    ]
    return "\n".join(["| Product | Price | Remark |", "| --- | --- | --- |", *rows])
