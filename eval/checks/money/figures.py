"""Every amount of a report with its place and the kind that the words beside it give it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from drr.citations.hidden import blank
from drr.eval.checks.base import Span
from drr.eval.checks.grid import column_at, holds_money
from drr.eval.checks.layout import Layout, TextLine
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.packs import unit_named
from drr.wording.cues import CUES, Cue
from drr.wording.hedges import HEDGES
from drr.wording.money import MoneyAmount, every_amount
from drr.wording.numbers import WHOLE, number
from drr.wording.tolerance import HEDGED
from drr.wording.verdicts import VERDICTS, Verdict

_NEAR_CENTS = 0.02
"""Share by which a figure that shows cents may be off where it is hedged."""
_MOST_BEFORE = 160
"""Characters before an amount that may speak of it."""
_JOINED = re.compile(r"\s?(?:-|–|—|\bto\b)\s?\\?(?:US)?\$?\s?")
_DIGITS_AFTER = re.compile(r"\s?(?:-|–|—|to)\s?\\?\$?\d")
_BARE_CENTS = re.compile(rf"[\s*_~]{{0,12}}(?P<n>{WHOLE}\.\d\d)[\s*_]{{0,12}}")
_UNSIGNED = re.compile(
    r"(?<![\w$€£¥.,/×+-])(?<![€£¥$]\s)(?P<n>\d{1,4}\.\d\d)(?=[\s*_]{0,3}(?:[,;:)(\]→=+/]|\.(?!\d)|[-–—]\s|$|(?:and|left|spare|each|apiece|more|less)\b))",
    re.M,
)
"""To the cent, and no unit behind it."""
_TO_THE_CENT = re.compile(r"(?<![\w$€£¥.,/×+-])(?P<n>\d{1,4}\.\d\d)(?![\d.]|,\d)")
_LEAST_UNSIGNED = 5.01
"""Less may be stars."""
_RANGE_BEFORE = re.compile(r"\$\s?[\d.,]+\s?(?:-|–|—|\bto\b)\s?$")
_AGAINST = re.compile(
    r"[\s*_,]{0,4}(?:compared (?:to|with)|versus|vs\.?|against|rather than|instead of|not|as opposed to)\s[*_]{0,3}(?:about |around |roughly )?",
    re.I,
)
_LABEL = re.compile(r"[\s>*_-]{0,6}(?P<label>[A-Z][\w\s/-]{4,28}?)(?:[:.][*_]{0,3}|[*_]{2,3}[:.]?)\s")
"""At the beginning of a line what all of it is about."""
_PER = re.compile(r"\bper\b", re.I)
_SCALE = re.compile(r"\s?(?:million|billion|trillion|thousand|bn|[kKmMbB])\b")
_OTHER_MONEY = re.compile(r"[€£¥]")


@dataclass(frozen=True, slots=True)
class Figure:
    """One amount: what it may stand for, where it is, what the words beside it say that it is."""

    amount: MoneyAmount
    cue: Cue
    line: int
    sentence: Span
    """Or the cell that it stands in."""
    low: float
    high: float
    exact: bool
    """Written to the cent, without a hedge."""
    void: bool
    """No single cost: an end of a range, a cost per month, billions, other money."""
    elsewhere: bool
    """The words around speak of other people's money, or of what would be."""
    clause: Span
    """From the amount before it to the one behind it, in its sentence."""

    column: tuple[int, int] | None
    """Of a table: which one, and which column."""
    verdict: Verdict | None
    """Whether its sentence says that a limit is kept."""

    @property
    def sign(self) -> int | None:
        """1 where the amount is left of a limit, -1 where it is over it; `None` where it may be either."""
        if self.cue.kind == "rest" or self.cue.word in _UNDER:
            return 1
        if self.cue.word in _OVER:
            return -1
        if self.cue.word == "by" and self.verdict in ("fits", "breaks"):
            return 1 if self.verdict == "fits" else -1
        return None

    @property
    def start(self) -> int:
        return self.amount.start

    @property
    def end(self) -> int:
        return self.amount.end

    @property
    def value(self) -> float:
        return self.amount.value

    def holds(self, value: float) -> bool:
        """Whether this is what the amount may stand for."""
        return self.low <= value <= self.high


