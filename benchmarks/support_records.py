"""Claims made by code from a shop's own records, so that their label is known: rows of a table, prices, ratings, words of the listing, orders, as reports
have them; and each with a figure, a day or a thing that is another's.

python -m benchmarks.support_records SHOP > benchmarks/pairs/records.jsonl
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from random import Random

import orjson
from drr.env.entities import Order, Product
from drr.env.records.order import order_evidence
from drr.env.records.product import product_evidence
from drr.env.settings import Settings
from drr.env.shop import Shop, open_shop

_PRODUCTS, _ORDERS = 24, 12
_STEP = 7
Told = tuple[str, str, str]
"""Claim, label, manner."""


def pairs_of(shop: Shop, seed: int = 1) -> Iterator[dict[str, str]]:
    lot = Random(seed)
    known = [one for one in islice(shop.store.iter_products(), 4000) if _is_whole(one)]
    chosen = lot.sample(known, _PRODUCTS)
    for product, other in zip(chosen, [*chosen[1:], chosen[0]], strict=True):
        yield from _lines(
            product_evidence(product).text, product.product_id, _of_product(product, other, lot)
        )
    orders = [order for order in islice(shop.store.iter_orders(), 4000) if order.product_id]
    held = lot.sample(orders, _ORDERS * _STEP)
    products = {one.product_id: one for one in shop.store.products([order.product_id for order in held])}
    sold = [order for order in held if order.product_id in products][:_ORDERS]
    for order, later in zip(sold, [*sold[1:], sold[0]], strict=True):
        text = order_evidence(order, products[order.product_id])
        yield from _lines(text, order.order_id, _of_order(order, later, products))


def _lines(evidence: str, name: str, told: Iterator[Told]) -> Iterator[dict[str, str]]:
    for number, (claim, label, manner) in enumerate(told, 1):
        yield {
            "id": f"r-{name}-{number}",
            "evidence_id": f"r-{name}",
            "evidence": evidence,
            "claim": claim,
            "label": label,
            "manner": manner,
        }


def _is_whole(product: Product) -> bool:
    return (
        None not in (product.price, product.average_rating, product.rating_number)
        and len(product.features) > 2
    )


def _name(product: Product) -> str:
    return product.title.split(",")[0]


def _of_product(one: Product, other: Product, lot: Random) -> Iterator[Told]:
    name, stars, number = _name(one), one.average_rating, one.rating_number
    price, wrong = f"${one.price:.2f}", f"${other.price:.2f}"
    first, second = lot.sample(list(one.features), 2)
    foreign = lot.choice([text for text in other.features if text not in one.features])
    row = f"Item: {name}; Cost: %s; Stars: {stars}; Reviews: {number:,}"
    yield row % price, "full", "row"
    yield f"{name} costs {price} and has {stars} stars from {number:,} ratings.", "full", "sentence"
    yield f"Best choice: {name}, {price} ({stars}/5, {number} ratings).", "full", "short"
    yield (
        f"Its listing for the {name} says \u201c{first}\u201d and \u201c{second}\u201d",
        "full",
        "two quotations",
    )
    yield f"- {first}", "full", "one line"
    yield f"{name}: {first.rstrip('.')}; {second}", "full", "two lines"
    yield (
        f"{name} costs {price} and comes with a lifetime guarantee from the maker.",
        "partial",
        "something added",
    )
    yield f"{name}: {first.rstrip('.')}, and it is the bestseller of its kind.", "partial", "something added"
    if wrong != price:
        yield row % wrong, "partial", "row with another price"
        yield f"{name} costs {wrong}.", "none", "another price"
    yield f"{_name(other)}: {foreign}", "none", "another product"
    yield f"Its listing for the {name} says \u201c{foreign}\u201d", "none", "another's quotation"


def _of_order(one: Order, other: Order, products: dict[str, Product]) -> Iterator[Told]:
    name, foreign = (_name(products[order.product_id]) for order in (one, other))
    day, later = one.order_date[:10], other.order_date[:10]
    yield f"You ordered the {name} on {day}.", "full", "order"
    yield f"{day}: {name}", "full", "order in short"
    yield f"Your order of {day} was the {name}, and you gave it to a friend.", "partial", "something added"
    if later != day:
        yield f"You ordered the {name} on {later}.", "none", "another day"
    if foreign != name:
        yield f"On {day} you ordered the {foreign}.", "none", "another product"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shop", type=Path)
    given = parser.parse_args(arguments)
    with open_shop(str(given.shop), Settings()) as shop:
        for line in pairs_of(shop):
            sys.stdout.buffer.write(orjson.dumps(line) + b"\n")


if __name__ == "__main__":
    main()
