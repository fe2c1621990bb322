"""Reads a query: words with their other names, corrected misspellings, prices and sort orders, and notes on these."""

from __future__ import annotations

import zlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from drr.env.languages import COMPOUNDING
from drr.env.search.fields import Name, SearchFields, search_words
from drr.env.text import tokens, word_stem
from drr.wording.currencies import codes_of
from drr.wording.currency import DOLLARS, Currency
from drr.wording.limits import limits
from drr.wording.locale import stated_limits
from drr.wording.money import MONEY

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LIMITS_VERSION = "2"
"""The version of reading price limits in other currencies. It is raised if such a query may be read otherwise."""
MOST_ROWS = 1_000_000
_SHORTEST = 4
SHORTEST_PART = 3
"""Fewest letters of a compound's part."""
_REMEMBERED = 4096
_ROOT, _MOST_FORMING = 5, 3
"""Fewest letters of a word that stands for one formed from it, and most letters by which that one is longer."""
_LONG = 8
"""Length of the shortest word that may be corrected in two letters."""


class LexiconMaker:
    """A counter of the products that have each word. With `keyed`, names and brands are counted too, for a catalogue that cannot count them itself."""

    def __init__(self, *, keyed: bool = False) -> None:
        self.counts: Counter[str] = Counter()
        self._keyed = keyed

    def add(self, fields: SearchFields) -> None:
        words = set(fields.strong.split())
        if not self._keyed:
            words = {word for word in words if _is_plain(word)}
        self.counts.update(words)
        if self._keyed:
            self.counts.update(f"name:{key}" for key in fields.name)
            self.counts.update(f"brand:{key}" for key in fields.brand)

    def packed(self) -> bytes:
        rows = sorted(self.counts.items(), key=lambda row: (-row[1], row[0]))[:MOST_ROWS]
        return zlib.compress("\n".join(f"{word} {count}" for word, count in rows).encode(), 6)


class Compound(NamedTuple):
    word: str
    head: str
    """The word with which the compound begins, by its stem."""


class Lexicon:
    def __init__(self, packed: bytes) -> None:
        self._packed = packed
        self.compounds = lru_cache(_REMEMBERED)(self._compounds)

    @cached_property
    def counts(self) -> dict[str, int]:
        text = zlib.decompress(self._packed).decode() if self._packed else ""
        rows = (line.rpartition(" ") for line in text.split("\n") if line)
        return {word: int(count) for word, _, count in rows}

    def products_with(self, field: str, word: str) -> int:
        return self.counts.get(word if field == "strong" else f"{field}:{word}", 0)

    @cached_property
    def _sets(self) -> dict[int, tuple[list[str], NDArray[np.uint32]]]:
        """Return the words by length, each with the set of its letters as bits."""
        import numpy as np

        by_length: dict[int, list[str]] = {}
        for word in self.counts:
            if _is_plain(word):
                by_length.setdefault(len(word), []).append(word)
        return {
            n: (words, np.array([_letters(w) for w in words], np.uint32)) for n, words in by_length.items()
        }

    def near(self, word: str) -> str | None:
        """Return the most likely intended word: fewest errors first, then the same first letter, then the most common."""
        if len(word) < _SHORTEST or not _is_plain(word):
            return None
        most = 2 if len(word) >= _LONG else 1
        found = [
            (slips, other[0] != word[0], -self.counts[other], other)
            for other in self._similar_words(word, most)
            if (slips := distance(word, other, most)) <= most
        ]
        return min(found)[3] if found else None

    def split(self, word: str) -> tuple[str, str] | None:
        """Split a word such as `birdfeeder` into the two words that most products have."""
        parts = [(word[:k], word[k:]) for k in range(3, len(word) - 2)]
        counts = self.counts
        ranked = [(min(counts.get(a, 0), counts.get(b, 0)), a, b) for a, b in parts]
        best = max(ranked, default=(0, "", ""))
        return (best[1], best[2]) if best[0] else None

    @cached_property
    def _plain(self) -> list[str]:
        return sorted(word for word in self.counts if _is_plain(word))

    @cached_property
    def _backwards(self) -> list[str]:
        return sorted(word[::-1] for word in self._plain)

    def _compounds(self, tail: str, language: str) -> tuple[Compound, ...]:
        """Return the words that end in a word, the most common first. They begin with a word of the catalogue; in a language of
        compounds, with any."""
        if len(tail) < SHORTEST_PART:
            return ()
        free, found = language in COMPOUNDING, []
        for backwards in _beginning(self._backwards, tail[::-1]):
            word = backwards[::-1]
            begins = word[: -len(tail)]
            if len(begins) < SHORTEST_PART:
                continue
            head = word_stem(begins, language)
            if free or head in self.counts:
                found.append((-self.counts[word], Compound(word, head)))
        return tuple(compound for _, compound in sorted(found))

    def root(self, word: str) -> str | None:
        """Return the longest word from which another is formed by a few more letters: `gusseisern` from `gusseis`."""
        counts = self.counts
        longest = len(word) - 1
        shortest = max(_ROOT, len(word) - _MOST_FORMING)
        return next((word[:end] for end in range(longest, shortest - 1, -1) if word[:end] in counts), None)

    def begun(self, head: str) -> list[str]:
        """Return the words that begin so, the most common first."""
        return sorted(_beginning(self._plain, head), key=lambda word: (-self.counts[word], word))

    def _similar_words(self, word: str, most: int) -> Iterable[str]:
        """Yield the words whose letters differ little enough: each error changes at most two letters of the set."""
        import numpy as np

        mine = np.uint32(_letters(word))
        for length in range(len(word) - most, len(word) + most + 1):
            if length in self._sets:
                words, sets = self._sets[length]
                different = np.bitwise_count(sets ^ mine)
                yield from (words[k] for k in np.flatnonzero(different <= 2 * most))


