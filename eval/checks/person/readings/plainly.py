"""What a sentence shows to be wrong by its own figures: a share beside the count and the whole that it is of, a gap beside the two days that it lies between.

Each is read from words that stand right beside each other, whatever else the sentence says; where one of them is not understood nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import islice, pairwise

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.person.readings.days import GLUE, length_said
from drr.eval.checks.person.readings.said import GAP, NO_FIGURE_BEFORE, count_value
from drr.wording.dates import When
from drr.wording.hedges import HEDGES
from drr.wording.numbers import DIGITS, SPOKEN, WHOLE, number

_ORDERS = r"(?:orders|purchases|parcels|buys)"
_OWN = rf"(?:(?:your|the|all|her|his|their|my){GAP}){{0,2}}"
_OF_ALL = re.compile(
    rf"{NO_FIGURE_BEFORE}(?P<n>{WHOLE}|{SPOKEN}){GAP}(?:orders{GAP})?(?:out{GAP})?of{GAP}{_OWN}(?P<m>{WHOLE}|{SPOKEN})(?![\w%-]|[.,/]\d)(?:{GAP}(?:past{GAP}|total{GAP})?{_ORDERS})?",
    re.I,
)
"""`8 of your 12 orders`"""
_OF_ALL_FIRST = re.compile(
    rf"(?<![\w.$-])(?:out{GAP})?of{GAP}{_OWN}(?P<m>{WHOLE}|{SPOKEN}){GAP}(?:past{GAP}|total{GAP})?{_ORDERS},?{GAP}(?P<n>{WHOLE}|{SPOKEN})(?![\w%-]|[.,/]\d)",
    re.I,
)
"""`out of 12 orders, 8`"""
_HOW = r"(?:about|around|roughly|some|nearly|almost|just|over|under|more|less|than|a|little|bit|good|close|to|or|so|that|is|which|i\.e\.|making|makes|exactly|only)"
_SHARE = r"(?P<p>\d{1,3}(?:\.\d{1,2})?)[\s*_]{0,3}"
_PERCENT = re.compile(
    rf"(?P<how>[,;:(–—=][\s*_]{{0,3}}(?:{_HOW},?{GAP}){{0,5}}[~≈]?){_SHARE}(?:%|percent\b|per\scent\b)",
    re.I,
)
"""Behind a mark: `, roughly 92%`"""
_OF_EVERYTHING = re.compile(
    r"[\s*_]{1,3}of[\s*_]{1,3}(?:everything|it all|all|them all|(?:your|the|all|her|his|their)\b[^.;,]{0,24}\b(?:orders|purchases|total|history|whole|lot|record))\b",
    re.I,
)
_CLOSES = re.compile(r"[\s*_]{0,3}(?:$|[.,;)–—!])")
_OF_ELSE = re.compile(
    r"\b(?:but|while|whereas|against|than|rest|remaining|others?|spend|spent|spending|money|price[sd]?|off|discount|cheaper|dearer|rated|costs?|value|dollars?|pieces|items|units|would|if|not|of which|of them|of those|of these)\b|[$€£?;]",
    re.I,
)
"""Between a count and a share, or behind it: it may be one of something else."""
_OF_ORDERS = rf"of{GAP}(?:all{GAP})?(?:(?:your|the|her|his|their){GAP})?(?:orders|purchases|history)"
_SHARE_FIRST = re.compile(
    rf"{_SHARE}(?:%|percent|per\scent){GAP}{_OF_ORDERS}[\s*_]{{0,3}}[,(:–—][\s*_]{{0,3}}(?:(?:that{GAP}is|or|i\.e\.|so){GAP})?$",
    re.I,
)
"""Before a count: `92% of your orders (`"""
_JUST = r"(?:a|some|exactly|just|only|mere|which|that|is|so|about|roughly|nearly|almost|around)"
_LATER = rf"(?:apart|later|afterwards?|between{GAP}(?:them|the{GAP}two|those))"
_GAP = re.compile(
    rf"(?P<lead>[\s,;:*_()–—-]{{1,6}}(?:{_JUST}{GAP}){{0,4}})(?P<n>{DIGITS}|{SPOKEN})[\s*_-]{{1,3}}(?P<unit>days?|weeks?|months?|years?){GAP}{_LATER}\b(?!{GAP}(?:than|from|and|by))",
    re.I,
)
"""Right behind the second of two days: `, exactly eight months apart`."""
_PAUSE = re.compile(
    rf"(?P<lead>[\s,;:*_()–—-]{{1,6}}(?:(?:that{GAP}is|which{GAP}is|so){GAP})?(?:a|the){GAP}(?:[a-z]{{3,9}}{GAP})?(?:gap|lull|pause|break|silence|stretch|span|interval|distance)(?:,?{GAP}(?:of|that{GAP}lasted|lasting))?{GAP}(?:{_JUST}{GAP}){{0,3}})(?P<n>{DIGITS}|{SPOKEN})[\s*_-]{{1,3}}(?P<unit>days?|weeks?|months?|years?)(?=[\s*_]{{0,3}}(?:$|[.;:)!–—]|,(?!\s(?:and|or|less|plus|minus)\b)))",
    re.I,
)
"""Right behind the second of two days: `, a lull of some eight months`."""
_APART_FIRST = re.compile(
    rf"(?<![\w.,$-])(?P<n>{DIGITS}|{SPOKEN})[\s*_-]{{1,3}}(?P<unit>days?|weeks?|months?|years?){GAP}(?:apart|to{GAP}the{GAP}day)[\s*_]{{0,3}}[,(:–—][\s*_]{{0,3}}(?:(?:on|in){GAP})?$",
    re.I,
)
"""Right before the first of two days: `nine months apart (March 2018, `."""
_UNREAL = re.compile(r"\b(?:if|unless|would|could|should|might)\b|\?", re.I)
_LEAST, _FAR, _MOST = 4, 130, 8
_LEAD, _HEDGE = 60, 24
_EXACT, _HEDGED, _TURNED = 1.1, 2.6, 9.0
"""Percent by which a share may differ: rounded, about so much, and on the side that `over` and `under` name."""


class PlainlyWrong:
    """Reads the sentences of one report."""

    def __init__(self, cast: Cast) -> None:
        self._cast, self._body = cast, cast.body

    def sentence(self, span: Span) -> Iterator[Accusation]:
        if not _UNREAL.search(self._body, *span):
            yield from self._shares(span)
            yield from self._gaps(span)

    def _shares(self, span: Span) -> Iterator[Accusation]:
        """`8 of your 12 orders are in tools, roughly 92% of everything`"""
        pairs = [
            pair for form in (_OF_ALL, _OF_ALL_FIRST) for pair in islice(form.finditer(self._body, *span), 2)
        ]
        if len(pairs) != 1:
            return
        pair = pairs[0]
        part, whole = count_value(pair["n"]), count_value(pair["m"])
        said = self._share_of(pair, span)
        if said is None or whole < _LEAST or not 0 < part <= whole:
            return
        value, is_ = number(said["p"]), 100 * part / whole
        how = self._body[max(span[0], said.start("p") - 24) : said.start("p")]
        if not _is_so(value, is_, how):
            why = f"said {value:g} % for {part} of {whole}, which are {is_:.0f} %"
            yield Accusation("own_part", said.span("p"), why, Certainty.CLAUSE)

    def _share_of(self, pair: re.Match[str], span: Span) -> re.Match[str] | None:
        """The only share of a sentence, if it can only be the one that a count and its whole make."""
        low, high = max(span[0], pair.start() - _FAR), min(span[1], pair.end() + _FAR)
        first = _SHARE_FIRST.search(self._body, low, pair.start())
        said = _PERCENT.search(self._body, pair.end(), high)
        if (first is None) == (said is None):
            return None
        if first is not None:
            return None if _OF_ELSE.search(self._body, span[0], first.start()) else first
        assert said is not None
        between = self._body[pair.end() : said.start()]
        if _OF_ELSE.search(between) or re.search(rf"\d|\b{SPOKEN}\b", between, re.I):
            return None
        whole = _OF_EVERYTHING.match(self._body, said.end(), span[1])
        if whole is None and not _CLOSES.match(self._body, said.end(), span[1]):
            return None
        behind = self._body[said.end() : min(span[1], said.end() + 60)]
        return None if re.search(r"\b(?:spend|spent|spending|money)\b", behind, re.I) else said

    def _gaps(self, span: Span) -> Iterator[Accusation]:
        """`on March 19, 2021 and again on September 20, 2022, eight months apart`"""
        whens = sorted(
            (one for one in islice(self._cast.prose.dates(*span), 4 * _MOST) if one.month),
            key=lambda one: one.start,
        )[:_MOST]
        for at, (first, last) in enumerate(pairwise(whens)):
            if not GLUE.fullmatch(self._body, first.end, last.start):
                continue
            joined = at and GLUE.fullmatch(self._body, whens[at - 1].end, first.start)
            behind = whens[at + 2] if at + 2 < len(whens) else None
            if joined or (behind is not None and GLUE.fullmatch(self._body, last.end, behind.start)):
                continue  # of three days it may lie between any two
            before = max(span[0], first.start - _LEAD)
            match = (
                _GAP.match(self._body, last.end, span[1])
                or _PAUSE.match(self._body, last.end, span[1])
                or _APART_FIRST.search(self._body, before, first.start)
            )
            if match is not None:
                yield from self._gap(match, first, last)

    def _gap(self, said: re.Match[str], first: When, last: When) -> Iterator[Accusation]:
        low, high = _days_between(first, last)
        length = length_said(
            said,
            near=HEDGES.before.search(self._body[max(0, said.start("n") - _HEDGE) : said.start("n")])
            is not None,
        )
        if not low - length.slack <= length.days <= high + length.slack:
            are = f"{low}" if low == high else f"{low} to {high}"
            why = f"said {said['n']} {said['unit']}, between the two are {are} days"
            yield Accusation("own_between", (said.start("n"), said.end("unit")), why, Certainty.CLAUSE)


def _is_so(said: float, is_: float, how: str) -> bool:
    """A share as it is rounded, with what is said of its side."""
    slack = _HEDGED if HEDGES.before.search(how) or said % 5 == 0 else _EXACT
    above = re.search(r"\b(?:over|more than|above|at least|better than)\s(?:[a-z]+\s)?$", how, re.I)
    below = re.search(r"\b(?:under|less than|below|nearly|almost|at most)\s(?:[a-z]+\s)?$", how, re.I)
    low = said - (_TURNED if below else slack)
    return low <= is_ <= said + (_TURNED if above else slack)


def _days_between(first: When, last: When) -> tuple[int, int]:
    """The least and the most that may lie between two days, or months."""
    (a, b), (c, d) = sorted((_reach(first), _reach(last)))
    return max(0, (c - b).days), (d - a).days


def _reach(when: When) -> tuple[date, date]:
    month = when.month or 1
    if when.day is not None:
        day = date(when.year, month, when.day)
        return day, day
    after = date(when.year + month // 12, month % 12 + 1, 1)
    return date(when.year, month, 1), after - timedelta(days=1)
