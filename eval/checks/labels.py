"""The meaning of a label for the value behind it. The head of a column, the words before a colon, the first cell of a row."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

Field = Literal["price", "stars", "count"]
"""What a label may name of a product beside the details of its record."""

_FIELDS: dict[str, Field] = {
    **dict.fromkeys(
        ("price", "list price", "current price", "unit price", "price today", "today's price", "price now", "price each", "item price", "shop price", "catalog price", "listed price", "price per item", "now", "today", "cost", "costs", "usd", "price/pack", "price/set", "current cost", "our price", "$", "price in usd", "price in dollars", "cost today", "asking"),
        "price",
    ),
    **dict.fromkeys(
        ("rating", "avg rating", "average rating", "stars", "star rating", "customer rating", "user rating", "overall rating", "shop rating", "rated", "average stars", "score", "avg", "average", "stars / ratings", "stars/ratings", "rating / ratings", "rating / reviews", "stars / reviews", "rating/reviews", "average score", "customer score"),
        "stars",
    ),
    **dict.fromkeys(
        ("ratings", "reviews", "number of ratings", "# ratings", "# of ratings", "no of ratings", "rating count", "ratings count", "review count", "number of reviews", "total ratings", "customer ratings", "reviewers", "total reviews", "customer reviews", "raters", "rated by", "votes", "based on"),
        "count",
    ),
}  # fmt: skip
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_MARKS = re.compile(r"[*_`~:.?]|<[^<>]{0,60}>|[^\w\s$%&'/#+-]")
_WHOSE = r"(?:grand|plan|order|cart|overall|estimated|basket|combined|final|full|bundle|new|set|kit|list|project|your|the|items?) "
_TOTAL = re.compile(
    rf"(?:{_WHOSE}){{0,2}}totals?(?: (?:cost|price|spend|bill|sum|amount|today|now))?(?: (?:for|of|over) [\w ,&-]{{1,40}})?|sum"
)
_QUANTITY = frozenset(("qty", "quantity", "units", "how many", "pcs"))


def listed(words: str) -> frozenset[str]:
    """Return the words of a list that is written `one|two words|three`."""
    return frozenset(words.split("|"))


@lru_cache(maxsize=4096)
def plain_label(text: str) -> str:
    """Return a label without marks, brackets and case."""
    return " ".join(_MARKS.sub(" ", _BRACKETS.sub(" ", text)).casefold().split())


def field_of(label: str) -> Field | None:
    """Return what a label names of a product; `None` where it names something else, or two things."""
    if label.strip(" *_") and not label.strip(" *_★⭐"):
        return "stars"
    return _FIELDS.get(plain_label(label).removesuffix(" usd"))


def is_total(label: str) -> bool:
    """Tell whether a label names the sum of what stands above."""
    return _TOTAL.fullmatch(plain_label(label)) is not None


def may_count_ratings(label: str, *, behind_stars: bool) -> bool:
    """Tell whether a head in a table of stars may be that of their number. `n`, and `Count` right behind the stars."""
    plain = plain_label(label)
    return plain in ("n", "votes", "by", "from") or (behind_stars and plain in ("count", "number", "no", "#"))


def is_quantity(label: str) -> bool:
    return plain_label(label) in _QUANTITY
