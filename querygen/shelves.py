"""The products of a shop as questions are drawn from them: by category, with titles, details and spare parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property

from drr.env.checkable import PART, detail, in_category
from drr.env.entities import Product
from drr.env.shop import Shop
from drr.env.text import category_key


class Shelves:
    """The products of a shop by category, read once. Long texts are left out: no constraint asks for them."""

    def __init__(self, shop: Shop) -> None:
        self.products: dict[str, Product] = {}
        self._by_step: dict[str, list[Product]] = {}
        self._of: dict[tuple[str, ...], list[Product]] = {}
        self._stated: dict[str, list[tuple[str, str]]] = {}
        for product in shop.store.iter_products():
            short = product.model_copy(update={"features": [], "description": []})
            self.products[product.product_id] = short
            for step in {category_key(step) for step in product.categories}:
                self._by_step.setdefault(step, []).append(short)

    def stated(self, product: Product) -> list[tuple[str, str]]:
        """All details of a product that a question can state, by name and value."""
        if product.product_id not in self._stated:
            pairs = [(name, detail(product, name)) for name in product.details if name != "Brand"]
            self._stated[product.product_id] = [
                (name, value)
                for name, value in pairs
                if value and len(value) < 40 and '"' not in name + value
            ]
        return self._stated[product.product_id]

    @cached_property
    def titles(self) -> Counter[str]:
        return Counter(product.title for product in self.products.values())

    @cached_property
    def parts(self) -> Mapping[str, str]:
        """The kind of each spare part that a detail names, where the titles of one kind alone bear the name."""
        named = {detail(product, PART) for product in self.products.values()}
        kinds: dict[str, set[str]] = {}
        for product in self.products.values():
            for name in named.intersection(product.title.split()):
                kinds.setdefault(str(name), set()).update(product.categories[-1:])
        return {name: found.pop() for name, found in kinds.items() if len(found) == 1}

    def of(self, category: Sequence[str]) -> Sequence[Product]:
        """All in a category, by product id."""
        if not category:
            return list(self.products.values())
        steps = tuple(category)
        if steps not in self._of:
            found = self._by_step.get(category_key(category[-1]), [])
            self._of[steps] = [product for product in found if in_category(product, category)]
        return self._of[steps]
