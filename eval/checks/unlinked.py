"""Products of the shop that a report names without an address: by a maker's name and the words beside it, looked up in the catalogue."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from drr.env.entities import Product
from drr.env.shop import SearchRequest
from drr.eval.checks.base import Span, Subject
from drr.eval.checks.makers import PlaceNamed, makers_of
from drr.eval.checks.naming import fold, folded_words

_NAME = re.compile(r"(?<![\w'’&/.-])[A-Z][a-z]{2,20}(?:\s(?:&\s)?[A-Z][a-z]{2,20}){0,2}(?!\w)")
_WORD = re.compile(r"[A-Za-z]{3,20}|\d+(?:\.\d+)?")
_PART_ENDS = re.compile(
    r"[.;:,|\n()\[\]!?–—$]|\b(?:and|or|but|with|for|at|is|are|was|has|have|in|on|from|to|that|which|than|as|of|costs?|asks?|sells?|gets?)\b"
)
_LOOKED_UP = 60
"""Names of a report that are looked up in the catalogue."""
_SOLD_BY = 12
"""Products of a maker that are looked at."""
_BESIDE = 60
_HEAD = 40
"""Characters of a title in which its maker stands, where the record is untidy."""
_ANY_THING = frozenset(
    folded_words(
        "one ones pair set pack box bag kit unit model option version twin duo trio jar tub bottle tube bucket case package product item thing pick choice the its own new other "
        "first second third single double big bigger small smaller large larger cheap cheaper little same best"
    )
)
"""Words that any product may be called by."""


class UnlinkedNames:
    """Finds them; `products` are those in play."""

    def __init__(self, subject: Subject, body: str, products: Mapping[str, Product]) -> None:
        self._shop, self._subject = subject.shop, subject
        self._body = body
        self._in_play = products
        self._sold: dict[str, list[Product]] = {}
        self._untidy: dict[str, list[Product]] = {}
        """By maker, what has its name in its title, whatever else the record says of the maker."""
        self.found: dict[str, Product] = {}
        """What they name, by id."""
        self.possible: dict[str, Product] = {}
        """All that their makers sell: what a name means may be told by other words than those of its title."""

    def named(self, taken: Sequence[Span], known: Sequence[PlaceNamed]) -> Iterator[PlaceNamed]:
        """The places of names that are none of `taken`, and those of `known` makers whose words fit no product in play."""
        if self._shop is None:
            return
        inside = bytearray(len(self._body))
        for low, high in taken:
            inside[low:high] = b"\1" * (high - low)
        for one in known:
            inside[one.start : one.end] = b"\1" * (one.end - one.start)
            yield self._again(one)
        for match in _NAME.finditer(self._body):
            if not inside[match.start()] and (place := self._place(match)) is not None:
                yield place

    def _again(self, place: PlaceNamed) -> PlaceNamed:
        """A maker's name beside words of another of its products than those in play."""
        beside = self._words_beside(place.end)
        if not beside or any(self._fits(self._in_play[key], beside) == len(beside) for key in place.products):
            return place
        maker = self._body[place.start : place.end]
        best = max(self._fits(self._in_play[key], beside) for key in place.products)
        others = self._best(maker, beside, best + 1)
        return place if not others else place._replace(products=self._enter(others, maker))

    def _place(self, match: re.Match[str]) -> PlaceNamed | None:
        parts = match[0].split()
        for length in range(len(parts), 0, -1):
            end = match.start() + len(" ".join(parts[:length]))
            genitive = self._body[match.start() : end + 2]
            forms = (genitive,) if genitive.endswith(("'s", "’s")) else ()
            for maker in (" ".join(parts[:length]), *(one.replace("’", "'") for one in forms)):
                if self._sold_by(maker):
                    some = self._best(maker, self._words_beside(end), 0)
                    return PlaceNamed(match.start(), end, self._enter(some, maker), False) if some else None
        return None

    def _enter(self, some: Sequence[Product], maker: str) -> frozenset[str]:
        self.possible |= {
            one.product_id: one for one in (*some, *self._sold_by(maker), *self._untidy.get(maker, ()))
        }
        self.found |= {one.product_id: one for one in some if one.product_id not in self._in_play}
        return frozenset(one.product_id for one in some)

    def _words_beside(self, end: int) -> list[str]:
        """What a name goes on with: `dual-handle skillet`."""
        text = self._body[end : end + _BESIDE]
        if text[:2] in ("'s", "’s"):
            text = text[2:]
        ends = _PART_ENDS.search(text)
        said = (fold(one[0]) for one in _WORD.finditer(text[: ends.start()] if ends else text))
        return [word for word in said if word not in _ANY_THING][:4]

    def _best(self, maker: str, beside: Sequence[str], least: int) -> list[Product]:
        """Those of a maker's products that have most of some words, if so many."""
        sold = self._sold_by(maker, " ".join(beside))
        most = max((self._fits(one, beside) for one in sold), default=0)
        return [one for one in sold if self._fits(one, beside) == most] if most >= least else []

    def _fits(self, product: Product, beside: Sequence[str]) -> int:
        known = set(folded_words(f"{product.title} {' '.join(str(one) for one in product.details.values())}"))
        return sum(word in known for word in beside)

    def siblings(self, product: Product) -> list[Product]:
        """What else its maker sells."""
        return [one for maker in sorted(makers_of(product)) for one in self._sold_by(maker)]

    def _sold_by(self, maker: str, more: str = "") -> list[Product]:
        """The maker's products that the catalogue finds first."""
        query = f"{maker} {more}".strip()
        if query not in self._sold:
            if self._shop is None or len(self._sold) >= _LOOKED_UP:
                return []
            page = self._shop.catalog.search(SearchRequest(query=query, limit=_SOLD_BY, search="plain"))
            found = self._subject.products(page.product_ids)
            self._sold[query] = [one for one in found if maker in makers_of(one)]
            self._untidy[maker] = [
                *self._untidy.get(maker, ()),
                *(one for one in found if maker in one.title[:_HEAD]),
            ]
        return self._sold[query]
