"""Words beside a figure that make it inexact: `about $40`, `over 2,000 ratings`, `just under 5 lb`, `250 or so`."""

from __future__ import annotations

import re

from drr.wording.vocabulary import Wordbook, vocabulary


class Hedges:
    """The hedges of a vocabulary, as parts of expressions."""

    def __init__(self, words: Wordbook) -> None:
        self.firsts = (*words["near"], *words["signs"])
        self.near = rf"(?:\b(?:{words.either('near')})\s{{1,8}}|(?:{words.either('signs')})\s?)"
        """A figure that is not exact, whichever way."""
        near_words = words.either("near", "loose", "above", "below")
        signs = words.either("signs", "above_signs", "below_signs")
        self.before = re.compile(
            rf"(?:\b(?:{near_words})\s{{1,8}}|(?<![\w\"/=-])(?:{signs})\s?)\\?\$?\s?$", re.I
        )
        """Any of them, at the end of what stands before a figure."""
        self.behind = re.compile(
            rf"\+|(?:[\s*_]{{1,3}}[a-z]{{4,12}})?[\s*_]{{0,3}}(?:{words.either('behind')})(?!\w)", re.I
        )
        """Behind a figure, or behind the noun that follows it."""

    def beside(self, text: str, start: int, end: int) -> bool:
        """Tell whether a word before a figure of a text or behind it makes it inexact."""
        before = text[max(0, start - _BEFORE) : start]
        return self.before.search(before) is not None or self.behind.match(text, end) is not None


_BEFORE = 28
"""Characters before a figure in which its hedge stands."""


HEDGES = Hedges(vocabulary("hedges"))
