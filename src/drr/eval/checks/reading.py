"""Counts a report's numbers and dates, and those that a rule could check. So "no rule failed" is read rightly."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, TypedDict

from drr.eval.checks.results import Span, place_as_written
from drr.wording.excerpt import many

if TYPE_CHECKING:
    from drr.eval.checks.base import Subject
    from drr.eval.checks.results import Check


_NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,'’\u00a0\u202f]\d+)*(?![\d-]*[A-Z])")
"""A number in digits with whatever marks, read or not: `45,90`, `1.299`."""


class FiguresRow(TypedDict):
    """Numbers of a report's figures: dates, and other numbers in digits.

    Citation marks, addresses and list numbers do not count.
    """

    read: int
    """Number of figures that a rule found right or wrong."""
    of: int
    """Number of all figures in the report."""


def figures_read(subject: Subject, checks: Iterable[Check]) -> FiguresRow:
    """Count a report's figures, and those in places that a rule found right or wrong."""
    read, stood = subject.in_dollars
    figures = [one if stood is None else place_as_written(one, stood) for one in _figures(read)]
    decided = _flags(len(subject.report), chain.from_iterable(check.decided for check in checks))
    return {"read": sum(any(decided[start:end]) for start, end in figures), "of": len(figures)}


def _figures(subject: Subject) -> Iterator[Span]:
    from drr.citations.hidden import blank_spans
    from drr.eval.checks.mentions import BULLET, LINE
    from drr.wording.dates import dates

    cited = [(one.start, one.end) for one in subject.citations.markers]
    text = blank_spans(subject.citations.body, cited)
    days = [(one.start, one.end) for one in dates(text, 0, len(text))]
    taken = _flags(len(text), days)
    yield from days
    for line in LINE.finditer(text):
        bullet = BULLET.match(text, *line.span())
        start = line.start() if bullet is None else bullet.end()
        spans = (match.span() for match in _NUMBER.finditer(text, start, line.end()))
        yield from (one for one in spans if not any(taken[slice(*one)]))


def _flags(length: int, spans: Iterable[Span]) -> bytearray:
    """Return one flag per character, set inside any of the spans."""
    flags = bytearray(length)
    for start, end in spans:
        flags[start:end] = b"\1" * (end - start)
    return flags


def reading_text(row: FiguresRow | None) -> str:
    """Say in words how many figures rules could read; empty where nothing was counted."""
    if row is None:
        return ""
    return (
        f"rules could read {row['read']:,} of {many(row['of'], 'figure')}"
        if row["of"]
        else "no figure to read"
    )
