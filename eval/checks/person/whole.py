"""Counts that a report sets against all orders of its reader (`44 of your 52 orders are Home & Kitchen`, `out of 48`), the busiest year, and days counted from a day that is said: each is reckoned again from the orders."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import NamedTuple

from drr.env.statistics import UserStatistics
from drr.eval.checks.base import CheckTally, Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.person.history import History, Placed
from drr.eval.checks.person.named_days import NEGATED
from drr.eval.checks.person.parts import PartsOfHistory
from drr.eval.checks.person.tallies import name_form, plain_name
from drr.wording.dates import When
from drr.wording.hedges import HEDGES
from drr.wording.numbers import SPOKEN, WHOLE, number, number_said
from drr.wording.purchases import PURCHASES

_N = rf"(?<![\w.$,#€£/-])(?P<n>{WHOLE}|{SPOKEN})(?![\w%-]|[.,/]\d)"
_M = rf"(?<![\w.$,#€£/-])(?P<m>{WHOLE}|{SPOKEN})(?![\w%-]|[.,/]\d)"
_COUNT = re.compile(_N, re.I)
_N_OF_M = re.compile(
    rf"{_N}[\s*_]{{1,3}}(?:times[\s*_]{{1,3}}|orders,?[\s*_]{{1,3}})?(?:out[\s*_]{{1,3}})?of[\s*_]{{1,3}}(?:(?:your|the|all|those|its|her|his|their)[\s*_]{{1,3}}){{0,2}}{_M}",
    re.I,
)
"""`44 of your 52`, `18 times out of 48`"""
_OF_M_N = re.compile(
    rf"\bof[\s*_]{{1,3}}(?:(?:your|the|all|those|her|his|their)[\s*_]{{1,3}}){{0,2}}{_M}[\s*_]{{1,3}}(?:orders|purchases|parcels),?[\s*_]{{1,3}}(?:some\s)?{_N}",
    re.I,
)
"""`Of 52 orders, 44 are`"""
_N_OF_THEM = re.compile(
    rf"{_N}[\s*_]{{1,3}}(?:of[\s*_]{{1,3}}(?:them|those|these|which)|to be exact)\b", re.I
)
_EACH_ONE = re.compile(r"\b(?:every|each|any|no|not|which|only)[\s*_]{1,3}$", re.I)
"""Before `one of those`: that is all or none of them."""
_ALL = re.compile(
    rf"{_M}[\s*_]{{1,3}}(?:orders|purchases|parcels)\b|\borders[^.;\d]{{0,20}}:[\s*_]{{0,4}}(?P<l>{WHOLE})\b",
    re.I,
)
_TO_PART = re.compile(
    r"[\s*_]{0,3}(?:[–—,-][\s*_]{1,3})?(?:(?:orders|purchases|parcels|have|has|been|are|were|was|is|went|go|fall|belong|came|come|in|to|into|under|for|from|on|with|the|your|her|his)[\s*_]{1,3}){0,7}",
    re.I,
)
"""Between a count and the part that it counts."""
_FROM_PART = re.compile(
    r"(?:[\s*_,]{1,3}[a-z][a-z'’-]{0,13}){0,8}[\s*_]{0,3}(?:[:,(–—-][\s*_]{0,3}|(?:with|at|has|have)\s)", re.I
)
"""Between a part and the count that ends what is said of it."""
_NO_PART_BETWEEN = re.compile(
    r"\b(?:and|but|while|then|mostly|include|includes|including|followed|next|second|than|besides|except|without|other)\b",
    re.I,
)
_LOOSE = re.compile(
    r"\b(?:last|latest|newest|past|recent|first|next|previous|within|at least|at most|under|over|fewer|visible|these|would|could|should|if)\b|\b(?:more|less) than (?!half\b)",
    re.I,
)
"""Words by which a count may be of some of the orders only."""
_PRICED = re.compile(
    r"\b(?:known price|knows a price|know a price|carry a price|carries a price|priced)\b", re.I
)
_UNPRICED = re.compile(
    r"\b(?:no|not|without|unpriced|never|nothing|lack|lacks|silent|missing|unknown|longer|other|rest)\b|n['’]t\b",
    re.I,
)
_MOST = r"(?:busiest|fullest|biggest|heaviest|liveliest|loudest|most active|peak|record|top|largest)"
_BE = r"(?:was|is|remains)[\s*_]{1,3}(?:(?:thus|therefore|still|clearly|easily|again)[\s*_]{1,3})?"
_TOP_YEAR = re.compile(
    rf"\b{_MOST}[\s*_]{{1,3}}(?:calendar[\s*_]{{1,3}})?year[\s*_]{{1,3}}(?:(?:so far|yet|of all|on record|here)[\s*_,]{{1,3}})?{_BE}(?P<y>(?:19|20)\d\d)\b"
    rf"|\byear[\s*_]{{1,3}}with[\s*_]{{1,3}}(?:the[\s*_]{{1,3}})?most[\s*_]{{1,3}}orders[\s*_]{{1,3}}{_BE}(?P<x>(?:19|20)\d\d)\b"
    rf"|\b(?P<z>(?:19|20)\d\d)[\s*_]{{1,3}}{_BE}(?:your|the|her|his|their)[\s*_]{{1,3}}(?:{_MOST}[\s*_]{{1,3}}(?:calendar[\s*_]{{1,3}})?year\b|(?P<peak>peak|high point)(?=[\s*_]{{0,3}}(?:$|[.,;:]|with\b)))",
    re.I,
)
_SPOKEN_TO = re.compile(r"\byou|\byour\b", re.I)
_AGO = re.compile(
    rf"(?<![\w.$,-])(?P<n>{WHOLE}|{SPOKEN})[\s*_]{{1,3}}days[\s*_]{{1,3}}(?:ago|back|before[\s*_]{{1,3}}(?:today|now|the shop['’]s[\s*_]{{1,3}}today))\b",
    re.I,
)
_CLOSE = 130
"""Characters between a day and the days counted from it."""
_LEAST_WHOLE = 5
_BESIDE = 60
_SHARE = re.compile(
    rf"{_N}[\s*_]{{1,3}}(?:orders|purchases)(?:[\s*_]{{1,3}}(?:overall|in all|in total|altogether))?[\s*_]{{0,3}}[,;(–—][\s*_]{{0,3}}(?:(?:that is|that['’]s|which is|or|i\.e\.)[\s*_]{{1,3}})?(?P<p>\d{{1,3}}(?:\.\d{{1,2}})?)[\s*_]{{0,3}}(?:%|percent\b|per cent\b)(?![\s*_]{{0,3}}(?:of (?:the|your|all)[\s*_]{{1,3}})?(?:spend|spending|money|sum))",
    re.I,
)
_SHARE_SLACK = 1.5
_HAS = re.compile(
    rf"[\s*_]{{1,3}}(?:has|have|holds|counts|stands at|comes to|accounts for|makes up)[\s*_]{{1,3}}{_N}(?:[\s*_]{{1,3}}(?:orders|purchases|of (?:them|these|those)))?(?=[\s*_]{{0,3}}(?:$|[.,;)]))",
    re.I,
)


_ADJOINED = re.compile(r"[\s*_]{1,3}")
_SAID_AGAIN = re.compile(r"\b(?:the|those|these)[\s*_]{1,3}$", re.I)
"""Before a number that was said: `three of the five`."""


class _Pair(NamedTuple):
    """A count and the whole that it is of."""

    said: int
    whole: int
    span: Span
    """Of the count."""
    whole_span: Span
    end: int
    """Of both together."""


class CountsOfTheWhole:
    """What is said of a part and of all orders in one breath: if one of both is right, the other can be held to it."""

    def __init__(
        self, tally: CheckTally, cast: Cast, known: UserStatistics, history: History, parts: PartsOfHistory
    ) -> None:
        self._tally = tally
        self._cast = cast
        self._body = cast.body
        self._known = known
        self._history = history
        self._parts = parts
        names = {plain_name(one.name): one.name for one in known.by_category}
        forms = sorted((name_form(name) for name in names if name), key=len, reverse=True)
        self._names = names
        self._name = re.compile(rf"(?<![\w$/-])(?:{'|'.join(forms) or '(?!)'})(?![\w/-])", re.I)

    def sentence(self, span: Span) -> None:
        if not self._history.whole:
            return
        self._ages(span)
        text = self._body[slice(*span)]
        if not NEGATED.search(text):
            self._top_year(span)
        if _LOOSE.search(text):
            return
        self._shares(span)
        self._parts_alone(span)
        for pair in self._pairs(span):
            if not HEDGES.before.search(self._body[max(span[0], pair.span[0] - 24) : pair.span[0]]):
                self._pair(pair, span)

    # A part of the whole.

    def _pairs(self, span: Span) -> Iterator[_Pair]:
        found = [*_N_OF_M.finditer(self._body, *span), *_OF_M_N.finditer(self._body, *span)]
        for match in found:
            yield _Pair(_value(match["n"]), _value(match["m"]), match.span("n"), match.span("m"), match.end())
        if found:
            return
        line = self._cast.prose.line_at(span[0])
        if line is None:
            return
        for match in _N_OF_THEM.finditer(self._body, *span):
            if _EACH_ONE.search(self._body, max(span[0], match.start() - 12), match.start()):
                continue
            wholes = list(_ALL.finditer(self._body, line.start, match.start()))
            if wholes:
                group = "m" if wholes[-1]["m"] else "l"
                at = wholes[-1].span(group)
                yield _Pair(_value(match["n"]), _value(wholes[-1][group]), match.span("n"), at, match.end())

    def _pair(self, pair: _Pair, span: Span) -> None:
        if pair.whole < _LEAST_WHOLE or pair.said >= pair.whole:
            return
        name = self._part(pair, span)
        if name is not None:
            counts = self._counts(name, span)
            if pair.whole == self._known.orders:
                self._settle(pair.said in counts, pair.span, f"said {pair.said} of {name}, are {max(counts)}")
            elif pair.said in counts and len(self._named(span)) == 1:
                ok = pair.whole in _wholes(self._known, self._history, self._cast.prose.dates(*span))
                ok |= pair.whole in counts and _is_of_a_part(pair, self._cast, span, self._places(span))
                self._settle(ok, pair.whole_span, f"said {pair.whole} in all, are {self._known.orders}")
        elif self._is_of_prices(pair, span):
            self._priced(pair, span)

    def _is_of_prices(self, pair: _Pair, span: Span) -> bool:
        """Whether a word of prices stands right beside both counts."""
        before = self._body[max(span[0], pair.span[0] - _BESIDE) : pair.span[0]]
        behind = self._body[pair.end : min(span[1], pair.end + _BESIDE)]
        return (
            _PRICED.search(re.split(r"[,;:]", before)[-1]) is not None
            or _PRICED.search(re.split(r"[,;:(]", behind)[0]) is not None
        )

    def _priced(self, pair: _Pair, span: Span) -> None:
        """`17 of the 50 have a known price`, `five of its seven are priced`: of all orders, or of the one year that is said last."""
        if self._named(span) or self._cast.within(pair.span[0], min(span[1], pair.end + _BESIDE)):
            return
        orders = self._history.orders
        if pair.whole != self._known.orders:
            line = self._cast.prose.line_at(span[0])
            years = [] if line is None else [one.year for one in self._cast.prose.dates(line.start, pair.end)]
            orders = [one for one in orders if years and one.day.year == years[-1]]
            if len(orders) != pair.whole or len(set(years)) != 1:
                return
            unpriced = sum(one.product is None or one.product.price is None for one in orders)
        else:
            unpriced = self._known.orders_without_price
        ok = pair.said in (unpriced, pair.whole - unpriced)
        why = f"said {pair.said} with a price or without, are {pair.whole - unpriced} and {unpriced}"
        self._settle(ok, pair.span, why)

    def _shares(self, span: Span) -> None:
        """`424 orders, that is 83 percent`: of all of them, where so many are a part's."""
        parts = (*self._known.by_category, *self._known.by_year, *self._known.favourite_stores)
        for match in _SHARE.finditer(self._body, *span):
            count, said = _value(match["n"]), number(match["p"])
            if count not in {one.orders for one in parts} or not self._known.orders:
                continue
            is_ = 100 * count / self._known.orders
            why = f"said {said:g} percent, {count} of {self._known.orders} orders are {is_:.0f}"
            self._settle(abs(said - is_) <= _SHARE_SLACK, match.span("p"), why)

    def _parts_alone(self, span: Span) -> None:
        """`Tools and Home Improvement has 12.`"""
        line = self._cast.prose.line_at(span[0])
        if line is None or self._cast.within(*span) or not PURCHASES.speaks(line.text):
            return
        for match in self._name.finditer(self._body, *span):
            said = _HAS.match(self._body, match.end(), span[1])
            name = self._names[plain_name(match[0])]
            if said is None or self._parts.is_joined(match.span(), span, name):
                continue
            counts = self._counts(name, span)
            why = f"said {said['n']} of {name}, are {max(counts)}"
            self._settle(_value(said["n"]) in counts, said.span("n"), why)

    def _part(self, pair: _Pair, span: Span) -> str | None:
        """The category that a count is tied to: right behind both, or before them where they end what is said."""
        places = list(self._places(span))
        for low, high, name in places:
            if (
                low >= pair.end
                and _TO_PART.fullmatch(self._body, pair.end, low)
                and self._parts.ends(high, name)
            ):
                return None if self._parts.is_joined((low, high), span, name) else name
        before = [one for one in places if one[1] <= pair.span[0]]
        if len({name for _, _, name in places}) != 1 or not before:
            return None
        between = self._body[before[-1][1] : pair.span[0]]
        if not _FROM_PART.fullmatch(between) or _NO_PART_BETWEEN.search(between):
            return None
        behind = re.match(r"[\s*_]{1,3}(?:orders|purchases|parcels)\b", self._body[pair.end : pair.end + 16])
        end = pair.end + (behind.end() if behind else 0)
        return (
            before[-1][2] if re.match(r"[\s*_)\]]{0,4}(?:$|[.,;!–—(])", self._body[end : span[1]]) else None
        )

    def _places(self, span: Span) -> Iterator[tuple[int, int, str]]:
        """Where categories are named, in full or by their one telling word."""
        ends = -1
        for match in self._name.finditer(self._body, *span):
            ends = match.end()
            yield *match.span(), self._names[plain_name(match[0])]
        if ends < 0:
            yield from self._parts.words_within(span)

    def _named(self, span: Span) -> set[str]:
        return {name for _, _, name in self._places(span)}

    def _counts(self, name: str, span: Span) -> set[int]:
        """Every count that may be meant of a category: orders, pieces and things, of all years or of those that are said, with a price or without, by a maker that is named."""
        orders = [one for one in self._history.orders if _is_of(one, name)]
        known = {one.orders for one in self._known.by_category if one.name == name}
        priced = [one for one in orders if one.product is not None and one.product.price is not None]
        some = [orders, priced, [one for one in orders if one not in priced]]
        for when in self._cast.prose.dates(*span):
            some.append([one for one in orders if one.day.year == when.year])
            some.append([one for one in orders if one.day.year >= when.year])
            some.append([one for one in orders if one.day.year <= when.year])
        for place in self._cast.within(*span):
            some.append([one for one in orders if one.order.product_id in place.products])
        return known.union(*map(_sizes, some))

    def _top_year(self, span: Span) -> None:
        """`the busiest year was 2021`: by orders, pieces or spend."""
        if self._cast.within(*span) or self._named(span) or not self._known.by_year:
            return
        tops = _busiest(self._known, self._history.orders)
        for match in _TOP_YEAR.finditer(self._body, *span):
            year = match["y"] or match["x"] or match["z"]
            if year in tops or _is_of_all(match, self._cast, span, self._known.orders):
                why = f"said {year}, the year with most orders is {' or '.join(sorted(tops))}"
                at = match.start() + match[0].index(year)
                self._settle(year in tops, (at, at + 4), why)

    def _ages(self, span: Span) -> None:
        """`ordered on August 23, 2023, that is 23 days ago`: from the one day that the sentence gives."""
        days = [one for one in self._cast.prose.dates(*span) if one.day is not None]
        for match in _AGO.finditer(self._body, *span):
            before = [one for one in days if one.end <= match.start() and match.start() - one.end <= _CLOSE]
            if len(days) != 1 or not before or not self._history.on(before[0]):
                continue
            if HEDGES.before.search(self._body[max(span[0], match.start() - 24) : match.start()]):
                continue
            age = (self._history.today - _day(before[0])).days
            said = _value(match["n"])
            others = {(self._history.today - one.day).days for one in self._history.orders}
            ok = abs(said - age) <= 1 or (said in others and len(self._cast.within(*span)) > 1)
            shown = self._body[before[0].start : before[0].end]
            self._settle(ok, match.span("n"), f"said {said} days since {shown}, are {age}")

    def _settle(self, ok: bool, span: Span, why: str) -> None:
        if ok:
            self._tally.ok()
        else:
            self._tally.accuse("reckoned", span, why, Certainty.CLAUSE)


