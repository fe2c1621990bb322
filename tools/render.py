"""Records as text for a model: compact, every unknown said as unknown, and nobody else's line breaks.

Shop and web text is written by strangers, so it is flattened to one line and rid of invisible characters before it is
set into an answer: no title can forge the next row of a list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from drr.env.entities import Order, Product, User
from drr.env.statistics import FAVOURITES, Share, UserStatistics

_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


def one_line(text: str, limit: int) -> str:
    """`text` on one line, at most `limit` characters; what is cut ends in an ellipsis."""
    if len(text) > 4 * limit + 64:
        text = text[: 4 * limit + 64]
    if not text.isprintable():
        text = _INVISIBLE.sub("", text)
        text = " ".join(text.split())
    elif "  " in text or text[:1] == " " or text[-1:] == " ":
        text = " ".join(text.split())
    return _cut(text, limit)


def cell(text: str, limit: int) -> str:
    """One field of a row; the mark between fields is ours alone, or a title could forge a price."""
    text = one_line(text, limit)
    return text.replace("|", "/") if "|" in text else text


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


Fit = Callable[[str, int], str]


def money(value: float | None) -> str:
    return "price unknown" if value is None else f"${value:,.2f}"


def title(product: Product, limit: int, fit: Fit = cell) -> str:
    return fit(product.title, limit) or "untitled"


def rating(product: Product) -> str:
    if product.average_rating is None:
        return "not rated"
    if product.rating_number is None:
        return f"{product.average_rating:g}/5"
    return f"{product.average_rating:g}/5 ({product.rating_number:,} ratings)"


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
        f"{title(product, TITLE)} | {money(product.price)} | {rating(product)} | {maker(product)}"
        f" | {path(product)}\n   {product.product_url}"
    )


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


def _lay_out(product: Product, details: Iterable[tuple[str, Any]]) -> list[str]:
    features = [text for text in product.features if text]
    lines = [
        title(product, 200, _cut),
        f"{product.product_url} | {money(product.price)} | {rating(product)} | {maker(product, _cut)} | {path(product, _cut)}",
    ]
    if features:
        lines.append("Features:")
        lines += [f"- {_cut(text, FEATURE)}" for text in features[:FEATURES]]
    said = "\n".join(["", *lines, ""]).casefold()
    if len(features) > FEATURES:
        lines.append(f"- ({len(features) - FEATURES} more)")
    lines.append(_description(_cut(" ".join(product.description), 8 * DESCRIPTION), said))
    lines += _some("Details", _facts(details, said), DETAILS, "; ")
    if product.bought_together:
        lines += _some("Bought together", [cell(i, 20) for i in product.bought_together], 5, ", ")
    return lines


def _description(text: str, said: str) -> str:
    """Without the sentences that the features have said."""
    if not text:
        return "No description."
    fresh = ". ".join([s for s in text.split(". ") if s.rstrip(".").casefold() not in said])
    return f"Description: {_cut(fresh, DESCRIPTION)}" if fresh else "Description: as the features."


def _facts(details: Iterable[tuple[str, Any]], said: str) -> list[str]:
    """Without stock numbers and without values said above as whole words, telling enough to mean the same.

    A bare number is not: the 150 of a wattage may stand above as a count of ratings. Neither is a bare yes.
    """
    facts = []
    for name, value in details:
        if name.casefold() in _STOCK:
            continue
        value = _plain(value).strip()
        low = value.casefold()
        if len(low) > 2 and low not in _ANSWERS and low.islower() and (at := said.find(low)) > 0:
            after = at + len(low)
            if not (said[at - 1].isalnum() or said[after : after + 1].isalnum()):
                continue
        facts.append(f"{_cut(name, 40)}: {_cut(value, DETAIL)}")
    return facts


def _some(label: str, items: Sequence[str], most: int, join: str, least: str = "") -> list[str]:
    if not items:
        return []
    more = f"{join}({least}{len(items) - most} more)" if len(items) > most else ""
    return [f"{label}: {join.join(items[:most])}{more}"]


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return ", ".join(f"{key} {_plain(part)}" for key, part in list(value.items())[:DETAIL])
    if isinstance(value, (list, tuple)):
        return ", ".join(_plain(part) for part in value[:DETAIL])
    return str(value)


def order_row(order: Order, product: Product | None) -> str:
    what = (
        f"{order.quantity} x {title(product, 80)} | {money(product.price)}"
        if product
        else f"{order.quantity} x a product no longer in this shop"
    )
    return f"{order.order_date[:10]} {order.order_status}: {what} | order {order.order_id}, product {order.product_id}"


def order_page(order: Order, product: Product | None, user: User | None, address: str) -> str:
    lines = [f"{address} | placed {order.order_date[:16].replace('T', ' ')} UTC | {order.order_status}"]
    if product is None:
        lines.append(f"{order.quantity} x product {order.product_id}, no longer in this shop; price unknown")
    else:
        cost = (
            "" if product.price is None or order.quantity == 1 else f" each, {_times(order, product)} in all"
        )
        lines.append(
            f"{order.quantity} x {title(product, TITLE)} | {money(product.price)}{cost} | {rating(product)}"
            f" | {maker(product)} | {product.product_url}"
        )
    lines.append("Customer unknown." if user is None else f"Customer: {person(user)}; ships to {place(user)}")
    return "\n".join(lines)


def _times(order: Order, product: Product) -> str:
    cents = round((product.price or 0.0) * 100) * order.quantity
    return f"${cents // 100:,}.{cents % 100:02d}"


def person(user: User) -> str:
    return f"{one_line(user.first_name, 60)} {one_line(user.last_name, 60)}"


def place(user: User) -> str:
    address = user.address
    return (
        f"{one_line(address.address1, 100)}, {one_line(address.city, 60)},"
        f" {one_line(address.state, 30)} {one_line(address.zip, 12)}, {one_line(address.country, 30)}"
    )


def profile_page(user: User, address: str) -> str:
    return (
        f"{person(user)} | {one_line(user.email, 120)} | {one_line(user.phone_number, 40)}"
        f" | {place(user)} | account {user.account_status}\n{address}"
    )


def statistics_page(stats: UserStatistics, address: str) -> str:
    """Categories and stores are cut at six, biggest first; how much of the spend is unknown is never left out."""
    if not stats.orders:
        return f"No orders yet.\n{address}"
    known = stats.orders - stats.orders_without_price
    lines = [
        f"{stats.orders:,} orders, {stats.items:,} items, {_day(stats.first_order)} to"
        f" {_day(stats.last_order)}"
        + (
            ""
            if stats.days_since_last_order is None
            else f", the last {stats.days_since_last_order:,} days ago"
        ),
        f"Spend: {_spend(stats.spend)}; {stats.orders_without_price:,} of {stats.orders:,} orders have no known price"
        + (" and are not in it" if stats.orders_without_price and known else ""),
    ]
    if stats.mean_price is not None:
        quartiles = (
            "; quartiles " + ", ".join(money(price) for price in stats.price_quartiles)
            if stats.price_quartiles
            else ""
        )
        lines.append(f"Item price: mean {money(stats.mean_price)}{quartiles}")
    lines += _shares("By category", stats.by_category)
    lines += _shares("By year", stats.by_year, most=30)
    stores = stats.favourite_stores
    lines += _shares("Favourite stores", stores, least="at least " if len(stores) == FAVOURITES else "")
    lines.append("Status: " + ", ".join(f"{name} {count:,}" for name, count in stats.by_status.items()))
    lines.append(address)
    return "\n".join(lines)


def _day(moment: str | None) -> str:
    return "unknown" if moment is None else moment[:10]


def _spend(value: float | None) -> str:
    return "unknown" if value is None else f"${value:,.2f}"


def _shares(label: str, shares: Iterable[Share], most: int = 6, least: str = "") -> list[str]:
    rows = [
        f"{one_line(s.name.replace('_', ' '), 50)} {s.orders:,} ({'no known spend' if s.spend is None else _spend(s.spend)})"
        for s in shares
    ]
    return _some(label, rows, most, "; ", least)
