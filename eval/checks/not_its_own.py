"""A figure with its unit that the thing which its sentence speaks of has otherwise, whichever of the things that may be meant it is.

`found_nowhere` lets everything in sight explain a figure; here only what its sentence may be about does: what it names, and where it names nothing,
compares or names by the maker alone, whatever is near and all that its maker sells. Sums and differences explain it only where words of its sentence say such a thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import combinations, islice
from typing import NamedTuple

from drr.env.entities import Product
from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.cast import cast_of
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.layout import TextLine
from drr.eval.checks.makers import named_by
from drr.eval.checks.measures import (
    A_RATE,
    PACKAGES,
    MeasureSaid,
    MeasuresByKind,
    measures_by_kind,
    measures_of,
    packs_hold,
)
from drr.eval.checks.mentions import Mentions, is_in_name
from drr.eval.checks.naming import head_noun
from drr.eval.checks.records import numbers_said, record_numbers, record_text
from drr.eval.checks.residue import residue_of
from drr.wording.numbers import SPOKEN, number, spoken

_MANY = 60
_MOST = 240
"""Measures of a report that are looked into."""
_LEVELS = frozenset({"degree", "noise", "light", "power", "voltage"})
"""What does not add up."""
_SHARE = "share"
_FEW_OF = 24
"""So many of a thing may be taken."""
_REACH = 1000
_FEW = 60
_NEXT = 3
"""Characters between two measures that are one."""
_NOT_SAID = re.compile(
    r"\b(?:more|less|fewer|extra|difference|apart|total|together|altogether|combined|sum|twice|double|half|another|additional|need(?:s|ed)?|want(?:s|ed)?|"
    r"asked|limit|budget|save[sd]?|left|if|would|could|might|should|until|after|usually|typically|some|any|"
    r"elsewhere|question|recommend\w*|advise\w*|guides?|blog|site|longer|shorter|wider|taller|heavier|lighter|bigger|smaller|larger|enough|ago|since|orders?|ordered|"
    r"bought|your|my|our|his|her|their|cousins?|siblings?|sisters?|rivals?|not|no|never|without|nor|say|imagine|instance|hardly|beyond|per)\b|n['’]t\b|\?|[×=+]",
    re.I,
)
"""Its clause may be of a need, a difference, a use or another thing."""
_FAR = re.compile(
    r"\b(?:than|other|others|former|latter|both|all|each|either|neither|ones|against|versus|vs|compared|while|whereas|these|those|them|they"
    r"|(?:one|two|three|four|five)(?=\s(?:of|others?|here|is|are|has|have|was|were)\b|\s?[.,;:)]))\b",
    re.I,
)
"""The sentence speaks of others besides what it names."""
_IT = re.compile(r"[\s*_(>•-]{0,8}(?:it|it['’]s|its)\b", re.I)
_PRONOUN = re.compile(r"\b(?:it|its|it['’]s|this|that|they|their|he|she)\b", re.I)
_YOU = re.compile(r"\b(?:you|we|i)\b", re.I)
_UP_TO = re.compile(r"\bup\sto\s[*_]{0,3}$", re.I)
"""A bound that a record states, and no rounding."""
_LED = re.compile(r"\b(?:by|buys?|adds?|gains?|margin|extra|each)\s[*_]{0,3}$", re.I)
_BEHIND = re.compile(
    r"[\s*_]{0,3}(?:[-–—/]\s?\d|(?:or|to|by|x)\s\d|per\b|a\s(?:day|week|month|year)\b|later\b|of\sit\b|away\b|old\b|warranty\b|over\b|to\sspare\b)",
    re.I,
)
_DIFFERS = re.compile(
    r"\b(?:more|less|fewer|buys?|add(?:s|ing)?|gain(?:s|ed|ing)?|lose[sd]?|margin|step|gap|spread|jump|rise|drop|beyond|by|past|away|shy|short|spare|sparing|over|under|difference|differ|only|just|between)\b"
    r"|\b[a-z]{3,9}er\b",
    re.I,
)
"""What two things differ by may be meant."""
_PER_MONEY = re.compile(r"\b(?:dollars?|bucks?|cents?|money)\b|\$1\b(?![.,]\d)", re.I)
"""What a thing gives for its price may be meant."""
_TWO = re.compile(r"\b(?:pair|both|double|twice|two)\b", re.I)
_SO_MANY = re.compile(r"(?<![\d.,$])(?P<n>\d{1,2})\s?[x×]?\s?(?=[a-z])", re.I)
_WORD = re.compile(rf"\b{SPOKEN}\b", re.I)
_AREAS = frozenset(["square", "sq", "cubic"])


class _Record(NamedTuple):
    measures: Sequence[MeasureSaid]
    by_kind: MeasuresByKind
    numbers: frozenset[float]
    detailed: frozenset[str]
    """Units of its table of details."""

    def holds(self, said: MeasureSaid) -> bool:
        return said.value in self.numbers or self.by_kind.has(said)

    def has_its_like(self, said: MeasureSaid) -> bool:
        return any(_alike(said, one) for one in self.measures)


def _alike(a: MeasureSaid, b: MeasureSaid) -> bool:
    return a.unit == b.unit or a.kind == b.kind != "count"


def _read(product: Product) -> _Record:
    text = record_text(product)
    details = (
        one for value in product.details.values() if isinstance(value, str) for one in measures_of(value)
    )
    units = frozenset(one.unit for one in details)
    return _Record(measures_of(text), measures_by_kind(text), record_numbers(product), units)


def not_its_own(mentions: Mentions) -> Iterator[Accusation]:
    """Figures with a unit that nothing which may be meant has."""
    yield from islice(_NotItsOwn(mentions).found(), _MANY)


class _Meant(NamedTuple):
    whom: frozenset[str]
    far: bool
    """What is not named in the sentence may be meant too."""


class _NotItsOwn:
    def __init__(self, mentions: Mentions) -> None:
        self._mentions, self._plain = mentions, mentions.plain
        self._cast = cast_of(mentions.subject, mentions)
        self._residue = residue_of(mentions)
        self._products: dict[str, Product] = {**self._cast.possible, **self._cast.products}
        self._records: dict[str, _Record] = {}
        self._asked = numbers_said(mentions.subject.query or "")

    def found(self) -> Iterator[Accusation]:
        for said, line, span in islice(self._every(), _MOST):
            if self._is_measure(said) and self._is_wrong(said._replace(hedged=False), line, span):
                shown = self._plain[said.start : said.end].strip()
                why = f"said {shown!r}, which nothing that may be meant has"
                kind = "nowhere_amount" if self._may_be_made(said) else "nowhere"
                yield Accusation(kind, (said.start, said.end), why, Certainty.SENTENCE)

    def _every(self) -> Iterator[tuple[MeasureSaid, TextLine, Span]]:
        prose = self._cast.prose
        return ((one, line, span) for line, span in prose.running() for one in prose.measures(span))

    def _is_measure(self, said: MeasureSaid) -> bool:
        if said.value in self._asked or said.unit in PACKAGES:
            return False
        if said.hedged and not _UP_TO.search(self._plain, max(0, said.start - 12), said.start):
            return False
        written = self._plain[said.start : said.end].casefold()
        return not written.endswith("flat") and not is_in_name(self._mentions, said.start)

    def _is_wrong(self, said: MeasureSaid, line: TextLine, span: Span) -> bool:
        meant = self._meant(said, line, span)
        if meant is None or not meant.whom <= self._cast.products.keys():
            return False
        whom = self._of_a_kind(meant.whom, said) if meant.far else meant.whom
        if not all(self._record(key).has_its_like(said) for key in whom):
            return False
        if said.passing and not all(said.unit in self._record(key).detailed for key in whom):
            return False
        before = self._cast.prose.measures_before(said, span)
        if any(all(self._record(key).holds(one) for key in whom) for one in before):
            return False
        near = self._near(whom, meant.far, span)
        if any(self._record(key).holds(said) or self._packs(key, said) for key in near) or not self._is_read(
            said, span
        ):
            return False
        return not self._is_worked_out(said, span, near)

    def _meant(self, said: MeasureSaid, line: TextLine, span: Span) -> _Meant | None:
        """What is named before it; where its sentence names nothing, whom the cast gives to `it`, or to a part of a list."""
        places, meant = self._cast.within(*span), self._cast.meant_at(said.start, said.end)
        before = [one for one in places if one.end <= said.start]
        far = _FAR.search(self._plain, *span) is not None
        if not before:
            of_it = _IT.match(self._plain, *span) is not None
            listed = meant.certain and line.kind != "text" and not _YOU.search(self._plain, *span)
            if places or not meant.products or not (of_it or listed):
                return None
            return _Meant(meant.products, True)
        if _FAR.search(self._plain, before[-1].end, said.start):
            return None
        whom = before[-1].products
        if meant.certain:
            whom |= meant.products
        elif any(one.products != whom for one in before):
            whom, far = whom.union(*(one.products for one in before)), True
        far = far or _PRONOUN.search(self._plain, span[0], before[0].start) is not None
        return _Meant(whom, far or not any(one.linked for one in before))

    def _of_a_kind(self, whom: frozenset[str], said: MeasureSaid) -> frozenset[str]:
        """Those that have such a measure at all, where the others are other sorts of things."""
        have = frozenset(key for key in whom if self._record(key).has_its_like(said))
        nouns = {head_noun(self._products[key].title) for key in have}
        alike = any(head_noun(self._products[key].title) in nouns for key in whom - have)
        return whom if alike or not have else have

    def _near(self, whom: frozenset[str], far: bool, span: Span) -> set[str]:
        near = {*whom, *named_by(self._cast.within(*span))}
        if far:
            near |= named_by(self._cast.within(max(0, span[0] - _REACH), span[1] + _REACH))
            near |= self._cast.possible.keys()
            siblings = [one for key in whom for one in self._cast.siblings(self._products[key])]
            self._products |= {
                one.product_id: one for one in siblings if one.product_id not in self._products
            }
            near |= {one.product_id for one in siblings}
        return near & self._products.keys()

    def _is_read(self, said: MeasureSaid, span: Span) -> bool:
        clause = self._cast.prose.clause_at(said.start)
        if _NOT_SAID.search(self._plain, max(span[0], clause[0] - 8), clause[1]):
            return False
        if any(
            abs(one.start - said.end) < _NEXT or abs(said.start - one.end) < _NEXT
            for one in self._cast.prose.measures(span)
        ):
            return False  # `5 feet 2 inches`
        if (
            A_RATE.match(self._plain, said.end)
            or _BEHIND.match(self._plain, said.end)
            or _LED.search(self._plain, max(span[0], said.start - 12), said.start)
        ):
            return False
        if self._residue.cites_the_web(span) or self._residue.doubt(clause):
            return False
        return not self._cast.names_a_stranger(span)

    def _is_worked_out(self, said: MeasureSaid, span: Span, near: Iterable[str]) -> bool:
        """Whether it stands elsewhere in the text, or is what words of its sentence make of others: so many times as much, a difference, an area."""
        slack = 0.02 * said.base + 1e-6
        if any(abs(one - said.base) <= slack / 4 for one in self._told_besides(said)):
            return True
        keys = {*self._cast.products, *near}
        values = self._values(said, keys)
        many = self._many(said, span)
        worked = [value for one in values for each in many for value in (one * each, one / each)]
        if _DIFFERS.search(self._plain, *span):
            worked += [abs(a - b) for a, b in combinations(values, 2)]
        if _PER_MONEY.search(self._plain, *span):
            prices = [one.price for key in near if (one := self._products[key]).price]
            worked += [value / price for value in values for price in prices]
        if said.unit in _AREAS:
            plain = sorted({value for key in keys for value in self._record(key).numbers})[:_FEW]
            worked += [a * b for a, b in combinations(plain, 2)] + [a * a for a in plain]
        return any(abs(one - said.base) <= slack for one in worked)

    def _packs(self, key: str, said: MeasureSaid) -> bool:
        return packs_hold(said, self._products[key].title, self._record(key).measures)

    def _may_be_made(self, said: MeasureSaid) -> bool:
        """Whether it is a share, or what is in sight comes to it by a sum, a difference or a product that no word tells of (`two hoses give you 125 feet`)."""
        if said.kind == _SHARE:
            return True
        if said.kind in _LEVELS or said.kind.endswith(" grade"):
            return False
        values = self._values(said, self._cast.products)
        taken = [one for one in self._many(said, (0, len(self._plain))) if one <= _FEW_OF]
        made = [value for a, b in combinations(values, 2) for value in (a + b, b - a)]
        made += [one * each for one in values for each in taken]
        for record in map(self._record, self._cast.products):
            packages = [one.value for one in record.measures if one.kind == "count"]
            made += [one.base * each for one in record.measures if _alike(said, one) for each in packages]
        return any(abs(one - said.base) <= 0.005 * said.base + 1e-6 for one in made)

    def _told_besides(self, said: MeasureSaid) -> set[float]:
        """What the rest of the text has of its kind."""
        return {one.base for one in self._told if one.start != said.start and _alike(said, one)}

    def _values(self, said: MeasureSaid, keys: Iterable[str]) -> list[float]:
        """That, and what some records have."""
        known = {one.base for key in keys for one in self._record(key).measures if _alike(said, one)}
        return sorted(known | self._told_besides(said))[:_FEW]

    def _many(self, said: MeasureSaid, span: Span) -> set[float]:
        """How many of something its sentence speaks of."""
        found = {
            float(spoken(match[0]))
            for match in _WORD.finditer(self._plain, *span)
            if match.start() != said.start
        }
        found |= {
            number(match["n"])
            for match in _SO_MANY.finditer(self._plain, *span)
            if match.start() != said.start
        }
        found |= {2.0} if _TWO.search(self._plain, *span) else set()
        return {one for one in found if one > 1}

    @cached_property
    def _told(self) -> list[MeasureSaid]:
        """The measures of the whole text."""
        prose = self._cast.prose
        return [
            one for line in self._mentions.layout.lines for one in prose.measures((line.start, line.end))
        ][: 4 * _MOST]

    def _record(self, key: str) -> _Record:
        if key not in self._records:
            self._records[key] = _read(self._products[key])
        return self._records[key]
