"""Stars and numbers of ratings that no product in sight has: neither alone, nor the two together, nor a sum or a difference of some.

Whose they are is not asked. What stands beside each other, `4.7 from 302 ratings`, must be both of one product, whichever that is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import combinations, pairwise
from typing import NamedTuple

from drr.env.entities import Product
from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.mean_stars import is_mean_of_stars
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.residue import residue_of
from drr.wording.numbers import SPOKEN, WHOLE, number_said
from drr.wording.ratings import A_MARK, RatingSaid
from drr.wording.tolerance import same_count, same_stars

_GIVERS = r"(?:people|buyers?|owners?|reviewers?|raters?|votes?|parents|customers|shoppers)"
_JOINS = r"(?:stars?|average|out\sof\s(?:5|five)|rating|averaging|and|but|though|albeit|if|from|with|across|on|over|by|based|an?|score|mean|the\sstrength|just|only|mere|all\sof|some)"
_BETWEEN = re.compile(rf"[\s,*_()★⭐]{{0,8}}(?:{_JOINS}[\s,*_()★⭐]{{1,6}}){{0,6}}", re.I)
"""Between stars and the number of those who gave them."""
_BACK = re.compile(
    rf"[\s*_]{{0,3}}(?:ratings?|reviews?|{_GIVERS})?[\s,:*_(–—-]{{1,5}}"
    r"(?:(?:averag(?:e|es|ing)|average\sof|at|giv(?:e|es|ing)|gave|makes?|put|rated?|it|its|them|an?|of|score|stars|for|with|and|mean)[\s*_:]{1,4}){0,6}",
    re.I,
)
"""Between the number and the stars, where the number stands first."""
_TOLD = re.compile(r"\b(?:from|with|across|by|based\son)\b", re.I)
"""From stars to the number of those who gave just them."""
_STAR = r"(?<![\w.,$€£¥x×/-])(?P<d>[1-5]\.\d)"
_MANY = rf"(?P<n>{WHOLE}|{SPOKEN})"
_ENDS = r"(?=[\s*_]{0,3}(?:$|[.,;:!?)\]|–—]))(?![.,]\d)"
_PAIRS = (
    re.compile(
        rf"{_STAR}(?:\s?(?:★|⭐|stars?))?,?\s(?:but\s)?(?:from|by)\s(?:just\s|only\s|a\smere\s)?{_MANY}(?:\s{_GIVERS}\b|{_ENDS})",
        re.I,
    ),
    re.compile(rf"{_STAR}\s?(?:★|⭐)?\s?/\s?(?P<n>\d{{2,5}})\b(?![./-]\d)"),
    re.compile(r"\bn\s?=\s?(?P<n>\d{1,6})(?:,|\sat|\s@|:)\s(?P<d>[1-5]\.\d)(?![\d%]|\.\d)"),
    re.compile(
        rf"\b{_MANY}\s{_GIVERS}\s(?:make|put|rate|score)\s(?:it|this|that)\s(?:at\s)?(?P<d>[1-5]\.\d)(?![\d%]|\.\d)",
        re.I,
    ),
)
"""Stars and their number, told by their form alone."""
_ONE_MORE = re.compile(rf"(?:,|\b(?:and|but|versus|vs\.?|against))\s{_STAR}\swith\s{_MANY}{_ENDS}", re.I)
"""Behind others: `4.6 with 25 votes and 4.7 with 42`."""
_NOT_OF_ONE = re.compile(
    r"\b(?:more|less|fewer|extra|difference|apart|gap|falls?|drops?|rises?|gains?|loses?|at least|at most|than|if|would|could|might|should|usually|typically|elsewhere|reviews? sites?|"
    r"combined|together|between|average of|mean|median|weighted|percent|my|our|times|even|neither|nor|no|not|never|as many as|up to|enough)\b|\?|%",
    re.I,
)
"""Its clause may hold ratings against each other, or speak of others than the shop's."""
_OPINION = re.compile(
    r"\b(?:worth|prefer|rather|trust|agree|matters?|counts?\sfor|says\s(?:more|less|little)|asked|asks?\sfor|want(?:ed)?|minimum|threshold|cut-?off|at\s(?:least|most)|"
    r"anything|mean|median|weighted|combined|together|between\sthem|the\stwo\saverage)\b",
    re.I,
)
"""In a sentence: it may weigh ratings, ask for some, or put several together."""
_NEARLY = re.compile(
    r"\b(?:some|over|above|about|around|nearly|almost|roughly|past|under|below|more\sthan)[\s*_]{1,3}$", re.I
)
"""Before a round number: it may be one near it."""
_THE = re.compile(r"\b(?:the|these|those|all|both|of|your|its|their)[\s*_]{1,3}$", re.I)
"""Before a number: it is of things that were named, as in `none of the three scores as low`."""
_OTHER = re.compile(
    r"\b(?:others?|cousins?|siblings?|sisters?|brothers?|rivals?|versions?|twins?|alternatives?|another|anything|everything|nothing|rest)\b",
    re.I,
)
"""In a sentence: stars may be of something that it does not name."""
_NO_STARS = re.compile(r"-?\d|[\s-]?(?:inch|in\b|feet|ft|oz|lb|qt|cm|mm|liter|gallon|and\sa\shalf)", re.I)
_VAGUE = re.compile(r"(?:an?\s)?(?:hundred|thousand|dozen)\b", re.I)
_IT = re.compile(r"[\s*_(-]{0,6}(?:It|This|That)\b")
_PRICED = ("price", "none")
_MOST, _SUMS, _BEFORE, _BEFORE_A_MARK = 80, 14, 12, 20
_FEW = 3
"""A smaller number in words is a pronoun as often as a count."""


