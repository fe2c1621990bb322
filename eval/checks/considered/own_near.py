"""What stands near a thing said of own orders: which of them its sentence, its line, the heading above and the whole report name, and which times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import cached_property
from typing import NamedTuple

from drr.eval.checks.base import Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.layout import TextLine
from drr.eval.checks.person.readings.facets import NO_THING, TIMES, Facet, OrderFacets
from drr.eval.checks.person.readings.joined import Joined, joined_to
from drr.eval.checks.person.readings.sets import Mask, OrderSets

_BACK = 1200
_THINGS, _TIMES = 24, 12
_MASKS = 48
_ABOVE_LINES = 3


class OwnPlace(NamedTuple):
    """Of one sentence or row."""

    span: Span
    line: TextLine
    things: tuple[Facet, ...]
    times: tuple[Facet, ...]
    before: tuple[Facet, ...]
    """Things that its paragraph, the heading above, the head of its table or the line before name."""
    times_before: tuple[Facet, ...]


class OwnNear:
    """Of one report."""

    def __init__(self, cast: Cast, facets: OrderFacets) -> None:
        self._cast, self._facets = cast, facets
        self.sets: OrderSets = facets.sets
        self._index = {line.start: at for at, line in enumerate(cast.lines)}
        self._of: dict[Span, OwnPlace] = {}
        self._read: dict[Span, list[Facet]] = {}
        self._sizes: dict[Mask, frozenset[int]] = {}
        self._days: dict[Mask, tuple[date, ...]] = {}

    def at(self, place: int) -> OwnPlace | None:
        line = self._cast.prose.line_at(place)
        if line is None:
            return None
        is_row = line.kind in ("row", "head_row")
        span = (line.start, line.end) if is_row else self._cast.prose.sentence_at(place)
        if span not in self._of:
            self._of[span] = self._made(span, line)
        return self._of[span]

    def _made(self, span: Span, line: TextLine) -> OwnPlace:
        here = self.facets(span)
        before = self.facets((max(line.start, span[0] - _BACK), span[0])) if span[0] > line.start else []
        for above in self._above(line):
            before = [*before, *self.facets((above.start, above.end))]
        return OwnPlace(span, line, _things(here), _times(here), _things(before), _times(before))

    def joined(self, facet: Facet, near: OwnPlace) -> Joined:
        """A thing with all that it is listed with: `kettles and French presses`."""
        return joined_to(facet, near.span, near.things, self._facets, self._cast)

    def facets(self, span: Span) -> list[Facet]:
        """All that a stretch names, kinds by their words too."""
        if span not in self._read:
            named = self._facets.in_span(span)
            kinds = [
                one
                for one in self._facets.kinds_in(span)
                if not any(one.start < each.end and each.start < one.end for each in named)
            ]
            self._read[span] = sorted([*named, *kinds])
        return self._read[span]

    def _above(self, line: TextLine) -> list[TextLine]:
        """The heading, what leads to a list, the head of a table, and the line before where that is prose."""
        lines, at = self._cast.lines, self._index[line.start]
        found: list[TextLine] = []
        for back in range(at - 1, max(-1, at - 60), -1):
            one = lines[back]
            if one.kind in ("heading", "title"):
                return [*found, one]
            if one.kind == "rule_row":
                continue
            if line.kind in ("row", "head_row"):
                if one.kind == "head_row" or (one.kind not in ("row", "rule_row") and len(found) < 2):
                    found.append(one)
            elif line.kind == "item":
                if one.kind not in ("item", "row", "head_row") or (
                    one.indent < line.indent and one.kind == "item"
                ):
                    found.append(one)
            elif len(found) < 1:
                found.append(one)
            if len(found) >= _ABOVE_LINES:
                break
        return found

    @cached_property
    def everything(self) -> list[Mask]:
        """The orders of each thing that the report links or names."""
        keys = dict.fromkeys(key for one in self._cast.named[:200] for key in sorted(one.products))
        masks = (self.sets.of_ids((key,)) for key in list(keys)[:60])
        return [one for one in dict.fromkeys(masks) if one]

    def days(self, masks: Iterable[Mask]) -> Iterator[date]:
        """On which they were placed, in the order of the sets."""
        for mask in masks:
            if mask not in self._days:
                self._days[mask] = tuple(self.sets.days_of(mask))
            yield from self._days[mask]

    def sizes(self, mask: Mask) -> frozenset[int]:
        if mask not in self._sizes:
            self._sizes[mask] = frozenset(self.sets.sizes(mask)) if mask else frozenset((0,))
        return self._sizes[mask]

    def counted(self, masks: Iterable[Mask]) -> set[int]:
        return {size for one in masks for size in self.sizes(one)}


def nearest(start: int, end: int, near: OwnPlace) -> tuple[Facet | None, Facet | None]:
    """The things next to a place in its sentence, before and behind it."""
    before = [each for each in near.things if each.end <= start]
    behind = [each for each in near.things if each.start >= end]
    return (before[-1] if before else None), (behind[0] if behind else None)


def ways(facets: Sequence[Facet]) -> list[Mask]:
    """Each way to understand some, the first ones of all before the others."""
    firsts = [one.ways[0] for one in facets if one.ways]
    rest = [way for one in facets for way in one.ways[1:]]
    return list(dict.fromkeys([*firsts, *rest]))[:_MASKS]


def firsts(facets: Sequence[Facet]) -> list[Mask]:
    return list(dict.fromkeys(one.ways[0] for one in facets if one.ways))


def _things(some: Iterable[Facet]) -> tuple[Facet, ...]:
    return tuple(one for one in some if one.kind not in NO_THING and one.ways)[:_THINGS]


def _times(some: Iterable[Facet]) -> tuple[Facet, ...]:
    return tuple(one for one in some if one.kind in (*TIMES, "priced") and one.ways)[:_TIMES]
