"""Tables as bills: what each column holds, what each row costs, and whether the rows of totals are right."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from drr.eval.checks.layout import TextLine
from drr.eval.checks.money.adjustments import adjustments_of
from drr.eval.checks.money.parts import CENT, Added, PricedText, Stated, SumBasket, adds_what_is_taken
from drr.eval.checks.money.phrases import NO_PART, OPTIONAL, phase_of
from drr.wording.money import MoneyAmount
from drr.wording.numbers import SPOKEN

_QUANTITY = re.compile(r"qty|quantity|units|count|how many|pcs", re.I)
_UNIT_PRICE = re.compile(r"price|each|unit|cost")
_LINE_TOTAL = re.compile(r"total|subtotal|extended|line|amount|sum", re.I)
_NO_COST = re.compile(r"budget|saving|remaining|cumulative|running")
_PHASE = re.compile(r"(?:phase|month|stage|step)")
_TOTAL_CELL = re.compile(
    r"(?:(?:sub|grand|phase \d+|month \d+|plan|estimated|overall|order|combined)[ -]?)?(?:total|sum)s?\b|总计|合计|小计",
    re.I,
)
_ALL_CELL = re.compile(
    rf"(?:(?:all|the) )?(?:together|altogether|in all|lot|everything|whole basket|basket|combined|of (?:it|them))|both(?: together)?|all (?:{SPOKEN}|\d{{1,2}})(?: together)?",
    re.I,
)
"""The label of a last row: what stands above it, summed."""
_BUDGET = re.compile(r"\bbudget\b", re.I)
_GRAND = re.compile(r"\bgrand\b", re.I)
_DECORATION = re.compile(r"<[^<>]*>|[*_:]")
LISTED = "the items listed come to"
"""What a total row without rows of its own is held against."""
_NOTHING = Added(0.0, 0.0, 0)


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell with what its column's head says it holds."""

    head: str | None
    """`None` behind the last column that has a head."""
    text: str
    amounts: list[MoneyAmount]

    @property
    def quantity(self) -> int | None:
        if self.head is None or not _QUANTITY.search(self.head):
            return None
        written = self.text.strip(" *x×")
        return int(written) if written.isdecimal() and len(written) <= 3 else None

    @property
    def is_line_total(self) -> bool:
        return _LINE_TOTAL.search(self.head or "") is not None

    @property
    def unit_price(self) -> float | None:
        if self.head is None or not self.amounts or not _UNIT_PRICE.search(self.head):
            return None
        return self.amounts[0].value

    @property
    def cost(self) -> MoneyAmount | None:
        """The last amount, unless the column is of limits, rests or running sums."""
        if not self.amounts or _NO_COST.search(self.head or ""):
            return None
        return self.amounts[-1]


class TableRow:
    """A row of a table, read as a line of a bill."""

    def __init__(self, text: PricedText, index: int) -> None:
        self.index = index
        self._text = text
        self.line: TextLine = text.lines[index]
        below = text.lines[index + 1 : index + 2]
        self._is_last = not below or below[0].table != self.line.table
        self._said = text.said(self.line)
        self.adjustment = adjustments_of(text.mentions).get(index)
        self._names_product = bool(text.mentions.within(self.line.start, self.line.end))
        header = self.line.header
        self.cells = [
            TableCell(
                header[column] if column < len(header) else None,
                text.body[low:high],
                text.within(low, high),
            )
            for column, (low, high) in enumerate(self.line.cells)
        ]

    @property
    def is_total(self) -> bool:
        for cell in self.cells[:3]:
            label = _DECORATION.sub("", cell.text).strip()
            if _TOTAL_CELL.match(label):
                return not _BUDGET.search(label)
            if self._is_last and _ALL_CELL.fullmatch(label):
                return not self._names_product
        return False

    @property
    def is_grand(self) -> bool:
        return _GRAND.search(self.line.text) is not None

    @property
    def is_part(self) -> bool:
        """Not a rest, a limit or something optional; a product is never taken for one by its name."""
        if self.adjustment is not None:
            return True
        if OPTIONAL.search(self._said):
            return False
        return self._names_product or NO_PART.search(self._said) is None

    @property
    def named_phase(self) -> str | None:
        return phase_of(self.line.text)

    @property
    def numbered_phase(self) -> str | None:
        """`month 2`, of a column "Month" with a bare 2."""
        header = self.line.header
        if header and _PHASE.fullmatch(header[0]) and self.cells:
            number = self.cells[0].text.strip(" *")
            return f"{header[0]} {number}" if number.isdecimal() else None
        return None

    @property
    def cost(self) -> tuple[int, MoneyAmount] | None:
        """What stands in the last column of costs, and which column that is."""
        costs = [(column, cost) for column, cell in enumerate(self.cells) if (cost := cell.cost)]
        return costs[-1] if costs else None

    @property
    def quantity(self) -> int:
        return next((one.quantity for one in reversed(self.cells) if one.quantity is not None), 1)

    def value(self, column: int, *, loose: bool = False) -> Added | None:
        """What the row adds to a column's sum: its amount there, else quantity times price; with its rounding."""
        if (one := self.adjustment) is not None:
            if one.amount is None or (loose and one.loose):
                return None
            return Added(one.value, 1.0 if one.amount.whole else 0.0, 1)
        if column >= len(self.cells) or not self.cells[column].amounts:
            return None
        cell, quantity = self.cells[column], self.quantity
        amount = cell.amounts[-1]
        rounding = 1.0 if amount.whole else 0.0
        if quantity <= 1:
            return Added(amount.value, rounding, 1)
        unit_price = self._unit_price_beside(cell)
        if unit_price is None:
            is_all = cell.is_line_total or self._text.is_of_many(amount.value, quantity)
            times = 1 if is_all else quantity
            return Added(amount.value * times, rounding * times, 1)
        is_their_product = abs(unit_price * quantity - amount.value) <= rounding + CENT * quantity
        return Added(amount.value if is_their_product else unit_price * quantity, rounding, 1)

    def _unit_price_beside(self, cell: TableCell) -> float | None:
        others = (one for one in self.cells if one.head != (cell.head or ""))
        return next((one.unit_price for one in others if one.unit_price is not None), None)


