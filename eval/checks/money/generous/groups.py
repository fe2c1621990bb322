"""Which costs `both`, `all three`, `two of the four` may be about: every group of so many that stands before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from drr.eval.checks.base import Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.mentions import Mentions, words
from drr.eval.checks.money.ledger import MoneyLedger
from drr.wording.numbers import NUMERAL, number_of

GROUP = re.compile(
    rf"(?<!any )\b(?:(?P<both>both(?: of (?:them|these|those))?|the two|the pair)|all (?:of the )?(?P<all>{NUMERAL})|(?P<part>{NUMERAL})(?: out)? of (?:the|these|those|them|all)(?: (?P<of>{NUMERAL}))?|(?P<neither>neither)(?: of (?:them|the two|these))?|none of (?:the|these|those|them)(?: (?P<none>{NUMERAL}))?)\b",
    re.I,
)
_NOUN = re.compile(
    r"[\s*_]{1,3}(?:(?:picks?|options?|choices?|sets?|models?|items?|products?|things|candidates?|ones?)\b[\s*_]{0,3})?"
    r"(?:(?:still|also|just|easily|comfortably|safely|well|would|will|do|does|is|are|come|comes|sit|sits|stay|stays|fall|falls|keep|keeps|land|lands|in|remain|remains|duck|go|slip|squeeze|in at|not)\b[\s*_]{0,3}){0,5}",
    re.I,
)
"""Between a group and what is said of all of it."""
_JOINED = re.compile(
    r"\b(?:with|alongside|beside|besides|next to|on top of|plus|added to|together with|along with)\s[*_]{0,3}$",
    re.I,
)
"""Right before a group: what the sentence speaks of comes to each of it (`would go with neither inside $35`)."""
_JOIN_WORDS = 20
_JOINED_FIRST = re.compile(
    r"[\s*_>•-]{0,8}(?:(?:but|and|even),?\s)?(?:together |along )?(?:with|plus|adding|including|on top of)\b",
    re.I,
)
"""The same, at the head of its sentence: `With the markers, $11.00, neither stays inside $35`."""
_FARTHEST = 2_500
"""Characters before a verdict in which its group stands."""
_MOST = 12


class GroupSaid(NamedTuple):
    """So many of a group, and all that the group may be."""

    part: int | None
    """Of how many it is said; of all of them where it is `None`."""
    none: bool
    readings: list[Sequence[float]]

    @property
    def every(self) -> bool:
        return self.part is None and not self.none

    def holds(self, right: int, size: int) -> bool:
        """Whether it is right that it is said of these if it is so of so many."""
        return right == (0 if self.none else size if self.part is None else self.part)


class Groups:
    def __init__(self, mentions: Mentions, cast: Cast, ledger: MoneyLedger) -> None:
        self._plain, self._cast, self._ledger = mentions.plain, cast, ledger
        self._lines = mentions.layout.lines

    def before(self, place: int, low: int, span: Span) -> GroupSaid | None:
        """The group that a verdict is said of, and every reading of it; `None` where it is said of none."""
        matches = list(GROUP.finditer(self._plain, low, place))
        if not matches or not _NOUN.fullmatch(self._plain, matches[-1].end(), place):
            return None
        match = matches[-1]
        size, part, none = _asked(match)
        if not 2 <= size <= _MOST:
            return GroupSaid(part, none, [])
        joined = _JOINED.search(self._plain, max(span[0], match.start() - _JOIN_WORDS), match.start())
        if joined or _JOINED_FIRST.match(self._plain, span[0], match.start()):
            return GroupSaid(part, none, list(self._joined(size, match.start(), span)))
        return GroupSaid(part, none, list(self._readings(size, match.start(), span)))

    def _joined(self, size: int, place: int, span: Span) -> Iterator[Sequence[float]]:
        """What the one thing that is spoken of comes to with each of a group that stands before its sentence."""
        said = [
            one.value
            for one in self._ledger.within(span[0], place)
            if one.cue.kind in ("price", "none") and not one.void
        ]
        own = said or self.named(span[0], place) or []
        if len(own) == 1:
            yield from ([own[0] + one for one in some] for some in self._readings(size, span[0], span))

    def _readings(self, size: int, place: int, span: Span) -> Iterator[Sequence[float]]:
        told: set[tuple[float, ...]] = set()
        for costs in self._every(size, place, span):
            key = tuple(sorted(costs))
            if key not in told:
                told.add(key)
                yield costs

    def _every(self, size: int, place: int, span: Span) -> Iterator[Sequence[float]]:
        keys = self._keys(max(0, place - _FARTHEST), place)
        last = list(dict.fromkeys(reversed(keys)))[:size]
        if len(last) == size and (costs := self._prices(last)):
            yield costs
        first = list(dict.fromkeys(keys))
        if len(first) == size and (costs := self._prices(first)):
            yield costs
        everything = list(dict.fromkeys(self._keys(0, len(self._plain))))
        if len(everything) == size and (costs := self._prices(everything)):
            yield costs
        figures = [
            one
            for one in self._ledger.within(max(0, place - _FARTHEST), place)
            if one.cue.kind in ("price", "none", "total") and not one.void
        ]
        if len(figures) >= size:
            yield [one.value for one in figures[-size:]]
        totals = [one.value for one in figures if one.cue.kind == "total"]
        if len(totals) >= size:
            yield totals[-size:]

    def _keys(self, low: int, high: int) -> list[str]:
        return [next(iter(one.products)) for one in self._cast.within(low, high) if len(one.products) == 1]

    def _prices(self, keys: Sequence[str]) -> list[float] | None:
        products = [self._cast.products.get(key) for key in keys]
        prices = [one.price for one in products if one is not None and one.price is not None]
        return prices if len(prices) == len(keys) else None

    def named(self, low: int, high: int) -> list[float] | None:
        """What everything costs that a stretch names; `None` where that is not known of all."""
        places = self._cast.within(low, high)
        if any(len(one.products) != 1 for one in places):
            return None
        return self._prices(list(dict.fromkeys(next(iter(one.products)) for one in places)))

    def with_a(self, noun: str, price: float) -> list[float]:
        """What a price comes to with a thing of such a name."""
        named = (one for one in self._ledger.play.cited if noun.casefold() in words(one.product.title))
        return [price + one.price for one in named if one.price != price]


def _asked(match: re.Match[str]) -> tuple[int, int | None, bool]:
    """How many there are in the group, of how many it is said, and whether of none."""
    if match["part"]:
        return number_of(match["of"] or "0") or 0, number_of(match["part"]) or 0, False
    if match["all"]:
        return number_of(match["all"]) or 0, None, False
    if match["both"]:
        return 2, None, False
    return 2 if match["neither"] else number_of(match["none"] or "0") or 0, None, True
