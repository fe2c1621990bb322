"""A product in the words of people, and the sort that it is of. The sort has what can sensibly be stated of it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from random import Random
from typing import Any, Literal, Self

from drr.env.entities import Product
from drr.env.text import tokens
from drr.papers.dr3.case import NamedThing
from drr.papers.dr3.form import FrozenRow
from pydantic import model_validator

Range = tuple[float, float]


class ThingKind(FrozenRow):
    """One row of `kinds.toml`, which explains each field; a range is `None` if the sort has none."""

    words: tuple[str, ...] = ()
    ending: str = ""
    """Noun among the words; things of the same noun are its like."""
    look: Literal["device", "box", "bag", "jar", "bottle"] = "box"
    manual: Literal["", "powered", "handheld", "furniture", "outdoor"] = ""
    plate: bool = False
    stands: Literal["", "floor", "shelf"] = ""
    wide: Range | None = None
    high: Range | None = None
    pounds: Range | None = None
    """Weight as used."""
    alone: Range | None = None
    """Pounds of the thing alone; those as used, less what it holds, where no catalogue says."""
    holds: Range | None = None
    """Pounds of what is in it as used."""
    clear: Range | None = None
    carton: Range | None = None
    upkeep: Range | None = None
    upkeep_of: str = ""
    lasts: Range | None = None
    weigh: Range | None = None
    parts: tuple[str, ...] = ()
    used_up: bool = False
    """True also for whatever has a `unit`."""
    unit: str = ""
    per: Literal["week", "month"] = "week"
    use: Range | None = None
    pack: Range | None = None
    large: Range | None = None
    keeps: Range | None = None
    coded: bool = False
    since: int = 0
    """The year by which ordinary stores had such things; 0 of what is as old as households."""
    traits: tuple[str, ...] = ()
    """Beside those that follow from the rest: `fits` has all."""
    why: str = ""

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if bool(self.unit) != bool(self.use and self.pack and self.large):
            raise ValueError(f"{self.words}: what is used up has unit, use, pack and large, or none of them")
        if bool(self.stands) != bool(self.wide and self.high and self.clear):
            raise ValueError(f"{self.words}: what stands somewhere has wide, high and clear, or none of them")
        if strange := set(self.traits) - TRAITS:
            raise ValueError(f"{self.words}: no trait {sorted(strange)[0]!r}")
        if bool(self.upkeep) != bool(self.upkeep_of):
            raise ValueError(f"{self.words}: upkeep is of something")
        return self

    @property
    def parcel(self) -> Range | None:
        """Pounds of what it ships in, above those of any of the sort alone."""
        return (1.05 * self.alone[1] + 0.2, 1.3 * self.alone[1] + 1) if self.alone else None

    @property
    def boxed(self) -> Range | None:
        """Return the inches of the longest side of the box. For what comes flat, it is longer than the other
        sides, else longer than the thing."""
        if self.carton is not None:
            return 1.6 * self.carton[1], 2.5 * self.carton[1]
        if self.wide is None or self.high is None:
            return None
        longest = max(self.wide[1], self.high[1])
        return longest + 0.6, longest + 5

    @property
    def checked(self) -> Range | None:
        """Months from one check to the next."""
        return _CHECKED if self.lasts else None

    @property
    def spare(self) -> Range | None:
        """Dollars for a small part."""
        return _SPARE if self.parts else None

    @property
    def is_traded_in(self) -> bool:
        """Makers take old ones in trade of what has a plate and runs on power."""
        return self.plate and not self.is_used_up and self.manual in ("powered", "handheld")

    @property
    def small(self) -> Range | None:
        """Dollars for the small pack."""
        return (_SMALL[0] * self.large[0], _SMALL[1] * self.large[0]) if self.large else None

    @property
    def sealed(self) -> Range | None:
        """Months that it keeps unopened: longer than open."""
        return (self.keeps[1] + 2, 2 * self.keeps[1] + 10) if self.keeps else None

    @property
    def sampled(self) -> Range | None:
        """Return what a trial pack gives: a part of a pack."""
        return (2, max(3, int(_TRIAL * self.pack[0]))) if self.pack else None

    @property
    def wrapped(self) -> Range | None:
        """Ounces with its packaging: above those of any of the sort alone."""
        return (1.06 * self.weigh[1], 1.3 * self.weigh[1] + 1.2) if self.weigh else None

    @property
    def is_used_up(self) -> bool:
        return self.used_up or bool(self.unit)

    @property
    def _is_modern(self) -> bool:
        return self.manual == "powered" or bool({"electric", "sewn", "modern"} & set(self.traits))

    @cached_property
    def fits(self) -> frozenset[str]:
        """List what prose may take for granted of the sort. A passage that needs anything else is not used for it."""
        words, own = " ".join(self.parts), set(self.traits)
        electric = self.manual == "powered" or "electric" in own
        follows = {
            "operated": electric and not own & {"waits", "steady"},
            "powered": electric and "waits" not in own,
            "kept": self.is_used_up or bool(own & {"fetched"}),
            "hard": bool(self.ending) and not self.is_used_up and not own & {"sewn", "soft"},
            "rinsed": "washed" in own and "oil" not in self.upkeep_of,
            "polished": bool(self.ending)
            and not self.is_used_up
            and "sharpening" not in self.upkeep_of
            and not own & {"sewn", "soft", "idle", "washed", "kitchen"},
            "sized": self.manual == "furniture" or bool(own & {"sewn", "soft", "stores"}),
            "bagged": self.is_used_up and "pieces" not in own and self.look in ("bag", "box"),
            "substance": self.is_used_up and "pieces" not in own,
            "household": self.is_used_up and "pet" not in own,
            "consumed": self.is_used_up,
            "lasting": not self.is_used_up,
            "used": not self.is_used_up and "idle" not in self.traits,
            "spoils": self.keeps is not None,
            "electric": self.manual == "powered",
            "built": self.manual == "furniture",
            "outdoor": self.manual == "outdoor",
            "handled": self.manual == "handheld",
            "placed": bool(self.stands) and self.manual != "outdoor",
            "floor": self.stands == "floor" and self.manual != "outdoor",
            "large": self.pounds is not None and self.pounds[1] >= _LARGE,
            "explained": bool(self.manual),
            "corded": self.manual == "powered" and "cordless" not in self.traits,
            "spared": bool(self.parts),
            "moving": bool(_MOVES.search(words)),
            "screwed": self.manual == "furniture" or bool(_SCREWED.search(words)),
            "lidded": bool(_LIDDED.search(words)) or self.look in ("jar", "bottle"),
            "oiled": bool(re.search(r"\boil\b", self.upkeep_of)),
            "sharp": "sharpening" in self.upkeep_of,
            "metal": self.manual in ("furniture", "outdoor"),
            "heirloom": self.lasts is not None and self.lasts[1] >= _OLD and not self._is_modern,
        }
        return frozenset({*self.traits, *(name for name, holds in follows.items() if holds)})


_OUNCES = 16
_SMALL, _TRIAL = (0.35, 0.75), 0.35
_CHECKED, _SPARE = (2.0, 12.0), (3.0, 24.0)
_LARGE = 22
"""Pounds of the heaviest of a sort of which one asks who carries it up."""
_OLD = 64
"""Months that good ones of a sort last under steady use, of which some have been in use for decades."""
_MOVES = re.compile(r"\b(?:hinge|latch|pin|wheel|caster|crank|joint|slider|ratchet|spring|drawer)\b")
_SCREWED, _LIDDED = re.compile(r"\b(?:bolt|brace|post|clamp|foot)\b"), re.compile(r"\b(?:lid|cap|cover)\b")
"""Words in a part's name that reveal its sort."""
TRAITS = frozenset(
    ["explained", "corded", "cordless", "moving", "screwed", "lidded", "oiled", "sharp", "metal", "heirloom", "modern", "measured", "feeds", "consumed", "lasting", "used", "idle", "spoils", "electric", "built", "outdoor", "handled", "placed", "floor", "large", "washed", "kitchen", "sewn",
     "waits", "steady", "motor", "hot", "fetched", "soft", "filled", "worn", "stores", "tool", "pieces", "body", "dosed", "pet", "operated", "powered", "kept", "hard", "substance", "household", "sheets", "routine", "rinsed", "polished", "bagged", "sized", "battery", "shared", "harmless", "planted", "spared"]
)  # fmt: skip

