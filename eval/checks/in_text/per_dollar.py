"""How much a dollar buys, `about 87 lumens per dollar`: some figure beside it, or of the record, must come to it by some price beside it.

Beside a figure of a table stands its row or column; beside one of prose whatever is in sight. Left alone where no price or no figure stands there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import chain, combinations, islice
from typing import NamedTuple

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.grid import PER_DOLLAR, column_at
from drr.eval.checks.layout import TextLine
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.known import numbers_in
from drr.eval.checks.leftover.said import MONEY, SaidFigure
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.makers import named_by
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.records import record_text
from drr.eval.checks.residue import residue_of
from drr.wording.hedges import HEDGES
from drr.wording.numbers import DIGITS, number

_SAID = re.compile(
    rf"(?<![\w.,$/-])(?P<n>{DIGITS})\s(?P<u>[a-z]{{3,14}})\s(?:per|for\s(?:each|every|a)|(?:to|on)\sthe)\sdollar\b",
    re.I,
)
"""`about 87 lumens per dollar`"""
_CELL = re.compile(
    rf"[\s*_~≈]{{0,4}}(?:about\s|some\s|roughly\s|around\s)?[*_]{{0,3}}(?P<n>{DIGITS})[\s*_]{{0,4}}", re.I
)
_NOT_ONE = re.compile(
    r"\b(?:more|less|fewer|extra|than|at\sleast|if|would|average|mean|median|total|together|both|difference|gap)\b|\?",
    re.I,
)
_MOST, _NUMBERS, _RECORDED = 40, 16, 60
"""Such figures of a report; numbers that are multiplied by each other, and things that are in sight; numbers of a record."""
_HEDGED, _BEFORE = 0.06, 24


class _PerDollar(NamedTuple):
    span: Span
    numbers: list[float]
    prices: list[float]
    """What stands beside it."""


def wrong_per_dollar(mentions: Mentions) -> Iterator[Accusation]:
    """Figures per dollar that nothing comes to by a price beside it."""
    held = sight_of(mentions).held
    for one in islice(chain(_of_tables(mentions, held), _of_prose(mentions, held)), _MOST):
        low, high = _bounds(mentions.plain, one.span)
        reached = (many / price for many in one.numbers for price in one.prices)
        if one.numbers and one.prices and not any(low <= value <= high for value in reached):
            why = f"said {mentions.plain[slice(*one.span)]} per dollar, which nothing beside it comes to by its price"
            yield Accusation("per_dollar", one.span, why, Certainty.SENTENCE)


def _of_tables(mentions: Mentions, held: HeldAgainst) -> Iterator[_PerDollar]:
    """Cells of a column, or of a row, that is headed so."""
    text = mentions.plain
    for index, line in enumerate(mentions.layout.lines):
        if line.kind != "row":
            continue
        of_row = PER_DOLLAR.search(text, *line.cells[0]) is not None
        for low, high in line.cells[1:]:
            match, column = _CELL.fullmatch(text, low, high), column_at(line, low)
            if match is None or column is None:
                continue
            if of_row:
                yield _in_column(mentions, held, line, column, match.span("n"))
            elif PER_DOLLAR.search(mentions.tables.label(index, column, text)):
                yield _in_row(held, line, match.span("n"))


def _in_row(held: HeldAgainst, line: TextLine, span: Span) -> _PerDollar:
    row = line.start, line.end
    numbers, prices = _numbers(held.said.within(row), span), _values(held.ledger.within(*row))
    return _PerDollar(span, *_with_records(held, numbers, prices, named_by(held.cast.within(*row))))


def _in_column(mentions: Mentions, held: HeldAgainst, line: TextLine, column: int, span: Span) -> _PerDollar:
    """Of the other rows of its table, what stands in its column."""
    rows = (one for one in mentions.layout.lines if one.table == line.table and one.kind == "row")
    cells = [one.cells[column] for one in rows if one is not line and column < len(one.cells)]
    numbers = [value for cell in cells for value in _numbers(held.said.within(cell), span)]
    prices = [price for cell in cells for price in _values(held.ledger.within(*cell))]
    owner = held.cast.column_owner(line, column)
    return _PerDollar(span, *_with_records(held, numbers, prices, {owner} if owner else ()))


def _of_prose(mentions: Mentions, held: HeldAgainst) -> Iterator[_PerDollar]:
    """By any figure of any record in sight, and any price."""
    text, residue, keys = mentions.plain, residue_of(mentions), held.cast.products.keys()
    for match in _SAID.finditer(text):
        line, sentence = held.prose.prose_line_at(match.start()), held.prose.sentence_at(match.start())
        if line is None or residue.cites_the_web(sentence):
            continue
        if residue.doubt(sentence, ("unreal", "conditional", "charged")):
            continue
        if not held.ledger.within(line.start, line.end):
            continue  # it is not said what anything costs
        if len(keys) > _NUMBERS or _NOT_ONE.search(text, *held.prose.clause_at(match.start())):
            continue
        numbers, prices = _numbers(held.said.all, match.span()), _values(held.ledger.figures)
        unit = match["u"].casefold().rstrip("s")
        yield _PerDollar(match.span("n"), *_with_records(held, numbers, prices, keys, unit))


def _numbers(some: Iterable[SaidFigure], but: Span) -> list[float]:
    return [one.value for one in some if one.start != but[0] and one.kind not in MONEY]


def _values(some: Iterable[Figure]) -> list[float]:
    return [one.value for one in some]


def _with_records(
    held: HeldAgainst, said: list[float], prices: list[float], keys: Collection[str], unit: str = ""
) -> tuple[list[float], list[float]]:
    """With the prices and the figures of their records; where none of these has the unit, two of them multiplied too."""
    some = [held.cast.products[key] for key in sorted(keys) if key in held.cast.products]
    recorded = [each for one in some for each in numbers_in(f"{one.title} {record_text(one)}", _RECORDED)]
    every = dict.fromkeys([*said, *(value for value, _ in recorded)])
    numbers = [value for value in every if value > 1][:_RECORDED]
    if not unit or all(named != unit for _, named in recorded):
        numbers += [a * b for a, b in combinations(numbers[:_NUMBERS], 2)]
    return numbers, [one for one in [*prices, *(each.price or 0.0 for each in some)] if one > 0]


def _bounds(text: str, span: Span) -> tuple[float, float]:
    """Between which it may lie: a hundredth off, and farther where it is hedged."""
    shown = text[slice(*span)]
    value, places = number(shown), len(shown.partition(".")[2])
    hedged = HEDGES.before.search(text[max(0, span[0] - _BEFORE) : span[0]]) is not None and not places
    slack = max(0.5 * 10.0**-places, (_HEDGED if hedged else 0.01) * value) + 1e-6
    return value - slack, value + slack
