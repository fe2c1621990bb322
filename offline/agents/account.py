"""The account of a sentence: which of its words were read. What is left is a condition, which only a listing's name can meet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, takewhile
from typing import NamedTuple

from drr.env.constraints import parse_constraints
from drr.env.text import stem, tokens
from drr.offline.agents.phrases import PHRASES, WORD, PhraseReader
from drr.wording.figures import number_of
from drr.wording.money import dollar_amounts
from drr.wording.ratings import RATINGS
from drr.wording.vocabulary import Wordbook, vocabulary

_CUES = (
    "spending", "buying", "adverbs", "questions", "latest", "telling", "returning", "pairing", "selling", "offered",
    "cheapest", "popular", "finding", "costing", "owning", "faults",
)  # fmt: skip
_RANKS = ("choosing", "best", "cheap")
_AROUND_COSTS = (
    "cap_before", "cap_fillers", "cap_nouns", "cap_degrees", "cap_after", "negations", "none_of_it", "none_that", "beyond", "floor_before",
    "floor_after", "item_after", "item_before", "item_limits", "every", "every_one", "month_after", "month_before", "range_before", "spent",
)  # fmt: skip
_AROUND_STARS = ("before", "stars", "behind")
_HOW_MUCH = re.compile(r"\bhow much\b", re.IGNORECASE)
Span = tuple[int, int]


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


class Unread(NamedTuple):
    """Stretches of a sentence that no rule reads."""

    stretches: tuple[str, ...] = ()
    firm: bool = False
    """True where they deny something or name an amount: that a listing's name has them says nothing."""

    def with_all(self, others: Iterable[Unread]) -> Unread:
        every = [self, *others]
        return Unread(
            tuple(dict.fromkeys(one for unread in every for one in unread.stretches)),
            any(one.firm for one in every),
        )


class WordAccount:
    def __init__(self, words: Wordbook, phrases: PhraseReader) -> None:
        self._phrases = phrases
        self._idle = words.single("function_words", "asking", "talk", "owned", "containers")
        self._idle -= {*phrases.denials, "before", "after", "most", "same", "again", "per"}
        self._cues = words.single(*_CUES)
        self._own = self._cues - words.single("cheapest", "popular") | words.single("latest")
        self._ranks = words.single(*_RANKS)
        around = vocabulary("limits").single(*_AROUND_COSTS) | vocabulary("ratings").single(*_AROUND_STARS)
        self._before = around | words.single("trade") | self._idle | phrases.denials
        self._behind = self._before - phrases.denials

    def unread(
        self,
        sentence: re.Match[str],
        cues: Sequence[Span],
        read: Sequence[Span],
        things: str,
        *,
        figures: bool,
        own: bool,
    ) -> Unread:
        """Find the words that carry meaning and are in no thing, cue or limit, as they stand there. Limits count with `figures`."""
        text = sentence.string
        words = list(WORD.finditer(text, *sentence.span()))
        named, cue_words = set(tokens(things)), self._own if own else self._cues
        prices = [one.span() for one in _HOW_MUCH.finditer(text, *sentence.span()) if not _is_in(one, cues)]
        known = [
            (self._is_idle(one[0]) and not _is_in(one, prices))
            or _is_in(one, read)
            or named.issuperset(tokens(one[0]))
            or (bool(cues) and self._ranks.issuperset(one[0].lower().split("-")))
            or (one[0].lower() in cue_words and _is_in(one, cues))
            for one in words
        ]
        limiting = set(self._limiting(sentence, words)) if figures else set()
        denied = any(
            self._phrases.denied(one[0])
            for n, one in enumerate(words)
            if n not in limiting and not _is_in(one, cues)
        )
        left = [one for n, one in enumerate(words) if not known[n] and n not in limiting]
        spans = list(self._joined(left, words, text))
        priced = any(
            start < one.end and one.start < end for one in dollar_amounts(text) for start, end in spans
        )
        stretches = tuple(text[start:end] for start, end in spans)
        return Unread(
            stretches,
            bool(stretches) and bool(denied or priced or prices or any(map(str.isdecimal, stretches))),
        )

    def words(self, text: str) -> list[str]:
        """List the words of a text that carry meaning, as they are indexed."""
        return [word for piece in self.pieces(text) for word in piece]

    def pieces(self, stretch: str) -> list[list[str]]:
        """Split a stretch into the runs of its words that carry meaning, as they are indexed."""
        runs = groupby(WORD.findall(stretch), self._is_idle)
        return [[one for word in run for one in tokens(word)] for idle, run in runs if not idle]

    def _is_idle(self, word: str) -> bool:
        word = word.lower()
        return not self._idle.isdisjoint((word, stem(word))) or self._phrases.is_adverb(word)

    def _joined(
        self, left: Sequence[re.Match[str]], words: Sequence[re.Match[str]], text: str
    ) -> Iterator[Span]:
        """Put together words with nothing of meaning between them, and a bare figure with the word behind it."""
        found: list[Span] = []
        for word in left:
            start, end = word.span()
            if word[0].isdecimal():
                behind = next((one for one in words if one.start() == end + 1), None)
                end = end if behind is None or self._is_idle(behind[0]) else behind.end()
            between = text[found[-1][1] : start] if found else ","
            if between == "." or self._idle.issuperset(between.lower().split()):
                start = found.pop()[0]
            before = next((one for one in words if one.end() == start - 1), None)
            if before and self._phrases.denied(before[0]):
                start = before.start()
            found.append((start, end))
        yield from found

    def _limiting(self, sentence: re.Match[str], words: Sequence[re.Match[str]]) -> Iterator[int]:
        """Find the words of figures, and those beside them that make them limits, by their places."""
        for start, end in _figures(sentence[0]):
            start, end = start + sentence.start(), end + sentence.start()
            inside = [n for n, word in enumerate(words) if start <= word.start() < end]
            before = range(min(inside, default=0) - 1, -1, -1)
            behind = range(max(inside, default=len(words)) + 1, len(words))
            yield from inside
            yield from takewhile(lambda n: words[n][0].lower() in self._before, before)
            yield from takewhile(lambda n: words[n][0].lower() in self._behind, behind)


def _is_in(word: re.Match[str], spans: Sequence[Span]) -> bool:
    return any(start <= word.start() < end for start, end in spans)


def _figures(sentence: str) -> Iterator[Span]:
    """Find where the amounts, the rating and the count stand that limits were read from."""
    limits, amounts, rating = ShopLimits.of(sentence), dollar_amounts(sentence), least_rating(sentence)
    if len(amounts) <= limits.costs:
        yield from ((one.start, one.end) for one in amounts)
    if rating is not None:
        yield rating.start, rating.end
    if limits.many is not None:
        yield from (one.span() for one in WORD.finditer(sentence) if number_of(one[0]) == limits.many)


ACCOUNT = WordAccount(vocabulary("shopping"), PHRASES)


def has_stretch(title: str, stretch: str) -> bool:
    """Tell whether a name has all words of a stretch, each run of them as it stands there."""
    name = f" {' '.join(tokens(title))} "
    return all(f" {' '.join(run)} " in name for run in ACCOUNT.pieces(stretch))
