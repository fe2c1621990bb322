"""What is read as one: a sentence, or a whole table."""

from __future__ import annotations

from collections.abc import Iterator

from drr.eval.checks.base import Span
from drr.eval.checks.mentions import Mentions


def stretches(mentions: Mentions) -> Iterator[Span]:
    table: Span | None = None
    for line in mentions.layout.lines:
        if line.is_row:
            table = (table[0] if table else line.start, line.end)
            continue
        if table:
            yield table
        table = None
        yield from mentions.sentences(line)
    if table:
        yield table
