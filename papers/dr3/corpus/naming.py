"""The things that pages speak of. They are the products of a shop by theme, each in the words of people, with what its listing says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from random import Random

from drr.env.entities import Product
from drr.env.themes import BY_KEY, themes_of
from drr.papers.dr3.case import NamedThing
from drr.papers.dr3.corpus.stock import GENERAL
from drr.papers.dr3.planning.kinds import ThingKind, kind_of
from drr.papers.dr3.planning.things import thing_of

_MOST_FEATURES, _LONGEST, _SHORTEST = 6, 150, 24
_ODD = re.compile(r"https?:|www\.|[<>{}\[\]|]|[^\x20-\x7e\u00a0-\u024f\u2010-\u2026]")


@dataclass(frozen=True)
class ListedThing:
    thing: NamedThing
    features: tuple[str, ...]
    price: float | None
    stars: float | None
    ratings: int | None


class Shelf(dict[str, list[ListedThing]]):
    """The things by theme, and all of them under `general`."""

    @cached_property
    def _by_ending(self) -> dict[str, list[ListedThing]]:
        found: dict[str, list[ListedThing]] = {}
        for one in self[GENERAL]:
            found.setdefault(kind_of(one.thing.noun).ending, []).append(one)
        return found

    def like(self, kind: ThingKind) -> list[ListedThing]:
        """List those of just that sort."""
        return self._by_ending.get(kind.ending, []) if kind.ending else []

    @cached_property
    def _homes(self) -> dict[str, list[str]]:
        """Map each ending to the themes in which most of a sort stand."""
        counts: dict[str, Counter[str]] = {}
        for theme, things in self.items():
            for one in things if theme != GENERAL else ():
                counts.setdefault(kind_of(one.thing.noun).ending, Counter())[theme] += 1
        return {
            ending: [theme for theme, times in found.items() if times == max(found.values())]
            for ending, found in counts.items()
        }

    def home(self, kind: ThingKind, theme: str) -> str:
        """Return the theme in whose words a sort is spoken of. Its own, where it has one, comes before that of a page."""
        homes = self._homes.get(kind.ending, []) if kind.ending else []
        return theme if theme in homes or not homes else min(homes)


def shelf(products: Iterable[Product]) -> Shelf:
    found = Shelf({GENERAL: []})
    for product in products:
        thing = thing_of(product, Random(product.product_id))
        if thing is None:
            continue
        listed = ListedThing(
            thing, _features(product), product.price, product.average_rating, product.rating_number
        )
        found[GENERAL].append(listed)
        for key in themes_of(product.title):
            found.setdefault(key, []).append(listed)
    return found


def theme_key(theme: str) -> str:
    """A category without a theme is spoken of in general."""
    return theme if theme in BY_KEY else GENERAL


def _features(product: Product) -> tuple[str, ...]:
    """Plain sentences of its listing: short, of one line, without markup or pictures."""
    said = (" ".join(text.split()) for text in (*product.features, *product.description))
    short = (text for text in said if _SHORTEST <= len(text) <= _LONGEST and not _ODD.search(text))
    return tuple(dict.fromkeys(text.rstrip(".!") for text in short))[:_MOST_FEATURES]
