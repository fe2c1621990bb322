"""Measures the words of a question against its specification: names of details, and values that stand letter by letter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from drr.querygen.joined.specification import Specification

_NAMES = ("name", "same")
"""The fields of a specification that hold the name of a detail."""


class WordUse(NamedTuple):
    banned: list[str]
    """Names of details in the words, and `exactly`."""
    literal: list[str]
    """The demanded values that stand in the words letter by letter."""
    values: int
    """The number of demanded values."""

    @property
    def too_literal(self) -> bool:
        """Tell whether more than half of several values stand letter by letter."""
        return self.values > 1 and 2 * len(self.literal) > self.values


def detail_names(of: object) -> set[str]:
    """Return the names of all details that a specification as plain data speaks of."""
    found = {part.get(key) for part in _parts_of(of) for key in _NAMES}
    return {one for one in found if isinstance(one, str) and one}


def kinds_of(of: object) -> set[tuple[str, ...]]:
    """Return the kinds of products that a specification as plain data asks for."""
    return {tuple(part["category"]) for part in _parts_of(of) if part.get("category")}


def texts_of(value: object) -> set[str]:
    """Return all texts of plain data, without keys and empty ones."""
    return {one for one in _within(value) if isinstance(one, str) and one}


def word_use(text: str, of: Specification) -> WordUse:
    """Return what the words say letter by letter. A detail's name within a demanded text, such as a maker's name, is no use of it."""
    parts, names = _parts_of(of.model_dump()), detail_names(of.model_dump())
    values = {
        (one["name"], one["value"]) for one in parts if one.get("name") and isinstance(one.get("value"), str)
    }
    rest = folded(text)
    for demanded in sorted(texts_of(of.model_dump()) - names, key=len, reverse=True):
        rest = _whole(demanded).sub(" ", rest)
    banned = [one for one in sorted(names) if _whole(one).search(rest)]
    banned += ["exactly"] if _whole("exactly").search(rest) else []
    literal = [value for _, value in sorted(values) if _whole(value).search(folded(text))]
    return WordUse(banned, literal, len(values))


def folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _whole(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(folded(text))}(?!\w)")


def _parts_of(value: object) -> list[Mapping[str, Any]]:
    return [one for one in _within(value) if isinstance(one, Mapping)]


def _within(value: object) -> Iterator[object]:
    yield value
    for one in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        yield from _within(one)
