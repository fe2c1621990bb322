"""Whether a question asks for what is to be said to somebody else: a letter to the plumber, a card for a sister."""

from __future__ import annotations

import re

from drr.wording.vocabulary import Wordbook, vocabulary

_OURS = r"(?:my|our)\s[a-z]"
_CALLED = r"[A-Z][a-z]"
_SOMEBODY = rf"(?:{_OURS}|(?:his|her|their|the|an?)\s[a-z]|{_CALLED})"


class LetterReader:
    def __init__(self, words: Wordbook) -> None:
        some = words.either
        self._to_others = re.compile(
            rf"\b(?i:{some('writing', 'letters')})\b(?![ ](?:me|us)\b)[^.?!;\n]{{0,40}}?\b(?i:to)\s{_SOMEBODY}"
            rf"|\b(?i:{some('letters')})\b[^.?!;\n]{{0,40}}?\b(?i:for)\s(?:{_OURS}|{_CALLED})"
            rf"|\b(?i:{some('telling')})\s{_SOMEBODY}"
            rf"|\b(?i:{some('handing')})\b[^.?!;\n]{{0,20}}\b(?i:to|with)\s(?i:my|our)\s"
        )

    def is_to_others(self, question: str) -> bool:
        """`write me` is for who asks."""
        return self._to_others.search(question) is not None


LETTERS = LetterReader(vocabulary("letters"))
