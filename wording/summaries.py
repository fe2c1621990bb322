"""Headings of sections that repeat, on purpose, what stands elsewhere: a summary or a conclusion, in many languages."""

from __future__ import annotations

import re

from drr.wording.vocabulary import Wordbook, vocabulary

_DECORATION = re.compile(r"[*_#`\\]+|[\u2600-\u27bf\U0001f300-\U0001faff\ufe0f]")
_ORDINAL = re.compile(
    r"^(?:\d{1,3}(?:\.\d{1,3})*[.)、:：]?|[ivxIVX]{1,5}[.)]|[一二三四五六七八九十]{1,3}[、.．])\s*"
)
_LONGEST = 80
_LANGUAGES = ("names", "german", "french", "spanish", "italian", "portuguese", "dutch", "chinese", "japanese")


class SummaryReader:
    def __init__(self, words: Wordbook) -> None:
        some = words.either
        name = rf"(?:(?:{some('ranks')})\s){{0,3}}(?:{some(*_LANGUAGES)})"
        self._summary = re.compile(rf"{name}(?:\s(?:{some('joins')})\s{name}){{0,2}}", re.I)

    def is_summary(self, heading: str) -> bool:
        """Decoration, numbers in front and a colon behind aside."""
        if len(heading) > _LONGEST:
            return False
        bare = _DECORATION.sub("", heading).replace("\u2019", "'").strip(" \t\r:：.—–-")
        bare = " ".join(_ORDINAL.sub("", bare).split())
        return self._summary.fullmatch(bare) is not None


SUMMARIES = SummaryReader(vocabulary("summaries"))