def _is_of_all(said: re.Match[str], cast: Cast, span: Span, orders: int) -> bool:
    """Whether a year is told as that of all orders: by its sentence, or where its line says before it how many there are in all; a `peak` only so."""
    text = cast.body[slice(*span)]
    if not said["peak"] and (_SPOKEN_TO.search(text) or PURCHASES.speaks(text)):
        return True
    line = cast.prose.line_at(span[0])
    before = "" if line is None else cast.body[line.start : span[0]]
    whole = re.search(rf"(?<![\w.,$-]){orders:,}(?![\w,]*\d)", before)
    return whole is not None and PURCHASES.speaks(before)


def _is_of_a_part(pair: _Pair, cast: Cast, span: Span, named: Iterable[tuple[int, int, str]]) -> bool:
    """`three of the five office orders`: the whole is that of the part named right behind it, or a number said before."""
    if any(low >= pair.end and _ADJOINED.fullmatch(cast.body, pair.end, low) for low, _, _ in named):
        return True
    line = cast.prose.line_at(span[0])
    low = pair.whole_span[0]
    if line is None or _SAID_AGAIN.search(cast.body, max(span[0], low - 10), low) is None:
        return False
    return any(_value(one["n"]) == pair.whole for one in _COUNT.finditer(cast.body, line.start, span[0]))


