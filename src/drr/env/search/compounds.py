"""Reads a query of a shop in another language than English: stop words, and compounds by the catalogue's words.

Where a language's stems and stop words are not known, neither is its grammar: there every word counts alike.

A compound is found under its parts, and its parts under the compound: `Kaffeemühle` is `Mühle für Kaffee`. It ends in what it
is a kind of: `Lampe` finds `Stehlampe`, and a compound that few products have finds other kinds after itself. Only words of the
catalogue's titles, brands and shelves are parts, so no list of words is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from drr.env.languages import COMPOUNDING, is_stop_word, is_unknown_language, surfaces
from drr.env.search.fields import Name, SearchWords
from drr.env.search.read_query import (
    MOST_ROWS,
    SHORTEST_PART,
    Holders,
    Lexicon,
    QueryReader,
    ReadQuery,
    Slot,
    distance,
)
from drr.env.text import folded_text, word_stem
from drr.wording.currency import DOLLARS, Currency

VERSION = "2"
"""The version of reading such a query. It is raised if a query may find other products or another order."""
WORDS_VERSION = "1"
"""The version of reading a query in a language whose grammar is not known."""
_NO_WORDS = SearchWords(frozenset(), frozenset(), frozenset(), frozenset(), {}, frozenset(), 0)
_RARE = 10
"""A compound that so many products have is found by itself."""
_MOST_COMPOUNDS = 24
"""Most compounds that are searched beside the word in which they end."""
_SHORTEST_END = 4
"""Fewest letters of an end that is the thing though the catalogue lacks the compound's beginning."""


def reader_of(
    holders: Holders, lexicon: Callable[[], Lexicon], language: str | None, money: Currency = DOLLARS
) -> QueryReader:
    """Return the reader for an index with a language's stems; `None` stands for English ones."""
    if language is not None:
        return CompoundReader(holders, lexicon, language, money)
    # An index with English stems says nothing of the shop's language; its people's way to write amounts does.
    reader = PlainWordReader if is_unknown_language(money.language) else QueryReader
    return reader(holders, lexicon, money)


class PlainWordReader(QueryReader):
    """Reads a query in a language whose grammar is not known. English words mean nothing here: Polish `but` is a shoe."""

    def __init__(self, holders: Holders, lexicon: Callable[[], Lexicon], money: Currency = DOLLARS) -> None:
        super().__init__(holders, lexicon, money)
        self._words = _NO_WORDS

    def read(self, query: str) -> ReadQuery:
        return replace(super().read(query), named=False)


class CompoundReader(QueryReader):
    def __init__(
        self, holders: Holders, lexicon: Callable[[], Lexicon], language: str, money: Currency = DOLLARS
    ) -> None:
        super().__init__(holders, lexicon, money)
        self._language, self._compounding = language, language in COMPOUNDING

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
            found = self._lexicon().compounds(tail, self._language)
            joined = [one.word for one in found if one.head == head][:_MOST_COMPOUNDS]
            if joined:
                ways = [(word,) for word in joined]
                wider = (
                    self._word_and_kinds(tail)
                    if self._compounding and sum(map(self._number, joined)) < _RARE
                    else ()
                )
                return [Slot(((head, tail), *ways), wider=wider, parted=True)], end + 1 - place
        return [], 1

    def _read(self, word: str, notes: list[str]) -> list[Slot]:
        stem = self._stem(word)
        if self._is_stop(word):
            return [Slot(((stem,),), weak=True)]
        number = self._number(stem)
        parts = self._parts(word) if number < _RARE else None
        if number or (parts is None and self._endings(stem)):
            return [self._slot_of_word(word, stem)]
        if parts is None:
            return self._slots_of_unknown(word, stem, notes)
        notes.append(f'for "{word}": {" ".join(parts)}')
        *heads, last = map(self._stem, parts)
        return [*(Slot(((head,),)) for head in heads), Slot(((last,),), kinds=self._endings(last))]

    def _slots_of_unknown(self, word: str, stem: str, notes: list[str]) -> list[Slot]:
        """Read a word that the catalogue lacks. It is misspelt in one letter, a compound whose end is known, or misspelt in two."""
        near = self._lexicon().near(stem)
        cut = self._known_end(word) if near is None or distance(stem, near, 1) > 1 else None
        if cut is not None:
            notes.append(f'for "{word}": {cut[1]}')
            head, tail = map(self._stem, cut)
            begun = tuple(self._lexicon().begun(folded_text(cut[0]))[:_MOST_COMPOUNDS])
            thing = Slot(((tail,),), kinds=self._endings(tail), wider=begun)
            return [thing, Slot(((head,),), weak=True, kinds=begun)]
        near = near or self._lexicon().root(stem)
        if near is None:
            return [Slot(((stem,),))]
        notes.append(f'for "{word}": {near}')
        return [self._slot_of_word(near, near)]

    def _known_end(self, word: str) -> tuple[str, str] | None:
        """Return what stands before the longest end of a word that is a thing of the catalogue, and that end."""
        for place in range(SHORTEST_PART, len(word) - _SHORTEST_END + 1) if self._compounding else ():
            if self._part_holders(word[place:], last=True):
                return word[:place], word[place:]
        return None

    def _slot_of_word(self, word: str, stem: str) -> Slot:
        """Return the slot of a word: itself, what ends in it, and if it is rare its parts. The last part too stands for what ends in it."""
        kinds = self._endings(stem)
        if self._number(stem) >= _RARE:
            return Slot(((stem,),), kinds=kinds)
        parts, end = self._parts(word), self._known_end(word)
        *heads, last = map(self._stem, parts or (word,))
        group = self._word_and_kinds(last) if parts is not None else ()
        wider = self._word_and_kinds(self._stem(end[1])) if parts is None and end is not None else group
        ways = [(*heads, ending) for ending in group]
        return Slot(((stem,), *ways), kinds=kinds, wider=wider if self._compounding else (), parted=True)

    def _word_and_kinds(self, stem: str) -> tuple[str, ...]:
        """Return a word and what ends in it."""
        return (stem, *self._endings(stem))

    def _number(self, stem: str) -> int:
        return max(self._holders("text", stem), self._holders("rest", stem))

    def _endings(self, stem: str) -> tuple[str, ...]:
        found = self._lexicon().compounds(stem, self._language)
        return tuple(compound.word for compound in found[:_MOST_COMPOUNDS])

    def _parts(self, word: str) -> Name | None:
        """Split a word into as few words of the catalogue as possible. Of several ways the one that most products have is taken."""
        best: dict[int, tuple[int, int, Name]] = {0: (0, MOST_ROWS, ())}
        for end in range(SHORTEST_PART, len(word) + 1):
            for start in [start for start in best if start <= end - SHORTEST_PART]:
                number, holders, parts = best[start]
                part = word[start:end]
                number_of_part = 0 if part == word else self._part_holders(part, last=end == len(word))
                way = number - 1, min(holders, number_of_part), (*parts, part)
                if number_of_part and (end not in best or way[:2] > best[end][:2]):
                    best[end] = way
        return best[len(word)][2] if len(word) in best else None

    def _part_holders(self, part: str, *, last: bool) -> int:
        stem = self._stem(part)
        return self._holders("strong", stem) or (self._number(stem) if last and self._endings(stem) else 0)

    def _stem(self, word: str) -> str:
        return word_stem(word, self._language)

    def _is_stop(self, word: str) -> bool:
        return is_stop_word(word, self._language)
