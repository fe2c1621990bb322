"""The scene of one page: the things of a shop that it speaks of, and whoever speaks. All are words for the slots of sentences."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from random import Random

from drr.env.entities import Product
from drr.env.profile import BY_KEY, themes_of
from drr.papers.dr3.case import NamedThing
from drr.papers.dr3.corpus.calendar import PageCalendar
from drr.papers.dr3.corpus.passages import ProsePassage, SentenceDeck, fitting
from drr.papers.dr3.corpus.statement import drawn_value
from drr.papers.dr3.corpus.stock import GENERAL, stock
from drr.papers.dr3.corpus.template import SINGLE, Fill, Template, go_together, granted
from drr.papers.dr3.planning.kinds import ThingKind, is_mass, kind_of, thing_of

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
    lines = (" ".join(text.split()) for text in (*product.features, *product.description))
    short = (text for text in lines if _SHORTEST <= len(text) <= _LONGEST and not _ODD.search(text))
    return tuple(dict.fromkeys(text.rstrip(".!") for text in short))[:_MOST_FEATURES]


FIRST_YEAR, LAST_YEAR = 1982, 2008
"""Years that prose speaks of: before any page, whatever day a task is asked on."""
_LATE_YEAR = 2001
"""The first of things that one does not keep for decades, or that there were not before."""
_COMPANIONS = 5
_FEW = 4
_COMPARED = 2
_SEASONS = ("winter", "spring", "summer", "fall")
_AROUND = 4
"""Months before and after a page of which it says `since` and `until`."""


_ALWAYS_LOOSE = frozenset(["local"])
"""Slots that are somebody else each time."""
_AGREES = {
    False: {"it": "it", "them": "it", "its": "its", "is": "is", "was": "was", "has": "has", "does": "does", "s": "s"},
    True: {"it": "they", "them": "them", "its": "their", "is": "are", "was": "were", "has": "have", "does": "do", "s": ""},
}  # fmt: skip
"""Words that agree with the thing, by whether it is several."""
_PERSONS, _MET = frozenset(["local", "person", "writer"]), 40
"""Slots that are people, and how often one is drawn who has nobody's name."""
_TIMES = frozenset(["month", "lately", "soon", "season", "coming"])
"""Slots of the calendar: the month of the page, one before it and one to come, its season and the next."""
ROLES = ("editor", "bench", "seller", "desk", "office", "member", "writer")
"""Roles of people: those whom each voice names, and the writer. Nobody has two."""


_DEALT = (
    "editor", "desk", "seller", "member", "writer", "editor", "bench", "member", "editor", "desk", "seller", "editor", "writer", "office", "editor", "bench", "desk",
)  # fmt: skip
"""Receivers of family names: more for those who are named more often."""


@cache
def families(role: str) -> tuple[str, ...]:
    every = stock().names["family"]
    return tuple(name for at, name in enumerate(every) if _DEALT[at % len(_DEALT)] == role)


@cache
def people(role: str) -> tuple[str, ...]:
    """Every given name with the family names that go with the role."""
    return tuple(f"{first} {last}" for last in families(role) for first in stock().names["given"])


