"""Whose the cells of a table are: by the one product of a row, or by the products that its columns are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from drr.eval.checks.base import Span
from drr.eval.checks.keyed import keyed_tables
from drr.eval.checks.layout import TextLine
from drr.eval.checks.makers import PlaceNamed


class TableOwners:
    """The products of the rows and columns of a report's tables."""

    def __init__(
        self,
        lines: Sequence[TextLine],
        body: str,
        within: Callable[[int, int], list[PlaceNamed]],
        named_on: Callable[[Span], frozenset[str]],
    ) -> None:
        self._lines, self._body, self._within, self._on = lines, body, within, named_on
        self.columns: dict[int, dict[int, str]] = {}
        """By table, whose each column is."""
        for line in lines:
            if line.table >= 0:
                self._read_linked_columns(line)
        for line in lines:
            if line.kind == "head_row" and line.table not in self.columns:
                self._read_named_columns(line)

    def _read_linked_columns(self, line: TextLine) -> None:
        """Of a row whose cells link to different products: which column is whose."""
        owners = {}
        for column, (low, high) in enumerate(line.cells):
            here = {one.products for one in self._within(low, high) if one.linked}
            if len(here) == 1:
                owners[column] = next(iter(next(iter(here))))
        if len(set(owners.values())) > 1:
            self.columns.setdefault(line.table, owners)

    def _read_named_columns(self, line: TextLine) -> None:
        """Of a table without links: whose columns are by the names in their heads, where all but the first have one."""
        owners = {}
        for column, (low, high) in enumerate(line.cells):
            named = frozenset[str]().union(*(one.products for one in self._within(low, high)))
            if len(named) == 1:
                owners[column] = next(iter(named))
        if len(set(owners.values())) == len(owners) >= max(2, len(line.cells) - 1):
            self.columns[line.table] = owners

    def column_owner(self, line: TextLine, column: int) -> str | None:
        return self.columns.get(line.table, {}).get(column)

    def by_columns(self, line: TextLine) -> bool:
        return line.table in self.columns

    def row_owner(self, line: TextLine) -> str | None:
        """The one product of a row."""
        if self.by_columns(line):
            return None
        here = self._within(line.start, line.end)
        linked = {one.products for one in here if one.linked} or {one.products for one in here}
        only = next(iter(linked)) if len(linked) == 1 else frozenset()
        if not here:
            return self._keyed.get(line.table)
        return next(iter(only)) if len(only) == 1 else None

    def is_keyed(self, line: TextLine) -> bool:
        """Whether a row is a property and its value, of the one product that the table is about."""
        return len(line.cells) == 2 and line.table in self._keyed and not self._within(line.start, line.end)

    def label(self, line: TextLine, column: int) -> str:
        """What a cell is said to hold: the first of its row where the columns are products or the row is a property, else the head of its column."""
        if line.cells and (self.by_columns(line) or self.is_keyed(line)):
            return self._body[slice(*line.cells[0])]
        return line.header[column] if column < len(line.header) else ""

    @cached_property
    def _keyed(self) -> dict[int, str]:
        return keyed_tables(self._lines, self._body, self._on)
