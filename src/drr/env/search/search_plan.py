"""Plans a search by fields: which words it demands and how it ranks, in terms that every engine has.

A product matches well on the strictest level that enough products reach. The first levels are the shelf or the brand that the whole
query names; then come products that bear the name in the query and have its other words somewhere; then those that have most of
its words. Below the last level are products that merely share a word: `match=any` shows these.

Where the query says that nothing in it is known to be a name, shelf and brand only rank, and the first level is every word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from itertools import product as combinations
from typing import NamedTuple

from drr.env.search.fields import NO_SHELF, SHELF, Name
from drr.env.search.read_query import Holders, ReadQuery, Slot

ENOUGH = 5
"""Fewest products with all the words; if there are fewer, some of the words may be missing."""
FULL = 10
"""Fewest products with all the words if the order is by relevance, in which these come first anyway."""
_SENTENCE = 4
"""Weak words that make a query a question, whose other words are wishes."""
SHARE = 0.6
"""The share of words beside the name of the thing that the looser levels demand."""
WEIGHTS = {"strong": 3.0, "text": 1.0, "rest": 1.0}
NAMED, COMPLETE, SHELVED, BRANDED = 6.0, 6.0, 12.0, 12.0
"""Score added if a product bears the name, has every word, stands on the shelf, or is of the brand that the whole query names."""
_MIDDLING = 4.0
_WIDER = 3.0
"""Score of a word of middling rarity, by its weight, which all kinds of a thing have; and that of what it is itself a kind of."""
_WEIGHED = tuple(WEIGHTS.items())
_ANYWHERE = ("text", "rest")
_MOST_KEYS = 32
_LONGEST_NAME = 4
"""Longest name of a thing, in slots; a slot has names of one word or more."""


class Word(NamedTuple):
    field: str
    word: str


class Some(NamedTuple):
    """A demand that at least `least` of the parts are fulfilled."""

    parts: tuple[Node, ...]
    least: int = 1


Node = Word | Some


class Best(NamedTuple):
    """The best score among several names of one thing; a name's score is the sum of its words."""

    names: tuple[tuple[Weighed, ...], ...]


class Weighed(NamedTuple):
    word: Word
    weight: float


class Bonus(NamedTuple):
    node: Node
    value: float


class Level(NamedTuple):
    node: Node
    needed: int = 1
    """Products that must reach this level; if fewer do, the next level is tried."""


def all_of(parts: Sequence[Node]) -> Node:
    if len(parts) > 1:
        parts = tuple(dict.fromkeys(parts))
    return parts[0] if len(parts) == 1 else Some(tuple(parts), len(parts))


def any_of(parts: Sequence[Node]) -> Node:
    if len(parts) > 1:
        parts = tuple(dict.fromkeys(parts))
    return parts[0] if len(parts) == 1 else Some(tuple(parts))


def _in_any_field(slot: Slot, *fields: str) -> Node:
    """Return the demand that all words of one of the slot's names occur, each in one of the fields."""
    return any_of(
        [all_of([any_of([Word(field, word) for field in fields]) for word in name]) for name in slot.ways]
    )


