"""Dates, frequencies and spans of time that a report gives the reader's purchases, held against all orders they may be of."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import NamedTuple

from drr.eval.checks.base import CheckTally, Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.layout import TextLine
from drr.eval.checks.person.claimed import is_claimed
from drr.eval.checks.person.frequency import PurchaseFrequencies
from drr.eval.checks.person.history import History, Placed, days_of
from drr.eval.checks.person.no_days import ends_of_spans, is_bought_then
from drr.eval.checks.person.not_bought import would_be
from drr.eval.checks.person.order_ids import OrdersNamed
from drr.wording.dates import MONTH, DayOfYear, When
from drr.wording.doubts import DOUBTS
from drr.wording.purchases import PURCHASES, times

_YOU = re.compile(r"\b(?:you|your|you've|you’ve|you'd|yours)\b", re.I)
_NEGATED = re.compile(
    r"\b(?:no|not|never|nothing|none|without|hasn't|haven't|hadn't|didn't|wasn't|isn't|neither|nobody)\b",
    re.I,
)
_DATE_HEAD = re.compile(r"\b(?:date|ordered|bought|purchased|placed|when)\b")
_BOUGHT_HEAD = re.compile(r"\b(?:ordered|bought|purchased|placed)\b")
_BOUND_DATE = re.compile(
    r"\b(?:bought|ordered|purchased|reordered|placed|order|purchase)\b[^.;()|]{0,110}$|\bfrom\s(?:the\s)?$|^[\s>*_|•-]{0,8}(?:\(?[a-z0-9]{1,3}[.)]\s)?$|\b(?:latest|newest|most recent|last|first)[\s*_:]{1,6}$",
    re.I,
)
"""What stands before a date that can only be of a purchase."""
_ENTRY = re.compile(
    rf"[\s>*_•-]{{0,8}}(?:[^\w\s]{{1,3}}\s)?(?:\(?[a-z0-9]{{1,3}}[.)]\s)?(?:[*_]{{0,2}}(?:latest|newest|last|first)[\s*_:]{{1,6}})?"
    rf"(?:\d{{1,2}}\s(?:{MONTH})\.?\s\d{{4}}|(?:{MONTH})\.?\s\d{{1,2}},?\s\d{{4}}|\d{{4}}-\d\d-\d\d)\s?[:—–,-]",
    re.I,
)
_RIGHT_BEFORE = re.compile(r"\b(?:bought|ordered|purchased)\s(?:on\s)?[\s*_]{0,3}$", re.I)
_SHORT = 40
"""Characters of a sentence that only answers: "Twice, actually!"."""
_THEN_BOUGHT = re.compile(
    r"[\s,*_]{1,4}(?:you|he|she|they)\s(?:\w+\s)?(?:bought|ordered|purchased|reordered|got|chose|picked up)\b",
    re.I,
)
_BESIDE = 160
"""Characters on either side of a date in which a word of buying makes it one of a purchase."""
_LISTED = re.compile(
    r"(?:[\s,;—–-]|\b(?:and|again|then|in|on|once more|also|later|finally|the)\b|\(twice\)){1,12}", re.I
)
"""What stands between dates that are listed for one thing."""


_ASIDE = re.compile(r"\([^()]{0,300}\)")


class _Said(NamedTuple):
    """How a date is said."""

    alone: bool
    """The only one of its sentence, or one of a list for one thing."""
    single: bool
    negated: bool
    certain: bool
    """It can only be of a purchase."""


class DatedPurchases:
    """Goes through the sentences and rows that speak of purchases; accuses where no order fits what is certain."""

    def __init__(
        self, tally: CheckTally, cast: Cast, named: OrdersNamed, history: History, called: str
    ) -> None:
        self._tally = tally
        self._cast = cast
        self._body = cast.body
        self._named = named
        self._called = called
        """The reader's first name: a report may speak of him in the third person."""
        self._history = history
        self._frequencies = PurchaseFrequencies(tally, cast, history)

    def compare(self) -> None:
        for line in self._cast.lines:
            if line.kind in ("rule_row", "elision", "head_row"):
                continue
            if line.kind == "row":
                self._row(line)
                continue
            for span in self._cast.prose.sentences(line):
                if self._is_of_purchases(span, line):
                    self._sentence(span, line)

    def _is_of_purchases(self, span: Span, line: TextLine) -> bool:
        text = self._body[slice(*span)]
        if _is_entry(self._cast, self._history, span, line) or self._is_dated_purchase(span):
            return True
        if not PURCHASES.speaks(text) and not any(PURCHASES.states(text)):
            short = len(text) < _SHORT and any(times(text))
            return short and PURCHASES.speaks(self._body[line.start : line.end])
        return (
            self._called in text
            or _YOU.search(text) is not None
            or line.kind in ("item", "title")
            or _YOU.search(self._body, line.start, line.end) is not None
            or _is_record(text)
        )

    def _is_dated_purchase(self, span: Span) -> bool:
        """`... was ordered on July 3, 2022`, beside a link to what the reader did order: of whoever it is told."""
        linked = {one for place in self._cast.within(*span) if place.linked for one in place.products}
        if len(linked) != 1 or not self._history.of_products(linked):
            return False
        days = [one for one in self._cast.prose.dates(*span) if one.day is not None]
        return len(days) == 1 and _RIGHT_BEFORE.search(self._body, span[0], days[0].start) is not None

    def _row(self, line: TextLine) -> None:
        for (low, high), head in zip(line.cells, line.header, strict=False):
            if _DATE_HEAD.search(head):
                whens = self._cast.prose.dates(low, high)
                ends = ends_of_spans(self._body, (low, high), whens)
                meant = self._of(self._cast.within(line.start, line.end))
                for when in (one for one in whens if one.start not in ends):
                    certain = _BOUGHT_HEAD.search(head) is not None or not self._history.is_ahead(when)
                    self._compare_date(when, (line.start, line.end), meant, _Said(True, True, False, certain))

    def _sentence(self, span: Span, line: TextLine) -> None:
        found: list[When | DayOfYear] = [
            one for one in self._cast.prose.dates(*span) if one.month is not None and 1995 <= one.year <= 2035
        ]
        found += [
            one
            for one in self._cast.prose.days_of_year(*span)
            if not any(a.start <= one.start < a.end for a in found)
        ]
        found = [
            one
            for one in found
            if not PURCHASES.is_else(self._body[max(span[0], one.start - 70) : one.start])
            and not would_be(self._body, span[0], one.start)
            and not is_claimed(self._body, span[0], one.start)
        ]
        ends = ends_of_spans(
            self._body, span, [*self._cast.prose.dates(*span), *self._cast.prose.days_of_year(*span)]
        )
        found = [one for one in found if one.start not in ends]
        meant = self._of(self._cast.within(*span))
        found.sort(key=lambda one: one.start)
        gaps = [self._body[a.end : b.start] for a, b in pairwise(found)]
        alone = all(len(gap) < 40 and _LISTED.fullmatch(gap) for gap in gaps)
        fitting = [one for one in found if self._placed(one)]
        others = len(found) > 1 and len(fitting) == len(found) - 1
        """All other dates of the sentence are of orders: this one is meant to be."""
        paired = self._paired(found, span)
        for when in found:
            negated = _is_negated(self._cast, when, span)
            ahead = isinstance(when, When) and self._history.is_ahead(when)
            planned = ahead and not is_bought_then(self._body, span, when, self._cast.within(*span))
            if len(paired) == len(found) > 1 and not negated and PURCHASES.speaks(self._body[slice(*span)]):
                self._compare_date(when, span, paired[when.start], _Said(True, False, False, not planned))
                continue
            certain = self._is_certain(when, span) or (alone and self._is_certain(found[0], span)) or others
            certain = certain and not planned
            self._compare_date(when, span, meant, _Said(alone, len(found) == 1, negated, certain))
        if _NEGATED.search(self._body, *span) is None and not _is_open(self._body[slice(*span)]):
            self._frequencies.times(span, line)

    # Dates.

    def _paired(self, found: Sequence[When | DayOfYear], span: Span) -> dict[int, Collection[str]]:
        """Of "A in May, B in June and C in July": the products of the one name before each date."""
        paired: dict[int, Collection[str]] = {}
        low = span[0]
        for when in found:
            here = [one for one in self._cast.within(low, when.start) if not one.linked]
            if len(here) == 1 and (meant := self._of(here)):
                paired[when.start] = meant
            low = when.end
        return paired

    def _compare_date(
        self, when: When | DayOfYear, span: Span, meant: Collection[str] | None, said: _Said
    ) -> None:
        placed = self._placed(when)
        if not placed:
            if not self._history.whole or said.negated or not said.certain:
                self._tally.unclear(f"it is not clear of what {self._shown(when)!r} is said")
            else:
                self._fail(when, f"said {self._shown(when)}, no order of this user was placed then", span)
            return
        ordered = self._ordered(span, meant)
        if not ordered or any(one in placed for one in ordered):
            if said.single and not said.negated:
                self._ordinal(when, span, placed, ordered)
            else:
                self._tally.ok()
        elif (
            said.single
            if _cites_one(self._named, span)
            else meant is not None and said.alone and said.certain
        ):
            self._fail(when, f"said {self._shown(when)}, the order was placed {days_of(ordered)}", span)
        else:
            self._tally.unclear(f"it is not clear which order is meant by {self._shown(when)!r}")

    def _placed(self, when: When | DayOfYear) -> list[Placed]:
        return [one for one in self._history.orders if when.covers(one.order.order_date)]

    def _is_certain(self, when: When | DayOfYear, span: Span) -> bool:
        """A word of buying right before the date; for a day of a year, anywhere near it in the sentence."""
        before = _ASIDE.sub(" ", self._body[max(span[0], when.start - _BESIDE) : when.start])
        if _BOUND_DATE.search(before) or _THEN_BOUGHT.match(self._body, when.end, span[1]):
            return True
        beside = before + " " + self._body[when.end : min(span[1], when.end + _BESIDE)]
        return isinstance(when, When) and when.day is not None and PURCHASES.speaks(beside)

    def _ordinal(
        self, when: When | DayOfYear, span: Span, placed: Sequence[Placed], ordered: Sequence[Placed]
    ) -> None:
        """The latest order, where the sentence says of one date that it is that."""
        before = self._body[span[0] : when.start]
        last = max((one.order.order_date for one in ordered or self._history.orders), default="")
        if ordered or not PURCHASES.latest(before) or any(one.order.order_date == last for one in placed):
            self._tally.ok()
        elif re.search(
            r"\b(?:order|purchase)\b(?!\s(?:of|for|from|in|with)\b)", before, re.I
        ) and not self._cast.within(*span):
            self._fail(when, f"said {self._shown(when)}, the latest order was placed {last[:10]}", span)
        else:
            self._tally.unclear(f"it is not clear which order is meant by {self._shown(when)!r}")

    def _ordered(self, span: Span, meant: Collection[str] | None) -> list[Placed]:
        """The orders that a sentence may be of: by number, else by what it names."""
        cited = [
            one
            for order_id, _ in self._named.between(span[0], span[1] + 4)
            if (one := self._history.find(order_id))
        ]
        if cited:
            return cited
        return self._history.of_products(meant) if meant else []

    def _of(self, places: Sequence[tuple[int, int, frozenset[str], bool]]) -> Collection[str] | None:
        """The products of the one thing that is named, and whatever else of the same name was ordered; `None` if it is several."""
        names = {self._body[low:high] for low, high, _, linked in places if not linked}
        linked = {next(iter(products)) for _, _, products, is_link in places if is_link}
        if len(names) > 1 or len(linked) > 1:
            return None
        if linked and self._history.of_products(linked):
            return linked
        of_maker = {one.order.product_id for one in self._history.of_makers(names)}
        called = {one for _, _, products, is_link in places if not is_link for one in products}
        return linked | of_maker | (called if names and not of_maker else set())

    def _shown(self, when: When | DayOfYear) -> str:
        return self._body[when.start : when.end]

    def _fail(self, when: When | DayOfYear, why: str, span: Span) -> None:
        line = self._cast.prose.line_at(when.start)
        bound = Certainty.CELL if line is not None and line.kind == "row" else Certainty.SENTENCE
        conditional = DOUBTS.doubts(self._body[slice(*span)]).get("conditional")
        doubt = None if conditional is None else f"{conditional!r} may speak of what would be"
        self._tally.accuse("order_date", (when.start, when.end), why, bound, doubt)


def _is_entry(cast: Cast, history: History, span: Span, line: TextLine) -> bool:
    """A line as from a list of orders: a day, and something that was ordered."""
    if line.kind == "row" or span[0] != line.start or _ENTRY.match(cast.body[slice(*span)]) is None:
        return False
    named = {one for place in cast.within(*span) for one in place.products}
    return bool(history.of_products(named))


def _is_negated(cast: Cast, when: When | DayOfYear, span: Span) -> bool:
    """By a word before the date, or behind it in its own clause: `in May 2020, then nothing since` says that there was one."""
    _, high = cast.prose.clause_at(when.start)
    return _NEGATED.search(cast.body, span[0], max(high, when.end)) is not None


def _cites_one(named: OrdersNamed, span: Span) -> bool:
    return len({order_id for order_id, _ in named.between(*span)}) == 1


def _is_open(text: str) -> bool:
    """A question or a condition: it says nothing of what was."""
    return text.rstrip().endswith("?") or "conditional" in DOUBTS.doubts(text)


_RECORD = re.compile(r"^[\s>*_-]{0,8}\d{4}-\d\d-\d\d\b")


def _is_record(text: str) -> bool:
    """A line as from the order book: the date first."""
    return _RECORD.match(text) is not None
