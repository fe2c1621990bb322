"""A shop of any size for measurements: Zipf words, power-law users, everything by a seed.

Words are invented, so posting lists have a real shape and the text means nothing.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import accumulate

import numpy as np
from drr.env.content import BATCH, OrderColumns, UserRow
from drr.env.entities import Product
from drr.env.shop import Manifest, ShopWriter

PAPER = {"products": 80_000, "users": 1_800_000, "orders": 4_300_000}
_SYLLABLES = [
    "ba",
    "be",
    "co",
    "da",
    "do",
    "fe",
    "ga",
    "gra",
    "hi",
    "in",
    "ja",
    "ka",
    "la",
    "lo",
    "ma",
    "me",
    "mi",
    "no",
    "ne",
    "or",
    "pa",
    "pe",
    "pro",
    "qua",
    "ra",
    "ri",
    "sa",
    "sta",
    "te",
    "tri",
    "ul",
    "va",
    "wo",
    "xi",
    "yo",
    "zen",
]
_CATEGORIES = [f"Category_{letter}" for letter in "ABCDEFGHIJKL"]


def sizes(scale: float) -> dict[str, int]:
    return {name: max(int(count * scale), 100) for name, count in PAPER.items()}


def vocabulary(rng: random.Random, count: int = 30_000) -> list[str]:
    words = dict.fromkeys("".join(rng.choices(_SYLLABLES, k=rng.randint(1, 4))) for _ in range(count * 2))
    return list(words)[:count]


def products(count: int, seed: int = 9) -> Iterator[Product]:
    """Yield products with about 1.3 KB of text each, as in the big categories of the real data."""
    rng = random.Random(seed)
    words = vocabulary(rng)
    weights = list(accumulate(1 / (rank + 5) ** 0.9 for rank in range(len(words))))

    def text(length: int) -> str:
        return " ".join(rng.choices(words, cum_weights=weights, k=length))

    for number in range(count):
        category = _CATEGORIES[int(len(_CATEGORIES) * rng.random() ** 1.7)]
        yield Product(
            product_id=f"B{number:09d}",
            product_url="",
            title=text(rng.randint(8, 22)),
            features=[text(rng.randint(8, 30)) for _ in range(rng.randint(0, 6))],
            description=[text(rng.randint(20, 160))] if rng.random() < 0.6 else [],
            price=None if rng.random() < 0.55 else round(rng.lognormvariate(3, 0.8), 2),
            store=text(2) if rng.random() < 0.95 else None,
            categories=[category.replace("_", " "), f"Shelf {rng.randrange(40)}"],
            details={f"Detail {k}": text(3) for k in range(8)}
            | {"Best Sellers Rank": {category: rng.randrange(10**6)}},
            average_rating=round(rng.uniform(2.5, 5), 1),
            rating_number=int(rng.paretovariate(0.7)),
            category=category,
        )


def users(count: int) -> Iterator[list[UserRow]]:
    for first in range(0, count, BATCH):
        yield [
            UserRow(
                f"A{number:027d}",
                f"name.surname{number}@example.org",
                f"Name{number % 3001}",
                f"Surname{number % 977}",
                f"+1-555-01{number % 100:02d}",
                f"{number % 9999} Maple Street",
                f"Springfield {number % 500}",
                "IL",
                f"{number % 99_999:05d}",
            )
            for number in range(first, min(first + BATCH, count))
        ]


def orders(counts: dict[str, int], seed: int = 5) -> Iterator[OrderColumns]:
    rng = np.random.default_rng(seed)
    n_users, n_orders = counts["users"], counts["orders"]
    weights = np.cumsum(1 / (np.arange(n_users) + 50.0) ** 0.75)
    extra = np.searchsorted(weights, rng.random(n_orders - n_users) * weights[-1])
    user = np.sort(rng.permutation(n_users)[np.concatenate([np.arange(n_users), extra])])
    moment = rng.integers(1_546_300_800_000, 1_694_000_000_000, n_orders)
    order_id = rng.permutation(n_orders).astype(np.int64) * 2_000_003 + 1_000_000_000_000_000
    where = np.lexsort((order_id, -moment, user))
    product = rng.integers(0, counts["products"], n_orders)
    columns = (
        order_id[where],
        product,
        user[where],
        moment[where],
        np.ones(n_orders, np.int64),
        np.zeros(n_orders, np.int64),
    )
    for first in range(0, n_orders, 100_000):
        yield OrderColumns(*(column[first : first + 100_000] for column in columns))


def write(writer: ShopWriter, scale: float) -> Manifest:
    counts = sizes(scale)
    writer.write_products(products(counts["products"]))
    writer.write_users(users(counts["users"]))
    writer.write_orders(orders(counts))
    return writer.publish(
        Manifest(backend="", as_of="", content_hash="", counts={}, recipe={"synthetic": scale})
    )
