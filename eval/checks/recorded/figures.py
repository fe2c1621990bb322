"""Figures with a unit that the record of what they stand beside has otherwise, each with all that speaks for another meaning."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from drr.eval.checks.base import Span
from drr.eval.checks.grid import is_share_of_money
from drr.eval.checks.layout import TextLine
from drr.eval.checks.measures import MeasureSaid
from drr.eval.checks.mentions import is_in_name
from drr.eval.checks.naming import folded_words
from drr.eval.checks.recorded.around import traits_around
from drr.eval.checks.recorded.figure_traits import FigureTraits
from drr.eval.checks.recorded.owners import StatedOtherwise, StatementOwners, Whose
from drr.wording.numbers import DIGITS, number

_MOST, _MANY = 160, 4
_CLOSED = re.compile(
    r"[*_]{0,3}(?:\s?[.,;:)\]|/–—\"”]|\s?[x×-]|\s(?:wide|high|tall|long|deep|thick|across|in\s(?:diameter|length|width|height))\b|\s*$)",
    re.I | re.M,
)
"""Behind `in`, which else leads to what something is in: `4 in 2021`, `3 in May`."""
_BARE = re.compile(rf"[\s*_~]*(?P<n>{DIGITS})[\s*_]*")


class FigureCandidates:
    def __init__(self, owners: StatementOwners) -> None:
        self._owners, self._text, self._cast = owners, owners.text, owners.cast
        self._traits = FigureTraits(owners)

    def found(self) -> Iterator[StatedOtherwise]:
        yield from islice(self._every(), _MOST)

    def _every(self) -> Iterator[StatedOtherwise]:
        for line, span in self._owners.places():
            if span is None:
                yield from self._row(line)
                continue
            for said in self._cast.prose.measures(span):
                whose = self._owners.of((said.start, said.end), span)
                if whose is not None:
                    yield from self._one(said, whose, span, None)

    def _row(self, line: TextLine) -> Iterator[StatedOtherwise]:
        for cell, bound, label in self._owners.cells(line):
            found = self._cast.prose.measures(cell)
            of_money = is_share_of_money(label)
            for said in found:
                if not (of_money and said.kind == "share"):
                    yield from self._one(said, bound, (line.start, line.end), cell, label)
            bare = _BARE.fullmatch(self._text, *cell)
            if not found and bare is not None:
                yield from self._bare(number(bare["n"]), bare.span("n"), bound, line, cell, label)

    def _bare(
        self, value: float, where: Span, whose: Whose, line: TextLine, cell: Span, label: str
    ) -> Iterator[StatedOtherwise]:
        """A figure whose label names what the record's table has."""
        key = min(whose.whom)
        if key not in self._owners.products:
            return
        record = self._traits.record(key)
        words = set(folded_words(label))
        known = [one for word in sorted(words) for one in record.keyed.get(word, ())]
        unit = next((one for one in sorted(words) if any(m.unit == one for m in record.measures)), None)
        known += [one.value for one in record.measures if one.unit == unit] if unit else []
        if not known or any(abs(one - value) < 0.051 for one in known) or value in record.numbers:
            return
        said = MeasureSaid(value, value, "bare", "bare", False, *where, False, where[0])
        traits = dict.fromkeys(["start", "bare", *whose.traits], 1.0)
        traits |= dict.fromkeys(traits_around(self._owners.mentions, self._cast, where, row=cell), 1.0)
        traits |= self._traits.explained(said, whose, (line.start, line.end), [])
        yield StatedOtherwise("cell", where, self._why(where, key, f"{known[0]:g}"), traits)

    def _why(self, where: Span, key: str, known: str) -> str:
        return f"said {self._text[slice(*where)].strip()!r}, the record has {known} ({key})"

    def _one(
        self, said: MeasureSaid, whose: Whose, span: Span, cell: Span | None, label: str = ""
    ) -> Iterator[StatedOtherwise]:
        whom = whose.whom & self._owners.products.keys()
        if not whom or whom < whose.whom or len(whom) > _MANY or said.value <= 0:
            return
        records = [self._traits.record(key) for key in sorted(whom)]
        alike = [one.alike(said) for one in records]
        if not any(alike) or any(one.holds(said) for one in records):
            return
        if is_in_name(self._owners.mentions, said.start) or self._is_a_word(said):
            return
        every = [one for found in alike for one in found]
        traits = self._traits.of(said, whose, span, cell, label, every)
        traits["some_lack"] = float(not all(alike))
        known = ", ".join(sorted({f"{one.value:g} {one.unit}" for one in every})[:4])
        where = (said.start, said.end)
        yield StatedOtherwise(
            "cell" if cell is not None else "figure", where, self._why(where, min(whom), known), traits
        )

    def _is_a_word(self, said: MeasureSaid) -> bool:
        """Whether what looks like inches is `in`."""
        shown = self._text[said.start : said.end].rstrip()
        inches = said.unit == "inch" and shown[-2:].casefold() == "in"
        return inches and _CLOSED.match(self._text, said.end) is None
