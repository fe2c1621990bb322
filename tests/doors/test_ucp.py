"""Every answer of UCP's face, over MCP, holds the protocol's own models and the shop's records, and the conformance tool finds nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from drr.app.cli import main
from drr.env.entities import Product
from drr.env.session import Session
from drr.env.settings import Settings
from drr.env.shop import Shop, open_shop
from drr.env.web.sandbox import Sandbox
from drr.tools.base import context_for
from drr.tools.mcp import ShopServer
from mcp.client import Client
from pydantic import BaseModel

from tests.doors.conftest import needed
from tests.tools.test_mcp import serving

needed("ucp_sdk")
from drr.extras.ucp.documents import minor_units  # noqa: E402
from drr.extras.ucp.face import Ucp, profile  # noqa: E402
from ucp_sdk.models.schemas.common.types.error_response import ErrorResponse  # noqa: E402
from ucp_sdk.models.schemas.profile import BusinessSchema  # noqa: E402
from ucp_sdk.models.schemas.shopping.cart import Cart  # noqa: E402
from ucp_sdk.models.schemas.shopping.catalog_lookup import GetProductResponse, LookupResponse  # noqa: E402
from ucp_sdk.models.schemas.shopping.catalog_search import SearchResponse  # noqa: E402
from ucp_sdk.models.schemas.shopping.checkout import Checkout  # noqa: E402
from ucp_sdk.models.schemas.shopping.order import Order  # noqa: E402

pytestmark = pytest.mark.doors
META = {"ucp-agent": {"profile": "https://platform.example/agent.json"}}


@pytest.fixture(scope="module")
def varied(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """The sample shop with orders of every status."""
    place = str(tmp_path_factory.mktemp("ucp") / "shop")
    ingest = ["data", "ingest", str(sample_home / "raw"), "--shop", place, "--statuses", "varied", "--quiet"]
    assert main(ingest) == 0
    with open_shop(place, Settings()) as shop:
        yield shop


class Asking:
    """A client whose every answer is held to the protocol's models. `kept` counts answers by model."""

    def __init__(self, client: Client) -> None:
        self.client, self.kept = client, Counter[str]()

    async def __call__(self, model: type[BaseModel], name: str, **arguments: Any) -> Any:
        result = await self.client.call_tool(name, {"meta": META, **arguments})
        told: Any = result.structured_content
        assert not result.is_error and json.loads(result.content[0].text) == told  # type: ignore[union-attr]
        kind = ErrorResponse if told["ucp"].get("status") == "error" else model
        kind.model_validate(told)
        self.kept[kind.__name__] += 1
        return told


def _server(shop: Shop, user: str) -> ShopServer:
    return ShopServer(context_for(Session(shop, user), Sandbox([])), face=Ucp())


def _products(shop: Shop, count: int) -> list[Product]:
    return list(islice(shop.store.iter_products(), count))


async def test_four_hundred_products(varied: Shop) -> None:
    products = _products(varied, 400)
    async with Client(_server(varied, varied.store.sample_users(1, seed=7)[0])) as client:
        ask = Asking(client)
        for product in products:
            told, cents = (
                await ask(GetProductResponse, "get_product", catalog={"id": product.product_id}),
                None,
            )
            if (cents := minor_units(product.price)) is None:
                assert told["messages"][0]["code"] == "item_unavailable" and "product" not in told
            else:
                assert told["product"]["price_range"]["min"] == {"amount": cents, "currency": "USD"}
                assert told["product"]["url"] == product.product_url
        offered = {p.product_id for p in products if minor_units(p.price) is not None}
        looked = set()
        for k in range(0, 400, 50):
            ids = [product.product_id for product in products[k : k + 50]]
            told = await ask(LookupResponse, "lookup_catalog", catalog={"ids": ids})
            looked |= {product["id"] for product in told["products"]}
        assert looked == offered
        for query in ("bird feeder", "dog", "smoke alarm", "gift", "lamp", "pillow", "*", "nothingofthesort"):
            pages: dict[str, Any] = {}
            while True:
                told = await ask(
                    SearchResponse, "search_catalog", catalog={"query": query, "pagination": pages}
                )
                if not told["pagination"]["has_next_page"]:
                    break
                assert len(told["products"]) == 10
                pages = {"cursor": told["pagination"]["cursor"]}
    assert ask.kept["GetProductResponse"] == len(offered) > 100
    assert ask.kept["GetProductResponse"] + ask.kept["ErrorResponse"] == 400


