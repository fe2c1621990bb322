"""What things of a kind cost in the shop, for an amount that is said of a kind and of no thing that is named."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from drr.env.entities import Product
from drr.env.shop import SearchRequest
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.figures import Figure

_LEAVES, _KIND, _FOUND = 6, 200, 40
"""Categories that are looked up for an amount, things of a category and things found by words that are looked at."""
_WORDS = 90
"""Characters of what is said before an amount by which things are looked for."""


def may_cost(mentions: Mentions, some: Sequence[Product], amount: Figure, words: str) -> bool:
    """Whether something of the kind of some products, or that the shop finds by some words, costs that; true also where it is not known of which kind it is."""
    leaves = dict.fromkeys(one.categories[-1] for one in some if one.categories)
    if not 0 < len(leaves) <= _LEAVES:
        return True
    said = words[-_WORDS:]
    asked = [(said, None), (mentions.subject.query or said, None), *((leaf, leaf) for leaf in leaves)]
    found = (_priced(mentions, query, leaf) for query, leaf in asked)
    return any(prices is None or any(map(amount.holds, prices)) for prices in found)


@lru_cache(maxsize=64)
def _priced(mentions: Mentions, query: str, leaf: str | None) -> frozenset[float] | None:
    """What that costs which the shop finds; nothing is known of a category with more things than are looked at."""
    shop = mentions.subject.shop
    if shop is None:
        return None
    limit = _FOUND if leaf is None else _KIND
    page = shop.catalog.search(SearchRequest(query=query, category=leaf, limit=limit, search="plain"))
    if leaf is not None and page.total > limit:
        return None
    products = mentions.subject.products(page.product_ids)
    return frozenset(one.price for one in products if one.price is not None)
