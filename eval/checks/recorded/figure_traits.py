"""What speaks for another meaning of a figure that a record has otherwise, and for this one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import combinations

from drr.eval.checks.anchored import anchored, record_anchors
from drr.eval.checks.base import Span
from drr.eval.checks.measures import A_RATE, PACKAGES, MeasureSaid
from drr.eval.checks.naming import folded_words
from drr.eval.checks.recorded.around import traits_around
from drr.eval.checks.recorded.figures_known import RecordedFigures
from drr.eval.checks.recorded.owners import StatementOwners, Whose
from drr.eval.checks.records import numbers_said
from drr.wording.dates import dates
from drr.wording.numbers import DIGITS, SPOKEN, number, spoken

_FEW = 40
_TOLD = 400
_BEFORE = 24
_MORE = re.compile(
    r"[\s*_]{1,3}(?:[a-z-]{2,12}[\s*_]{1,3}){0,4}?(?:more|less|fewer|apart|later|earlier|ago|before|after|extra|difference|[a-z]{3,8}er|further|old)\b(?!\sthan\s\d)",
    re.I,
)
"""Behind a figure: so much more, or so long ago."""
_MORE_CLOSE = re.compile(
    r"[\s*_]{1,3}(?:[a-z]{2,12}[\s*_]{1,3})?(?:more|less|fewer|extra|apart|later|earlier|ago|spare|short|over|left|difference|further|longer|shorter|taller|wider|narrower|heavier|"
    r"lighter|higher|lower|deeper|bigger|smaller|larger|thicker|thinner|louder|quieter|brighter|dimmer|warmer|cooler|faster|slower|stronger|weaker|better|worse)\b",
    re.I,
)
"""Right behind it: by so much one thing has more than another."""
_ENDS = re.compile(r"[*_]{0,3}(?:[.,;:)!—–|]|\s(?:and|but|with|for|at|while|or)\b|$)")
_REACHED = re.compile(
    r"\b(?:above|over|under|below|beyond|least|most|than|need|needs|want|wants|for|within|past|by|only|just|to|about|around|every|per|after|until|till|another|extra|some)[\s*_]{1,3}(?:the\s|an?\s|your\s)?$",
    re.I,
)
_OTHER_END = re.compile(rf"(?P<n>{DIGITS})\s?(?:[a-z]{{1,8}}\s)?(?:to|-|–|through)\s?$", re.I)
_WORKED = re.compile(r"[=×÷/+<>~≈]|\bx\s?\d|\d\s?x\b")
_LONG = frozenset(["day", "week", "month", "year"])
_COUNTED = re.compile(
    r"\b(?:holds?|carr(?:y|ies)|weighs?|takes?|runs?|lasts?|measures?|supports?|bears?|covers?|moves?|gives?|offers?|has|have|is|are|of|at|with|rated|stops?|up\sto)[\s*_]{1,3}$",
    re.I,
)
_COUNTS = re.compile(
    rf"\b(?P<two>both|pair|double|twice|couple)\b|\b(?P<w>{SPOKEN})\b|(?<![\w.,$-])(?P<n>\d{{1,3}})(?![\d.,]*\d)",
    re.I,
)


class FigureTraits:
    def __init__(self, owners: StatementOwners) -> None:
        self._owners, self._text, self._cast = owners, owners.text, owners.cast
        self._records: dict[str, RecordedFigures] = {}
        self._asked = numbers_said(owners.mentions.subject.query or "")

    def record(self, key: str) -> RecordedFigures:
        if key not in self._records:
            self._records[key] = RecordedFigures(self._owners.products[key])
        return self._records[key]

    def of(
        self,
        said: MeasureSaid,
        whose: Whose,
        span: Span,
        cell: Span | None,
        label: str,
        every: list[MeasureSaid],
    ) -> dict[str, float]:
        """All of a figure; `every` is what the record has of its kind."""
        where, whom = (said.start, said.end), whose.whom
        clause = cell or self._cast.prose.clause_at(said.start)
        traits = dict.fromkeys(["start", f"bound_by_{whose.bound}", *whose.traits], 1.0)
        traits |= self._of_the_record(said, whom, every)
        traits |= dict.fromkeys(traits_around(self._owners.mentions, self._cast, where, row=cell), 1.0)
        traits["several"] = float(len(whom) > 1)
        if A_RATE.match(self._text, said.end):
            traits["rate"] = 1.0
        traits |= self.explained(said, whose, span, every)
        traits |= dict(self._owners.beside(where, whom, span))
        traits |= dict.fromkeys(self._shape(said, whom, span), 1.0)
        traits["more_certain"] = float("so_much_more" in traits and "certain" in traits)
        traits["so_many"] = float(self._is_so_many(said, span, every))
        traits |= dict.fromkeys(self._heads(said, whom, clause, label), 1.0)
        traits |= self._company(said, whom, clause, span)
        keyed = {word for key in whom for word in self.record(key).keyed}
        if label and set(folded_words(label)) & keyed:
            traits["labelled"] = 1.0
        return {name: value for name, value in traits.items() if value}

    def _shape(self, said: MeasureSaid, whom: Iterable[str], span: Span) -> Iterator[str]:
        """What the words right before and behind a figure make of it."""
        text = self._text
        before = text[max(span[0], said.start - _BEFORE) : said.start]
        if _MORE.match(text, said.end, span[1]):
            yield "so_much_more"
        if _MORE_CLOSE.match(text, said.end, span[1]):
            yield "more_by_it"
        if _ENDS.match(text, said.end):
            yield "ends"
        if _REACHED.search(before):
            yield "reached"
        if _COUNTED.search(before):
            yield "stated"
        other = _OTHER_END.search(before)
        if other is not None:
            yield "range"
            value = number(other["n"])
            if any(value in self.record(key).numbers for key in whom):
                yield "range_half_held"
        if _WORKED.search(text, max(span[0], said.start - 30), min(span[1], said.end + 30)):
            yield "calculated"
        if said.kind == "time":
            yield "time_long" if said.unit in _LONG else "time_short"
            if said.unit in _LONG and next(iter(dates(text, *span)), None) is not None:
                yield "time_dated"

    def _is_so_many(self, said: MeasureSaid, span: Span, every: Iterable[MeasureSaid]) -> bool:
        """Whether it is what so many of the thing have as its sentence counts."""
        counts = {
            2.0 if match["two"] else float(match["n"]) if match["n"] else float(spoken(match["w"]))
            for match in _COUNTS.finditer(self._text, *span)
            if match.start() != said.start
        }
        slack = 0.01 * said.base
        return any(abs(many * one.base - said.base) <= slack for many in counts if many > 1 for one in every)

    def _heads(self, said: MeasureSaid, whom: Iterable[str], clause: Span, label: str) -> Iterator[str]:
        """Whether the words beside it stand beside another figure of its kind in the record."""
        mine = next((one for one in anchored(self._text, *clause) if one.measure.start == said.start), None)
        if mine is None:
            return
        if label:
            mine = mine._replace(heads=mine.heads | set(folded_words(label)))
        for key in whom:
            anchors = record_anchors(self._owners.products[key])
            for least in (1, 2):
                found = anchors.states(mine, least)
                if found:
                    yield f"head_{least}"
                    if len({one.base for one in found}) == 1:
                        yield f"head_{least}_alone"
        if not mine.heads:
            yield "no_heads"

    def _company(self, said: MeasureSaid, whom: frozenset[str], clause: Span, span: Span) -> dict[str, float]:
        """Whether the other figures beside it are right of the same thing."""
        found = dict[str, float]()
        for name, where in (("clause", clause), ("sentence", span)):
            others = [one for one in self._cast.prose.measures(where) if one.start != said.start]
            held = sum(any(self.record(key).holds(one) for key in whom) for one in others)
            if others:
                found[f"{name}_company_right"] = held / len(others)
                found[f"{name}_company_wrong"] = (len(others) - held) / len(others)
        return found

    def _of_the_record(
        self, said: MeasureSaid, whom: Iterable[str], every: list[MeasureSaid]
    ) -> dict[str, float]:
        values = {round(one.base, 4) for one in every}
        firm = any(one.unit == said.unit for key in whom for one in self.record(key).firm)
        near = min((abs(one / said.base - 1) for one in values if said.base), default=9.0)
        far = min((max(one, said.base) / max(min(one, said.base), 1e-6) for one in values), default=99.0)
        return {
            "one_value": float(len(values) == 1),
            "two_values": float(len(values) == 2),
            "many_values": float(len(values) > 3),
            "same_unit": float(any(one.unit == said.unit for one in every)),
            "firm": float(firm),
            "passing": float(said.passing),
            "counted": float(said.unit == said.kind),
            "package": float(said.kind == "count" or said.unit in PACKAGES),
            "hedged": float(said.hedged),
            "rounded": float(near < 0.06),
            "close": float(0.06 <= near < 0.2),
            "far_off": float(far > 8),
            "loose_number": float(any(said.value in self.record(key).numbers for key in whom)),
            "in_words": float(not any(ch.isdigit() for ch in self._text[said.start : said.end])),
        }

    def explained(
        self, said: MeasureSaid, whose: Whose, span: Span, every: list[MeasureSaid]
    ) -> dict[str, float]:
        """Which wider readings explain it."""
        owners, found = self._owners, dict[str, float]()
        here = owners.near(span) - whose.whom
        text = set(self._cast.products) - whose.whom - here
        held = self._holds if said.kind != "bare" else self._has_number
        group = "cell" if whose.bound == "cell" else "near" if "in_clause" in whose.traits else "loose"
        told = [one for one in self._told if one.start != said.start]
        marks = {
            "of_one_here": any(held(key, said) for key in here),
            "of_one_in_text": any(held(key, said) for key in text),
            "of_a_sibling": whose.bound != "cell" and any(held(key, said) for key in self._wider(whose)),
            "asked_for": said.value in self._asked,
            "again": any(one.unit == said.unit and one.value == said.value for one in told),
            "own_said_here": any(
                one.same(each)
                for one in self._cast.prose.measures(span)
                if one.start != said.start
                for each in every
            ),
            "own_said": any(one.same(each) for one in told for each in every),
            "worked_out": self._is_worked_out(said, told, every, differences=False),
            "differs_by": self._is_worked_out(said, told, every, differences=True),
        }
        for name, is_so in marks.items():
            if is_so:
                found[name] = 1.0
                found[f"{name}_{group}"] = 1.0
        found["crowded"] = min(1.0, len(self._cast.products) / 20)
        return found

    def _wider(self, whose: Whose) -> list[str]:
        found = self._owners.siblings(whose.whom) | set(self._cast.possible)
        return sorted(found - whose.whom)[:_FEW]

    def _is_worked_out(
        self, said: MeasureSaid, told: list[MeasureSaid], every: list[MeasureSaid], *, differences: bool
    ) -> bool:
        slack = 0.015 * said.base + 1e-6
        alike = list({one.base for one in (*told, *every) if one.kind == said.kind})[:_FEW]
        if differences:
            return any(abs(abs(a - b) - said.base) <= slack for a, b in combinations(alike, 2))
        values = [a + b for a, b in combinations(alike, 2)]
        values += [one * many for one in alike for many in (2, 3, 4, 5, 6, 8, 10, 12)]
        values += [one / many for one in alike for many in (2, 3, 4, 5, 6, 12)]
        return any(abs(one - said.base) <= slack for one in values)

    @cached_property
    def _told(self) -> list[MeasureSaid]:
        prose = self._cast.prose
        lines = self._owners.mentions.layout.lines
        return [one for line in lines for one in prose.measures((line.start, line.end))][:_TOLD]

    def _holds(self, key: str, said: MeasureSaid) -> bool:
        return self.record(key).measures_so(said)

    def _has_number(self, key: str, said: MeasureSaid) -> bool:
        return said.value in self.record(key).numbers
