"""Whose a place of a text may be, and what speaks for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from drr.env.entities import Product
from drr.eval.checks.base import Span
from drr.eval.checks.cast import cast_of
from drr.eval.checks.layout import TextLine
from drr.eval.checks.makers import PlaceNamed
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.ledger import ledger_of

_REACH = 900
_FOR_IT = re.compile(r"[\s*_]{0,3}\s(?:for|of|from|on|in|with|by|at)\s(?:the\s|your\s)?[*_\[(]{0,4}", re.I)
_CENT = 0.005


class StatedOtherwise(NamedTuple):
    """A statement that is wrong in its first reading."""

    sort: str
    span: Span
    why: str
    traits: dict[str, float]


class Whose(NamedTuple):
    """Whose a statement is by its place."""

    whom: frozenset[str]
    bound: str
    traits: tuple[str, ...]


class StatementOwners:
    """Whose a place of the text may be: the narrowest reading, and wider ones."""

    def __init__(self, mentions: Mentions) -> None:
        self.mentions, self.text = mentions, mentions.plain
        self.cast = cast_of(mentions.subject, mentions)
        self.products: dict[str, Product] = {**self.cast.possible, **self.cast.products}
        self._linked = {key for one in self.cast.named if one.linked for key in one.products}
        self._siblings: dict[str, set[str]] = {}

    def places(self) -> Iterator[tuple[TextLine, Span | None]]:
        """In the order of the text: rows, which have no sentence, and each sentence of every other line that says something."""
        for line in self.mentions.layout.lines:
            if line.kind == "row":
                yield line, None
            elif line.kind not in ("head_row", "rule_row", "elision"):
                yield from ((line, span) for span in self.cast.prose.sentences(line))

    def cells(self, line: TextLine) -> Iterator[tuple[Span, Whose, str]]:
        """The cells of a row that are of one thing, with whose each is and its label."""
        columns, owner = self.cast.by_columns(line), self.cast.row_owner(line)
        for column, cell in enumerate(line.cells):
            whose = self.cast.column_owner(line, column) if columns else owner
            if whose is None or (columns and not column):
                continue
            label = self.text[slice(*line.cells[0])] if columns else "".join(line.header[column : column + 1])
            yield cell, Whose(frozenset([whose]), "cell", ("by_columns",) if columns else ()), label

    def linked(self, one: PlaceNamed) -> frozenset[str]:
        return (one.products & self._linked) or one.products

    def of(self, where: Span, sentence: Span) -> Whose | None:
        """In prose: what is named last before it, else behind it, else whom the cast gives."""
        cast = self.cast
        places, meant = cast.within(*sentence), cast.meant_at(*where)
        traits = ["certain"] if meant.certain else []
        traits += [f"bound_{meant.bound.word}"] if meant.certain else []
        traits += ["contrast"] if meant.contrast else []
        before = [one for one in places if one.end <= where[0]]
        after = next((one for one in places if one.start >= where[1]), None)
        if after is not None and _FOR_IT.fullmatch(self.text, where[1], after.start):
            return Whose(self.linked(after), "for_it", tuple(traits))
        groups = len({one.products for one in places})
        traits += ["alone"] if groups == 1 else ["crowd"] if groups > 2 else []
        if before:
            whom = self.linked(before[-1])
            same = meant.products and meant.products <= whom
            traits += ["agreed"] if meant.certain and same else ["disagreed"] if meant.certain else []
            clause = cast.prose.clause_at(where[0])
            traits += ["in_clause"] if before[-1].end > clause[0] else []
            if meant.certain and not same:
                whom = meant.products
            behind = [one for one in places if one.start >= where[1] and not one.products <= whom]
            traits += ["another_behind"] if behind else []
            return Whose(whom, "before", tuple(traits))
        if meant.certain:
            return Whose(meant.products, "behind" if places else "carried", tuple(traits))
        if places:
            return Whose(self.linked(places[0]), "behind", tuple(traits))
        if 0 < len(meant.products) <= 3:
            return Whose(meant.products, "carried", tuple(traits))
        told = cast.within(max(0, sentence[0] - _REACH), sentence[0])
        return Whose(self.linked(told[-1]), "last", tuple(traits)) if told else None

    def near(self, span: Span) -> set[str]:
        return {key for one in self.cast.within(*span) for key in one.products} & self.products.keys()

    def siblings(self, whom: Iterable[str]) -> set[str]:
        found = set[str]()
        for key in whom:
            if key not in self._siblings:
                every = self.cast.siblings(self.products[key])
                self.products |= {one.product_id: one for one in every if one.product_id not in self.products}
                self._siblings[key] = {one.product_id for one in every}
            found |= self._siblings[key]
        return found

    def beside(self, where: Span, whom: Iterable[str], span: Span) -> Iterator[tuple[str, float]]:
        """What else stands there that is his, or another's: the prices beside a place, and how far off the name is."""
        own = set(whom)
        prices = {key: one.price for key, one in self.products.items() if one.price is not None}
        found = list[tuple[int, bool]]()
        for one in ledger_of(self.mentions).within(*span):
            having = {key for key, price in prices.items() if abs(price - one.value) < _CENT}
            if having:
                found.append((abs(one.start - where[0]), bool(having & own)))
        if found:
            yield ("nearest_price_own" if min(found)[1] else "nearest_price_other"), 1.0
            yield "own_price_here", float(any(is_own for _, is_own in found))
        names = [one for one in self.cast.within(*span) if one.end <= where[0]]
        if names:
            yield "name_far", min(1.0, (where[0] - names[-1].end) / 150)
            yield "name_beside", float(where[0] - names[-1].end < 30)
