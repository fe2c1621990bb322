"""Words before a figure that say it is not exact: `about $40`, `over 2,000 ratings`, `just under 5 lb`."""

from __future__ import annotations

import re

from drr.wording.vocabulary import Wordbook, vocabulary


class Hedges:
    """The hedges of a vocabulary, as parts of expressions."""

    def __init__(self, words: Wordbook) -> None:
        self.firsts = (*words["near"], *words["signs"])
        self.near = rf"(?:\b(?:{words.either('near')})\s{{1,8}}|(?:{words.either('signs')})\s?)"
        """A figure that is not exact, whichever way."""
        self.least = (
            rf"(?:\b(?:{words.either('near', 'loose', 'above')})\s{{1,8}}|(?:{words.either('signs')})\s?)"
        )
        """A count that is near what is said, or somewhat above."""
        said = words.either("near", "loose", "above", "below")
        signs = words.either("signs", "above_signs", "below_signs")
        self.before = re.compile(rf"(?:\b(?:{said})\s{{1,8}}|(?<![\w\"/=-])(?:{signs})\s?)\\?\$?\s?$", re.I)
        """Any of them, at the end of what stands before a figure."""


HEDGES = Hedges(vocabulary("hedges"))
