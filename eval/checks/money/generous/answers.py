"""Yes or no to whether a limit is kept: behind a cost with a question mark, behind a limit and a colon, in a row that asks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from drr.eval.checks.base import Accusation, Subject
from drr.eval.checks.cast import Cast, cast_of
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.layout import TextLine
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.money.generous.limits import limits_told
from drr.eval.checks.money.ledger import MoneyLedger, ledger_of
from drr.wording.marks import MARKS
from drr.wording.money import every_amount

_EXACT = 0.005
_ANSWER = re.compile(r"[\s*_]{0,4}\?[\s*_]{0,4}(?:(?P<yes>yes)|no)\b", re.I)
"""Behind a cost."""
_TOLD = re.compile(r"[\s*_]{0,4}:[\s*_]{0,4}(?:(?P<yes>yes)|no)\b", re.I)
"""Behind a limit."""
_WITHIN = re.compile(r"(?:^|[\s*_>•-])(?:within|under|below|inside)\s(?:the\s|your\s|my\s)?[*_]{0,3}$", re.I)
_MORE = re.compile(r"\b(?:add|adding|also|another|still|left|room|on top|extra|spare|remaining)\b", re.I)
"""Near a cost: it is held against what is left."""
_ASKS = re.compile(
    r"[\s*_]{0,4}(?:(?:is (?:it )?)?(?:within|under|below|inside|in)|fits)\s(?:the\s|your\s|my\s)?[*_]{0,3}\$?(?P<n>\d{1,5}(?:\.\d\d)?)[*_]{0,3}\s?\??[\s*_]{0,4}$",
    re.I,
)
"""The head of a row: `under 40?`"""
_CELL = re.compile(rf"[\s*_]{{0,6}}(?:(?P<yes>yes|{MARKS.yes})|(?:no|{MARKS.no}))[\s*_.!]{{0,6}}", re.I)
_COLUMN = re.compile(
    r"(?:is it |still )?(?:within|under|below|inside|in|fits|passes|qualifies|ok|affordable)(?:\s(?:the|your|my)?\s?(?:budget|limit|cap|line|ceiling))?\s?\?"
    r"|(?:left|rest) of (?:the |your )?\$\d{1,5}(?:\.\d\d)?|(?:(?:within|under|below|fits|in)\s)?\$\d{1,5}(?:\.\d\d)?\s?\?",
    re.I,
)
"""The head of a column that asks of each row."""
_KEPT = re.compile(
    rf"(?:yes|{MARKS.yes}|in|fits|passes|ok(?:ay)?|(?:(?:yes, )?(?:just|still|well|barely|comfortably)\s)?(?:within|inside|under|below)(?:\s(?:it|that|(?:the|your|my)\s[a-z]{{3,9}}|budget))?)"
    r"(?:,\s(?![^|]{0,60}\b(?:if|with|unless|only|not|but|without|when)\b)[^|]{1,60})?",
    re.I,
)
_NEAR = 240


class LimitAnswers:
    def __init__(self, subject: Subject, mentions: Mentions) -> None:
        self._mentions, self._plain = mentions, mentions.plain
        self._ledger: MoneyLedger = ledger_of(mentions)
        self._cast: Cast = cast_of(subject, mentions)
        self._limits, self._each = limits_told(subject, self._ledger, self._plain)

    def found(self) -> Iterator[Accusation]:
        for figure in self._ledger.figures:
            if not figure.void and not figure.elsewhere and figure.cue.kind != "unit":
                yield from self._behind_cost(figure)
                yield from self._behind_limit(figure)
        for line in self._mentions.layout.lines:
            if line.kind == "row":
                yield from self._row(line)
                yield from self._column(line)

    def _behind_cost(self, figure: Figure) -> Iterator[Accusation]:
        match = _ANSWER.match(self._plain, figure.end)
        if match is None or figure.cue.kind not in ("price", "none", "total") or self._each:
            return
        near = self._ledger.within(max(0, figure.start - _NEAR), figure.start)
        left = [one.value for one in near if one.cue.kind == "rest"]
        more = left and _MORE.search(self._plain, max(0, figure.start - _NEAR), match.end() + _NEAR // 4)
        limits = left[-1:] if more else [*left, *self._limits]
        yield from self._held(figure, [figure.value], limits, bool(match["yes"]), (figure.start, match.end()))

    def _behind_limit(self, figure: Figure) -> Iterator[Accusation]:
        """`Within $150: yes`, of the total right before."""
        match = _TOLD.match(self._plain, figure.end)
        if match is None or not _WITHIN.search(self._plain, max(0, figure.start - 24), figure.start):
            return
        near = self._ledger.within(max(0, figure.start - _NEAR), figure.start)
        costs = [one.value for one in near if one.cue.kind in ("price", "none", "total") and not one.void]
        yield from self._held(
            figure, costs[-1:], [figure.value], bool(match["yes"]), (figure.start, match.end())
        )

    def _held(
        self,
        figure: Figure,
        costs: Sequence[float],
        limits: Sequence[float],
        yes: bool,
        where: tuple[int, int],
    ) -> Iterator[Accusation]:
        if not costs or not limits or figure.amount.approx:
            return
        if all((cost > limit + _EXACT) is yes for cost in costs for limit in limits):
            said = self._plain[slice(*where)].strip()
            why = f"said {said!r} of ${costs[0]:,.2f} and ${limits[0]:,.2f}"
            yield Accusation("verdict_told", where, why, Certainty.SENTENCE)

    def _row(self, line: TextLine) -> Iterator[Accusation]:
        """A row that asks of each column's product."""
        match = _ASKS.match(self._plain[slice(*line.cells[0])]) if line.cells else None
        if match is None:
            return
        limit = float(match["n"])
        if limit not in self._limits and not every_amount(match[0]):
            return
        for column, cell in enumerate(line.cells[1:], 1):
            answer = _CELL.fullmatch(self._plain, *cell)
            product = self._cast.products.get(self._cast.column_owner(line, column) or "")
            if answer is None or product is None or product.price is None:
                continue
            if (product.price > limit + _EXACT) is bool(answer["yes"]):
                why = f"said {answer[0].strip()!r} to {match[0].strip()!r} of {product.product_id}: it costs ${product.price:,.2f}"
                yield Accusation("verdict_told", cell, why, Certainty.CELL)

    def _column(self, line: TextLine) -> Iterator[Accusation]:
        """A column that asks of each row's cost: what is more than every limit in sight is not in."""
        figures = [one for one in self._ledger.within(line.start, line.end) if not one.void]
        costs = [one.value for one in figures if one.cue.kind in ("price", "none", "total")]
        for cell, head in zip(line.cells, line.header, strict=False):
            asks = _COLUMN.fullmatch(head.strip(" *_")) is not None
            said = self._plain[slice(*cell)].strip(" *_.!")
            if not asks or len(costs) != 1 or self._each or _KEPT.fullmatch(said) is None:
                continue
            own = every_amount(head)
            limits = [own[0].value] if len(own) == 1 else self._limits
            if limits and all(costs[0] > limit + _EXACT for limit in limits):
                why = f"said {said!r} to {head.strip()!r} of ${costs[0]:,.2f}, which does not keep to ${limits[0]:,.2f}"
                yield Accusation("verdict_told", cell, why, Certainty.CELL)
