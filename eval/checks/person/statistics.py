"""Rule: spend, counts and averages of the reader's history are those of the orders."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from itertools import accumulate, combinations
from typing import NamedTuple

from drr.env.statistics import Share, UserStatistics
from drr.eval.checks.base import Check, CheckTally, Span, Subject, unverifiable
from drr.eval.checks.cast import Cast, cast_of
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.person.history import History, history_of
from drr.eval.checks.person.parts import PartsOfHistory
from drr.eval.checks.person.readings.counted import borne_out, misread_counts
from drr.eval.checks.person.readings.said import FEW_DIGITS
from drr.eval.checks.person.spending import compare_spending
from drr.eval.checks.person.stretches import counts_in_times, is_sum_behind_a_colon
from drr.eval.checks.person.tallies import HistoryTallies, name_form, plain_name
from drr.eval.checks.person.whole import CountsOfTheWhole
from drr.wording.hedges import HEDGES
from drr.wording.money import every_amount
from drr.wording.numbers import SPOKEN, number, number_said
from drr.wording.tolerance import same_count

_COUNTED_BEFORE = re.compile(rf"(?:\b(?:{SPOKEN}|your|my|the|these|those|all|both|first|last)|\d)\s$", re.I)
_ABOUT_YOU = re.compile(
    r"\b(?:you|your|yours|you've|you’ve|lifetime|account|on file|overall|history|profile|of them|in total|orders since|with us)\b",
    re.I,
)
_WORLD = re.compile(
    r"https?://|\[\^?\w{1,3}\](?!\()|\b(?:market|industry|survey|americans?|worldwide|households|national|retailers?|shoppers|customers)\b",
    re.I,
)
"""A sentence that speaks of others."""
_COUNT = re.compile(
    rf"(?P<near>{HEDGES.least}?)(?<![\w.$,#€£/])(?P<n>{FEW_DIGITS}|{SPOKEN})(?!\s?%|[\w.,/-]*\d)(?:[\s*_]{{1,4}}(?P<more>(?:(?:past|previous|total|lifetime|separate|different|earlier|prior|recorded|other|known)[\s*_]{{1,3}}){{0,2}}(?:orders|purchases)\b)"
    r"|(?P<of>[\s*_]{1,4}of[\s*_]{1,3}(?:your|them|those|these|the|all|my|its)\b)|(?![\w-])|(?=[\s*_]))",
    re.I,
)
_LABELLED = re.compile(
    r"\b(?:orders|purchases|orders placed|number of orders|total orders)[\s*_]{0,3}(?:placed[\s*_]{0,3})?[:|][\s*_]{0,4}(?P<m>(?!(?:19|20)\d\d\b)\d[\d,]*)\b(?!\s(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|[-/.]\d)",
    re.I,
)
_FROM_THEN = re.compile(
    r"\b(?:since|from|until|till|before|after|through|up to|between|and|to)\s(?:[a-z]{3,9}\.?\s)?(?:\d{1,2}(?:st|nd|rd|th)?,?\s)?$",
    re.I,
)
"""Before a year that begins or ends a time: a count beside it is of more than that year."""
_ORDER_NUMBER = re.compile(r"\b(?:order|no\.?|number|#)\s*#?$", re.I)
_WINDOW = re.compile(
    r"\b(?:last|latest|newest|past|recent|first|next|previous|another|within|every|each|per|visible|at least|at most|under|over|more than|fewer|than)\b[^.;]{0,24}$",
    re.I,
)
_FEWER = re.compile(
    r"\b(?:last|latest|newest|past|recent|previous|at least|at most|under|over|more than|fewer than)\b[^.;,]{0,12}$",
    re.I,
)
_PERIOD = re.compile(
    r"\b(?:last|past|recent|previous)\s(?:\w+\s){0,2}(?:months?|years?|weeks?|days?|quarter|orders)\b|\bsince then\b|\bthis year\b|\blately\b",
    re.I,
)
_AND_SO = re.compile(
    r"(?:[\s*_]*(?:$|[,.;:!?()\]|—–-]|\b(?:orders?|purchases?|of|times|in|under|to|with|at|each|and|for|from|followed|fall|were|are|is|was|belong|belongs|went|go|filed|apiece|by|on|total|came|come)\b))",
    re.I,
)
_GAP = 42
"""Characters between a share's name and its count."""
_OUT_OF = re.compile(r"\bof[\s*_]{1,3}(?:(?:your|the|all)[\s*_]{1,3}){0,2}$", re.I)
"""Before the number of all."""
_OF_ALL = re.compile(
    r"[\s*_]{1,3}of[\s*_]{1,3}(?:(?:your|the|all|my)[\s*_]{1,3}){0,2}\d[\d,]{0,7}(?:[\s*_]{1,3}(?:total\s)?(?:orders|purchases))?,?",
    re.I,
)
"""Behind a count: of how many it is."""
_CLOSE = 16
_WITH = re.compile(r"[\s*_]{1,3}with[\s*_]{1,3}|[\s*_]{0,3}\([\s*_]{0,3}", re.I)
"""Between a store and its count: `Linenfield with 5`."""
_ALL_THERE_ARE = re.compile(
    r"\b(?:placed|made|hold|holds|has|have|had|shows?|counts?|lists?|contains?|totals?|totaling|come to|in all|total of|altogether|across|your|all)[\s*_]{1,3}(?:(?:exactly|just|about|around|some|roughly|a|total|of|lifetime|the)[\s*_]{1,3}){0,3}$|^[\s*_>•-]{0,6}$",
    re.I,
)
"""Before a count of orders that nothing is named beside: it is of all of them."""
_OF_SOMETHING = re.compile(r"\bfor\s+(?!the\s*$)\S", re.I)
"""Between a count of orders and a part of them: it is of what stands there."""
_AND_NO_LESS = re.compile(
    r"[\s*_]{0,3}(?:$|[.,;:!?()|—–]|(?:since|between|from\s(?!the\b)|in\s(?:all|total)\b|on\s(?:file|record|the book|your account)|so far|altogether|over|across|with us|to date|and|under your)\b)",
    re.I,
)
"""Behind it: nothing chooses among them."""
_LARGE = 10
"""Orders; fewer may be any few of them."""
_KNOWN = re.compile(r"\b(?:all|both|these|those|the|its|every)[\s*_]{1,3}$", re.I)
"""Before a count: it is of things that were named."""
_CELLS = 3
"""Of a row; with more counts than one it tells of several things."""


