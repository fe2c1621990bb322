"""A product as a row of a search, as the page a tool gives, as a page of the shop, and as the evidence a judge is shown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from drr.env.entities import Product
from drr.env.records.lines import (
    Fit,
    SetRecord,
    cell,
    count,
    cut,
    dollars,
    facts,
    flat,
    listed,
    placed,
    price,
    stars,
)

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
    """The last two steps of the category path, which say most."""
    return " > ".join([fit(step, 40) for step in product.categories[-2:]]) or product.category.replace(
        "_", " "
    )


TITLE = 110


def product_row(product: Product) -> str:
    """One hit of a search: what decides whether to look closer."""
    return (
        f"{title(product, TITLE)} | {price(product.price)} | {rating(product)} | {maker(product)}"
        f" | {path(product)}\n   {product.product_url}"
    )


# -- the page that a tool gives: the listing, long parts shortened

FEATURES, FEATURE, DESCRIPTION, DETAILS, DETAIL = 5, 110, 160, 6, 50
# Numbers that mean something to the seller's stock-keeping and nothing to a shopper.
_STOCK = frozenset(
    (
        "upc",
        "ean",
        "gtin",
        "asin",
        "isbn-10",
        "isbn-13",
        "manufacturer",
        "model number",
        "item model number",
        "part number",
        "manufacturer part number",
        "best sellers rank",
        "customer reviews",
        "is discontinued by manufacturer",
    )
)

# What says something only together with its name.
_ANSWERS = frozenset(("yes", "none", "true", "false"))


_MOST_PAGES = 1024
_pages: dict[str, tuple[Product, str]] = {}


def product_page(product: Product) -> str:
    """The whole listing, long parts shortened by the rule that the tool's description states.

    Setting a page costs more than reading its record, and sessions look at the same products again and again: the last
    pages are kept, and given again while the shop says the same of the product.
    """
    kept = _pages.get(product.product_url)
    if kept is not None and kept[0].__dict__ == product.__dict__:
        return kept[1]
    text = _set_page(product)
    if len(_pages) >= _MOST_PAGES:
        _pages.clear()
    _pages[product.product_url] = product, text
    return text


def _set_page(product: Product) -> str:
    """Set as if nothing needed cleaning, which is so for most listings; one look at the result tells."""
    lines = _lay_out(product, product.details.items())
    if not _unmarred(" ".join(["", *lines, ""])):
        details = [(cell(name, 40), cell(_plain(value), DETAIL)) for name, value in product.details.items()]
        lines = _lay_out(_cleaned(product), details)
    return "\n".join(lines)


class ShownText(NamedTuple):
    features: list[str]
    description: str
    """Empty where it says no more than the features do."""


def shown_on_page(product: Product) -> ShownText:
    """What the page shows of the seller's own words, for rules that may know no more than a model that reads it."""
    clean = _cleaned(product)
    said = "\n".join(["", *_heading(clean), ""]).casefold()
    return ShownText(
        [cut(text, FEATURE) for text in clean.features if text][:FEATURES],
        _fresh(cut(" ".join(clean.description), 8 * DESCRIPTION), said),
    )


def _unmarred(page: str) -> bool:
    """Nothing invisible, no space to fold or to strip, and no mark between fields but the four of ours."""
    return page.isprintable() and page.count("|") == 4 and "  " not in page


def _cleaned(product: Product) -> Product:
    """All but the details, two of whose names may look alike once they are clean."""
    return product.model_copy(
        update={
            "title": cell(product.title, 200),
            "store": product.store and cell(product.store, 60),
            "categories": [cell(step, 40) for step in product.categories[-2:]],
            "features": [cell(text, FEATURE) for text in product.features],
            "description": [cell(" ".join(product.description)[: 8 * DESCRIPTION], 4 * DESCRIPTION)],
        }
    )


def _lay_out(product: Product, details: Iterable[tuple[str, object]]) -> list[str]:
    lines = _heading(product)
    said = "\n".join(["", *lines, ""]).casefold()
    features = [text for text in product.features if text]
    if len(features) > FEATURES:
        lines.append(f"- ({len(features) - FEATURES} more)")
    lines.append(_description(cut(" ".join(product.description), 8 * DESCRIPTION), said))
    lines += listed("Details", _fresh_details(details, said), DETAILS, "; ")
    if product.bought_together:
        lines += listed("Bought together", [cell(i, 20) for i in product.bought_together], 5, ", ")
    return lines


