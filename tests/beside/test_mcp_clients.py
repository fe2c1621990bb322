"""The tools over MCP with clients of others, in environments of their own: the official Python client of the years before."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from drr.env.settings import Settings
from drr.tools.outputs import output_schema
from drr.tools.registry import TOOLS

from tests.beside.test_beside_others import said
from tests.tools.small_shop import ANNA, ANNAS_ORDER, write_shop
from tests.tools.test_mcp import serving

pytestmark = pytest.mark.wheel
OLD = Path(__file__).with_name("old_client.py")
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("product_catalog_search", {"query": "bird", "max_price": "20", "limit": 2.0}),
    ("get_order_details", {"order_id": int(ANNAS_ORDER)}),
    ("get_user_statistics", {}),
    ("update_user_profile", {"city": "Troy"}),
    ("get_user_profile", {}),
    ("get_user_orders", {"status": "Lost"}),
]


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with `mcp` 1.x."""
    place = tmp_path_factory.mktemp("old")
    said(sys.executable, "-m", "venv", place, cwd=place)
    said(place / "bin/python", "-m", "pip", "install", "--quiet", "mcp>=1.20,<2", cwd=place)
    return place / "bin/python"


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    shop = str(tmp_path_factory.mktemp("mcp") / "shop")
    write_shop(shop, Settings(shop_url="http://ecommerce.example"))
    return ["-m", "drr.app.cli", "mcp", "--shop", shop, "--user", ANNA]


def _look_over(told: dict[str, Any]) -> None:
    assert told["tools"] == [[tool.name, tool.schema, output_schema(tool.data)] for tool in TOOLS.values()]
    assert [ok for _, ok in told["texts"]] == [True] * 5 + [False]
    assert told["texts"][5][0].startswith("Error (invalid): status is 'Lost': it must be one of Delivered")
    assert [item["price"] for item in told["data"][0]["data"]["items"]] == [12.49, 19.99]
    assert told["data"][4]["data"]["address"]["city"] == "Troy"


def test_the_old_python_client_over_stdio(old: Path, command: list[str], tmp_path: Path) -> None:
    _look_over(json.loads(said(old, OLD, json.dumps(CALLS), sys.executable, *command, cwd=tmp_path)))


async def test_the_old_python_client_over_http(old: Path, command: list[str], tmp_path: Path) -> None:
    async with serving(command, tmp_path / "said") as (port, token):
        where = (f"http://127.0.0.1:{port}/mcp", token)
        for _ in range(2):  # the second is a client of its own, to whom nothing has changed
            _look_over(
                json.loads(await asyncio.to_thread(said, old, OLD, json.dumps(CALLS), *where, cwd=tmp_path))
            )
        profile = json.dumps([("get_user_profile", {})])
        other = json.loads(await asyncio.to_thread(said, old, OLD, profile, *where, cwd=tmp_path))
    assert other["data"][0]["data"]["address"]["city"] == "Norman"