async def test_a_hundred_carts_and_their_checkouts(varied: Shop) -> None:
    products = _products(varied, 400)
    user = varied.store.sample_users(1, seed=7)[0]
    async with Client(_server(varied, user)) as client:
        ask = Asking(client)
        for k in range(100):
            chosen = products[4 * k : 4 * k + 1 + k % 4]
            lines = [{"item": {"id": p.product_id}, "quantity": 1 + n} for n, p in enumerate(chosen)]
            priced = [(minor_units(p.price), 1 + n) for n, p in enumerate(chosen)]
            total = sum(cents * count for cents, count in priced if cents is not None)
            cart = await ask(Cart, "create_cart", cart={"line_items": lines})
            if all(cents is None for cents, _ in priced):
                assert cart["ucp"]["status"] == "error" and "id" not in cart
                continue
            assert cart["totals"][-1] == {**cart["totals"][-1], "type": "total", "amount": total}
            assert await ask(Cart, "get_cart", id=cart["id"]) == cart
            begun = await ask(Checkout, "create_checkout", checkout={"cart_id": cart["id"], "line_items": []})
            assert begun["totals"] == cart["totals"]
            done = await ask(Checkout, "complete_checkout", id=begun["id"], checkout={"payment": {}})
            assert done["status"] == "completed"
            order = await ask(Order, "get_order", id=done["order"]["id"])
            assert order["totals"][-1]["amount"] == total
            await ask(Cart, "cancel_cart", id=cart["id"])
    assert ask.kept["Order"] > 60


async def test_a_hundred_orders_of_every_status(varied: Shop) -> None:
    wanted = {"Delivered": 40, "Returned": 30, "Cancelled": 20, "Shipped": 5, "Processing": 5}
    orders: list[Any] = []
    for one in varied.store.iter_orders():
        if wanted[one.order_status]:
            wanted[one.order_status] -= 1
            orders.append(one)
    orders = orders[:100]
    seen: Counter[tuple[str, bool]] = Counter()
    for one in orders:
        async with Client(_server(varied, one.user_id)) as client:
            told = await Asking(client)(Order, "get_order", id=one.order_id)
        product = varied.store.product(one.product_id)
        cents = None if product is None else minor_units(product.price)
        seen[one.order_status, cents is None] += 1
        if cents is None:
            assert told["messages"][0]["code"] == "price_unknown" and one.order_status in str(told)
            continue
        spent = 0 if one.order_status == "Cancelled" else cents * one.quantity
        assert {line["amount"] for line in told["totals"]} == {spent}
        changes = {c["type"]: c["line_items"][0]["quantity"] for c in told.get("adjustments", [])}
        kinds = {"Returned": "return", "Cancelled": "cancellation"}
        assert changes == {
            kind: -one.quantity for status, kind in kinds.items() if status == one.order_status
        }
    assert sum(seen.values()) == 100 and min(seen["Returned", False], seen["Cancelled", False]) > 3


def test_the_profile_is_a_profile() -> None:
    document = profile("http://127.0.0.1:8765/")
    BusinessSchema.model_validate(document)
    assert all(one["schema"] for (one,) in document["ucp"]["capabilities"].values())


OLDER = """
import sys
from pathlib import Path
import spck_conformance
checks = Path(spck_conformance.__file__).parent / "_bundle/conformance/checks"
sys.path.insert(0, str(checks))
import merchant, merchant_checks
ctx, _, _ = merchant.report(sys.argv[1], {"product_id": sys.argv[2]})
ctx.version = "2026-04-08"
for check, detail in merchant_checks.run_merchant_checks(ctx)[1]:
    if check.transport == "mcp":
        print(check.id, detail["status"], detail.get("kill_safe"))
"""
"""The checks over MCP that the tool has for the version before, on the same answers."""


async def test_the_conformance_tool_finds_no_deviation(varied: Shop, tmp_path: Path) -> None:
    needed("spck_conformance")
    user = varied.store.sample_users(1, seed=7)[0]
    product = next(p for p in varied.store.iter_products() if minor_units(p.price) is not None).product_id
    config = tmp_path / "merchant.json"
    config.write_text(json.dumps({"product_id": product}))
    command = ["-m", "drr.app.cli", "tools", "mcp", "--shop", varied.spec, "--user", user, "--face", "ucp"]
    async with serving(command, tmp_path / "said") as (port, token):
        address = f"http://127.0.0.1:{port}/t/{token}"

        def run(*words: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [sys.executable, *words], capture_output=True, text=True, timeout=120, check=False
            )

        tool = ["-m", "spck_conformance.cli", "--server", address, "--config", str(config), "--json"]
        found = run(*tool)
        older = run("-c", OLDER, address, product)
    report = json.loads(found.stdout)
    assert found.returncode == 0, found.stdout
    ran = {one["id"]: one["status"] for one in report["checks"] if not one["status"].startswith("not-")}
    assert set(ran.values()) == {"clean-pass"}, ran
    assert {"mcp.catalog_search", "mcp.catalog_lookup"} <= set(ran)
    lines = dict(line.split(" ", 1) for line in older.stdout.splitlines())
    graded = {name: status for name, status in lines.items() if not status.startswith("not-tested")}
    assert set(graded.values()) == {"clean-pass True"} and len(graded) == 6, older.stdout + older.stderr
