"""`drr shop users`: who is worth asking for, with figures that the shop itself gives."""

from __future__ import annotations

import pytest
from drr.env.settings import Settings
from drr.env.shop import open_shop

from tests.agents.garden import write_shop
from tests.commands import Drr


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = str(tmp_path_factory.mktemp("users") / "shop")
    write_shop(folder, Settings())
    return folder


def test_users_are_listed_with_their_orders_and_themes(shop: str, drr: Drr) -> None:
    users = drr.json("shop", "users", shop, "--min-orders", "1")["users"]
    with open_shop(shop, Settings()) as opened:
        assert {user["user_id"] for user in users} == set(opened.store.sample_users(10, seed=7, min_orders=1))
        for user in users:
            page = opened.store.orders(user["user_id"], limit=50)
            assert user["orders"] == page.total
            assert user["latest"] == max(order.order_date[:10] for order in page.items)
    assert [user["orders"] for user in users] == sorted((user["orders"] for user in users), reverse=True)
    assert any(user["themes"] for user in users)
    assert "ask for one: drr ask" in drr.out("shop", "users", shop, "--min-orders", "1", "--limit", "1")
    assert "no user has 1000 orders" in drr.err("shop", "users", shop, "--min-orders", "1000", code=1)