ANY = ThingKind()
"""Sort of everything that no row names."""


@cache
def kind_of(noun: str) -> ThingKind:
    """Find the row whose words a name ends with, singular or plural. It comes with what is known of just that
    ending; the longest such words count."""
    return _kind(tuple(tokens(noun)))


def short_name(noun: str) -> str:
    """Return the name without what nobody says twice: `air purifier` of `quiet HEPA air purifier`."""
    parts, words = noun.split(), tuple(tokens(noun))
    known = next((count for count in range(len(words), 0, -1) if words[-count:] in _endings()), 1)
    return " ".join(parts[-max(known, 2 if len(parts) > 2 else 1) :])


@cache
def _kind(row: tuple[str, ...]) -> ThingKind:
    endings = _endings()
    found = (endings.get(row[-count:]) for count in range(len(row), 0, -1))
    return next((kind for kind in found if kind is not None), ANY)


@cache
def _endings() -> dict[tuple[str, ...], ThingKind]:
    rows = [ThingKind(**row) for row in _data("kinds")["kind"]]
    weights, more, traits = _data("weights")["pounds"], _data("endings"), _data("traits")
    if strange := {one for words in traits.values() for one in words} - {
        one for kind in rows for one in kind.words
    }:
        raise ValueError(f"no sort is called {sorted(strange)[0]!r}")
    return {
        tuple(tokens(word)): kind.model_copy(
            update={
                "ending": word,
                "parts": tuple(more["parts"].get(word, kind.parts)),
                "since": more["since"].get(word, kind.since),
                "traits": (
                    *kind.traits,
                    *(["cordless"] if word in more["cordless"] else []),
                    *(trait for trait, words in traits.items() if word in words),
                ),
                **_weighed(kind, weights.get(word)),
            }
        )
        for kind in rows
        for word in kind.words
    }


