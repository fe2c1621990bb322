"""How much a dollar buys, `lumens per dollar`: a figure in a row of its price must come to one of the row, or of the record, by that price."""

from __future__ import annotations

import re
from collections.abc import Iterator

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.grid import column_at
from drr.eval.checks.layout import TextLine
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.known import numbers_in
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.records import record_text
from drr.eval.checks.residue import residue_of
from drr.wording.hedges import HEDGES
from drr.wording.numbers import DIGITS, number

_HEAD = re.compile(r"\b[a-z]{2,20}\s?(?:per|/|for\s(?:each|every|a)|to\sthe)\s?(?:dollar\b|\$|usd\b)", re.I)
_SAID = re.compile(
    rf"(?<![\w.,$/-])(?P<n>{DIGITS})\s(?P<u>[a-z]{{3,14}})\s(?:per|for\s(?:each|every|a)|(?:to|on)\sthe)\sdollar\b",
    re.I,
)
"""`about 87 lumens per dollar`"""
_CELL = re.compile(
    rf"[\s*_~≈]{{0,4}}(?:about\s|some\s|roughly\s|around\s)?[*_]{{0,3}}(?P<n>{DIGITS})[\s*_]{{0,4}}", re.I
)
_MOST, _NUMBERS, _RECORDED = 40, 16, 60
_HEDGED, _BEFORE = 0.06, 24


def wrong_per_dollar(mentions: Mentions) -> Iterator[Accusation]:
    """Figures per dollar that nothing comes to by a price beside it."""
    held = sight_of(mentions).held
    found = [*_of_tables(mentions, held), *_of_prose(mentions, held)]
    for span, numbers, prices in found[:_MOST]:
        shown = mentions.plain[slice(*span)]
        low, high = _bounds(
            shown,
            hedged=HEDGES.before.search(mentions.plain[max(0, span[0] - _BEFORE) : span[0]]) is not None,
        )
        if (
            numbers
            and prices
            and not any(low <= many / price <= high for many in numbers for price in prices)
        ):
            why = f"said {shown} per dollar, which nothing beside it comes to by its price"
            yield Accusation("per_dollar", span, why, Certainty.SENTENCE)


_Found = tuple[Span, list[float], list[float]]


def _of_tables(mentions: Mentions, held: HeldAgainst) -> Iterator[_Found]:
    """Cells of a column, or of a row, that is headed so."""
    text = mentions.plain
    for index, line in enumerate(mentions.layout.lines):
        if line.kind != "row" or not line.cells:
            continue
        of_row = _HEAD.search(text, *line.cells[0]) is not None
        for low, high in line.cells[1:]:
            match = _CELL.fullmatch(text, low, high)
            place = column_at(line, low)
            if match is None or place is None:
                continue
            if of_row:
                yield match.span("n"), *_in_column(mentions, held, line, place)
            elif _HEAD.search(mentions.tables.label(index, place, text)):
                yield match.span("n"), *_in_row(mentions, held, line, match.span("n"))


def _in_row(
    mentions: Mentions, held: HeldAgainst, line: TextLine, but: Span
) -> tuple[list[float], list[float]]:
    span = line.start, line.end
    numbers = [
        one.value
        for one in held.said.within(span)
        if one.start != but[0] and one.kind not in ("money", "unit")
    ]
    prices = [one.value for one in held.ledger.within(*span)]
    keys = {key for one in held.cast.within(*span) for key in one.products} & held.cast.products.keys()
    return _with_records(held, keys, numbers, prices)


def _in_column(
    mentions: Mentions, held: HeldAgainst, line: TextLine, column: int
) -> tuple[list[float], list[float]]:
    """Of all rows of its table, what stands in its column."""
    numbers: list[float] = []
    prices: list[float] = []
    for other in mentions.layout.lines:
        if (
            other.table == line.table
            and other.kind == "row"
            and column < len(other.cells)
            and other is not line
        ):
            cell = other.cells[column]
            numbers += [one.value for one in held.said.within(cell) if one.kind not in ("money", "unit")]
            prices += [one.value for one in held.ledger.within(*cell)]
    owner = held.cast.column_owner(line, column)
    return _with_records(held, {owner} if owner else set(), numbers, prices)


def _of_prose(mentions: Mentions, held: HeldAgainst) -> Iterator[_Found]:
    """By any figure of any record in sight, and any price."""
    text, residue = mentions.plain, residue_of(mentions)
    keys = held.cast.products.keys()
    for match in _SAID.finditer(text):
        sentence = held.prose.sentence_at(match.start())
        line = held.prose.line_at(match.start())
        if (
            line is None
            or line.cells
            or residue.cites_the_web(sentence)
            or residue.doubt(sentence, ("unreal", "conditional", "charged"))
        ):
            continue
        if not held.ledger.within(line.start, line.end):
            continue  # it is not said what anything costs
        if len(keys) > _NUMBERS or _NOT_ONE.search(text, *held.prose.clause_at(match.start())):
            continue
        said = [
            one.value
            for one in held.said.all
            if one.start != match.start() and one.kind not in ("money", "unit")
        ]
        prices = [one.value for one in held.ledger.figures]
        unit = match["u"].casefold().rstrip("s")
        yield match.span("n"), *_with_records(held, set(keys), said, prices, unit)


_NOT_ONE = re.compile(
    r"\b(?:more|less|fewer|extra|than|at\sleast|if|would|average|mean|median|total|together|both|difference|gap)\b|\?",
    re.I,
)


def _with_records(
    held: HeldAgainst, keys: set[str], numbers: list[float], prices: list[float], unit: str = ""
) -> tuple[list[float], list[float]]:
    """With the prices and the figures of their records; where none of these has the unit, two of them multiplied too."""
    is_counted = False
    for key in sorted(keys):
        one = held.cast.products[key]
        prices = prices if one.price is None else [*prices, one.price]
        recorded = list(numbers_in(f"{one.title} {record_text(one)}", _RECORDED))
        numbers = [*numbers, *(value for value, _ in recorded)]
        is_counted |= any(said == unit for _, said in recorded if unit)
    few = [one for one in dict.fromkeys(numbers) if one > 1][:_RECORDED]
    some = [] if is_counted else few[:_NUMBERS]
    twice = [a * b for index, a in enumerate(some) for b in some[:index]]
    return [*few, *twice], [one for one in dict.fromkeys(prices) if one > 0]


def _bounds(shown: str, *, hedged: bool) -> tuple[float, float]:
    value, places = number(shown), len(shown.partition(".")[2])
    slack = 0.5 * 10.0**-places
    slack = max(slack, 0.01 * value, _HEDGED * value if hedged and not places else 0.0)
    return value - slack - 1e-6, value + slack + 1e-6
