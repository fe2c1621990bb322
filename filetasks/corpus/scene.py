"""The scene of one page: its theme, the things it speaks of and whoever speaks, as words for the slots of sentences."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from drr.filetasks.case import NamedThing
from drr.filetasks.corpus.naming import ListedThing, Shelf
from drr.filetasks.corpus.statement import drawn_value
from drr.filetasks.corpus.stock import GENERAL, stock

FIRST_YEAR, LAST_YEAR = 1982, 2008
"""Years that prose speaks of: before any page, whatever day a task is asked on."""
_COMPANIONS = 5
_FEW = 4


@dataclass(kw_only=True)
class PageScene:
    """Fills slots; everything is drawn from `rng`."""

    rng: Random
    theme: str
    thing: NamedThing
    companions: list[ListedThing]
    """Of other brands: what is compared, listed and quoted."""
    seller: str
    words: dict[str, str | tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        book = stock()
        first, second = self.companions[0].thing, self.companions[1].thing
        self.words = {
            **book.themes[self.theme],
            "thing": self.thing.noun,
            "name": self.thing.name,
            "brand": self.thing.brand,
            "is": "are" if self.thing.plural else "is",
            "rival": first.name,
            "rival_brand": first.brand,
            "third": second.name,
            "seller": self.seller,
            "person": book.names["persons"],
            "town": book.names["towns"],
            "paper": book.names["papers"],
            "month": book.names["months"],
            "weekday": book.names["weekdays"],
            "season": book.names["seasons"],
        }

    def fill(self, slot: str) -> str:
        found = self.words.get(slot)
        if isinstance(found, tuple):
            return found[int(self.rng.random() * len(found))]
        if found is not None:
            return found
        if slot == "year":
            return str(self.rng.randint(FIRST_YEAR, LAST_YEAR))
        drawn = drawn_value(slot, self.rng)
        if drawn is None:
            raise ValueError(f"no page knows the slot [{slot}]")
        return drawn

    def beside(self) -> NamedThing:
        """A thing of which a page states something beside what it is about."""
        return self.rng.choice(self.companions).thing


def page_scene(
    rng: Random, theme: str, thing: NamedThing, shelf: Shelf, apart: frozenset[str], seller: str | None = None
) -> PageScene:
    """`apart`: brands that no companion may be of. The words of a theme are narrowed, so that two pages of it differ in them."""
    near = shelf.get(theme, [])
    companions = _companions(rng, near, {thing.brand, *apart})
    companions += _companions(
        rng, shelf[GENERAL], {thing.brand, *apart, *(c.thing.brand for c in companions)}
    )
    scene = PageScene(
        rng=rng,
        theme=theme,
        thing=thing,
        companions=companions[:_COMPANIONS],
        seller=seller or rng.choice(stock().names["sellers"]),
    )
    for key, words in stock().themes[theme].items():
        scene.words[key] = tuple(rng.sample(words, min(_FEW, len(words))))
    return scene


def _companions(rng: Random, listed: list[ListedThing], apart: set[str]) -> list[ListedThing]:
    found: list[ListedThing] = []
    for _ in range(min(len(listed), _COMPANIONS) * 3):
        one = listed[int(rng.random() * len(listed))]
        if len(found) < _COMPANIONS and one.thing.brand not in apart:
            found.append(one)
            apart.add(one.thing.brand)
    return found
