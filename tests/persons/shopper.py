"""A shopper by hand: orders of the kinds that a test is about."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from drr.env.entities import Address, Order, OrderStatus, Product, User
from drr.papers.pdr.records import PurchasedProduct, ShopperHistory

AS_OF = "2023-01-01"
ANNA = User(
    user_id="AANNA00000000000000000000001",
    email="anna@post.example",
    first_name="Anna",
    last_name="Ortiz",
    phone_number="001-657-735-4762",
    address=Address(address1="6598 Daniel Plains", city="Norman", state="OK", zip="73019"),
)


def thing(
    product_id: str, title: str, price: float | None = 20.0, kind: str = "Things", store: str = "Nestwell"
) -> Product:
    return Product(
        product_id=product_id,
        product_url=f"https://shop.example/dp/{product_id}",
        title=title,
        features=["Opens without tools.", "Weather-resistant steel."],
        description=[],
        price=price,
        store=store,
        categories=["Everything", "Department", kind],
        details={},
        category="Pet_Supplies",
    )


def bought(
    product: Product, days: Sequence[int], status: OrderStatus = "Delivered", first: int = 0
) -> list[PurchasedProduct]:
    """So many days before `AS_OF` each."""
    return [
        PurchasedProduct(
            Order(
                order_id=f"{first + 1000 + hash_of(product.product_id) * 100_000 + day:016d}",
                product_id=product.product_id,
                user_id=ANNA.user_id,
                order_date=f"{date.fromisoformat(AS_OF) - timedelta(days=day)}T12:00:00.000",
                order_status=status,
            ),
            product,
        )
        for day in days
    ]


def hash_of(text: str) -> int:
    return sum(map(ord, text))


def history(*lines: list[PurchasedProduct], user: User = ANNA) -> ShopperHistory:
    every = [line for part in lines for line in part]
    return ShopperHistory(user, AS_OF, sorted(every, key=lambda line: (line.day, line.order.order_id)))
