"""Days of own orders: lists of which one does not belong, what is said not to have been ordered since, and cells of a table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import islice
from typing import NamedTuple

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.layout import TextLine
from drr.eval.checks.person.readings.facets import NO_THING, Facet, OrderFacets
from drr.eval.checks.person.readings.sets import Mask
from drr.eval.checks.person.readings.ties import TOKEN, UNDERSTOOD
from drr.wording.dates import DAYS_IN, MONTH, When, dates
from drr.wording.numbers import DIGITS, SPOKEN, number_said

GLUE = re.compile(
    rf"(?:[\s,;&*_()]|\b(?:{MONTH}|and|then|again|once|twice|more|thrice|also|later|lastly|finally|in|on|the|that|of|a|an|for|first|second|third|fourth|fifth|sixth|last|latest|most recently|time|times|early|late|mid|back|both|two|three|four|\d{{1,2}})\b|[–—+·-]\s){{1,24}}",
    re.I,
)
"""Between days that are listed for one thing."""
_NOT_ORDERED = re.compile(
    r"\b(?:since|until|till|as of|today|now|before|after|by|through|to|from|between|price[sd]?|read|checked|updated|published|reviewed|delivered|arrived|shipped|warranty|expires?)[\s*_(]{1,3}(?:(?:early|late|mid|the|on|in|about)[\s-]){0,2}$",
    re.I,
)
"""Before a day that is none on which something was ordered."""
DENIED = re.compile(
    r"\b(?:no|not|never|nothing|none|without|neither|nobody|if|would|unless)\b|n['’]t\b|\?", re.I
)
_NOTHING_SINCE = re.compile(
    r"\bnothing(?: more| else)?\s(?:since|after)\s(?:(?:the|early|late|mid)[\s-])?$", re.I
)
_OWN_HEAD = re.compile(
    r"\b(?:ordered|bought|purchased|yours|owned|your orders?|last order|order date|date of order|had before|before)\b",
    re.I,
)
_SEVERAL = re.compile(r"\b(?:all (?:three|four|five)|both|each|respectively|either)\b", re.I)
_IT = re.compile(
    r"\b(?:ordered|bought|purchased|reordered)\s(?:it|them|this one|that one)\s(?:back\s)?(?:in|on)\s(?:(?:early|late|mid)[\s-])?$",
    re.I,
)
_DAY_OR_SPAN = re.compile(
    r"\b(?:later|apart|afterwards?|until|till|nothing)\b|\b(?:19|20)\d\d\b[^.;]{1,80}\b(?:19|20)\d\d\b", re.I
)


class OwnDays:
    """Reads the sentences and tables of one report."""

    def __init__(self, facets: OrderFacets, cast: Cast) -> None:
        self._facets, self._sets = facets, facets.sets
        self._cast = cast
        self._body = cast.body

    def speaks_of_days(self, span: Span) -> bool:
        return _DAY_OR_SPAN.search(self._body, *span) is not None

    def sentence(self, span: Span, here: Sequence[Facet], around: Sequence[Facet]) -> Iterator[Accusation]:
        yield from self._lists(list(self._cast.prose.dates(*span)), span, here, around)
        yield from self._nothing_since(span, here)

    # Lists.

    def _lists(
        self, whens: Sequence[When], span: Span, here: Sequence[Facet], around: Sequence[Facet]
    ) -> Iterator[Accusation]:
        """Of days that are listed for one thing all but one are those of its orders."""
        whens = sorted((one for one in whens if one.year >= 1990), key=lambda one: one.start)[:20]
        chain: list[When] = []
        ends: list[When | None] = [*whens, None]
        for when in ends:
            joined = (
                when is not None
                and chain
                and GLUE.fullmatch(self._body, chain[-1].end, when.start) is not None
            )
            if not joined:
                yield from self._chain(chain, span, here, around)
                chain = []
            if when is not None:
                chain.append(when)

    def _chain(
        self, chain: Sequence[When], span: Span, here: Sequence[Facet], around: Sequence[Facet]
    ) -> Iterator[Accusation]:
        if len(chain) < 2 or _NOT_ORDERED.search(
            self._body, max(span[0], chain[0].start - 24), chain[0].start
        ):
            return
        if DENIED.search(self._body, *span) or _SEVERAL.search(self._body, *span):
            return
        thing = self._listed(chain[0].start, span, here, around)
        if thing is not None:
            behind = [one for one in things_among(here) if one.start > chain[-1].end]
            bound = (
                "(" in self._body[thing.end : chain[0].start] and "](" in self._body[thing.start : thing.end]
            )
            others = (
                [] if bound else [*things_among(here), *self._facets.kinds_in(span), *things_among(around)]
            )
            yield from self._odd(chain, thing, [*behind, *others])

    def _odd(self, chain: Sequence[When], thing: Facet, others: Iterable[Facet]) -> Iterator[Accusation]:
        of_them = union_of([thing, *others])
        fitting = [one for one in chain if self._sets.on(one) & union_of([thing])]
        odd = [one for one in chain if not self._sets.on(one) & of_them]
        if len(odd) == 1 and len(fitting) == len(chain) - 1:
            yield self._day(odd[0], thing)

    def _listed(self, at: int, span: Span, here: Sequence[Facet], around: Sequence[Facet]) -> Facet | None:
        """The thing before a list of days, with nothing between but words of buying; or what `it` stands for."""
        if _IT.search(self._body, max(span[0], at - 40), at):
            return next((one for one in things_among(around) if one.kind == "named"), None)
        before = [one for one in things_among(here) if one.end <= at]
        thing = before[-1] if before else None
        tokens = list(TOKEN.finditer(self._body, max(span[0], at - 120), at))
        for match in reversed(tokens):
            if thing is not None and match.start() < thing.end:
                return thing
            if match[0].casefold() not in UNDERSTOOD:
                return self._facets.kind_before(span[0], match.end())
        return thing

    def items(self, lines: Sequence[TextLine]) -> Iterator[Accusation]:
        """Items that are a day each, under a line that names one thing."""
        chain: list[When] = []
        above: TextLine | None = None
        ends: list[TextLine | None] = [*lines, None]
        for line in ends:
            when = None
            if line is not None and line.kind == "item":
                whens = list(islice(dates(self._body, line.start, line.end), 2))
                when = whens[0] if len(whens) == 1 and self._is_alone(whens[0], line) else None
            if when is not None and len(chain) < 20:
                chain.append(when)
                continue
            if len(chain) > 1 and above is not None and not DENIED.search(above.text):
                named = things_among(self._facets.in_span((above.start, above.end)))
                if len({one.ways for one in named}) == 1:
                    yield from self._odd(chain, named[0], ())
            chain, above = [], line

    def _is_alone(self, when: When, line: TextLine) -> bool:
        rest = self._body[line.start : when.start] + self._body[when.end : line.end]
        return not re.search(r"[A-Za-z$]", rest)

    def _day(self, when: When, thing: Facet) -> Accusation:
        shown = self._body[when.start : when.end]
        name = " ".join(self._body[thing.start : thing.end].split())[:60]
        why = f"said {shown}, {name!r} was ordered {self._sets.days_told(union_of([thing]))}"
        return Accusation("own_day", (when.start, when.end), why, Certainty.CLAUSE)

    # Not since.

    def _nothing_since(self, span: Span, here: Sequence[Facet]) -> Iterator[Accusation]:
        """`Trash bags: nothing after 3 March 2020`, of which some were ordered later."""
        for when in islice(self._cast.prose.dates(*span), 8):
            led = _NOTHING_SINCE.search(self._body, max(span[0], when.start - 40), when.start)
            if led is None:
                continue
            before = [one for one in things_among(here) if one.end <= led.start()]
            kind = self._facets.kind_before(span[0], led.start()) if not before else None
            label = re.search(r"[\s*_]{0,3}[:,][\s*_]{0,3}$", self._body[span[0] : led.start()])
            if not before and label is not None:
                kind = self._facets.kind_before(span[0], span[0] + label.start())
            things = [*before[-1:], *([kind] if kind is not None else [])]
            if things and all(self._sets.after(when, way) for one in things for way in one.ways):
                yield self._day(when, things[0])

    # Tables.

    def rows(self, lines: Sequence[TextLine]) -> Iterator[Accusation]:
        """A day in a column of own orders, in the row of what was ordered, but on no such day."""
        for line in lines:
            if line.kind != "row":
                continue
            things = [self._facets.named(one) for one in self._cast.within(line.start, line.end)[:4]]
            linked = {
                key
                for one in self._cast.within(line.start, line.end)[:4]
                if one.linked
                for key in one.products
            }
            if len(linked) != 1 or not things or not all(one.ways for one in things):
                continue
            for (low, high), head in zip(line.cells, line.header, strict=False):
                if not _OWN_HEAD.search(head):
                    continue
                whens = [one for one in self._cast.prose.dates(low, high) if one.month is not None]
                alone = (
                    len(whens) == 1
                    and self._body[low:high].strip(" *_") == self._body[whens[0].start : whens[0].end]
                )
                if alone and not self._sets.on(whens[0]) & union_of(things):
                    yield self._day(whens[0], things[0])


def things_among(facets: Iterable[Facet]) -> list[Facet]:
    """What was ordered, by name or kind."""
    return [one for one in facets if one.kind not in NO_THING and one.ways]


def union_of(facets: Iterable[Facet]) -> Mask:
    found = 0
    for one in facets:
        for way in one.ways:
            found |= way
    return found


_HEDGE_OF_A_PART = r"(?:(?:an?|about|around|nearly|almost|roughly|some|just|over|under|more|less|than|bit|little|shade|good|well|another|further|only|perhaps|maybe|approximately|circa)\s){0,5}[~≈]?"
PART_BEFORE = re.compile(
    rf"(?<![\w.$,/-])(?P<n>{DIGITS}|{SPOKEN}|an?)[\s*_-]{{1,3}}(?:(?:full|whole|good|long)\s)?(?P<unit>years?|months?|weeks?)(?P<half>\sand\sa\shalf)?"
    rf"[\s*_,]{{1,4}}(?:(?P<how>and|plus|less|minus|but|save|short\sby)\s)?{_HEDGE_OF_A_PART}[*_]{{0,3}}$",
    re.I,
)
"""Before the last part of a length of time: `four years and about three weeks`, `two years less three days`."""
_OPEN_PART = re.compile(
    rf"(?<![\w.$,/-])(?:{DIGITS}|{SPOKEN}|an?)[\s*_-]{{1,3}}(?:[a-z]{{3,10}}\s)?(?:years?|months?|weeks?|days?)\b[^.;:()\n\d]{{0,30}}$",
    re.I,
)
"""The same in words that are not understood: `four years and, by my count, 23 days`."""
_LONGEST_PART, _PARTS = 72, 3
_LESS = frozenset(("less", "minus", "save", "short by"))


class LengthSaid(NamedTuple):
    """A span of time as it is said."""

    days: float
    slack: float
    """Days by which it may be off: a day more or less where days are counted; longer units, and what is said to be near, are rounded either way."""


def length_said(said: re.Match[str], *, near: bool) -> LengthSaid:
    """`three weeks`, of a match with the groups `n` and `unit`."""
    unit = said["unit"].casefold().rstrip("s")
    days = number_said(said["n"]) * DAYS_IN[unit]
    exact = unit == "day" and not near
    return LengthSaid(days, 1.0 if exact else max(0.95 * DAYS_IN[unit], 0.1 * days, 3.0))


def length_in_parts(body: str, low: int, said: re.Match[str], last: LengthSaid) -> LengthSaid | None:
    """The same with the parts that stand before it; `None` where it is open how they belong together."""
    days, slack, at = last.days, last.slack, said.start("n")
    for _ in range(_PARTS):
        part = PART_BEFORE.search(body, max(low, at - _LONGEST_PART), at)
        if part is None:
            is_open = _OPEN_PART.search(body, max(low, at - _LONGEST_PART), at) is not None
            return None if is_open else LengthSaid(days, slack)
        how = " ".join((part["how"] or "and").casefold().split())
        if how == "but":
            return None
        unit = DAYS_IN[part["unit"].casefold().rstrip("s")]
        many = 1.0 if part["n"].casefold() in ("a", "an") else number_said(part["n"])
        own = (many + (0.5 if part["half"] else 0.0)) * unit
        days, slack, at = (own - days if how in _LESS else own + days), slack + _OF_A_PART, part.start("n")
    return LengthSaid(days, slack)


_OF_A_PART = 2.0
"""Days by which years and months differ from one another."""


def day_of(year: int, month: int, day: int) -> date | None:
    """`None` where no calendar has it."""
    try:
        return date(year, month, day)
    except ValueError:
        return None
