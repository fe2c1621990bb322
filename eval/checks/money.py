"""Sums and budgets, computed again from what the report itself lists."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from drr.env.query import Constraints
from drr.eval.checks.base import Check, CheckTally, Span, Subject, unverifiable
from drr.eval.checks.facts import quantity_near
from drr.eval.checks.figures import MoneyAmount, amounts
from drr.eval.checks.layout import TextLine
from drr.eval.checks.mentions import Mentions

_TOTAL = re.compile(
    r"\b(?:(?:sub|grand[ -]?)?totals?|sum|altogether|all in all|in all|adds? up to|comes? (?:out )?to|come in at|overall cost|combined cost|whole (?:set|plan|order) costs?)\b|总计|合计|小计",
    re.I,
)
_NOT_A_TOTAL = re.compile(
    r"\b(?:total (?:budget|spending limit|number)|your total spend|total spend(?:ing)? (?:so far|to date|under|below|within)|spent|lifetime|past orders|order history|purchase history|orders? (?:total|history)|per cent|saved|savings|would (?:have )?total|bring(?:s|ing)?|could|instead|without|if you|skip(?:ping)?|reduc\w+|closer to|elsewhere|average)\b",
    re.I,
)
_LIMIT_BEFORE = re.compile(
    r"(?:\b(?:under|up to|budget(?: of| is|:)?|max(?:imum)?(?: of)?|below|within|less than|no more than|at most|limit(?: of)?|cap(?: of)?|of your|your|the|over|above|exceed\w*|keep\w*|stay\w*|leav\w+|saves?|saving|remaining:?|left:?|by|than|spare)\s*(?:\*\*|about |around )?)$",
    re.I,
)
_LIMIT_AFTER = re.compile(
    r"^\s*(?:budget|limit|cap|ceiling|max|allowance|spending|to spare|remaining|left|under|below|over)\b",
    re.I,
)
_HEADING_LIMIT = re.compile(
    r"\b(?:under|up to|budget|max(?:imum)?|below|within|less than|limit|cap|over|from|spend|saving)\b", re.I
)
_MONEY_COLUMN = re.compile(r"total|subtotal|cost|price|amount|sum|\$|usd|spend", re.I)
_TOTAL_COLUMN = re.compile(r"total|subtotal|extended|line|amount|sum", re.I)
_QUANTITY_COLUMN = re.compile(r"qty|quantity|units|count|how many|#$|pcs", re.I)
_SKIP_ROW = re.compile(
    r"\b(?:budget|remaining|left over|leftover|difference|under budget|savings?|reserve|cushion|buffer|unspent|limit|spare)\b",
    re.I,
)
_PHASE = re.compile(
    r"\b(?P<kind>phase|month|stage|step|week|part)\s*#?(?P<n>\d{1,2}|one|two|three|four|five|six)\b", re.I
)
_WORDS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6"}
_OPTIONAL = re.compile(
    r"\b(?:optional|alternative(?:ly)?|instead|or,? if|not included|elsewhere|another option|if you (?:prefer|want|need)|swap|skip(?:ped)?|left out|consider later|upgrade (?:pick|option)|runner[- ]up|backup (?:pick|option))\b",
    re.I,
)
_CHARGED = re.compile(r"\b(?:tax(?:es)?|shipping|delivery|fees?)\b", re.I)
_CHARGE = re.compile(
    r"[\s*_\-•]*(?:(?:estimated|sales|standard)\s+)?(?:(?:shipping|tax(?:es)?|delivery|fees?|handling)|(?P<less>discount|coupon|savings|rebate))\b",
    re.I,
)
_MOST = 200
"""Totals of lists and sentences that are looked into; each is held against all items."""
_CLAUSE = 600
"""Characters before a total that may belong to its clause."""
_MOST_ADDED = 400_000
"""Items added up for them in all."""
_PLAN = re.compile(
    r"\b(?:plan|set ?up|kit|bundle|complete|whole|everything|all (?:of )?(?:it|them)|together|total|sanctuary|routine|design|furnish|outfit|equip|build|stock|spending|over the next|altogether|in all|phase|starter|overhaul|refresh)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class SumPart:
    """One amount that a sum is made of: a row, a bullet, a product in a sentence."""

    value: float
    slack: float
    start: int
    end: int
    line: int
    optional: bool


@dataclass(slots=True)
class Stated:
    """A total that the report states, and what its rows come to."""

    amount: MoneyAmount
    line: int
    where: str
    """table, section, heading, prose"""
    computed: float | None
    parts: int
    agrees: bool | None
    """`None` where the parts are not all there."""
    label: str | None = None
    """`phase 1`, where it is one phase's."""
    other: str = ""


