"""Formats a shopper's records for tools, judges, query writers and assistants with a memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from drr.env.entities import Address, KeptReview, Order, Product, User
from drr.env.records.lines import cell, count, day, fact_lines, listed, one_line, price, priced, shortened
from drr.env.records.product import TITLE, maker, path, rating, title
from drr.env.statistics import FAVOURITES, Share, UserStatistics
from drr.wording.currency import DOLLARS, Currency
from drr.wording.states import STATES

if TYPE_CHECKING:
    from drr.env.profile import Bought, ProfileSummary, Spend


def shopper_line(user: User) -> str:
    return f"{one_line(user.first_name, 60)} {one_line(user.last_name, 60)}"


def place(user: User) -> str:
    return postal(user.address)


def postal(address: Address) -> str:
    region = f"{one_line(address.state, 30)} {one_line(address.zip, 12)}".strip()
    return _joined(
        one_line(address.address1, 100), one_line(address.city, 60), region, one_line(address.country, 30)
    )


def _joined(*parts: str) -> str:
    """Return the known parts of an address in one line."""
    return ", ".join(filter(None, parts)) or "unknown"


def profile_page(user: User, address: str) -> str:
    return (
        f"{shopper_line(user)} | {one_line(user.email, 120)} | {one_line(user.phone_number, 40)}"
        f" | {place(user)} | account {user.account_status}\n{address}"
    )


def profile_evidence(user: User) -> str:
    address = user.address
    return "\n".join(
        (
            f"Customer: {user.first_name} {user.last_name}",
            f"E-mail: {user.email}",
            f"Phone: {user.phone_number}",
            f"Address: {_joined(address.address1, address.city, f'{address.state} {address.zip}'.strip(), address.country)}",
            f"Account: {user.account_status}",
        )
    )


def _sent_to(order: Order, *, whole: bool) -> str:
    """Return where an order went, if not to the shopper's own address: the town, or the whole address."""
    slip = order.slip
    if slip is None or slip.address is None:
        return ""
    address = slip.address
    where = postal(address) if whole else f"{cell(address.city, 60)}, {cell(address.state, 30)}"
    return f"{cell(slip.recipient, 80)}, {where}" if slip.recipient else where


def order_row(order: Order, product: Product | None, currency: Currency = DOLLARS) -> str:
    what = (
        f"{order.quantity} x {title(product, 80)} | {price(product.price, currency)}"
        if product
        else f"{order.quantity} x a product no longer in this shop"
    )
    sent = f" | sent to {to}" if (to := _sent_to(order, whole=False)) else ""
    return f"{day(order.order_date)} {order.order_status}: {what}{sent} | order {order.order_id}, product {order.product_id}"


def order_page(
    order: Order, product: Product | None, user: User | None, address: str, currency: Currency = DOLLARS
) -> str:
    lines = [f"{address} | placed {order.order_date[:16].replace('T', ' ')} UTC | {order.order_status}"]
    if product is None:
        lines.append(f"{order.quantity} x product {order.product_id}, no longer in this shop; price unknown")
    else:
        lines.append(
            f"{order.quantity} x {title(product, TITLE)} | {price(product.price, currency)}{_in_all(order, product, currency)} | {rating(product)}"
            f" | {maker(product)} | {product.product_url}"
        )
    if order.slip and order.slip.sold_as:
        lines.append(f"Sold as: {one_line(order.slip.sold_as, TITLE)}")
    sent = f"sent to {to}" if (to := _sent_to(order, whole=True)) else user and f"ships to {place(user)}"
    lines.append("Customer unknown." if user is None else f"Customer: {shopper_line(user)}; {sent}")
    return "\n".join(lines)


def _in_all(order: Order, product: Product, currency: Currency) -> str:
    if product.price is None or order.quantity == 1:
        return ""
    cents = round(product.price * 100) * order.quantity
    return f" each, {currency.text(Decimal(cents) / 100)} in all"