def statistics(subject: Subject, mentions: Mentions) -> Check:
    """Spend, counts and averages of the reader's history, computed again from the orders."""
    if subject.shop is None or subject.user_id is None:
        return unverifiable("no shop and user were given")
    known = subject.shop.store.statistics(subject.user_id)
    if known is None:
        return unverifiable(f"the shop has no user {subject.user_id}")
    tally = CheckTally()
    cast = cast_of(subject, mentions)
    records = sorted(
        one.start for one in subject.citations.markers if one.url and one.url.startswith("user://")
    )
    history = history_of(mentions)
    assert history is not None
    parts = PartsOfHistory(tally, cast, known, history)
    counting = _Counting(tally, cast, known, history, parts)
    wholes = CountsOfTheWhole(tally, cast, known, history, parts)
    HistoryTallies(tally, cast, known, history).compare()
    asked = [one.value for one in every_amount(subject.query or "")]
    led = False
    for line in mentions.layout.lines:
        if line.kind in ("rule_row", "elision"):
            continue
        yours = _ABOUT_YOU.search(mentions.body, line.start, line.end) is not None or (
            subject.user is not None and subject.user.first_name in line.text
        )
        if line.kind == "item":
            yours = yours or led
        else:
            led = yours
        for span in cast.prose.sentences(line):
            parts.sentence(span)
            if line.kind not in ("row", "head_row"):
                wholes.sentence(span)
            cites = bisect_left(records, span[0]) < bisect_left(records, span[1] + 4)
            if (
                cites
                or _ABOUT_YOU.search(mentions.body, *span)
                or (yours and not _WORLD.search(mentions.body, *span))
            ):
                counting.sentence(span)
                compare_spending(tally, cast, span, known, counting.shares(span), asked, cites=cites)
    tally.withdraw("statistic", borne_out(mentions))
    for one in misread_counts(mentions):
        tally.outweigh(one)
    return tally.check("the report states no figure of the user's history")


class _PlaceOfShare(NamedTuple):
    """Where a category, year, maker or state of orders is named."""

    start: int
    end: int
    share: Share