class Plan:
    """The demands and the ranking of one query. Each part is computed on first use, because the first level is mostly enough."""

    def __init__(self, asked: ReadQuery, holders: Holders, *, ranked: bool) -> None:
        self._asked, self._holders = asked, holders
        self._slots = asked.demanded
        self._ranked, self._enough = ranked, FULL if ranked else ENOUGH
        self._has_kinds = any(slot.kinds or slot.wider for slot in asked.slots)
        self._plain = not self._has_kinds and all(len(slot.names) == 1 for slot in asked.slots)
        self._is_sentence = len(asked.slots) - len(self._slots) >= _SENTENCE
        self._names, self._thing = self._longest_name() if asked.named else ([], set())
        self._named = self._match_name(self._thing)

    def levels(self) -> Iterator[Level]:
        """Yield the levels, the strictest first."""
        if self._asked.named:
            yield from self._levels_of_name(self._shelf, self._brand, self._named)
            yield from self._by_name(self._named, self._thing)
        yield Level(self.every_word)
        if len(self._every) > 1:
            yield Level(Some(tuple(self._every), _share(len(self._every))))

    def names_all_of(self, node: Node) -> bool:
        """Tell whether a demand is the name of a shelf, brand or thing that the whole query names."""
        whole = [level.node for level in self._levels_of_name(self._shelf, self._brand, self._named)]
        return node in whole or (node == self._named and len(self._thing) == len(self._slots))

    @cached_property
    def every_word(self) -> Node:
        return all_of(self._every)

    @cached_property
    def any_word(self) -> Node:
        return any_of([Word(f, w) for s in self._slots for name in s.ways for w in name for f in _ANYWHERE])

    @cached_property
    def ranking(self) -> list[Best | Weighed]:
        return list(self._ranking())

    @cached_property
    def bonuses(self) -> list[Bonus]:
        named: list[Node] = [Word("name", key) for key in self._names]
        if any(self._slots[place].kinds for place in self._thing):
            # Kinds of one thing count once.
            named = [any_of(named)]
        found = [Bonus(node, NAMED) for node in named]
        if self._has_kinds:
            found += [bonus for slot in self._ranking_slots for bonus in _kind_bonuses(slot)]
        if self._named is not None and len(self._every) > 1:
            found.append(Bonus(all_of([self._named, *self._every]), COMPLETE))
        found += [Bonus(node, SHELVED) for node in self._shelf]
        return found + [Bonus(node, BRANDED) for node in self._brand]

    @cached_property
    def _every(self) -> list[Node]:
        return [_in_any_field(slot, *_ANYWHERE) for slot in self._slots]

    @cached_property
    def _shelf(self) -> list[Word]:
        return [Word("name", SHELF + key) for key in self._whole_keys if self._holders("name", SHELF + key)]

    @cached_property
    def _brand(self) -> list[Word]:
        return [Word("brand", key) for key in self._whole_keys if self._holders("brand", key)]

    @cached_property
    def _whole_keys(self) -> list[str]:
        return self._keys(self._slots)

    def _levels_of_name(
        self, shelf: Sequence[Word], brand: Sequence[Word], named: Node | None
    ) -> Iterable[Level]:
        """Yield the levels of a query that is the name of a shelf or brand. A product without a shelf is known by its title."""
        if shelf:
            unshelved = [all_of([Word("name", NO_SHELF), named])] if named else []
            yield Level(any_of([*shelf, *unshelved]), ENOUGH)
        elif brand:
            yield Level(any_of(brand), self._enough)
            yield Level(any_of([*brand, all_of([_in_any_field(slot, "strong") for slot in self._slots])]))

    def _match_name(self, thing: set[int]) -> Node | None:
        """Match a whole name, or only its last words if the other words are strong. An HDMI display adapter is an HDMI adapter."""
        ways: list[Node] = []
        for words in _ways([self._slots[place] for place in sorted(thing)]):
            for start in range(len(words)):
                end = "_".join(words[start:])
                if self._holders("name", end):
                    ways.append(
                        all_of([Word("name", end), *(Word("strong", word) for word in words[:start])])
                    )
        return any_of(ways) if ways else None

    def _by_name(self, named: Node | None, thing: set[int]) -> Iterable[Level]:
        """Yield the levels for the name found in the query. Products bear the name or have its words among the strong ones, and the other words anywhere."""
        if named is None:
            return
        others = [slot for place, slot in enumerate(self._slots) if place not in thing]
        yield from self._levels_with_brand(named, others)
        if self._ranked:
            # What has the other words too comes first by itself; a figure is no wish.
            figures = [_in_any_field(slot, *_ANYWHERE) for slot in others if _has_digit(slot)]
            if figures:
                yield Level(all_of([named, *figures]))
            # The last word says what the thing is a kind of.
            words = self._slots[max(thing)].wider
            wider = [Word("name", word) for word in words if self._holders("name", word)]
            yield Level(named, ENOUGH if wider else 1)
            if wider:
                yield Level(any_of([named, *wider]))
            return
        wide = [_in_any_field(slot, *_ANYWHERE) for slot in others]
        loose = self._share_of_words(others, wide)
        strong = Level(
            all_of([*(_in_any_field(self._slots[place], "strong") for place in sorted(thing)), *wide])
        )
        yield Level(all_of([named, *wide]), ENOUGH if loose or self._is_sentence else 1)
        if loose:
            yield Level(all_of([named, *loose]), ENOUGH if self._is_sentence else 1)
        # What is named so comes before what only mentions all the words.
        yield from (Level(named), strong) if self._is_sentence else (strong, Level(named))

    def _share_of_words(self, others: Sequence[Slot], wide: Sequence[Node]) -> list[Node]:
        """Demand a share of the words beside the name, and every figure. The list is empty if the share is all of them."""
        figures = [node for slot, node in zip(others, wide, strict=True) if _has_digit(slot)]
        words = [node for node in wide if node not in figures]
        least = _share(len(words))
        return [*figures, Some(tuple(words), least)] if least < len(words) else []

    def _levels_with_brand(self, named: Node, others: Sequence[Slot]) -> list[Level]:
        """Return the levels for a query whose other words name a brand: "Acme bird feeder"."""
        for start in range(len(others)):
            for end in range(min(start + _LONGEST_NAME, len(others)), start, -1):
                keys = [key for key in self._keys(others[start:end]) if self._holders("brand", key)]
                if keys:
                    rest = [_in_any_field(slot, *_ANYWHERE) for slot in (*others[:start], *others[end:])]
                    return [Level(all_of([named, any_of([Word("brand", key) for key in keys]), *rest]))]
        return []

    def _longest_name(self) -> tuple[list[str], set[int]]:
        """Find in the query the longest name that products have. Of several, the last before a weak word is taken.
        A name that only kinds of the thing bear comes after one that products bear themselves."""
        best: tuple[tuple[int, bool, int, int], list[str], set[int]] = ((0, False, 0, 0), [], set())
        place_of = {id(slot): place for place, slot in enumerate(self._slots)}
        for number, run in enumerate(_runs(self._asked.slots)):
            words = [len(slot.names[0]) for slot in run]
            # Whatever has a name of several words has its last word as a name too (`drr.env.search.fields`).
            ends = [place for place, slot in enumerate(run, 1) if self._ends_a_name(slot)]
            for start in range(len(run)):
                for end in ends:
                    if not start < end <= start + _LONGEST_NAME:
                        continue
                    own = not self._has_kinds or self._is_own_name(run[start:end])
                    rank = (sum(words[start:end]), own, -number, end)
                    if rank <= best[0]:
                        continue
                    keys = [key for key in self._keys(run[start:end]) if self._holders("name", key)]
                    if keys:
                        best = (rank, keys, {place_of[id(slot)] for slot in run[start:end]})
        return best[1], best[2]

    def _is_own_name(self, slots: Sequence[Slot]) -> bool:
        """Tell whether products bear the name in the query itself, not only kinds of it."""
        if not any(slot.kinds for slot in slots):
            return True
        return self._holders("name", "_".join([word for slot in slots for word in slot.names[0]])) > 0

    def _ends_a_name(self, slot: Slot) -> bool:
        return any(self._holders("name", name[-1]) for name in slot.ways)

    def _keys(self, slots: Sequence[Slot]) -> list[str]:
        """Return the slots as one name, in every combination of their names."""
        if self._plain:
            return ["_".join([word for slot in slots for word in slot.names[0]])] if slots else []
        return list(dict.fromkeys("_".join(words) for words in _ways(slots)))

    @property
    def _ranking_slots(self) -> list[Slot]:
        short = len(self._asked.slots) <= 6
        return [slot for slot in self._asked.slots if short or not slot.weak]

    def _ranking(self) -> Iterable[Best | Weighed]:
        for slot in self._ranking_slots:
            if slot.kinds and len(slot.names) == 1:
                continue
            names = [
                [
                    Weighed(Word(field, word), weight)
                    for word in name
                    for field, weight in _weights(slot, name)
                ]
                for name in slot.names
            ]
            if len(names) == 1:
                yield from names[0]
            else:
                yield Best(tuple(map(tuple, names)))


