"""The number of things that a question asks for. `None` where it leaves a choice ("two or three") or counts something else."""

from __future__ import annotations

import re

from drr.wording.numbers import NUMERAL, number_of
from drr.wording.vocabulary import Wordbook, vocabulary

_BEFORE = 12
"""Characters before a number that may make it one of two."""


class CountReader:
    def __init__(self, words: Wordbook) -> None:
        some = words.either
        asking = rf"\b(?:{some('asking')})\s{{1,8}}(?:(?:{some('whom')})\s{{1,8}}){{0,2}}(?:(?:{some('about')})\s{{1,8}})?"
        self._count = re.compile(
            rf"{asking}(?P<them>{NUMERAL})\s{{1,8}}(?:{some('of_them')})\b"
            rf"|{asking}(?:the\s{{1,8}})?(?:(?:{some('best')})\s{{1,8}})?(?P<n>{NUMERAL})\s{{1,8}}"
            r"(?P<noun>(?:[a-z][\w'-]{0,40}\s{1,8}){0,4}?[a-z][\w'-]{0,40}s)\b"
            rf"|\btop\s{{1,8}}(?P<top>{NUMERAL})\b|\bthe\s{{1,8}}(?P<best>{NUMERAL})\s{{1,8}}best\b"
            rf"|\b(?:{some('exact')})\s{{1,8}}(?P<exact>{NUMERAL})\s{{1,8}}(?:{some('picks', 'things')})\b"
            rf"|(?<![-\w$])(?P<bare>{NUMERAL})\s{{1,8}}(?:(?:{some('kinds')})\s{{1,8}})?(?:{some('picks')})\b",
            re.I,
        )
        self._not_counted = re.compile(rf"\b(?:{some('not_counted')})\b", re.I)
        self._either = re.compile(rf"\b(?:{NUMERAL})\s{{0,8}}(?:{some('either')})\s{{0,8}}$", re.I)
        self._choice = tuple(f"{word} " for word in words["either"])

    def count(self, text: str) -> int | None:
        for match in self._count.finditer(text):
            if not self._counts_else(match["noun"] or "") and (value := self._value(text, match)):
                return value
        return None

    def _counts_else(self, noun: str) -> bool:
        return noun.startswith(self._choice) or self._not_counted.search(noun) is not None

    def _value(self, text: str, match: re.Match[str]) -> int | None:
        name = next(name for name in ("n", "them", "top", "best", "exact", "bare") if match[name])
        before = (
            text[match.start() : match.start(name)] or text[max(0, match.start() - _BEFORE) : match.start()]
        )
        return None if self._either.search(before) else number_of(match[name])


count = CountReader(vocabulary("counts")).count
"""The first count of things that a text asks for."""
