"""What the things of one category are said to be in the catalogue: of each attribute the values that rivals have, as words that a text may say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from drr.env.entities import Product
from drr.env.shop import SearchRequest, Shop
from drr.eval.checks.base import Span
from drr.eval.checks.makers import makers_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.naming import folded_words
from drr.eval.checks.records import record_text
from drr.wording.attributes import ATTRIBUTES

_LOOKED_UP = 24
"""Products of a report whose rivals are looked up."""
_RIVALS = 40
_FEW = 3
"""Words of a value."""
_LARGEST_SHARE = 0.15
"""Of rivals with another value that speak of this one too: above it the values of an attribute do not exclude each other."""
_PARTS = re.compile(
    r"\s?[,;/()+&]\s?|\s(?:and|or|with|for|to|of|in|by|on|at|the|a|an|that|as|needs?)\s", re.I
)
_WORD = re.compile(r"[A-Za-z0-9]+(?:[.-][A-Za-z0-9]+)*(?:['’][a-z]{1,2})?")
_CODE = re.compile(r"(?=[A-Za-z0-9-]*[A-Za-z])(?=[A-Za-z0-9-]*\d)[A-Z]{1,4}-?\d{1,4}[A-Z]?")
"""A grade: `P-5`, `IP67`, `BAK-4`."""
_NAMES = re.compile(
    r"\b(?:brand|manufacturer|model|upc|rank|sellers|date|asin|id|features?|includes|number|compatible|care|wrap|domestic|dimensions|weight|warranty|discontinued|ingredients?|lot)\b",
    re.I,
)
"""Labels of what identifies a thing, lists or measures it."""
_ALIKE = {"gray": "grey", "aluminium": "aluminum", "transparent": "clear"}


class SaidValue(NamedTuple):
    """A rival's value as words."""

    key: str
    words: tuple[str, ...]
    own: str
    """What the record has of the same attribute."""


class ValueWord(NamedTuple):
    word: str
    start: int
    end: int


def value_words(text: str, start: int = 0, end: int | None = None) -> list[ValueWord]:
    """The words of a stretch in the form in which values are compared."""
    return [
        ValueWord(_folded(match[0]), *match.span())
        for match in _WORD.finditer(text, start, len(text) if end is None else end)
    ]


@lru_cache(maxsize=1024)
def record_words(product: Product) -> frozenset[str]:
    """All words of a record in that form."""
    return frozenset(map(_folded, _WORD.findall(record_text(product))))


@lru_cache(maxsize=1024)
def _of_record(product: Product) -> frozenset[str]:
    """With the parts of those with a hyphen or a point."""
    words = record_words(product)
    return words | {part for one in words for part in re.split(r"[.-]", one)}


@lru_cache(maxsize=4096)
def _folded(word: str) -> str:
    if _CODE.fullmatch(word):
        return word.replace("-", "").casefold()
    folded = folded_words(word)
    return _ALIKE.get(folded[0], folded[0]) if len(folded) == 1 else word.casefold()


def may_be_called_so(value: SaidValue) -> bool:
    """Whether one of the two is only the more general word: polypropylene is plastic, navy is blue."""
    own = [one.word for one in value_words(value.own)]
    mine, said = {" ".join(own), *own}, {" ".join(value.words), *value.words}
    return any(ATTRIBUTES.kinds_of(a) & some for one, some in ((mine, said), (said, mine)) for a in one)