def _heading(product: Product) -> list[str]:
    """Title, figures and the first features."""
    lines = [
        title(product, 200, cut),
        f"{product.product_url} | {price(product.price)} | {rating(product)} | {maker(product, cut)} | {path(product, cut)}",
    ]
    features = [f"- {cut(text, FEATURE)}" for text in product.features if text]
    return [*lines, "Features:", *features[:FEATURES]] if features else lines


def _description(text: str, said: str) -> str:
    if not text:
        return "No description."
    fresh = _fresh(text, said)
    return f"Description: {fresh}" if fresh else "Description: as the features."


def _fresh(text: str, said: str) -> str:
    """Without the sentences that the features have said."""
    return cut(". ".join([s for s in text.split(". ") if s.rstrip(".").casefold() not in said]), DESCRIPTION)


def _fresh_details(details: Iterable[tuple[str, object]], said: str) -> list[str]:
    """Without stock numbers and without what is said above."""
    found = []
    for name, value in details:
        if name.casefold() in _STOCK:
            continue
        text = _plain(value).strip()
        if not _repeats(text.casefold(), said):
            found.append(f"{cut(name, 40)}: {cut(text, DETAIL)}")
    return found


def _repeats(value: str, said: str) -> bool:
    """Whether `said` has the value as whole words, telling enough to mean the same.

    A bare number is not: the 150 of a wattage may stand above as a count of ratings. Neither is a bare yes.
    """
    if len(value) <= 2 or value in _ANSWERS or not value.islower() or (at := said.find(value)) <= 0:
        return False
    after = at + len(value)
    return not (said[at - 1].isalnum() or said[after : after + 1].isalnum())


def _plain(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return ", ".join(f"{key} {_plain(part)}" for key, part in list(value.items())[:DETAIL])
    if isinstance(value, (list, tuple)):
        return ", ".join(_plain(part) for part in value[:DETAIL])
    return str(value)


# -- the whole listing: as a page of the shop, and as evidence


def product_markdown(product: Product) -> str:
    """The listing as a page of the shop's site, nothing left out: what a reader of the address is given."""
    rated = "not rated" if product.average_rating is None else f"{stars(product.average_rating)} of 5"
    number = "unknown" if product.rating_number is None else count(product.rating_number)
    lines = [
        f"# {flat(product.title)}",
        "",
        f"Product id: {product.product_id}",
        f"Price: {dollars(product.price)}",
        f"Average rating: {rated}; number of ratings: {number}",
        f"Store: {flat(product.store) if product.store else 'unknown'}",
        f"Categories: {' > '.join(map(flat, product.categories)) or product.category}",
    ]
    for heading, rows in (
        ("Features", [flat(feature) for feature in product.features]),
        ("Details", [f"{flat(name)}: {flat(str(value))}" for name, value in product.details.items()]),
    ):
        if rows:
            lines += ["", f"## {heading}", "", *(f"- {row}" for row in rows)]
    if product.description:
        lines += ["", "## Description", "", *map(flat, product.description)]
    return "\n".join(lines)


def product_evidence(product: Product) -> SetRecord:
    """The listing as a judge reads it, one fact a line; nothing is shortened, because the claim may concern any of it."""
    rows: list[tuple[str, str | None]] = [
        ("title", f"Product: {product.title}"),
        ("product_id", f"Product id: {product.product_id}"),
        ("price", f"Price: {dollars(product.price)}"),
        ("average_rating", _rated(product)),
        ("rating_number", _counted(product)),
        ("store", f"Brand or store: {product.store}" if product.store else None),
        ("categories", f"Categories: {' > '.join(product.categories)}" if product.categories else None),
    ]
    rows += [("features", f"Feature: {feature}") for feature in product.features]
    rows += [("description", f"Description: {part}") for part in product.description if part.strip()]
    rows += [("details", line) for name, value in product.details.items() for line in facts(name, value)]
    if product.bought_together:
        together = ", ".join(product.bought_together)
        rows.append(("bought_together", f"Often bought together with: {together}"))
    return placed(rows)


def _rated(product: Product) -> str | None:
    if product.average_rating is None:
        return None
    return f"Average rating: {stars(product.average_rating)} out of 5 stars"


def _counted(product: Product) -> str | None:
    return None if product.rating_number is None else f"Number of ratings: {count(product.rating_number)}"
