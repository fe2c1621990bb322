"""Marks that affirm or deny what stands behind them: `✅ sealed battery`, `❌ under $40 ($46.95)`."""

from __future__ import annotations

import re
from typing import NamedTuple

from drr.wording.vocabulary import Wordbook, vocabulary

_SHOWN = "\N{VARIATION SELECTOR-16}?"
"""Behind a mark that is to be shown in colour."""


class MarkedHead(NamedTuple):
    """A mark that a text begins with."""

    affirmed: bool
    end: int
    """Where begins what it is said of."""


class MarkReader:
    def __init__(self, words: Wordbook) -> None:
        self.yes = rf"(?:{words.either('affirming')}){_SHOWN}"
        self.no = rf"(?:{words.either('denying')}){_SHOWN}"
        """As parts of an expression."""
        self._head = re.compile(
            rf"\s{{0,8}}(?:(?:[-*+•·‣▪–]|\d{{1,3}}[.)])\s{{1,4}})?[*_]{{0,3}}(?:(?P<yes>{self.yes})|{self.no})[\s*_]{{0,6}}"
        )

    def head(self, text: str) -> MarkedHead | None:
        match = self._head.match(text)
        return None if match is None else MarkedHead(match["yes"] is not None, match.end())


MARKS = MarkReader(vocabulary("marks"))
