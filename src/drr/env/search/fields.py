"""The fields of a product that a search indexes beside its text, and the search's own word lists.

`strong` holds the words that say what a product is and whose: title, store, brand, and the steps of its category path. Words that
count more are repeated, so that every engine weighs them alike. `rest` holds those words, and the words of the values in the
details, that the plain text lacks. `name` holds
whole names of the thing as single words: the last step of the path, the end of the title's first phrase, and their last words,
as an English name ends in the thing named: a pillow case is a case, a bed pillow is a pillow.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from drr.env.entities import Product
from drr.env.languages import is_stop_word, surfaces
from drr.env.text import category_key, indexed_text, tokens

Name = tuple[str, ...]
"""A name of a thing as a tuple of words."""
FILE = Path(__file__).with_name("words.toml")


class OtherNames(NamedTuple):
    names: tuple[Name, ...]
    unless_named: bool
    """True if the other names are searched only if no product has the name in the query."""


@dataclass(frozen=True)
class SearchWords:
    weak: frozenset[str]
    """Words without meaning of their own, which are not demanded; those of asking and of price among them."""
    cheap: frozenset[str]
    transparent: frozenset[str]
    breaks: frozenset[str]
    others: Mapping[Name, OtherNames]
    """Other names of a thing, by each of its names."""
    first: frozenset[str]
    """First words of the names in `others`."""
    longest: int
    """The number of words in the longest name."""


def read_words(path: Path = FILE) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def search_words() -> SearchWords:
    tables = read_words()

    def words(*groups: str) -> frozenset[str]:
        return frozenset(
            token for group in groups for word in tables[group]["words"] for token in tokens(word)
        )

    others: dict[Name, dict[Name, None]] = {}
    always: set[Name] = set()
    for table in tables.values():
        for names in table.get("same", ()):
            own = list(dict.fromkeys(tuple(tokens(name)) for name in names))
            if not table.get("unless_named"):
                always.update(own)
            for name in own:
                others.setdefault(name, {}).update(dict.fromkeys(one for one in own if one != name))
    return SearchWords(
        words("weak", "asking", "price", "cheap"),
        words("cheap"),
        words("transparent"),
        words("breaks"),
        {name: OtherNames(tuple(more), name not in always) for name, more in others.items()},
        frozenset(name[0] for name in others if name),
        max(map(len, others)),
    )


VERSION = "1"
"""The version of the fields in a shop's manifest; an index of another version is searched as `plain`."""
_FOREIGN_VERSION = "2"
"""The version in other languages than English."""

SHELF = "="
"""The mark before the whole last step of a category path, which is the shelf where the product stands."""
NO_SHELF = "=?"
_LONGEST_PHRASE = 9
_LONGEST_NAME = 3
_PHRASE_END = re.compile(r"[,|(\[:;\u2013\u2014\u3010\u3011/]|\s-\s|\.\s")
_LEADING = re.compile(r"^\s*(?:\u3010[^\u3011]*\u3011|\[[^\]]*\]|\([^)]*\))\s*")
_PARTS = re.compile(r"[,&/+]|\band\b", re.I)
_NUMBERED = re.compile(r"\d")
# Numbers of stock and ranks, which nobody asks for and each of which would be a word of its own.
_NOT_SEARCHED = re.compile(
    r"rank|upc|ean|gtin|asin|unspsc|date first|discontinued|global trade|package dimensions", re.I
)
_YES = {"yes", "true"}
_MOST_DETAILS = 4000
_LONGEST_KEY = 1000


class SearchFields(NamedTuple):
    text: str
    """The text of the plain search."""
    strong: str
    rest: str
    """Words of `strong` and of the details' values that `text` lacks; together with `text` they are all words of the product."""
    name: tuple[str, ...]
    shelf: tuple[str, ...]
    """Keys that a category filter accepts: each step, its parts, and their last words."""
    brand: tuple[str, ...]

    @property
    def crc(self) -> int:
        """Return a checksum of all fields, by which an index is checked against its store."""
        return crc32(
            "\n".join([self.strong, self.rest, *self.name, "", *self.shelf, "", *self.brand]).encode()
        )


def fields_version(language: str | None) -> str:
    return VERSION if language is None else _FOREIGN_VERSION


def fields_of_product(product: Product, language: str | None = None) -> SearchFields:
    text = indexed_text(product.title, product.features, product.description, language)
    return fields_of(
        text, product.title, product.store, product.category, product.categories, product.details, language
    )


def fields_of(
    text: str,
    title: str,
    store: str | None,
    category: str,
    categories: Sequence[str],
    details: Mapping[str, Any],
    language: str | None = None,
) -> SearchFields:
    head, path = tokens(title, language), _path_fields(category, tuple(categories), language)
    stores = tuple(name for name in (store, details.get("Brand")) if isinstance(name, str))
    brands = _brand_fields(stores, language)
    strong = [*head, *head, *brands[0], *path[0]]
    names = dict.fromkeys([*path[1], *title_names(title, language)])
    known = set(text.split(" "))
    rest = [word for word in (*dict.fromkeys(strong), *_detail_words(details, language)) if word not in known]
    return SearchFields(text, " ".join(strong), " ".join(rest), tuple(names), path[2], brands[1])


