"""Word lists as data. A TOML file of this room states where each group of words is from, and what fails without them.

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
"""Words that are tried one by one as fast as together, and read in sooner."""


@dataclass(frozen=True, slots=True)
class WordGroup:
    words: tuple[str, ...]
    source: str | None
    """The origin of the words; `None` where they are ours."""
    cases: Mapping[str, str]
    """Word -> the text that is read otherwise without it."""
    more: Mapping[str, Any]
    """Other entries of the group, such as a unit's factor."""


@dataclass(frozen=True)
class Wordbook:
    groups: Mapping[str, WordGroup]

    def __getitem__(self, group: str) -> tuple[str, ...]:
        return self.groups[group].words

    def either(self, *names: str) -> str:
        """The words of some groups as alternatives of an expression."""
        return either(word for name in names for word in self[name])

    def single(self, *names: str) -> frozenset[str]:
        """Each word of the phrases of some groups."""
        return frozenset(one for name in names for phrase in self[name] for one in phrase.split())

    def without(self, name: str, word: str) -> Wordbook:
        """The same with one word less, to see what it is good for."""
        group = self.groups[name]
        left = replace(group, words=tuple(one for one in group.words if one != word))
        return Wordbook({**self.groups, name: left})


def either(words: Iterable[str]) -> str:
    """Alternatives, the longest first; no word at all is an alternative that never holds."""
    some = sorted(set(words), key=lambda word: (-len(word), word))
    return "|".join(_together(some) if len(some) > _FEW else map(re.escape, some)) or r"(?!)"


def first_letters(words: Iterable[str]) -> str:
    """Find what may stand where one of the words begins, as a set of letters. One look at it spares a reader most of a text."""
    return "".join(re.escape(letter) for letter in sorted({word[0] for word in words}))


def _together(words: Sequence[str]) -> Iterator[str]:
    """Join the words of one first letter. A look at it rules them all out, and which of them is found stays the same."""
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
    """The names of all files of words."""
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
