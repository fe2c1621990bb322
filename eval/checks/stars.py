"""Rule: stars and numbers of ratings said of a product are those of its record."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, pairwise

from drr.env.entities import Product
from drr.eval.checks.base import Check, CheckTally, Span, Subject, unverifiable
from drr.eval.checks.cast import Cast, Meant, cast_of
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.layout import TextLine
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.rated_nowhere import rated_nowhere
from drr.eval.checks.residue import Residue, residue_of
from drr.eval.checks.series import RatingSeries
from drr.wording.doubts import DoubtKind
from drr.wording.ratings import RATINGS, RatingSaid
from drr.wording.tolerance import same_count, same_stars

_STARS_HEAD = re.compile(r"\brat(?:ed|ing)\b|\bstars?\b|★|⭐|\bscore\b|\baverage\b", re.I)
_RATED_FOR = re.compile(
    r"\b(?!stars\b|ratings\b|reviews\b|(?:buyer|customer|user|owner|shopper|reviewer)s\b)[a-z]{2,16}s\srated\b|\brated\s(?:for|to|load|weight|power|life|capacity|speed)\b",
    re.I,
)
"""`diapers rated`: what something is made for, and no word on how good it is."""
_COUNT_HEAD = re.compile(
    r"\breviews\b|\bratings\b|\bvotes\b|\b(?:number|no\.|count|#) of ratings\b|\bcount\b", re.I
)
_CELL = re.compile(
    r"[\s*_★⭐]*(?P<stars>[0-5](?:\.\d{1,2}|(?!,\d{3}(?!\d))))(?:\s?(?:/\s?5|★|⭐|stars?|out of 5))?(?:[\s,*_]{0,9}[\s(,][\s*_]{0,9}\(?(?P<count>\d{1,3}(?:,\d{3})*|\d+)(?:\s(?:ratings|reviews|votes))?\)?)?[\s*_★⭐]*"
)
_COUNT_CELL = re.compile(
    r"[\s*_(]*(?P<count>\d{1,3}(?:,\d{3})+|\d+)(?P<plus>\+)?(?:\s(?:ratings|reviews|votes))?[\s*_)]*"
)
_LIMIT = re.compile(
    r"\b(?:above|over|under|below|than|least|most|past|beyond|near|nearly|almost|around|about)\s$", re.I
)
"""Stars that are a mark to reach, not a rating."""
_APART = re.compile(
    r"[\s*_]{1,3}(?:lower|higher|better|worse|more|less|apart|difference|gap|above|below|ahead|behind|short)\b",
    re.I,
)
"""Stars by which two ratings differ."""
_BETWEEN = re.compile(
    r"[\s,*_()★⭐]{0,8}(?:(?:stars?|average|out of (?:5|five)|rating|averaging|rated|and|from|across|on|over|by|with|at|of|based|a|an|in|score|scoring|mean|the strength)[\s,*_()★⭐]{1,6}){0,6}",
    re.I,
)
"""Between stars and the number of those who gave them."""
_STARS = re.compile(r"[1-5]\.\d")
_LISTED = re.compile(
    r"\b(?:ratings?|stars|scores|rated)\b[:\s*_]{1,5}(?:are\s|of\s)?(?P<all>[1-5]\.\d(?:(?:\s?[/,]\s?|,?\sand\s)[1-5]\.\d){1,9})(?![\d%]|\.\d)",
    re.I,
)
_ABOVE = 0.25
"""Share by which a count may be over one of which it is said to be more."""


def rating(subject: Subject, mentions: Mentions) -> Check:
    """Stars within 0.05; counts exact, or within 5 % where they are said to be near."""
    if subject.shop is None:
        return unverifiable("no shop was given")
    return ratings_of(mentions).check("no rating is said of a product of the shop")


@lru_cache(maxsize=4)
def ratings_of(mentions: Mentions) -> CheckTally:
    """Every rating that is said of a product, against the catalogue; compared once for the rules that ask."""
    tally = CheckTally()
    cast = cast_of(mentions.subject, mentions)
    if not cast.products:
        return tally
    comparison = _Comparison(tally, cast, residue_of(mentions))
    series = RatingSeries(tally, cast, residue_of(mentions))
    for line in mentions.layout.lines:
        if line.kind in ("row", "head_row"):
            comparison.row(line)
        elif line.kind not in ("rule_row", "elision"):
            for span in cast.prose.sentences(line):
                comparison.sentence(span)
                comparison.listed(span)
                series.sentence(span)
    for one in rated_nowhere(mentions):
        tally.outweigh(one)
    return tally


class _Comparison:
    """What is said against what is recorded, with every reading tried before anything is called wrong."""

    def __init__(self, tally: CheckTally, cast: Cast, residue: Residue) -> None:
        self._tally = tally
        self._cast = cast
        self._residue = residue
        self._pairs: dict[int, RatingSaid] = {}

    def sentence(self, span: Span) -> None:
        start = span[0]
        said_here = self._cast.prose.ratings(span)
        self._pairs = self._paired(said_here)
        for placed in said_here:
            if placed.kind == "stars" and (placed.value < 1 or _APART.match(self._cast.body, placed.end)):
                continue
            if placed.kind == "stars" and _LIMIT.search(
                self._cast.body[max(start, placed.start - 16) : placed.start]
            ):
                continue
            self._compare(placed, self._cast.meant_at(placed.start, placed.end), span)

    def _paired(self, said: Sequence[RatingSaid]) -> dict[int, RatingSaid]:
        """By its place, of stars the number of those who gave them, and the other way round: `4.6 from 120 ratings`."""
        found: dict[int, RatingSaid] = {}
        for one, other in pairwise(sorted(said, key=lambda each: each.start)):
            if one.kind != other.kind and _BETWEEN.fullmatch(self._cast.body, one.end, other.start):
                found |= {one.start: other, other.start: one}
        return found

    def listed(self, span: Span) -> None:
        """`Ratings 4.7 / 4.5 / 4.3`: each is that of some product in play."""
        text = self._cast.body[slice(*span)]
        for match in _LISTED.finditer(text):
            known = [one.average_rating for one in self._cast.products.values()]
            for said in _STARS.finditer(text, match.start("all"), match.end("all")):
                where = span[0] + said.start(), span[0] + said.end()
                if any(one is not None and same_stars(float(said[0]), one) for one in known):
                    self._tally.ok()
                elif None in known or self._cast.names_a_stranger(span):
                    self._tally.unclear(f"it is not clear whose rating {said[0]} is")
                else:
                    self._accuse(
                        where, f"said {said[0]} stars, no product in play has them", Certainty.INFERRED
                    )

    def row(self, line: TextLine) -> None:
        """Cells by the head of their column, or of their row where the columns are products."""
        if not line.cells:
            return
        body = self._cast.body
        columns = self._cast.by_columns(line)
        owner = self._cast.row_owner(line)
        label = body[slice(*line.cells[0])].casefold()
        columns = columns or self._cast.is_keyed(line)
        for index, (low, high) in enumerate(line.cells):
            whose = (self._cast.column_owner(line, index) or owner) if columns else owner
            head = label if columns else (line.header[index] if index < len(line.header) else "")
            if whose is None or (columns and index == 0):
                continue
            meant = Meant(frozenset([whose]), True, False, True, Certainty.CELL)
            for said in _in_cell(body[low:high], head):
                self._compare(said._replace(start=low, end=high), meant, (low, high))

    def _compare(self, said: RatingSaid, meant: Meant, span: Span) -> None:
        theirs = self._of(meant.products)
        if len(theirs) < len(meant.products):
            self._tally.unclear("a product that the shop does not have may be meant")
        elif any(_fits(said, product) for product in theirs):
            self._tally.ok()
        elif any(_value(said, product) is None for product in theirs):
            self._tally.unclear(f"the catalogue knows no {_NOUN[said.kind]} of one that may be meant")
        elif not said.certain and not meant.certain:
            return
        elif meant.certain and meant.bound <= Certainty.SENTENCE and self._explained(said):
            self._tally.unclear(f"it may be the {_NOUN[said.kind]} of another product")
        elif meant.certain and (said.certain or self._is_no_other_figure(said)):
            self._fail(said, theirs, meant)
        elif self._explained(said):
            self._tally.unclear(f"it is not clear whose {_NOUN[said.kind]} {self._shown(said)!r} is")
        elif (
            said.certain
            and theirs
            and not self._cast.names_a_stranger(self._cast.prose.sentence_at(said.start))
        ):
            self._fail(said, theirs, meant)
        else:
            self._tally.unclear(f"it is not clear whose {_NOUN[said.kind]} {self._shown(said)!r} is")

    def _of(self, product_ids: Iterable[str]) -> list[Product]:
        return [self._cast.products[one] for one in sorted(product_ids) if one in self._cast.products]

    def _explained(self, said: RatingSaid) -> bool:
        """As that of another product in play, or as a difference of two; of stars with their number only where both are."""
        if (pair := self._pairs.get(said.start)) is not None:
            everybody = (*self._cast.products.values(), *self._cast.ordered)
            return any(_fits(said, one) and _fits(pair, one) for one in everybody)
        known = [value for one in self._cast.products.values() if (value := _value(said, one)) is not None]
        if any(_fits(said, one) for one in (*self._cast.products.values(), *self._cast.ordered)):
            return True
        slack = 0.051 if said.kind == "stars" else 0.0
        return any(abs(abs(a - b) - said.value) <= slack for a, b in combinations(known[:40], 2))

    def _is_no_other_figure(self, said: RatingSaid) -> bool:
        """Of a bare decimal beside a product, in a sentence about ratings: that no product in play has such a figure."""
        if self._explained(said):
            return False
        written = re.compile(rf"(?<![\d.]){said.value:g}(?![\d.])")
        return not any(written.search(str(one.model_dump())) for one in self._cast.products.values())

    def _shown(self, said: RatingSaid) -> str:
        return self._cast.body[said.start : said.end].strip()

    def _fail(self, said: RatingSaid, theirs: list[Product], meant: Meant) -> None:
        known = " or ".join(f"{_value(said, one):,g} ({one.product_id})" for one in theirs[:4])
        what = "stars, is" if said.kind == "stars" else "ratings, are"
        bound = Certainty.SENTENCE if len(theirs) == 1 else Certainty.INFERRED
        self._accuse((said.start, said.end), f"said {said.value:,g} {what} {known}", max(meant.bound, bound))

    def _accuse(self, where: Span, why: str, bound: Certainty) -> None:
        doubt = self._residue.doubt(self._cast.prose.sentence_at(where[0]), _MINDED)
        if doubt is None and bound < Certainty.SCOPE:
            line = self._cast.prose.line_at(where[0])
            if line is not None and self._cast.names_a_stranger((line.start, line.end)):
                doubt = "what stands beside it is not in play"
        self._tally.accuse("stars", where, why, bound, doubt)


_MINDED: tuple[DoubtKind, ...] = ("unreal", "others")
_NOUN = {"stars": "rating", "count": "number of ratings"}


def _value(said: RatingSaid, product: Product) -> float | None:
    return product.average_rating if said.kind == "stars" else product.rating_number


def _fits(said: RatingSaid, product: Product) -> bool:
    known = _value(said, product)
    if known is None:
        return False
    if said.kind == "stars":
        return same_stars(said.value, known)
    return same_count(said.value, known, hedged=said.hedged) or (
        said.hedged and said.value <= known <= said.value * (1 + _ABOVE) + 1
    )


def _in_cell(text: str, head: str) -> Iterator[RatingSaid]:
    """Stars, the number of ratings, or both."""
    stars, count = _is_of_stars(head), _COUNT_HEAD.search(head) is not None
    if stars and (match := _CELL.fullmatch(text)):
        if not (count and float(match["stars"]).is_integer() and "." not in match["stars"]):
            yield RatingSaid("stars", float(match["stars"]), 0, 0, False, True)
        if match["count"]:
            yield RatingSaid("count", float(match["count"].replace(",", "")), 0, 0, False, True)
    elif count and (match := _COUNT_CELL.fullmatch(text)) and _is_of_ratings(head):
        yield RatingSaid("count", float(match["count"].replace(",", "")), 0, 0, bool(match["plus"]), True)
    elif not stars and not count:
        yield from (said for said in RATINGS.ratings(text) if said.certain)


def _is_of_stars(head: str) -> bool:
    return _STARS_HEAD.search(_RATED_FOR.sub("", head)) is not None


def _is_of_ratings(head: str) -> bool:
    return re.search(r"rating|review|vote", head) is not None