class _Joined(NamedTuple):
    """A number of ratings and stars beside it."""

    many: RatingSaid
    star: RatingSaid
    told: bool
    """A word says that so many gave them: neither belongs to a third then."""


class UnratedFigure(NamedTuple):
    """Stars or a number of ratings that nothing in sight has."""

    accusation: Accusation
    kind: str
    against: frozenset[str]
    """What speaks against its being of one thing in sight."""


def rated_nowhere(mentions: Mentions) -> Iterator[Accusation]:
    """Ratings that nothing in sight has, and against which nothing speaks."""
    return (one.accusation for one in unrated_figures(mentions) if not one.against)


@lru_cache(maxsize=4)
def unrated_figures(mentions: Mentions) -> tuple[UnratedFigure, ...]:
    """All ratings that nothing in sight has."""
    reader = _Ratings(mentions)
    said = [(span, reader.said(span)) for span in reader.places()]
    found = []
    for span, some in [one for one in said if one[1]][:_MOST]:
        found += [*reader.numbers(span, some), *reader.stars(span)]
    return tuple(found)


class _Ratings:
    def __init__(self, mentions: Mentions) -> None:
        self._mentions, self._text = mentions, mentions.plain
        self._residue = residue_of(mentions)

    @property
    def _held(self) -> HeldAgainst:
        return sight_of(self._mentions).held

    def places(self) -> Iterator[Span]:
        for line in self._mentions.layout.lines:
            if line.kind not in ("rule_row", "elision"):
                yield from line.cells or self._held.prose.sentences(line)

    def said(self, span: Span) -> list[RatingSaid]:
        """Stars and numbers of ratings of a sentence or a cell, each once, by their places."""
        found = list(self._held.prose.ratings(span))
        forms = (*_PAIRS, _ONE_MORE) if any(one.kind == "count" for one in found) else _PAIRS
        for match in (one for form in forms for one in form.finditer(self._text, *span)):
            many = match["n"]
            value = number_said(many)
            found.append(RatingSaid("stars", float(match["d"]), *match.span("d"), False, True))
            found.append(RatingSaid("count", value, *match.span("n"), False, True))
        kept: list[RatingSaid] = []
        for one in sorted(map(self._rounded, found), key=lambda each: (each.start, -each.end)):
            if not kept or one.start >= kept[-1].end or one.kind != kept[-1].kind:
                kept.append(one)
        return kept

    def _rounded(self, one: RatingSaid) -> RatingSaid:
        """With a round number behind a word that makes it one near it."""
        digits = re.search(r"\d", self._text[one.start : one.end])
        place = one.start + (digits.start() if digits else 0)
        before = self._text[max(0, place - _BEFORE) : place]
        is_round = one.kind == "count" and one.value % 10 == 0 and _NEARLY.search(before) is not None
        return one._replace(hedged=True) if is_round else one

    def numbers(self, span: Span, said: Sequence[RatingSaid]) -> Iterator[UnratedFigure]:
        """Numbers of ratings, with the stars beside them."""
        paired = self._paired(said)
        for one in said:
            beside = paired.get(one.start, [])
            if any(self._is_mean(each, span) for each in beside):
                beside = []  # one of them may be of several things
            if one.kind != "count" or one.value < _FEW or self._has(one, beside):
                continue
            low = max(span[0], one.start - _BEFORE)
            against = self._against(one, span)
            against |= {"vague"} if _VAGUE.match(self._text, one.start) else set()
            against |= {"a_mark"} if any(self._is_mark(each, span) for each in (one, *beside)) else set()
            if not beside:
                against |= set() if one.certain else {"unsure"}
                against |= {"the"} if _THE.search(self._text, low, one.start) else set()
            stars = " or ".join(f"{star.value:g}" for star in beside)
            shown = f"{stars} stars from {one.value:,g} ratings" if stars else f"{one.value:,g} ratings"
            yield self._unrated(one, shown, against)

    def stars(self, span: Span) -> Iterator[UnratedFigure]:
        """Stars alone: of what the report names where its sentence names something, else of anything that the reader or a maker has."""
        for one in self._held.prose.ratings(span):
            if one.kind != "stars" or not self._is_to_the_tenth(one) or self._is_mean(one, span):
                continue
            own = self._held.cast.within(span[0], one.start) or _IT.match(self._text, *span)
            rated = [each.average_rating for each in (self._in_report if own else self._in_sight).values()]
            known = {each for each in rated if each is not None}
            if not known or any(same_stars(one.value, each) for each in known):
                continue
            gaps = {abs(a - b) for a, b in combinations(known, 2)}
            against = self._against(one, span)
            against |= set() if one.certain else {"unsure"}
            against |= {"a_mark"} if self._is_mark(one, span) else set()
            against |= {"unknown"} if own and None in rated else set()
            against |= {"a_gap"} if any(same_stars(one.value, each) for each in gaps) else set()
            against |= {"other"} if _OTHER.search(self._text, *span) else set()
            yield self._unrated(one, f"{one.value:g} stars", against)

    def _is_mark(self, one: RatingSaid, span: Span) -> bool:
        """Whether others are held against it."""
        low = max(span[0], one.start - _BEFORE_A_MARK)
        return A_MARK.search(self._text, low, one.start) is not None

    @cached_property
    def _in_report(self) -> dict[str, Product]:
        """What the report names, and whatever a name in it may mean."""
        return {**self._held.cast.possible, **self._held.cast.products}

    @cached_property
    def _in_sight(self) -> dict[str, Product]:
        """All that, what the makers sell besides, and what the reader ordered."""
        ordered = {one.product_id: one for one in self._held.cast.ordered}
        return ordered | self._held.known.products | self._in_report

    def _paired(self, said: Sequence[RatingSaid]) -> dict[int, list[RatingSaid]]:
        """By the place of a number the stars that so many may have given: those beside it where each has its own, else all of the sentence."""
        beside: dict[int, list[RatingSaid]] = {one.start: [] for one in said if one.kind == "count"}
        joined = list(self._joined(said))
        bound = {place for one in joined if one.told for place in (one.many.start, one.star.start)}
        for one in joined:
            if one.told or not {one.many.start, one.star.start} & bound:
                beside[one.many.start].append(one.star)
        if all(one.kind != other.kind for one, other in pairwise(said)):
            return beside
        stars = [one for one in said if one.kind == "stars"]
        return {start: stars if near else [] for start, near in beside.items()}

    def _joined(self, said: Sequence[RatingSaid]) -> Iterator[_Joined]:
        """Stars and numbers that stand side by side."""
        for one, other in pairwise(said):
            if one.kind == other.kind:
                continue
            form = _BETWEEN if one.kind == "stars" else _BACK
            count, star = (other, one) if one.kind == "stars" else (one, other)
            if form.fullmatch(self._text, one.end, other.start):
                told = one.kind == "stars" and _TOLD.search(self._text, one.end, other.end) is not None
                yield _Joined(count, star, told)

    def _is_mean(self, star: RatingSaid, span: Span) -> bool:
        return is_mean_of_stars(self._held.cast, self._text, star.value, span)

    def _has(self, one: RatingSaid, stars: Sequence[RatingSaid]) -> bool:
        """Whether any product has so many ratings, and the stars beside them; of a number alone also whether some have it together."""
        same = [each for each in self._in_sight.values() if _fits(one, each.rating_number)]
        if stars:
            rated = [each.average_rating for each in same]
            return any(each is None or same_stars(star.value, each) for each in rated for star in stars)
        return bool(same) or any(_fits(one, each) for each in self._sums)

    @cached_property
    def _sums(self) -> set[float]:
        """What some things in play have together, or one has more than another."""
        every = (each.rating_number for each in self._held.cast.products.values())
        counts = [float(each) for each in every if each][:_SUMS]
        sums = {sum(some) for size in (2, 3) for some in combinations(counts, size)} | {sum(counts)}
        return sums | {abs(a - b) for a, b in combinations(counts, 2)}

    def _against(self, one: RatingSaid, span: Span) -> set[str]:
        """What speaks against its being said of one thing, and of what the shop sells."""
        prices = (each for each in self._held.ledger.entries if span[0] <= each.figure.start < span[1])
        low, high = self._held.prose.clause_at(one.start)
        low, high = min(max(low, span[0]), one.start), max(one.end, min(high, span[1]))
        found = {
            "price": any(each.figure.cue.kind in _PRICED and each.status != "explained" for each in prices),
            "several": _NOT_OF_ONE.search(self._text, low, high) is not None,
            "opinion": _OPINION.search(self._text, *span) is not None,
            "doubt": self._residue.doubt(span, ("unreal", "others", "conditional")) is not None,
            "web": self._residue.cites_the_web(span),
            "stranger": self._held.cast.names_a_stranger(span),
        }
        return {name for name, speaks in found.items() if speaks}

    def _is_to_the_tenth(self, one: RatingSaid) -> bool:
        """Whether it is written as a rating is, and no measure or part of one."""
        said = self._text[one.start : one.end]
        return one.value >= 1 and "." in said and _NO_STARS.match(self._text, one.end) is None

    def _unrated(self, one: RatingSaid, shown: str, against: set[str]) -> UnratedFigure:
        why = f"said {shown}, which no product in sight has"
        accusation = Accusation("rated_nowhere", (one.start, one.end), why, Certainty.SENTENCE)
        return UnratedFigure(accusation, one.kind, frozenset(against))


def _fits(said: RatingSaid, value: float | None) -> bool:
    if value is None:
        return False
    return same_count(said.value, value, hedged=said.hedged) or (
        said.hedged and 0.5 * said.value <= value <= 2 * said.value
    )
