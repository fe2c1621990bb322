"""Tables that compare products: whose cell a cell is, by its row or, where products are columns, by its column."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

from drr.eval.checks.layout import Layout, TextLine

_PRICE_LABEL = re.compile(r"\b(?:price|cost|costs|asking|each|amount|usd|retail|list)\b|\$", re.I)
_NO_PRICE_LABEL = re.compile(
    r"\bper\b|/\s?\w|\b(?:sub)?totals?\b|\bunit cost\b|budget|remain|saving|cumulative|running|shipping|tax|spend|left|differ|\bof ownership\b|\$\s?\d|\b(?:after|with|without|versus|vs|against|gap|above|below|over|under|short|change|coupon|voucher|discount|was|paid)\b|\bweek|\bmonth|\byear|\bfor (?:all|two|three|four|\d)",
    re.I,
)
_MONEY_LABEL = re.compile(
    r"\b(?:sub)?totals?\b|\beach\b|\bsum\b|\bleft of\b|\bremain(?:ing|der)\b|\busd\b|\bdollars?\b", re.I
)
PER_DOLLAR = re.compile(
    r"\b(?!(?:price|cost|costs|amount|total|list)\b)[a-z]{2,20}\s?(?:per|/|for\s(?:each|every|a)|to\sthe)\s?(?:dollar\b|\$(?!\s?\d)|usd\b)",
    re.I,
)
"""How much of something a dollar buys: no amount of money."""
_MONEY = r"[^|]{0,24}(?:\$|\b(?:budget|limit|cap|ceiling|allowance|total|bill|costs?|price|spend|spending|sum|money|dollars?)\b)"
_SHARE_OF_MONEY = re.compile(
    rf"\b(?:shares?|parts?|portion|percent(?:age)?|fraction)\sof\b{_MONEY}|%\s?of\b{_MONEY}", re.I
)
_DECORATION = re.compile(r"[*_`]|<[^<>]*>")

ProductsIn = Callable[[int, int], Sequence[str]]
"""The ids of the products that a stretch links, gives the id of, or names."""


class ProductTables:
    """By line and cell, the one product that it is about, and what the cell is said to hold."""

    def __init__(self, layout: Layout, linked: ProductsIn, named: ProductsIn) -> None:
        self._lines = layout.lines
        self._of_row: dict[int, str] = {}
        self._of_column: dict[int, dict[int, str]] = {}
        """By table, the product of each column."""
        self._tables: dict[int, list[int]] = {}
        rows = (index for index, line in enumerate(layout.lines) if line.cells)
        for table, indices in groupby(rows, lambda index: layout.lines[index].table):
            self._tables[table] = list(indices)
            columns = self._columns(table, linked) or self._columns(table, named)
            if columns:
                self._of_column[table] = columns
            else:
                self._read_rows(table, linked)

    def _columns(self, table: int, products: ProductsIn) -> dict[int, str]:
        """The product of each column, of a table in which one row holds several products, each in a cell of its own."""
        found: dict[int, str] = {}
        for index in self._tables[table]:
            here = {
                column: ids[0]
                for column, (low, high) in enumerate(self._lines[index].cells)
                if len(ids := products(low, high)) == 1
            }
            if len(set(here.values())) == len(here) >= 2 and len(here) > len(found):
                found = here
        return found

    def _read_rows(self, table: int, linked: ProductsIn) -> None:
        for index in self._tables[table]:
            ids = list(dict.fromkeys(linked(self._lines[index].start, self._lines[index].end)))
            if len(ids) == 1:
                self._of_row[index] = ids[0]

    def learn(self, columns: Mapping[int, dict[int, str]]) -> None:
        """Whose columns those are whose heads name a product without a link; what a link shows stays."""
        for table, owners in columns.items():
            if not any(index in self._of_row for index in self._tables.get(table, ())):
                self._of_column.setdefault(table, dict(owners))

    def by_column(self, line: TextLine) -> dict[int, str]:
        """The product of each column, where products are the columns; empty in any other table."""
        return self._of_column.get(line.table, {}) if line.cells else {}

    def product_of(self, index: int, column: int) -> str | None:
        """Whose cell it is."""
        columns = self.by_column(self._lines[index])
        return columns.get(column) if columns else self._of_row.get(index)

    def label(self, index: int, column: int, text: str) -> str:
        """What a cell is said to hold: the head of its column, or the first cell of its row where products are columns."""
        line = self._lines[index]
        if self.by_column(line):
            low, high = line.cells[0]
            return _DECORATION.sub("", text[low:high]).strip().casefold()
        return line.header[column] if column < len(line.header) else ""

    def priced_product(self, index: int, column: int, text: str) -> str | None:
        """The product whose price a cell is said to hold."""
        return self.product_of(index, column) if says_price(self.label(index, column, text)) else None


def says_price(label: str) -> bool:
    """Whether a label says that prices stand under it, and nothing else."""
    return _PRICE_LABEL.search(label) is not None and holds_price(label)


def holds_price(label: str) -> bool:
    """Whether nothing in a label says that what stands under it is no price: a sum, a rest, what a month costs, what a dollar buys."""
    return _NO_PRICE_LABEL.search(label) is None and PER_DOLLAR.search(label) is None


def holds_money(label: str) -> bool:
    """Whether the cells under a label hold amounts of dollars, with a sign or without."""
    if PER_DOLLAR.search(label):
        return False
    return _PRICE_LABEL.search(label) is not None or _MONEY_LABEL.search(label) is not None


def is_share_of_money(label: str) -> bool:
    """Whether the shares under a label are of an amount, `share of $50`, and say nothing of what is in a thing."""
    return _SHARE_OF_MONEY.search(label) is not None


def column_at(line: TextLine, place: int) -> int | None:
    """Which cell of a row a place is in."""
    column = bisect_left([high for _, high in line.cells], place + 1)
    return column if column < len(line.cells) and line.cells[column][0] <= place else None
