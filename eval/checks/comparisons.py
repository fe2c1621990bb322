"""Comparisons of two products in play: which is cheaper, better rated, heavier, by how much, how many times; certain ones only."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import product as pairs_of
from typing import NamedTuple

from drr.env.entities import Product
from drr.eval.checks.base import CheckTally, Span, Subject
from drr.eval.checks.cast import Cast
from drr.eval.checks.layout import TextLine
from drr.eval.checks.measures import measures
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.money.ledger import ledger_of
from drr.eval.checks.money.play import record_divisors
from drr.eval.checks.naming import things_in
from drr.wording.comparisons import COMPARISONS, ComparisonSaid, FactorSaid, Property
from drr.wording.cues import CUES
from drr.wording.numbers import DIGITS, SPOKEN, number, spoken
from drr.wording.ratings import RATINGS
from drr.wording.tolerance import same_stars

_UNREAL = re.compile(
    r"\b(?:if|would|were|could|might|unless|not|never|neither|nor|no|without|hardly|usually|often|typically|tends?|used to|once)\b|n['’]t\b|\?",
    re.I,
)
"""Of such sentences it is not certain what they hold."""
_THAN = re.compile(r"\bthan\b", re.I)
_OTHER = re.compile(
    r"\bthan\s(?:(?:the|its|that|this)\s)?(?:other|latter|former|rival|rivals|sibling|sister|alternative|competitor|runner-up|either)\b",
    re.I,
)
_IS = re.compile(r"\b(?:is|are|was|goes to|being|remains)\b|[:—–]", re.I)
_REACH = 90
"""Characters behind `than` within which it is named what is compared with."""
_CLOSE = 40
"""Characters of a noun phrase."""
_UNITS = re.compile(
    r"\b(?:per|by (?:the|volume|weight|area|length|count|number|size)|each|apiece|for the money|an? (?:piece|count|sheet|load|foot|pound|ounce|pack|month|year))\b",
    re.I,
)
_SEVERAL = re.compile(
    r"\b(?:total|together|both of|combined|pair|pairs|set of|sets|per|each|apiece|instead|tax|shipping|coupon|code|off|discount|limit|budget|left|"
    r"two of|three of|plus|and a|year|month|swap|swapping|bundle|three|four|five)\b|%|[x×]\s?\d|\d\s?[x×]",
    re.I,
)
"""Beside a difference of prices: it may be one of several things, or of a limit."""
_GAPS = frozenset(
    ["more", "less", "cheaper", "dearer", "pricier", "costlier", "higher", "lower", "apart", "difference", "diff", "gap", "differ"]
)
_PAIR_OF_STARS = re.compile(
    r"(?<![\d.$])(?P<a>[1-5]\.\d)(?:\sstars?)?\s(?:vs\.?|versus|against|to|compared (?:to|with)|over)\s(?:an?\s|its\s|the\s)?(?P<b>[1-5]\.\d)(?![\d%])",
    re.I,
)
_MORE_OF = re.compile(
    rf"(?<![\w.,$])(?P<n>{DIGITS}|{SPOKEN})\s(?:more|fewer|extra|additional)\s(?P<unit>[a-z]{{3,20}})\b", re.I
)
_LEAST = {"price": 0.005, "stars": 0.051, "count": 0.5, "weight": 0.02, "noise": 0.5, "light": 0.5, "height": 0.1}
"""By how much two values of a property must differ."""
_FIELDS: dict[str, tuple[str, str]] = {
    "weight": ("Item Weight", "weight"),
    "noise": ("Noise Level", "sound"),
    "light": ("Brightness", "light"),
    "height": ("Item Height", "length"),
}
"""The detail and the kind of unit of a property that records state in their details."""


class _Place(NamedTuple):
    start: int
    end: int
    product_id: str


def compare_products(tally: CheckTally, subject: Subject, mentions: Mentions, cast: Cast) -> None:
    """Every comparison of the prose whose two products are certain."""
    comparing = _Comparing(tally, subject, mentions, cast)
    for line in mentions.layout.lines:
        if line.kind not in ("row", "head_row", "rule_row", "elision"):
            for span in cast.prose.sentences(line):
                comparing.sentence(span, line)


class _Comparing:
    def __init__(self, tally: CheckTally, subject: Subject, mentions: Mentions, cast: Cast) -> None:
        self._tally = tally
        self._cast = cast
        self._plain = mentions.plain
        self._ledger = ledger_of(mentions)
        cited = dict.fromkeys(one.product_id for one in self._ledger.play.cited)
        self._cited = [one for one in cited if one in cast.products]
        things = things_in(self._plain, {one: cast.products[one] for one in self._cited})
        single = [
            _Place(one.start, one.end, next(iter(one.products))) for one in cast.named if len(one.products) == 1
        ]
        self._places = _apart([*single, *(_Place(one.start, one.end, one.product_id) for one in things)])
        self._starts = [one.start for one in self._places]

    def _within(self, start: int, end: int) -> Sequence[_Place]:
        return self._places[bisect_left(self._starts, start) : bisect_left(self._starts, end)]

    def sentence(self, span: Span, line: TextLine) -> None:
        text = self._plain[slice(*span)]
        if _UNREAL.search(text):
            return
        pair = self._pair(span, line)
        if pair is not None:
            self._stars(span, text, pair)
            self._more_of(span, text, pair)
            self._gaps(span, text, pair)
            for factor in COMPARISONS.factors(text):
                self._ratio(factor, span, pair)
        for said in COMPARISONS.comparisons(text):
            self._compare(said, span, line, text, pair)

    def _pair(self, span: Span, line: TextLine) -> tuple[str, str] | None:
        """The two products of the sentence, of its paragraph or of the whole report."""
        if self._cast.names_a_stranger(span):
            return None
        here = _distinct(self._within(*span))
        around = _distinct(self._within(line.start, line.end))
        for some in (here, around, self._cited):
            if len(some) == 2 and set(some) <= set(self._cast.products) and {*here, *(around if some is self._cited else ())} <= set(some):
                return some[0], some[1]
        return None

    # Which has more.

    def _compare(
        self, said: ComparisonSaid, span: Span, line: TextLine, text: str, pair: tuple[str, str] | None
    ) -> None:
        subject = self._subject_of(said, span)
        if subject not in self._cast.products:
            return
        if said.best:
            if COMPARISONS.is_of_all(text) or len(self._cited) == 2:
                self._best(said, span, subject)
            return
        other = self._other(said, span, subject, pair)
        if other in self._cast.products and other != subject:
            self._hold(said, span, line, subject, [other])

    def _subject_of(self, said: ComparisonSaid, span: Span) -> str | None:
        at, behind = span[0] + said.start, span[0] + said.end
        after = self._within(behind, span[1])
        if said.attribute and after and after[0].start - behind <= 4:
            return after[0].product_id
        before = [one for one in self._within(span[0], at) if not _THAN.search(self._plain, span[0], one.start)]
        if before and self._is_near(before[-1], at):
            return before[-1].product_id
        if after and not _THAN.search(self._plain, behind, after[0].start):
            between = self._plain[behind : after[0].start]
            if len(between) < _CLOSE and _IS.search(between):
                return after[0].product_id
        if before:
            return before[-1].product_id if len({one.product_id for one in before}) == 1 else None
        if after:
            return None
        meant = self._cast.meant_at(at, behind)
        return meant.only if meant.certain else None

    def _is_near(self, place: _Place, at: int) -> bool:
        """Whether nothing ends a clause between a name and what is said of it."""
        return re.search(r"[;:,]|\s[–—-]\s|\b(?:while|but|whereas|and)\b", self._plain[place.end : at]) is None

    def _other(self, said: ComparisonSaid, span: Span, subject: str, pair: tuple[str, str] | None) -> str | None:
        behind = span[0] + said.end
        than = _THAN.search(self._plain, behind, span[1])
        if than is not None and than.start() - behind < _CLOSE:
            named = [one for one in self._within(than.end(), min(span[1], than.end() + _REACH))]
            if named:
                between = self._plain[than.end() : named[0].start]
                return named[0].product_id if len(between) < _CLOSE else None
            if not _OTHER.match(self._plain, than.start()):
                return None
        if pair is None or subject not in pair:
            return None
        return pair[1] if pair[0] == subject else pair[0]

    def _best(self, said: ComparisonSaid, span: Span, subject: str) -> None:
        others = [one for one in self._cited if one != subject]
        if subject in self._cited and others and not _UNITS.search(self._plain, *span):
            self._hold(said, span, None, subject, others)

    def _hold(
        self, said: ComparisonSaid, span: Span, line: TextLine | None, subject: str, others: Iterable[str]
    ) -> None:
        mine, where = self._cast.products[subject], (span[0] + said.start, span[0] + said.end)
        clause = self._cast.prose.clause_at(where[0])
        for one in others:
            other = self._cast.products[one]
            values = list(self._values(said.of, mine, other, span, clause, line))
            if not values:
                self._tally.unclear(f"a record gives no {_NOUN[said.of]} to compare")
                return
            if all(said.sign * (a - b) < -_LEAST[said.of] for a, b in values):
                a, b = values[0]
                self._tally.fail(
                    where,
                    f"said {self._plain[slice(*where)]!r} of {subject}: {_NOUN[said.of]} {a:g}, of {one} {b:g}",
                )
                return
        self._tally.ok()

    def _values(
        self, of: Property, mine: Product, other: Product, span: Span, clause: Span, line: TextLine | None
    ) -> Iterator[tuple[float, float]]:
        """The two values; of a price in a text that also speaks of costs per unit, those as well."""
        a, b = _value(of, mine), _value(of, other)
        if a is None or b is None:
            return
        if of != "price":
            yield a, b
            return
        units = CUES.units_in(self._plain[slice(*clause)])
        spoken_of = units or CUES.units_in(self._plain[line.start : line.end] if line else "")
        if not spoken_of and not _UNITS.search(self._plain, *span):
            yield a, b
        elif found := [pair for unit in sorted(spoken_of) for pair in _unit_prices(unit, mine, other)]:
            yield from found
            if not units:
                yield a, b

    # By how much.

    def _ratio(self, said: FactorSaid, span: Span, pair: tuple[str, str]) -> None:
        a, b = (_value(said.of, self._cast.products[one]) for one in pair)
        if not a or not b or _UNITS.search(self._plain, *span):
            return
        ratio = max(a, b) / min(a, b)
        many = said.factor if said.factor >= 1 else 1 / said.factor
        more = said.bound == "more" if said.factor >= 1 else said.bound == "less"
        if said.bound in ("exact", "near"):
            holds = abs(ratio / many - 1) <= (0.2 if said.bound == "exact" else 0.25)
        else:
            holds = 0.985 * many <= ratio <= 1.8 * many if more else 0.55 * many <= ratio <= 1.015 * many
        where = span[0] + said.start, span[0] + said.end
        if holds:
            self._tally.ok()
        else:
            self._tally.fail(
                where, f"said {self._plain[slice(*where)]!r}, it is {ratio:.2f} times ({pair[0]} and {pair[1]})"
            )

    def _stars(self, span: Span, text: str, pair: tuple[str, str]) -> None:
        """`4.8 against 4.4`: the ratings of the two."""
        known = [self._cast.products[one].average_rating for one in pair]
        match = _PAIR_OF_STARS.search(text) if RATINGS.speaks(text) else None
        if match is None or known[0] is None or known[1] is None:
            return
        said = float(match["a"]), float(match["b"])
        if any(
            same_stars(said[0], one) and same_stars(said[1], other)
            for one, other in ((known[0], known[1]), (known[1], known[0]))
        ):
            self._tally.ok()
        elif any(same_stars(one, other) for one in said for other in known):
            self._tally.fail(
                (span[0] + match.start(), span[0] + match.end()),
                f"said {match[0]}, the ratings are {known[0]:g} ({pair[0]}) and {known[1]:g} ({pair[1]})",
            )

    def _more_of(self, span: Span, text: str, pair: tuple[str, str]) -> None:
        """`96 more pages`: a difference of what both records count."""
        for match in _MORE_OF.finditer(text):
            unit = match["unit"].casefold()
            counted = [_counted(self._cast.products[one], unit) for one in pair]
            if not all(counted):
                continue
            said = number(match["n"]) if match["n"][0].isdigit() else float(spoken(match["n"]))
            if any(abs(abs(a - b) - said) < 0.51 for a, b in pairs_of(*counted)):
                self._tally.ok()
            else:
                known = " and ".join(f"{min(one):g}" for one in counted)
                self._tally.fail(
                    (span[0] + match.start(), span[0] + match.end()), f"said {match[0]!r}, the records have {known}"
                )

    def _gaps(self, span: Span, text: str, pair: tuple[str, str]) -> None:
        """A difference of two prices, said with a word that leaves no doubt of it."""
        figures = [one for one in self._ledger.within(*span) if one.cue.kind == "gap"]
        prices = [self._cast.products[one].price for one in pair]
        if len(figures) != 1 or prices[0] is None or prices[1] is None or figures[0].void:
            return
        figure = figures[0]
        if figure.cue.word not in _GAPS or figure.cue.per or figure.elsewhere or _SEVERAL.search(text):
            return
        if figure.holds(abs(prices[0] - prices[1])):
            self._tally.ok()
        elif self._is_to_these(figure.end, span) and not self._is_explained_elsewhere(figure):
            self._tally.fail(
                (figure.start, figure.end),
                f"said {self._plain[figure.start : figure.end].strip()}, the two differ by ${abs(prices[0] - prices[1]):,.2f}",
            )

    def _is_to_these(self, start: int, span: Span) -> bool:
        """Whether a difference is one to a product that is named, where it is said to what."""
        than = _THAN.search(self._plain, start, span[1])
        if than is None or _OTHER.match(self._plain, than.start()):
            return True
        named = self._within(than.end(), span[1])
        return bool(named) and named[0].start - than.end() < _CLOSE

    def _is_explained_elsewhere(self, figure: Figure) -> bool:
        """Whether it may be a difference of costs per unit, or of what is not in play."""
        line = self._cast.lines[figure.line]
        per_unit = any(one.cue.kind == "unit" for one in self._ledger.within(line.start, line.end))
        return per_unit or self._ledger.play.cites_the_web(figure.end, figure.clause[1], figure.sentence)


_NOUN = {
    "price": "price",
    "stars": "rating",
    "count": "number of ratings",
    "weight": "weight",
    "noise": "loudness",
    "light": "brightness",
    "height": "height",
}


def _value(of: Property, product: Product) -> float | None:
    if of == "price":
        return product.price
    if of == "stars":
        return product.average_rating
    if of == "count":
        return product.rating_number
    field, kind = _FIELDS[of]
    stated = product.details.get(field)
    found = [one.base for one in measures(stated) if one.kind == kind] if isinstance(stated, str) else []
    return found[0] if len(found) == 1 else None


def _unit_prices(unit: str, mine: Product, other: Product) -> Iterator[tuple[float, float]]:
    none = frozenset[float]()
    for a in record_divisors(mine, unit, none):
        for b in record_divisors(other, unit, none):
            if mine.price is not None and other.price is not None:
                yield mine.price / a, other.price / b


def _counted(product: Product, unit: str) -> list[float]:
    """What a record counts of a thing."""
    thing = unit[:-1] if unit.endswith("s") and not unit.endswith("ss") else unit
    stated = [product.title, *product.features, *(one for one in product.details.values() if isinstance(one, str))]
    return list({one.value for part in stated for one in measures(part) if thing in (one.unit, one.kind)})


def _distinct(places: Sequence[_Place]) -> list[str]:
    return list(dict.fromkeys(one.product_id for one in places))


def _apart(places: list[_Place]) -> list[_Place]:
    """Of places that overlap the first and longest."""
    found: list[_Place] = []
    for one in sorted(places, key=lambda one: (one.start, -one.end)):
        if not found or one.start >= found[-1].end:
            found.append(one)
    return found
