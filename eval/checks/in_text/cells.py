"""What a table tells of two things under one head: the figures that a sentence beside it holds against each other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from drr.eval.checks.base import Span
from drr.eval.checks.layout import TextLine
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.said import MONEY

_MOST = 40
"""Rows that are looked into."""


def told_of_both(
    held: HeldAgainst, span: Span, mine: str, theirs: str, *, of_cost: bool
) -> Iterator[tuple[float, float]]:
    """Each two figures of one row, or one column, of the tables of a stretch that are of the one thing and of the other: amounts, or anything else."""
    rows = [one for one in held.cast.lines if one.kind == "row" and span[0] <= one.start < span[1]][-_MOST:]
    pairs = [pair for row in rows for pair in _columns(held, row, mine, theirs)]
    ours, others = (
        [
            one
            for one in rows
            if {key for each in held.cast.within(one.start, one.end) for key in each.products} == {key}
        ]
        for key in (mine, theirs)
    )
    pairs += [
        pair
        for a, b in product(ours, others)
        if a.table == b.table
        for pair in zip(a.cells, b.cells, strict=False)
    ]
    for cells in pairs:
        x, y = (
            [one.value for one in held.said.within(each) if (one.kind in MONEY) is of_cost] for each in cells
        )
        yield from product(x, y)


def _columns(held: HeldAgainst, row: TextLine, mine: str, theirs: str) -> Iterator[tuple[Span, Span]]:
    """The cells of a row under the heads of both."""
    owners = {held.cast.column_owner(row, at): cell for at, cell in enumerate(row.cells) if at}
    if mine in owners and theirs in owners:
        yield owners[mine], owners[theirs]
