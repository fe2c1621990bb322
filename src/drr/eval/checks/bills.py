"""Finds bills in a report: a table or list of products with costs, and the total below.

A bill counts only where each of its lines states one cost, because otherwise it is unknown which lines the total leaves out.

    - 2 x Gate, $46.99        costs 46.99 or 93.98, unless the record tells which
    - Clip, $5.00             costs 5.00
    **Total: $98.98**         right: a rule accuses only if no sum of such costs fits
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, groupby
from itertools import product as choices
from math import prod
from typing import NamedTuple

from drr.citations.hidden import blank_spans
from drr.env.entities import Product
from drr.eval.checks.mentions import Mentions, TextLine, after_bullet
from drr.eval.checks.results import Span
from drr.eval.checks.values import QUANTITY, is_total, plain_label, segment
from drr.wording.figures import NUMERAL, Quantity
from drr.wording.money import amounts
from drr.wording.quantities import quantities

_OPEN = re.compile(
    r"[-−–]\\?\$|\b(?:optional|alternative(?:ly)?|instead|skip|swap|if|upgrade|coupon|tax|shipping|discount|(?:sub)?total|limit|budget|saves?|saving|already)\b|\byou(?:['’]ve|\s(?:have|own))\b|~~"
    r"|\bor\s(?:\[|\\?\$|the\s|a\s)|\b(?:under|over|off|left|below|above)\s(?:\\?\$|your|the|budget|of)|\d\s?%\soff|[<>≤≥]|→(?!\s?(?:http|\[|\\?\$))",
    re.I,
)
"""Words of a line that may not belong to the sum."""
_MANY = re.compile(
    r"(?<![\w.$])(?P<many>\d{1,3})\s?[x×]\s?(?=[\[$*_A-Z\\(]|\d+\.\d\d\sUSD)|(?<![\d.]\s)(?<![\w.])[x×]\s?(?P<behind>\d{1,3})(?=\s*(?:[|,;:)=–—]|$))|\bqty:?\s(?P<qty>\d{1,3})(?!\d)"
)
_EACH = re.compile(r"(?<![\w.$])\d{1,3}\s?[x×]\s?[*_]{0,2}(?:\\?\$|US\$|USD|\d+\.\d\d\sUSD)")
"""Number of pieces right before the price of one."""
_EQUALS = re.compile(r"=\s?[*_]{0,2}\s?(?:US)?\\?\$")
SENTENCE = re.compile(r"(?<=[.;:!?)])\s+(?=[*_]{0,2}[A-Z])|\n")
_BETWEEN = " \t*_:=–—-.>•#"
_WHOLE = re.compile(r"\d{1,3}")
_PIECES = 999  # most pieces of a line
# A cent, and the rest that binary fractions leave.
_CENT = 0.011
_LONG = 120
"""Most characters of a line of text that may belong to a bill without naming a product."""
_MOST = 3**10
"""Most readings of a bill that are tried; each line with several costs multiplies them."""
_NEAR = 40  # lines in which the item above a line is looked for
_FEW = 8  # most rows of a table for whose total all choices of rows are tried


class BillLine(NamedTuple):
    """A line of a bill: its product, and its possible sums."""

    product_id: str | None
    price: float
    costs: tuple[float, ...]


class StatedBill(NamedTuple):
    """The lines of a bill and the total; `sums` are all possible sums of the lines."""

    lines: tuple[BillLine, ...]
    total: Quantity
    sums: tuple[float, ...]


class StatedTotal(NamedTuple):
    """An amount behind a label `Total`, and its line; `is_text` where no row, heading or item has it."""

    amount: Quantity
    line: Span
    is_text: bool = False


@lru_cache(maxsize=2)
def bills_of(mentions: Mentions) -> list[StatedBill]:
    return [*_tables(mentions), *_below_tables(mentions), *_lists(mentions)]


@lru_cache(maxsize=2)
def totals_of(mentions: Mentions) -> list[StatedTotal]:
    """Return every labelled total of the report."""
    found = []
    for line in mentions.lines:
        if line.kind == "row":
            here = [one for cell in line.cells if (one := _only_amount(mentions.body, *cell)) is not None]
            if _is_total_row(mentions.body, line) and len(here) == 1:
                found.append(StatedTotal(here[0], (line.start, line.end)))
        else:
            ends = (one.end() for one in SENTENCE.finditer(mentions.body, line.start, line.end))
            stated = (_total_at(mentions.body, start, line.end) for start in (line.start, *ends))
            span, is_text = (line.start, line.end), line.kind == "text"
            found += [StatedTotal(one, span, is_text) for one in stated if one is not None]
    return found


def _is_total_row(body: str, line: TextLine) -> bool:
    return any(is_total(segment(body, *cell).text) for cell in line.cells)


def _only_amount(body: str, start: int, end: int) -> Quantity | None:
    found = amounts(body, start, end)
    return found[0] if len(found) == 1 and not found[0].approx else None


def _total_at(body: str, start: int, end: int) -> Quantity | None:
    """Read `**Total: $42.98**`, whatever follows; of a written sum, its result."""
    found = amounts(body, start, min(end, start + 400))
    if not found or found[0].approx or "~~" in body[start:end]:
        return None
    label = body[start : found[0].start].strip(_BETWEEN)
    if not is_total(label) or len(label) > 60:
        return None
    equals = _EQUALS.search(body, found[0].end, end)
    behind = [one for one in found if equals is not None and one.start >= equals.start()]
    return behind[0] if behind else found[0]


SCOPE = re.compile(rf"\b(?:if|or|depending|for\s(?:{NUMERAL}))\b|\bto\s?[*_]{{0,2}}\\?\$", re.I)
_RANGE = re.compile(r"[\s*_]{0,4}[^\W\d_]{0,5}[–—-]?[\s*_]{0,4}\\?\$")
_LEAVES_OUT = re.compile(r"\b(?:before|without|not)\b", re.I)
_ENDS = re.compile(r"[.;]\s")


def has_scope(body: str, total: Quantity) -> bool:
    """Tell whether words behind a total may say what it is of. Those that compare it with another amount do not.

    `Total: $22.99 if you take my first choice` is a true total that no sum of the lines gives.
    """
    end = body.find("\n", total.end)
    behind = body[total.end : None if end < 0 else end]
    cell = behind.partition("|")[0]
    words = _ENDS.split(cell, 1)[0].rstrip(".;*_ \t")
    if _RANGE.match(body, total.end):
        return True
    known = _LEAVES_OUT.search(words) is not None or amounts(words) or not any(map(str.isalpha, words))
    return SCOPE.search(words) is not None or not known


def _tables(mentions: Mentions) -> Iterator[StatedBill]:
    rows = [line for line in mentions.lines if line.kind == "row"]
    for _, lines in groupby(rows, lambda line: line.table):
        above: list[TextLine] = []
        for line in lines:
            if not _is_total_row(mentions.body, line):
                above.append(line)
                continue
            stated = [
                (column, one)
                for column, cell in enumerate(line.cells)
                if (one := _only_amount(mentions.body, *cell)) is not None
            ]
            if len(stated) == 1:
                column, amount = stated[0]
                bill = _bill([_row(mentions, row, column) for row in above], amount)
                if bill is not None:
                    yield bill
            above = []


def _below_tables(mentions: Mentions) -> Iterator[StatedBill]:
    """Yield bills of a table and the total in the line below it. The total may be of any of its rows, several times, and of what stands above as well."""
    lines, above = mentions.lines, 0.0
    for place, line in enumerate(lines):
        total = None if line.is_row else _total_at(mentions.body, line.start, line.end)
        if total is None:
            continue
        table = lines[place - 1].table if place else -1
        low = place
        while low and lines[low - 1].table == table >= 0:
            low -= 1
        rows = [one for one in lines[low:place] if one.kind == "row"]
        columns = {k for row in rows for k, cell in enumerate(row.cells) if amounts(mentions.body, *cell)}
        bills = [_bill([_row(mentions, row, column) for row in rows], total) for column in columns]
        ends = not any(map(str.isalpha, mentions.body[total.end : line.end]))
        known = [one for one in bills if one is not None]
        if ends and known and len(known) == len(bills) and len(rows) <= _FEW:
            sums = [round(s + more, 2) for one in known for s in _parts(one) for more in (0.0, above)]
            sums += [round(s * round(total.value / s), 2) for s in sums if 0 < s < total.value]
            yield known[0]._replace(sums=tuple(sums))
        above += total.value


def _parts(bill: StatedBill) -> Iterator[float]:
    """Yield the sums of all lines, then those of some of them."""
    yield from bill.sums
    for many in range(1, len(bill.lines)):
        for some in combinations([one.costs for one in bill.lines], many):
            yield from map(sum, choices(*some))


def _bill(lines: Sequence[BillLine | None], total: Quantity) -> StatedBill | None:
    """Return the bill; `None` where a line could not be read."""
    known = tuple(one for one in lines if one is not None)
    if len(known) != len(lines) or len(known) < 2:
        return None
    open_ = [one.costs for one in known if len(one.costs) > 1]
    fixed = sum(one.costs[0] for one in known if len(one.costs) == 1)
    whole = sum(one.price for one in known)
    if prod(map(len, open_)) > _MOST or (
        len(known) > 2 and any(abs(2 * one.price - whole) <= _CENT for one in known)
    ):
        return None  # one line is the sum of the others: a total of a part
    return StatedBill(known, total, tuple(round(fixed + sum(some), 2) for some in choices(*open_)))


def _row(mentions: Mentions, row: TextLine, column: int) -> BillLine | None:
    """Return the cost of a row, in the column of the total."""
    ids = {one.product_id for one in mentions.within(row.start, row.end)}
    if column >= len(row.cells) or len(ids) > 1 or _is_open(mentions, row):
        return None
    amount = _only_amount(mentions.body, *row.cells[column])
    if amount is None:
        return None
    many = _many(mentions, row.start, row.end)
    product = mentions.subject.product(next(iter(ids), ""))
    perhaps = _perhaps_many(mentions, row.start, row.end, amount)
    for place, cell in enumerate(row.cells[: len(row.header)]):
        if plain_label(row.header[place]) in QUANTITY and _WHOLE.fullmatch(
            text := segment(mentions.body, *cell).text
        ):
            many = 1 if product is not None and int(text) == product.rating_number else int(text)
    return _line(mentions, product, amount, many, row.cells[column], perhaps)


def _is_open(mentions: Mentions, line: TextLine) -> bool:
    """Tell whether a line may not belong to the sum, by its words. `with a pole: $48.95` goes on from the line above."""
    above = mentions.lines[max(0, bisect_left(mentions.lines, line.start, key=lambda x: x.start) - 1)]
    first, before = (
        mentions.body[after_bullet(mentions.body, x) : x.end].lstrip(" *_|[")[:1] for x in (line, above)
    )
    goes_on = first.islower() and before.isupper() and above.kind == line.kind
    goes_on = goes_on and not mentions.within(line.start, line.end)
    return goes_on or _OPEN.search(mentions.plain, line.start, line.end) is not None


def _many(mentions: Mentions, start: int, end: int) -> int:
    match = _MANY.search(mentions.body, start, end)
    return 1 if match is None else int(match["many"] or match["behind"] or match["qty"])


def _perhaps_many(mentions: Mentions, start: int, end: int, amount: Quantity) -> set[int]:
    """Return the numbers of pieces that a line may tell: its bare whole numbers, in digits or words.

    With words before its product it may be a choice that is left out: none. Words for pieces differ by language and report,
    and a true total must not be accused.
    """
    names = mentions.within(start, end)
    rest = blank_spans(
        mentions.plain[:end], [(amount.start, amount.end), *((one.start, one.end) for one in names)]
    )
    bare = (one for one in quantities(rest[start:]) if one.kind is None and one.unit is None)
    found = {int(one.value) for one in bare if one.value.is_integer() and 1 < one.value <= _PIECES}
    return found | {0} if names and any(map(str.isalpha, rest[start : names[0].start])) else found


def _line(
    mentions: Mentions,
    product: Product | None,
    amount: Quantity,
    many: int,
    place: Span,
    perhaps: Iterable[int],
) -> BillLine:
    """Return a line with its possible costs.

    The amount is for one piece if the text says so (`2 x $5.99`) or if it is the record's price. It is for all pieces if it is their
    price by the record. Otherwise both are possible.
    """
    known, value = None if product is None else product.price, amount.value
    product_id = None if product is None else product.product_id
    if many == 1:
        return BillLine(product_id, value, (value, *(round(value * one, 2) for one in sorted(perhaps))))
    if _EACH.search(mentions.body, *place) or (known is not None and abs(value - known) <= _CENT):
        return BillLine(product_id, value, (round(many * value, 2),))
    if known is not None and abs(value - many * known) <= _CENT:
        return BillLine(product_id, known, (value,))
    return BillLine(product_id, value, (value, round(many * value, 2)))


# Lists.


def _lists(mentions: Mentions) -> Iterator[StatedBill]:
    """Yield bills of lines with one cost each and a total right behind. Of a list in a list, the outer lines or the inner ones may count."""
    lines = mentions.lines
    for index, line in enumerate(lines):
        if line.kind == "row":
            continue
        total = _total_at(mentions.body, after_bullet(mentions.body, line), line.end)
        if total is None:
            continue
        above = _by_product(mentions, list(_lines_above(mentions, lines, index)))
        depth = min((one.indent for one, _ in above), default=0)
        inner = [
            cost
            for place, (one, cost) in enumerate(above)
            if not (place and above[place - 1][0].indent > one.indent)
        ]
        outer = [cost for one, cost in above if one.indent == depth]
        ways = [_bill(some, total) for some in (inner, outer, [cost for _, cost in above])]
        bills = [one for one in ways if one is not None]
        if len(bills) == len(ways) or (bills and None not in inner):
            yield bills[0]._replace(sums=tuple(one for bill in bills for one in bill.sums))


def _by_product(
    mentions: Mentions, above: Sequence[tuple[TextLine, BillLine | None]]
) -> list[tuple[TextLine, BillLine | None]]:
    """Join the amounts below one product, as a list price or a price a kilogram may stand there too. Lines of no product may not count."""
    found: list[tuple[TextLine, BillLine | None]] = []
    names_products = any(mentions.within(line.start, line.end) or _owner(mentions, line) for line, _ in above)
    for owner, block in groupby(above, lambda one: _owner(mentions, one[0])):
        own = list(block)
        known = [cost for _, cost in own if cost is not None]
        if owner is not None and len(own) == len(known) > 1:
            costs = [each for one in known for each in one.costs]
            whole = sum(one.costs[0] for one in known)
            own = [(own[0][0], known[0]._replace(costs=tuple(dict.fromkeys([*costs, whole, 0.0]))))]
        elif owner is None and names_products:
            own = [(line, one if one is None or one.product_id else _optional(one)) for line, one in own]
        found += own
    return found


def _optional(cost: BillLine) -> BillLine:
    """Return a line that may be left out of the total or taken off it: shipping, a saving, a voucher."""
    return cost._replace(costs=(*cost.costs, 0.0, *(-one for one in cost.costs)))


def _owner(mentions: Mentions, line: TextLine) -> int | None:
    """Return the start of the item of a product below which a line stands that names none."""
    place = bisect_left(mentions.lines, line.start, key=lambda one: one.start)
    near = reversed(mentions.lines[max(0, place - _NEAR) : place])
    outer = next((one for one in near if one.indent < line.indent), None)
    if outer is None or line.kind != "item" or mentions.within(line.start, line.end):
        return None
    return outer.start if mentions.within(outer.start, outer.end) else None


def _lines_above(
    mentions: Mentions, lines: Sequence[TextLine], index: int
) -> Iterator[tuple[TextLine, BillLine | None]]:
    """Yield the costs above a total, of items or adjacent lines, from below; `None` for one that cannot be read.

    They are in the section of the total, or in the sections before where this section has none.
    """
    last: TextLine | None = None
    own = True
    for line in reversed(lines[:index]):
        kind = last and last.kind
        if line.kind in ("row", "head_row", "rule_row"):
            return
        if not line.text.strip(" -=_*~"):
            continue
        if line.kind == "heading" and not amounts(line.text):
            if kind is not None and own:
                return
            own = False
            continue
        if not amounts(line.text):
            if last is not None and line.kind == "item" and kind == "item" and line.indent < last.indent:
                last = line
                continue
            if (line.kind == "item" and kind == "item") or mentions.within(line.start, line.end):
                yield line, None
            return
        if kind == "item" and line.kind != "item":
            return
        last = line
        yield line, (one := _item(mentions, line))
        if one is None:
            return
        if line.kind == "text" and line.after_blank and not mentions.within(line.start, line.end):
            return


def _item(mentions: Mentions, line: TextLine) -> BillLine | None:
    """Return the cost of a line: its only amount, or the result for a product (`2 x $5.99 = $11.98`)."""
    ids = {one.product_id for one in mentions.within(line.start, line.end)}
    found = amounts(mentions.body, line.start, line.end)
    if len(ids) > 1 or _is_open(mentions, line) or any(one.approx for one in found):
        return None
    leads_on = len(line.text) > _LONG or line.text.rstrip().endswith(":")
    if not ids and line.kind == "text" and leads_on:
        return None
    if len(found) == 1:
        many = _many(mentions, line.start, line.end)
        product = mentions.subject.product(next(iter(ids), ""))
        perhaps = _perhaps_many(mentions, after_bullet(mentions.body, line), line.end, found[0])
        return _line(mentions, product, found[0], many, (line.start, line.end), perhaps)
    equals = _EQUALS.search(mentions.body, line.start, line.end)
    if len(found) == 2 and equals is not None and found[1].start >= equals.start():
        return BillLine(next(iter(ids), None), found[0].value, (found[1].value,))
    return None