def _weighed(kind: ThingKind, pounds: list[float] | None) -> dict[str, Range | None]:
    """Return what is weighed of a sort, by what a catalogue says of just such things, where it does."""
    least, most = kind.holds or (0.0, 0.0)
    if pounds is None:
        used = kind.pounds
        return {"alone": (max(0.5 * used[0], used[0] - least), used[1] - most) if used else None}
    low, high = pounds
    return {
        "pounds": (low + least, high + most) if kind.holds else kind.pounds,
        "alone": (low, high) if kind.pounds else None,
        "weigh": (low * _OUNCES, high * _OUNCES) if kind.weigh else None,
    }


def _data(name: str) -> dict[str, Any]:
    with (Path(__file__).parent / f"{name}.toml").open("rb") as file:
        return tomllib.load(file)


def single(unit: str) -> str:
    """One of what a pack gives: `serving` of `servings`."""
    return unit.removesuffix("es") if unit.endswith(("shes", "xes")) else unit.removesuffix("s")


def all_kinds() -> frozenset[ThingKind]:
    return frozenset({*_endings().values(), ANY})


def whole(rng: Random, within: Range) -> int:
    return rng.randint(round(within[0]), round(within[1]))


_SEVERAL = re.compile(
    r"\b(?:(?:[2-9]|\d\d+|two|three|four|six|eight|twelve)[ -]?(?:packs?|pcs|pieces|count|ct|sets?|pairs?)|(?:packs?|sets?|box|pairs?) of (?:\d+|two|three|four|six|eight|twelve)|twin packs?|multipacks?)\b",
    re.I,
)
_CUT = re.compile(r"[,;:|(\[/–—]| - | with | for | by | w/", re.IGNORECASE)
"""End of a thing's name in a title, where its praise begins."""
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*[A-Za-z]|&")
_NAME_WORDS, _BRAND_WORDS, _NOUN_WORDS = 5, 3, 3
"""Most words of brand and noun together, so that a fact's sentence has room for the fact."""
_TWINS = {"oz", "count", "pack", "pcs", "inch", "inches", "set", "kit", "lb", "ml"}
"""Words that are no name by themselves."""
MODELS = ("Mini", "Classic", "Plus", "Select", "Pro", "Lite", "Deluxe", "Compact", "II")
"""Names of models: products have models, firms have none."""
_IS_MODEL = 0.45
"""Share of things, owned or weighed, that are a model with a name of its own."""
_JOINTS = {"and", "or", "of", "the", "a", "an", "&", "in", "to"}
_NOBODY = {"generic", "unbranded", "unknown", "noname", "no brand", "n/a", "none", "various"}
"""Brands of nobody, as sellers write them; nobody gives a warranty in their name."""


