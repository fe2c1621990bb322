"""A small shop with everything in it that ever went wrong, built through the writer of each backend."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from drr.env.content import OrderColumns, user_row
from drr.env.entities import ORDER_STATUSES, Address, Order, Product, User, iso_from_ms
from drr.env.settings import Settings
from drr.env.shop import Manifest, Shop, open_shop, shop_writer

from tests.cases import cases

# Four words that most titles share, and tails that few do.
_WORDS = cases("contract", "_WORDS")
_CATEGORIES = {
    "Pet_Supplies": ["Pet Supplies", "Birds", "Feeders"],
    "Patio_Lawn_and_Garden": ["Patio, Lawn & Garden", "Backyard Birding & Wildlife"],
    "All_Beauty": ["All_Beauty"],
    "Health_and_Household": ["Health & Household", "Oral Care"],
}
DAY_MS = 86_400_000
START_MS = 1_600_000_000_000


@dataclass(frozen=True)
class Data:
    """The records themselves: what every answer is compared with."""

    products: list[Product]
    users: list[User]
    orders: list[Order]
    """By user id, newest first, then order id."""
    product: dict[str, Product] = field(default_factory=dict)
    user: dict[str, User] = field(default_factory=dict)

    def orders_of(self, user_id: str) -> list[Order]:
        return [order for order in self.orders if order.user_id == user_id]


def _product(product_id: str, title: str, category: str = "Pet_Supplies", **more: object) -> Product:
    fields: dict[str, object] = {
        "product_id": product_id, "product_url": "", "title": title, "features": [], "description": [], "price": None,
        "store": None, "categories": _CATEGORIES[category], "details": {}, "category": category,
    }  # fmt: skip
    return Product.model_validate(fields | more)


_DETAILS = {
    "Number of USB 3.0 Ports": "4", "No. of wires?": "2", "$price": "x", "": "empty",
    "Best Sellers Rank": {"Electronics": 317736, "Smart Arm & Wristband Accessories": 12926, "a.b": 1},
    "Nested": {"deep": {"er": [1, 2.5, None, True, {"k.v": "w"}]}}, "Float": 1.0, "Whole": 1,
}  # fmt: skip


def _hand_made() -> list[Product]:
    return [
        _product("B000DOTS01", "Hub with USB 3.0", details=_DETAILS),
        _product("B000EMPTY1", "", price=0.0, average_rating=None, rating_number=None, categories=[]),
        _product(
            "B000UNICOD",
            "Café crème — 日本語の箱 “smart” 🐦",
            features=["ﬁne ﬁbre", "ＦＵＬＬ width", "a\u200bb"],
            description=["Straße", "x" * 30_000],
            price=19.99,
            store="Ünïcode & Söhne",
            bought_together=["B000DOTS01"],
            main_category=None,
        ),
        _product("B000TIE001", "tie tie", price=5.0, average_rating=4.5, rating_number=10),
        _product("B000TIE002", "tie tie", price=5.0, average_rating=4.5, rating_number=10),
        _product("B000TIE003", "tie tie", price=5.0, average_rating=4.5, rating_number=10),
        _product("B000CENTS1", "cents", price=1.005, average_rating=3.0, rating_number=1),
        _product("B000CENTS2", "cents", price=0.1, average_rating=5.0, rating_number=507_202),
        _product("B000MARKUP", '<b>bold</b> &amp; \' OR 1=1 -- " \\ {"$gt": ""}', price=34_355.69),
    ]


def _generated(rng: random.Random) -> Iterator[Product]:
    for number in range(240):
        words = rng.choices(_WORDS, weights=[10] * 8 + [2] * (len(_WORDS) - 8), k=rng.randint(2, 9))
        category = rng.choice(list(_CATEGORIES))
        yield _product(
            f"B1{number:08d}",
            " ".join(words).title() if rng.random() < 0.5 else " ".join(words),
            category,
            features=[" ".join(rng.choices(_WORDS, k=5)) for _ in range(rng.randint(0, 4))],
            description=[" ".join(rng.choices(_WORDS, k=20))] if rng.random() < 0.5 else [],
            price=None if rng.random() < 0.4 else round(rng.uniform(1, 60), 2),
            store=rng.choice([None, "Acme", "Birdsong", "Zenith"]),
            average_rating=None if rng.random() < 0.1 else rng.choice([1.0, 3.5, 4.0, 4.5, 5.0]),
            rating_number=None if rng.random() < 0.1 else rng.choice([1, 2, 3, 500]),
            main_category=rng.choice([None, "Amazon Home"]),
        )


def _users(rng: random.Random) -> Iterator[User]:
    first, last = ("Ann", "Bob", "Zoë", "李"), ("Lee", "O'Neil", "Müller")
    for number in range(60):
        given, family = rng.choice(first), rng.choice(last)
        yield User(
            user_id=f"A{number:027d}" if number % 7 else f"AE{number:03d}ÅÉ",
            email=f"{given}.{family}.{number}@Example.org",
            first_name=given,
            last_name=family,
            phone_number=f"+1-555-01{number:02d}",
            address=Address(address1=f"{number} Elm St", city="Springfield", state="IL", zip=f"{number:05d}"),
            account_status="active" if number % 5 else "suspended",
        )


def make_data(seed: int = 7) -> Data:
    rng = random.Random(seed)
    products = sorted([*_hand_made(), *_generated(rng)], key=lambda p: p.product_id)
    users = sorted(_users(rng), key=lambda u: u.user_id)
    times = [START_MS + rng.randrange(900) * DAY_MS + rng.randrange(DAY_MS) for _ in range(200)]
    rows = []
    for number in range(700):
        # The first ten users have no order, one has a hundred, and many orders share a moment.
        user = users[10] if number < 100 else rng.choice(users[11:])
        rows.append((user.user_id, rng.choice(times), rng.randrange(10**16), rng.choice(products).product_id))
    rows.sort(key=lambda row: (row[0], -row[1], row[2]))
    orders = [
        Order(
            order_id=f"{order_id:016d}",
            product_id=product_id,
            user_id=user_id,
            order_date=iso_from_ms(moment),
            quantity=rng.choice([1, 1, 1, 2, 5]),
            order_status=rng.choice(ORDER_STATUSES),
        )
        for user_id, moment, order_id, product_id in rows
    ]
    by_id = {p.product_id: p for p in products}, {u.user_id: u for u in users}
    return Data(products, users, orders, *by_id)


def write_shop(data: Data, spec: str, settings: Settings, *, replace: bool = False) -> Manifest:
    """In small, uneven batches, so that batching is part of what is tested."""
    from drr.env.content import Columns, batched

    columns = Columns([p.product_id for p in data.products], [u.user_id for u in data.users])
    with shop_writer(spec, settings, replace=replace) as writer:
        assert writer.write_products(iter(data.products)) == len(data.products)
        rows = [user_row(user) for user in data.users]
        assert writer.write_users([[], rows[:7], rows[7:]]) == len(data.users)
        batches: list[OrderColumns] = [columns(batch) for batch in batched(data.orders, 37)]
        assert writer.write_orders(batches) == len(data.orders)
        manifest = Manifest(backend="", as_of="", content_hash="", counts={}, recipe={"made": "by hand"})
        return writer.publish(manifest)


@pytest.fixture(scope="session")
def data() -> Data:
    return make_data()


@pytest.fixture(scope="session", params=["embedded", pytest.param("servers", marks=pytest.mark.servers)])
def backend(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="session")
def settings(backend: str) -> Settings:
    if backend == "servers":
        from tests.servers import running

        return running.settings()
    return Settings(shop_url="http://shop.example/")


@pytest.fixture(scope="session")
def spec_of(
    backend: str, settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], str]]:
    """Names a shop of the backend under test."""
    if backend == "embedded":
        root: Path = tmp_path_factory.mktemp("shops")
        yield lambda name: str(root / name)
        return
    from tests.servers.running import remove_shops

    prefix = f"drr-contract-{os.getpid()}"
    yield lambda name: f"servers:{prefix}-{name}"
    remove_shops(settings, prefix)


@pytest.fixture(scope="session")
def spec(spec_of: Callable[[str], str], data: Data, settings: Settings) -> str:
    name = spec_of("contract")
    write_shop(data, name, settings)
    return name


@pytest.fixture(scope="session")
def shop(spec: str, settings: Settings) -> Iterator[Shop]:
    with open_shop(spec, settings) as opened:
        yield opened


@pytest.fixture(scope="session")
def write() -> Callable[..., Manifest]:
    return write_shop
