"""What a record of a product says, as one text."""

from __future__ import annotations

import re
from functools import lru_cache

from drr.env.entities import Product
from drr.wording.numbers import DIGITS, NUMBER, SPOKEN, number, spoken

_DIGITS = re.compile(rf"(?<![\d.]){DIGITS}(?!\d|\.\d)")
_SPOKEN = re.compile(rf"\b{SPOKEN}\b", re.I)
_KEPT = 1024
"""Records of which is kept what was read of them: a report's readers ask for it again and again."""


@lru_cache(maxsize=_KEPT)
def record_text(product: Product) -> str:
    """All words of a record."""
    parts = [product.title, *product.features, *product.description, product.store or "", *product.categories]
    stack: list[object] = [product.details]
    while stack:
        one = stack.pop()
        if isinstance(one, dict):
            for key, value in one.items():
                stack += [f"{key}: {value}"] if not isinstance(value, (dict, list)) else [str(key), value]
        elif isinstance(one, list):
            stack += one
        else:
            parts.append(str(one))
    return "\n".join(parts)


@lru_cache(maxsize=_KEPT)
def record_numbers(product: Product) -> frozenset[float]:
    """All numbers of a record, in digits and in words."""
    text = record_text(product)
    return frozenset({number(match[0]) for match in _DIGITS.finditer(text)} | _in_words(text))


def numbers_said(text: str) -> set[float]:
    """All numbers of a text of others, in digits and in words."""
    return {number(match["n"]) for match in NUMBER.finditer(text)} | _in_words(text)


def _in_words(text: str) -> set[float]:
    return {float(spoken(match[0])) for match in _SPOKEN.finditer(text)}
