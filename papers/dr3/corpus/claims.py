"""The claims of sentences on how and since when their speaker has the thing. On a page that one person writes
alone they must go together."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path


@cache
def _rows() -> tuple[tuple[str, re.Pattern[str], frozenset[str]], ...]:
    with (Path(__file__).parent / "words" / "claims.toml").open("rb") as file:
        rows = tomllib.load(file)["claim"]
    return tuple((row["says"], re.compile(row["words"]), frozenset(row.get("apart", ()))) for row in rows)


ALONE = "alone"
"""What somebody says by writing alone: nobody has asked, so that nothing is an answer."""


@cache
def _apart() -> dict[str, frozenset[str]]:
    found = {says: others for says, _, others in _rows()}
    return found | {ALONE: frozenset(says for says, others in found.items() if ALONE in others)}


@cache
def claims(text: str) -> frozenset[str]:
    """List the claims of a sentence with all its choices."""
    plain = " ".join(re.sub(r"[{}|]", " ", text).split())
    return frozenset(says for says, words, _ in _rows() if words.search(plain))


def go_together(said: Iterable[str], more: frozenset[str]) -> bool:
    """Each is said once, and none beside what it does not go with."""
    apart = _apart()
    return not any(one in more or apart[one] & more for one in said)