class Figures:
    """The figures of a report, in its order."""

    def __init__(
        self, mentions: Mentions, prices: Collection[float] = (), names: Collection[Span] = ()
    ) -> None:
        self._mentions = mentions
        self._prices = {round(price, 2) for price in prices}
        markers = mentions.subject.citations.markers
        links = [(m.start, m.end) for m in markers if "$" not in m.id]
        self._text = blank(mentions.body, [*links, *names])
        """What a link or a product is called is no cue, unless it is called by its price."""
        signed = every_amount(self._text)
        taken = {one.end for one in signed}
        bare = {one.start: one for one in (*self._bare(), *self._unsigned()) if one.end not in taken}
        self._amounts = sorted([*signed, *bare.values()], key=lambda one: one.start)
        self.bare = frozenset(bare)
        """Where those begin that have no sign."""
        self.all = list(self._found())

    @cached_property
    def starts(self) -> list[int]:
        return [figure.start for figure in self.all]

    def _found(self) -> Iterator[Figure]:
        here = iter(self._amounts)
        amount = next(here, None)
        last_end = 0
        unit: tuple[int, Cue] | None = None
        """The last cost per unit, and its line."""
        led: Cue | None = None
        """What the line above a list makes of the cents in it: `Cost per load:`."""
        under = _Under(self._mentions.layout)
        for index, line in enumerate(self._mentions.layout.lines):
            if line.kind != "item":
                led = _leads(line.text)
            per = under.cue(index)
            for span in self._places(line):
                while amount is not None and amount.start < span[0]:
                    amount = next(here, None)
                low = max(span[0], last_end)
                while amount is not None and amount.start < span[1]:
                    after = next(here, None)
                    figure = self._figure(amount, line, index, span, low, after)
                    if (unit is not None and unit[0] == index and self._is_bare_cents(figure)) or (
                        unit is not None and unit[0] == index and self._is_comparand(figure, last_end)
                    ):
                        figure = replace(figure, cue=unit[1])
                    elif led is not None and line.kind == "item" and self._is_bare_cents(figure):
                        figure = replace(figure, cue=led)
                    elif per is not None and self._is_no_price(figure):
                        figure = replace(figure, cue=per, void=figure.void or per.kind == "void")
                    if figure.cue.kind == "unit":
                        unit = index, figure.cue
                    yield figure
                    low = last_end = amount.end
                    amount = after

    def _is_bare_cents(self, figure: Figure) -> bool:
        """Whether cents are said without what for: behind a cost per unit they are one more."""
        written = self._text[figure.start : figure.end]
        return figure.cue.kind in ("price", "none") and figure.value < 1 and "$" not in written

    def _is_no_price(self, figure: Figure) -> bool:
        """Whether no word makes it more than what something costs, and nothing in play costs so much."""
        return (
            figure.cue.kind in ("none", "price")
            and figure.value >= 1
            and round(figure.value, 2) not in self._prices
        )

    def _is_comparand(self, figure: Figure, last_end: int) -> bool:
        """Whether it is held against the amount before it, and said to be nothing itself."""
        return (
            figure.cue.kind == "none" and _AGAINST.fullmatch(self._text, last_end, figure.start) is not None
        )

    def _bare(self) -> Iterator[MoneyAmount]:
        """Figures to the cent outside of tables, of a report that writes a price in play so."""
        found = [match for match in _UNSIGNED.finditer(self._text) if float(match["n"]) >= _LEAST_UNSIGNED]
        if not any(float(match["n"]) in self._prices for match in _TO_THE_CENT.finditer(self._text)):
            return
        lines, starts = self._mentions.layout.lines, self._mentions.layout.starts
        for match in found:
            if not lines[max(bisect_right(starts, match.start()) - 1, 0)].cells:
                yield MoneyAmount(float(match["n"]), *match.span("n"), False, False)

    def _unsigned(self) -> Iterator[MoneyAmount]:
        """Figures to the cent in cells that are said to hold money."""
        for index, line in enumerate(self._mentions.layout.lines):
            if line.kind != "row":
                continue
            for column, (low, high) in enumerate(line.cells):
                match = _BARE_CENTS.fullmatch(self._text, low, high)
                if match and holds_money(self._mentions.tables.label(index, column, self._text)):
                    yield MoneyAmount(number(match["n"]), *match.span("n"), False, False)

    def _places(self, line: TextLine) -> list[Span]:
        return line.cells if line.cells else self._mentions.sentences(line)

    def _figure(
        self, amount: MoneyAmount, line: TextLine, index: int, span: Span, low: int, after: MoneyAmount | None
    ) -> Figure:
        text = self._text
        before = text[max(low, span[0], amount.start - _MOST_BEFORE) : amount.start]
        high = span[1] if after is None or after.start >= span[1] else after.start
        behind = text[amount.end : high]
        least, most = bounds(amount, text[amount.start : amount.end], before)
        cue = self._cue(line, index, span, before, behind, amount.start)
        void = (
            line.kind in ("head_row", "rule_row")
            or cue.kind == "void"
            or self._is_range(amount, after)
            or _SCALE.match(behind) is not None
            or _OTHER_MONEY.search(before[-3:]) is not None
        )
        exact = not amount.whole and not amount.approx and amount.value >= 1 and most - least < 0.02
        verdict = VERDICTS.verdict(text[slice(*span)]) if cue.kind == "gap" else None
        place = column_at(line, amount.start) if line.kind == "row" else None
        column = None if place is None else (line.table, place)
        clause = max(low, span[0]), high
        return Figure(
            amount,
            cue,
            index,
            span,
            least,
            most,
            exact,
            void,
            CUES.is_elsewhere(before, behind),
            clause,
            column,
            verdict,
        )

    def _cue(self, line: TextLine, index: int, span: Span, before: str, behind: str, place: int) -> Cue:
        cue = CUES.cue(before, behind)
        if cue.kind not in ("price", "none"):
            return cue
        if line.kind == "row" and (column := column_at(line, place)) is not None:
            head = CUES.of_label(self._mentions.tables.label(index, column, self._text))
            first = CUES.of_label(self._text[slice(*line.cells[0])]) if column else None
            return first if first is not None and first.kind in ("total", "rest") else head or cue
        return CUES.of_opening(self._text[slice(*span)].lstrip(" *_-")) or cue

    def _is_range(self, amount: MoneyAmount, after: MoneyAmount | None) -> bool:
        if _DIGITS_AFTER.match(self._text, amount.end) or self._joined_before(amount):
            return True
        return after is not None and _JOINED.fullmatch(self._text, amount.end, after.start) is not None

    def _joined_before(self, amount: MoneyAmount) -> bool:
        return _RANGE_BEFORE.search(self._text[max(0, amount.start - 16) : amount.start]) is not None


