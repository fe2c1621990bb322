"""Totals that lists and sentences state, held against the items that they may be of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from drr.eval.checks.base import Span
from drr.eval.checks.layout import TextLine
from drr.eval.checks.money.parts import (
    CENT,
    Added,
    PricedText,
    Stated,
    SumBasket,
    SumPart,
    added,
    adds_what_is_taken,
    ways_to_count,
)
from drr.eval.checks.money.phrases import LIMIT_AFTER, LIMITED, TOTAL, phase_of
from drr.wording.money import MoneyAmount, amounts

_NOT_A_TOTAL = re.compile(
    r"\b(?:total (?:budget|spending limit|number)|your total spend|total spend(?:ing)? (?:so far|to date|under|below|within)|spent|lifetime|past orders|order history|purchase history|orders? (?:total|history)|per cent|saved|savings|would (?:have )?total|bring(?:s|ing)?|could|instead|without|if you|skip(?:ping)?|reduc\w+|closer to|elsewhere|average)\b",
    re.I,
)
_AFTER_ITS_AMOUNT = re.compile(r"(?:in all|altogether|in total|total|all in all)", re.I)
_APART = re.compile(r"[.;:|)]")
_CHARGED = re.compile(r"\b(?:tax(?:es)?|shipping|delivery|fees?)\b", re.I)
_WRITTEN_SUM = re.compile(
    r"(?:\\?\$\s?[\d,]+(?:\.\d\d)?\s*(?:\([^()]{0,60}\)\s*)?\+\s*)+\\?\$\s?[\d,]+(?:\.\d\d)?"
)
_MOST = 200
"""Totals of lists and sentences that are looked into; each is held against all items."""
_MOST_ADDED = 400_000
"""Items added up for them in all."""
_LONGEST_RUN = 12
_CLAUSE = 600
"""Characters before a total that may belong to its clause."""
_BEHIND = 60
"""Characters behind the words within which their amount stands."""


@dataclass(frozen=True, slots=True)
class TotalPhrase:
    """Words such as "comes to" with the amount they announce."""

    index: int
    """Of the line."""
    amount: MoneyAmount
    clause: str


class Sections:
    """The totals of a report outside its tables and headings."""

    def __init__(self, text: PricedText, basket: SumBasket, tables: Sequence[Stated]) -> None:
        self._text = text
        self._basket = basket
        self._tables = tables
        self._previous: dict[int, int] = {}
        self.stated = list(self._found())

    def _found(self) -> Iterator[Stated]:
        most = max(1, min(_MOST, _MOST_ADDED // max(len(self._basket.parts), 1)))
        told: list[int] = []
        for phrase in self._phrases():
            if phrase.amount.start in told[-5:]:
                continue
            if len(told) == most:
                return
            told.append(phrase.amount.start)
            yield self._stated(phrase)

    # What is announced as a total.

    def _phrases(self) -> Iterator[TotalPhrase]:
        for index, line in enumerate(self._text.lines):
            if line.is_row or line.kind == "heading":
                continue
            for match in TOTAL.finditer(self._text.body, line.start, line.end):
                phrase = self._phrase(index, line, match)
                if phrase is not None:
                    yield phrase

    def _phrase(self, index: int, line: TextLine, match: re.Match[str]) -> TotalPhrase | None:
        text, body = self._text, self._text.body
        low = max(line.start, match.start() - _CLAUSE)
        start = max(body.rfind(". ", low, match.start()), low)
        behind = text.within(match.end(), min(line.end, match.end() + _BEHIND))
        clause = body[start : behind[0].end if behind else match.end()]
        amount = self._amount_before(match, start, 5 if behind else 12) or (behind[0] if behind else None)
        if amount is None or _NOT_A_TOTAL.search(clause):
            return None
        between = body[match.end() : amount.start]
        if LIMITED.search(between) or "|" in between:
            return None
        if LIMIT_AFTER.match(body[amount.end : amount.end + 20]):
            return None
        return TotalPhrase(index, amount, clause)

    def _amount_before(self, match: re.Match[str], start: int, distance: int) -> MoneyAmount | None:
        """Of "$40 in all": the amount that ends less than `distance` characters before the words."""
        if not _AFTER_ITS_AMOUNT.match(match[0]):
            return None
        near = [
            one
            for one in self._text.within(start, match.start())
            if match.start() - one.end < distance
            and not _APART.search(self._text.body[one.end : match.start()])
        ]
        return near[-1] if near else None

    # What it is the total of.

    def _stated(self, phrase: TotalPhrase) -> Stated:
        stated = Stated(phrase.amount, phrase.index, "section", self._phase(phrase))
        scopes = self._scopes(phrase)
        sum_ = self._written_sum(phrase) or _fitting(scopes, self._charges(phrase), phrase.amount)
        if sum_ is not None:
            stated.compare(sum_.value, sum_.terms, agrees=True)
        elif self._in_a_table(phrase.amount):
            stated.agrees = True
        else:
            self._compare(stated, phrase, scopes)
        return stated

    def _compare(self, stated: Stated, phrase: TotalPhrase, scopes: Sequence[list[SumPart]]) -> None:
        """What comes to nothing that is there differs from the nearest items or the last table, if those are whole."""
        if self._text.elided(*self._text.layout.section_of(phrase.index)):
            return
        if self._is_a_run(phrase, scopes):
            stated.agrees = True
            return
        low = self._text.layout.opened_by[phrase.index]
        taken = any(
            one.sign < 0 and not one.loose and low <= at < phrase.index
            for at, one in self._text.adjustments.items()
            if self._text.lines[at].kind != "row"
        )
        nearest = _nearest(scopes, 1 if taken else 2)
        if nearest is not None and taken:
            nearest = nearest._replace(value=nearest.value + self._charges(phrase))
            if adds_what_is_taken(phrase.clause, phrase.amount, nearest.value, self._off(phrase)):
                stated.taken = nearest.value
        if nearest is None:
            if self._tables and stated.label is None:
                stated.compare(self._tables[-1].computed, self._tables[-1].parts, agrees=False)
                stated.held_against = "the table's rows come to"
        elif self._charges(phrase) or not _CHARGED.search(phrase.clause):
            stated.compare(nearest.value, nearest.terms, agrees=False)

    def _off(self, phrase: TotalPhrase) -> float:
        """What the lines above take off."""
        low = self._text.layout.opened_by[phrase.index]
        some = self._text.adjustments.items()
        return sum(-one.value for at, one in some if low <= at < phrase.index and one.sign < 0)

    def _is_a_run(self, phrase: TotalPhrase, scopes: Sequence[list[SumPart]]) -> bool:
        """Whether amounts one after another come to it: right before it in its line, or elsewhere than the items that it would be held against."""
        here = self._text.lines[phrase.index].start
        held = next((scope for scope in scopes if len(scope) > 1), [])
        low, high = (min(one.start for one in held), max(one.end for one in held)) if held else (0, 0)
        return any(
            (here <= start and end < phrase.amount.start) or end < low or start > high
            for start, end in self._runs.get(round(phrase.amount.value * 100), ())
        )

    @cached_property
    def _runs(self) -> dict[int, list[Span]]:
        """Where amounts that stand one after another come to so many cents."""
        found: dict[int, list[Span]] = {}
        every = self._text.within(0, len(self._text.body))[:_MOST]
        for at, first in enumerate(every):
            run = every[at : at + _LONGEST_RUN]
            sums = accumulate(round(self._text.signed(one) * 100) for one in run)
            for last, sum_ in list(zip(run, sums, strict=True))[1:]:
                found.setdefault(sum_, []).append((first.start, last.start))
        return found

    def _phase(self, phrase: TotalPhrase) -> str | None:
        """The phase that the clause names, else the heading above it."""
        head = self._text.lines[self._text.layout.opened_by[phrase.index]]
        return phase_of(phrase.clause) or (phase_of(head.text) if head.kind == "heading" else None)

    def _charges(self, phrase: TotalPhrase) -> float:
        return self._text.charges(self._text.layout.opened_by[phrase.index], phrase.index)

    def _written_sum(self, phrase: TotalPhrase) -> Added | None:
        """`$12.99 + $8.50 =`, where it comes to what is stated."""
        start = self._text.lines[phrase.index].start
        match = _WRITTEN_SUM.search(self._text.body[start : phrase.amount.start])
        terms = [one.value for one in amounts(match[0])] if match else []
        slack = CENT * len(terms) + (1.0 if phrase.amount.whole else 0)
        if not terms or abs(sum(terms) - phrase.amount.value) > slack:
            return None
        return Added(sum(terms), slack, len(terms))

    def _scopes(self, phrase: TotalPhrase) -> list[list[SumPart]]:
        """The items that it may be of, the nearest first: its line's, those since the last total, its section's, all."""
        index, basket = phrase.index, self._basket
        low, high = self._text.layout.section_of(index)
        same_line = [part for part in basket.between(index, index + 1) if part.start < phrase.amount.start]
        scopes: list[list[SumPart]] = []
        for others in (
            [],
            basket.between(self._previous_total(index, low), index),
            [part for part in basket.between(low, high) if part.line != index],
            [part for part in basket.parts if part.line != index],
        ):
            scope = others + same_line
            if scope and scope not in scopes:
                scopes.append(scope)
        if not scopes and self._text.lines[index].kind == "text":
            return self._spoken(phrase)
        return scopes

    def _spoken(self, phrase: TotalPhrase) -> list[list[SumPart]]:
        """The amounts of one sentence that says what they come to."""
        line = self._text.lines[phrase.index]
        start = max(self._text.body.rfind(". ", line.start, phrase.amount.start), line.start)
        here = self._text.costs(line, start, phrase.amount.start)
        if len(here) < 2:
            return []
        return [
            [
                SumPart(one.value, 1.0 if one.whole else 0.0, one.start, one.end, phrase.index, False)
                for one in here
            ]
        ]

    def _previous_total(self, index: int, low: int) -> int:
        """The line of the total or heading before a line, at most the one that opens its section."""
        if index not in self._previous:
            above = range(index - 1, low - 1, -1)
            self._previous[index] = next((one for one in above if self._closes(self._text.lines[one])), low)
        return self._previous[index]

    def _closes(self, line: TextLine) -> bool:
        if line.kind == "heading":
            return True
        return line.kind != "row" and TOTAL.search(line.text) is not None and bool(amounts(line.text))

    def _in_a_table(self, amount: MoneyAmount) -> bool:
        """Whether a table states the same total; where either is round, nearly the same."""
        return any(
            abs(one.amount.value - amount.value) <= 1.0
            and (amount.whole or one.amount.whole or one.amount.value == amount.value)
            for one in self._tables
        )


def _fitting(scopes: Sequence[list[SumPart]], charges: float, amount: MoneyAmount) -> Added | None:
    """The first of the sums, with or without shipping and tax, that comes to the amount."""
    for scope in scopes:
        for parts in ways_to_count(scope):
            if parts:
                plain = added(parts)
                for one in (plain, plain._replace(value=plain.value + charges)):
                    if one.fits(amount):
                        return one
    return None


def _nearest(scopes: Sequence[list[SumPart]], least: int = 2) -> Added | None:
    """The sum of the first items that are two or more; one is enough where something is taken off it."""
    counted = (parts for scope in scopes for parts in ways_to_count(scope))
    return next((added(parts) for parts in counted if len(parts) >= least), None)
