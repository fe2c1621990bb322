"""Colour, material, size and the like of a product that is certain, held against the record where both are of one closed class."""

from __future__ import annotations

import re

from drr.env.entities import Product
from drr.eval.checks.base import CheckTally, Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.layout import TextLine
from drr.eval.checks.mentions import Mentions, is_in_name
from drr.eval.checks.naming import folded_words
from drr.eval.checks.residue import LASTING, residue_of
from drr.wording.attributes import ATTRIBUTES, AttributeSaid

_ALIKE = {"gray": "grey", "aluminium": "aluminum", "9 v": "9v", "transparent": "clear"}
_HEADS = {
    "colour": re.compile(r"\bcolou?r\b", re.I),
    "material": re.compile(r"\bmaterials?\b|\bmade (?:of|from)\b|\bfabric\b", re.I),
    "size": re.compile(r"\bsize\b", re.I),
    "point": re.compile(r"\bnib\b|\bpoint\b|\btip\b", re.I),
    "cell": re.compile(r"\bpower\b|\bbatter", re.I),
    "finish": re.compile(r"\bfinish\b", re.I),
}
"""What the label of a cell says that it holds."""


class Attributes:
    """Reads the sentences and cells of a report one after the other."""

    def __init__(self, tally: CheckTally, mentions: Mentions, cast: Cast, texts: dict[str, str]) -> None:
        self._tally = tally
        self._cast = cast
        self._mentions = mentions
        self._residue = residue_of(mentions)
        self._plain = mentions.plain
        self._texts = texts
        """By product, all words of its record."""

    def sentence(self, span: Span) -> None:
        for said in ATTRIBUTES.said(self._plain[slice(*span)]):
            start, end = span[0] + said.start, span[0] + said.end
            if is_in_name(self._mentions, start):
                continue
            meant = self._cast.meant_at(start, end)
            product = self._cast.products.get(meant.only or "")
            if product is None or not meant.certain:
                continue
            clause = self._plain[slice(*self._cast.prose.clause_at(start))]
            if ATTRIBUTES.is_otherwise(clause) or not (
                said.bound or self._is_of_the_thing(said, span, product)
            ):
                continue
            self._compare(said, (start, end), product, meant.bound, self._residue.doubt(span, LASTING))

    def row(self, line: TextLine, index: int) -> None:
        """Cells whose label says what they hold."""
        columns, owner = self._cast.by_columns(line), self._cast.row_owner(line)
        for column, (low, high) in enumerate(line.cells):
            whose = self._cast.column_owner(line, column) if columns else owner
            label = self._mentions.tables.label(index, column, self._plain)
            if self._cast.is_keyed(line) and column:
                label = self._plain[slice(*line.cells[0])]
            product = self._cast.products.get(whose or "")
            if product is None or not label or (columns and column == 0):
                continue
            cell = self._plain[low:high]
            for said in ATTRIBUTES.said(cell):
                if _HEADS[said.group].search(label) and not ATTRIBUTES.is_otherwise(cell):
                    self._compare(said, (low + said.start, low + said.end), product, Certainty.CELL, None)

    def _is_of_the_thing(self, said: AttributeSaid, span: Span, product: Product) -> bool:
        """`the cedar feeder`, `amber body`: right before a word of the product's own title."""
        if said.group not in ("colour", "material"):
            return False
        behind = re.match(
            r"[\s*_]{1,3}([a-z]{3,20})\b", self._plain[span[0] + said.end : span[0] + said.end + 30]
        )
        return behind is not None and folded_words(behind[1])[0] in folded_words(product.title)

    def _compare(
        self, said: AttributeSaid, span: Span, product: Product, bound: Certainty, doubt: str | None
    ) -> None:
        stated = [
            value
            for field in ATTRIBUTES.fields[said.group]
            if isinstance(value := product.details.get(field), str)
        ]
        known = {_ALIKE.get(word, word) for value in stated for word in ATTRIBUTES.of(said.group, value)}
        words = set(folded_words(_ALIKE.get(said.word, said.word)))
        whole = self._texts[product.product_id]
        if not known:
            return
        if (
            any(word in ATTRIBUTES.kinds_of(said.word) for word in known)
            or words & {part for word in known for part in folded_words(word)}
            or words & set(folded_words(whole))
        ):
            self._tally.ok()
        elif said.group == "cell" or _is_whole(said, stated):
            why = f"said {said.word!r}, the record says {', '.join(stated)} ({product.product_id})"
            self._tally.accuse("attribute", span, why, bound, doubt)


def _is_whole(said: AttributeSaid, stated: list[str]) -> bool:
    """Whether the record's values are words of the class and little else."""
    return any(ATTRIBUTES.of(said.group, value) for value in stated)


def compare_attributes(tally: CheckTally, mentions: Mentions, cast: Cast, texts: dict[str, str]) -> None:
    attributes = Attributes(tally, mentions, cast, texts)
    for index, line in enumerate(mentions.layout.lines):
        if line.kind == "row":
            attributes.row(line, index)
        elif line.kind not in ("head_row", "rule_row", "elision"):
            for span in cast.prose.sentences(line):
                attributes.sentence(span)
