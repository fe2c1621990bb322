"""How a text speaks of what somebody has bought: that it does, in which state an order is, and which of several is meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from drr.wording.numbers import SPOKEN, number_said
from drr.wording.vocabulary import Wordbook, vocabulary

_NEAR = 40
"""Characters before a date in which a word says that it is none of a purchase."""


class StateSaid(NamedTuple):
    """The state that an order is said to be in."""

    state: str
    start: int
    end: int


class TimesSaid(NamedTuple):
    """How often something is said to have been bought."""

    often: int
    start: int
    end: int


class PurchaseReader:
    def __init__(self, words: Wordbook) -> None:
        some = words.either
        self._purchase = re.compile(rf"\b(?:{some('verbs', 'nouns')})\b", re.I)
        self._no_purchase = re.compile(
            rf"\b(?:{some('no_purchase')})\b[^.;()]{{0,{_NEAR}}}$|\b(?:{some('limits')})\s(?:the\s)?$", re.I
        )
        self._states = {
            word.casefold(): group.more["state"]
            for group in words.groups.values()
            if "state" in group.more
            for word in group.words
        }
        states = "|".join(re.escape(one) for one in sorted(self._states, key=len, reverse=True)) or r"(?!)"
        self._state = re.compile(
            rf"(?:(?<!\w)(?:was|were|is|are|status|marked|been|it|currently|now|still|shows?|listed)|[:|(,·—–-])[\s*_:'\"“]{{1,6}}(?:(?:as|is|been|still|now|already|currently|yet)\s){{0,2}}[*_'\"“]{{0,3}}(?P<s>{states})\b",
            re.I,
        )
        self._latest = re.compile(rf"\b(?:{some('latest')})\b", re.I)
        self._first = re.compile(rf"\b(?:{some('first')})\b", re.I)
        self.speaks = lru_cache(maxsize=4096)(self._speaks)
        """Asked of each line and sentence of a report by several rules."""

    def _speaks(self, text: str) -> bool:
        return self._purchase.search(text) is not None

    def is_else(self, before: str) -> bool:
        """Whether the date behind these words is one of something else."""
        return self._no_purchase.search(before[-_NEAR - 20 :]) is not None

    def states(self, text: str) -> Iterator[StateSaid]:
        for match in self._state.finditer(text):
            yield StateSaid(self._states[match["s"].casefold()], *match.span("s"))

    def latest(self, text: str) -> bool:
        return self._latest.search(text) is not None

    def first(self, text: str) -> bool:
        return self._first.search(text) is not None


_TIMES = re.compile(
    rf"\b(?:(?P<often>once|twice|thrice)|(?P<n>\d{{1,3}}|{SPOKEN})\s(?:separate\s|different\s)?times)\b(?!\s(?:as|more|the|a\b))",
    re.I,
)
_OFTEN = {"once": 1, "twice": 2, "thrice": 3}


def times(text: str) -> Iterator[TimesSaid]:
    """`twice`, `five times`; not `five times as much`."""
    for match in _TIMES.finditer(text):
        often = _OFTEN[match["often"].casefold()] if match["often"] else int(number_said(match["n"]))
        yield TimesSaid(often, *match.span())


PURCHASES = PurchaseReader(vocabulary("purchases"))
