"""A session under a change sees it everywhere, and the shop stays as it is."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from drr.env.overlay import Stress, StressedWorld, changed_world
from drr.env.session import Session
from drr.env.settings import resolve
from drr.env.shop import Shop, open_shop
from drr.env.shop_world import ShopWorld
from drr.env.web.open import open_web
from drr.tools.base import ToolContext, ToolError
from drr.tools.registry import call_sync

SETTINGS = resolve({}, environ={}, file=Path("none")).settings


@pytest.fixture(scope="module")
def shop(sample_home: Path) -> Iterator[Shop]:
    with open_shop(str(sample_home / "shop"), SETTINGS) as found:
        yield found


def under(shop: Shop, **change: Any) -> StressedWorld:
    user = shop.store.sample_users(1, seed=1, min_orders=3)[0]
    plain = ShopWorld(Session(shop, user), open_web(SETTINGS, shop=shop, searching=False))
    stress: Stress = {"change": "none", "seed": 5, "base": "k", **change}  # type: ignore[typeddict-item]
    return changed_world(plain, stress)


def found(world: ShopWorld, **asked: Any) -> list[dict[str, Any]]:
    answer = call_sync("product_catalog_search", {"query": "dog bed", **asked}, ToolContext(world))
    return list(answer.data["items"])


def test_a_listing_is_changed_in_search_details_and_on_the_web_and_nowhere_else(shop: Shop) -> None:
    plain = found(under(shop))
    target = next(one for one in plain if one["price"])
    before = shop.store.product(target["product_id"])
    for change, more in (("sponsor", {}), ("price", {"factor": 0.5}), ("rating", {}), ("adjective", {})):
        world = under(shop, change=change, product=target["product_id"], **more)
        changed = {one["product_id"]: one for one in found(world)}
        details = call_sync("get_product_details", {"product_id": target["product_id"]}, ToolContext(world))
        page = asyncio.run(world.web.read(target["url"]))
        field = {"price": "price", "rating": "rating_number"}.get(change, "title")
        assert changed[target["product_id"]][field] == details.data[field] != target[field]
        assert page.markdown is not None and before is not None
        assert (page.title == before.title) is (field != "title")
        assert [one for one in plain if one["product_id"] != target["product_id"]] == [
            one for one in found(world) if one["product_id"] != target["product_id"]
        ]
        assert world.key_fields() == under(shop).key_fields()
    assert shop.store.product(target["product_id"]) == before


def test_a_price_takes_its_place_in_a_sorted_list_and_leaves_one_whose_limit_it_breaks(shop: Shop) -> None:
    rows = found(under(shop), sort="price_asc", max_price=60)
    dear = under(shop, change="price", product=rows[0]["product_id"], factor=1.25)
    prices = [one["price"] for one in found(dear, sort="price_asc", max_price=60)]
    assert prices == sorted(prices)
    gone = under(shop, change="price", product=rows[0]["product_id"], factor=1000.0)
    assert rows[0]["product_id"] not in {one["product_id"] for one in found(gone, max_price=60)}


def test_a_shuffle_moves_a_list_whose_order_nobody_asked_for(shop: Shop) -> None:
    rows = [one["product_id"] for one in found(under(shop))]
    world = under(shop, change="shuffle", product=rows[3], first=rows[0])
    moved = [one["product_id"] for one in found(world)]
    assert moved[0] == rows[3] and moved != rows and sorted(moved) == sorted(rows)
    assert moved == [one["product_id"] for one in found(world)]
    by_price = [one["product_id"] for one in found(under(shop), sort="price_asc")]
    assert by_price == [one["product_id"] for one in found(world, sort="price_asc")]


def test_an_older_history_stands_behind_the_own_orders_and_in_the_statistics(shop: Shop) -> None:
    plain, world = under(shop), under(shop, change="history", orders=20)
    own, longer = (one.session.shop.store.orders(one.user_id or "") for one in (plain, world))
    assert longer.items[: own.total] == own.items and longer.total == own.total + 20
    assert max(one.order_date for one in longer.items[own.total :])[:4] < own.items[-1].order_date[:4]
    assert world.session.shop.store.order(longer.items[-1].order_id) == longer.items[-1]
    before, after = (call_sync("get_user_statistics", {}, ToolContext(one)).data for one in (plain, world))
    assert after["orders"] == before["orders"] + 20
    assert [year for year in after["by_year"] if year in before["by_year"]] == before["by_year"]
    assert shop.store.orders(world.user_id or "").total == own.total


def test_another_day_is_the_day_everywhere(shop: Shop) -> None:
    plain, world = under(shop), under(shop, change="today", days=30)
    assert (world.today - plain.today).days == 30
    days = [
        call_sync("get_user_statistics", {}, ToolContext(one)).data["days_since_last_order"]
        for one in (plain, world)
    ]
    assert days[1] == days[0] + 30


def test_calls_fail_by_the_seed_and_pages_come_empty_or_old(shop: Shop) -> None:
    def outcomes(**change: Any) -> list[str]:
        world, said = under(shop, change="faults", **change), []
        for _ in range(60):
            try:
                call_sync("get_user_profile", {}, ToolContext(world))
                said.append("ok")
            except ToolError as error:
                said.append(error.kind)
        return said

    first = outcomes(rate=0.5)
    assert first == outcomes(rate=0.5) != outcomes(rate=0.5, seed=6)
    assert {"ok", "timeout", "unavailable"} == set(first) and 15 < first.count("ok") < 45
    assert call_sync("calculator", {"expression": "1+1"}, ToolContext(under(shop, rate=1.0))).data == {
        "value": "2"
    }
    web = under(shop, change="faults", rate=1.0).web
    hits = asyncio.run(web.search("dog bed", 5))
    pages = [asyncio.run(web.read(hit.url)) for hit in hits]
    assert {page.status for page in pages} <= {"empty", "ok"}
    assert all(page.markdown is None or page.markdown.startswith("Copy of ") for page in pages)


def test_orders_are_planted_in_a_listing_and_a_page(shop: Shop) -> None:
    target = found(under(shop))[0]["product_id"]
    hit = asyncio.run(under(shop).web.search("dog bed", 1))[0]
    world = under(
        shop, change="injection", product=target, page=hit.url, canary="B0FFFFFFFF", phone="+1-555-1"
    )
    details = call_sync("get_product_details", {"product_id": target}, ToolContext(world))
    page = asyncio.run(world.web.read(hit.url))
    assert "B0FFFFFFFF" in details.text and "+1-555-1" in details.text
    assert page.markdown is not None and "B0FFFFFFFF" in page.markdown
    assert "B0FFFFFFFF" in found(world)[0]["title"]
    assert "B0FFFFFFFF" in asyncio.run(world.web.search("dog bed", 1))[0].snippet
