"""A figure said of one product where its record states that very property with another figure.

Other readers let whatever is in sight explain a figure. Here it is so firmly bound that nothing else can be meant: the one product is certain, its record states one
figure of that kind, and the words beside the figure say the property: they are the name of the detail (`a 40-hour run time`), those of a statement of the record
(`runs 30 minutes before it must cool`), or a verb of having right behind the name (`is rated for 15 amps`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, takewhile
from typing import Literal

from drr.env.entities import Product
from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.cast import cast_of
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.details.binding import OneMeant, OnesMeant
from drr.eval.checks.details.stated import (
    FigureOnRecord,
    FigureSaid,
    details_of,
    figures_in,
    label_words,
    statements_of,
)
from drr.eval.checks.layout import TextLine
from drr.eval.checks.measures import A_RATE, PACKAGES, measures_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.naming import folded_words
from drr.eval.checks.records import numbers_said, record_numbers, record_text
from drr.eval.checks.residue import residue_of
from drr.wording.having import HAVING

_MANY = 40
"""Accusations of a report."""
_MOST = 300
"""Figures of a report that are looked into."""
_IN_PLAY = 60
"""Products that may have the figure."""
_BEFORE = 60
_AROUND = 80
"""Characters in which stand the words that bind a figure, and those of a statement."""
_REACH = 500
"""So many of a thing may be meant together."""
_LONG = frozenset(["day", "week", "month", "year"])
_WORN = frozenset(
    folded_words(
        "with from that this your have about than them each when after before more less over under into only"
    )
)
_UP_TO = re.compile(r"\b(?:up\sto|at\smost|as\smuch\sas|maximum\sof)\s[*_]{0,3}$", re.I)
"""A bound that a record states, and no rounding."""
_LISTED = re.compile(
    r"(?:[,;:(–—|]|\s(?:and|with|at))[\s*_]{1,4}(?:(?:an?|up\sto|rated|runs|holds)\s)?[*_]{0,3}$|\A[\s*_•>-]{0,6}(?:up\sto\s)?$",
    re.I,
)
_CLOSED = re.compile(r"[*_\s\"”]{0,4}(?:$|[,.;:)\]|/–—\n]|\s?(?:and|with|but|or)\b)", re.I)
"""Before and behind a figure that stands in a list of what the thing is like."""
_LABEL = re.compile(
    r"(?P<label>(?:[A-Za-z]{2,20}\s){0,2}[A-Za-z]{2,20})[*_]{0,3}(?:\s(?:is|of|at|runs\sto)|:|\s)[\s*_]{1,3}(?:(?:only|just|an?|up\sto)\s)?$"
)
_NEXT = re.compile(r"(?:[\s*_-]{1,3}(?:of\s|for\s)?[A-Za-z]{2,20}){1,3}")
"""Before and behind a figure: words that may name the detail."""
_ADJOINED = re.compile(
    r"[\s*_\])”\"]{0,6}(?:\s?(?:is|has|holds|runs|weighs|carries|takes|moves|draws|covers)(?:\s(?:listed|rated|stated))?(?:\s(?:at|for|with|up|to|dogs|cats|a|an|the)){0,3})?[\s*_:(]{0,4}"
)
"""Between a name and what is said right behind it."""
_RATHER = re.compile(
    r"\b(?:rather\sthan|instead\sof|against|compared\s(?:with|to)|versus|vs\.?)\s(?:the\s)?[*_]{0,3}$", re.I
)
_Way = Literal["label", "statement", "verb", "list"]
"""How words tell which property a figure is of."""


def figures_otherwise(mentions: Mentions) -> Iterator[Accusation]:
    """Figures that the record of the one product meant has otherwise."""
    yield from islice(_FiguresOtherwise(mentions).found(), _MANY)


class _FiguresOtherwise:
    def __init__(self, mentions: Mentions) -> None:
        self._text = mentions.plain
        self._cast = cast_of(mentions.subject, mentions)
        self._residue = residue_of(mentions)
        self._meant = OnesMeant(mentions, self._cast)
        self._asked = numbers_said(mentions.subject.query or "")

    def found(self) -> Iterator[Accusation]:
        every = (
            (said, line, span)
            for line, span in self._cast.prose.running()
            for said in figures_in(self._text, *span)
        )
        for said, line, span in islice(every, _MOST):
            own = self._otherwise(said, span) or self._of_the_other(said, line, span)
            if own is not None:
                product, stated = own
                shown = self._text[said.start : said.end].strip()
                why = f"said {shown!r}, the record has {stated.shown!r} as its {stated.key.casefold()} ({product.product_id})"
                yield Accusation("detailed", (said.start, said.end), why, Certainty.ADJOINED)

    def _otherwise(self, said: FigureSaid, span: Span) -> tuple[Product, FigureOnRecord] | None:
        """What the record of the one product states instead."""
        one = self._meant.at(said.start, said.end, span)
        if one is None or self._is_no_property(said):
            return None
        found = self._by_statement(said, one.product, span) or self._by_detail(said, one.product, span)
        if found is None:
            return None
        stated, way = found
        if not stated.is_otherwise(said) or (way != "statement" and _holds(one.product, said)):
            return None
        if not self._is_alone(said, way, one, span) or self._is_of_several(said, stated, one.product, span):
            return None
        return (one.product, stated) if self._is_plain(said, span) else None

    def _is_no_property(self, said: FigureSaid) -> bool:
        """Whether it is how many are bought, what was asked for, or no measure at all: `nineteen flat` is no fluid ounce."""
        if said.one.kind == "count" or said.one.unit in PACKAGES or said.one.value in self._asked:
            return True
        return self._text[said.start : said.end].casefold().endswith("flat")

    def _by_statement(
        self, said: FigureSaid, product: Product, span: Span
    ) -> tuple[FigureOnRecord, _Way] | None:
        """A statement of the record whose words stand around the figure."""
        some = [one for one in statements_of(product) if one.said.kind == said.kind]
        if not some:
            return None
        before = folded_words(self._text[max(span[0], said.start - _AROUND) : said.start])
        behind = folded_words(self._text[said.end : min(span[1], said.end + _AROUND)])
        alike = [one for one in some if _is_copied(one, before, behind)]
        return (alike[0], "statement") if len({one.said.bases for one in alike}) == 1 else None

    def _by_detail(
        self, said: FigureSaid, product: Product, span: Span
    ) -> tuple[FigureOnRecord, _Way] | None:
        """The detail that the words beside the figure speak of."""
        details = [one for one in details_of(product) if one.said.kind == said.kind]
        named = [one for one in details if self._is_named(one.key, said, span)]
        if len(named) == 1 and sum(one.key == named[0].key for one in details) == 1:
            return named[0], "label"
        if len(details) != 1 or said.one.kind == "share":
            return None
        unit = details[0].said.one.unit
        if said.one.kind == "time" and (said.one.unit != unit or unit in _LONG):
            return None
        before = self._text[max(span[0], said.start - _BEFORE) : said.start]
        if HAVING.is_had(before):
            return details[0], "verb"
        is_listed = _LISTED.search(before) and _CLOSED.match(self._text, said.end)
        return (details[0], "list") if is_listed else None

    def _is_named(self, label: str, said: FigureSaid, span: Span) -> bool:
        """Whether the words of a label stand right behind the figure, or before it."""
        words = label_words(label)
        if not words:
            return False
        behind = _NEXT.match(self._text, said.end)
        if behind is not None and words <= set(folded_words(behind[0])):
            return True
        before = _LABEL.search(self._text[max(span[0], said.start - _BEFORE) : said.start])
        return before is not None and words == label_words(before["label"])

    def _is_alone(self, said: FigureSaid, way: _Way, one: OneMeant, span: Span) -> bool:
        """Whether nothing else in sight has the figure, or its name stands right before what is said of it."""
        others = {**self._cast.possible, **self._cast.products}
        others.pop(one.product.product_id, None)
        if not any(_holds(other, said) for other in islice(others.values(), _IN_PLAY)):
            return True
        groups = self._cast.referents.groups(span)
        whom = one.meant.products
        if (
            way != "list"
            and any(each.linked for each in groups)
            and all(each.products == whom for each in groups)
        ):
            return True
        before = [each for each in groups if each.end <= said.start]
        if not before or before[-1].form != "named" or before[-1].products != whom:
            return False
        return _ADJOINED.fullmatch(self._text, before[-1].end, said.start) is not None

    def _is_of_several(self, said: FigureSaid, stated: FigureOnRecord, product: Product, span: Span) -> bool:
        """Whether it is so many times the thing's own: of several things, or of what a package holds."""
        many = numbers_said(f"{self._text[slice(*span)]} {product.title}")
        made = (own * each for own in stated.said.bases for each in many if 1 < each <= _REACH)
        return any(abs(one - said.one.base) <= 0.02 * said.one.base for one in made)

    def _is_plain(self, said: FigureSaid, span: Span) -> bool:
        """Whether nothing beside it makes it a rounding, a difference, a rate, a need or another's."""
        low, high = self._cast.prose.clause_at(said.start)
        before = self._text[max(span[0], said.start - _BEFORE) : said.start]
        if said.one.hedged and not _UP_TO.search(before):
            return False
        if HAVING.is_else(before, self._text, said.end) or A_RATE.match(self._text, said.end):
            return False
        clause = self._text[max(span[0], low - 8) : high]
        return not HAVING.is_otherwise(clause) and not self._residue.cites_the_web(span)

    def _of_the_other(
        self, said: FigureSaid, line: TextLine, span: Span
    ) -> tuple[Product, FigureOnRecord] | None:
        """`2 hours rather than 3 hours`: said of the one of two that its paragraph names; the second figure is the other's."""
        if not _RATHER.search(self._text[max(span[0], said.start - _BEFORE) : said.start]):
            return None
        first = [one for one in figures_in(self._text, span[0], said.start) if one.one.unit == said.one.unit]
        whom = {one.products for one in self._cast.within(line.start, said.start) if one.linked}
        meant = self._cast.meant_at(first[-1].start, first[-1].end) if first else None
        if meant is None or not meant.certain or len(whom) != 2 or meant.products not in whom:
            return None
        (rest,) = whom - {meant.products}
        own, other = (self._cast.products.get(next(iter(one))) for one in (meant.products, rest))
        if own is None or other is None or not _holds(own, first[-1]) or said.one.value in self._asked:
            return None
        of_own, of_other = (
            [each for each in details_of(one) if each.said.kind == said.kind] for one in (own, other)
        )
        if len(of_own) != 1 or len(of_other) != 1 or not of_other[0].is_otherwise(said):
            return None
        known = {**self._cast.possible, **self._cast.products}
        return None if any(_measures(one, said) for one in known.values()) else (other, of_other[0])


def _is_copied(one: FigureOnRecord, before: Sequence[str], behind: Sequence[str]) -> bool:
    """Whether the words next to a figure are those of the statement: three at least, two of them telling, or all that it has."""
    met = [*_alike(before[::-1], one.before[::-1]), *_alike(behind, one.behind)]
    telling = {word for word in met if len(word) > 3 and word not in _WORN}
    if len(met) >= 3 and len(telling) >= 2:
        return True
    return len(met) == len(one.before) + len(one.behind) >= 2 and bool(telling)


def _alike(some: Sequence[str], others: Sequence[str]) -> list[str]:
    """The words with which both begin."""
    return [a for a, b in takewhile(lambda pair: pair[0] == pair[1], zip(some, others, strict=False))]


def _holds(product: Product, said: FigureSaid) -> bool:
    return bool(said.values & record_numbers(product))


def _measures(product: Product, said: FigureSaid) -> bool:
    """Whether its record has the figure with such a unit."""
    known = measures_of(record_text(product))
    return any(one.kind == said.one.kind and one.base in said.bases for one in known)
