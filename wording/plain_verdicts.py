"""Verdicts on a limit that do not name it: `fits too`, `still squeezes in`, `is just too dear for that`, `no longer fits`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from drr.wording.vocabulary import FirstWords, Wordbook, vocabulary

_CONTRACTED = re.compile(r"n[’']t\b", re.I)
_SPARE = r"with\s(?:[^.;:,()\n]|\.(?=\d)){0,40}?\b(?:to spare|left over|left|over|in hand)"
_ENDS = r"(?=[\s*_]{0,4}(?:[.,;:!)(—–|]|$|\s(?:and|but|while|though|with|at|by|leaving)\b))"


class PlainVerdict(NamedTuple):
    start: int
    end: int
    fits: bool
    """What its words say, before any `not`."""
    costs: bool
    """No other thing than a cost can be meant: `too dear`."""


class PlainVerdictReader:
    def __init__(self, words: Wordbook) -> None:
        def compiled(expression: str) -> re.Pattern[str]:
            return re.compile(expression, re.I)

        some = words.either
        tail = rf"(?:,?\s(?:(?:{some('plain_tails')})\b|{_SPARE}\b)){{0,4}}"
        self._said = compiled(
            rf"\b(?:(?P<fits>{some('plain_fits')})|(?P<breaks>{some('plain_breaks')})|{some('plain_falls')})\b{tail}{_ENDS}"
        )
        self._met = FirstWords({"any": [*words["plain_fits"], *words["plain_breaks"], *words["plain_falls"]]})
        self._led = compiled(rf"(?:(?:{some('plain_led', 'plain_not')})\b[\s*_,]{{1,3}}){{0,8}}")
        self._not = compiled(rf"\b(?:{some('plain_not')})\b")

    def places(self, text: str, span: tuple[int, int]) -> Iterator[PlainVerdict]:
        """Each of a stretch, in its order."""
        if self._met.met(text[slice(*span)]):
            for match in self._said.finditer(text, *span):
                yield PlainVerdict(*match.span(), match["fits"] is not None, match["breaks"] is not None)

    def leads(self, between: str) -> bool | None:
        """Of what stands between a cost and a verdict: whether it denies that; `None` where it does not lead to it."""
        straight = _CONTRACTED.sub(" not", between)
        if self._led.fullmatch(straight) is None:
            return None
        return len(self._not.findall(straight)) % 2 == 1


PLAIN_VERDICTS = PlainVerdictReader(vocabulary("verdicts"))
