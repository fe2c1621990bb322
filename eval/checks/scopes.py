"""Headings, bold lines and outer items: whose the lines are that stand under them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence

from drr.eval.checks.layout import TextLine
from drr.eval.checks.makers import PlaceNamed

_UNDER = 12
"""Lines that a heading or a bold line may stand above."""
_BOLD_LINE = 160
"""Characters of a bold line that stands for a heading; a longer one is a paragraph."""


_MODEL = re.compile(
    r"[\s>*_•-]{0,8}(?:model|product|item|name|pick|recommendation|recommended|choice|option)[\s*_]{0,4}:",
    re.I,
)
"""The item of a list of properties that says whose they are."""


class ScopesAbove:
    """Finds for a line without a name the line above that opens what is said of one product."""

    def __init__(self, lines: Sequence[TextLine], within: Callable[[int, int], list[PlaceNamed]]) -> None:
        self._lines = lines
        self._within = within
        self._starts = [line.start for line in lines]

    def product_over(self, line: TextLine | None) -> str | None:
        """The one product of the heading, the bold line or the outer item that a line stands under."""
        if line is None or (line.kind in ("heading", "title") and line.after_blank):
            return None
        at = bisect_left(self._starts, line.start)
        for above in reversed(self._lines[max(0, at - _UNDER) : at]):
            here = frozenset[str]().union(*(one.products for one in self._within(above.start, above.end)))
            if above.kind == "title" and len(above.text) > _BOLD_LINE and line.after_blank:
                return None
            if (
                line.kind == "item"
                and len(here) == 1
                and above.indent == line.indent
                and _MODEL.match(above.text)
            ):
                return next(iter(here))
            if above.kind in ("heading", "title") or (above.kind == "item" and above.indent < line.indent):
                return next(iter(here)) if len(here) == 1 else self._linked_under(above)
            if here or above.table >= 0:
                return None
        return None

    def _linked_under(self, above: TextLine) -> str | None:
        """The one product that is linked in what hangs on an item."""
        if above.kind != "item":
            return None
        at = bisect_left(self._starts, above.start)
        end = above.end
        for line in self._lines[at + 1 : at + 1 + _UNDER]:
            if line.kind in ("heading", "title", "row") or line.indent <= above.indent:
                break
            end = line.end
        linked = {one.products for one in self._within(above.start, end) if one.linked}
        return next(iter(next(iter(linked)))) if len(linked) == 1 else None