@cache
def words(group: str) -> tuple[str, ...]:
    with (Path(__file__).parent / "words.toml").open("rb") as file:
        return tuple(tomllib.load(file)[group])


def is_of_several(product: Product) -> bool:
    """Tell whether its price is for more than one. One cannot say then what is true of one piece of it."""
    return _SEVERAL.search(product.title) is not None


_SECOND = re.compile(r"\b(?:open box|renewed|refurbished|pre-?owned|outlet)\b", re.I)
"""Names of who sells again what others made."""


def thing_of(product: Product, rng: Random) -> NamedThing | None:
    """`None` where neither title nor category names anything, or nobody's name is on it."""
    brand = _brand(product)
    if brand.casefold() in _NOBODY or _SECOND.search(brand):
        return None
    room = min(_NOUN_WORDS, _NAME_WORDS - len(brand.split()))
    noun = _from_title(product, brand, room) or _from_category(product.categories, room)
    if noun is None:
        return None
    head, _, rest = noun.partition(" ")
    if rest and head == brand.split()[-1].casefold():
        noun = rest
    letters = "".join(c for c in brand.upper() if c.isascii() and c.isalpha())[:2].ljust(2, "X")
    last = noun.split()[-1]
    plural = last.endswith("s") and not last.endswith(("ss", "us", "is"))
    return NamedThing(brand=brand, noun=noun, model=f"{letters}-{rng.randrange(1200, 9900)}", plural=plural)


def is_same_sort(product: Product, thing: NamedThing) -> bool:
    other = thing_of(product, Random(0))
    return other is not None and kind_of(other.noun) == kind_of(thing.noun)


def as_model(thing: NamedThing, rng: Random) -> NamedThing:
    """Make, in some cases, what is owned or weighed one of several models of a name. The plain one is
    another: a name like `Plus` reveals nothing."""
    model, drawn = rng.choice(MODELS), rng.random()
    if thing.plural or is_mass(thing.noun) or len(thing.name.split()) >= _NAME_WORDS or drawn >= _IS_MODEL:
        return thing
    return replace(thing, edition=model)


def is_mass(noun: str) -> bool:
    """Tell whether one says `hay` and not `a hay`."""
    return noun.split()[-1].casefold() in words("mass")


def _brand(product: Product) -> str:
    brand = product.store or str(product.details.get("Brand") or "")
    parts = brand.split()[:_BRAND_WORDS] or product.title.split()[:1]
    while len(parts) > 1 and parts[-1].casefold().strip(".,") in _JOINTS:
        parts.pop()
    return re.sub(r"[^\w&' -]", "", " ".join(parts)).strip() or "none"


def _from_title(product: Product, brand: str, room: int) -> str | None:
    rest = product.title
    for head in (product.store or "", brand):
        if head and rest.casefold().startswith(head.casefold()):
            rest = rest[len(head) :]
            break
    named = _WORD.findall(_CUT.split(rest.strip(" -–—,:"), maxsplit=1)[0])[-room:]
    while named and named[0].casefold() in {
        *_JOINTS,
        *_TWINS,
        *(words("halves") if len(named) == room else ()),
    }:
        named.pop(0)
    while named and named[-1].casefold() in _TWINS and len(named) < 2:
        named.pop()
    return _lowered(named)


def _from_category(path: Sequence[str], room: int) -> str | None:
    return _lowered(_WORD.findall(_CUT.split(path[-1], maxsplit=1)[0])[-room:]) if path else None


def _lowered(parts: Sequence[str]) -> str | None:
    """`LED` stays; a title in capitals throughout does not."""
    loud = all(part.isupper() for part in parts)
    text = " ".join(
        part if part.isupper() and len(part) <= 4 and not loud else part.lower() for part in parts
    )
    return text if len(text) >= 3 else None
