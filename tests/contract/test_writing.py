"""Writing a shop: all of it or nothing of it, the same content hash everywhere, wrong input named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from drr.env.content import Columns, ContentHash, OrderColumns, batched, user_row
from drr.env.copy import copy_shop
from drr.env.errors import ShopError
from drr.env.progress import Quiet
from drr.env.settings import Settings
from drr.env.shop import Manifest, Shop, check_shop, open_shop, shop_writer

if TYPE_CHECKING:
    from tests.contract.conftest import Data

# Of `make_data(7)`: a change of this value changes the key of every study ever run.
CONTENT_HASH = "5503b07eac3871eb7dfa0cba50b742a83cbb8028deccd613d04e60f6553044b1"

Name = Callable[[str], str]
Write = Callable[..., Manifest]


def content_of(shop: Shop) -> ContentHash:
    """Give the hash of what an open shop really holds, read record by record."""
    found = ContentHash()
    product_ids: list[str] = []
    user_ids: list[str] = []
    for products in batched(shop.store.iter_products()):
        found.add_products(products)
        product_ids += [p.product_id for p in products]
    for users in batched(shop.store.iter_users()):
        found.add_users([user_row(u) for u in users])
        user_ids += [u.user_id for u in users]
    columns = Columns(product_ids, user_ids)
    for orders in batched(shop.store.iter_orders()):
        found.add_orders(columns(orders))
    return found


def test_the_manifest_and_its_hash_are_those_of_the_records(
    shop: Shop, data: Data, spec: str, settings: Settings
) -> None:
    manifest = shop.manifest
    held = {"products": data.products, "users": data.users, "orders": data.orders}
    assert manifest.counts == {kind: len(some) for kind, some in held.items()}
    newest = max(order.order_date for order in data.orders)
    assert manifest.as_of[:8] == newest[:8] and int(manifest.as_of[8:]) == int(newest[8:10]) + 1
    assert manifest.recipe == {"made": "by hand"}
    assert manifest.versions["text"]
    assert manifest.sizes["total"] > 0
    assert shop.manifest.content_hash == CONTENT_HASH
    assert content_of(shop).digest(shop.manifest.as_of) == CONTENT_HASH
    assert list(check_shop(spec, settings)) == []
    with open_shop(spec, settings.model_copy(update={"shop_url": "https://elsewhere.example"})) as other:
        assert other.shop_url == "https://elsewhere.example"
        product = other.store.product("B000TIE001")
        assert product is not None and product.product_url == "https://elsewhere.example/B000TIE001"
        assert content_of(other).digest(other.manifest.as_of) == shop.manifest.content_hash


def test_a_copy_is_the_same_shop(spec_of: Name, shop: Shop, settings: Settings) -> None:
    name = spec_of("copied")
    with shop_writer(name, settings) as writer:
        manifest = copy_shop(shop, writer, Quiet())
    assert manifest.content_hash == shop.manifest.content_hash
    with open_shop(name, settings) as copied:
        assert list(copied.store.iter_orders()) == list(shop.store.iter_orders())
    assert list(check_shop(name, settings)) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda data: replace(
            data, products=[*data.products[:-1], data.products[-1].model_copy(update={"price": 1.23})]
        ),
        lambda data: replace(
            data, users=[data.users[0].model_copy(update={"phone_number": "1"}), *data.users[1:]]
        ),
        lambda data: replace(data, orders=data.orders[1:]),
        lambda data: replace(
            data, orders=[data.orders[0].model_copy(update={"quantity": 9}), *data.orders[1:]]
        ),
    ],
    ids=["price", "phone", "order gone", "quantity"],
)
def test_any_change_of_a_record_changes_the_hash(
    spec_of: Name, data: Data, settings: Settings, write: Write, shop: Shop, change: Callable[[Data], Data]
) -> None:
    changed = write(change(data), spec_of("changed"), settings, replace=True)
    assert changed.content_hash != shop.manifest.content_hash


def test_an_empty_shop_is_a_shop(spec_of: Name, data: Data, settings: Settings, write: Write) -> None:
    name = spec_of("empty")
    write(replace(data, products=[], users=[], orders=[]), name, settings)
    with open_shop(name, settings) as empty:
        assert empty.manifest.counts == {"products": 0, "users": 0, "orders": 0}
        assert empty.catalog.categories() == {}
        assert empty.store.sample_users(3, seed=1) == []
        assert list(empty.store.iter_orders()) == []
    assert list(check_shop(name, settings)) == []


def test_an_existing_shop_is_replaced_only_when_asked_and_published(
    spec_of: Name, data: Data, settings: Settings, write: Write
) -> None:
    name = spec_of("replaced")
    first = write(data, name, settings)
    fewer = replace(data, orders=data.orders[:100])
    with pytest.raises(ShopError, match="--replace"):
        write(fewer, name, settings)
    with open_shop(name, settings) as before:
        assert before.manifest.content_hash == first.content_hash
    second = write(fewer, name, settings, replace=True)
    with open_shop(name, settings) as after:
        assert after.manifest.content_hash == second.content_hash != first.content_hash
        assert len(list(after.store.iter_orders())) == 100
    assert list(check_shop(name, settings)) == []
    with pytest.raises(RuntimeError), shop_writer(name, settings, replace=True) as writer:
        writer.write_products(data.products[:5])
        raise RuntimeError("stop")
    with open_shop(name, settings) as left:
        assert left.manifest == second, "what was not published leaves the old shop"
        assert len(list(left.store.iter_products())) == len(data.products)


def test_what_is_unpublished_or_of_other_content_is_no_shop(
    spec_of: Name, data: Data, settings: Settings
) -> None:
    name = spec_of("unborn")
    with shop_writer(name, settings) as writer:
        writer.write_products(data.products)
    with pytest.raises(ShopError, match="no such shop"):
        open_shop(name, settings)
    assert len(list(check_shop(name, settings))) == 1
    manifest = Manifest(backend="", as_of="", content_hash="0" * 64, counts={})
    with pytest.raises(ShopError, match="content hash"), shop_writer(spec_of("other"), settings) as writer:
        writer.write_products(data.products)
        writer.write_users([])
        writer.write_orders([])
        writer.publish(manifest)
    for products in (data.products[::-1], [data.products[0]] * 2):
        with (
            pytest.raises(ShopError, match="each once"),
            shop_writer(spec_of("disorder"), settings) as writer,
        ):
            writer.write_products(products)


def _orders(**wrong: list[int]) -> OrderColumns:
    columns: dict[str, Any] = {"order_id": [1, 2], "product": [0, 0], "user": [0, 1], "timestamp_ms": [5, 5]}
    return OrderColumns(**{**columns, "quantity": [1, 1], "status": [0, 0], **wrong})


@pytest.mark.parametrize(
    ("batches", "message"),
    [
        ([_orders(product=[0, 10**6])], "was not written"),
        ([_orders(user=[-1, 0])], "was not written"),
        ([_orders(user=[1, 0])], "newest first"),
        ([_orders(user=[0, 0], timestamp_ms=[5, 6])], "newest first"),
        ([_orders(user=[0, 0], order_id=[2, 1])], "newest first"),
        ([_orders(), _orders()], "newest first"),
        ([_orders(order_id=[1, 1])], "occurs twice"),
    ],
)
def test_orders_out_of_order_or_of_nothing_are_refused(
    spec_of: Name, data: Data, settings: Settings, batches: list[OrderColumns], message: str
) -> None:
    name = spec_of("refused")
    with pytest.raises(ShopError, match=message), shop_writer(name, settings) as writer:
        writer.write_products(data.products[:3])
        writer.write_users([[user_row(user) for user in data.users[:3]]])
        writer.write_orders(batches)
    with pytest.raises(ShopError, match="no such shop"):
        open_shop(name, settings)
