"""Properties of a thing that are one word of a closed class: its colour, material, size, nib, cell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from drr.wording.vocabulary import FirstWords, Wordbook, vocabulary

_LISTED = re.compile(r"(?:^|\(|(?:^|[,(–—:|])[^,()–—:|]{0,40},)\s?[\s*_]{0,3}$")
"""It stands in a list of what the thing is like, if the element before is one of those too."""
_BEFORE: dict[str, re.Pattern[str]] = {
    "colour": re.compile(r"\b(?:in|is|are|in all|solid|colou?r|comes in|finished in)\s[\s*_]{0,3}$", re.I),
    "material": re.compile(
        r"\b(?:is|are|is all|made of|made from|out of|solid|pure|material|(?:made|comes|available|finished|upholstered) in|and is)\s[\s*_]{0,3}$",
        re.I,
    ),
    "size": re.compile(r"\b(?:size|in|in a|in size)\s[\s*_]{0,3}$", re.I),
}
_TOLD = re.compile(r"\d|\$")
_AFTER = re.compile(
    r"[*_]{0,3}(?:$|\s?[,.;:)/|–—]|\s(?:and|with|but|or|for|on|while|throughout|finish|colou?r|version|model|fabric)\b)",
    re.I,
)
_OTHERWISE = re.compile(
    r"\b(?:not|no|never|without|instead|than|unlike|rather|either|neither|nor|look|looks|looking|like|effect|style|other|others|also|choice|choose|options?|available|match(?:es)?|any|if|compared|against|versus|vs|avoid|goes)\b|n['’]t\b|-free\b|\?",
    re.I,
)
"""A clause with one of these may speak of what the thing is not, or of another."""
_REACH = 60


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
        self._met = FirstWords({name: group.words for name, group in words.groups.items()})
        self._kinds = {
            general: frozenset(some)
            for group in words.groups.values()
            for general, some in group.more.get("kinds", {}).items()
        }
        self._nouns = {
            name: re.compile(rf"[\s*_]{{1,3}}(?:{'|'.join(group.more['nouns'])})s?\b", re.I)
            for name, group in words.groups.items()
            if "nouns" in group.more
        }

    def kinds_of(self, word: str) -> frozenset[str]:
        """What may be called by a more general word: polypropylene is plastic."""
        return self._kinds.get(word.casefold(), frozenset())

    def said(self, text: str) -> Iterator[AttributeSaid]:
        met = self._met.met(text)
        for name, expression in self._classes.items():
            if name not in met:
                continue
            noun = self._nouns.get(name)
            for match in expression.finditer(text):
                if noun is not None:
                    bound = noun.match(text, match.end()) is not None or name == "cell"
                else:
                    bound = self._is_bound(name, text, match)
                yield AttributeSaid(name, match[0].casefold(), *match.span(), bound)

    def _is_bound(self, name: str, text: str, match: re.Match[str]) -> bool:
        """Whether nothing but a property can stand there: behind `is` or `in`, or in a list of properties."""
        if _AFTER.match(text, match.end()) is None:
            return False
        before = text[max(0, match.start() - _REACH) : match.start()]
        if _BEFORE[name].search(before):
            return True
        listed = _LISTED.search(before)
        if listed is None:
            return False
        element = listed[0].rstrip(" *_,").lstrip(",(–—:| ")
        return (
            not element
            or _TOLD.search(element) is not None
            or any(one.search(element) for one in self._classes.values())
        )

    def of(self, group: str, text: str) -> frozenset[str]:
        """The words of a class in a text."""
        return frozenset(match[0].casefold() for match in self._classes[group].finditer(text))

    def is_otherwise(self, clause: str) -> bool:
        return _OTHERWISE.search(clause) is not None


ATTRIBUTES = AttributeReader(vocabulary("attributes"))
