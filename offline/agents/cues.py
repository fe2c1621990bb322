"""Words by which the rules tell the wish from the story, and what is bought from what is owned."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from drr.env.text import stem
from drr.wording.dates import CALENDAR
from drr.wording.figures import CARDINALS
from drr.wording.vocabulary import Wordbook

_CLAUSE = re.compile(r"[.;:?!()]|,\s+(?:so|but|yet|and i|and we)\b", re.IGNORECASE)
_POSSESSED = re.compile(r"\b(?:my|our) (?:[\w-]{1,40} ){0,2}$", re.IGNORECASE)
_POINTERS = frozenset(
    [
        "an",
        "another",
        "any",
        "each",
        "every",
        "my",
        "new",
        "no",
        "of",
        "one",
        "other",
        "our",
        "that",
        "these",
        "this",
        "those",
        "which",
        "whose",
    ]
)
_INDEFINITE = frozenset(("a", "an", "another", "some", "new"))
_STOPS = ("function_words", "asking", "trade", "judging", "talk", "calendar", "people", "on_the_web", "met")


def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression, re.IGNORECASE)


class Cues:
    def __init__(self, words: Wordbook) -> None:
        some = words.either
        self.stops = frozenset(
            [
                *(word for group in _STOPS for word in words[group]),
                *CARDINALS,
                *map(str.lower, CALENDAR["months"]),
            ]
        )
        self.small = frozenset(words["small"])
        self.wanting = frozenset(words["wanting"])
        self.joins = frozenset(words["joins"])
        self.articles = frozenset(words["articles"])
        self._no_adverbs = frozenset(words["no_adverbs"])
        self._quality = re.compile(
            rf"(?<!\S)(?:\S*-(?:{some('quality_endings')})|\S+(?:{some('quality_suffixes')})|{some('qualities')})$"
        )
        self.owned = _compiled(
            rf"(?:\bmy (?:{some('owned_old')})|\b(?:{some('owned_since')}) (?:{some('owned_by')})|\bi (?:{some('owned_i')})"
            rf"|\b(?:{some('owned_got')})|\b(?:{some('owned_less')}) (?:a|my))\W{{1,4}}(?:\w[\w-]{{0,40}}\W{{1,4}}){{0,2}}$"
        )
        self.goal = _compiled(rf"\b(?:{some('goals')}) {{1,4}}(?:(?:{some('goal_fillers')}) {{1,4}}){{0,6}}$")
        self.for_whom = _compiled(
            rf"\b(?:{some('for_whom')}) {{1,4}}(?:(?:{some('whose')}) {{1,4}}){{0,6}}(?:[\w-]{{1,40}} {{1,4}})?$"
        )
        self.seeking = _compiled(
            rf"(?:\b(?:{some('seeking')})|\$[\d.,]{{1,12}}) {{1,4}}for\b {{0,4}}(?:[\w-]{{1,40}} {{1,4}}){{0,3}}$"
        )
        between = r"(?:[\w-]{1,40} ){1,4}"
        which = rf"{between}(?:{some('modals', 'deciding')}) (?:i|you|we)\b"
        self.aside = _compiled(rf"\b(?!which {which}|whether an?\b)(?:{some('asides')})\b")
        self.question = _compiled(rf"(?:{some('questions')})\b")
        self.research = _compiled(rf"\b(?:{some('research')})\W{{1,4}}(?:\w{{1,40}}\W{{1,4}}){{0,2}}$")
        self.shall = _compiled(rf"\b(?:{some('modals')}) (?:i|you|we) (?:{some('buying')})\b")
        self.choice = _compiled(rf"(?:{some('choices')})\b")
        self.wishes = _compiled(rf";|\b(?:(?:{some('wishes')})\b|which (?={which}))")
        self.containers = frozenset(words["containers"])
        self.indefinite = _INDEFINITE
        self.pointers = _POINTERS.union(words["articles"])
        had = some("owned_i", "had")
        self._had_before = _compiled(
            rf"\b(?:i|we|i've|we've)(?: \w{{1,12}})? (?:{had})\b(?! (?:to|in mind)\b)[^$]*$"
        )
        self._had_behind = _compiled(
            rf"^[\w'-]{{1,40}}\W{{1,3}}(?:[\w'-]{{1,40}}\W{{1,3}}){{0,2}}(?:i|we|i've|we've) (?:{had})\b"
        )
        self.container = _compiled(rf"\b(an?|some) (?:{some('containers')}) of\b")
        self.compound = _compiled(rf"\b({some('compound_verbs')})\s({some('compound_ends')})\b(?=\s\w)")
        self.outgrown = _compiled(rf"\b(?:{some('outgrown')})\b")
        self.replaced = _compiled(rf"\b(?:{some('replaced')})")
        self.no_more = _compiled(
            rf"\b(?:(?:{some('no_more')})\b|(?:{some('nothing_owned')})\b(?=\s{{0,4}}(?:$|[.,;:!?)]|please\b)))"
        )
        self.again = _compiled(rf"\b(?:{some('again')})\b")
        self.personal = _compiled(rf"\b(?:{some('personal')})\b")
        self.place = _compiled(
            rf"\b(?:my|our) (?:\w{{1,40}} )?(?:{some('home_places')})\b|\b(?:{some('local')})\b"
        )
        self.history = _compiled(rf"\b(?:{some('history')})")
        self.outside = _compiled(rf"\b(?:{some('outside')})")

    def is_quality(self, word: str) -> bool:
        """A word that says how something should be, not what it is."""
        return self._quality.match(word) is not None

    def is_possessed(self, before: str) -> bool:
        return _POSSESSED.search(before) is not None

    def has(self, before: str, behind: str) -> bool:
        """Tell whether a thing is described as owned: `I own six pairs of` pruners, the baskets `I have`."""
        match = self._had_before.search(_CLAUSE.split(before)[-1])
        had = match is not None and self.wanting.isdisjoint(re.findall(r"[a-z']+", match[0].lower()))
        return had or self._had_behind.match(behind) is not None

    def names_something(self, word: str) -> bool:
        adverb = word.endswith("ly") and len(word) > 5 and word not in self._no_adverbs
        return len(word) > 1 and word[0].isalpha() and not adverb and not self.stops & {word, stem(word)}


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
        """The needs that a verb asks for or that stand in a list, known after `needs`."""

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


class WallReader:
    def __init__(self, words: Wordbook) -> None:
        some = words.either
        few = rf"(?:(?!(?:{some('minding')})\b)[\w'-]{{1,20}} {{1,2}}){{0,4}}"
        more, granted = r"(?:[\w'-]{1,20} ){0,5}", some("granted")
        no, fixing, surfaces = some("refusing"), some("fixing"), some("surfaces")
        self._whole = _bounded(
            rf"(?:{no}) {few}(?:{fixing})|(?:{no}) {few}(?:{some('harming')}) {few}(?:{surfaces})"
            rf"|(?:{surfaces}) {few}(?:{some('left_whole')})|(?:{no}) (?:[\w'-]{{1,20}} ){{0,2}}(?:{granted}) {more}(?:{fixing})"
        )
        self._tenancy = _bounded(rf"(?:{some('tenancy')})(?! out\b)")
        self._permitted = _bounded(
            rf"(?:{granted}) {more}(?:{fixing})|(?:{some('permitted')}) (?:[\w'-]{{1,20}} ){{0,2}}(?:{fixing})"
        )
        self._fixed = _bounded(some("fixed"))
        self._unfixed = _bounded(some("unfixed"))

    def spares(self, text: str) -> bool:
        """Tell whether nothing may be fixed to walls: the text says so, or its writer rents and mentions no permission."""
        if self._whole.search(text) is not None:
            return True
        return self._tenancy.search(text) is not None and self._permitted.search(text) is None

    def is_fixed(self, title: str) -> bool:
        """Tell whether a listing names it as a thing that is fixed to a wall."""
        return self._fixed.search(title) is not None and self._unfixed.search(title) is None


def _bounded(expression: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{expression})\b", re.IGNORECASE)