@lru_cache(1 << 14)
def _path_fields(category: str, categories: Name, language: str | None) -> tuple[Name, Name, Name]:
    """Return the words, the names and the shelf of a category path, which many products share."""
    leaf = categories[-1] if categories else ""
    steps = [category.replace("_", " "), *categories]
    words = (
        *tokens(leaf, language),
        *dict.fromkeys(word for step in steps for word in tokens(step, language)),
    )
    keys = {key for step in (category, *categories) for key in shelf_keys(step, language)}
    return words, tuple(_leaf_names(leaf, language)), tuple(sorted(keys))


@lru_cache(1 << 14)
def _brand_fields(names: Name, language: str | None) -> tuple[Name, Name]:
    """Return the words and the keys of a product's brands."""
    words = tuple(word for name in dict.fromkeys(names) for word in tokens(name, language))
    return words, tuple(sorted({key for name in names if (key := raw_key(name, language))}))


def raw_key(name: str, language: str | None = None) -> str:
    """Return a brand or a step of a path as one word. Servers limit the length of a word; the beginning is enough to tell it from others."""
    return category_key(name, language)[:_LONGEST_KEY]


def _leaf_names(leaf: str, language: str | None) -> Iterator[str]:
    key = raw_key(leaf, language)
    if not key:
        yield NO_SHELF
        return
    yield SHELF + key
    yield key
    for part in _parts(leaf, language):
        yield from name_suffixes(part)


def shelf_keys(step: str, language: str | None = None) -> Iterator[str]:
    """Yield the keys of a path's step. `Over-Ear Headphones` is found as itself and as `Headphones`, `Ramps & Stairs` also as `Ramps`."""
    if key := raw_key(step, language):
        yield key
        for part in _parts(step, language):
            yield from name_suffixes(part)


def _parts(step: str, language: str | None) -> Iterator[list[str]]:
    for part in _PARTS.split(step.replace("_", " ")):
        words = tokens(part, language)
        runs = [words] if language is None else _between(words, _breaks(part, words, language))
        yield from filter(None, runs)


def _between(words: Sequence[str], breaks: Iterable[bool]) -> list[list[str]]:
    """Return the runs of words between those that break."""
    runs: list[list[str]] = [[]]
    for word, broken in zip(words, breaks, strict=True):
        if broken:
            runs.append([])
        else:
            runs[-1].append(word)
    return runs


def name_suffixes(words: Sequence[str]) -> Iterator[str]:
    """Yield a name and its endings, up to `_LONGEST_NAME` words."""
    for count in range(1, min(_LONGEST_NAME, len(words)) + 1):
        yield "_".join(words[-count:])


def title_names(title: str, language: str | None = None) -> Iterator[str]:
    """Yield the names in the first phrase of a title. Words for number or size are skipped: a brush set is brushes too."""
    words = _first_phrase(title, language)
    if not 0 < len(words) <= _LONGEST_PHRASE:
        return
    transparent = search_words().transparent
    while words and _NUMBERED.search(words[-1]):
        words.pop()
    yield from name_suffixes(words)
    while words and (words[-1] in transparent or _NUMBERED.search(words[-1])):
        words.pop()
    yield from name_suffixes(words)
    if language is not None:
        # Others than English put what describes a thing behind it too: "Pfanne antihaftbeschichtet".
        yield from words


def _first_phrase(title: str, language: str | None) -> list[str]:
    text = title
    while (found := _LEADING.match(text)) is not None:
        text = text[found.end() :]
    phrase = _PHRASE_END.split(text, maxsplit=1)[0]
    words = tokens(phrase, language)
    for place, broken in enumerate(_breaks(phrase, words, language)):
        if place and broken:
            return words[:place]
    return words


def _breaks(phrase: str, words: Sequence[str], language: str | None) -> list[bool]:
    """Tell of each word of a phrase whether it ends the name before it. In other languages than English, every stop word and every figure does."""
    if language is not None:
        return [
            is_stop_word(word, language) or _NUMBERED.search(word) is not None for word in surfaces(phrase)
        ]
    breaks = search_words().breaks
    return [word in breaks for word in words]


def _detail_words(details: Mapping[str, Any], language: str | None) -> list[str]:
    words: list[str] = []
    for text in _values(details):
        words += tokens(text[:_MOST_DETAILS], language)
    return words


def _values(details: Mapping[str, Any]) -> Iterator[str]:
    """Yield each value of the details; for a value that only says yes, its name."""
    for name, value in details.items():
        if _NOT_SEARCHED.search(name):
            continue
        if isinstance(value, Mapping):
            yield from _values(value)
        elif isinstance(value, list | tuple):
            yield from _texts_of_values(value)
        elif (isinstance(value, str) and value.strip().casefold() in _YES) or value is True:
            yield name
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            yield str(value)


def _texts_of_values(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        if isinstance(value, Mapping):
            yield from _values(value)
        elif isinstance(value, str | int | float):
            yield str(value)


_STEP = re.compile(r"\s{0,20}(?:>|\u203a|\u00bb|\|)\s*")


def shelf_parts(category: str | None, language: str | None = None) -> list[str]:
    """Return the keys of a category, all of which a product's path must have. A name without a word gives a key that no product has."""
    return [] if category is None else [raw_key(step, language) for step in _STEP.split(category)]
