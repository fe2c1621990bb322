"""Parts of some orders: `seven of the ten fall in 2020`, `37 of your 51 orders, a little under half`, `424 orders, about 83 %`.

A part is wrong where it is more than there are at all in that year or of that kind; otherwise only where one thing alone was spoken of. Of how many a share is
is not asked: of all, of anything that is named, of any number that was said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.person.readings.facets import NO_THING, TIMES, Facet, OrderFacets
from drr.eval.checks.person.readings.said import GAP, count_value, counted
from drr.eval.checks.person.readings.sets import Mask
from drr.wording.numbers import WHOLE, number

_N, _M = counted("n"), counted("m")
_ORDERS = r"(?:orders|purchases|parcels|buys|deliveries)"
_SOME = re.compile(
    rf"{_N}{GAP}(?:out{GAP})?of{GAP}(?:them|these|those|which|(?:the|those|these|its|your|all){GAP}(?:your{GAP})?{_M}(?:{GAP}{_ORDERS})?)"
    rf"{GAP}(?:(?:all|just|only|alone|were|was|are|is|fell|falls?|came|comes?|dates?|belongs?|placed|bought|ordered|goes|go|went|have|had|been|happened|made)\b{GAP}){{0,4}}"
    rf"(?:in|from|within|under|during){GAP}(?:the{GAP})?",
    re.I,
)
"""`seven of the ten fall in`, `six of them in`"""
_ENDS = re.compile(r"(?:[\s*_]{1,3}alone)?[\s*_]{0,3}(?:$|[.,;:!)–—]|(?:and|but|while|with)\b)", re.I)
_LOOSE = re.compile(
    r"\b(?:last|latest|newest|past|recent|first|next|previous|within|at least|at most|visible|would|could|should|if|not|no|never|without|other|except|besides|"
    r"spend|spent|spending|dollars?|money|priced?|prices)\b|n['’]t\b|\?|\$",
    re.I,
)
"""In a sentence: it may be of some of them only, of money, or of what is not so."""
_OF_WHOLE = re.compile(
    rf"{_N}{GAP}(?:times{GAP})?(?:out{GAP})?of{GAP}(?:(?:the|your|all|those|these|his|her|their|my|[a-z-]{{2,20}}['’]s){GAP}){{0,2}}{_M}(?:{GAP}(?:{_ORDERS}|of{GAP}them))?",
    re.I,
)
_ORDERS_SAID = re.compile(rf"{_ORDERS}$", re.I)
_NOT_SO = re.compile(
    r"\b(?:if|would|could|should|might|may|were|unless|suppose|say|not|never|had)\b|n['’]t\b", re.I
)
"""Before two counts, in what is said of them: it is not so, or not yet."""
_ALONE = re.compile(rf"{_N}{GAP}{_ORDERS}", re.I)
_TO_SHARE = r"[\s*_]{0,3}[,;:(–—=-]?[\s*_]{0,3}(?:(?:or|so|that\sis|that['’]s|which\sis|i\.e\.,?|makes?|making|about|around|roughly|some|nearly|almost|just|only|exactly|~|≈)[\s*_]{0,3}){0,3}"
_PERCENT = re.compile(
    rf"{_TO_SHARE}(?P<p>\d{{1,3}}(?:\.\d{{1,2}})?)[\s*_]{{0,3}}(?:%|percent\b|per\scent\b)", re.I
)
_FRACTIONS = {
    "half": 1 / 2,
    "a third": 1 / 3,
    "one third": 1 / 3,
    "two thirds": 2 / 3,
    "a quarter": 1 / 4,
    "one quarter": 1 / 4,
    "three quarters": 3 / 4,
    "a fifth": 1 / 5,
    "one fifth": 1 / 5,
    "two fifths": 2 / 5,
    "three fifths": 3 / 5,
    "four fifths": 4 / 5,
    "a sixth": 1 / 6,
    "an eighth": 1 / 8,
    "a tenth": 1 / 10,
}
FRACTION_WORDS = "|".join(re.sub(r"[ ]", r"[\\s-]", one) for one in sorted(_FRACTIONS, key=len, reverse=True))
_FRACTION = re.compile(
    rf"[\s*_]{{0,3}}[,;:(–—=-][\s*_]{{0,3}}(?:(?:or|so|that\sis|that['’]s|which\sis|i\.e\.,?|makes?|making)[\s*_]{{1,3}}){{0,2}}"
    rf"(?P<how>(?:a\slittle|a\sbit|a\sshade|just|slightly|well|not\squite|far|some|about|around|roughly|nearly|almost|exactly|more\sthan|less\sthan|over|under|above|below|short\sof|shy\sof|fewer\sthan|better\sthan|barely)[\s*_]{{1,3}}){{0,3}}"
    rf"(?P<f>{FRACTION_WORDS})\b",
    re.I,
)
_UNDER = re.compile(r"\b(?:under|below|less than|fewer than|short of|shy of|nearly|almost|not quite)\b", re.I)
_OVER = re.compile(r"\b(?:over|above|more than|better than|barely)\b", re.I)
_LITTLE = re.compile(r"\b(?:a little|a bit|a shade|just|slightly|nearly|almost|not quite|barely)\b", re.I)
_WIDE, _NEAR, _ROUNDED, _HEDGED = 0.13, 0.06, 0.6, 2.6
_HEDGES = re.compile(r"\b(?:about|around|roughly|some|nearly|almost|just)\b|[~≈]", re.I)
_MOST, _SETS, _LEAST = 6, 24, 4


class PartsOfSome:
    """Reads the sentences of one report."""

    def __init__(self, facets: OrderFacets, cast: Cast) -> None:
        self._facets, self._sets = facets, facets.sets
        self._body, self._cast = cast.body, cast

    def sentence(self, span: Span, near: Sequence[Facet]) -> Iterator[Accusation]:
        if _LOOSE.search(self._body, *span):
            return
        yield from self._parts(span, near)
        yield from self._shares(span, near)

    def shares_told(self, span: Span) -> Iterator[Accusation]:
        """`13 of your 30 orders, or about 43%`: both counts are said, and whatever else its sentence says they make one share."""
        for match in islice(_OF_WHOLE.finditer(self._body, *span), _MOST):
            part, whole = count_value(match["n"]), count_value(match["m"])
            before = re.split(r"[:;]", self._body[span[0] : match.start()])[-1]
            if _NOT_SO.search(before) or "?" in self._body[match.end() : span[1]]:
                continue
            if 0 < part <= whole and whole >= _LEAST and _ORDERS_SAID.search(match[0]):
                for one in self._share(match.end(), span, part, {whole}):
                    yield one._replace(kind="own_part")

    def _parts(self, span: Span, near: Sequence[Facet]) -> Iterator[Accusation]:
        """`seven of the ten fall in 2020`: more than fall there at all, or more or fewer of the one thing that is spoken of."""
        for match in islice(_SOME.finditer(self._body, *span), _MOST):
            part = next(
                (one for one in self._facets.in_span((match.end(), span[1])) if one.start == match.end()),
                None,
            )
            if part is None or not part.ways or not _ENDS.match(self._body, part.end, span[1]):
                continue
            said = count_value(match["n"])
            whole = self._one_thing(span, near, match)
            ways = part.ways if part.kind not in TIMES else part.ways[:1]
            some = ways if whole is None else [whole & way for way in ways]
            sizes = {size for one in some for size in self._sets.sizes(one)}
            if said in sizes or (whole is None and said <= max(sizes)):
                continue
            shown = " ".join(self._body[part.start : part.end].split())[:40]
            why = f"said {said} of them of {shown!r}, are {max(sizes)}"
            yield Accusation("own_count", match.span("n"), why, Certainty.CLAUSE)

    def _one_thing(self, span: Span, near: Sequence[Facet], said: re.Match[str]) -> Mask | None:
        """The orders of the one thing that was named, where nothing else was, and, if a number of all is said, they are so many."""
        before = [one for one in near if one.kind not in NO_THING and one.ways and one.start < said.start()]
        ways = {one.ways[0] for one in before}
        if len(ways) != 1 or any(one.kind != "named" for one in before):
            return None
        whole = next(iter(ways))
        return whole if not said["m"] or count_value(said["m"]) in self._sets.orders_of(whole) else None

    def _wholes(self, span: Span, near: Sequence[Facet]) -> Iterator[Mask]:
        """Of which orders a part may be told: of all, with a price or without, of anything named so far, or of all things named."""
        line = self._cast.prose.line_at(span[0])
        kinds = self._facets.kinds_in((line.start if line is not None else span[0], span[1]))
        named = [one for one in (*near, *kinds) if one.ways][:_SETS]
        yield from (self._sets.all, self._sets.priced, self._sets.all & ~self._sets.priced)
        yield from (one.ways[0] for one in named)
        whole = 0
        for one in named:
            if one.kind not in NO_THING:
                whole |= one.ways[0]
                yield whole

    # Shares.

    def _shares(self, span: Span, near: Sequence[Facet]) -> Iterator[Accusation]:
        found = list(_OF_WHOLE.finditer(self._body, *span))
        for match in islice(found, _MOST):
            part, whole = count_value(match["n"]), count_value(match["m"])
            if 0 < part <= whole and whole >= _LEAST:
                yield from self._share(match.end(), span, part, {whole})
        ends = {match.start("m") for match in found} | {match.start("n") for match in found}
        for match in islice(_ALONE.finditer(self._body, *span), _MOST):
            if match.start("n") not in ends and count_value(match["n"]) >= _LEAST:
                yield from self._share(match.end(), span, count_value(match["n"]), self._numbers(span, near))

    def _numbers(self, span: Span, near: Sequence[Facet]) -> set[int]:
        """Of how many a share may be: of all, of what is named, and of any number said before."""
        line = self._cast.prose.line_at(span[0])
        low = line.start if line is not None else span[0]
        told = re.finditer(rf"(?<![\w.$,]){WHOLE}(?![\w.,]*\d|\s?%|\spercent)", self._body[low : span[1]])
        return {
            *(size for one in self._wholes(span, near) for size in self._sets.sizes(one)),
            *(int(number(one[0])) for one in told),
        }

    def _share(self, end: int, span: Span, part: int, wholes: Iterable[int]) -> Iterator[Accusation]:
        shares = [part / one for one in wholes if one >= part]
        if not shares:
            return
        if (match := _PERCENT.match(self._body, end, span[1])) is not None:
            said = number(match["p"])
            slack = _HEDGED if _HEDGES.search(match[0]) or said % 5 == 0 else _ROUNDED
            ok = any(abs(100 * one - said) <= slack for one in shares)
            shown = f"{said:g} %"
            where = match.span("p")
        elif (match := _FRACTION.match(self._body, end, span[1])) is not None:
            ok = any(_is_about(one, match) for one in shares)
            shown, where = match["f"], match.span("f")
        else:
            return
        if not ok:
            why = f"said {shown} for {part}, which no number of orders in sight makes it"
            yield Accusation("own_count", where, why, Certainty.CLAUSE)


def fraction_said(words: str) -> float:
    """What a whole of `FRACTION_WORDS` comes to."""
    return _FRACTIONS[re.sub(r"[\s-]", " ", words.casefold())]


def _is_about(share: float, said: re.Match[str]) -> bool:
    """`A little under half`, `more than a third`."""
    value = fraction_said(said["f"])
    how = said[0]
    if _UNDER.search(how):
        return share <= value + 0.005 and (share >= value - _WIDE or not _LITTLE.search(how))
    if _OVER.search(how):
        return share >= value - 0.005 and (share <= value + _WIDE or not _LITTLE.search(how))
    return abs(share - value) <= _NEAR
