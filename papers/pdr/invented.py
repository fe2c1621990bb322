"""Traits drawn by seed, true of nobody. They are harmless matters that no order shows, so that a memory has something to find."""

from __future__ import annotations

from random import Random

from drr.papers.pdr.person import Attribute
from drr.papers.pdr.words import invented_traits

DRAWN = 4


def invented(person_id: str, seed: int) -> list[Attribute]:
    """One value each of some blocks; the same for the same person and seed, whoever else is drawn."""
    rng = Random(f"invented:{seed}:{person_id}")
    traits = invented_traits()
    drawn = []
    for block in sorted(rng.sample(sorted(traits), min(DRAWN, len(traits)))):
        value = rng.choice(sorted(traits[block]))
        drawn.append(
            Attribute(
                id=f"{block}-{value}",
                block=block,
                statement=traits[block][value].statement or value,
                basis="invented",
            )
        )
    return drawn
