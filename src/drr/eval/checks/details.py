"""The rule on labelled details: `Brand: X`, `Item Weight: 2 kg`, `Color: Red` agree with what the record has under that label."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from difflib import SequenceMatcher
from weakref import WeakKeyDictionary

from drr.env.entities import Product
from drr.env.shop import SearchRequest, Shop, Store
from drr.eval.checks.base import Subject
from drr.eval.checks.behind import ProductAttribute
from drr.eval.checks.facts import facts_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.naming import folded_words, full_name
from drr.eval.checks.results import Check, Tally, unverifiable
from drr.eval.checks.values import plain_label, word_list
from drr.wording.figures import Quantity, same_number
from drr.wording.quantities import numbers

_BRANDS = word_list("brand|store|maker|brand or store|manufacturer|marke|hersteller")
_OF_ONE = word_list("color|colour|farbe|material")
"""Labels whose value is one of few, so that another value of the shop may be a wrong one."""
_BROAD = word_list(
    "metal|plastic|wood|fabric|textile|ceramic|natural|multi|multicolor|metall|kunststoff|plastik|holz|stoff|textil|keramik|natur|bunt"
)
"""Values that others are kinds of: steel is metal."""
_INDEXED, _LONG, _ALIKE, _FAR = 20_000, 4, 0.5, 0.1
"""Most products that are read; most words of a brand; similarity of two spellings of one; difference of two figures in different units that no rounding explains."""
_FIGURES, _GROUP = re.compile(r"\d[\d.,/]*"), re.compile(r"\d[.,]\d{3}(?!\d)")
"""A figure; and a point or comma that parts thousands in one language and begins decimals in another."""


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
    label = plain_label(one.label)
    if figures := numbers(one.words):
        return _are_figures(one.words, figures, recorded)
    if claimed & stated or claimed <= _words_of(f"{full_name(product)} {product.document()}"):
        return None
    is_other = not (claimed | stated) & _BROAD and claimed in _values_of(shop).get(
        "brand" if label in _BRANDS else label, ()
    )
    if label in _BRANDS:
        return False if is_other or _is_other_name(one.words, product) else None
    return False if is_other and not _are_alike(shop, one.label, claimed, stated) else None


def _are_figures(words: str, figures: list[Quantity], recorded: str) -> bool | None:
    """Compare figures with a unit, where the record lacks no word. A bare number may be one of pieces."""
    known, every = numbers(recorded), _words_of(_FIGURES.sub(" ", words))
    is_bare = not every and not any(one.kind for one in figures)
    is_unsure = (
        is_bare or _GROUP.search(f"{words} {recorded}") or any(one.hedged for one in (*figures, *known))
    )
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
    said, names = _letters(words), [_letters(str(one)) for one in own if one]
    if any(said in one or one in said or SequenceMatcher(None, said, one).ratio() > _ALIKE for one in names):
        return False
    is_short = len(words.split()) <= _LONG <= len(said)
    return is_short and all(one[:1].isupper() for one in words.split())


def _letters(text: str) -> str:
    return "".join(one for one in unicodedata.normalize("NFKD", text).casefold() if one.isalnum())


def _are_alike(shop: Shop, label: str, claimed: frozenset[str], stated: frozenset[str]) -> bool:
    """Tell whether a product of the shop has one value under the label and a word of the other elsewhere: two words for one thing."""
    for word in stated:
        query = SearchRequest(query=" ".join((*claimed, word))[:200], limit=10, search="plain")
        for one in shop.store.products(list(shop.catalog.search(query).product_ids)):
            value, every = _words_of(str(one.details.get(label))), _words_of(str(one.document()))
            if {*claimed, word} <= every and value & {*claimed, word} and not {*claimed, word} <= value:
                return True
    return False


_values: WeakKeyDictionary[Store, Mapping[str, set[frozenset[str]]]] = WeakKeyDictionary()


def _values_of(shop: Shop) -> Mapping[str, set[frozenset[str]]]:
    """Return the brands of a shop, and its values under labels of one value. None are read where there are too many products."""
    if shop.store not in _values:
        found: dict[str, set[frozenset[str]]] = {}
        few = shop.manifest.counts.get("products", 0) <= _INDEXED
        for product in shop.store.iter_products() if few else ():
            for key, value in {**product.details, "Store": product.store or ""}.items():
                label = "brand" if key in ("Brand", "Store") else plain_label(key)
                if value and label in (*_OF_ONE, "brand"):
                    found.setdefault(label, set()).add(_words_of(str(value)))
        _values[shop.store] = found
    return _values[shop.store]


def _words_of(text: str) -> frozenset[str]:
    return frozenset("gray" if word == "grey" else word for word in folded_words(text))