def order_evidence(order: Order, product: Product | None, currency: Currency = DOLLARS) -> str:
    name = product.title if product else "a product that is no longer listed"
    cost = (
        price(None) if product is None or product.price is None else f"{priced(product.price, currency)} each"
    )
    return (
        f"Order {order.order_id}: {order.quantity} x {name} ({order.product_id}), {cost}, "
        f"placed {day(order.order_date)}, {order.order_status}{_slip_evidence(order)}"
    )


def _slip_evidence(order: Order) -> str:
    sold_as = f", sold as {order.slip.sold_as}" if order.slip and order.slip.sold_as else ""
    return sold_as + (f", sent to {to}" if (to := _sent_to(order, whole=True)) else "")


def orders_evidence(
    orders: Sequence[Order], products: Mapping[str, Product], currency: Currency = DOLLARS
) -> str:
    return (
        "\n".join(order_evidence(order, products.get(order.product_id), currency) for order in orders)
        or "No orders."
    )


_TITLE, _TITLES = 90, 6000
"""Most characters of a title, and of all titles together: of a long history titles are cut before orders are."""
_HEAD = "number | day | quantity x product id | order id | product, price today (where it is first listed)"


def history_evidence(
    orders: Sequence[Order],
    products: Mapping[str, Product],
    total: int,
    of: Collection[str] | None = None,
    currency: Currency = DOLLARS,
) -> str:
    """Format the newest of `total` orders, each product and category once. If some are left out, no counts are given.

    `of` keeps the rows of these products alone, with the counts of all orders.
    """
    if not orders:
        return "No orders."
    older = total - len(orders)
    listed = [*enumerate(sorted(orders, key=lambda one: one.order_date), older + 1)]
    ((usual, _),) = Counter(order.order_status for order in orders).most_common(1)
    times = Counter(order.product_id for order in orders)
    items, kinds = Counter[str](), dict[str, list[int]]()
    for number, order in listed:
        product = products.get(order.product_id)
        items[order.product_id] += order.quantity
        kinds.setdefault("no longer listed" if product is None else path(product, cell), []).append(number)
    if older:
        summary = [
            f"{total} orders; the newest {len(orders)} of them are listed here, so nothing can be counted from this list."
        ]
    else:
        often = [f"{key}: {n} orders, {items[key]} items" for key, n in times.most_common() if n > 1]
        summary = [f"{len(orders)} orders of {len(times)} different products, {items.total()} items in all."]
        summary += ["Ordered more than once: " + "; ".join(often)] if often and of is None else []
    of_kinds = (f"{kind}: {len(own)} ({', '.join(map(str, own))})" for kind, own in kinds.items())
    if of is None:
        summary.append(f"By category, with their numbers: {'; '.join(of_kinds)}")
    summary.append(f"Each {usual} unless its line says otherwise.")
    width = max(30, min(_TITLE, _TITLES // len(times)))
    named: set[str] = set()
    rows = []
    for number, order in (one for one in listed if of is None or one[1].product_id in of):
        row = f"{number} | {day(order.order_date)} | {order.quantity} x {order.product_id} | {order.order_id}"
        row += (
            ""
            if order.product_id in named
            else f" | {_named(products.get(order.product_id), width, currency)}"
        )
        row += f" | sent to {to}" if (to := _sent_to(order, whole=False)) else ""
        rows.append(row + ("" if order.order_status == usual else f" | {order.order_status}"))
        named.add(order.product_id)
    return "\n".join([*summary, _HEAD, *rows])


def _named(product: Product | None, width: int, currency: Currency) -> str:
    if product is None:
        return "a product that is no longer listed, price unknown"
    return f"{title(product, width)}, {price(product.price, currency)}"


def statistics_page(stats: UserStatistics, address: str, currency: Currency = DOLLARS) -> str:
    """Format a shopper's statistics. Categories and stores are cut at six, largest first; the share of spend that is unknown is always stated."""
    if not stats.orders:
        return f"No orders yet.\n{address}"
    stores = stats.favourite_stores
    return "\n".join(
        [
            f"{count(stats.orders)} orders, {count(stats.items)} items, {day(stats.first_order)} to {day(stats.last_order)}"
            + _recency(stats),
            f"Spend: {priced(stats.spend, currency)}; {_unpriced(stats)}",
            *_item_price(stats, currency),
            *_shares("By category", stats.by_category, currency),
            *_shares("By year", stats.by_year, currency, most=30),
            *_shares(
                "Favourite stores", stores, currency, least="at least " if len(stores) == FAVOURITES else ""
            ),
            "Status: " + ", ".join(f"{name} {count(number)}" for name, number in stats.by_status.items()),
            address,
        ]
    )


def _recency(stats: UserStatistics) -> str:
    if stats.days_since_last_order is None:
        return ""
    return f", the last {count(stats.days_since_last_order)} days ago"


def _unpriced(stats: UserStatistics) -> str:
    text = f"{count(stats.orders_without_price)} of {count(stats.orders)} orders have no known price"
    some = 0 < stats.orders_without_price < stats.orders
    return text + " and are not in it" if some else text


def _item_price(stats: UserStatistics, currency: Currency) -> list[str]:
    if stats.mean_price is None:
        return []
    quartiles = (
        "; quartiles " + ", ".join(price(quarter, currency) for quarter in stats.price_quartiles)
        if stats.price_quartiles
        else ""
    )
    return [f"Item price: mean {price(stats.mean_price, currency)}{quartiles}"]


def _shares(
    label: str, shares: Iterable[Share], currency: Currency, most: int = 6, least: str = ""
) -> list[str]:
    rows = [
        f"{one_line(s.name.replace('_', ' '), 50)} {count(s.orders)} ({priced(s.spend, currency, 'no known spend')})"
        for s in shares
    ]
    return listed(label, rows, most, "; ", least)


def statistics_evidence(stats: UserStatistics, currency: Currency = DOLLARS) -> str:
    return fact_lines(stats.model_dump(exclude={"user_id"}) | currency.fields)


def shopper_summary(profile: ProfileSummary, currency: Currency = DOLLARS) -> str:
    """Format a shopper's summary for a model. The text stays below about 4,000 characters, because the summary's lists are short."""
    lines = [
        f"Shopper: {profile.label.name} ({'; '.join(profile.label.reasons)})",
        f"Region: {_joined(profile.city, _state(profile.state), profile.country)}; account {profile.account_status}",
    ]
    return "\n".join([*lines, *(_history(profile, currency) if profile.orders else ["Orders: none yet"])])


def _history(profile: ProfileSummary, currency: Currency) -> list[str]:
    lines = [
        f"Orders: {count(profile.orders)} {_between(profile)}, about "
        f"{profile.orders_per_year:g} a year ({profile.activity}); {count(profile.orders_last_year)} in the last 365 days; last one "
        f"{profile.days_since_last_order} days before {profile.as_of}",
        "Status: " + ", ".join(f"{name} {count(n)}" for name, n in profile.by_status.items() if n),
        "Spend: " + _spend(profile.spend, currency),
        "Favourite categories: " + "; ".join(_share(share, currency) for share in profile.categories),
        "Favourite stores: " + ("; ".join(_share(share, currency) for share in profile.stores) or "unknown"),
    ]
    if profile.repeated:
        lines.append("Buys again and again:")
        lines += [
            f"- {item.title} ({item.times} times, last {item.last}, {price(item.price, currency)})"
            for item in profile.repeated
        ]
    lines.append("Recent and notable purchases:")
    lines += [
        f"- {item.last}: {item.title} ({item.category}, {price(item.price, currency)})"
        for item in profile.notable
    ]
    return lines


def _between(profile: ProfileSummary) -> str:
    if profile.first_order == profile.last_order:
        return f"on {profile.first_order}"
    return f"between {profile.first_order} and {profile.last_order}"


def _state(code: str) -> str:
    return f"{STATES[code]} ({code})" if code in STATES else code


def _spend(spend: Spend, currency: Currency) -> str:
    if spend.total is None:
        return "unknown (no price on record for anything bought)"
    if spend.mean_price is None:
        return "nothing (every order with a known price was cancelled)"
    text = f"{priced(spend.total, currency)} at known prices, {priced(spend.mean_price, currency)} on average"
    if spend.quartiles:
        text += f", quartiles {' / '.join(map(currency.text, spend.quartiles))}"
        text += f" ({spend.level})" if spend.level else ""
    return text + f"; the price of {spend.unknown_share:.0%} of the orders is unknown"


def _share(share: Share, currency: Currency) -> str:
    return f"{share.name} ({count(share.orders)} order{'s' * (share.orders != 1)}, {price(share.spend, currency)})"


def purchase_row(item: Bought, currency: Currency = DOLLARS) -> str:
    """Format one purchase for the list that a query writer gets; a price in dollars has no thousands separator."""
    cost = (
        f"${item.price:.2f}"
        if item.price is not None and currency == DOLLARS
        else price(item.price, currency)
    )
    return (
        f"order {item.order_id} | product {item.product_id} | {item.last} | {cost} | {item.times} times"
        f" | {item.category} | {item.title}"
    )


def offer_line(product: Product, currency: Currency = DOLLARS) -> str:
    """Format a product that is for sale, with its price."""
    return f"{title(product, _TITLE)} ({product.product_id}, {price(product.price, currency)})"


def purchase(order: Order, product: Product) -> str:
    """Format a purchase with its date."""
    return f"{title(product, _TITLE)}, ordered {day(order.order_date)}"


_NAME, _FEATURE = 90, 240
_FATE = {
    "Delivered": "delivered",
    "Shipped": "on its way",
    "Processing": "not sent yet",
    "Cancelled": "cancelled",
    "Returned": "sent back",
    "Unknown": "nothing tells whether it came",
}


def product_name(product: Product) -> str:
    """Return a product's name as people say it. This is the title up to its list of extras, with the store if the title lacks it."""
    name = one_line(product.title, 4 * _NAME)
    head, comma, _ = name.partition(", ")
    return shortened(head if comma and len(head) > 12 else name, _NAME) or "an untitled product"


def order_words(order: Order, product: Product, currency: Currency = DOLLARS) -> str:
    """Format a purchase or a return as one sentence."""
    many = f"{order.quantity} x " if order.quantity > 1 else ""
    cost = "" if product.price is None else f" for {priced(product.price, currency)}"
    store = f" from {one_line(product.store, 40)}" if product.store else ""
    if order.order_status == "Returned":
        return f"Sent back {many}{one_line(product.title, 2 * _NAME)}{store}, ordered{cost}."
    return f"Ordered {many}{one_line(product.title, 2 * _NAME)}{store}{cost}; {_FATE[order.order_status]}."


def page_words(product: Product, most: int, currency: Currency = DOLLARS) -> str:
    """Return price, rating and as many of the features as fit into `most` characters."""
    head = f"{priced(product.price, currency, 'No price is stated')}, {rating(product)}."
    lines_out = [head]
    size = len(head)
    for line in [*product.features, *product.description]:
        line_text = one_line(line, _FEATURE)
        if size + len(line_text) > most:
            break
        lines_out.append(line_text if line_text.endswith((".", "!", "?")) else line_text + ".")
        size += len(line_text) + 1
    return " ".join(lines_out)


def review_words(review: KeptReview, product: Product) -> str:
    """Format the review as the shopper wrote it, with the name of the product."""
    stars = "" if review.rating is None else f", {review.rating:g} of 5"
    title = one_line(review.title, 200)
    return f"On {product_name(product)}{stars}: {title + '. ' if title else ''}{one_line(review.text, 4000)}"