@dataclass(kw_only=True)
class PageScene:
    """Fills slots; everything is drawn from `rng`."""

    rng: Random
    theme: str
    thing: NamedThing
    companions: list[ListedThing]
    """Things of other brands that are compared, listed and quoted."""
    seller: str
    peers: int = 0
    """Number of the first companions that are of the page's own sort; others are not compared with it."""
    calendar: PageCalendar = field(default_factory=lambda: PageCalendar(seed=0))
    deck: SentenceDeck = field(default_factory=SentenceDeck)
    settled: dict[str, str] = field(default_factory=dict)
    """Slots that mean the same throughout the page, with what they mean once they were asked for."""
    loose: frozenset[str] = frozenset()
    """Slots that each speaker fills anew, where there are several."""
    claimed: set[str] | None = None
    """Statements of a lone writer about owning the thing (`claims`); `None` where several write, or nobody
    speaks of himself."""
    met: set[str] = field(default_factory=set)
    """Names of people on the page."""
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
            "weekday": book.names["weekdays"],
        }

    def is_of(self, seller: str) -> None:
        """The page is that of a shop."""
        self.seller = self.words["seller"] = seller

    @cached_property
    def fits(self) -> frozenset[str]:
        """List what may be taken for granted of the thing."""
        found = kind_of(self.thing.noun).fits
        return found if self.thing.plural or is_mass(self.thing.noun) else found | {SINGLE}

    def say(self, rows: Sequence[Template], fill: Fill | None = None) -> str:
        """One that fits the thing, and what was said on the page."""
        chosen = self.deck.pick(self.apt(rows), self.rng)
        self.claim(chosen)
        return self.deck.worded(chosen, self.rng, fill or self.fill)

    def apt(self, rows: Sequence[Template]) -> Sequence[Template]:
        """All that fit the thing, where none of them goes with what was said."""
        rows = fitting(rows, self.fits)
        return rows if self.claimed is None else [one for one in rows if self.may(one)] or rows

    def may(self, passage: Template | ProsePassage) -> bool:
        return self.claimed is None or go_together(self.claimed, passage.claims)

    def claim(self, passage: Template | ProsePassage) -> None:
        if self.claimed is not None:
            self.claimed |= passage.claims

    def known_since(self, voice: str) -> str:
        """Say since when it knows what it is about, where that goes with what it states and with earlier sentences."""
        rows = [one for one in fitting(stock().figures[voice], self.fits) if self.may(one)]
        month = self.calendar.had_since(self.rng) if rows else None
        if month is None:
            return ""
        return self.say(rows, lambda slot: month if slot == "began" else self.fill(slot))

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
            chosen = self._somebody(found) if slot in _PERSONS else found[int(self.rng.random() * len(found))]
            if not loose:
                self.settled[slot] = chosen
            if slot == "local":
                self.words["same"] = chosen
            return chosen
        if slot in ("year", "made"):
            first = FIRST_YEAR if "heirloom" in self.fits else _LATE_YEAR
            return self.settled.setdefault("year", str(self.rng.randint(first, LAST_YEAR)))
        if slot in _TIMES:
            return self.settled.setdefault(slot, self._time(slot))
        if slot == "began":
            return self.calendar.stated(self.rng)
        if details := stock().details.get(slot):
            detail = self.rng.choice(details)
            return self.settled.setdefault(slot, detail) if slot == "house" and self.claimed else detail
        drawn = drawn_value(slot, self.rng)
        if drawn is None:
            raise ValueError(f"no page knows the slot [{slot}]")
        return drawn

    def _somebody(self, found: tuple[str, ...]) -> str:
        """No two of a page share a name, while there are others."""
        chosen = ""
        for _ in range(_MET):
            chosen = found[int(self.rng.random() * len(found))]
            if not self.met & {*chosen.split()}:
                break
        self.met |= {*chosen.split()}
        return chosen

    def _time(self, slot: str) -> str:
        """Its month and season are those of its day; what it says of before and after is near that."""
        now = self.calendar.month_of_page(self.rng)
        if slot in ("season", "coming"):
            return _SEASONS[(now % 12 // 3 + (slot == "coming")) % len(_SEASONS)]
        away = 0 if slot == "month" else self.rng.randint(1, _AROUND) * (1 if slot == "soon" else -1)
        return stock().names["months"][(now - 1 + away) % 12]

    def beside(self) -> NamedThing | None:
        """A thing of its sort, of which a page states something beside what it is about."""
        peers = self.companions[: self.peers]
        return self.rng.choice(peers).thing if peers else None

    @property
    def compares(self) -> bool:
        """Tell whether there are two of its sort to compare it with."""
        return self.peers >= _COMPARED


def _troubles(thing: NamedThing) -> tuple[str, ...]:
    """List what can be wrong with just such a thing."""
    fits = kind_of(thing.noun).fits
    every = [row for trait, rows in stock().troubles.items() if trait in fits for row in rows]
    return tuple([row for row in every if granted(row) <= fits] or every)


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
    alike = [one for one in shelf.like(kind) if not _is_taken(kind) or one.thing.noun == thing.noun]
    peers = _companions(rng, alike, taken)
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


def _is_taken(kind: ThingKind) -> bool:
    """Tell whether the sort comes into people or animals. That is compared with just the same: no magnesium with curcumin."""
    return kind.unit in ("servings", "applications") or kind.ending in ("capsule", "supplement", "vitamin")


def _is_of(word: str, thing: NamedThing) -> bool:
    """Whoever buys a kitchen scale does not add `scales`."""
    return word.split()[-1].rstrip("s") == thing.noun.split()[-1].rstrip("s")


def _companions(rng: Random, listed: list[ListedThing], apart: set[str]) -> list[ListedThing]:
    """Choose companions of brands that are not `apart`, to which theirs are added."""
    found: list[ListedThing] = []
    for _ in range(min(len(listed), _COMPANIONS) * 3):
        one = listed[int(rng.random() * len(listed))]
        if len(found) < _COMPANIONS and one.thing.brand not in apart:
            found.append(one)
            apart.add(one.thing.brand)
    return found
