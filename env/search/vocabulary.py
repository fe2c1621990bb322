"""The search's own words (`words.toml`) in the form the index has. Weak ones, those of price, and names of one thing."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from drr.env.text import tokens

Name = tuple[str, ...]
"""A name of a thing, word by word."""
FILE = Path(__file__).with_name("words.toml")


class OtherNames(NamedTuple):
    names: tuple[Name, ...]
    unless_named: bool
    """Asked for only where no product is named as the shopper said."""


@dataclass(frozen=True)
class SearchWords:
    weak: frozenset[str]
    """Carry a sentence and no meaning; those of asking and of price too."""
    cheap: frozenset[str]
    transparent: frozenset[str]
    breaks: frozenset[str]
    others: Mapping[Name, OtherNames]
    """For each name of a thing its other names."""
    first: frozenset[str]
    """Words that such a name begins with."""
    longest: int
    """Words in the longest name."""


def read_words(path: Path = FILE) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def search_words() -> SearchWords:
    tables = read_words()

    def words(*groups: str) -> frozenset[str]:
        return frozenset(
            token for group in groups for word in tables[group]["words"] for token in tokens(word)
        )

    others: dict[Name, dict[Name, None]] = {}
    always: set[Name] = set()
    for table in tables.values():
        for names in table.get("same", ()):
            own = list(dict.fromkeys(tuple(tokens(name)) for name in names))
            if not table.get("unless_named"):
                always.update(own)
            for name in own:
                others.setdefault(name, {}).update(dict.fromkeys(one for one in own if one != name))
    return SearchWords(
        words("weak", "asking", "price", "cheap"),
        words("cheap"),
        words("transparent"),
        words("breaks"),
        {name: OtherNames(tuple(more), name not in always) for name, more in others.items()},
        frozenset(name[0] for name in others if name),
        max(map(len, others)),
    )
