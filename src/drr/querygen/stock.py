"""The products that a shop sells for the search words of a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from drr.env.entities import Product
from drr.env.query import Query
from drr.env.shop import SearchPage, SearchRequest, Shop
from drr.env.text import tokens


@dataclass(frozen=True)
class Stock:
    """The products that a shop sells for a search text."""

    shop: Shop

    def sold(self, need: str, cap: float | None = None) -> int:
        """Count the products for a need, or those of a known price up to `cap`."""
        least = None if cap is None else 0.01
        request = SearchRequest(need, match="all", min_price=least, max_price=cap, limit=1, search="plain")
        return self._page(request).total

    def cheapest(self, need: str) -> float | None:
        request = SearchRequest(need, match="all", sort="price_asc", min_price=0.01, limit=1, search="plain")
        found = self.shop.store.products(self._page(request).product_ids)
        return found[0].price if found else None

    def _page(self, request: SearchRequest) -> SearchPage:
        """Search for words that stand in products, or else for a category by its name."""
        page = self.shop.catalog.search(request)
        if page.total:
            return page
        shelf = replace(request, match="any", category=request.query, search="fields")
        return self.shop.catalog.search(shelf)

    def kin(self, owned: Sequence[str], needs: Sequence[str]) -> Literal["near", "far"] | None:
        """Return how owned products relate to needs: `near` by a word or category, `far` by department, or `None`."""
        words = tuple(word for need in needs for word in tokens(need))
        had = self.shop.store.products(sorted(owned))
        sold = [product for need in needs for product in self._found(need)]
        shelves, departments = [one.categories[-1:] for one in sold], {one.category for one in sold}
        near = (
            one.categories[-1:] in shelves or any(word.startswith(words) for word in tokens(one.title))
            for one in had
        )  # a title's "pillowcase" begins with "pillow"
        if any(near):
            return "near"
        return "far" if any(one.category in departments for one in had) else None

    def _found(self, need: str, most: int = 5) -> list[Product]:
        request = SearchRequest(need, match="all", limit=most, search="plain")
        return self.shop.store.products(self._page(request).product_ids)

    def of_category(self, name: str, most: int = 50) -> list[Product]:
        """Return products of a category by its name, at most so many."""
        request = SearchRequest(name, match="any", category=name, limit=most, search="fields")
        return self.shop.store.products(self.shop.catalog.search(request).product_ids)

    def category(self, query: Query) -> str | None:
        """Return the category of the product that a question is mainly about."""
        asked = query.needs[0] if query.needs else query.query
        page = self.shop.catalog.search(
            SearchRequest(asked, match="all" if query.needs else "any", limit=1, search="plain")
        )
        found = self.shop.store.products(page.product_ids)
        return found[0].category if found else None
