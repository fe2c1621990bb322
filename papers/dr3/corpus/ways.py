"""Other ways to say the same. Where prose has a phrase of `words/ways.toml`, the template gets a choice of it
and of what may stand in its place."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_BEFORE, _AFTER = re.compile(r"(?<!\w)(\w+) $"), re.compile(r" (\w+)")


@dataclass(frozen=True)
class PhraseWays:
    ways: tuple[str, ...]
    not_after: frozenset[str]
    not_before: frozenset[str]
    not_first: bool
    """At the beginning of a sentence it is left: `since` would be of a time there."""


@cache
def _ways() -> tuple[re.Pattern[str], dict[str, PhraseWays]]:
    found = {
        row["said"].casefold(): PhraseWays(
            tuple(row["ways"]),
            frozenset(row.get("not_after", ())),
            frozenset(row.get("not_before", ())),
            row.get("not_first", False),
        )
        for row in _rows("ways")
    }
    longest = sorted(found, key=len, reverse=True)
    phrases = "|".join(map(re.escape, longest))
    return re.compile(rf"\[[^\]]*\]|\b({phrases})\b(?!['-])", re.IGNORECASE), found


@cache
def _retold() -> tuple[re.Pattern[str], dict[str, str]]:
    found = {row["said"]: f"{{{'|'.join((row['said'], *row['ways']))}}}" for row in _rows("retold")}
    return re.compile("|".join(map(re.escape, found))), found


def varied(text: str) -> str:
    """Return the text with choices; what is in a slot stays. A sentence that is told in other ways is chosen first, then phrases of it."""
    pattern, ways = _ways()
    sentence, retold = _retold()
    text = sentence.sub(lambda found: retold[found[0]], text)
    return pattern.sub(lambda found: _choice(found, ways), text)


def _rows(name: str) -> list[dict[str, Any]]:
    with (Path(__file__).parent / "words" / f"{name}.toml").open("rb") as file:
        rows: list[dict[str, Any]] = tomllib.load(file)["way"]
    return rows


def _choice(found: re.Match[str], ways: dict[str, PhraseWays]) -> str:
    if found[0].startswith("["):
        return found[0]
    said = found[1]
    known = ways[said.casefold()]
    before = _BEFORE.search(found.string, 0, found.start())
    after = _AFTER.match(found.string, found.end())
    if before and before[1].casefold() in known.not_after:
        return found[0]
    if after and after[1].casefold() in known.not_before:
        return found[0]
    large = said[0].isupper()
    if large and known.not_first:
        return found[0]
    options = [said, *(way[0].upper() + way[1:] if large else way for way in known.ways)]
    return f"{{{'|'.join(options)}}}"
