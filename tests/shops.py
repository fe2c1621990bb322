"""Small shops from rows that a test can show on one screen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from drr.env.content import OrderColumns, UserRow
from drr.env.entities import ORDER_STATUSES, Product
from drr.env.settings import Settings
from drr.env.shop import Manifest, shop_writer

from tests.commands import drr

OrderRow = tuple[int, str, int, int, int, str]
"""Number, product, position of the user, moment in milliseconds, quantity, status."""


def write_rows(
    spec: str,
    settings: Settings,
    products: Sequence[Product],
    users: list[UserRow],
    orders: Sequence[OrderRow],
    *,
    replace: bool = False,
) -> None:
    """Write a shop of these rows, as of 20 June 2022."""
    places = {product.product_id: place for place, product in enumerate(products)}
    told = [list(column) for column in zip(*orders, strict=True)] or [[] for _ in range(6)]
    numbers, named, buyers, moments, quantities, statuses = told
    columns = OrderColumns(
        numbers,
        [places[name] for name in named],
        buyers,
        moments,
        quantities,
        [ORDER_STATUSES.index(status) for status in statuses],
    )
    with shop_writer(spec, settings, replace=replace) as writer:
        writer.write_products(products)
        writer.write_users([users])
        writer.write_orders([columns])
        counts = {"products": len(products), "users": len(users), "orders": len(orders)}
        writer.publish(Manifest(backend="", as_of="2022-06-20", content_hash="", counts=counts))


def shop_of_axes(folder: Path, axes: str) -> Path:
    """Make a shop with these axes; return its place, with shop and web."""
    (folder / "axes.toml").write_text(axes)
    words = ("shop", "make", "--seed", 3, "--axes", folder / "axes.toml", "--out", folder / "made", "--quiet")
    assert drr(*words) == 0
    return folder / "made"
