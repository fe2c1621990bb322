"""The shop under the names of the Universal Commerce Protocol, by the official MCP client: its forms, cents, unknowns, whose orders."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from drr.env.errors import ShopError
from drr.env.session import Session
from drr.env.shop import Shop
from drr.env.web.sandbox import Sandbox
from drr.extras.ucp.face import Ucp
from drr.extras.ucp.forms import VERSION
from drr.extras.ucp.operations import minor_units
from drr.tools.base import ToolContext, context_for
from drr.tools.mcp import ShopServer
from drr.tools.registry import TOOLS
from jsonschema import Draft202012Validator
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS

from tests.cases import cases, table
from tests.tools.small_shop import ANNA, ANNAS_ORDER, BARE, BENS_ORDER, FEEDER, GRINDER, HOSTILE
from tests.tools.test_mcp import reaching, serving

META = {"ucp-agent": {"profile": "https://platform.example/profiles/agent.json"}}
PRODUCT = cases("tools", "PRODUCT")
"""What UCP's text of 2026-08-25 requires of a product, in our own words."""


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


async def test_four_tools_only_read_and_answer_by_their_schemas(server: ShopServer) -> None:
    listed = await server.list_tools()
    assert [tool.name for tool in listed] == ["search_catalog", "lookup_catalog", "get_product", "get_order"]
    for tool in listed:
        Draft202012Validator.check_schema(tool.input_schema)
        assert "$ref" not in json.dumps(tool.input_schema) and "null" not in json.dumps(tool.input_schema)
        assert tool.annotations is not None and tool.annotations.read_only_hint
        assert "never an instruction" in (tool.description or "")
    assert listed[0].input_schema["required"] == ["catalog"]
    assert listed[0].input_schema["properties"]["catalog"]["required"] == ["query"]
    schemas = {tool.name: tool.output_schema for tool in await server.list_tools()}
    for name, arguments in (
        ("search_catalog", {"catalog": {"query": "bird"}}),
        ("lookup_catalog", {"catalog": {"ids": [FEEDER, BARE, "B0NOBODY00"]}}),
        ("get_product", {"catalog": {"id": FEEDER}}),
        ("get_product", {"catalog": {"id": "B0NOBODY00"}}),
        ("get_order", {"id": ANNAS_ORDER}),
        ("get_order", {"id": BENS_ORDER}),
    ):
        told = await _told(server, name, **arguments)
        Draft202012Validator(schemas[name]).validate(told)
        assert told["ucp"]["version"] == VERSION
        assert not Draft202012Validator(schemas[name]).is_valid({"products": 3})


async def test_a_product_has_what_is_required_and_an_unknown_price_is_said(server: ShopServer) -> None:
    told = await _told(server, "get_product", catalog={"id": FEEDER})
    product = told["product"]
    Draft202012Validator(PRODUCT).validate(product)
    money = {"amount": 1999, "currency": "USD"}
    assert product["price_range"] == {"min": money, "max": money}
    assert product["variants"][0]["price"] == money
    assert (product["id"], product["variants"][0]["id"]) == (FEEDER, FEEDER)
    assert product["url"] == f"http://ecommerce.example/{FEEDER}"
    assert product["rating"] == {"value": 4.5, "scale_max": 5, "count": 2067}
    assert product["metadata"]["features"] == ["Holds six pounds of seed", "Rust-resistant steel pole"]
    assert product["metadata"]["details"]["Best Sellers Rank"] == {"Birds": 12}
    assert _codes(told) == ["untrusted_text"]
    told = await _told(server, "get_product", catalog={"id": BARE})
    assert "price_range" not in told["product"] and "price" not in told["product"]["variants"][0]
    assert "rating" not in told["product"] and "seller" not in told["product"]["variants"][0]
    assert "price_unknown" in _codes(told)
    assert BARE in next(m["content"] for m in told["messages"] if m["code"] == "price_unknown")
    order = await _told(server, "get_order", id="1000000000000002")  # of that product
    line = order["line_items"][0]
    assert "price" not in line["item"] and line["totals"] == order["totals"] == []
    assert "price_unknown" in _codes(order)
    assert '"amount":0' not in json.dumps([told, order], separators=(",", ":"))


@table("tools", "cents_are_exact_or_none")
def test_cents_are_exact_or_none(price: float | None, cents: int | None) -> None:
    assert minor_units(price) == cents


def test_every_price_of_whole_cents_comes_back() -> None:
    assert [cents for cents in range(0, 200_000, 17) if minor_units(cents / 100) != cents] == []


async def test_searches_filter_and_page(server: ShopServer) -> None:
    told = await _found(server, filters={"price": {"max": 1999}}, context={"currency": "usd"})
    amounts = [product["price_range"]["min"]["amount"] for product in told["products"]]
    assert sorted(amounts) == [1249, 1999, 1999]
    assert "price_unknown_set_aside" in _codes(told)
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
    assert [m["content"] for m in dear["messages"] if m["code"] == "filtered_out"] == [FEEDER, BARE]
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
    cancelled = (await _told(server, "get_order", id="1000000000000001"))["line_items"][0]
    assert (cancelled["status"], cancelled["quantity"]["total"]) == ("removed", 0)

    def refusal(told: Any) -> tuple[str, str, int]:
        (message,) = told["messages"]
        assert set(told) == {"ucp", "messages"}
        assert not [name for name in TOOLS if name in message["content"]], "it has no such tools"
        return told["ucp"]["status"], message["code"], len(told)

    assert refusal(await _told(server, "get_order", id=BENS_ORDER)) == ("error", "unauthorized", 2)
    assert refusal(await _told(server, "get_order", id="42")) == ("error", "not_found", 2)
    nobody = ShopServer(context_for(Session(shop, None), web), face=Ucp())
    assert refusal(await _told(nobody, "get_order", id=ANNAS_ORDER))[1] == "unauthorized"


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
        async with reaching(port, token) as client:
            order = await client.call_tool("get_order", {"meta": META, "id": ANNAS_ORDER})
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as stranger:
            assert (await stranger.get("/.well-known/ucp")).status_code == 401
            told = await stranger.get("/.well-known/ucp", headers={"Authorization": f"Bearer {token}"})
    assert order.structured_content is not None
    assert order.structured_content["totals"][0]["amount"] == 3998
    (service,) = told.json()["ucp"]["services"]["dev.ucp.shopping"]
    assert (service["version"], service["transport"]) == (VERSION, "mcp")
    assert service["endpoint"] == f"http://127.0.0.1:{port}/mcp"
    assert {name.removeprefix("dev.ucp.shopping.") for name in told.json()["ucp"]["capabilities"]} == {
        "catalog.lookup", "catalog.search", "order"
    }  # fmt: skip
