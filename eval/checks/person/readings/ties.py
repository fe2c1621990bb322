"""What a count of orders is of: a thing, a kind, a year or a price that stands beside it, with nothing between but words that are understood."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from drr.eval.checks.base import Span, word_set
from drr.eval.checks.cast import Cast
from drr.eval.checks.person.readings.facets import NO_THING, TIMES, Facet, OrderFacets
from drr.eval.checks.person.readings.said import SaidCount

TOKEN = re.compile(r"[A-Za-z]+(?:['’][a-z]{1,3})?|\d+(?:[.,]\d+)*|[^\w\s*_]")
_ORDERS = word_set("order orders purchase purchases parcels buys")
_TO_THE_RIGHT = word_set(
    """orders purchases parcels buys of for from by in under with fall falls fell are were is was have has had been went go goes came come comes to into the
    your his her its two three four five six seven eight nine ten eleven twelve them these those which filed belong belongs different separate all a an (
    ) packs pack boxes box bags bag units pairs tubs bottles packets sachets rolls sets same very be exact total placed again more still marked listed as
    now"""
)
"""Words between a count and what it counts."""
_ARTICLES = word_set("a an your his her its these those")
_TO_THE_LEFT = word_set(
    """you you've you’ve have has had been ordered bought purchased reordered placed came come comes appears appear shows show turns up listed is are was
    were lead leads leading follow follows followed with at holds hold accounts account for makes make made in your orders order history record records
    alone itself just only exactly a of total all together now already so far : ( ) , – — ] " ” it them this that it's on stands stand counts first second
    next top store maker brand category by most repeated repeat favourite favorite he she they his her their each apiece"""
)
"""Words between a thing and how often it was ordered."""
UNDERSTOOD = (
    _TO_THE_RIGHT
    | _TO_THE_LEFT
    | word_set(
        """and but while so also then since between most least often overall altogether regular far recent recently latest lately oldest newest year years day
    days who when where i we our my here there yes no indeed about nearly almost roughly some under over half third quarter two-thirds percent per cent
    than one once twice times time ; [ ' “ ! ? . - / & + biggest largest main busiest repeats single item items product products thing things customer
    shop shopping buying reader seems seem seen count counted counting known out not"""
    )
)
"""Words of a clause that restrict nothing, or are read elsewhere."""
_BESIDE_A_YEAR = word_set(
    "with at had has saw have ( : alone it was you placed made ordered bought only just is had brought"
)
"""Words between a year and how many orders it has."""
_TOP_YEAR = re.compile(
    r"\b(?:busiest|fullest|biggest|heaviest|most\sactive|peak|record|top|largest|quietest|slowest)[\s*_]{1,3}years?\b",
    re.I,
)
_OF_WHAT = re.compile(
    r"[\s*_]{1,3}\w{1,10}[\s*_]{1,3}(?:of|for)\b(?!\s(?:yours|all|the (?:total|whole)|your)\b)", re.I
)
"""Behind `N orders`: they are of something that is not understood."""
_BUYS = re.compile(
    r"\b(?:bought|ordered|purchased|reordered|placed|came|come|comes|appears?|shows? up|turns? up|listed|orders?|purchases?)\b",
    re.I,
)
_VERB_BEFORE = re.compile(
    r"\b(?:bought|ordered|purchased|reordered|(?:you|I|we)(?:['’]ve|\shave)?(?:\s\w{2,9})?\s(?:had|count|counted|find|found|see|own))[\s*_]{1,3}(?:(?:a total of|some|exactly|just|only|already|in all|as many as)[\s*_]{1,3})?$",
    re.I,
)
_LABEL = re.compile(
    r"\b(?:history|orders|record|bought|purchases|ordered|tried|own)[^.\n:]{0,20}:[\s*_]{0,6}$", re.I
)
_ORDER_WORD = re.compile(r"\b(?:orders|purchases|parcels)\b", re.I)
_LISTED_ASIDE = re.compile(r"\([^()]{1,200}(?:\([^()]{0,90}\)[^()]{0,200}){0,6}(?:[,;]\s|\sand\s)")
"""A bracket that lists what was counted before it."""
_IT_BOUGHT = re.compile(
    r"\b(?:bought|ordered|purchased|reordered)\s(?:it|them|this one|that one)\s(?:already\s|exactly\s|just\s|only\s)?$",
    re.I,
)
_ENDS = re.compile(
    r"[\s*_]{0,3}(?:$|[.,;:!?()\]—–]|\b(?:in|since|so|over|and|by|with|from|at|on|to|orders?|purchases?|against|between|during|all|was|were|are|is|have|has|had|came|come|of|but|while|out|you|as|this|last|before|after)\b)",
    re.I,
)
"""Behind a noun: its name goes on no further."""
NEAR_BY = 400
"""Characters before a sentence in which orders were spoken of."""

Form = Literal["times", "orders", "things", "bare", "loose"]


class Tie(NamedTuple):
    """What a count is of, and how that is said."""

    facet: Facet
    form: Form


class Ties:
    """Finds it, sentence by sentence."""

    def __init__(self, cast: Cast, facets: OrderFacets) -> None:
        self._cast = cast
        self._body = cast.body
        self._facets = facets

    def of(self, said: SaidCount, span: Span, here: Sequence[Facet], around: Sequence[Facet]) -> Tie | None:
        right = None if said.times else self._right(said, span, here)
        if right is not None and self._is_for_whom(*right):
            return None
        return (
            self._beside(said, span, here, right)
            or self._pronoun(said, span, [*here, *around])
            or self._loose(said, span, here)
        )

    def _is_for_whom(self, facet: Facet, between: Sequence[str]) -> bool:
        """`four of your six orders are for birds`: whom or what things are for; some are without having the word."""
        words = [one for one in between if one not in _ARTICLES]
        return words[-1:] == ["for"] and facet.kind == "kind" and not self._facets.is_a_thing(facet)

    def _beside(
        self, said: SaidCount, span: Span, here: Sequence[Facet], right: tuple[Facet, list[str]] | None
    ) -> Tie | None:
        left = self._left(said, span, here)
        if said.times:
            if left is None or (left[0].kind in TIMES and left[1][:1] == [","]):
                return None  # `December 2017, twice in 2019`
            return self._times(said, span, *left)
        orders_near = _ORDER_WORD.search(self._body, max(0, span[0] - NEAR_BY), span[1]) is not None
        if right is not None and not (right[1][:1] == [")"] and any(one.end <= said.start for one in here)):
            facet, between = right
            counted = bool(_ORDERS & set(between)) or self._follows(facet.end) in _ORDERS
            if counted or (facet.kind != "named" and between[:1] == ["of"] and orders_near):
                return Tie(facet, "orders")
            if facet.kind == "kind" and not between and self._is_bought(said, span):
                return Tie(facet, "things")
            if facet.kind == "category" and orders_near:
                return Tie(facet, "orders")
        if left is not None:
            facet, between = left
            if facet.kind in TIMES and not self._beside_a_year(facet, span, between):
                return None
            if self._follows(said.end) in _ORDERS:
                return None if _OF_WHAT.match(self._body, said.end) else Tie(facet, "orders")
            ends = re.match(r"[\s*_]{0,3}(?:$|[.,;:!)—–])", self._body[said.end : min(span[1], said.end + 6)])
            if ends and facet.kind != "named" and orders_near:
                return Tie(facet, "bare")
        return None

    def _beside_a_year(self, facet: Facet, span: Span, between: Sequence[str]) -> bool:
        """Whether a count is that of the year before it: `2019 with 13`, of the busiest one also `2019, with 13`."""
        words = set(between)
        topped = _TOP_YEAR.search(self._body, max(span[0], facet.start - 48), facet.start)
        if topped and words & {"with", "when", "at"}:
            words.discard(",")
        return words <= _BESIDE_A_YEAR

    def _times(self, said: SaidCount, span: Span, facet: Facet, between: Sequence[str]) -> Tie | None:
        """`four times`, with a word of buying beside the thing."""
        beside = self._body[facet.end : said.start] + self._body[max(span[0], facet.start - 40) : facet.start]
        return Tie(facet, "times") if _BUYS.search(beside) or ":" in between else None

    def _is_bought(self, said: SaidCount, span: Span) -> bool:
        """`you ordered eleven`, `In your history: eleven`."""
        return (
            _VERB_BEFORE.search(self._body, max(span[0], said.start - 40), said.start) is not None
            or _LABEL.search(self._body, max(0, said.start - 60), said.start) is not None
        )

    def _follows(self, end: int) -> str:
        match = TOKEN.search(self._body, end, end + 14)
        return "" if match is None else match[0].casefold()

    def _right(self, said: SaidCount, span: Span, here: Sequence[Facet]) -> tuple[Facet, list[str]] | None:
        """The thing behind a count, with the words between."""
        starts = {one.start: one for one in here if one.kind != "time"}
        between: list[str] = []
        for match in TOKEN.finditer(self._body, said.end, min(span[1], said.end + 90)):
            kind = self._facets.kind_at(match.start(), span[1])
            if (facet := starts.get(match.start())) is not None:
                longer = kind is not None and facet.kind == "kind" and kind.end > facet.end
                return (kind if longer and kind is not None else facet), between
            word = match[0].casefold()
            if word == "(" and _LISTED_ASIDE.match(self._body, match.start(), span[1]):
                return None  # `three orders (a scale in January, a perch in June)`
            if word in _TO_THE_RIGHT or word.replace(",", "").isdecimal():
                between.append(word)
            elif kind is not None and _ENDS.match(self._body, kind.end, span[1]):
                return kind, between
            else:
                return None
        return None

    def _left(self, said: SaidCount, span: Span, here: Sequence[Facet]) -> tuple[Facet, list[str]] | None:
        """The thing before a count, with the words between."""
        between: list[str] = []
        for match in reversed(list(TOKEN.finditer(self._body, max(span[0], said.start - 120), said.start))):
            inside = [one for one in here if one.start < match.end() <= one.end]
            if inside:
                return inside[-1], between
            word = match[0].casefold()
            if word in _TO_THE_LEFT:
                between.append(word)
                continue
            kind = self._facets.kind_before(span[0], match.end())
            ends = kind is not None and _ENDS.match(self._body, match.end(), span[1])
            return (kind, between) if kind is not None and ends else None
        return None

    def _pronoun(self, said: SaidCount, span: Span, named: Iterable[Facet]) -> Tie | None:
        """`you have ordered it nine times`: of the last things that were named."""
        if not said.times or not _IT_BOUGHT.search(self._body, max(span[0], said.start - 60), said.start):
            return None
        last = [one for one in named if one.kind == "named" and one.end <= said.start and one.ways]
        last = sorted(last, key=lambda one: -one.end)[:3]
        if not last:
            return None
        ways = tuple(dict.fromkeys(way for one in last for way in one.ways))
        return Tie(last[0]._replace(ways=ways), "times")

    def _loose(self, said: SaidCount, span: Span, here: Sequence[Facet]) -> Tie | None:
        """`N orders`, of anything that its sentence names before them; a year or a price beside them says that it is of all."""
        low, high = self._cast.prose.clause_at(said.start)
        things = [one for one in here if one.start < said.start or (low <= one.start and one.end <= high)]
        if self._follows(said.end) not in _ORDERS or any(
            one.kind in NO_THING and low <= one.start < said.start for one in things
        ):
            return None
        things = [one for one in things if one.kind not in NO_THING and one.ways]
        if not things:
            return None
        kinds = self._facets.kinds_in((span[0], said.start))
        ways = tuple(dict.fromkeys(way for one in (*things, *kinds) for way in one.ways))
        return Tie(things[0]._replace(ways=ways), "loose")
