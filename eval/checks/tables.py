"""Tables that speak of products. Whose cell a cell is, by its row or, where products are columns, by its column."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from drr.eval.checks.layout import TextLine
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.values import Segment, segment


class ValueCell(NamedTuple):
    """A cell of one product, and what it is said to hold."""

    product_id: str
    label: str
    value: Segment


class Tables:
    """The tables of a report."""

    def __init__(self, mentions: Mentions) -> None:
        self._mentions = mentions
        self._body = mentions.body
        self._columns: dict[int, dict[int, str]] = {}
        """By table, the product of each column, where one row holds several products, each in a cell of its own."""
        rows = [line for line in mentions.layout.lines if line.cells]
        for table, lines in groupby(rows, lambda line: line.table):
            self._columns[table] = self._owners(list(lines))

    def _owners(self, lines: list[TextLine]) -> dict[int, str]:
        found: dict[int, str] = {}
        for line in lines:
            here = {
                column: ids[0] for column, cell in enumerate(line.cells) if len(ids := self._ids(*cell)) == 1
            }
            if len(set(here.values())) == len(here) >= 2 and len(here) > len(found):
                found = here
        return found

    def _ids(self, start: int, end: int) -> list[str]:
        return list(dict.fromkeys(one.product_id for one in self._mentions.within(start, end)))

    def product_of(self, line: TextLine) -> str | None:
        """Return the one product of a row; none where products are columns."""
        ids = self._ids(line.start, line.end)
        return ids[0] if len(ids) == 1 and not self._columns[line.table] else None

    def cells(self, line: TextLine) -> Iterator[ValueCell]:
        """Yield the cells of a row whose product is certain."""
        if columns := self._columns[line.table]:
            label = segment(self._body, *line.cells[0]).text
            for column, product_id in columns.items():
                if 0 < column < len(line.cells):
                    yield ValueCell(product_id, label, segment(self._body, *line.cells[column]))
            return
        owner = self.product_of(line)
        if owner is not None and line.header:
            for column, cell in enumerate(line.cells[: len(line.header)]):
                value = segment(self._mentions.plain, *cell)
                yield ValueCell(
                    owner, line.header[column], value if value.text else segment(self._body, *cell)
                )
