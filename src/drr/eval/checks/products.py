"""Rules on products: price, stars and number of ratings agree with the product's record."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

from drr.env.entities import Product
from drr.env.shop import Shop, Store
from drr.eval.checks.base import Subject
from drr.eval.checks.behind import ProductFact
from drr.eval.checks.facts import facts_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.naming import folded_words, head_noun, maker_words, name_words
from drr.eval.checks.paid import is_of_order
from drr.eval.checks.results import Check, Span, Tally, unverifiable
from drr.eval.checks.values import SaidValue, pairs_of
from drr.wording.figures import same_stars
from drr.wording.money import FOREIGN, amounts

_CENT = 0.005
_MOST = 60
"""Most pieces whose total may be given as the price."""
_REDUCED = re.compile(
    r"\d\s?%\s(?:off|less|coupon|discount|cheaper)|\$[\d.]+\soff\b|\bcoupon|\bon sale\b|\bdiscount", re.I
)
_RANGE = re.compile(r"\$\d[\d.,]*\s?(?:[–—-]|to|and|or)\s?[*_]{0,2}\\?\$$")
"""The first amount of a range, up to the second one."""
_PER = re.compile(r"\bper\b|\bunit cost|\bcents?\b", re.I)
_OF_SEVERAL = re.compile(
    r"\b(?:averages?\sof\s(?:the|all|both|these)|mean|combined|together|between them|in all|total(?:s|ing)?|both)\b",
    re.I,
)
_AROUND = 1000
"""Characters on either side of an amount in which another explanation of the amount is looked for."""
_INDEXED = 20_000
"""Most products of a shop that is searched for a rating."""


def price(subject: Subject, mentions: Mentions) -> Check:
    """Check that a price beside a product is that product's price."""
    if subject.shop is None:
        return unverifiable("shop")
    tally = Tally()
    for fact in facts_of(mentions).values:
        if fact.stated.field == "price" and (product := subject.product(fact.product_id)) is not None:
            why = f"Price: {fact.stated.written}", f"${product.price or 0:,.2f}"
            tally.compare(fact.stated.span, _is_price(mentions, fact, product), *why)
    return tally.check(
        "prose" if "$" in mentions.body else "unrecorded" if FOREIGN in mentions.body else "absent"
    )


def _is_price(mentions: Mentions, fact: ProductFact, product: Product) -> bool | None:
    """Compare a price. It is unknown without a record, with another explanation, or where it may be of another currency."""
    value = fact.stated.value
    if product.price is None or fact.stated.hedged:
        return None
    if abs(value - product.price) <= _slack(fact.stated):
        return True
    low = max(fact.line[0], fact.stated.span[0] - _AROUND)
    high = min(fact.line[1], fact.stated.span[1] + _AROUND)
    line = mentions.body[low:high]
    if _RANGE.search(mentions.body[low : fact.stated.span[0]]):
        return None
    known = product.price
    beside = any(abs(one.value - known) <= one.tolerance for one in amounts(line))
    by_unit = value < known and _PER.search(line) is not None
    if beside or by_unit or _REDUCED.search(line):
        return None
    paid = is_of_order(mentions, fact.stated.span[0], or_of_day=True)
    return None if paid or _is_explained(mentions, fact.stated, known, (low, high)) else False


def _slack(value: SaidValue) -> float:
    return 0.5 + 1e-6 if "." not in value.written else _CENT + 1e-6


def _is_explained(mentions: Mentions, price: SaidValue, own: float, line: Span) -> bool:
    """Tell whether an amount may be the price of several pieces, or of all products in its line."""
    value = price.value
    for one, other, slack in ((value, own, 1.0), (own, value, float(_MOST))):
        times = round(one / other) if other else 0
        if 2 <= times <= _MOST and abs(one - times * other) <= _slack(price) * (times if slack > 1 else 1):
            return True
    ids = dict.fromkeys(one.product_id for one in mentions.within(*line))
    prices = [one.price for one in mentions.subject.products(ids) if one.price is not None]
    return len(prices) > 1 and abs(sum(prices) - value) <= _slack(price)


