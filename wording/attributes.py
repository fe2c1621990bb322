"""Properties of a thing that are one word of a closed class: its colour, material, size, nib, cell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from drr.wording.vocabulary import Wordbook, vocabulary

_BEFORE = re.compile(
    r"(?:^|[,(/;:|–—•]\s?|\b(?:in|is|are|of|from|and|or|size|in a|it's|it’s|all|solid|pure|colou?r|material|made of|made from)\s)[\s*_]{0,3}$",
    re.I,
)
_AFTER = re.compile(
    r"[*_]{0,3}(?:$|\s?[,.;:)/|–—]|\s(?:and|with|but|or|for|on|while|throughout|finish|colou?r|version|model|fabric)\b)",
    re.I,
)
_OTHERWISE = re.compile(
    r"\b(?:not|no|never|without|instead|than|unlike|rather|either|neither|nor|look|looks|looking|like|effect|style|other|others|also|choice|choose|options?|available|match(?:es)?|any|if|compared|against|versus|vs|avoid|goes)\b|n['’]t\b|-free\b|\?",
    re.I,
)
"""A clause with one of these may speak of what the thing is not, or of another."""
_REACH = 40


class AttributeSaid(NamedTuple):
    """A word of a class, as a text says it."""

    group: str
    word: str
    start: int
    end: int
    bound: bool
    """By its place it is a property: between commas, behind `is` or `in`, before a noun of its class."""


class AttributeReader:
    def __init__(self, words: Wordbook) -> None:
        self.fields = {name: tuple(group.more["fields"]) for name, group in words.groups.items()}
        self._classes = {
            name: re.compile(rf"(?<![\w-])(?:{words.either(name)})(?![\w-])", 0 if name == "cell" else re.I)
            for name in words.groups
        }
        self._nouns = {
            name: re.compile(rf"[\s*_]{{1,3}}(?:{'|'.join(group.more['nouns'])})s?\b", re.I)
            for name, group in words.groups.items()
            if "nouns" in group.more
        }

    def said(self, text: str) -> Iterator[AttributeSaid]:
        for name, expression in self._classes.items():
            noun = self._nouns.get(name)
            for match in expression.finditer(text):
                if noun is not None:
                    bound = noun.match(text, match.end()) is not None or name == "cell"
                else:
                    bound = (
                        _BEFORE.search(text[max(0, match.start() - _REACH) : match.start()]) is not None
                        and _AFTER.match(text, match.end()) is not None
                    )
                yield AttributeSaid(name, match[0].casefold(), *match.span(), bound)

    def of(self, group: str, text: str) -> frozenset[str]:
        """The words of a class in a text."""
        return frozenset(match[0].casefold() for match in self._classes[group].finditer(text))

    def is_otherwise(self, clause: str) -> bool:
        return _OTHERWISE.search(clause) is not None


ATTRIBUTES = AttributeReader(vocabulary("attributes"))
