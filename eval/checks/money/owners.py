"""Whose price an amount is, where the structure leaves no doubt: the same cell or column, the link beside it, the item it heads."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from drr.eval.checks.cast import Cast, Meant, cast_of
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.grid import column_at
from drr.eval.checks.layout import TextLine
from drr.eval.checks.mentions import Mentions, ProductReference
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.money.in_a_row import InARow
from drr.eval.checks.money.packs import record_divisors
from drr.eval.checks.money.play import InPlay, counted
from drr.wording.cues import CUES

_TIGHT = re.compile(
    r"[\s*_]*(?:[(\[→>=–—:|-]{1,3}[\s*_]*)?(?:(?:page|link|see|at|here|view|shop)\b[\s*_:]*)?"
)
"""Between an amount and the link that stands for its product."""
_FOR = re.compile(r"[\s*_]{1,4}(?:for|buys|gets you)(?:\s(?:the|an?))?[\s*_]{1,4}")
_BESIDE = re.compile(r"[\s*_)\]},:;.|–—=(-]{0,12}")
_SET_OFF = re.compile(r"(?:[-–—:(,|→=]|\*\*)\s*[*_(]{0,3}$")
_SUMMED = re.compile(r"[:=–—-]|\bis\b")
_JOINED = re.compile(
    r"(?:\+|&|,|/|\b(?:and|plus|with|or))[\s*_]{0,4}(?:(?:the|a|an|your|its|their)\s[\s*_]{0,3})?$", re.I
)
"""Before a name: it is one of several."""
_STATISTIC = re.compile(
    r"[\s*_>•–—-]{0,8}(?:mean|average|median|sum|total|range|spread|gap|difference|middle)\b", re.I
)
"""At the head of a sentence: it is no price."""
_INTO = re.compile(
    r"[\s*_]{0,3}(?:->|→|=>|=|\(|,? or|,? i\.e\.|,? so)[\s*_]{0,3}(?:(?:about|around|roughly|just|only|some|or)\s)?"
)
"""From a price to what it comes to for each."""
_HANDED_BACK = re.compile(
    r"[\s*_]{1,4}(?:back\b(?!\s(?:in|to|then|on)\b)|in\schange\b|(?:of|in)\s(?:your\s)?change\b)", re.I
)
"""Behind an amount: it is what is left of what was paid."""
_WORKED_OUT = 40
_CLAUSE_END = re.compile(r"[;:.]\s")
_WHOSE = re.compile(r"\b(?:yours|mine|ours|hers|theirs)\b", re.I)
"""What stands for a thing that somebody has, and not for the one that is cited behind."""
_MOST_BETWEEN = 60


@dataclass(frozen=True, slots=True)
class Owner:
    """The product whose price an amount is said to be."""

    product_id: str
    price: float
    values: tuple[float, ...]
    """What the amount may then be: the price, and the price times a quantity in sight."""
    bound: Certainty

    @property
    def certain(self) -> bool:
        return self.bound >= Certainty.ADJOINED

    def wrongs(self, shown: str) -> str:
        """What is said of an amount that is not its price."""
        return f"{shown}, is ${self.price:,.2f} ({self.product_id})"


class Owners:
    def __init__(self, mentions: Mentions, play: InPlay, figures: Sequence[Figure]) -> None:
        self._mentions = mentions
        self._play = play
        self._lines = mentions.layout.lines
        self._figures = figures
        self._starts = [figure.start for figure in figures]
        self._tables = mentions.tables
        self._cast = cast_of(mentions.subject, mentions)
        self._named = sorted([*mentions.references, *mentions.called], key=lambda one: one.start)
        self._named_at = [one.start for one in self._named]
        self._in_row = InARow(mentions.plain, self._named)
        self.of = cache(self._find)

    def _find(self, figure: Figure) -> Owner | None:
        if figure.cue.kind not in ("price", "none") or _is_term(self._mentions.plain, figure):
            return None
        if CUES.is_swapped(self._mentions.plain[slice(*figure.sentence)]):
            return None
        line = self._lines[figure.line]
        if line.kind == "row":
            product_id = self._of_cell(figure, line)
        else:
            product_id = self._beside(figure) or self._of_item(figure, line)
        if product_id is not None:
            bound = Certainty.CELL if line.kind == "row" else Certainty.ADJOINED
            owner = self._owner(figure, product_id, bound)
            if owner is None or line.kind == "row" or not self._is_told_beside(figure, owner):
                return owner
            return None
        product_id = self._of_sentence(figure)
        if product_id is not None:
            return self._owner(
                figure, product_id, max(Certainty.SENTENCE, self._spoken_of(figure, product_id))
            )
        return self._by_referent(figure, line)

    def _by_referent(self, figure: Figure, line: TextLine) -> Owner | None:
        """The one product that the sentence speaks of where the amount stands, called a price, and the only one of that product there."""
        if line.kind == "row":
            return None
        meant = self._cast.meant_at(figure.start, figure.end)
        if meant.only is None or meant.bound < Certainty.SENTENCE:
            return None
        if figure.cue.kind != "price" and meant.bound < Certainty.ADJOINED:
            return None
        owner = self._owner(figure, meant.only, min(meant.bound, Certainty.CLAUSE))
        if owner is not None:
            each = record_divisors(self._cast.products[meant.only], "", frozenset())
            values = (*owner.values, *(owner.price / many for many in each))
            owner = replace(owner, values=values)
        return None if owner is None or self._is_told_beside(figure, owner) else owner

    def _spoken_of(self, figure: Figure, product_id: str) -> Certainty:
        meant = self._cast.meant_at(figure.start, figure.end)
        return min(meant.bound, Certainty.CLAUSE) if meant.only == product_id else Certainty.INFERRED

    def _is_told_beside(self, figure: Figure, owner: Owner) -> bool:
        """Whether another amount of the sentence is the price already: this one is then something else of the product."""
        if figure.holds(owner.price):
            return False
        return any(
            one.start != figure.start
            and one.exact
            and one.holds(owner.price)
            and not self._within(min(one.start, figure.start), max(one.start, figure.start))
            for one in self._between(*figure.sentence)
        )

    def _of_sentence(self, figure: Figure) -> str | None:
        """The one product of a sentence with one price."""
        low, high = figure.sentence
        ids = {one.product_id for one in self._within(low, high)}
        if len(ids) != 1 or figure.cue.kind != "price" or not self._only_price(low, high):
            return None
        return next(iter(ids))

    def unit_of(self, figure: Figure) -> str | None:
        """The product whose cost per unit an amount is: that of the price right before it, else of its place."""
        before = self._between(max(figure.sentence[0], figure.start - _WORKED_OUT), figure.start)
        if before and _INTO.fullmatch(self._mentions.plain, before[-1].end, figure.start):
            owner = self.of(before[-1])
            if owner is not None and before[-1].holds(owner.price):
                return owner.product_id
        return self._unit_by_place(figure)

    def _unit_by_place(self, figure: Figure) -> str | None:
        """Its row's or column's, else that of the link right beside it."""
        line = self._lines[figure.line]
        if line.kind == "row":
            column = column_at(line, figure.start)
            return None if column is None else self._tables.product_of(figure.line, column)
        low, high = figure.sentence
        after = self._first_after(figure, high)
        if after is not None and self._points_back(figure, after):
            return after.product_id
        before = self._last_before(figure, low)
        if before is None:
            whose = _WHOSE.search(self._mentions.plain, low, figure.start)
            meant = self._cast.meant_at(figure.start, figure.end)
            return meant.only if not whose and _is_certain(self._cast, meant) else None
        if figure.start - before.end > _MOST_BETWEEN:
            return None
        if _CLAUSE_END.search(self._mentions.plain, before.end, figure.start):
            return None
        return None if self._between(before.end, figure.start) else before.product_id

    def _owner(self, figure: Figure, product_id: str, bound: Certainty) -> Owner | None:
        product = self._mentions.subject.product(product_id)
        if product is None or product.price is None:
            return None
        line = self._lines[figure.line]
        if line.kind == "row":
            column = column_at(line, figure.start)
            head = line.header[column] if column is not None and column < len(line.header) else ""
            many = self._play.quantities((line.start, line.end)) | counted(head)
        else:
            many = self._play.quantities(figure.sentence)
        return Owner(
            product_id, product.price, (product.price, *(one * product.price for one in many)), bound
        )

    def _of_cell(self, figure: Figure, line: TextLine) -> str | None:
        """In a column of prices the row's product; in a row of prices the column's."""
        column = column_at(line, figure.start)
        if column is None:
            return None
        return self._tables.priced_product(figure.line, column, self._mentions.plain)

    def _beside(self, figure: Figure) -> str | None:
        """The product of the link that nothing but words of price divide from the amount."""
        low, high = figure.sentence
        before = self._last_before(figure, low)
        after = self._first_after(figure, high)
        left = before.product_id if before is not None and self._leads_to(before, figure) else None
        right = after.product_id if after is not None and self._points_back(figure, after) else None
        if any(key and self._in_row.is_one_of_several(one) for key, one in ((left, before), (right, after))):
            return None
        if after is not None and _FOR.fullmatch(self._mentions.plain, figure.end, after.start):
            right = after.product_id  # `$20 for [it]`
        if left is not None and right is not None and left != right:
            return None
        return right or left

    def _last_before(self, figure: Figure, low: int) -> ProductReference | None:
        found = self._within(low, figure.start)
        return found[-1] if found else None

    def _first_after(self, figure: Figure, high: int) -> ProductReference | None:
        found = self._within(figure.end, high)
        return found[0] if found else None

    def _is_called(self, reference: ProductReference) -> bool:
        """By a name, not by a link: several names may stand for a sum of theirs."""
        return reference.leads and not self._mentions.body.startswith(("[", "<"), reference.start)

    def _within(self, start: int, end: int) -> list[ProductReference]:
        """Links and names."""
        return self._named[bisect_left(self._named_at, start) : bisect_left(self._named_at, end)]

    def _leads_to(self, reference: ProductReference, figure: Figure) -> bool:
        between = self._mentions.plain[reference.end : figure.start]
        if len(between) > _MOST_BETWEEN or self._between(reference.end, figure.start):
            return False
        before = self._mentions.plain[figure.sentence[0] : reference.start]
        if _SUMMED.search(between) and (
            _STATISTIC.match(before) or (self._is_called(reference) and _JOINED.search(before))
        ):
            return False
        return _BESIDE.fullmatch(between) is not None or CUES.is_price_phrase(between)

    def _points_back(self, figure: Figure, reference: ProductReference) -> bool:
        if reference.leads or self._between(figure.end, reference.start):
            return False
        between = self._mentions.plain[figure.end : reference.start]
        if figure.cue.kind == "unit":
            between = between.lstrip().removeprefix("a ").removeprefix("per ").removeprefix("/").lstrip()
            between = between.removeprefix(figure.cue.per).removeprefix("each").removeprefix("apiece")
        return _TIGHT.fullmatch(between) is not None

    def _between(self, low: int, high: int) -> Sequence[Figure]:
        return self._figures[bisect_left(self._starts, low) : bisect_left(self._starts, high)]

    def _only_price(self, low: int, high: int) -> bool:
        return len([one for one in self._between(low, high) if one.cue.kind in ("price", "none")]) == 1

    def _of_item(self, figure: Figure, line: TextLine) -> str | None:
        """Of an item or bold line with one product, its only price, set off from the name or introduced as a price."""
        if line.kind not in ("item", "title"):
            return None
        ids = {one.product_id for one in self._within(line.start, line.end)}
        if len(ids) != 1 or not self._only_price(line.start, line.end):
            return None
        if any(not one.products & ids for one in self._cast.within(line.start, line.end)):
            return None
        before = self._mentions.plain[line.start : figure.start]
        if _STATISTIC.match(before):
            return None
        return next(iter(ids)) if figure.cue.kind == "price" or _SET_OFF.search(before) else None


def _is_term(plain: str, figure: Figure) -> bool:
    """Whether it is one of a sum that is written out, or what comes back of what was paid."""
    before = plain[max(0, figure.start - 3) : figure.start].rstrip(" *_")
    after = plain[figure.end : figure.end + 3].lstrip(" *_")
    summed = before.endswith(("+", "=")) or after.startswith(("+", "="))
    return summed or _HANDED_BACK.match(plain, figure.end) is not None


def _is_certain(cast: Cast, meant: Meant) -> bool:
    """Whether its place says whose it is, and not only that the report speaks of no other product."""
    return meant.certain and not (meant.products == cast.only and meant.bound == Certainty.SCOPE)
