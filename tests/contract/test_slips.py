"""Delivery slips of orders: the same on every backend, part of the content hash, copied and checked, and shown by the tools."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from drr.env.copy import copy_shop
from drr.env.entities import Address, Order, Slip
from drr.env.progress import Quiet
from drr.env.records.shopper import history_evidence, order_evidence
from drr.env.session import Session
from drr.env.settings import Settings
from drr.env.shop import Manifest, Shop, check_shop, open_shop, shop_writer
from drr.env.web.sandbox import open_sandbox
from drr.tools.base import context_for
from drr.tools.registry import call_sync

from tests.contract.conftest import Data

Write = Callable[..., Manifest]
OAK = Address(address1="9 Oak Rd", city="Tulsa", state="OK", zip="74101")
SLIPS = (
    Slip(address=OAK),
    Slip(recipient="Zoë O'Neil", address=OAK, sold_as="Tie | 3 (Size: 3 feet)"),
    Slip(sold_as="Hub (Ports: 4)"),
)


def slipped(order: Order, at: int) -> Order:
    return order.model_copy(update={"slip": SLIPS[at % 7]}) if at % 7 < len(SLIPS) else order


@pytest.fixture(scope="module")
def sent(data: Data) -> Data:
    return replace(data, orders=[slipped(order, at) for at, order in enumerate(data.orders)])


@pytest.fixture(scope="module")
def there(spec_of: Callable[[str], str], sent: Data, settings: Settings, write: Write) -> str:
    spec = spec_of("slips")
    write(sent, spec, settings)
    return spec


def test_each_order_comes_back_with_its_slip_by_every_way(there: str, sent: Data, settings: Settings) -> None:
    with open_shop(there, settings) as shop:
        assert list(shop.store.iter_orders()) == sent.orders
        assert [shop.store.order(one.order_id) for one in sent.orders[:20]] == sent.orders[:20]
        for user in sent.users:
            assert shop.store.orders(user.user_id).items == sent.orders_of(user.user_id)
        documents = [one.document() for one in sent.orders]
        assert all(("slip" in row) == (at % 7 < 3) for at, row in enumerate(documents))
        bare = ({name: value for name, value in row.items() if name != "_id"} for row in documents)
        assert [Order.model_validate(row) for row in bare] == sent.orders
    assert list(check_shop(there, settings)) == []


def test_slips_are_part_of_the_content_and_a_copy_has_them(
    there: str, shop: Shop, settings: Settings, spec_of: Callable[[str], str], sent: Data, write: Write
) -> None:
    with open_shop(there, settings) as source:
        assert source.manifest.content_hash != shop.manifest.content_hash
        name = spec_of("slips-copied")
        with shop_writer(name, settings) as writer:
            assert copy_shop(source, writer, Quiet()).content_hash == source.manifest.content_hash
    with open_shop(name, settings) as copied:
        assert list(copied.store.iter_orders()) == sent.orders
    first = sent.orders[0].model_copy(update={"slip": SLIPS[2]})
    other = write(replace(sent, orders=[first, *sent.orders[1:]]), spec_of("slips-other"), settings)
    with open_shop(there, settings) as source:
        assert other.content_hash != source.manifest.content_hash


def test_tools_and_evidence_tell_to_whom_where_and_as_what_an_order_went(
    there: str, sent: Data, settings: Settings
) -> None:
    with open_shop(there, settings) as shop:
        order = next(one for one in sent.orders if one.slip == SLIPS[1])
        context = context_for(Session(shop, order.user_id), open_sandbox())
        page = call_sync("get_order_details", {"order_id": order.order_id}, context)
        assert (
            "sent to Zoë O'Neil, 9 Oak Rd, Tulsa, OK 74101, US" in page.text and "ships to" not in page.text
        )
        assert "Sold as: Tie | 3 (Size: 3 feet)" in page.text
        assert page.data["sent_to"]["city"] == "Tulsa" and page.data["sold_as"] == SLIPS[1].sold_as
        rows = call_sync("get_user_orders", {"user_id": order.user_id, "limit": 100}, context)
        (row,) = (line for line in rows.text.splitlines() if order.order_id in line)
        assert " | sent to Zoë O'Neil, Tulsa, OK | order " in row and "Sold as" not in rows.text
        (item,) = (one for one in rows.data["items"] if one["order_id"] == order.order_id)
        assert item["sent_to"]["recipient"] == "Zoë O'Neil"
        (source,) = (one for one in rows.sources if one.url.endswith(order.order_id))
        assert source.record["slip"]["address"]["city"] == "Tulsa"
        product = shop.store.product(order.product_id)
        told = order_evidence(order, product)
        assert "sold as Tie | 3 (Size: 3 feet), sent to Zoë O'Neil, 9 Oak Rd" in told
        own = sent.orders_of(order.user_id)
        known = {one.product_id: one for one in shop.store.products([one.product_id for one in own])}
        assert "sent to Zoë O'Neil, Tulsa, OK" in history_evidence(own, known, len(own))
