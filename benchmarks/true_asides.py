"""True sentences that another writer would have set beside the same report: sums, conditions, other things of the shop, orders, markets."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime

from drr.env.entities import Product

from benchmarks.other_hands import LIST_OF_SOURCES, NUMBERED, Original
from benchmarks.planted_reports import short_title


def _ended(one: Original, said: str, *, apart: bool) -> str:
    """With a sentence behind the last prose, before any list of sources: in its paragraph or in one of its own."""
    found = LIST_OF_SOURCES.search(one.text)
    low = found.start() if found else len(one.text)
    head, tail = one.text[:low].rstrip(), one.text[low:]
    last = head.rsplit("\n", 1)[-1]
    plain = last[-1:] in ".!?)" and "|" not in last and not re.match(r"\s*(?:[-*•#>]|\d+[.)])\s", last)
    gap = " " if plain and not apart else "\n\n"
    return f"{head}{gap}{said}" + (f"\n\n{tail}" if tail else "")


def could_stretch(one: Original) -> str:
    most = 85 + 15 * (one.pick % 20)
    return _ended(one, f"If you can stretch to ${most}, there is more to choose from.", apart=False)


def with_more_money(one: Original) -> str:
    return _ended(
        one,
        f"With ${140 + one.pick % 90} to spend I would look at other makers too, but that is not what you asked.",
        apart=False,
    )


def shipping_would_add(one: Original) -> str:
    return _ended(one, f"Should shipping come to ${4 + one.pick % 5}.50, that would be on top.", apart=False)


def a_coupon_would_take(one: Original) -> str:
    product = one.other
    assert product.price is not None
    return _ended(
        one,
        f"A 10% coupon, if you ever get one, would bring a ${product.price:,.2f} thing down to ${0.9 * product.price + 1e-9:,.2f}.",
        apart=False,
    )


def another_product(one: Original) -> str:
    product = one.other
    said = f"Not part of this comparison: the {short_title(product)} ({product.product_url}) costs ${product.price:,.2f} and has {product.average_rating} stars from {product.rating_number:,} ratings."
    return _ended(one, said, apart=True)


def another_one_passed_over(one: Original) -> str:
    product = one.other
    return _ended(
        one,
        f"I also looked at the [{short_title(product)}]({product.product_url}) and left it out: at ${product.price:,.2f} it answers another need.",
        apart=True,
    )


def another_shop_asks(one: Original) -> str:
    return _ended(
        one,
        f"Elsewhere such things go for anything from ${11 + one.pick % 7} to ${230 + one.pick % 60}, if that helps.",
        apart=False,
    )


def the_market(one: Original) -> str:
    said = f"For scale: the category turned over ${2 + one.pick % 7}.{one.pick % 9} billion in 2022, and the average household spent ${60 + one.pick % 70} on it (https://www.marketfigures.example/report/{one.pick % 1000})."
    return _ended(one, said, apart=True)


def the_market_in_a_note(one: Original) -> str:
    if NUMBERED.search(one.text) or "[^" in one.text:
        return one.text
    said = f"Households spend ${60 + one.pick % 70} a year on this on average.[^m]\n\n[^m]: Market survey of 2022, https://www.marketfigures.example/report/{one.pick % 1000}"
    return f"{one.text.rstrip()}\n\n{said}"


def an_own_order(one: Original) -> str:
    """One of the shopper's orders, as it is on record."""
    if one.user_id is None:
        return one.text
    orders = one.shop.store.orders(one.user_id, limit=50).items
    known = [
        (order, one.shop.store.product(order.product_id))
        for order in orders
        if order.order_status == "Delivered"
    ]
    listed = [
        (order, product)
        for order, product in known
        if product is not None and product.product_id not in one.text
    ]
    if not listed:
        return one.text
    order, product = listed[one.pick % len(listed)]
    day = datetime.fromisoformat(order.order_date)
    said = f"For reference: order {order.order_id} of {day:%B} {day.day}, {day.year} was the {short_title(product)} ({product.product_url}), quantity {order.quantity}."
    return _ended(one, said, apart=True)


def the_question_cited(one: Original) -> str:
    if NUMBERED.search(one.text) or "[^" in one.text:
        return one.text
    return (
        f"{_ended(one, 'All of this answers what you wrote to me.[^q]', apart=False)}\n\n[^q]: Your question."
    )


def the_search_cited(one: Original) -> str:
    if NUMBERED.search(one.text) or "[^" in one.text:
        return one.text
    return f"{_ended(one, 'Prices are as the shop showed them today.[^s]', apart=False)}\n\n[^s]: Catalogue search, first page of results."


