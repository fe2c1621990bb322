"""The scene of one page: its theme, the things it speaks of and whoever speaks, as words for the slots of sentences."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from random import Random

from drr.filetasks.case import NamedThing
from drr.filetasks.corpus.calendar import PageCalendar
from drr.filetasks.corpus.naming import ListedThing, Shelf
from drr.filetasks.corpus.statement import drawn_value
from drr.filetasks.corpus.stock import GENERAL, stock
from drr.filetasks.planning.kinds import kind_of

FIRST_YEAR, LAST_YEAR = 1982, 2008
"""Years that prose speaks of: before any page, whatever day a task is asked on."""
_COMPANIONS = 5
_FEW = 4
_COMPARED = 2


ROLES = ("editor", "bench", "seller", "desk", "office", "member", "writer")
"""Of people: whom each voice speaks of, and who writes. Nobody is two of them."""


@cache
def people(role: str) -> tuple[str, ...]:
    """Every given name with the family names that go with the role."""
    names = stock().names
    families = names["family"][ROLES.index(role) :: len(ROLES)]
    return tuple(f"{first} {last}" for last in families for first in names["given"])


@dataclass(kw_only=True)
class PageScene:
    """Fills slots; everything is drawn from `rng`."""

    rng: Random
    theme: str
    thing: NamedThing
    companions: list[ListedThing]
    """Of other brands: what is compared, listed and quoted."""
    seller: str
    peers: int = 0
    """How many of the first companions are of the sort that the page is about: others are not compared with it."""
    calendar: PageCalendar = field(default_factory=lambda: PageCalendar(seed=0))
    settled: dict[str, str] = field(default_factory=dict)
    """Slots that mean the same throughout the page, with what they mean once they were asked for."""
    loose: frozenset[str] = frozenset()
    """Slots that each speaker fills anew, where there are several."""
    used: set[int] = field(default_factory=set)
    """Lines that the page has said, by their identity: what leads to a statement is not said twice."""
    words: dict[str, str | tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        book = stock()
        first, second = self.companions[0].thing, self.companions[1].thing
        self.words = {
            **book.themes[self.theme],
            "trouble": _troubles(self.thing),
            "thing": self.thing.noun,
            "name": self.thing.name,
            "brand": self.thing.brand,
            "is": "are" if self.thing.plural else "is",
            "rival": first.name,
            "rival_brand": first.brand,
            "third": second.name,
            "seller": self.seller,
            "person": people("editor"),
            "writer": people("writer"),
            "town": book.names["towns"],
            "paper": book.names["papers"],
            "month": book.names["months"],
            "weekday": book.names["weekdays"],
            "season": book.names["seasons"],
        }

    def fill(self, slot: str) -> str:
        found = self.words.get(slot)
        if isinstance(found, str):
            return found
        if slot not in self.loose and slot in self.settled:
            return self.settled[slot]
        if isinstance(found, tuple):
            chosen = found[int(self.rng.random() * len(found))]
            self.settled.setdefault(slot, chosen)
            return chosen
        if slot == "year":
            return self.settled.setdefault(slot, str(self.rng.randint(FIRST_YEAR, LAST_YEAR)))
        if slot == "began":
            return self.calendar.stated(self.rng)
        drawn = drawn_value(slot, self.rng)
        if drawn is None:
            raise ValueError(f"no page knows the slot [{slot}]")
        return drawn

    def beside(self) -> NamedThing | None:
        """A thing of its sort, of which a page states something beside what it is about."""
        peers = self.companions[: self.peers]
        return self.rng.choice(peers).thing if peers else None

    @property
    def compares(self) -> bool:
        """Whether there are two of its sort to hold it against."""
        return self.peers >= _COMPARED


def _troubles(thing: NamedThing) -> tuple[str, ...]:
    """What can be wrong with just such a thing."""
    fits = kind_of(thing.noun).fits
    return tuple(said for trait, rows in stock().troubles.items() if trait in fits for said in rows)


def page_scene(
    rng: Random,
    theme: str,
    thing: NamedThing,
    shelf: Shelf,
    apart: frozenset[str],
    seller: str | None = None,
    calendar: PageCalendar | None = None,
) -> PageScene:
    """`apart`: brands that no companion may be of. The words of a theme are narrowed, so that two pages of it differ in them."""
    kind, taken = kind_of(thing.noun), {thing.brand, *apart}
    peers = _companions(rng, shelf.like(kind), taken)
    others = [*_companions(rng, shelf.get(theme, []), taken), *_companions(rng, shelf[GENERAL], taken)]
    scene = PageScene(
        rng=rng,
        theme=theme,
        thing=thing,
        companions=[*peers, *others][:_COMPANIONS],
        seller=seller or rng.choice(stock().names["sellers"]),
        calendar=calendar or PageCalendar(seed=0),
        peers=len(peers),
    )
    for key, words in stock().themes[theme].items():
        if key == "trouble":
            continue
        scene.words[key] = tuple(rng.sample(words, min(_FEW, len(words))))
    return scene


def _companions(rng: Random, listed: list[ListedThing], apart: set[str]) -> list[ListedThing]:
    """Of brands that are not `apart`, to which theirs are added."""
    found: list[ListedThing] = []
    for _ in range(min(len(listed), _COMPANIONS) * 3):
        one = listed[int(rng.random() * len(listed))]
        if len(found) < _COMPANIONS and one.thing.brand not in apart:
            found.append(one)
            apart.add(one.thing.brand)
    return found
