"""The circumstances that a wish gives away: "our old dog", "I sleep badly". What anybody's dog needs tells nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from drr.wording.vocabulary import Wordbook, vocabulary

_FUNCTION = vocabulary("shopping").either("function_words")
"""What may follow a being that is spoken of; "the dog ramp" is a ramp."""


class CircumstanceReader:
    def __init__(self, words: Wordbook) -> None:
        things = words.either("living", "household", "body", "dwelling")
        own = rf"(?:(?!(?:{words.either('joining')})\b)[\w'’-]{{1,30}}\s){{0,2}}"
        beings = words.either("living", "household")
        self._own = re.compile(rf"\b(?:{words.either('owners')})\s{own}(?:{things})(?![\w-])", re.I)
        counted = rf"(?:(?:{words.either('counting')})\s(?:[\w'’-]{{1,30}}\s)?)?"
        self._has = re.compile(
            rf"\b(?:I|we)\s(?:{words.either('having')})\s{counted}(?:{beings})(?![\w-])", re.I
        )
        self._ails = re.compile(rf"\b(?:I|we)\s(?:{words.either('ailing')})(?!\w)", re.I)
        self._the = re.compile(
            rf"\b(?:{words.either('definite')})\s(?P<being>{beings})(?=\s*[,.;:?!)]|\s(?:{_FUNCTION})\b|$)",
            re.I,
        )
        self._spoken = re.compile(
            rf"\b(?:{words.either('indefinite')})\s(?:[\w'’-]{{1,30}}\s){{0,2}}?(?P<one>{beings})(?!\w)|\b(?P<many>{beings})s\b",
            re.I,
        )

    def told(self, text: str) -> list[str]:
        """The words that tell it, in the order of the text."""
        found = [*self._own.finditer(text), *self._has.finditer(text), *self._ails.finditer(text)]
        found += self._known(text)
        return [match[0] for match in sorted(found, key=lambda match: match.start())]

    def _known(self, text: str) -> Iterator[re.Match[str]]:
        """The dog, where no dog was spoken of before, is one that the asker has."""
        first: dict[str, int] = {}
        for match in self._spoken.finditer(text):
            first.setdefault((match["one"] or match["many"]).lower(), match.start())
        for match in self._the.finditer(text):
            if first.get(match["being"].lower(), len(text)) > match.start():
                yield match


circumstances_of_asker = CircumstanceReader(vocabulary("circumstances")).told
