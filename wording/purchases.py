"""The test whether a text speaks of somebody's purchases."""

from __future__ import annotations

import re

from drr.wording.vocabulary import Wordbook, vocabulary


class PurchaseReader:
    def __init__(self, words: Wordbook) -> None:
        self._purchase = re.compile(rf"\b(?:{words.either('verbs', 'nouns')})\b", re.I)

    def speaks(self, text: str) -> bool:
        return self._purchase.search(text) is not None


PURCHASES = PurchaseReader(vocabulary("purchases"))
