"""The test whether a sentence states something of the reader's own affairs. "your dog", and not "if you had a dog"."""

from __future__ import annotations

import re

from drr.wording.vocabulary import Wordbook, vocabulary


class AddressReader:
    def __init__(self, words: Wordbook) -> None:
        self._reader = re.compile(rf"(?<!\w)(?:{words.either('reader')})(?!\w)", re.I)
        open_ = words.either("supposing", "advising", "denying")
        self._open = re.compile(
            rf"(?<!\w)(?:{open_})(?!\w)|(?<=\w)(?:{words.either('contracted')})(?!\w)", re.I
        )

    def tells_reader(self, sentence: str) -> bool:
        straight = sentence.replace("’", "'")
        asked = straight.rstrip().endswith("?")
        return not asked and bool(self._reader.search(straight)) and not self._open.search(straight)


tells_reader = AddressReader(vocabulary("addressing")).tells_reader
