"""The rules' words for products, names and foreign text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from drr.offline.agents.memory import SeenProduct
from drr.wording.money import money


def plain(text: str, limit: int) -> str:
    """Foreign text as part of our Markdown: no marks of its own."""
    text = " ".join(re.sub(r"[|*_`\[\]<>#]", " ", text).split())
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def short(title: str) -> str:
    """A product's name: its title up to the first break that leaves enough of it."""
    title = plain(title, 120)
    for mark in re.finditer(r",| - | – | — | \(| with | for |…", title):
        if 12 <= mark.start() <= 60:
            return title[: mark.start()]
    return (title if len(title) <= 60 else title[:60].rsplit(" ", 1)[0]).rstrip(" -–—")


def join(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""


def rated(product: SeenProduct) -> str:
    if product.rating is None:
        return "not rated yet"
    votes = f" from {product.ratings:,} ratings" if product.ratings is not None else ""
    return f"rated {product.rating:g}/5{votes}"


def at_price(product: SeenProduct) -> str:
    return "(price unknown)" if product.price is None else f"at {money(product.price)}"


def priced(product: SeenProduct) -> str:
    return "price unknown" if product.price is None else money(product.price)
