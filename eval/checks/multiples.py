"""How many times one thing is said to be of another: held against every two values of a kind that its sentence, or what it goes on from, sets beside each other.

What of the two is meant is not asked: `twice as dear` is right if any two prices, costs per unit, sizes or counts in sight are in that ratio. Only what
no two of them come to is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Literal, NamedTuple

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.in_text.multiples import ratio_set_out, ratios_by_unit
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.said import SaidFigure
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.measures import measures_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.packs import record_divisors
from drr.eval.checks.records import record_text
from drr.eval.checks.residue import residue_of
from drr.eval.checks.what_it_has import ratios_to_what_it_has
from drr.wording.comparisons import COMPARISONS
from drr.wording.cues import CUES
from drr.wording.numbers import SPOKEN, number_said
from drr.wording.vocabulary import either

Bound = Literal["more", "less", "near", "exact"]
_WORDS = {
    "twice": 2.0,
    "double": 2.0,
    "triple": 3.0,
    "thrice": 3.0,
    "quadruple": 4.0,
    "half": 0.5,
    "a half": 0.5,
    "a third": 1 / 3,
    "one third": 1 / 3,
    "a quarter": 0.25,
    "one quarter": 0.25,
    "a fifth": 0.2,
    "a sixth": 1 / 6,
    "an eighth": 0.125,
    "a tenth": 0.1,
    "two thirds": 2 / 3,
    "three quarters": 0.75,
    "one and a half times": 1.5,
    "two and a half times": 2.5,
    "three and a half times": 3.5,
}
_NAMED = either(_WORDS).replace(r"\ ", r"[\s-]")
_FACTOR = re.compile(
    rf"\b(?:(?P<w>{_NAMED})|(?P<n>(?<![\d.,$])\d{{1,2}}(?:\.\d{{1,2}})?|{SPOKEN})\s(?P<half>and\sa\shalf\s)?times)\s"
    r"(?=as\s(?:much|many|[a-z]{3,14})\b|the\s(?:price|cost|money|outlay|bill|rate|size|number|weight|draw|capacity|length|ratings|reviews|[\w-]{1,20}\s(?:price|cost|bill|rate))\b|"
    r"(?:the|its|your)\s[*_\[]{0,3}(?-i:[A-Z][a-z])|the\s(?:first|second|third|other|former|latter|others)\b|"
    r"the\s[\s*_()]{0,160}\$\s?\d|"
    r"that\b(?!\s(?:is|was|are)\b)|of\s(?:what|that|the\s(?:(?:price|cost)\b|[*_\[]{0,3}(?-i:[A-Z])))|what\s|as\s|any\sof\b|either\b|#\s?\d|(?<!\bthird\s)(?<!quarter\s)[*_\[]{0,3}(?-i:[A-Z][a-z]))",
    re.I,
)
_BARE = re.compile(
    r"\b(?:more\sthan|over|almost|nearly|about|roughly|around|not\squite|less\sthan|exactly)\s(?P<w>double|triple|quadruple)(?=[\s*_]{0,3}(?:[.:;,)]|$))",
    re.I | re.M,
)
"""`74 cents a foot, more than double`: of what stands beside it."""
_OF_COST = re.compile(
    r"as\s(?:dear|expensive|pricey|costly)\b|(?:of\s)?the\s(?:price|cost)\b|the\s[\s*_()]{0,160}\$", re.I
)
"""Behind a multiple that is of no history, whatever its sentence tells of one."""
_AGAIN = re.compile(r"as\s(?:much|many)\s(?:[a-z]{3,14}\s){0,2}again\b", re.I)
_PERCENT = re.compile(
    r"(?<![\d.,$])(?P<p>\d{1,2}(?:\.\d)?)\s?(?:%|percent|per\scent)\s(?P<side>less|cheaper|lower|more|dearer|higher|pricier)\b",
    re.I,
)
_MORE = re.compile(r"\b(?:more\sthan|over|above|upwards\sof|at\sleast|better\sthan)\s$", re.I)
_LESS = re.compile(r"\b(?:less\sthan|under|below|not\squite|short\sof|at\smost|up\sto)\s$", re.I)
_NEAR = re.compile(
    r"\b(?:barely|nearly|almost|about|around|roughly|close\sto|approximately|some|near\senough|nigh\son|practically)\s$",
    re.I,
)
_SLIGHT = re.compile(
    r"\b(?:just|barely|slightly|little|bit|shade|touch|hair|whisker)\s(?:more\sthan|over|above|less\sthan|under|below|short\sof)\s$",
    re.I,
)
_BEFORE = 24
_HISTORY = re.compile(
    r"\b(?:order(?:s|ed|ing)?|bought|purchase[sd]?|placed|deliver(?:y|ies|ed)|spen[dt]|spending|year|years|category|categories)\b",
    re.I,
)
"""Of how often something was bought, and of shares of a history: other readers hold those."""
_NO_RATIO = re.compile(
    r"\b(?:might|could|(?-i:may)|if|probably|elsewhere|stars?|degrees?|recommend\w*|dose|serving|size it|rule|wide|long enough)\b|\?",
    re.I,
)
_AS_VERB = re.compile(
    r"\b(?:would|will|to|can|could|does|do|did|not)\s(?:(?:more|less|nearly|almost|about|than|well|over|roughly)\s){0,3}$",
    re.I,
)
"""`would more than double the bill`"""
_THAT = re.compile(r"that\b", re.I)
_BESIDE = 12
_REACH = 600
"""Characters before a sentence that it goes on from."""
_MOST = 60
"""Multiples of a report that are looked into."""
_FEW = 14
"""Values of a kind that are set beside each other."""


_NO_NUMBERS = frozenset({"money", "unit", "rating", "ratings", "percent", "multiple"})


class _Said(NamedTuple):
    many: float
    bound: Bound
    start: int
    end: int
    bare: bool = False
    """Nothing says of what."""
    slight: bool = False
    """Just over it, or just under."""

    def is_passed(self, ratio: float) -> bool:
        """Whether two values in so large a ratio are more than so many times one another, where no more is said: by however much."""
        many, over = (self.many, "more") if self.many >= 1 else (1 / self.many, "less")
        return self.bound == over and not self.slight and ratio >= 0.985 * many

    def holds(self, ratio: float) -> bool:
        """Whether two values whose larger is so many times the smaller are meant."""
        many = self.many if self.many >= 1 else 1 / self.many
        bound = self.bound
        if self.many < 1 and bound in ("more", "less"):
            bound = "less" if bound == "more" else "more"
        low, high = {"exact": (0.9, 1.12), "near": (0.87, 1.12), "more": (0.985, 1.45), "less": (0.7, 1.015)}[
            bound
        ]
        return low * many <= ratio <= high * many


def misread_multiples(mentions: Mentions) -> Iterator[Accusation]:
    """Multiples that no two values in sight come to."""
    text = mentions.plain
    for one in list(_said(text))[:_MOST]:
        held = sight_of(mentions).held
        sentence = held.prose.sentence_at(one.start)
        if not _is_read(mentions, held, one, sentence):
            continue
        ratios = _ratios(held, text, one, sentence)
        if all(one.is_passed(ratio) for ratio in ratios):
            continue  # nothing in sight, or right whichever two are meant
        if not any(one.holds(ratio) for ratio in ratios):
            larger = max(one.many, 1 / one.many)
            close = min(ratios, key=lambda ratio: abs(ratio / larger - 1))
            why = f"said {text[one.start : one.end].strip()!r}, which no two values in sight come to: the nearest are {close:.2f} times one another"
            yield Accusation("multiple", (one.start, one.end), why, Certainty.SENTENCE)


def _is_read(mentions: Mentions, held: HeldAgainst, one: _Said, sentence: Span) -> bool:
    """Whether its sentence is prose about things in sight, and not about a history."""
    if held.prose.prose_line_at(one.start) is None:
        return False
    clause = held.prose.clause_at(one.start)
    if _AS_VERB.search(mentions.plain, max(sentence[0], one.start - _BEFORE), one.start):
        return False
    if _THAT.match(mentions.plain, one.end) and not any(
        each.kind in ("money", "unit")
        and (0 <= each.start - one.end < _BEFORE or 0 <= one.start - each.end < _BESIDE)
        for each in held.said.within(sentence)
    ):
        return False
    told = _HISTORY.search(mentions.plain, *sentence) and not _OF_COST.match(mentions.plain, one.end)
    if told or _NO_RATIO.search(mentions.plain, *clause):
        return False
    unseen = residue_of(mentions).is_of_the_unseen(sentence, sentence)
    return not (unseen or held.cast.names_a_stranger(sentence))


def _said(text: str) -> Iterator[_Said]:
    for match in _FACTOR.finditer(text):
        if match["w"]:
            many = _WORDS[" ".join(match["w"].casefold().replace("-", " ").split())]
        else:
            many = number_said(match["n"]) + (0.5 if match["half"] else 0.0)
        if _AGAIN.match(text, match.end()):
            many += 1
        slight = _SLIGHT.search(text[max(0, match.start() - _BEFORE) : match.start()]) is not None
        yield _Said(many, _bound(text, match.start()), match.start(), match.end(), slight=slight)
    for match in _BARE.finditer(text):
        start = match.start("w")
        yield _Said(_WORDS[match["w"].casefold()], _bound(text, start), start, match.end(), bare=True)
    for match in _PERCENT.finditer(text):
        share = float(match["p"]) / 100
        many = 1 - share if match["side"].casefold() in ("less", "cheaper", "lower") else 1 + share
        yield _Said(many, "near", match.start(), match.end())


def _bound(text: str, start: int) -> Bound:
    before = text[max(0, start - _BEFORE) : start]
    if _MORE.search(before):
        return "more"
    if _LESS.search(before):
        return "less"
    return "near" if _NEAR.search(before) else "exact"


_OF_PRICE = re.compile(
    r"\b(?:dear|expensive|price|pricey|costly|costs?|outlay|bill|money|rate|you\spay|as\smuch(?!\s(?!as\b|for\b|per\b|again\b|each\b|an?\b)[a-z]))\b",
    re.I,
)
_AS = re.compile(r"as\s(?!much\b|many\b|dear\b|expensive\b|pricey\b|costly\b)", re.I)
"""`three times as long`: records say such things in ways of their own."""
_OF_MEASURE = re.compile(
    r"(?:of\s)?the\s(?:(?P<length>length|width|height|depth|thickness|diameter|reach)|(?P<weight>weight)|(?P<volume>volume|capacity)|size|draw|bulk)\b",
    re.I,
)
"""`half the length of`: held against measures, of that kind where it has one, and against no price."""
_AS_MUCH = re.compile(r"as\smuch\b", re.I)
_CONTENTS = ("volume", "weight")
"""Of what a thing holds records tell by the one or the other."""
_BEHIND_ITS_UNIT = re.compile(
    r"[\s-]?[^\W\d_]{0,12}(?:\s[a-z]{1,12}){0,2}[\s*_)]{0,3}(?:[,;:(–—-]|\s[–—-])?\s?(?:[a-z]{1,12}\s){0,3}",
    re.I,
)
"""Between a figure and the multiple that it makes."""
_OF_NUMBER = re.compile(r"\b(?:number|many|count)\b", re.I)
_COSTS = re.compile(
    r"\b(?:costs?|(?<!its\s)(?<!\ba\s)(?<!one\s)(?<!each\s)(?<!per\s)(?<!full\s)(?<!single\s)charges?|is\spriced|sells\sfor|comes\sto|price[ds]?)\b|\$",
    re.I,
)
_OBJECT = re.compile(r"(?:(?!\s(?:and|but|with|while|yet|though|for)\s)[^,;:.()\n]){0,40}")
"""What there is so many times as much of."""
_OF_COUNT = re.compile(r"\b(?:ratings|reviews|raters|reviewers|votes|people)\b", re.I)


class _Sides(NamedTuple):
    """What is said to be so many times what."""

    mine: tuple[str, ...]
    theirs: tuple[str, ...]
    here: Sequence[SaidFigure]
    before: Sequence[SaidFigure]
    units: frozenset[str]


def _sides(held: HeldAgainst, text: str, one: _Said, sentence: Span) -> _Sides:
    products = held.known.products.keys()

    def named(start: int, end: int) -> set[str]:
        return {key for each in held.cast.within(start, end) for key in each.products} & products

    behind = held.cast.within(one.end - 2, sentence[1])[:1]
    theirs = {key for each in behind for key in each.products} & products
    low = max(0, sentence[0] - (_REACH if theirs else 2 * _REACH))
    before = held.said.within((low, sentence[0]))
    here = [each for each in held.said.within(sentence) if not one.start <= each.start < one.end]
    meant = held.cast.meant_at(one.start, one.end)
    mine = named(sentence[0], one.start) | (meant.products & products if meant.certain else set())
    far = named(low, sentence[1])
    mine = (mine - theirs) or (far - theirs)
    units = CUES.units_in(text[low : sentence[1]])
    units |= {each.unit for each in (*before, *here) if each.kind == "unit" and each.unit}
    return _Sides(tuple(sorted(mine)), tuple(sorted(theirs or far)), here, before, units)


def _ratios(held: HeldAgainst, text: str, one: _Said, sentence: Span) -> list[float]:
    """What a value of its sentence and any other of its kind come to; of two costs that stand right behind it no other than these."""
    of_contents = COMPARISONS.is_of_contents(text[sentence[0] : one.start])
    set_out = None if of_contents else ratio_set_out(text, one.end, one.many)
    if set_out is not None:
        return [set_out]
    sides = _sides(held, text, one, sentence)
    if one.bare:
        values = [
            *_across(held, sides, "prices", ("money", "unit")),
            *_across(held, sides, "raters", ("ratings",)),
        ]
        return [*values, *_costs(held, sides), *_counts(held, sides)]
    said = _OBJECT.match(text, one.end)
    of = said[0] if said else ""
    if _AS.match(of):
        return []
    place = (one.start, one.end)
    had = None if of_contents else ratios_to_what_it_has(held, text, place, sentence, sides.theirs)
    if had is not None:
        return had
    if measured := _OF_MEASURE.match(of):
        return _measured(held, sides, measured.lastgroup)
    if _OF_COUNT.search(of):
        return list(_across(held, sides, "raters", ("ratings",)))
    if _OF_NUMBER.search(of):
        return [*_across(held, sides, "raters", ("ratings",)), *_counts(held, sides), *_numbers(sides)]
    if _AS_MUCH.match(of) and of_contents:
        found = next((ratios for kind in _CONTENTS if (ratios := _measures(held, sides, kind))), [])
        return [*found, *_counts(held, sides)] if _is_of_figure_before(text, one, sides.here) else found
    if not (_OF_PRICE.search(of) or _COSTS.search(text, max(sentence[0], one.start - 40), one.start)):
        return []
    told = ratios_by_unit(text, one.end - 1, (*sides.before, *sides.here))
    if _AS_MUCH.match(of) and _is_of_figure_before(text, one, sides.here):
        told += _counts(held, sides)
    return [*_across(held, sides, "prices", ("money", "unit")), *_costs(held, sides), *told]


def _is_of_figure_before(text: str, one: _Said, here: Sequence[SaidFigure]) -> bool:
    """`6.5 pounds, exactly two and a half times as much`: a count or a measure stands right before it."""
    before = [each for each in here if each.start < one.start][-1:]
    return any(
        each.kind in ("count", "measure") and _BEHIND_ITS_UNIT.fullmatch(text, each.end, one.start)
        for each in before
    )


def _across(held: HeldAgainst, sides: _Sides, name: str, kinds: Sequence[str]) -> Iterator[float]:
    mine = [one.value for one in sides.here if one.kind in kinds] + list(
        getattr(held.known.of(sides.mine), name)
    )
    theirs = [
        *mine,
        *(one.value for one in sides.before if one.kind in kinds),
        *getattr(held.known.of(sides.theirs), name),
    ]
    return _two(mine, theirs)


def _costs(held: HeldAgainst, sides: _Sides) -> Iterator[float]:
    """Of costs per unit that the text speaks of."""
    for unit in sorted(sides.units):
        yield from _two(_per(held, sides.mine, unit), _per(held, sides.theirs, unit))


def _per(held: HeldAgainst, some: Iterable[str], unit: str) -> list[float]:
    found = [held.known.products[key] for key in some]
    return [
        one.price / many
        for one in found
        if one.price is not None
        for many in record_divisors(one, unit, frozenset())
        if many
    ]


def _counts(held: HeldAgainst, sides: _Sides) -> Iterator[float]:
    """Of whatever is counted or measured, by its unit; a figure without one may be of any."""
    mine = _by_unit(held, sides.mine, sides.here)
    theirs = _by_unit(held, sides.theirs, [*sides.here, *sides.before])
    for unit, some in mine.items():
        yield from _two(some, [*theirs.get(unit, []), *theirs.get("", [])])
    yield from _two(mine.get("", []), [value for some in theirs.values() for value in some])


def _measured(held: HeldAgainst, sides: _Sides, kind: str | None) -> list[float]:
    """Of the measures of the two records, and what is counted; nothing where one of them has none of the kind."""
    found = _measures(held, sides, kind)
    return [*found, *_counts(held, sides)] if found else []


def _measures(held: HeldAgainst, sides: _Sides, kind: str | None) -> list[float]:
    """Of the measures of the two records, of a kind where one is meant."""
    mine, theirs = (
        {
            one.base
            for key in ids
            for one in measures_of(record_text(held.known.products[key]))
            if kind in (None, one.kind)
        }
        for ids in (sides.mine, sides.theirs)
    )
    return list(_two(sorted(mine), sorted(theirs)))


def _by_unit(held: HeldAgainst, ids: Iterable[str], said: Iterable[SaidFigure]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for one in said:
        if one.kind in ("count", "measure"):
            found.setdefault(one.unit, []).append(one.value)
    for key in ids:
        for value, unit in held.known.of((key,)).recorded:
            if unit:
                found.setdefault(unit, []).append(value)
    return found


def _numbers(sides: _Sides) -> Iterator[float]:
    """Any two numbers that are no amounts or ratings: often only the first of a row says of what it is so many."""
    told = [one.value for one in (*sides.here, *sides.before) if one.kind not in _NO_NUMBERS]
    return _two(told, told)


def _two(mine: Iterable[float], theirs: Iterable[float]) -> Iterator[float]:
    ours, others = (
        list(dict.fromkeys(value for value in some if value > 0))[:_FEW] for some in (mine, theirs)
    )
    for a, b in product(ours, others):
        if a != b:
            yield max(a, b) / min(a, b)