class _Under:
    """What headings, and labels at the beginning of lines, make of the amounts under and behind them: `## Per liter`, `Cost per use: ...`."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._of_heading: Cue | None = None
        self._ends = 0

    def cue(self, index: int) -> Cue | None:
        """Of the lines of a report, each asked for in its turn."""
        line = self._layout.lines[index]
        if index >= self._ends:
            self._of_heading = None
        if line.kind == "heading" and (cue := _per(line.text.lstrip(" #*_"))):
            self._of_heading, self._ends = cue, self._layout.section_end(index)
        label = _LABEL.match(line.text) if line.kind != "row" else None
        return (_per(label["label"]) if label else None) or self._of_heading


def _per(label: str) -> Cue | None:
    """A cost per measure; how much of anything else is in a thing (`Cost per use`) records do not tell, and nobody can say what it costs."""
    cue = CUES.of_opening(label)
    unit = unit_named(cue.per) if cue is not None else None
    if cue is None or (unit is not None and unit.kind != "count"):
        return cue
    return Cue("void", "label") if _PER.search(label) else None


def _leads(text: str) -> Cue | None:
    units = CUES.units_in(text) if text.rstrip(" *_").endswith(":") else frozenset()
    return Cue("unit", "led", next(iter(units))) if len(units) == 1 else None


def bounds(amount: MoneyAmount, written: str, before: str) -> Span | tuple[float, float]:
    """The least and the most that an amount may stand for."""
    value = amount.value
    slack = 0.5 if amount.whole else amount.finer or 0.005
    low, high = value - slack, value + slack
    if amount.approx:
        slack = max(slack if amount.whole else 2 * slack, (HEDGED if amount.whole else _NEAR_CENTS) * value)
        low, high = value - slack, value + slack
        if _JUST_UNDER.match(written):
            low, high = min(low, value - 0.07 * value), value
        elif _JUST_OVER.match(written):
            low, high = value, max(high, value + 0.07 * value)
    elif amount.whole:
        high = max(high, value + 0.995)
    if hedge := HEDGES.before.search(before[-24:]):
        word = hedge[0].strip().casefold().rstrip("$ ")
        if _ADDED_UP.search(before):
            pass
        elif word in HEDGES.above:
            low, high = value, max(high, 1.1 * value + 1)
        elif word in HEDGES.below:
            low, high = min(low, 0.9 * value - 1), value
    return low - 1e-9, high + 1e-9


_ADDED_UP = re.compile(r"\badd(?:s|ed|ing)?\s(?:it\s|them\s)?up\sto\s*$", re.I)
"""Here "up to" is no hedge."""
_JUST_UNDER = re.compile(r"(?:just under|nearly|almost)\b", re.I)
_JUST_OVER = re.compile(r"just over\b", re.I)
_UNDER = frozenset(("under", "below", "beneath", "inside", "within", "shy of"))
_OVER = frozenset(("over", "above", "beyond", "past"))
