"""Shops in folders of their own."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from drr.env.content import OrderColumns, UserRow
from drr.env.entities import Product
from drr.env.settings import Settings
from drr.env.shop import Manifest, shop_writer


def build(folder: Path, *, products: int = 30, replace: bool = False, text: str = "bird feeder") -> Manifest:
    """A shop of `products` products, two users and three orders."""
    with shop_writer(str(folder), Settings(), replace=replace) as writer:
        writer.write_products(
            Product(
                product_id=f"B{number:09d}", product_url="", title=f"{text} {number}", features=["\x1b[31mred\x1b[0m\x07", "two"],
                description=[], price=None if number % 3 == 0 else number + 0.5, store="Acme", categories=["Pet Supplies", "Birds"],
                details={"No. of perches": "4"}, average_rating=4.0, rating_number=number,
                category="Pet_Supplies" if number % 2 else "Patio_Lawn_and_Garden",
            )
            for number in range(products)
        )  # fmt: skip
        where = ("+1", "1 Elm St", "C", "IL", "60601")
        writer.write_users([[UserRow(f"A{n}", f"a{n}@example.org", "Ann", "Lee", *where) for n in (1, 2)]])
        moments = [1_650_000_000_735, 1_650_000_000_734, 1_600_000_000_000]
        writer.write_orders([OrderColumns([5, 6, 7], [0, 1, 2], [0, 0, 1], moments, [1, 1, 2], [0, 3, 1])])
        rows = {"reviews": 5, "orders": 3, "duplicates": 1, "not_selected": 0, "quarantined": 1}
        recipe = {"pick": "meta-prefix", "categories": ["Pet_Supplies"]}
        told = {"recipe": recipe, "rows": rows, "quarantined": {"not JSON": 1}}
        return writer.publish(
            Manifest.model_validate({"backend": "", "as_of": "", "content_hash": "", "counts": {}, **told})
        )


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built") / "shop"
    build(folder)
    return folder


@pytest.fixture
def folder(built: Path, tmp_path: Path) -> Path:
    """A copy of the shop, to be spoilt."""
    return Path(shutil.copytree(built, tmp_path / "shop"))


@pytest.fixture(scope="session")
def builder() -> Callable[..., Manifest]:
    return build
