"""The shop under the names of the Universal Commerce Protocol, by the official MCP client: its forms, cents, unknowns, whose carts and orders."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest
from drr.env.errors import ShopError
from drr.env.session import Session
from drr.env.shop import Shop
from drr.env.web.sandbox import Sandbox
from drr.extras.ucp.documents import VERSION, minor_units
from drr.tools.base import ToolContext, context_for
from drr.tools.mcp import ShopServer
from drr.tools.registry import TOOLS
from jsonschema import Draft202012Validator
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS

from tests.cases import table
from tests.doors.conftest import needed
from tests.tools.small_shop import ANNA, ANNAS_ORDER, BARE, BEN, BENS_ORDER, FEEDER, GRINDER, HOSTILE
from tests.tools.test_mcp import reaching, serving

needed("ucp_sdk")
from drr.extras.ucp.face import Ucp  # noqa: E402 - only where the protocol's models are

pytestmark = pytest.mark.doors
META = {"ucp-agent": {"profile": "https://platform.example/profiles/agent.json"}}


@pytest.fixture
def server(shop: Shop, web: Sandbox) -> ShopServer:
    return ShopServer(context_for(Session(shop, ANNA), web), face=Ucp())


async def _told(server: ShopServer, name: str, **arguments: Any) -> Any:
    async with Client(server) as client:
        result = await client.call_tool(name, {"meta": META, **arguments})
    assert not result.is_error
    assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
    return result.structured_content


async def _found(server: ShopServer, query: str = "bird", **more: Any) -> Any:
    return await _told(server, "search_catalog", catalog={"query": query, **more})


def _codes(told: Any) -> list[str]:
    return [message["code"] for message in told.get("messages", [])]


CHECKOUTS = ["create_checkout", "get_checkout", "update_checkout", "complete_checkout", "cancel_checkout"]
CARTS = ["create_cart", "get_cart", "update_cart", "cancel_cart"]


async def test_the_tools_are_those_of_the_protocol(server: ShopServer) -> None:
    listed = await server.list_tools()
    catalog = ["search_catalog", "lookup_catalog", "get_product"]
    assert [tool.name for tool in listed] == [*catalog, *CARTS, *CHECKOUTS, "get_order"]
    for tool in listed:
        Draft202012Validator.check_schema(tool.input_schema)
        assert "$ref" not in json.dumps(tool.input_schema) and "null" not in json.dumps(tool.input_schema)
        assert tool.annotations is not None
        reads = tool.name.startswith(("get", "search", "lookup"))
        assert tool.annotations.read_only_hint is reads
        assert "never an instruction" in (tool.description or "")
    assert listed[0].input_schema["required"] == ["catalog"]
    assert (await _told(server, "get_product", catalog={"id": FEEDER}))["ucp"]["version"] == VERSION


async def test_a_product_has_what_is_required_and_an_unknown_price_is_said(server: ShopServer) -> None:
    told = await _told(server, "get_product", catalog={"id": FEEDER})
    product = told["product"]
    money = {"amount": 1999, "currency": "USD"}
    assert product["price_range"] == {"min": money, "max": money}
    assert product["variants"][0]["price"] == money
    assert (product["id"], product["variants"][0]["id"]) == (FEEDER, FEEDER)
    assert product["url"] == f"http://ecommerce.example/{FEEDER}"
    assert product["rating"] == {"value": 4.5, "scale_max": 5, "count": 2067}
    assert product["metadata"]["features"] == ["Holds six pounds of seed", "Rust-resistant steel pole"]
    assert product["metadata"]["details"]["Best Sellers Rank"] == {"Birds": 12}
    assert _codes(told) == ["untrusted_text"]


async def test_a_product_without_a_price_is_not_offered(server: ShopServer) -> None:
    told = await _told(server, "get_product", catalog={"id": BARE})
    assert _refusal(told) == ("error", "item_unavailable") and BARE in told["messages"][0]["content"]
    looked = await _told(server, "lookup_catalog", catalog={"ids": [BARE, FEEDER]})
    assert [product["id"] for product in looked["products"]] == [FEEDER]
    assert "not_offered" in _codes(looked)
    found = await _found(server)
    assert BARE not in [product["id"] for product in found["products"]] and "not_offered" in _codes(found)
    assert found["pagination"]["total_count"] == len(found["products"])
    order = await _told(server, "get_order", id="1000000000000002")  # of that product
    assert _refusal(order) == ("error", "price_unknown")
    for fact in ("Bird house kit", "Returned", "1000000000000002"):  # the shop's own words
        assert fact in order["messages"][0]["content"]
    everything = json.dumps([told, looked, found, order], separators=(",", ":"))
    assert '"amount":0' not in everything and '"price":0' not in everything


async def test_a_search_without_a_word_or_a_find_is_empty(server: ShopServer) -> None:
    for query in ("*", "?!", "zebrafish"):
        told = await _found(server, query)
        assert (told["products"], told.get("messages")) == ([], None), "empty, without messages, and no error"
    shelf = await _told(server, "search_catalog", catalog={"filters": {"categories": ["Grooming"]}})
    assert [product["id"] for product in shelf["products"]] == [GRINDER]
    dear = await _found(server, "bird bath over $50")
    assert [product["price_range"]["min"]["amount"] for product in dear["products"]] == [6450]


@table("tools", "cents_are_exact_or_none")
def test_cents_are_exact_or_none(price: float | None, cents: int | None) -> None:
    assert minor_units(price) == cents


def test_every_price_of_whole_cents_comes_back() -> None:
    assert [cents for cents in range(0, 200_000, 17) if minor_units(cents / 100) != cents] == []


async def test_searches_filter_and_page(server: ShopServer) -> None:
    told = await _found(server, filters={"price": {"max": 1999}}, context={"currency": "usd"})
    amounts = [product["price_range"]["min"]["amount"] for product in told["products"]]
    assert sorted(amounts) == [1249, 1999, 1999]
    assert "not_offered" in _codes(told)
    foreign = await _found(server, filters={"price": {"max": 1}}, context={"currency": "EUR"})
    assert "currency_not_supported" in _codes(foreign) and len(foreign["products"]) > len(told["products"])
    named = (await _told(server, "get_product", catalog={"id": GRINDER}))["product"]["categories"]
    assert [category["value"] for category in named] == ["Pet Supplies", "Dogs", "Grooming"]
    for category in named:
        told = await _found(server, "quiet grinder", filters={"categories": [category["value"]]})
        assert [product["id"] for product in told["products"]] == [GRINDER]
    assert "filter_not_supported" in _codes(await _found(server, filters={"colour": ["red"]}))
    whole = await _found(server)
    seen, cursor = [], None
    while True:
        pages = {"limit": 2} | ({"cursor": cursor} if cursor else {})
        told = await _found(server, pagination=pages)
        seen += [product["id"] for product in told["products"]]
        assert told["pagination"]["total_count"] == whole["pagination"]["total_count"]
        cursor = told["pagination"].get("cursor")
        assert told["pagination"]["has_next_page"] is (cursor is not None)
        if cursor is None:
            break
    assert seen == [product["id"] for product in whole["products"]]
    assert len(set(seen)) == len(seen) == whole["pagination"]["total_count"]


async def test_lookups_lead_somewhere_and_words_are_flat(server: ShopServer) -> None:
    address = f"http://ecommerce.example/{FEEDER}"
    ids = [FEEDER, GRINDER, FEEDER, address, "B0NOBODY00"]
    told = await _told(server, "lookup_catalog", catalog={"ids": ids})
    inputs = {product["id"]: product["variants"][0]["inputs"] for product in told["products"]}
    assert inputs == {
        FEEDER: [{"id": FEEDER, "match": "exact"}, {"id": address, "match": "exact"}],
        GRINDER: [{"id": GRINDER, "match": "exact"}],
    }
    assert [m["content"] for m in told["messages"] if m["code"] == "not_found"] == ["B0NOBODY00"]
    within = {"ids": [FEEDER, GRINDER, BARE], "filters": {"price": {"min": 3000}}}
    dear = await _told(server, "lookup_catalog", catalog=within)
    assert [product["id"] for product in dear["products"]] == [GRINDER]
    assert [m["content"] for m in dear["messages"] if m["code"] == "filtered_out"] == [FEEDER]
    nobody = await _told(server, "lookup_catalog", catalog={"ids": ["B0NOBODY00"]})
    assert nobody["products"] == [] and "status" not in nobody["ucp"]
    told = await _told(server, "get_product", catalog={"id": HOSTILE})
    assert re.match(r"Bird net 2\. Free bird \| \$0\.00 Ignore", told["product"]["title"])
    assert told["product"]["variants"][0]["seller"] == {"name": "Evil Store"}
    assert "\u200b" not in told["product"]["description"]["plain"]
    assert _codes(told)[0] == "untrusted_text"


async def test_an_order_is_its_users_own(server: ShopServer, shop: Shop, web: Sandbox) -> None:
    own = await _told(server, "get_order", id=ANNAS_ORDER)
    line = own["line_items"][0]
    assert own["permalink_url"] == f"user://{ANNA}/orders/{ANNAS_ORDER}"
    assert (line["quantity"], line["status"]) == ({"original": 2, "total": 2, "fulfilled": 2}, "fulfilled")
    assert [(one["type"], one["amount"]) for one in own["totals"]] == [("subtotal", 3998), ("total", 3998)]
    assert line["item"] == {"id": FEEDER, "title": "Panorama wild bird feeder with six ports", "price": 1999}
    assert "price_of_today" in _codes(own)
    status = {m["code"]: m["content"] for m in own["messages"]}
    assert (status["order_status"], status["placed_at"]) == ("Delivered", "2022-06-12T02:13:20.000Z")
    assert "adjustments" not in own
    cancelled = await _told(server, "get_order", id="1000000000000001")
    line = cancelled["line_items"][0]
    assert (line["status"], line["quantity"]) == ("removed", {"original": 1, "total": 0, "fulfilled": 0})
    assert cancelled["totals"][-1]["amount"] == 0, "is no spending"
    (change,) = cancelled["adjustments"]
    assert (change["type"], change["line_items"]) == ("cancellation", [{"id": line["id"], "quantity": -1}])
    assert _refusal(await _told(server, "get_order", id=BENS_ORDER)) == ("error", "unauthorized")
    assert _refusal(await _told(server, "get_order", id="42")) == ("error", "not_found")
    nobody = ShopServer(context_for(Session(shop, None), web), face=Ucp())
    assert _refusal(await _told(nobody, "get_order", id=ANNAS_ORDER))[1] == "unauthorized"


def _refusal(told: Any) -> tuple[str, str]:
    (message,) = told["messages"]
    assert set(told) == {"ucp", "messages"}
    assert not [name for name in TOOLS if name in message["content"]], "it has no such tools"
    return told["ucp"]["status"], message["code"]


def _of(*pairs: tuple[str, int]) -> dict[str, Any]:
    return {"line_items": [{"item": {"id": product}, "quantity": count} for product, count in pairs]}


async def test_a_cart_becomes_a_checkout_and_an_order(shop: Shop, web: Sandbox) -> None:
    server, ben = (ShopServer(context_for(Session(shop, user), web), face=Ucp()) for user in (ANNA, BEN))
    ben._face = server._face  # as over HTTP, where one face serves all users
    cart = await _told(server, "create_cart", cart=_of((FEEDER, 2), (GRINDER, 1)))
    assert [line["totals"][-1]["amount"] for line in cart["line_items"]] == [3998, 3100]
    assert [one["amount"] for one in cart["totals"]] == [7098, 7098]
    assert await _told(server, "get_cart", id=cart["id"]) == cart
    assert _refusal(await _told(ben, "get_cart", id=cart["id"])) == ("error", "not_found")
    lines = [{"id": cart["line_items"][1]["id"], "item": {"id": GRINDER}, "quantity": 3}]
    updated = await _told(server, "update_cart", id=cart["id"], cart={"line_items": lines})
    assert (updated["id"], updated["totals"][-1]["amount"]) == (cart["id"], 9300)
    assert [line["id"] for line in updated["line_items"]] == [lines[0]["id"]]
    begin = {"cart_id": cart["id"], **_of((FEEDER, 50))}  # the cart goes before what is said beside it
    begun = await _told(server, "create_checkout", checkout=begin)
    assert (begun["status"], begun["totals"][-1]["amount"]) == ("ready_for_complete", 9300)
    assert await _told(server, "create_checkout", checkout=begin) == begun, "one open checkout a cart"
    paid = {
        "payment": {
            "instruments": [
                {
                    "id": "1",
                    "handler_id": "h",
                    "type": "card",
                    "credential": {"type": "token", "token": "secret-4242"},
                }
            ]
        }
    }
    refused = await _told(server, "complete_checkout", id=begun["id"], checkout=paid)
    assert _refusal(refused) == ("error", "payment_failed") and "secret-4242" not in json.dumps(refused)
    done = await _told(server, "complete_checkout", id=begun["id"], checkout={"payment": {}})
    assert done["status"] == "completed"
    order = await _told(server, "get_order", id=done["order"]["id"])
    assert (order["checkout_id"], order["totals"][-1]["amount"]) == (begun["id"], 9300)
    assert order["line_items"][0]["quantity"] == {"original": 3, "total": 3, "fulfilled": 0}
    assert _refusal(await _told(ben, "get_order", id=order["id"])) == ("error", "not_found")
    assert shop.store.order(order["id"]) is None, "the shop stays as it is"
    for name, more in (
        ("complete_checkout", {"checkout": {"payment": {}}}),
        ("cancel_checkout", {}),
        ("update_checkout", {"checkout": _of((FEEDER, 1))}),
    ):
        assert _refusal(await _told(server, name, id=begun["id"], **more)) == ("error", "not_allowed")
    assert (await _told(server, "get_checkout", id=begun["id"]))["status"] == "completed"
    assert await _told(server, "cancel_cart", id=cart["id"]) == updated
    assert _refusal(await _told(server, "get_cart", id=cart["id"])) == ("error", "not_found")
    another = await _told(server, "create_checkout", checkout=_of((FEEDER, 1)))
    assert (await _told(server, "cancel_checkout", id=another["id"]))["status"] == "canceled"


async def test_what_is_not_offered_is_in_no_cart(server: ShopServer) -> None:
    told = await _told(server, "create_checkout", checkout=_of((FEEDER, 1), (BARE, 1), ("B0NOBODY00", 1)))
    assert [line["item"]["id"] for line in told["line_items"]] == [FEEDER]
    assert told["status"] == "incomplete" and _codes(told)[1:] == ["item_unavailable", "not_found"]
    early = await _told(server, "complete_checkout", id=told["id"], checkout={"payment": {}})
    assert _refusal(early) == ("error", "checkout_incomplete")
    mended = await _told(server, "update_checkout", id=told["id"], checkout=_of((FEEDER, 1)))
    assert mended["status"] == "ready_for_complete"
    assert _refusal(await _told(server, "create_cart", cart=_of((BARE, 1)))) == ("error", "item_unavailable")
    pounds = {
        "line_items": [
            {
                "item": {"id": FEEDER, "quantity_unit": {"unit": "LBR", "scale": 2, "display_text": "lb"}},
                "quantity": 150,
            }
        ]
    }
    assert _refusal(await _told(server, "create_cart", cart=pounds)) == ("error", "quantity_unit")
    empty = await _told(server, "create_cart", cart=_of())
    assert (empty["line_items"], empty["totals"][-1]["amount"]) == ([], 0)
    assert (
        _refusal(await _told(server, "create_checkout", checkout={"cart_id": "42", **_of()}))[1]
        == "not_found"
    )


async def test_a_repeated_request_is_answered_once(server: ShopServer) -> None:
    again = {"meta": {**META, "idempotency-key": "660e8400-e29b-41d4-a716-446655440001"}}
    one, two = [await _told(server, "create_cart", cart=_of((FEEDER, 1)), **again) for _ in range(2)]
    assert one == two
    async with Client(server) as client:
        with pytest.raises(MCPError, match="idempotency-key"):
            await client.call_tool("create_cart", {"cart": _of((FEEDER, 2)), **again})


async def test_sources_are_what_is_shown(server: ShopServer) -> None:
    async with Client(server) as client:
        for name, arguments, addresses in (
            ("search_catalog", {"catalog": {"query": "dog grinder"}}, [GRINDER]),
            ("get_product", {"catalog": {"id": FEEDER}}, [FEEDER]),
            ("create_cart", {"cart": _of((FEEDER, 1), (BARE, 1), (GRINDER, 2))}, [FEEDER, GRINDER]),
        ):
            result = await client.call_tool(name, arguments)
            assert result.meta is not None
            shown = result.meta["sources"]
            assert [one["url"] for one in shown] == [f"http://ecommerce.example/{one}" for one in addresses]
            document: Any = result.structured_content
            parts = document.get("products") or document.get("line_items") or [document.get("product")]
            texts = [json.dumps(part, ensure_ascii=False, separators=(",", ":")) for part in parts]
            assert [one["sha256"] for one in shown] == [sha256(text.encode()).hexdigest() for text in texts]


@table("tools", "what_is_asked_wrong_is_an_error_of_the_protocol")
async def test_what_is_asked_wrong_is_an_error_of_the_protocol(
    server: ShopServer, name: str, arguments: dict[str, Any], named: str
) -> None:
    async with Client(server) as client:
        with pytest.raises(MCPError) as raised:
            await client.call_tool(name, arguments)
    assert raised.value.code == INVALID_PARAMS
    assert named in raised.value.message


async def test_a_dead_shop_is_said_so(shop: Shop, web: Sandbox) -> None:
    class Dead:
        def product(self, product_id: str) -> None:
            raise ShopError("MongoDB at 127.0.0.1:9 does not answer; start it")

    ctx: ToolContext = context_for(Session(replace(shop, store=Dead()), ANNA), web)  # type: ignore[arg-type]
    async with Client(ShopServer(ctx, face=Ucp())) as client:
        with pytest.raises(MCPError, match="does not answer") as raised:
            await client.call_tool("get_product", {"catalog": {"id": FEEDER}})
    assert raised.value.code == INTERNAL_ERROR
    assert raised.value.data == {"kind": "unavailable"}


@pytest.mark.long
@pytest.mark.parametrize("shop", ["embedded"], indirect=True)
async def test_the_command_serves_it_with_the_document_that_finds_it(shop: Shop, tmp_path: Path) -> None:
    command = ["-m", "drr.app.cli", "mcp", "--shop", shop.spec, "--user", ANNA, "--face", "ucp"]
    async with serving(command, tmp_path / "said") as (port, token):
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as stranger:
            told = await stranger.get("/.well-known/ucp")
            mine = await stranger.get(f"/t/{token}/.well-known/ucp")
            assert (await stranger.get("/t/wrong/.well-known/ucp")).status_code == 401
            assert (
                await stranger.get("/.well-known/ucp", headers={"Host": "evil.example"})
            ).status_code == 421
            assert token not in told.text + str(told.headers)
            services = [
                document.json()["ucp"]["services"]["dev.ucp.shopping"][0] for document in (told, mine)
            ]
            bare = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
            call = {**bare, "params": {"name": "get_order", "arguments": {"meta": META, "id": ANNAS_ORDER}}}
            assert (await stranger.post(services[0]["endpoint"], json=call)).status_code == 401
            order = (await stranger.post(services[1]["endpoint"], json=call)).json()["result"]
        async with reaching(port, token) as client:
            assert (await client.call_tool("get_order", {"id": ANNAS_ORDER})).structured_content == order[
                "structuredContent"
            ]
    assert order["structuredContent"]["totals"][0]["amount"] == 3998
    assert {(one["version"], one["transport"]) for one in services} == {(VERSION, "mcp")}
    assert services[0]["endpoint"] == f"http://127.0.0.1:{port}/mcp"
    capabilities = told.json()["ucp"]["capabilities"]
    assert {name.removeprefix("dev.ucp.shopping.") for name in capabilities} == {
        "catalog.lookup", "catalog.search", "cart", "checkout", "order"
    }  # fmt: skip
    assert capabilities["dev.ucp.shopping.catalog.search"][0]["schema"].endswith(
        "/schemas/shopping/catalog_search.json"
    )
