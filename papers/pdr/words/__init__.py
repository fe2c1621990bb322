"""The words of persons: texts that show a trait, the traits that are drawn, talk about products. Each is a file of TOML beside this one."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from drr.env.json_object import JsonObject
from drr.papers.pdr.person import Attribute

_FOLDER = files("drr.papers.pdr.words")


class TraitTexts(NamedTuple):
    """The texts in which one value of a block shows."""

    asked: tuple[tuple[str, str], ...]
    """Pairs of a shopper's message and the assistant's answer."""
    notes: tuple[str, ...]
    statement: str | None = None
    """Statement of the trait, for drawn ones."""

    def texts(self) -> list[str]:
        return [*(shopper for shopper, _ in self.asked), *self.notes]


class Talk(NamedTuple):
    """Sentences about any product, and about nothing in particular."""

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
    """Block to value."""
    return _values("invented.toml")


@cache
def record_traits() -> dict[str, dict[str, TraitTexts]]:
    """Block to value; `any` where the attribute's name is put in."""
    return _values("traits.toml")


@cache
def talk() -> Talk:
    raw = _read("talk.toml")
    return Talk(**{key: tuple(_sentence(row) for row in rows) for key, rows in raw.items()})


def _sentence(row: Any) -> Any:
    """A sentence, or a question with its answer."""
    return tuple(row) if isinstance(row, list) else row


def key_of(attribute: Attribute) -> str:
    """The id without its block: the value, the theme, the name."""
    return attribute.id.removeprefix(f"{attribute.block}-")


def values_of(attribute: Attribute) -> dict[str, TraitTexts]:
    """Every value of its block, its own among them; none where nothing was written for it."""
    for traits in (record_traits(), invented_traits()):
        values = traits.get(attribute.block, {})
        if "any" in values or key_of(attribute) in values:
            return values
    return {}


def texts_of(attribute: Attribute) -> TraitTexts | None:
    values = values_of(attribute)
    return values.get(key_of(attribute)) or values.get("any")
