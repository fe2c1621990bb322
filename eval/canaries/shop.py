"""The little shop of the canaries: what their reports cite and recommend."""

from __future__ import annotations

from drr.env.entities import ORDER_STATUSES, Product
from drr.env.settings import Settings
from drr.env.shop import Manifest, OrderColumns, UserRow, shop_writer

ANNA, BEN = "ANNA000000000000000000000001", "BEN0000000000000000000000002"
FEEDER, SEED, BATH, GRINDER = "B0BN7FLXLV", "B0SEED0001", "B0BATH0001", "B0GRINDER1"
_BIRDS = ("Patio, Lawn & Garden", "Birds")


def _product(product_id: str, title: str, price: float, path: tuple[str, ...], **more: object) -> Product:
    values: dict[str, object] = {
        "product_id": product_id,
        "product_url": "",
        "title": title,
        "features": [],
        "description": [],
        "price": price,
        "store": "Nestwell",
        "categories": list(path),
        "details": {},
        "average_rating": 4.5,
        "rating_number": 2067,
        "main_category": path[0],
        "category": path[0].replace(", ", "_").replace(" & ", "_and_").replace(" ", "_"),
    }
    return Product.model_validate(values | more)


PRODUCTS = sorted(
    [
        _product(
            FEEDER,
            "Panorama wild bird feeder with six ports",
            19.99,
            (*_BIRDS, "Feeders"),
            features=["Holds six pounds of seed", "Rust-resistant steel pole"],
            details={"Color": "Green", "Item Weight": "4 pounds"},
        ),
        _product(SEED, "Black oil sunflower seed for birds", 12.49, (*_BIRDS, "Food")),
        _product(BATH, "Stone bird bath", 64.5, (*_BIRDS, "Baths")),
        _product(GRINDER, "Quiet dog nail grinder", 31.0, ("Pet Supplies", "Dogs", "Grooming")),
    ],
    key=lambda product: product.product_id,
)
_USERS = [
    UserRow(ANNA, "anna@post.example", "Anna", "Ortiz", "001-657-735-4762", "6598 Daniel Plains", "Norman", "OK", "73019"),
    UserRow(BEN, "ben@post.example", "Ben", "Okafor", "555-010-0199", "12 Main Street", "Salem", "OR", "97301"),
]  # fmt: skip
_ORDERS = [
    (1000000000000003, FEEDER, 0, 1_655_000_000_000, 2),
    (1000000000000010, GRINDER, 1, 1_655_600_000_000, 1),
]


def write_shop(spec: str, settings: Settings) -> None:
    places = {product.product_id: k for k, product in enumerate(PRODUCTS)}
    with shop_writer(spec, settings, replace=True) as writer:
        writer.write_products(PRODUCTS)
        writer.write_users([_USERS])
        writer.write_orders(
            [
                OrderColumns(
                    [number for number, *_ in _ORDERS],
                    [places[product] for _, product, *_ in _ORDERS],
                    [user for _, _, user, *_ in _ORDERS],
                    [when for *_, when, _ in _ORDERS],
                    [count for *_, count in _ORDERS],
                    [ORDER_STATUSES.index("Delivered")] * len(_ORDERS),
                )
            ]
        )
        counts = {"products": len(PRODUCTS), "users": len(_USERS), "orders": len(_ORDERS)}
        writer.publish(Manifest(backend="", as_of="2022-06-20", content_hash="", counts=counts))
