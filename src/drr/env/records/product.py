"""Formats a product as a search row, a shop page, and evidence for a judge. `listing` has the page that a tool returns."""

from __future__ import annotations

from drr.env.entities import Product
from drr.env.records.lines import (
    Fit,
    SetRecord,
    cell,
    count,
    joined_with_spans,
    nested_fact_lines,
    on_one_line,
    price,
    priced,
    stars,
)
from drr.wording.currency import DOLLARS, Currency

# -- the fields as short layouts say them


def title(product: Product, limit: int, fit: Fit = cell) -> str:
    return fit(product.title, limit) or "untitled"


def rating(product: Product) -> str:
    if product.average_rating is None:
        return "not rated"
    if product.rating_number is None:
        return f"{stars(product.average_rating)}/5"
    return f"{stars(product.average_rating)}/5 ({count(product.rating_number)} ratings)"


def maker(product: Product, fit: Fit = cell) -> str:
    return f"by {fit(product.store, 60)}" if product.store else "store unknown"


def path(product: Product, fit: Fit = cell) -> str:
    """Return the last two steps of the category path, which say most."""
    return " > ".join([fit(step, 40) for step in product.categories[-2:]]) or product.category.replace(
        "_", " "
    )


TITLE = 110


def product_row(product: Product, currency: Currency = DOLLARS) -> str:
    """Format one search hit: the fields that decide whether to look closer."""
    return (
        f"{title(product, TITLE)} | {price(product.price, currency)} | {rating(product)} | {maker(product)}"
        f" | {path(product)}\n   {product.product_url}"
    )


# -- the whole listing: as a page of the shop, and as evidence


def product_markdown(product: Product, currency: Currency = DOLLARS) -> str:
    """Format the whole listing as a page of the shop's site, which a reader of the address gets."""
    rated = "not rated" if product.average_rating is None else f"{stars(product.average_rating)} of 5"
    number = "unknown" if product.rating_number is None else count(product.rating_number)
    lines = [
        f"# {on_one_line(product.title)}",
        "",
        f"Product id: {product.product_id}",
        f"Price: {priced(product.price, currency)}",
        f"Average rating: {rated}; number of ratings: {number}",
        f"Store: {on_one_line(product.store) if product.store else 'unknown'}",
        f"Categories: {' > '.join(map(on_one_line, product.categories)) or product.category}",
    ]
    for heading, rows in (
        ("Features", [on_one_line(feature) for feature in product.features]),
        (
            "Details",
            [f"{on_one_line(name)}: {on_one_line(str(value))}" for name, value in product.details.items()],
        ),
    ):
        if rows:
            lines += ["", f"## {heading}", "", *(f"- {row}" for row in rows)]
    if product.description:
        lines += ["", "## Description", "", *map(on_one_line, product.description)]
    return "\n".join(lines)


def product_evidence(product: Product, currency: Currency = DOLLARS) -> SetRecord:
    """Format the listing for a judge, one fact a line. Nothing is shortened, because the claim may concern any part."""
    rows: list[tuple[str, str | None]] = [
        ("title", f"Product: {product.title}"),
        ("product_id", f"Product id: {product.product_id}"),
        ("price", f"Price: {priced(product.price, currency)}"),
        ("average_rating", _rated(product)),
        ("rating_number", _counted(product)),
        ("store", f"Brand or store: {product.store}" if product.store else None),
        ("categories", f"Categories: {' > '.join(product.categories)}" if product.categories else None),
    ]
    rows += [("features", f"Feature: {feature}") for feature in product.features]
    rows += [("description", f"Description: {part}") for part in product.description if part.strip()]
    rows += [
        ("details", line)
        for name, value in product.details.items()
        for line in nested_fact_lines(name, value)
    ]
    if product.bought_together:
        together = ", ".join(product.bought_together)
        rows.append(("bought_together", f"Often bought together with: {together}"))
    return joined_with_spans(rows)


def _rated(product: Product) -> str | None:
    if product.average_rating is None:
        return None
    return f"Average rating: {stars(product.average_rating)} out of 5 stars"


def _counted(product: Product) -> str | None:
    return None if product.rating_number is None else f"Number of ratings: {count(product.rating_number)}"
