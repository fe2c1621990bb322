"""Every figure of a text, with its unit, its decimals and its hedge: what two texts are compared by."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from drr.wording.hedges import HEDGES
from drr.wording.numbers import DIGITS, cardinals, number, number_of
from drr.wording.units import UNITS

_FIGURE = re.compile(
    rf"(?P<money>\$\s?)?(?<![\w.])(?P<digits>{DIGITS}|\.\d{{1,18}})(?P<k>[kK](?![a-zA-Z]))?"
    r"[\s-]?(?P<unit>%|\"|\u201d|\u2033|'(?!s)|[a-zA-Z]{1,24})?"
)
_WORD = re.compile(rf"\b({cardinals(2)})[\s-]{{1,8}}([a-zA-Z]{{1,24}})?", re.IGNORECASE)
_VULGAR = str.maketrans(
    {
        "\u00bd": " 1/2",
        "\u00bc": " 1/4",
        "\u00be": " 3/4",
        "\u2153": " 1/3",
        "\u2154": " 2/3",
        "\u215b": " 1/8",
    }
)
_FRACTION = re.compile(
    r"(?<![\d./])(?:(\d{1,3})[ -])?(\d{1,2})/([2-9]|1[06]|32)"
    rf"(?=[\s-]?(?:{UNITS.forms('length', 'weight', 'volume')}))",
    re.IGNORECASE,
)
_HEDGED_WITHIN = 16
"""Characters before a figure in which a hedge stands."""


class Number(NamedTuple):
    value: float
    kind: str | None
    """length, weight, ..., money; `None` for a bare count."""
    base: float
    """In the base unit of its kind."""
    decimals: int
    hedged: bool
    text: str


def numbers(text: str, *, words: bool = False) -> list[Number]:
    """Find the figures in digits. With `words`, then those in words, which may be no figures at all ("one of the two")."""
    text = _FRACTION.sub(lambda m: f"{int(m[1] or 0) + int(m[2]) / int(m[3]):g}", text.translate(_VULGAR))
    return [*_in_digits(text), *(_in_words(text) if words else ())]


def _in_digits(text: str) -> Iterator[Number]:
    for match in _FIGURE.finditer(text):
        value = number(match["digits"]) * (1000 if match["k"] else 1)
        kind, base = ("money", 1.0) if match["money"] else _measure(match["unit"])
        decimals = len(match["digits"].partition(".")[2])
        hedged = HEDGES.before.search(text, max(0, match.start() - _HEDGED_WITHIN), match.start())
        yield Number(
            value, kind, value * base, decimals, hedged is not None or bool(match["k"]), match[0].strip()
        )


def _in_words(text: str) -> Iterator[Number]:
    for match in _WORD.finditer(text):
        value = float(number_of(match[1]) or 0)
        kind, base = _measure(match[2])
        yield Number(value, kind, value * base, 0, False, match[0].strip())


def _measure(form: str | None) -> tuple[str | None, float]:
    unit = UNITS.named(form or "")
    return (None, 1.0) if unit is None or unit.kind in _COUNTED else (unit.kind, unit.base)


_COUNTED = frozenset(("count", "light", "thickness"))
"""Kinds that a record names in many words; a figure of them is compared as a bare one."""
