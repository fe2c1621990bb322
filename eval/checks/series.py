"""Figures of one form beside several names: what the others are of their products, the one that fits none is wrong for its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from drr.env.entities import Product
from drr.eval.checks.base import CheckTally, Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.residue import Residue
from drr.wording.doubts import DoubtKind
from drr.wording.numbers import SPOKEN, WHOLE, number, number_said
from drr.wording.tolerance import same_stars

_STARS = re.compile(
    r"(?<![\w.,$€£/-])[1-5]\.\d(?![\w%]|\.\d|[-/]\d)(?=[\s*_★⭐]{0,3}(?:$|[.,;:!?()\[\]|—–]|(?:stars?|rating|average|out|and|but|or|while|whereas|for|on|with|against|versus|vs|to|from|at|over|behind|despite|by|in|is)\b))",
    re.I,
)
_WHOLE = re.compile(rf"(?<![\w.,$€£/#-])(?:{WHOLE}|(?:{SPOKEN}))(?![\w%]|[.,:/-]\d)", re.I)
_OF = re.compile(
    r"[\s*_★⭐]{0,4}(?:[\w,'’-]{1,12}\s){0,2}(?:for|from|on|of|to|goes to)\s(?:the\s|your\s)?[\s*_(\[]{0,4}",
    re.I,
)
"""Between a figure and the name behind it that it is of."""
_COUNTED = re.compile(r"[\s*_)★⭐]{0,4}(?P<thing>[A-Za-z$%\"°-]{1,20})")
_SAMPLE = re.compile(
    r"(?<![\w.,$€£/-])(?:(?P<d>[1-5]\.\d)(?:\s?(?:stars|★|⭐))?,?\s\(?n\s?=\s?(?P<n>\d{1,6})\b|n\s?=\s?(?P<before>\d{1,6})(?:,|\sat|\s@|:)\s(?P<after>[1-5]\.\d)(?![\d%]|\.\d))"
)
"""Stars with the number of those who gave them, as statisticians write it."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_IN_A_MARK = re.compile(r"\[\^?(?:\d{1,3}\s?[,–-]\s?){0,4}$")
"""Before a figure: it is the number of a source."""
_MANY = 12
"""A count that is told from others by its very value is above it."""
_MOST = 8
"""Names, and figures, of a sentence that is read."""
_MINDED: tuple[DoubtKind, ...] = ("unreal", "others")


class FigureSeen(NamedTuple):
    """A figure of a sentence, and the product that it stands beside."""

    value: float
    start: int
    end: int
    product_id: str


class _Group(NamedTuple):
    product_id: str
    start: int
    end: int


class RatingSeries:
    """Goes through sentences in which several products are named and as many ratings, or counts of ratings, said."""

    def __init__(self, tally: CheckTally, cast: Cast, residue: Residue) -> None:
        self._tally = tally
        self._cast = cast
        self._residue = residue

    def sentence(self, span: Span) -> None:
        self._samples(span)
        groups = self._groups(span)
        if not 2 <= len(groups) <= _MOST or len({one.product_id for one in groups}) < len(groups):
            return
        self._stars(span, groups)
        self._counts(span, groups)

    def _samples(self, span: Span) -> None:
        """`4.6 (n=187)`: the product in play that so many have rated."""
        for match in _SAMPLE.finditer(self._cast.body, *span):
            stars, many = float(match["d"] or match["after"]), number(match["n"] or match["before"])
            rated = [one for one in self._cast.products.values() if one.rating_number == many > _MANY]
            if any(one.average_rating is None or same_stars(stars, one.average_rating) for one in rated):
                self._tally.ok()
            elif len(rated) == 1:
                place = match.start(), match.end()
                seen = FigureSeen(stars, *place, rated[0].product_id)
                self._fail(seen, span, f"{stars:g} stars", f"{rated[0].average_rating:g}")

    def _groups(self, span: Span) -> list[_Group]:
        """The products named one after the other; a name and its link are one."""
        found: list[_Group] = []
        for one in self._cast.within(*span):
            product_id = next(iter(one.products))
            if len(one.products) != 1 or product_id not in self._cast.products:
                return []
            if found and found[-1].product_id == product_id:
                found[-1] = found[-1]._replace(end=max(found[-1].end, one.end))
            else:
                found.append(_Group(product_id, one.start, one.end))
        return found

    def _stars(self, span: Span, groups: Sequence[_Group]) -> None:
        seen = self._beside(_STARS, span, groups)
        known = {one: value for one in self._ids(groups) if (value := self._product(one).average_rating)}
        if len(known) < len(groups):
            return
        everybody = [one.average_rating or 0.0 for one in self._cast.products.values()]
        for wrong in _odd_one(seen, {key: (value,) for key, value in known.items()}, same_stars):
            if not any(same_stars(wrong.value, one) for one in everybody):
                self._fail(wrong, span, f"{wrong.value:g} stars", f"{known[wrong.product_id]:g}")

    def _counts(self, span: Span, groups: Sequence[_Group]) -> None:
        seen = [
            one
            for one in self._beside(_WHOLE, span, groups)
            if not self._counts_things(one.end) and not self._is_year(one)
        ]
        known = {one: value for one in self._ids(groups) if (value := self._product(one).rating_number)}
        if len(known) < len(groups):
            return
        everybody = [one.rating_number for one in self._cast.products.values()]
        telling = {key: (float(value),) if value > _MANY else () for key, value in known.items()}
        for wrong in _odd_one(seen, telling, lambda a, b: a == b):
            if wrong.value not in everybody and not self._is_recorded(wrong):
                self._fail(wrong, span, f"{wrong.value:g} ratings", f"{known[wrong.product_id]:g}")

    def _is_year(self, one: FigureSeen) -> bool:
        return _YEAR.fullmatch(self._cast.body, one.start, one.end) is not None

    def _counts_things(self, end: int) -> bool:
        """Whether the figure counts something else than ratings, by the word behind it."""
        behind = _COUNTED.match(self._cast.body, end)
        return behind is not None and behind["thing"].casefold() not in _BEHIND_COUNTS

    def _is_recorded(self, one: FigureSeen) -> bool:
        """Whether a record in play has the figure anywhere."""
        written = re.compile(rf"(?<![\d.]){one.value:g}(?![\d.])")
        return any(written.search(str(each.model_dump())) for each in self._cast.products.values())

    def _beside(self, pattern: re.Pattern[str], span: Span, groups: Sequence[_Group]) -> Iterator[FigureSeen]:
        """Each figure with its product: the name behind it where a word leads to that, else the last one before it."""
        body = self._cast.body
        for match in pattern.finditer(body, *span):
            if any(one.start <= match.start() < one.end for one in self._cast.within(*span)):
                continue
            if _IN_A_MARK.search(body, max(span[0], match.start() - 24), match.start()):
                continue
            around = next((one for one in groups if one.start <= match.start() < one.end), None)
            behind = next((one for one in groups if one.start >= match.end()), None)
            before = next((one for one in reversed(groups) if one.end <= match.start()), None)
            if around is not None:
                whose = around  # between a name and its link
            elif behind is not None and _OF.fullmatch(body[match.end() : behind.start][:60]):
                whose = behind
            elif before is not None:
                whose = before
            else:
                continue
            written = match[0]
            value = number_said(written)
            yield FigureSeen(value, *match.span(), whose.product_id)

    def _ids(self, groups: Sequence[_Group]) -> list[str]:
        return [one.product_id for one in groups]

    def _product(self, product_id: str) -> Product:
        return self._cast.products[product_id]

    def _fail(self, wrong: FigureSeen, span: Span, said: str, known: str) -> None:
        why = f"said {said} beside those of others, are {known} ({wrong.product_id})"
        doubt = self._residue.doubt(span, _MINDED)
        self._tally.accuse("stars", (wrong.start, wrong.end), why, Certainty.CLAUSE, doubt)


def _odd_one(
    seen: Iterable[FigureSeen],
    known: Mapping[str, Sequence[float]],
    same: Callable[[float, float], bool],
) -> Iterator[FigureSeen]:
    """The only figure that is not its product's, where each product has one and all others are theirs."""
    seen = list(seen)
    right = {one.product_id for one in seen if any(same(one.value, value) for value in known[one.product_id])}
    left = [one for one in seen if one.product_id not in right]
    if right and len(left) == 1 and known[left[0].product_id]:
        yield left[0]


_BEHIND_COUNTS = frozenset(
    [
        "ratings",
        "rating",
        "reviews",
        "review",
        "votes",
        "voters",
        "raters",
        "people",
        "buyers",
        "owners",
        "customers",
        "shoppers",
        "users",
        "opinions",
        "against",
        "for",
        "and",
        "behind",
        "on",
        "from",
        "to",
        "while",
        "but",
        "the",
        "versus",
        "vs",
        "has",
        "at",
        "with",
        "of",
        "in",
    ]
)
