"""What speaks for an accusation and what against it, each as a number with a plain meaning; `weighed` says how much each counts.

A rule accuses a figure where its own reading leaves no other. These traits look from outside: whether something in sight explains the figure,
whether what it should be stands beside it already, and how much else the rules find wrong in the same text.
"""

from __future__ import annotations

import re
from functools import cached_property

from drr.eval.checks.accusing.sight import AccusedFigure, Sight
from drr.eval.checks.base import Accusation, Span, Subject
from drr.eval.checks.cast import cast_of
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.residue import residue_of
from drr.wording.dates import dates
from drr.wording.money import every_amount
from drr.wording.numbers import DIGITS, SPOKEN, number, spoken

MONEY = frozenset({"price", "unit_cost", "sum", "rest", "difference", "spending"})
RATED = frozenset({"stars"})
COUNTED = frozenset({"measure", "anchored", "statistic", "order_count", "order_times", "order_age"})
DATED = frozenset({"order_date", "order_age", "statistic"})
_PRODUCT = re.compile(r"\bB[0O][A-Z0-9]{7,10}\b")
_FIGURE = re.compile(rf"(?<![\w.])(?:\$\s?)?(?P<n>{DIGITS})(?![\d])|\b(?P<w>{SPOKEN})\b", re.I)
_ORDER = re.compile(r"/orders/(?P<id>[\w-]{4,40})")
_RIGHT = re.compile(
    r"(?:, (?:is|are|it is|the record has|the two differ by|the order cited was placed|the first order|ordered)|: )"
)
FIRM = frozenset({"price", "measure", "anchored", "stars"})
"""Kinds of which what stands right beside a name or in its row is of that thing, if a figure of its kind at all."""
COMPARED = frozenset({"comparison", "direction", "ratio"})
_SHORT = 1_500
"""Characters of a text that is one stretch."""
TRAITS = (
    "doubted",
    "right_beside",
    "same_money",
    "same_rating",
    "same_count",
    "near_money",
    "near_rating",
    "near_count",
    "far",
    "said_again",
    "another_day",
    "web",
    "several",
)
FOR = frozenset[str]()
"""Traits that may only speak for an accusation; all others only against it."""
FIGURED = frozenset(
    {
        "price",
        "unit_cost",
        "sum",
        "rest",
        "difference",
        "spending",
        "stars",
        "measure",
        "anchored",
        "statistic",
        "order_count",
        "order_times",
        "order_age",
        "order_date",
    }
)


