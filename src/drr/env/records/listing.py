"""Formats a product as the page that a tool returns. The page has the whole record, a part of it, or a short form, in limited length."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple

from drr.env.entities import Product
from drr.env.records.lines import cell, listed, nested_fact_lines, price, shortened
from drr.env.records.product import maker, path, rating, title
from drr.env.text import tokens
from drr.wording.currency import DOLLARS, Currency

Part = Literal["all", "short", "features", "description", "details"]
"""Parts of a listing: `all` is everything, `short` an extract of everything."""
PAGE = 12_000
"""Characters of one page; nearly every listing fits on one."""
_MOST_PAGES, _MOST_KEPT = 1024, 20_000


class ListingPage(NamedTuple):
    text: str
    number: int
    pages: int
    """The number of pages of the part; a higher page number has no text."""


_kept: dict[tuple[str, Part, str, str], tuple[Product, str]] = {}


def product_page(
    product: Product,
    part: Part = "all",
    number: int = 1,
    question: str = "",
    currency: Currency = DOLLARS,
) -> ListingPage:
    """Return one page of a part of the listing. The first lines, with the address and the figures, stand on every page.
    The short form keeps whole the details that a question names."""
    cost = price(product.price, currency)
    heading, text = _set(product, part, question if part == "short" else "", cost).split("\n\n", 1)
    if len(text) <= PAGE:
        return ListingPage(f"{heading}\n{text}" if number == 1 else "", number, 1)
    pages = list(in_pages(text))
    if number > len(pages):
        return ListingPage("", number, len(pages))
    more = f"page={number + 1} goes on" if number < len(pages) else "the last"
    position = f"Page {number} of {len(pages)} of this listing, {len(text):,} characters in all; {more}."
    return ListingPage(f"{heading}\n{pages[number - 1]}\n{position}", number, len(pages))


def in_pages(text: str, size: int = PAGE) -> Iterator[str]:
    """Split a text into pages of whole lines. A line longer than a page is broken, between words if it has any."""
    start = 0
    while len(text) - start > size:
        end = text.rfind("\n", start + 1, start + size)
        if end < start + size // 2:
            end = max(text.rfind(" ", start + size // 2, start + size), end)
        if end <= start:
            end = start + size
        yield text[start:end].strip("\n ")
        start = end
    yield text[start:].strip("\n ")


def _set(product: Product, part: Part, question: str, cost: str) -> str:
    """Format a part of a product: heading, empty line, body.

    Formatting a page costs more than reading its record, and sessions look at the same products again and again: the last
    pages are cached, and reused while the product's record stays the same.
    """
    kept = _kept.get((product.product_url, part, question, cost))
    if kept is not None and kept[0].__dict__ == product.__dict__:
        return kept[1]
    text = _set_short(product, question, cost) if part == "short" else _set_whole(product, part, cost)
    if len(text) <= _MOST_KEPT:
        if len(_kept) >= _MOST_PAGES:
            _kept.clear()
        _kept[product.product_url, part, question, cost] = product, text
    return text


# -- everything, or one part of it


def _set_whole(product: Product, part: Part, cost: str) -> str:
    """Format a listing without cleaning, which is enough for most; if the result shows a need, format it cleaned."""
    lines = _whole_listing(product, part, cost)
    if not _needs_no_cleaning(" ".join(["", *lines, ""])):
        lines = _whole_listing(_cleaned_product(product), part, cost, _one_line_text)
    return "\n".join(lines)


def _one_line_text(text: str) -> str:
    """Put a field of strangers' text on one line without leaving out a word."""
    return cell(text, max(len(text), 1))


def _cleaned_product(product: Product) -> Product:
    """Return the product with its text cleaned, except the details, two of whose names could become equal."""
    return product.model_copy(
        update={
            "title": _one_line_text(product.title),
            "store": product.store and _one_line_text(product.store),
            "categories": list(map(_one_line_text, product.categories)),
            "features": list(map(_one_line_text, product.features)),
            "description": list(map(_one_line_text, product.description)),
            "bought_together": product.bought_together and list(map(_one_line_text, product.bought_together)),
        }
    )


def _unchanged(text: str) -> str:
    return text


def _whole_listing(
    product: Product, part: Part, cost: str, clean: Callable[[str], str] = _unchanged
) -> list[str]:
    figures = (
        product.product_url,
        cost,
        rating(product),
        f"by {product.store}" if product.store else "store unknown",
        " > ".join(product.categories) or product.category.replace("_", " "),
    )
    lines = [product.title or "untitled", " | ".join(figures), ""]
    features = [feature for feature in product.features if feature]
    if part in ("all", "features"):
        lines += _bulleted_rows("features", features)
    if part in ("all", "description"):
        lines.append(_summary(product.description, features if part == "all" else []))
    if part in ("all", "details"):
        rows = [
            clean(line) for name, value in product.details.items() for line in nested_fact_lines(name, value)
        ]
        lines += _bulleted_rows("details", rows)
    if part == "all" and product.bought_together:
        lines.append(f"Bought together: {', '.join(product.bought_together)}")
    return lines


def _bulleted_rows(name: str, rows: list[str]) -> list[str]:
    return [f"{name.capitalize()}:", *(f"- {row}" for row in rows)] if rows else [f"No {name}."]


_TELLING = 20
"""Characters from which a repeated paragraph counts as a repetition; a shorter one may be equal by chance."""


