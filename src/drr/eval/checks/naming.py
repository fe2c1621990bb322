"""Compares names with the titles of products."""

from __future__ import annotations

import re
from functools import lru_cache

from drr.env.entities import Product
from drr.env.shop import SearchRequest
from drr.eval.checks.base import Subject

TOKEN = re.compile(r"[A-Za-z0-9]+(?:\.\d+)?(?:['’][A-Za-z]{1,3})*")
STOP = frozenset(
    ["the", "a", "an", "and", "with", "for", "of", "in", "to", "by", "from", "on", "at", "or", "this", "its"]
)
_HEAD_ENDS = re.compile(r",|\(|\s[-–—|]\s|\s(?:for|with|by|in|to|of)\s")


@lru_cache(maxsize=1024)
def head_noun(title: str) -> str:
    """Return the noun of a product: the last word of a title before its comma, bracket or `for`."""
    found = folded_words(_HEAD_ENDS.split(title, maxsplit=1)[0])
    return found[-1] if found else ""


@lru_cache(maxsize=4096)
def fold(word: str) -> str:
    """Return a word without apostrophes, case and plural ending."""
    plain = word.casefold().replace("'", "").replace("’", "")
    if plain.endswith(("shes", "ches", "xes", "sses")) and len(plain) > 5:
        return plain[:-2]
    return plain[:-1] if len(plain) > 3 and plain.endswith("s") and not plain.endswith("ss") else plain


@lru_cache(maxsize=2048)
def folded_words(text: str) -> tuple[str, ...]:
    return tuple(fold(match[0]) for match in TOKEN.finditer(text))


_PART = re.compile(r"[a-z0-9]+(?:\.\d+)?")


@lru_cache(maxsize=4096)
def name_words(text: str) -> tuple[str, ...]:
    return tuple(_PART.findall(text.casefold().replace("'", "").replace("’", "")))


def similarity(name: str, title: str) -> float:
    """Return the share of the name's words that the title has. A short name for a long title is still its name."""
    tokens = [word for word in name_words(name) if word not in STOP]
    known = set(name_words(title))
    if not tokens:
        return 1.0
    shared = sum(word in known or word.rstrip("s") in known or word + "s" in known for word in tokens)
    return shared / len(tokens)


def full_name(product: Product) -> str:
    """Return the words that a name is compared with: title and maker."""
    return f"{product.title} {product.store or ''}"


SAME = 0.99


def other_of_that_name(subject: Subject, name: str, product: Product) -> Product | None:
    """Return another product whose title has all words of a name that is more than a brand; else `None`."""
    tokens = name.split()
    if subject.shop is None or not tokens or tokens[0].casefold() in _LEADS:
        return None
    page = subject.shop.catalog.search(SearchRequest(query=name[:200], limit=5, search="plain"))
    found = (one for one in subject.products(page.product_ids) if one.product_id != product.product_id)
    same = (one for one in found if similarity(name, full_name(one)) >= SAME)
    return next((one for one in same if tells_maker_and_thing(name, one)), None)


def tells_maker_and_thing(name: str, product: Product) -> bool:
    """Tell whether a name has the product's maker and at least one more word of it."""
    tokens, names = set(name_words(name)), {*name_words(product.store or ""), *name_words(product.title)[:1]}
    return bool(tokens & maker_words(product)) and not tokens <= {*names, *STOP}


def maker_words(product: Product) -> frozenset[str]:
    """Return the words by which the maker is called: the first of the title, the first of the store."""
    return frozenset((*name_words(product.store or "")[:1], *name_words(product.title)[:1]))


_LEADS = frozenset(
    ("with", "without", "for", "to", "from", "instead", "than", "and", "or", "in", "of", "on", "at", "by")
)
