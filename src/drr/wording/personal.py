"""Finds personal data of a recognisable form: an e-mail address, a telephone number, a street, a card or account number."""

from __future__ import annotations

import re
from collections.abc import Iterator

from drr.wording.vocabulary import Wordbook, vocabulary

_MAIL = re.compile(r"[\w.+-]{1,64}@[\w-]+\.\w+")
_PERSONAL = {
    "an e-mail address": _MAIL,
    "a phone number": re.compile(r"(?<!\d)(?:\+?1[ .-]?)?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?!\d)"),
    "a street address": re.compile(
        r"\b\d{1,5} (?:[A-Z][a-z]+ ){1,3}(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Court|Ct|Boulevard|Blvd|Way)\b"
    ),
    "a card or account number": re.compile(r"(?<!\d)(?:\d{4}[ -]){3}\d{4}(?!\d)"),
}


def personal_data(text: str) -> list[str]:
    """Return the kinds of private data in the text."""
    return [
        name
        for name, pattern in _PERSONAL.items()
        if (pattern is not _MAIL or "@" in text) and pattern.search(text)
    ]


_FUNCTION = vocabulary("shopping").either("function_words")
"""Words that may follow a person or animal; "the dog ramp" is a ramp."""


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

    def found_in(self, text: str) -> list[str]:
        """Return the phrases that reveal the asker's circumstances, in the order of the text."""
        found = [*self._own.finditer(text), *self._has.finditer(text), *self._ails.finditer(text)]
        found += self._known_mentions(text)
        return [match[0] for match in sorted(found, key=lambda match: match.start())]

    def _known_mentions(self, text: str) -> Iterator[re.Match[str]]:
        """Yield `the dog` and the like without an earlier mention: such a dog is the asker's own."""
        first: dict[str, int] = {}
        for match in self._spoken.finditer(text):
            first.setdefault((match["one"] or match["many"]).lower(), match.start())
        for match in self._the.finditer(text):
            if first.get(match["being"].lower(), len(text)) > match.start():
                yield match


circumstances_of_asker = CircumstanceReader(vocabulary("circumstances")).found_in
