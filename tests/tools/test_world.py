"""The shop as a world of tools: its kinds own its addresses, its fields enter a key, and planted orders are rows of text."""

from __future__ import annotations

from datetime import date

import pytest
from drr.env.session import Session
from drr.env.shop import SEARCH_VERSION, Shop
from drr.env.shop_world import ShopWorld
from drr.env.web.base import WebSearch
from drr.env.web.open import ShopWeb
from drr.env.web.sandbox import Document, open_sandbox
from drr.env.world import Holdings, World, all_kinds, in_table_order, is_paged, kinds_of, label_of, owner_of
from drr.tools.base import context_for
from drr.tools.registry import TOOLS, call_sync

from tests.cases import table
from tests.tools.small_shop import ANNA


def world_of(shop: Shop, web: WebSearch) -> World:
    return ShopWorld(Session(shop, ANNA), web)


def test_the_shop_is_a_world_of_the_registrys_tools(shop: Shop, web: WebSearch) -> None:
    assert list(world_of(shop, web).tools) == list(TOOLS)
    world = world_of(shop, web)
    assert world.today == date.fromisoformat(shop.manifest.as_of)
    assert world.key_fields() == {
        "shop": shop.manifest.content_hash,
        "shop_url": shop.shop_url,
        "web": {"name": web.name, "content_hash": web.content_hash, "version": "3"},
        "search": {"name": "fields", "version": SEARCH_VERSION},
    }
    as_given = ShopWorld(Session(shop, ANNA), web, "http://ecommerce.example/")
    assert as_given.key_fields()["shop_url"] == "http://ecommerce.example/"
    kinds = kinds_of(Holdings(shop_hosts=frozenset({"ecommerce.example"})))
    found = owner_of("http://ecommerce.example/B0", kinds).text("http://ecommerce.example/B0", [])
    assert (found.type, found.status) == ("product", "not_frozen")
    assert in_table_order(["zine", "user", "web", "user", "atlas"]) == ["web", "user", "atlas", "zine"]
    assert [label_of(name) for name in (*all_kinds(), "zine")] == [
        "web pages", "products of the shop", "the shopper's own records", "tools of your own", "the question's files", "zine",
    ]  # fmt: skip
    assert [name for name in (*all_kinds(), "zine") if is_paged(name)] == ["web"]


@table("tools", "every_address_has_one_owner")
def test_every_address_has_one_owner(shop: Shop, web: WebSearch, address: str, kind: str) -> None:
    assert owner_of(address, world_of(shop, web).kinds).name == kind


SANDBOX = open_sandbox()
PLANTED = [document for document in SANDBOX.documents if document.injection]


def test_some_are_planted() -> None:
    assert len(PLANTED) >= 3


@pytest.mark.parametrize("document", PLANTED, ids=lambda document: document.url)
@pytest.mark.parametrize("shop", ["embedded"], indirect=True)
async def test_a_planted_order_is_a_row_like_any_other(document: Document, shop: Shop) -> None:
    web = ShopWeb(SANDBOX, shop.shop_url, shop.store)
    session = Session(shop, ANNA)
    ctx = context_for(session, web)
    profile = call_sync("get_user_profile", {}, ctx).text
    answer = call_sync("web_search", {"query": document.title}, ctx)
    assert document.url in [item["url"] for item in answer.data["items"]]
    assert sum(line[:1] != " " for line in answer.text.splitlines()) == 2 + answer.data["total"]
    for secret in ("distractor", "supportive", "injection", *document.topics):
        assert f'"{secret}"' not in answer.text
    page = await web.read(document.url)
    assert page.markdown is not None
    assert document.text in page.markdown
    assert "injection: " not in page.markdown
    assert call_sync("get_user_profile", {}, ctx).text == profile
    assert session.changes() == []
