"""The choice of things to buy among those that a question names: each is weighed by the words around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from drr.env.text import stem
from drr.offline.agents.cues import Cues

MOST_NEEDS = 4
_BEFORE = 60
_NAME = re.compile(r"[A-Z][\w'’-]*(?:[\s&]+[A-Z][\w'’-]*)+")
_OPENS = re.compile(r"(?:^|[.?!:]\s{1,8})$")


class WordRun(NamedTuple):
    """A run of words that name something."""

    words: list[str]
    start: int
    listed: bool


class _Weighed(NamedTuple):
    score: float
    start: int
    words: list[str]
    firm: bool


class _Place:
    """A chunk and what stands right before it."""

    def __init__(self, cues: Cues, text: str, chunk: WordRun) -> None:
        self.chunk = chunk
        self.before = text[max(0, chunk.start - _BEFORE) : chunk.start]
        near = re.findall(r"[a-z']+", self.before.lower())[-3:]
        self.last = near[-1] if near else ""
        self.wanted = not cues.wanting.isdisjoint(near)
        self.article = self.last in ("a", "an", "some")
        self.named = _NAME.match(text, chunk.start) is not None and not _OPENS.search(
            self.before or text[: chunk.start]
        )


class NeedFinder:
    """`listing` is where a list behind a colon begins, `asides` are where nothing is to be bought."""

    def __init__(
        self, cues: Cues, text: str, topic: str, asides: Sequence[tuple[int, int]], listing: int
    ) -> None:
        self._cues = cues
        self._text = text
        self._topic = topic
        self._asides = asides
        self._listing = listing
        self.firm: list[str] = []
        """Of the needs, those that a verb asks for or that stand in a list; known once they were asked for."""

    @cached_property
    def _again(self) -> bool:
        """Something owned is to be replaced, or bought again."""
        return any(cue.search(self._text) is not None for cue in (self._cues.replaced, self._cues.again))

    def needs(self, chunks: list[WordRun]) -> list[str]:
        """The most wanted, in the order of the text; none that is part of another."""
        weighed = [
            self._weighed(_Place(self._cues, self._text, chunk))
            for chunk in chunks
            if not all(map(self._cues.is_quality, chunk.words))
        ]
        weighed.sort(key=lambda one: (-one.score, one.start))
        least = min(weighed[0].score - 2.6, 2.0) if weighed else 0.0
        chosen: list[_Weighed] = []
        for one in weighed:
            if one.score < least or len(chosen) == MOST_NEEDS or (chosen and one.score <= 0):
                break
            if not any(_one_in_the_other(one.words, other.words) for other in chosen):
                chosen.append(one)
        chosen.sort(key=lambda one: one.start)
        self.firm = [" ".join(one.words) for one in chosen if one.firm]
        return [" ".join(one.words) for one in chosen]

    def _weighed(self, place: _Place) -> _Weighed:
        score = self._of_form(place) + self._of_owner(place) + self._of_position(place)
        several = (
            place.chunk.listed and len(place.chunk.words) > 1 and place.last != "or"
        )  # a choice is put, not a want
        firm = score > 0 and (place.wanted or several)
        return _Weighed(score, place.chunk.start, self._kept(place), firm)

    def _of_form(self, place: _Place) -> float:
        words = place.chunk.words
        score = 2.5 if place.chunk.listed else 0.0
        score += 2.0 if place.wanted else 1.0 if place.last == "with" else 0.0
        score += 1.5 if 2 <= len(words) <= 4 else 0.0
        score += 0.5 if place.article else 0.0
        return score + (0.5 if self._topic in map(stem, words) else 0.0)

    def _of_owner(self, place: _Place) -> float:
        """Weigh a name: it is of a thing that was bought, or of a place. A goal and whom it is for are no things to buy."""
        cues = self._cues
        if place.named:
            return 1.5 if self._again and len(place.chunk.words) > 1 else -5.0
        if cues.owned.search(place.before):
            return 2.5 if self._again else -4.0
        for_whom = cues.for_whom.search(place.before) and not cues.seeking.search(place.before)
        return -3.0 if for_whom or cues.goal.search(place.before) else 0.0

    def _of_position(self, place: _Place) -> float:
        start = place.chunk.start
        aside = start < self._listing or any(low <= start < high for low, high in self._asides)
        lone = len(place.chunk.words) == 1 and not (place.chunk.listed or place.article or place.wanted)
        return (-4.0 if aside else 0.0) + (-2.0 if lone else 0.0)

    def _kept(self, place: _Place) -> list[str]:
        """The end of the run; a lone plural of a list ("feeders, houses, plants") takes the topic along."""
        words = place.chunk.words[-3 if place.named else -4 :]
        lone = len(words) == 1 and place.chunk.listed and not place.article
        if lone and self._topic and stem(words[0]) not in (self._topic, words[0]):
            return [self._topic, *words]
        return words


def _one_in_the_other(words: list[str], others: list[str]) -> bool:
    a, b = set(map(stem, words)), set(map(stem, others))
    return a <= b or a >= b
