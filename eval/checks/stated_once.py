"""A measure of a unit that a record states once only: another figure with that unit, said of the thing itself, is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Protocol

from drr.eval.checks.cast import Cast, Meant
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.measures import MeasureSaid, measures
from drr.eval.checks.residue import Residue
from drr.wording.numbers import SPOKEN, number, spoken

_LED = re.compile(
    r"(?:\b(?:by|extra|additional|another|instead of|rather than|against|versus|vs\.?|than|of|margin|spare|off|per|every|each|over|above|under|below|average|averaged|your|my|his|her|our|their|"
    r"mine['’]s an?|only|fits?|for|to|until|after|before|if|when|all|other|say)|[×x*+=–—-])[\s*_]{1,3}(?:an?\s|the\s)?$",
    re.I,
)
"""Before a figure: it may be one of a difference, a need, of something that is held, or the one end of a range."""
_BEHIND = re.compile(
    r"[\s*_-]{0,3}(?:more|less|fewer|extra|spare|off|longer|shorter|wider|taller|heavier|lighter|bigger|smaller|larger|apart|instead|to spare|left|over|of (?:it|them|these|those)|"
    r"per|an?|each|every|together|total|in all|altogether|for \$|further|better|worse|brighter|quieter|louder|thicker|thinner|deeper|higher|lower|to go|ago|later|since|flat)\b|[\s*_]{0,2}[=×x+/–-]",
    re.I,
)
"""Behind it: it is a difference, a rate or a sum."""
_MANY = re.compile(
    rf"\b(?P<w>{SPOKEN})\b|(?<![\w.,$-])(?P<n>\d{{1,3}})(?=\s?[x×]|\s[a-z])|\b(?P<two>pair|both|double|twice|doubling)\b",
    re.I,
)
"""So many of a thing."""
_CONDITION = re.compile(r"\bif\b(?!\s(?:you|we|i)\b)|\?", re.I)
_ITSELF = re.compile(r"[\s*_(]{0,6}(?:it|it['’]s|its|they|they['’]re)\b", re.I)
_WINDOW = 3.0
"""Figures of one kind that are so much apart are of two properties: a pen's point and its length."""
_MOST = 40
"""Products and figures in play above which nothing is looked up."""


class MeasuresRecorded(Protocol):
    @property
    def all(self) -> Sequence[MeasureSaid]: ...

    def holds(self, said: MeasureSaid) -> bool: ...


class StatedOnce:
    """Reads measures that a record does not have."""

    def __init__(self, cast: Cast, record: Callable[[str], MeasuresRecorded], residue: Residue) -> None:
        self._cast, self._record, self._residue = cast, record, residue

    def is_sure(self, said: MeasureSaid, meant: Meant) -> bool:
        """Whether it can be of no other thing, nor be worked out."""
        if not meant.certain or meant.only is None or said.hedged or len(self._cast.products) > _MOST:
            return False
        if not self._is_bound(said, meant) or not self._is_once(said, meant.only):
            return False
        if self._is_led(said, meant) or self._is_worked_out(said, meant.only, meant.bound):
            return False
        return self._is_alone(said, meant) or not self._is_anothers(said, meant.only)

    def _is_bound(self, said: MeasureSaid, meant: Meant) -> bool:
        if meant.bound >= Certainty.SENTENCE:
            return True
        sentence = self._cast.prose.sentence_at(said.start)
        return meant.bound == Certainty.SCOPE and _ITSELF.match(self._cast.body, *sentence) is not None

    def _is_once(self, said: MeasureSaid, product_id: str) -> bool:
        """Whether the record has one figure of the unit, and none of its kind that is near."""
        body = self._cast.body
        if body[said.start : said.end].casefold().endswith("flat"):
            return False  # `nineteen flat` is no fluid ounce
        if said.kind == "share" or said.unit in ("day", "week", "month"):
            return False
        if said.kind == "count" and not body[said.start : said.end].casefold().endswith("-count"):
            return False
        known = self._record(product_id).all
        own = {one.base for one in known if one.unit == said.unit and one.kind == said.kind}
        near = {one.base for one in known if one.kind == said.kind and _is_near(one.base, said.base)}
        return len(own) == 1 and near == own

    def _is_led(self, said: MeasureSaid, meant: Meant) -> bool:
        body = self._cast.body
        if _BEHIND.match(body, said.end):
            return True
        if meant.bound == Certainty.CELL:
            return False
        clause, sentence = self._cast.prose.clause_at(said.start), self._cast.prose.sentence_at(said.start)
        if self._residue.cites_the_web(sentence) or self._residue.doubt(sentence, ("unreal", "others")):
            return True
        before = body[max(clause[0] - 12, sentence[0]) : said.start]
        return _LED.search(before) is not None or _CONDITION.search(body, *clause) is not None

    def _is_alone(self, said: MeasureSaid, meant: Meant) -> bool:
        """Whether its sentence names this thing before it and no other."""
        if meant.contrast or meant.bound < Certainty.CLAUSE or meant.placed:
            return False
        groups = self._cast.referents.groups(self._cast.prose.sentence_at(said.start))
        return (
            bool(groups)
            and groups[0].end <= said.start
            and all(one.products == meant.products for one in groups)
        )

    def _is_anothers(self, said: MeasureSaid, product_id: str) -> bool:
        """Whether something in sight has such a figure, or what its maker sells besides."""
        if any(self._record(key).holds(said) for key in self._cast.products):
            return True
        siblings = self._cast.siblings(self._cast.products[product_id])
        others = [*siblings, *self._cast.possible.values()]
        return any(_holds(f"{one.title}\n" + "\n".join(one.features), said) for one in others[:_MOST])

    def _is_worked_out(self, said: MeasureSaid, product_id: str, bound: Certainty) -> bool:
        """As a sum or a difference of what stands in its line and in the records named there, or so many times the thing's own."""
        line = self._cast.prose.line_at(said.start)
        if line is None:
            return True
        span = line.start, line.end
        named = {product_id, *(key for one in self._cast.within(*span) for key in one.products)}
        if bound < Certainty.CLAUSE:
            named = set(self._cast.products)
        known = [one for key in sorted(named & set(self._cast.products)) for one in self._record(key).all]
        beside = [one for one in self._cast.prose.measures(span) if one.start != said.start]
        alike = list({one.base for one in (*known, *beside) if one.unit == said.unit})[:_MOST]
        slack = 0.02 * said.base + 1e-6
        worked = [value for a, b in combinations(alike, 2) for value in (abs(a - b), a + b)]
        worked += [one * many for one in alike for many in self._counts(said)]
        return any(abs(one - said.base) <= slack for one in worked)

    def _counts(self, said: MeasureSaid) -> set[float]:
        body, found = self._cast.body, set[float]()
        for match in _MANY.finditer(body, *self._cast.prose.sentence_at(said.start)):
            if match.start() != said.start:
                found.add(
                    float(spoken(match["w"])) if match["w"] else number(match["n"]) if match["n"] else 2.0
                )
        return {one for one in found if 1 < one <= _MOST}


def _is_near(a: float, b: float) -> bool:
    return 0 < a <= _WINDOW * b and b <= _WINDOW * a


def _holds(text: str, said: MeasureSaid) -> bool:
    return any(said.same(one) for one in measures(text))
