"""What no template may make of its choices: English that nobody writes. Each choice of a sentence is tried with those beside it, as is a pool of pages."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path
from typing import Any

import drr.papers.dr3.corpus as corpus_room
import pytest
from drr.env.shop import Shop
from drr.papers.dr3.corpus.pool import build_pool
from drr.papers.dr3.corpus.template import _Choice, _Part, _Slot, template

from tests.cases import cases, table

_IMPOSSIBLE = cases("filetasks", "_IMPOSSIBLE")
_PATTERNS = {name: re.compile(pattern) for name, pattern in _IMPOSSIBLE.items()}
_TOGETHER = 2
"""Choices in a row that are tried with each other."""
_MOST = 20_000


def _slips(text: str) -> Iterator[str]:
    for name, pattern in _PATTERNS.items():
        for found in pattern.finditer(text):
            yield f"{name}: {text[max(0, found.start() - 40) : found.end() + 40]!r}"


def _texts(held: Any) -> Iterator[str]:
    if isinstance(held, str):
        yield held
    elif isinstance(held, (list, dict)):
        for one in held.values() if isinstance(held, dict) else held:
            yield from _texts(one)


def _said(parts: tuple[_Part, ...]) -> list[str]:
    """In all ways, slots by their names."""
    ways = [
        [part]
        if isinstance(part, str)
        else [f"[{part.name}]"]
        if isinstance(part, _Slot)
        else [one for option in part.options for one in _said(option)]
        for part in parts
    ]
    return ["".join(one) for one in islice(product(*ways), _MOST)]


def _stretches(parts: tuple[_Part, ...]) -> Iterator[str]:
    """From the end of one choice to the beginning of another, with all choices between."""
    at = [place for place, part in enumerate(parts) if isinstance(part, _Choice)]
    for first in range(max(1, len(at) - _TOGETHER + 1)):
        begin = at[first - 1] + 1 if first else 0
        last = first + _TOGETHER
        yield from _said(parts[begin : at[last] if last < len(at) else len(parts)])


@pytest.mark.long
def test_no_choice_makes_impossible_english_with_those_beside_it() -> None:
    found = set()
    for file in sorted((Path(corpus_room.__file__).parent / "words").glob("*.toml")):
        if file.stem == "granted":
            continue
        for text in set(_texts(tomllib.loads(file.read_text("utf-8")))):
            for said in _stretches(template(text).parts):
                found |= {f"{file.stem}: {slip}" for slip in _slips(said)}
    assert not sorted(found)


@pytest.mark.long
def test_no_page_of_a_pool_has_impossible_english(shop: Shop) -> None:
    pages = build_pool(shop.store.iter_products(), 11, 900).pages
    assert not [slip for page in pages for slip in _slips(page.text)]


@table("filetasks", "slips_that_readers_found_are_known")
def test_slips_that_readers_found_are_known(said: str) -> None:
    assert [*_slips(said)]