def _runs(slots: Sequence[Slot]) -> Iterable[list[Slot]]:
    """Yield the runs of consecutive demanded slots; a weak word such as `for` or `with` ends a run."""
    run: list[Slot] = []
    for slot in slots:
        if slot.weak:
            if run:
                yield run
            run = []
        else:
            run.append(slot)
    if run:
        yield run


def _ways(slots: Sequence[Slot]) -> list[list[str]]:
    if not slots:
        return []
    ways = islice(combinations(*(slot.ways for slot in slots)), _MOST_KEYS)
    return [[word for name in way for word in name] for way in ways]


def _weights(slot: Slot, name: Name) -> Sequence[tuple[str, float]]:
    """Return the weight of each word of a name by its field."""
    if len(name) == 1 or not slot.parted:
        return _WEIGHED
    return [(field, weight / len(name)) for field, weight in _WEIGHED]


def _kind_bonuses(slot: Slot) -> Iterator[Bonus]:
    """Yield what a thing's kinds count, each alike however rare it is, and what it is itself a kind of. The shelf alone counts less than the title."""
    own = slot.names[0] if len(slot.names[0]) == 1 else ()
    for field in ("strong", "text") if slot.kinds else ():
        yield Bonus(any_of([Word(field, word) for word in (*own, *slot.kinds)]), WEIGHTS[field] * _MIDDLING)
    if slot.wider:
        yield Bonus(any_of([Word("strong", word) for word in slot.wider]), _WIDER)


def _has_digit(slot: Slot) -> bool:
    return any(letter.isdigit() for word in slot.names[0] for letter in word)


def _share(count: int) -> int:
    return max(1, round(SHARE * count + 0.2))