class RivalValues:
    """Looks up what else the things of a product's category are like, and reads the words of a report that may say so."""

    def __init__(self, mentions: Mentions) -> None:
        self._subject, self._plain = mentions.subject, mentions.plain
        self._shop = self._subject.shop
        self._said: dict[Span, list[ValueWord]] = {}
        self._found: dict[str, list[tuple[SaidValue, bool]]] = {}

    def words_in(self, span: Span) -> list[ValueWord]:
        """Those of a stretch of the report."""
        if span not in self._said:
            self._said[span] = value_words(self._plain, *span)
        return self._said[span]

    def of(self, product: Product) -> Sequence[SaidValue]:
        """Values that rivals have and this product has not, of attributes that it has."""
        return [one for one, excluding in self._every(product) if excluding]

    def wider_of(self, product: Product) -> Sequence[SaidValue]:
        """Those too that its record has in part, and those that may go together with its own."""
        return [one for one, _ in self._every(product)]

    def _every(self, product: Product) -> Sequence[tuple[SaidValue, bool]]:
        if product.product_id not in self._found:
            if self._shop is None or not product.categories or len(self._found) >= _LOOKED_UP:
                return []
            self._found[product.product_id] = list(self._read(product, self._rivals(product, self._shop)))
        return self._found[product.product_id]

    def _rivals(self, product: Product, shop: Shop) -> list[Product]:
        leaf = product.categories[-1]
        page = shop.catalog.search(
            SearchRequest(query=f"{product.title} {leaf}", category=leaf, limit=_RIVALS, search="plain")
        )
        return [
            one for one in self._subject.products(page.product_ids) if one.product_id != product.product_id
        ]

    def _read(self, product: Product, rivals: Sequence[Product]) -> Iterator[tuple[SaidValue, bool]]:
        """Each with whether it excludes the product's own."""
        known = _of_record(product)
        names = {word for one in (product, *rivals) for word in folded_words(" ".join(makers_of(one)))}
        told: set[tuple[str, ...]] = set()
        for key, own in product.details.items():
            if not isinstance(own, str) or not own.strip() or _NAMES.search(key):
                continue
            theirs = {
                one.product_id: value for one in rivals if isinstance(value := one.details.get(key), str)
            }
            others = [one for one in rivals if one.product_id in theirs]
            for value in dict.fromkeys(theirs.values()):
                for words in _phrases(value):
                    if words in told or set(words) & names or set(words) <= known:
                        continue
                    told.add(words)
                    is_new = not set(words) & known
                    yield SaidValue(key, words, own), is_new and self._excludes(words, theirs, others)

    def _excludes(self, words: tuple[str, ...], theirs: dict[str, str], others: Sequence[Product]) -> bool:
        """Whether those that have another value do not speak of this one."""
        without = [one for one in others if words not in _phrases(theirs[one.product_id])]
        both = sum(set(words) <= _of_record(one) for one in without)
        return both <= _LARGEST_SHARE * len(others)


@lru_cache(maxsize=4)
def rivals_of(mentions: Mentions) -> RivalValues:
    """Those of a report, looked up once for the readers that ask."""
    return RivalValues(mentions)


@lru_cache(maxsize=2048)
def _phrases(value: str) -> Sequence[tuple[str, ...]]:
    """The parts of a value, each a word, a few words or a grade; one with figures is a measure."""
    grades: list[tuple[str, ...]] = [
        (_folded(one[0]),) for one in _WORD.finditer(value) if _CODE.fullmatch(one[0])
    ]
    if grades or any(ch.isdigit() for ch in value):
        return grades
    parts = (tuple(_folded(one[0]) for one in _WORD.finditer(part)) for part in _PARTS.split(value))
    return [one for one in parts if len(one) <= _FEW and len("".join(one)) > 2]


def grades_of(product: Product) -> dict[str, tuple[str, str]]:
    """Of each grade in the details its letters, with label and value: who says other figures behind the letters says another grade."""
    found: dict[str, tuple[str, str]] = {}
    for key, value in product.details.items():
        if isinstance(value, str) and not _NAMES.search(key):
            for match in _WORD.finditer(value):
                if _CODE.fullmatch(match[0]):
                    found[_letters(_folded(match[0]))] = key, value
    return found


@lru_cache(maxsize=4096)
def grade_letters(word: str) -> str:
    """The letters of a grade as a text writes it; nothing where it is none."""
    return _letters(_folded(word)) if _CODE.fullmatch(word) else ""


def _letters(code: str) -> str:
    return code[: next(i for i, ch in enumerate(code) if ch.isdigit())]
