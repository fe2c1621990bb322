"""Runs of words that name a thing: what stands behind "find me a", and between "which is better," and "or"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from drr.env.text import stem, tokens
from drr.wording.dates import CALENDAR
from drr.wording.figures import CARDINALS
from drr.wording.vocabulary import Wordbook, vocabulary

WORD = re.compile(r"[^\W_](?:[^\W_]|['’&-](?=[^\W_]))*")
EITHER = re.compile(r"\W{1,3}(?:or|vs\.?|versus)\s", re.IGNORECASE)
_BETWEEN = re.compile(
    r"[,\s](?:or|vs\.?|versus|(?:(?:better|cheaper) )?than)\s|\s(?:and|with|to|against)\s", re.IGNORECASE
)
_INTRODUCED = re.compile(r"\b(?:an?|another|new|my|our|the|this|that) ", re.IGNORECASE)
_JOIN = re.compile(
    r"\s*(?:(,)\s*(?:and\s)?|(?:and|plus|[&+])\s)\s*(?:(?:an?|some|the|another)\s)?", re.IGNORECASE
)
_MOST_THINGS = 4
_ONE = re.compile(r"\s(?:one|ones)\b")
_STOPS = ("function_words", "asking", "trade", "judging", "talk")


class Phrase(NamedTuple):
    words: str
    start: int
    end: int


class PhraseReader:
    def __init__(self, words: Wordbook) -> None:
        self._months = CALENDAR.single("months", "short_months", "other_months")
        denying = [
            *vocabulary("exclusions")["cues"],
            *vocabulary("exclusions")["refusals"],
            *vocabulary("limits")["negations"],
        ]
        self.denials = frozenset(word for word in denying if " " not in word)
        stops = [
            *(word for group in _STOPS for word in words[group]),
            *CARDINALS,
            *map(str.lower, self._months),
            *self.denials,
        ]
        self.stops = frozenset([*stops, *map(stem, stops), "vs", "versus"])
        self._openers = frozenset(words["openers"])
        self._containers = frozenset(words["containers"])
        self._hollow = self._containers | self.stops
        self._generic = frozenset(words["generic"])
        self._no_adverbs = frozenset(words["no_adverbs"])

    def content_words(self, text: str) -> list[str]:
        """The words that carry meaning, as the catalogue indexes them."""
        stops = self.stops
        return [word for word in tokens(text) if word not in stops and not word.isdigit() and len(word) > 1]

    def ends(self, text: str, word: str) -> bool:
        """Tell whether a name ends with a word. A kit of it is one, "nasal rinse kit"; a bag for it is none."""
        words = self.content_words(text)
        return word in words[-1:] or (words[-1:] == ["kit"] and word in words[-2:-1])

    def denied(self, text: str) -> str:
        """Return what words deny: all from the first denial on."""
        words = text.lower().split()
        at = (place for place, word in enumerate(words) if word in self.denials or word.endswith("n't"))
        return " ".join(words[next(at, len(words)) :])

    def is_adverb(self, word: str) -> bool:
        return word.endswith("ly") and len(word) > 5 and word not in self._no_adverbs

    def phrase(
        self, text: str, start: int, end: int, *, skip: bool = True, anywhere: bool = False
    ) -> Phrase | None:
        """The first run of words that name a thing. It ends at punctuation and at a word that names nothing."""
        run: list[re.Match[str]] = []
        at = start
        for match in WORD.finditer(text, start, end):
            gap = text[at : match.start()].strip(" \n\t\"'*“”")
            word, at = match[0].lower().removesuffix("'s"), match.end()
            if gap == "&" and run and run[-1][0][0].isupper() and match[0][0].isupper():
                gap = ""
            if run and not gap and stem(word) in self._generic:
                return None
            if run and (gap or not self._names_something(match, text)):
                if not gap and word == "of" and run[-1][0].lower() in self._containers:
                    run = []
                    continue
                break
            if not run and gap and gap not in (",", ":", "-"):
                return None
            if self._names_something(match, text):
                run.append(match)
            elif not skip or word.endswith("thing") or (word in self._openers and not anywhere):
                return None
        while run and run[-1][0].isdigit():
            run.pop()
        if self._hollow.issuperset(match[0].lower() for match in run):
            return None
        words = " ".join(match[0].removesuffix("'s") for match in run[-6:])
        for maker in re.findall(r"\b\w+ & \w+", text[run[0].start() : run[-1].end()]):
            words = words.replace(maker.replace(" &", ""), maker)
        return Phrase(words, run[0].start(), run[-1].end())

    def row(self, text: str, start: int, end: int, *, skip: bool) -> Iterator[Phrase]:
        """The things in a row: "a gate, a lamp and bird feeders"."""
        phrase = self.phrase(text, start, end, skip=skip)
        for _ in range(_MOST_THINGS):
            if phrase is None:
                return
            yield phrase
            join = _JOIN.match(text, phrase.end, end)
            if join is None:
                return
            phrase = self.phrase(text, join.end(), end, skip=False)
            if phrase is None or join[0].strip() != ",":
                continue
            last, more = phrase.words.split()[-1].lower(), _JOIN.match(text, phrase.end, end)
            if stem(last) == last and (more is None or more[0].strip() == ","):
                return  # "a lamp, dimmable"

    def introduced(self, text: str, start: int, end: int, to: int) -> list[Phrase]:
        """List the things behind "a" or "my"."""
        places = [match.end() for match in _INTRODUCED.finditer(text, start, end)]
        return [one for at in places if (one := self.phrase(text, at, to))]

    def _names_something(self, match: re.Match[str], text: str) -> bool:
        word = match[0].lower().removesuffix("'s")
        if word in self._containers:
            return True
        if (
            match[0][0].isupper()
            and word not in ("i", "i'm", "i've", "i'd")
            and word.title() not in self._months
            and not _opens(text, match.start())
        ):
            return True
        no_name = len(word) < 2 or word[0].isdigit() or self.is_adverb(word)
        return not no_name and not self.stops & {word, stem(word)}

    def pair(self, text: str, start: int, end: int) -> tuple[str, ...]:
        """The two that are to be compared. Where one is only a name, the other says what it is."""
        joins = sorted(
            _BETWEEN.finditer(text, start, end),
            key=lambda join: join[0].strip() in ("and", "with", "to", "against"),
        )
        for join in joins:
            one, other = self._last_phrase(text, start, join.start()), self.phrase(text, join.end(), end)
            if one and other and self.denied(text[join.end() : other.start]):
                return ()
            if one and other:
                first, second = one.words.split(), other.words.split()
                points = _ONE.match(text, other.end) is not None
                kind = self.phrase(text, start, one.start)
                gap, names = (
                    text[kind.end : one.start] if kind else "",
                    all(word[0].isupper() for word in first + second),
                )
                if kind and (gap.startswith(":") or (gap.startswith(",") and names)):
                    return f"{one.words} {kind.words}", f"{other.words} {kind.words}"
                return " ".join(_completed(first, second)), " ".join(_completed(second, first, points=points))
        return ()

    def _last_phrase(self, text: str, start: int, end: int) -> Phrase | None:
        """The run of words that name a thing and reach up to a place."""
        found = None
        for match in WORD.finditer(text, start, end):
            if found is None or match.start() >= found.end:
                found = self.phrase(text, match.start(), end) or found
        return found if found and not text[found.end : end].strip() else None


def _opens(text: str, start: int) -> bool:
    """Tell whether a sentence begins there: a capital says nothing then."""
    return not text[:start].strip() or text[:start].rstrip(" \n\"'“(*")[-1:] in ".?!:\n"


def _completed(words: list[str], other: list[str], *, points: bool = False) -> list[str]:
    """A bare name with what the other one is: "the Oatie" beside "the Pipkin gate"."""
    if words[-1] == other[-1]:
        return words
    if len(words) <= len(other) and all(word[0].isupper() for word in words):
        kind = [word for word in other if word[0].islower()]
        return [*words, *(other[-1:] if points and not kind else kind)]
    is_maker = len(words) == 1 and len(other) > 2
    return [*words, *other[len(words) :]] if points or is_maker else words


PHRASES = PhraseReader(vocabulary("shopping"))
content_words = PHRASES.content_words