def rating(subject: Subject, mentions: Mentions) -> Check:
    """Check that stars and numbers of ratings beside a product are that product's figures. Side by side elsewhere they are some product's."""
    if subject.shop is None:
        return unverifiable("shop")
    tally, seen = Tally(), set[Span]()
    for fact in facts_of(mentions).values:
        product = subject.product(fact.product_id)
        if fact.stated.field != "price" and product is not None:
            seen.add(fact.stated.span)
            tally.compare(fact.stated.span, *_compare_rating(fact.stated, product))
    _compare_pairs(tally, subject, mentions, seen)
    return tally.check("prose" if re.search(r"\bstars?\b|★|\bratings?\b", mentions.body) else "absent")


def _compare_rating(value: SaidValue, product: Product) -> tuple[bool | None, str, str]:
    if value.field == "stars":
        known = product.average_rating
        rounded = "." not in value.written and known is not None and abs(value.value - known) <= 0.5
        holds = None if known is None or value.hedged else rounded or same_stars(value.value, known)
        return holds, f"Rating: {value.written}", f"{known or 0:g}"
    number = product.rating_number
    holds = None if number is None or value.hedged else value.value == number
    return holds, f"Number of ratings: {value.written}", f"{number or 0:,}"


def _compare_pairs(tally: Tally, subject: Subject, mentions: Mentions, seen: set[Span]) -> None:
    """Compare stars and a number of ratings side by side, in a line that names something the shop sells.

    A product that the report may mean has both: one that it refers to, that the user ordered, whose maker it names, or whose noun is in
    the sentence. Without such a name the figures may be another shop's, or a demand.
    """
    sold = None if subject.shop is None else _sold_by(subject.shop)
    if sold is None:
        return
    own = {*subject.ordered, *(one.product_id for one in mentions.references)}
    words = frozenset(name_words(mentions.body))
    for stars, count in pairs_of(mentions.body):
        if {stars.span, count.span} & seen or stars.hedged or count.hedged:
            continue
        low, high = _sentence(mentions.body, stars.span[0], count.span[1])
        if _OF_SEVERAL.search(mentions.body, low, high) or _leads_elsewhere(mentions, low, high):
            continue
        nouns = set(folded_words(mentions.body[low:high]))
        line = mentions.body.rfind("\n", 0, low + 1) + 1, mentions.body.find("\n", high - 1)
        named = set(folded_words(mentions.body[line[0] : line[1] if line[1] >= 0 else None]))
        if not named & sold.names:
            continue
        holds = any(
            one.product_id in own or maker_words(one) & words or head_noun(one.title) in nouns
            for one in sold.by_count.get(int(count.value), ())
            if one.average_rating is None or same_stars(stars.value, one.average_rating)
        )
        why = f"Rating: {stars.written} from {count.written}; record: no product has both figures"
        tally.compare((stars.span[0], count.span[1]), holds, why)


def _sentence(body: str, start: int, end: int) -> Span:
    low = max(body.rfind(mark, max(0, start - _AROUND), start) for mark in (". ", "\n", "! ", "? ")) + 1
    ends = [at for mark in (". ", "\n", "! ", "? ") if (at := body.find(mark, end, end + _AROUND)) >= 0]
    return low, min(ends, default=min(len(body), end + _AROUND))


def _leads_elsewhere(mentions: Mentions, low: int, high: int) -> bool:
    """Tell whether a text cites a page outside the shop."""
    return any(
        one.url and not (mentions.subject.is_shop_url(one.url) or one.url.startswith("user://"))
        for one in mentions.subject.citations.markers
        if low <= one.start < high
    )


class SoldProducts(NamedTuple):
    """All products of a shop by number of ratings, and their nouns and makers."""

    by_count: Mapping[int, Sequence[Product]]
    names: frozenset[str]


_sold: WeakKeyDictionary[Store, SoldProducts] = WeakKeyDictionary()


def _sold_by(shop: Shop) -> SoldProducts | None:
    """Return the products of a shop; `None` where there are too many."""
    if shop.manifest.counts.get("products", 0) > _INDEXED:
        return None
    if shop.store not in _sold:
        found, names = defaultdict[int, list[Product]](list), set[str]()
        for one in shop.store.iter_products():
            names |= {head_noun(one.title), *maker_words(one)}
            if one.rating_number is not None:
                found[one.rating_number].append(one)
        _sold[shop.store] = SoldProducts(found, frozenset(names))
    return _sold[shop.store]