def _beginning(words: Sequence[str], start: str) -> Iterator[str]:
    """Yield those of sorted words that begin so."""
    for place in range(bisect_left(words, start), len(words)):
        if not words[place].startswith(start):
            return
        yield words[place]


def _is_plain(word: str) -> bool:
    return word.isascii() and word.isalpha()


def _letters(word: str) -> int:
    bits = 0
    for letter in word:
        bits |= 1 << (ord(letter) - 97)
    return bits


def distance(a: str, b: str, most: int) -> int:
    """Return the number of letters left out, inserted, wrong or swapped. More than `most` is returned as `most + 1`."""
    if abs(len(a) - len(b)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        older, before, row = before, row, [i]
        for j, y in enumerate(b, 1):
            best = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                best = min(best, older[j - 2] + 1)
            row.append(best)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)


Holders = Callable[[str, str], int]
"""A function of field and word that returns how many products have the word there."""
_FIELDS = ("text", "rest")
_MOST_WORDS = 64
_NAMES = 2


class Slot(NamedTuple):
    """A place in the query: the words asked for and their alternatives. The first name is the query's own."""

    names: tuple[Name, ...]
    weak: bool = False
    """True if the words only rank and are not demanded."""
    kinds: tuple[str, ...] = ()
    """Words for kinds of the thing, which count as its own word does."""
    wider: tuple[str, ...] = ()
    """Words for what the thing is a kind of. They are searched if few products have the thing itself."""
    parted: bool = False
    """True if a name of several words is one word in parts, which count together as it does."""

    @property
    def ways(self) -> tuple[Name, ...]:
        """Return all names and kinds."""
        return (*self.names, *((kind,) for kind in self.kinds)) if self.kinds else self.names


@dataclass(frozen=True)
class ReadQuery:
    slots: tuple[Slot, ...]
    min_price: float | None = None
    max_price: float | None = None
    cheapest: bool = False
    notes: tuple[str, ...] = field(default=())
    """Notes for the answer on how the query was interpreted."""
    named: bool = True
    """False if no word may be taken for the name of the thing, so that only the number of words decides what matches."""

    @property
    def words(self) -> str:
        """Return the words of the query that are not weak. A thing with several names is searched by its first two."""
        return " ".join(word for slot in self.demanded for name in slot.names[:_NAMES] for word in name)

    @property
    def demanded(self) -> list[Slot]:
        return [slot for slot in self.slots if not slot.weak]


