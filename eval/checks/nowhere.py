"""A figure with its unit, or a grade (`SPF 40`, `P-5`), said of something: wrong where no record in sight has it, nor do figures in sight come to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.known import numbers_in
from drr.eval.checks.leftover.said import SaidFigure
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.measures import A_RATE, measures_of, packed
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.records import record_text
from drr.eval.checks.residue import residue_of
from drr.wording.units import UNITS

_NO_UNITS = frozenset(
    [
        "star",
        "rating",
        "review",
        "people",
        "person",
        "reviewer",
        "rater",
        "vote",
        "order",
        "purchase",
        "time",
        "day",
        "week",
        "month",
        "cent",
        "dollar",
        "buck",
        "penny",
        "pack",
        "boxe",
        "box",
        "bag",
        "set",
        "piece",
        "item",
        "pair",
        "count",
        "of",
        "in",
        "for",
        "from",
        "to",
        "at",
        "by",
        "and",
        "or",
        "more",
        "les",
        "fewer",
        "other",
        "different",
        "them",
        "these",
        "those",
        "such",
        "point",
        "percent",
        "product",
        "kind",
        "sort",
        "thing",
        "one",
        "option",
        "choice",
        "model",
        "maker",
        "half",
        "third",
        "quarter",
        "dozen",
        "customer",
        "buyer",
        "owner",
        "user",
        "listing",
        "result",
        "candidate",
        "entrie",
        "entry",
        "column",
        "row",
        "category",
        "shelf",
        "store",
        "shop",
        "kit",
        "alternative",
        "record",
        "parcel",
        "deliverie",
        "delivery",
    ]
)
"""Of these no record tells how many, or it tells it in several ways."""
_NOT_SAID = re.compile(
    r"\b(?:more|less|fewer|extra|difference|apart|total|together|altogether|combined|sum|twice|double|half|another|additional|each|every|per|need(?:s|ed)?|want(?:s|ed)?|"
    r"asked|limit|budget|save[sd]?|left|over|above|under|below|least|most|short|than|if|would|could|might|should|until|after|before|usually|typically|some|any|"
    r"elsewhere|question|recommend\w*|advise\w*|guides?|blog|site|longer|shorter|wider|taller|heavier|lighter|bigger|smaller|larger|enough|ago|since|orders?|ordered|"
    r"bought|comes?|makes?|lasts?|buys?|your|my|our|his|her|their|you|we|i|cousins?|siblings?|sisters?|rivals?|others?|former|latter|one)\b|\?|[×x=+]",
    re.I,
)
"""Its clause may be of a need, a difference, a use or another thing."""
_MINE = re.compile(r"\b(?:my|our|we|I)\b|\bthere['’]s\b")
_NOT_GRADED = re.compile(
    r"\b(?:not|no|never|if|would|can|like|as|guides?|recommend\w*|need|want|asked|least|than|over|above|better)\b|\?",
    re.I,
)
_GRADE = re.compile(
    r"(?<![\w/-])(?P<p>[A-Z]{1,4}|[A-Z][a-z]{2})[\s-]?(?P<n>\d{1,3}|I{1,3}|IV|V)(?![\w.,/]*\d)(?!\w)"
)
_NO_GRADES = frozenset(
    [
        "IN",
        "FT",
        "OZ",
        "LB",
        "I",
        "A",
        "ON",
        "AT",
        "NO",
        "F",
        "JAN",
        "FEB",
        "MAR",
        "APR",
        "MAY",
        "JUN",
        "JUL",
        "AUG",
        "SEP",
        "OCT",
        "NOV",
        "DEC",
    ]
)
_REACH = 1000
_BEFORE = 8
"""Characters before a clause with the word that opens it."""
_FEW, _MOST, _OF_A_RECORD = 25, 60, 400
_ROUNDED = 0.6
"""A whole number in words, from seven on, may be rounded."""
Grade = tuple[str, str]


def found_nowhere(mentions: Mentions) -> Iterator[Accusation]:
    """Figures and grades that stand in no record in sight."""
    reader = _Nowhere(mentions)
    yield from reader.figures()
    yield from reader.grades()


class _Nowhere:
    def __init__(self, mentions: Mentions) -> None:
        self._mentions, self._text = mentions, mentions.plain
        self._residue = residue_of(mentions)
        self._numbers: dict[str, list[float]] = {}

    @property
    def _held(self) -> HeldAgainst:
        return sight_of(self._mentions).held

    def figures(self) -> Iterator[Accusation]:
        said = (one for one in self._held.said.all if one.kind in ("count", "measure") and len(one.unit) > 1)
        for one in [each for each in said if each.unit not in _NO_UNITS and not each.hedged][:_MOST]:
            span = self._read(one.start, one.end, _NOT_SAID)
            if span is None or _MINE.search(self._text, *span) or A_RATE.match(self._text, one.end):
                continue
            own, near = self._named(span, one.start, one.end)
            if any(self._held.known.of((key,)).with_unit(one.unit) for key in own) and not self._comes_to(
                one, span, near
            ):
                yield self._accusation(one.start, one.end, one.unit)

    def grades(self) -> Iterator[Accusation]:
        asked = _grades(self._mentions.subject.query or "")
        for match in list(_GRADE.finditer(self._text))[:_MOST]:
            grade = (match["p"].upper(), match["n"])
            span = (
                None if grade[0] in _NO_GRADES or grade in asked else self._read(*match.span(), _NOT_GRADED)
            )
            if span is None:
                continue
            own, near = self._named(span, *match.span())
            of_own = {one[0] for key in own for one in self._grades_of(key)}
            if grade[0] in of_own and not any(grade in self._grades_of(key) for key in near):
                yield self._accusation(*match.span(), "")

    def _read(self, start: int, end: int, leaves: re.Pattern[str]) -> Span | None:
        """Its sentence or row, where that speaks plainly of what the shop sells."""
        line = self._held.prose.line_at(start)
        if line is None or line.kind == "rule_row":
            return None
        span = (
            (line.start, line.end)
            if line.kind in ("row", "head_row")
            else self._held.prose.sentence_at(start)
        )
        clause = self._held.prose.clause_at(start)
        low = max(span[0], min(clause[0], start) - _BEFORE)
        if line.kind not in ("row", "head_row") and leaves.search(self._text, low, clause[1]):
            return None
        if self._residue.cites_the_web(span) or self._residue.doubt(clause):
            return None
        return None if self._held.cast.names_a_stranger(span) else span

    def _named(self, span: Span, start: int, end: int) -> tuple[set[str], set[str]]:
        """What its sentence names before it, or what it surely speaks of; and all that is in sight."""
        held, known = self._held, self._held.known.products.keys()
        line = held.prose.line_at(start)
        is_row = line is not None and line.kind in ("row", "head_row")
        own = {key for one in held.cast.within(span[0], span[1] if is_row else start) for key in one.products}
        meant = held.cast.meant_at(start, end)
        if not is_row and not own and held.cast.within(end, span[1]):
            return set(), set()  # `a dog of 90 pounds is no trouble for the ramp`
        own = own or (set(meant.products) if meant.certain else set())
        if is_row:
            return own & known, set(held.cast.products) & known
        low = max(0, span[0] - _REACH)
        return own & known, (
            own | {key for one in held.cast.within(low, span[1]) for key in one.products}
        ) & known

    def _comes_to(self, one: SaidFigure, span: Span, near: Iterable[str]) -> bool:
        """Whether any record in sight, the question, or figures in sight in one step, come to it."""
        known = self._held.known
        slack = 1e-6 + (_ROUNDED if not one.digits and one.value >= 7 else 0.0)
        low = max(0, span[0] - _REACH)
        beside = [
            each.value
            for each in self._held.said.within((low, span[1]))
            if each.start != one.start and each.kind not in ("money", "unit", "rating", "ratings")
        ][-30:]
        units = [value for key in near for value in self._of_unit(key, one.unit)]
        few = list(dict.fromkeys([*units, *beside]))[:_FEW]
        values = [*known.asked, *beside, *units, *(value for key in near for value in self._numbers_of(key))]
        values += [abs(a - b) for a, b in combinations(few, 2)] + [a + b for a, b in combinations(few, 2)]
        values += [a * b for a, b in product(few, (2, 3, 4, 5, 6, 8, 10, 12, *beside[:8]))]
        for key in near:
            of_unit, many = self._of_unit(key, one.unit), packed(known.products[key].title)
            values += [each * pack for each, pack in product(of_unit, many) if each != pack]
        values += [a / b for a, b in product(few, (2, 3, 4, 10, 12, 16, *beside[:8])) if b]
        return any(one.low - slack <= value <= one.high + slack for value in values)

    def _of_unit(self, key: str, form: str) -> Sequence[float]:
        """What a record has in a unit, or in others of its kind, as so many of it."""
        unit = UNITS.named(form) or UNITS.named(f"{form}s")
        if unit is None or unit.kind in ("count", "money"):
            return self._held.known.of((key,)).with_unit(form)
        return [
            round(one.base / unit.base, 4)
            for one in measures_of(record_text(self._held.known.products[key]))
            if one.kind == unit.kind
        ]

    def _numbers_of(self, key: str) -> list[float]:
        if key not in self._numbers:
            text = self._record(key)
            self._numbers[key] = [value for value, _ in numbers_in(text, _OF_A_RECORD)] + [
                float(match) for match in re.findall(r"\d+(?:\.\d+)?", text)[:_OF_A_RECORD]
            ]
        return self._numbers[key]

    def _grades_of(self, key: str) -> set[Grade]:
        return _grades(self._record(key))

    def _record(self, key: str) -> str:
        one = self._held.known.products[key]
        return f"{one.title}\n{record_text(one)}"

    def _accusation(self, start: int, end: int, unit: str) -> Accusation:
        said = f"{self._text[start:end].strip()} {unit}".strip()
        return Accusation(
            "nowhere", (start, end), f"said {said}, which no record in sight has", Certainty.SENTENCE
        )


def _grades(text: str) -> set[Grade]:
    return {(match["p"].upper(), match["n"]) for match in _GRADE.finditer(text)}
