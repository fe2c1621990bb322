"""Shares of all orders that no count in sight makes: `Five of your 18 orders are baskets. That is roughly 38 percent of everything`.

The share may stand wherever it likes, so long as the number of all orders is said in its sentence or in the one before. It is right where any count said there, some of
them together, what they leave, or the size of anything named there makes it of any whole that is said. Left alone where nothing is counted or where it may be one of money.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from typing import NamedTuple

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.person.readings.facets import OrderFacets
from drr.eval.checks.person.readings.said import GAP, NO_FIGURE_BEFORE, count_value
from drr.eval.checks.person.readings.wholes import FRACTION_WORDS, fraction_said
from drr.wording.numbers import SPOKEN, WHOLE, number

_MARK = r"[\s*_]{0,3}"
_OWN = rf"(?:(?:your|the|all|these|those|his|her|their|my){GAP}){{0,2}}"
_OF = rf"(?P<of>{GAP}of{GAP}(?:(?:everything|it{GAP}all|all|the{GAP}(?:lot|whole)|{_OWN}(?:orders|purchases|history|total|record|account))\b|{_OWN}(?P<m>{WHOLE}|{SPOKEN})(?![\w%-]|[.,/]\d)))"
_CLOSES = rf"(?={_MARK}(?:$|[.,;:!)–—]))"
_PERCENT = re.compile(
    rf"(?<![\w.$,-])(?P<p>\d{{1,3}}(?:\.\d{{1,2}})?){_MARK}(?:%|percent\b|per\scent\b)(?:{_OF}|{_CLOSES})",
    re.I,
)
_FRACTION = re.compile(rf"\b(?P<f>{FRACTION_WORDS})(?:{_OF}|{_CLOSES})", re.I)
_SMALL = r"(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten)"
_IN = re.compile(
    rf"{NO_FIGURE_BEFORE}(?P<a>{_SMALL}){GAP}(?:in|out{GAP}of)(?:{GAP}every)?{GAP}(?P<b>{_SMALL})(?![\w%-]|[.,/]\d)(?:{_OF}|{_CLOSES})",
    re.I,
)
_OF_ELSE = re.compile(
    r"[$€£?]|\b(?:spen[dt]|spending|money|dollars?|price[sd]?|pricier|paid|pay|off|discount|coupon|cheaper|dearer|costs?|value|saving|stars?|rated|ratings?|reviews?|"
    r"would|could|should|might|if|unless|cotton|silk|alcohol|pure|strength|items|pieces|units|as\s(?:many|much|often|big)|again\sas|average|every\sother|another|further|additional|while|whereas|against|compared)\b",
    re.I,
)
"""In its sentence: it may be a share of something else, of what is not so, or of what is not said."""
_ASIDE = re.compile(
    r"\((?:https?:[^()\s]{1,300}|[^()]{0,4})\)|https?://\S{1,300}|\[\d{1,3}\]|\bB0[A-Z0-9]{8}\b|\b\d{9,20}\b"
)
_COUNT = re.compile(
    rf"{NO_FIGURE_BEFORE}(?:{WHOLE}|{SPOKEN}|once|twice|both)(?![\w%]|[.,/]\d|{GAP}(?:per\s?cent|days?|weeks?|months?|years?|stars?|inch|inches|feet|foot)\b)",
    re.I,
)
"""A count, and not a length."""
_VALUES = {"once": 1, "twice": 2, "both": 2}
_LEADS = rf"(?:or|so|that{GAP}is|that['’]s|which{GAP}is|i\.e\.|making|makes|just|only|exactly|a|an|little|bit|shade|about|around|roughly|some|nearly|almost|slightly|well|not|quite|more|less|than|over|under|close{GAP}to)"
_OWN_SUBJECT = re.compile(
    rf"(?:\b(?:and|but|or|then)\b|[;—]){_MARK},?\s{{1,2}}(?!(?:so|that|which|this|it|again|{_LEADS})\b)[a-z][^.,;:()—]{{0,50}}\b(?:makes?|made|are|is|was|were|accounts?|holds?|takes?|comes?|came|adds?|added|go|goes|went|fills?|brings?|covers?|reach|stands?)\b",
    re.I,
)
"""Between a count and a share: another clause begins."""
_BACK = re.compile(
    rf"[\W_]{{0,8}}(?:(?:so|and|or|in\sother\swords|put\sotherwise|honestly|all),?\s)?(?:that|this|it|which|they|those|these|together|combined|share\b|{_LEADS})\b",
    re.I,
)
"""A sentence that goes on about what was counted."""
_REST = re.compile(
    r"\b(?:rest|remaining|remainder|others?|else|elsewhere|not|no|without|none|never)\b|n['’]t\b", re.I
)
_TOGETHER = re.compile(r"\b(?:together|combined|between\sthem|those|these|both|all\stold|sum)\b", re.I)
"""A share may be one of several counts."""
_OF_THEM = re.compile(
    rf"(?:{GAP}times)?(?:{GAP}(?:of{GAP}them|orders|purchases))?(?:{GAP}(?:in{GAP}all|in{GAP}total|altogether))?{_MARK}[,;:(–—=-]{_MARK}(?:{_LEADS},?{GAP}){{0,6}}[~≈]?",
    re.I,
)
"""From a count to the share that it is."""
_OUT_OF = re.compile(rf"(?:{GAP}(?:orders|purchases|times))?,?{GAP}(?:out{GAP})?of{GAP}{_OWN}", re.I)
_UNDER = re.compile(
    r"\b(?:under|below|less\sthan|fewer\sthan|short\sof|shy\sof|nearly|almost|not\squite|close\sto|approaching|at\smost|barely|hardly)[\s*_]{1,3}(?:an?\s|one\s)?$",
    re.I,
)
_OVER = re.compile(
    r"\b(?:over|above|more\sthan|better\sthan|at\sleast|upwards\sof|good|barely|hardly|north\sof)[\s*_]{1,3}(?:an?\s|one\s)?$",
    re.I,
)
_TOLD = re.compile(rf"(?:\b(?:is|are|was|were|{_LEADS})[\s*_]{{1,3}}|[(=~≈]\s?)$", re.I)
"""Before a fraction in words."""
_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|some|just|approximately|near|nearly|almost|close\sto|circa|say|maybe|perhaps)[\s*_]{1,3}(?:an?\s|one\s)?|[~≈]\s?)$",
    re.I,
)
_BEFORE = 28
_LEAST, _MOST, _COUNTS = 5, 6, 7
_EXACT, _NEAR, _WORDS, _SIDE, _EDGE = 1.1, 2.6, 7.0, 25.0, 0.6
"""Percent by which a share may differ: as it is rounded, about so much, in words, and on the side that is named."""


class _Share(NamedTuple):
    low: float
    high: float
    whole: int | None
    """Of so many, if that is said right behind it."""
    span: Span
    shown: str


class _Count(NamedTuple):
    value: int
    start: int
    end: int


class ToldShares:
    """Reads the sentences of one report."""

    def __init__(self, facets: OrderFacets, cast: Cast) -> None:
        self._facets, self._cast, self._body = facets, cast, cast.body
        orders = facets.sets.history.orders
        self._all = len(orders)

    def sentence(self, span: Span, before: Span | None) -> Iterator[Accusation]:
        """`before`: the sentence before it, if it has one."""
        if self._all < _LEAST:
            return
        for share in islice(self._shares(span), _MOST):
            if _OF_ELSE.search(_ASIDE.sub(" ", self._body[slice(*span)])):
                return
            spans = [span] if before is None else [before, span]
            said = [one for each in spans for one in self._counts(each, share.span)]
            if share.whole not in (None, self._all) or all(one.value != self._all for one in said):
                continue
            if not any(1 < one.value < self._all for one in said if one.start >= span[0]):
                said += self._counts((0, spans[0][0]), share.span)
            if not any(0 < one.value < self._all for one in said) or self._is_of_another(share, said, span):
                continue
            if not self._is_made(share, said, spans):
                why = f"said {share.shown} of {self._all} orders, which no count in sight makes it"
                yield Accusation("own_part", share.span, why, Certainty.CLAUSE)

    def _shares(self, span: Span) -> Iterator[_Share]:
        for match in _PERCENT.finditer(self._body, *span):
            value = number(match["p"])
            yield self._share(match, "p", value, _NEAR if value % 5 == 0 else _EXACT)
        for match in _FRACTION.finditer(self._body, *span):
            low = max(span[0], match.start() - _BEFORE)
            if match["of"] is None and not _TOLD.search(self._body, low, match.start()):
                continue  # `a third` in a row
            yield self._share(match, "f", 100 * fraction_said(match["f"]), _WORDS)
        for match in _IN.finditer(self._body, *span):
            part, whole = count_value(match["a"]), count_value(match["b"])
            if part < whole != self._all:
                yield self._share(match, "a", 100 * part / whole, _WORDS)

    def _share(self, match: re.Match[str], group: str, value: float, slack: float) -> _Share:
        start = match.start(group)
        how = self._body[max(0, start - _BEFORE) : start]
        slack = max(slack, _NEAR) if _ABOUT.search(how) else slack
        under, over = _UNDER.search(how), _OVER.search(how)
        low = value - (_SIDE if under else _EDGE if over else slack)
        high = value + (_SIDE if over else _EDGE if under else slack)
        whole = count_value(match["m"]) if match["m"] else self._all if match["of"] else None
        end = match.end("b") if group == "a" else match.end(group)
        return _Share(low, high, whole, (start, end), self._body[start:end])

    def _counts(self, span: Span, but: Span) -> list[_Count]:
        """The counts that are said, not those of days, of addresses and of the share itself."""
        prose = self._cast.prose
        hidden = [(one.start, one.end) for one in prose.dates(*span)]
        hidden += [(one.start, one.end) for one in prose.days_of_year(*span)]
        hidden += [match.span() for match in _ASIDE.finditer(self._body, *span)]
        hidden += [but, *((match.start(), match.end("b")) for match in _IN.finditer(self._body, *span))]
        found = [
            _Count(_value(match[0]), *match.span())
            for match in _COUNT.finditer(self._body, *span)
            if not any(low <= match.start() < high for low, high in hidden)
        ]
        return sorted(found, key=lambda one: one.start)

    def _is_of_another(self, share: _Share, said: Sequence[_Count], span: Span) -> bool:
        """Whether a share may have a subject of its own, which is not counted: `Tools make 30% of them`."""
        ends = [one.end for one in said if span[0] <= one.start and one.end <= share.span[0]]
        if ends:
            return _OWN_SUBJECT.search(self._body, max(ends), share.span[0]) is not None
        behind = any(span[0] <= one.start and 1 < one.value < self._all for one in said)
        return not behind and _BACK.match(self._body, *span) is None

    def _is_made(self, share: _Share, said: Sequence[_Count], spans: Sequence[Span]) -> bool:
        some = set[int]() if _TOGETHER.search(self._body, *spans[-1]) else self._tied(share, said)
        wholes = {self._all} if share.whole is not None else {self._all, *self._wholes()}
        if not some:
            before = [one.value for one in said if one.start < share.span[0] and one.value < self._all]
            some = {one.value for one in said} | self._named(spans) | _sums(before)
            wholes |= set() if share.whole is not None else {one.value for one in said}
        if _REST.search(self._body, *spans[-1]):
            some |= {self._all - one for one in some}
        return any(
            0 < part <= whole and share.low <= 100 * part / whole <= share.high
            for whole in wholes
            for part in some
        )

    def _tied(self, share: _Share, said: Sequence[_Count]) -> set[int]:
        """The one count of which a share is told right behind it: `13, i.e. 25%`, `nine of your 45 orders, about 20%`."""
        before = [one for one in said if one.end <= share.span[0]]
        if not before or not _OF_THEM.fullmatch(self._body, before[-1].end, share.span[0]):
            return set()
        last = before.pop()
        if last.value < self._all:
            return {last.value}
        if last.value != self._all or not before:
            return set()
        return {before[-1].value} if _OUT_OF.fullmatch(self._body, before[-1].end, last.start) else set()

    def _wholes(self) -> set[int]:
        """All orders and pieces."""
        return self._facets.sets.sizes(self._facets.sets.all)

    def _named(self, spans: Sequence[Span]) -> set[int]:
        """How many orders there are of whatever is named."""
        some = [one for each in spans for one in (*self._facets.in_span(each), *self._facets.kinds_in(each))]
        return {size for one in some for way in one.ways[:1] for size in self._facets.sets.orders_of(way)}


def _value(text: str) -> int:
    return _VALUES.get(text.casefold()) or count_value(text)


def _sums(said: Sequence[int]) -> set[int]:
    sizes = range(2, len(said) + 1) if len(said) <= _COUNTS else (2,)
    return {sum(one) for size in sizes for one in combinations(said, size)}
