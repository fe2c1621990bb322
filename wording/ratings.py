"""Ratings as people say them: so many stars, from so many others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from drr.wording.hedges import HEDGES
from drr.wording.numbers import SPOKEN, WHOLE, number, spoken
from drr.wording.vocabulary import Wordbook, either, vocabulary

_GAP = 34
"""Characters between a word of rating and the figure that it announces."""


A_MARK = re.compile(
    r"\b(?:above|below|over|under|beyond|past|than|least|most|reach(?:es)?|exceeds?|(?:bar|mark|line|floor|threshold|minimum|cut-?off)\s(?:is|was|at|of))\s(?:an?\s|the\s)?[*_]{0,3}$",
    re.I,
)
"""Before stars, or a number of ratings: they are a mark that others are held against."""


class RatingSaid(NamedTuple):
    """A figure that is said to be a rating, or how many gave one."""

    kind: Literal["stars", "count"]
    value: float
    start: int
    end: int
    hedged: bool
    certain: bool
    """Whether the words beside it leave no doubt of what it is."""


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
        self._announced = re.compile(
            rf"(?:(?<!\w)(?:{some('before')})(?!\w))[^\d.;:!?\n$]{{0,{_GAP}}}$", re.I
        )
        self._labelled = re.compile(rf"(?:(?<!\w)(?:{some('before')})(?!\w))[\s*_:=]{{1,8}}$", re.I)
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

    def ratings(self, text: str) -> Iterator[RatingSaid]:
        """Every figure of a sentence that is one of a rating, the counts behind their stars."""
        if (
            self._cue.search(text) is None
            and _PAIR.search(text) is None
            and self._sample.search(text) is None
        ):
            return
        taken: list[int] = []
        counts: list[int] = []
        for match in self._starred.finditer(text):
            taken.append(match.start("d"))
            yield _stars(_point(match["d"]), match.span(), certain=True)
            if counted := self._counted.match(text, match.end()):
                counts.append(counted.start("in" if counted["in"] else "of"))
                yield self._behind_stars(counted, text)
        for match in self._decimal.finditer(text):
            if match.start("d") not in taken and (said := self._bare(text, match)) is not None:
                yield said
            elif match.start("d") not in taken:
                continue
            if counted := self._counted.match(text, match.end()):
                counts.append(counted.start("in" if counted["in"] else "of"))
                yield self._behind_stars(counted, text)
        for match in (*self._told.finditer(text), *self._given.finditer(text), *self._givers.finditer(text)):
            if match.start("n") not in counts:
                counts.append(match.start("n"))
                served = match.re is self._givers and _SERVED.search(
                    text[max(0, match.start() - 20) : match.start()]
                )
                told = match["n"].casefold() != "one"  # `one vote against`
                yield _count(match["n"], match.span(), text)._replace(certain=told and not served)
        if counts:
            yield from self._left_out(text, counts)

    def _behind_stars(self, counted: re.Match[str], text: str) -> RatingSaid:
        name = "in" if counted["in"] else "of"
        return _count(counted[name], counted.span(), text, counted.span(name))

    def _left_out(self, text: str, counts: list[int]) -> Iterator[RatingSaid]:
        """Behind a count of ratings the next ones: `60 ratings versus 32`, `by 48 people and its rival by 18`."""
        for match in self._elliptic.finditer(text, min(counts)):
            if match.start("n") not in counts:
                said = _count(match["n"], match.span("n"), text)
                if said.value > _FEW:
                    yield said._replace(certain=False)

    def _bare(self, text: str, match: re.Match[str]) -> RatingSaid | None:
        """A decimal without its stars: by the words before and behind it."""
        before = text[max(0, match.start() - _GAP - 16) : match.start()]
        announced = self._announced.search(before)
        certain = (
            (announced is not None and self._after.match(text, match.end()) is not None)
            or self._labelled.search(before) is not None
            or self._behind.match(text, match.end()) is not None
            or self._counted.match(text, match.end()) is not None
        )
        if not certain and self._after.match(text, match.end()) is None:
            return None
        return _stars(float(match["d"]), match.span(), certain=certain)

    def speaks(self, text: str) -> bool:
        return self._cue.search(text) is not None


_FEW = 12
"""A count that nothing beside it names is above it: less may be anything."""
_DIGIT = r"(?:zero|one|two|three|four|five|six|seven|eight|nine)"
_POINT = rf"(?:{_DIGIT}[\s-]point[\s-]{_DIGIT})"
_TIMES = "seconds?|minutes?|hours?|days?|weeks?|months?|years?|lights?|feet|foot|inches|pounds?"
_PAIR = re.compile(r"(?<![\w.$])[1-5]\.\d\s\((?:n\s?=\s?)?\d{1,3}(?:,\d{3})?\)")
_SERVED = re.compile(
    r"(?:\b(?:for|to|of|feeds?|serves?|seats?|suits?|fits?|family)|[-–])\s?(?:up to |about |just )?$", re.I
)
"""Not those who rated it: "for 4 to 6 people"."""
_FUNCTION = (
    "and|but|or|from|over|across|on|by|with|to|vs?|versus|against|for|while|whereas|though|although|is|are|was|as|in|at|than|the|out|based|rests|"
    "stars?|rating|average|score|avg|which|so|yet|because|after|has|had|of|where|here|there|too|each|both|apiece|respectively"
)


def _point(written: str) -> float:
    if written[0].isdigit():
        return float(written)
    whole, part = re.split(r"[\s-]point[\s-]", written.casefold())
    return _digit(whole) + _digit(part) / 10


def _digit(word: str) -> int:
    return 0 if word == "zero" else spoken(word)


def _stars(value: float, span: tuple[int, int], *, certain: bool) -> RatingSaid:
    return RatingSaid("stars", value, *span, False, certain)


def _count(
    written: str, span: tuple[int, int], text: str, where: tuple[int, int] | None = None
) -> RatingSaid:
    """A count of a stretch; `where` its number stands, if not at the head of that."""
    low, high = where or (span[0], span[0] + len(written))
    hedged = written.endswith("+") or HEDGES.beside(text, low, high)
    value = written.rstrip("+")
    dozen = value.casefold().endswith("dozen") and not value.casefold().startswith(("a ", "half"))
    if value[0].isdigit():
        return RatingSaid("count", number(value), *span, hedged, True)
    return RatingSaid("count", float(spoken(value)), *span, hedged or dozen, True)


RATINGS = RatingReader(vocabulary("ratings"))
