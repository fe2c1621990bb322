"""A product in the words of people: brand and what it is, read off a title of any catalogue."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

from drr.env.entities import Product
from drr.papers.dr3.case import NamedThing
from drr.papers.dr3.planning.kinds import kind_of

_SEVERAL = re.compile(
    r"\b(?:(?:[2-9]|\d\d+|two|three|four|six|eight|twelve)[ -]?(?:packs?|pcs|pieces|count|ct|sets?|pairs?)|(?:packs?|sets?|box|pairs?) of (?:\d+|two|three|four|six|eight|twelve)|twin packs?|multipacks?)\b",
    re.I,
)
_CUT = re.compile(r"[,;:|(\[/–—]| - | with | for | by | w/", re.IGNORECASE)
"""Where a title stops naming the thing and begins to praise it."""
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*[A-Za-z]|&")
_NAME_WORDS, _BRAND_WORDS, _NOUN_WORDS = 5, 3, 3
"""Of brand and noun together, so that a fact's sentence has room for the fact."""
_TWINS = {"oz", "count", "pack", "pcs", "inch", "inches", "set", "kit", "lb", "ml"}
"""No name of a thing by themselves."""
MODELS = ("Mini", "Classic", "Plus", "Select", "Pro", "Lite", "Deluxe", "Compact", "II")
"""What a model is called beside others of its name: products have models, firms have none."""
_IS_MODEL = 0.45
"""How often what is owned or weighed is a model with a name of its own."""
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
    said = product.store or str(product.details.get("Brand") or "")
    parts = said.split()[:_BRAND_WORDS] or product.title.split()[:1]
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
    said = " ".join(
        part if part.isupper() and len(part) <= 4 and not loud else part.lower() for part in parts
    )
    return said if len(said) >= 3 else None
