"""Where a report names a product in play by its title, or by so much of it that no other can be meant: such a name counts as a link."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from drr.env.entities import Product

_TOKEN = re.compile(r"[A-Za-z0-9]+(?:\.\d+)?(?:['’][A-Za-z]{1,3})*")
_GAP = re.compile(r"(?: |-|, | & |/| \+ |[®™] ?)")
"""Between two words of one name."""
_OWNED = re.compile(r"(?<![\w*_(\"“])[A-Z][\w&-]{1,30}(?:['’]s)? ?$")
"""Somebody else's name right before it."""
_SOME = re.compile(r"\b(?:an?|any|some|other|another|similar|most|these|those) $", re.I)
"""Before words that name a kind of thing."""
_LIST_GAP = ", "
_LONGEST = 24
"""Words of a name."""
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
    """What the thing is: the last word of a title before its comma, bracket or `for`."""
    found = folded_words(_HEAD_ENDS.split(title, maxsplit=1)[0])
    return found[-1] if found else ""


@lru_cache(maxsize=4096)
def fold(word: str) -> str:
    """A word without its apostrophes, its case and the ending of its plural."""
    plain = word.casefold().replace("'", "").replace("’", "")
    if plain.endswith(("shes", "ches", "xes", "sses")) and len(plain) > 5:
        return plain[:-2]
    return plain[:-1] if len(plain) > 3 and plain.endswith("s") and not plain.endswith("ss") else plain


@lru_cache(maxsize=2048)
def folded_words(text: str) -> tuple[str, ...]:
    return tuple(fold(match[0]) for match in _TOKEN.finditer(text))


class _Titles:
    """The words of the titles in play, and what each alone would say."""

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

    def named_by(self, said: Collection[str]) -> str | None:
        """The one product whose title has all of some words, its maker or its noun among them."""
        told = frozenset(said) - _STOP
        if len(told) < 2:
            return None
        fitting = [key for key, title in self._words.items() if told <= title]
        if len(fitting) != 1:
            return None
        key = fitting[0]
        ways = bool(told & self._makers[key]) + (self._heads[key] in told)
        return key if ways == 2 or (ways and len(told) > 2) or len(told) > 3 else None


def names_in(
    body: str, products: Mapping[str, Product], hidden: Sequence[tuple[int, int]]
) -> Iterator[NamedProduct]:
    """Every stretch of words, capitalised at its beginning, that names exactly one of the products; none inside what is hidden."""
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
    """Words that stand in titles, one behind the other."""
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


_THE = re.compile(r"\b(?:[Tt]he|[Tt]his|[Tt]hat)\s")
_MOST_IN_PLAY = 40
"""Products of a report of which a bare noun may be one."""


def things_in(body: str, products: Mapping[str, Product]) -> Iterator[NamedProduct]:
    """`the feeder`, `the white one`: words of one title that no other product in play has."""
    if not 1 < len(products) <= _MOST_IN_PLAY:
        return
    titles = {key: frozenset(folded_words(one.title)) for key, one in products.items()}
    for match in _THE.finditer(body):
        said: list[str] = []
        end = match.end()
        for token in _TOKEN.finditer(body, match.end(), match.end() + 60):
            word = fold(token[0])
            if (said and not _GAP.fullmatch(body[end : token.start()])) or not any(
                word in one for one in titles.values()
            ):
                break
            said.append(word)
            end = token.end()
        fitting = [key for key, title in titles.items() if said and set(said) <= title]
        if len(fitting) == 1 and not set(said) <= _STOP:
            yield NamedProduct(fitting[0], match.start(), end)


def begins_with_its_word(name: str, product: Product) -> bool:
    """`Lock kit` for a kit of locks, `Path lights` for what is sold among them: its first word is the thing's own, in another form."""
    first, kinds = folded_words(name)[:1], " ".join(product.categories[-1:])
    return not first or first[0] in folded_words(f"{product.title} {' '.join(product.features)} {kinds}")
