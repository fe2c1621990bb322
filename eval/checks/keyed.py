"""Tables of properties and their values, all of one product: `Price | $61.99`, `Rating | 4.1`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from drr.eval.checks.base import Span
from drr.eval.checks.layout import TextLine

_ABOVE_TABLE = 3
"""Lines above a table in which it is named what the table is about."""
_PROPERTY = re.compile(
    r"^[\s*_]*(?:list |unit |current |our )?(?:price|cost|rating|ratings|stars|reviews?|size|weight|colou?r|material|capacity|dimensions?|brand|maker|power|battery|"
    r"height|width|length|depth|count|pack|scent|flavou?r|noise|coverage|wattage|warranty|includes|in the box|per \w+)\b",
    re.I,
)
"""What the first cell of a row calls a property."""


def keyed_tables(
    lines: Sequence[TextLine], body: str, named_on: Callable[[Span], frozenset[str]]
) -> dict[int, str]:
    """By table of two columns, the one product that it names, else the one named right above it."""
    rows: dict[int, list[int]] = {}
    for index, line in enumerate(lines):
        if line.table >= 0 and line.kind != "rule_row":
            rows.setdefault(line.table, []).append(index)
    found: dict[int, str] = {}
    for table, indices in rows.items():
        if any(len(lines[index].cells) != 2 for index in indices):
            continue
        first = (body[slice(*lines[index].cells[0])] for index in indices)
        if sum(_PROPERTY.search(one) is not None for one in first) < 2:
            continue
        named = frozenset[str]().union(*(named_on((lines[one].start, lines[one].end)) for one in indices))
        above = lines[max(0, indices[0] - _ABOVE_TABLE) : indices[0]]
        told = [here for line in reversed(above) if (here := named_on((line.start, line.end)))]
        meant = named or (told[0] if told else frozenset())
        if len(meant) == 1:
            found[table] = next(iter(meant))
    return found
