"""What a statement commits itself to: how sure it is, of how many, why, what it denies, which of two opposites it names."""

from __future__ import annotations

import re
from collections import defaultdict

from drr.wording.vocabulary import Wordbook, vocabulary

_ENDS = re.compile(r"[,;:.()\n]|\b(?:but|and|because)\b", re.I)
_BEGINS = re.compile(r"[,;:.()\n]")
_REACH = 60
"""Characters behind a denial that it may deny."""


class AssertionReader:
    """Questions about one sentence or clause."""

    def __init__(self, words: Wordbook) -> None:
        self.hedges = _of(words, "hedges")
        self.fewer = _of(words, "fewer")
        self.absolutes = _of(words, "absolutes")
        self.causes = _of(words, "causes")
        self.figuring = _of(words, "figuring")
        self.relative = _of(words, "relative")
        self.frames = re.compile(rf"\s{{0,8}}(?:{words.either('frames')})\b", re.I)
        """What a sentence begins with that says of when or by whom, before its first comma."""
        self.including = _of(words, "including")
        self.telling = _of(words, "telling")
        self._denials = _of(words, "denials")
        self._idioms = _of(words, "idioms")
        self._apart = _of(words, "apart")
        self._opposites: defaultdict[str, set[str]] = defaultdict(set)
        known = set(words["opposites"])
        for one, other in words.groups["opposites"].more["pairs"]:
            if {one, other} <= known:
                self._opposites[one].add(other)
                self._opposites[other].add(one)

    def opposites(self, word: str) -> frozenset[str]:
        return frozenset(self._opposites.get(word, ()))

    def sets_apart(self, text: str) -> bool:
        return self._apart.search(text) is not None

    def denies(self, text: str) -> bool:
        idioms = [match.span() for match in self._idioms.finditer(text)]
        return any(
            not any(start <= match.start() < end for start, end in idioms)
            for match in self._denials.finditer(text)
        )

    def denied(self, text: str) -> list[str]:
        """What stands behind each denial, to the end of its clause, and before what says that a thing is not part of it."""
        found = []
        for match in self._apart.finditer(text):
            before = text[max(0, match.start() - _REACH) : match.start()]
            chunks = _BEGINS.split(before)
            found.append(chunks[-1] if len(chunks[-1].split()) > 1 else " ".join(chunks[-3:]))
        idioms = [match.span() for match in self._idioms.finditer(text)]
        for match in self._denials.finditer(text):
            if any(start <= match.start() < end for start, end in idioms):
                continue
            behind = text[match.end() : match.end() + _REACH]
            stop = _ENDS.search(behind)
            found.append(behind[: stop.start()] if stop else behind)
        return found

    def told(self, text: str) -> dict[str, object]:
        """All of it, as one document."""
        return {
            "hedges": self.hedges.findall(text),
            "fewer": self.fewer.findall(text),
            "absolutes": self.absolutes.findall(text),
            "causes": self.causes.findall(text),
            "figuring": self.figuring.findall(text),
            "relative": self.relative.findall(text),
            "frames": self.frames.match(text) is not None,
            "including": self.including.findall(text),
            "telling": self.telling.findall(text),
            "denied": self.denied(text),
            "opposites": [sorted(self.opposites(word)) for word in text.casefold().split()],
        }


def _of(words: Wordbook, name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'])(?:{words.either(name)})(?![\w'])", re.I)


ASSERTIONS = AssertionReader(vocabulary("assertions"))