class QueryReader:
    """Reads a query of an English shop."""

    def __init__(self, holders: Holders, lexicon: Callable[[], Lexicon], money: Currency = DOLLARS) -> None:
        self._holders, self._lexicon, self._money = holders, lexicon, money
        self._words = search_words()

    def read(self, query: str) -> ReadQuery:
        low, high, rest = _prices(query, self._money)
        remarks = []
        if low is not None or high is not None:
            remarks.append(f"price {_between(low, high, self._money)}")
        elif rest != query:
            remarks.append("an amount is no limit by itself: pass max_price")
        words = self._cut(rest)[:_MOST_WORDS]
        cheap = next((word for word in words if word in self._words.cheap), None)
        slots = list(dict.fromkeys(self._slots(words, remarks)))
        if all(slot.weak for slot in slots):
            slots = [Slot(slot.names) for slot in slots]
            cheap = None
        if cheap is not None:
            remarks.append(f'"{cheap}": sort price_asc')
        return ReadQuery(tuple(slots), low, high, cheap is not None, tuple(remarks))

    def _cut(self, text: str) -> list[str]:
        return tokens(text)

    def _slots(self, words: Sequence[str], notes: list[str]) -> list[Slot]:
        slots: list[Slot] = []
        place = 0
        while place < len(words):
            slot, used = self._named(words, place) or self._joined(words, place) or (None, 1)
            slots.append(slot or self._single(words[place], notes))
            place += used
        return slots

    def _named(self, words: Sequence[str], place: int) -> tuple[Slot, int] | None:
        """Return the longest product name that begins at this place, with its other names, or `None`. The next place comes with it."""
        if words[place] not in self._words.first:
            return None
        for count in range(min(self._words.longest, len(words) - place), 0, -1):
            name = tuple(words[place : place + count])
            thing = self._words.others.get(name)
            if thing is None:
                continue
            if thing.unless_named and self._holders("name", "_".join(name)):
                continue
            return Slot((name, *thing.names)), count
        return None

    def _joined(self, words: Sequence[str], place: int) -> tuple[Slot, int] | None:
        """Join two words that products write as one: `bird house` as `birdhouse`."""
        pair = tuple(words[place : place + 2])
        if len(pair) < 2 or any(
            len(word) < 3 or word in self._words.weak or not word.isalpha() for word in pair
        ):
            return None
        joined = "".join(pair)
        return (Slot((pair, (joined,))), 2) if self._holders("strong", joined) else None

    def _single(self, word: str, notes: list[str]) -> Slot:
        if word in self._words.weak:
            return Slot(((word,),), weak=True)
        if any(self._holders(name, word) for name in _FIELDS):
            return Slot(((word,),))
        mended = self._mended(word)
        if mended is None:
            return Slot(((word,),))
        notes.append(f'for "{word}": {" ".join(mended)}')
        other = self._words.others.get(mended)
        return Slot((mended, *(other.names if other and not other.unless_named else ())))

    def _mended(self, word: str) -> Name | None:
        lexicon = self._lexicon()
        near = lexicon.near(word)
        if near is None or len(word) >= 8:
            parts = lexicon.split(word) if word.isalpha() else None
            if parts is not None and (near is None or min(map(len, parts)) > 3):
                return parts
        return None if near is None else (near,)


def _prices(query: str, money: Currency) -> tuple[float | None, float | None, str]:
    """Return the price limits that a query states (least, most), and the query without the amounts.

    In another currency than dollars no amount stays, also where it limits nothing.
    """
    text, own = stated_limits(query, money), money == DOLLARS
    named = list(MONEY.amounts(text))
    strange = money.code not in codes_of("$") and any(MONEY.amounts(query))
    found = [] if strange else [limit for limit in limits(text) if limit.scope != "month"]
    lows = [limit.low for limit in found if limit.low is not None]
    highs = [limit.high for limit in found if limit.high is not None]
    low, high = max(lows, default=None), min(highs, default=None)
    if not found or (low is not None and high is not None and low > high):
        if own or not named:
            return None, None, query
        low = high = None
    parts, last = [], 0
    for amount in named:
        parts.append(text[last : amount.start])
        last = amount.end
    parts.append(text[last:])
    return low, high, " ".join(parts if own else map(_without_weak_ends, parts))


def _without_weak_ends(part: str) -> str:
    """Remove English words of asking and of price, which another language's stop words lack, from beside an amount."""
    words, weak = part.split(), search_words().weak
    while words and words[-1].casefold().strip(".,:") in weak:
        words.pop()
    while words and words[0].casefold().strip(".,:") in weak:
        words.pop(0)
    return " ".join(words)


def _between(low: float | None, high: float | None, money: Currency) -> str:
    if low is None:
        return f"up to {money.text(high or 0)}"
    return f"from {money.text(low)}" if high is None else f"from {money.text(low)} to {money.text(high)}"