def _summary(description: list[str], features: list[str]) -> str:
    """Return the description on one line, without paragraphs that are repeated from the features word for word."""
    parts = [part for part in description if part.strip()]
    if not parts:
        return "No description."
    fresh = _news(parts, features)
    return f"Description: {' '.join(fresh)}" if fresh else "Description: as the features."


def _news(parts: list[str], features: list[str]) -> list[str]:
    known = {feature.strip().casefold() for feature in features}
    return [part for part in parts if len(part) < _TELLING or part.strip().casefold() not in known]


def _needs_no_cleaning(page: str) -> bool:
    """Tell whether a page needs no cleaning: nothing invisible, no surplus spaces, and only the layout's own four field separators."""
    return page.isprintable() and page.count("|") == 4 and "   " not in page and page.count("  ") == 1


# -- the short form: long parts cut, what repeats left out

FEATURES, FEATURE, DESCRIPTION, DETAILS, DETAIL = 5, 110, 160, 6, 50
_NAMED = 200
"""Characters of a detail that the question names."""
# Numbers that mean something to the seller's stock-keeping and nothing to a shopper.
_STOCK = frozenset((
    "upc", "ean", "gtin", "asin", "isbn-10", "isbn-13", "manufacturer", "model number", "item model number", "part number",
    "manufacturer part number", "best sellers rank", "customer reviews", "is discontinued by manufacturer",
))  # fmt: skip

# What says something only together with its name.
_ANSWERS = frozenset(("yes", "none", "true", "false"))


_WORD = 4
"""Letters from which a word of a question tells something."""


def _set_short(product: Product, question: str, cost: str) -> str:
    asked = frozenset(word for word in tokens(question) if len(word) >= _WORD)
    lines = _short_listing(product, product.details.items(), asked, cost)
    if not _needs_no_cleaning(" ".join(["", *lines, ""])):
        details = [
            (cell(name, 40), cell(_value_text(value), _NAMED)) for name, value in product.details.items()
        ]
        lines = _short_listing(_cleaned_short(product), details, asked, cost)
    return "\n".join(lines)


def _cleaned_short(product: Product) -> Product:
    """Return the product with its text cleaned, except the details, two of whose names could become equal."""
    return product.model_copy(
        update={
            "title": cell(product.title, 200),
            "store": product.store and cell(product.store, 60),
            "categories": [cell(step, 40) for step in product.categories[-2:]],
            "features": [cell(text, FEATURE) for text in product.features],
            "description": [cell(" ".join(product.description)[: 8 * DESCRIPTION], 4 * DESCRIPTION)],
        }
    )


def _short_listing(
    product: Product, details: Iterable[tuple[str, object]], asked: frozenset[str], cost: str
) -> list[str]:
    lines = _heading(product, cost)
    page_text = "\n".join(["", *lines, ""]).casefold()
    features = [text for text in product.features if text]
    if len(features) > FEATURES:
        lines.append(f"- ({len(features) - FEATURES} more)")
    lines.append(_description(shortened(" ".join(product.description), 8 * DESCRIPTION), page_text))
    named, others = _fresh_details(details, page_text, asked)
    lines += listed("Details", [*named, *others], max(DETAILS, len(named)), "; ")
    if product.bought_together:
        lines += listed("Bought together", [cell(i, 20) for i in product.bought_together], 5, ", ")
    return lines


def _heading(product: Product, cost: str) -> list[str]:
    """Return the lines of the title, the figures and the first features."""
    lines = [
        title(product, 200, shortened),
        f"{product.product_url} | {cost} | {rating(product)} | {maker(product, shortened)} | {path(product, shortened)}",
        "",
    ]
    features = [f"- {shortened(text, FEATURE)}" for text in product.features if text]
    return [*lines, "Features:", *features[:FEATURES]] if features else lines


def _description(text: str, known: str) -> str:
    if not text:
        return "No description."
    fresh = _sentences_not_known(text, known)
    return f"Description: {fresh}" if fresh else "Description: as the features."


def _sentences_not_known(text: str, known: str) -> str:
    """Drop the sentences that the features already contain."""
    return shortened(
        ". ".join([s for s in text.split(". ") if s.rstrip(".").casefold() not in known]), DESCRIPTION
    )


def _fresh_details(
    details: Iterable[tuple[str, object]], known: str, asked: frozenset[str]
) -> tuple[list[str], list[str]]:
    """Return the details that the asked words name, and the others. Stock numbers and what the text above states are left out."""
    named, others = list[str](), list[str]()
    for name, value in details:
        if name.casefold() in _STOCK:
            continue
        text = _value_text(value).strip()
        if not _repeats(text.casefold(), known):
            is_named = bool(asked) and not asked.isdisjoint(tokens(name))
            found, most = (named, _NAMED) if is_named else (others, DETAIL)
            found.append(f"{shortened(name, 40)}: {shortened(text, most)}")
    return named, others


def _repeats(value: str, known: str) -> bool:
    """Tell whether the text contains the value as whole words that are specific enough to mean the same.

    A bare number is not specific: the 150 of a wattage may occur above as a count of ratings. Neither is a bare yes.
    """
    if len(value) <= 2 or value in _ANSWERS or not value.islower() or (at := known.find(value)) <= 0:
        return False
    after = at + len(value)
    return not (known[at - 1].isalnum() or known[after : after + 1].isalnum())


def _value_text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return ", ".join(f"{key} {_value_text(part)}" for key, part in list(value.items())[:DETAIL])
    if isinstance(value, (list, tuple)):
        return ", ".join(_value_text(part) for part in value[:DETAIL])
    return str(value)
