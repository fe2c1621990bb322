"""The account of a sentence: which of its words were read. What is left may be a condition, so nothing is picked."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from drr.env.constraints import parse_constraints
from drr.env.text import stem, tokens
from drr.offline.agents.phrases import WORD, PhraseReader
from drr.wording.figures import number_of
from drr.wording.money import dollar_amounts
from drr.wording.stated import RATINGS
from drr.wording.vocabulary import Wordbook, vocabulary

_CUES = (
    "spending", "buying", "adverbs", "questions", "latest", "telling", "returning", "pairing", "selling", "offered", "cheapest", "popular",
    "finding",
)  # fmt: skip
_AROUND_COSTS = (
    "cap_before", "cap_fillers", "cap_nouns", "cap_degrees", "cap_after", "negations", "none_of_it", "none_that", "beyond", "floor_before",
    "floor_after", "item_after", "item_before", "item_limits", "every", "every_one", "month_after", "month_before", "range_before", "spent",
)  # fmt: skip
_AROUND_STARS = ("before", "stars", "behind")


class ShopLimits(NamedTuple):
    """Limits of what may be found, in dollars; `None` where there is none."""

    each: float | None = None
    whole: float | None = None
    """Highest cost of all that is bought."""
    least: float | None = None
    many: int | None = None

    @classmethod
    def of(cls, text: str) -> ShopLimits:
        read = parse_constraints(re.sub(r"\bcosts? (?=less than\b)", "", text))
        month = read.month_max and read.month_max * (read.months or 1)
        whole = min((one for one in (read.total_max, month) if one is not None), default=None)
        least = read.item_min if read.item_min is not None else read.total_min
        return cls(read.item_max, whole, least, read.count)

    @property
    def costs(self) -> int:
        """The number of limits of cost."""
        return sum(one is not None for one in (self.each, self.whole, self.least))


class LeastRating(NamedTuple):
    value: float
    start: int
    end: int


def least_rating(text: str) -> LeastRating | None:
    """The least rating that is asked for: the first figure of a rating up to five."""
    for start, end in RATINGS.places(text):
        if (figure := re.match(r"\d(?:\.\d+)?(?!\d)", text[start:end])) and 1 <= float(figure[0]) <= 5:
            return LeastRating(float(figure[0]), start, end)
    return None


class WordAccount:
    def __init__(self, words: Wordbook, phrases: PhraseReader) -> None:
        self._phrases = phrases
        self._idle = words.single("function_words", "asking", "talk", "owned", "containers")
        self._idle -= {*phrases.denials, "before", "after"}
        self._cues = words.single(*_CUES)
        self._ranks = words.single("choosing", "best")
        around = vocabulary("limits").single(*_AROUND_COSTS) | vocabulary("ratings").single(*_AROUND_STARS)
        self._before = around | words.single("trade") | self._idle | phrases.denials
        self._behind = self._before - phrases.denials

    def unread(
        self,
        sentence: re.Match[str],
        cues: Sequence[tuple[int, int]],
        things: str,
        year: str | None,
        *,
        figures: bool,
    ) -> tuple[str, ...]:
        """Find the words that carry meaning and are in no thing, cue or limit, as they stand there. Limits count with `figures`."""
        words = list(WORD.finditer(sentence.string, *sentence.span()))
        texts, named = [word[0].lower() for word in words], set(tokens(things))
        read = [
            not self._idle.isdisjoint((one, stem(one)))
            or one == year
            or self._phrases.is_adverb(one)
            or named.issuperset(tokens(one))
            or (bool(cues) and one in self._ranks)
            or (one in self._cues and any(start <= word.start() < end for start, end in cues))
            for one, word in zip(texts, words, strict=True)
        ]
        for start, end in _figures(sentence[0]) if figures else ():
            for n in _around(
                start + sentence.start(), end + sentence.start(), words, self._before, self._behind
            ):
                read[n] = True
        found: list[tuple[int, int]] = []
        for word in (word for known, word in zip(read, words, strict=True) if not known):
            start, end = word.span()
            between = sentence.string[found[-1][1] : start] if found else ","
            if between == "." or self._idle.issuperset(between.lower().split()):
                start = found.pop()[0]
            found.append((start, end))
        return tuple(sentence.string[start:end] for start, end in found)


def _around(
    start: int, end: int, words: Sequence[re.Match[str]], before: Container[str], behind: Container[str]
) -> Iterator[int]:
    """Find the words of a figure, and those beside it that make it a limit, by their places."""
    inside = [n for n, word in enumerate(words) if start <= word.start() < end]
    if inside:
        yield from inside
        yield from takewhile(lambda n: words[n][0].lower() in before, range(inside[0] - 1, -1, -1))
        yield from takewhile(lambda n: words[n][0].lower() in behind, range(inside[-1] + 1, len(words)))


def _figures(sentence: str) -> Iterator[tuple[int, int]]:
    """Find where the amounts, the rating and the count stand that limits were read from."""
    limits, amounts, rating = ShopLimits.of(sentence), dollar_amounts(sentence), least_rating(sentence)
    if len(amounts) <= limits.costs:
        yield from ((one.start, one.end) for one in amounts)
    if rating is not None:
        yield rating.start, rating.end
    if limits.many is not None:
        yield from (one.span() for one in WORD.finditer(sentence) if number_of(one[0]) == limits.many)
