"""Finds the product that a labelled line is about, by structure alone: its item, the items around, the heading.

A link inside an item reaches the lines within that item. It reaches the items or lines beside it only where it comes first: in a list or
section that tells facts before its first link, nobody can tell whether a fact belongs to the link above or below. An item or title with words of its own and
no product is a thing of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from drr.eval.checks.mentions import PAGES, Mentions, ProductReference, TextLine, after_bullet
from drr.eval.checks.naming import SAME, full_name, name_words, similarity
from drr.eval.checks.values import Field, segment, split_label

_MANY = 40  # most lines within an item of one product
_OUTSIDE = -1
"""Depth of what stands in no list."""


@dataclass(slots=True)
class OpenList:
    """A list that is not yet over, or the section around all lists."""

    depth: int
    owner: str | None
    """Product that a labelled item of this list is about."""
    within: str | None
    """Product that what stands within its last item is about."""
    is_linked: bool = False
    is_loose: bool = False
    """True if facts stand before the first link."""
    seen: set[Field] = field(default_factory=set)
    """Fields of the owner that this list has given."""
    parted: set[Field] = field(default_factory=set)
    """Fields given before an item of another kind. Given again, they may be about that item."""


class ProductScopes:
    """Follows the lines of a report in order."""

    def __init__(self, mentions: Mentions) -> None:
        self._mentions = mentions
        self._lines = mentions.lines
        self._open = [OpenList(_OUTSIDE, None, None)]

    def refer(self, line: TextLine, owner: str | None) -> None:
        """Enter a line that refers to products. `owner`: the one that lines below may be about."""
        here, section = self._place_of(line), self._open[0]
        section.is_linked = True
        if line.kind != "item":
            here.within = owner
            if here.depth == _OUTSIDE:
                is_loose = section.is_loose and not self._begins_section(line)
                self._enter_section(None if is_loose else owner, is_loose=is_loose)
            return
        if owner != self._open[0].owner:
            self._open[0].owner = self._open[0].within = None  # a paragraph below may be of either
        here.owner = owner if owner == here.owner or not here.is_loose else None
        here.within, here.is_linked = owner, True
        here.seen, here.parted = set(), set()

    def close(self) -> None:
        """Leave all lists and what the heading names."""
        self._open = [OpenList(_OUTSIDE, None, None)]

    def set_owner(self, owner: str) -> None:
        """Enter the product of a row, which the next rows are about."""
        is_loose = self._open[0].is_loose
        self._enter_section(None if is_loose else owner, is_loose=is_loose)

    @property
    def owner(self) -> str | None:
        """Return the product that a row is about which names none."""
        return self._open[-1].within

    def owner_at(self, line: TextLine) -> str | None:
        """Return the product that a line is about if it has a label."""
        here = self._place_of(line)
        return here.owner if line.kind == "item" else here.within

    def leave(self, line: TextLine) -> None:
        """Enter a line after which nobody can tell what the lines beside it are about."""
        here = self._place_of(line)
        here.within = None
        if line.kind == "item" or here.depth == _OUTSIDE:
            here.owner = None

    def tell(self, line: TextLine, named: Field | None) -> str | None:
        """Enter a line with a known label, and return the product that it is about."""
        here = self._place_of(line)
        if named is not None:
            self.note_fact()
        if line.kind != "item" and here.depth != _OUTSIDE:
            return here.within
        if named in here.parted:
            here.owner = None
        if named is not None:
            here.seen.add(named)
            here.is_loose = here.is_loose or not here.is_linked
        here.within = here.owner
        return here.owner

    def note_fact(self) -> None:
        """Enter a fact. Before the first link of its section it leaves those below without order."""
        self._open[0].is_loose |= not self._open[0].is_linked

    def part(self, index: int, line: TextLine) -> str | None:
        """Enter a line with words of its own, and return the product that its other labels are about."""
        here = self._place_of(line)
        here.parted |= here.seen
        if line.kind != "item":
            return here.within
        here.within = None if here.owner else self._linked_below(index, line)
        return here.owner

    def _enter_section(self, owner: str | None, *, is_loose: bool) -> None:
        self._open = [OpenList(_OUTSIDE, owner, owner, is_linked=True, is_loose=is_loose)]

    def _begins_section(self, line: TextLine) -> bool:
        """Tell whether a line is a heading, or a title that is no label with its value: `**ID:** B07X4L3M14`."""
        whole = segment(self._mentions.body, after_bullet(self._mentions.body, line), line.end)
        return line.kind == "heading" or (line.kind == "title" and split_label(whole) is None)

    def _place_of(self, line: TextLine) -> OpenList:
        """Close the lists that a line is no part of, and return the list that it stands in."""
        if line.kind == "item":
            depth = depth_of(line)
            while self._open[-1].depth > depth:
                self._open.pop()
            if self._open[-1].depth < depth:
                around = self._open[-1]
                here = OpenList(depth, around.within, around.within)
                if around.depth == _OUTSIDE:
                    here.seen, here.parted = set(around.seen), set(around.parted)
                self._open.append(here)
        else:
            while line.after_blank and self._open[-1].depth >= 2 * line.indent:
                self._open.pop()
        return self._open[-1]

    def _linked_below(self, index: int, line: TextLine) -> str | None:
        """Return the one product within an item, where a link alone leads to it or the item is its name."""
        lines = list(islice(self._within(index, line), _MANY))
        found = [(each, one) for each in lines for one in self._mentions.within(each.start, each.end)]
        ids = {one.product_id for _, one in found}
        is_its = any(self._is_alone(*one) for one in found) or any(
            self._is_named(line, one) for _, one in found[:1]
        )
        return ids.pop() if len(ids) == 1 and is_its and len(lines) < _MANY else None

    def _within(self, index: int, line: TextLine) -> Iterator[TextLine]:
        for each in map(self._lines.__getitem__, range(index + 1, len(self._lines))):
            if each.kind == "item":
                outside = depth_of(each) <= depth_of(line)
            else:
                outside = each.kind != "text" or (each.after_blank and each.indent <= line.indent)
            if outside:
                return
            yield each

    def _is_alone(self, line: TextLine, one: ProductReference) -> bool:
        """Tell whether an item is only an address: `[View product](LINK)`, `Link: LINK`."""
        body = self._mentions.body
        lead = name_words(body[after_bullet(body, line) : one.start])
        return one.named is None and not name_words(body[one.end : line.end]) and PAGES.is_of_a_page(lead)

    def _is_named(self, line: TextLine, one: ProductReference) -> bool:
        """Tell whether an item is the product's name."""
        product, body = self._mentions.subject.product(one.product_id), self._mentions.body
        name = body[after_bullet(body, line) : line.end]
        return (
            product is not None and len(name_words(name)) > 1 and similarity(name, full_name(product)) >= SAME
        )


def depth_of(line: TextLine) -> int:
    """Return the depth of an item. Bullets right below a number are within it, though people do not indent them."""
    return 2 * line.indent + (not line.text.lstrip()[:1].isdigit())