class _Counting:
    """Numbers of orders as said, against those of all orders and of each part that is named beside them."""

    def __init__(
        self, tally: CheckTally, cast: Cast, known: UserStatistics, history: History, parts: PartsOfHistory
    ) -> None:
        self._tally = tally
        self._body = cast.body
        self._cast = cast
        self._known = known
        self._history = history
        self._parts = parts
        makers = (Share(name=one, orders=len(history.of_makers([one])), spend=None) for one in history.makers)
        states = (Share(name=name, orders=count, spend=None) for name, count in known.by_status.items())
        given = [*known.by_category, *known.by_year, *known.favourite_stores]
        named = {one.name for one in given}
        every = (*given, *(one for one in makers if one.name not in named), *states)
        self._shares = {plain_name(one.name): one for one in every}
        self._categories = {one.name for one in known.by_category}
        forms = sorted((name_form(name) for name in self._shares if name), key=len, reverse=True)
        self._places = cache(lambda span: list(self._read_places(span)))
        self._name = re.compile(rf"(?<![\w$])(?:{'|'.join(forms) or '(?!)'})(?!\w)", re.I)

    def shares(self, span: Span) -> list[Share]:
        """The parts of the history that a sentence names, and the years that have none."""
        found = [place.share for place in self._places(span)]
        years = {one.name for one in self._known.by_year}
        said = set(re.findall(r"\b(?:19|20)\d\d\b", self._body[slice(*span)]))
        return [*found, *(Share(name=year, orders=0, spend=None) for year in said - years)]

    def _read_places(self, span: Span) -> Iterator[_PlaceOfShare]:
        for match in self._name.finditer(self._body, *span):
            share = self._shares.get(plain_name(match[0]))
            if share is not None:
                yield _PlaceOfShare(*match.span(), share)

    def sentence(self, span: Span) -> None:
        places = list(self._places(span))
        for match in _COUNT.finditer(self._body, *span):
            said = number_said(match["n"])
            if not self._is_year_or_id(said, match, span):
                self._compare(said, match, span, places)
        line = self._cast.prose.line_at(span[0])
        several = line is not None and line.kind == "row" and len(line.cells) >= _CELLS
        for match in () if several else _LABELLED.finditer(self._body, *span):
            if not self._allowed(span, places) & {number(match["m"])}:
                why = f"said {match['m']} orders, are {self._known.orders:,}"
                self._tally.accuse("statistic", match.span(), why, Certainty.CELL)

    def _is_year_or_id(self, said: float, match: re.Match[str], span: Span) -> bool:
        before = self._body[max(span[0], match.start("n") - 12) : match.start("n")]
        is_year = 1900 <= said <= 2100 and "," not in match["n"]
        if is_year and _COUNTED_BEFORE.search(self._body, max(0, match.start("n") - 24), match.start("n")):
            return True  # `your two 2022 orders`
        return (is_year and not match["more"]) or _ORDER_NUMBER.search(before) is not None

    def _compare(
        self, said: float, match: re.Match[str], span: Span, places: Sequence[_PlaceOfShare]
    ) -> None:
        near = bool((match["near"] or "").strip())
        beside = self._beside(match, span, places)
        counts = {beside.share.orders} if beside else set()
        if said < 2 or (beside is None and not match["more"] and not match["of"]):
            return
        if beside and _FROM_THEN.search(self._body[max(span[0], beside.start - 32) : beside.start]):
            self._tally.unclear(f"{match[0].strip()!r} is said of a time that has no year's count")
            return
        total = {self._known.orders} if not beside or match["more"] or match["of"] else set()
        counts |= counts_in_times(self._cast, self._history, span, beside.share.name) if beside else set()
        if any(same_count(said, value, hedged=near) for value in counts | total) or (
            is_sum_behind_a_colon(self._body, span, match.start("n"), said)
            or (beside is None and self._explains(said, span, places, near=near))
        ):
            self._tally.ok()
        elif beside is None and self._whole_is_said:
            self._tally.unclear(
                f"all orders are counted elsewhere, and {match[0].strip()!r} may be a part of them"
            )
        elif self._is_sure(said, match, span, beside) and not self._of_a_part(said, span):
            expected = (
                beside.share.orders
                if beside
                else places[0].share.orders
                if len({p.share.name for p in places}) == 1
                else self._known.orders
            )
            self._tally.accuse(
                "statistic",
                match.span("n"),
                f"said {said:,.0f} orders{f' of {beside.share.name}' if beside else ''}, are {expected:,}",
                Certainty.CLAUSE if beside else Certainty.SENTENCE,
            )
        else:
            self._tally.unclear(f"it is not clear of which orders {match[0].strip()!r} is said")

    @cached_property
    def _whole_is_said(self) -> bool:
        """Whether the report counts all orders, and rightly: another count of orders then is one of some of them."""
        orders = self._known.orders
        return re.search(rf"(?<![\d.,$]){orders:,}\s(?:[a-z]+\s)?orders\b", self._body, re.I) is not None

    def _beside(
        self, match: re.Match[str], span: Span, places: Sequence[_PlaceOfShare]
    ) -> _PlaceOfShare | None:
        """The one part whose name stands next to the count in its clause."""
        end = match.end("n")
        if not match["more"] and not _AND_SO.match(self._body, end):
            return None
        if _OUT_OF.search(self._body[max(0, match.start("n") - 16) : match.start("n")]):
            return None
        clause = self._cast.prose.clause_at(match.start("n"))
        if whole := _OF_ALL.match(self._body, end):
            end = whole.end()
            clause = clause[0], max(clause[1], end + _CLOSE)
        here = [
            one for one in places if clause[0] <= one.start < clause[1] or clause[0] <= one.end <= clause[1]
        ]
        if len({one.share.name for one in here}) != 1:
            return None
        one = here[0]
        if one.share.name in self._categories and self._parts.is_joined(
            (one.start, one.end), span, one.share.name
        ):
            return None
        listed = _WITH.fullmatch(self._body[one.end : match.start("n")]) is not None
        if one.share.name not in self._categories and not match["more"] and not listed:
            return None
        gap = (
            self._body[one.end : match.start("n")]
            if one.end <= match.start("n")
            else self._body[end : one.start]
        )
        return None if len(gap) > _GAP or re.search(r"[\d.;:!?]", gap) else one

    def _allowed(self, span: Span, places: Sequence[_PlaceOfShare]) -> set[float]:
        shares = [one.share.orders for one in places]
        return {
            float(one)
            for one in (
                self._known.orders,
                self._known.orders_without_price,
                self._known.orders - self._known.orders_without_price,
                self._known.items,
                *shares,
            )
        }

    def _explains(self, said: float, span: Span, places: Sequence[_PlaceOfShare], *, near: bool) -> bool:
        """By any part that the sentence names, by what is left of the whole, by two parts together, by years up to or from one."""
        known = self._allowed(span, places)
        shares = {float(one.share.orders) for one in places}
        known.add(float(sum({one.share.name: one.share.orders for one in places}.values())))
        known |= (
            {self._known.orders - one for one in shares}
            | {a + b for a, b in combinations(shares, 2)}
            | {abs(a - b) for a, b in combinations(shares, 2)}
        )
        line = self._cast.prose.line_at(span[0])
        if line is not None:
            parts = {place.share.name: place.share.orders for place in self._places((line.start, line.end))}
            known |= {*map(float, parts.values()), float(sum(parts.values()))}
        by_year = [(one.name, one.orders) for one in self._known.by_year]
        if any(name in self._body[slice(*span)] for name, _ in by_year):
            known |= {float(one) for one in accumulate(count for _, count in by_year)}
            known |= {float(one) for one in accumulate(count for _, count in reversed(by_year))}
        for place in self._cast.within(*span):
            known.add(float(len(self._history.of_products(place.products))))
        return any(same_count(said, value, hedged=near) for value in known)

    def _is_sure(self, said: float, match: re.Match[str], span: Span, beside: _PlaceOfShare | None) -> bool:
        before = self._body[max(span[0], match.start("n") - 40) : match.start("n")]
        if said < _LARGE and _KNOWN.search(before):
            return False
        if (_FEWER if beside else _WINDOW).search(before) or _PERIOD.search(self._body, *span):
            return False
        if beside is not None:
            return self._names_it_only(match, beside)
        whole = _ALL_THERE_ARE.search(before) and _AND_NO_LESS.match(self._body, match.end())
        return match["more"] is not None and said >= _LARGE and bool(whole)

    def _names_it_only(self, match: re.Match[str], beside: _PlaceOfShare) -> bool:
        """Whether a count of orders is not of something else first: `three orders for the Oat & Ember drill`."""
        if not match["more"] or beside.start < match.end():
            return True
        between = self._body[match.end() : beside.start]
        linked = any(
            one.linked and one.start <= beside.start < one.end
            for one in self._cast.within(beside.start, beside.end)
        )
        return not linked and _OF_SOMETHING.search(between) is None

    def _of_a_part(self, said: float, span: Span) -> bool:
        """Fewer than all by words that choose among them, which no record counts."""
        return (
            re.search(
                r"\b(?:same|kind|these|those|such|gifts?|reorders?|repeat)\b", self._body[slice(*span)], re.I
            )
            is not None
            and said < _LARGE
        )
