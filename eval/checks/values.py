"""The value of a property of a product, where its record states one."""

from __future__ import annotations

from drr.env.entities import Product
from drr.eval.checks.measures import measures
from drr.wording.comparisons import Property

_FIELDS: dict[str, tuple[str, str]] = {
    "weight": ("Item Weight", "weight"),
    "noise": ("Noise Level", "sound"),
    "light": ("Brightness", "light"),
    "height": ("Item Height", "length"),
}
"""The detail and the kind of unit of a property that records state in their details."""


def value_of(of: Property, product: Product) -> float | None:
    if of == "price":
        return product.price
    if of == "stars":
        return product.average_rating
    if of == "count":
        return product.rating_number
    field, kind = _FIELDS[of]
    stated = product.details.get(field)
    found = [one.base for one in measures(stated) if one.kind == kind] if isinstance(stated, str) else []
    return found[0] if len(found) == 1 else None
