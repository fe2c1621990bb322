"""Finds the figures of ratings: stars, and the number of people who gave them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from drr.wording.figures import SPOKEN, WHOLE
from drr.wording.vocabulary import Wordbook, vocabulary

Place = tuple[int, int]
_DECIMAL = r"(?<![\w.,$€£¥x×/-])[1-5]\.\d{1,2}(?![\w%]|[.,:/-]\d)"
_ONE = r"(?:zero|one|two|three|four|five|six|seven|eight|nine)"


class RatingReader:
    """Finds figures of ratings in one sentence, or one table cell, at a time."""

    def __init__(self, words: Wordbook) -> None:
        some = words.either
        stars = rf"(?:(?<![\w.,$€£-])[0-5](?:\.\d{{1,2}})?|{_ONE}[\s-]point[\s-]{_ONE})[\s-]{{0,2}}(?:{some('stars')})(?!\w)"
        announced = rf"(?<!\w)(?:{some('before')})(?!\w)[^\d.;:!?\n$]{{0,34}}[:\s]\W{{0,3}}(?P<n>{_DECIMAL})"
        counted = rf"{_DECIMAL}[\s*_]{{0,3}}(?:\((?:n\s?=\s?)?{WHOLE}\)|,?\s(?:{some('of_some')})\s(?:{WHOLE}|{SPOKEN})\b)"
        count = rf"(?<![\w.$€£,/-])(?:{WHOLE}\+?|{SPOKEN})[\s*_-]{{1,3}}(?:(?:{some('kinds')})\s){{0,2}}(?:{some('given', 'givers')})\b"
        self._forms = [
            re.compile(form, re.I)
            for form in (stars, announced, counted, rf"{_DECIMAL}\s(?:{some('behind')})\b", count)
        ]

    def places(self, text: str) -> Iterator[Place]:
        """Yield the place of each figure of a rating: stars, and the number of ratings."""
        for form in self._forms:
            for match in form.finditer(text):
                yield match.span("n") if "n" in form.groupindex else match.span()


RATINGS = RatingReader(vocabulary("ratings"))
