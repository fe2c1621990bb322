"""Finds names that can only mean one of the report's products: a title or a distinctive part of it. Such a name counts as a link."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from drr.env.entities import Product
from drr.env.shop import SearchRequest
from drr.eval.checks.base import Subject

_TOKEN = re.compile(r"[A-Za-z0-9]+(?:\.\d+)?(?:['’][A-Za-z]{1,3})*")
_GAP = re.compile(r"(?: |-|, | & |/| \+ |[®™] ?)")
"""Separator between two words of one name."""
_OWNED = re.compile(r"(?<![\w*_(\"“])[A-Z][\w&-]{1,30}(?:['’]s)? ?$")
"""Another name right before, as an owner or maker."""
_SOME = re.compile(r"\b(?:an?|any|some|other|another|similar|most|these|those) $", re.I)
"""Words right before the name of a kind of product."""
_LIST_GAP = ", "
_LONGEST = 24
"""Most words of a name."""
_STOP = frozenset(
    ["the", "a", "an", "and", "with", "for", "of", "in", "to", "by", "from", "on", "at", "or", "this", "its"]
)
_HEAD_ENDS = re.compile(r",|\(|\s[-–—|]\s|\s(?:for|with|by|in|to|of)\s")


class NamedProduct(NamedTuple):
    """A place that names one product."""

    product_id: str
    start: int
    end: int


class _Word(NamedTuple):
    folded: str
    start: int
    end: int
    capital: bool


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
    return tuple(fold(match[0]) for match in _TOKEN.finditer(text))


class _Titles:
    """The words of the products' titles, and the products that each word may mean."""

    def __init__(self, products: Mapping[str, Product]) -> None:
        self._words = {
            key: frozenset(folded_words(f"{one.title} {one.store or ''}")) for key, one in products.items()
        }
        self._makers = {
            key: frozenset([*folded_words(one.store or "")[:1], *folded_words(one.title)[:1]])
            for key, one in products.items()
        }
        self._heads = {key: head_noun(one.title) for key, one in products.items()}
        self.known = frozenset().union(*self._words.values()) - _STOP
        self.firsts = frozenset().union(*self._makers.values())

    def named_by(self, words: Collection[str]) -> str | None:
        """Return the one product whose title has all these words, its maker or noun among them; else `None`."""
        tokens = frozenset(words) - _STOP
        if len(tokens) < 2:
            return None
        fitting = [key for key, title in self._words.items() if tokens <= title]
        if len(fitting) != 1:
            return None
        key = fitting[0]
        ways = bool(tokens & self._makers[key]) + (self._heads[key] in tokens)
        return key if ways == 2 or (ways and len(tokens) > 2) or len(tokens) > 3 else None


def names_in(
    body: str, products: Mapping[str, Product], hidden: Sequence[tuple[int, int]]
) -> Iterator[NamedProduct]:
    """Yield the capitalised runs of two words and more that name exactly one product, outside the hidden spans."""
    if not products:
        return
    titles = _Titles(products)
    for run in _runs(body, titles, hidden):
        while run and not run[0].capital:
            run = run[1:]
        while run and run[-1].folded in _STOP:
            run = run[:-1]
        if sum(one.capital for one in run if one.folded not in _STOP) < 2:
            continue
        product_id = titles.named_by([one.folded for one in run])
        if product_id is not None and not (
            run[0].folded not in titles.firsts and _is_owned(body[max(0, run[0].start - 40) : run[0].start])
        ):
            yield NamedProduct(product_id, run[0].start, run[-1].end)


def _is_owned(before: str) -> bool:
    match = _OWNED.search(before)
    return _SOME.search(before) is not None or (
        match is not None and match[0].strip().casefold() not in _STOP
    )


def _runs(body: str, titles: _Titles, hidden: Sequence[tuple[int, int]]) -> Iterator[list[_Word]]:
    """Yield runs of adjacent words that occur in titles."""
    run: list[_Word] = []
    covers = iter(hidden)
    cover = next(covers, None)
    for match in _TOKEN.finditer(body):
        while cover is not None and cover[1] <= match.start():
            cover = next(covers, None)
        if cover is not None and cover[0] <= match.start():
            if run:
                yield run
            run = []
            continue
        folded = _known_form(match[0], titles)
        if not run and folded not in titles.known:
            continue
        word = _Word(folded, *match.span(), match[0][0].isupper())
        joined = bool(run) and _joins(body, run, word, titles)
        if run and not joined:
            yield run
            run = []
        if word.folded in titles.known or (run and word.folded in _STOP):
            run.append(word)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _known_form(written: str, titles: _Titles) -> str:
    folded = fold(written)
    if folded in titles.known or not written.endswith(("'s", "’s")):
        return folded
    return fold(written[:-2])


def _joins(body: str, run: Sequence[_Word], word: _Word, titles: _Titles) -> bool:
    gap = body[run[-1].end : word.start]
    if len(run) >= _LONGEST or not _GAP.fullmatch(gap):
        return False
    return gap != _LIST_GAP or (word.capital and word.folded not in titles.firsts)


_PART = re.compile(r"[a-z0-9]+(?:\.\d+)?")


@lru_cache(maxsize=4096)
def name_words(text: str) -> tuple[str, ...]:
    return tuple(_PART.findall(text.casefold().replace("'", "").replace("’", "")))


def similarity(name: str, title: str) -> float:
    """Return the share of the name's words that the title has. A short name for a long title is still its name."""
    tokens = [word for word in name_words(name) if word not in _STOP]
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
    return bool(tokens & maker_words(product)) and not tokens <= {*names, *_STOP}


def maker_words(product: Product) -> frozenset[str]:
    """Return the words by which the maker is called: the first of the title, the first of the store."""
    return frozenset((*name_words(product.store or "")[:1], *name_words(product.title)[:1]))


_LEADS = frozenset(
    ("with", "without", "for", "to", "from", "instead", "than", "and", "or", "in", "of", "on", "at", "by")
)
