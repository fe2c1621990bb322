"""Which words and short phrases say nearly the same, which name a kind of another, and which exclude each other: written for this project.

Text files, a group a line: `verbs`, `nouns`, `adjectives`, `adverbs` (nearly the same), `kinds` (`appliance: kettle, toaster`), `opposites`
(`quiet, silent | loud, noisy`) and `forms` (`buy: bought`). A word may stand in several groups, one for each of its senses; nothing follows over two
groups. A text is read word by word, the longest phrase first, whatever tokens its reader makes of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

FOLDER = Path(__file__).parent
Part = Literal["verb", "noun", "adjective", "adverb"]
GROUPS: Mapping[str, Part] = {
    "verbs": "verb",
    "nouns": "noun",
    "adjectives": "adjective",
    "adverbs": "adverb",
}
"""Files of groups, and what the words before their semicolon are."""
Tokens = Callable[[str], list[str]]
_LONGEST = 8
"""Words of a phrase."""
_SLIGHT = frozenset(("a", "an", "the", "its", "their", "his", "her", "your", "my", "our"))
"""Words that may stand in a phrase, or not."""
_SENSES = 3
"""A word with more groups than these tells less of each."""
_ENDS: Mapping[Part, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "verb": (("ied", ("y",)), ("ed", ("", "e")), ("ying", ("ie", "y")), ("ing", ("", "e"))),
    "adjective": (
        ("iest", ("y",)),
        ("est", ("", "e")),
        ("ier", ("y",)),
        ("er", ("", "e")),
        ("ily", ("y",)),
        ("ly", ("", "le")),
    ),
}


class SameWords(NamedTuple):
    words: tuple[str, ...]
    part: Part
    kin: tuple[str, ...] = ()
    """Words of another part of speech that go with these."""


class Opposites(NamedTuple):
    one: tuple[str, ...]
    other: tuple[str, ...]


class Sense(NamedTuple):
    """What a word or a phrase may mean."""

    same: Mapping[int, float]
    """Groups in which it says nearly the same as the others, and how surely it is meant so."""
    sides: frozenset[int]
    """Of pairs of opposites the side that it takes: `2 n` and `2 n + 1` exclude each other."""
    kinds: frozenset[str]
    """Of which it is one."""
    heads: frozenset[str]
    """Kinds that it names itself."""


class Read(NamedTuple):
    """A word or a phrase of a text that is known, by the places of its first word and the one behind its last."""

    start: int
    end: int
    sense: Sense


def groups() -> Iterator[SameWords]:
    for name, part in GROUPS.items():
        for line in lines(name):
            words, _, kin = line.partition(";")
            yield SameWords(_split(words), part, _split(kin))


def kinds() -> Iterator[tuple[str, tuple[str, ...]]]:
    for line in lines("kinds"):
        kind, _, words = line.partition(":")
        yield kind, _split(words)


def opposites() -> Iterator[Opposites]:
    for line in lines("opposites"):
        one, _, other = line.partition("|")
        yield Opposites(_split(one), _split(other))


def forms() -> Iterator[tuple[str, tuple[str, ...]]]:
    for line in lines("forms"):
        word, _, made = line.partition(":")
        yield word, _split(made)


def lines(name: str) -> list[str]:
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if not line.startswith("#")]


def _split(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


class _Entry:
    """Of one word or phrase all that the files say."""

    __slots__ = ("heads", "kinds", "parts", "same", "sides")

    def __init__(self) -> None:
        self.same: set[int] = set()
        self.sides: set[int] = set()
        self.kinds: set[str] = set()
        self.heads: set[str] = set()
        self.parts: set[Part] = set()


class Thesaurus:
    """The files, as a reader of texts."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._entries: defaultdict[tuple[str, ...], _Entry] = defaultdict(_Entry)
        self._fill()
        self._bases: defaultdict[str, list[str]] = defaultdict(list)
        for word, made in forms():
            for form in made:
                self._bases[self._one(form)].append(self._one(word))
        self._starts: dict[str, list[tuple[str, ...]]] = {}
        for key in self._entries:
            self._starts.setdefault(key[0], []).append(key)
        self._known: dict[tuple[str, ...], Sense] = {}
        self._first = lru_cache(maxsize=32768)(self._begun_by)

    def _fill(self) -> None:
        for number, group in enumerate(groups()):
            for word in group.words:
                self._add(word, group.part).same.add(number)
            for word in group.kin:
                self._add(word, "noun").same.add(number)
        for kind, members in kinds():
            self._add(kind, "noun").heads.add(kind)
            for word in members:
                self._add(word, "noun").kinds.add(kind)
        for number, pair in enumerate(opposites()):
            for side, words in enumerate(pair):
                for word in words:
                    self._add(word, "adverb").sides.add(2 * number + side)

    def _one(self, word: str) -> str:
        return next(iter(self._tokens(word)), word)

    def _add(self, words: str, part: Part) -> _Entry:
        key = tuple(word for word in self._tokens(words) if word not in _SLIGHT)
        entry = self._entries[key[:_LONGEST]]
        entry.parts.add(part)
        return entry

    def read(self, words: Sequence[str]) -> list[Read]:
        """Each known word, and each longest phrase that begins at a place, in the order of their places."""
        places = [at for at, word in enumerate(words) if word not in _SLIGHT]
        kept = [words[at] for at in places]
        found = []
        for at, word in enumerate(kept):
            single, phrases = self._first(word)
            for key in phrases:
                size = len(key)
                if key[1:] == tuple(kept[at + 1 : at + size]):
                    found.append(Read(places[at], places[at + size - 1] + 1, self._sense(key)))
                    break
            found += [Read(places[at], places[at] + 1, self._sense(key)) for key in single]
        return found

    def _begun_by(self, word: str) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
        """Entries that a word is by itself, and those of more words that it begins, the longest first."""
        single, phrases = [], []
        for base, part in self._forms(word):
            for key in self._starts.get(base, ()):
                if part is not None and part not in self._entries[key].parts:
                    continue
                if len(key) == 1:
                    single.append(key)
                else:
                    phrases.append(key)
        return sorted(set(single)), sorted(set(phrases), key=lambda key: (-len(key), key))

    def _forms(self, word: str) -> Iterator[tuple[str, Part | None]]:
        """What the word may be a form of, and of what part of speech it is then."""
        yield word, None
        for base in self._bases.get(word, ()):
            yield base, None
        for part, ends in _ENDS.items():
            for end, others in ends:
                stem = word.removesuffix(end)
                if stem == word or len(stem) < 2:
                    continue
                for other in others:
                    yield stem + other, part
                if stem[-1] == stem[-2:-1]:
                    yield stem[:-1], part

    def _sense(self, key: tuple[str, ...]) -> Sense:
        known = self._known.get(key)
        if known is None:
            entry = self._entries[key]
            sure = min(1.0, _SENSES / (len(entry.same) or 1)) if len(key) == 1 else 1.0
            known = Sense(
                dict.fromkeys(sorted(entry.same), sure),
                frozenset(entry.sides),
                frozenset(entry.kinds),
                frozenset(entry.heads),
            )
            self._known[key] = known
        return known

    def __len__(self) -> int:
        return len(self._entries)


@cache
def thesaurus(tokens: Tokens) -> Thesaurus:
    """Read once, when it is first needed."""
    return Thesaurus(tokens)
