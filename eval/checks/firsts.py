"""Superlatives of so many (`the dearest of the four`), or of what `it`, an apposition or the value beside it stands for (`the loudest of the three at 22 dB`).

Of so many: only groups of that number are asked, of things that the text sets side by side or names one after the other. Wrong is only what is first in none of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from drr.env.entities import Product
from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.cast import Cast, cast_of
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.makers import linked_by
from drr.eval.checks.measures import measures_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.naming import head_noun
from drr.eval.checks.spoken_of import one_spoken_of
from drr.eval.checks.superlatives import (
    SuperlativeSaid,
    groups_around,
    is_first_of,
    is_plain_superlative,
    measured,
    superlative_subjects,
    superlatives_said,
    tells_costs,
)
from drr.wording.cues import CUES
from drr.wording.numbers import SPOKEN, number_said

_OF_MANY = re.compile(
    rf"\s(?:of|among)\s(?:the|these|those|all|my|our|your)\s(?P<n>{SPOKEN}|\d{{1,2}})\b", re.I
)
_SET_DOWN = re.compile(
    r"(?:\s(?:of|among)\s(?:(?:the|these|those|all|them)\s?){1,2}[a-z -]{0,40})?(?:\s?[,:(]|\s(?:at|with|on|for))\s?[\s*_(]{0,3}"
    r"(?P<value>\$?\d[\d,]*(?:\.\d+)?)(?!\s?(?:%|percent|above|below|more|less|under|over|cheaper|dearer))(?P<unit>[\s-]?[A-Za-z]{1,12}(?:\s?[A-Za-z]{1,8})?)?",
    re.I,
)
"""Behind it: the value that makes it the first."""
_PREDICATE = re.compile(
    r"(?:\b(?:is|are|remains|stays|being|has|also|and|but|yet|makes\sit)|['’]s|[,;:(]|\s[—–-])\s(?:(?:also|still|even|easily|clearly|actually|again|then|too|thus|therefore|by\sfar|at\sonce|both)\s){0,2}(?:the\s)?[*_]{0,3}$",
    re.I,
)
"""Right before it: it is said of something, and not something held against it."""
_NAMES_IT = re.compile(r",\s(?:the|your|an?)\s[*_\[]{0,3}[A-Z]")
"""Right behind it: `the loudest, the Washable, says 26` is said of what it names."""
_PRICED = re.compile(
    r"[\s*_)\]]{0,3}(?:\s[\w'’-]{1,16}){0,4}\s?(?:at|for|\(|,)\s?\$(?P<price>\d[\d,]*\.\d\d)"
)
_BACK = 900
_MOST = 40
_FEWEST, _WIDEST = 2, 12


class _Bound(NamedTuple):
    """Whom it is said of, and how that is known."""

    subjects: Sequence[Product]
    by_name: bool


def misread_firsts(mentions: Mentions) -> Iterator[Accusation]:
    """Superlatives of a thing that is first in no group of the number said, or in none in sight."""
    text = mentions.plain
    for one in islice(superlatives_said(text), _MOST):
        cast = cast_of(mentions.subject, mentions)
        sentence = cast.prose.sentence_at(one.start)
        if not is_plain_superlative(mentions, cast, one, sentence):
            continue
        bound = _bound(cast, text, one, sentence)
        match = _OF_MANY.match(text, one.end)
        many = None if match is None else int(number_said(match["n"]))
        if not bound.subjects or (bound.by_name and many is None):
            continue
        units = CUES.units_in(text[slice(*sentence)])
        around = CUES.units_in(text[max(0, sentence[0] - _BACK) : sentence[1]])
        around |= {"each"} if tells_costs(mentions) else set()
        held = [
            is_first_of(one, subject, group, units, around)
            for subject in bound.subjects
            for group in _groups(cast, mentions, subject, sentence, many)
        ]
        if held and not any(held):
            whom = " or ".join(subject.product_id for subject in bound.subjects)
            of = f" of {many}" if many else ""
            why = f"said {text[one.start : one.end].strip()!r}{of} of {whom}, which is first in no such group in sight"
            yield Accusation("superlative", (one.start, one.end), why, Certainty.SENTENCE)


def _bound(cast: Cast, text: str, one: SuperlativeSaid, sentence: Span) -> _Bound:
    named = superlative_subjects(cast, text, one, sentence)
    if named:
        return _Bound(named, by_name=True)
    if _NAMES_IT.match(text, one.end) or not _PREDICATE.search(text, max(0, one.start - 40), one.start):
        return _Bound((), by_name=False)
    keys = one_spoken_of(cast, text, one.start)
    keys = (keys & linked_by(cast.named)) or keys
    if keys and not keys & cast.unlinked:
        some = [cast.products[key] for key in sorted(keys) if key in cast.products]
        return _Bound(() if _is_priced_otherwise(cast, text, sentence, some) else some, by_name=False)
    return _Bound(_with_value(cast, text, one), by_name=False)


def _is_priced_otherwise(cast: Cast, text: str, sentence: Span, some: Sequence[Product]) -> bool:
    """Whether another price stands right behind the name: then another of its maker's things is meant."""
    prices = {one.price for one in some}
    behind = (_PRICED.match(text, place.end) for place in cast.within(*sentence))
    return any(one is not None and float(one["price"].replace(",", "")) not in prices for one in behind)


def _with_value(cast: Cast, text: str, one: SuperlativeSaid) -> list[Product]:
    """Those in play that have the value which stands right behind it."""
    match = _SET_DOWN.match(text, one.end)
    if match is None:
        return []
    value, products = float(match["value"].lstrip("$").replace(",", "")), cast.products
    linked = [products[key] for key in sorted(products.keys() - cast.unlinked)]
    if one.of == "price" and match["value"].startswith("$"):
        return [each for each in linked if each.price is not None and abs(each.price - value) < 0.005]
    if one.of == "stars" and "." in match["value"]:
        return [each for each in linked if each.average_rating == value]
    if one.of == "measure":
        said = {
            each.base
            for each in measures_of(f"{match['value']}{match['unit'] or ''}")
            if each.kind in one.kinds
        }
        return (
            [each for each in linked if any(said & measured(each, kind) for kind in one.kinds)]
            if said
            else []
        )
    return []


def _groups(
    cast: Cast, mentions: Mentions, subject: Product, sentence: Span, many: int | None
) -> Iterator[Sequence[Product]]:
    """What is set side by side around it; where a number is said only groups of so many, also of those with a price and of any that are named one after the other."""
    if many is None:
        yield from groups_around(cast, mentions, subject, sentence)
        return
    if not _FEWEST <= many <= _WIDEST:
        return
    for group in groups_around(cast, mentions, subject, sentence):
        for some in (group, [one for one in group if one.price is not None]):
            if len(some) == many:
                yield some
    yield from _named_in_a_row(cast, subject, many)


def _named_in_a_row(cast: Cast, subject: Product, many: int) -> Iterator[Sequence[Product]]:
    """So many that are named one after the other, and it is one of them."""
    keys = [next(iter(one.products)) for one in cast.named if len(one.products) == 1]
    keys = [key for key in keys if key in cast.products]
    rows: list[Sequence[str]] = [keys, [key for key in keys if _is_alike(cast.products[key], subject)]]
    for row in rows:
        for at in range(len(row)):
            some = list(dict.fromkeys(row[at : at + 3 * many]))[:many]
            if len(some) == many and subject.product_id in some:
                yield [cast.products[key] for key in some]


def _is_alike(one: Product, subject: Product) -> bool:
    return head_noun(one.title) == head_noun(subject.title)
