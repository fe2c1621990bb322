"""Word lists as data. A TOML file of this package states the source of each group of words, and what fails without them.

A group names a `source` outside (a standard, a calendar), or a `case`: an example in which each of its words, put at `{}`, decides
how the text is read. A word that needs an example of its own is written `{word = "...", case = "..."}`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
_FEW = 12
"""Most words that are faster to try one by one than joined by their first letters."""


@dataclass(frozen=True, slots=True)
class WordGroup:
    words: tuple[str, ...]
    source: str | None
    """The origin of the words; `None` if the list is our own."""
    cases: Mapping[str, str]
    """A text for each word that is read differently without the word."""
    more: Mapping[str, Any]
    """Other entries of the group, such as a unit's factor."""


@dataclass(frozen=True)
class Wordbook:
    groups: Mapping[str, WordGroup]

    def __getitem__(self, group: str) -> tuple[str, ...]:
        return self.groups[group].words

    def either(self, *names: str) -> str:
        """Return the words of some groups as alternatives of a regular expression."""
        return any_word_pattern(word for name in names for word in self[name])

    def single(self, *names: str) -> frozenset[str]:
        """Return each single word of the phrases in some groups."""
        return frozenset(one for name in names for phrase in self[name] for one in phrase.split())

    def without(self, name: str, word: str) -> Wordbook:
        """Return the same word lists without one word, for testing what the word is needed for."""
        group = self.groups[name]
        left = replace(group, words=tuple(one for one in group.words if one != word))
        return Wordbook({**self.groups, name: left})


def any_word_pattern(words: Iterable[str]) -> str:
    """Return words as alternatives of a regular expression, longest first; without words it never matches."""
    some = sorted(set(words), key=lambda word: (-len(word), word))
    return "|".join(_patterns_by_letter(some) if len(some) > _FEW else map(re.escape, some)) or r"(?!)"


def first_letters(words: Iterable[str]) -> str:
    """Return the first letters of the words for a character set. Checking it first spares a reader most of a text."""
    return "".join(re.escape(letter) for letter in sorted({word[0] for word in words}))


def _patterns_by_letter(words: Sequence[str]) -> Iterator[str]:
    """Yield a pattern for all words with the same first letter, so that one check rules out all of them."""
    groups: dict[str, list[str]] = {}
    for word in words:
        groups.setdefault(word[:1].casefold(), []).append(word)
    for some in groups.values():
        if len(some) > 1 and len({word[:1] for word in some}) == 1:
            yield f"{re.escape(some[0][:1])}(?:{'|'.join(re.escape(word[1:]) for word in some)})"
        else:
            yield from map(re.escape, some)


@cache
def vocabulary(name: str) -> Wordbook:
    table = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    return Wordbook({group: _group(rows) for group, rows in table.items() if isinstance(rows, dict)})


def vocabularies() -> list[str]:
    """Return the names of all files of words."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def _group(rows: Mapping[str, Any]) -> WordGroup:
    cases: dict[str, str] = {}
    words: list[str] = []
    for row in rows["words"]:
        word, case = (row["word"], row["case"]) if isinstance(row, dict) else (row, rows.get("case"))
        words.append(word)
        if case is not None:
            cases[word] = case.replace("{}", word)
    more = {key: value for key, value in rows.items() if key not in ("words", "case", "source")}
    return WordGroup(tuple(words), rows.get("source"), cases, more)
