"""Rules on products: price, stars, number of ratings and labelled details agree with the product's record."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple
from weakref import WeakKeyDictionary

from drr.env.entities import Product
from drr.env.shop import Shop, Store
from drr.eval.checks.base import Subject
from drr.eval.checks.behind import ProductAttribute, ProductFact
from drr.eval.checks.facts import facts_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.naming import folded_words, full_name, head_noun, maker_words, name_words
from drr.eval.checks.paid import is_of_order
from drr.eval.checks.results import Check, Span, Tally, unverifiable
from drr.eval.checks.values import SaidValue, pairs_of, plain_label, word_list
from drr.wording.figures import Quantity, same_number, same_stars
from drr.wording.money import FOREIGN, amounts
from drr.wording.quantities import numbers

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
"""Most products of a shop that is searched for a rating or a detail."""
_BRANDS = word_list("brand|store|maker|brand or store|manufacturer|marke|hersteller")
_OF_ONE = word_list("color|colour|farbe|material")
"""Labels whose value is one of few, so that another value of the shop may be a wrong one."""
_BROAD = word_list(
    "metal|plastic|wood|fabric|textile|ceramic|natural|multi|multicolor|metall|kunststoff|plastik|holz|stoff|textil|keramik|natur|bunt"
)
"""Values that others are kinds of: steel is metal."""
_LONG, _ALIKE, _FAR = 4, 0.5, 0.1
"""Most words of a brand; similarity of two spellings of one; difference of two figures in different units that no rounding explains."""
_FIGURES, _GROUP = re.compile(r"\d[\d.,/]*"), re.compile(r"\d[.,]\d{3}(?!\d)")
"""A figure; and a point or comma that parts thousands in one language and begins decimals in another."""


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
    """All products of a shop by number of ratings, with their nouns, makers, and values under some labels."""

    by_count: Mapping[int, Sequence[Product]]
    names: frozenset[str]
    values: Mapping[str, set[frozenset[str]]]


_sold: WeakKeyDictionary[Store, SoldProducts] = WeakKeyDictionary()


def _sold_by(shop: Shop) -> SoldProducts | None:
    """Return the products of a shop; `None` where there are too many."""
    if shop.manifest.counts.get("products", 0) > _INDEXED:
        return None
    if shop.store not in _sold:
        found, names = defaultdict[int, list[Product]](list), set[str]()
        values = defaultdict[str, set[frozenset[str]]](set)
        for one in shop.store.iter_products():
            names |= {head_noun(one.title), *maker_words(one)}
            if one.rating_number is not None:
                found[one.rating_number].append(one)
            for key, value in {**one.details, "Store": one.store}.items():
                values[_kind_of(key)].add(_words_of(str(value or "")))
        _sold[shop.store] = SoldProducts(found, frozenset(names), values)
    return _sold[shop.store]


def product_claims(subject: Subject, mentions: Mentions) -> Check:
    """Check that a labelled detail is what the record has under that label."""
    if subject.shop is None:
        return unverifiable("shop")
    tally = Tally()
    for one in facts_of(mentions).attributes:
        product = subject.product(one.product_id)
        known = None if product is None else product.details.get(one.label) or product.store
        if known is not None and product is not None:
            recorded = ", ".join(map(str, known)) if isinstance(known, list) else str(known)
            holds = _is_detail(subject.shop, one, product, recorded)
            tally.compare(one.span, holds, f"{one.label}: {one.words}", recorded)
    return tally.check("prose")


def _is_detail(shop: Shop, one: ProductAttribute, product: Product, recorded: str) -> bool | None:
    """Compare a detail with the record. `None` where it may be said in other words."""
    claimed, stated = _words_of(one.words), _words_of(recorded)
    if claimed <= stated or stated <= claimed:
        return True
    if numbers(one.words):
        read = [_are_figures(a, numbers(a), b) for a in _readings(one.words) for b in _readings(recorded)]
        return True if True in read else None if None in read else False
    if claimed & stated or claimed <= _words_of(f"{full_name(product)} {product.document()}"):
        return None
    kind, sold = _kind_of(one.label), _sold_by(shop)
    is_other = claimed in (sold.values.get(kind, ()) if sold and kind else ())
    if kind == "brand":
        return False if is_other or _is_other_name(one.words, product) else None
    return False if is_other and not (claimed | stated) & _BROAD else None


def _kind_of(label: str) -> str:
    """Return the name of a label of a brand or of one value, and nothing for another."""
    plain = plain_label(label)
    return "brand" if plain in _BRANDS else plain if plain in _OF_ONE else ""


def _readings(words: str) -> set[str]:
    """Return a text with `1,250` read both ways: one language parts thousands so, another begins decimals."""
    parted = _GROUP.sub(lambda one: one[0][0] + "." + one[0][2:], words)
    return {parted, _GROUP.sub(lambda one: one[0][0] + one[0][2:], words)}


def _are_figures(words: str, figures: list[Quantity], recorded: str) -> bool | None:
    """Compare figures with a unit, where the record lacks no word. A bare number may be one of pieces."""
    known, every = numbers(recorded), _words_of(_FIGURES.sub(" ", words))
    is_bare = not every and not any(one.kind for one in figures)
    is_unsure = is_bare or any(one.hedged for one in (*figures, *known))
    if is_unsure or [one.kind for one in figures] != [one.kind for one in known]:
        return None
    if all(any(same_number(a, b) for b in known) for a in figures):
        return True
    units = _words_of(" ".join(one.form for one in figures if one.kind))
    are_converted = any(a.unit != b.unit for a, b in zip(figures, known, strict=True))
    is_near = are_converted and any(abs(a.base - b.base) <= _FAR * b.base for a in figures for b in known)
    return None if is_near or not every - units <= _words_of(recorded) else False


def _is_other_name(words: str, product: Product) -> bool:
    """Tell whether a text is surely the name of another brand: a few words with capitals that are spelled otherwise."""
    own = (*(product.details.get(key) for key in ("Brand", "Manufacturer")), product.store, product.title)
    spelled, names = _letters(words), [_letters(str(one)) for one in own if one]
    if any(
        spelled in one or one in spelled or SequenceMatcher(None, spelled, one).ratio() > _ALIKE
        for one in names
    ):
        return False
    is_short = len(words.split()) <= _LONG <= len(spelled)
    return is_short and all(one[:1].isupper() for one in words.split())


def _letters(text: str) -> str:
    return "".join(one for one in unicodedata.normalize("NFKD", text).casefold() if one.isalnum())


def _words_of(text: str) -> frozenset[str]:
    return frozenset("gray" if word == "grey" else word for word in folded_words(text))
