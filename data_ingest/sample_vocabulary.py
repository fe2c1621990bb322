"""The vocabulary of the sample shop: TOML files that people can read and extend, checked when they are loaded."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TypedDict, cast

from drr.env.errors import DrrError
from drr.env.json_object import JsonObject

_FOLDER = files("drr.data_ingest") / "vocabulary"


@dataclass(frozen=True)
class ProductType:
    """One kind of thing that the shop sells."""

    category: str
    name: str
    path: tuple[str, ...]
    """Below the category's human name."""
    interests: tuple[str, ...]
    price: tuple[float, float, float]
    """The tenth, fiftieth and ninetieth of a hundred prices, in dollars."""
    weight: float
    """Of a middling one, in pounds; where a file states none, what its price buys of most things."""
    styles: tuple[str, ...]
    hooks: tuple[str, ...]
    """What a title says the thing is for."""
    attributes: dict[str, tuple[str, ...]]
    """Detail fields and their values. The first is the size: its values ascend, and price with them."""
    features: tuple[str, ...]
    """Sentences; `{Field}` is an attribute's value, `{brand}` the brand."""
    praise: tuple[str, ...]
    gripes: tuple[str, ...]
    consumable: bool
    colors: tuple[str, ...]

    @property
    def plain(self) -> str:
        """The name inside a sentence: small letters, but for "LED" and its like."""
        return " ".join(word if word.isupper() else word.lower() for word in self.name.split())


@dataclass(frozen=True)
class CategoryWords:
    """One file of the data set and how its rows look."""

    category: str
    human: str
    brands: tuple[str, ...]
    rates: dict[str, float]
    """Shares of rows: null_price, null_store, null_main, no_features, no_description, no_categories, rank, other_asin."""
    main_categories: dict[str, float]
    types: tuple[ProductType, ...]


@dataclass(frozen=True)
class Interest:
    name: str
    weight: float
    title: str
    """What such a shopper calls what she does: "backyard birding"."""


class ReviewWords(TypedDict):
    """What reviews of anything say."""

    good_leads: list[str]
    mixed_leads: list[str]
    bad_leads: list[str]
    tails: list[str]
    good_tails: list[str]
    titles: dict[str, list[str]]
    """By stars."""


class GeneralWords(TypedDict):
    """Sentences and names that fit every product: `general.toml` without its interests."""

    brand_starts: list[str]
    brand_ends: list[str]
    other_stores: list[str]
    months: list[str]
    subtitles: list[str]
    long_values: list[str]
    bracketed: list[str]
    wide_details: list[str]
    openings: list[str]
    closings: list[str]
    features: list[str]
    odd_details: dict[str, list[str]]
    reviews: ReviewWords


@dataclass(frozen=True)
class Vocabulary:
    categories: tuple[CategoryWords, ...]
    interests: tuple[Interest, ...]
    general: GeneralWords

    @property
    def types(self) -> tuple[ProductType, ...]:
        return tuple(kind for category in self.categories for kind in category.types)


@cache
def load_vocabulary() -> Vocabulary:
    """Every file of the folder; a hole in one is named by file and type."""
    general = _read("general.toml")
    interests = tuple(Interest(**row) for row in general.pop("interest"))
    known = {interest.name for interest in interests}
    names = sorted(
        entry.name
        for entry in _FOLDER.iterdir()
        if entry.name.endswith(".toml") and entry.name != "general.toml"
    )
    categories = tuple(_category(name, _read(name), known) for name in names)
    return Vocabulary(categories, interests, cast(GeneralWords, general))


def _read(name: str) -> JsonObject:
    try:
        return tomllib.loads((_FOLDER / name).read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise DrrError(f"vocabulary/{name}: not TOML ({error}); mend it") from error


def _category(name: str, raw: JsonObject, known: set[str]) -> CategoryWords:
    try:
        return CategoryWords(
            category=raw["category"],
            human=raw["human"],
            brands=tuple(raw["brands"]),
            rates=raw["rates"],
            main_categories=raw["main_categories"],
            types=tuple(_type(name, raw["category"], row, known) for row in raw["type"]),
        )
    except KeyError as error:
        raise DrrError(f"vocabulary/{name}: the field {error} is missing; add it") from error


def _type(name: str, category: str, row: JsonObject, known: set[str]) -> ProductType:
    where = f"vocabulary/{name}: type {row.get('name', '?')!r}"
    unknown = set(row["interests"]) - known
    if unknown:
        raise DrrError(f"{where}: unknown interest {', '.join(sorted(unknown))}; add it to general.toml")
    attributes = {field: tuple(values) for field, values in row["attributes"].items()}
    low, middle, high = row["price"]
    if not 0 < low <= middle <= high:
        raise DrrError(f"{where}: price must be three ascending numbers")
    kind = ProductType(
        category=category,
        name=row["name"],
        path=tuple(row["path"]),
        interests=tuple(row["interests"]),
        price=(low, middle, high),
        weight=float(row.get("weight", middle / 18)),
        styles=tuple(row["styles"]),
        hooks=tuple(row["hooks"]),
        attributes=attributes,
        features=tuple(row["features"]),
        praise=tuple(row["praise"]),
        gripes=tuple(row["gripes"]),
        consumable=bool(row.get("consumable", False)),
        colors=tuple(row.get("colors", ())),
    )
    slots = {field: values[0] for field, values in attributes.items()} | {"brand": "", "color": ""}
    for sentence in kind.features:
        try:
            sentence.format_map(slots)
        except (KeyError, ValueError, IndexError) as error:
            raise DrrError(
                f"{where}: the sentence {sentence!r} names {error}, which is no attribute"
            ) from error
    return kind
