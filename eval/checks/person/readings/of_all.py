"""Counts of own orders that leave one reading: a part of all orders by the name of its category, a fraction of them by a kind, more in a year than it has, what was bought only once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.person.readings.facets import NO_THING, Facet, OrderFacets
from drr.eval.checks.person.readings.said import GAP, count_value, counted
from drr.eval.checks.person.readings.sets import Mask
from drr.eval.checks.person.readings.wholes import FRACTION_WORDS, fraction_said
from drr.wording.dates import When
from drr.wording.hedges import HEDGES
from drr.wording.numbers import SPOKEN, WHOLE

_N, _M = counted("n"), counted("m")
_ORDERS = r"(?:orders|purchases|parcels)"
_OF_ALL = rf"(?:out{GAP})?of{GAP}(?:all{GAP}(?:of{GAP})?)?your{GAP}{_M}(?:{GAP}{_ORDERS})?"
_COUNTED = re.compile(
    rf"{_N}{GAP}(?:orders{GAP})?{_OF_ALL}(?!{GAP}(?:most|last|latest|first|newest)\b)", re.I
)
"""`8 of your 12 orders`"""
_FRACTION = re.compile(
    rf"\b(?P<f>{FRACTION_WORDS}){GAP}(?:of{GAP})?(?:all{GAP})?your{GAP}{_M}{GAP}{_ORDERS}\b",
    re.I,
)
"""`half of your eight orders`"""
_NEAR_IT = rf"(?:or|about|around|roughly|nearly|almost|some|just|over|under|so|that{GAP}is|i\.e\.)"
_SHARE = r"[~≈]?\d{1,3}(?:\.\d{1,2})?\s?(?:%|percent|per\scent)"
_SHARE_ASIDE = rf"[\s*_]{{0,3}}[,(–—][\s*_]{{0,3}}(?:{_NEAR_IT},?{GAP}){{0,3}}{_SHARE}[\s*_]{{0,3}}[,)–—]"
_IN_ALL = rf",?{GAP}(?:on{GAP}(?:record|file)|here|so{GAP}far|in{GAP}all|in{GAP}total|altogether),?"
_BE = rf"(?:are|were|was|is|went|go|fall|fell|belong|come|came|have{GAP}been)"
_IN = rf"(?:{GAP}(?:all|filed|placed|bought))?(?:{GAP}(?:in|to|under|into|for|from))?(?:{GAP}the)?"
_ARE = re.compile(rf"(?:{_SHARE_ASIDE})?(?:{_IN_ALL})?{GAP}{_BE}{_IN}{GAP}", re.I)
"""From a part of all to what it is: `, about 67%, on record are in the `."""
_THINGS = r"(?:orders?|purchases|products|things|items|goods|stuff|gear)"
_ABOUT_SHARE = r"\(\s?(?:[~≈]|about\b|roughly\b|around\b|nearly\b|almost\b|some\b|\d)"
_GOES_ON = r"(?:roughly|about|around|nearly|almost|just|some|or|that|which|so|making|i\.e\.|while|but)\b"
_NO_MORE = re.compile(
    rf"[\s*_]{{0,3}}(?:{_THINGS}[\s*_]{{0,3}})?(?:$|[.;:!?)–—]|{_ABOUT_SHARE}|,{GAP}(?:[~≈]|\d|{_GOES_ON}))",
    re.I,
)
"""Behind what it is: nothing makes it smaller."""
_HEAD = re.compile(r"[\s>*_#•-]{0,8}$")
_AFTER_HEAD = re.compile(r"[*_]{0,3}\s?[:–—][\s*_]{1,4}$")
_BEHIND = re.compile(r"[\s*_]{0,3}(?:$|[.,;!(–—])")
_LOOSE = re.compile(
    r"\b(?:last|latest|newest|past|recent|first|next|previous|at least|at most|would|should|could|if|not|never|without|except|other than|besides|spend|spent|money|priced?)\b|n['’]t\b|\?",
    re.I,
)
"""In a sentence: a part may be of some of the orders only, or of what is not so."""
_YEAR = r"(?P<y>(?:19|20)\d\d)(?!\s?(?:[-–—/]|to\b|and\b|or\b|through\b|until\b|onwards?\b)|,\s(?:and\s|or\s)?(?:19|20)\d\d|\d)"
"""A year that no other is said beside."""
_SAID_END = rf"(?:{GAP}{_ORDERS})?(?=[\s*_]{{0,3}}(?:$|[.,;)]))"
_OWN = rf"(?:the{GAP}|all{GAP})?(?:your|them|these|those|the)"
_OF_THEM = rf"(?:(?:out{GAP})?of{GAP}{_OWN}(?:{GAP}(?:{WHOLE}|{SPOKEN}))?(?:{GAP}{_ORDERS})?|{_ORDERS})"
_FELL = rf"(?:(?:were|was|are|fell|falls?|came|come|placed|made|dated?|alone|just|only|all){GAP}){{0,3}}"
_CAME_TO = rf"(?:placed|made|logged|slowed{GAP}to|dropped{GAP}to|came{GAP}to|fell{GAP}to|rose{GAP}to|reached)"
_IN_YEAR = (
    re.compile(
        rf"(?<!\bof\s)(?<!\byour\s)(?<!\bthe\s)(?<!\ball\s){_N}{GAP}{_OF_THEM}{GAP}{_FELL}(?:in|during){GAP}(?:the{GAP}year{GAP})?{_YEAR}",
        re.I,
    ),
    re.compile(
        rf"\b(?:in|during){GAP}{_YEAR},?{GAP}you{GAP}(?:(?:had|have|then|only|just|even){GAP}){{0,2}}{_CAME_TO}{GAP}{_N}{_SAID_END}",
        re.I,
    ),
    re.compile(
        rf"\b(?:record|history|account|log){GAP}(?:for|of|in){GAP}{_YEAR},?{GAP}(?:holds|shows|has|lists|counts|contains){GAP}{_N}{GAP}{_ORDERS}\b",
        re.I,
    ),
    re.compile(
        rf"\brunner-up,?{GAP}{_YEAR},?{GAP}(?:has|had|saw|with|holds|counts){GAP}{_N}{_SAID_END}",
        re.I,
    ),
)
"""So many in one year: `six of them fell in 2020`, `in 2020 you placed six`, `your record for 2020 holds six orders`, `the runner-up, 2020, has six`."""
_SOME_YEARS = r"(?P<y>(?:(?:19|20)\d\d,\s){0,5}(?:19|20)\d\d,?\s(?:and|&)\s(?:19|20)\d\d)"
_HAD = rf"(?:(?:with|at|saw|had|have|hold|brought|tied?|both|all|follow|come){GAP}){{1,3}}"
_YEARS_EACH = re.compile(
    rf"(?<![\w$.,–-]){_SOME_YEARS}[\s*_]{{0,3}}[,:(–—-]?[\s*_]{{0,3}}{_HAD}{_N}(?:{GAP}{_ORDERS})?{GAP}(?:each|apiece)\b",
    re.I,
)
"""So many in each of some years: `2019 and 2020 had six orders each`."""
_BUYING = rf"(?:(?:you|have|has|had|was|were|been|that|which|is,?|only|just){GAP}){{0,4}}(?:ordered|bought|purchased)"
_ASIDE = r"\([^()]{1,20}\)[\s*_]{0,3}(?:$|[.,;:!])"
_ONCE = re.compile(
    rf"{_BUYING}{GAP}(?:(?:only|just|exactly){GAP})?(?P<n>once)(?=[\s*_]{{0,3}}(?:$|[.;:!–—]|{_ASIDE}|,{GAP}(?:in|on){GAP}))",
    re.I,
)
"""`a heating pad that you ordered only once (May 2020)`"""
_ONCE_OF_SOME = re.compile(
    r"\b(?:each|apiece|since|after|before|last|year|month|if|would|not|never|until|sizes?|colou?rs?|versions?|other|both|neither|every|again|more than)\b|n['’]t\b|\?",
    re.I,
)
_MOST, _LEAST, _NEAR, _SLACK, _LOOSER = 6, 5, 60, 0.07, 0.13


class PartsOfAll:
    """Reads the sentences of one report that speak of its reader's orders."""

    def __init__(self, facets: OrderFacets, cast: Cast) -> None:
        self._facets, self._sets = facets, facets.sets
        self._cast, self._body = cast, cast.body
        self._all = facets.sets.all.bit_count()

    def sentence(self, span: Span, here: Sequence[Facet]) -> Iterator[Accusation]:
        """What is said to be of all orders, whatever else the sentence speaks of."""
        if not _LOOSE.search(self._body, *span):
            yield from self._counted(span, here)
            yield from self._fractions(span)

    def of_orders(self, span: Span, here: Sequence[Facet]) -> Iterator[Accusation]:
        """What is wrong in a sentence that can only speak of the reader's orders."""
        yield from self._years(span)
        yield from self._once(span, here)

    def _counted(self, span: Span, here: Sequence[Facet]) -> Iterator[Accusation]:
        """`8 of your 12 orders are in tools and home improvement`, `Baby products: six of your thirteen orders`"""
        named = [one for one in here if one.kind == "category"]
        if len({one.ways[:1] for one in named}) != 1 or any(one.kind not in ("category",) for one in here):
            return
        for match in islice(_COUNTED.finditer(self._body, *span), _MOST):
            part, whole = count_value(match["n"]), count_value(match["m"])
            if (
                whole != self._all
                or whole < _LEAST
                or not 0 < part < whole
                or self._is_hedged(match.start(), span)
            ):
                continue
            of = next((one for one in named if self._are_so(match.end(), one, span)), None) or next(
                (one for one in named if self._heads(one, match, span)), None
            )
            if of is not None and part not in (sizes := self._sizes(of.ways)):
                shown = " ".join(self._body[of.start : of.end].split())
                why = f"said {part} of {whole} orders for {shown!r}, are {max(sizes)}"
                yield Accusation("own_part", match.span("n"), why, Certainty.CLAUSE)

    def _are_so(self, end: int, of: Facet, span: Span) -> bool:
        """Whether a count is of what stands right behind it, and of all of it."""
        return (
            _ARE.fullmatch(self._body, end, of.start) is not None
            and _NO_MORE.match(self._body, of.end, span[1]) is not None
        )

    def _heads(self, of: Facet, said: re.Match[str], span: Span) -> bool:
        """Whether a category is the head of its line, and the count all that follows."""
        line = self._cast.prose.line_at(span[0])
        return (
            line is not None
            and _HEAD.fullmatch(self._body, line.start, of.start) is not None
            and _AFTER_HEAD.fullmatch(self._body, of.end, said.start()) is not None
            and _BEHIND.match(self._body, said.end(), span[1]) is not None
        )

    def _fractions(self, span: Span) -> Iterator[Accusation]:
        """`A quarter of your eight orders are allergen laundry additive`"""
        for match in islice(_FRACTION.finditer(self._body, *span), _MOST):
            whole = count_value(match["m"])
            are = _ARE.match(self._body, match.end(), span[1])
            if whole != self._all or whole < _LEAST or are is None:
                continue
            kinds = [one for one in self._facets.in_span((are.end(), span[1])) if one.start == are.end()]
            kind = self._facets.kind_at(are.end(), span[1])
            some = [one for one in (*kinds, kind) if one is not None and one.kind not in NO_THING]
            end = max((one.end for one in some), default=0)
            if not end or not _NO_MORE.match(self._body, end, span[1]):
                continue
            value = fraction_said(match["f"])
            slack = _LOOSER if self._is_hedged(match.start(), span) else _SLACK
            sizes = {size for one in some for way in one.ways for size in self._sets.orders_of(way)}
            if not any(abs(size / whole - value) <= slack for size in sizes):
                shown = " ".join(self._body[are.end() : end].split())[:60]
                why = f"said {match['f']} of {whole} orders for {shown!r}, are {', '.join(map(str, sorted(sizes)))}"
                yield Accusation("own_part", match.span("f"), why, Certainty.CLAUSE)

    def _is_hedged(self, start: int, span: Span) -> bool:
        return HEDGES.before.search(self._body[max(span[0], start - 24) : start]) is not None

    def _sizes(self, ways: Sequence[Mask]) -> set[int]:
        return {size for way in ways for size in self._sets.sizes(way)}

    def _years(self, span: Span) -> Iterator[Accusation]:
        """More orders than there are in a year, of whatever they may be."""
        for form in (*_IN_YEAR, _YEARS_EACH):
            for match in islice(form.finditer(self._body, *span), _MOST):
                said = count_value(match["n"])
                years = [int(one) for one in re.findall(r"\d{4}", match["y"])]
                most = min(max(self._sets.sizes(self._sets.on(When(one, None, None, 0, 0)))) for one in years)
                if said <= most or 1900 <= said <= 2100 or self._is_hedged(match.start("n"), span):
                    continue
                why = f"said {said} orders in {match['y']}, are {most} at most"
                yield Accusation("own_part", match.span("n"), why, Certainty.CLAUSE)

    def _once(self, span: Span, here: Sequence[Facet]) -> Iterator[Accusation]:
        """`one Northgrove heating pad ordered once (May 2020)`, of three orders."""
        for match in islice(_ONCE.finditer(self._body, *span), _MOST):
            low, high = self._cast.prose.clause_at(match.start())
            low = max(span[0], low, match.start() - 2 * _NEAR)
            if _ONCE_OF_SOME.search(self._body, low, min(span[1], high)):
                continue
            named = [
                one
                for one in here
                if one.kind == "named" and not self._body[one.end : match.start()].strip(" *_,)")
            ]
            kind = self._facets.kind_before(low, len(self._body[: match.start()].rstrip(" *_,")))
            some = [one for one in (*named, kind) if one is not None and one.ways]
            ways = [way for one in some for way in one.ways]
            if not any(ways) or any(1 in self._often(way) for way in ways):
                continue
            shown = " ".join(self._body[some[0].start : some[0].end].split())[:60]
            why = (
                f"said to have been ordered once: {shown!r}, are {self._sets.orders_of(ways[0]).pop()} orders"
            )
            yield Accusation("own_part", match.span("n"), why, Certainty.CLAUSE)

    def _often(self, way: Mask) -> set[int]:
        """How often each thing among some orders was ordered, and all of them together."""
        things = [one.order.product_id for at, one in enumerate(self._sets.orders) if way >> at & 1]
        return {len(things), *Counter(things).values()}
