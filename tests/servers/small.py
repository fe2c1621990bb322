"""A shop of two thousand products in a few batches, and a program that writes it: what is killed in these tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import orjson
from drr.env.entities import Product
from drr.env.settings import Settings
from drr.env.shop import Manifest, OrderColumns, UserRow, shop_writer

PRODUCTS, USERS = 1700, 6_000


def products(text: str = "bird feeder", count: int = PRODUCTS) -> Iterator[Product]:
    for number in range(count):
        yield Product(
            product_id=f"B{number:09d}",
            product_url="",
            title=f"{text} {number}",
            features=["cedar"],
            description=[],
            price=None if number % 3 == 0 else number + 0.5,
            store="Acme",
            categories=["Pet Supplies"],
            details={"No. of perches": "4"},
            average_rating=4.0,
            rating_number=number,
            category="Pet_Supplies",
        )


def users(count: int = USERS) -> list[UserRow]:
    return [
        UserRow(f"A{n:09d}", f"a{n}@example.org", "Ann", "Lee", "+1", "1 Elm St", "C", "IL", "60601")
        for n in range(count)
    ]


def write(spec: str, settings: Settings, *, replace: bool = False, text: str = "bird feeder") -> Manifest:
    with shop_writer(spec, settings, replace=replace) as writer:
        writer.write_products(products(text))
        rows = users()
        writer.write_users([rows])
        n = len(rows)
        moments = [1_650_000_000_000 + k for k in range(n)]
        ids, positions = [10**15 + k for k in range(n)], [k % PRODUCTS for k in range(n)]
        writer.write_orders([OrderColumns(ids, positions, list(range(n)), moments, [1] * n, [0] * n)])
        return writer.publish(
            Manifest(backend="", as_of="", content_hash="", counts={}, recipe={"text": text})
        )


if __name__ == "__main__":
    given = orjson.loads(Path(sys.argv[1]).read_bytes())
    print("begun", flush=True)
    write(given["spec"], Settings(**given["settings"]), replace=True, text=given["text"])
    print("done", flush=True)
