"""The texts for contexts: texts that show a trait, invented traits, talk about products. Each set is a TOML file beside this module."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from drr.env.json_object import JsonObject
from drr.papers.pdr.person import Attribute

_FOLDER = files("drr.papers.pdr.words")


class TraitTexts(NamedTuple):
    """The texts that express one value of a block of attributes."""

    asked: tuple[tuple[str, str], ...]
    """Pairs of a user's message and the assistant's answer."""
    notes: tuple[str, ...]
    statement: str | None = None
    """Statement of the trait, for invented traits."""

    def texts(self) -> list[str]:
        return [*(shopper for shopper, _ in self.asked), *self.notes]


class Talk(NamedTuple):
    """Sentences about any product, and small talk."""

    own: tuple[str, ...]
    browse: tuple[str, ...]
    gift: tuple[str, ...]
    answer: tuple[str, ...]
    thanks: tuple[tuple[str, str], ...]
    wish: tuple[str, ...]
    for_others: tuple[str, ...]
    small: tuple[str, ...]
    small_ask: tuple[tuple[str, str], ...]
    compare: tuple[str, ...]


def _read(name: str) -> JsonObject:
    return tomllib.loads((_FOLDER / name).read_text(encoding="utf-8"))


def _values(name: str) -> dict[str, dict[str, TraitTexts]]:
    def texts(row: JsonObject) -> TraitTexts:
        asked = tuple((shopper, assistant) for shopper, assistant in row["ask"])
        return TraitTexts(asked, tuple(row["note"]), row.get("statement"))

    blocks = _read(name).items()
    return {block: {value: texts(row) for value, row in values.items()} for block, values in blocks}


@cache
def invented_traits() -> dict[str, dict[str, TraitTexts]]:
    """Return the texts of traits that may be invented, by block and value."""
    return _values("invented.toml")


@cache
def record_traits() -> dict[str, dict[str, TraitTexts]]:
    """Return the texts of traits from records, by block and value. The value `any` has a slot for the attribute's name."""
    return _values("traits.toml")


@cache
def talk() -> Talk:
    raw = _read("talk.toml")
    return Talk(**{key: tuple(_sentence(row) for row in rows) for key, rows in raw.items()})


def _sentence(row: Any) -> Any:
    """Return a sentence, or a question with its answer as a tuple."""
    return tuple(row) if isinstance(row, list) else row


def key_of(attribute: Attribute) -> str:
    """Return the id of an attribute without its block: its value, theme or name."""
    return attribute.id.removeprefix(f"{attribute.block}-")


def values_of(attribute: Attribute) -> dict[str, TraitTexts]:
    """Return the texts of every value of an attribute's block; empty if there are none for the attribute."""
    for traits in (record_traits(), invented_traits()):
        values = traits.get(attribute.block, {})
        if "any" in values or key_of(attribute) in values:
            return values
    return {}


def texts_of(attribute: Attribute) -> TraitTexts | None:
    values = values_of(attribute)
    return values.get(key_of(attribute)) or values.get("any")