class Tables:
    """The tables of a report, and the totals that they state."""

    def __init__(self, text: PricedText, basket: SumBasket) -> None:
        columns = text.mentions.tables.by_column
        self.rows = [
            TableRow(text, index)
            for index, line in enumerate(text.lines)
            if line.kind == "row" and not columns(line)
        ]
        self.stated = [
            stated
            for _, rows in groupby(self.rows, lambda row: row.line.table)
            for stated in _Bill(basket).read(list(rows))
        ]


class _Bill:
    """A table read from its first row down to each of its totals."""

    def __init__(self, basket: SumBasket) -> None:
        self._basket = basket
        self._parts: list[TableRow] = []
        self._since_total = 0
        """Where in the parts those begin that stand under the last total."""
        self._columns: dict[tuple[int, bool], tuple[Added, int]] = {}
        """Of each column summed so far, with what may be remarks only and without: the sum, and of how many parts."""
        self._subtotals = _NOTHING
        self._last: float | None = None
        """The total before."""

    def read(self, rows: Sequence[TableRow]) -> Iterator[Stated]:
        for row in rows:
            if row.is_total:
                if (cost := row.cost) is not None:
                    yield self._total(row, *cost)
            elif row.is_part:
                self._parts.append(row)

    def _total(self, row: TableRow, column: int, amount: MoneyAmount) -> Stated:
        sums = [one for one in self._sums(row, column) if one.terms]
        if not sums:
            return self._lone_total(row, amount)
        best = min(sums, key=lambda one: abs(one.value - amount.value))
        slack = max(best.slack, CENT)
        if amount.whole and best.slack < 0.5 and best.value % 1:
            slack += 0.51
        before, self._last = self._last, amount.value
        self._subtotals = _plus(self._subtotals, Added(amount.value, 0.0, 1))
        self._since_total = len(self._parts)
        stated = Stated(amount, row.index, "table", row.named_phase)
        agrees = abs(best.value - amount.value) <= slack
        changes = [one.adjustment for one in self._parts if one.adjustment is not None]
        if not agrees and before is not None and changes:
            taken = sum(one.value for one in changes if one.amount is not None)
            agrees = abs(before + taken - amount.value) <= slack
        if not agrees and (paid := self._columns.get((column, False))) is not None:
            off = sum(-one.value for one in changes if one.sign < 0)
            if adds_what_is_taken(row.line.text, amount, paid[0].value, off):
                stated.taken = paid[0].value
        if agrees or all(one.amount is not None for one in changes):
            stated.compare(best.value, best.terms, agrees=agrees)
        else:
            stated.open = True
        return stated

    def _sums(self, row: TableRow, column: int) -> Iterator[Added]:
        """What the total may be of: the rows under the last total, all rows, the totals above it."""
        pending = self._parts[self._since_total :]
        if any(one.adjustment is None for one in pending) and not row.is_grand:
            yield _column_sum(pending, column, _NOTHING)
        for loose in (False, True):
            known, summed = self._columns.get((column, loose), (_NOTHING, 0))
            whole = _column_sum(self._parts[summed:], column, known, loose=loose)
            self._columns[column, loose] = whole, len(self._parts)
            yield whole
        if not pending:
            yield self._subtotals._replace(slack=CENT * self._subtotals.terms)

    def _lone_total(self, row: TableRow, amount: MoneyAmount) -> Stated:
        """A total row without rows of its own stands for what the report lists elsewhere."""
        stated = Stated(amount, row.index, "table")
        everything, *_ = listed = self._basket.sums
        fitting = next((one for one in listed if one.terms and one.fits(amount)), None)
        if fitting is not None:
            stated.compare(fitting.value, fitting.terms, agrees=True)
        elif everything.terms >= 2:
            stated.compare(everything.value, everything.terms, agrees=False)
            stated.held_against = LISTED
        return stated


def _column_sum(rows: Sequence[TableRow], column: int, known: Added, *, loose: bool = False) -> Added:
    for row in rows:
        if (value := row.value(column, loose=loose)) is not None:
            known = _plus(known, value)
    return known


def _plus(one: Added, other: Added) -> Added:
    return Added(one.value + other.value, one.slack + other.slack, one.terms + other.terms)
