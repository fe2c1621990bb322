"""The tools over MCP with clients of others, in environments of their own: the old official Python client, the Inspector."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from drr.env.settings import Settings
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
    assert told["tools"] == [[tool.name, tool.schema, None] for tool in TOOLS.values()]
    assert [ok for _, ok in told["texts"]] == [True] * 5 + [False]
    assert told["texts"][5][0].startswith("Error (invalid): status is 'Lost': it must be one of Delivered")
    assert told["structured"] == [{"result": text} if ok else None for text, ok in told["texts"]]
    assert [item["price"] for item in told["data"][0]["items"]] == [12.49, 19.99]
    assert told["data"][4]["address"]["city"] == "Troy"


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
    assert other["data"][0]["address"]["city"] == "Norman"


INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"


@pytest.fixture(scope="module")
def inspector(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The TypeScript client that people try servers with, on the command line."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("no npm on this machine")
    place = tmp_path_factory.mktemp("inspector")
    words = [npm, "install", "--no-audit", "--no-fund", "--silent", INSPECTOR]
    done = subprocess.run(words, cwd=place, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        pytest.skip(f"npm gave no Inspector: {done.stderr.strip()[-200:]}")
    return place / "node_modules/.bin/mcp-inspector"


def _typed(inspector: Path, where: list[str], name: str, *arguments: str) -> dict[str, Any]:
    """What a person types there is text; the Inspector turns it into what the schema says."""
    given = [word for argument in arguments for word in ("--tool-arg", argument)]
    words = [inspector, "--cli", *where, "--method", "tools/call", "--tool-name", name, *given]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    try:
        answer: dict[str, Any] = json.JSONDecoder().raw_decode(done.stdout)[0]
    except ValueError:
        raise AssertionError(done.stdout + done.stderr) from None
    return answer


async def test_the_inspector(inspector: Path, command: list[str], tmp_path: Path) -> None:
    async with serving(command, tmp_path / "said") as (port, token):
        url = [f"http://127.0.0.1:{port}/mcp", "--transport", "http"]
        key = [*url, "--header", f"Authorization: Bearer {token}"]

        async def typed(where: list[str], name: str, *arguments: str) -> dict[str, Any]:
            return await asyncio.to_thread(_typed, inspector, where, name, *arguments)

        found = await typed(key, "product_catalog_search", "query=bird", "max_price=20", "limit=2")
        order = await typed(key, "get_order_details", f"order_id={ANNAS_ORDER}")
        changed = await typed(key, "update_user_profile", "city=Troy")
        profile = await typed(key, "get_user_profile")
        refused = await typed(key, "get_user_orders", "status=lost")
        with pytest.raises(AssertionError, match=r"auth|401"):
            await typed(url, "get_user_profile")
    assert [item["price"] for item in found["_meta"]["data"]["items"]] == [12.49, 19.99]
    assert order["_meta"]["data"]["order_id"] == ANNAS_ORDER
    assert "Norman -> Troy" in changed["content"][0]["text"]
    assert profile["_meta"]["data"]["address"]["city"] == "Norman"
    assert refused["isError"] and "status is 'lost': it must be one of" in refused["content"][0]["text"]
