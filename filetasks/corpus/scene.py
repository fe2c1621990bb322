"""The scene of one page: its theme, the things it speaks of and whoever speaks, as words for the slots of sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from random import Random

from drr.filetasks.case import NamedThing
from drr.filetasks.corpus.calendar import PageCalendar
from drr.filetasks.corpus.dealing import SentenceDeck
from drr.filetasks.corpus.granted import SINGLE, granted
from drr.filetasks.corpus.naming import ListedThing, Shelf
from drr.filetasks.corpus.passages import ProsePassage, fitting
from drr.filetasks.corpus.statement import drawn_value
from drr.filetasks.corpus.stock import GENERAL, stock
from drr.filetasks.corpus.template import Template
from drr.filetasks.planning.kinds import kind_of
from drr.filetasks.planning.things import is_mass

FIRST_YEAR, LAST_YEAR = 1982, 2008
"""Years that prose speaks of: before any page, whatever day a task is asked on."""
_LATE_YEAR = 2001
"""The first of things that one does not keep for decades, or that there were not before."""
_COMPANIONS = 5
_FEW = 4
_COMPARED = 2
_SEASONS = {
    "spring": ("March", "April", "May"),
    "summer": ("June", "July", "August"),
    "fall": ("September", "October", "November"),
    "winter": ("December", "January", "February"),
}


_ALWAYS_LOOSE = frozenset(["local"])
"""Slots that are somebody else each time."""
_AGREES = {
    False: {"it": "it", "them": "it", "its": "its", "is": "is", "was": "was", "has": "has", "does": "does", "s": "s"},
    True: {"it": "they", "them": "them", "its": "their", "is": "are", "was": "were", "has": "have", "does": "do", "s": ""},
}  # fmt: skip
"""Words that agree with the thing, by whether it is several."""
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
    deck: SentenceDeck = field(default_factory=SentenceDeck)
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
            **_AGREES[self.thing.plural],
            "one": "some" if self.thing.plural or is_mass(self.thing.noun) else "one",
            "local": people("editor"),
            "same": people("editor"),
            "trade": book.details["job_of"],
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

    def is_of(self, seller: str) -> None:
        """The page is that of a shop."""
        self.seller = self.words["seller"] = seller

    @cached_property
    def fits(self) -> frozenset[str]:
        """What may be taken for granted of the thing."""
        found = kind_of(self.thing.noun).fits
        return found if self.thing.plural or is_mass(self.thing.noun) else found | {SINGLE}

    def say(self, rows: Sequence[Template]) -> str:
        """One that fits the thing."""
        return self.deck.say(fitting(rows, self.fits), self.rng, self.fill)

    def paragraph(self, passage: ProsePassage, *, is_asked: bool = False) -> str:
        return passage.say(self.deck, self.rng, self.fill, self.fits, is_asked=is_asked)

    def fill(self, slot: str) -> str:
        found = self.words.get(slot)
        if isinstance(found, str):
            return found
        loose = slot in self.loose or slot in _ALWAYS_LOOSE
        if not loose and slot in self.settled:
            return self.settled[slot]
        if isinstance(found, tuple):
            found = self._in_season(slot, found)
            chosen = found[int(self.rng.random() * len(found))]
            if not loose:
                self.settled[slot] = chosen
            if slot == "local":
                self.words["same"] = chosen
            return chosen
        if slot in ("year", "made"):
            first = FIRST_YEAR if "heirloom" in self.fits else _LATE_YEAR
            return self.settled.setdefault("year", str(self.rng.randint(first, LAST_YEAR)))
        if slot == "began":
            return self.calendar.stated(self.rng)
        if details := stock().details.get(slot):
            return self.rng.choice(details)
        drawn = drawn_value(slot, self.rng)
        if drawn is None:
            raise ValueError(f"no page knows the slot [{slot}]")
        return drawn

    def _in_season(self, slot: str, words: tuple[str, ...]) -> tuple[str, ...]:
        """The month and the season that a page speaks of go together."""
        if slot == "month" and (season := self.settled.get("season")):
            return _SEASONS[season]
        if slot == "season" and (month := self.settled.get("month")):
            return tuple(one for one, months in _SEASONS.items() if month in months)
        return words

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
    every = [said for trait, rows in stock().troubles.items() if trait in fits for said in rows]
    return tuple([said for said in every if granted(said) <= fits] or every)


def page_scene(
    rng: Random,
    theme: str,
    thing: NamedThing,
    shelf: Shelf,
    apart: frozenset[str],
    seller: str | None = None,
    calendar: PageCalendar | None = None,
    deck: SentenceDeck | None = None,
) -> PageScene:
    """`apart`: brands that no companion may be of. The words of a theme are narrowed, so that two pages of it differ in them; they are those of the theme
    in which its sort is at home: a flashlight may be for dogs, but does not chew."""
    kind, taken = kind_of(thing.noun), {thing.brand, *apart}
    peers = _companions(rng, shelf.like(kind), taken)
    others = [*_companions(rng, shelf.get(theme, []), taken), *_companions(rng, shelf[GENERAL], taken)]
    home = shelf.home(kind, theme)
    scene = PageScene(
        rng=rng,
        theme=home,
        thing=thing,
        companions=[*peers, *others][:_COMPANIONS],
        seller=seller or rng.choice(stock().names["sellers"]),
        calendar=calendar or PageCalendar(seed=0),
        deck=deck or SentenceDeck(),
        peers=len(peers),
    )
    for key, every in stock().themes[home].items():
        if key == "trouble":
            continue
        words = [one for one in every if granted(one) <= scene.fits and not _is_of(one, thing)] or every
        scene.words[key] = tuple(rng.sample(words, min(_FEW, len(words))))
    return scene


def _is_of(word: str, thing: NamedThing) -> bool:
    """Whoever buys a kitchen scale does not add `scales`."""
    return word.split()[-1].rstrip("s") == thing.noun.split()[-1].rstrip("s")


def _companions(rng: Random, listed: list[ListedThing], apart: set[str]) -> list[ListedThing]:
    """Of brands that are not `apart`, to which theirs are added."""
    found: list[ListedThing] = []
    for _ in range(min(len(listed), _COMPANIONS) * 3):
        one = listed[int(rng.random() * len(listed))]
        if len(found) < _COMPANIONS and one.thing.brand not in apart:
            found.append(one)
            apart.add(one.thing.brand)
    return found