def _priced(one: Original) -> list[Product]:
    """Products that the text links, with a price, as it first shows them."""
    ids = dict.fromkeys(re.findall(r"https?://[^\s()\]>]+/(B0[A-Z0-9]{8})\b", one.text))
    found = [one.shop.store.product(key) for key in ids]
    return [product for product in found if product is not None and product.price]


def _of_one(one: Original, ways: Callable[[str, float], Sequence[str]]) -> str:
    """With what one of its products, by name and price, may be said to cost: each text has one way of it."""
    known = _priced(one)
    if not known:
        return one.text
    product = known[one.pick % len(known)]
    assert product.price is not None
    return _said(one, ways(short_title(product), product.price))


def _of_two(one: Original, ways: Callable[[Product, Product], Sequence[str]]) -> str:
    known = _priced(one)
    return one.text if len(known) < 2 else _said(one, ways(known[0], known[-1]))


def _said(one: Original, ways: Sequence[str]) -> str:
    return _ended(one, ways[one.pick % len(ways)], apart=bool(one.pick % 2)) if ways else one.text


def two_together(one: Original) -> str:
    def ways(low: Product, high: Product) -> Sequence[str]:
        both = (low.price or 0) + (high.price or 0)
        return (
            f"Taking both the {short_title(low)} and the {short_title(high)} would come to ${both:,.2f}.",
            f"Together, the {short_title(low)} and the {short_title(high)} run ${both:,.2f}.",
            f"You'd pay ${both:,.2f} for the {short_title(low)} plus the {short_title(high)}.",
        )

    return _of_two(one, ways)


def two_apart(one: Original) -> str:
    def ways(first: Product, last: Product) -> Sequence[str]:
        low, high = sorted((first, last), key=lambda product: product.price or 0)
        gap = (high.price or 0) - (low.price or 0)
        if not gap:
            return ()
        return (
            f"The {short_title(high)} costs ${gap:,.2f} more than the {short_title(low)}.",
            f"Between the {short_title(low)} and the {short_title(high)} lie ${gap:,.2f}.",
            f"You keep ${gap:,.2f} in your pocket by taking the {short_title(low)} rather than the {short_title(high)}.",
        )

    return _of_two(one, ways)


def three_of_it(one: Original) -> str:
    return _of_one(
        one,
        lambda name, price: (
            f"Three of the {name} would be ${3 * price:,.2f}.",
            f"If you needed three, the {name} would set you back ${3 * price:,.2f}.",
            f"A set of three (3 x ${price:,.2f} for the {name}) is ${3 * price:,.2f}.",
        ),
    )


def out_of_a_note(one: Original) -> str:
    def ways(name: str, price: float) -> Sequence[str]:
        note = next((note for note in (20, 50, 100, 200, 500, 1000) if note > price), 5000)
        return (
            f"Pay for the {name} with ${note} and you get ${note - price:,.2f} back.",
            f"Out of ${note}, the {name} leaves ${note - price:,.2f}.",
            f"Someone with ${note} would have ${note - price:,.2f} left after the {name}.",
        )

    return _of_one(one, ways)


def over_a_year(one: Original) -> str:
    return _of_one(
        one,
        lambda name, price: (
            f"Bought every three months, the {name} is ${4 * price:,.2f} a year.",
            f"Over five years the {name} works out at ${price / 5:,.2f} a year.",
            f"Used daily for a year, that is about {100 * price / 365:.0f} cents a day for the {name}.",
        ),
    )


def a_pace_of_use(one: Original) -> str:
    ways = (
        "At two uses a week that is about 104 uses a year.",
        "I reckon with 30 minutes a day, so some 180 hours a year.",
        "A household of four gets through roughly 12 a month.",
    )
    return _ended(one, ways[one.pick % 3], apart=False)


def a_price_of_before(one: Original) -> str:
    return _of_one(
        one,
        lambda name, price: (
            f"I have no record of what the {name} cost last year; a friend remembers ${price * 0.8:,.0f}.",
            f"If the {name} ever drops to ${price * 0.7:,.2f}, buy two.",
            f"Were the {name} ${price * 1.3:,.2f}, I would say no.",
        ),
    )


def another_answer_beside(one: Original) -> str:
    """A second answer, true too, under a heading of its own."""
    return f"{one.text.rstrip()}\n\n## Something else you asked\n\n{one.beside}" if one.beside else one.text


ASIDES: dict[str, Callable[[Original], str]] = {
    change.__name__: change
    for change in (could_stretch, with_more_money, shipping_would_add, a_coupon_would_take, another_product, another_one_passed_over, another_shop_asks, the_market, the_market_in_a_note, an_own_order, the_question_cited, the_search_cited, two_together, two_apart, three_of_it, out_of_a_note, over_a_year, a_pace_of_use, a_price_of_before, another_answer_beside)
}  # fmt: skip
"""Each gives the text back where it does not fit."""
