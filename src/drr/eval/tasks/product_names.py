"""Finds names that can only mean one of the report's products: a title or a distinctive part of it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from drr.env.entities import Product
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.naming import STOP, TOKEN, fold, folded_words, head_noun, name_words

_GAP = re.compile(r"(?: |-|, | & |/| \+ |[®™] ?)")
"""Separator between two words of one name."""
_OWNED = re.compile(r"(?<![\w*_(\"“])[A-Z][\w&-]{1,30}(?:['’]s)? ?$")
"""Another name right before, as an owner or maker."""
_SOME = re.compile(r"\b(?:an?|any|some|other|another|similar|most|these|those) $", re.I)
"""Words right before the name of a kind of product."""
_LIST_GAP = ", "
_LONGEST = 24
"""Most words of a name."""


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
        self.known = frozenset().union(*self._words.values()) - STOP
        self.firsts = frozenset().union(*self._makers.values())

    def named_by(self, words: Collection[str]) -> str | None:
        """Return the one product whose title has all these words, its maker or noun among them; else `None`."""
        tokens = frozenset(words) - STOP
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
        while run and run[-1].folded in STOP:
            run = run[:-1]
        if sum(one.capital for one in run if one.folded not in STOP) < 2:
            continue
        product_id = titles.named_by([one.folded for one in run])
        if product_id is not None and not (
            run[0].folded not in titles.firsts and _is_owned(body[max(0, run[0].start - 40) : run[0].start])
        ):
            yield NamedProduct(product_id, run[0].start, run[-1].end)


def _is_owned(before: str) -> bool:
    match = _OWNED.search(before)
    return _SOME.search(before) is not None or (match is not None and match[0].strip().casefold() not in STOP)


def _runs(body: str, titles: _Titles, hidden: Sequence[tuple[int, int]]) -> Iterator[list[_Word]]:
    """Yield runs of adjacent words that occur in titles."""
    run: list[_Word] = []
    covers = iter(hidden)
    cover = next(covers, None)
    for match in TOKEN.finditer(body):
        while cover is not None and cover[1] <= match.start():
            cover = next(covers, None)
        is_hidden = cover is not None and cover[0] <= match.start()
        word = _Word(_known_form(match[0], titles), *match.span(), match[0][0].isupper())
        goes_on = not is_hidden and bool(run) and _joins(body, run, word, titles)
        belongs = not is_hidden and (word.folded in titles.known or (goes_on and word.folded in STOP))
        if run and not (goes_on and belongs):
            yield run
            run = []
        if belongs:
            run.append(word)
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


_SENTENCE_END = re.compile(r"[.!?][\"'”’)*_]*(?:\s?(?:\[\^?[\d, ]+\]|【[\d, ]+】))*(?=\s+[\"'“(*\[]*[A-Z$])")
_TIED = 80
"""Most characters between a name and the link to the named product."""
_NAME_BEFORE = re.compile(r"(?<![\w.'’&-])(?P<name>[A-Z][\w&'’-]{2,24})[\s*_]{1,3}$")
_DETERMINERS = frozenset(
    ["the", "this", "that", "our", "your", "each", "both", "another", "any", "get", "buy", "best"]
)


def called_products(mentions: Mentions) -> Iterator[NamedProduct]:
    """Yield names of the products that the report cites or the shopper bought. A name right before the link to another product is left out, because the link tells the product."""
    subject, starts = mentions.subject, [one.start for one in mentions.references]
    urls = (source.url for source in subject.citations.sources)
    cited = {one.product_id for one in mentions.references}
    cited |= {product_id for url in urls if (product_id := subject.product_id_of(url))}
    products = {one.product_id: one for one in subject.products(sorted(cited))} | {**subject.ordered}
    hidden = sorted((one.start, one.end) for one in subject.citations.markers)
    for name in names_in(mentions.body, products, hidden):
        behind = bisect_left(starts, name.end)
        link = mentions.references[behind] if behind < len(starts) else None
        tied = link is not None and _is_tied(mentions.body[name.end : link.start])
        own = tied and link is not None and link.product_id == name.product_id
        product = products[name.product_id]
        if own or not (tied or _is_behind_another_name(mentions.body, name.start, product)):
            yield name


def _is_behind_another_name(body: str, start: int, product: Product) -> bool:
    """Tell whether another maker's name is right before: `Glossline Tinted Sunscreen`, where only the Botanary is linked."""
    before = _NAME_BEFORE.search(body, max(0, start - _TIED), start)
    maker = (product.store or "").split()[:1]
    if before is None or (maker and body.startswith(maker[0], start)):
        return False
    tokens = set(name_words(before["name"]))
    return not tokens & ({*name_words(product.title), *name_words(product.store or "")} | _DETERMINERS)


def _is_tied(between: str) -> bool:
    return len(between) < _TIED and "\n" not in between and _SENTENCE_END.search(between) is None
