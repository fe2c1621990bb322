"""Parts of own orders that a text joins: a count beside `pet supplies and office products` is of both."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice, product
from typing import NamedTuple

from drr.eval.checks.base import Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.naming import folded_words
from drr.eval.checks.person.joints import ANOTHER_CLAUSE, GOODS, JOINT, stems
from drr.eval.checks.person.readings.facets import NO_THING, Facet, OrderFacets
from drr.eval.checks.person.readings.sets import Mask, OrderSets

_LISTED = re.compile(
    rf"{GOODS}[\s*_]{{0,3}}(?:$|[.;:!?)—–])|{GOODS}[\s*_]{{0,3}},?\s(?:and|or|plus|&)\s", re.I
)
"""Behind a part that only a comma joins: the list ends, or goes on."""
_WAYS, _TOGETHER, _MOST = 4, 256, 6


class Joined(NamedTuple):
    """What a count is of, with all that is joined to it."""

    parts: tuple[Facet, ...]
    is_open: bool
    """It goes on with what is not understood."""

    def together(self) -> set[Mask]:
        """The orders of all parts, however each of them is meant."""
        found: set[Mask] = set()
        for some in islice(product(*(one.ways[:_WAYS] for one in self.parts)), _TOGETHER):
            mask = 0
            for one in some:
                mask |= one
            found.add(mask)
        return found

    def sizes(self, sets: OrderSets) -> set[int]:
        return {size for mask in self.together() for size in sets.sizes(mask)}


def joined_to(facet: Facet, span: Span, here: Sequence[Facet], facets: OrderFacets, cast: Cast) -> Joined:
    """A part with those before and behind it that it is listed with."""
    behind, is_open = _behind(facet, span, here, facets, cast)
    parts = [*_before(facet, span, here, facets, cast), facet, *behind]
    if len(parts) > 1:
        parts = [_by_its_words(one, facets, cast) for one in parts]
    return Joined(tuple(parts), is_open)


def _by_its_words(part: Facet, facets: OrderFacets, cast: Cast) -> Facet:
    """`health, household or beauty`: in a list the words of a category may be parts of their own."""
    if part.kind != "category":
        return part
    wide = 0
    for word in stems(cast.body[part.start : part.end]):
        wide |= facets.sets.on_roots(folded_words(word))
    return part._replace(ways=(*part.ways[: _WAYS - 1], part.ways[0] | wide))


def _behind(
    facet: Facet, span: Span, here: Sequence[Facet], facets: OrderFacets, cast: Cast
) -> tuple[list[Facet], bool]:
    starts = {one.start: one for one in here if one.kind not in NO_THING and one.ways}
    found: list[Facet] = []
    end = facet.end
    while len(found) < _MOST and (joint := JOINT.match(cast.body, end, span[1])):
        at = joint.end()
        part = starts.get(at) or facets.kind_at(at, span[1])
        if part is None:
            return found, not joint["comma"] and ANOTHER_CLAUSE.match(cast.body, at, span[1]) is None
        if joint["comma"] and not _LISTED.match(cast.body, part.end, span[1]):
            break
        found.append(part)
        end = part.end
    return found, False


def _before(facet: Facet, span: Span, here: Sequence[Facet], facets: OrderFacets, cast: Cast) -> list[Facet]:
    """What stands right before a part, joined to it."""
    every = [
        one
        for one in (*here, *facets.kinds_in((span[0], facet.start)))
        if one.kind not in NO_THING and one.ways
    ]
    found: list[Facet] = []
    start = facet.start
    while len(found) < _MOST:
        ends = [one for one in every if one.end < start and JOINT.fullmatch(cast.body, one.end, start)]
        if not ends:
            break
        part = min(ends, key=lambda one: one.start)
        found.insert(0, part)
        start = part.start
    return found
