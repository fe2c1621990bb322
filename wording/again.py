"""The test whether a wish may be for one more of what somebody has. To replace it, to stand beside it, for somebody else."""

from __future__ import annotations

import re

from drr.wording.vocabulary import Wordbook, vocabulary


class AgainReader:
    def __init__(self, words: Wordbook) -> None:
        self._word = re.compile(rf"\b(?:{words.either(*words.groups)})\b", re.I)

    def may_be_again(self, text: str) -> bool:
        return self._word.search(text) is not None


AGAIN = AgainReader(vocabulary("again"))