def _wholes(known: UserStatistics, history: History, whens: Iterable[When]) -> set[int]:
    """What may be all orders that are meant: of the account, with a price or without, of a year that is said."""
    found = {known.orders, known.items, known.orders_without_price}
    found.add(known.orders - known.orders_without_price)
    found |= set(known.by_status.values())
    found |= {one.orders for one in known.by_year}
    for when in whens:
        found.add(sum(one.day.year >= when.year for one in history.orders))
        found.add(sum(one.day.year <= when.year for one in history.orders))
    return found


def _busiest(known: UserStatistics, orders: Sequence[Placed]) -> set[str]:
    """The years with most orders, pieces or spend."""
    most = max(one.orders for one in known.by_year)
    spend = max((one.spend or 0.0) for one in known.by_year)
    pieces: dict[str, int] = {}
    for one in orders:
        pieces[str(one.day.year)] = pieces.get(str(one.day.year), 0) + one.order.quantity
    found = {one.name for one in known.by_year if one.orders == most or one.spend == spend}
    return found | {year for year, count in pieces.items() if count == max(pieces.values())}


def _is_of(placed: Placed, category: str) -> bool:
    product = placed.product
    return product is not None and category in (product.category, *product.categories[:1])


def _sizes(orders: Sequence[Placed]) -> set[int]:
    return {
        len(orders),
        sum(one.order.quantity for one in orders),
        len({one.order.product_id for one in orders}),
    }


def _value(text: str) -> int:
    return int(number_said(text))


def _day(when: When) -> date:
    return date(when.year, when.month or 1, when.day or 1)
