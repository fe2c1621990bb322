"""A product's title, price and rating as a report shows them. Set from the record, with no mark of the seller's own."""

from __future__ import annotations

import re

from drr.agents.forms.passages import KnownProduct
from drr.agents.forms.plain import plain
from drr.env.records.lines import count, dollars, stars
from drr.wording.money import every_amount

LONG, SHORT = 110, 60
_BREAK = re.compile(r",| - | – | — | \(| with | for |…")
_LEAST = 12
"""Characters of a title that still names a thing."""


def title(product: KnownProduct, limit: int = LONG) -> str:
    """The title without markup, addresses and amounts: a seller's words state no price here."""
    text = plain(product.title.replace("{", "(").replace("}", ")"), 2 * LONG)
    for amount in reversed(every_amount(text)):
        text = f"{text[: amount.start]} {text[amount.end :]}"
    text = " ".join(text.split())
    if len(text) > limit:
        text = text[:limit].rsplit(" ", 1)[0].rstrip(" ,;:-–—(/")
    return text or f"product {product.product_id}"


def short_title(product: KnownProduct) -> str:
    """The title up to the first break that leaves enough of it."""
    text = title(product)
    for mark in _BREAK.finditer(text):
        if _LEAST <= mark.start() <= SHORT:
            return text[: mark.start()]
    return title(product, SHORT)


def price(product: KnownProduct, unknown: str = "an unknown price") -> str:
    return unknown if product.price is None else dollars(float(product.price))


def rating(product: KnownProduct, unknown: str = "not rated") -> str:
    return unknown if product.rating is None else f"{stars(product.rating)}/5"


def ratings(product: KnownProduct, unknown: str = "an unknown number of") -> str:
    return unknown if product.ratings is None else count(product.ratings)
