"""Draws the products of the sample shop: which exist, how popular they are, and how well liked."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, TypedDict, cast

import numpy as np
from drr.env.errors import DrrError
from drr.env.json_object import JsonObject
from numpy.typing import NDArray

_FOLDER = files("drr.data_ingest") / "vocabulary"


@dataclass(frozen=True)
class ProductType:
    """One type of product that the shop sells."""

    category: str
    name: str
    path: tuple[str, ...]
    """The category path below the category's human name."""
    interests: tuple[str, ...]
    price: tuple[float, float, float]
    """The 10th, 50th and 90th percentile of prices, in dollars."""
    weight: float
    """The weight of a medium product in pounds, estimated from the price if the file states none."""
    styles: tuple[str, ...]
    hooks: tuple[str, ...]
    """Purposes that a title may name."""
    attributes: dict[str, tuple[str, ...]]
    """Detail fields and their values. The first field is the size: its values ascend, and prices with them."""
    features: tuple[str, ...]
    """Feature sentences; `{Field}` is an attribute's value, `{brand}` the brand."""
    praise: tuple[str, ...]
    gripes: tuple[str, ...]
    consumable: bool
    colors: tuple[str, ...]

    @property
    def plain(self) -> str:
        """Return the name for use inside a sentence: in small letters, except "LED" and the like."""
        return " ".join(word if word.isupper() else word.lower() for word in self.name.split())


@dataclass(frozen=True)
class CategoryWords:
    """The words of one category, and the rates at which its rows lack fields."""

    category: str
    human: str
    brands: tuple[str, ...]
    rates: dict[str, float]
    """Shares of rows: null_price, null_store, null_main, no_features, no_description, no_categories, rank, other_asin; and, if
    unusual, brand and other_store."""
    main_categories: dict[str, float]
    types: tuple[ProductType, ...]


@dataclass(frozen=True)
class Interest:
    name: str
    weight: float
    title: str
    """A shopper's own name for the interest: "backyard birding"."""


class ReviewWords(TypedDict):
    """The sentences that reviews of any product use."""

    good_leads: list[str]
    mixed_leads: list[str]
    bad_leads: list[str]
    tails: list[str]
    good_tails: list[str]
    titles: dict[str, list[str]]
    """Titles by number of stars."""


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
    mute: bool = False
    """True if reviews have no text and shoppers no recorded truth, because no shop with this vocabulary keeps them."""
    planted: Callable[[JsonObject, Any], None] | None = None
    """The change of each row of metadata before it is written; it gets the row and the item behind it."""

    @property
    def types(self) -> tuple[ProductType, ...]:
        return tuple(kind for category in self.categories for kind in category.types)


@cache
def load_vocabulary() -> Vocabulary:
    """Read every file of the folder; an error names the file and type with a missing part."""
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


ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
BASE_SHARE = 0.22
"""The share of purchases that everybody needs and that serve no interest."""
VARIANTS = 4
_SINCE_SHARE = 0.53
"""The share of reviews dated 2019 or later, which the ingest counts."""


@dataclass(frozen=True)
class Products:
    """The products in columns; products of one type are adjacent."""

    type_of: NDArray[np.int32]
    first: NDArray[np.int64]
    """The index of the first product of each type, with one more entry than there are types."""
    cumulative: NDArray[np.float64]
    """The running sum of the products' popularity."""
    appeal: NDArray[np.float64]
    """The popularity of each product relative to the others."""
    asins: list[str]
    """Ids for each product in turn: the parent's, then those of `VARIANTS - 1` variants."""
    category_of: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.type_of)

    def parent(self, product: int) -> str:
        return self.asins[product * VARIANTS]


def type_demand(vocabulary: Vocabulary) -> NDArray[np.float64]:
    """Return each type's share of all purchases."""
    types = vocabulary.types
    weight = {interest.name: interest.weight for interest in vocabulary.interests}
    total = sum(weight.values())
    demand = np.full(len(types), BASE_SHARE / len(types))
    members: dict[str, list[int]] = {name: [] for name in weight}
    for position, kind in enumerate(types):
        for interest in kind.interests:
            members[interest].append(position)
    for name, positions in members.items():
        for position in positions:
            demand[position] += (1 - BASE_SHARE) * weight[name] / total / len(positions)
    return np.asarray(demand / demand.sum(), np.float64)


def make_products(vocabulary: Vocabulary, count: int, reviews: int, seed: int) -> Products:
    rng = np.random.default_rng([seed, 1])
    types = vocabulary.types
    share = type_demand(vocabulary)
    if count >= len(types):
        per_type = 1 + _apportion(share, count - len(types))
    else:
        per_type = np.zeros(len(types), np.int64)
        per_type[np.argsort(-share, kind="stable")[:count]] = 1
    first = np.concatenate([[0], np.cumsum(per_type)])
    type_of = np.repeat(np.arange(len(types), dtype=np.int32), per_type)
    spread = popularity_spread(_SINCE_SHARE * reviews / count)
    weights = np.exp(spread * rng.standard_normal(count))
    for position in range(len(types)):
        part = slice(first[position], first[position + 1])
        if per_type[position]:
            weights[part] *= share[position] / weights[part].sum()
    category_names = [words.category for words in vocabulary.categories]
    category_of_type = np.array([category_names.index(kind.category) for kind in types], np.int32)
    return Products(
        type_of=type_of,
        first=first,
        cumulative=np.cumsum(weights),
        appeal=0.5 * rng.standard_normal(count),
        asins=_asins(count * VARIANTS, seed),
        category_of=category_of_type[type_of],
    )


def popularity_spread(mean: float) -> float:
    """Return the widest log-normal spread that leaves about three quarters of the products with five reviews, for this mean number."""
    best = 0.2
    for step in range(4, 33):
        spread = step / 20
        z = (math.log(max(mean, 0.1) / 4.5) - spread * spread / 2) / math.hypot(spread, 0.35)
        if 0.5 * (1 + math.erf(z / math.sqrt(2))) >= 0.76:
            best = spread
    return best


def _apportion(share: NDArray[np.float64], total: int) -> NDArray[np.int64]:
    exact = share * total
    counts = np.floor(exact).astype(np.int64)
    rest = total - int(counts.sum())
    counts[np.argsort(counts - exact, kind="stable")[:rest]] += 1
    return counts


def _asins(count: int, seed: int) -> list[str]:
    """Return different ids of `B0` and eight more characters."""
    rng = np.random.default_rng([seed, 2])
    space = 36**8
    taken = np.unique(rng.integers(0, space, size=count + 64 + count // 100))
    while len(taken) < count:
        taken = np.unique(np.concatenate([taken, rng.integers(0, space, size=count)]))
    numbers = rng.permutation(taken)[:count]
    letters = np.frombuffer(ALPHABET.encode(), np.uint8)
    text = np.empty((count, 10), np.uint8)
    text[:, 0], text[:, 1] = ord("B"), ord("0")
    for place in range(8):
        numbers, digit = np.divmod(numbers, 36)
        text[:, 2 + place] = letters[digit]
    return [str(value) for value in text.view("S10").ravel().astype("U10")]


@dataclass(frozen=True)
class ReviewTotals:
    """The number and the total stars of the reviews, by product."""

    count: NDArray[np.int64]
    stars: NDArray[np.float64]
