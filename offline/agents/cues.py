"""The words of a question by which the rules part the wish from the story around it, as sets and expressions."""

from __future__ import annotations

import re

from drr.env.text import stem
from drr.wording.dates import CALENDAR
from drr.wording.numbers import CARDINALS
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
