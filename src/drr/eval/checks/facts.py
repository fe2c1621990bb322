"""Collects facts about products from places of a report that leave no doubt about the product.

These are cells of the product's row or column, values right behind its link, id or mark (`[X](LINK), $21.99`), labelled lines below,
and a next sentence that begins with `It` or `This`. All other running text is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, takewhile

from drr.eval.checks.behind import (
    HEAD,
    OF_FIVE,
    SENTENCE_END,
    FactsBehind,
    ProductFacts,
    detail_of,
    is_bundled,
)
from drr.eval.checks.mentions import (
    Mentions,
    ProductReference,
    ProductTables,
    TextLine,
    ValueCell,
    after_bullet,
)
from drr.eval.checks.naming import SAME, full_name, name_words, similarity
from drr.eval.checks.scopes import ProductScopes
from drr.eval.checks.values import (
    SaidValue,
    Segment,
    cell_values,
    field_of,
    is_of_stars,
    may_count_ratings,
    segment,
    segments,
    split_label,
    stars_and_votes,
    values_of,
)
from drr.wording.money import amounts

_LISTED = re.compile(r"(?:,|\band)\s\$?\d+\.\d")
"""Several values behind one label."""
_BOLD_LABEL = re.compile(r"\s*(?:[-*+]\s)?(?:\*\*|__)[^*_]{1,40}(?::(?:\*\*|__)|(?:\*\*|__)\s?[:–—-])\s?\S")
_NAME_FIRST = re.compile(r"[A-Z][\w&'’-]+\s[A-Z]|\[")
_PLUS = re.compile(r"\S \+\s\S")
_PAIR = 2  # number of cells in a row that is a label with its value
_MANY = 40  # most lines around a product that may be about it
_FEW = 4  # most words of a value behind a label


@lru_cache(maxsize=2)
def facts_of(mentions: Mentions) -> ProductFacts:
    """Return the facts of a report, read once for all rules."""
    reader = _Reader(mentions)
    for index, line in enumerate(mentions.lines):
        reader.take(index, line)
    return ProductFacts(reader.values, reader.attributes)


class _Reader(FactsBehind):
    """Reads the lines of a report in order, with the product that the lines above are about."""

    def __init__(self, mentions: Mentions) -> None:
        super().__init__(mentions)
        self._lines = mentions.lines
        self._tables = ProductTables(mentions)
        self._scopes = ProductScopes(mentions)
        self._bundled = {
            one.product_id
            for line in self._lines
            for cell in (line.cells if line.kind == "head_row" else ())
            for one in mentions.within(*cell)
            if is_bundled(mentions.body, one.end)
        }
        """Products of columns that are sets: `| [1] + oil |`."""

    def take(self, index: int, line: TextLine) -> None:
        references = self._mentions.within(line.start, line.end)
        ids = {one.product_id for one in references}
        if line.cells:
            self._row(line)
        elif line.kind == "elision" or not line.text.strip(" -=_*~"):
            return
        elif ids:
            self._behind(line, references)
            owner = next(iter(ids)) if len(ids) == 1 and self._opens(line, references) else None
            self._scopes.refer(line, owner)
            if owner is not None and line.kind == "item":
                self._read_items_below(index, line, references[-1])
            elif owner is not None:
                self._read_lines_above(index, line, owner)
        else:
            self._labelled_line(index, line)

    # Tables.

    def _row(self, line: TextLine) -> None:
        cells = [] if self._is_of_a_bundle(line) else list(self._tables.cells(line))
        cells = [one for one in cells if one.product_id not in self._bundled]
        has_stars = any(field_of(one.label) == "stars" for one in cells)
        if cells and len(line.cells) == _PAIR:
            self._scopes.set_owner(cells[0].product_id)
        for place, cell in enumerate(cells):
            behind_stars = place > 0 and field_of(cells[place - 1].label) == "stars"
            if has_stars and may_count_ratings(cell.label, behind_stars=behind_stars):
                self._enter(cell.product_id, cell_values("count", cell.value), line)
            elif not self._enter_under_label(cell.product_id, cell.label, cell.value, line):
                self._cell(cell, line)
        if not cells and len(line.cells) == _PAIR and not self._mentions.within(line.start, line.end):
            label, value = (segment(self._body, *cell) for cell in line.cells)
            if (field := field_of(label.text)) is not None and cell_values(field, value):
                self._scopes.note_fact()
            if (owner := self._scopes.owner) is not None:
                self._enter_under_label(owner, label.text, value, line)

    def _cell(self, cell: ValueCell, line: TextLine) -> None:
        """Read a cell below no known heading, such as `$9 / 4.2` or `4.2 (28)`."""
        names, parts = cell.label.split(" / "), list(segments(self._body, cell.value.start, cell.value.end))
        if len(names) == len(parts) > 1:
            for name, part in zip(names, parts, strict=True):
                self._enter_under_label(cell.product_id, name, part, line)
        elif is_of_stars(cell.label):
            pair = stars_and_votes(self._body, cell.value.start, cell.value.end, None, marked=True)
            if any(self._agrees(cell.product_id, one) for one in pair):
                self._enter(cell.product_id, pair, line)
        elif not OF_FIVE.search(cell.value.text):
            values = [one for one in values_of(cell.value) if one.field != "price"]
            self._enter(cell.product_id, values, line)

    def _is_of_a_bundle(self, line: TextLine) -> bool:
        """Tell whether a row names several things in the cell of its product: `Starter + Z [3]`."""
        ids = {one.product_id for one in self._mentions.within(line.start, line.end)}
        return len(ids) == 1 and any(
            _PLUS.search(self._body, *cell) and self._mentions.within(*cell) for cell in line.cells
        )

    def _read_items_below(self, index: int, line: TextLine, one: ProductReference) -> None:
        """Read the items in an item that is a product's reference alone: the only amount, stars, number of ratings."""
        behind, before = (
            self._lines[index + 1 : index + _MANY],
            self._lines[max(0, index - _MANY) : index][::-1],
        )
        inner = list(takewhile(lambda each: each.kind == "item" and each.indent > line.indent, behind))
        lead = self._body[after_bullet(self._body, line) : one.start].rstrip(" *_([")
        alone = (
            not lead or lead.endswith(":") or HEAD.fullmatch(self._body, line.start, one.start) is not None
        )
        if not inner:
            beside = list(takewhile(lambda each: each.kind == "item" and each.indent == line.indent, before))
            alone = bool(line.indent) and _is_named(self._mentions, one, before[len(beside) :])
            after = takewhile(lambda each: each.kind == "item" and each.indent == line.indent, behind)
            inner = [*reversed(beside), *after]
        if not 0 < len(inner) < _MANY - 1 or not alone or self._body[one.end : line.end].strip(" *_:"):
            return
        low, high = inner[0].start, inner[-1].end
        named = self._capitals(one, self._body[low:high])
        ids = {each.product_id for each in self._mentions.within(low, high)} - {one.product_id}
        if named or ids or len({each.indent for each in inner}) > 1:
            return
        found = [value for each in inner for value in self._first_values(each)]
        fields = [value.field for value in found]
        if len(amounts(self._body, low, high)) > 1:
            found = [value for value in found if value.field != "price"]
        self._enter(one.product_id, [value for value in found if fields.count(value.field) == 1], line)

    def _read_lines_above(self, index: int, line: TextLine, product_id: str) -> None:
        """Read the labelled lines right above that of an id, if one of their figures is the product's own."""
        parts: list[tuple[str, Segment]] = []
        near = self._lines[max(0, index - _MANY) : index + 1]
        for each, below in reversed(list(pairwise(near))):
            part = split_label(segment(self._body, each.start, each.end))
            if (
                below.after_blank
                or each.kind != "text"
                or part is None
                or self._mentions.within(each.start, each.end)
            ):
                break
            parts.append(part)
        fields = [(field_of(label), value) for label, value in parts]
        found = [one for field, value in fields if field is not None for one in cell_values(field, value)]
        sure = any(one.field != "stars" and self._agrees(product_id, one) for one in found)
        if sure and len({one.field for one in found}) == len(found):
            self._enter(product_id, found, line)

    def _first_values(self, line: TextLine) -> Iterator[SaidValue]:
        """Yield the values without a label that an item begins with; `4/5` may be the writer's own score."""
        for one in segments(self._mentions.plain, after_bullet(self._body, line), line.end):
            values = values_of(one)
            if not values or ":" in one.text or OF_FIVE.search(one.text):
                return
            yield from values

    # Lines without a reference: labels under a product.

    def _labelled_line(self, index: int, line: TextLine) -> None:
        """Read `Price: $21.99`. A line of another form, or a heading, ends what is said of the product above."""
        whole = segment(self._body, after_bullet(self._body, line), line.end)
        label_and_value = split_label(whole)
        owner = self._scopes.owner_at(line)
        field = None if label_and_value is None else field_of(label_and_value[0])
        known = label_and_value is not None and (
            field is not None or (owner is not None and self._is_known(owner, label_and_value[0]))
        )
        if not known and (
            line.kind == "heading" or (line.kind == "title" and not _BOLD_LABEL.match(line.text))
        ):
            self._scopes.close()
        elif not known and self._leaves(line, whole, label_and_value):
            self._scopes.leave(line)
        owner = self._scopes.tell(line, field) if known else self._scopes.part(index, line)
        if owner is None or label_and_value is None:
            return
        every = list(segments(self._body, whole.start, line.end))
        parts = [split_label(one) for one in every]
        if sum(part is not None for part in parts) < 2:
            parts = [None if _LISTED.search(label_and_value[1].text) else label_and_value]
        for place, part in enumerate(parts):
            behind = every[place + 1 : place + 2] if len(parts) > 1 else []
            listed = any(one.text[:1].isdigit() and not values_of(one) for one in behind)
            if part is not None and not listed:
                self._enter_under_label(owner, *part, line)

    def _leaves(self, line: TextLine, whole: Segment, value: tuple[str, Segment] | None) -> bool:
        """Tell whether a line ends what is said of a product: text without a label or apart, or a name."""
        if line.kind == "text":
            return (
                value is None
                or line.after_blank
                or not (value[1].text[:1].isdigit() or len(value[1].text.split()) < _FEW)
            )
        return (value is None and _NAME_FIRST.match(whole.text) is not None) or (
            self._body[line.start : whole.start].count("*") > 1 and value is None
        )

    def _is_known(self, product_id: str, label: str) -> bool:
        subject = self._mentions.subject
        product = subject.product(product_id)
        return field_of(label) is not None or bool(product and detail_of(product, label, subject))

    def _opens(self, line: TextLine, references: Sequence[ProductReference]) -> bool:
        """Tell whether the lines below may be about a line's product. This holds where nothing else follows the reference to it."""
        behind = self._body[references[-1].end : line.end]
        if is_bundled(self._body, references[-1].end):
            return False
        return line.kind != "text" or SENTENCE_END.search(behind) is None


def _is_named(mentions: Mentions, one: ProductReference, above: Sequence[TextLine]) -> bool:
    """Tell whether the line above, an item further out, is the product's name."""
    product = mentions.subject.product(one.product_id)
    if not above or above[0].kind != "item" or product is None:
        return False
    name = mentions.body[after_bullet(mentions.body, above[0]) : above[0].end]
    return len(name_words(name)) > 1 and similarity(name, full_name(product)) >= SAME
