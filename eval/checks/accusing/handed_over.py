"""Money that is handed over in words: `a fifty`, `a twenty and a ten`, `three twenties`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from drr.wording.numbers import SPOKEN, number_said

_NOTES = {"ten": 10.0, "twenty": 20.0, "fifty": 50.0, "hundred": 100.0}
_NOTE = re.compile(rf"\ban?\s({'|'.join(_NOTES)})\b(?![\s-]?(?:%|percent|-|[a-z]+s\b))", re.I)
_SEVERAL = {"tens": 10.0, "twenties": 20.0, "fifties": 50.0, "hundreds": 100.0}
_SO_MANY = re.compile(rf"\b(?P<n>{SPOKEN}|\d)\s\$?(?P<note>{'|'.join(_SEVERAL)})\b", re.I)
_SENTENCE = re.compile(r"(?<=[.!?])\s")


def handed_over(text: str, question: str) -> Iterator[float]:
    """Each note that a text speaks of, and those of a sentence together; several of one, in the question too."""
    for sentence in _SENTENCE.split(text):
        some = [_NOTES[one.casefold()] for one in _NOTE.findall(sentence)]
        yield from (*some, sum(some)) if some else ()
    for one in _SO_MANY.finditer(f"{text}\n{question}"):
        yield number_said(one["n"]) * _SEVERAL[one["note"].casefold()]
