"""The reading of a query. Words with their other names, slips mended, prices and orders that it names, and all notes on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from drr.env.search.lexicon import Lexicon
from drr.env.search.vocabulary import Name, search_words
from drr.env.text import tokens
from drr.wording.limits import limits
from drr.wording.money import MONEY

Holders = Callable[[str, str], int]
"""Field and word -> how many products have it there."""
_FIELDS = ("text", "rest")
_MOST_WORDS = 64
_NAMES = 2


class Slot(NamedTuple):
    """A place in the query: the word or words asked for, and what else would do. The first are the words as they were asked."""

    names: tuple[Name, ...]
    weak: bool = False
    """Ranks, and is not demanded."""


@dataclass(frozen=True)
class ReadQuery:
    slots: tuple[Slot, ...]
    min_price: float | None = None
    max_price: float | None = None
    cheapest: bool = False
    said: tuple[str, ...] = field(default=())
    """What was read into the query, as the answer says it."""

    @property
    def words(self) -> str:
        """The words without the weak ones; each thing by its first names."""
        return " ".join(word for slot in self.demanded for name in slot.names[:_NAMES] for word in name)

    @property
    def demanded(self) -> list[Slot]:
        return [slot for slot in self.slots if not slot.weak]


class QueryReader:
    def __init__(self, holders: Holders, lexicon: Callable[[], Lexicon]) -> None:
        self._holders, self._lexicon = holders, lexicon
        self._words = search_words()

    def read(self, query: str) -> ReadQuery:
        low, high, rest = _prices(query)
        remarks = []
        if low is not None or high is not None:
            remarks.append(f"price {_between(low, high)}")
        words = tokens(rest)[:_MOST_WORDS]
        cheap = next((word for word in words if word in self._words.cheap), None)
        slots = list(dict.fromkeys(self._slots(words, remarks)))
        if all(slot.weak for slot in slots):
            slots = [Slot(slot.names) for slot in slots]
            cheap = None
        if cheap is not None:
            remarks.append(f'"{cheap}": sort price_asc')
        return ReadQuery(tuple(slots), low, high, cheap is not None, tuple(remarks))

    def _slots(self, words: Sequence[str], said: list[str]) -> list[Slot]:
        slots: list[Slot] = []
        place = 0
        while place < len(words):
            slot, used = self._named(words, place) or self._joined(words, place) or (None, 1)
            slots.append(slot or self._single(words[place], said))
            place += used
        return slots

    def _named(self, words: Sequence[str], place: int) -> tuple[Slot, int] | None:
        """The longest name of a thing that begins here, with its other names."""
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
        """`bird house` where products say `birdhouse`."""
        pair = tuple(words[place : place + 2])
        if len(pair) < 2 or any(
            len(word) < 3 or word in self._words.weak or not word.isalpha() for word in pair
        ):
            return None
        joined = "".join(pair)
        return (Slot((pair, (joined,))), 2) if self._holders("strong", joined) else None

    def _single(self, word: str, said: list[str]) -> Slot:
        if word in self._words.weak:
            return Slot(((word,),), weak=True)
        if any(self._holders(name, word) for name in _FIELDS):
            return Slot(((word,),))
        mended = self._mended(word)
        if mended is None:
            return Slot(((word,),))
        said.append(f'for "{word}": {" ".join(mended)}')
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


def _prices(query: str) -> tuple[float | None, float | None, str]:
    """The limits that the query sets to the price, and the query without the amounts."""
    found = [limit for limit in limits(query) if limit.scope != "month"]
    lows = [limit.low for limit in found if limit.low is not None]
    highs = [limit.high for limit in found if limit.high is not None]
    low, high = max(lows, default=None), min(highs, default=None)
    if not found or (low is not None and high is not None and low > high):
        return None, None, query
    parts, last = [], 0
    for amount in MONEY.amounts(query):
        parts.append(query[last : amount.start])
        last = amount.end
    return low, high, " ".join([*parts, query[last:]])


def _between(low: float | None, high: float | None) -> str:
    if low is None:
        return f"up to ${high:,.2f}"
    return f"from ${low:,.2f}" if high is None else f"from ${low:,.2f} to ${high:,.2f}"
