"""Ratings as people say them: so many stars, from so many others."""

from __future__ import annotations

import re
from collections.abc import Iterator

from drr.wording.numbers import SPOKEN, WHOLE, number_said
from drr.wording.vocabulary import Wordbook, either, vocabulary

Place = tuple[int, int]


class RatingReader:
    """Reads one sentence, or one cell, at a time."""

    def __init__(self, words: Wordbook) -> None:
        some = words.either
        decimal = r"(?<![\w.,$€£¥x×/-])(?P<d>[1-5]\.\d{1,2})(?![\w%]|[.,:/-]\d)"
        self._decimal = re.compile(decimal)
        self._starred = re.compile(
            rf"(?<![\w.,$€£-])(?P<d>[0-5](?:\.\d{{1,2}})?|{_POINT})[\s-]{{0,2}}(?:{some('stars')})(?!\w)"
            rf"(?!\s(?:{some('no_stars')})\b|\s?(?:pack|pc|count)|[-\d])",
            re.I,
        )
        self._behind = re.compile(rf"[\s*_]{{1,4}}(?:{some('behind')})\b", re.I)
        self._counted = re.compile(
            rf"[\s*_]{{0,3}}(?:\((?:n\s?=\s?)?(?P<in>{WHOLE})\)|(?:stars\s)?[,·–—]?\s?(?:{some('of_some')})\s(?:(?:just|only|all|some|about|over|a mere)\s)?(?P<of>{WHOLE}|{SPOKEN})(?![\w%-]|[.,]\d)(?!\s(?:{_TIMES})))"
            rf"(?=[\s*_]{{0,3}}(?:$|[.,;:!?()\[\]|–—·-]|(?:{some('kinds', 'givers', 'given')})\b|(?!of\b)(?:{_FUNCTION})\b))",
            re.I,
        )
        self._told = re.compile(rf"(?<![\w.])n\s?=\s?(?P<n>{WHOLE})(?![\w%]|[.,]\d)", re.I)
        self._elliptic = re.compile(
            rf"\b(?P<lead>by|from|on|over|across|versus|vs\.?|against|only|just|and|but|while|with|to|for)\s(?P<n>{WHOLE}|{SPOKEN})"
            rf"(?=[\s*_]{{0,3}}(?:$|[.,;:!?()\[\]|–—-]|(?:the|for|of|by|from|on|and|but|while|versus|vs|against|respectively)\b))(?![.,]\d|-)",
            re.I,
        )
        whole = rf"(?<![\w.$€£,/-])(?P<n>{WHOLE}(?:\+)?|{SPOKEN})"
        kinds = rf"(?:(?:{some('kinds')})\s){{0,2}}"
        self._given = re.compile(rf"{whole}[\s*_-]{{1,3}}{kinds}(?:{some('given')})\b", re.I)
        self._givers = re.compile(
            rf"{whole}[\s*_]{{1,3}}(?:(?:other|more|different)\s)?{kinds}(?:{some('givers')})\b", re.I
        )
        self._sample = re.compile(
            rf"(?<![\w.$])[1-5]\.\d,?\s(?:{some('of_some')})\s(?:(?:just|only|all|some|about|over)\s)?{WHOLE}\s(?:{some('givers')})\b",
            re.I,
        )
        spoken_of: list[str] = []
        signs: list[str] = []
        for word in (*words["stars"], *words["before"], *words["behind"], *words["given"]):
            (spoken_of if word[0].isalnum() else signs).append(word)
        self._cue = re.compile(rf"(?<!\w)(?:{either(spoken_of)})(?!\w)|(?:{either(signs)})(?!\w)", re.I)
        self._after = re.compile(
            r"[*_)\]”\"'’]{0,4}\s{0,2}(?:$|[.,;:!?()|\[—–-]|\b(?:" + _FUNCTION + r")\b)", re.I
        )

    def places(self, text: str) -> Iterator[Place]:
        """Where each figure of a rating stands: stars, and how many gave them."""
        if (
            self._cue.search(text) is None
            and _PAIR.search(text) is None
            and self._sample.search(text) is None
        ):
            return
        starred = list(self._starred.finditer(text))
        taken = {match.start("d") for match in starred}
        bare = [
            match
            for match in self._decimal.finditer(text)
            if match.start("d") not in taken and self._is_of_stars(text, match)
        ]
        counts: list[int] = []
        for match in (*starred, *bare):
            yield match.span()
            if counted := self._counted.match(text, match.end()):
                counts.append(counted.start("in" if counted["in"] else "of"))
                yield counted.span()
        for match in (*self._told.finditer(text), *self._given.finditer(text), *self._givers.finditer(text)):
            if match.start("n") not in counts:
                counts.append(match.start("n"))
                yield match.span()
        if counts:
            yield from self._left_out(text, counts)

    def _left_out(self, text: str, counts: list[int]) -> Iterator[Place]:
        """Behind a count of ratings the next ones: `60 ratings versus 32`, `by 48 people and its rival by 18`."""
        for match in self._elliptic.finditer(text, min(counts)):
            if match.start("n") not in counts and number_said(match["n"]) > _FEW:
                yield match.span("n")

    def _is_of_stars(self, text: str, match: re.Match[str]) -> bool:
        """Whether a decimal without its stars is one of them, by the words behind it."""
        return (
            self._behind.match(text, match.end()) is not None
            or self._counted.match(text, match.end()) is not None
            or self._after.match(text, match.end()) is not None
        )


_FEW = 12
"""A count that nothing beside it names is above it: less may be anything."""
_DIGIT = r"(?:zero|one|two|three|four|five|six|seven|eight|nine)"
_POINT = rf"(?:{_DIGIT}[\s-]point[\s-]{_DIGIT})"
_TIMES = "seconds?|minutes?|hours?|days?|weeks?|months?|years?|lights?|feet|foot|inches|pounds?"
_PAIR = re.compile(r"(?<![\w.$])[1-5]\.\d\s\((?:n\s?=\s?)?\d{1,3}(?:,\d{3})?\)")
_FUNCTION = (
    "and|but|or|from|over|across|on|by|with|to|vs?|versus|against|for|while|whereas|though|although|is|are|was|as|in|at|than|the|out|based|rests|"
    "stars?|rating|average|score|avg|which|so|yet|because|after|has|had|of|where|here|there|too|each|both|apiece|respectively"
)


RATINGS = RatingReader(vocabulary("ratings"))
