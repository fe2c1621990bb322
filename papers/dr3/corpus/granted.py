"""The things that words take for granted: a hinge, a lid, decades of use. A sentence with such a word is said
only of things of which that is true."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

from drr.papers.dr3.planning.kinds import TRAITS

SINGLE = "single"
"""Of one thing and not of several or some: that is no trait of a sort."""


@cache
def _rows() -> tuple[tuple[re.Pattern[str], str], ...]:
    with (Path(__file__).parent / "words" / "granted.toml").open("rb") as file:
        rows = [(row["words"], row["trait"]) for row in tomllib.load(file)["granted"]]
    if strange := {trait for _, trait in rows} - TRAITS - {SINGLE}:
        raise ValueError(f"no sort has the trait {sorted(strange)[0]!r}")
    return tuple((re.compile(words, re.IGNORECASE), trait) for words, trait in rows)


@cache
def granted(text: str) -> frozenset[str]:
    """List the claims of a sentence with all its choices."""
    return frozenset(trait for words, trait in _rows() if words.search(text))
