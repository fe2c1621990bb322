"""Reads a query of a shop in another language than English: stop words, and compounds by the catalogue's words.

A compound is found under its parts, and its parts under the compound: `Kaffeemühle` is `Mühle für Kaffee`. Only words of the
catalogue's titles, brands and shelves are parts, so no list of words is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from drr.env.languages import is_stop_word, surfaces
from drr.env.search.fields import Name
from drr.env.search.read_query import MOST_ROWS, SHORTEST_PART, Holders, Lexicon, QueryReader, Slot
from drr.env.text import word_stem

VERSION = "1"
"""The version of reading such a query. It is raised if a query may find other products or another order."""
_RARE = 10
"""A compound that so many products have is found by itself."""
_MOST_COMPOUNDS = 8
"""Most compounds that are searched beside the word in which they end."""


def reader_of(holders: Holders, lexicon: Callable[[], Lexicon], language: str | None) -> QueryReader:
    if language is None:
        return QueryReader(holders, lexicon)
    return CompoundReader(holders, lexicon, language)


class CompoundReader(QueryReader):
    def __init__(self, holders: Holders, lexicon: Callable[[], Lexicon], language: str) -> None:
        super().__init__(holders, lexicon)
        self._language = language

    def _cut(self, text: str) -> list[str]:
        return surfaces(text)

    def _slots(self, words: Sequence[str], notes: list[str]) -> list[Slot]:
        slots: list[Slot] = []
        place = 0
        while place < len(words):
            pair, used = self._pair(words, place)
            slots += pair or self._read(words[place], notes)
            place += used
        return slots

    def _pair(self, words: Sequence[str], place: int) -> tuple[list[Slot], int]:
        """Join a word and the next that is no stop word, in either order, to compounds of the catalogue. The number of words read comes with it."""
        end = place + 1
        while end < len(words) and self._is_stop(words[end]):
            end += 1
        if end == len(words) or self._is_stop(words[place]):
            return [], 1
        first, last = self._stem(words[place]), self._stem(words[end])
        for head, tail in ((first, last), (last, first)):
            joined = [one.word for one in self._lexicon().compounds(tail, self._language) if one.head == head]
            if joined:
                ways = [(word,) for word in joined[:_MOST_COMPOUNDS]]
                return [Slot(((head, tail), *ways))], end + 1 - place
        return [], 1

    def _read(self, word: str, notes: list[str]) -> list[Slot]:
        stem = self._stem(word)
        if self._is_stop(word):
            return [Slot(((stem,),), weak=True)]
        number = self._number(stem)
        parts = self._parts(word) if number < _RARE else None
        if number or (parts is None and self._endings(stem)):
            return [self._slot_of_word(stem, parts)]
        if parts is None:
            return [self._mended_slot(word, stem, notes)]
        notes.append(f'for "{word}": {" ".join(parts)}')
        *heads, last = map(self._stem, parts)
        return [*(Slot(((head,),)) for head in heads), self._slot_of_word(last, None)]

    def _mended_slot(self, word: str, stem: str, notes: list[str]) -> Slot:
        near = self._lexicon().near(stem)
        if near is None:
            return Slot(((stem,),))
        notes.append(f'for "{word}": {near}')
        return self._slot_of_word(near, self._parts(near) if self._number(near) < _RARE else None)

    def _slot_of_word(self, stem: str, parts: Name | None) -> Slot:
        """Return the slot of a word: itself, what ends in it, and its parts. The last part too stands for what ends in it."""
        ways = [(stem,), *self._endings(stem)]
        if parts is not None:
            *heads, last = map(self._stem, parts)
            ways += [(*heads, *ending) for ending in ((last,), *self._endings(last))]
        return Slot(tuple(ways))

    def _number(self, stem: str) -> int:
        return max(self._holders("text", stem), self._holders("rest", stem))

    def _endings(self, stem: str) -> list[Name]:
        found = self._lexicon().compounds(stem, self._language)
        return [(compound.word,) for compound in found[:_MOST_COMPOUNDS]]

    def _parts(self, word: str) -> Name | None:
        """Split a word into as few words of the catalogue as possible. Of several ways the one that most products have is taken."""
        best: dict[int, tuple[int, int, Name]] = {0: (0, MOST_ROWS, ())}
        for end in range(SHORTEST_PART, len(word) + 1):
            for start in [start for start in best if start <= end - SHORTEST_PART]:
                number, holders, parts = best[start]
                part = word[start:end]
                number_of_part = 0 if part == word else self._holders("strong", self._stem(part))
                way = number - 1, min(holders, number_of_part), (*parts, part)
                if number_of_part and (end not in best or way[:2] > best[end][:2]):
                    best[end] = way
        return best[len(word)][2] if len(word) in best else None

    def _stem(self, word: str) -> str:
        return word_stem(word, self._language)

    def _is_stop(self, word: str) -> bool:
        return is_stop_word(word, self._language)
