"""Rule: stars and numbers of ratings said of a product are those of its record."""

from __future__ import annotations

import re

from drr.env.entities import Product
from drr.eval.checks.base import Check, CheckTally, Subject, unverifiable
from drr.eval.checks.mentions import Mention, Mentions
from drr.wording.hedges import HEDGES
from drr.wording.numbers import WHOLE, number
from drr.wording.tolerance import same_count, same_stars

_RATING = re.compile(
    r"(?<![\d.,$])(?P<a>[0-5](?:\.\d{1,2})?)\s?(?:-\s?|\s)?(?:stars?\b(?!\s+(?:promise|service|guarantee|experience|hotel|quality|reviews?\b))|★|⭐|/\s?5\b(?!\s?(?:pack|pc|count))|out of (?:5|five)\b|of 5\b)"
    r"|\b(?:rated|rating(?: of| is|:)?|average(?: rating)?(?: of| is|:)?|scores?|stars?:)\s*+(?:(?:\*\*|:)\s*+)?(?:at |of |an? |average |about |around )*(?P<b>[0-5]\.\d{1,2})(?![\d%])"
    r"|[★⭐]+\s*\(?(?P<c>[0-5]\.\d{1,2})",
    re.I,
)
_REVIEWS = re.compile(
    rf"(?P<near>{HEDGES.least}?)(?<![\d.$,])(?P<n>{WHOLE})(?P<plus>\+)?\s+"
    r"(?:(?:customer|global|verified|user|buyer|shopper|total|five-star|product)\s+)*(?:reviews?|ratings?|reviewers|raters|buyers rated)\b",
    re.I,
)
_RATING_HEAD = re.compile(r"rating|stars|★|score", re.I)
_REVIEWS_HEAD = re.compile(r"reviews|ratings\b|# ?ratings|count of ratings|number of ratings", re.I)


def rating(subject: Subject, mentions: Mentions) -> Check:
    """Stars within 0.05; counts exact, or within 5 % where they are said to be near."""
    if subject.shop is None:
        return unverifiable("no shop was given")
    tally = CheckTally()
    compare_ratings(tally, subject, mentions)
    return tally.check("no rating is said of a product of the shop")


def compare_ratings(tally: CheckTally, subject: Subject, mentions: Mentions) -> None:
    """Every rating that is said of a product, against the catalogue."""
    body = mentions.body
    for mention in mentions.mentions:
        product = subject.product(mention.product_id)
        if product is None:
            continue
        _text_ratings(tally, body, mention, product)
        if mention.row is not None:
            _row_ratings(tally, body, mention, product)


def _text_ratings(tally: CheckTally, body: str, mention: Mention, product: Product) -> None:
    for match in _RATING.finditer(body, mention.start, mention.end):
        said = float(match["a"] or match["b"] or match["c"])
        _compare_rating(tally, match.span(), said, product)
    for match in _REVIEWS.finditer(body, mention.start, mention.end):
        near = bool(match["near"].strip() or match["plus"])
        _compare_reviews(tally, match.span(), number(match["n"]), near, product)


def _row_ratings(tally: CheckTally, body: str, mention: Mention, product: Product) -> None:
    assert mention.row is not None
    for (low, high), head in zip(mention.row.cells, mention.row.header, strict=False):
        cell = body[low:high].strip(" *")
        if _REVIEWS_HEAD.search(head) and re.fullmatch(r"[\d,]+\+?", cell):
            if not re.fullmatch(r"[0-5]", cell):
                _compare_reviews(tally, (low, high), number(cell.rstrip("+")), cell.endswith("+"), product)
        elif _RATING_HEAD.search(head) and re.fullmatch(r"[0-5](?:\.\d{1,2})?", cell):
            _compare_rating(tally, (low, high), float(cell), product)


def _compare_rating(tally: CheckTally, span: tuple[int, int], said: float, product: Product) -> None:
    if product.average_rating is None:
        tally.unclear(f"the catalogue knows no rating of {product.product_id}")
    elif same_stars(said, product.average_rating):
        tally.ok()
    else:
        tally.fail(span, f"said {said:g} stars, is {product.average_rating:g} ({product.product_id})")


def _compare_reviews(
    tally: CheckTally, span: tuple[int, int], said: float, near: bool, product: Product
) -> None:
    if product.rating_number is None:
        tally.unclear(f"the catalogue knows no number of ratings of {product.product_id}")
    elif same_count(said, product.rating_number, hedged=near):
        tally.ok()
    else:
        tally.fail(span, f"said {said:,.0f} ratings, are {product.rating_number:,} ({product.product_id})")
