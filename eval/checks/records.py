"""What a record of a product says, as one text."""

from __future__ import annotations

from drr.env.entities import Product


def record_text(product: Product) -> str:
    """All words of a record."""
    parts = [product.title, *product.features, *product.description, product.store or "", *product.categories]
    stack: list[object] = [product.details]
    while stack:
        one = stack.pop()
        if isinstance(one, dict):
            for key, value in one.items():
                stack += [f"{key}: {value}"] if not isinstance(value, (dict, list)) else [str(key), value]
        elif isinstance(one, list):
            stack += one
        else:
            parts.append(str(one))
    return "\n".join(parts)