class AccusationTraits:
    """Of the accusations of one report."""

    def __init__(self, subject: Subject, mentions: Mentions) -> None:
        self._subject = subject
        self._mentions = mentions
        self._plain = mentions.plain
        self._cast = cast_of(subject, mentions)

    @cached_property
    def _sight(self) -> Sight:
        return Sight(self._mentions, self._cast)

    def counted(self, one: Accusation) -> dict[str, float]:
        sentence, stretch = self._around(one.span)
        owners = frozenset(_PRODUCT.findall(one.why))
        traits = dict.fromkeys(TRAITS, 0.0)
        traits["doubted"] = float(one.doubt is not None)
        said = self._said(one)
        if one.kind in FIGURED and not (
            one.kind == "price" and one.bound == Certainty.CELL
        ):  # a row has its price beside
            traits["right_beside"] = self._right_beside(one, sentence)
        firm = one.kind in FIRM and one.bound is not None and one.bound >= Certainty.ADJOINED
        if said is not None and firm:
            traits["near_money" if said.money else "near_count"] = self._sight.own(
                said, sentence, owners or self._named(sentence)
            )
        elif said is not None and not (one.kind == "sum" and one.bound in (Certainty.SCOPE, Certainty.CELL)):
            self._explain(traits, one, said, (sentence, stretch), owners)
        if one.kind in COMPARED:
            traits["several"] = float(len({key for place in self._cast.named for key in place.products}) > 2)
        traits["web"] = float(residue_of(self._mentions).cites_the_web(sentence))
        if one.kind in DATED:
            traits["another_day"] = self._of_another_day(one, stretch)
        return traits

    def _explain(
        self,
        traits: dict[str, float],
        one: Accusation,
        said: AccusedFigure,
        where: tuple[Span, Span],
        owners: frozenset[str],
    ) -> None:
        """What else in sight the figure may be."""
        sight, (sentence, stretch) = self._sight, where
        group = "money" if said.money else "rating" if said.rating else "count"
        whose = self._named(sentence) if group == "count" else None
        traits[f"same_{group}"] = sight.same(said, sentence, owners, whose)
        traits[f"near_{group}"] = sight.near(
            said, self._close(one.span, sentence), stretch, sorted(self._named(stretch) | owners)
        )
        if one.bound is None or one.bound < Certainty.ADJOINED:
            traits["far"] = max(sight.far(said), sight.swapped(said))
        traits["said_again"] = sight.said_again(said)

    def _named(self, span: Span) -> frozenset[str]:
        return frozenset(key for place in self._cast.within(*span) for key in place.products)

    def _around(self, span: Span) -> tuple[Span, Span]:
        """Its sentence or row, and the stretch that it is read with: the line before too, the whole table, of a short text all."""
        prose, lines = self._cast.prose, self._cast.lines
        line = prose.line_at(span[0])
        if line is None:
            return span, span
        is_row = line.is_row
        close = (line.start, line.end) if is_row else prose.sentence_at(span[0])
        if len(self._plain) <= _SHORT:
            return close, (0, len(self._plain))
        at = lines.index(line)
        first, last = self._table(at) if is_row else (at, at)
        return close, (lines[max(0, first - 1)].start, lines[last].end)

    def _close(self, span: Span, sentence: Span) -> list[Span]:
        """Its sentence; of a cell its row, and its column."""
        prose, lines = self._cast.prose, self._cast.lines
        line = prose.line_at(span[0])
        if line is None or line.kind != "row":
            return [sentence]
        at = next((i for i, (low, high) in enumerate(line.cells) if low <= span[0] < high), None)
        first, last = self._table(lines.index(line))
        column = [one.cells[at] for one in lines[first : last + 1] if at is not None and at < len(one.cells)]
        return [sentence, *column]

    def _table(self, at: int) -> tuple[int, int]:
        """The first and the last line of the table around a line."""
        lines, first, last = self._cast.lines, at, at
        while first and lines[first - 1].is_row:
            first -= 1
        while last + 1 < len(lines) and lines[last + 1].is_row:
            last += 1
        return first, last

    def _said(self, one: Accusation) -> AccusedFigure | None:
        text = self._plain[slice(*one.span)]
        if one.kind in MONEY:
            found = every_amount(text) or every_amount(one.why.split(",")[0])
            if not found:
                return None
            amount = found[0]
            place = amount.finer or (0.5 if amount.whole and amount.value >= 1 else 0.005)
            is_gap = one.kind in ("rest", "difference")
            return AccusedFigure(amount.value, 1.1 * place, 1.1 * place, True, False, is_gap, one.span)
        if one.kind in RATED | COUNTED:
            match = _FIGURE.search(text) or _FIGURE.search(one.why)
            if match is None:
                return None
            value = number(match["n"]) if match["n"] else float(spoken(match["w"]))
            places = len(match["n"].partition(".")[2]) if match["n"] else 0
            slack = 0.005 if places else 0.01
            if one.kind in RATED:
                return AccusedFigure(value, slack, 0.5 * 10**-places, False, True, False, one.span)
            return AccusedFigure(value, slack, slack, False, False, False, one.span)
        return None

    def _right_beside(self, one: Accusation, sentence: Span) -> float:
        """Whether what it should be stands in its sentence already."""
        parts = _RIGHT.split(one.why, maxsplit=1)
        if len(parts) < 2:
            return 0.0
        right = {number(match["n"]) for match in _FIGURE.finditer(_PRODUCT.sub(" ", parts[1])) if match["n"]}
        right -= {0.0}
        here = self._sight.figures(sentence, one.span)
        values = [*here.money, *here.plain]
        found = [any(abs(a - b) < 0.006 for b in values) for a in sorted(right)]
        if one.kind in RATED:
            return float(bool(found) and all(found))  # of two that are named the other's may stand there
        return float(any(found))

    def _of_another_day(self, one: Accusation, stretch: Span) -> float:
        """Whether a day that is accused is one of an order that is cited around it."""
        when = next(iter(dates(self._mentions.body, *one.span)), None)
        if when is None or self._subject.shop is None:
            return 0.0
        ids = {match["id"] for match in _ORDER.finditer(self._mentions.body, *stretch)}
        orders = (self._subject.shop.store.order(order_id) for order_id in sorted(ids))
        return float(any(order is not None and when.covers(order.order_date) for order in orders))