_Sum = tuple[float, float, int]
"""Value, slack and number of what was added up."""


class Sums:
    """All totals of a report."""

    def __init__(self, mentions: Mentions) -> None:
        self.mentions = mentions
        self.body = mentions.body
        self.lines = mentions.layout.lines
        self._amounts = amounts(self.body)
        self._starts = [one.start for one in self._amounts]
        self.parts = self._parts()
        self._part_lines = [part.line for part in self.parts]
        self._most = max(1, min(_MOST, _MOST_ADDED // max(len(self.parts), 1)))
        self.tables = self._tables()
        self._previous: dict[int, int] = {}
        self._charged = [0.0, *accumulate(self._charge(line) for line in self.lines)]
        self.sections = self._sections()
        self.stated = [*self.tables, *self.sections, *self._headings()]

    def here(self, start: int, end: int) -> list[MoneyAmount]:
        """The amounts that begin in a stretch."""
        return self._amounts[bisect_left(self._starts, start) : bisect_left(self._starts, end)]

    # -- tables

    def _tables(self) -> list[Stated]:
        found: list[Stated] = []
        by_table: dict[int, list[int]] = {}
        for index, line in enumerate(self.lines):
            if line.kind == "row":
                by_table.setdefault(line.table, []).append(index)
        for rows in by_table.values():
            found += self._table(rows)
        return found

    def _table(self, rows: list[int]) -> list[Stated]:
        found: list[Stated] = []
        totals = {index for index in rows if self._is_total_row(self.lines[index])}
        if not totals:
            return found
        pending: list[int] = []
        everything: list[int] = []
        so_far: dict[int, tuple[_Sum, int]] = {}
        subtotals, below = 0, 0.0
        for index in rows:
            line = self.lines[index]
            if index not in totals:
                if not self._no_part(line):
                    pending.append(index)
                    everything.append(index)
                continue
            column, amount = self._total_cell(line)
            if amount is None:
                continue
            known, summed = so_far.get(column, ((0.0, 0.0, 0), 0))
            whole = self._column_sum(everything[summed:], column, known)
            so_far[column] = whole, len(everything)
            choices = [whole]
            if pending and not re.search(r"\bgrand\b", line.text, re.I):
                choices = [self._column_sum(pending, column), whole]
            results = [one for one in choices if one[2]]
            if subtotals and not pending:
                results.append((below, 0.0101 * subtotals, subtotals))
            if not results:
                found.append(self._lone_total(index, amount))
                continue
            best = min(results, key=lambda one: abs(one[0] - amount.value))
            slack = max(best[1], 0.0101) + (0.51 if amount.whole and best[1] < 0.5 and best[0] % 1 else 0.0)
            agrees = abs(best[0] - amount.value) <= slack if best[2] >= 1 else None
            found.append(Stated(amount, index, "table", best[0], best[2], agrees, _phase_of(line.text)))
            subtotals, below = subtotals + 1, below + amount.value
            pending = []
        return found

    def _lone_total(self, index: int, amount: MoneyAmount) -> Stated:
        """A total row without rows of its own stands for what the report lists elsewhere."""
        for value, slack, count in self._listed:
            if count and abs(value - amount.value) <= slack + (0.5 if amount.whole else 0.0):
                return Stated(amount, index, "table", value, count, True)
        if len(self.parts) < 2:
            return Stated(amount, index, "table", None, 0, None)
        value = self._listed[0][0]
        return Stated(amount, index, "table", value, len(self.parts), False, None, "the items listed come to")

    @cached_property
    def _listed(self) -> list[_Sum]:
        """What all parts come to; what those that are not optional do; what those that differ do."""
        groups = (self.parts, [part for part in self.parts if not part.optional], _distinct(self.parts))
        return [
            (
                sum(part.value for part in parts),
                0.0101 * len(parts) + sum(part.slack for part in parts),
                len(parts),
            )
            for parts in groups
        ]

    def _no_part(self, line: TextLine) -> bool:
        """A remainder, a limit, something optional; a product is never taken for one by its name."""
        said = self.mentions.plain[line.start : line.end]
        if _OPTIONAL.search(said):
            return True
        return not self.mentions.within(line.start, line.end) and _SKIP_ROW.search(said) is not None

    def _is_total_row(self, line: TextLine) -> bool:
        for low, high in line.cells[:3]:
            cell = re.sub(r"<[^<>]*>|[*_:]", "", self.body[low:high]).strip()
            if re.match(
                r"(?:(?:sub|grand|phase \d+|month \d+|plan|estimated|overall|order|combined)[ -]?)?(?:total|sum)s?\b|总计|合计|小计",
                cell,
                re.I,
            ):
                return not re.search(r"\bbudget\b", cell, re.I)
        return False

    def _total_cell(self, line: TextLine) -> tuple[int, MoneyAmount | None]:
        last: tuple[int, MoneyAmount | None] = (-1, None)
        for column, (low, high) in enumerate(line.cells):
            head = line.header[column] if column < len(line.header) else ""
            if re.search(r"budget|saving|remaining|cumulative|running", head):
                continue
            here = self.here(low, high)
            if here:
                last = (column, here[-1])
        return last

    def _column_sum(self, rows: list[int], column: int, so_far: _Sum = (0.0, 0.0, 0)) -> _Sum:
        """The rows' amounts in the total's column, else quantity times price; with the slack of rounded rows."""
        total, slack, count = so_far
        for index in rows:
            line = self.lines[index]
            value = self._row_value(line, column)
            if value is None:
                continue
            total += value[0]
            slack += value[1]
            count += 1
        return total, slack, count

    def _row_value(self, line: TextLine, column: int) -> tuple[float, float] | None:
        header = line.header
        quantity = 1
        for (low, high), head in zip(line.cells, header, strict=False):
            cell = self.body[low:high].strip(" *x×")
            if _QUANTITY_COLUMN.search(head) and cell.isdecimal() and len(cell) <= 3:
                quantity = int(cell)
        here = self.here(*line.cells[column]) if 0 <= column < len(line.cells) else []
        if not here:
            return None
        amount = here[-1]
        head = header[column] if column < len(header) else ""
        unit_columns = [
            self.here(*cell)[0].value
            for cell, name in zip(line.cells, header, strict=False)
            if name != head and re.search(r"price|each|unit|cost", name) and self.here(*cell)
        ]
        is_line_total = _TOTAL_COLUMN.search(head) is not None or bool(unit_columns)
        rounding = 1.0 if amount.whole else 0.0
        if quantity > 1 and not is_line_total:
            return amount.value * quantity, rounding * quantity
        if (
            quantity > 1
            and unit_columns
            and abs(unit_columns[0] * quantity - amount.value) > rounding + 0.0101 * quantity
        ):
            return unit_columns[0] * quantity, rounding
        return amount.value, rounding

    # -- lists and prose

    def _parts(self) -> list[SumPart]:
        """Lines and product sentences that carry one price each; table rows that belong to no summed table too."""
        found: list[SumPart] = []
        prices = self._product_prices()
        taken: set[int] = set()
        for index, line in enumerate(self.lines):
            inside = prices.get(index)
            optional = _OPTIONAL.search(self.mentions.plain[line.start : line.end]) is not None
            if inside:
                taken.add(index)
                for amount, quantity in inside:
                    found.append(self._part(amount, quantity, index, optional))
                continue
            if line.kind not in ("item", "title") or _TOTAL.search(line.text) or _SKIP_ROW.search(line.text):
                continue
            here = self.here(line.start, line.end)
            if (
                len(here) == 1
                and not _limit(self.body, here[0], line)
                and not re.search(
                    r"\b(?:spent|orders?|average|mean|month(?:ly)? budget|save)\b", line.text, re.I
                )
            ):
                found.append(
                    self._part(
                        here[0], quantity_near(self.mentions.plain[line.start : line.end]), index, optional
                    )
                )
        return found

    def _part(self, amount: MoneyAmount, quantity: int, index: int, optional: bool) -> SumPart:
        line = self.lines[index]
        value = amount.value
        here = [one for one in self.here(line.start, line.end) if not _limit(self.body, one, line)]
        if quantity > 1:
            line_total = [one for one in here if abs(one.value - value * quantity) < 0.02]
            value = line_total[0].value if line_total else value * quantity
        return SumPart(value, 1.0 if amount.whole else 0.0, amount.start, amount.end, index, optional)

    def _product_prices(self) -> dict[int, list[tuple[MoneyAmount, int]]]:
        """By line, the first price at each product's first place in a section, with its quantity."""
        from drr.eval.checks.facts import _prices_in

        found: dict[int, list[tuple[MoneyAmount, int]]] = {}
        seen: set[tuple[str, int]] = set()
        for mention in self.mentions.mentions:
            here = _prices_in(self.mentions, mention)
            if not here:
                continue
            line = max(bisect_right(self.mentions.layout.starts, here[0].start) - 1, 0)
            section = self.mentions.layout.opened_by[line]
            if (mention.product_id, section) in seen:
                continue
            seen.add((mention.product_id, section))
            quantity = quantity_near(self.mentions.plain[mention.start : mention.end])
            found.setdefault(line, []).append((here[0], quantity))
        return found

    def _sections(self) -> list[Stated]:
        found: list[Stated] = []
        for index, line in enumerate(self.lines):
            if line.kind in ("row", "head_row", "rule_row", "heading"):
                continue
            for match in _TOTAL.finditer(self.body, line.start, line.end):
                low = max(line.start, match.start() - _CLAUSE)
                clause_start = max(self.body.rfind(". ", low, match.start()), low)
                after = self.here(match.end(), min(line.end, match.end() + 60))
                clause = self.body[clause_start : after[0].end if after else match.end()]
                before = [
                    one
                    for one in self.here(clause_start, match.start())
                    if match.start() - one.end < (12 if not after else 5)
                    and not re.search(r"[.;:|)]", self.body[one.end : match.start()])
                ]
                if before and re.match(r"(?:in all|altogether|in total|total|all in all)", match[0], re.I):
                    after = before[-1:]
                if not after or _NOT_A_TOTAL.search(clause):
                    continue
                amount = after[0]
                between = self.body[match.end() : amount.start]
                if (
                    _HEADING_LIMIT.search(between)
                    or _LIMIT_AFTER.match(self.body[amount.end : amount.end + 20])
                    or "|" in between
                ):
                    continue
                if any(one.amount.start == amount.start for one in found[-5:]):
                    continue
                if len(found) == self._most:
                    return found
                found.append(self._section_total(index, amount, clause))
        return found

    def _section_total(self, index: int, amount: MoneyAmount, clause: str) -> Stated:
        line = self.lines[index]
        low, high = self.mentions.layout.section_of(index)
        phase = _phase_of(clause) or (
            _phase_of(self.lines[low].text) if self.lines[low].kind == "heading" else None
        )
        scopes: list[list[SumPart]] = []
        if index not in self._previous:
            self._previous[index] = self._previous_total(index, low)
        previous = self._previous[index]
        same_line = [part for part in self.parts if part.line == index and part.start < amount.start]
        block = [part for part in self.parts if previous <= part.line < index]
        section = [part for part in self.parts if low <= part.line < high and part.line != index]
        everything = [part for part in self.parts if part.line != index]
        for scope in (same_line, block + same_line, section + same_line, everything + same_line):
            if scope and scope not in scopes:
                scopes.append(scope)
        elided = any(one.kind == "elision" for one in self.lines[low:high])
        explicit = _written_sum(self.body[line.start : amount.start])
        if explicit and abs(sum(explicit) - amount.value) <= 0.0101 * len(explicit) + (
            1.0 if amount.whole else 0
        ):
            return Stated(amount, index, "section", sum(explicit), len(explicit), True, phase)
        best: tuple[float, int, bool] | None = None
        if not scopes and line.kind == "text":
            scopes = self._spoken(index, amount)
        charges = self._charged[index] - self._charged[low]
        for scope in scopes:
            for parts in (scope, [part for part in scope if not part.optional], _distinct(scope)):
                if not parts:
                    continue
                value = sum(part.value for part in parts)
                slack = (
                    0.0101 * len(parts) + sum(part.slack for part in parts) + (0.5 if amount.whole else 0.0)
                )
                for extra in (0.0, charges) if charges else (0.0,):
                    if abs(value + extra - amount.value) <= slack:
                        return Stated(amount, index, "section", value + extra, len(parts), True, phase)
                if best is None and len(parts) >= 2:
                    best = (value, len(parts), False)
        earlier = list(self.tables)
        if any(
            abs(one.amount.value - amount.value) <= 1.0
            and (amount.whole or one.amount.whole or one.amount.value == amount.value)
            for one in earlier
        ):
            return Stated(amount, index, "section", None, 0, True, phase)
        if elided or best is None or (_CHARGED.search(clause) and not charges):
            if earlier and best is None and not elided and phase is None:
                other = earlier[-1]
                return Stated(
                    amount,
                    index,
                    "section",
                    other.computed,
                    other.parts,
                    False,
                    phase,
                    "the table's rows come to",
                )
            return Stated(amount, index, "section", None, 0, None, phase)
        return Stated(amount, index, "section", best[0], best[1], False, phase)

    def _charge(self, line: TextLine) -> float:
        """Shipping or tax on a line of its own; a discount counts down."""
        match = _CHARGE.match(line.text) if line.kind in ("text", "item", "title") else None
        here = self.here(line.start, line.end) if match else []
        if match is None or len(here) != 1 or _TOTAL.search(line.text):
            return 0.0
        return here[0].value * (-1 if match["less"] else 1)

    def _spoken(self, index: int, amount: MoneyAmount) -> list[list[SumPart]]:
        """The amounts of one sentence that says what they come to."""
        line = self.lines[index]
        start = max(self.body.rfind(". ", line.start, amount.start), line.start)
        here = [one for one in self.here(start, amount.start) if not _limit(self.body, one, line)]
        if len(here) < 2:
            return []
        return [
            [SumPart(one.value, 1.0 if one.whole else 0.0, one.start, one.end, index, False) for one in here]
        ]

    def _previous_total(self, index: int, low: int) -> int:
        for earlier in range(index - 1, low - 1, -1):
            line = self.lines[earlier]
            if line.kind == "heading" or (
                line.kind != "row" and _TOTAL.search(line.text) and amounts(line.text)
            ):
                return earlier
        return low

    # -- headings

    def _headings(self) -> list[Stated]:
        found: list[Stated] = []
        section_totals = self.sections
        for index, line in enumerate(self.lines):
            if line.kind != "heading" or self.mentions.within(line.start, line.end):
                continue
            here = [
                one
                for one in self.here(line.start, line.end)
                if not _HEADING_LIMIT.search(self.body[line.start : one.start])
            ]
            if len(here) != 1 or re.match(r"\s*[-–]?\s*(?!total)[A-Za-z]", self.body[here[0].end : line.end]):
                continue
            amount = here[0]
            high = self.mentions.layout.section_end(index)
            inside = [one for one in section_totals if index < one.line < high]
            slack = 1.0 if amount.whole or amount.approx else 0.0101
            phase = _phase_of(line.text)
            parts = self.parts[bisect_right(self._part_lines, index) : bisect_left(self._part_lines, high)]
            own = [part for part in parts if not part.optional]
            sum_fits = any(
                one and abs(sum(p.value for p in one) - amount.value) <= slack + sum(p.slack for p in one)
                for one in (parts, own)
            )
            if inside:
                agrees = (
                    sum_fits
                    or any(abs(one.amount.value - amount.value) <= slack for one in inside)
                    or any(
                        one.computed is not None and abs(one.computed - amount.value) <= slack
                        for one in inside
                    )
                )
                found.append(
                    Stated(
                        amount,
                        index,
                        "heading",
                        inside[0].amount.value,
                        1,
                        agrees,
                        phase,
                        "its section's total is",
                    )
                )
                continue
            tables = [one for one in self.tables if index < one.line < high]
            elided = any(one.kind == "elision" for one in self.lines[index:high])
            if tables:
                agrees = any(
                    one.computed is not None and abs(one.computed - amount.value) <= slack for one in tables
                )
                found.append(
                    Stated(amount, index, "heading", tables[0].computed, tables[0].parts, agrees, phase)
                )
            elif len(parts) >= 2 and not elided:
                value = sum(part.value for part in parts)
                found.append(
                    Stated(
                        amount,
                        index,
                        "heading",
                        value,
                        len(parts),
                        sum_fits,
                        phase,
                        "its section's items come to",
                    )
                )
        return found

    # -- the plan as a whole

    def grand(self) -> tuple[float, Span] | None:
        """What the plan costs in all, computed; `None` where the report lists no plan."""
        whole = [one for one in self.tables if one.label is None and one.computed is not None]
        if whole:
            biggest = max(whole, key=lambda one: one.computed or 0.0)
            return biggest.computed or 0.0, (biggest.amount.start, biggest.amount.end)
        sections = [one for one in self.stated if one.where == "section"]
        grand = [one for one in sections if one.label is None and one.computed is not None]
        if grand:
            biggest = max(grand, key=lambda one: one.computed or 0.0)
            return biggest.computed or 0.0, (biggest.amount.start, biggest.amount.end)
        phases = [one for one in sections if one.label is not None and one.computed is not None]
        if phases:
            return sum(one.computed or 0.0 for one in phases), (
                phases[-1].amount.start,
                phases[-1].amount.end,
            )
        return None

    def phases(self) -> list[tuple[str, float, Span]]:
        """The cost of each month or phase, where the report divides the plan."""
        found: dict[str, tuple[str, float, Span]] = {}
        for one in self.stated:
            if one.label and one.where in ("section", "heading"):
                value = (
                    one.computed if one.computed is not None and one.where == "section" else one.amount.value
                )
                found.setdefault(one.label, (one.label, value, (one.amount.start, one.amount.end)))
        for line in self.lines:
            if line.kind == "row" and not self._is_total_row(line):
                label = _phase_of(line.text) or self._phase_cell(line)
                _, amount = self._total_cell(line)
                if label and amount is not None and label not in found:
                    found[label] = (label, amount.value, (amount.start, amount.end))
        return list(found.values())

    def _phase_cell(self, line: TextLine) -> str | None:
        if line.header and re.fullmatch(r"(?:phase|month|stage|step)", line.header[0]) and line.cells:
            cell = self.body[slice(*line.cells[0])].strip(" *")
            return f"{line.header[0]} {cell}" if cell.isdecimal() else None
        return None


def _phase_of(text: str) -> str | None:
    match = _PHASE.search(text)
    if match is None:
        return None
    number = match["n"].casefold()
    return f"{match['kind'].casefold()} {_WORDS.get(number, number)}"


def _distinct(parts: list[SumPart]) -> list[SumPart]:
    """Each value once: a product that is named again is not bought again."""
    seen: set[float] = set()
    return [part for part in parts if not (part.value in seen or seen.add(part.value))]  # type: ignore[func-returns-value]


def _written_sum(text: str) -> list[float]:
    """`$12.99 + $8.50 =`: the terms."""
    match = re.search(
        r"(?:\\?\$\s?[\d,]+(?:\.\d\d)?\s*(?:\([^()]{0,60}\)\s*)?\+\s*)+\\?\$\s?[\d,]+(?:\.\d\d)?", text
    )
    return [one.value for one in amounts(match[0])] if match else []


def _limit(body: str, amount: MoneyAmount, line: TextLine) -> bool:
    before = body[max(line.start, amount.start - 24) : amount.start]
    return (
        _LIMIT_BEFORE.search(before) is not None
        or _LIMIT_AFTER.match(body[amount.end : amount.end + 14]) is not None
    )


def total(subject: Subject, mentions: Mentions, sums: Sums) -> Check:
    """Every stated total is the sum of what it stands over; a heading's amount is one."""
    tally = CheckTally()
    for one in sums.stated:
        span = (one.amount.start, one.amount.end)
        if one.agrees is None:
            tally.unclear(f"the parts of the total ${one.amount.value:,.2f} are not all given")
        elif one.agrees:
            tally.ok()
        else:
            what = one.other or "its rows come to"
            tally.fail(
                span, f"{one.where}: stated ${one.amount.value:,.2f}, {what} ${one.computed or 0:,.2f}"
            )
    _phases_agree(tally, sums)
    return tally.check("no total is stated")


def _phases_agree(tally: CheckTally, sums: Sums) -> None:
    """The row of a phase in a summary table against the total of the phase's own section."""
    own = {one.label: one for one in sums.stated if one.label and one.where == "section"}
    for line in sums.lines:
        if line.kind != "row" or sums._is_total_row(line):
            continue
        label = sums._phase_cell(line) or _phase_of(line.text)
        if label is None or label not in own:
            continue
        column, amount = sums._total_cell(line)
        if amount is None or column < 0:
            continue
        section = own[label].amount
        slack = 1.0 if amount.whole or section.whole else 0.0101
        if abs(amount.value - section.value) > slack and len(amounts(sums.body, line.start, line.end)) == 1:
            tally.fail(
                (amount.start, amount.end),
                f"table: {label} is ${amount.value:,.2f}, its section says ${section.value:,.2f}",
            )


def budget(subject: Subject, mentions: Mentions, sums: Sums) -> Check:
    """The limits of the question hold for the computed cost."""
    demands = subject.demands
    if demands is None:
        return unverifiable("no question and no budget were given")
    limits = (demands.total_max, demands.total_min, demands.item_max, demands.item_min, demands.month_max)
    if all(limit is None for limit in limits):
        return unverifiable("the question names no budget")
    tally = CheckTally()
    grand = sums.grand()
    if grand is None and _is_plan(subject, mentions):
        grand = _sum_of_parts(sums)
    computed = grand[0] if grand else None
    total_max = demands.total_max
    if total_max is None and demands.month_max is not None and demands.months is not None:
        total_max = demands.month_max * demands.months
    if total_max is not None:
        _check_total(tally, sums, grand, total_max)
    if demands.total_min is not None and grand is not None:
        _hold(
            tally,
            grand[1],
            grand[0] >= demands.total_min - 0.005,
            f"${grand[0]:,.2f} is less than ${demands.total_min:,.2f}",
        )
    if demands.month_max is not None:
        _check_months(tally, sums, demands, grand)
    if demands.item_max is not None or demands.item_min is not None:
        _check_items(tally, subject, mentions, demands)
    return tally.check(
        "the report gives no cost to hold against the budget", computed=computed, limit=total_max
    )


def _check_total(tally: CheckTally, sums: Sums, grand: tuple[float, Span] | None, limit: float) -> None:
    if grand is not None:
        _hold(
            tally,
            grand[1],
            grand[0] <= limit + 0.005,
            f"the plan costs ${grand[0]:,.2f}, asked was at most ${limit:,.2f}",
        )
        return
    for part in sums.parts:
        if not part.optional:
            _hold(
                tally,
                (part.start, part.end),
                part.value <= limit + 0.005,
                f"${part.value:,.2f} is over ${limit:,.2f}",
            )


def _hold(tally: CheckTally, span: Span, holds: bool, why: str) -> None:
    if holds:
        tally.ok()
    else:
        tally.fail(span, why)


def _check_months(
    tally: CheckTally, sums: Sums, demands: Constraints, grand: tuple[float, Span] | None
) -> None:
    limit = demands.month_max or 0.0
    months = [one for one in sums.phases() if one[0].startswith("month")] or sums.phases()
    for label, value, span in months:
        _hold(
            tally,
            span,
            value <= limit + 0.005,
            f"{label} costs ${value:,.2f}, asked was at most ${limit:,.2f} a month",
        )
    if not months and grand is not None and demands.months is None:
        _hold(
            tally,
            grand[1],
            grand[0] <= limit + 0.005,
            f"the plan costs ${grand[0]:,.2f}, asked was at most ${limit:,.2f} a month",
        )


def _check_items(tally: CheckTally, subject: Subject, mentions: Mentions, demands: Constraints) -> None:
    from drr.eval.checks.facts import _prices_in

    said: dict[str, tuple[float, Span]] = {}
    for mention in mentions.mentions:
        prices = _prices_in(mentions, mention)
        product = subject.product(mention.product_id)
        if _OPTIONAL.search(mentions.plain[mention.start : mention.end]):
            continue
        if product is not None and product.price is not None and (prices or mention.own):
            said.setdefault(mention.product_id, (product.price, (mention.start, mention.end)))
        elif prices:
            said.setdefault(mention.product_id, (prices[0].value, (prices[0].start, prices[0].end)))
    for product_id, (value, span) in said.items():
        if demands.item_max is not None:
            _hold(
                tally,
                span,
                value <= demands.item_max + 0.005,
                f"{product_id} costs ${value:,.2f}, asked was at most ${demands.item_max:,.2f} each",
            )
        if demands.item_min is not None:
            _hold(
                tally,
                span,
                value >= demands.item_min - 0.005,
                f"{product_id} costs ${value:,.2f}, asked was at least ${demands.item_min:,.2f} each",
            )


def _is_plan(subject: Subject, mentions: Mentions) -> bool:
    return subject.query is not None and _PLAN.search(subject.query) is not None


def _sum_of_parts(sums: Sums) -> tuple[float, Span] | None:
    parts = [part for part in _distinct(sums.parts) if not part.optional]
    if len(parts) < 2:
        return None
    return sum(part.value for part in parts), (parts[0].start, parts[-1].end)
